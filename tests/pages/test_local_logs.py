"""Test the dialog that opens logs on the machine of the app, and that it is there only if asked."""

import duckdb
import pytest
from dialog import with_dialog

from dptopk import counts_by_bound, counts_from_events
from dptopk.core import application
from dptopk.data import events
from dptopk.ui import keys
from dptopk.ui.server import readers

OPEN = "Open a log of this server"
COUNT = "Count the users of each item"
LINK = {"data": "upload", "log-file": "visits.csv", "file": "visits.csv", "files": "/"}


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """Folder of a log, for which the app is started."""
    rows = [(f"user {n % 40}", f"page {n * n % 23 % 7}") for n in range(400)]
    lines = "".join(f"{user},{page}\n" for user, page in rows)
    (tmp_path / "visits.csv").write_text(f"visitor,page\n{lines}", "utf-8")
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as base:
        base.execute("CREATE TABLE sales AS FROM read_csv(?)", [str(tmp_path / "visits.csv")])
        base.execute("CREATE TABLE empty (a INT)")
    monkeypatch.setenv(application.FILES, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def labels(visit) -> list[str]:
    return [button.label for button in visit.app.button]


def opened_log(visit, name: str):
    """Choose a log in the dialog."""
    with_dialog(visit, OPEN)
    (chosen,) = (box for box in visit.app.selectbox if box.label == "File, folder or pattern")
    chosen.set_value(name)
    return with_dialog(visit, OPEN)


def counted(visit):
    (button,) = (button for button in visit.app.button if button.label == COUNT)
    button.click()
    return with_dialog(visit, OPEN)


def test_a_log_is_counted_and_used(opened, logs):
    visit = counted(opened_log(opened("users", k=5), "visits.csv"))
    assert "7 items" in visit.app.success[0].value
    assert COUNT not in labels(visit)
    visit.app.button(key="use-log").click()
    with_dialog(visit, OPEN)
    visit.app.run()
    assert visit.address == {"data": "upload", "k": "5"}
    held = visit.app.session_state[keys.UPLOADED]
    alone = counts_from_events("visits.csv", "visitor", "page")
    assert held.result.counts.digest == alone.digest
    by_bound = counts_by_bound("visits.csv", "visitor", "page")
    assert held.result.report.by_bound.identity == by_bound.identity
    made = {}
    exec(f"from dptopk import counts_from_events\n{held.python}", made)
    assert made["counts"].digest == alone.digest
    assert keys.LOG_DRAFT not in visit.app.session_state
    assert "Of your file: Items per user" in " ".join(one.value for one in visit.app.markdown)


def test_a_log_is_counted_by_month_too(opened, logs):
    rows = [
        (f"user {n % 40}", f"page {n * n % 23 % 7}", f"2026-0{1 + n % 3}-10") for n in range(400)
    ]
    lines = "".join(",".join(row) + "\n" for row in rows)
    (logs / "timed.csv").write_text(f"visitor,page,at\n{lines}", "utf-8")
    visit = opened_log(opened("users", part="series"), "timed.csv")

    def choose(label, value):
        (box,) = (box for box in visit.app.selectbox if box.label == label)
        box.set_value(value)
        with_dialog(visit, OPEN)

    (times,) = (box for box in visit.app.selectbox if box.label == "Times of events are in")
    assert times.value == 2  # proposed
    choose("One list per", "month")
    assert any("Each month is counted, too" in one.value for one in visit.app.caption)
    counted(visit)
    assert COUNT not in labels(visit)
    visit.app.button(key="use-log").click()
    with_dialog(visit, OPEN)
    visit.app.run()
    held = visit.app.session_state[keys.UPLOADED]
    made = {}
    exec(f"from dptopk.data import counts_of_periods\n{held.python_by_period}", made)
    assert made["periods"].by_bound.identity == held.by_period.by_bound.identity
    assert [str(day) for day in held.by_period.series] == ["2026-01-01", "2026-02-01", "2026-03-01"]
    said = " ".join(one.value for one in visit.app.markdown)
    assert "from one period to the next" in said


def test_where_the_proposed_times_cannot_be_counted_the_whole_log_can_be_used(
    opened, logs, monkeypatch
):
    rows = [f"u{n % 40},page {n % 7},2026-01-{1 + n % 28:02}\n" for n in range(400)]
    (logs / "timed.csv").write_text(f"visitor,page,at\n{''.join(rows)}", "utf-8")
    monkeypatch.setattr(events, "_MOST_CELLS", 5)
    monkeypatch.setattr(readers, "count", lambda f, *given, **_: f(*given, progress=lambda _: None))
    visit = counted(opened_log(opened("data"), "timed.csv"))
    assert any("more counts than are kept" in one.value for one in visit.app.text)
    visit.app.button(key="use-log").click()
    with_dialog(visit, OPEN)
    visit.app.run()
    held = visit.app.session_state[keys.UPLOADED]
    assert held.by_period is None
    assert held.result.counts.digest == counts_from_events("timed.csv", "visitor", "page").digest


def test_a_table_of_a_database_is_chosen_and_what_cannot_be_read_is_said(opened, logs):
    visit = opened_log(opened("data"), "shop.duckdb")
    (table,) = (box for box in visit.app.selectbox if box.label == "Table")
    assert table.options == ["empty", "sales"]
    table.set_value("sales")
    with_dialog(visit, OPEN)
    assert "7 items" in counted(visit).app.success[0].value
    (logs / "broken.csv").write_text("", "utf-8")
    opened_log(visit, "broken.csv")
    assert "broken.csv is empty" in " ".join(text.value for text in visit.app.text)
    assert COUNT not in labels(visit)


def test_a_name_that_may_be_missing_is_asked_about(opened, logs):
    (logs / "regions.csv").write_text("visitor,page\n1,NA\n2,NA\n3,EMEA\n")
    visit = counted(opened_log(opened("data"), "regions.csv"))
    assert any('"NA" in 2 rows' in one.value for one in visit.app.text)
    (missing,) = (box for box in visit.app.selectbox if box.label.startswith("Names spelled NA"))
    assert missing.label in visit.app.info[0].value
    missing.set_value("keep")
    with_dialog(visit, OPEN)
    assert "of NA" in counted(visit).app.success[0].value
    visit.app.button(key="use-log").click()
    with_dialog(visit, OPEN)
    visit.app.run()
    held = visit.app.session_state[keys.UPLOADED]
    assert held.how.nulls == "keep"
    made = {}
    exec(f"from dptopk import counts_from_events\n{held.python}", made)
    assert made["counts"].digest == held.result.counts.digest


def test_without_the_option_no_link_and_no_widget_opens_a_file(opened, logs, monkeypatch):
    monkeypatch.delenv(application.FILES)

    def never(*arguments, **options):
        raise AssertionError("a file of this machine was asked for")

    monkeypatch.setattr(readers, "preview", never)
    monkeypatch.setattr(readers, "count", never)
    visit = opened("data", **LINK)
    assert OPEN not in labels(visit)
    assert "not in this session" in " ".join(error.value for error in visit.app.error)
    visit.app.session_state["log-file"] = "visits.csv"
    visit.app.run()
    assert OPEN not in labels(visit)
    assert keys.UPLOADED not in visit.app.session_state


def test_with_the_option_a_link_opens_no_file_by_itself(opened, logs, monkeypatch):
    monkeypatch.setattr(readers, "preview", None)  # calling it would raise
    monkeypatch.setattr(readers, "count", None)
    visit = opened("data", **LINK)
    assert OPEN in labels(visit)
    assert keys.UPLOADED not in visit.app.session_state
    assert keys.LOG_DRAFT not in visit.app.session_state
