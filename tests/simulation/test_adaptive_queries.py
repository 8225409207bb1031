"""Test a series of adaptive queries: their items, charges and end."""

import dataclasses
import math

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    ItemCounts,
    Joint,
    LimitedDomain,
    NeighborRelation,
    neighboring_counts,
    release,
)
from dptopk.accounting import OutcomeLedger
from dptopk.core.cancellation import on_pause
from dptopk.simulation.adaptive_queries import ask_for_the_next, calls_paid_in_full, without

STEEP = ItemCounts([10, 90_000, 70_000, 3, 50_000, 30_000, 5, 0])
MECHANISM = LimitedDomain(2, 1.0, 1e-6)


def asked(outcomes, calls, counts=STEEP, mechanism=MECHANISM):
    return ask_for_the_next(
        counts, mechanism, OutcomeLedger(mechanism.cost, outcomes, calls), seed=3
    )


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


def test_how_many_items_are_left_does_not_end_it():
    """One user may have brought some of them: the number of calls would tell."""
    for counts in ([90_000, 70_000, 50_000], [90_000, 70_000, 50_000, 1, 1, 1], [90_000]):
        series = asked(100, 20, ItemCounts(counts))
        assert series.returned.tolist()[:2] == ([2, 1] if len(counts) > 1 else [1, 0])
        assert len(series.answers) == 20
        assert series.ended == "all 20 calls are spent"


@pytest.mark.parametrize("vector", [[6, 5, 0, 0], [1, 1, 0], [9, 1, 1]])
@pytest.mark.parametrize("neighbors", list(NeighborRelation), ids=lambda n: n.value)
def test_the_whole_series_keeps_its_promise_where_items_appear(vector, neighbors):
    """Every transcript of three calls, of data and all neighbours that bring or take items.

    Items without users are dropped from the data, as a file of counts holds none of them.
    """
    mechanism, composing = LimitedDomain(2, 1.0, 0.05, neighbors), 0.02
    ledger = OutcomeLedger(mechanism.cost, 7, 3)
    epsilon, delta = ledger.total_epsilon(composing, "optimal"), ledger.total_delta(composing)

    def law(counts):
        """Probability of each transcript: the items by name, in the order of their calls."""
        names = np.flatnonzero(counts)
        there = ItemCounts(counts[names] if names.size else [0])
        found = {}

        def ask(left, ledger, before, probability):
            if ledger.refusal(mechanism.k):
                found[before] = probability
                return
            every = mechanism.outputs.every(left.d, mechanism.k)
            for row, p in zip(every, np.exp(mechanism.log_pmf(left, every)), strict=True):
                items = row[row != NOTHING]
                if p > 0:
                    told = (*before, tuple(names[items].tolist()))
                    charged = ledger.after(mechanism.k, items.size)
                    ask(without(left, items), charged, told, probability * p)

        ask(there, ledger, (), 1.0)
        return found

    here = law(np.array(vector))
    assert sum(here.values()) == pytest.approx(1.0)
    worst = 0.0
    for neighbour in neighboring_counts(ItemCounts(vector), neighbors):
        there = law(neighbour.counts)
        for one, other in ((here, there), (there, here)):
            beyond = [p - math.exp(epsilon) * other.get(told, 0.0) for told, p in one.items()]
            worst = max(worst, sum(excess for excess in beyond if excess > 0))
    assert 0 < worst <= delta


def test_the_first_call_is_the_release_of_the_seed():
    counts = ItemCounts([60, 52, 47, 40, 33, 20])
    mechanism = LimitedDomain(2, 3.0, 1e-2)
    for seed in range(5):
        series = ask_for_the_next(counts, mechanism, OutcomeLedger(mechanism.cost, 9, 9), seed)
        output = release(counts, mechanism, seed)
        assert series.answers[0].tolist() == output[output != NOTHING].tolist()


def test_paying_in_full():
    assert calls_paid_in_full(OutcomeLedger(MECHANISM.cost, 55, 20), 10) == 5
    assert calls_paid_in_full(OutcomeLedger(MECHANISM.cost, 55, 3), 10) == 3
    assert calls_paid_in_full(OutcomeLedger(MECHANISM.cost, 9, 3), 10) == 0


def test_a_series_pauses_after_every_call():
    told = []
    with on_pause(lambda: told.append(1)):
        ask_for_the_next(STEEP, MECHANISM, OutcomeLedger(MECHANISM.cost, 100, 4), 3)
    assert len(told) >= 4


@pytest.mark.parametrize("mechanism", [Joint(2, 1.0), dataclasses.replace(MECHANISM, epsilon=2.0)])
def test_a_ledger_of_another_cost_is_refused(mechanism):
    with pytest.raises(ValueError, match=r"^ledger must be made of the cost of "):
        ask_for_the_next(STEEP, mechanism, OutcomeLedger(MECHANISM.cost, 9, 9), 0)
