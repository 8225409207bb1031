"""Test the page Ledger: answered and refused calls, and totals."""

import io
import pickle

import pandas as pd
import pytest

from dptopk import Joint, Ledger as Releases, LimitedDomain, StableSet, load_dataset
from dptopk.accounting import OutcomeLedger
from dptopk.core.numerals import needed
from dptopk.simulation.adaptive_queries import ask_for_the_next
from dptopk.ui import keys
from dptopk.ui.sections import ledger_copy


def test_the_page_tells_the_series_of_the_seed(opened):
    visit = opened("ledger", seed="5", outcomes="40", calls="9").whole()
    mechanism = LimitedDomain(10, 1.0, 1e-6)
    ledger = OutcomeLedger(mechanism.cost, 40, 9)
    series = ask_for_the_next(load_dataset("games"), mechanism, ledger, 5)
    total = needed(ledger.total_epsilon(1e-6, "optimal"))
    assert [value for _, value in visit.tiles] == [str(series.returned.sum()), total, "1e-5"]
    empty, n = (series.returned == 0).sum(), len(series.answers)
    assert empty > 0
    assert f"{empty} of {n} lists empty · simulated" in visit.captions
    assert visit.finding.startswith(f"{n} lists cost {series.charged.sum()} of the budget's 40")
    assert visit.finding.endswith(", charged 10 each, 4 would fit")
    in_full, _ = visit.chart("outcomes-spent")["data"]
    assert in_full["name"] == "if each list were charged 10"
    assert len(visit.table(1)["composed by"]) == 3
    before = visit.tiles
    assert visit.press("draw").address["seed"] == "6"
    assert visit.tiles[1:] == before[1:]


def test_the_slide_says_how_many_lists_are_empty_and_why_the_series_ends(opened):
    mechanism = LimitedDomain(10, 1.0, 1e-6)
    ledger = OutcomeLedger(mechanism.cost, 55, 20)
    series = ask_for_the_next(load_dataset("games"), mechanism, ledger, 0)
    empty = (series.returned == 0).sum()
    assert 0 < empty < 20
    (line,) = opened("ledger", present=1, epsilon=1).whole().slide_lines
    assert f"{empty} of 20 lists empty" in line


def test_files_tell_the_promise_of_the_series_from_a_calls(offered):
    _, found = offered("ledger", epsilon="1")
    figure = found["Outcomes spent as HTML"][1]
    assert "domain alone: k = 10" in figure
    assert "ε = 1.898 and δ = 2.1e-5" in figure
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


def sent(visit, content: bytes):
    """Give the page a file as a ledger."""
    file = ("budget.sqlite", content, "application/vnd.sqlite3")
    visit.app.file_uploader(key="ledger-copy").set_value(file).run()
    return visit


def test_a_ledger_of_releases_is_shown_and_not_changed(opened, tmp_path):
    path = tmp_path / "b.sqlite"
    kept = Releases.create(path, 2, 1e-6, "one *patient* <b>of</b> the ward")
    kept.enter(load_dataset("games"), Joint(10, 0.5), "Games <i>of</i> May", author="Ada")
    kept.annotate(1, "withdrawn: *wrong* data")
    before = path.read_bytes()
    visit = sent(opened("ledger", epsilon="0.3", releases=20), before)
    assert not any("simulated" in said for said in visit.captions)  # no example beside it
    assert [value for _, value in visit.tiles] == ["1.5", "ρ = 0.0521", "5e-7", "1"]
    visit.whole()
    (said,) = (text.value for text in visit.app.markdown if text.value.startswith("Protects"))
    assert "`one *patient* <b>of</b> the ward`." in said
    planned, spent = visit.table(0), visit.table(1)
    assert spent["data"].tolist() == ["Games <i>of</i> May"]
    assert spent["ε"].tolist() == [0.5]
    assert spent["entered by"].tolist() == ["Ada"]
    assert spent["annotations"][0].startswith("withdrawn: *wrong* data (2")
    of = {row["mechanism"]: row for row in planned.to_dict("records")}
    assert {"Joint", "PNFJoint", "CDP-Peel", "Stable set"} < set(of)
    assert "Gamma" not in of
    assert (of["Joint"]["number that still fits"], of["Joint"]["largest ε of one"]) == (5, 1.5)
    assert of["Joint"]["largest ε of each of 20"] > of["PNFJoint"]["largest ε of each of 20"]
    (bars,) = visit.chart("fits")["data"]
    assert dict(zip(bars["customdata"], bars["x"], strict=True)) == {
        label: most for label, row in of.items() if (most := row["largest ε of each of 20"])
    }
    assert list(bars["x"]) == sorted(bars["x"], reverse=True)
    assert visit.finding.startswith("ε = 1.5 of 2 is left: 20")
    exact = kept.largest_epsilon(Joint(10, 1.0), 20)
    assert exact * 0.99 < of["Joint"]["largest ε of each of 20"] <= exact  # rounded down
    assert path.read_bytes() == before
    held = pickle.dumps(visit.app.session_state[keys.LEDGER_COPY])
    assert kept._secret not in held


