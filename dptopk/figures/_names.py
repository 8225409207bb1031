"""Format item names for figures: escaped, shortened but distinct, and broken into lines."""

from collections.abc import Iterable, Sequence

from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.text_direction import kept_in_order

_WHOLE = 200  # letters of a name in the hover text
_LINE = 28  # letters of a tick's line: what a telephone has room for
_SIGNS = 3  # more of them: a comma, braces, nothing (⊥)
_OF_ONE = {1: 28, 2: 26, 3: 13, 4: 13}  # letters of each of so many names, in two lines
_OF_MANY = 8
_ROWS, _HIGH_ROWS = 8, 6  # what the first screen of a projector has room for


def plain(text: str, length: int = 40) -> str:
    """Escape text for Plotly, shortened to ``length`` characters."""
    text = " ".join(text.split())
    text = text if len(text) <= length else text[: length - 1] + "…"
    text = kept_in_order(text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def hover_name(text: str) -> str:
    """Return a name for hover text, cut only if it is extremely long."""
    return plain(text, _WHOLE)


def shortened(names: Iterable[str], together: int = 1, length: int = 0) -> list[str]:
    """Shorten names to fit a tick that holds ``together`` of them, or to a ``length``.

    They end in an ellipsis; where the beginnings are alike, it stands before their ends; where
    those are alike too, they are numbered.  So different items stay told apart.
    """
    length = length or _OF_ONE.get(together, _OF_MANY)
    whole = [" ".join(name.split()) for name in names]
    short = [_cut_end(name, length) for name in whole]
    short = [
        _cut_middle(name, length) if _meets_another(name, tick, whole, short) else tick
        for name, tick in zip(whole, short, strict=True)
    ]
    return [
        f"{tick[: length - 3]} {place}" if _meets_another(name, tick, whole, short) else tick
        for place, (name, tick) in enumerate(zip(whole, short, strict=True), 1)
    ]


def short_labels(
    outputs: Iterable[tuple[OutputKind, Sequence[int]]], items: Sequence[str]
) -> list[str]:
    """Return labels of outputs, given by kind and positions, with shortened item names."""
    rows = [(kind, list(row)) for kind, row in outputs]
    used = sorted({place for _, row in rows for place in row if place != NOTHING})
    together = max((len(row) for _, row in rows), default=1)
    short = shortened((items[place] for place in used), together)
    names = dict(zip(used, short, strict=True))
    return [kind.label(row, names) for kind, row in rows]


def tick(text: str) -> str:
    """Return the text of a tick, escaped, in at most two lines."""
    text = " ".join(text.split())
    most = _LINE + _SIGNS
    if len(text) <= _LINE:
        return plain(text)
    first = text.rfind(", ", 0, most)
    if first < 0 or len(text) - first > most + 2:
        first = max(text.rfind(" ", 0, most), 0) or most
    cut = first + (text[first] == ",")
    return f"{plain(text[:cut])}<br>{plain(text[cut:].strip(), most)}"


def rows_that_fit(names: Iterable[str]) -> int:
    """Return the number of rows that fit on a first screen, fewer if a name takes two lines."""
    return _HIGH_ROWS if any("<br>" in tick(name) for name in names) else _ROWS


def _cut_end(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1].rstrip() + "…"


def _cut_middle(name: str, length: int) -> str:
    if len(name) <= length:
        return name
    tail = (length - 1) // 2
    return f"{name[: length - 1 - tail].rstrip()}…{name[-tail:].lstrip()}"


def _meets_another(name: str, short: str, names: list[str], shorts: list[str]) -> bool:
    """Return whether another name was shortened to the same text."""
    return any(other != name and same == short for other, same in zip(names, shorts, strict=True))
