"""Small vectors of counts, typed or derived from the data, whose outputs can be enumerated."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import COUNT_UNIT
from dptopk.data.ingest import IngestError, parse_typed
from dptopk.data.sources import NoDataError, Source, text_has_names
from dptopk.mechanisms import Mechanism
from dptopk.questions.origin import Origin
from dptopk.questions.settings import SMALL_ALL, SMALL_TYPED


@dataclass(frozen=True)
class SmallCase:
    """Small vector of counts, with its description and the Python code that makes it."""

    counts: ItemCounts
    k: int
    title: str
    python: str
    unit: str = COUNT_UNIT
    summing: str = ""  # that repeated names of typed counts were summed, which nobody asked for
    of_cut: str = ""  # that the counts are those after a cut of each user's items
    notes: tuple[str, ...] = ()

    def origin(self, mechanisms: Sequence[Mechanism], computed: str, **how: Any) -> Origin:
        """Return the origin of figures and tables of the case."""
        how["note"] = " ".join(filter(None, (how.get("note"), self.summing, self.of_cut)))
        return Origin(self.title, self.counts, mechanisms, computed, unit=self.unit, **how)


def small_case(source: Source, small: str, vector: str, n_items: int, k: int) -> SmallCase:
    """Make a small case: typed counts, or the ``n_items`` largest of the data.

    ``small`` is an option of `settings.SMALL`; k is at most the number of items.
    """
    if small == SMALL_TYPED:
        return typed_case(vector, k)
    counts, title, python = source.counts, source.title, source.python
    if small != SMALL_ALL:
        counts = counts.head(n_items)
        title = f"The {counts.d} largest of {title}"
        python += f"\ncounts = counts.head({n_items})"
    k = min(k, counts.d)
    return SmallCase(counts, k, title, python, source.unit, source.summing, source.of_cut)


def typed_case(text: str, k: int) -> SmallCase:
    """Make a small case of typed counts; items without names are called A, B, C and so on."""
    try:
        result = parse_typed(text, "small vector")
    except IngestError as error:
        raise NoDataError("These counts could not be read", str(error)) from error
    counts, summing = result.counts, result.report.summing
    if not text_has_names(counts):
        names = [*ascii_uppercase, *(f"item {place + 1}" for place in range(26, counts.d))]
        counts = ItemCounts(counts.counts, names[: counts.d], counts.name)
    python = f"counts = ItemCounts({counts.counts.tolist()}, {list(counts.items)})"
    k = min(k, counts.d)
    title = f"Counts {', '.join(map(str, counts.counts.tolist()))}"
    return SmallCase(counts, k, title, python, summing=summing)
