"""Items and counts from the cells of an edited table."""

from collections.abc import Iterable

from dptopk.ingest._cells import Given, IngestResult, assemble
from dptopk.ingest._error import IngestError
from dptopk.ingest._plain import number


def _cell(value: object) -> str:
    """Text of an edited cell: nothing for the many marks of a missing value, 12 for 12.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    missing = not isinstance(value, str) and text in ("None", "nan", "NaT", "<NA>")
    return "" if missing else text


def from_cells(
    items: Iterable[object], counts: Iterable[object], name: str = "edited"
) -> IngestResult:
    """Read items and counts from two columns of an edited table.

    Parameters
    ----------
    items, counts : sequence of str, number or None
        Cells; None and NaN are blank.  Rows where both are blank are left out.
    name : str, default "edited"
        What to call the data.

    Raises
    ------
    IngestError
        In one sentence: what is wrong, in which row, how to mend it.
    """
    pairs = [(_cell(item), _cell(count)) for item, count in zip(items, counts, strict=True)]
    rows = [row for row, pair in enumerate(pairs, 1) if any(map(str.strip, pair))]
    if not rows:
        raise IngestError("The table has no filled row: write an item and its count.")
    given = Given(
        [pairs[row - 1][0] for row in rows],
        [pairs[row - 1][1] for row in rows],
        lambda i, _: f"Row {rows[i]:,}",
        (f"{number(len(rows), 'row was', 'rows were')} read from the table.",),
        blank_rows=len(pairs) - len(rows),
    )
    return assemble(given, name)
