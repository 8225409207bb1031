"""What do I send on?  A report, a script for the release, a record, and what is left to see to."""

import datetime
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd

from dptopk import settings
from dptopk.choosing import runs_to_judge
from dptopk.errors import METRICS
from dptopk.handover import checklist, opendp_script, registry_record
from dptopk.mechanisms import Mechanism
from dptopk.origin import Origin
from dptopk.parameters import Flag
from dptopk.questions.epsilon import JUDGED
from dptopk.sources import ITEM_LIST_CAVEAT
from dptopk.ui import controls, report, reported, snippets, texts
from dptopk.ui.asked_cost import Cost
from dptopk.ui.asked_cost import cost as cost
from dptopk.ui.comparison import Comparison
from dptopk.ui.downloads import File
from dptopk.ui.formats import compact
from dptopk.ui.presenters import compare
from dptopk.ui.proposal import OFTEN, Proposal
from dptopk.ui.widgets import Chart, Offer, Table, Tile
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
BY_OPENDP = (
    "The draws of this app are for study. OpenDP draws the same law for real releases: "
    "`python release.py counts.csv`, where counts.csv is what Data offers below its table as "
    "“All items and their counts as CSV”."
)


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
    less: Offer | None
    beside: str
    chart: Chart
    promise: str
    report: File
    script: File | None
    without: str
    record: File
    checklist: Table
    code: str
    code_origin: Origin


def question(view: View) -> tuple[str, str]:
    """The question, and how to read the page."""
    return (
        "What do I send on?",
        " ".join(
            [
                "A report for whoever decides, a script for whoever releases, a record for whoever "
                "asks later.",
                *texts.nothing_chosen(view.k, view.counts.d),
            ]
        ),
    )


def compared(view: View) -> Comparison | None:
    """How good the chosen mechanisms are at the ε of the release; nothing if stopped at once."""
    metric = METRICS[settings.METRIC.default]
    return compare.present(view, compare.Options(metric, logarithmic=True))


def options(view: View, place: Any, cost: Cost, compared: Comparison | None) -> Options:
    """Controls of the page; the best at this ε stands until another is chosen.

    What was not drawn, because somebody stopped before, cannot be proposed.
    """
    drawn = set(compared.table.frame["mechanism"]) if compared else set()
    by_label = {m.label: m for m in view.mechanisms if m.label in drawn or not compared}
    best = compared.best.labels if compared and compared.best else ()
    cheapest = [label for label in cost.shown.table.frame.get("mechanism", []) if label in best]
    first = next((by_label[label] for label in [*cheapest, *best]), None)
    return Options(
        controls.one_mechanism(place, list(by_label.values()), first),
        controls.flag(place, PUBLIC),
        controls.flag(place, NAMED),
    )


def present(view: View, chosen: Options, cost: Cost, compared: Comparison) -> Shown:
    """What is handed over for one mechanism."""
    mechanism = chosen.mechanism
    assert compared.best
    assert isinstance(compared.table.data, pd.DataFrame)
    assert isinstance(cost.shown.table.data, pd.DataFrame)
    told = cost.is_told(view, chosen.public)
    needed = cost.shown.table.data if told else cost.shown.table.data.iloc[:0]
    less = cost.shown.less if told else None
    proposal = Proposal(
        mechanism,
        compared.table.data,
        needed,
        compared.best,
        cost.stand_in,
        less.sentence if less else "",
    )
    contribution = view.source.contribution
    script = opendp_script(mechanism, view.unit, contribution)
    tuned_on = cost.tuned_on(mechanism, view) or proposal.tuned_on
    points = _checklist(view, chosen, tuned_on)
    code = _code(view, cost.code(view) if told else "")
    by_runs = told and not all(answer.exact for answer in cost.shown.found.values())
    target = cost.section(view) if told else None
    sections = [
        *reported.sections(
            view,
            proposal,
            compared,
            target,
            public=chosen.public,
            named=chosen.named,
            tuned_on=tuned_on,
            code=code,
            by_runs=by_runs,
        ),
        reported.points_of(points),
    ]
    once = (view.caveat, ITEM_LIST_CAVEAT)
    title = f"The top {view.k} of {view.source.title}, released with differential privacy"
    record = registry_record(
        mechanism,
        view.source.title,
        n_items=view.counts.d,
        public=chosen.public,
        date=datetime.date.today(),
        unit=view.unit,
        contribution=contribution,
        tuned_on=tuned_on,
    )
    tiles = _tiles(proposal, cost.shown.tiles if told else [], view.protects)
    costs = cost.shown.chart if told and proposal.without_error else None
    chart = costs or compared.chart
    return Shown(
        tiles=tiles,
        less=less,
        beside=cost.beside,
        chart=replace(chart, slide=_slide(mechanism, tiles)),
        promise=" ".join(reported.promised(view, mechanism)),
        report=File("report", "html", partial(report.page, title, sections, once), points.origin),
        script=File("release", "py", script, points.origin) if script else None,
        without=reported.drawn_by(mechanism),
        record=File("deployment", "yaml", record, points.origin),
        checklist=points,
        code=code,
        code_origin=view.origin(
            view.mechanisms,
            "exact or simulated, as is printed",
            runs=view.n,
            seed=view.seed,
            runs_are=f"runs of each mechanism for its errors{_judged(view) if by_runs else ''}",
        ),
    )


def _judged(view: View) -> str:
    return f"; for its smallest ε {runs_to_judge(view.k):,} {JUDGED}"


def _code(view: View, cost: str) -> str:
    """Lines that give the numbers of the page and of each table of the report."""
    metric = METRICS[settings.METRIC.default]
    errors = snippets.errors(
        f"run_trials(counts, mechanisms, n={view.n}, seed={view.seed})", metric
    )
    return snippets.snippet(view, f"# {reported.BESIDE}\n{errors}\n{cost}")


def _tiles(proposal: Proposal, costs: list[Tile], protects: str) -> list[Tile]:
    """The budget, how often the release is right, and what it would take to be nearly always."""
    mechanism = proposal.mechanism
    guarantee = mechanism.guarantee
    delta = f"δ = {compact(guarantee.delta)}" if guarantee.delta else "without δ"
    right, known = proposal.right
    needed = [tile for tile in costs if tile.label == f"ε, {mechanism.label}"]
    there = f" · on {proposal.stand_in.name}" if proposal.stand_in else ""
    return [
        Tile(
            "ε of the release",
            compact(guarantee.epsilon),
            f"{delta} · {texts.odds_at_most(guarantee.epsilon, texts.even_odds(protects))}",
        ),
        Tile(
            f"The right {mechanism.k}, by {mechanism.label}",
            right,
            f"{known} · in any order, up to ties{proposal.unlikely}",
        ),
        *(
            Tile(f"ε for {OFTEN}", tile.value, tile.kind + there, button=proposal.use)
            for tile in needed
        ),
    ]


def _slide(mechanism: Mechanism, tiles: list[Tile]) -> str:
    """What is handed over, what it costs, and how often it is right: not whom else one may take."""
    budget, *others = ((t.label, t.value, t.kind.replace(" · ", ", ")) for t in tiles)
    told = [f"{mechanism.label} at ε = {budget[1]}: {budget[2]}"]
    told += [f"{label}: {value} ({kind})" for label, value, kind in others]
    return f"{'. '.join(told)}."


def _checklist(view: View, chosen: Options, tuned_on: str) -> Table:
    answers = checklist(
        chosen.mechanism,
        contribution=view.source.contribution,
        unit=view.unit,
        public=chosen.public,
        items_of_data=view.source.items_of_data,
        tuned_on=tuned_on,
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
