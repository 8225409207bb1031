"""Describe the privacy losses of a small case: the worst ones, and those of one neighbor."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core.counts import MAX_COUNT, ItemCounts
from dptopk.core.parameters import Choice, Several
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.figures import short_labels
from dptopk.laws.distribution import log_complements
from dptopk.laws.privacy_losses import (
    ROUNDING,
    WorstCase,
    most_items,
    privacy_loss,
    privacy_profile,
)
from dptopk.mechanisms import Mechanism
from dptopk.questions.origin import Origin
from dptopk.questions.privacy import ITEMS_ALONE, Found, Judged, covered_by_delta, describe, is_kept
from dptopk.questions.view import View
from dptopk.ui import formats, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact, joined, plural, small, stated
from dptopk.ui.sentences import texts
from dptopk.ui.show import Chart, Table, Tile

_MOST_SHOWN = 12
_EQUAL = 1e-9  # relative: privacy losses that differ by less are equal but for rounding
WORST, CHOSEN = "worst", "chosen"
WHO = Choice("who", "Neighbour", {WORST: "the worst one", CHOSEN: "choose the user's items"}, WORST)
JOINS = Choice("joins", "The user", {"joins": "joins", "leaves": "leaves"}, "joins")
_PLACES = ("on the data", "on the neighbour")
_LOSS = "privacy loss (ln)"
_COLUMNS = (*_PLACES, "ratio", _LOSS)


def notes(view: View, run: Judged, cases: Mapping[str, Found]) -> list[str]:
    """Explain the worst cases: the case, beliefs promised and used, and what was left out."""
    used = [f"{m.label} {texts.posterior(cases[m.label][0].value)}" for m in run.mechanisms]
    deltas = [m.guarantee.delta for m in run.mechanisms]
    promised = " ".join(
        texts.odds(Guarantee(view.epsilon, delta, run.neighbors), view.protects)
        for delta in dict.fromkeys((min(deltas), max(deltas)))
    )
    worst = f"Used, at the worst outcome on these counts (exact): {joined(used)}."
    notes = [*run.case.notes, f"Promised: {promised} {worst}"]
    if any(m.outputs.counted for m in run.mechanisms):
        notes.append(ITEMS_ALONE)
    if covered := covered_by_delta(run.mechanisms, cases):
        notes.append(
            f"A loss above ε does not violate the guarantee of {joined(covered)}: such outputs "
            "have a probability that δ covers; the numbers above give the δ needed."
        )
    faint = {label: loss.n_faint for label, (loss, _) in cases.items() if loss.n_faint}
    if faint:
        named = joined([f"{plural(n, 'output')} of {label}" for label, n in faint.items()])
        notes.append(
            f"Left out: {named}, with probability below e^(-2^20) on both data sets: "
            "floating-point numbers cannot hold the difference of such logarithms exactly."
        )
    return notes


@dataclass(frozen=True)
class Neighbor:
    """A mechanism on the data of a run and on a neighbor, compared output by output."""

    run: Judged
    mechanism: Mechanism
    counts: ItemCounts

    @property
    def user(self) -> str:
        """Sentence on the user by whom the two differ."""
        return describe(self.run.case.counts, self.counts)

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """Probabilities on both; see `compare`."""
        return compare(self.mechanism, self.run.case.counts, self.counts)

    @property
    def origin(self) -> Origin:
        """Origin of what is shown of the two."""
        return self.run.origin([self.mechanism], f"{self.mechanism.label} · {self.user}")

    def charts(self, epsilon: float) -> tuple[Chart, Chart]:
        """Return figures of each output: its probability on both, and its privacy loss.

        The loss is drawn with the promise of ``epsilon``.
        """
        rows, style = few(self.comparison), self.mechanism.card.style
        outputs, marked = rows["output"].tolist(), np.flatnonzero(rows["furthest"]).tolist()
        here, there = (rows[place].to_numpy() for place in _PLACES)
        words, short, loss = _words(rows), rows["short"].tolist(), rows[_LOSS].to_numpy()
        height, furthest = figures.height_of_rows(len(rows)), words_of_the_furthest(self.comparison)
        slide = f"{self.mechanism.label}. {self.user} {furthest}"
        on_both = Chart(
            figures.neighboring_outputs(
                outputs, here, there, style, marked, words=words, short=short
            ),
            "neighbouring-outputs",
            "Probability of each output on the data and on the neighbour.",
            self.origin,
            height,
            min(height, 320),
            finding=furthest,
            slide=slide,
        )
        losses = replace(
            on_both,
            figure=figures.privacy_losses(outputs, loss, epsilon, style, marked, short=short),
            name="privacy-losses",
            title="Privacy loss of each output, with the band ±ε of the guarantee.",
        )
        return on_both, losses

    def table(self) -> Table:
        """Return the outputs on both as a table."""
        numbers = self.comparison.drop(columns=["short", "furthest"])
        losses, title = numbers[_LOSS], "Outputs on the data and on the neighbour"
        ratio = ["—" if np.isnan(loss) else formats.ratio(loss) for loss in losses]
        loss = ["—" if np.isnan(loss) else formats.loss(loss) for loss in losses]
        words = dict(zip(_COLUMNS, (*_words(numbers), ratio, loss), strict=True))
        frame = numbers[["output", *_COLUMNS]]
        return Table(frame, "neighbour", title, self.origin, numbers, words=words)


def profile(view: View, neighbor: Neighbor) -> None:
    """Show the hockey-stick divergence from a neighbor against epsilon, if δ is not 0."""
    run, mechanism, neighbour = neighbor.run, neighbor.mechanism, neighbor.counts
    delta = mechanism.guarantee.delta
    if not delta:
        return
    epsilons = np.linspace(0, 2 * view.epsilon, 161)
    divergence = privacy_profile(run.case.counts, mechanism, neighbour, epsilons)
    excess = privacy_profile(run.case.counts, mechanism, neighbour, [view.epsilon])[0]
    words = (
        "The curve is the hockey-stick divergence (the probability in excess of e^ε times that on "
        "the other data set) between these two data sets. At the promised ε = "
        f"{compact(view.epsilon)} it is {small(float(excess))}; the guarantee is at most δ = "
        f"{compact(delta)}."
    )
    curves = {f"{mechanism.label}, this neighbour": (divergence, "solid")}
    chart = Chart(
        figures.privacy_profile(epsilons, curves, view.epsilon, delta),
        "profile",
        "Hockey-stick divergence of this neighbour against ε, with the guaranteed point.",
        neighbor.origin,
        height=380,
        finding=words,
        slide=f"{mechanism.label}. {neighbor.user} {words}",
    )
    show.chart(chart)
    st.caption(words)


def use_tile(mechanism: Mechanism, loss: WorstCase, stick: WorstCase | None) -> Tile:
    """Return a tile on whether the guarantee holds, with the largest privacy loss."""
    promised = mechanism.guarantee
    used = f"{loss.value:.3f}" if np.isfinite(loss.value) else "∞"
    kind = f"on these counts · loss {used} of ε = {stated(promised.epsilon)}"
    if stick is not None:
        kind += f" · needs δ = {small(stick.value)}, promised {small(promised.delta)}"
    kept = is_kept(mechanism, loss, stick)
    about = "Largest privacy loss over all neighbours and outputs, exact."
    return Tile(mechanism.label, "✓ kept" if kept else "✗ broken", kind, about)


def choose_neighbor(
    place: Any, counts: ItemCounts, guarantee: Guarantee, worst: ItemCounts
) -> ItemCounts:
    """Draw the choice of neighbor: the worst one, or one given by the items of a user."""
    relation, most = guarantee.neighbors, guarantee.max_items
    short = {WORST: WHO.options[WORST], CHOSEN: "of your choice"}  # in a narrow box
    if inputs.choice(place, WHO, look="select", format_func=short.__getitem__) == WORST:
        return worst
    if relation is NeighborRelation.SWAP:
        left, right = st.columns(2)
        gone = _items(left, "Items of the user who leaves", counts, "goes")
        swapped = counts.d > 1 and gone[0] == gone.sum() == 1  # the same item changes nothing
        first = "2" if swapped else "1"
        change = _items(right, "Items of the user who joins", counts, "comes", first) - gone
    else:
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        held = _items(left, "Items the user holds", counts, "held")
        change = held if inputs.choice(right, JOINS) == "joins" else -held
    changed, refusal = counts.counts + change, None
    if most is not None and most_items(change) > most:
        refusal = (
            "No guarantee for this user",
            f"The guarantee is for users who count for at most {plural(most, 'item')}: choose "
            "fewer items here, or more items per user as an assumption.",
        )
    elif (changed < 0).any():
        item = counts.items[int(np.argmax(changed < 0))]
        words = f"Nobody holds {item}: its count is 0. Choose items with users."
        refusal = "This user cannot leave", words
    elif (changed > MAX_COUNT).any():
        words = f"A count would pass {MAX_COUNT:,}, the most accepted: choose smaller counts."
        refusal = "This user cannot join", words
    if refusal:
        show.problem(*refusal)
        show.end()
    return ItemCounts(changed, counts.items)


def _items(place: Any, label: str, counts: ItemCounts, key: str, first: str = "1") -> np.ndarray:
    """Draw the choice of a user's items and return a 0/1 vector; links hold places, not names."""
    names = {str(place): item for place, item in enumerate(counts.items, 1)}
    chosen = inputs.several(place, Several(key, label, names, (first,)))
    return np.array([name in chosen for name in names], dtype=np.int64)


