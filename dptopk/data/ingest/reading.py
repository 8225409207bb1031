"""Read an uploaded table: decode it, find its shape and guess its columns.

Reports carry a title, a date or a filter above the table.  Such a row has fewer filled cells than
the table, and the header stands below it; or it has one only.  Below it they carry a source or a
note, in one cell.  A last row of one cell may as well be an item whose count was forgotten: it is a
note only if it begins with a word or a mark of notes, or if a blank row parts it from the table and
it reads like a sentence.

Limits: at most `MAX_TITLES` and `MAX_NOTES` rows; a table of one column has no title.
"""

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from dptopk.core.array_types import BoolArray, IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._columns import Guess, guess_columns, has_header, names_a_column
from dptopk.data.ingest._decode import check_size, decode
from dptopk.data.ingest._error import (
    MAX_COLUMNS,
    Ambiguity,
    IngestError,
    NoTableError,
    UnclearError,
)
from dptopk.data.ingest._parquet import parquet_rows
from dptopk.data.ingest._plain import SPACES, quoted_names, shown, some_of, unix_lines
from dptopk.data.ingest._tables import (
    DELIMITERS,
    batches,
    column_labels,
    find_delimiter,
    like_a_number,
)
from dptopk.data.ingest._text_column import TextColumn, arrow_numbers, arrow_text
from dptopk.data.ingest._workbook import (
    WorkbookSheet,
    every_sheet,
    is_workbook,
    read_sheet,
    sheet_names,
)
from dptopk.data.tables import SHEETS, unescaped

_N_PREVIEW = 10
_N_SHEETS = 5  # that are named
_N_ENCODED = 10_000  # cells that all differ where they would not be packed
_OURS = "dptopk_version"  # a column of every table that dptopk wrote

MAX_TITLES = 20  # largest number of title rows looked for
MAX_NOTES = 20  # largest number of rows of notes looked for

_NOTE = re.compile(
    r"(sources?|notes?|footnotes?|remarks?|legend|data|licen[cs]e|copyright|downloaded|exported|"
    r"generated|created|accessed|last updated|updated|as of|quellen?|hinweise?|anmerkung(en)?|"
    r"fußnoten?|legende|stand|datenquelle|erstellt|fuentes?|notas?|fonti?|bronn?en|источник"
    r")\b([^:：]{0,40}[:：]|\s[–—-]\s)"
    r"|(stand|as of) \d"
    r"|(\*+|\([a-z0-9©]\)|\[[a-z0-9]\]|[0-9a-z]\)) \w|[†‡§¹²³©] ?\w"
    r"|page \d+ of \d+",
    re.IGNORECASE,
)
_SENTENCE = 4  # words that make one
Last = tuple[int, list[str], bool]
"""One of the last rows: its number, its cells, and whether the row above it is blank."""
N_SHAPE = 200  # rows that tell where the table begins
N_LOOKED_AT = 1_000  # rows that the guesses see
N_SAMPLED = 10_000  # number of rows that are read to word a question about a larger table
_N_LABELS = 12  # of columns that are named

ColumnPlaces = tuple[int | None, int | None, int | None]
"""Positions of the columns of items, counts and users."""


