"""Name the answers to what a file can leave open."""

from collections.abc import Mapping

from dptopk.data.ingest._contribution import Contribution
from dptopk.data.ingest._names import APART, MERGE
from dptopk.data.ingest._numbers import COMMA, DOWN, NEAREST, POINT
from dptopk.data.ingest._pieces import SEPARATORS, WHOLE
from dptopk.data.ingest._suppressed import MAX_READ_AS
from dptopk.data.ingest._survey import NO, YES
from dptopk.data.ingest._tables import MAX_COLUMNS
from dptopk.data.ingest._totals import KEEP, LEAVE_OUT

ITEMS = "items"
ONE, SUM, PARTS = "one", "sum", "parts"
COUNTED, STATED, SEVERAL = (
    known.value for known in (Contribution.COUNTED, Contribution.STATED, Contribution.SEVERAL)
)

ANSWERS: Mapping[str, tuple[str, ...]] = {
    "items": tuple(str(column) for column in range(1, MAX_COLUMNS + 1)),
    "survey": (YES, NO),
    "several": (ONE, SUM, PARTS),
    "split": (*SEPARATORS, WHOLE),
    "rows": (COUNTED, STATED, SEVERAL, ITEMS),
    "decimal": (POINT, COMMA),
    "rounding": (NEAREST, DOWN),
    "total": (LEAVE_OUT, KEEP),
    "twins": (APART, MERGE),
    "nulls": (LEAVE_OUT, KEEP),
    "suppressed": (LEAVE_OUT, *map(str, range(MAX_READ_AS + 1))),
    "users_alike": (APART, MERGE),
}
"""Arguments of `to_item_counts` that answer an `Ambiguity`, and the answers to each."""
