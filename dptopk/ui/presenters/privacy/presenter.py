"""Compute the exact privacy loss of every output over all neighbors of a small case."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import streamlit as st

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.laws.privacy_losses import WorstCase, privacy_profile
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import PITFALLS
from dptopk.questions import settings
from dptopk.questions.origin import Origin
from dptopk.questions.privacy import (
    ITEMS_ALONE,
    MOST_ITEMS,
    MOST_OUTPUTS,
    Found,
    Judged,
    covered_by_delta,
    describe,
    is_kept,
    mechanisms_to_check,
    worst_cases,
)
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View, styles_of
from dptopk.ui import results
from dptopk.ui.controls import inputs, small_cases
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    PlainText,
    Table,
    Tile,
    Tiles,
)
from dptopk.ui.findings import alt_text, texts
from dptopk.ui.formats import compact, joined, plural, scientific, small
from dptopk.ui.presenters.exact import enumerated, fit_frame
from dptopk.ui.presenters.privacy import neighboring_user

_CHECKED = 100_000  # draws
_SMALL = 0.01  # below it a δ is written in powers of ten


@dataclass(frozen=True)
class Options:
    """Settings of the page; ``run`` is a key of `settings.RUN`."""

    case: SmallCase
    run: str


@dataclass(frozen=True)
class Run(Judged):
    """Mechanisms that were run, and their worst cases."""

    found: Mapping[str, Found] = field(default_factory=dict)

    @property
    def tried(self) -> tuple[Mechanism, ...]:
        """Mechanisms whose worst case was found before the run ended or was stopped."""
        return tuple(m for m in self.mechanisms if m.label in self.found)


def question() -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        "How much can one user change the answer?",
        "All neighbours of a few counts are enumerated; the largest change of any probability is "
        "exact.",
    )


def choose(view: View, place: Any) -> Options:
    """Draw the choices of counts with few neighbors, and of correct or faulty mechanisms."""
    case = small_cases.choose(view, place, MOST_ITEMS[view.neighbors], MOST_OUTPUTS)
    return Options(case, inputs.choice(place, settings.RUN, look="select"))


def run(view: View, options: Options) -> Run:
    """Find the worst cases over every neighbor."""
    case, what = options.case, options.run
    tried = mechanisms_to_check(view, case, what)
    if what != settings.AS_PROMISED:
        st.info(PITFALLS[what].story, icon=":material/school:")
    found = worst_cases(case.counts, tried.mechanisms, tried.neighbors, results.IN_TURNS)
    return Run(case, tried.mechanisms, tried.neighbors, tried.wrong, found)


def present(view: View, options: Options) -> Iterator[Exhibit]:
    """Compare the privacy loss of each mechanism with its guarantee, then one neighbor."""
    found = run(view, options)
    if not found.found:
        return
    yield from _worst_cases(view, found)
    yield Header("One neighbour, output by output")
    mechanism = inputs.one_mechanism(st, found.tried)
    yield from _compare(view, found, mechanism, _choose_neighbor(found, mechanism))
    yield Header("Do the samplers follow these probabilities?")
    if st.button("Draw 100,000 times and check", icon=":material/verified:", key="check"):
        yield _check_samplers(view, found)
        yield Caption(texts.FIT_WORDS)
    yield Caption(texts.EXPLORATION)
    yield Code(_code(view, found), found.origin(found.tried))


def _worst_cases(view: View, run: Run) -> list[Exhibit]:
    """Return the first screen, on the worst cases of all mechanisms, and what explains it."""
    used = {label: loss.value for label, (loss, _) in run.found.items()}
    tiles = [use_tile(m, *run.found[m.label]) for m in run.tried]
    counted = any(m.outputs.counted for m in run.tried)
    chart = Chart(
        figures.privacy_use(used, view.epsilon, styles_of(run.tried)),
        "privacy-use",
        "Largest privacy loss of each mechanism compared with the guaranteed ε.",
        run.origin(run.tried),
        height=130 + 50 * len(used),
        least=max(256, 100 + 30 * len(used)),
        finding=alt_text.numbers(tiles),
    )
    notes = [
        *run.case.notes,
        _beliefs(view, run),
        *([ITEMS_ALONE] * counted),
        *_settled_words(run.tried, run.found),
        *_left_out(run.found),
    ]
    headline = f"Largest privacy loss when {texts.change(run.neighbors)}"
    return [
        FirstScreen([Header(headline), Tiles(tiles)], [Lead(chart)]),
        None if run.wrong else small_cases.telling(view, run.case),
        *map(Caption, notes),
        FigureButtons(chart),
    ]


def _code(view: View, run: Run) -> str:
    return snippets.small(
        run.case.python,
        run.mechanisms,
        f"""
for mechanism in mechanisms:
    worst = worst_case_loss(counts, mechanism, NeighborRelation.{run.neighbors.name})
    print(mechanism.label, worst.value, worst.neighbour.counts, worst.output)
