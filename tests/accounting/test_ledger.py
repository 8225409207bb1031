"""Test charges and refusals of the ledger, and that no adaptive series exceeds its total.

The proof is by enumeration: every history of a series whose next question depends on the answers
before it, on all neighbours.
"""

import math

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    ItemCounts,
    LimitedDomain,
    NeighborRelation,
    neighboring_counts,
    spent_epsilon,
)
from dptopk.accounting import LEDGER_METHODS, OutcomeLedger, OverrunError
from dptopk.core.privacy import ApproximateCost, PerOutcomeCost

both_relations = pytest.mark.parametrize("neighbors", list(NeighborRelation))
COST = PerOutcomeCost(1.0, 1e-6, "why.", 0.1, 1e-7, 11)


def test_a_call_is_charged_its_outcomes_and_one_more():
    ledger = OutcomeLedger(COST, outcomes=20, calls=3)
    after = ledger.after(5, 2).after(5, 0)
    assert after.charged == (3, 1)
    assert (after.outcomes_left, after.calls_left) == (16, 1)
    assert ledger.charged == ()
    last = after.after(15, 15)  # may cost 16, all that is left
    assert last.outcomes_left == 0
    assert last.refusal(1) == "all 3 calls are spent"


@pytest.mark.parametrize("method", LEDGER_METHODS)
def test_an_enormous_epsilon_of_a_call_is_summed_up(method):
    ledger = OutcomeLedger(PerOutcomeCost(1e300, 1e-6, ".", 1e299, 1e-7, 11), outcomes=20, calls=3)
    assert ledger.total_epsilon(1e-6, method) == pytest.approx(2e300)


def test_refused_before_an_overrun():
    ledger = OutcomeLedger(COST, outcomes=10, calls=9).after(5, 5)
    assert ledger.refusal(3) == ""
    assert ledger.refusal(4) == "a call for 4 may cost 5 outcomes, and 4 of 10 are left"
    with pytest.raises(OverrunError, match=r"^the call is refused: a call for 4 may cost 5"):
        ledger.after(4, 0)  # though nothing would have come out


EMPTY, OTHER_COST = OutcomeLedger(COST, 9, 1), ApproximateCost(1.0, 1e-6, ".")


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: OutcomeLedger(COST, 0, 1), ValueError, r"outcomes must be in \[1, "),
        (lambda: OutcomeLedger(COST, 1, 0), ValueError, r"calls must be in \[1, "),
        (lambda: OutcomeLedger(COST, 1.5, 1), TypeError, "outcomes must be an integer"),
        (lambda: OutcomeLedger(OTHER_COST, 1, 1), TypeError, "cost must be PerOutcomeCost"),
        (lambda: EMPTY.after(2, 3), ValueError, r"returned must be in \[0, 2\]"),
        (lambda: EMPTY.refusal(0), ValueError, "k must be at least 1"),
        (lambda: EMPTY.total_epsilon(0.1, "best"), ValueError, "method must be one"),
        (lambda: EMPTY.total_epsilon(1.0, "basic"), ValueError, "delta must be in"),
        (lambda: EMPTY.total_delta(-0.1), ValueError, "delta must be in"),
    ],
)
def test_wrong_arguments(make, error, words):
    with pytest.raises(error, match=f"^{words}"):
        make()


def test_totals_by_hand():
    ledger = OutcomeLedger(COST, outcomes=50, calls=8)
    factor = 50 * math.log1p(1e-7)
    log = math.log(1e6)
    assert ledger.total_epsilon(1e-6, "basic") == pytest.approx(5 + factor, rel=1e-12)
    assert ledger.total_epsilon(1e-6, "durfee-rogers") == pytest.approx(
        50 * 0.01 / 2 + 0.1 * math.sqrt(50 * log / 2) + factor, rel=1e-12
    )
    assert ledger.total_epsilon(1e-6, "optimal") == pytest.approx(
        spent_epsilon(0.1, 50, 1e-6, "optimal") + factor, rel=1e-12
    )
    assert ledger.total_delta(1e-6) == pytest.approx(16e-7 + 1e-6)
    assert OutcomeLedger(COST, 1, 10**9).total_delta(0.5) == 1.0


