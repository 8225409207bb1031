"""Best mechanism at each k and epsilon, from scores over a grid."""

import pandas as pd

from dptopk.core.errors import METRICS
from dptopk.core.numerals import share
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.settings import ALL, MAP_KS, MEASURE, RANKED, SEQUENCES, SETS
from dptopk.questions.sweep import GRIDS, grid
from dptopk.questions.view import View
from dptopk.simulation.winners import EXACT_SET, cells, grid_of, sees_order, winner_map

TITLE = "Every score of the map"

_BELOW_1 = 1 - 2.0**-53  # the float before 1


def kinds_allowed(view: View, measure: str) -> tuple[str, ...]:
    """Return the groups of mechanisms that may be ranked together under a measure."""
    if len({m.outputs.ordered for m in view.mechanisms}) <= 1:
        return (ALL,)
    return (SEQUENCES, SETS) if sees_order(measure) else tuple(RANKED.options)


def ranked(view: View, kind: str) -> list[Mechanism]:
    """Return the mechanisms of the kind that is ranked."""
    return [m for m in view.mechanisms if kind == ALL or m.outputs.ordered == (kind == SEQUENCES)]


def measure_words(measure: str) -> str:
    """Return the compared quantity in words."""
    if measure == EXACT_SET:
        return "probability of the exact set"
    metric = METRICS[measure]
    if not metric.is_averaged:
        return f"median {metric.title}"
    return f"mean {metric.title}" if metric.is_score else f"mean number of {metric.title}"


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Score every mechanism in every cell."""
    measure, allowed = own[MEASURE.key], kinds_allowed(view, own[MEASURE.key])
    kind = own[RANKED.key] if own[RANKED.key] in allowed else allowed[0]
    notes = [*view.refusals(view.k, view.counts)]
    if kind != own[RANKED.key] and kind != ALL:
        notes.append(f"Ranked: {RANKED.options[kind]}, as this measure sees the order.")
    ks = [int(k) for k in grid(own[MAP_KS.key], view.counts.d)[1]]
    epsilons, mechanisms = GRIDS["epsilon"][1], ranked(view, kind)

    def tell(share: float) -> None:
        progress(share)

    table = winner_map(view.counts, mechanisms, ks, epsilons, measure, view.n, view.seed, tell)
    won = cells(table, measure)
    best = dict(zip(zip(won["k"], won["epsilon"], strict=True), won["best"], strict=True))
    of_cells = zip(table["k"], table["epsilon"], table["mechanism"], strict=True)
    table["is_best"] = [label in best[k, epsilon] for k, epsilon, label in of_cells]
    exact = int(table["exact"].sum())
    return Answer(
        "winner-map-scores",
        TITLE,
        table,
        view.origin(
            list(grid_of(view.counts, mechanisms, ks, epsilons)),
            computed(exact, len(table)),
            **({} if exact == len(table) else {"runs": view.n, "seed": view.seed}),
            runs_are="runs of each mechanism in each cell",
            more={"measure": measure_words(measure)},
        ),
        ("k", "epsilon", "mechanism", "value", "low", "high", "is_best"),
        tuple(notes),
        _written(table) if measure == EXACT_SET else {},
    )


def _written(table: pd.DataFrame) -> dict[str, list[str]]:
    """Format scores that are probabilities."""
    exact = table["exact"]
    return {
        end: [chance_words(p, one) for p, one in zip(table[end], exact, strict=True)]
        for end in ("value", "low", "high")
    }


def chance_words(p: float, exact: bool) -> str:
    """Format a score that is a probability, never an exact one as a false 1."""
    return share(min(p, _BELOW_1) if exact else p)


def computed(exact: int, n: int) -> str:
    """Return whether ``n`` scores are exact, simulated or mixed, in words."""
    if exact in (0, n):
        return "exact" if exact else "simulated"
    return f"{exact:,} of {n:,} scores exact, all others simulated"
