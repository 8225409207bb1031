"""Write the sections of the downloadable report on a release."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from dptopk.accounting import Composition
from dptopk.export.handover import drawn_by
from dptopk.export.handover.checklist import SOURCE, chosen_how
from dptopk.mechanisms import Mechanism
from dptopk.questions.handover import Documents
from dptopk.questions.view import View
from dptopk.tuning import targets
from dptopk.tuning.repeated import premise
from dptopk.tuning.search import runs_to_judge
from dptopk.ui.formats import compact, rounded_up
from dptopk.ui.sections.comparison import Comparison
from dptopk.ui.sections.proposal import Proposal, total
from dptopk.ui.sentences import texts
from dptopk.ui.show import Chart, Table
from dptopk.ui.widgets.report import Section

_CHOSEN = "→"
BESIDE = "Accuracy compared with other mechanisms"
UNPROTECTED = (
    "This report is computed from the counts themselves and is not protected: keep it as "
    "confidential as the data."
)


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


def with_mechanism_marked(shown: Chart | Table, mechanism: Mechanism) -> Chart | Table:
    """Return a figure or table with the proposed mechanism marked."""
    # of no rows if somebody stopped, or none can do what is asked
    if isinstance(shown, Chart) or shown.frame.empty:
        return shown
    labels = shown.frame["mechanism"]
    pointed = [f"{_CHOSEN} {label}" if label == mechanism.label else label for label in labels]
    return replace(shown, frame=shown.frame.assign(mechanism=pointed))


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
