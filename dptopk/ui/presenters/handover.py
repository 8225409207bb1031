"""What do I send on?  A report, a script for the release, a record, and what is left to see to."""

import datetime
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from dptopk import settings
from dptopk.errors import METRICS
from dptopk.goals import Goal
from dptopk.handover import checklist, opendp_script, registry_record
from dptopk.handover.checklist import SOURCE
from dptopk.mechanisms import Mechanism
from dptopk.parameters import Flag
from dptopk.ui import controls, report, texts
from dptopk.ui.comparison import Comparison
from dptopk.ui.downloads import File
from dptopk.ui.formats import compact
from dptopk.ui.presenters import choose, compare
from dptopk.ui.proposal import OFTEN, Proposal
from dptopk.ui.report import Section
from dptopk.ui.solving import Asked
from dptopk.ui.widgets import Chart, Table, Tile
from dptopk.view import View

PUBLIC = Flag(
    "tuned_public",
    "Settings chosen on public data",
    False,
    help="Whether mechanism, k and ε were chosen without these counts. The report, the record and "
    "the checklist say which.",
)
NAMED = Flag(
    "named",
    "True top k in the report",
    False,
    help="Whether the report lists the true items with their counts, which nothing protects.",
)
_CHOSEN = "→"
UNPROTECTED = (
    "This report is made from the counts themselves and is not protected: keep it as private as "
    "they are."
)
_ASKED = Asked(Goal(settings.GOAL.default, "", 0), settings.CHANCE.default)


@dataclass(frozen=True)
class Options:
    """What the page itself lets people choose."""

    mechanism: Mechanism
    public: bool
    named: bool


@dataclass(frozen=True)
class Shown:
    """What the page shows."""

    tiles: list[Tile]
    chart: Chart
    promise: str
    report: File
    script: File | None
    without: str
    record: File
    checklist: Table
    code: str


def question(view: View) -> tuple[str, str]:
    """The question, and how to read the page."""
    return (
        "What do I send on?",
        "A report for whoever decides, a script for whoever releases, a record for whoever asks "
        "later.",
    )


def cost(view: View) -> choose.Shown:
    """What ε the chosen mechanisms need, cheapest first."""
    return choose.present(view, _cost_options())


def _cost_options() -> choose.Options:
    """What is asked of the page that tells the cost."""
    public = settings.stand_in().default
    return choose.Options(_ASKED, public, other_k=False, against_delta=False)


def compared(view: View) -> Comparison | None:
    """How good the chosen mechanisms are at the ε of the release; nothing if stopped at once."""
    metric = METRICS[settings.METRIC.default]
    return compare.present(view, compare.Options(metric, logarithmic=True))


def options(view: View, place: Any, cost: choose.Shown, compared: Comparison | None) -> Options:
    """Controls of the page; the best at this ε stands until another is chosen."""
    by_label = {mechanism.label: mechanism for mechanism in view.mechanisms}
    best = compared.best.labels if compared and compared.best else ()
    cheapest = [label for label in cost.table.frame.get("mechanism", []) if label in best]
    first = next((by_label[label] for label in [*cheapest, *best]), None)
    return Options(
        controls.one_mechanism(place, view.mechanisms, first),
        controls.flag(place, PUBLIC),
        controls.flag(place, NAMED),
    )


def present(view: View, chosen: Options, cost: choose.Shown, compared: Comparison) -> Shown:
    """What is handed over for one mechanism."""
    mechanism = chosen.mechanism
    assert compared.best
    assert isinstance(compared.table.data, pd.DataFrame)
    assert isinstance(cost.table.data, pd.DataFrame)
    proposal = Proposal(mechanism, compared.table.data, cost.table.data, compared.best)
    contribution = view.source.contribution
    script = opendp_script(mechanism, view.unit, contribution)
    points = _checklist(view, chosen)
    sections = [*_sections(view, chosen, proposal, compared, cost), _points(points)]
    title = f"The top {view.k} of {view.source.title}, released with differential privacy"
    record = registry_record(
        mechanism,
        view.source.title,
        n_items=view.counts.d,
        public=chosen.public,
        date=datetime.date.today(),
        unit=view.unit,
        contribution=contribution,
    )
    return Shown(
        tiles=_tiles(proposal, cost, view.protects),
        chart=cost.chart if cost.chart and proposal.without_error else compared.chart,
        promise=" ".join(_promised(view, mechanism)),
        report=File("report", "html", partial(report.page, title, sections), points.origin),
        script=File("release", "py", script, points.origin) if script else None,
        without=_drawn_by(mechanism),
        record=File("deployment", "yaml", record, points.origin),
        checklist=points,
        code=cost.code,
    )


def _drawn_by(mechanism: Mechanism) -> str:
    """Whose sampler may draw the release that is published."""
    if mechanism.elsewhere is None:
        return (
            f"No hardened sampler of {mechanism.label} is known elsewhere: have one written and "
            "reviewed, or take a mechanism that OpenDP has."
        )
    return (
        f"Draws made here are for study; the OpenDP script handed over with this draws "
        f"{mechanism.label} with hardened samplers."
    )


