"""Test the page Users: bounds on the items per user, and the cost of repeated lists."""

import datetime

import numpy as np
import pandas as pd
import pytest
from dialog import OWN, dropped, labelled, uploaded, used, with_dialog

from dptopk import MECHANISMS, CDPPeel, Joint, PNFJoint, errors_by_share, items_found_by_bound
from dptopk.core.numerals import needed, rounded_up
from dptopk.data import counts_of_periods, read_table, to_item_counts
from dptopk.data.ingest import KINDS
from dptopk.data.synthetic_log import synthetic_log
from dptopk.questions import item_discovery
from dptopk.tuning import costs_of_series, errors_by_bound, turnover_of_series
from dptopk.ui import keys, results, show

TAKERS = [m.card.key for m in MECHANISMS.values() if m.card.takes("max_items")]
QUERY = {"k": 5, "runs": 40, "mechanisms": "Joint", "epsilon": "0.1"}
UNLISTED = QUERY | {"part": "unlisted"}
LITTLE = {"k": 3, "runs": 30, "mechanisms": "Joint", "epsilon": "0.1"}  # of uploads


def words(visit) -> str:
    return "\n".join([*visit.said, *visit.captions])


def test_without_a_log_the_bound_is_that_of_a_synthetic_one(opened):
    visit = opened("users", **QUERY).whole()
    said = words(visit)
    keys = visit.charts
    assert keys == ["chart-wrong-places", "chart-bounds", "chart-items-of-users"]
    names = visit.told()[0]
    found = names["found"]
    by_bound = synthetic_log().weeks[5]
    wanted = errors_by_bound(by_bound, names["mechanisms"], n=40, seed=0)
    assert found.to_string() == wanted.to_string()
    assert f"by {wanted[wanted['is_best']].iloc[0]['mechanism']}" in said
    best = wanted[wanted["mechanism"] == "Joint"].iloc[0]  # the only one chosen
    assert visit.finding.startswith(
        f"No bound per user is needed: {best['wrong']:.2f} of 5 items wrong"
    )
    slider = visit.main.select_slider(key="items_per_user")
    assert slider.value == wanted["max_items"].max()  # which removes nothing
    bars = [one for one in visit.chart("bounds")["data"] if one["type"] == "bar"]
    assert len({one["marker"]["pattern"]["shape"] for one in bars}) == 3  # read without color
    free = wanted[wanted["max_items"].isna()].sort_values("wrong", kind="stable").iloc[0]
    assert bars[0]["customdata"][-1] == f"{free['mechanism']}, no bound"


def test_the_leading_figure_is_drawn_before_what_takes_long(opened, monkeypatch):
    monkeypatch.setattr(item_discovery, "by_share", lambda *_, **__: show.end())
    visit = opened("users", **UNLISTED).whole()
    assert " items are found on" in visit.finding
    assert visit.charts == ["chart-items-found"]


@pytest.mark.parametrize("page", ["users", "ledger"])
def test_a_page_that_is_stopped_has_its_question_as_title(opened, monkeypatch, page):
    monkeypatch.setattr(results, "remembered", lambda *_, **__: show.end())
    visit = opened(page, **(UNLISTED if page == "users" else {"example": "series"})).whole()
    assert visit.finding == visit.title
    assert visit.title.endswith("?")


def test_where_noise_all_but_never_errs_nothing_is_called_certain(opened):
    """At k = 1 the chance of a wrong item is e^-200, which is 0 beside 1 as a float."""
    visit = opened("users", **QUERY | {"k": 1, "epsilon": "1"}).whole()
    said = words(visit)
    assert "< 0.01 of 1 item wrong" in visit.finding
    assert "1 of 1 places right" not in said
    (shown,) = (one.value for one in visit.main.dataframe if "no bound" in one.value)
    assert not any("0.00" in str(cell) for cell in shown.to_numpy().ravel())
    visit = opened("users", **UNLISTED | {"k": 1, "epsilon": "1"}).whole()
    assert "probability > 99.9999%" in words(visit)