@dataclass(frozen=True, kw_only=True)
class RawTable(Guess):
    """Table of text, with guesses that the caller can override."""

    columns: tuple[str, ...]  # labels, all different: of the header, or "column 1", "column 2", ...
    header: bool  # whether the first row was taken for one
    n_rows: int  # of data
    n_blank: int  # blank rows, which are none of them
    preview: tuple[tuple[str, ...], ...]  # first ten rows of data, cells cut to 80 characters
    titles: tuple[str, ...]  # rows that were left out above the table, in short
    footnotes: tuple[str, ...]  # and below it
    delimiter: str  # as it was found, and as are those that follow
    encoding: str
    filename: str = ""
    sheet: str = ""  # of a workbook
    sheets: tuple[str, ...] = ()  # all of them
    digest: str = ""  # SHA-256 of the file and of what was asked for: a key for caches
    notes: tuple[str, ...]  # sentences on what was done so far
    lists: tuple[int, ...] = ()  # columns of lists in Parquet, whose elements are read as rows
    decimals: tuple[int, ...] = ()  # columns of numbers whose point marks nothing but decimals
    row_numbers: IntArray = field(repr=False, compare=False)  # of the rows of data, from 1
    _columns: tuple[Any, ...] = field(repr=False, compare=False)  # of Arrow

    @property
    def ours(self) -> bool:
        """True if dptopk wrote the table."""
        return _OURS in self.columns or self.sheets == SHEETS

    def labels(self, places: Sequence[int]) -> str:
        """Name the columns at some positions, of many only the first."""
        return quoted_names([self.columns[place] for place in places], _N_LABELS)

    def beginning(self, n: int = N_SAMPLED) -> "RawTable":
        """Return the table of the first ``n`` rows, with the same columns."""
        columns = tuple(column[:n].cast("string") for column in self._columns)
        numbers = self.row_numbers[:n]
        return replace(self, n_rows=len(numbers), row_numbers=numbers, _columns=columns)

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Return the cells of every row."""
        return zip(*(column.to_pylist() for column in self._columns), strict=True)

    def cells(self, place: int) -> TextColumn:
        """Return the cells of the column at a position."""
        column = self._columns[place].dictionary_encode()
        codes = np.from_dlpack(column.indices).astype(np.int64)
        return TextColumn(column.dictionary.to_pylist(), codes)


def read_table(
    data: bytes,
    filename: str = "",
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    title_rows: int | None = None,
    footnote_rows: int | None = None,
    progress: Progress | None = None,
) -> RawTable:
    """Decode a file and find its delimiter, title rows, header and columns.

    Parameters
    ----------
    data : bytes
        A delimited text file, as it is or in a gzip or zip archive; Parquet; or an Excel workbook.
    filename : str, optional
        Its name, for messages and to tell what the bytes do not.
    delimiter : str, optional
        A key of ``DELIMITERS``; left out, it is found.
    header : bool, optional
        Whether the first row of the table names the columns; left out, it is found.
    sheet : str, optional
        Name of the sheet of a workbook; left out, the one with the most rows of counts, unless
        others have as many or the same columns; a hidden one if no other holds counts.
    title_rows : int, optional
        How many rows above the table, blank ones not counted, are no part of it; left out, they
        are found.
    footnote_rows : int, optional
        How many rows below the table are no part of it, likewise.
    progress : callable, optional
        Called with the share done, often; may raise, which ends the reading.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise ValueError(f"delimiter must be one of {', '.join(map(repr, DELIMITERS))}")
    check_size(data, filename)
    shape = _Shape(delimiter, header, title_rows, footnote_rows)
    if data.startswith(b"PAR1"):
        rows, notes, lists, decimals = parquet_rows(data, part_of(progress, 0.0, 1.0))
        table = _table(rows, "Parquet", notes, _Shape(",", True, 0, 0))
        table = replace(table, lists=lists, decimals=decimals)
    elif not is_workbook(data):
        table = _of_text(data, filename, shape, progress)
    elif sheet is None:
        table = _of_fullest_sheet(data, shape, progress)
    else:
        table = _of_named_sheet(data, sheet, shape, progress)
    digest = hashlib.sha256(repr((sheet, tuple(shape))).encode())
    digest.update(data)
    return replace(table, filename=filename, digest=digest.hexdigest())


_NO_WORKBOOK = "The file is not an Excel workbook, despite its name"


class _Shape(NamedTuple):
    delimiter: str | None
    header: bool | None
    title_rows: int | None
    footnote_rows: int | None


def _of_text(data: bytes, filename: str, shape: _Shape, progress: Progress | None) -> RawTable:
    decoded = decode(data, filename, part_of(progress, 0.0, 0.2))
    text, delimiter, first_row = unix_lines(decoded.text), shape.delimiter, 1
    if text[:4].lower() == "sep=" and text[4:5] in DELIMITERS and text[5:6] == "\n":
        delimiter, text, first_row = delimiter or text[4], text[6:], 2  # Excel's own hint
    shape = shape._replace(delimiter=delimiter or find_delimiter(text))
    named_so = filename.lower().endswith((".xlsx", ".xls"))
    notes = (*decoded.notes, *([f"{_NO_WORKBOOK}: it was read as text."] if named_so else []))
    rows = batches(text, str(shape.delimiter), first_row, part_of(progress, 0.2, 1.0))
    try:
        table = _table(rows, decoded.encoding, notes, shape, escaped=True)
        if table.problem and named_so:
            raise NoTableError(table.problem)
        return table
    except NoTableError as error:
        if not named_so:
            raise
        words = f"{_NO_WORKBOOK}, and read as text it is not a table: {error}"
        raise NoTableError(words) from error


