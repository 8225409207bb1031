"""Test that places are counted from 1 on the page, in its code and in its files."""

import io

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from dptopk import summarize
from dptopk.ui.formats import number


def _medians(summary) -> list[str]:
    """Medians with their intervals, as tables show them."""
    return [
        f"{number(one.median)} "
        + (
            "exact"
            if one.median_exact == one.median
            else f"[{number(one.median_low)}, {number(one.median_high)}]"
        )
        for one in summary.itertuples(index=False)
    ]


@pytest.mark.parametrize("page", ["errors", "sweep", "compare"])
def test_places_are_counted_alike_on_the_page_in_its_code_and_in_its_files(offered, page):
    query = {"metric": "signed_index", "epsilon": "0.1", "runs": 20, "runs_a_point": 5}
    visit, files = offered(page, mechanisms="Joint,PNFPeel", **query)
    names, _ = visit.told()
    found = names["found"]
    summary = summarize(found.trials, "signed_index", found.right)
    shown = {cell for column in visit.table() for cell in visit.table()[column].astype(str)}
    assert set(_medians(summary)) <= shown
    (content,) = (
        content
        for label, (_, content) in files.items()
        if label.startswith("All runs") and label.endswith("Parquet")
    )
    runs = pd.read_parquet(io.BytesIO(content))
    columns = ["mechanism", "k", "epsilon", "trial", "linf", "linf_index", "signed_index"]
    assert_frame_equal(runs[columns], found.trials[columns], check_dtype=False)
    for key in ("linf_index", "signed_index"):
        places = runs[key]
        assert ((places == 0) == (runs["linf"] == 0)).all()
        assert 1 < places.max() <= runs["k"].max()
    assert "from 1; 0: no error" in runs.iloc[0].astype(str).str.cat()
    if page != "sweep":
        weights = runs.groupby("mechanism")["weight"].sum()
        assert weights.to_numpy() == pytest.approx([1, 1])
