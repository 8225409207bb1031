"""Describe the privacy losses of a small case: the worst ones, and those of one neighbor."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
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
_COLUMNS = (*_PLACES, "ratio", "privacy loss (ln)")


def notes(view: View, run: Judged, found: Mapping[str, Found]) -> list[str]:
    """Explain the worst cases: the case, beliefs promised and used, and what was left out."""
    used = [f"{m.label} {texts.posterior(found[m.label][0].value)}" for m in run.mechanisms]
    deltas = [m.guarantee.delta for m in run.mechanisms]
    promised = " ".join(
        texts.odds(Guarantee(view.epsilon, delta, run.neighbors), view.protects)
        for delta in dict.fromkeys((min(deltas), max(deltas)))
    )
    worst = f"Used, at the worst outcome on these counts (exact): {joined(used)}."
    notes = [*run.case.notes, f"Promised: {promised} {worst}"]
    if any(m.outputs.counted for m in run.mechanisms):
        notes.append(ITEMS_ALONE)
    if covered := covered_by_delta(run.mechanisms, found):
        notes.append(
            f"A loss above ε does not violate the guarantee of {joined(covered)}: such outputs "
            "have a probability that δ covers; the numbers above give the δ needed."
        )
    faint = {label: loss.n_faint for label, (loss, _) in found.items() if loss.n_faint}
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
    def comparison(self) -> "NeighborOutputs":
        """Probabilities on both."""
        return compare(self.mechanism, self.run.case.counts, self.counts)

    @property
    def origin(self) -> Origin:
        """Origin of what is shown of the two."""
        return self.run.origin([self.mechanism], f"{self.mechanism.label} · {self.user}")

    def outputs(self) -> Chart:
        """Return the probability of each output on both as a figure."""
        shown = self.comparison.shown()
        here, there = np.exp(shown.logs[:, 0])
        figure = figures.neighboring_outputs(
            shown.labels,
            here,
            there,
            self.mechanism.card.style,
            shown.marked,
            words=shown.words,
            short=shown.short,
        )
        title = "Probability of each output on the data and on the neighbour."
        return self._chart(figure, "neighbouring-outputs", title)

    def losses(self, epsilon: float) -> Chart:
        """Return the privacy loss of each output as a figure, with the promise of ``epsilon``."""
        shown, style = self.comparison.shown(), self.mechanism.card.style
        figure = figures.privacy_losses(
            shown.labels, shown.loss, epsilon, style, shown.marked, short=shown.short
        )
        title = "Privacy loss of each output, with the band ±ε of the guarantee."
        return self._chart(figure, "privacy-losses", title)

    def _chart(self, figure: go.Figure, name: str, title: str) -> Chart:
        said = self.comparison.words_of_the_furthest
        height = figures.height_of_rows(len(self.comparison.shown().labels))
        slide = f"{self.mechanism.label}. {self.user} {said}"
        return Chart(
            figure, name, title, self.origin, height, min(height, 320), finding=said, slide=slide
        )

    def table(self) -> Table:
        """Return the outputs on both as a table."""
        shown, title = self.comparison, "Outputs on the data and on the neighbour"
        numbers = shown.numbers(self.mechanism.label)
        ratio = ["—" if np.isnan(loss) else formats.ratio(loss) for loss in shown.loss]
        loss = ["—" if np.isnan(loss) else formats.loss(loss) for loss in shown.loss]
        words = dict(zip(_COLUMNS, (*shown.words, ratio, loss), strict=True))
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


@dataclass(frozen=True)
class NeighborOutputs:
    """Outputs of one mechanism on the data and on a neighbor, likeliest first."""

    labels: list[str]
    short: list[str]  # the same beside the rows of a figure
    logs: np.ndarray  # of each probability and its complement, on both data: shape (2, 2, m)
    loss: np.ndarray
    marked: tuple[int, ...]  # furthest from equal, up to rounding

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Probabilities on both data sets, formatted."""
        here, there = ([*map(formats.in_full, *logs)] for logs in self.logs)
        return here, there

    def numbers(self, label: str) -> pd.DataFrame:
        """Return probabilities with their logarithms, ratios and losses, one row per output."""
        columns: dict[str, Any] = {"mechanism": label, "output": self.labels}
        for name, (log, complement) in zip(_PLACES, self.logs, strict=True):
            columns[name] = np.exp(log)
            columns[f"{name}, log"] = log + 0.0  # -0.0 is written as 0.0
            columns[f"{name}, log complement"] = complement + 0.0
        columns |= {"ratio": np.exp(self.loss), "privacy loss (ln)": self.loss + 0.0}
        return pd.DataFrame(columns)

    @property
    def words_of_the_furthest(self) -> str:
        """Sentence on the output with the largest absolute privacy loss."""
        if not self.marked:
            return "No probability changes."
        first = self.marked[0]
        here, there = (words[first] for words in self.words)
        others = len(self.marked) - 1
        alike = f"; {plural(others, 'other')} equally large" if others else ""
        return (
            f"Largest change: {self.labels[first]}, {here} on the data and {there} on the "
            f"neighbour, a privacy loss of {formats.loss(abs(self.loss[first]))}{alike}."
        )

    def shown(self) -> "NeighborOutputs":
        """Return the likeliest outputs and one of largest loss, few enough for a figure."""
        last = [place for place in self.marked[:1] if place >= _MOST_SHOWN]
        kept = [*range(min(_MOST_SHOWN, len(self.labels))), *last]
        marked = tuple(kept.index(place) for place in self.marked if place in kept)
        return NeighborOutputs(
            [self.labels[i] for i in kept],
            [self.short[i] for i in kept],
            self.logs[..., kept],
            self.loss[kept],
            marked,
        )


def compare(mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts) -> NeighborOutputs:
    """Compute the probabilities of all outputs on two data sets."""
    every = mechanism.outputs.every(counts.d, mechanism.k)
    on_both = [mechanism.log_pmf(data, every) for data in (counts, neighbour)]
    loss = privacy_loss(counts, mechanism, neighbour)
    order = np.argsort(-on_both[0], kind="stable")
    rows, kind = every[order].tolist(), mechanism.outputs
    far = np.where(np.isnan(loss), 0.0, np.abs(loss))[order]
    equal = np.isclose(far, far.max(), rtol=_EQUAL, atol=ROUNDING)
    largest = np.flatnonzero((far > ROUNDING) & equal)
    return NeighborOutputs(
        [kind.label(row, counts.items) for row in rows],
        short_labels(((kind, row) for row in rows), counts.items),
        np.array([(logs, log_complements(logs)) for logs in on_both])[..., order],
        loss[order],
        tuple(largest.tolist()),
    )