def test_what_is_found_without_a_list_is_drawn_by_bound_and_what_is_selected_from_it(opened):
    visit = opened("users", **UNLISTED).whole()
    by_bound, names = synthetic_log().weeks[5], visit.told()[0]
    wanted = items_found_by_bound(by_bound, 0.1, 1e-6, 5)
    assert names["items"].to_string() == wanted.to_string()
    lines = {one["name"]: one for one in visit.chart("items-found")["data"]}
    weighted = wanted[wanted["weighted"]]
    kept = lines["share of counts found, weighted"]
    assert kept["x"] == [f"{bound:,}" for bound in weighted["max_items"]]
    assert kept["y"] == pytest.approx(weighted["counts_kept"].tolist())
    top = lines["whole top k found, not weighted"]["y"]
    assert top == pytest.approx(wanted[~wanted["weighted"]]["all_of_top_k"].tolist())
    assert len({(one["line"]["dash"], one["marker"]["symbol"]) for one in lines.values()}) == 4
    wanted = errors_by_share(by_bound, [Joint(5, 0.1)], 1e-6, n=40, seed=0)
    assert names["shares"].to_string() == wanted.to_string()
    lines = {one["name"]: one for one in visit.chart("shares")["data"]}
    assert lines["Joint"]["y"] == pytest.approx(wanted["wrong"].tolist())
    assert lines["not found (exact)"]["y"] == pytest.approx(wanted["not_found"].tolist())
    best = wanted[wanted["is_best"]].iloc[0]
    assert f"{best['share']:.0%} of ε to find items" in words(visit)
    shown = [name for one in visit.main.dataframe for name in one.value.columns]
    assert "share of ε for finding" in shown
    assert not [name for name in shown if "_" in name]  # names of Python are in downloads


@pytest.mark.parametrize(
    ("more", "why", "is_found"),
    [
        ({"neighbors": "swap"}, "Not shown for a user who is replaced: ", True),
        ({"mechanisms": "LimitedDomain"}, "none of the chosen mechanisms selects", True),
        ({"delta": "0.0487"}, "delta must be above 0 and at most", True),
        ({"delta": "0"}, "delta must be above 0", False),
    ],
)
def test_where_nothing_can_be_selected_it_is_said_why(opened, more, why, is_found):
    visit = opened("users", **UNLISTED | more).whole()
    assert why in "\n".join([words(visit), *(note.value for note in visit.app.info)])
    drawn = [f"chart-{name}" in visit.charts for name in ("items-found", "shares")]
    assert drawn == [is_found, False]
    code = "".join(block.value for block in visit.app.code)
    assert ["items_found_by_bound" in code, "errors_by_share" in code] == [is_found, False]


def test_the_bound_is_a_slider_and_shows_every_mechanism_by_cause(opened):
    visit = opened("users", **QUERY, items_per_user="2").whole()
    slider = visit.main.select_slider(key="items_per_user")
    wanted = visit.told()[0]["found"]
    offered = wanted["max_items"].dropna().astype(int).unique()
    best = wanted[wanted["max_items"].notna()].sort_values("wrong", kind="stable").iloc[0]
    assert slider.value == 2
    assert sorted(int(text.partition(" ")[0]) for text in slider.options) == sorted(offered)
    assert not any("best" in text for text in slider.options)  # of Joint, which needs no bound
    assert visit.finding.startswith("No bound per user is needed: ")
    assert any("its sampler is not exact" in words for words in visit.captions)
    drawn = {one["name"] for one in visit.chart("wrong-places")["data"]}
    assert {"Joint, no bound: best", "Laplace"} < drawn
    assert not any("best, " in name for name in drawn)
    bars = {one["name"].partition(":")[0]: one for one in visit.chart("bounds")["data"][:3]}
    here = wanted[wanted["max_items"] == 2]
    assert here["mechanism"].tolist() == [MECHANISMS[key].name for key in TAKERS]
    for cause, bar in bars.items():
        assert list(bar["x"])[: len(here)] == pytest.approx(here[cause].tolist())
    behind = visit.chart("bounds")["data"][3]["text"]
    assert [f" {wrong:.2f}" for wrong in here["wrong"]] == [
        words.partition(" ≈")[0].partition(" best")[0] for words in behind[: len(here)]
    ]
    slider.set_value(3).run()
    assert visit.address["items_per_user"] == "3"
    bounded = opened("users", **QUERY | {"mechanisms": "Laplace"}).whole()
    shown = bounded.main.select_slider(key="items_per_user").options
    assert f"{best['max_items']:.0f} (the best)" in shown
    assert bounded.finding.startswith(f"At most {best['max_items']:.0f} item")
    assert "at most 3 items per user" in visit.main.get("plotly_chart")[1].proto.alt


