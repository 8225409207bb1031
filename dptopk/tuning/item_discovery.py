"""Find items of a log privately without a list of all items; compare bounds on the items of a user.

Each user keeps at most so many items, chosen by a keyed hash of nothing but the user's own; every
item that is left gets Gaussian noise, and comes out above a threshold (`SparseGaussian`).

Limits: noise is made of floats under a seed, for exploration; no budget is kept.  The report of the
counting, and everything else but what is returned here, is private.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core import validation
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause
from dptopk.data.events import counts_by_bound
from dptopk.data.ingest import CountsByBound
from dptopk.laws.items_found import items_found

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


@dataclass(frozen=True, eq=False)
class DiscoveredItems:
    """Released items with their noisy amounts.

    Attributes
    ----------
    items : tuple of str
        By their amounts, the largest first.
    amounts : float64 array of shape (number of items,)
        Sums of weights 1 / √t, or users, with noise, all above the threshold; read-only.
    mechanism : SparseGaussian
        Noise, threshold and guarantee.
    """

    items: tuple[str, ...]
    amounts: FloatArray
    mechanism: SparseGaussian

    def __len__(self) -> int:
        return len(self.items)


def discover_items(
    source: Any,
    user: str,
    item: str,
    epsilon: float,
    delta: float,
    max_items: int,
    rng: np.random.Generator,
    where: str | None = None,
    weighted: bool = True,
    engine: duckdb.DuckDBPyConnection | None = None,
    *,
    table: str | None = None,
    normalize: bool = False,
    nulls: str | None = None,
    users_alike: str | None = None,
    key: str = "",
    memory_limit: str | None = None,
    progress: Callable[[float], object] | None = None,
) -> DiscoveredItems:
    """Find items of a log of events with (epsilon, delta)-differential privacy, without a list.

    Neighbors differ in one user, added or removed, with any number of items.

    Parameters
    ----------
    source, user, item, where, engine
        As of `counts_from_events`.
    table, normalize, nulls, users_alike, key, memory_limit, progress
        As of it, too.
    epsilon, delta : float
        Privacy budget, as of `SparseGaussian`.
    max_items : int
        Keep at most so many of each user's distinct items: to be chosen without these data.
    rng : numpy.random.Generator
        Source of the noise.
    weighted : bool, optional
        If a user of t items adds 1 / √t to each, else 1.

    Raises
    ------
    IngestError
        If the log cannot be read, or nothing is left of it: a ValueError.
    ModuleNotFoundError
        If DuckDB is not installed.

    Examples
    --------
    >>> from dptopk import discover_items
    >>> import numpy as np
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": range(101), "what": ["tea"] * 100 + ["rum"]})
    >>> found = discover_items(log, "who", "what", 1.0, 1e-6, 3, np.random.default_rng(0))
    >>> found.items, found.amounts.round(1).tolist()
    (('tea',), [99.4])
    """
    mechanism = SparseGaussian(epsilon, delta, max_items, weighted)
    rng = validation.generator("rng", rng)
    by_bound = counts_by_bound(
        source,
        user,
        item,
        where,
        [max_items],
        engine=engine,
        table=table,
        normalize=normalize,
        nulls=nulls,
        users_alike=users_alike,
        key=key,
        memory_limit=memory_limit,
        progress=progress,
    )
    return draw_items(by_bound, mechanism, rng)


def draw_items(
    by_bound: CountsByBound, mechanism: SparseGaussian, rng: np.random.Generator
) -> DiscoveredItems:
    """Draw the items that come out, of counts and weights under the bound of the mechanism."""
    amounts = by_bound.amounts_under(mechanism.max_items, mechanism.weighted)
    there = np.flatnonzero(amounts > 0)  # an item that has lost its users is not in the data
    noisy = amounts[there] + rng.normal(scale=mechanism.sigma, size=there.size)
    order = np.argsort(-noisy, kind="stable")
    order = order[noisy[order] > mechanism.threshold]
    names = by_bound.counts.items
    shown = noisy[order]
    shown.flags.writeable = False
    return DiscoveredItems(tuple(names[place] for place in there[order]), shown, mechanism)


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

    validation.instance("by_bound", by_bound, CountsByBound)
    rows = []
    for weighted in (True, False):
        for bound in by_bound.bounds if bounds is None else bounds:
            pause()
            mechanism = SparseGaussian(epsilon, delta, bound, weighted)
            amounts = by_bound.amounts_under(bound, weighted)
            found = items_found(by_bound.counts, mechanism.survival(amounts), k)
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
