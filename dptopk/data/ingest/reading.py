"""Read an uploaded table: decode it, find its shape and guess its columns."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._columns import Guess, guess_columns, has_header
from dptopk.data.ingest._decode import check_size, decode
from dptopk.data.ingest._error import Ambiguity, IngestError, NoTableError, UnclearError
from dptopk.data.ingest._parquet import is_parquet, parquet_rows
from dptopk.data.ingest._plain import shown, some_of, unix_lines
from dptopk.data.ingest._shape import n_titles, notes_on, overview_of
from dptopk.data.ingest._tables import (
    DELIMITERS,
    batches,
    column_labels,
    find_delimiter,
    like_a_number,
)
from dptopk.data.ingest._text_column import TextColumn
from dptopk.data.ingest._workbook import Sheet, every_sheet, is_workbook, read_sheet, sheet_names
from dptopk.data.tables import SHEETS, unescaped

_N_PREVIEW = 10
_N_SHEETS = 5  # that are named
_N_SHAPE = 200  # rows that tell where the table begins
_OURS = "dptopk_version"  # a column of every table that dptopk wrote


@dataclass(frozen=True, kw_only=True)
class RawTable(Guess):
    """Table of text, with guesses that the caller can override.

    Attributes
    ----------
    columns : tuple of str
        Distinct labels: from the header, or "column 1", "column 2", ...
    header : bool
        Whether the first row was taken for a header.
    n_rows, n_blank : int
        Rows of data, and blank rows, which are none of them.
    preview : tuple of tuple of str
        The first ten rows of data, cells cut to 80 characters.
    titles, footnotes : tuple of str
        Rows that were left out above and below the table, in short.
    delimiter, encoding, filename, sheet : str
        What was found; ``DELIMITERS[delimiter]`` is its name; no sheet but of a workbook.
    sheets : tuple of str
        Names of all sheets of a workbook.
    digest : str
        SHA-256 of the file and of what was asked for: a key for caches.
    notes : tuple of str
        Sentences on what was done so far.
    lists : tuple of int
        Positions of columns of lists of a Parquet file, whose elements are read as rows.
    row_numbers : int64 array of shape (n_rows,)
        Numbers of the rows of data in the file, from 1.
    """

    columns: tuple[str, ...]
    header: bool
    n_rows: int
    n_blank: int
    preview: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    footnotes: tuple[str, ...]
    delimiter: str
    encoding: str
    filename: str = ""
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    digest: str = ""
    notes: tuple[str, ...]
    lists: tuple[int, ...] = ()
    row_numbers: IntArray = field(repr=False, compare=False)
    _columns: tuple[Any, ...] = field(repr=False, compare=False)  # of Arrow

    @property
    def ours(self) -> bool:
        """True if dptopk wrote the table."""
        return _OURS in self.columns or self.sheets == SHEETS

    def beginning(self, n: int) -> "RawTable":
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
        codes = column.indices.to_numpy().astype(np.int64)
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
        others have as many or the same columns.
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
    if is_parquet(data):
        rows, notes, lists = parquet_rows(data, part_of(progress, 0.0, 1.0))
        table = replace(_table(rows, "Parquet", notes, _Shape(",", True, 0, 0)), lists=lists)
    elif not is_workbook(data):
        table = _of_text(data, filename, shape, progress)
    elif sheet is None:
        table = _of_fullest_sheet(data, shape, progress)
    else:
        table = _of_named_sheet(data, sheet, shape, progress)
    digest = hashlib.sha256(repr((sheet, tuple(shape))).encode() + data).hexdigest()
    return replace(table, filename=filename, digest=digest)


_NO_WORKBOOK = "The file is not an Excel workbook, despite its name"


class _Shape(NamedTuple):
    """Arguments of `read_table` on the shape of a table."""

    delimiter: str | None
    header: bool | None
    title_rows: int | None
    footnote_rows: int | None


def _of_text(data: bytes, filename: str, shape: _Shape, progress: Progress | None) -> RawTable:
    """Read delimited text."""
    decoded = decode(data, filename, part_of(progress, 0.0, 0.2))
    text, delimiter, first_row = unix_lines(decoded.text), shape.delimiter, 1
    if text[:4].lower() == "sep=" and text[4:5] in DELIMITERS and text[5:6] == "\n":
        delimiter, text, first_row = delimiter or text[4], text[6:], 2  # Excel's own hint
    shape = shape._replace(delimiter=delimiter or find_delimiter(text))
    named_so = filename.lower().endswith((".xlsx", ".xls"))
    notes = (*decoded.notes, *([f"{_NO_WORKBOOK}: it was read as text."] if named_so else []))
    text = text.encode("utf-8", "ignore").decode()  # without halves of surrogate pairs
    rows = batches(text, str(shape.delimiter), first_row, part_of(progress, 0.2, 1.0))
    try:
        table = _table(rows, decoded.encoding, notes, shape)
        if table.problem and named_so:
            raise NoTableError(table.problem)
    except NoTableError as error:
        if named_so:
            words = f"{_NO_WORKBOOK}, and read as text it is not a table: {error}"
            raise NoTableError(words) from error
        raise
    return table


def _of_named_sheet(data: bytes, name: str, shape: _Shape, progress: Progress | None) -> RawTable:
    """Read the sheet of this name."""
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


def _of_sheet(sheet: Sheet, shape: _Shape) -> RawTable:
    """Read a sheet."""
    rows = [(1, sheet.rows)]
    table = _table(rows, "Excel workbook", sheet.notes, shape._replace(delimiter=","))
    if table.problem and not _repeats(table):  # notes, where a log names items and users again
        raise NoTableError(table.problem)
    named = {table.item_column, table.user_column, *table.items, *table.identifiers}
    unlike = [
        f'Column "{table.columns[place]}" has numbers in the format {shown(number_format)}; they '
        f"were read as their values, such as {number}, not as the workbook shows them."
        for place, (number_format, number) in sheet.formats.items()
        if place in named
    ]
    return replace(table, sheet=sheet.name, sheets=sheet.names, notes=(*table.notes, *unlike))


def _of_fullest_sheet(data: bytes, shape: _Shape, progress: Progress | None) -> RawTable:
    """Read the first sheet with the most rows of counts."""
    best: RawTable | None = None
    sizes: dict[str, tuple[int, tuple[str, ...]]] = {}
    unsure: list[RawTable] = []  # logs, perhaps, whose columns have to be chosen
    most = n_tables = n_empty = 0
    refusals: dict[str, IngestError] = {}
    for name, found in every_sheet(data, part_of(progress, 0.0, 1.0)):
        if isinstance(found, Sheet) and not found.rows:
            n_empty += 1
            continue
        try:
            if isinstance(found, IngestError):
                raise found
            table = _of_sheet(found, shape)
            if table.ours:
                return table
        except IngestError as error:
            refusals[name] = error
            continue
        if table.problem:
            refusals[name] = NoTableError(table.problem)
            unsure.append(table)
            continue
        n_tables += 1
        n_rows = _n_of_counts(table)
        sizes[name] = n_rows, table.columns
        if best is None or n_rows > most:
            best, most = table, n_rows
    if best is None and unsure:
        best = max(unsure, key=lambda table: table.n_rows)
        del refusals[best.sheet]
    if best is None:
        raise _nothing_in([*refusals.values()], n_empty)
    equal = [name for name, size in sizes.items() if size[0] == most or size[1] == best.columns]
    if len(equal) > 1:
        raise _which_sheet({name: sizes[name][0] for name in equal})
    notes = [*best.notes]
    if n_tables > 1:
        notes.append(f'Of {n_tables} sheets with tables, "{shown(best.sheet)}" has the most rows.')
    without = [
        f'"{shown(name)}"' for name, why in refusals.items() if isinstance(why, NoTableError)
    ]
    if without:
        notes.append(f"No table of counts was found in {some_of(without, 3)}.")
    for name, why in refusals.items():
        if not isinstance(why, NoTableError):
            notes.append(f'"{shown(name)}" was not read: {why}')
    return replace(best, notes=tuple(notes))


def _which_sheet(n_rows: dict[str, int]) -> UnclearError:
    """Return the error for a workbook of which several sheets may be meant."""
    some = some_of((f'"{shown(name)}"' for name in n_rows), _N_SHEETS)
    sentence = f"{len(n_rows)} sheets hold tables of the same columns or size: {some}"
    options = {name: plural(n, "row") for name, n in n_rows.items()}
    question = Ambiguity("sheet", f"{sentence}.", options)
    return UnclearError(f"{sentence}: {question.how}.", (question,))


def _nothing_in(refusals: list[IngestError], n_empty: int) -> IngestError:
    """Return the error for a workbook of which no sheet can be read."""
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
    for place in range(len(table.columns)):
        cells = table.cells(place)
        filled = [code for code in cells.codes[:_N_SHAPE].tolist() if cells.texts[code].strip()]
        if len(set(filled)) < len(filled):
            return True
    return False


def _n_of_counts(table: RawTable) -> int:
    """Count the rows with a count, or all rows where rows are counted."""
    place = table.count_column
    if place is None:
        return table.n_rows
    return int(table.cells(place).rows_where(like_a_number).sum())


def _table(
    batches: Iterable[tuple[int, Any]], encoding: str, notes: Sequence[str], shape: _Shape
) -> RawTable:
    """Find the table in rows: some thousand at a time, with the number of the first."""
    delimiter, title_rows, left = str(shape.delimiter), shape.title_rows, iter(batches)
    first = [*islice(left, 1)]
    if title_rows is None:
        rows = [cells for _, some in first for cells in some if cells][:_N_SHAPE]
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
    if names and _OURS in names:
        names, *body = ([*map(unescaped, cells)] for cells in [names, *body])
        columns = tuple(map(_unescaped, columns))
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
        notes=(*notes, *notes_on(overview)),
        row_numbers=np.array(overview.row_numbers[header:], dtype=np.int64),
        _columns=columns,
    )


def _unescaped(column: Any) -> Any:
    """Return a column of a table that dptopk wrote with its texts as they were."""
    column = column.dictionary_encode()
    return type(column).from_arrays(
        column.indices, [*map(unescaped, column.dictionary.to_pylist())]
    )