def compare(mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts) -> pd.DataFrame:
    """Return the probabilities of all outputs on two data sets, a row each, likeliest first.

    Logarithms, of each and of its complement, hold what a float rounds to 0 and 1.  Outputs whose
    loss is the ``furthest`` from 0, up to rounding, are marked; ``short`` names stand in figures.
    """
    kind = mechanism.outputs
    every = kind.every(counts.d, mechanism.k)
    on_both = [mechanism.log_pmf(data, every) for data in (counts, neighbour)]
    order = np.argsort(-on_both[0], kind="stable")
    loss = privacy_loss(counts, mechanism, neighbour)[order]
    rows, far = every[order].tolist(), np.where(np.isnan(loss), 0.0, np.abs(loss))
    columns: dict[str, Any] = {
        "mechanism": mechanism.label,
        "output": [kind.label(row, counts.items) for row in rows],
    }
    for name, logs in zip(_PLACES, on_both, strict=True):
        columns[name] = np.exp(logs[order])
        columns[f"{name}, log"] = logs[order] + 0.0  # -0.0 is written as 0.0
        columns[f"{name}, log complement"] = log_complements(logs)[order] + 0.0
    return pd.DataFrame(columns).assign(
        **{"ratio": np.exp(loss), _LOSS: loss + 0.0},
        short=short_labels(((kind, row) for row in rows), counts.items),
        furthest=(far > ROUNDING) & np.isclose(far, far.max(), rtol=_EQUAL, atol=ROUNDING),
    )


def few(compared: pd.DataFrame) -> pd.DataFrame:
    """Return the likeliest outputs and one of largest loss, few enough for a figure."""
    furthest = compared["furthest"].idxmax()  # the first of them
    return compared[(compared.index < _MOST_SHOWN) | (compared.index == furthest)]


def words_of_the_furthest(compared: pd.DataFrame) -> str:
    """Return a sentence on the output with the largest absolute privacy loss."""
    furthest = compared[compared["furthest"]]
    if furthest.empty:
        return "No probability changes."
    first, others = furthest.iloc[0], len(furthest) - 1
    (here,), (there,) = _words(furthest.head(1))
    alike = f"; {plural(others, 'other')} equally large" if others else ""
    return (
        f"Largest change: {first['output']}, {here} on the data and {there} on the "
        f"neighbour, a privacy loss of {formats.loss(abs(first[_LOSS]))}{alike}."
    )


def _words(compared: pd.DataFrame) -> tuple[list[str], list[str]]:
    here, there = (
        [*map(formats.in_full, compared[f"{place}, log"], compared[f"{place}, log complement"])]
        for place in _PLACES
    )
    return here, there
