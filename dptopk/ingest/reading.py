"""The way of an uploaded table: look at it, guess its columns, read them."""

import csv
import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from dptopk.ingest._columns import guess_columns, has_header
from dptopk.ingest._decode import Decoded, check_size, decode
from dptopk.ingest._error import IngestError
from dptopk.ingest._plain import number, shown, unix_lines
from dptopk.ingest._shape import n_titles
from dptopk.ingest._tables import DELIMITERS, MAX_COLUMNS, column_labels, find_delimiter, records
from dptopk.ingest._workbook import is_workbook, read_sheet

_N_LOOKED_AT = 1_000  # rows that the guesses see
_N_PREVIEW = 10
_N_SHAPE = 200  # rows that tell where the table begins


@dataclass(frozen=True)
class RawTable:
    """A table as text, with guesses that the caller may overrule.

    Attributes
    ----------
    columns : tuple of str
        Distinct labels: from the header, or "column 1", "column 2", ...
    item_column, count_column, user_column : int or None
        Guessed positions.  Without an item column the items are numbered.  Beside a user column
        there may be no count column: then a row says that a user has an item.
    header : bool
        Whether the first row was taken for a header.
    n_rows : int
        Rows of data, blank rows left out.
    preview : tuple of tuple of str
        The first ten rows of data, cells cut to 80 characters.
    titles : tuple of str
        Rows that were left out above the table, in short.
    delimiter, encoding, filename, sheet : str
        What was found; ``DELIMITERS[delimiter]`` is its name; no sheet but of a workbook.
    sheets : tuple of str
        Names of all sheets of a workbook.
    digest : str
        SHA-256 of the file and of what was asked for: a key for caches.
    notes : tuple of str
        Sentences on what was done so far.
    """

    columns: tuple[str, ...]
    item_column: int | None
    count_column: int | None
    user_column: int | None
    header: bool
    n_rows: int
    preview: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    delimiter: str
    encoding: str
    filename: str
    sheet: str
    sheets: tuple[str, ...]
    digest: str
    notes: tuple[str, ...]
    _content: bytes = field(repr=False, compare=False)  # UTF-8: a quarter of what text may take
    _first_row: int = field(repr=False)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Row number and cells of every row of data; blank rows have no cells."""
        n_above = len(self.titles) + self.header
        text = self._content.decode("utf-8", "surrogatepass")
        for row, cells in records(text, self.delimiter, self._first_row):
            if cells and n_above:
                n_above -= 1
            else:
                yield row, cells


def read_table(
    data: bytes,
    filename: str = "",
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    title_rows: int | None = None,
) -> RawTable:
    """Look at a file: its encoding, delimiter, title rows, header and columns.

    Parameters
    ----------
    data : bytes
        A delimited text file, as it is or in a gzip or zip archive; or an Excel workbook.
    filename : str, optional
        Its name, for messages and to tell what the bytes do not.
    delimiter : str, optional
        A key of ``DELIMITERS``; left out, it is found.
    header : bool, optional
        Whether the first row of the table names the columns; left out, it is found.
    sheet : str, optional
        Name of the sheet of a workbook; left out, the first that is not empty.
    title_rows : int, optional
        How many rows above the table, blank ones not counted, are no part of it; left out, they
        are found.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise ValueError(f"delimiter must be one of {', '.join(map(repr, DELIMITERS))}")
    check_size(data)
    asked = (delimiter, header, sheet, title_rows)
    digest = hashlib.sha256(repr(asked).encode() + data).hexdigest()
    first_row = 1
    sheets: tuple[str, tuple[str, ...]] = ("", ())
    if is_workbook(data):
        sheets, decoded = _sheet(data, sheet)
        text, delimiter = decoded.text, ","
    else:
        decoded = decode(data, filename)
        text = unix_lines(decoded.text)
        if text[:4].lower() == "sep=" and text[4:5] in DELIMITERS and text[5:6] == "\n":
            delimiter, text, first_row = delimiter or text[4], text[6:], 2  # Excel's own hint
        delimiter = delimiter or find_delimiter(text)

    if title_rows is None:
        title_rows = _found_titles(text, delimiter, first_row)
    overview = _looked_over(text, delimiter, first_row, title_rows)
    head = overview.head
    if not head:
        raise IngestError("The file holds only blank rows: upload a table with a row for an item.")
    if header is None:
        header = has_header(head)
    names, body = (head[0], head[1:]) if header else (None, head)
    if not body:
        raise IngestError(
            "The file holds a header but no data: add a row for each item, or say that it has no "
            "header."
        )
    guess = guess_columns(names, body)
    return RawTable(
        columns=column_labels(names, len(head[0])),
        item_column=guess.item,
        count_column=guess.count,
        user_column=guess.user,
        header=header,
        n_rows=overview.n_rows - header,
        preview=tuple(tuple(shown(cell, 80) for cell in cells) for cells in body[:_N_PREVIEW]),
        titles=overview.titles,
        delimiter=delimiter,
        encoding=decoded.encoding,
        filename=filename,
        sheet=sheets[0],
        sheets=sheets[1],
        digest=digest,
        notes=(*decoded.notes, *_notes(overview)),
        _content=text.encode("utf-8", "surrogatepass"),
        _first_row=first_row,
    )