def _of_named_sheet(data: bytes, name: str, shape: _Shape, progress: Progress | None) -> RawTable:
    try:
        return _of_sheet(read_sheet(data, name, part_of(progress, 0.0, 1.0)), shape)
    except NoTableError as error:
        if len(sheet_names(data)) == 1:
            raise
        fullest = _of_fullest_sheet(data, shape, progress).sheet
        raise IngestError(
            f'The sheet "{shown(name)}" holds no table of counts: choose the sheet '
            f'"{shown(fullest)}", which does.'
        ) from error


def _of_sheet(sheet: WorkbookSheet, shape: _Shape) -> RawTable:
    rows = [(1, sheet.rows)]
    table = _table(rows, "Excel workbook", sheet.notes, shape._replace(delimiter=","))
    if table.problem and not _repeats(table):  # notes, where a log names items and users again
        raise NoTableError(table.problem)
    named = {table.item_column, table.user_column, *table.items, *table.identifiers}
    unlike = [
        f"Column {table.labels([place])} has numbers in the format {shown(number_format)}; they "
        f"were read as their values, such as {number}, not as the workbook shows them."
        for place, (number_format, number) in sheet.formats.items()
        if place in named
    ]
    notes = (*table.notes, *unlike)
    return replace(
        table, sheet=sheet.name, sheets=sheet.names, notes=notes, decimals=sheet.decimals
    )


def _of_fullest_sheet(data: bytes, shape: _Shape, progress: Progress | None) -> RawTable:
    tables: list[RawTable] = []
    refusals: dict[str, IngestError] = {}
    hidden: dict[str, None] = {}
    n_empty = 0
    for name, sheet in every_sheet(data, part_of(progress, 0.0, 1.0)):
        if isinstance(sheet, WorkbookSheet) and not sheet.rows:
            n_empty += 1
            continue
        try:
            if isinstance(sheet, IngestError):
                raise sheet
            table = _of_sheet(sheet, shape)
        except IngestError as error:
            refusals[name] = error
            continue
        if table.ours:
            return table
        tables.append(table)
        hidden |= {name: None} if sheet.hidden else {}
        if table.problem:
            refusals[name] = NoTableError(table.problem)
    seen = [table for table in tables if table.sheet not in hidden]
    if any(not table.problem for table in seen):
        tables = seen
    else:
        hidden.clear()
    sizes = {table.sheet: _n_of_counts(table) for table in tables if not table.problem}
    if not tables:
        raise _nothing_in([*refusals.values()], n_empty)
    if sizes:
        tables = [table for table in tables if not table.problem]
        best = max(tables, key=lambda table: sizes[table.sheet])
    else:  # a log, perhaps, whose columns have to be chosen
        best = max(tables, key=lambda table: table.n_rows)
        del refusals[best.sheet]
    equal = {
        table.sheet: plural(sizes[table.sheet], "row")
        for table in tables
        if sizes and (sizes[table.sheet] == sizes[best.sheet] or table.columns == best.columns)
    }
    if len(equal) > 1:
        some = some_of((f'"{shown(name)}"' for name in equal), _N_SHEETS)
        sentence = f"{len(equal)} sheets hold tables of the same columns or size: {some}"
        question = Ambiguity("sheet", f"{sentence}.", equal)
        raise UnclearError(f"{sentence}: {question.how}.", (question,))
    notes = [*best.notes]
    if len(sizes) > 1:
        notes.append(
            f'Of {len(sizes)} sheets with tables, "{shown(best.sheet)}" has the most rows.'
        )
    if hidden:
        some = some_of((f'"{shown(name)}"' for name in hidden), 3)
        notes.append(f"Hidden sheets were not read: {some}.")
    without = [
        f'"{shown(name)}"' for name, why in refusals.items() if isinstance(why, NoTableError)
    ]
    if without:
        notes.append(f"No table of counts was found in {some_of(without, 3)}.")
    for name, why in refusals.items():
        if not isinstance(why, NoTableError):
            notes.append(f'"{shown(name)}" was not read: {why}')
    return replace(best, notes=tuple(notes))