def test_of_many_releases_the_last_are_shown_and_all_handed_over(offered, tmp_path, monkeypatch):
    monkeypatch.setattr(ledger_copy, "_MOST_ROWS", 2)
    kept = Releases.create(tmp_path / "b.sqlite", 2, 1e-6, "one patient")
    for title in ("May", "June", "July"):
        kept.enter(load_dataset("games"), Joint(10, 0.1), title)
    visit, _ = offered("ledger")
    sent(visit, kept.path.read_bytes()).whole()
    assert visit.table(1)["data"].tolist() == ["June", "July"]
    assert "The last 2 of 3 releases; the download contains all." in visit.captions
    _, content = offered.found["Releases in the ledger as CSV"]
    assert pd.read_csv(io.BytesIO(content))["data"].tolist() == ["May", "June", "July"]


def test_without_a_ledger_the_page_says_how_to_begin_and_shows_an_invented_one(opened):
    visit = opened("ledger").whole()
    (command,) = (code.value for code in visit.main.code if "ledger create" in code.value)
    assert "--epsilon 2 --delta 1e-6" in command
    most = visit.table(0)["number that still fits"].max()
    said = f"12 more lists fit at ε = 0.1 each by adding up, {most} by zCDP (EM-Peel)"
    assert visit.finding == f"Example: ε = 1.2 of 2 is left: {said}"
    assert visit.table(1)["ε"].tolist() == [0.2, 0.2, 0.4]
    visit.app.segmented_control(key="example").set_value("series").run()
    assert "Simulated here" in visit.words
    assert "example" not in visit.address  # as in every link of before


def test_what_does_not_fit_is_said(opened, tmp_path):
    """Without zCDP only what is added up, and where no list fits the largest ε of one."""
    kept = Releases.create(tmp_path / "pure.sqlite", 2, 0, "one patient").path.read_bytes()
    assert " 20 more lists fit at ε" in sent(opened("ledger", epsilon="0.1"), kept).finding
    visit = sent(opened("ledger", epsilon="3"), kept)
    assert "no list fits at ε = 3" in visit.finding
    (bars,) = visit.chart("fits")["data"]
    assert max(bars["x"]) == 2.0
    kept = Releases.create(tmp_path / "b.sqlite", 2, 1e-6, "one patient")
    visit = sent(opened("ledger"), kept.path.read_bytes())
    why = kept.shortage(StableSet(10, 1.0, 1e-6), 1)
    assert why
    assert any(f"0: {why[0].upper()}{why[1:]}." in caption for caption in visit.captions)


@pytest.mark.parametrize("content", [b"item,count\na,3\n", b"SQLite format 3\0" + bytes(9_000)])
def test_what_is_no_ledger_is_refused_in_a_sentence(opened, content):
    visit = sent(opened("ledger"), content)
    assert visit.exceptions() == []
    assert [error.value for error in visit.app.error] == ["This file cannot be shown"]
    assert any(text.value.startswith("the file ") for text in visit.app.text)
