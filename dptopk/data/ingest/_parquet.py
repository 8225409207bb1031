"""Read the rows of a Parquet file as text.

A list is written as its elements, each with a mark at its end, and read as one row per element.

Cells are written as DuckDB writes them, which reads the same file as a log: true, 0.1 of 32 bits,
times without zeros at the end and in UTC, durations in their unit.

Limits: as many rows and columns as of text, and as many bytes once it is written as text; columns
of structures, maps and lists of these are left out.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

import numpy as np

from dptopk.core.cancellation import Progress
from dptopk.data.ingest._decode import MAX_BYTES
from dptopk.data.ingest._error import COUNT_FIRST, MAX_COLUMNS, IngestError
from dptopk.data.ingest._pieces import END_OF_ELEMENT
from dptopk.data.ingest._plain import shown, some_of, unix_lines
from dptopk.data.ingest._tables import MAX_ROWS
from dptopk.data.ingest._text_column import arrow_text

NO_TEXT = "The Parquet file has bytes that are no text in UTF-8: write text, or leave them out."
_AT_ONCE = 4_000  # rows that are written as text together
_N_SHOWN = 3  # columns that are named


def parquet_rows(
    data: bytes, progress: Progress
) -> tuple[Iterator[tuple[int, Any]], tuple[str, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the rows of a Parquet file, sentences on it, and its columns of lists and of decimals.

    Rows come some thousand at a time, with the number of the first; the first is a header.  Damage
    may be found while they are read.
    """
    from pyarrow import parquet, types  # here: only who reads Parquet needs it

    with _said():
        file = parquet.ParquetFile(io.BytesIO(data))
        n_rows, schema = file.metadata.num_rows, file.schema_arrow
    if n_rows > MAX_ROWS:
        raise IngestError(f"The file has more than {MAX_ROWS:,} rows, the limit: {COUNT_FIRST}.")
    twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
    if twice is not None:
        raise IngestError(
            f'The Parquet file has several columns named "{shown(twice)}": rename all but one.'
        )
    kinds = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    lists = {
        field.name
        for field in schema
        if any(is_one(field.type) for is_one in kinds)
        and not types.is_nested(field.type.value_type)
    }
    nested = {field.name: field.type for field in schema if types.is_nested(field.type)}
    left_out = {name: kind for name, kind in nested.items() if name not in lists}
    plain = [name for name in schema.names if name not in left_out]
    if not plain or len(plain) > MAX_COLUMNS:
        raise IngestError(
            f"The Parquet file has {len(plain):,} columns that are not structures: keep 1 to "
            f"{MAX_COLUMNS}, those with items and counts or users."
        )
    notes: tuple[str, ...] = ()
    if left_out:
        some = (f'"{shown(name)}" ({shown(str(kind))})' for name, kind in left_out.items())
        notes = (f"Columns of structures were left out: {some_of(some, _N_SHOWN)}.",)
    of_lists = tuple(place for place, name in enumerate(plain) if name in lists)
    decimals = tuple(
        place
        for place, name in enumerate(plain)
        if types.is_decimal(kind := schema.field(name).type) or types.is_floating(kind)
    )
    return _rows(file, plain, progress), notes, of_lists, decimals


def _rows(file: Any, names: list[str], progress: Progress) -> Iterator[tuple[int, Any]]:
    """Yield the header, then Arrow tables of rows, with the number of the first."""
    import pyarrow
    from pyarrow import compute

    yield 1, [names]
    row, n_bytes = 2, 0
    with _said():
        for batch in file.iter_batches(_AT_ONCE, columns=names, use_threads=False):
            columns = [_texts(batch.column(name)) for name in names]
            n_bytes += len(names) * len(batch)
            n_bytes += sum(compute.sum(compute.binary_length(one)).as_py() or 0 for one in columns)
            if n_bytes > MAX_BYTES:
                raise IngestError(
                    f"As text, the Parquet file has more than {MAX_BYTES // 2**20} MB, the limit: "
                    f"{COUNT_FIRST}."
                )
            yield row, pyarrow.table(columns, names)
            row += len(batch)
            progress(row / (file.metadata.num_rows + 2))


@contextmanager
def _said() -> Iterator[None]:
    """Raise one sentence for what Arrow says of a damaged file."""
    import pyarrow

    try:
        yield
    except UnicodeDecodeError as error:
        raise IngestError(NO_TEXT) from error
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        if isinstance(error, IngestError | MemoryError):
            raise
        raise IngestError("The Parquet file is damaged: write it again.") from error


def _texts(column: Any) -> Any:
    """Return the cells of a column as they are written, as Arrow text; missing ones are blank."""
    import pyarrow
    from pyarrow import compute, types

    if any(is_one(column.type) for is_one in (types.is_integer, types.is_string)):
        texts = column.cast("string")
        if texts.null_count:
            texts = texts.fill_null("")
        with suppress(pyarrow.ArrowInvalid):  # Python says what is no text
            texts.validate(full=True)
            if not compute.any(compute.match_substring(texts, "\r")).as_py():
                return texts
    return arrow_text("" if cell is None else unix_lines(cell) for cell in _written(column))


def _written(column: Any) -> list[str | None]:
    """Return the cells of a column as text; None for missing ones."""
    import pyarrow
    from pyarrow import compute, types

    kind = column.type
    if types.is_dictionary(kind):
        return _written(column.dictionary_decode())
    if types.is_nested(kind):  # a list
        within = iter(_written(column.flatten()))
        sizes = compute.list_value_length(column).to_pylist()
        return [
            "".join(f"{one}{END_OF_ELEMENT} " for one in islice(within, size or 0))
            for size in sizes
        ]
    utc = types.is_timestamp(kind) and kind.tz is not None
    if utc:
        column = column.cast(pyarrow.timestamp(kind.unit))
    elif types.is_duration(kind):
        column = column.cast("int64")
    elif types.is_boolean(kind):
        column = column.cast("string")
    cells = column.to_pylist()
    if types.is_float16(kind) or types.is_float32(kind):
        return [None if cell is None or cell != cell else str(np.float32(cell)) for cell in cells]
    if types.is_decimal(kind):
        return [cell if cell is None else f"{cell:f}" for cell in cells]
    if types.is_timestamp(kind) or types.is_time(kind):
        zone = "+00" if utc else ""
        texts = (cell if cell is None else str(cell) for cell in cells)
        return [
            text and f"{text.rstrip('0').rstrip('.') if '.' in text else text}{zone}"
            for text in texts
        ]
    if any(isinstance(cell, bytes) for cell in cells):  # text of writers that do not say so
        return [cell and cell.decode() for cell in cells]
    return [None if cell is None or cell != cell else str(cell) for cell in cells]
