"""Compare bounds on the items of a user by what is found of a log without a list of all items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core import validation
from dptopk.core.cancellation import pause
from dptopk.data.ingest import CountsByBound
from dptopk.laws.items_found import items_found

if TYPE_CHECKING:
    import pandas as pd


def items_found_by_bound(
    by_bound: CountsByBound,
    epsilon: float,
    delta: float,
    k: int,
    bounds: Sequence[int] | None = None,
) -> "pd.DataFrame":
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
    tried = by_bound.bounds if bounds is None else validation.listed("bounds", bounds)
    rows = []
    for weighted in (True, False):
        for bound in tried:
            pause()
            mechanism = SparseGaussian(epsilon, delta, bound, weighted)
            amounts = by_bound.amounts_under(bound, weighted)
            law = items_found(by_bound.counts, mechanism.survival(amounts), k)
            rows.append(
                {
                    "weighted": weighted,
                    "max_items": bound,
                    "sigma": mechanism.sigma,
                    "threshold": mechanism.threshold,
                    "expected": law.expected,
                    "deviation": law.deviation,
                    "counts_kept": 1 - law.missing_mass,
                    "all_of_top_k": law.all_of_top_k,
                }
            )
    table = pd.DataFrame(rows)
    table["is_best"] = np.arange(len(table)) == int(table["counts_kept"].argmax())
    return table
