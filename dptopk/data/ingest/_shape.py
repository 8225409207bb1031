"""Find title rows above a table's header and notes below its last row, and check its width.

Reports carry a title, a date or a filter above the table.  Such a row has fewer filled cells than
the table, and the header stands below it; or it has one only.

Below it they carry a source or a note, in one cell.  A last row of one cell may as well be an item
whose count was forgotten: it is a note only if it begins with a word or a mark of notes, or if a
blank row parts it from the table and it reads like a sentence.

Limits: at most `MAX_TITLES` and `MAX_NOTES` rows; a table of one column has no title.
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from dptopk.core.numerals import plural
from dptopk.data.ingest._columns import names_a_column
from dptopk.data.ingest._error import MAX_COLUMNS, IngestError
from dptopk.data.ingest._plain import shown, some_of
from dptopk.data.ingest._tables import DELIMITERS, like_a_number

MAX_TITLES = 20
"""Largest number of title rows looked for."""
MAX_NOTES = 20
"""Largest number of rows of notes looked for."""

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
N_LOOKED_AT = 1_000
"""Rows that the guesses see."""


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

    def add(self, numbers: Sequence[int], rows: Any) -> None:
        """Add rows, as lists or an Arrow table; raise for one of another width than the first."""
        import pyarrow  # here: only who reads files needs it

        if not self.row_numbers:
            self.width = len(rows[0])
            self._chunks = [[] for _ in rows[0]]
            if self.width > MAX_COLUMNS:
                raise IngestError(
                    f"Row {numbers[0]} has {self.width:,} columns, more than the limit of "
                    f"{MAX_COLUMNS}: keep only those with items, and with users or counts."
                )
        n_missing = max(N_LOOKED_AT + 1 - len(self.head), 0)
        if isinstance(rows, list):
            if {*map(len, rows)} - {self.width}:
                rows = [*map(self._fitted, numbers, rows)]
            self.head += rows[:n_missing]
            for chunks, cells in zip(self._chunks, zip(*rows, strict=True), strict=False):
                chunks.append(pyarrow.array([*cells], pyarrow.string()))  # a tuple: thrice as long
        else:
            self.head += _lists(rows[:n_missing])
            for chunks, column in zip(self._chunks, rows.columns, strict=True):
                chunks += column.chunks
        self.row_numbers.extend(numbers)

    def _fitted(self, row: int, cells: list[str]) -> list[str]:
        """Return the cells of a row without blank ones beyond the last column."""
        if len(cells) < self.width or any(map(str.strip, cells[self.width :])):
            top = self.row_numbers[0]
            raise IngestError(_ragged(row, len(cells), top, self.width, self._delimiter))
        self.n_longer += len(cells) > self.width
        return cells[: self.width]

    def columns(self, first: int) -> tuple[Any, ...]:
        """Return each column from a row on, as an Arrow array: of the fewer bytes of two kinds."""
        import pyarrow

        columns = []
        for chunks in self._chunks:
            plain = pyarrow.concat_arrays(chunks)[first:]
            chunks.clear()
            columns.append(min(plain.dictionary_encode(), plain, key=lambda column: column.nbytes))
        return tuple(columns)


def overview_of(
    batches: Iterable[tuple[int, Any]],
    delimiter: str,
    title_rows: int,
    footnote_rows: int | None,
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
        if not isinstance(rows, list):  # of Arrow: many like the rows before, none of them blank
            settle(0)
            begin = max(len(rows) - n_last, 0)
            overview.add(range(first, first + begin), rows[:begin])
            first, rows, apart = first + begin, _lists(rows[begin:]), False
        for row, cells in enumerate(rows, first):
            if not cells:
                overview.n_blank += 1
            elif len(titles) < title_rows:
                titles.append(_in_short(cells))
            elif not overview.row_numbers:
                overview.add([row], [cells])
            else:
                last.append((row, cells, apart))
            apart = not cells
        settle(n_last)
    settle(n_notes(last, overview.width) if footnote_rows is None else len(last))
    overview.titles = tuple(titles)
    overview.footnotes = tuple(_in_short(cells) for _, cells, _ in last)
    return overview


def _lists(table: Any) -> list[list[str]]:
    """Return the rows of an Arrow table."""
    return [
        [*cells] for cells in zip(*(column.to_pylist() for column in table.columns), strict=True)
    ]


def _in_short(cells: list[str]) -> str:
    return shown(" ".join(filter(None, map(str.strip, cells))))


def _ragged(row: int, n_cells: int, top: int, width: int, delimiter: str) -> str:
    """Return how to mend a row of another length than the first, in words."""
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


def notes_on(overview: Overview) -> list[str]:
    """Return sentences on what was left out."""
    notes = []
    for where, texts in (("above", overview.titles), ("below", overview.footnotes)):
        if texts:
            rows = plural(len(texts), "row")
            some = some_of((f'"{text}"' for text in texts), 3)
            notes.append(f"{rows} {where} the table left out: {some}.")
    if overview.n_longer:
        rows = plural(overview.n_longer, "row")
        notes.append(f"Blank cells beyond the last column were left out in {rows}.")
    return notes