def _sheet(data: bytes, name: str | None) -> tuple[tuple[str, tuple[str, ...]], Decoded]:
    """One sheet of a workbook and the names of all, written out as text that `records` reads."""
    sheet = read_sheet(data, name)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(sheet.rows)
    decoded = Decoded(unix_lines(text.getvalue()), "Excel workbook", sheet.notes)
    return (sheet.name, sheet.names), decoded


def _found_titles(text: str, delimiter: str, first_row: int) -> int:
    """How many rows stand above the table."""
    filled = (cells for _, cells in records(text, delimiter, first_row) if cells)
    rows = list(islice(filled, _N_SHAPE))
    return n_titles(rows) if rows else 0


class _Overview(NamedTuple):
    """The titles, the first rows, how many rows there are and have blank cells too many."""

    titles: tuple[str, ...]
    head: list[list[str]]
    n_rows: int
    n_longer: int


def _looked_over(text: str, delimiter: str, first_row: int, title_rows: int) -> _Overview:
    """Check that all rows are as wide as the first and keep the first ones."""
    titles: list[str] = []
    head: list[list[str]] = []
    n_rows = n_longer = width = 0
    for row, cells in records(text, delimiter, first_row):
        if not cells:
            continue
        if len(titles) < title_rows:
            titles.append(shown(" ".join(filter(None, map(str.strip, cells)))))
            continue
        n_rows += 1
        if n_rows == 1:
            width, top = len(cells), row
            if width > MAX_COLUMNS:
                raise IngestError(
                    f"Row {row} has {width:,} columns, the most accepted is {MAX_COLUMNS}: keep "
                    "only those with items and counts."
                )
        elif len(cells) != width:
            if len(cells) < width or any(map(str.strip, cells[width:])):
                raise IngestError(_ragged(row, len(cells), top, width, delimiter))
            n_longer += 1
        if len(head) <= _N_LOOKED_AT:
            head.append(cells[:width])
    return _Overview(tuple(titles), head, n_rows, n_longer)


def _ragged(row: int, n_cells: int, top: int, width: int, delimiter: str) -> str:
    """Say how a row of another length than the first may be mended."""
    has = f"Row {row:,} has {number(n_cells, 'cell', 'cells')}, row {top} has {width}"
    mark = DELIMITERS[delimiter]
    if width == 1:
        return (
            f"{has}: delete title lines above the header, or check that a {mark} separates cells."
        )
    if n_cells < width:
        return f"{has}: fill in the missing cell or delete the row."
    return f"{has}: put quotation marks around a name that contains a {mark}."


def _position(table: RawTable, column: int | str) -> int:
    """Position of a column given by position or label."""
    if isinstance(column, str) and column in table.columns:
        return table.columns.index(column)
    if isinstance(column, int) and 0 <= column < len(table.columns):
        return column
    options = ", ".join(f'"{label}"' for label in table.columns[:10])
    raise IngestError(f"There is no column {column!r}: choose one of {options}.")


def _notes(overview: _Overview) -> list[str]:
    """Sentences on what was left out."""
    notes = []
    if overview.titles:
        rows = number(len(overview.titles), "row", "rows")
        some = ", ".join(f'"{title}"' for title in overview.titles[:3])
        more = " and more" if len(overview.titles) > 3 else ""
        notes.append(f"{rows} above the table left out: {some}{more}.")
    if overview.n_longer:
        rows = number(overview.n_longer, "row", "rows")
        notes.append(f"Blank cells beyond the last column were left out in {rows}.")
    return notes
