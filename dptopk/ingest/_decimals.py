"""Which mark of decimals the other columns of a table show: 15,2 % leaves no doubt."""

import re
from itertools import islice
from typing import NamedTuple

from dptopk.ingest._plain import shown
from dptopk.ingest.reading import RawTable

_N_LOOKED_AT = 1_000
# three digits after the mark could be thousands
_SHARE = re.compile(r"[-+−]?\d{1,3}([.,])(?:\d{1,2}|\d{4,9})\s?[%‰]")


class Shown(NamedTuple):
    """A mark of decimals, and the sentence that says where it was seen."""

    mark: str
    sentence: str


def shown_decimals(table: RawTable) -> Shown | None:
    """The mark of decimals of all shares in percent; None if there are none, or of both kinds."""
    found: dict[str, tuple[str, str]] = {}
    for _, cells in islice(table.rows(), _N_LOOKED_AT):
        for label, cell in zip(table.columns, cells, strict=False):
            match = _SHARE.fullmatch(cell.strip()[:20])
            if match:
                found.setdefault(match[1], (label, cell.strip()))
    if len(found) != 1:
        return None
    ((mark, (label, cell)),) = found.items()
    words = {",": "the comma marks decimals", ".": "the point marks decimals"}[mark]
    return Shown(
        mark,
        f'Column "{label}" has "{shown(cell)}", so {words}, and it was taken to do so in the '
        "counts, too.",
    )
