"""Test the page Papers: its statements, and that linked pages show the same numbers."""

import re

import numpy as np
import pytest

from dptopk import load_dataset
from dptopk.core.errors import METRICS
from dptopk.data import sources
from dptopk.questions.papers import (
    STATEMENTS,
    Verdict,
    check_statements,
    paper_joint,
)
from dptopk.ui import keys
from dptopk.ui.findings import paper_figures

BY_KEY = {statement.key: statement for statement in STATEMENTS}
LINKS = [(one.key, link) for one in STATEMENTS for link in one.links]


def found(key):
    """Return a statement's result, computed at once."""
    (checked,) = check_statements(statements=[BY_KEY[key]])
    return checked.found


def follow(opened, key, position=0):
    """Open the page that a statement links to."""
    link = BY_KEY[key].links[position]
    return opened(link.page, **link.query).whole()


def test_the_page_counts_its_statements(opened):
    visit = opened("papers").whole()
    shown = visit.table(1)["result"].tolist()
    assert len(shown) == len(STATEMENTS)
    counted = [shown.count(verdict.value) for verdict in Verdict]
    assert visit.tiles == [
        ("Statements that hold here", f"{counted[0]} of {counted[0] + counted[1]}"),
        ("Differ here", str(counted[1])),
        ("Cannot be checked here", str(counted[2])),
    ]
    assert counted[2] == sum(one.compute is None for one in STATEMENTS)


def test_every_statement_is_listed_with_its_links(opened):
    visit = opened("papers").whole()
    text = "\n".join(element.value for element in visit.app.main.markdown)
    for one in STATEMENTS:
        assert one.says in text.replace("\u2060", "")
        assert bool(one.compute) != bool(one.why_not)
    addresses = re.findall(r"\[[^]]+\]\((\w+)\?", text)
    assert len(addresses) >= len([link for _, link in LINKS if link.query])


@pytest.mark.grid
@pytest.mark.parametrize(("key", "link"), LINKS, ids=[f"{k} {link.label}" for k, link in LINKS])
def test_links_lead_to_whole_pages_without_complaints(opened, key, link):
    assert opened(link.page, **link.query).whole().complaints == []


@pytest.mark.parametrize("key", ["one_shot", "exponential_noise"])
def test_statements_on_draws_say_how_they_were_drawn(key):
    assert "100,000 draws, seed 0" in found(key).computed


def test_the_examples_are_those_of_the_exact_page(opened):
    likeliest = follow(opened, "four").table().iloc[0]
    for one in found("four").compared:
        label = one.what.partition(",")[0]
        np.testing.assert_allclose(one.found, likeliest[label], rtol=1e-12)


def test_the_losses_are_those_of_the_privacy_page(opened):
    tiles = dict(follow(opened, "pure").tiles)
    for one in found("pure").compared:
        assert tiles[one.what.partition(",")[0]] == f"{one.found:.3f}"


def test_the_series_is_that_of_the_ledger_page(opened):
    tiles = dict(follow(opened, "pays_for_outcomes").tiles)
    words = found("pays_for_outcomes").words
    answered = tiles["Calls that released items"].partition(" of ")[2]
    assert f"answers {answered} calls" in words
    assert f"release {tiles['Items released']} items" in words
    totals = follow(opened, "tighter").table().set_index("composed by")["ε of the series"]
    assert f"ε = {totals['Durfee and Rogers']:.4g} by" in found("tighter").words
    assert f"{totals['tightest proven']:.4g} by the adaptive" in found("tighter").words


def test_the_medians_are_those_of_the_page_k_and_epsilon(opened):
    shown = follow(opened, "against_pure", 1).table().set_index("k")
    words = found("against_pure").words
    ((joint, peel),) = re.findall(r"Games, k = 45: ([\d.]+) .* beside ([\d.]+) ", words)
    assert shown.loc[45, "Joint"].startswith(f"{joint} ")
    assert shown.loc[45, "PNF-Peel"].startswith(f"{peel} ")


def test_a_measured_time_is_shown_when_asked_only(opened, fresh_visits):
    visit = opened("papers").whole()
    assert visit.app.main.get("plotly_chart") == []
    visit.app.button(key="measure-times").click().run()
    ours, theirs = visit.whole().chart("times")["data"]
    assert ours["name"] == "Joint"
    assert theirs["name"] == "Algorithm 1"
    assert visit.app.session_state[keys.TIMED] == 1
    assert any("measured on this machine just now" in words for words in visit.captions)


@pytest.mark.grid
@pytest.mark.parametrize("measure", [key for key, metric in METRICS.items() if metric.figure])
def test_a_figure_of_the_paper_is_drawn_again_as_its_page_draws_it(opened, fresh_visits, measure):
    visit = opened("papers").whole()
    visit.app.button(key=f"redraw-{measure}").click().run()
    panels = paper_figures.panels(METRICS[measure])
    number = METRICS[measure].figure.removeprefix("Figure ")
    for query in panels.values():
        name = query.get("data", sources.data().default)
        here = visit.whole().chart(f"figure-{number}-{name}")["data"]
        assert len(here) >= 3
        assert here == opened("sweep", **query).whole().chart("sweep")["data"]
    assert all(any(title in each.value for each in visit.app.main.markdown) for title in panels)


def test_the_yardstick_draws_a_sequence_of_different_items():
    drawn = paper_joint(load_dataset("games").counts, 20, 1.0, np.random.default_rng(0))
    assert len(set(drawn.tolist())) == 20
    assert drawn.min() >= 0


def test_a_slide_lists_the_statements_of_one_paper(opened):
    visit = opened("papers", present=2).whole()
    text = "\n".join(element.value for element in visit.app.main.markdown)
    assert "**We get**" in text
