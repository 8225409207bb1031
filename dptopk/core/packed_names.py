"""Immutable sequence of item names, packed into one string to save memory.

A tuple of strings takes some sixty bytes more for each name.
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, overload

import numpy as np

_AT_ONCE = 2**14  # names that are strings at once while they are read or written
_LARGEST_END = 2**32 - 1


class ItemNames(Sequence[str]):
    """Immutable sequence of distinct names, which is not checked; equal to a tuple of the same."""

    def __init__(self, names: Iterable[str]):
        text, lengths, left = bytearray(), [np.zeros(1, np.int64)], iter(names)
        while some := [name.encode("utf-8", "surrogatepass") for name in islice(left, _AT_ONCE)]:
            text += b"".join(some)
            lengths.append(np.fromiter(map(len, some), np.int64, len(some)))
        ends = np.cumsum(np.concatenate(lengths))
        self._ends = ends.astype(np.uint32) if ends[-1] <= _LARGEST_END else ends
        self._text = bytes(text)

    @property
    def n_bytes(self) -> int:
        """Memory of the names, in bytes."""
        return len(self._text) + self._ends.nbytes

    @property
    def content(self) -> tuple[bytes, bytes]:
        """Concatenated names and their end offsets, which identify the names."""
        return self._text, self._ends.tobytes()

    def __len__(self) -> int:
        return self._ends.size - 1

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return tuple(self[one] for one in range(*place.indices(len(self))))
        place = range(len(self))[operator.index(place)]
        begin, end = self._ends[place : place + 2].tolist()
        return self._text[begin:end].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _AT_ONCE):
            ends = self._ends[start : start + _AT_ONCE + 1].tolist()
            for begin, end in pairwise(ends):
                yield self._text[begin:end].decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ItemNames):
            return self.content == other.content
        if isinstance(other, tuple):
            return len(self) == len(other) and all(map(operator.eq, self, other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def item_names(items: Iterable[str | int], d: int) -> ItemNames:
    """Check the names of ``d`` items and pack them."""
    if isinstance(items, str):
        raise TypeError(f"items must be a sequence of {d} names, got one string")
    names = items if isinstance(items, ItemNames) else tuple(items)
    if len(names) != d:
        raise ValueError(f"items must have as many entries as counts ({d}), got {len(names)}")
    if isinstance(names, ItemNames):
        return names
    for position, item in enumerate(names):
        if isinstance(item, bool) or not isinstance(item, str | int | np.integer):
            raise TypeError(f"items[{position}] must be a string, got {item!r}")
    texts = tuple(map(str, names))
    if len(set(texts)) != d:
        seen: set[str] = set()
        for text in texts:
            if text in seen:
                raise ValueError(f"items must be distinct, got {text!r} more than once")
            seen.add(text)
    return ItemNames(texts)
