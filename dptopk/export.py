"""Tables to CSV text that a spreadsheet can open without running anything.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break (or their
full-width forms) is a formula to many spreadsheets.  Text cells like these get an
apostrophe in front, as do column names; numbers stay numbers.

Limits: the guard works where the file is read with commas between cells.  Reading it
back gives the apostrophe too, so these files are for people, not for round trips.
"""

import csv
import re
from typing import TYPE_CHECKING

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
