"""Detect and split cells that hold several items, such as multiple answers in a survey.

A separator counts as one of a list where many cells hold it, where the pieces recur in other
cells, and where the same piece comes first in one cell and later in another: towns with their
country, or names written "last, first", do not.  Options of a survey may hold commas themselves:
pieces that always stand side by side, as in "Me, myself and I", may be one, and names of a public
list are never split.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import chain, combinations, pairwise

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.numerals import plural
from dptopk.data.ingest._error import JOIN, LIST_MARKS, Ambiguity, Dialogue, Reply
from dptopk.data.ingest._plain import shown
from dptopk.data.ingest._text_column import TextColumn

LISTS, END_OF_ELEMENT = "lists", "\x1f"
"""Answer for a column of lists, and what ends each element of one where it is written as text."""
_MANY = 0.02  # share of the filled cells
_FEW = 2  # cells
_N_LOOKED_AT = 20_000  # different cells
_EITHER_PLACE = 0.3  # share of the later pieces that come first elsewhere
_N_SHOWN = 3


def ask_pieces(names: TextColumn, label: str, dialogue: Dialogue) -> str:
    """Return how to split cells that may be lists of items, or that they are none."""
    signs, answer = _found(names), dialogue.answers.get("split")
    if not signs and answer in (None, Reply.WHOLE):
        return Reply.WHOLE
    choices = [
        JOIN.join(some) for size in range(len(signs), 0, -1) for some in combinations(signs, size)
    ]
    if Reply.OPTIONS in signs:  # no signs beside others
        choices = [Reply.OPTIONS, *(choice for choice in choices if Reply.OPTIONS not in choice)]
    if answer is not None and answer != Reply.WHOLE and answer not in choices:
        choices.insert(0, answer)
    split = _pieces(names.texts, choices[0], dialogue.known)
    many = [place for place, parts in enumerate(split) if len(parts) > 1]
    example = shown(names.texts[many[0]]) if many else ""
    n_many = sum(names.times[place] for place in many)
    pieces = set(chain.from_iterable(split))
    mean = sorted(pieces)[:_N_SHOWN]
    some = ", ".join(f'"{shown(piece)}"' for piece in mean)
    options = {
        choice: f"several items: split them at each {choice.replace(JOIN, ' and each ')}"
        for choice in choices
    }
    if Reply.OPTIONS in options:
        options[Reply.OPTIONS] = (
            "several items: split them at commas, but not what always stands together"
        )
    question = Ambiguity(
        "split",
        f'{plural(n_many, "cell")} of column "{shown(label)}" may hold several items, such as '
        f'"{example}": if split, they are {len(pieces):,} different items, such as '
        f"{some}; if not, {len(set(map(str.strip, names.texts)) - {''}):,}.",
        options | {Reply.WHOLE: "one item: keep each cell as it is"},
    )
    answer = dialogue.ask(question)
    if answer != Reply.WHOLE:
        dialogue.notes.append(f"{question.sentence} They were split.")
    if answer == Reply.OPTIONS and not dialogue.known:
        dialogue.notes.append(
            "What always stands together was found in all cells, where one user can change it for "
            "all: with a public list of items each cell is split alone."
        )
    return answer


def split_cells(
    names: TextColumn, answer: str, known: Collection[str] = ()
) -> tuple[TextColumn, IntArray]:
    """Return the distinct pieces of each cell, with the row of each piece.

    A cell without any piece remains, blank; ``known`` names of items remain whole, and then each
    cell is split alone.
    """
    split = [parts or [""] for parts in _pieces(names.texts, answer, known)]
    pieces = TextColumn.of(chain.from_iterable(split))
    lengths = np.array([*map(len, split)])
    begins = np.cumsum(lengths) - lengths
    n_of_rows = lengths[names.codes]
    rows = np.repeat(np.arange(len(names)), n_of_rows)
    within = np.arange(rows.size) - np.repeat(np.cumsum(n_of_rows) - n_of_rows, n_of_rows)
    return pieces.at(begins[names.codes[rows]] + within), rows


def _pieces(cells: Iterable[str], answer: str, known: Collection[str] = ()) -> list[list[str]]:
    """Return the distinct pieces of each different cell that are not blank."""
    names = ["comma"] if answer == Reply.OPTIONS else answer.split(JOIN)
    marks = LIST_MARKS | {LISTS: END_OF_ELEMENT}
    mark = "[" + "".join(marks[name] for name in names) + "]"
    split, parted = re.compile(mark).split, re.compile(f"({mark})").split
    lengths = {name: len(parted(name)) for name in known if re.search(mark, name)}
    if lengths:
        split = partial(_of_list, parted, lengths.keys(), max(lengths.values()))
    pieces = [list(dict.fromkeys(filter(None, map(str.strip, split(cell))))) for cell in cells]
    if answer == Reply.OPTIONS and not known:  # else all others would decide what a cell holds
        _join(pieces)
    return pieces


def _of_list(
    parted: Callable[[str], list[str]], known: Collection[str], most: int, cell: str
) -> list[str]:
    """Return the pieces of a cell, where known names of at most so many parts remain whole.

    Each second part is a mark.
    """
    parts, place, pieces = parted(cell), 0, []
    while place < len(parts):
        ends = range(min(place + most, len(parts)), place + 1, -2)
        end = next((end for end in ends if "".join(parts[place:end]).strip() in known), place + 1)
        pieces.append("".join(parts[place:end]))
        place = end + 1
    return pieces


def _join(lists: Collection[list[str]]) -> None:
    """Join pieces of which each always stands beside the other, in place."""
    before, after = defaultdict(set), defaultdict(set)
    for pieces in lists:
        for piece, following in pairwise(["", *pieces, ""]):
            after[piece].add(following)
            before[following].add(piece)
    for pieces in lists:
        joined: list[str] = []
        for last, piece in pairwise(["", *pieces]):
            if last and after[last] == {piece} and before[piece] == {last}:
                joined[-1] += f", {piece}"
            else:
                joined.append(piece)
        pieces[:] = joined


def example_of_lists(cells: Iterable[str]) -> str:
    """Return a cell with several items, if cells are lists of them; else nothing."""
    column = TextColumn.of(cells)
    separator = _found(column)
    split = _pieces(column.texts, separator[0]) if separator else []
    return next((text for text, pieces in zip(column.texts, split, strict=False) if pieces[1:]), "")


def _found(names: TextColumn) -> list[str]:
    """Return the names of the separators that make lists of the cells."""
    filled = names.rows_where(str.strip)
    least = max(_FEW, _MANY * int(filled.sum()))
    often, every = [], "".join(names.texts)
    for name, mark in LIST_MARKS.items():
        if mark not in every:
            continue
        held = [n for text, n in zip(names.texts, names.times, strict=True) if mark in text]
        if sum(held) >= least and len(held) >= _FEW:
            often.append(name)
    cells = names.texts[:_N_LOOKED_AT]
    lists = {name: _pieces(cells, name) for name in often}
    options = _pieces(cells, Reply.OPTIONS) if "comma" in often else []
    if options and options != lists["comma"]:
        lists[Reply.OPTIONS] = options
    return [name for name, split in lists.items() if _makes_lists(split)]


def _makes_lists(lists: Collection[list[str]]) -> bool:
    """Return whether pieces recur, and come first in one cell and later in another."""
    firsts = {own[0] for own in lists if own}
    later = list(chain.from_iterable(own[1:] for own in lists))
    n_either = sum(piece in firsts for piece in later)
    recur = len(set(chain.from_iterable(lists))) < sum(map(len, lists))
    return bool(later) and recur and n_either >= _EITHER_PLACE * len(later)
