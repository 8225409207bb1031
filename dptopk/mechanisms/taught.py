"""Mechanisms that the lessons are about, by what each of them shows."""

from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.em_peel import EMPeel
from dptopk.mechanisms.pnf_peel import PNFPeel

RACE: type[Mechanism] = EMPeel
"""Rounds of the exponential mechanism, which are one race: the first k arrivals."""

COINS: type[Mechanism] = PNFPeel
"""Rounds of permute-and-flip."""
