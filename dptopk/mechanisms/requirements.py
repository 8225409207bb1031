"""Select mechanisms by their requirements: a list of items, a delta above 0, ordered output."""

from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.card import Group


def fits(mechanism: type[Mechanism], *, ordered: bool, delta: bool, known: bool) -> bool:
    """Return whether a mechanism meets the requirements.

    Parameters
    ----------
    mechanism : type of Mechanism
        Any registered one.
    ordered : bool
        Whether the order is needed; where it is not, a sequence will do as well as a set.
    delta : bool
        Whether delta may be above 0.
    known : bool
        Whether all possible items are known beforehand; a mechanism made for unknown items is
        offered for those only.
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
