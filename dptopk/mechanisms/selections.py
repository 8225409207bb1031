"""Select mechanisms by the requirements of a release, by lesson or by paper."""

from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.card import Group
from dptopk.mechanisms.cdp_peel import CDPPeel
from dptopk.mechanisms.em_peel import EMPeel
from dptopk.mechanisms.gamma import Gamma
from dptopk.mechanisms.inverse_sensitivity_set import InverseSensitivitySet
from dptopk.mechanisms.joint import Joint
from dptopk.mechanisms.joint_set import JointSet
from dptopk.mechanisms.laplace import Laplace
from dptopk.mechanisms.limited_domain import LimitedDomain
from dptopk.mechanisms.limited_domain_laplace import LimitedDomainLaplace
from dptopk.mechanisms.one_shot_counts import OneShotCounts
from dptopk.mechanisms.pnf_joint import PNFJoint
from dptopk.mechanisms.pnf_peel import PNFPeel

RACE: type[Mechanism] = EMPeel
"""Rounds of the exponential mechanism, which are one race: the first k arrivals."""

RACE_WITH_DELTA: type[Mechanism] = CDPPeel
"""The exponential mechanism in rounds that are composed with a δ."""

NOISY: type[Mechanism] = Laplace
"""Noise of the usual kind on every count, and the largest."""

COINS: type[Mechanism] = PNFPeel
"""Rounds of permute-and-flip."""

ONE_CHOICE = Joint
"""A single choice among all sequences."""

ONE_CHOICE_BY_COINS: type[Mechanism] = PNFJoint
"""The mechanism that makes this choice by permute-and-flip."""

ONE_SET: type[Mechanism] = InverseSensitivitySet
"""A single choice among all sets."""

ONE_SET_BY_PLACES: type[Mechanism] = JointSet
"""A single choice among all sets, by the loss of sequences."""

SHARED_RADIUS: type[Mechanism] = Gamma
"""Noise on all counts within a common random radius."""

OPEN = LimitedDomain
"""No list of items is needed."""

OPEN_OF_FEW: type[Mechanism] = LimitedDomainLaplace
"""No list of items is needed, and users have few of them."""

ONE_SHOT = OneShotCounts
"""One shot of noise, with the counts of the chosen items."""

IN_THE_EXAMPLES: tuple[type[Mechanism], ...] = (Joint, PNFJoint, PNFPeel)
"""Those of the examples in Appendix D.3 of Gillenwater et al. 2022."""


def fits(mechanism: type[Mechanism], *, ordered: bool, delta: bool, known: bool) -> bool:
    """Return whether a mechanism meets the requirements.

    Where the order is not needed, a sequence will do as well as a set.  A mechanism made for
    unknown items is offered for those only.
    """
    right_order = mechanism.outputs.ordered or not ordered
    right_promise = delta or not mechanism.card.takes("delta")
    return right_order and right_promise and known != _finds_items(mechanism)


def needs(mechanism: type[Mechanism]) -> str:
    """Return the requirements of a mechanism in a few words."""
    items = "no list of items" if _finds_items(mechanism) else "a list of all items"
    return f"{items}, and δ" if mechanism.card.takes("delta") else items


def _finds_items(mechanism: type[Mechanism]) -> bool:
    return mechanism.card.group is Group.UNKNOWN
