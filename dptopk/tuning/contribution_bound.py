"""Split the error of a release under a bound on the items per user by its causes.

A bound b keeps b items of each user before users are counted (`CountsByBound`), so that mechanisms
which pay for the items of one user add less noise or have a lower threshold; but counts shrink, and
not all alike.  Of the k places of a release, against the true top k of the counts without a bound:

* right: the place holds an item of the true top k;
* clipping: it holds another item, which is in the top k of the bounded counts;
* threshold: it stays empty;
* noise: it holds an item that is in neither top k.

The four add up to k, release by release; the last three are the error.  Without a bound nothing is
clipped, so that mechanisms that need none are compared on the same scale.  The separation follows
PipelineDP's analysis (https://pipelinedp.io), which splits the error of a sum into clipping,
partition selection and noise.

Where the probability of each item to come out is known, as it is where noise is added to counts,
the four are sums of such probabilities; elsewhere releases are drawn, unless few are possible.

Ties at the k-th count are right as far as the top k has room for them, as in `items_right`.

Limits: bounded counts are those of one key of the hash.  To choose the bound by the errors on
private counts is a use of them that no guarantee covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import Progress, no_progress
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import items_right
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import NOTHING
from dptopk.core.parameters import MAX_ITEMS
from dptopk.data.ingest import CountsByBound
from dptopk.laws.distribution import n_outputs, output_distribution
from dptopk.mechanisms import Mechanism, NoClosedFormError, check_mechanism
from dptopk.simulation.summaries import mean_of_runs
from dptopk.simulation.trials import checked_mechanisms, generator_for

if TYPE_CHECKING:
    import pandas as pd

FEW_OUTPUTS = 2_000
"""Outputs that are enumerated rather than drawn, at most."""

_QUICK = 200_000  # steps of the law of all outputs: a tenth of a second

DIGITS = 6
"""Digits behind the point of a number of places, to which two of them are equal."""

ALIKE = 0.005
"""Of a place: exact numbers that differ by at most so much are as good."""

_ROUNDING = 1e-12  # of a place: the error of a sum of probabilities, as floats

CAUSES = ("clipping", "threshold", "noise")
"""Causes of an error, as columns."""


@dataclass(frozen=True)
class PlacesByCause:
    """Expected number of places of a release, k in all, that are right or wrong by each cause."""

    right: float
    clipping: float
    threshold: float
    noise: float
    wrong: Estimate


def places_by_cause(
    counts: ItemCounts, bounded: ItemCounts, mechanism: Mechanism, n: int = 1_000, seed: int = 0
) -> PlacesByCause:
    """Split the places of a release on bounded counts by the cause of their error.

    Exact where the law of items is known or few outputs are possible, else simulated.

    Parameters
    ----------
    counts : ItemCounts
        Users of each item without a bound: the truth.
    bounded : ItemCounts
        The same items, counted under a bound, on which the mechanism runs; ``counts`` itself
        without one.
    mechanism : Mechanism
        What is released.
    n, seed : int, optional
        Draws where no law is known, and their seed.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint
    >>> from dptopk.tuning import places_by_cause
    >>> counts, bounded = ItemCounts([9, 7, 4, 2, 0]), ItemCounts([4, 3, 4, 1, 0])
    >>> found = places_by_cause(counts, bounded, Joint(2, 1.0))
    >>> round(found.right, 3), round(found.clipping, 3), round(found.noise, 3), found.wrong.exact
    (1.033, 0.574, 0.393, True)
    """
    check_mechanism("mechanism", mechanism).check(bounded)
    n = validation.integer("n", n, low=1)
    if bounded.items != counts.items:
        raise ValueError("bounded must count the items of counts, in their order")
    if (known := _known(counts, bounded, mechanism)) is not None:
        return known
    rows, weights = outputs_or_draws(bounded, mechanism, n, seed)
    right = items_right(counts, rows, mechanism)
    empty = (rows == NOTHING).sum(axis=1)
    in_truth, in_bounded = _tops(counts, bounded, mechanism.k)
    clipped = ((rows != NOTHING) & (in_bounded & ~in_truth)[rows]).sum(axis=1)
    wrong = mechanism.k - right
    parts = np.stack([right, clipped, empty, wrong - clipped - empty])
    by_cause = (parts @ weights if weights is not None else parts.mean(axis=1)).tolist()
    total = Estimate.exactly(sum(by_cause[1:]))
    if weights is None:
        total = replace(mean_of_runs(wrong, mechanism.k), value=total.value)
    return PlacesByCause(by_cause[0], by_cause[1], by_cause[2], by_cause[3], total)


def errors_by_bound(
    by_bound: CountsByBound,
    mechanisms: Sequence[Mechanism],
    n: int = 1_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Split the error of mechanisms by cause, without a bound and under every bound they gain from.

    Parameters
    ----------
    by_bound : CountsByBound
        From `counts_by_bound`.
    mechanisms : sequence of Mechanism
        Contestants, of the same k.  Each runs without a bound, if it has a guarantee then; those
        with a parameter ``max_items`` also under every bound that changes their guarantee.
    n, seed : int, optional
        Draws where no law is known, and their seed.
    progress : callable, optional
        Called with the share done, in (0, 1].

    Returns
    -------
    pandas.DataFrame
        One row a mechanism and bound: ``mechanism``; ``max_items``, not a number without a bound;
        ``pairs_kept``, the share of the pairs of user and item that are counted; ``right``,
        ``clipping``, ``threshold``, ``noise`` and their sum without the first, ``wrong``, in places
        of k; ``wrong_low``, ``wrong_high``, its 95% interval; ``is_exact``; ``needs_list``, whether
        the guarantee is for a fixed list of items; ``can_publish``, whether `publish` can draw
        from it; ``is_best``, the fewest wrong items;
        ``as_good``, no interval further from that of the best than 0.005 of a place.

    Examples
    --------
    >>> from dptopk import Laplace, counts_by_bound
    >>> from dptopk.tuning import errors_by_bound
    >>> import pandas as pd
    >>> log = pd.DataFrame({"who": [*"aabbcd"], "what": ["x", "y", "x", "z", "x", "y"]})
    >>> found = errors_by_bound(counts_by_bound(log, "who", "what"), [Laplace(2, 2.0)])
    >>> found["max_items"].tolist(), found["is_best"].tolist().count(True)
    ([nan, 1.0], 1)
    """
    validation.instance("by_bound", by_bound, CountsByBound)
    contestants = runs_by_bound(by_bound, mechanisms)
    results, tell = [], progress or no_progress
    for done, mechanism in enumerate(contestants, 1):
        bounded = counts_for(by_bound, mechanism)
        results.append(places_by_cause(by_bound.counts, bounded, mechanism, n, seed))
        tell(done / len(contestants))
    return errors_table(by_bound, contestants, results)


