"""Test the frame of every page: control line, headings and lists."""

import math
import re
from html import unescape

import numpy as np
import pytest
import streamlit

from dptopk import Joint, load_dataset
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import OutputKind
from dptopk.questions.exact import Enumeration
from dptopk.ui.layout.pages import PAGES

KEYS = [page.key for page in PAGES]


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
def test_the_line_has_a_k_where_it_acts_and_keeps_it_elsewhere(opened, page):
    visit = opened(page, k=7).whole()
    declared = next(p for p in PAGES if p.key == page)
    acts = not declared.small and "k" not in declared.unread
    assert [slider.key for slider in visit.line.slider] == (["k"] if acts else [])
    assert visit.address == {"k": "7"}
    assert visit.go("release").title.endswith("the top 7?")


def test_the_line_says_delta_where_a_mechanism_spends_one(opened):
    chosen = {"Joint,CDPPeel": True, "Joint": False, "StableSet": True, "EMPeel": False}
    for mechanisms, spends in chosen.items():
        for page in ("release", "compare"):
            visit = opened(page, mechanisms=mechanisms, delta="1e-5")
            said = [words.value for words in visit.line.markdown]
            assert ("δ = 1e-\u20605" in said) == spends
    assert "(δ = 1e-6)" in opened("release", picture="outcomes", mechanisms="CDPPeel").finding
    assert "δ" not in opened("release", picture="outcomes", mechanisms="EMPeel").finding


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
def test_headings_go_down_by_one_level_at_a_time(opened, page):
    main = opened(page).whole().main
    headings = (main.get(kind) for kind in ("title", "header", "subheader"))
    levels = {int(element.tag[1]) for found in headings for element in found}
    assert levels == set(range(1, max(levels) + 1))
    assert not any(element.value.startswith("#") for element in main.markdown)


@pytest.mark.parametrize(
    ("chosen", "headline", "said"),
    [
        ("LimitedDomain,StableSet", "that nothing is released (⊥)", "exact: 7.4e-7 below 1"),
        (
            "StableSet,Joint",
            "of a long name of a long nam…, b, in this order",
            "exact, in any order",
        ),
    ],
    ids=["nothing", "long names"],
)
def test_the_headline_of_exact_names_what_its_columns_begin_with(opened, chosen, headline, said):
    names = {"vector": "a long name of " * 7 + "90\nb 5\nc 1"} if "…" in headline else {}
    visit = opened("exact", mechanisms=chosen, epsilon="0.2" if not names else "1", **names).whole()
    assert visit.app.title[0].value.startswith(f"Probability {headline}: ")
    assert ("Stable set, in any order" in visit.finding) == ("this order" in headline)
    assert said in " ".join(visit.captions[:3])
    assert ("The full output" in " ".join(visit.captions)) == ("…" in headline)


@pytest.mark.parametrize("page", ["exact", "privacy"])
def test_where_one_output_is_all_but_certain_an_epsilon_with_something_to_see_is_offered(
    opened, page
):
    visit = opened(page, small="top", mechanisms="Joint,PNFPeel", draws=0)
    epsilon = float(visit.press("telling-epsilon").address["epsilon"])
    counts = load_dataset("games").head(5)
    top = np.array([counts.order[:2]])
    assert np.exp(Joint(2, epsilon).log_pmf(counts, top)[0]) == pytest.approx(0.5, abs=0.05)
    assert "telling-epsilon" not in [button.key for button in visit.app.button]


def test_what_cannot_come_out_is_said_where_nothing_comes_out():
    """Whatever always releases k items never gives a short output."""
    kind = OutputKind(True, short=True)
    rows = [(True, (-1, -1)), (True, (0, 1))]
    logs = {"short": np.log([0.9, 0.1]), "whole": np.array([np.nan, 0.0])}
    written = Enumeration(["⊥", "a, b"], rows, ("a", "b"), logs, logs, {}, {}, False, ())
    assert written.names_of_the_likeliest() == (kind, [])
    chance, words = written.of_the_likeliest("whole")
    assert (chance, words[:6]) == (Estimate.of_logs(-math.inf, 0.0), "never:")


def test_what_was_done_to_the_data_is_a_list_that_shows_names_as_they_are(opened):
    visit = opened("data", data="typed", typed="<b>a</b> 5\n<b>a</b> 6\nb 1").whole()
    (listed,) = (e.proto.body for e in visit.main.get("html") if "<li>" in e.proto.body)
    assert "<b>" not in listed
    assert listed.count("<li>") == len(visit.app.session_state["_view"][1].source.notes) + 1


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
def test_tables_have_names_and_no_empty_rows(opened, page, monkeypatch):
    asked, draw = [], streamlit.dataframe

    def kept(frame, **options):
        asked.append((len(frame.index), options))
        return draw(frame, **options)

    monkeypatch.setattr(streamlit, "dataframe", kept)
    opened(page, data="classroom-paper_four", vector="5, 1", runs=7, runs_a_point=5).whole()
    assert len({options["alt"] for _, options in asked}) == len(asked)
    for n_rows, options in asked:
        assert options.get("height", 0) < 35 * (n_rows + 1) + 3


