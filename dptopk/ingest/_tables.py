"""From text to rows: delimiter, header, and which columns hold items and counts.

Everything is read by `csv.reader`, one row at a time, so that memory depends on the
longest row and the columns asked for and not on the number of cells.  Row numbers
are those a spreadsheet shows: from 1, blank rows included.

Limits: the guesses look at the first 1,000 rows and at words in the header; they are
guesses, and the caller can overrule each of them.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from dptopk.ingest._error import IngestError
from dptopk.ingest._plain import shown

MAX_ROWS = 2_000_000
"""Largest number of rows, blank ones included, the header not."""
MAX_COLUMNS = 200
"""Largest number of columns."""
MAX_ROW_CHARACTERS = 1_000_000
"""Largest number of characters in one row."""

DELIMITERS = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "vertical bar"}
"""Delimiters recognised, with their names; of two that fit equally, the first is taken."""

_SNIFFED_CHARACTERS = 2**16
_LIKE_A_NUMBER = re.compile(r"[+\-−]?[.,]?\d[\d.,'’_ \u00a0\u202f]*(e[+-]?\d+)?", re.IGNORECASE)
_FRACTION = re.compile(r"\d*[.,]\d{1,2}|\d*[.,]\d{4,}")


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ITEM_WORDS = _word_set("item items label name names product title")
_WEAK_ITEM_WORDS = _word_set(
    "album anime app artist article book brand category city country game genre id key keyword "
    "movie page query song species tag term token topic track tweet url word"
)
_COUNT_WORDS = _word_set("count counts freq frequency frequencies n tally users")
_WEAK_COUNT_WORDS = _word_set(
    "buyers clicks customers downloads favorites favourites followers hits likes listeners "
    "members num number occurrences orders owners people players plays purchases quantity "
    "ratings readers reviews sales shares total value views visitors visits voters votes watchers"
)
_UNLIKELY_COUNT_WORDS = _word_set(
    "age average avg code day lat latitude lon longitude mean median month pages percent price "
    "rank row score share year zip"
)
_NEVER_COUNT_WORDS = _word_set(
    "date id ids index isbn isbn13 item movie rating time timestamp user userid"
)


def records(text: str, delimiter: str, first_row: int = 1) -> Iterator[tuple[int, list[str]]]:
    r"""Yield row number and cells of every row; blank rows have no cells.

    ``text`` has line ends ``\n`` only; its first row has the number ``first_row``.
    """
    row = first_row - 1
    last_row = first_row + MAX_ROWS  # a header comes on top
    n_pending = 0

    def lines() -> Iterator[str]:
        nonlocal n_pending
        start = 0
        while start < len(text):
            end = text.find("\n", start) + 1 or len(text)
            n_pending += end - start
            if n_pending > MAX_ROW_CHARACTERS:
                raise IngestError(
                    f"Row {row + 1} has more than {MAX_ROW_CHARACTERS:,} characters: close its "
                    "quotation mark, or check that the file is a table with one item a row."
                )
            yield text[start:end]
            start = end

    reader = csv.reader(
        lines(), delimiter=delimiter, strict=True, skipinitialspace=f'{delimiter} "' in text
    )
    try:
        for cells in reader:
            row += 1
            n_pending = 0
            if row > last_row:
                raise IngestError(
                    f"The file has more than {MAX_ROWS:,} rows, the most accepted: keep the items "
                    "with the largest counts."
                )
            if cells and not cells[0].strip() and not "".join(cells).strip():
                cells = []
            yield row, cells
    except csv.Error as error:
        if "expected after" in str(error):
            problem = "has text after a closing quotation mark: double every mark inside a name"
        elif "field limit" in str(error):
            problem = "has a cell of more than 100,000 characters: close its quotation mark"
        else:
            problem = "opens a quotation mark that is never closed: close or remove it"
        raise IngestError(f"Row {row + 1} {problem}.") from error


def find_delimiter(text: str) -> str:
    """Choose the delimiter that cuts most of the first rows alike, with a column of numbers."""
    sample = text[:_SNIFFED_CHARACTERS]
    if len(sample) < len(text) and "\n" in sample:
        sample = sample[: sample.rindex("\n")]
    best, best_fit = ",", (False, 0.0)
    for delimiter in DELIMITERS:
        reader = csv.reader(sample.split("\n"), delimiter=delimiter)
        rows = [cells for cells in islice(reader, 200) if any(map(str.strip, cells))]
        fit = _fit(rows)
        if fit > best_fit:
            best, best_fit = delimiter, fit
    return best


def _fit(rows: list[list[str]]) -> tuple[bool, float]:
    """Whether a column holds numbers, and the share of rows of the commonest width above 1."""
    if not rows:
        return False, 0.0
    width, n_alike = Counter(map(len, rows)).most_common(1)[0]
    if width == 1:
        return False, 0.0
    alike = [cells for cells in rows if len(cells) == width]
    numbers = any(numeric_share(column) >= 0.5 for column in zip(*alike[1:] or alike, strict=True))
    return numbers, n_alike / len(rows)


def like_a_number(cell: str) -> bool:
    """Whether a cell was probably meant as a number, well written or not."""
    return _LIKE_A_NUMBER.fullmatch(cell.strip()) is not None


def numeric_share(cells: Iterable[str]) -> float:
    """Share of the cells that are not blank and look like numbers."""
    filled = [cell for cell in cells if cell.strip()]
    return sum(map(like_a_number, filled)) / len(filled) if filled else 0.0


def has_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: no number in it, or a word such as "item"."""
    if not any(map(like_a_number, rows[0])):
        return True
    return any(_words(cell) and _words(cell) <= _ITEM_WORDS for cell in rows[0])


