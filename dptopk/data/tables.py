"""Write tables as CSV, Excel and Parquet, with formulas disarmed.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break (or their
full-width forms) is a formula to many spreadsheets.  Text cells like these get an
apostrophe in front, as do column names; numbers stay numbers.  So do cells that begin with
apostrophes and go on like this: no two cells become one, and `unescaped` gives every cell back.

Limits: the guard works where the file is read with commas between cells.  Workbooks hold every text
as text, Parquet every cell as it is; what the table comes from is a second sheet of the one, and
metadata of the schema of the other.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_NO_TEXT_OF_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FORMULA = r"\s*[=+\-@＝＋－＠]|[\t\r\n]"
_AT_RISK = re.compile(rf"'*(?:{_FORMULA})")
GUARDED = re.compile(rf"^'(?='*(?:{_FORMULA}))")
"""The apostrophe in front of a cell that `csv_escaped` disarmed."""


def csv_escaped(frame: "pd.DataFrame") -> str:
    r"""Return a table as CSV text, without its index, with formulas in text cells disarmed.

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
    """Prefix text that a spreadsheet may take for a formula with an apostrophe."""
    if isinstance(cell, str) and _AT_RISK.match(cell):
        return f"'{cell}"
    return cell


def unescaped(cell: str) -> str:
    """Return a text cell as it was before `csv_escaped`."""
    return GUARDED.sub("", cell)


def parquet(frame: "pd.DataFrame", about: Mapping[str, Any]) -> bytes:
    """Return a table as a Parquet file, without its index.

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


def workbook(frame: "pd.DataFrame", about: Mapping[str, Any]) -> bytes:
    """Return a table as an Excel workbook, without its index; no text in it is a formula.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any table.
    about : mapping
        What it comes from: a second sheet of keys and values; none if it is empty.

    Raises
    ------
    ModuleNotFoundError
        If openpyxl is not installed; the app's extra has it.
    """
    import openpyxl  # here: only who writes a workbook needs it

    book = openpyxl.Workbook()
    table = book.active
    table.title = "Table"
    cells = frame.astype(object).where(frame.notna(), None)
    rows: list[Iterable[Any]] = [frame.columns, *cells.itertuples(index=False)]
    for row, values in enumerate(rows, 1):
        _fill(table, row, values)
    table.freeze_panes = "A2"
    if about:
        source = book.create_sheet("Where it comes from")
        for row, (key, value) in enumerate(_flat(about), 1):
            _fill(source, row, (key, value))
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _flat(about: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of nested mappings, with keys joined by dots."""
    for key, value in about.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _fill(sheet: Any, row: int, values: Iterable[Any]) -> None:
    """Write a row: numbers as numbers, everything else as text, nothing as a formula."""
    for column, value in enumerate(values, 1):
        value = value.item() if hasattr(value, "item") else value
        cell = sheet.cell(row, column)
        if (
            value is None
            or isinstance(value, bool | int)
            or (isinstance(value, float) and math.isfinite(value))
        ):
            cell.value = value
        else:
            cell.value = _NO_TEXT_OF_XML.sub("\N{REPLACEMENT CHARACTER}", str(value))
            cell.data_type = "s"  # text that begins with "=" was taken for a formula
            cell.quotePrefix = bool(_AT_RISK.match(cell.value))  # stays text when it is edited
