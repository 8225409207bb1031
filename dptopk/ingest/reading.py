"""The way of an uploaded table: look at it, guess its columns, read them."""

import csv
import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from dptopk.ingest._columns import guess_columns, has_header
from dptopk.ingest._decode import Decoded, check_size, decode
from dptopk.ingest._error import IngestError, NoTableError
from dptopk.ingest._overview import looked_over, notes_on
from dptopk.ingest._plain import shown, unix_lines
from dptopk.ingest._progress import Told, part
from dptopk.ingest._shape import n_titles
from dptopk.ingest._tables import DELIMITERS, column_labels, find_delimiter, records
from dptopk.ingest._workbook import is_workbook, read_sheet, sheet_names

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
        Name of the sheet of a workbook; left out, the first that holds a table.
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
    shape = (delimiter, header, title_rows, footnote_rows)
    if not is_workbook(data):
        return _read(data, filename, None, shape, progress)
    try:
        return _read(data, filename, sheet, shape, progress)
    except NoTableError as error:
        return _of_another_sheet(data, filename, sheet, shape, progress, error)


_Shape = tuple[str | None, bool | None, int | None, int | None]  # as asked for, see `read_table`


def _of_another_sheet(
    data: bytes,
    filename: str,
    asked: str | None,
    shape: _Shape,
    progress: Told | None,
    error: NoTableError,
) -> RawTable:
    """The first sheet that holds a table, if none was asked for; otherwise say which one does."""
    names = sheet_names(data)
    if len(names) == 1:
        raise error
    for name in names:
        try:
            found = _read(data, filename, name, shape, progress)
        except IngestError:
            continue
        if asked is None:
            before = ", ".join(f'"{shown(other)}"' for other in names[: names.index(name)])
            why = f"No table of counts was found in {before}."
            return replace(found, notes=(*found.notes, why))
        raise IngestError(
            f'The sheet "{shown(asked)}" holds no table of counts: choose the sheet '
            f'"{shown(name)}", which does.'
        ) from error
    raise IngestError(
        "The sheets of the workbook hold no table of counts: a column with items and one with a "
        "count for each is needed, or a row for each user and item."
    ) from error


def _read(
    data: bytes, filename: str, sheet: str | None, shape: _Shape, progress: Told | None
) -> RawTable:
    """Read a file, or one sheet of it, as one table."""
    delimiter, header, title_rows, footnote_rows = shape
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
    overview = looked_over(lines, delimiter, title_rows, footnote_rows)
    head = overview.head
    if not head:
        raise NoTableError("There are only blank rows: upload a table with a row for an item.")
    if header is None:
        header = has_header(head)
    names, body = (head[0], head[1:]) if header else (None, head)
    if not body:
        raise NoTableError(
            "There is a header but no data: add a row for each item, or say that it has no header."
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
        footnotes=overview.footnotes,
        delimiter=delimiter,
        encoding=decoded.encoding,
        filename=filename,
        sheet=sheets[0],
        sheets=sheets[1],
        digest=digest,
        notes=(*decoded.notes, *notes_on(overview)),
        _content=text.encode("utf-8", "surrogatepass"),
        _first_row=first_row,
    )


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
