"""Compare mechanisms over a grid of k and epsilon, and find the best in each cell.

A score is exact where a law is known, and else simulated with its 95% interval.  Nobody wins a cell
whose intervals overlap: then it cannot be told.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from dptopk.core import validation
from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, no_progress
from dptopk.core.counts import ItemCounts, SortedCounts, check_counts
from dptopk.core.errors import EXACT_SET as EXACT_SET, MEASURES as MEASURES, METRICS, USUAL, Metric
from dptopk.core.estimate import Estimate
from dptopk.laws.exact import QUICK, NoClosedFormError, exact_error, probability_exact_set
from dptopk.mechanisms import Mechanism
from dptopk.simulation.post_stratified import (
    Right,
    held_mean,
    known_of_runs,
    quantile,
    quick_chances,
)
from dptopk.simulation.summaries import mean_of_runs, share_of_runs, unbeaten
from dptopk.simulation.trials import RIGHT, batches_of, checked_mechanisms

_PRACTICALLY_CERTAIN = 1 - 1e-6  # by how much more nobody can notice
_ROUNDING = 1e-9  # relative difference of two exact scores that rounding may make
_MOST_NAMED = 2  # in a cell


def more_is_better(measure: str) -> bool:
    """Return whether larger scores are better."""
    return measure == EXACT_SET or METRICS[measure].more_is_better


def sees_order(measure: str) -> bool:
    """Return whether the measure depends on the order of an output."""
    return measure != EXACT_SET and METRICS[measure].sees_order


def has_law(counts: ItemCounts | SortedCounts, mechanism: Mechanism, measure: str) -> bool:
    """Return whether the exact score may be known and quick to compute."""
    if measure == EXACT_SET:
        return mechanism.set_work(counts.sorted) < QUICK
    return METRICS[measure].law in mechanism.exact_metrics and (
        mechanism.pmf_work(counts.sorted) < QUICK
    )


def exact_score(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism, measure: str
) -> Estimate | None:
    """Return the exact score; None where no closed form is known or it takes long."""
    if not has_law(counts, mechanism, measure):
        return None
    try:
        if measure == EXACT_SET:
            value = probability_exact_set(counts, mechanism)
        else:
            law = exact_error(counts, mechanism, measure)
            value = law.mean if METRICS[measure].is_averaged else law.quantile(0.5)
    except NoClosedFormError:  # too large to write out, or a tie is cut: it is left to runs
        return None
    return Estimate.exactly(float(value))


def simulated_scores(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    n: int,
    seed: int,
    progress: Progress | None = None,
) -> dict[str, Estimate]:
    """Estimate the score by each of `MEASURES` from the same ``n`` runs.

    They are held to the exact chance of a right release where it is quickly computed; see
    `post_stratified`.
    """
    batches = batches_of(counts, mechanism, n, seed, progress or no_progress)
    columns = {
        name: np.concatenate([batch[name] for batch in batches]) for name in (*MEASURES, *RIGHT)
    }
    happened = {name: bool(columns[name].any()) for name in RIGHT}
    chances = quick_chances(counts, mechanism)
    scores = {EXACT_SET: share_of_runs(int(columns[EXACT_SET].sum()), n)}
    for measure in MEASURES:
        if measure != EXACT_SET:
            known = known_of_runs(counts, mechanism, measure, happened, chances)
            metric = METRICS[measure]
            possible = metric.range(counts, mechanism.k, mechanism.outputs)
            scores[measure] = _simulated(metric, columns, possible, known)
    return scores


def _simulated(
    metric: Metric,
    columns: Mapping[str, IntArray],
    possible: tuple[float, float],
    known: Right | None,
) -> Estimate:
    """Return the score of runs by one metric with its interval; ``possible`` is its range."""
    values = columns[metric.key]
    if not metric.is_averaged:
        order = np.argsort(values)
        right = columns[known.column if known else EXACT_SET].astype(bool)
        return quantile(values[order], right[order], 0.5, known, possible)
    mean = mean_of_runs(values, *reversed(possible))
    if known is not None and known.probability:
        chance = Estimate.of_logs(math.log(known.probability), math.nan)
        mean = held_mean(mean, known, chance)
    return mean


def coarse_to_fine(n_columns: int, n_rows: int) -> list[tuple[int, int]]:
    """Return the cells of a grid, as (column, row), from coarse to fine."""

    def level(place: int) -> int:
        return next(step for step in (4, 2, 1) if place % step == 0)

    cells = [(column, row) for column in range(n_columns) for row in range(n_rows)]
    return sorted(cells, key=lambda cell: -min(map(level, cell)))  # stable


def winner_map(
    counts: ItemCounts | SortedCounts,
    mechanisms: Sequence[Mechanism],
    ks: Iterable[int],
    epsilons: Iterable[float],
    measure: str = USUAL.key,
    n: int = 250,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Score every mechanism at every k and epsilon; `cells` finds the winners.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data.
    mechanisms : sequence of Mechanism
        Whom to compare, each with its other parameters as given.  By a measure that sees the order
        compare sequences with sequences and sets with sets: a set cannot err in the order.  No two
        of one label that differ in more than k and epsilon.
    ks, epsilons : iterable
        The grid.
    measure : str
        One of `MEASURES`.
    n : int
        Runs of each mechanism in each cell where its law is not known.
    seed : int
        Non-negative; the same seed gives the same table.
    progress : callable, optional
        Called with the share done after each score; returning False stops, and the table holds
        the cells that were finished, first a few from all over the grid.

    Returns
    -------
    pandas.DataFrame
        One row a cell and mechanism, by k, epsilon and the order of ``mechanisms``: ``k``,
        ``epsilon``, ``mechanism``, ``value``, ``low``, ``high`` and ``exact``.  A mechanism is left
        out of cells that it refuses, such as k beyond the number of items.  ``attrs["measure"]`` is
        the measure.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, winner_map
    >>> table = winner_map(ItemCounts([9, 7, 4]), [Joint(1, 1.0)], [1, 2], [0.5], "exact_set")
    >>> table[["k", "exact"]].to_dict("records")
    [{'k': 1, 'exact': True}, {'k': 2, 'exact': True}]
    """
    check_counts("counts", counts)
    validation.choice("measure", measure, MEASURES)
    n = validation.integer("n", n, low=1)
    seed = validation.integer("seed", seed, low=0)
    chosen = checked_mechanisms("mechanisms", mechanisms)
    ks, epsilons = validation.listed("ks", ks), validation.listed("epsilons", epsilons)
    settings = grid_of(counts, chosen, ks, epsilons)
    scores: dict[Mechanism, Estimate] = {}
    for done, mechanism in enumerate(settings, 1):
        scores[mechanism] = (
            exact_score(counts, mechanism, measure)
            or simulated_scores(counts, mechanism, n, seed)[measure]
        )
        if progress is not None and progress(done / len(settings)) is False:
            break
    table = scores_table(settings, scores)
    table.attrs["measure"] = measure
    return table