def test_a_bound_that_was_not_counted_is_refused(opened):
    visit = opened("users", **QUERY, items_per_user="4").whole()
    said = "\n".join(one.value for one in (*visit.app.warning, *visit.app.info, *visit.app.toast))
    assert "be one of 1, 2, 3, 5" in said
    assert "items_per_user" not in visit.address


def test_the_best_at_each_bound_is_marked_by_text(opened):
    visit = opened("users", **QUERY | {"mechanisms": "Joint,PNFPeel"}, seed=3).whole()
    wanted = visit.told()[0]["found"]
    (shown,) = (one.value for one in visit.main.dataframe if "no bound" in one.value)
    cells = shown.set_index("mechanism").stack()
    assert len(cells[cells != ""]) == len(wanted)
    for row in wanted.to_dict("records"):
        bound = "no bound" if np.isnan(row["max_items"]) else f"{row['max_items']:.0f}"
        cell = cells[row["mechanism"], bound]
        assert f"{row['wrong']:.{2 if row['wrong'] < 9.995 else 1}f}" in cell
        assert cell.endswith("best") == row["is_best"]
        assert cell.endswith("≈") == (row["as_good"] and not row["is_best"])


def test_a_list_each_week_is_priced_and_its_turnover_drawn(opened):
    visit = opened("users", **QUERY, part="series").whole()
    said = words(visit)
    (mechanism,) = visit.told()[0]["mechanisms"]
    log = synthetic_log()
    stays = costs_of_series(mechanism, 52, 1e-6, log.weeks_of_users)
    assert f"a user of one week ε = {stays['epsilon_total'].iloc[0]:g}" in said
    whole = needed(stays["epsilon_total"].iloc[-1])
    assert f"costs ε = {whole}" in visit.finding
    series = {str(n): week.counts for n, week in enumerate(log.weeks)}
    found = turnover_of_series(series, mechanism, 40, 0, truth=series)
    lines = {one["name"]: one["y"] for one in visit.chart("turnover")["data"]}
    assert list(lines["released lists"]) == pytest.approx(found["released"].tolist())
    assert list(lines["true top k"]) == found["true"].tolist()
    assert list(lines["noise alone, nothing changed"]) == pytest.approx(found["noise"].tolist())


def test_a_list_each_week_is_priced_by_the_cheapest_chosen_that_can_be_published(opened):
    chosen = "PNFJoint,PNFPeel,CDPPeel,Laplace"
    visit = opened("users", **QUERY | {"epsilon": "1", "mechanisms": chosen}, part="series").whole()
    cost = costs_of_series(CDPPeel(5, 1.0, 1e-6), 52, 1e-6)["epsilon_total"].iloc[-1]
    first, cheapest = visit.finding.split("; ")
    whole = costs_of_series(PNFJoint(5, 1.0), 52, 1e-6)["epsilon_total"].iloc[-1]
    assert first == f"A list each week costs ε = {needed(whole)}, δ = 1e-6 by PNFJoint a year"
    assert cheapest == f"ε = {needed(cost)}, δ = 1e-6 by CDP-Peel"


def log_with(more=frozenset()) -> bytes:
    """Pairs of 200 users and their items, with some more."""
    rng = np.random.default_rng(4)
    rows = {(f"u{u}", f"i{i}") for u in range(200) for i in rng.zipf(1.6, 1 + u % 9) % 15} | more
    return ("user,item\n" + "\n".join(",".join(row) for row in sorted(rows))).encode()


