"""Where a table begins: title rows above its header.

Reports carry a title, a date or a filter above the table.  Such a row has fewer filled cells than
the table, and the header stands below it; or it has one only.

Limits: at most `MAX_TITLES` rows; a table of one column has no title.
"""

from collections import Counter
from collections.abc import Sequence

from dptopk.ingest._columns import names_a_column
from dptopk.ingest._tables import like_a_number

MAX_TITLES = 20
"""Largest number of title rows looked for."""


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows, none of them blank, stand above the table."""
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
    """Whether a row above a full one is a title; if that is no header, it may be the header."""
    begins = bool(row[0].strip())
    return begins and (named or (len(cells) == 1 and not names_a_column(cells[0])))
