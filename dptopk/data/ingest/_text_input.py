"""Parse counts typed or pasted into a text box.

Either counts only, on one line or several ("100, 90, 80"), or one item a line with
its count last ("apple 12", "apple, 12", or two cells pasted from a spreadsheet).

Limits: "1,234" may be one number or two.  On its own it is two, as in a list; where
the rest of the text makes either reading possible it is refused.
"""

import re
from collections import Counter

import numpy as np

from dptopk.core.numerals import plural
from dptopk.data.ingest._assemble import Cells, assemble
from dptopk.data.ingest._columns import names_a_column
from dptopk.data.ingest._error import Dialogue, IngestError
from dptopk.data.ingest._plain import plain, shown, unix_lines
from dptopk.data.ingest._report import IngestResult
from dptopk.data.ingest._tables import like_a_number
from dptopk.data.ingest._text_column import TextColumn

MAX_TYPED_CHARACTERS = 1_000_000  # largest number of characters in a typed text

_SEPARATORS = re.compile(r"[,;\s]+")
_COUNT_INSIDE = re.compile(r"[\s,;:=]\d+\s*[,;]")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(,\d{3})+(?!\d|[.,]\d)")
_GROUPED_AT_END = re.compile(r"(?:\d{3}[ ,.'\u00a0\u202f])+\d{1,3}(?!\d)")  # read from the right


def parse_typed(text: str, name: str = "typed") -> IngestResult:
    """Parse counts from typed text, and call them by a name.

    They are separated by commas, semicolons, spaces or line breaks; or each line is an item with
    its count last, after a comma, semicolon, colon, tab or space.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, got {type(text).__name__}")
    if len(text) > MAX_TYPED_CHARACTERS:
        raise IngestError(
            f"The text has {len(text):,} characters, more than the limit of "
            f"{MAX_TYPED_CHARACTERS:,}: provide it as a file."
        )
    text = unix_lines(text)
    lines = [
        (n, line) for n, line in enumerate(text.split("\n"), 1) if any(_SEPARATORS.split(line))
    ]
    if not lines:
        raise IngestError("Nothing was typed: type counts such as 100, 90, 80.")
    tokens = [token for token in _SEPARATORS.split(text) if token]
    two_cells = len(lines) > 1 and all(line.strip().count("\t") == 1 for _, line in lines)
    if all(map(like_a_number, tokens)) and not two_cells:
        return _numbers(text, lines, name)
    if len(lines) == 1 and not any(map(like_a_number, tokens)):
        raise IngestError(
            f'"{shown(tokens[0])}" is not a number: type counts such as 100, 90, 80, or one item '
            "per line with its count last, such as apple, 12."
        )
    if len(tokens) == len(lines) and any(map(like_a_number, tokens)):
        n, wrong = next((n, line) for n, line in lines if not like_a_number(line.strip(" ,;")))
        raise IngestError(
            f'Line {n}: "{shown(wrong)}" is not a number: type counts alone, such as 100, or on '
            "every line an item with its count last, such as apple, 12."
        )
    return _item_lines(lines, name)


def with_names_apart(text: str) -> str:
    """Number the repeated names of a typed text: apple, apple (2), apple (3)."""
    lines = unix_lines(text).split("\n")
    read = [
        (place, *_item_and_count(place + 1, line.strip()))
        for place, line in enumerate(lines)
        if any(_SEPARATORS.split(line))
    ]
    taken = {plain(item) for _, item, _ in read}
    seen: Counter[str] = Counter()
    for place, item, count in read:
        name = plain(item)
        seen[name] += 1
        if seen[name] == 1:
            continue
        while (other := f"{name} ({seen[name]})") in taken:
            seen[name] += 1
        taken.add(other)
        lines[place] = f"{other}, {count}"
    return "\n".join(lines)


def _numbers(text: str, lines: list[tuple[int, str]], name: str) -> IngestResult:
    """Parse counts alone; the items are numbered."""
    tokens = [(n, token) for n, line in lines for token in _SEPARATORS.split(line) if token]
    per_line = Counter(n for n, _ in tokens)
    if len(lines) > 1 and set(per_line.values()) == {2}:
        raise IngestError(
            "Every line holds two numbers, which may be an item and its count or two counts: put "
            "all counts on one line, or a letter into each item name."
        )
    grouped = _GROUPED.search(text)
    if grouped and re.search(r"[;\s]", text.strip()):
        raise IngestError(
            f'"{shown(grouped[0])}" may be one number with thousands separators or several: leave '
            "the separators out, or put a space after each comma between counts."
        )
    cells = Cells(
        np.arange(len(tokens)),
        lambda i, _: f"Line {tokens[i][0]}",
        counts=TextColumn.of(token for _, token in tokens),
    )
    n = len(tokens)
    reading = f"{plural(n, 'count was', 'counts were')} typed; the items are numbered."
    return assemble(cells, name, reading, n, Dialogue(), only_column=True)


def _item_lines(lines: list[tuple[int, str]], name: str) -> IngestResult:
    pairs = [_item_and_count(n, line.strip()) for n, line in lines]
    dialogue = Dialogue()
    if len(pairs) > 1 and names_a_column(pairs[0][1]):
        pairs, lines = pairs[1:], lines[1:]
        dialogue.notes.append("The first line was read as a header and left out.")
    cells = Cells(
        np.arange(len(pairs)),
        lambda i, _: f"Line {lines[i][0]}",
        TextColumn.of(item for item, _ in pairs),
        TextColumn.of(count for _, count in pairs),
    )
    n = len(pairs)
    reading = f"{plural(n, 'line was', 'lines were')} typed, each an item and its count."
    return assemble(cells, name, reading, n, dialogue, only_column=True)


def _item_and_count(row: int, line: str) -> tuple[str, str]:
    """Split a line at its tab, or else at its last separator."""
    if "\t" in line:
        cells = line.split("\t")
        if len(cells) != 2:
            raise IngestError(
                f"Line {row} has {len(cells)} columns: paste the item and the count only."
            )
        return _unquoted(cells[0]), cells[1]
    if _GROUPED_AT_END.match(line[:-41:-1]):
        raise IngestError(
            f'Line {row}: it is not clear where the count begins in "{shown(line)}": write it '
            "without thousands separators, after a comma and a space."
        )
    last = line.rsplit(None, 1)[-1]
    count = last[max(map(last.rfind, ",;:=")) + 1 :]
    item = line[: len(line) - len(count)].rstrip()
    item = item[:-1] if item.endswith((",", ";", ":", "=")) else item
    if not item or not count:
        raise IngestError(
            f'Line {row}: "{shown(line)}" lacks an item or a count: write both, as in apple, 12.'
        )
    if _COUNT_INSIDE.search(item):
        raise IngestError(
            f'Line {row}: "{shown(line)}" looks like several items on one line: write one item '
            "per line, such as apple, 5."
        )
    return _unquoted(item), count


def _unquoted(item: str) -> str:
    item = item.strip()
    if len(item) > 2 and item[0] == item[-1] == '"':
        return item[1:-1].replace('""', '"')
    return item
