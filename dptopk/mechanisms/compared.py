"""Mechanisms compared in the figures of the paper that introduces the joint mechanism."""

from dptopk.mechanisms.cdp_peel import CDPPeel
from dptopk.mechanisms.gamma import Gamma
from dptopk.mechanisms.joint import Joint
from dptopk.mechanisms.laplace import Laplace
from dptopk.mechanisms.pnf_peel import PNFPeel

IN_THE_PAPER = tuple(mechanism.card.key for mechanism in (Joint, PNFPeel, CDPPeel))
"""Keys of those in Figures 1 and 2 of Gillenwater et al. 2022."""

WITH_BASELINES = (*IN_THE_PAPER, *(mechanism.card.key for mechanism in (Laplace, Gamma)))
"""Keys of those in Figure 6, which draws all error measures on Movies."""
