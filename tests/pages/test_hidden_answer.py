"""Test that nothing of a hidden answer is sent to the browser."""

import pytest

from dptopk.ui.layout import hidden_answer
from dptopk.ui.layout.pages import PAGES

HIDING = [page.key for page in PAGES if not page.own_answers]
QUICK = {"runs": 20, "epsilon": 0.1}
GIVING = {"release", "exact", "errors", "compare", "sweep"}  # these show the counts meanwhile
CONTROLS = {
    *("button", "button_group", "selectbox", "slider", "select_slider", "radio", "toggle"),
    *("number_input", "text_input", "empty", "page_link", "bidi_component", "file_uploader"),
}


def elements_of(block) -> list:
    """All elements below a block, in order, but for the words of a control in a popover."""
    if not hasattr(block, "children"):
        return [block]
    inside = [element for child in block.children.values() for element in elements_of(child)]
    return [e for e in inside if e.type in CONTROLS] if block.type == "popover" else inside


@pytest.mark.grid
@pytest.mark.parametrize("page", HIDING)
def test_only_question_and_controls_are_sent_before_the_answer_is_revealed(opened, page):
    query = QUICK | ({"runs_a_point": 3} if page == "sweep" else {})
    visit = opened(page, answer="hidden", **query).whole()
    shown = opened(page, **query).whole()
    assert visit.title == shown.title
    words = [e for e in elements_of(visit.main) if e.type not in CONTROLS]
    how_to_read = next(words for words in shown.said if words != shown.title)
    allowed = {shown.title, hidden_answer.WORDS}
    if page != "mechanisms":  # which begins with its picture
        allowed.add(how_to_read)
    charts = [e for e in words if e.type == "plotly_chart"]
    assert (page in GIVING) <= len(charts) <= 1
    if charts:
        (bars,) = visit.chart("given")["data"]
        assert bars["x"][0] in (4841, 10)  # true counts, and nothing else
    said = {e.value for e in words if e.type not in ("caption", "plotly_chart")}
    assert said == allowed
    settings = [e.value for e in words if e.type == "caption"]
    assert len(settings) == (page == "release")
    assert all(line.startswith("Seed 0 · 5,155 items") for line in settings)
    components = [e for e in elements_of(visit.main) if e.type == "bidi_component"]
    assert len(components) == 1  # of every page
    assert visit.address == {"answer": "hidden"} | {
        key: text for key, text in shown.address.items() if key != "answer"
    }
    revealed = visit.app.button(key="answer-reveal").click().run()
    assert not revealed.exception
    after, plain = visit.whole().everything(), shown.everything()
    assert after.pop("address") == {"answer": "revealed"} | plain.pop("address")
    assert after == plain


@pytest.mark.parametrize("page", ["release", "errors", "mechanisms"])
def test_a_slide_hides_its_figure_and_the_next_one_is_hidden_again(opened, page):
    visit = opened(page, answer="hidden", present=1, **QUICK).whole()
    assert visit.slide_lines == [hidden_answer.WORDS]
    assert visit.title == opened(page, **QUICK).title
    assert len(visit.everything()["charts"]) == (page in GIVING)
    assert visit.everything()["tables"] == []
    visit.app.button(key="answer-reveal").click().run()
    plain = opened(page, present=1, **QUICK)
    assert visit.whole().slide_lines == plain.slide_lines
    assert visit.everything()["charts"] == plain.everything()["charts"]
    assert visit.press("present-Next").slide_lines == [hidden_answer.WORDS]
    assert visit.press("present-Leave").address["answer"] == "hidden"
    assert len(visit.everything()["charts"]) == (page in GIVING)


def test_a_prediction_is_kept_beside_the_answer_and_not_on_the_next_page(opened):
    visit = opened("errors", answer="hidden", **QUICK)
    visit.app.button_group(key="prediction-chosen").select("PNFJoint").run()
    assert visit.press("answer-reveal").main.text[0].value == "Your prediction: PNFJoint"
    visit = opened("release", answer="hidden")
    visit.app.text_input(key="prediction").set_value("<b>6</b> *of* 10").run()
    assert visit.press("answer-reveal").main.text[0].value == "Your prediction: <b>6</b> *of* 10"
    assert visit.address == {"answer": "revealed", "prediction": "<b>6</b> *of* 10"}
    again = opened("release", **visit.address).whole()
    assert again.ranking().equals(visit.ranking())
    assert visit.go("gaps").whole().address == {"answer": "hidden"}
    assert visit.tiles == []
    assert visit.press("answer-show").address == {"epsilon": "1"}
    visit.app.button(key="answer-hide").click().run()
    assert visit.address == {"answer": "hidden"}
    assert visit.tiles == []


def test_lessons_hide_their_own_answers(opened):
    visit = opened("learn", answer="hidden").whole()
    shown = opened("learn", epsilon="1").everything()
    assert visit.everything() | {"address": shown["address"]} == shown
    assert "answer-hide" not in [button.key for button in visit.app.button]


@pytest.mark.parametrize(
    ("page", "query", "headline"),
    [
        ("release", {"data": "upload"}, "The file is not in this session"),
        ("exact", {"data": "news", "small": "all", "small_k": 3}, "Too many outputs to list"),
    ],
)
@pytest.mark.parametrize("present", [0, 1])
def test_what_keeps_a_page_from_running_is_said_also_where_its_answer_is_hidden(
    opened, page, query, headline, present
):
    visit = opened(page, answer="hidden", present=present, **query)
    assert visit.problem() == (headline, opened(page, **query).problem()[1])


@pytest.mark.parametrize("present", [0, 1])
def test_without_a_mechanism_one_is_offered_also_where_the_answer_is_hidden(opened, present):
    visit = opened("errors", mechanisms="", answer="hidden", present=present)
    assert visit.app.button(key="take-usual")
    if present:
        visit.app.button(key="present-Leave").click().run()
    assert visit.address == {"mechanisms": "", "answer": "hidden"}
