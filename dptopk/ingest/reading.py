"""The way of an uploaded table: look at it, guess its columns, read them."""

import csv
import hashlib
import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from dptopk.ingest._columns import guess_columns, has_header
from dptopk.ingest._decode import Decoded, check_size, decode
from dptopk.ingest._error import IngestError
from dptopk.ingest._plain import number, shown, unix_lines
from dptopk.ingest._progress import Told, part
from dptopk.ingest._shape import MAX_NOTES, Last, n_notes, n_titles
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
    """

    columns: tuple[str, ...]
    item_column: int | None
    count_column: int | None
    user_column: int | None
    header: bool
    n_rows: int
    preview: tuple[tuple[str, ...], ...]
    titles: tuple[str, ...]
    footnotes: tuple[str, ...]
    delimiter: str
    encoding: str
    filename: str
    sheet: str
    sheets: tuple[str, ...]
    digest: str
    notes: tuple[str, ...]
    _content: bytes = field(repr=False, compare=False)  # UTF-8: a quarter of what text may take
    _first_row: int = field(repr=False)

    def rows(self, progress: Told | None = None) -> Iterator[tuple[int, list[str]]]:
        """Row number and cells of every row of data; blank rows have no cells.

        ``progress`` is told the share done, often.
        """
        n_above, n_left = len(self.titles) + self.header, self.n_rows
        text = self._content.decode("utf-8", "surrogatepass")
        for row, cells in records(text, self.delimiter, self._first_row, progress):
            if cells and n_above:
                n_above -= 1
            elif not cells or n_left:
                n_left -= bool(cells)
                yield row, cells


def read_table(
    data: bytes,
    filename: str = "",
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    title_rows: int | None = None,
    footnote_rows: int | None = None,
    progress: Told | None = None,
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
    footnote_rows : int, optional
        How many rows below the table are no part of it, likewise.
    progress : callable, optional
        Told the share done, often; may raise, which ends the reading.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    """
    if delimiter is not None and delimiter not in DELIMITERS:
        raise ValueError(f"delimiter must be one of {', '.join(map(repr, DELIMITERS))}")
    check_size(data)
    asked = (delimiter, header, sheet, title_rows, footnote_rows)
    digest = hashlib.sha256(repr(asked).encode() + data).hexdigest()
    first_row = 1
    sheets: tuple[str, tuple[str, ...]] = ("", ())
    if is_workbook(data):
        sheets, decoded = _sheet(data, sheet, part(progress, 0.0, 0.8))
        text, delimiter = decoded.text, ","
    else:
        decoded = decode(data, filename, part(progress, 0.0, 0.2))
        text = unix_lines(decoded.text)
        if text[:4].lower() == "sep=" and text[4:5] in DELIMITERS and text[5:6] == "\n":
            delimiter, text, first_row = delimiter or text[4], text[6:], 2  # Excel's own hint
        delimiter = delimiter or find_delimiter(text)

    if title_rows is None:
        title_rows = _found_titles(text, delimiter, first_row)
    told = part(progress, 0.8 if sheets[0] else 0.2, 1.0)
    lines = records(text, delimiter, first_row, told)
    overview = _looked_over(lines, delimiter, title_rows, footnote_rows)
    head = overview.head
    if not head:
        raise IngestError(
            f"{_whole(sheets)} only blank rows: upload a table with a row for an item."
        )
    if header is None:
        header = has_header(head)
    names, body = (head[0], head[1:]) if header else (None, head)
    if not body:
        mend = "add a row for each item, or say that it has no header"
        mend = "choose another sheet, or say that it has no header" if sheets[1][1:] else mend
        raise IngestError(f"{_whole(sheets)} a header but no data: {mend}.")
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
        footnotes=overview.footnotes,
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


def _whole(sheets: tuple[str, tuple[str, ...]]) -> str:
    """What holds nothing to read: the file, or one sheet of several."""
    sheet, others = sheets
    return f'The sheet "{shown(sheet)}" of {len(others)} holds' if others[1:] else "The file holds"


def _sheet(
    data: bytes, name: str | None, told: Told
) -> tuple[tuple[str, tuple[str, ...]], Decoded]:
    """One sheet of a workbook and the names of all, written out as text that `records` reads."""
    sheet = read_sheet(data, name, told)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(sheet.rows)
    decoded = Decoded(unix_lines(text.getvalue()), "Excel workbook", sheet.notes)
    return (sheet.name, sheet.names), decoded


def _found_titles(text: str, delimiter: str, first_row: int) -> int:
    """How many rows stand above the table."""
    filled = (cells for _, cells in records(text, delimiter, first_row) if cells)
    rows = list(islice(filled, _N_SHAPE))
    return n_titles(rows) if rows else 0


class _Overview:
    """The titles, the first rows, the notes below, how many rows there are and are too long."""

    def __init__(self, delimiter: str):
        self.titles: tuple[str, ...] = ()
        self.footnotes: tuple[str, ...] = ()
        self.head: list[list[str]] = []
        self.n_rows = self.n_longer = self.width = 0
        self._delimiter = delimiter
        self._top = 0

    def take(self, row: int, cells: list[str]) -> None:
        """Take a row of the table; refuse one of another width than the first."""
        self.n_rows += 1
        if self.n_rows == 1:
            self.width, self._top = len(cells), row
            if self.width > MAX_COLUMNS:
                raise IngestError(
                    f"Row {row} has {self.width:,} columns, the most accepted is {MAX_COLUMNS}: "
                    "keep only those with items and counts."
                )
        elif len(cells) != self.width:
            if len(cells) < self.width or any(map(str.strip, cells[self.width :])):
                raise IngestError(_ragged(row, len(cells), self._top, self.width, self._delimiter))
            self.n_longer += 1
        if len(self.head) <= _N_LOOKED_AT:
            self.head.append(cells[: self.width])


def _looked_over(
    lines: Iterator[tuple[int, list[str]]],
    delimiter: str,
    title_rows: int,
    footnote_rows: int | None,
) -> _Overview:
    """Check that all rows are as wide as the first and keep the first ones."""
    overview = _Overview(delimiter)
    titles: list[str] = []
    last: deque[Last] = deque()  # rows that are notes if nothing follows them
    n_last = MAX_NOTES if footnote_rows is None else footnote_rows
    apart = False
    for row, cells in lines:
        if not cells:
            apart = True
            continue
        if len(titles) < title_rows:
            titles.append(_in_short(cells))
        elif not overview.n_rows:
            overview.take(row, cells)
        else:
            last.append((row, cells, apart))
            if len(last) > n_last:
                overview.take(*last.popleft()[:2])
        apart = False
    n = n_notes(list(last), overview.width) if footnote_rows is None else len(last)
    while len(last) > n:
        overview.take(*last.popleft()[:2])
    overview.titles = tuple(titles)
    overview.footnotes = tuple(_in_short(cells) for _, cells, _ in last)
    return overview


def _in_short(cells: list[str]) -> str:
    return shown(" ".join(filter(None, map(str.strip, cells))))


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


def _notes(overview: _Overview) -> list[str]:
    """Sentences on what was left out."""
    notes = []
    for where, texts in (("above", overview.titles), ("below", overview.footnotes)):
        if texts:
            rows = number(len(texts), "row", "rows")
            some = ", ".join(f'"{text}"' for text in texts[:3])
            more = " and more" if len(texts) > 3 else ""
            notes.append(f"{rows} {where} the table left out: {some}{more}.")
    if overview.n_longer:
        rows = number(overview.n_longer, "row", "rows")
        notes.append(f"Blank cells beyond the last column were left out in {rows}.")
    return notes
