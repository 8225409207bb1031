"""Write the report on a release as one HTML file with figures and tables.

It can be read offline and in print.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dptopk.accounting import Composition
from dptopk.export.handover import drawn_by
from dptopk.export.handover.checklist import SOURCE, chosen_how
from dptopk.mechanisms import Mechanism
from dptopk.questions.handover import Documents
from dptopk.questions.view import View
from dptopk.tuning import targets
from dptopk.tuning.repeated import premise
from dptopk.tuning.search import runs_to_judge
from dptopk.ui import exports
from dptopk.ui.formats import compact, rounded_up
from dptopk.ui.sections import smallest_epsilon
from dptopk.ui.sections.comparison import Comparison
from dptopk.ui.sections.proposal import Cost, Proposal, total
from dptopk.ui.sentences import texts
from dptopk.ui.show import Chart, Table

_ASSETS = Path(__file__).parents[1] / "assets"
_CHOSEN = "→"
BESIDE = "Accuracy compared with other mechanisms"
UNPROTECTED = (
    "This report is computed from the counts themselves and is not protected: keep it as "
    "confidential as the data."
)


@dataclass(frozen=True)
class Section:
    """A heading, sentences in plain text, figures and tables, and code."""

    title: str
    sentences: Sequence[str]
    shown: Sequence[Chart | Table] = ()
    code: str = ""


def guarantee_and_assumptions(
    view: View, mechanism: Mechanism, together: Composition | None = None
) -> list[str]:
    """State the guarantee, and the assumptions that the data do not prove.

    Of several releases, state the guarantee of one and that of all ``together``.
    """
    caveat = [view.caveat] if view.caveat and view.source.contribution.holds else []
    if view.source.cut:
        caveat.append(f"{view.source.cut} All numbers here are for the counts after that limit.")
    one = mechanism.guarantee.statement_on(view.protects)
    if together is None:
        return [one, *caveat]
    if together.epsilon == math.inf:
        all_of = f"No guarantee for all {view.releases:,} releases together is known at this δ."
    else:
        whole = replace(
            mechanism.guarantee, epsilon=rounded_up(together.epsilon), delta=together.delta
        )
        all_of = (
            f"All {view.releases:,} releases together, {together.by}: "
            f"{whole.statement_on(view.protects)}"
        )
    return [f"One release: {one}", all_of, premise(view.releases, together.delta), *caveat]


def smallest(cost: Cost, view: View) -> Section:
    """Return the section on the smallest ε."""
    question, reading = smallest_epsilon.question(view, cost.requirement)
    sentences = [reading, smallest_epsilon.USE]
    if cost.stand_in:
        sentences[1] = f"It is computed on {cost.stand_in.described}, not on these counts."
    figures = [chart for chart in (cost.solved.chart, cost.solved.each) if chart]
    return Section(question, sentences, [*figures, cost.solved.table])


def with_mechanism_marked(part: Chart | Table, mechanism: Mechanism) -> Chart | Table:
    """Return a figure or table with the proposed mechanism marked."""
    # of no rows if somebody stopped, or none can do what is asked
    if isinstance(part, Chart) or part.frame.empty:
        return part
    labels = part.frame["mechanism"]
    pointed = [f"{_CHOSEN} {label}" if label == mechanism.label else label for label in labels]
    return replace(part, frame=part.frame.assign(mechanism=pointed))


def sections(
    documents: Documents,
    proposal: Proposal,
    compared: Comparison,
    target: Section | None,
    points: Table,
    *,
    named: bool,
    code: str,
    costs: Mapping[str, Composition],
) -> list[Section]:
    """Return the sections of the report; ``points`` are the checklist.

    ``target`` is the section on the smallest ε, if it may be shown; ``named`` lists the true items;
    ``code`` reproduces the numbers.  ``costs`` are the total costs of several releases by label.
    """
    view, mechanism, counts = documents.view, documents.mechanism, documents.view.counts
    each = ", ".join(f"{label} {total(cost)}" for label, cost in costs.items())
    at, n = f"At ε = {compact(view.epsilon)} of each", f"{view.releases:,}"
    in_all = [f"{at}, {n} such releases cost together: {each}."] if costs else []
    beside = Section(
        BESIDE,
        [compared.chart.finding, *in_all, compared.notes[0]],
        [compared.chart, with_mechanism_marked(compared.table, mechanism)],
    )
    target = target and replace(
        target, shown=[with_mechanism_marked(one, mechanism) for one in target.shown]
    )
    items = f"{counts.d:,} items"
    which = f"Which {view.k} of {items} have" if view.k > 1 else f"Which of {items} has"
    order = [target, beside] if proposal.without_error else [beside, target]
    warnings = [UNPROTECTED] if view.source.contribution.holds else [view.caveat, UNPROTECTED]
    described = view.source.description  # of uploaded data it names the session
    described = "Counts provided by the author." if view.source.brought else described
    of_runs = [
        f"A smallest ε that is not exact comes from {runs_to_judge(view.k):,} simulated releases "
        f"around it, and each point of its curve from {targets.RUNS_OF_CURVE:,}."
    ]
    sections = [
        Section("The answer", [*warnings, proposal.sentence, drawn_by(mechanism)]),
        Section(
            "The question",
            [
                f"{which} the most {view.unit}, answered so that no single "
                f"{view.protects or 'user'} has much influence?",
                *texts.nothing_chosen(view.k, counts.d),
            ],
        ),
        Section(
            "What is released, and what is promised",
            [
                mechanism.card.summary,
                *guarantee_and_assumptions(view, mechanism, costs.get(mechanism.label)),
                texts.odds(mechanism.guarantee, view.protects),
                chosen_how(documents.public, documents.tuned_on),
            ],
        ),
        # where nobody errs a figure of errors says nothing
        *(section for section in order if section),
    ]
    if named:
        top = counts.head(min(view.k, counts.d))
        frame = pd.DataFrame(
            {"place": range(1, top.d + 1), "item": top.items, view.unit: top.counts.tolist()}
        )
        table = Table(frame, "true-top", "True top of the data", view.origin([], "the data"))
        sections.append(Section("The true answer, unprotected", [], [table]))
    sections += [
        Section(
            "How it was computed",
            [
                "Numbers marked exact are computed from the distribution of the mechanism; all "
                f"other errors are from {view.n:,} simulated releases of each mechanism, with 95% "
                "intervals in brackets.",
                *(of_runs if proposal.by_runs else []),
                f"Data: {view.source.title}. {described}",
                "The code below reproduces the tables above; its comments name them.",
            ],
            code=code,
        ),
        Section(
            "What is established, and what is left to do",
            [f"The points of {SOURCE.title} ({SOURCE.venue})."],
            [points],
        ),
    ]
    return sections


def page(title: str, sections: Sequence[Section], once: Sequence[str] = ()) -> str:
    """Return the report as HTML; sentences of ``once`` appear at the first figure or table only."""
    figures: dict[str, Any] = {}
    body = "".join(_section(section, figures) for section in _said_once(sections, once))
    content = exports.in_script(figures)
    template = Template((_ASSETS / "report.html").read_text(encoding="utf-8"))
    return template.substitute(
        # first of all: the address of a large download follows from samples of its content
        digest=hashlib.sha256((body + content).encode()).hexdigest(),
        title=escape(title),
        body=body,
        made=escape(exports.made()),
        figures=content,
        plotly=exports.packed_plotly(),
        unpack=exports.UNPACK,
    )


def _said_once(sections: Sequence[Section], once: Sequence[str]) -> Iterator[Section]:
    """Yield the sections without sentences that an earlier figure or table contains."""
    written: set[str] = set()
    for section in sections:
        parts = []
        for one in section.shown:
            origin = one.origin
            for sentence in written:
                note, alone = (
                    " ".join(words.replace(sentence, "").split())
                    for words in (origin.note, origin.alone)
                )
                origin = replace(origin, note=note, alone=alone)
            written |= {sentence for sentence in once if sentence and sentence in origin.line}
            parts.append(replace(one, origin=origin))
        yield replace(section, shown=parts)


def _section(section: Section, figures: dict[str, Any]) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in section.sentences]
    parts += [f"<pre>{escape(section.code)}</pre>"] if section.code else []
    parts += [
        _figure(part, figures) if isinstance(part, Chart) else _table(part)
        for part in section.shown
    ]
    return "".join(parts)


def _figure(chart: Chart, figures: dict[str, Any]) -> str:
    name = f"figure-{len(figures) + 1}"
    figure = go.Figure(chart.figure).update_layout(template="plotly_white")
    figures[name] = json.loads(figure.to_json())
    return (
        f'<figure><div id="{name}" role="img" aria-label="{escape(chart.alt)}" '
        f'style="height:{chart.height}px"></div>'
        f"<figcaption>{escape(chart.alt)} {escape(chart.origin.line)}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    return f'<div class="scroll">{table.html}</div><p class="made">{escape(table.origin.line)}</p>'
