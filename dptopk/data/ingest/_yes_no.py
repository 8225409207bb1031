"""Recognise yes and no in a table with a column for each item and a row for each user."""

from collections import Counter
from collections.abc import Iterable, Sequence

from dptopk.core.array_types import BoolArray
from dptopk.data.ingest._missing import is_missing
from dptopk.data.ingest._text_column import TextColumn

_PAIRS = tuple(  # yes first; of some only that is said
    tuple(pair.split())
    for pair in ("1 0", "yes no", "y n", "true false", "x", "✓", "ja nein", "oui non", "sí no")
)

_MOST = 0.9  # of the answers in a column that are yes or no, where a few are not


def says_yes_or_no(cells: Sequence[str]) -> bool:
    """Return whether cells say both yes and no, as in 1 and 0, or one word and nothing, as in x."""
    words = _said(cells)
    return one_word_or_blank(cells) or (bool(_pairs(words)) and len(words) == 2)


def one_word_or_blank(cells: Sequence[str]) -> bool:
    """Return whether cells hold one word, which says yes, or nothing."""
    return len(_said(cells)) == 1 and any(not cell.strip() for cell in cells)


def is_answered(cells: Sequence[str]) -> bool:
    """Return whether all cells of a column are yes or no; all may be the same."""
    return says_yes_or_no(cells) or bool(_pairs(_said(cells)))


def other_answers(cells: TextColumn) -> list[str]:
    """Return what few cells say beside yes and no, such as "don't know"; empty if none or many."""
    pair = _main_pair(cells)
    others = [cell.strip() for cell in cells.texts if not is_missing(cell)]
    return [cell for cell in others if pair and cell.casefold() not in pair]


def rows_that_say_yes(cells: TextColumn) -> BoolArray:
    """Return for each row whether its cell says yes; a missing or another one does not."""
    words = _said(cells.texts)
    words -= {no for _, *nos in _pairs(words) for no in nos}
    if pair := _main_pair(cells):
        words = {pair[0]}
    return cells.rows_where(lambda cell: cell.strip().casefold() in words)


def _main_pair(cells: TextColumn) -> tuple[str, ...]:
    """Return the words for yes and no that most cells say, where some say something else."""
    rows: Counter[str] = Counter()
    for text, n in cells.n_rows.items():
        rows[text.strip().casefold()] += 0 if is_missing(text) else n
    if _pairs(_said(cells.texts)):
        return ()
    found = (pair for pair in _PAIRS if len(pair) == 2 and all(rows[word] for word in pair))
    most = _MOST * rows.total()
    return next((pair for pair in found if sum(rows[word] for word in pair) >= most), ())


def _said(cells: Iterable[str]) -> set[str]:
    """Return the different words in cells, in small letters."""
    return {cell.strip().casefold() for cell in set(cells) if not is_missing(cell)}


def _pairs(words: set[str]) -> list[tuple[str, ...]]:
    """Return the words for yes and no that these are of."""
    return [pair for pair in _PAIRS if words and words <= {*pair}]
