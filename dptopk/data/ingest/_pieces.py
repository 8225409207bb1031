"""Detect and split cells that hold several items, such as multiple answers in a survey.

A separator counts as one of a list where many cells hold it, where the pieces recur in other
cells, and where the same piece comes first in one cell and later in another: towns with their
country, or names written "last, first", do not.
"""

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain, combinations

from dptopk.core.cancellation import pause
from dptopk.core.numerals import plural
from dptopk.data.ingest._error import Question
from dptopk.data.ingest._plain import shown

WHOLE = "none"
_MARKS = {"semicolon": ";", "bar": "|", "comma": ","}
_JOIN = "+"
SEPARATORS = tuple(
    _JOIN.join(names) for size in range(len(_MARKS), 0, -1) for names in combinations(_MARKS, size)
)
"""Answers that split cells: one separator, or several of them."""

_MANY = 0.02  # share of the filled cells
_FEW = 2  # cells
_N_LOOKED_AT = 20_000  # different cells
_EITHER_PLACE = 0.3  # share of the later pieces that come first elsewhere
_N_SHOWN = 3


def ask_pieces(names: Sequence[str], label: str, answer: str | None) -> Question | None:
    """Ask whether cells are lists of items; None where nothing indicates it."""
    found = _found(names)
    if not found and answer in (None, WHOLE):
        return None
    choices = [
        _JOIN.join(some) for size in range(len(found), 0, -1) for some in combinations(found, size)
    ]
    if answer is not None and answer != WHOLE and answer not in choices:
        choices.insert(0, answer)
    pattern = _pattern(choices[0])
    many = [name for name in names if len(_split(name, pattern)) > 1]
    example = shown(next(iter(many), ""))
    pieces = {piece for name in set(names) for piece in _split(name, pattern)}
    mean = sorted(pieces)[:_N_SHOWN]
    some = ", ".join(f'"{shown(piece)}"' for piece in mean)
    options = {
        choice: f"several items: split them at each {choice.replace(_JOIN, ' and each ')}"
        for choice in choices
    }
    return Question(
        "split",
        "Does a cell hold one item or several?",
        f'{plural(len(many), "cell")} of column "{label}" may hold several items, such as '
        f'"{example}": if split, they are {len(pieces):,} different items, such as '
        f"{some}; if not, {len(set(map(str.strip, names)) - {''}):,}.",
        options | {WHOLE: "one item: keep each cell as it is"},
        answer,
    )


def split_cells(names: Sequence[str], answer: str) -> tuple[list[str], Sequence[int]]:
    """Return the distinct pieces of each cell, with the position of the cell of each piece.

    A cell without any piece remains, blank.
    """
    pattern = _pattern(answer)
    pieces: list[str] = []
    cells = array("q")
    for i, name in enumerate(names):
        if not i % 4096:
            pause()
        own = _split(name, pattern) or [""]
        pieces += own
        cells.extend([i] * len(own))
    return pieces, cells


def _pattern(answer: str) -> re.Pattern[str]:
    return re.compile("[" + "".join(_MARKS[name] for name in answer.split(_JOIN)) + "]")


def _split(cell: str, pattern: re.Pattern[str]) -> list[str]:
    """Return the distinct pieces of a cell that are not blank."""
    return list(dict.fromkeys(filter(None, map(str.strip, pattern.split(cell)))))


def _found(names: Sequence[str]) -> list[str]:
    """Return the names of the separators that make lists of the cells."""
    held = {name: [text for text in names if mark in text] for name, mark in _MARKS.items()}
    n_filled = sum(map(bool, map(str.strip, names)))
    least = max(_FEW, _MANY * n_filled)
    often = [name for name, cells in held.items() if len(cells) >= least]
    if not often:
        return []
    cells = list(dict.fromkeys(names))[:_N_LOOKED_AT]
    return [
        name
        for name in often
        if len(set(held[name])) >= _FEW and _makes_lists(cells, _pattern(name))
    ]


def _makes_lists(cells: Iterable[str], pattern: re.Pattern[str]) -> bool:
    """Return whether pieces recur, and come first in one cell and later in another."""
    lists = [own for own in (_split(cell, pattern) for cell in cells) if own]
    firsts = {own[0] for own in lists}
    later = list(chain.from_iterable(own[1:] for own in lists))
    n_either = sum(piece in firsts for piece in later)
    several = [own for own in lists if len(own) > 1]
    n_pieces = len({piece for own in several for piece in own})
    recur = n_pieces < sum(map(len, several))
    return bool(later) and recur and n_either >= _EITHER_PLACE * len(later)
