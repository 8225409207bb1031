"""Test that places are counted from 1 on the page, in its code and in its files."""

import pytest
from pandas.testing import assert_frame_equal

from dptopk import summarize
from dptopk.ui.exhibits import all_runs
from dptopk.ui.formats import number
from dptopk.ui.presenters import errors, sweep
from dptopk.ui.presenters.compare import presenter as compare


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


@pytest.mark.parametrize(
    ("name", "page"), [("errors", errors), ("sweep", sweep), ("compare", compare)]
)
def test_places_are_counted_alike_on_the_page_in_its_code_and_in_its_files(
    opened, monkeypatch, name, page
):
    made, real = [], page.Table
    for room in (page, all_runs):
        monkeypatch.setattr(room, "Table", lambda *a, **k: made.append(real(*a, **k)) or made[-1])
    query = {"metric": "signed_index", "epsilon": "0.1", "runs": 20, "runs_a_point": 5}
    visit = opened(name, mechanisms="Joint,PNFPeel", **query).whole()
    names, _ = visit.told()
    found = names["found"]
    summary = summarize(found.trials, "signed_index", found.right)
    shown = {cell for column in visit.table() for cell in visit.table()[column].astype(str)}
    assert set(_medians(summary)) <= shown
    (runs,) = (table for table in made if table.title.startswith("All runs"))
    columns = ["mechanism", "k", "epsilon", "trial", "linf", "linf_index", "signed_index"]
    assert_frame_equal(runs.frame[columns], found.trials[columns])
    for key in ("linf_index", "signed_index"):
        places = runs.frame[key]
        assert ((places == 0) == (runs.frame["linf"] == 0)).all()
        assert 1 < places.max() <= runs.frame["k"].max()
    assert "from 1; 0: no error" in str(runs.origin.more)
    if page is not sweep:
        weights = runs.data().groupby("mechanism")["weight"].sum()
        assert weights.to_numpy() == pytest.approx([1, 1])
