"""A series of questions: who is asked about, what is paid, and when it ends."""

import dataclasses

import numpy as np
import pytest

from dptopk import NOTHING, ItemCounts, Joint, LimitedDomain, release
from dptopk.accounting import Ledger
from dptopk.series import ask_for_the_next, calls_paid_in_full

STEEP = ItemCounts([10, 90_000, 70_000, 3, 50_000, 30_000, 5, 0])
MECHANISM = LimitedDomain(2, 1.0, 1e-6)


def asked(outcomes, calls, counts=STEEP, mechanism=MECHANISM):
    return ask_for_the_next(counts, mechanism, Ledger(mechanism.cost, outcomes, calls), seed=3)


def test_each_call_asks_for_what_has_not_come_out():
    series = asked(100, 4)
    assert [answer.tolist() for answer in series.answers] == [[1, 2], [4, 5], [], []]
    assert series.returned.tolist() == [2, 2, 0, 0]
    assert series.charged.tolist() == [3, 3, 1, 1]
    assert series.ledger.outcomes_left == 92
    assert series.ended == "all 4 calls are spent"


def test_the_ledger_ends_it_before_an_overrun():
    series = asked(8, 20)
    assert series.charged.tolist() == [3, 3]
    assert series.ended == "a call for 2 may cost 3 outcomes, and 2 of 8 are left"
    assert asked(2, 20).answers == ()


def test_it_ends_where_too_few_items_are_left():
    series = asked(100, 20, ItemCounts([90_000, 70_000, 50_000]))
    assert [answer.tolist() for answer in series.answers] == [[0, 1]]
    assert series.ended == "fewer than 2 items are left to ask about"
    whole = asked(100, 20, ItemCounts([90_000, 70_000]))
    assert [answer.tolist() for answer in whole.answers] == [[0, 1]]


def test_the_first_call_is_the_release_of_the_seed():
    counts = ItemCounts([60, 52, 47, 40, 33, 20])
    mechanism = LimitedDomain(2, 3.0, 1e-2)
    for seed in range(5):
        series = ask_for_the_next(counts, mechanism, Ledger(mechanism.cost, 9, 9), seed)
        output = release(counts, mechanism, seed)
        assert series.answers[0].tolist() == output[output != NOTHING].tolist()


def test_paying_in_full():
    assert calls_paid_in_full(Ledger(MECHANISM.cost, 55, 20), 10) == 5
    assert calls_paid_in_full(Ledger(MECHANISM.cost, 55, 3), 10) == 3
    assert calls_paid_in_full(Ledger(MECHANISM.cost, 9, 3), 10) == 0


def test_who_looks_on_is_told_of_every_call():
    told = []
    ledger = Ledger(MECHANISM.cost, 100, 4)
    ask_for_the_next(STEEP, MECHANISM, ledger, 3, lambda: told.append(1))
    assert len(told) == 4


@pytest.mark.parametrize("mechanism", [Joint(2, 1.0), dataclasses.replace(MECHANISM, epsilon=2.0)])
def test_a_ledger_of_another_cost_is_refused(mechanism):
    with pytest.raises(ValueError, match=r"^ledger must be made of the cost of "):
        ask_for_the_next(STEEP, mechanism, Ledger(MECHANISM.cost, 9, 9), 0)
    with pytest.raises(ValueError, match=r"^k must be in \[1, 1\]"):
        asked(9, 9, ItemCounts(np.array([5])))
