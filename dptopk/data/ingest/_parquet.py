"""Convert a Parquet file to delimited text, the form in which all tables are read.

Limits: as many rows and columns as of text, and as many bytes once it is written as text; columns
of lists and structures are left out.
"""

import csv
import io
from typing import Any

from dptopk.core.cancellation import Progress
from dptopk.core.numerals import plural
from dptopk.data.ingest._error import COUNT_FIRST, IngestError
from dptopk.data.ingest._plain import unix_lines
from dptopk.data.ingest._tables import MAX_COLUMNS, MAX_ROWS
from dptopk.data.ingest._unpack import MAX_BYTES

_AT_ONCE = 10_000  # rows


def is_parquet(data: bytes) -> bool:
    """Return whether the bytes are a Parquet file."""
    return data.startswith(b"PAR1")


def parquet_text(data: bytes, progress: Progress) -> tuple[str, tuple[str, ...]]:
    """Return the text of a Parquet file, its columns in a header, and sentences on it.

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
        plain = [field.name for field in schema if not types.is_nested(field.type)]
        if not plain or len(plain) > MAX_COLUMNS:
            raise IngestError(
                f"The Parquet file has {len(plain):,} columns that are neither lists nor "
                f"structures: keep 1 to {MAX_COLUMNS}, those with items and counts or users."
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
    n_nested = len(schema) - len(plain)
    left_out = plural(n_nested, "column of lists or structures", "columns of lists or structures")
    return unix_lines(text.getvalue()), (f"Left out: {left_out}.",) if n_nested else ()


def _texts(column: Any) -> list[object]:
    """Return the cells of a column as they are written; what is missing is blank."""
    cells = column.to_pylist()
    if any(isinstance(cell, bytes) for cell in cells):  # text of writers that do not say so
        cells = [cell and cell.decode("utf-8", "replace") for cell in cells]
    return ["" if cell is None or cell != cell else cell for cell in cells]
