"""Answer to a question: a table of numbers with its origin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dptopk.data.tables import Columns, frame_of
from dptopk.questions.origin import Origin

if TYPE_CHECKING:
    import pandas as pd

SettingValues = Mapping[str, Any]
"""The settings of a question by key, beside those of a view."""


@dataclass(frozen=True)
class Answer:
    """Table of numbers with its origin."""

    name: str  # in names of files
    title: str  # what people are told it is
    table: pd.DataFrame | Columns  # without what ``origin`` says of all its numbers
    origin: Origin
    shown: tuple[str, ...]  # columns that a person looks at first
    notes: tuple[str, ...] = ()  # what else must be known; may quote strangers' text
    # cells of some columns as people read them, where more is to be said than a number
    written: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # text files by name, made when they are asked for; a ValueError says why they cannot be
    files: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a DataFrame."""
        return frame_of(self.table)


def combine_answers(answers: Sequence[Answer], settings: Sequence[Mapping[str, Any]]) -> Answer:
    """Combine several answers to the same question into one, with their settings as columns."""
    import pandas as pd  # slow to load

    first, frames = answers[0], []
    origin = next((one.origin for one in answers if one.origin.runs is not None), first.origin)
    more = first.origin.more.items()
    common = {
        key: value
        for key, value in more
        if all((key, value) in one.origin.more.items() for one in answers)
    }
    varied = [*settings[0]]
    for one, values in zip(answers, settings, strict=True):
        frame = one.frame.astype(object)
        for place, key in enumerate(varied, 1):
            if key not in frame:
                frame.insert(place, key, values[key])
        known = {*common, *frame}
        frames.append(frame.assign(**{k: v for k, v in one.origin.more.items() if k not in known}))
    written = {
        name: [cell for one in answers for cell in one.written[name]]
        for name in first.written
        if all(name in one.written for one in answers)
    }
    columns = dict.fromkeys([first.shown[0], *varied, *(name for a in answers for name in a.shown)])
    return replace(
        first,
        table=pd.concat(frames, ignore_index=True).infer_objects(),
        origin=replace(
            origin, mechanisms=[m for a in answers for m in a.origin.mechanisms], more=common
        ),
        shown=tuple(columns),
        notes=tuple(dict.fromkeys(note for one in answers for note in one.notes)),
        written=written,
    )
