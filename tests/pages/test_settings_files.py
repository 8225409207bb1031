"""Test that a settings file of a page gives the same numbers on the command line."""

import io
from pathlib import Path

import pandas as pd
import pytest
from controls import texts_of
from dialog import answered, dropped, used, with_dialog

from dptopk.cli import main
from dptopk.questions import QUESTIONS
from dptopk.questions.saved import read_saved

COMMON = {"k": 4, "seed": 11, "runs": 40, "epsilon": "0.3", "mechanisms": "Joint,CDPPeel,StableSet"}
COMMON |= {"data": "synthetic-uniform", "d": 60, "data_seed": 3, "delta": 1e-7}
COMMON |= {"neighbors": "swap", "calibration": "optimal"}
NO_DELTA = {"extra": "none", "mechanisms": "Joint,PNFPeel", "releases": 4}
CASES = {  # where other values than the next ones say more
    "winners": {"measure": "k_relative", "ranked": "sets", "mechanisms": "JointSet", "runs": 10},
    "choose": {"goal": "items_right", "least": 3, "mechanisms": "Joint", "stand_in": "news"},
    "exact": {"data": "typed", "typed": "b 7\na 9\nc 3", "small": "all", "draws": 500},
}
OF_THE_PAGE = ["seconds_a_draw_measured", "title", "computed"]  # columns
TABLES = [key for key in QUESTIONS if key != "privacy"]  # which shows no table of its answer


def next_values(question) -> dict[str, str]:
    """Return a link in which every setting of a question differs from its default."""
    return {
        one.key: next(text for text in texts_of(one) if text != one.text(one.default))
        for one in question.parameters
    }


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run what was saved with more arguments; the exit code and the table."""
    monkeypatch.chdir(tmp_path)

    def ran(settings, *arguments):
        Path("settings.json").write_text(settings, encoding="utf-8")
        code = main(["run", "settings.json", "-o", "table.csv", *arguments])
        return code, pd.read_csv("table.csv") if code == 0 else capfd.readouterr().err

    return ran


def assert_equal(rows, found) -> None:
    """What the command line gives is a table that the page hands over."""
    files = [content for name, content in found.values() if name.endswith(".csv")]
    tables = [pd.read_csv(io.BytesIO(file), encoding="utf-8-sig") for file in files]
    tables = [table.drop(columns=OF_THE_PAGE, errors="ignore") for table in tables]
    shown = next(table for table in tables if {*table} <= {*rows})
    pd.testing.assert_frame_equal(rows[[*shown]], shown, check_exact=True)


@pytest.mark.parametrize(
    ("key", "query"), [*((key, CASES.get(key)) for key in TABLES), ("choose", NO_DELTA)]
)
def test_the_command_line_gives_the_numbers_of_the_page(offered, run, key, query):
    query = next_values(QUESTIONS[key]) if query is None else query
    _, found = offered(key, **COMMON | query)
    code, rows = run(found["Settings file"][1])
    assert code == 0
    assert_equal(rows, found)


def test_the_command_line_judges_promises_as_the_page_does(offered, run):
    asked = {"run": "unswapped", "neighbors": "swap", "vector": "4, 3, 2", "small_k": 1}
    asked |= {"mechanisms": "Joint,CDPPeel"}
    visit, found = offered("privacy", **COMMON | asked)
    code, rows = run(found["Settings file"][1])
    assert code == 0
    used = [(row.mechanism, f"{row.largest_loss:.3f}") for row in rows.itertuples()]
    assert visit.losses == used
    assert not rows["is_kept"].all()


def test_what_the_page_really_shows_is_saved(offered, run):
    few = {"data": "typed", "typed": "9 5", "k": 50, "goal": "items_right", "least": 9}
    visit, found = offered("choose", **few, mechanisms="Joint")
    values = read_saved(found["Settings file"][1].encode()).values
    assert (values["k"], values["least"]) == (2, 2)
    code, rows = run(found["Settings file"][1])
    assert code == 0
    assert (visit.tiles[0][1], rows["epsilon_needed"].tolist()) == ("any ε", [0])


def test_an_upload_is_asked_for_read_as_it_was_and_compared_and_nothing_of_it_is_saved(
    offered, run
):
    content = b"Report of May\nsecret tea;1.200,00\njam;800,00\nSumme;2.000,00\n"
    visit, _ = offered("compare", k=2, seed=3, runs=20, mechanisms="Joint")
    dropped(visit, "shop.csv", content)
    answered(visit, 'Is the last row, "Summe", a total?', "keep")
    (unit,) = (box for box in visit.app.text_input if box.key.startswith("unit-"))
    unit.set_value("orders")
    with_dialog(visit)
    used(visit).whole()
    saved = offered.found["Settings file"][1]
    for word in ("secret", "jam", "Summe", "Report", "1.200", "1200", "2000"):
        assert word not in saved
    assert "shop" in saved
    code, words = run(saved)
    assert (code, "same file with --data" in words) == (3, True)
    Path("shop.csv").write_bytes(content)
    code, rows = run(saved, "--data", "shop.csv")
    assert code == 0
    assert set(rows["counts_are"]) == {"orders"}
    assert_equal(rows, offered.found)
    other = content.replace(b"1.200", b"1.201").replace(b"800", b"799")
    for changed, more in ((content, ("--answer", "total=leave out")), (other, ())):
        Path("shop.csv").write_bytes(changed)
        code, words = run(saved, "--data", "shop.csv", *more)
        assert (code, "not the counts" in words) == (3, True)
