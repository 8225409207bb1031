"""Test the page Papers: its statements, and that linked pages show the same numbers."""

import re

import pytest

from dptopk.questions import draw_times
from dptopk.questions.paper_figures import FIGURES
from dptopk.questions.papers import STATEMENTS, Verdict, check_statements
from dptopk.ui import keys

BY_KEY = {statement.key: statement for statement in STATEMENTS}
STARTS = ("| ✓", "| ≈", "| ≠", "| ?")
LINKS = [(one.key, link) for one in STATEMENTS for link in one.links]


def found(key):
    """Return a statement's result, computed at once."""
    (checked,) = check_statements(statements=[BY_KEY[key]])
    return checked.found


def follow(opened, key, position=0):
    """Open the page that a statement links to."""
    link = BY_KEY[key].links[position]
    return opened(link.page, **link.query).whole()


def statements_of(visit) -> list[list[str]]:
    """Cells of the tables of statements, row by row."""
    lines = [line for words in visit.said for line in words.splitlines() if line[:3] in STARTS]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_page_computes_lists_and_counts_its_statements(opened, statements_computed):
    visit = opened("papers").whole()
    rows = statements_of(visit)
    assert len(rows) == len(STATEMENTS)
    differ = {one.source.place for one in STATEMENTS if one.why_differs}
    assert {row[1] for row in rows if row[0][0] in "≈≠"} == differ
    assert "0.6315, PNFJoint 0.7510" in " ".join(row[3] for row in rows)
    counted = [sum(row[0].endswith(verdict.value) for row in rows) for verdict in Verdict]
    held, partly, not_here, unchecked = counted
    assert visit.finding == (
        f"{held} of the papers' {len(STATEMENTS)} statements hold here, {partly} in part, "
        f"{not_here} not; {unchecked} cannot be checked"
    )
    assert counted[3] == sum(not one.check for one in STATEMENTS)
    for one in STATEMENTS:
        assert one.says in visit.words.replace("\u2060", "")
    addresses = re.findall(r"\[[^]]+\]\((\w+)\?", visit.words)
    assert len(addresses) >= len([link for _, link in LINKS if link.query])


@pytest.mark.grid
@pytest.mark.parametrize(("key", "link"), LINKS, ids=[f"{k} {link.label}" for k, link in LINKS])
def test_links_lead_to_whole_pages_without_complaints(opened, key, link):
    assert opened(link.page, **link.query).whole().complaints == []


def test_the_losses_are_those_of_the_privacy_page(opened):
    losses = dict(follow(opened, "pure").losses)
    for one in found("pure").compared:
        assert losses[one.what.partition(",")[0]] == f"{one.found:.3f}"


def test_the_series_is_that_of_the_ledger_page(opened):
    visit = follow(opened, "pays_for_outcomes")
    words = found("pays_for_outcomes").words
    (answered,) = re.findall(r"^(?:All )?(\d+) lists", visit.finding)
    assert f"answers {answered} calls" in words
    assert f"release {dict(visit.tiles)['Items released']} items" in words
    totals = follow(opened, "tighter").table(1).set_index("composed by")["ε of the series"]
    assert f"ε = {totals['Durfee and Rogers']:.4g} by" in found("tighter").words
    assert f"{totals['tightest proven']:.4g} by the adaptive" in found("tighter").words


def test_a_measured_time_is_shown_when_asked_only(opened, fresh_visits, monkeypatch):
    monkeypatch.setattr(draw_times, "MOST_ENTRIES", 1_000_000)  # for Algorithm 1 at k = 5 alone
    visit = opened("papers", figure="3").whole()
    assert visit.main.get("plotly_chart") == []
    drawn = visit.press("measure-times").chart(FIGURES["3"].picture.name)["data"]
    assert [line["name"] for line in drawn[:4]] == ["Joint", "PNF-Peel", "CDP-Peel", "Algorithm 1"]
    assert "FastJoint" in drawn[4]["name"]
    assert visit.app.session_state[keys.TIMED] == 1
    assert any("measured on this machine" in words for words in visit.captions)


def test_the_wall_has_a_picture_of_each_figure_that_leads_to_it(opened):
    visit = opened("papers").whole()
    drawn = [it.proto.body for it in visit.main.get("html") if 'src="data:' in it.proto.body]
    assert len(drawn) == len(FIGURES)
    assert any(FIGURES["2"].differs in words for words in visit.press("figure-2").captions)
    assert visit.address == {"figure": "2", "epsilon": "0.1"}


@pytest.mark.grid
@pytest.mark.parametrize("key", [key for key in FIGURES if key != "3"])
def test_a_figure_is_drawn_as_the_pages_of_its_panels_draw_it(opened, key):
    visit = opened("papers", figure=key).whole()
    assert visit.complaints == []
    alone = [panel for panel in FIGURES[key].panels if panel.draws in ("sweep", "counts")]
    for panel in alone[:1]:  # the page Gaps draws counts beside each other
        page = opened(panel.link.page, **panel.link.query).whole()
        assert visit.chart(panel.name)["data"] == page.chart(panel.draws)["data"]


def test_a_figure_lists_its_own_statements_and_a_slide_few(opened):
    shown = statements_of(opened("papers", figure="5").whole())
    own = [one.source.place for one in STATEMENTS if one.figure == "5"]
    assert [row[1] for row in shown] == own
    assert 1 <= len(statements_of(opened("papers", present=2).whole())) <= 2
