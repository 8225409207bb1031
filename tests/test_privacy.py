"""Guarantees in words."""

import dataclasses

import pytest

from dptopk import Guarantee, NeighborRelation


def test_relations():
    assert [relation.value for relation in NeighborRelation] == ["add-remove", "swap"]


@pytest.mark.parametrize(
    ("guarantee", "sentence"),
    [
        (
            Guarantee(1.0, 0.0, NeighborRelation.ADD_REMOVE),
            "Adding or removing one user, who counts at most once for each item, changes the "
            "probability of any set of outputs by a factor of at most e^1 = 2.72. It holds if "
            "the list of items was fixed independently of the data.",
        ),
        (
            Guarantee(0.25, 1e-6, NeighborRelation.SWAP),
            "Replacing one user by another, each counting at most once for each item, changes "
            "the probability of any set of outputs by a factor of at most e^0.25 = 1.28, up to an "
            "extra 1e-06 of probability. It holds if the list of items was fixed independently of "
            "the data.",
        ),
    ],
    ids=["pure", "approximate"],
)
def test_statement(guarantee, sentence):
    assert guarantee.statement == sentence


def test_a_mechanism_for_unknown_items_names_no_condition():
    known = Guarantee(1.0, 1e-6, NeighborRelation.SWAP)
    unknown = dataclasses.replace(known, fixed_items=False)
    assert known.statement.startswith(unknown.statement)
    assert "list of items" not in unknown.statement


def test_an_enormous_epsilon_has_words_too():
    statement = Guarantee(1e6, 0.0, NeighborRelation.SWAP).statement
    assert "e^1e+06 = 10^434294.5" in statement


def test_frozen():
    guarantee = Guarantee(1.0, 0.0, NeighborRelation.SWAP)
    with pytest.raises(dataclasses.FrozenInstanceError):
        guarantee.epsilon = 2.0
    assert guarantee == Guarantee(1.0, 0.0, NeighborRelation.SWAP)