def test_each_way_of_adding_up_is_at_most_the_one_before():
    for epsilon, outcomes, delta in ((0.01, 9, 1e-9), (0.1, 50, 1e-6), (1.0, 7, 0.1), (9, 3, 0)):
        ledger = OutcomeLedger(PerOutcomeCost(1.0, 1e-6, ".", epsilon, 1e-7, 11), outcomes, 5)
        totals = [ledger.total_epsilon(delta, method) for method in LEDGER_METHODS]
        assert totals == sorted(totals, reverse=True)
        assert ledger.total_epsilon(0.0, "durfee-rogers") == totals[0]


# --- adaptive series, by enumeration -----------------------------------------------------

AFTER_ITEM, AFTER_NOTHING = np.array([1, 2, 0]), np.array([0, 2])  # which items are asked about


def histories(counts: np.ndarray, one: LimitedDomain, ledger: OutcomeLedger, asked=None) -> dict:
    """Probability of every history of a series: who asks looks at the answer before."""
    asked = np.arange(counts.size) if asked is None else asked
    if ledger.refusal(1):
        return {(): 1.0}
    found = {}
    outputs = [*range(asked.size), NOTHING]
    law = np.exp(one.log_pmf(ItemCounts(counts[asked]), np.array(outputs)[:, None]))
    for output, p in zip(outputs, law, strict=True):
        came = output != NOTHING
        answer = int(asked[output]) if came else NOTHING
        then = histories(
            counts, one, ledger.after(1, int(came)), AFTER_ITEM if came else AFTER_NOTHING
        )
        for history, q in then.items():
            found[(answer, *history)] = found.get((answer, *history), 0.0) + p * q
    return found


def excess(here: dict, there: dict, epsilon: float) -> float:
    """Hockey-stick of two laws of histories."""
    return sum(max(p - math.exp(epsilon) * there.get(h, 0.0), 0.0) for h, p in here.items())


@both_relations
@pytest.mark.parametrize("counts", [[0, 2, 1], [9, 8, 8], [1, 0, 0]])
def test_no_adaptive_series_exceeds_its_total(counts, neighbors):
    one = LimitedDomain(1, 0.5, 0.1, neighbors, k_bar=1)
    ledger = OutcomeLedger(one.cost, outcomes=6, calls=4)
    assert (one.cost.range, one.cost.call_delta) == (one.local_epsilon, one.domain_delta)
    here = histories(np.array(counts), one, ledger)
    assert sum(here.values()) == pytest.approx(1)
    for neighbour in neighboring_counts(ItemCounts(counts), neighbors):
        there = histories(neighbour.counts, one, ledger)
        for method, delta in zip(LEDGER_METHODS, (0.0, 0.02, 0.02), strict=True):
            epsilon, total = ledger.total_epsilon(delta, method), ledger.total_delta(delta)
            for first, second in ((here, there), (there, here)):
                assert excess(first, second, epsilon) <= total
                # half of the paper's share for the domains is what is proven here
                assert excess(first, second, epsilon) <= (total + delta) / 2


def test_a_ledger_that_charges_nothing_for_nothing_is_noticed():
    """Forty calls for one item: most say ⊥, and two outcomes do not pay for what that tells."""

    class Careless(OutcomeLedger):
        def after(self, k: int, returned: int) -> OutcomeLedger:
            return Careless(self.cost, self.outcomes, self.calls, (*self.charged, 2 * returned))

    one = LimitedDomain(1, 1.0, 1e-4)
    count = round(one.threshold(ItemCounts([0]).sorted)) - 3
    here, there = np.array([count]), np.array([count + 1])
    for cls, kept in ((OutcomeLedger, True), (Careless, False)):
        ledger = cls(one.cost, outcomes=2, calls=40)
        laws = [repeated(counts, one, ledger) for counts in (here, there)]
        within = excess(*laws, ledger.total_epsilon(0.0, "basic")) <= ledger.total_delta(0.0)
        assert within == kept


def repeated(counts: np.ndarray, one: LimitedDomain, ledger: OutcomeLedger) -> dict:
    """The law of the number of items in a series that asks the same question of one item."""
    item, nothing = np.exp(one.log_pmf(ItemCounts(counts), [[0], [NOTHING]]))
    if ledger.refusal(1):
        return {(): 1.0}
    found = {}
    for answer, p in ((0, item), (NOTHING, nothing)):
        for history, q in repeated(counts, one, ledger.after(1, answer + 1)).items():
            found[(answer, *history)] = p * q
    return found
