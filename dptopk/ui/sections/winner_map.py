"""Map the best mechanism at each k and ε."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dptopk import figures
from dptopk.mechanisms import Mechanism
from dptopk.questions.settings import ALL, MEASURE, METRIC, RANKED, SEQUENCES, SETS
from dptopk.questions.view import View, styles_of
from dptopk.questions.winners import (
    TITLE,
    WinnerMap,
    axes,
    kinds_allowed,
    map_origin,
    map_winners,
    measure_words,
    ranked,
    score_of,
)
from dptopk.simulation.winners import more_is_better, named
from dptopk.ui import address, results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact, joined, plural
from dptopk.ui.sections.comparison import Comparison
from dptopk.ui.sentences import texts
from dptopk.ui.show import Chart, Table

_HEIGHT = 520
_MOST_NAMED = 3
_OF_A_SCORE = ["score", "low", "high", "exact"]


def choose_measure(place: Any) -> str:
    """Ask what is best by; by default it is the measure of the other pages of errors."""
    metric = address.value(METRIC)
    by = replace(MEASURE, default=metric) if metric in MEASURE.options else MEASURE
    return inputs.choice(place, by, look="select")


def compared(view: View, place: Any, ks_of: str, measure: str) -> Comparison:
    """Score every chosen mechanism at every k and ε; end the page if stopped at once.

    Which kinds of mechanisms are ranked is asked in a place, where there is a choice.
    """
    kind = ALL
    allowed = kinds_allowed(view, measure)
    if len(allowed) > 1:
        kind = inputs.choice(place, RANKED, allowed, look="select", width=180)
    (ks, epsilons), mechanisms = axes(view, ks_of), ranked(view, kind)

    def drawn(winners: WinnerMap) -> go.Figure:
        return figures.winner_map(
            winners.won,
            _said(winners.scores, measure),
            ks,
            epsilons,
            styles_of(tuple(mechanisms)),
            (view.k, view.epsilon),
            narrow=show.is_narrow(),
        )

    winners = map_winners(
        view.counts,
        mechanisms,
        ks,
        epsilons,
        measure,
        view.n,
        view.seed,
        items_right=True,
        runner=results.IN_TURNS,
        sketch=drawn,
    )
    table, won, origin = winners.scores, winners.won, map_origin(view, winners)
    if table.empty:
        show.done()
    parts, of = _leading(won), plural(len(won), "cell")
    finding = f"Best by the {measure_words(measure)}, of {of}: {joined(parts)}."
    code = f"""
