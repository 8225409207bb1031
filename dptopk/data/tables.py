"""Write tables as CSV, Excel and Parquet, with text that looks like a formula escaped.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break (or their
full-width forms) is a formula to many spreadsheets.  Text cells like these get an
apostrophe in front, as do column names; numbers stay numbers, and one of these signs alone is no
formula.  So do cells that begin with apostrophes and go on like this: no two cells become one, and
`unescaped` gives every cell back.

Limits: the guard works where the file is read with commas between cells.  Workbooks hold every text
as text, Parquet every cell as it is; what the table comes from is a second sheet of the one, and
metadata of the schema of the other.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_NO_TEXT_OF_XML = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # slow to compile
_FORMULA = r"\s*[=+\-@＝＋－＠]|[\t\r\n]"
_AT_RISK = re.compile(rf"(?!\s*[=+\-@＝＋－＠]\s*\Z)'*(?:{_FORMULA})")
GUARDED = re.compile(rf"^'(?='*(?:{_FORMULA}))")
"""The apostrophe in front of a cell that `csv_escaped` disarmed."""


SHEETS = ("Table", "Where it comes from")
"""Names of the sheets of a workbook."""

Columns = Mapping[str, Sequence[Any]]
"""Table as plain cells by column, None where one is missing, which needs no pandas."""


def cells_of(table: "pd.DataFrame | Columns") -> list[tuple[str, list[Any]]]:
    """Return the name and the plain cells of each column, None where a cell is missing."""
    if isinstance(table, Mapping):
        return [(name, [None if cell != cell else cell for cell in table[name]]) for name in table]
    return [
        (str(name), cells.astype(object).where(cells.notna(), None).tolist())
        for name, cells in table.items()
    ]


def frame_of(table: "pd.DataFrame | Columns") -> "pd.DataFrame":
    """Return a table as a DataFrame; whole numbers stay so beside missing ones."""
    import pandas as pd  # slow to load

    if isinstance(table, pd.DataFrame):
        return table
    whole = {
        name: all(cell is None or isinstance(cell, int) for cell in cells) and None in cells
        for name, cells in table.items()
    }
    return pd.DataFrame(
        {n: pd.array(c, dtype="Int64") if whole[n] else c for n, c in table.items()}
    )


def csv_escaped(table: "pd.DataFrame | Columns") -> str:
    r"""Return a table as CSV text, without its index, with formulas in text cells disarmed.

    Lines end in ``\n``; every text cell is in quotation marks.  Encode it as "utf-8-sig" for Excel.
    """
    columns = [(name, *cells) for name, cells in cells_of(table)]
    content = io.StringIO()
    writer = csv.writer(content, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerows(zip(*(map(_disarmed, column) for column in columns), strict=True))
    return content.getvalue()


def _disarmed(cell: object) -> object:
    """Prefix text that a spreadsheet may take for a formula with an apostrophe."""
    if isinstance(cell, str) and _AT_RISK.match(cell):
        return f"'{cell}"
    return cell


def unescaped(cell: str) -> str:
    """Return a text cell as it was before `csv_escaped`."""
    return GUARDED.sub("", cell)


def parquet(table: "pd.DataFrame | Columns", about: Mapping[str, Any]) -> bytes:
    """Return a table with distinct names of columns as a Parquet file, without its index.

    ``about`` says what it comes from: it becomes the key-value metadata of the schema, each under
    "dptopk." and its key; what is no text is written as JSON.
    """
    import pyarrow  # here: only who writes Parquet needs it
    from pyarrow import parquet as files

    whole = pyarrow.Table.from_pandas(frame_of(table), preserve_index=False)
    more = {
        f"dptopk.{key}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for key, value in about.items()
    }
    content = io.BytesIO()
    files.write_table(whole.replace_schema_metadata((whole.schema.metadata or {}) | more), content)
    return content.getvalue()


def workbook(table: "pd.DataFrame | Columns", about: Mapping[str, Any]) -> bytes:
    """Return a table as an Excel workbook, without its index; no text in it is a formula.

    ``about`` says what it comes from, on a second sheet of keys and values, unless it is empty.
    """
    import openpyxl  # here: only who writes a workbook needs it; the app's extra has it

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title, *_ = SHEETS
    columns = [(name, *cells) for name, cells in cells_of(table)]
    for row, values in enumerate(zip(*columns, strict=True), 1):
        _fill(sheet, row, values)
    sheet.freeze_panes = "A2"
    if about:
        source = book.create_sheet(SHEETS[1])
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
            cell.value = re.sub(_NO_TEXT_OF_XML, "\N{REPLACEMENT CHARACTER}", str(value))
            cell.data_type = "s"  # text that begins with "=" was taken for a formula
            cell.quotePrefix = bool(_AT_RISK.match(cell.value))  # stays text when it is edited