def errors_table(
    by_bound: CountsByBound, contestants: Sequence[Mechanism], results: Sequence[PlacesByCause]
) -> pd.DataFrame:
    """Return the table of `errors_by_bound`, of what was found for each of its runs."""
    import pandas as pd

    best = int(np.argmin([round(one.wrong.value, DIGITS) for one in results]))
    rows = []
    for place, (mechanism, one) in enumerate(zip(contestants, results, strict=True)):
        bound = bound_of(mechanism)
        kept = 1.0 if bound is None else by_bound.items_of_users.share_kept(bound)
        rows.append(
            {
                "mechanism": without_bound(mechanism).label,
                "max_items": np.nan if bound is None else float(bound),
                "pairs_kept": kept,
                "right": one.right,
                **{cause: getattr(one, cause) for cause in CAUSES},
                **one.wrong.columns("wrong"),
                "is_exact": one.wrong.exact,
                "needs_list": mechanism.guarantee.fixed_items,
                "can_publish": not mechanism.why_not_exact,
                "is_best": place == best,
                "as_good": one.wrong.low <= results[best].wrong.high + ALIKE,
            }
        )
    return pd.DataFrame(rows)


def runs_by_bound(by_bound: CountsByBound, mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """Return each mechanism without a bound, then with every bound that changes its guarantee.

    One that has no guarantee without a bound runs under bounds only.
    """
    contestants = checked_mechanisms("mechanisms", mechanisms)
    if len({one.k for one in contestants}) > 1:
        raise ValueError("mechanisms must be of one k: their errors are compared")
    runs = []
    for free in map(without_bound, contestants):
        if free.guarantee.max_items is None:
            runs.append(free)
        if free.card.takes(MAX_ITEMS.key):
            bounded = (free.replaced(max_items=bound) for bound in by_bound.bounds)
            runs += [one for one in bounded if one.guarantee.max_items is not None]
    return runs


def counts_for(by_bound: CountsByBound, mechanism: Mechanism) -> ItemCounts:
    """Return the counts on which a mechanism runs: under its bound, if it has one."""
    bound = bound_of(mechanism)
    return by_bound.counts if bound is None else by_bound.bounded(bound)


def bound_of(mechanism: Mechanism) -> int | None:
    """Return the bound on the items of a user that a mechanism declares; None without one."""
    return getattr(mechanism, MAX_ITEMS.key) if mechanism.card.takes(MAX_ITEMS.key) else None


def without_bound(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism for users of any number of items."""
    return mechanism if bound_of(mechanism) is None else mechanism.replaced(max_items=None)


def _known(counts: ItemCounts, bounded: ItemCounts, mechanism: Mechanism) -> PlacesByCause | None:
    """Return the exact split where the probability of each item is known; None elsewhere."""
    k, least = mechanism.k, int(counts.sorted.padded_top(mechanism.k)[-1])
    tied = np.flatnonzero(counts.counts == least)
    n_above = int((counts.counts > least).sum())
    with suppress(NoClosedFormError):
        if bounded is counts and n_above + tied.size == k and not mechanism.outputs.short:
            with suppress(NoClosedFormError):
                right = float(mechanism.chances_within(counts.sorted, np.array([k])).sum())
                return _exactly(right, 0.0, 0.0, k)
        chances = mechanism.chances_released(bounded.sorted, bounded.ranks_at(np.arange(counts.d)))
        is_right, in_top = _tops(counts, bounded, k)
        right, clipping = float(chances[is_right].sum()), float(chances[in_top & ~is_right].sum())
        if n_above + tied.size > k:  # of those only so many are right
            ranks = bounded.ranks_at(tied)
            some = float(mechanism.chances_released(bounded.sorted, ranks, k - n_above).sum())
            right += some - float(chances[tied].sum())
        empty = k - float(chances.sum()) if mechanism.outputs.short else 0.0
        return _exactly(right, clipping, empty, k)
    return None


def _exactly(right: float, clipping: float, threshold: float, k: int) -> PlacesByCause:
    """Return what is known exactly; the rest of the places is wrong by noise.

    Both are differences of k and sums of probabilities: below the rounding error of these, 0.
    """
    least = _ROUNDING * k
    threshold = threshold if threshold > least else 0.0
    noise = k - right - clipping - threshold
    noise = noise if noise > least else 0.0
    wrong = Estimate.exactly(clipping + threshold + noise)
    return PlacesByCause(right, clipping, threshold, noise, wrong)


def _tops(counts: ItemCounts, bounded: ItemCounts, k: int) -> tuple[BoolArray, BoolArray]:
    """Return whether each item is in the true top k or tied with it, and so of the bounded one."""
    in_truth: BoolArray = counts.counts >= counts.sorted.padded_top(k)[-1]
    least = max(int(bounded.sorted.padded_top(k)[-1]), 1)
    in_bounded: BoolArray = bounded.counts >= least
    return in_truth, in_bounded


def outputs_or_draws(
    counts: ItemCounts, mechanism: Mechanism, n: int, seed: int, stream: int = 0
) -> tuple[IntArray, FloatArray | None]:
    """Return all outputs with their probabilities, if soon found, else draws of a stream."""
    n_all = n_outputs(counts.d, mechanism.k, mechanism.outputs)
    if n_all <= FEW_OUTPUTS and n_all * mechanism.pmf_work(counts.sorted) <= _QUICK:
        with suppress(NoClosedFormError):
            law = output_distribution(counts, mechanism)
            return law.sequences, law.probabilities / law.probabilities.sum()
    return mechanism.sample(counts, n, generator_for(mechanism, seed, stream)), None
