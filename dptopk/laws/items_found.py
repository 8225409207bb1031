"""Exact distribution of the number of items that a Gaussian sparse histogram finds.

Of `SparseGaussian`'s items each comes out by its own noise: independently, with probability
Φ((w - τ) / σ) for what its users add to it, w.  So the number of items that come out, and how many
of the true top k, are Poisson-binomial.  Nothing comes out that the data lack.  The missing mass is
the share of all counts that falls on items that do not come out (Dick, Joseph, Raman 2026, arXiv
2603.14016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core import validation
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import ItemCounts
from dptopk.data.ingest import CountsByBound

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ItemsFound:
    """Summary of the distribution of the items found.

    Attributes
    ----------
    expected, deviation : float
        Mean and standard deviation of their number.
    missing_mass : float
        Expected share of the counts that falls on items that do not come out.
    all_of_top_k : float
        Probability that all of a true top k come out; of a tie at the k-th count, enough of it.
    """

    expected: float
    deviation: float
    missing_mass: float
    all_of_top_k: float


def items_found(
    counts: ItemCounts, amounts: FloatArray, mechanism: SparseGaussian, k: int
) -> ItemsFound:
    """Summarize the exact distribution of the items that the mechanism finds.

    Parameters
    ----------
    counts : ItemCounts
        Users of each item without a bound: the truth.
    amounts : float array of shape (d,)
        What the users of each item add to it under the bound of the mechanism: weights or counts.
    mechanism : SparseGaussian
        Noise and threshold.
    k : int
        Number of items in the true top, from 1 to d.

    Returns
    -------
    ItemsFound

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.

    Examples
    --------
    >>> from dptopk import ItemCounts, SparseGaussian
    >>> from dptopk.laws.items_found import items_found
    >>> counts = ItemCounts([60, 40, 20, 1])
    >>> found = items_found(counts, counts.counts, SparseGaussian(1.0, 1e-6, max_items=1), k=2)
    >>> round(found.expected, 3), round(found.missing_mass, 3), round(found.all_of_top_k, 3)
    (2.399, 0.108, 1.0)
    """
    k = validation.integer("k", k, low=1, high=counts.d)
    amounts = np.asarray(amounts, dtype=np.float64)
    if amounts.shape != (counts.d,):
        raise ValueError(f"amounts must have shape ({counts.d},), got {amounts.shape}")
    chances = mechanism.survival(amounts)
    truth = counts.counts
    total = int(truth.sum())
    least = int(counts.sorted.padded_top(k)[-1])
    above, tied = chances[truth > least], chances[truth == least]
    return ItemsFound(
        float(chances.sum()),
        math.sqrt(float((chances * (1 - chances)).sum())),
        float((1 - chances) @ truth) / total if total else 0.0,
        float(above.prod()) * at_least(tied, k - above.size),
    )


def items_found_by_bound(
    by_bound: CountsByBound,
    epsilon: float,
    delta: float,
    k: int,
    bounds: Sequence[int] | None = None,
) -> pd.DataFrame:
    """Tabulate `items_found` for several bounds on the items per user.

    Parameters
    ----------
    by_bound : CountsByBound
        From `counts_by_bound`.
    epsilon, delta : float
        Privacy budget of the release, as of `SparseGaussian`.
    k : int
        Number of items in the true top, from 1 to d.
    bounds : sequence of int, optional
        Some of the bounds of ``by_bound``, or such that no user exceeds; left out, all of them.

    Returns
    -------
    pandas.DataFrame
        One row a bound, weighted and not: ``weighted``; ``max_items``; ``sigma`` and ``threshold``,
        in weights or users; ``expected`` and ``deviation`` of the number of items that come out;
        ``counts_kept``, the expected share of the counts that falls on them, 1 less the missing
        mass; ``all_of_top_k``, a probability; ``is_best``, the largest share kept.

    Raises
    ------
    TypeError, ValueError
        Naming the argument, value and rule that was broken.

    Examples
    --------
    >>> from dptopk import counts_by_bound, items_found_by_bound
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": [n // 2 for n in range(60)], "what": ["x", "y"] * 30})
    >>> found = items_found_by_bound(counts_by_bound(log, "who", "what"), 1.0, 1e-6, k=2)
    >>> found["max_items"].tolist(), found["counts_kept"].round(2).tolist()
    ([1, 2, 1, 2], [0.08, 0.48, 0.08, 0.48])
    """
    import pandas as pd

    rows = []
    for weighted in (True, False):
        for bound in by_bound.bounds if bounds is None else bounds:
            pause()
            mechanism = SparseGaussian(epsilon, delta, bound, weighted)
            amounts = by_bound.amounts_under(bound, weighted)
            found = items_found(by_bound.counts, amounts, mechanism, k)
            rows.append(
                {
                    "weighted": weighted,
                    "max_items": bound,
                    "sigma": mechanism.sigma,
                    "threshold": mechanism.threshold,
                    "expected": found.expected,
                    "deviation": found.deviation,
                    "counts_kept": 1 - found.missing_mass,
                    "all_of_top_k": found.all_of_top_k,
                }
            )
    table = pd.DataFrame(rows)
    table["is_best"] = np.arange(len(table)) == int(table["counts_kept"].argmax())
    return table


def at_least(chances: FloatArray, least: int) -> float:
    """Return the probability that at least ``least`` of several independent events happen.

    The probabilities of each number below ``least`` are the coefficients of Π (1 - p + p x), whose
    factors are multiplied in pairs.
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
    return max(1 - float(factors.sum()), 0.0)
