"""Prepare the checklist, the script and the record that accompany a release."""

import datetime
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dptopk.accounting import Composition
from dptopk.core.cancellation import Progress
from dptopk.export import handover
from dptopk.mechanisms import Mechanism
from dptopk.publishing.registry_record import registry_record
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.settings import RELEASES, TUNED_PUBLIC
from dptopk.questions.view import View
from dptopk.tuning.repeated import joint_cost, joint_cost_words

TITLE = "Checklist of the release"


@dataclass(frozen=True)
class Documents:
    """Documents that accompany the release of a mechanism on the data of a view.

    ``public`` tells that the settings were chosen on public data, ``tuned_on`` what stood in for
    the data when epsilon was chosen; ``together`` is the cost of several releases.
    """

    view: View
    mechanism: Mechanism
    public: bool
    tuned_on: str = ""
    together: Composition | None = None

    def checklist(self) -> pd.DataFrame:
        """Return one row per item of the checklist."""
        of_data = self.view.source.items_of_data
        cut = self.view.source.cut
        answers = handover.checklist(self.mechanism, items_of_data=of_data, cut=cut, **self._about)
        return pd.DataFrame(
            {
                "point": answer.topic,
                "what dptopk can say": answer.ours or "—",
                "what you must do": answer.yours,
            }
            for answer in answers
        )

    def record(self) -> str:
        """Return a draft of the record for the registry of deployments.

        It is published: it has no number of the data that no noise protects.
        """
        source, fixed = self.view.source, self.mechanism.guarantee.fixed_items
        return registry_record(
            self.mechanism,
            source.title,
            n_items=self.view.counts.d if fixed and not source.items_of_data else None,
            date=datetime.date.today(),
            max_items=source.max_items,
            where=source.where,
            **self._about,
        )

    @property
    def _about(self) -> dict[str, Any]:
        source = self.view.source
        return {
            "contribution": source.contribution,
            "unit": self.view.unit,
            "public": self.public,
            "tuned_on": self.tuned_on,
            "releases": self.view.releases,
            "together": self.together,
            "repeats": source.repeats,
        }

    def script(self) -> str | None:
        """Return a script for OpenDP; None if it has no equivalent."""
        return handover.opendp_script(self.mechanism, self.view.unit, self.view.source.contribution)

    def query(self) -> str | None:
        """Return a query in SQL; None if the release has none."""
        return handover.sql_script(self.mechanism)


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Return the checklist for one mechanism's release, with a script and a record as files.

    Of several releases they say what these cost together.
    """
    releases = values[RELEASES.key]
    view = replace(view, releases=releases)
    (mechanism,) = view.mechanisms
    cost = joint_cost(mechanism, releases, view.delta) if releases > 1 else None
    documents = Documents(view, mechanism, values[TUNED_PUBLIC.key], together=cost)
    frame = documents.checklist()

    def there(text: str | None, why_not: str) -> str:
        if text is None:
            raise ValueError(why_not)
        return text

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
        files={
            "script": lambda: there(documents.script(), handover.drawn_by(mechanism)),
            "sql": lambda: there(
                documents.query(),
                f"{mechanism.label} cannot be an SQL query: it adds no noise to counts",
            ),
            "record": documents.record,
        },
    )
