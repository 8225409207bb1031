"""Render rankings side by side as an HTML table that fits phones and projectors.

Names are untrusted text; everything is escaped here.
"""

import re
from collections import Counter
from collections.abc import Mapping
from html import escape

import pandas as pd

AT_ONCE = 5
"""Number of compared columns that fit beside the truth; more are scrolled."""

_MOST, _END = 120, 8  # letters of a cell, and of its end, which is never left out
_SEEN, _FAR, _PART = 6, 16, 8  # of a beginning that shows, a longer end, what differs before it
_MARK = re.compile(r"[✓↕✗⊥] (?:\([^)]*\) )?")  # before the name in a compared cell
_COST = re.compile(r"(?P<mark>[↕✗⊥] )\((?P<sign>[+−])(?P<n>[\d,]+)\) ")
ON_A_SLIDE = 16
"""Rows that fit on a slide in one column; more stand in two columns, of one mechanism at a time."""

IN_TWO = 50
"""Rows that fit on a slide in two columns."""

_SLIDE = 85  # letters in large type across a slide, beside places and counts
_HIGH, _LINE = 0.6, 1.15  # of a row of a slide: its margins and each line, in sizes of the type
_DENSE = 1.3  # of a row in two columns, likewise
_HALF = 30  # letters of a name there

_MEANING = {"✓": "right", "↕": "moved", "✗": "foreign", "⊥": "empty"}


def written(
    frame: pd.DataFrame,
    name: str,
    main: str,
    compared: list[str],
    notes: Mapping[str, str] | None = None,
    *,
    slide: bool = False,
) -> str:
    """Render a table as HTML, one row per place; names are whole, and break into lines.

    A count error is said in words: "902 fewer" of an item with so much less than the place's own.
    Arguments are those of `show.Ranking`; ``name`` is the caption, for screen readers.  A table
    that fills a ``slide`` has names of two lines, in type as large as all rows together allow; with
    more than `ON_A_SLIDE` rows, two columns with names of one line.
    """
    notes = notes or {}
    if not slide:
        return _table(frame, name, main, compared, notes, _MOST, 0.0)
    if len(frame) > ON_A_SLIDE:
        middle = (len(frame) + 1) // 2
        halves = (frame.iloc[:middle], frame.iloc[middle:])
        columns = (_table(half, name, main, compared, notes, _HALF, _DENSE) for half in halves)
        return f'<div class="ranking-halves">{"".join(columns)}</div>'
    letters = 2 * (_SLIDE // (len(compared) + 1))
    return _table(frame, name, main, compared, notes, letters, 0.0)


def _table(
    frame: pd.DataFrame,
    name: str,
    main: str,
    compared: list[str],
    notes: Mapping[str, str],
    letters: int,
    dense: float,
) -> str:
    """Render one table; of ``letters`` for each name on a slide, in rows as high as ``dense``."""
    columns, kinds = [str(column) for column in frame], {}
    for column in columns:
        kinds[column] = "amount" if pd.api.types.is_numeric_dtype(frame[column]) else "name"
        if column in compared:
            kinds[column] = "compared" if column == main else "compared aside"
    head = "".join(
        f'<th scope="col" class="{kinds[column]}">{escape(column)}'
        + (f"<span>{escape(notes[column])}</span>" if column in notes else "")
        + "</th>"
        for column in columns
    )
    endings = _endings(
        {_name(text, kinds[at]) for at in columns for text in frame[at] if isinstance(text, str)}
    )
    rows = (
        "".join(_cell(row[column], kinds[column], letters, endings) for column in columns)
        for row in frame.to_dict("records")
    )
    body = "".join(f"<tr>{cells}</tr>" for cells in rows)
    wide = len(compared) > AT_ONCE
    look, given = ("ranking wide", f"--compared: {len(compared)}") if wide else ("ranking", "")
    if letters != _MOST:
        high = dense * (len(frame) + 2) or _height(frame, letters // 2)
        given = f"--high: {high:.1f}"
    table = (
        f'<table class="{look}" style="{given}"><caption>{escape(name)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    if not wide:
        return table
    return (  # the keyboard scrolls what it can reach
        f'<div class="ranking-scroll" tabindex="0" role="region" aria-label="{escape(name)}">'
        f"{table}</div>"
    )


def _name(text: str, kind: str) -> str:
    """Return the item of a cell, without its mark."""
    return _MARK.sub("", text, count=1) if kind.startswith("compared") else text


def _endings(names: set[str]) -> dict[str, tuple[int, str]]:
    """Return the length and text of the ending of each long name, all endings different.

    Names with equal beginnings and endings get longer endings; if these were too long, endings
    that start with the first difference; and if these are equal as well, numbers.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for name in sorted(name for name in names if len(name) > _FAR):
        groups.setdefault((name[:_SEEN], name[-_END:]), []).append(name)
    endings: dict[str, tuple[int, str]] = {}
    for group in groups.values():
        ends = {name: _ending(name, [one for one in group if one != name]) for name in group}
        often = Counter(end for _, end in ends.values())
        for place, (name, (length, end)) in enumerate(ends.items(), 1):
            numbered = _END, f"{name[-_END:]} {place}"
            endings[name] = numbered if often[end] > 1 else (length, end)
    return endings


def _ending(name: str, alike: list[str]) -> tuple[int, str]:
    """Return the length and text of a name's ending, given names that begin and end alike."""
    length = max(_END, 1 + max((_common(one[::-1], name[::-1]) for one in alike), default=0))
    if length <= _FAR:
        return length, name[-length:]
    begin = max(max(_common(one, name) for one in alike) - 2, 0)
    return max(len(name) - begin, _END), f"{name[begin : begin + _PART]}…{name[-_END:]}"


def _common(one: str, other: str) -> int:
    """Return the length of the longest common prefix of two names."""
    pairs = zip(one, other, strict=False)
    alike = (place for place, (a, b) in enumerate(pairs) if a != b)
    return next(alike, min(len(one), len(other)))


def _cell(value: object, kind: str, letters: int, endings: Mapping[str, tuple[int, str]]) -> str:
    text = value if isinstance(value, str) else f"{value:,}"
    length, end = endings.get(_name(text, kind), (_END, text[-_END:]))
    compared = kind.startswith("compared")
    mark = _MEANING.get(text[:1], "") if compared else ""
    cost = _COST.match(text) if compared else None
    named = f"{cost['mark']}{text[cost.end() :]}" if cost else text
    words = escape(_in_letters(named, letters, length, end))
    if cost:
        words += f" <small>{cost['n']} {'fewer' if cost['sign'] == '+' else 'more'}</small>"
    return f'<td class="{f"{kind} {mark}".strip()}" title="{escape(text)}">{words}</td>'


def _in_letters(text: str, letters: int, length: int, end: str) -> str:
    """Shorten a text to a number of letters, leaving out those before its end."""
    if len(text) <= letters:
        return text
    begin = text[: min(max(letters - len(end) - 1, _SEEN), len(text) - length)]
    return f"{begin.rstrip()}…{end.lstrip()}"


def _height(frame: pd.DataFrame, letters: int) -> float:
    """Return the height of all rows and the head of two lines, in sizes of the type."""
    longest = frame.astype(str).map(len).max(axis=1)
    return (_HIGH + _LINE) * (len(frame) + 1) + _LINE * float((longest > letters).sum() + 1)