def test_an_uploaded_log_is_the_one_that_is_shown(opened):
    log = log_with()
    visit = opened("data", **LITTLE)
    visit = uploaded(visit, "log.csv", log).go("users").whole()
    read = to_item_counts(read_table(log), "item", None, user_column="user", rows="users")
    by_bound = read.report.by_bound
    sizes = by_bound.items_of_users
    assert f"Of your file: {sizes.sentence}" in words(visit)
    assert "by_bound = to_item_counts(" in visit.code
    assert ").report.by_bound" in visit.code
    bars = next(one for one in visit.chart("items-of-users")["data"])
    assert sum(bars["x"]) == sizes.n_users == 200
    wanted = errors_by_bound(by_bound, [Joint(3, 0.1)], n=30)
    (shown,) = (one.value for one in visit.main.dataframe if "no bound" in one.value)
    row = shown[shown["mechanism"] == "Joint"].iloc[0]
    assert f"{wanted['wrong'].iloc[0]:.2f}" in row["no bound"]


def test_a_bound_that_was_found_is_taken_over_and_undone(opened):
    log = log_with({("u8", f"rare{i}") for i in range(30)})
    visit = uploaded(opened("data", **LITTLE), "log.csv", log).go("users")
    visit.app.select_slider(key="items_per_user").set_value(2).run()
    visit.press("apply-bound")
    again = to_item_counts(
        read_table(log), "item", None, user_column="user", rows="users", max_items=2
    )
    result = visit.app.session_state[keys.UPLOADED].result
    assert dict(result.counts) == dict(again.counts)
    assert [result.report.changes, result.report.cut] == [again.report.changes, again.report.cut]
    source = visit.app.session_state[keys.VIEW][1].source
    assert (source.max_items, source.how.max_items) == (2, 2)
    assert source.python.endswith(", max_items=2).counts")
    assert visit.address["max_items"] == "2"
    visit.press("apply-bound")
    whole = to_item_counts(read_table(log), "item", None, user_column="user", rows="users")
    result = visit.app.session_state[keys.UPLOADED].result
    assert dict(result.counts) == dict(whole.counts)
    assert [result.report.changes, result.report.cut] == [whole.report.changes, ""]
    assert "max_items" not in visit.address


def timed_log() -> pd.DataFrame:
    """Events of 300 users in five weeks, from a Monday on."""
    rng = np.random.default_rng(6)
    rows = {
        (f"u{user}", f"i{item}", str(datetime.date(2026, 1, 5) + datetime.timedelta(7 * week)))
        for week in range(5)
        for user in range(40 * week, 300)
        for item in rng.zipf(1.6, 1 + user % 9) % 15
    }
    return pd.DataFrame(sorted(rows), columns=["user", "item", "day"])


def choose_time(visit, column: int, opened_by=OWN):
    labelled(visit.app.selectbox, "Times of events are in").set_value(column)
    with_dialog(visit, opened_by)
    return count_periods(visit, opened_by)


def count_periods(visit, opened_by=OWN, length="week"):
    labelled(visit.app.button, f"Count each {length}, too").click()
    return with_dialog(visit, opened_by)


def test_dates_that_may_be_read_in_two_ways_are_asked_about(opened):
    log = timed_log()
    days = {day: f"0{n}/0{n + 1}/2026" for n, day in enumerate(sorted({*log["day"]}), 1)}
    content = log.assign(day=log["day"].map(days)).to_csv(index=False).encode()
    visit = count_periods(dropped(opened("data", **LITTLE), "log.csv", content))
    labelled(visit.app.radio, "What comes first in dates?").set_value("month-first")
    visit = with_dialog(visit, OWN)
    assert any("2025-12-29 to 2026-05-04" in words.value for words in visit.app.caption)
    held = used(visit).app.session_state[keys.UPLOADED]
    assert ", dates='month-first')" in held.python_by_period


