"""Test the dialog that opens logs on the machine of the app, and that it is there only if asked."""

from dataclasses import replace

import duckdb
import pytest
from dialog import labelled, with_dialog

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
    return chosen(with_dialog(visit, OPEN), "File, folder or pattern", name)


def chosen(visit, label: str, value):
    labelled(visit.app.selectbox, label).set_value(value)
    return with_dialog(visit, OPEN)


def counted(visit):
    labelled(visit.app.button, COUNT).click()
    return with_dialog(visit, OPEN)


def used_log(visit, imports=""):
    """Use what was counted; what the session holds of it, whose lines of Python count the same."""
    visit.app.button(key="use-log").click()
    with_dialog(visit, OPEN)
    visit.app.run()
    return held_as_its_python(visit, imports)


def held_as_its_python(visit, imports=""):
    held, made = visit.app.session_state[keys.UPLOADED], {}
    exec(f"{imports}from dptopk import counts_from_events\n{held.python}", made)
    assert made["counts"].digest == held.result.counts.digest
    return held


def test_a_log_is_counted_and_used(opened, logs, in_processes):
    visit = counted(opened_log(opened("users", k=5), "visits.csv"))
    assert "7 items" in visit.app.success[0].value
    assert COUNT not in labels(visit)
    held = used_log(visit)
    assert visit.address == {"data": "upload", "k": "5"}
    alone = counts_from_events("visits.csv", "visitor", "page")
    assert held.result.counts.digest == alone.digest
    by_bound = counts_by_bound("visits.csv", "visitor", "page")
    assert held.result.report.by_bound.identity == by_bound.identity
    assert keys.LOG_DRAFT not in visit.app.session_state
    assert "Of your file: Items" in " ".join(one.value for one in visit.app.markdown)


def test_a_condition_names_what_was_counted_as_plain_text(opened, logs):
    where = "page <> '<b>[a](b)</b>' AND visitor <> 'user 1' AND visitor <> 'user 2'"
    visit = opened_log(opened("data", k=5), "visits.csv")
    labelled(visit.app.text_input, "Only events that meet").set_value(where)
    visit = counted(with_dialog(visit, OPEN))
    assert used_log(visit).result.counts.name == f"visits where {where}"
    assert visit.title == f"What is in `visits where {where}`?"  # as code: no markup


def test_a_log_is_counted_by_month_too(opened, logs):
    rows = [
        (f"user {n % 40}", f"page {n * n % 23 % 7}", f"2026-0{1 + n % 3}-10") for n in range(400)
    ]
    lines = "".join(",".join(row) + "\n" for row in rows)
    (logs / "timed.csv").write_text(f"visitor,page,at\n{lines}", "utf-8")
    visit = opened_log(opened("users", part="series", runs=20, mechanisms="Joint"), "timed.csv")
    assert labelled(visit.app.selectbox, "Times of events are in").value == 2  # proposed
    counted(chosen(visit, "One list per", "month"))
    assert COUNT not in labels(visit)
    held, made = used_log(visit), {}
    exec(f"from dptopk.data import counts_of_periods\n{held.python_by_period}", made)
    assert made["periods"].by_bound.identity == held.by_period.by_bound.identity
    assert [str(day) for day in held.by_period.series] == ["2026-01-01", "2026-02-01", "2026-03-01"]


def test_a_log_is_counted_on_a_public_list_under_a_bound_and_by_week(opened, logs):
    listed = ["NA", "page 9", "page 2"]
    pages = ["NA", "page 1", "page 2"]
    rows = [f"user {n % 40},{pages[n * n % 23 % 3]},2026-01-1{n % 9}\n" for n in range(99)]
    (logs / "timed.csv").write_text(f"visitor,page,at\n{''.join(rows)}", "utf-8")
    (logs / "items.txt").write_text("\n".join(listed), "utf-8")
    visit = opened_log(opened("users", k=2, items_per_user=1), "timed.csv")
    visit.app.text_area(key="public-list-text").set_value("\n".join(listed))
    visit = counted(with_dialog(visit, OPEN))
    assert "3 items" in visit.app.success[0].value
    imports = "import pathlib\nfrom dptopk.data import read_public_list, counts_of_periods\n"
    held, made = used_log(visit, imports), {}
    whole = counts_from_events("timed.csv", "visitor", "page", items=listed)
    assert held.result.counts.digest == whole.digest
    assert (held.how.listed, held.listed) == (True, "items.txt")
    exec(imports + held.python_by_period, made)
    assert made["periods"].by_bound.identity == held.by_period.by_bound.identity
    assert [*made["periods"].by_bound.counts.items] == listed
    visit.app.session_state[keys.UPLOADED] = replace(held, by_period=None)
    visit.app.run()
    visit.press("apply-bound")
    cut = counts_from_events("timed.csv", "visitor", "page", max_items=1, items=listed)
    held = held_as_its_python(visit, imports)
    assert held.result.counts.digest == cut.digest != whole.digest
    assert (held.result.report.cut, held.how.max_items) == (cut.report.cut, 1)


def test_where_the_proposed_times_cannot_be_counted_the_whole_log_can_be_used(
    opened, logs, monkeypatch
):
    rows = [f"u{n % 40},page {n % 7},2026-01-{1 + n % 28:02}\n" for n in range(400)]
    (logs / "timed.csv").write_text(f"visitor,page,at\n{''.join(rows)}", "utf-8")
    monkeypatch.setattr(events, "_MOST_CELLS", 5)
    visit = counted(opened_log(opened("data"), "timed.csv"))
    assert any("more counts than are kept" in one.value for one in visit.app.text)
    held = used_log(visit)
    assert held.by_period is None
    assert held.result.counts.digest == counts_from_events("timed.csv", "visitor", "page").digest


def test_a_table_of_a_database_is_chosen_and_what_cannot_be_read_is_said(opened, logs):
    visit = opened_log(opened("data"), "shop.duckdb")
    assert labelled(visit.app.selectbox, "Table").options == ["empty", "sales"]
    chosen(visit, "Table", "sales")
    assert "7 items" in counted(visit).app.success[0].value
    (logs / "broken.csv").write_text("", "utf-8")
    opened_log(visit, "broken.csv")
    assert "broken.csv is empty" in " ".join(text.value for text in visit.app.text)
    assert COUNT not in labels(visit)


def test_a_name_that_may_be_missing_is_asked_about(opened, logs):
    (logs / "regions.csv").write_text("visitor,page\n1,NA\n2,NA\n3,EMEA\n")
    visit = counted(opened_log(opened("data"), "regions.csv"))
    assert any('"NA" in 2 rows' in one.value for one in visit.app.text)
    chosen(visit, "Names spelled NA", "keep")
    assert "of NA" in counted(visit).app.success[0].value
    assert used_log(visit).how.nulls == "keep"


@pytest.mark.parametrize("is_asked", [False, True])
def test_no_link_opens_a_file_and_without_the_option_no_widget(opened, logs, monkeypatch, is_asked):
    if not is_asked:
        monkeypatch.delenv(application.FILES)
    monkeypatch.setattr(readers, "preview", None)  # calling it would raise
    monkeypatch.setattr(readers, "count", None)
    visit = opened("data", **LINK)
    assert (OPEN in labels(visit)) is is_asked
    assert "not in this session" in " ".join(error.value for error in visit.app.error)
    if not is_asked:
        visit.app.session_state["log-file"] = "visits.csv"
        visit.app.run()
        assert OPEN not in labels(visit)
    assert not [key for key in (keys.UPLOADED, keys.LOG_DRAFT) if key in visit.app.session_state]
