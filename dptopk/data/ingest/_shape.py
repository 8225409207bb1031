"""Find title rows above a table's header and notes below its last row.

Reports carry a title, a date or a filter above the table.  Such a row has fewer filled cells than
the table, and the header stands below it; or it has one only.

Below it they carry a source or a note, in one cell.  A last row of one cell may as well be an item
whose count was forgotten: it is a note only if it begins with a word or a mark of notes, or if a
blank row parts it from the table and it reads like a sentence.

Limits: at most `MAX_TITLES` and `MAX_NOTES` rows; a table of one column has no title.
"""

import re
from collections import Counter
from collections.abc import Sequence

from dptopk.data.ingest._columns import names_a_column
from dptopk.data.ingest._tables import like_a_number

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
