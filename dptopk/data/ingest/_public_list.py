"""Read a public list of items, a name a line, and put counts on it."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from dptopk.core.cancellation import Progress, part_of
from dptopk.core.counts import ItemCounts
from dptopk.data.ingest._decode import MAX_BYTES, decode
from dptopk.data.ingest._error import Dialogue, IngestError
from dptopk.data.ingest._names import list_said
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


class PublicList(NamedTuple):
    """Counts on a public list of items, in its order, 0 for those that the data lack.

    ``words`` are sentences on what the list changed.  They tell of the data: they are for whoever
    holds these.
    """

    counts: ItemCounts
    words: str


def on_public_list(
    counts: ItemCounts,
    items: Iterable[str],
    n_rows: Mapping[str, int] | None = None,
    dialogue: Dialogue | None = None,
) -> PublicList:
    """Return the counts of a public list: missing items count 0, others are left out.

    An empty list, an item named twice, and one that the data lack and that looks like one of theirs
    (in case, spaces or the encoding of accents) is a ValueError; ``n_rows``, by item, and
    ``dialogue`` are those of a table that is read, which must have some of the items.
    """
    if isinstance(items, str):
        raise TypeError(f"items must be a sequence of names, got one string, {items[:80]!r}")
    listed = list(items)
    if wrong := [name for name in listed if not isinstance(name, str)]:
        raise TypeError(f"items must be names, got {wrong[0]!r}")
    words = list_said(listed, n_rows or dict.fromkeys(counts.items, 0), dialogue)
    count_of = dict(counts)
    return PublicList(
        ItemCounts([count_of.get(name, 0) for name in listed], listed, counts.name), words
    )
