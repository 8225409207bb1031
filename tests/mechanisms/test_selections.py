"""Test the selection of mechanisms for a purpose by their cards."""

import itertools

import pytest

from dptopk import MECHANISMS
from dptopk.mechanisms import Group
from dptopk.mechanisms.selections import fits, needs

EVERY = list(MECHANISMS.values())


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_every_mechanism_fits_some_purpose_and_keeps_what_was_asked(mechanism):
    purposes = [
        {"ordered": ordered, "delta": delta, "known": known}
        for ordered, delta, known in itertools.product((True, False), repeat=3)
    ]
    served = [purpose for purpose in purposes if fits(mechanism, **purpose)]
    assert served
    for purpose in served:
        assert mechanism.outputs.ordered or not purpose["ordered"]
        assert not mechanism.card.takes("delta") or purpose["delta"]
        assert (mechanism.card.group is Group.UNKNOWN) != purpose["known"]


def test_the_right_ten_unordered_with_no_delta():
    found = {m.card.key for m in EVERY if fits(m, ordered=False, delta=False, known=True)}
    assert {"InverseSensitivitySet", "JointSet", "Joint"} <= found
    assert not found & {"CDPPeel", "StableSet", "AdaptiveK"}


def test_needs_in_words():
    words = {m.card.key: needs(m) for m in EVERY}
    assert words["Joint"] == "a list of all items"
    assert words["CDPPeel"] == "a list of all items, and δ"
