"""Report the progress of reading names, bytes and archives."""

import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO, TypeVar

from dptopk.core.cancellation import Progress

T = TypeVar("T")

STEP = 20_000  # rows or names between two reports: some hundredths of a second
_PIECE = 2**20  # bytes, likewise


def with_progress(values: Sequence[T], progress: Progress) -> Iterator[T]:
    """Iterate over values, reporting progress on the way."""

    def slices() -> Iterator[Sequence[T]]:
        for start in range(0, len(values), STEP):
            progress(start / len(values))
            yield values[start : start + STEP]

    return chain.from_iterable(slices())


def read_all(packed: IO[bytes] | io.BufferedIOBase, most: int, progress: Progress) -> bytes:
    """Read what decompresses to at most so many bytes and one more, a piece at a time."""
    pieces, n = [], 0
    while n <= most and (piece := packed.read(min(_PIECE, most + 1 - n))):
        pieces.append(piece)
        n += len(piece)
        progress(n / most)
    return b"".join(pieces)


class ProgressBytes(io.BytesIO):
    """File of bytes that reports how far it was read."""

    def __init__(self, data: bytes, progress: Progress):
        super().__init__(data)
        self._size = len(data)
        self._progress = progress

    def report(self) -> None:
        """Report how far it was read."""
        self._progress(min(self.tell() / self._size, 1.0))

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes and report how far."""
        self.report()
        return super().read(size)
