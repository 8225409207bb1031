"""Split text into rows and cells, and find the delimiter.

Text is read by `csv.reader`, some rows at a time; the middle of a long one without a quotation mark
by Arrow, ten times as fast, where all rows are plain.  Row numbers are those a spreadsheet shows:
from 1, blank rows included.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from dptopk.core.cancellation import Progress, part_of
from dptopk.data.ingest._error import COUNT_FIRST, MAX_COLUMNS, IngestError
from dptopk.data.ingest._names import MAX_NAME
from dptopk.data.ingest._plain import shown, unix_lines

MAX_ROWS = 2_000_000  # largest number of rows, blank ones included, the header not
MAX_ROW_CHARACTERS = 1_000_000  # largest number of characters in one line

DELIMITERS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "vertical bar"}
"""Delimiters recognised, with their names; of two that fit equally, the first is taken."""

_LONG = 2**20  # characters that are worth a second reader
_READ_FIRST = 1_200  # rows, more than what tells titles and columns
_READ_LAST = 300  # rows, more than are notes
_LONG_CELL = MAX_ROW_CHARACTERS // MAX_COLUMNS  # bytes: no row of shorter ones is too long
_AT_ONCE = 250  # rows: lists of more would set off Python's garbage collector again and again
_ENDLESS = "endless line"
_MOSTLY = 0.8  # share of rows below titles that are of one width
_SNIFFED_CHARACTERS = 2**16
_LIKE_A_NUMBER = re.compile(r"[+\-−]?[.,]?\d[\d.,'’_ \u00a0\u202f]*(e[+-]?\d+)?", re.IGNORECASE)


def batches(
    text: str, delimiter: str, first_row: int = 1, progress: Progress | None = None
) -> Iterator[tuple[int, Any]]:
    r"""Yield the number of a row, and its cells and those of the next rows; of blank ones none.

    Cells are lists, or an Arrow table of many rows.  ``text`` has line ends ``\n`` only; its first
    row has the number ``first_row``.
    """
    row, progress, lines = first_row, part_of(progress, 0.0, 1.0), _Lines(text)
    marked = '"' in text
    spaced = marked and f'{delimiter} "' in text
    reader = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=spaced)
    to_pack = len(text) > _LONG and not marked

    def refuse_many(row: int) -> None:
        if row > first_row + MAX_ROWS + 1:  # a header comes on top
            raise IngestError(
                f"The file has more than {MAX_ROWS:,} rows, the limit: {COUNT_FIRST}."
            )

    ended = False
    while not ended:
        rows: list[list[str]] = []
        problem = None
        try:
            rows.extend(islice(reader, _AT_ONCE))
            ended = not rows
        except csv.Error as error:
            problem = _refusal(row + len(rows), error)
            ended = True
        progress(lines.tell() / max(len(text), 1))
        refuse_many(row + len(rows))
        for n, cells in enumerate(rows):
            if cells and not cells[0].strip() and not "".join(cells).strip():
                rows[n] = []
        row += len(rows)
        if rows:
            yield row - len(rows), rows
        if problem is not None:
            raise problem
        width = next((len(cells) for cells in reversed(rows) if cells), 0)
        if to_pack and width and row > first_row + _READ_FIRST:
            to_pack = False
            table = _packed(text, lines, delimiter, width)
            if table is not None:
                row += table.num_rows
                refuse_many(row)
                yield row - table.num_rows, table


class _Lines:
    """Lines of a text, of which not all are held at once; one that is too long is an error."""

    def __init__(self, text: str):
        self._text, self._begin, self._some = text, 0, io.StringIO()

    def __iter__(self) -> Iterator[str]:
        while (begin := self.tell()) < len(self._text):
            end = min(begin + MAX_ROW_CHARACTERS, len(self._text))
            if end < len(self._text):
                end = self._text.rfind("\n", begin, end) + 1
            if not end:
                raise csv.Error(_ENDLESS)
            self._begin, self._some = begin, io.StringIO(self._text[begin:end])
            yield from self._some

    def tell(self) -> int:
        """Return where the next line begins."""
        return self._begin + self._some.tell()

    def seek(self, place: int) -> None:
        """Go on with the line that begins at a place."""
        self._begin = place - self._some.seek(0, io.SEEK_END)


def _packed(text: str, lines: _Lines, delimiter: str, width: int) -> Any:
    """Read all lines but the last ones as an Arrow table; None unless all rows are plain."""
    import pyarrow
    from pyarrow import compute, csv as reader  # here: only long texts need it

    begin, end = lines.tell(), len(text)
    for _ in range(_READ_LAST):
        end = text.rfind("\n", begin, end)
    if end - begin < _LONG:
        return None
    try:
        table = reader.read_csv(
            io.BytesIO(text[begin : end + 1].encode()),
            reader.ReadOptions(use_threads=False, column_names=[*map(str, range(width))]),
            reader.ParseOptions(
                delimiter=delimiter, quote_char=False, double_quote=False, ignore_empty_lines=False
            ),
            reader.ConvertOptions(
                column_types=dict.fromkeys(map(str, range(width)), pyarrow.string()),
                strings_can_be_null=False,
            ),
        )
    except pyarrow.ArrowInvalid:  # of another width: the other reader says which row
        return None
    longest = (compute.max(compute.binary_length(column)).as_py() for column in table.columns)
    if max(longest) > _LONG_CELL:
        return None
    lines.seek(end + 1)
    return table


def _refusal(row: int, error: csv.Error) -> IngestError:
    if "expected after" in str(error):
        problem = "has text after a closing quotation mark: double every mark inside a name"
    elif "field limit" in str(error):
        problem = "has a cell of more than 100,000 characters: close its quotation mark"
    elif str(error) == _ENDLESS:
        problem = (
            f"has more than {MAX_ROW_CHARACTERS:,} characters: close its quotation mark, or check "
            "that the file is a table with one item per row"
        )
    else:
        problem = "opens a quotation mark that is never closed: close or remove it"
    return IngestError(f"Row {row} {problem}.")


def find_delimiter(text: str) -> str:
    """Return the delimiter that splits most first rows alike, with a column of numbers."""
    sample = text[:_SNIFFED_CHARACTERS]
    if len(sample) < len(text) and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    best, best_fit, lists = ",", (False, 0.0), False
    for delimiter in DELIMITERS:
        reader = csv.reader(unix_lines(sample).split("\n"), delimiter=delimiter)
        rows = [cells for cells in islice(reader, 200) if any(map(str.strip, cells))]
        fit = _fit(rows)
        lists = lists or fit[1] < 0
        if fit > best_fit:
            best, best_fit = delimiter, fit
    if lists and not best_fit[1]:  # one column, whose cells may hold commas
        return next((one for one in ",;\t" if one not in sample), best)
    return best


def _fit(rows: list[list[str]]) -> tuple[bool, float]:
    """Return whether a column has numbers, and the share of rows of the commonest width above 1.

    Of lists in one column it is negative.
    """
    if not rows:
        return False, 0.0
    width, n_alike = Counter(map(len, rows)).most_common(1)[0]
    wide = [cells for cells in rows if len(cells) > 1]
    alike = [cells for cells in wide if width in (1, len(cells))]
    numbers = any(numeric_share(column) >= 0.5 for column in zip(*alike[1:] or alike, strict=False))
    below = rows[rows.index(wide[0]) :] if wide and len(rows[0]) == 1 and not numbers else []
    if sum(len(cells) == width > 1 for cells in below) < _MOSTLY * len(below):
        return False, -1.0  # below titles all are alike; lists of words in one column are not
    return (False, 0.0) if width == 1 else (numbers, n_alike / len(rows))


def like_a_number(cell: str) -> bool:
    """Return whether a cell was probably meant as a number, even if badly written."""
    return _LIKE_A_NUMBER.fullmatch(cell.strip()) is not None


def numeric_share(cells: Iterable[str]) -> float:
    """Return the share of the non-blank cells that look like numbers."""
    filled = [cell for cell in cells if cell.strip()]
    return sum(map(like_a_number, filled)) / len(filled) if filled else 0.0


def column_labels(header: list[str] | None, width: int) -> tuple[str, ...]:
    """Return distinct labels of the columns, from the header or "column 1", "column 2", ..."""
    numbered = [f"column {number}" for number in range(1, width + 1)]
    if header is None:
        return tuple(numbered)
    labels = [
        shown(cell, MAX_NAME) or number for cell, number in zip(header, numbered, strict=True)
    ]
    times = Counter(labels)
    return tuple(
        label if times[label] == 1 else f"{label} ({number})"
        for label, number in zip(labels, numbered, strict=True)
    )
