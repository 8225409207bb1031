"""Tables to CSV text that a spreadsheet can open without running anything, and to Parquet.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break (or their
full-width forms) is a formula to many spreadsheets.  Text cells like these get an
apostrophe in front, as do column names; numbers stay numbers.

Limits: the guard works where the file is read with commas between cells.  Reading it
back gives the apostrophe too, so these files are for people, not for round trips.  Parquet holds
every cell as it is, and what the table comes from as metadata of its schema.
"""

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")


def csv_escaped(frame: "pd.DataFrame") -> str:
    r"""CSV text of a table, without its index, formulas in text cells disarmed.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table; it is not changed.

    Returns
    -------
    str
        Lines end in ``\n``; every text cell is in quotation marks.  Encode it as
        "utf-8-sig" for Excel.
    """
    escaped = frame.copy()
    escaped.columns = list(range(frame.shape[1]))  # names may occur twice
    for position, dtype in enumerate(frame.dtypes):
        if dtype.kind == "O":  # object, string and categorical columns
            cells = escaped[position].astype(object)
            escaped[position] = cells.map(_disarmed, na_action="ignore")
    escaped.columns = [_disarmed(str(name)) for name in frame.columns]
    return escaped.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")


def _disarmed(cell: object) -> object:
    """Put an apostrophe before text that a spreadsheet may take for a formula."""
    if isinstance(cell, str) and _FORMULA.match(cell):
        return f"'{cell}"
    return cell


def parquet(frame: "pd.DataFrame", about: Mapping[str, Any]) -> bytes:
    """A table as a Parquet file, without its index.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table with distinct names of columns.
    about : mapping
        What it comes from: becomes the key-value metadata of the schema, each under "dptopk."
        and its key; what is no text is written as JSON.

    Raises
    ------
    ModuleNotFoundError
        If pyarrow is not installed; the app's extra has it.
    """
    import pyarrow  # here: only who writes Parquet needs it
    from pyarrow import parquet as files

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    said = {
        f"dptopk.{key}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in about.items()
    }
    content = io.BytesIO()
    files.write_table(table.replace_schema_metadata((table.schema.metadata or {}) | said), content)
    return content.getvalue()
