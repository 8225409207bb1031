"""Mechanisms used in the lessons, by what each of them illustrates."""

from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.cdp_peel import CDPPeel
from dptopk.mechanisms.em_peel import EMPeel
from dptopk.mechanisms.inverse_sensitivity_set import InverseSensitivitySet
from dptopk.mechanisms.joint import Joint
from dptopk.mechanisms.laplace import Laplace
from dptopk.mechanisms.limited_domain import LimitedDomain
from dptopk.mechanisms.pnf_peel import PNFPeel

RACE: type[Mechanism] = EMPeel
"""Rounds of the exponential mechanism, which are one race: the first k arrivals."""

RACE_WITH_DELTA: type[Mechanism] = CDPPeel
"""The exponential mechanism in rounds that are composed with a δ."""

NOISY: type[Mechanism] = Laplace
"""Noise of the usual kind on every count, and the largest."""

COINS: type[Mechanism] = PNFPeel
"""Rounds of permute-and-flip."""

ONE_CHOICE: type[Mechanism] = Joint
"""A single choice among all sequences."""

ONE_SET: type[Mechanism] = InverseSensitivitySet
"""A single choice among all sets."""

OPEN: type[Mechanism] = LimitedDomain
"""No list of items is needed."""