scores = winner_map(
    counts, mechanisms, {ks}, {epsilons},
    measure="{measure}", n={view.n}, seed={view.seed},
)
won = cells(scores, "{measure}")
print(won.pivot(index="epsilon", columns="k", values="winner").iloc[::-1].to_string())
print(scores.to_string())
"""
    return Comparison(
        title=_title(won, view, measure),
        chart=Chart(
            drawn(winners),
            "winner-map",
            f"Best mechanism by the {measure_words(measure)} at each k and ε.",
            origin.read_as(_reading(mechanisms, measure, kind)),
            height=_HEIGHT,
            least=256 if len(mechanisms) <= 5 else 380 + 6 * len(mechanisms),  # a long legend
            finding=finding,
        ),
        table=Table(_wide(won), "winners", "Winners of the map", origin, _long(won, table)),
        notes=_notes(mechanisms, won, winners, view),
        whole=Table(table, "winner-map-scores", TITLE, origin),
        code=snippets.small(view.source.python, mechanisms, code),
    )


def _answer(cell: Any) -> str:
    """Name the best mechanism of a cell, or the two that may be; "" if nobody leads."""
    return " or ".join(named(cell.best, cell.n))


def _title(won: pd.DataFrame, view: View, measure: str) -> str:
    """Say which mechanism is best at the present setting; if it was not reached, in most cells."""
    where = f"at k = {view.k}, ε = {compact(view.epsilon)}"
    here = won[(won["k"] == view.k) & (won["epsilon"] == view.epsilon)]
    for cell in here.itertuples(index=False):
        if cell.poor:
            return f"Even the best is near guessing {where}"
        who = _answer(cell) or "No mechanism alone"
        return f"{who} is best {where}, by the {measure_words(measure).partition(' (')[0]}"
    for label, n in _leaders(won)[0].most_common(1):
        return f"{label} leads in {n} of {plural(len(won), 'cell')}"
    return "No mechanism alone is best in any cell"


def _leaders(won: pd.DataFrame) -> tuple[Counter[str], int]:
    """Return the number of cells in which each leads, and in how many nobody does."""
    cells_of = Counter(_answer(cell) for cell in won[~won["poor"]].itertuples(index=False))
    return cells_of, cells_of.pop("", 0)


def _leading(won: pd.DataFrame) -> list[str]:
    poor = int(won["poor"].sum())
    cells_of, nobody = _leaders(won)
    parts = [f"{label} leads in {n}" for label, n in cells_of.most_common(_MOST_NAMED)]
    others = cells_of.total() - sum(n for _, n in cells_of.most_common(_MOST_NAMED))
    parts += [f"others in {others}"] if others else []
    parts += [f"no clear winner in {nobody}"] if nobody else []
    return [*parts, f"none in {poor}, where even the best is near guessing"] if poor else parts


def _reading(mechanisms: Sequence[Mechanism], measure: str, kind: str) -> str:
    who = {
        ALL: "",
        SEQUENCES: " Only mechanisms that give an order are ranked here.",
        SETS: " Only mechanisms that release sets are ranked here.",
    }[kind]
    if len({m.outputs.ordered for m in mechanisms}) > 1:
        who = " Sequences and sets are ranked together: this measure does not see the order."
    best = "largest" if more_is_better(measure) else "smallest"
    return (
        f"The {best} {measure_words(measure)} is best. Where two names stand, the two are equal or "
        "not distinguishable. Blank: all are alike, or more than two may be best. "
        f"Gray: {texts.POOR} A mechanism is worse if "
        "the exact number or 95% interval of another lies entirely on the better side; "
        "probabilities within a millionth of 1 are taken as equal. Framed: the current setting."
        f"{who}"
    )


def _said(table: pd.DataFrame, measure: str) -> dict[tuple[int, float], str]:
    hovers: dict[tuple[int, float], str] = {}
    cells: Any = table.groupby(["k", "epsilon"], sort=False)
    for (k, epsilon), rows in cells:
        each = [f"{row.mechanism}: {score_of(row, measure).marked}" for row in rows.itertuples()]
        hovers[k, epsilon] = "<br>".join([f"<b>k = {k}, ε = {compact(epsilon)}</b>", *each])
    return hovers


def _wide(won: pd.DataFrame) -> pd.DataFrame:
    with_names = won.assign(who=[_who(cell) for cell in won.itertuples(index=False)])
    wide = with_names.pivot(index="k", columns="epsilon", values="who").fillna("")
    table = wide.rename(columns=lambda epsilon: f"ε = {compact(epsilon)}")
    return table.rename_axis(columns=None).reset_index()


def _who(cell: Any) -> str:
    alike = "equal" if cell.equal else "not distinguishable"
    if len(cell.best) == cell.n and cell.n > 1:
        return "all equal" if cell.equal else alike
    if len(cell.best) > _MOST_NAMED:  # a column is no wider for them; the files name them all
        return f"{len(cell.best)} of {cell.n} {alike}"
    names = (" = " if cell.equal else " or ").join(cell.best)
    return f"({names})" if cell.poor else names


def _long(won: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Tabulate winners, scores and intervals, a row per cell, for a CSV."""
    by_cell = table.rename(columns={"value": "score"}).set_index(["k", "epsilon"])
    of_each = by_cell.groupby("mechanism", sort=False)[_OF_A_SCORE]
    scores = pd.concat([rows.add_prefix(f"{label}, ") for label, rows in of_each], axis=1)
    with_names = won.assign(best=[" or ".join(best) for best in won["best"]]).rename(
        columns={
            "n": "mechanisms_compared",
            "equal": "best_are_equal",
            "poor": "best_is_closer_to_guessing",
        }
    )
    return with_names.merge(scores.reset_index(), on=["k", "epsilon"])


def _notes(
    mechanisms: Sequence[Mechanism], won: pd.DataFrame, winners: WinnerMap, view: View
) -> list[str]:
    table = winners.scores
    notes = [
        f"{winners.n_exact:,} of {plural(len(table), 'score')} are exact; the others come from "
        f"{plural(view.n, 'run')} each (Assumptions): more runs settle more cells. Cells are "
        "judged one by one: among many close ones, a few will be misjudged."
    ]
    kinds = texts.kinds_note([m.outputs for m in mechanisms]).strip()
    notes += [kinds] if kinds else []
    for mechanism in mechanisms:
        missing = len(won) - int((table["mechanism"] == mechanism.label).sum())
        if missing:
            notes.append(f"{mechanism.label} does not run in {plural(missing, 'cell')}.")
    if won["poor"].any():
        notes.append("Table: in parentheses, the best where even it is poor.")
    return notes