def names_a_column(cell: str) -> bool:
    """Whether a cell is made of words that headers use for items or counts."""
    words = _words(cell)
    known = _ITEM_WORDS | _WEAK_ITEM_WORDS | _COUNT_WORDS | _WEAK_COUNT_WORDS
    return bool(words) and words <= known


def column_labels(header: list[str] | None, width: int) -> tuple[str, ...]:
    """Distinct labels of the columns: from the header, else "column 1", "column 2", ..."""
    numbered = [f"column {number}" for number in range(1, width + 1)]
    if header is None:
        return tuple(numbered)
    labels = [shown(cell, 100) or number for cell, number in zip(header, numbered, strict=True)]
    times = Counter(labels)
    return tuple(
        label if times[label] == 1 else f"{label} ({number})"
        for label, number in zip(labels, numbered, strict=True)
    )


def guess_columns(header: list[str] | None, rows: list[list[str]]) -> tuple[int | None, int]:
    """Positions of the item column (None: number the items) and of the count column.

    Raises
    ------
    IngestError
        If no column can hold counts.
    """
    width = len(rows[0])
    columns = list(zip(*rows, strict=True))
    shares = [numeric_share(column) for column in columns]
    words = [_words(cell) for cell in header] if header else [frozenset()] * width
    if width == 1 and shares[0] < 0.5:
        raise IngestError(
            "The file has only one column and it does not hold numbers: separate items and counts "
            "by a comma, semicolon, tab or vertical bar."
        )
    candidates = [
        c for c in range(width) if shares[c] >= 0.5 or (shares[c] > 0 and words[c] & _COUNT_WORDS)
    ]
    if not candidates:
        raise IngestError(
            "No column holds numbers: a column with a count for each item is needed (a list of "
            "users and items must be counted first)."
        )
    count = max(candidates, key=lambda c: (_count_score(words[c], columns[c]), c))
    if header and width > 1 and _word_score(words[count]) == -2:
        raise IngestError(
            f'No column looks like counts (the last with numbers is "{shown(header[count])}"): '
            'add a column named "count"; a list of users and items must be counted first.'
        )
    others = [c for c in range(width) if c != count]
    if not others:
        return None, count
    return max(others, key=lambda c: (_item_score(words[c], columns[c], shares[c]), -c)), count


def _count_score(words: frozenset[str], cells: tuple[str, ...]) -> int:
    """Words of the header first; then whole numbers that do not simply number the rows."""
    score = 3 * _word_score(words)
    score -= any(_FRACTION.fullmatch(cell.strip()) for cell in cells)
    return score - _numbers_the_rows(cells)


def _word_score(words: frozenset[str]) -> int:
    """From 2, surely counts, to -2, surely something else."""
    if words & _COUNT_WORDS:
        return 2
    if words & _NEVER_COUNT_WORDS:
        return -2
    if words & _UNLIKELY_COUNT_WORDS:
        return -1
    return int(bool(words & _WEAK_COUNT_WORDS))


def _item_score(words: frozenset[str], cells: tuple[str, ...], share: float) -> float:
    """Text rather than numbers (an "id" less than a name), the header, how many cells differ."""
    score = 3.0 * bool(words & _ITEM_WORDS) + 2.0 * bool(words & _WEAK_ITEM_WORDS)
    filled = [cell for cell in cells if cell.strip()]
    return score + 2.5 * (share < 0.5 and bool(filled)) + len(set(filled)) / len(cells)


def _numbers_the_rows(cells: tuple[str, ...]) -> bool:
    """Whether the column is 0, 1, 2, ... or 1, 2, 3, ..."""
    return len(cells) > 1 and any(
        all(cell.strip() == str(n) for n, cell in enumerate(cells, start)) for start in (0, 1)
    )


def _words(cell: str) -> frozenset[str]:
    """Words of a header cell: "ratings_count" and "ratingsCount" are {"ratings", "count"}."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", cell)
    return frozenset(re.findall(r"[^\W_]+", spaced.lower()))
