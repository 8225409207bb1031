"""Convert a Parquet file to delimited text, the form in which all tables are read.

A list is written as its elements, each with a mark at its end, and read as one row per element.

Limits: as many rows and columns as of text, and as many bytes once it is written as text; columns
of structures, maps and lists of these are left out.
"""

import csv
import io
from typing import Any

from dptopk.core.cancellation import Progress
from dptopk.data.ingest._error import COUNT_FIRST, IngestError
from dptopk.data.ingest._pieces import END_OF_ELEMENT
from dptopk.data.ingest._plain import shown, unix_lines
from dptopk.data.ingest._tables import MAX_COLUMNS, MAX_ROWS
from dptopk.data.ingest._unpack import MAX_BYTES

_AT_ONCE = 10_000  # rows
_N_SHOWN = 3  # columns that are named


def is_parquet(data: bytes) -> bool:
    """Return whether the bytes are a Parquet file."""
    return data.startswith(b"PAR1")


def parquet_text(data: bytes, progress: Progress) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
    """Return a Parquet file as text with a header, sentences on it, and its columns of lists.

    Raises
    ------
    IngestError
        If it is damaged or too large.
    ModuleNotFoundError
        If pyarrow is not installed; the app's extra has it.
    """
    import pyarrow  # here: only who reads Parquet needs it
    from pyarrow import parquet, types

    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        n_rows, schema = file.metadata.num_rows, file.schema_arrow
        if n_rows > MAX_ROWS:
            raise IngestError(
                f"The file has more than {MAX_ROWS:,} rows, the limit: {COUNT_FIRST}."
            )
        lists = {
            field.name
            for field in schema
            if _is_list(field.type) and not types.is_nested(field.type.value_type)
        }
        nested = {field.name: field.type for field in schema if types.is_nested(field.type)}
        left_out = {name: kind for name, kind in nested.items() if name not in lists}
        plain = [name for name in schema.names if name not in left_out]
        if not plain or len(plain) > MAX_COLUMNS:
            raise IngestError(
                f"The Parquet file has {len(plain):,} columns that are not structures: keep 1 to "
                f"{MAX_COLUMNS}, those with items and counts or users."
            )
        lines.writerow(plain)
        done = 0
        for batch in file.iter_batches(_AT_ONCE, columns=plain, use_threads=False):
            cells = [_texts(batch.column(name)) for name in plain]
            lines.writerows(zip(*cells, strict=True))
            done += batch.num_rows
            progress(done / n_rows)
            if text.tell() > MAX_BYTES:
                raise IngestError(
                    f"As text, the Parquet file has more than {MAX_BYTES // 2**20} MB, the limit: "
                    f"{COUNT_FIRST}."
                )
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        if isinstance(error, IngestError | MemoryError):
            raise
        raise IngestError("The Parquet file is damaged: write it again.") from error
    notes: tuple[str, ...] = ()
    if left_out:
        some = [f'"{shown(name)}" ({shown(str(kind))})' for name, kind in left_out.items()]
        more = " and more" if len(some) > _N_SHOWN else ""
        notes = (f"Columns of structures were left out: {', '.join(some[:_N_SHOWN])}{more}.",)
    of_lists = tuple(place for place, name in enumerate(plain) if name in lists)
    return unix_lines(text.getvalue()), notes, of_lists


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return any(
        is_one(kind) for is_one in (types.is_list, types.is_large_list, types.is_fixed_size_list)
    )


def _texts(column: Any) -> list[object]:
    """Return the cells of a column as they are written; what is missing is blank."""
    cells = column.to_pylist()
    if any(isinstance(cell, bytes) for cell in cells):  # text of writers that do not say so
        cells = [cell and cell.decode("utf-8", "replace") for cell in cells]
    if any(isinstance(cell, list) for cell in cells):
        cells = ["".join(f"{one}{END_OF_ELEMENT} " for one in cell or ()) for cell in cells]
    return ["" if cell is None or cell != cell else cell for cell in cells]
