"""Best mechanism at each k and epsilon, from scores over a grid."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dptopk.core import validation
from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.core.log_space import log_binomial
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.runner import AT_ONCE, AtOnce, Runner, Task
from dptopk.questions.settings import ALL, MAP_KS, MEASURE, RANKED, SEQUENCES, SETS
from dptopk.questions.sweep import GRIDS, grid
from dptopk.questions.view import View
from dptopk.simulation.winners import (
    EXACT_SET,
    MEASURES,
    cells,
    exact_score,
    grid_of,
    has_law,
    scores_table,
    sees_order,
    simulated_scores,
)

TITLE = "Every score of the map"

_RUNS_OF_RIGHT = 50  # enough to tell half of the items from few
_LAW_WORK = 5  # of an exact score, in the work of runs of one released item
_ROUNDING = 1e-9  # relative error of a mean, which may be 3.9999999999999996
_BELOW_1 = 1 - 2.0**-53  # the float before 1


def kinds_allowed(view: View, measure: str) -> tuple[str, ...]:
    """Return the groups of mechanisms that may be ranked together under a measure."""
    if len({m.outputs.ordered for m in view.mechanisms}) <= 1:
        return (ALL,)
    return (SEQUENCES, SETS) if sees_order(measure) else tuple(RANKED.options)


def ranked(view: View, kind: str) -> list[Mechanism]:
    """Return the mechanisms that take part in the ranking."""
    return [m for m in view.mechanisms if kind == ALL or m.outputs.ordered == (kind == SEQUENCES)]


def measure_words(measure: str) -> str:
    """Return the compared quantity in words."""
    if measure == EXACT_SET:
        return "probability of the exact set"
    metric = METRICS[measure]
    if not metric.is_averaged:
        return f"median {metric.title}"
    return f"mean {metric.title}" if metric.is_score else f"mean number of {metric.title}"


def axes(view: View, ks_of: str) -> tuple[list[int], list[float]]:
    """Return k and epsilon of the cells: those of a grid, and those of the view."""
    ks = {view.k, *(int(k) for k in grid(ks_of, view.counts.d)[1])}
    return sorted(ks), sorted({view.epsilon, *GRIDS["epsilon"][1]})


@dataclass(frozen=True)
class WinnerMap:
    """Scores of mechanisms at each k and epsilon, with the best of each cell."""

    measure: str  # one of `simulation.winners.MEASURES`
    # the mechanisms in every cell in which they run, with their labels
    settings: Mapping[Mechanism, str]
    scores: pd.DataFrame  # one row a cell and mechanism, as from `winner_map`
    won: pd.DataFrame

    @property
    def n_exact(self) -> int:
        """Number of exact scores."""
        return int(self.scores["exact"].sum())


def map_winners(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    ks: Sequence[int],
    epsilons: Sequence[float],
    measure: str,
    n: int,
    seed: int,
    *,
    items_right: bool = False,
    runner: Runner = AT_ONCE,
    sketch: Callable[[WinnerMap], object] | None = None,
) -> WinnerMap:
    """Score every mechanism at every k and epsilon, and find the best of each cell.

    ``items_right`` estimates how many items the best of each cell gets right, too, and whether that
    is ``poor``: fewer than `fewest_good`.  If the runner is stopped, the map holds
    the cells that were finished; ``sketch`` may be called with the map so far.  The others as in
    `winner_map`.
    """
    validation.choice("measure", measure, MEASURES)
    n = validation.integer("n", n, low=1)
    seed = validation.integer("seed", seed, low=0)
    settings = grid_of(counts, mechanisms, ks, epsilons)
    n_right = min(n, _RUNS_OF_RIGHT) if items_right else 0
    tasks = {m: _score_task(counts, m, measure, n, seed, n_right) for m in settings}

    def judged(done: dict[Mechanism, dict[str, Estimate]]) -> WinnerMap:
        scores = scores_table(settings, {m: each[measure] for m, each in done.items()})
        won = cells(scores, measure)
        if items_right:
            right = {
                (m.k, m.epsilon, settings[m]): each[ITEMS_RIGHT.key].value
                for m, each in done.items()
            }
            rows = zip(won["k"], won["epsilon"], won["best"], strict=True)
            of_best = [max(right[k, epsilon, label] for label in best) for k, epsilon, best in rows]
            won = won.assign(items_right_of_best=np.array(of_best, dtype=float))
            fewest = won["k"].map({k: fewest_good(counts, k) for k in set(won["k"])})
            won = won.assign(poor=won["items_right_of_best"] < fewest)
        return WinnerMap(measure, settings, scores, won)

    drawn = None if sketch is None else lambda done: sketch(judged(done))
    return judged(runner.each(tasks, "winner-map", drawn))


def right_by_guessing(counts: ItemCounts, k: int) -> float:
    """Return the mean number of right items, up to ties, of k items chosen uniformly.

    It is k²/d of d items without ties.  Of m that tie with the last of the true top, r of them in
    it, those chosen are hypergeometric, and at most r are right.
    """
    d, top = counts.d, counts.sorted.top(k)
    k = top.size
    r, m = int((top == top[-1]).sum()), int((counts.counts == top[-1]).sum())
    chosen = np.arange(min(k, m) + 1)
    chance = np.exp(log_binomial(m, chosen) + log_binomial(d - m, k - chosen) - log_binomial(d, k))
    return float(k * (k - r) / d + chance @ np.minimum(chosen, r))


def fewest_good(counts: ItemCounts, k: int) -> float:
    """Return how many items must be right that a release is not poor: closer to k than a guess."""
    return (k + right_by_guessing(counts, k)) / 2 * (1 - _ROUNDING)


def _score_task(
    counts: ItemCounts, mechanism: Mechanism, measure: str, n: int, seed: int, n_right: int
) -> Task:
    """Return the computation of a score; runs give the scores by all measures at once."""
    if has_law(counts, mechanism, measure):
        return Task(scores_by_law, (counts, mechanism, measure, n, seed, n_right), _LAW_WORK, 10)
    return Task(simulated_scores, (counts, mechanism, n, seed), mechanism.k * n / 100, 10)


def scores_by_law(
    counts: ItemCounts, mechanism: Mechanism, measure: str, n: int, seed: int, n_right: int
) -> dict[str, Estimate]:
    """Return the exact score, with the items right of ``n_right`` runs; else that of ``n`` runs."""
    exact = exact_score(counts, mechanism, measure)
    if exact is None:
        return simulated_scores(counts, mechanism, n, seed)
    if not n_right:
        return {measure: exact}
    right = simulated_scores(counts, mechanism, n_right, seed)[ITEMS_RIGHT.key]
    return {ITEMS_RIGHT.key: right, measure: exact}


def map_origin(view: View, winners: WinnerMap) -> Origin:
    """Return the origin of the scores."""
    n = len(winners.scores)
    return view.origin(
        list(winners.settings),
        computed(winners.n_exact, n),
        **({} if winners.n_exact == n else {"runs": view.n, "seed": view.seed}),
        runs_are="runs of each mechanism in each cell",
        more={"measure": measure_words(winners.measure)},
    )


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Score every mechanism in every cell."""
    measure, allowed = values[MEASURE.key], kinds_allowed(view, values[MEASURE.key])
    kind = values[RANKED.key] if values[RANKED.key] in allowed else allowed[0]
    notes = [*view.refusals(view.k, view.counts)]
    if kind != values[RANKED.key] and kind != ALL:
        notes.append(f"Ranked: {RANKED.options[kind]}, as this measure sees the order.")
    arguments = (*axes(view, values[MAP_KS.key]), measure, view.n, view.seed)
    winners = map_winners(view.counts, ranked(view, kind), *arguments, runner=AtOnce(progress))
    table, won = winners.scores, winners.won
    best = dict(zip(zip(won["k"], won["epsilon"], strict=True), won["best"], strict=True))
    of_cells = zip(table["k"], table["epsilon"], table["mechanism"], strict=True)
    table["is_best"] = [label in best[k, epsilon] for k, epsilon, label in of_cells]
    return Answer(
        "winner-map-scores",
        TITLE,
        table,
        map_origin(view, winners),
        ("k", "epsilon", "mechanism", "value", "low", "high", "is_best"),
        tuple(notes),
        _written(table) if measure == EXACT_SET else {},
    )


def _written(table: pd.DataFrame) -> dict[str, Sequence[str]]:
    parts = [score_of(row, EXACT_SET).parts for row in table.itertuples(index=False)]
    return dict(zip(("value", "low", "high"), zip(*parts, strict=True), strict=True))


def score_of(row: Any, measure: str) -> Estimate:
    """Return the score that a row of `winner_map` holds, no exact probability a false 1."""
    ends, runs = (row.value, row.low, row.high), int(not row.exact)
    if measure != EXACT_SET:
        return Estimate(*ends, runs, METRICS[measure].unit_of_estimates)
    value, low, high = (min(p, _BELOW_1) if row.exact else p for p in ends)
    return Estimate(value, low, high, runs, PROBABILITY)


def computed(exact: int, n: int) -> str:
    """Return whether ``n`` scores are exact, simulated or mixed, in words."""
    if exact in (0, n):
        return "exact" if exact else "simulated"
    return f"{exact:,} of {n:,} scores exact, all others simulated"