def _nothing_in(refusals: list[IngestError], n_empty: int) -> IngestError:
    if not refusals:
        return IngestError(
            "All sheets of the workbook are empty: choose a workbook with a row for each item."
        )
    specific = [error for error in refusals if not isinstance(error, NoTableError)]
    if specific or (len(refusals) == 1 and not n_empty):
        return (specific or refusals)[0]
    return IngestError(
        "The sheets of the workbook hold no table of counts: a column with items and one with a "
        "count for each is needed, or a row for each user and item."
    )


def _repeats(table: RawTable) -> bool:
    """Return whether some column repeats a word in its first rows."""
    first = (islice(table.cells(place), N_SHAPE) for place in range(len(table.columns)))
    filled = ([*filter(str.strip, cells)] for cells in first)
    return any(len({*cells}) < len(cells) for cells in filled)


def _n_of_counts(table: RawTable) -> int:
    place = table.count_column
    if place is None:
        return table.n_rows
    return int(table.cells(place).rows_where(like_a_number).sum())


def _table(
    batches: Iterable[tuple[int, Any]],
    encoding: str,
    notes: Sequence[str],
    shape: _Shape,
    escaped: bool = False,
) -> RawTable:
    """Find the table in rows: some thousand at a time, with the number of the first.

    ``escaped`` tells that a table that dptopk wrote has its cells as `csv_escaped` wrote them.
    """
    delimiter, title_rows, left = str(shape.delimiter), shape.title_rows, iter(batches)
    first = [*islice(left, 1)]
    if title_rows is None:
        rows = [cells for _, some in first for cells in some if cells][:N_SHAPE]
        title_rows = n_titles(rows) if rows else 0
    overview = overview_of(chain(first, left), delimiter, title_rows, shape.footnote_rows)
    head = overview.head
    if not head:
        raise NoTableError("There are only blank rows: give a table with a row for each item.")
    header = has_header(head) if shape.header is None else shape.header
    names, body = (head[0], head[1:]) if header else (None, head)
    if not body:
        raise NoTableError(
            "There is a header but no data: add a row for each item; if that row is an item, add a "
            "header above it, such as item,users."
        )
    columns = overview.columns(int(header))
    if escaped and names and _OURS in names:
        names, *body = ([*map(unescaped, cells)] for cells in [names, *body])
        columns = tuple(map(_unescaped, columns))
    all_notes = [*notes]
    for where, texts in (("above", overview.titles), ("below", overview.footnotes)):
        all_notes += [rows_left_out(where, texts)] if texts else []
    if overview.n_longer:
        rows_said = plural(overview.n_longer, "row")
        all_notes.append(f"Blank cells beyond the last column were left out in {rows_said}.")
    return RawTable(
        **vars(guess_columns(names, body)),
        columns=column_labels(names, len(head[0])),
        header=header,
        n_rows=len(overview.row_numbers) - header,
        n_blank=overview.n_blank,
        preview=tuple(tuple(shown(cell, 80) for cell in cells) for cells in body[:_N_PREVIEW]),
        titles=overview.titles,
        footnotes=overview.footnotes,
        delimiter=delimiter,
        encoding=encoding,
        notes=tuple(all_notes),
        row_numbers=np.array(overview.row_numbers[header:], dtype=np.int64),
        _columns=columns,
    )


def _unescaped(column: Any) -> Any:
    """Return a column of a table that dptopk wrote with its texts as they were."""
    column = column.dictionary_encode()
    texts = arrow_text(map(unescaped, column.dictionary.to_pylist()))
    return type(column).from_arrays(column.indices, texts)


def n_notes(rows: Sequence[Last], width: int) -> int:
    """Count the last rows that are notes below a table of ``width`` columns; none may be blank."""
    filled = [list(filter(None, map(str.strip, cells))) for _, cells, _ in rows]
    for n, (_, cells, apart) in enumerate(rows):
        cut_at_commas = apart or len(cells) != width
        if _is_note(filled[n], apart and width > 1, cut_at_commas) and all(
            len(texts) == 1 or _NOTE.match(texts[0]) for texts in filled[n + 1 :]
        ):
            return len(rows) - n
    return 0


