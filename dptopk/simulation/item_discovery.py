"""Find the items of a log privately, without a list of all items.

Each user keeps at most so many items, chosen by a keyed hash of nothing but the user's own; every
item that is left gets Gaussian noise, and comes out above a threshold (`SparseGaussian`).

Limits: noise is made of floats under a seed, for exploration; no budget is kept.  The report of the
counting, and everything else but what is returned here, is private.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core import validation
from dptopk.core.array_types import FloatArray
from dptopk.data.events import counts_by_bound
from dptopk.data.ingest import CountsByBound

if TYPE_CHECKING:
    import duckdb


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
    key: str = "",
    memory_limit: str | None = None,
    progress: Callable[[float], object] | None = None,
) -> DiscoveredItems:
    """Find items of a log of events with (epsilon, delta)-differential privacy, without a list.

    Neighbors differ in one user, added or removed, with any number of items.

    Parameters
    ----------
    source, user, item, where, engine, table, normalize, nulls, key, memory_limit, progress
        As of `counts_from_events`.
    epsilon, delta : float
        Privacy budget, as of `SparseGaussian`.
    max_items : int
        Keep at most so many of each user's distinct items: to be chosen without these data.
    rng : numpy.random.Generator
        Source of the noise.
    weighted : bool, optional
        If a user of t items adds 1 / √t to each, else 1.

    Returns
    -------
    DiscoveredItems

    Raises
    ------
    IngestError
        If the log cannot be read, or nothing is left of it: a ValueError.
    TypeError, ValueError
        Naming the argument, value and rule that was broken.
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
