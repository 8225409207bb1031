"""Detect the decimal mark of a table from unambiguous cells, such as 15,2 % or 235.764,40."""

import re
from itertools import islice
from typing import NamedTuple

from dptopk.data.ingest._plain import shown
from dptopk.data.ingest.reading import RawTable

_N_LOOKED_AT = 1_000
# three digits after the mark could be thousands
_SHARE = re.compile(r"[-+−]?\d{1,3}([.,])(?:\d{1,2}|\d{4,9})\s?[%‰]")
_BOTH = re.compile(
    r"[^\w.,]*\d{1,3}(?:\.\d{3})+(,)\d+\D{0,4}|[^\w.,]*\d{1,3}(?:,\d{3})+(\.)\d+\D{0,4}"
)


class Shown(NamedTuple):
    """A decimal mark, and a sentence that says where it was seen."""

    mark: str
    sentence: str


def shown_decimals(table: RawTable) -> Shown | None:
    """Return the decimal mark of all percentages and of all numbers that have both marks.

    None if there are no such cells, or of both kinds.
    """
    found: dict[str, tuple[str, str]] = {}
    for _, cells in islice(table.rows(), _N_LOOKED_AT):
        for label, cell in zip(table.columns, cells, strict=False):
            text = cell.strip()[:30]
            match = _SHARE.fullmatch(text) or _BOTH.fullmatch(text)
            if match:
                mark = next(filter(None, match.groups()))
                found.setdefault(mark, (label, cell.strip()))
    if len(found) != 1:
        return None
    ((mark, (label, cell)),) = found.items()
    words = {",": "the comma marks decimals", ".": "the point marks decimals"}[mark]
    return Shown(
        mark,
        f'Column "{label}" has "{shown(cell)}", so {words}, and it was taken to do so in the '
        "counts, too.",
    )
