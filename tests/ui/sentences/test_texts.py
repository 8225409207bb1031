"""Test that sentences state the conditions under which they hold."""

import pytest

from dptopk import MECHANISMS
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.mechanisms import Group
from dptopk.ui.sentences import texts


@pytest.mark.parametrize("cls", MECHANISMS.values(), ids=lambda cls: cls.card.key)
def test_every_promise_names_the_list_that_it_rests_on(cls):
    given = {"delta": 1e-6} if cls.card.takes("delta") else {}
    given |= {"max_items": 2} if cls.card.takes("max_items") else {}
    statement = cls(k=2, epsilon=1.0, **given).guarantee.statement
    needs_a_list = cls.card.group is not Group.UNKNOWN
    assert ("fixed independently of the data" in statement) == needs_a_list


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_odds_are_on_a_person_only_where_one_is_protected(neighbors):
    guarantee = Guarantee(1.0, 0.0, neighbors)
    for one, words in (("", "person"), ("unit of qty", "one unit of qty ")):
        said = texts.odds(guarantee, one)
        assert words in said
        assert ("person" in said) is not bool(one)
