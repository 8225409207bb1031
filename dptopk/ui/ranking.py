"""Rankings side by side, as a table of the page itself: it fits a phone and a projector.

Names are strangers' text, and everything is escaped here.
"""

from html import escape

import pandas as pd

AT_ONCE = 5
"""How many compared columns fit beside the truth; one scrolls through more."""

_LONG, _END = 20, 8  # letters of a cell that may be cut, and of its end, which never is
_PHONE, _BEGIN = 48, 32  # letters that a phone shows whole, and of the beginning of longer ones
_SLIDE = 85  # letters in large type across a slide, beside places and counts
_HIGH, _LINE = 0.6, 1.15  # of a row of a slide: its margins and each line, in sizes of the type

_MEANING = {"✓": "right", "↕": "moved", "✗": "foreign", "⊥": "empty"}


def written(
    frame: pd.DataFrame, name: str, beside: str, compared: list[str], *, slide: bool = False
) -> str:
    """Write a table out, one row a place; names too long for it are cut before their ends.

    Parameters
    ----------
    frame : pandas.DataFrame
        What to show; cells of the ``compared`` columns begin with the sign of their mark.
    name : str
        What the table is, for those who hear it.
    beside : str
        The one compared column that a phone has room for.
    compared : list of str
        Columns that are compared with the others.
    slide : bool
        Whether names have two lines each, in type as large as all rows together allow.
    """
    letters = _SLIDE // (len(compared) + 1) if slide else 0
    columns = [str(column) for column in frame]
    aside = {label: " aside" for label in compared if label != beside}
    kinds = {column: _kind(frame, column, compared) + aside.get(column, "") for column in columns}
    head = "".join(
        f'<th scope="col" class="{kinds[column]}">{escape(column)}</th>' for column in columns
    )
    rows = (
        "".join(_cell(row[column], kinds[column], 2 * letters) for column in columns)
        for row in frame.to_dict("records")
    )
    body = "".join(f"<tr>{cells}</tr>" for cells in rows)
    wide = len(compared) > AT_ONCE
    look, given = ("ranking wide", f"--compared: {len(compared)}") if wide else ("ranking", "")
    given = f"--high: {_height(frame, letters):.1f}" if slide else given
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


def _kind(frame: pd.DataFrame, column: str, compared: list[str]) -> str:
    if column in compared:
        return "compared"
    return "amount" if pd.api.types.is_numeric_dtype(frame[column]) else "name"


def _cell(value: object, kind: str, letters: int) -> str:
    text = value if isinstance(value, str) else f"{value:,}"
    mark = _MEANING.get(text[:1], "") if kind.startswith("compared") else ""
    shown = escape(_in_letters(text, letters)) if letters else _cut(text)
    return f'<td class="{f"{kind} {mark}".strip()}" title="{escape(text)}">{shown}</td>'


def _in_letters(text: str, letters: int) -> str:
    """A text of so many letters at most; what is left out is before its end."""
    if len(text) <= letters:
        return text
    return f"{text[: letters - _END - 1].rstrip()}…{text[-_END:].lstrip()}"


def _height(frame: pd.DataFrame, letters: int) -> float:
    """Height of all rows and the head, where a line holds so many letters."""
    longest = frame.astype(str).map(len).max(axis=1)
    return (_HIGH + _LINE) * (len(frame) + 1) + _LINE * float((longest > letters).sum())


def _cut(text: str) -> str:
    """Two parts of a long text, of which the style sheet cuts the first: ends tell names apart.

    A phone writes over several lines, and leaves out what is in the middle of very long ones.
    """
    if len(text) <= _LONG:
        return escape(text)
    begin, end = escape(text[:-_END]), escape(text[-_END:])
    if len(text) > _PHONE:
        most = len(text) - _END
        begin = f'{escape(text[:_BEGIN])}<span class="more">{escape(text[_BEGIN:most])}</span>'
    return f'<span class="cut"><span>{begin}</span><span>{end}</span></span>'
