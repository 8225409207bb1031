"""Read a public list of items, a name a line, and put counts on it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from dptopk.core.cancellation import Progress, part_of
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import plural
from dptopk.data.ingest._decode import MAX_BYTES, decode
from dptopk.data.ingest._error import IngestError
from dptopk.data.ingest._names import alike_pairs, refuse_alike
from dptopk.data.ingest._plain import plain, shown, unix_lines
from dptopk.data.ingest._tables import MAX_ROWS


class ListedNames(NamedTuple):
    """Names on a public list, in its order, with notes on how it was decoded."""

    names: tuple[str, ...]
    notes: tuple[str, ...]


def read_public_list(
    content: bytes,
    filename: str = "",
    most: int | None = None,
    *,
    progress: Progress | None = None,
) -> ListedNames:
    """Read the names of a public list, a line each: trimmed and cleaned as those of data are.

    ``content`` may be packed as that of `read_table` may; of more than ``most`` names none is read.

    Raises
    ------
    IngestError
        In a clause about the list: what is wrong, in which line, how to mend it.
    """
    if len(content) > MAX_BYTES:
        raise IngestError(f"it has more than {MAX_BYTES:,} bytes.")
    lines: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    if content.strip():
        decoded = decode(content, filename, part_of(progress, 0.0, 0.5))
        notes = decoded.notes
        for number, line in enumerate(unix_lines(decoded.text).split("\n"), 1):
            name = plain(line)
            if name in lines:
                raise IngestError(
                    f"line {number} names {name[:80]!r}, as line {lines[name]} does: write each "
                    "item once, one a line."
                )
            if name:
                lines[name] = number
    if not lines:
        raise IngestError("it names no item: write one a line.")
    if most is not None and len(lines) > most:
        raise IngestError(f"it names {len(lines):,} items, more than the {most:,} that are read.")
    return ListedNames((*lines,), notes)


def with_list(
    function: Callable[..., Any],
    given: tuple[bytes, str],
    *arguments: Any,
    progress: Progress | None = None,
    **options: Any,
) -> Any:
    """Call a function with the names on a public list as its ``items``.

    ``given`` are the list's content and the name of its file.  What `read_public_list` raises names
    that file; it has at most as many names as a table has rows.
    """
    content, filename = given
    try:
        items = read_public_list(content, filename, MAX_ROWS).names
    except IngestError as error:
        raise IngestError(f"The public list {shown(filename)}: {error}") from error
    return function(*arguments, items=items, progress=progress, **options)


@dataclass(frozen=True)
class PublicList:
    """Counts on a public list of items, in the order of their names, 0 for those the data lack.

    The differences from the data's items tell of the data: they are for whoever holds these.
    """

    counts: ItemCounts
    missing: tuple[str, ...]  # items of the list that the data do not have
    dropped: int  # how many items of the data the list does not have

    @property
    def added(self) -> int:
        """Number of items of the list that the data do not have."""
        return len(self.missing)

    @property
    def words(self) -> str:
        """Changes to the list of items, in a sentence."""
        said = f"The public list has {plural(self.counts.d, 'item')}"
        if not self.added and not self.dropped:
            return f"{said}, those of the data."
        if self.added:
            absent, such = (
                ("is not in the data and counts", "")
                if self.added == 1
                else ("are not in the data and count", "such as ")
            )
            example = f"({such}{self.missing[0][:80]!r})"
            said += f"; {self.added:,} of them {absent} 0 {example}"
        if not self.dropped:
            return f"{said}."
        extra = "is not on the list and is" if self.dropped == 1 else "are not on the list and are"
        return f"{said}. {plural(self.dropped, 'item')} of the data {extra} left out."


def on_public_list(counts: ItemCounts, items: Iterable[str]) -> PublicList:
    """Return the counts of a public list: missing items count 0, others are left out.

    An empty list, an item named twice, and one that the data lack and that looks like one of theirs
    (in case, spaces or the encoding of accents) is a ValueError.
    """
    if isinstance(items, str):
        raise TypeError(f"items must be a sequence of names, got one string, {items[:80]!r}")
    names = list(items)
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"items must be names, got {wrong[0]!r}")
    listed = sorted(names)
    twice = next((one for one, other in pairwise(listed) if one == other), "")
    if twice or not listed:
        raise ValueError(
            f"items must name each item once, got {twice!r} twice"
            if listed
            else "items must name at least one item, got none"
        )
    of_data = dict(counts)
    refuse_alike(alike_pairs(listed, of_data))
    there = [of_data.get(name, 0) for name in listed]
    missing = tuple(name for name in listed if name not in of_data)
    dropped = len(of_data) - (len(listed) - len(missing))
    return PublicList(ItemCounts(there, listed, counts.name), missing, dropped)
