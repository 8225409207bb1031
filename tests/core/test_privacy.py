"""Test the wording of guarantees."""

import dataclasses
import math

import pytest

from dptopk import Guarantee, NeighborRelation
from dptopk.core.privacy import ApproximateCost, PureCost, RangeCost, belief, guess, guess_by_delta


@pytest.mark.parametrize(
    ("guarantee", "sentence"),
    [
        (
            Guarantee(1.0, 0.0, NeighborRelation.ADD_REMOVE),
            "Adding or removing one user, who counts at most once for each item, changes the "
            "probability of any set of outputs by a factor of at most e^1 = 2.72. The guarantee "
            "holds if the list of items was fixed independently of the data.",
        ),
        (
            Guarantee(0.25, 1e-6, NeighborRelation.SWAP),
            "Replacing one user by another, each counting at most once for each item, changes the "
            "probability of any set of outputs by a factor of at most e^0.25 = 1.285, up to an "
            "extra 1e-6 of probability. The guarantee holds if the list of items was fixed "
            "independently of the data.",
        ),
        (
            Guarantee(1.0, 0.0, NeighborRelation.ADD_REMOVE, max_items=3),
            "Adding or removing one user, who counts at most once for each item and for at most 3 "
            "items, changes the probability of any set of outputs by a factor of at most e^1 = "
            "2.72. The guarantee holds if the list of items was fixed independently of the data.",
        ),
    ],
    ids=["pure", "approximate", "of few items"],
)
def test_statement(guarantee, sentence):
    assert guarantee.statement == sentence


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (1e-9, "1 + 1.01e-9"),
        (0.001, "1.00101"),
        (0.1, "1.106"),
        (0.5, "1.649"),
        (5.0, "149"),
        (10.0, "22,100"),
        (100.0, "2.69e43"),
        (1e4, "10^4,343"),
    ],
)
def test_a_bound_is_never_said_to_be_less_than_it_is(epsilon, said):
    statement = Guarantee(epsilon, 0.0, NeighborRelation.SWAP).statement
    assert f" = {said}. The guarantee holds" in statement
    if epsilon < 700 and "+" not in said:
        assert math.exp(epsilon) <= float(said.replace(",", "")) <= 1.01 * math.exp(epsilon)


def test_where_a_promise_holds_for_no_user_it_speaks_of_what_is_counted():
    joins = Guarantee(1.0, 0.0, NeighborRelation.ADD_REMOVE)
    assert joins.statement_on("order") == (
        "Adding at most one order to each item, or taking at most one from each item, changes the "
        "probability of any set of outputs by a factor of at most e^1 = 2.72. The guarantee holds "
        "if the list of items was fixed independently of the data. It does not hold for a whole "
        "user, who may count for more."
    )
    few = dataclasses.replace(joins, neighbors=NeighborRelation.SWAP, max_items=1)
    assert few.statement_on("order").startswith(
        "Taking at most one order from each of at most 1 item and adding at most one to each of at "
        "most 1 item changes"
    )


def test_a_mechanism_for_unknown_items_names_no_condition():
    known = Guarantee(1.0, 1e-6, NeighborRelation.SWAP)
    unknown = dataclasses.replace(known, fixed_items=False)
    assert known.statement.startswith(unknown.statement)
    assert "list of items" not in unknown.statement


def test_an_enormous_epsilon_has_words_too():
    statement = Guarantee(1e6, 0.0, NeighborRelation.SWAP).statement
    assert "e^1e6 = 10^434,295" in statement


def test_costs_write_numbers_as_guarantees_do():
    assert PureCost(1e-6, "").words == "pure ε = 1e-6"
    assert RangeCost(2, 1.23456e-7, "").words == "2 rounds of range 1.235e-7"
    assert ApproximateCost(0.5, 1e-6, "").words == "(ε, δ) = (0.5, 1e-6)"


def test_no_cost_is_stated_below_its_value():
    delta = 1e-6 / 12
    assert PureCost(1.2345612, "").words == "pure ε = 1.23457"
    assert RangeCost(12, 1 / 12, "").words == "12 rounds of range 0.08334"
    words = ApproximateCost(1.2345612, delta, "").words
    assert words == "(ε, δ) = (1.23457, 8.33334e-8)"
    statement = Guarantee(1.2345612, delta, NeighborRelation.ADD_REMOVE).statement
    assert "e^1.23457 = " in statement
    assert "extra 8.33334e-8 of" in statement


def test_even_odds_become_what_bayes_says():
    assert belief(1.0) == pytest.approx(0.7310585786)
    assert belief(0.0) == 0.5
    assert belief(-2.0) == pytest.approx(1 - belief(2.0))
    assert belief(math.inf) == belief(1e9) == 1.0
    assert 0 <= belief(-1e9) < 1e-300
    here, there = 0.3, 0.12  # Bayes' rule, written out
    assert belief(math.log(here / there)) == pytest.approx(here / (here + there))


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.1, 1e-2), (3.0, 0.4), (0.5, 1.0)])
def test_no_guess_beats_the_bound_and_the_worst_pair_reaches_it(epsilon, delta):
    """The pair that dominates all: certain with delta, else randomized response."""
    up = (1 - delta) * belief(epsilon)
    down = (1 - delta) * belief(-epsilon)
    first, second = (delta, up, down, 0.0), (0.0, down, up, delta)
    best = sum(max(p, q) for p, q in zip(first, second, strict=True)) / 2
    assert guess(epsilon, delta) == pytest.approx(best)


def test_what_delta_adds_to_a_guess_keeps_its_digits():
    for epsilon, delta in ((0.0, 0.5), (1.0, 0.1), (3.0, 0.9)):  # where the difference has some
        more = guess(epsilon, delta) - guess(epsilon, 0.0)
        assert guess_by_delta(epsilon, delta) == pytest.approx(more, rel=1e-13)
    assert guess_by_delta(40.0, 1e-6) == pytest.approx(1e-6 * math.exp(-40), rel=1e-15)