def test_a_log_with_times_is_shown_by_period(opened, in_processes, tmp_path, monkeypatch):
    log = timed_log()
    monkeypatch.chdir(tmp_path)  # for the lines of Python
    log.to_csv("log.csv", index=False)
    visit = opened("data", **LITTLE)
    visit = dropped(visit, "log.csv", log.to_csv(index=False).encode())
    assert not any("with events" in caption.value for caption in visit.app.caption)
    visit = count_periods(visit)  # the column of days is proposed
    assert any("2026-01-05 to 2026-02-02" in words.value for words in visit.app.caption)
    visit = used(visit).go("users").whole()
    wanted = counts_of_periods(log, "user", "item", "day")
    assert f"{wanted.day}, the median of 5 weeks" in words(visit)
    assert "periods = periods_of_table(table, (1, None, 0), 2, 'week')" in visit.code
    assert "by_bound = periods.by_bound" in visit.code
    errors = errors_by_bound(wanted.by_bound, [Joint(3, 0.1)], n=30)
    (shown,) = (one.value for one in visit.main.dataframe if "no bound" in one.value)
    row = shown[shown["mechanism"] == "Joint"].iloc[0]
    assert f"{errors['wrong'].iloc[0]:.2f}" in row["no bound"]
    visit.app.segmented_control(key="part").set_value("series").run()
    assert not any(box.key == "period" for box in visit.main.segmented_control)
    assert not any("whole file" in note.value for note in visit.app.info)
    (mechanism,) = visit.told()[0]["mechanisms"]
    year = costs_of_series(mechanism, 52, 1e-6)  # the log has no whole year
    assert f"costs ε = {needed(year['epsilon_total'].iloc[-1])}" in visit.finding
    (bars,) = visit.chart("year")["data"]
    assert list(bars["x"]) == [rounded_up(epsilon) for epsilon in year["epsilon_total"]]
    told = [one.value for one in visit.whole().main.dataframe if "delta_total" in one.value]
    assert set(told[0]["delta_total"]) >= {0.0, 1e-6}  # a δ is no 0 of four digits
    lines = {one["name"]: one for one in visit.chart("turnover")["data"]}
    assert lines["released lists"]["x"] == [str(day) for day in wanted.series][1:]


def test_the_periods_of_lists_of_items_are_of_the_items_that_are_counted(opened):
    """As they were answered to be; columns of yes and no have no periods."""
    cells = ["tea; jam", "jam; tea", "tea", "rum; tea; jam", "jam; rum"] * 8
    days = [f"2026-01-{1 + n % 28:02d}" for n in range(len(cells))]
    log = pd.DataFrame({"user": [f"u{n}" for n in range(len(cells))], "item": cells, "at": days})
    visit = dropped(opened("data", **LITTLE), "log.csv", log.to_csv(index=False).encode())
    labelled(visit.app.radio, KINDS["split"].label).set_value("semicolon")
    visit = count_periods(with_dialog(visit))
    held = used(visit).app.session_state[keys.UPLOADED]
    assert "2, 'week', split='semicolon')" in held.python_by_period


def test_a_time_that_is_none_is_said_and_the_counts_can_be_used(opened):
    visit = dropped(
        opened("data", **LITTLE), "log.csv", timed_log().assign(at="soon").to_csv().encode()
    )
    visit = choose_time(visit, 4)
    said = [text.value for text in visit.app.text]
    assert any('"at" holds "soon"' in text for text in said)
    visit = used(visit).go("users").whole()
    assert "Of your file: Items" in words(visit)


def test_counting_of_periods_can_be_stopped_and_begun_again(opened):
    visit = dropped(opened("data", **LITTLE), "log.csv", timed_log().to_csv(index=False).encode())
    with_dialog(visit)  # counts again, with the answer that was proposed
    draft = visit.app.session_state[keys.UPLOAD_DRAFT]
    visit.app.session_state[keys.STOPPED.format("upload")] = hash(draft.file)  # as Stop leaves it
    with_dialog(visit)
    assert "use-upload" in [button.key for button in visit.app.button]  # without periods
    visit = count_periods(visit)
    assert any("5 weeks with events" in caption.value for caption in visit.app.caption)


def test_whose_events_are_counted_is_said_beside_the_answer(opened):
    synthetic = "**An invented log:** the data are counts, not who has what."
    visit = opened("users", **QUERY).whole()
    assert any(said.startswith(synthetic) for said in visit.said)
    assert "an invented log" in [one.proto.popover.label for one in visit.app.get("popover")]
    log = b"user,item\n" + b"".join(b"u%d,i%d\n" % (u, u % 5) for u in range(400))
    visit = uploaded(opened("data", **LITTLE), "log.csv", log)
    visit = visit.go("users").whole()
    assert not any(synthetic in said for said in visit.said)
    visit.app.segmented_control(key="part").set_value("series").run()
    (note,) = [one.value for one in visit.app.info if "whole file" in one.value]
    assert note.startswith("Your whole file is taken")
    assert "“Count each week, too”" in note  # the column of dates alone counts no week
