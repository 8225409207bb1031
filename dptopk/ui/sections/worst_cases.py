"""Describe the privacy losses of a small case: the worst ones, and those of one neighbor."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.laws.privacy_losses import WorstCase, privacy_profile
from dptopk.mechanisms import Mechanism
from dptopk.questions.origin import Origin
from dptopk.questions.privacy import ITEMS_ALONE, Found, Judged, covered_by_delta, describe, is_kept
from dptopk.questions.view import View
from dptopk.ui import show
from dptopk.ui.formats import compact, joined, plural, scientific, small
from dptopk.ui.sections import neighboring_user
from dptopk.ui.sentences import texts
from dptopk.ui.show import Chart, Table, Tile

_SMALL = 0.01  # below it a δ is written in powers of ten


@dataclass(frozen=True)
class Run(Judged):
    """Mechanisms that were run, and their worst cases."""

    found: Mapping[str, Found] = field(default_factory=dict)

    @property
    def tried(self) -> tuple[Mechanism, ...]:
        """Mechanisms whose worst case was found before the run ended or was stopped."""
        return tuple(m for m in self.mechanisms if m.label in self.found)


def notes(view: View, run: Run) -> list[str]:
    """Explain the worst cases: the case, beliefs, and what was left out."""
    notes = [*run.case.notes, _beliefs(view, run)]
    if any(m.outputs.counted for m in run.tried):
        notes.append(ITEMS_ALONE)
    if covered := covered_by_delta(run.tried, run.found):
        notes.append(
            f"A loss above ε does not violate the guarantee of {joined(covered)}: such outputs "
            "have a probability that δ covers; the numbers above give the δ needed."
        )
    faint = {label: loss.n_faint for label, (loss, _) in run.found.items() if loss.n_faint}
    if faint:
        named = joined([f"{plural(n, 'output')} of {label}" for label, n in faint.items()])
        notes.append(
            f"Left out: {named}, with probability below e^(-2^20) on both data sets: "
            "floating-point numbers cannot hold the difference of such logarithms exactly."
        )
    return notes


def _beliefs(view: View, run: Run) -> str:
    """Return a sentence on the largest posterior promised and that of the worst output."""
    used = [f"{m.label} {texts.posterior(run.found[m.label][0].value)}" for m in run.tried]
    deltas = [m.guarantee.delta for m in run.tried]
    promised = [
        texts.odds(view.epsilon, delta, run.neighbors, view.protects).replace("From", "from", 1)
        for delta in dict.fromkeys((min(deltas), max(deltas)))
    ]
    words = f"Promised: {promised[0]}"
    if len(promised) > 1:
        words = f"Promised without a δ: {promised[0]} With one: {promised[1]}"
    return f"{words} Used, at the worst outcome on these counts (exact): {joined(used)}."


@dataclass(frozen=True)
class Neighbor:
    """A mechanism on the data of a run and on a neighbor, compared output by output."""

    run: Run
    mechanism: Mechanism
    counts: ItemCounts

    @property
    def user(self) -> str:
        """Sentence on the user by whom the two differ."""
        return describe(self.run.case.counts, self.counts)

    @cached_property
    def comparison(self) -> neighboring_user.NeighborOutputs:
        """Probabilities on both."""
        return neighboring_user.compare(self.mechanism, self.run.case.counts, self.counts)

    @property
    def origin(self) -> Origin:
        """Origin of what is shown of the two."""
        return self.run.origin([self.mechanism], f"{self.mechanism.label} · {self.user}")

    def outputs(self) -> Chart:
        """Return the probability of each output on both as a figure."""
        shown = self.comparison.shown()
        figure = figures.neighboring_outputs(
            shown.labels,
            shown.here,
            shown.there,
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
        return Table(
            self.comparison.shown_frame,
            "neighbour",
            "Outputs on the data and on the neighbour",
            self.origin,
            self.comparison.numbers(self.mechanism.label),
            {"height": 320},
        )


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
    """Return a tile with the largest privacy loss and whether the guarantee holds."""
    promised = mechanism.guarantee
    kept = is_kept(mechanism, loss, stick)
    kind = f"of ε = {compact(promised.epsilon)}"
    if stick is not None:
        kind += f" · needs δ = {_delta(stick.value)}, promised {_delta(promised.delta)}"
    sign = "✓ kept on these counts" if kept else "✗ broken"
    return Tile(
        mechanism.label,
        f"{loss.value:.3f}" if np.isfinite(loss.value) else "∞",
        f"{kind} · {sign}",
        "Largest privacy loss over all neighbours and outputs, exact.",
    )


def _delta(value: float) -> str:
    """Format a δ below a hundredth in powers of ten, so that two are compared at a glance."""
    if not 0 < value < _SMALL:
        return small(value)
    return scientific(math.log(value)).replace(".0e", "e")
