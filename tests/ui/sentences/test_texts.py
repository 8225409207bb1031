"""Test that sentences state the conditions under which they hold."""

import math

import pytest

from dptopk import MECHANISMS
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.data.sources import source_of
from dptopk.mechanisms import Group
from dptopk.ui.sentences import texts

JOINS, SWAP = NeighborRelation


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


@pytest.mark.parametrize(
    ("epsilon", "delta", "neighbors", "words"),
    [
        (1.0, 0.0, JOINS, "that one person is in the data can rise to at most 73.11%."),
        (1.0, 1e-6, JOINS, "at most 73.11%, of which δ adds at most 2.69e-7; a single outcome may"),
        (1.0, 0.0005, SWAP, "about which of two persons is in the data is right with probability"),
        (1.0, 0.0005, SWAP, "at most 73.12%,"),  # 73.1059% without δ
        (1.0, 0.5, SWAP, "data with probability 0.5"),
        (1.0, 0.5, SWAP, "at most 0.135; a single outcome"),
        (10.0, 0.0, SWAP, "rise to at most 99.9955%."),
        (12.0, 0.0, SWAP, "may rise to up to 99.9994%: practically no protection."),
        (25.0, 0.0, SWAP, "may rise to > 99.9999%: practically no protection."),
        (1e6, 0.0, SWAP, "may rise to > 99.9999%: practically no protection."),
        # as a difference of two guesses it was false, and 0, from which no number of digits came
        (1.0, 0.1, SWAP, "of which δ adds at most 0.0269; "),
        (8.0, 1e-12, SWAP, "of which δ adds at most 3.36e-16; "),  # 3.3535e-16: less would be false
        (1e300, 1e-300, SWAP, "of which δ adds at most 1e-300: "),
    ],
)
def test_odds_are_in_words_of_what_can_be_promised(epsilon, delta, neighbors, words):
    assert words in texts.odds(Guarantee(epsilon, delta, neighbors))


def test_certainty_is_said_of_infinite_losses_only():
    assert texts.posterior(math.inf) == "certain"
    assert texts.posterior(500.0) == "1 − 7.1e-218"


def test_no_posterior_is_bounded_where_there_is_a_delta():
    """Losses may exceed ε more often than δ though δ(ε) ≤ δ holds."""
    for said in (
        texts.odds(Guarantee(1.0, 1e-6, JOINS)),
        texts.odds_at_most(1.0, 1e-6, source_of("books", {})),
    ):
        assert "guess" in said
        assert "rise" not in said
