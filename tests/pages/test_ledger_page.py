"""The ledger page: what is answered, what is refused, and the totals."""

import io

import pandas as pd
import pytest

from dptopk import LimitedDomain, load_dataset
from dptopk.accounting import Ledger
from dptopk.simulation.adaptive_queries import ask_for_the_next


def test_the_page_tells_the_series_of_the_seed(opened):
    visit = opened("ledger", seed="5", outcomes="40", calls="9").whole()
    mechanism = LimitedDomain(10, 1.0, 1e-6)
    ledger = Ledger(mechanism.cost, 40, 9)
    series = ask_for_the_next(load_dataset("games"), mechanism, ledger, 5)
    assert visit.tiles == [
        ("Calls that released items", f"{(series.returned > 0).sum()} of {len(series.answers)}"),
        ("Items released", str(series.returned.sum())),
        ("ε of the series", f"{ledger.total_epsilon(1e-6, 'optimal'):.3g}"),
        ("δ of the series", "1e-5"),
    ]
    empty = (series.returned == 0).sum()
    assert empty > 0
    assert f"{empty} empty · 4 calls if each were charged 10" in visit.captions
    assert "of one call alone: 1" in visit.captions  # beside the ε of the series
    assert "of one call alone: 1e-6" in visit.captions
    in_full, paid = visit.chart("outcomes-spent")["data"]
    assert paid["name"] == "paid by what came out, and one more a call"
    assert in_full["name"] == "if each call paid 10"
    assert visit.table()["composed by"].tolist() == [
        "basic composition",
        "Durfee and Rogers",
        "tightest proven",
    ]
    before = visit.tiles
    visit.app.button(key="draw").click().run()
    assert visit.whole().address["seed"] == "6"
    assert visit.tiles[2:] == before[2:]


def test_the_slide_says_how_many_calls_came_back_empty_and_why_the_series_ends(opened):
    visit = opened("ledger", present=1).whole()
    mechanism = LimitedDomain(10, 1.0, 1e-6)
    series = ask_for_the_next(load_dataset("games"), mechanism, Ledger(mechanism.cost, 55, 20), 0)
    empty, whole = (series.returned == 0).sum(), (series.returned == 10).sum()
    assert empty > whole > 0
    (line,) = visit.slide_lines
    assert "Each call asks for the next top 10, without the items released before." in line
    assert (
        f"{20 - empty} of 20 calls released items; if each were charged 10, there would be 5."
    ) in line
    assert f"{empty} of 20 calls released nothing, {whole} released all 10." in line
    assert "The series ends because all 20 calls are spent." in line


def test_files_tell_the_promise_of_the_series_from_a_calls(offered):
    _, found = offered("ledger")
    figure = found["Outcomes spent as HTML"][1]
    assert "a call of Limited domain alone: k = 10, ε = 1, " in figure
    assert "20 calls at most, costs ε = 1.897 and δ = 2.1e-5" in figure
    totals = pd.read_csv(io.BytesIO(found["Cost of the whole series as CSV"][1]))
    assert totals["δ of the series"].dtype == float
    assert set(totals["mechanism"]) == {"Limited domain"}
    assert set(totals["calls"]) == {20}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"outcomes": "5"}, "a call for 10 may cost 11 outcomes, and 5 of 5 are left"),
        ({"data": "typed", "typed": "9 5 1", "k": "3", "calls": "2"}, "all 2 calls are spent"),
    ],
)
def test_why_a_series_ends_is_said(opened, query, words):
    visit = opened("ledger", **query).whole()
    assert any(words in caption for caption in visit.captions)


def test_where_nothing_can_be_asked_it_is_said_why(opened):
    headline, sentence = opened("ledger", delta="0").problem()
    assert headline == "No question can be asked here"
    assert "delta must be above 0" in sentence
