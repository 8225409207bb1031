"""Detect and split cells that hold several items, such as multiple answers in a survey.

A separator counts as one of a list where many cells hold it, where the pieces recur in other
cells, and where the same piece comes first in one cell and later in another: towns with their
country, or names written "last, first", do not.  Options of a survey may hold commas themselves:
pieces that always stand side by side, as in "Me, myself and I", may be one.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, combinations, pairwise

from dptopk.core.cancellation import pause
from dptopk.core.numerals import plural
from dptopk.data.ingest._error import Question
from dptopk.data.ingest._plain import shown

WHOLE = "none"
_MARKS = {"semicolon": ";", "bar": "|", "comma": ","}
LISTS, END_OF_ELEMENT = "lists", "\x1f"
"""Answer for a column of lists, and what ends each element of one where it is written as text."""
_JOIN = "+"
_OPTIONS = "options"
SEPARATORS = (
    *(
        _JOIN.join(some)
        for size in range(len(_MARKS), 0, -1)
        for some in combinations(_MARKS, size)
    ),
    _OPTIONS,
)
"""Answers that split cells: one separator, several of them, or commas between options."""

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
    if _OPTIONS in found:  # no separator beside others
        choices = [_OPTIONS, *(choice for choice in choices if _OPTIONS not in choice)]
    if answer is not None and answer != WHOLE and answer not in choices:
        choices.insert(0, answer)
    split = _pieces(names, choices[0])
    many = [name for name in names if len(split[name]) > 1]
    example = shown(next(iter(many), ""))
    pieces = set(chain.from_iterable(split.values()))
    mean = sorted(pieces)[:_N_SHOWN]
    some = ", ".join(f'"{shown(piece)}"' for piece in mean)
    options = {
        choice: f"several items: split them at each {choice.replace(_JOIN, ' and each ')}"
        for choice in choices
    }
    if _OPTIONS in options:
        options[_OPTIONS] = (
            "several items: split them at commas, but not what always stands together"
        )
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
    split = _pieces(names, answer)
    pieces: list[str] = []
    cells = array("q")
    for i, name in enumerate(names):
        if not i % 4096:
            pause()
        own = split[name] or [""]
        pieces += own
        cells.extend([i] * len(own))
    return pieces, cells


def _pieces(cells: Iterable[str], answer: str) -> dict[str, list[str]]:
    """Return the distinct pieces of each different cell that are not blank."""
    names = ["comma"] if answer == _OPTIONS else answer.split(_JOIN)
    marks = _MARKS | {LISTS: END_OF_ELEMENT}
    pattern = re.compile("[" + "".join(marks[name] for name in names) + "]")
    pieces = {}
    for i, cell in enumerate(dict.fromkeys(cells)):
        if not i % 4096:
            pause()
        pieces[cell] = list(dict.fromkeys(filter(None, map(str.strip, pattern.split(cell)))))
    if answer == _OPTIONS:
        _join(pieces.values())
    return pieces


def _join(lists: Collection[list[str]]) -> None:
    """Join pieces of which each always stands beside the other, in place."""
    before, after = defaultdict(set), defaultdict(set)
    for own in lists:
        for piece, following in pairwise(["", *own, ""]):
            after[piece].add(following)
            before[following].add(piece)
    for own in lists:
        joined: list[str] = []
        for last, piece in pairwise(["", *own]):
            if last and after[last] == {piece} and before[piece] == {last}:
                joined[-1] += f", {piece}"
            else:
                joined.append(piece)
        own[:] = joined


def _found(names: Sequence[str]) -> list[str]:
    """Return the names of the separators that make lists of the cells."""
    held = {name: [text for text in names if mark in text] for name, mark in _MARKS.items()}
    n_filled = sum(map(bool, map(str.strip, names)))
    least = max(_FEW, _MANY * n_filled)
    often = [name for name in held if len(held[name]) >= least and len(set(held[name])) >= _FEW]
    cells = list(dict.fromkeys(names))[:_N_LOOKED_AT] if often else []
    lists = {name: _pieces(cells, name) for name in often}
    options = _pieces(cells, _OPTIONS) if "comma" in often else {}
    if options and options != lists["comma"]:
        lists[_OPTIONS] = options
    return [name for name, split in lists.items() if _makes_lists(split.values())]


def _makes_lists(lists: Collection[list[str]]) -> bool:
    """Return whether pieces recur, and come first in one cell and later in another."""
    firsts = {own[0] for own in lists if own}
    later = list(chain.from_iterable(own[1:] for own in lists))
    n_either = sum(piece in firsts for piece in later)
    recur = len(set(chain.from_iterable(lists))) < sum(map(len, lists))
    return bool(later) and recur and n_either >= _EITHER_PLACE * len(later)
