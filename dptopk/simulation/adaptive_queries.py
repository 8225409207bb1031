"""Simulate a series of adaptive queries, each charged by its number of outcomes.

As an example of questions that depend on the answers before them, each call asks for the next top
k: among the items that have not come out yet.  Only the ledger ends it, never how many items are
left: one user may bring items, and their number would tell of it.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.accounting import OutcomeLedger
from dptopk.core import validation
from dptopk.core.array_types import IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.outputs import NOTHING
from dptopk.core.privacy import PerOutcomeCost
from dptopk.mechanisms import Mechanism
from dptopk.simulation.trials import generator_for


@dataclass(frozen=True)
class QueryAnswers:
    """Answers of a series of queries, with their charges."""

    answers: tuple[IntArray, ...]  # positions that each call returned, in order
    ledger: OutcomeLedger  # after the last call
    ended: str  # why there is no further call

    @property
    def returned(self) -> IntArray:
        """Number of items that each call returned, shape (n_calls,)."""
        return np.array([answer.size for answer in self.answers], dtype=np.int64)

    @property
    def charged(self) -> IntArray:
        """Number of outcomes charged for each call, shape (n_calls,)."""
        return np.array(self.ledger.charged, dtype=np.int64)


def calls_paid_in_full(ledger: OutcomeLedger, k: int) -> int:
    """Return how many calls the budget allows if each is charged k, whatever its answer."""
    return min(ledger.calls, ledger.outcomes // k)


def without(counts: ItemCounts, items: IntArray) -> ItemCounts:
    """Return the counts with 0 users for the items at some positions."""
    if not items.size:
        return counts
    left = counts.counts.copy()
    left[items] = 0
    return ItemCounts(left)


def ask_for_the_next(
    counts: ItemCounts, mechanism: Mechanism, ledger: OutcomeLedger, seed: int
) -> QueryAnswers:
    """Ask repeatedly for the top k of the items not yet released, until the ledger refuses.

    ``ledger`` is made of the mechanism's cost, with what calls before were charged; the draw of the
    first call is that of `trials.release`.
    """
    seed = validation.integer("seed", seed, low=0)
    mechanism.check(counts)
    if not isinstance(mechanism.cost, PerOutcomeCost) or mechanism.cost != ledger.cost:
        raise ValueError(f"ledger must be made of the cost of {mechanism.name}")
    remaining = counts
    answers: list[IntArray] = []
    while not (ended := ledger.refusal(mechanism.k)):
        output = mechanism.sample(remaining, 1, generator_for(mechanism, seed, len(answers)))[0]
        output = output[output != NOTHING]
        answers.append(output)
        ledger = ledger.after(mechanism.k, output.size)
        remaining = without(remaining, output)
    return QueryAnswers(tuple(answers), ledger, ended)
