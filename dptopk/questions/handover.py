"""Prepare the checklist, the script and the record that accompany a release."""

import datetime
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import pandas as pd

from dptopk.export import handover
from dptopk.publishing.registry_record import registry_record
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.settings import RELEASES, TUNED_PUBLIC
from dptopk.questions.view import View
from dptopk.tuning.repeated import joint_cost, joint_cost_words

TITLE = "Checklist of the release"


def checklist_rows(answers: Iterable[handover.Answer]) -> pd.DataFrame:
    """Return one row per item of the checklist."""
    return pd.DataFrame(
        {
            "point": answer.topic,
            "what dptopk can say": answer.ours or "—",
            "what you must do": answer.yours,
        }
        for answer in answers
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Return the checklist for one mechanism's release, with a script and a record as files.

    Of several releases they say what these cost together.

    Raises
    ------
    ValueError
        If the mechanism cannot run on the data.
    """
    releases = own[RELEASES.key]
    view = replace(view, releases=releases)
    (mechanism,) = view.mechanisms
    cost = joint_cost(mechanism, releases, view.delta) if releases > 1 else None
    source, public = view.source, own[TUNED_PUBLIC.key]
    points = handover.checklist(
        mechanism,
        contribution=source.contribution,
        unit=view.unit,
        public=public,
        items_of_data=source.items_of_data,
        releases=releases,
        together=cost,
        cut=source.cut,
    )
    progress(1.0)
    frame = checklist_rows(points)

    def script() -> str:
        found = handover.opendp_script(mechanism, view.unit, source.contribution)
        if found is None:
            raise ValueError(handover.drawn_by(mechanism))
        return found

    def query() -> str:
        found = handover.sql_script(mechanism)
        if found is None:
            raise ValueError(f"{mechanism.label} is not an SQL query: its noise is not of counts")
        return found

    record = partial(
        registry_record,
        mechanism,
        source.title,
        n_items=view.counts.d,
        public=public,
        date=datetime.date.today(),
        unit=view.unit,
        contribution=source.contribution,
        releases=releases,
        together=cost,
        cut=source.cut,
    )
    return Answer(
        "checklist",
        TITLE,
        frame,
        view.origin([mechanism], "from the settings"),
        (*map(str, frame),),
        (
            mechanism.guarantee.statement_on(view.protects),
            *([joint_cost_words(releases, cost)] if cost else []),
            handover.drawn_by(mechanism),
        ),
        files={"script": script, "sql": query, "record": record},
    )
