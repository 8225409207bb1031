"""Test that links with invalid settings are reported once and corrected."""

import re

import pytest

from dptopk.tuning.search import LARGEST
from dptopk.ui.layout.pages import PAGES


def test_all_that_is_wrong_is_said_together_and_only_once_and_the_defaults_are_shown(opened):
    """Any other nonsense: core/test_parameters.py, and on every page test_any_link.py."""
    wrong = {"k": "-5", "epsilon": "0", "data": "<script>", "metric": "none", "seed": "1e5"}
    wrong |= {"delta": "1", "neighbors": "swop", "mechanisms": "Exponential", "shape": "pie"}
    wrong |= {"calibration": "tight", "log": "maybe"}
    visit = opened("errors", runs="50", **wrong).whole()
    assert len(visit.complaints) == len(wrong)
    for key in wrong:
        assert any(re.match(rf"`{key}=.* requested, \S+ shown: ", one) for one in visit.complaints)
    assert visit.address == {"runs": "50"}
    visit.app.run()
    assert visit.complaints == []
    assert visit.everything() == opened("errors", runs="50").everything()
    assert visit.go("gaps").whole().complaints == []


def test_what_is_no_setting_is_taken_out_and_said(opened):
    visit = opened(
        "errors", nobody_knows="this", epsilom="2", K="7", k="7", places="9", dataset="books"
    )
    assert visit.whole().address == {"k": "7"}
    assert visit.complaints == [
        "`K=7` requested: there is no such setting. Did you mean k?",
        "`dataset=books` requested: there is no such setting. Did you mean data?",
        "`epsilom=2` requested: there is no such setting. Did you mean epsilon?",
        "`nobody_knows=this` requested: there is no such setting.",
        "`places=9` requested: a setting of Gaps, not of this page.",
    ]
    assert visit.go("gaps").address == {"k": "7", "places": "9"}


@pytest.mark.parametrize(
    "value", ["<img src=x>", "[a](https://example.com)", "`code` $x$", ":red[boo]", "9" * 5_000]
)
def test_what_is_quoted_of_a_link_is_inert_and_short(opened, value):
    (complaint,) = opened("release", k=value).whole().complaints
    assert len(complaint) < 400
    outside = re.sub(r"`[^`\n]*`", "", complaint)
    assert not re.search(r"[<\[$]|:\w+\[|https?:", outside)


def test_curves_against_epsilon_end_where_epsilons_are_no_longer_searched(opened, few_runs):
    """Whatever epsilon a link asks for: three times the largest float is infinite."""
    lines = [t for t in opened("choose", epsilon="1e6").whole().chart("target")["data"] if "x" in t]
    drawn = [trace["x"] for trace in lines if trace.get("mode", "").startswith("lines")]
    assert drawn
    for x in drawn:
        assert max(x) <= LARGEST


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("handover", {"epsilon": "1e308", "run": "as_printed", "delta": "10"}),
        ("exact", {"vector": ",".join("5" * 200), "small_k": "5"}),
        ("privacy", {"vector": "9,8,7,6,5,4", "small_k": "3"}),
    ],
)
def test_links_that_once_ended_in_an_exception_show_their_page(opened, few_runs, page, query):
    visit = opened(page, **query)
    assert visit.exceptions() == []
    assert [error.value for error in visit.app.error] == []


@pytest.mark.grid
@pytest.mark.parametrize(("epsilon", "delta"), [("1e-9", "0.999"), ("1e12", "1e-300")])
def test_no_page_breaks_at_a_budget_that_is_allowed(opened, epsilon, delta):
    """However little or much, with a mechanism of every kind; one visit goes through all pages."""
    query = {"epsilon": epsilon, "delta": delta, "data": "classroom-paper_four", "k": "2"}
    query |= {"runs": "7", "mechanisms": "Joint,PNFPeel,CDPPeel,Gamma,StableSet"}
    visit = opened(PAGES[0].key, **query)
    for page in PAGES:
        visit.go(page.key).whole()
        assert not re.search(r"\bnan\b", str(visit.everything()["words"])), page.key