def _promised(view: View, mechanism: Mechanism) -> list[str]:
    """What is promised, and what that rests on where it is not known of the data."""
    caveat = [view.caveat] if view.caveat and view.source.contribution.holds else []
    return [mechanism.guarantee.statement_on(view.protects), *caveat]


def _tiles(proposal: Proposal, cost: choose.Shown, protects: str) -> list[Tile]:
    """The budget, how often the release is right, and what it would take to be nearly always."""
    mechanism = proposal.mechanism
    guarantee = mechanism.guarantee
    delta = f"δ = {compact(guarantee.delta)}" if guarantee.delta else "without δ"
    right, known = proposal.right
    on = f"even odds on one {protects}" if protects else "even odds"
    needed = [tile for tile in cost.tiles if tile.label == f"ε, {mechanism.label}"]
    return [
        Tile(
            "ε of the release",
            compact(guarantee.epsilon),
            f"{delta} · {texts.odds_at_most(guarantee.epsilon, on)}",
        ),
        Tile(
            f"The right {mechanism.k}, by {mechanism.label}",
            right,
            f"{known} · in any order, up to ties{proposal.unlikely}",
        ),
        *(Tile(f"ε for {OFTEN}", tile.value, tile.kind, button=proposal.use) for tile in needed),
    ]


def _checklist(view: View, chosen: Options) -> Table:
    answers = checklist(
        chosen.mechanism,
        contribution=view.source.contribution,
        unit=view.unit,
        public=chosen.public,
        items_of_data=view.source.items_of_data,
    )
    frame = pd.DataFrame(
        {
            "point": answer.topic,
            "what dptopk can say": answer.ours or "—",
            "what you must see to": answer.yours,
        }
        for answer in answers
    )
    return Table(
        frame,
        "checklist",
        "Checklist of the release",
        view.origin([chosen.mechanism], "from the settings"),
    )


def _points(points: Table) -> Section:
    return Section(
        "What is vouched for, and what is left to do",
        [f"The points of {SOURCE.title} ({SOURCE.venue})."],
        [points],
    )


def _pointed(table: Table, mechanism: Mechanism) -> Table:
    """A table for whoever decides, with a sign at the mechanism that is proposed."""
    if table.frame.empty:  # somebody stopped, or none can do what is asked
        return table
    labels = table.frame["mechanism"]
    pointed = [f"{_CHOSEN} {label}" if label == mechanism.label else label for label in labels]
    return replace(table, frame=table.frame.assign(mechanism=pointed))


def _first(view: View) -> list[str]:
    """What must be known before all else."""
    return [UNPROTECTED] if view.source.contribution.holds else [view.caveat, UNPROTECTED]


def _sections(
    view: View,
    chosen: Options,
    proposal: Proposal,
    compared: Comparison,
    cost: choose.Shown,
) -> list[Section]:
    """The report, but for the checklist."""
    mechanism, counts = chosen.mechanism, view.counts
    tuned = (
        "Mechanism, k and ε were chosen on public data."
        if chosen.public
        else "Mechanism, k and ε were chosen by looking at these counts, or may have been: that is "
        "a use of them which no guarantee here covers."
    )
    beside = Section(
        "How good it is, beside others",
        [compared.finding],
        [compared.chart, _pointed(compared.table, mechanism)],
    )
    question, reading = choose.question(view, _cost_options())
    target = Section(
        question,
        [reading, choose.LEAK],
        [*([cost.chart] if cost.chart else []), _pointed(cost.table, mechanism)],
    )
    sections = [
        Section("The answer", [*_first(view), proposal.sentence, _drawn_by(mechanism)]),
        Section(
            "The question",
            [
                f"Which {view.k} of {counts.d:,} items have the most {view.unit}, told so that "
                f"no single {view.protects or 'user'} matters much?",
            ],
        ),
        Section(
            "What is released, and what is promised",
            [
                mechanism.card.summary,
                *_promised(view, mechanism),
                texts.odds_promised(mechanism.guarantee, view.protects),
                tuned,
            ],
        ),
        # where nobody errs a figure of errors says nothing
        *([target, beside] if proposal.without_error else [beside, target]),
    ]
    if chosen.named:
        top = counts.head(view.k)
        frame = pd.DataFrame(
            {"place": range(1, view.k + 1), "item": top.items, view.unit: top.counts.tolist()}
        )
        table = Table(frame, "true-top", "True top of the data", view.origin([], "the data"))
        sections.append(Section("The true answer, unprotected", [], [table]))
    sections.append(
        Section(
            "How it was computed",
            [
                "Numbers called exact are computed from the law of the mechanism; all others are "
                f"from {view.n:,} simulated releases each, with 95% intervals in brackets.",
                f"Data: {view.source.title}. {view.source.description}",
                "The lines below give the same numbers.",
            ],
            code=compared.code,
        )
    )
    return sections