for mechanism in mechanisms:
    law = output_distribution(counts, mechanism)
{snippets.fit(_CHECKED, view.seed)}""",
    )


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


def _choose_neighbor(run: Run, mechanism: Mechanism) -> ItemCounts:
    """Draw the choice of the neighbor."""
    worst = run.found[mechanism.label][0].neighbour
    judged = replace(mechanism.guarantee, neighbors=run.neighbors)
    return neighboring_user.choose(run.case.counts, judged, worst)


def _compare(view: View, run: Run, mechanism: Mechanism, neighbour: ItemCounts) -> list[Exhibit]:
    """Compare the outputs of a mechanism on the data and on a neighbor."""
    counts, style = run.case.counts, mechanism.card.style
    comparison = neighboring_user.compare(mechanism, counts, neighbour)
    shown = comparison.shown()
    user = describe(counts, neighbour)
    origin = run.origin([mechanism], f"{mechanism.label} · {user}")
    slide = f"{mechanism.label}. {user} {comparison.words_of_the_furthest}"
    return [
        PlainText(user),
        Chart(
            figures.neighboring_outputs(
                shown.labels,
                shown.here,
                shown.there,
                style,
                shown.marked,
                words=shown.words,
                short=shown.short,
            ),
            "neighbouring-outputs",
            "Probability of each output on the data and on the neighbour.",
            origin,
            height=figures.height_of_rows(len(shown.labels)),
            finding=comparison.words_of_the_furthest,
            slide=slide,
        ),
        Chart(
            figures.privacy_losses(
                shown.labels,
                shown.loss,
                view.epsilon,
                style,
                shown.marked,
                short=shown.short,
            ),
            "privacy-losses",
            "Privacy loss of each output, with the band ±ε of the guarantee.",
            origin,
            height=figures.height_of_rows(len(shown.labels)),
            finding=comparison.words_of_the_furthest,
            slide=slide,
        ),
        *_profile(view, run, mechanism, neighbour, origin),
        Table(
            comparison.shown_frame,
            "neighbour",
            "Outputs on the data and on the neighbour",
            origin,
            comparison.numbers(mechanism.label),
            {"height": 320},
        ),
    ]


def _check_samplers(view: View, run: Run) -> Table:
    """Test draws of each mechanism against its exact probabilities."""
    written = enumerated(run.case.counts, run.tried, _CHECKED, view.seed)
    origin = run.case.origin(
        run.tried,
        "draws tested against exact probabilities",
        runs=_CHECKED,
        runs_are="draws from each mechanism",
        seed=view.seed,
    )
    title = f"χ² test of {_CHECKED:,} draws"
    return Table(fit_frame(written), "check", title, origin, written.fit_numbers())


def _profile(
    view: View, run: Run, mechanism: Mechanism, neighbour: ItemCounts, origin: Origin
) -> list[Exhibit]:
    """Return the hockey-stick divergence from this neighbor against epsilon, if δ is promised."""
    delta = mechanism.guarantee.delta
    if not delta:
        return []
    epsilons = np.linspace(0, 2 * view.epsilon, 161)
    profile = privacy_profile(run.case.counts, mechanism, neighbour, epsilons)
    excess = privacy_profile(run.case.counts, mechanism, neighbour, [view.epsilon])[0]
    words = (
        "The curve is the hockey-stick divergence (the probability in excess of e^ε times that on "
        "the other data set) between these two data sets. At the promised ε = "
        f"{compact(view.epsilon)} it is {small(float(excess))}; the guarantee is at most δ = "
        f"{compact(delta)}."
    )
    chart = Chart(
        figures.privacy_profile(
            epsilons,
            {f"{mechanism.label}, this neighbour": (profile, "solid")},
            view.epsilon,
            delta,
        ),
        "profile",
        "Hockey-stick divergence of this neighbour against ε, with the guaranteed point.",
        origin,
        height=380,
        finding=words,
        slide=f"{mechanism.label}. {describe(run.case.counts, neighbour)} {words}",
    )
    return [chart, Caption(words)]


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


def _settled_words(
    tried: Iterable[Mechanism], found: Mapping[str, tuple[WorstCase, WorstCase | None]]
) -> list[str]:
    """Explain a loss above ε that δ permits."""
    covered = covered_by_delta(tried, found)
    if not covered:
        return []
    return [
        f"A loss above ε does not violate the guarantee of {joined(covered)}: such outputs have a "
        "probability that δ covers; the numbers above give the δ needed."
    ]


def _left_out(found: Mapping[str, tuple[WorstCase, WorstCase | None]]) -> list[str]:
    """Name the outputs that could not be compared."""
    faint = {label: loss.n_faint for label, (loss, _) in found.items() if loss.n_faint}
    if not faint:
        return []
    named = joined([f"{plural(n, 'output')} of {label}" for label, n in faint.items()])
    return [
        f"Left out: {named}, with probability below e^(-2^20) on both data sets: floating-point "
        "numbers cannot hold the difference of such logarithms exactly."
    ]
