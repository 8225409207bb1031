"""Small vectors of counts, few enough to write everything out: of typed counts, or of the data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dptopk.counts import ItemCounts
from dptopk.ingest import IngestError, parse_typed
from dptopk.mechanisms import Mechanism
from dptopk.numerals import COUNT_UNIT
from dptopk.origin import Origin
from dptopk.settings import SMALL_ALL, SMALL_TYPED
from dptopk.sources import NoDataError, Source, text_has_names


@dataclass(frozen=True)
class SmallCase:
    """Counts few enough to write everything out, what they are, and the Python that makes them."""

    counts: ItemCounts
    k: int
    title: str
    python: str
    unit: str = COUNT_UNIT
    notes: tuple[str, ...] = ()

    def origin(self, mechanisms: Sequence[Mechanism], computed: str, **how: Any) -> Origin:
        """What goes with figures and tables of the case."""
        return Origin(self.title, self.counts, mechanisms, computed, unit=self.unit, **how)


def small_case(source: Source, small: str, vector: str, n_items: int, k: int) -> SmallCase:
    """Make a small case.

    Parameters
    ----------
    source : Source
        The data of all pages.
    small : str
        An option of `settings.SMALL`.
    vector : str
        The counts, where they are typed.
    n_items : int
        How many of the largest, where it is the top of the data.
    k : int
        How many are released, where there are as many.

    Raises
    ------
    NoDataError
        If typed counts cannot be read.
    """
    if small == SMALL_TYPED:
        return _typed(vector, k)
    if small == SMALL_ALL:
        k = min(k, source.counts.d)
        return SmallCase(source.counts, k, source.title, source.python, source.unit)
    counts = source.counts.head(n_items)
    title = f"The {counts.d} largest of {source.title}"
    k = min(k, counts.d)
    python = f"{source.python}\ncounts = counts.head({n_items})"
    return SmallCase(counts, k, title, python, source.unit)


def _typed(text: str, k: int) -> SmallCase:
    try:
        counts = parse_typed(text, "small vector").counts
    except IngestError as error:
        raise NoDataError("These counts could not be read", str(error)) from error
    if not text_has_names(counts):
        counts = ItemCounts(counts.counts, [_letter(i) for i in range(counts.d)], counts.name)
    python = f"counts = ItemCounts({counts.counts.tolist()}, {list(counts.items)})"
    k = min(k, counts.d)
    return SmallCase(counts, k, f"Counts {', '.join(map(str, counts.counts.tolist()))}", python)


def _letter(position: int) -> str:
    return chr(ord("A") + position) if position < 26 else f"item {position + 1}"