def grid_of(
    counts: ItemCounts | SortedCounts,
    mechanisms: Sequence[Mechanism],
    ks: Sequence[int],
    epsilons: Sequence[float],
) -> dict[Mechanism, str]:
    """Return the mechanisms on a grid of k and epsilon, with their labels.

    With its label as it was given: that may say what differs from cell to cell.  Two of one label
    are a ValueError: a table would not tell them apart.
    """
    settings: dict[Mechanism, str] = {}
    named: dict[tuple[int, float, str], Mechanism] = {}
    for column, row in coarse_to_fine(len(ks), len(epsilons)):
        k = validation.integer("k", ks[column], low=1)
        epsilon = validation.epsilon("epsilon", epsilons[row])
        for mechanism in mechanisms:
            try:
                changed = mechanism.replaced(k=k, epsilon=epsilon)
                changed.check(counts)
            except ValueError:  # k and epsilon are good ones: this mechanism refuses the cell
                continue
            label = mechanism.label
            if named.setdefault((k, epsilon, label), changed) != changed:
                raise ValueError(
                    "mechanisms must differ by their label where more than k and epsilon differs, "
                    f"got two called {label}: {named[k, epsilon, label]!r} and {changed!r}"
                )
            settings[changed] = label
    return settings


def scores_table(
    settings: Mapping[Mechanism, str], scores: Mapping[Mechanism, Estimate]
) -> pd.DataFrame:
    """Return the table of `winner_map` for the ``settings`` that have scores.

    Cells in which somebody is missing so far are left out: nobody wins by being first.
    """
    missing = {(m.k, m.epsilon) for m in settings if m not in scores}
    ends = ["value", "low", "high", "exact"]
    rows = [
        {"k": m.k, "epsilon": m.epsilon, "mechanism": label}
        | {end: getattr(scores[m], end) for end in ends}
        for m, label in settings.items()
        if (m.k, m.epsilon) not in missing
    ]
    return pd.DataFrame(rows, columns=["k", "epsilon", "mechanism", *ends]).sort_values(
        ["k", "epsilon"], kind="stable", ignore_index=True
    )


def cells(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Find the winner of each cell of a table from `winner_map`, of scores by this measure.

    Returns
    -------
    pandas.DataFrame
        One row a cell: ``k``, ``epsilon``; ``winner``, "" where it cannot be told; ``best``, a
        tuple of those whom nobody is shown to beat; ``n``, how many were compared; ``equal``,
        whether the best are all the same score, without doubt.  Scores are the same that differ by
        a billionth, and a probability less than a millionth short of 1 is as good as 1.

    Raises
    ------
    ValueError
        For another measure than that of the table, where ``attrs["measure"]`` names it.
    """
    validation.choice("measure", measure, MEASURES)
    held = table.attrs.get("measure", measure)
    if held != measure:
        raise ValueError(f"measure must be that of the table, {held!r}, got {measure!r}")
    ends = table[["low", "high"]].clip(upper=_PRACTICALLY_CERTAIN if measure == EXACT_SET else None)
    cell = ["k", "epsilon"]
    by = [table[name] for name in cell]
    slack = _ROUNDING * ends.abs().max(axis=1)
    as_good = unbeaten(ends["low"], ends["high"], more_is_better(measure), slack, by)
    best = table[[*cell, "mechanism"]].assign(**ends, slack=slack)[as_good].groupby(cell)
    doubt = best["high"].max() - best["low"].min()
    named = best["mechanism"].agg(list)
    return pd.DataFrame(
        {
            "winner": [one[0] if len(one) == 1 else "" for one in named],
            "best": [*map(tuple, named)],
            "n": table.groupby(cell).size(),
            "equal": (best.size() > 1) & (doubt <= best["slack"].max()),
        }
    ).reset_index()


def named(best: Sequence[str], n: int) -> tuple[str, ...]:
    """Return whom a cell of ``n`` names: the best, or the two that may be; nobody if none leads."""
    return tuple(best) if len(best) <= min(_MOST_NAMED, max(n - 1, 1)) else ()