@pytest.mark.grid
@pytest.mark.parametrize("page", KEYS)
def test_every_page_presents_its_figures_under_its_question(opened, page):
    plain = opened(page, epsilon=1).whole()
    question, charts = plain.title, len(plain.main.get("plotly_chart"))
    visit = opened(page, present=1, epsilon=1).whole()
    assert visit.title == question
    shown = len(visit.main.get("plotly_chart"))
    assert (shown, page) in [(1, page), (0, "release"), (0, "mechanisms"), (0, "papers")]
    if page == "classroom":  # offers to open a class beside its figure
        assert visit.app.button(key="class-open")
    elif page == "learn":  # its slide asks
        assert visit.app.button(key="reveal")
    else:
        (line,) = visit.slide_lines
        assert len(line) > 10
        assert "**" not in line
    beyond = opened(page, present=20, epsilon=1).whole()
    assert not beyond.complaints
    if page != "learn":  # whose lessons are its slides
        n = int(beyond.address["present"])  # who comes back from the next page is at the last one
        assert charts <= n <= 20 - (page != "papers")  # which has as many as a link may ask for
        last = opened(page, present=n, epsilon=1)
        assert beyond.everything()["charts"] == last.everything()["charts"]
    assert beyond.press("present-Leave").address == plain.address
    assert beyond.everything()["charts"] == plain.everything()["charts"]


def test_a_page_has_no_control_of_what_it_does_not_read_and_keeps_its_value(opened):
    link = {"mechanisms": "Joint", "epsilon": "0.3", "neighbors": "swap", "runs": "77", "seed": "5"}
    visit = opened("papers", **link).whole()
    assert visit.address == link
    assert not [*visit.line.slider, *visit.line.select_slider, *visit.line.get("button_group")]
    visit.go("gaps").whole()
    assert visit.address == link
    assert visit.line.get("button_group")


def test_settings_change_from_a_slide_within_their_limits(opened):
    visit = opened("errors", present=1, runs=20, k=2, epsilon=0.7, typed="9, 5, 1", data="typed")
    labels = [visit.app.button(key=f"slide-{name}").label for name in ("up", "shift+down")]
    assert labels == ["ε = 0.8", "k = 1"]
    visit.app.button(key="slide-up").click().run()
    visit.app.button(key="slide-shift+up").click().run()
    assert (visit.address["epsilon"], visit.address["k"]) == ("0.8", "3")
    assert visit.app.button(key="slide-shift+up").disabled  # of three items
    visit.app.button(key="slide-down").click().run()
    assert visit.press("slide-down").address["epsilon"] == "0.5"  # of the steps of the scale


def test_the_first_slide_of_a_mechanism_answers_what_it_is(opened):
    visit = opened("mechanisms", mechanism="Joint", present=1).whole()
    assert visit.title == "What is Joint?"
    assert visit.slide_lines == ["How Joint chooses."]  # not what it does in other words
    assert Joint.card.explanation.does[0] in visit.words


def test_a_figure_that_no_page_has_is_not_spoken_of_as_a_setting(opened):
    visit = opened("data", present=99).whole()
    assert visit.complaints == ["`present=99` requested: this page has no figure 99."]
    assert visit.address == {"epsilon": "0.1"}


def test_where_there_is_nothing_to_present_the_page_says_why_and_can_be_left(opened):
    visit = opened("errors", present=1, mechanisms="")
    assert visit.app.button(key="take-usual")
    visit.app.button(key="present-Leave").click().run()
    assert visit.address == {"mechanisms": ""}


@pytest.mark.parametrize(
    ("page", "place", "said"),
    [
        ("gaps", 1, r"^A gap is .* Here: Places 10 and 11 are"),
        ("gaps", 2, r"^Probability that two items swap, .* CDP-Peel 25\. Exact probability of"),
        ("privacy", 1, r"^Joint\. A user who holds .* (joins|leaves)\. Largest change: "),
        ("budget", 2, r"^CDP-Peel in 10 rounds, δ at ε = 1: "),
    ],
)
def test_a_slide_says_what_it_is_about_and_of_whom(opened, page, place, said):
    (line,) = opened(page, present=place, epsilon=1).whole().slide_lines
    assert re.search(said, line), line


@pytest.mark.parametrize("page", ["errors", "compare", "sweep"])
def test_slides_and_files_say_what_an_error_is_and_what_marks_mean(offered, opened, page):
    meant = "The maximum error (ℓ∞) is the largest absolute difference"
    (line,) = opened(page, present=1, runs=20, runs_a_point=5).whole().slide_lines
    assert meant in line
    marks = re.search("a hollow one .+ above [0-9]+ purchases?[.]", line)
    assert (marks is not None) == (page == "errors")
    _, found = offered(page, runs=20, runs_a_point=5)
    (figure,) = (content for name, (_, content) in found.items() if name.endswith("as HTML"))
    assert meant in unescape(figure)
    assert marks is None or marks.group() in figure


def test_what_a_link_has_not_got_stands_beside_a_slide_behind_a_button(opened):
    visit = opened("errors", present=1, k=9999, runs=20)
    assert not visit.main.warning
    assert len(visit.main.get("popover")) == 1
    assert "k=9999" in visit.words
