"""The way of an uploaded table: look at it, guess its columns, read two of them."""

import hashlib
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import NamedTuple

from dptopk.ingest._cells import IngestResult, assemble
from dptopk.ingest._decode import decode
from dptopk.ingest._error import IngestError
from dptopk.ingest._plain import number, plain, shown, unix_lines
from dptopk.ingest._tables import (
    DELIMITERS,
    MAX_COLUMNS,
    column_labels,
    find_delimiter,
    guess_columns,
    has_header,
    records,
)

_N_LOOKED_AT = 1_000  # rows that the guesses see
_N_PREVIEW = 10


@dataclass(frozen=True)
class RawTable:
    """A table as text, with guesses that the caller may overrule.

    Attributes
    ----------
    columns : tuple of str
        Distinct labels: from the header, or "column 1", "column 2", ...
    item_column, count_column : int or None, int
        Guessed positions; ``item_column`` is None if there is only a count column, and
        the items will be numbered.
    header : bool
        Whether the first row was taken for a header.
    n_rows : int
        Rows of data, blank rows left out.
    preview : tuple of tuple of str
        The first ten rows of data, cells cut to 80 characters.
    delimiter, encoding, filename : str
        What was found; ``DELIMITERS[delimiter]`` is its name.
    digest : str
        SHA-256 of the file, delimiter and header: a key for caches.
    """

    columns: tuple[str, ...]
    item_column: int | None
    count_column: int
    header: bool
    n_rows: int
    preview: tuple[tuple[str, ...], ...]
    delimiter: str
    encoding: str
    filename: str
    digest: str
    _text: str = field(repr=False, compare=False)
    _first_row: int = field(repr=False)
    _notes: tuple[str, ...] = field(repr=False)


def read_table(
    data: bytes, filename: str = "", *, delimiter: str | None = None, header: bool | None = None
) -> RawTable:
    """Look at a file: its encoding, delimiter, header and columns.

    Parameters
    ----------
    data : bytes
        A delimited text file, as it is or in a gzip or zip archive.
    filename : str, optional
        Its name, for messages and to tell what the bytes do not.
    delimiter : str, optional
        A key of ``DELIMITERS``; left out, it is found.
    header : bool, optional
        Whether the first row names the columns; left out, it is found.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    """
    decoded = decode(data, filename)
    text = unix_lines(decoded.text)
    first_row = 1
    if text[:4].lower() == "sep=" and text[4:5] in DELIMITERS and text[5:6] == "\n":
        delimiter, text, first_row = delimiter or text[4], text[6:], 2  # Excel's own hint
    if delimiter is None:
        delimiter = find_delimiter(text)
    elif delimiter not in DELIMITERS:
        raise ValueError(f"delimiter must be one of {', '.join(map(repr, DELIMITERS))}")

    overview = _looked_over(text, delimiter, first_row)
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
    item_column, count_column = guess_columns(names, body)

    notes = list(decoded.notes)
    if overview.n_longer:
        rows = number(overview.n_longer, "row", "rows")
        notes.append(f"Blank cells beyond the last column were left out in {rows}.")
    return RawTable(
        columns=column_labels(names, len(head[0])),
        item_column=item_column,
        count_column=count_column,
        header=header,
        n_rows=overview.n_rows - header,
        preview=tuple(tuple(shown(cell, 80) for cell in cells) for cells in body[:_N_PREVIEW]),
        delimiter=delimiter,
        encoding=decoded.encoding,
        filename=filename,
        digest=hashlib.sha256(repr((delimiter, header)).encode() + data).hexdigest(),
        _text=text,
        _first_row=first_row,
        _notes=tuple(notes),
    )


def to_item_counts(
    table: RawTable, item_column: int | str | None, count_column: int | str, name: str = ""
) -> IngestResult:
    """Read items and counts from two columns of a table.

    Parameters
    ----------
    table : RawTable
        From `read_table`.
    item_column : int, str or None
        Position or label of the column with the item names; None numbers the items.
    count_column : int or str
        Position or label of the column with the counts, in users.
    name : str, optional
        What to call the data; left out, the name of the file without its ending.

    Returns
    -------
    IngestResult
        ``counts`` in the order of first appearance, and the ``report``.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row or column, how to mend it.
    """
    count = _position(table, count_column)
    item = None if item_column is None else _position(table, item_column)
    if item == count:
        raise IngestError(
            f'Items and counts are both read from column "{table.columns[count]}": choose two '
            "different columns, or let the items be numbered."
        )
    rows, names, cells = [], [], []
    n_blank = 0
    skip = table.header
    for row, record in records(table._text, table.delimiter, table._first_row):
        if not record:
            n_blank += 1
        elif skip:
            skip = False
        else:
            rows.append(row)
            cells.append(record[count])
            if item is not None:
                names.append(record[item])
    labels = {"count": table.columns[count], "item": "" if item is None else table.columns[item]}
    return assemble(
        None if item is None else names,
        cells,
        lambda i, part: f'Row {rows[i]:,}, column "{labels[part]}"',
        name or _stem(table.filename),
        (_how_read(table, item, count, len(rows)),),
        table._notes,
        n_blank,
    )


class _Overview(NamedTuple):
    """The first rows, how many there are, and how many have blank cells too many."""

    head: list[list[str]]
    n_rows: int
    n_longer: int


def _looked_over(text: str, delimiter: str, first_row: int) -> _Overview:
    """Check that all rows are as wide as the first and keep the first ones."""
    head: list[list[str]] = []
    n_rows = n_longer = width = 0
    for row, cells in records(text, delimiter, first_row):
        if not cells:
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
    return _Overview(head, n_rows, n_longer)


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


def _how_read(table: RawTable, item: int | None, count: int, n_rows: int) -> str:
    """One sentence on what was read how."""
    separated = (
        f", columns separated by {DELIMITERS[table.delimiter]}" if len(table.columns) > 1 else ""
    )
    names = "are numbered" if item is None else f'from column "{table.columns[item]}"'
    top = "the first row is the header" if table.header else "there is no header"
    read = number(n_rows, "row was", "rows were")
    return (
        f"{read} read as {table.encoding} text{separated}; {top}; items {names}, counts from "
        f'column "{table.columns[count]}".'
    )


def _stem(filename: str) -> str:
    """Name of a file without folders and endings, fit for one line."""
    name = PurePosixPath(filename.replace("\\", "/")).name
    for ending in (".gz", ".zip", ".csv", ".tsv", ".txt", ".tab"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return shown(plain(name), 100) or "uploaded"
