"""Summarize a table: its width, title rows, first rows, and the notes below it."""

from collections import deque
from collections.abc import Iterator

from dptopk.data.ingest._error import IngestError
from dptopk.data.ingest._plain import number, shown
from dptopk.data.ingest._shape import MAX_NOTES, Last, n_notes
from dptopk.data.ingest._tables import DELIMITERS, MAX_COLUMNS

N_LOOKED_AT = 1_000
"""Rows that the guesses see."""


class Overview:
    """Titles, first rows and notes of a table, with numbers of rows and of overlong rows."""

    def __init__(self, delimiter: str):
        self.titles: tuple[str, ...] = ()
        self.footnotes: tuple[str, ...] = ()
        self.head: list[list[str]] = []
        self.n_rows = self.n_longer = self.width = 0
        self._delimiter = delimiter
        self._top = 0

    def take(self, row: int, cells: list[str]) -> None:
        """Add a row of the table; raise for one of another width than the first."""
        self.n_rows += 1
        if self.n_rows == 1:
            self.width, self._top = len(cells), row
            if self.width > MAX_COLUMNS:
                raise IngestError(
                    f"Row {row} has {self.width:,} columns, the most accepted is {MAX_COLUMNS}: "
                    "keep only those with items, and with users or counts."
                )
        elif len(cells) != self.width:
            if len(cells) < self.width or any(map(str.strip, cells[self.width :])):
                raise IngestError(_ragged(row, len(cells), self._top, self.width, self._delimiter))
            self.n_longer += 1
        if len(self.head) <= N_LOOKED_AT:
            self.head.append(cells[: self.width])


def looked_over(
    lines: Iterator[tuple[int, list[str]]],
    delimiter: str,
    title_rows: int,
    footnote_rows: int | None,
) -> Overview:
    """Check that all rows are as wide as the first, and keep the first ones."""
    overview = Overview(delimiter)
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
    """Return how to mend a row of another length than the first, in words."""
    has = f"Row {row:,} has {number(n_cells, 'cell', 'cells')}, row {top} has {width}"
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


def notes_on(overview: Overview) -> list[str]:
    """Return sentences on what was left out."""
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
