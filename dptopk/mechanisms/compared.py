"""Who is compared in the figures of the paper that introduces the joint mechanism."""

from dptopk.mechanisms.cdp_peel import CDPPeel
from dptopk.mechanisms.joint import Joint
from dptopk.mechanisms.pnf_peel import PNFPeel

IN_THE_PAPER = tuple(mechanism.card.key for mechanism in (Joint, PNFPeel, CDPPeel))
"""Keys of those in Figures 1, 2 and 6 of Gillenwater et al. 2022, section 4."""
