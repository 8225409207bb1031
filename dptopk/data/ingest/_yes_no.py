"""Recognize yes and no in a table with a column for each item and a row for each user."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dptopk.core.array_types import BoolArray
from dptopk.data.ingest._missing import is_missing
from dptopk.data.ingest._text_column import TextColumn

_PAIRS = tuple(  # yes first; of some only that is said
    tuple(pair.split())
    for pair in ("1 0", "yes no", "y n", "true false", "x", "✓", "ja nein", "oui non", "sí no")
)
_USUAL = frozenset(yes for yes, *_ in _PAIRS)
_NO = frozenset(no for _, *rest in _PAIRS for no in rest)
_MOST_OTHERS = 3  # words beside yes and no, such as "don't know" and "no answer"
_FEWEST = 0.5  # of the answers in a column are yes or no, where some are not
_NO_ANSWERS = {*["8", "9", "77", "88", "98", "99", "888", "998", "999", "-1", "-8", "-9", "-99"]}
"""Numbers by which surveys code that there is no answer."""


class Answers(NamedTuple):
    """Words of a column of answers."""

    yes: tuple[str, ...]  # in small letters
    others: list[str]  # neither yes nor no
    usual: bool = True  # whether those for yes are usual words for it

    @classmethod
    def of_item(cls, label: str, cells: TextColumn) -> "Answers":
        """Return the answers of an item: yes is a usual word for it or the label, all else no.

        What others say in the column makes no difference, so that a user changes no answer of
        another.
        """
        words = _said(cells.texts)
        yes = words & {*_USUAL, label.strip().casefold()} - _NO  # such as NO for Norway
        texts = (cell.strip() for cell in cells.texts)
        others = [cell for cell in texts if cell.casefold() in words - yes - _NO - _NO_ANSWERS]
        return cls((*sorted(yes),), others)

    def rows_that_say_yes(self, cells: TextColumn) -> BoolArray:
        """Return for each row whether its cell says yes; a missing or another one does not."""
        return cells.rows_where(lambda cell: cell.strip().casefold() in self.yes)


def answers_in(
    columns: Mapping[int, TextColumn], labels: Sequence[str | None]
) -> dict[int, Answers]:
    """Return the columns of answers: yes or no, few other words, or one word and nothing.

    Beside usual words for yes, a word that is none is a remark, unless it is the column's label.
    """
    by_column = {column: _answers(cells) for column, cells in columns.items()}
    answers = {column: said for column, said in by_column.items() if said is not None}
    if any(said.usual for said in answers.values()):
        for column, answer in [*answers.items()]:
            if not answer.usual and answer.yes != ((labels[column] or "").strip().casefold(),):
                del answers[column]
    return answers


def says_yes_or_no(cells: Iterable[str]) -> bool:
    """Return whether cells say both yes and no, as in 1 and 0, or one word and nothing, as in x."""
    cells = [*cells]
    words = _said(cells)
    return one_word_or_blank(cells) or (bool(_pairs(words)) and len(words) == 2)


def one_word_or_blank(cells: Sequence[str]) -> bool:
    """Return whether cells hold one word, which says yes, or nothing."""
    return len(_said(cells)) == 1 and any(not cell.strip() for cell in cells)


def _answers(cells: TextColumn) -> Answers | None:
    """Return what a column of answers says; None for another one."""
    words = _said(cells.texts)
    if pairs := _pairs(words):
        return Answers(pairs[0][:1], [])
    if one_word_or_blank(cells.texts):
        return Answers((*words,), [], usual=False)
    if len(words) > 2 + _MOST_OTHERS:
        return None
    rows: Counter[str] = Counter()
    for text, n in cells.n_rows.items():
        rows[text.strip().casefold()] += 0 if is_missing(text) else n
    for pair in _PAIRS:
        if len(pair) < 2 or not words.issuperset(pair):
            continue
        others = words - {*pair}
        numbers = {word for word in others if word.lstrip("+-").replace(".", "").isdecimal()}
        enough = sum(rows[word] for word in pair) >= _FEWEST * rows.total()
        if enough and numbers <= _NO_ANSWERS:
            texts = (cell.strip() for cell in cells.texts)
            return Answers(pair[:1], [cell for cell in texts if cell.casefold() in others])
    return None


def _said(cells: Iterable[str]) -> set[str]:
    """Return the different words in cells, in small letters."""
    return {cell.strip().casefold() for cell in set(cells) if not is_missing(cell)}


def _pairs(words: set[str]) -> list[tuple[str, ...]]:
    return [pair for pair in _PAIRS if words and words <= {*pair}]
