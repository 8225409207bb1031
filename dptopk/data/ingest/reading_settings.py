"""Record the settings with which a file or log was read, so that it can be read again.

Of a file: positions of columns and of a sheet, where the table begins and ends, answers to
questions, and what the counts are numbers of: no name and no count.  Of a log of events: its
columns by name, and the condition.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any

from dptopk.core import validation
from dptopk.data.ingest._error import ANSWERS, MAX_COLUMNS, IngestError, Reply, UnclearError
from dptopk.data.ingest._report import Contribution, IngestResult, checked_unit
from dptopk.data.ingest._survey import column_of_users
from dptopk.data.ingest._tables import DELIMITERS, MAX_ROWS
from dptopk.data.ingest._workbook import sheet_names
from dptopk.data.ingest.counting import to_item_counts
from dptopk.data.ingest.reading import ColumnPlaces, RawTable, read_table

_NO_DELIMITER = ""  # of a workbook
_ON_NAMES = ("nulls", "twins", "users_alike")
_LONGEST = 10_000  # characters of a name or a condition


@dataclass(frozen=True)
class ReadingSettings:
    """Settings with which a file was read, as `read_table` and `to_item_counts` take them."""

    columns: ColumnPlaces
    sheet: int | None  # position, of a workbook
    delimiter: str
    header: bool
    title_rows: int
    footnote_rows: int
    answers: Mapping[str, str] = field(hash=False)
    unit: str  # what the counts are numbers of
    max_items: int | None = None  # of each user, where that was asked

    @classmethod
    def of(
        cls, table: RawTable, columns: ColumnPlaces, result: IngestResult, unit: str
    ) -> "ReadingSettings":
        """Return the settings with which counts were read from a table."""
        answers = {asked.key: asked.answer for asked in result.report.questions if asked.answer}
        if answers.get("survey") == Reply.YES and columns[2] is None:  # the question named it
            columns = (*columns[:2], column_of_users(table))
        return cls(
            columns,
            table.sheets.index(table.sheet) if table.sheet else None,
            _NO_DELIMITER if table.sheet else table.delimiter,
            table.header,
            len(table.titles),
            len(table.footnotes),
            answers,
            unit,
            result.report.max_items,
        )

    def saved(self) -> dict[str, Any]:
        """Return the settings as a JSON object."""
        return _saved(self) | {"columns": list(self.columns)}


def parse_reading_settings(given: object) -> ReadingSettings:
    """Parse the settings that `ReadingSettings.saved` wrote.

    A TypeError or ValueError names the entry, value and rule that was broken.
    """
    given = _entries("how the file was read", given, ReadingSettings)
    columns, answers = given["columns"], given["answers"]
    if not isinstance(columns, list) or len(columns) != 3:
        raise ValueError("columns must be three positions, of items, counts and users")
    places = tuple(_whole("columns", place, MAX_COLUMNS) for place in columns)
    if not isinstance(answers, dict):
        raise TypeError("answers must be an object")
    for key, answer in answers.items():
        validation.choice("answers", key, tuple(ANSWERS))
        validation.choice(f"the answer to {key}", answer, ANSWERS[key])
    _whole("sheet", given["sheet"], MAX_ROWS)
    validation.choice("delimiter", given["delimiter"], (_NO_DELIMITER, *DELIMITERS))
    validation.flag("header", given["header"])
    for name in ("title_rows", "footnote_rows"):
        validation.integer(name, given[name], 0, MAX_ROWS)
    return ReadingSettings(**{**given, "columns": places})


@dataclass(frozen=True)
class LogSettings:
    """Settings with which a log of events was counted, as `counts_from_events` takes them."""

    user: str
    item: str
    where: str | None
    table: str | None
    listed: bool  # whether a public list of items was given
    unit: str  # what the counts are numbers of
    nulls: str | None = None
    twins: str | None = None
    users_alike: str | None = None
    max_items: int | None = None

    def saved(self) -> dict[str, Any]:
        """Return the settings as a JSON object."""
        return _saved(self)


def parse_log_settings(given: object) -> LogSettings:
    """Parse the settings that `LogSettings.saved` wrote, as `parse_reading_settings` does."""
    given = _entries("how events were read", given, LogSettings)
    for name in ("user", "item", "where", "table"):
        if given[name] is not None or name in ("user", "item"):
            validation.text(name, given[name], _LONGEST)
    validation.flag("listed", given["listed"])
    for key in _ON_NAMES:
        if given[key] is not None:
            validation.choice(key, given[key], ANSWERS[key])
    return LogSettings(**given)


def _saved(how: Any) -> dict[str, Any]:
    return {key: it for key, it in asdict(how).items() if key != "max_items" or it is not None}


def _entries(what: str, given: object, of: type[ReadingSettings | LogSettings]) -> dict[str, Any]:
    """Return the entries of saved settings, with the defaults of those that older files lack."""
    if isinstance(given, dict):
        given = {one.name: one.default for one in fields(of) if one.default is not MISSING} | given
    entries = validation.json_object(what, given, (one.name for one in fields(of)))
    unit = entries["unit"]
    if not isinstance(unit, str) or checked_unit(unit) != unit:
        raise ValueError("unit must be one to three short words of letters")
    _whole("max_items", entries["max_items"], low=1)
    return entries


def _whole(name: str, given: object, most: int | None = None, low: int = 0) -> int | None:
    return None if given is None else validation.integer(name, given, low, most)


def read_again(
    data: bytes, filename: str, how: ReadingSettings, listed: Iterable[str] | None = None
) -> IngestResult:
    """Read a file with the settings with which it was read before, on the list of `to_item_counts`.

    An `IngestError` says why it cannot be the same file.
    """
    sheet = None
    if how.sheet is not None:
        names = sheet_names(data)
        if how.sheet >= len(names):
            raise IngestError(f"It has {len(names)} sheets, but sheet {how.sheet + 1} was read.")
        sheet = names[how.sheet]
    table = read_table(
        data,
        filename,
        delimiter=how.delimiter or None,
        header=how.header,
        sheet=sheet,
        title_rows=how.title_rows,
        footnote_rows=how.footnote_rows,
    )
    if any(place is not None and place >= len(table.columns) for place in how.columns):
        raise IngestError(f"It has {len(table.columns)} columns, but others were read.")
    items, counts, users = how.columns
    # settings that were saved before missing names were looked for kept them
    answers: dict[str, Any] = {"nulls": Reply.KEEP} | dict(how.answers)
    answers |= {"max_items": how.max_items, "listed": listed}
    answers.setdefault("several", Reply.ONE)
    try:
        return to_item_counts(table, items, counts, user_column=users, **answers)
    except UnclearError as error:
        if error.questions[-1].key != "rows" or users is not None:
            raise
    # it was not asked what rows or counts mean when these settings were saved, nor stated
    result = to_item_counts(table, items, counts, **answers | {"rows": Reply.STATED})
    questions = tuple(asked for asked in result.report.questions if asked.key != "rows")
    contribution = result.report.contribution
    if contribution is Contribution.STATED:
        contribution = Contribution.ASSUMED
    report = replace(result.report, contribution=contribution, questions=questions)
    return replace(result, report=report)
