"""Cells of an edited table."""

import numpy as np
import pandas as pd
import pytest

from dptopk.ingest import IngestError, from_cells


def test_cells_of_an_edited_table(as_dict):
    result = from_cells(
        ["a", None, 7, "b", np.nan], [5, None, 12.0, np.int64(3), pd.NA], name="mine"
    )
    assert as_dict(result) == {"a": 5, "7": 12, "b": 3}
    assert result.counts.name == "mine"
    assert result.report.blank_rows == 2


@pytest.mark.parametrize(
    ("items", "counts", "message"),
    [
        ([], [], "The table has no filled row"),
        ([None], [np.nan], "The table has no filled row"),
        (["a", ""], [5, 3], "Row 2: the item has no name"),
        (["a", "b"], [5, None], "Row 2: the count is missing"),
        (["a", None, "b"], [5, None, -1.0], 'Row 3: "-1" is negative'),
        (["a", "b"], [5, 0.5], "is not a whole number"),
        (["a", "b"], [5, 1e300], "is too large"),
        (["a", "b"], [5, np.inf], "is not finite"),
    ],
)
def test_faulty_cells_of_an_edited_table(items, counts, message):
    with pytest.raises(IngestError, match=message):
        from_cells(items, counts)
