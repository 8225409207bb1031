"""Repeat the experiment of the paper on top-k sets: the mean ℓ∞ error against d.

Gillenwater, Joseph, Muñoz Medina, Ribero (2021): k = 5, the joint choice of a set beside k rounds
of the exponential mechanism and beside Laplace noise of scale 2k / ε, on uniform counts up to 10 d
and on the d most rated movies; the mean of 100 runs.  Everything is measured as a set, whose errors
have no order.  Gamma, which the paper calls poor, is shown too.

Of the joint choice the mean is exact: the ℓ∞ error of a set is its largest loss, whose law is
known.  The others' means are simulated, with intervals of 1.96 standard errors.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core.counts import ItemCounts
from dptopk.core.errors import METRICS, Law
from dptopk.core.privacy import NeighborRelation
from dptopk.data.synthetic_counts import synthetic
from dptopk.laws.exact import exact_error
from dptopk.mechanisms import Mechanism, selections
from dptopk.simulation.trials import generator_for

K, RUNS, SEED = 5, 100, 0
LINF, LOSS = (
    next(key for key, metric in METRICS.items() if metric.law is law)
    for law in (Law.LINF, Law.SIGNED_MAX)
)
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 1_682)
"""Values of d; MovieLens 100k has 1,682 movies."""


@dataclass(frozen=True)
class SetErrors:
    """Mean ℓ∞ error of a mechanism against d, in users, with 95 % intervals: points if exact."""

    d: tuple[int, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def set_errors(
    counts: ItemCounts, epsilon: float, runs: int = RUNS
) -> dict[str, dict[type[Mechanism], SetErrors]]:
    """Compute the mean errors of all mechanisms on "uniform" counts and on the "most rated".

    These are the largest of ``counts``, which has at least 1,682 items.
    """
    errors_by_data: dict[str, dict[type[Mechanism], SetErrors]] = {"uniform": {}, "most rated": {}}
    made = {
        "uniform": [synthetic("uniform", d, seed=SEED, per_item=10) for d in SIZES],
        "most rated": [ItemCounts(counts.sorted.top(d)) for d in SIZES],
    }
    kinds = (selections.ONE_SET_BY_PLACES, selections.RACE, selections.NOISY)
    for data, every in made.items():
        for kind in (*kinds, selections.SHARED_RADIUS):
            mechanism = kind(K, epsilon)
            if kind is selections.NOISY:  # scale 2k / ε is that of a user who is replaced
                mechanism = mechanism.replaced(neighbors=NeighborRelation.SWAP)
            means = [_mean(one, mechanism, runs) for one in every]
            mean, low, high = zip(*means, strict=True)
            errors_by_data[data][kind] = SetErrors(SIZES, mean, low, high)
    return errors_by_data


def _mean(counts: ItemCounts, mechanism: Mechanism, runs: int) -> tuple[float, float, float]:
    """Return the mean error with the ends of its interval."""
    as_set = selections.ONE_SET_BY_PLACES
    if isinstance(mechanism, as_set):
        mean = exact_error(counts, mechanism, LOSS).mean
        return mean, mean, mean
    samples = mechanism.sample(counts, runs, generator_for(mechanism, SEED))
    errors = METRICS[LINF].compute(counts, samples, as_set.outputs)
    mean, wide = float(errors.mean()), 1.96 * float(np.std(errors, ddof=1)) / runs**0.5
    return mean, mean - wide, mean + wide