def _is_note(texts: list[str], apart: bool, cut_at_commas: bool) -> bool:
    """Return whether a row begins like a note, or stands apart and reads like a sentence."""
    if _NOTE.match(texts[0]):
        return len(texts) == 1 or cut_at_commas
    return len(texts) == 1 and apart and len(texts[0].split()) >= _SENTENCE


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """Count the title rows above the table; none of ``rows`` may be blank."""
    filled = [[cell for cell in cells if cell.strip()] for cells in rows]
    widths = Counter(len(cells) for cells in filled if len(cells) >= 2)
    if widths.total() < 2:
        return 0
    width = widths.most_common(1)[0][0]
    for n, cells in enumerate(filled[: MAX_TITLES + 1]):
        if len(cells) >= 2 and all(map(names_a_column, cells)):
            return n  # a header, whatever stands above
        if len(cells) >= width:
            named = not any(map(like_a_number, cells))
            above = list(zip(rows[:n], filled[:n], strict=True))
            return n if all(_is_title(row, cells, named) for row, cells in above) else 0
    return 0


def _is_title(row: Sequence[str], cells: Sequence[str], named: bool) -> bool:
    """Return whether a row above the first full one is a title rather than the header."""
    begins = bool(row[0].strip())
    return begins and (named or (len(cells) == 1 and not names_a_column(cells[0])))


class Overview:
    """Rows of a table as columns of text, without its titles, notes and blank rows.

    ``head`` has the first of them, the header included, and ``row_numbers`` all; ``n_longer`` of
    them had blank cells beyond the last column.
    """

    def __init__(self, delimiter: str):
        self.titles: tuple[str, ...] = ()
        self.footnotes: tuple[str, ...] = ()
        self.head: list[list[str]] = []
        self.row_numbers = array("q")
        self.n_blank = self.n_longer = self.width = 0
        self._delimiter = delimiter
        self._chunks: list[list[Any]] = []

    def add(self, numbers: Sequence[int] | IntArray, rows: Any) -> None:
        """Add rows, as lists or an Arrow table; raise for one of another width than the first."""
        if not self.row_numbers:
            self.width = len(rows[0])
            if self.width > MAX_COLUMNS:
                raise IngestError(
                    f"Row {numbers[0]} has {self.width:,} columns, more than the limit of "
                    f"{MAX_COLUMNS}: keep only those with items, and with users or counts."
                )
            self._chunks = [[] for _ in rows[0]]
        n_missing = max(N_LOOKED_AT + 1 - len(self.head), 0)
        if isinstance(rows, list):
            if (widths := {*map(len, rows)}) - {self.width}:
                only_top = len(self.row_numbers) == len(widths) == 1 < len(rows)
                if only_top and max(widths) < self.width:
                    raise IngestError(_odd_top(self.row_numbers[0], self.width, max(widths)))
                rows = [*map(self._fitted, numbers, rows)]
            self.head += rows[:n_missing]
            for chunks, cells in zip(self._chunks, zip(*rows, strict=True), strict=False):
                chunks.append(arrow_text(cells))
        else:
            if rows.num_columns != self.width:
                rows = self._narrowed(numbers, rows)
            self.head += _lists(rows[:n_missing])
            for chunks, column in zip(self._chunks, rows.columns, strict=True):
                chunks += column.chunks
        self.row_numbers.frombytes(np.asarray(numbers, np.int64).tobytes())

    def _fitted(self, row: int, cells: list[str]) -> list[str]:
        """Return the cells of a row without blank ones beyond the last column."""
        if len(cells) < self.width or any(map(str.strip, cells[self.width :])):
            top = self.row_numbers[0]
            raise IngestError(_ragged(row, len(cells), top, self.width, self._delimiter))
        self.n_longer += len(cells) > self.width
        return cells[: self.width]

    def _narrowed(self, numbers: Sequence[int] | IntArray, rows: Any) -> Any:
        """Return an Arrow table without columns that are blank beyond the last."""
        wrong = _filled(rows.select(range(self.width, rows.num_columns)))
        if wrong.any():
            place = int(wrong.argmax())
            self._fitted(numbers[place], [column[place].as_py() for column in rows.columns])
        self.n_longer += len(rows)
        return rows.select(range(self.width))

    def columns(self, first: int) -> tuple[Any, ...]:
        """Return each column from a row on, as an Arrow array: of the fewer bytes of two kinds.

        One whose first cells all differ, such as times, is not tried in the other.
        """
        import pyarrow  # here: only who reads files needs it

        columns = []
        for chunks in self._chunks:
            plain = pyarrow.concat_arrays(chunks)[first:]
            chunks.clear()
            some = plain[:_N_ENCODED]
            differ = len(some.unique()) == _N_ENCODED
            kinds = [plain] if differ else [plain.dictionary_encode(), plain]
            columns.append(min(kinds, key=lambda column: column.nbytes))
        return tuple(columns)


