"""Test the frame of every page: control line, slides, units, cited papers and failing premises."""

import math
import re
from html import unescape

import numpy as np
import pytest
import streamlit
from controls import controls_of

from dptopk import Joint, load_dataset
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import OutputKind
from dptopk.core.papers import GILLENWATER_2022
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
        asked.append(options)
        return draw(frame, **options)

    monkeypatch.setattr(streamlit, "dataframe", kept)
    opened(page, data="classroom-paper_four", vector="5, 1", runs=7, runs_a_point=5).whole()
    assert len({options["alt"] for options in asked}) == len(asked)
    assert all(options.get("height") in (None, "content") for options in asked)


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


NEWS = {"data": "news", "runs": 7, "runs_a_point": 2, "k": 3}
# a small vector or log of their own
OF_OTHER_COUNTS = {"exact", "privacy", "learn", "classroom", "papers", "users"}
NO_COUNTS = {"ledger", "choose", "handover", "winners"}  # but outcomes, ε, names


def axis_titles(spec) -> str:
    """All titles of axes of a figure."""
    axes = (axis for name, axis in spec["layout"].items() if re.match("[xy]axis", name))
    return " ".join(axis.get("title", {}).get("text", "") for axis in axes)


@pytest.mark.grid
@pytest.mark.parametrize("page", [page.key for page in PAGES if page.key not in OF_OTHER_COUNTS])
def test_counts_of_shares_are_nowhere_called_users(opened, page):
    visit = opened(page, **NEWS).whole()
    charts = visit.main.get("plotly_chart")
    titles = " ".join(axis_titles(visit.chart(c.key.removeprefix("chart-"))) for c in charts)
    columns = " ".join(str(name) for frame in visit.main.dataframe for name in frame.value)
    kinds = " ".join(words for words in visit.captions if len(words) < 60)  # below the tiles
    words = f"{titles} {columns} {kinds}"
    assert "users" not in words.replace("users who could", "")
    assert page in NO_COUNTS or "shares" in words, "the unit of counts, view.unit, is not said"


def test_what_is_protected_is_said_where_one_user_may_count_more_than_once(opened):
    words = " ".join(opened("release", data="news").whole().captions)
    assert "who counts up to m times" in words
    assert "an assumption" not in " ".join(opened("release", data="movies_small").whole().captions)


@pytest.mark.parametrize(
    ("page", "query", "place"),
    [
        ("budget", {}, "Lemma 4.2"),
        ("errors", {"bound": "true", "metric": "signed_max", "runs": 7}, "Theorem 3.3"),
        ("data", {"data": "classroom-paper_four"}, "Appendix D.3"),
        ("privacy", {"run": "as_printed"}, "Algorithm 3"),
    ],
)
def test_a_cited_theorem_is_linked_on_the_page(opened, page, query, place):
    visit = opened(page, **query).whole()
    shown = [*visit.captions, *visit.said, *(note.value for note in visit.main.info)]
    assert GILLENWATER_2022.at(place).link in " ".join(shown)
    help_of_a_control = controls_of(opened("release").app)["calibration"].help
    assert GILLENWATER_2022.at("Lemma 4.2").link in help_of_a_control


@pytest.mark.parametrize(
    ("page", "query", "figures"),
    [
        ("errors", {"metric": "signed_index"}, "26"),
        ("sweep", {"metric": "l1"}, "16"),
        ("sweep", {"metric": "items_right"}, ""),
    ],
)
def test_the_figures_of_a_measure_are_named_where_it_comes_out_with_their_links(
    opened, page, query, figures
):
    few = {"runs_a_point": 1} if page == "sweep" else {"runs": 1}
    few |= {"data": "classroom-paper_four", "k": 2}  # no data of the paper
    said = " ".join(opened(page, **few | query).captions)
    assert re.findall(r"\[drawn again [a-z ]+\]\(papers\?figure=(\w+)\)", said) == [*figures]
    for key in figures:
        assert GILLENWATER_2022.at(f"Figure {key}").link in said


REPEATED = "707 purchases repeat a user and a game, so one user counts more than once for an item"
FROM_DATA = "the list of items was taken from the data"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, [f"{REPEATED}; {FROM_DATA}."]),
        ({"data": "books", "mechanisms": "Joint"}, [f"{FROM_DATA}."]),
        ({"mechanisms": "LimitedDomain"}, [f"{REPEATED}."]),
        ({"data": "classroom-ten_steps"}, []),
    ],
)
def test_a_premise_that_is_known_to_fail_is_told_beside_the_promise(opened, query, said):
    notes = [note.value for note in opened("release", **query).whole().main.info]
    head = "On these data the guarantees do not hold as stated: "
    assert [note for note in notes if note.startswith("On these")] == [head + s for s in said]


def test_repeated_names_of_typed_counts_are_said_to_be_summed_and_told_apart(opened):
    text = "apple 12\napple 3\npear 2\nfig 1"
    visit = opened("exact", data="typed", typed=text, k="2", small="top", n_items="3").whole()
    summing = "1 name occurred more than once: the counts of each were summed, which leaves 3 items"
    assert summing in visit.words
    assert any(summing in words for words in visit.captions)  # goes with the figure
    visit.main.button(key="apart-typed").click().run()
    assert visit.whole().address["typed"] == "apple 12\napple (2), 3\npear 2\nfig 1"
    assert summing not in visit.words
