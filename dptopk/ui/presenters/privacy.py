"""How much can one user change the answer?  The privacy loss, exactly, output by output."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from dptopk import figures
from dptopk.counts import ItemCounts
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import PITFALLS
from dptopk.origin import Origin
from dptopk.parameters import Choice
from dptopk.privacy import NeighborRelation
from dptopk.privacy_loss import WorstCase, privacy_profile
from dptopk.small_cases import SmallCase
from dptopk.ui import (
    controls,
    neighbours,
    privacy_words,
    results,
    small_cases,
    snippets,
    texts,
    told,
    written_out,
)
from dptopk.ui.formats import compact, joined, small
from dptopk.ui.widgets import Chart, Table, Tile
from dptopk.view import View, styles_of

MOST_ITEMS = {NeighborRelation.ADD_REMOVE: 8, NeighborRelation.SWAP: 6}  # 510 and 728 neighbours
MOST_OUTPUTS = 1_000
_CHECKED = 100_000  # draws
RIGHT = "right"
RUN = Choice(
    "run",
    "What is run",
    {RIGHT: "the mechanisms as promised"} | {key: p.title for key, p in PITFALLS.items()},
    RIGHT,
)
_Found = tuple[WorstCase, WorstCase | None]


@dataclass(frozen=True)
class Run:
    """Mechanisms as run, the change of the data they are judged by, and what was found."""

    case: SmallCase
    mechanisms: tuple[Mechanism, ...]
    neighbors: NeighborRelation
    wrong: str  # what goes wrong, if it is meant to
    found: dict[str, _Found]

    @property
    def tried(self) -> tuple[Mechanism, ...]:
        """Those whose worst case was found, if the run was stopped."""
        return tuple(m for m in self.mechanisms if m.label in self.found)

    def origin(self, mechanisms: Sequence[Mechanism], note: str = "") -> Origin:
        """What goes with figures and tables of some of the mechanisms."""
        judged = f"judged by: {texts.change(self.neighbors)}" if self.wrong else ""
        notes = " · ".join(words for words in (self.wrong, judged, note) if words)
        return self.case.origin(mechanisms, "exact", note=notes)


@dataclass(frozen=True)
class Shown:
    """The worst cases of all mechanisms."""

    headline: str
    tiles: list[Tile]
    chart: Chart
    notes: list[str]
    code: str


@dataclass(frozen=True)
class Neighbour:
    """One neighbour, output by output; what the user does may hold strangers' text."""

    user: str
    charts: list[Chart]
    profile: Chart | None
    excess: str
    table: Table


def question() -> tuple[str, str]:
    """The question, and how to read the page."""
    return (
        "How much can one user change the answer?",
        "Every neighbour of a few counts is tried; the largest change of any probability is exact.",
    )


def choose_case(view: View, place: Any) -> SmallCase:
    """Counts few enough to try every neighbour of them."""
    return small_cases.choose(view, place, MOST_ITEMS[view.neighbors], MOST_OUTPUTS)


def choose_what(place: Any) -> str:
    """Choose between the right mechanisms and some that go wrong."""
    return controls.choice(place, RUN, look="select")


def run(view: View, case: SmallCase, what: str) -> Run:
    """Try every neighbour of what is run."""
    mechanisms, neighbors, wrong = view.at(case.k, case.counts), view.neighbors, ""
    if what != RIGHT:
        pitfall = PITFALLS[what]
        settings = {
            "k": case.k,
            "epsilon": view.epsilon,
            "neighbors": view.neighbors,
            **view.parameters,
        }
        mechanisms = pitfall.wrong(mechanisms, settings)
        neighbors, wrong = pitfall.judged_by or neighbors, pitfall.title
        st.info(pitfall.story, icon=":material/school:")
    found = results.worst_cases(case.counts, mechanisms, neighbors, "privacy")
    return Run(case, mechanisms, neighbors, wrong, found)


def present(view: View, run: Run) -> Shown:
    """Say how much of each promise is used, and whether it is kept."""
    used = {label: loss.value for label, (loss, _) in run.found.items()}
    tiles = [privacy_words.use_tile(m, *run.found[m.label]) for m in run.tried]
    counted = any(m.outputs.counted for m in run.tried)
    return Shown(
        headline=f"Largest privacy loss when {texts.change(run.neighbors)}",
        tiles=tiles,
        chart=Chart(
            figures.privacy_use(used, view.epsilon, styles_of(run.tried)),
            "privacy-use",
            "Largest privacy loss of each mechanism beside the promised epsilon.",
            run.origin(run.tried),
            height=130 + 50 * len(used),
            least=max(256, 100 + 30 * len(used)),
            finding=told.numbers(tiles),
        ),
        notes=[
            _beliefs(view, run),
            *(["Of what releases counts too, this is the loss of the items alone."] * counted),
            *privacy_words.beyond(run.tried, run.found),
            *privacy_words.left_out(run.found),
        ],
        code=snippets.small(
            run.case.python,
            run.mechanisms,
            f"""
for mechanism in mechanisms:
    worst = worst_case_loss(mechanism, counts, NeighborRelation.{run.neighbors.name})
    print(mechanism.label, worst.value, worst.neighbour.counts, worst.output)
for mechanism in mechanisms:
    law = output_distribution(mechanism, counts)
{snippets.fit(_CHECKED, view.seed)}""",
        ),
    )


