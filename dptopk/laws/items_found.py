"""Exact distribution of the number of items that a Gaussian sparse histogram finds.

Of `SparseGaussian`'s items each comes out by its own noise: independently, with probability
Φ((w - τ) / σ) for what its users add to it, w.  So the number of items that come out, and how many
of the true top k, are Poisson-binomial.  Nothing comes out that the data lack.  The missing mass is
the share of all counts that falls on items that do not come out (Dick, Joseph, Raman 2026, arXiv
2603.14016).
"""

import math
from dataclasses import dataclass

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import ItemCounts


@dataclass(frozen=True)
class ItemsFound:
    """Summary of the distribution of the items found."""

    expected: float  # mean of their number
    deviation: float  # standard deviation of their number
    missing_mass: float  # expected share of the counts that falls on items that do not come out
    all_of_top_k: float  # probability that all of a true top k come out; enough of a tie at its end
    of_top_k: float  # expected number of places of a true top k whose items come out


def items_found(counts: ItemCounts, chances: FloatArray, k: int) -> ItemsFound:
    """Summarize the exact distribution of the items that the mechanism finds.

    ``counts`` are the truth, without a bound; ``chances``, shape (d,), those of each item to come
    out, as of `SparseGaussian.survival`.

    Examples
    --------
    >>> from dptopk import ItemCounts, SparseGaussian
    >>> from dptopk.laws.items_found import items_found
    >>> counts = ItemCounts([60, 40, 20, 1])
    >>> chances = SparseGaussian(1.0, 1e-6, max_items=1).survival(counts.counts)
    >>> found = items_found(counts, chances, k=2)
    >>> round(found.expected, 3), round(found.missing_mass, 3), round(found.all_of_top_k, 3)
    (2.399, 0.108, 1.0)
    """
    k = validation.integer("k", k, low=1, high=counts.d)
    chances = np.asarray(chances, dtype=np.float64)
    if chances.shape != (counts.d,):
        raise ValueError(f"chances must have shape ({counts.d},), got {chances.shape}")
    truth = counts.counts
    total = int(truth.sum())
    least = int(counts.sorted.padded_top(k)[-1])
    above, tied = chances[truth > least], chances[truth == least]
    room = k - above.size  # for items of the tie
    fewer = fewer_than(tied, room)
    return ItemsFound(
        float(chances.sum()),
        math.sqrt(float((chances * (1 - chances)).sum())),
        float((1 - chances) @ truth) / total if total else 0.0,
        float(above.prod()) * max(1 - float(fewer.sum()), 0.0),
        float(above.sum()) + max(room - float(fewer @ (room - np.arange(fewer.size))), 0.0),
    )


def fewer_than(chances: FloatArray, least: int) -> FloatArray:
    """Return the probability that each number below ``least`` of independent events happens.

    They are the coefficients of Π (1 - p + p x), whose factors are multiplied in pairs.
    """
    factors = np.stack([1 - chances, chances], axis=1)[:, :least]
    while len(factors) > 1:
        if len(factors) % 2:
            one = np.zeros((1, factors.shape[1]))
            one[0, 0] = 1.0
            factors = np.concatenate([factors, one])
        left, right = factors[::2], factors[1::2]
        width = min(2 * factors.shape[1] - 1, least)
        factors = np.zeros((len(left), width))
        for shift in range(left.shape[1]):
            pause()
            stop = min(right.shape[1], width - shift)
            factors[:, shift : shift + stop] += left[:, shift, None] * right[:, :stop]
    law: FloatArray = factors[0]
    return law
