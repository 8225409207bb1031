"""Test data with fewer than k items, which mechanisms without a list of items accept."""

import pytest

from dptopk.questions import settings

FEW = {"data": "typed", "k": "5", "runs": "7"}
UNKNOWN = "LimitedDomain,LimitedDomainLaplace"


@pytest.mark.parametrize(
    ("page", "own"),
    [
        ("release", {}),
        ("release", {"picture": "noise"}),
        ("release", {"picture": "outcomes"}),
        ("errors", {"metric": "items_right"}),
        ("compare", {}),
        ("sweep", {"runs_a_point": "1"}),
        ("choose", {"goal": "error_share"}),
        ("handover", {}),
    ],
)
def test_k_may_be_more_than_there_are_items(opened, page, own):
    for typed in ("9000 8000 7", "0 0"):
        visit = opened(page, mechanisms=UNKNOWN, typed=typed, **FEW | own).whole()
        assert visit.complaints == visit.toasts == []
        assert visit.address["k"] == "5"
        if page == "release" and not own:
            table = visit.ranking()
            assert len(table) == 5
            assert table["true item"].tolist()[-2:] == ["no item"] * 2
            assert table.iloc[-1].tolist()[-2:] == ["⊥ nothing"] * 2
        slider = visit.line.slider(key="k")
        assert (slider.value, slider.max) == (5, settings.MAX_K)


def test_others_release_as_many_as_there_are(opened):
    visit = opened("release", mechanisms=f"Joint,{UNKNOWN}", typed="9000 8000 7", **FEW).whole()
    assert ["k = 5 requested, 3 shown" in words for words in visit.toasts] == [True]
    assert len(visit.ranking()) == 3
    series = opened("ledger", mechanisms="Joint", typed="9000 8000 7", **FEW).whole()
    assert series.line.slider(key="k").value == 5
    assert series.finding.endswith("but 19 are empty")
