"""Hold the cells of a column of text: its different texts, and which of them each row has.

Arrow arrays are made of buffers and read by DLPack: `pyarrow.array`, `Array.to_numpy` and scalars
import pandas, which takes as long as the rest of a command.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dptopk.core.array_types import BoolArray, IntArray


def arrow_text(cells: Iterable[str]) -> Any:
    """Return cells as an Arrow array."""
    import pyarrow  # here: only who reads files needs it

    texts = [cell.encode() for cell in cells]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    buffers = pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))
    return pyarrow.StringArray.from_buffers(len(texts), *buffers)


def arrow_numbers(values: IntArray) -> Any:
    """Return whole numbers as an Arrow array."""
    import pyarrow

    kind = pyarrow.from_numpy_dtype(values.dtype)
    return pyarrow.Array.from_buffers(kind, values.size, [None, pyarrow.py_buffer(values)])


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Column of text: different texts in order of appearance, and the position of each row's."""

    texts: list[str]
    codes: IntArray

    @classmethod
    def of(cls, cells: Iterable[str]) -> "TextColumn":
        """Return the column of cells."""
        places: dict[str, int] = {}
        codes = [places.setdefault(cell, len(places)) for cell in cells]
        return cls([*places], np.array(codes, dtype=np.int64))

    def __len__(self) -> int:
        return self.codes.size

    def __iter__(self) -> Iterator[str]:
        return (self.texts[code] for code in self.codes.tolist())

    def __getitem__(self, row: int) -> str:
        return self.texts[int(self.codes[row])]

    @cached_property
    def times(self) -> list[int]:
        """Number of rows of each text."""
        return list(np.bincount(self.codes, minlength=len(self.texts)).tolist())

    @property
    def n_rows(self) -> dict[str, int]:
        """Number of rows by text."""
        return dict(zip(self.texts, self.times, strict=True))

    @cached_property
    def first(self) -> list[int]:
        """First row of each text."""
        rows = np.zeros(len(self.texts), dtype=np.int64)
        rows[self.codes[::-1]] = np.arange(len(self))[::-1]
        return list(rows.tolist())

    def renamed(self, texts: Sequence[str]) -> "TextColumn":
        """Return the column with other texts, of which some may be the same."""
        if len(set(texts)) == len(texts):
            return TextColumn([*texts], self.codes)
        other = TextColumn.of(texts)
        return TextColumn(other.texts, other.codes[self.codes])

    def rows_where(self, holds: Callable[[str], object]) -> BoolArray:
        """Return for each row whether something holds for its text."""
        return np.array([bool(holds(text)) for text in self.texts], dtype=bool)[self.codes]

    def at(self, rows: IntArray | BoolArray) -> "TextColumn":
        """Return the column of some rows, by their positions or marked ones."""
        column = arrow_numbers(self.codes[rows]).dictionary_encode()
        texts = [self.texts[place] for place in column.dictionary.to_pylist()]
        return TextColumn(texts, np.from_dlpack(column.indices).astype(np.int64))
