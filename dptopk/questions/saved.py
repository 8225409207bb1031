"""Write and read settings files, from which a question can be answered again.

A file is JSON: which question, every setting that decides its answer, and of the data their title
and the SHA-256 of their content, never the counts themselves.  Whoever reads one trusts nothing
in it: keys and values are checked as those of a link are, and data are compared with the SHA-256.
Of a file that was read it says how: positions, answers and the unit, no name of anything in it.
Of a log of events it names the columns, and the condition; of a public list of items only that
there was one.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dptopk.core import validation
from dptopk.data import ingest
from dptopk.data.sources import UPLOAD, Source
from dptopk.questions import QUESTIONS, Question
from dptopk.questions.asking import AskingError, checked, parameters_of
from dptopk.questions.origin import versions

SCHEMA = 1
"""Version of the format, raised by each change that older readers would misread."""

MAX_BYTES = 64 * 1024
"""Largest file that is read."""

_NAME = "dptopk_settings"
_KEYS = {_NAME, "page", "settings", "data", "made"}
_OF_FILE, _OF_LOG = "read", "events"  # how the data were read
_LISTED = "listed"  # whether a public list of items was given
_LONGEST = 200  # characters of a title


@dataclass(frozen=True)
class Saved:
    """Content of a settings file."""

    question: Question
    values: Mapping[str, Any]  # every setting by key, checked
    title: str  # name of the data; empty where a file, written by hand, says nothing of them
    sha256: str  # `ItemCounts.digest`, likewise
    # how the file or the log was read that the data are of, if it says so
    how: ingest.ReadingSettings | ingest.LogSettings | None = None
    listed: bool = False  # whether the data were on a public list of items

    @property
    def uploaded(self) -> bool:
        """True if the data were an uploaded file."""
        return bool(self.values["data"] == UPLOAD)

    def check(self, source: Source) -> None:
        """Raise unless data agree with what the file records of them."""
        if self.sha256 and source.counts.digest != self.sha256:
            raise AskingError(
                f"these are not the counts that the settings were saved with ({self.title}): their "
                f"SHA-256 begins with {source.counts.digest[:12]} instead of {self.sha256[:12]}"
            )


def saved_text(question: Question, values: Mapping[str, Any], source: Source) -> str:
    """Return the text of a settings file, without settings that the question does not use."""
    how: dict[str, Any] = {_LISTED: True} if source.items_listed else {}
    if source.how is not None:
        of_log = isinstance(source.how, ingest.LogSettings)
        how[_OF_LOG if of_log else _OF_FILE] = source.how.saved()
    content = {
        _NAME: SCHEMA,
        "page": question.key,
        "settings": {key: values[key] for key in parameters_of(question) if key in values},
        "data": {"title": source.title, "items": source.counts.d, "sha256": source.counts.digest}
        | how,
        "made": {"on": datetime.date.today().isoformat()} | versions(),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def read_saved(content: bytes) -> Saved:
    """Parse and check a settings file."""
    if len(content) > MAX_BYTES:
        raise AskingError(f"a file of settings has at most {MAX_BYTES:,} bytes")
    try:
        entries = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=validation.json_pairs,
            parse_constant=_no_number,
        )
    except (ValueError, RecursionError) as error:
        raise AskingError(f"it is not valid JSON: {str(error)[:120]}") from error
    if not isinstance(entries, dict) or _NAME not in entries:
        raise AskingError(f'it is not a settings file: it has no "{_NAME}"')
    if entries[_NAME] != SCHEMA or isinstance(entries[_NAME], bool):
        raise AskingError(
            f"its settings are of version {str(entries[_NAME])[:20]}, and this dptopk reads "
            f"version {SCHEMA}"
        )
    if unknown := sorted(entries.keys() - _KEYS):
        raise AskingError(f"it holds {unknown[0][:40]!r}, which no file of settings has")
    page, given = entries.get("page"), entries.get("settings")
    if not isinstance(page, str) or page not in QUESTIONS:
        pages = ", ".join(QUESTIONS)
        raise AskingError(f"page must be one of {pages}, got {str(page)[:40]!r}")
    if not isinstance(given, dict):
        raise AskingError("settings must be an object of keys and values")
    data = entries.get("data", {})
    if not isinstance(data, dict):
        raise AskingError("data must be an object with a title and a sha256")
    title, digest = data.get("title", ""), data.get("sha256", "")
    if not (isinstance(title, str) and isinstance(digest, str)):
        raise AskingError("the title and the sha256 of the data must be text")
    question = QUESTIONS[page]
    try:
        how: ingest.ReadingSettings | ingest.LogSettings | None = None
        if _OF_LOG in data:
            how = ingest.parse_log_settings(data[_OF_LOG])
        elif _OF_FILE in data:
            how = ingest.parse_reading_settings(data[_OF_FILE])
        # older files say it of a log alone, where it is said how it was read
        listed = validation.flag(_LISTED, data.get(_LISTED, getattr(how, _LISTED, False)))
    except (TypeError, ValueError) as error:
        raise AskingError(str(error)) from error
    saved = Saved(question, checked(question, given), title[:_LONGEST], digest, how, listed)
    if saved.uploaded and not digest:
        raise AskingError("the data were uploaded, and it does not say their sha256")
    return saved


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")