def overview_of(
    batches: Iterable[tuple[int, Any]], delimiter: str, title_rows: int, footnote_rows: int | None
) -> Overview:
    """Check that all rows are as wide as the first, and tell titles and notes from them."""
    overview = Overview(delimiter)
    titles: list[str] = []
    last: list[Last] = []  # rows that are notes if nothing follows them
    n_last = MAX_NOTES if footnote_rows is None else footnote_rows
    apart = False

    def settle(n_last: int) -> None:
        """Add all but so many of the last rows to the table."""
        if n := max(len(last) - n_last, 0):
            overview.add([row for row, *_ in last[:n]], [cells for _, cells, _ in last[:n]])
            del last[:n]

    for first, rows in batches:
        if not isinstance(rows, list) and not overview.row_numbers:
            rows = _lists(rows)
        if not isinstance(rows, list):  # of Arrow: many like the rows before
            settle(0)
            begin = max(len(rows) - n_last, 0)
            filled = _filled(rows[:begin])
            places = np.flatnonzero(filled)
            overview.n_blank += begin - places.size
            whole = places.size == begin
            overview.add(
                first + places, rows[:begin] if whole else rows.take(arrow_numbers(places))
            )
            first, rows, apart = first + begin, _lists(rows[begin:]), False
        for row, cells in enumerate(rows, first):
            if not cells:
                overview.n_blank += 1
            elif len(titles) < title_rows:
                titles.append(in_short(cells))
            elif not overview.row_numbers:
                overview.add([row], [cells])
            else:
                last.append((row, cells, apart))
            apart = not cells
        settle(n_last)
    settle(n_notes(last, overview.width) if footnote_rows is None else len(last))
    overview.titles = tuple(titles)
    overview.footnotes = tuple(in_short(cells) for _, cells, _ in last)
    return overview


def _filled(table: Any) -> BoolArray:
    """Return for each row of an Arrow table whether it is not blank."""
    from pyarrow import compute

    filled = np.zeros(len(table), dtype=bool)
    for column in table.columns if filled.size else ():  # of no chunk Arrow makes another array
        lengths = compute.binary_length(compute.utf8_trim(column, SPACES)).combine_chunks()
        filled |= np.from_dlpack(lengths) > 0
        if filled.all():
            break
    return filled


def _lists(table: Any) -> list[list[str]]:
    """Return the cells of an Arrow table by rows; of blank ones none."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return [[*cells] if full else [] for cells, full in zip(rows, _filled(table), strict=True)]


def in_short(cells: Sequence[str]) -> str:
    """Return the cells of a row outside a table as one text."""
    return shown(" ".join(filter(None, map(str.strip, cells))))


def _ragged(row: int, n_cells: int, top: int, width: int, delimiter: str) -> str:
    has = f"Row {row:,} has {plural(n_cells, 'cell')}, but row {top} has {width}"
    mark = DELIMITERS[delimiter]
    if width == 1:
        return (
            f"{has}: delete title lines above the header, or check that a {mark} separates cells."
        )
    if n_cells < width:
        return f"{has}: fill in the missing cell or delete the row."
    return (
        f"{has}: put quotation marks around a name that contains a {mark}; where a row lists all "
        "items of a user, write one row for each user and item."
    )


def _odd_top(top: int, width: int, n_cells: int) -> str:
    return (
        f"Row {top} has {plural(width, 'cell')}, but those below have {n_cells}: if it is a title, "
        "put quotation marks around it or delete it; if it is the header, delete the cells of no "
        "column."
    )


def rows_left_out(where: str, texts: Sequence[str]) -> str:
    """Return a sentence on rows above or below a table."""
    some = some_of((f'"{text}"' for text in texts), 3)
    return f"{plural(len(texts), 'row')} {where} the table left out: {some}."
