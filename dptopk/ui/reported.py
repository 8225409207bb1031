"""What a report says, section by section, to readers who have no page beside it."""

from dataclasses import replace

import pandas as pd

from dptopk.choosing import runs_to_judge
from dptopk.handover.checklist import SOURCE, chosen_how
from dptopk.mechanisms import Mechanism
from dptopk.targets import RUNS_OF_CURVE
from dptopk.ui import texts
from dptopk.ui.comparison import Comparison
from dptopk.ui.proposal import Proposal
from dptopk.ui.report import Section
from dptopk.ui.widgets import Chart, Table
from dptopk.view import View

_CHOSEN = "→"
BESIDE = "How good it is, beside others"
_BY_RUNS = (
    "A smallest ε that is not exact is from {runs:,} simulated releases around it, "
    f"and the points of its curve are from {RUNS_OF_CURVE:,} each."
)
UNPROTECTED = (
    "This report is made from the counts themselves and is not protected: keep it as private as "
    "they are."
)


def drawn_by(mechanism: Mechanism) -> str:
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


def promised(view: View, mechanism: Mechanism) -> list[str]:
    """What is promised, and what that rests on where it is not known of the data."""
    caveat = [view.caveat] if view.caveat and view.source.contribution.holds else []
    return [mechanism.guarantee.statement_on(view.protects), *caveat]


def points_of(points: Table) -> Section:
    """The checklist."""
    return Section(
        "What is vouched for, and what is left to do",
        [f"The points of {SOURCE.title} ({SOURCE.venue})."],
        [points],
    )


def pointed(shown: Chart | Table, mechanism: Mechanism) -> Chart | Table:
    """A figure or table for whoever decides, with a sign at the mechanism that is proposed."""
    if (
        isinstance(shown, Chart) or shown.frame.empty
    ):  # somebody stopped, or none can do what is asked
        return shown
    labels = shown.frame["mechanism"]
    pointed = [f"{_CHOSEN} {label}" if label == mechanism.label else label for label in labels]
    return replace(shown, frame=shown.frame.assign(mechanism=pointed))


def _first(view: View) -> list[str]:
    """What must be known before all else."""
    return [UNPROTECTED] if view.source.contribution.holds else [view.caveat, UNPROTECTED]


def _described(view: View) -> str:
    """What the data are; of those that were brought, no word about the session they were in."""
    return "Counts that the author brought." if view.source.brought else view.source.description


def sections(
    view: View,
    proposal: Proposal,
    compared: Comparison,
    target: Section | None,
    *,
    public: bool,
    named: bool,
    tuned_on: str,
    code: str,
    by_runs: bool,
) -> list[Section]:
    """The report, but for the checklist.

    ``target`` is what ε the mechanisms need, if that is told; ``public`` whether the author states
    that the settings are of public data, ``named`` whether the true items are listed; ``code``
    gives the numbers, ``by_runs`` says that some of these ε were found by runs.
    """
    mechanism, counts = proposal.mechanism, view.counts
    beside = Section(
        BESIDE,
        [compared.finding, compared.notes[0]],
        [compared.chart, pointed(compared.table, mechanism)],
    )
    target = target and replace(target, shown=[pointed(one, mechanism) for one in target.shown])
    order = [target, beside] if proposal.without_error else [beside, target]
    sections = [
        Section("The answer", [*_first(view), proposal.sentence, drawn_by(mechanism)]),
        Section(
            "The question",
            [
                f"Which {view.k} of {counts.d:,} items have the most {view.unit}, told so that "
                f"no single {view.protects or 'user'} matters much?",
                *texts.nothing_chosen(view.k, counts.d),
            ],
        ),
        Section(
            "What is released, and what is promised",
            [
                mechanism.card.summary,
                *promised(view, mechanism),
                texts.odds_promised(mechanism.guarantee, view.protects),
                chosen_how(public, tuned_on),
            ],
        ),
        # where nobody errs a figure of errors says nothing
        *(section for section in order if section),
    ]
    if named:
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
                "Numbers called exact are computed from the law of the mechanism; all other errors "
                f"are from {view.n:,} simulated releases of each mechanism, with 95% intervals in "
                "brackets.",
                *([_BY_RUNS.format(runs=runs_to_judge(view.k))] if by_runs else []),
                f"Data: {view.source.title}. {_described(view)}",
                "The lines below give the numbers of the tables above; a comment says of which.",
            ],
            code=code,
        )
    )
    return sections