def _beliefs(view: View, run: Run) -> str:
    """What the worst outcome does to a belief, beside what is promised."""
    used = [f"{m.label} {texts.sure(run.found[m.label][0].value)}" for m in run.tried]
    delta = max(m.guarantee.delta for m in run.tried)
    promised = texts.odds(view.epsilon, delta, run.neighbors, view.protects)
    return (
        f"Promised: {promised} Used, at the worst outcome on these counts (exact): {joined(used)}."
    )


def choose_mechanism(run: Run) -> Mechanism:
    """Choose the mechanism that is looked at output by output."""
    return controls.one_mechanism(st, run.tried)


def choose_neighbour(run: Run, mechanism: Mechanism) -> ItemCounts:
    """Choose the neighbour that is looked at."""
    worst = run.found[mechanism.label][0].neighbour
    judged = replace(mechanism.guarantee, neighbors=run.neighbors)
    return neighbours.choose(run.case.counts, judged, worst)


def compare(view: View, run: Run, mechanism: Mechanism, neighbour: ItemCounts) -> Neighbour:
    """One mechanism on the data and on a neighbour."""
    counts, style = run.case.counts, mechanism.card.style
    comparison = neighbours.compare(mechanism, counts, neighbour)
    shown = comparison.shown()
    user = neighbours.describe(counts, neighbour)
    origin = run.origin([mechanism], f"{mechanism.label} · {user}")
    slide = f"{mechanism.label}. {user} {comparison.words_of_the_furthest}"
    profile, excess = _profile(view, run, mechanism, neighbour, origin)
    return Neighbour(
        user=user,
        charts=[
            Chart(
                figures.neighbouring_outputs(
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
                "Privacy loss of each output, with the promised band.",
                origin,
                height=figures.height_of_rows(len(shown.labels)),
                finding=comparison.words_of_the_furthest,
                slide=slide,
            ),
        ],
        profile=profile,
        excess=excess,
        table=Table(
            comparison.shown_frame,
            "neighbour",
            "Outputs on the data and on the neighbour",
            origin,
            comparison.numbers(mechanism.label),
            {"height": 320},
        ),
    )


def check_samplers(view: View, run: Run) -> Table:
    """Draw often and compare with the exact probabilities."""
    written = written_out.write_out(run.case.counts, run.tried, _CHECKED, view.seed)
    origin = run.case.origin(
        run.tried,
        "draws tested against exact probabilities",
        runs=_CHECKED,
        runs_are="draws from each mechanism",
        seed=view.seed,
    )
    title = f"χ² test of {_CHECKED:,} draws"
    return Table(written_out.fit_frame(written), "check", title, origin, written.fit_numbers())


def _profile(
    view: View, run: Run, mechanism: Mechanism, neighbour: ItemCounts, origin: Origin
) -> tuple[Chart | None, str]:
    """The hockey-stick of this neighbour against epsilon, where a delta is promised."""
    delta = mechanism.guarantee.delta
    if not delta:
        return None, ""
    epsilons = np.linspace(0, 2 * view.epsilon, 161)
    profile = privacy_profile(mechanism, run.case.counts, neighbour, epsilons)
    excess = privacy_profile(mechanism, run.case.counts, neighbour, [view.epsilon])[0]
    words = (
        "The curve is the probability in excess of e^ε (the hockey-stick) between these two data "
        f"sets. At the promised ε = {compact(view.epsilon)} it is {small(float(excess))}; promised "
        f"was at most δ = {compact(delta)}."
    )
    chart = Chart(
        figures.privacy_profile(
            epsilons,
            {f"{mechanism.label}, this neighbour": (profile, "solid")},
            view.epsilon,
            delta,
        ),
        "profile",
        "Hockey-stick of this neighbour against epsilon, with the promised point.",
        origin,
        height=380,
        finding=words,
        slide=f"{mechanism.label}. {neighbours.describe(run.case.counts, neighbour)} {words}",
    )
    return chart, words
