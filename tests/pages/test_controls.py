"""Test that pages and addresses follow the controls, and that nothing of an upload is in them."""

import math
import re

import pytest
from controls import QUICK, another, controls_of
from dialog import uploaded

from dptopk import MECHANISMS
from dptopk.questions import QUESTIONS, settings
from dptopk.questions.settings import MAX_K
from dptopk.ui import keys
from dptopk.ui.layout.pages import PAGES


def test_drawing_again_advances_the_seed_and_the_table(opened):
    visit = opened("release", epsilon="0.1")
    first = visit.ranking()
    assert visit.press("draw").address == {"epsilon": "0.1", "seed": "1"}
    assert visit.line.number_input(key="seed").value == 1
    assert not visit.ranking().equals(first)
    assert visit.everything() == opened("release", epsilon="0.1", seed=1).everything()
    last = opened("release", seed=2**31 - 1, epsilon="0.1")
    assert last.press("draw").address == {"epsilon": "0.1"}  # begins anew
    assert any(caption.startswith("Seed 0 ") for caption in last.captions)


def move(visit, key: str, value) -> None:
    """Move whatever control has this key, on the page or in its line."""
    controls_of(visit.app)[key].set_value(value).run()


# what was typed beside a scale, what chooses mechanisms or another lesson, too, and few users, of
# whom a warning speaks
NO_SETTING = re.compile("_.*|class-key|order|extra|listed|lesson|users")


@pytest.mark.grid
@pytest.mark.parametrize("page", [page.key for page in PAGES])
def test_a_moved_control_is_in_the_address_and_moved_back_it_is_not(opened, page):
    query = {"seed": "1"} | QUICK  # without any, ε would be 0.1
    visit = opened(page, **query).whole()
    at_first, before = visit.address, visit.everything()
    for key in controls_of(visit.app if page == PAGES[0].key else visit.main):
        if NO_SETTING.fullmatch(key):
            continue
        control, parameter = controls_of(visit.app)[key], visit.settings[key]
        now, value = control.value, another(control, visit.settings)
        move(visit, key, value)
        expected = {other: text for other, text in at_first.items() if other != key}
        if parameter.checked(value) != parameter.default:
            expected[key] = parameter.text(parameter.checked(value))
        assert visit.whole().address == expected
        assert visit.everything()["charts"] == opened(page, **visit.address).everything()["charts"]
        if key in query or parameter.default is None:  # its scale had the value by the link alone
            visit = opened(page, **query)
            continue
        move(visit, key, now)
        assert visit.whole().everything() == before


def test_sliders_follow_data_with_fewer_items_and_back(opened):
    visit = opened("gaps", k=200)
    move(visit, "places", 900)
    assert len(visit.table()) == 900
    for data, d in (("classroom-ten_steps", 10), ("classroom-paper_four", 4)):
        move(visit, "data", data)
        visit.whole()
        assert visit.line.slider(key="k").value == d
        assert len(visit.table()) == d - 1
        assert visit.toasts == [f"k = 200 requested, {d} shown: there are {d} items."]
        visit.app.run()
        assert visit.toasts == []  # said once
    move(visit, "data", "games")
    assert visit.whole().line.slider(key="k").max == MAX_K
    assert visit.line.slider(key="k").value == 200  # what was wanted comes back
    assert len(visit.table()) == 900


@pytest.mark.parametrize("page", ["exact", "privacy"])
def test_the_small_k_follows_the_small_vector(opened, page):
    visit = opened(page, vector="9 7 5 3", small_k=4)
    assert visit.app.slider(key="small_k").value == 4
    for vector, largest in (("9 7", 2), ("9", 1), ("4 4 4 4", 4)):
        move(visit, "vector", vector)
        found = [(slider.value, slider.max) for slider in visit.whole().main.slider]
        assert found == ([(largest, largest)] if largest > 1 else [])


def test_the_paper_presets_choose_data_k_and_epsilon(opened):
    visit = opened("exact", epsilon="5", k=3)
    visit.main.button[1].click().run()
    assert [*visit.whole().firsts.values()][:2] == ["33.7%", "43.7%"]
    assert visit.address == {"data": "classroom-paper_thousand", "k": "3", "small": "all"}
    visit.main.button[0].click().run()
    assert [*visit.whole().firsts.values()][:2] == ["63.1%", "75.1%"]
    assert visit.address == {"data": "classroom-paper_thousand", "k": "3"}
    visit.main.button[2].click().run()  # of a card: two are better than one at k = 1
    values = [*visit.whole().firsts.values()]
    assert (values[0], values[-1]) == ("58.8%", "72.7%")
    assert visit.address | {"vector": "10, 9, 5, 1", "small_k": "1"} == visit.address


def test_the_neighbour_of_one_user_can_be_chosen_and_follows_the_vector(opened):
    visit = opened("privacy", who="chosen")
    move(visit, "held", ["1", "4"])
    assert visit.whole().main.text[0].value.endswith("who holds A, D joins.")
    assert visit.address == {"who": "chosen", "held": "1,4"}
    move(visit, "held", [])
    assert visit.whole().main.text[0].value == "The data do not change."
    move(visit, "held", ["1"])
    move(visit, "vector", "9 0")
    assert visit.whole().main.text[0].value == "A user who holds A joins."


def test_a_replacement_begins_with_one_that_changes_something(opened):
    query = {"who": "chosen", "neighbors": "swap"}
    for more, said in (
        ({}, "A user with A is replaced by one with B."),
        ({"goes": "2"}, "A user with B is replaced by one with A."),  # as in links of before
        ({"comes": "1"}, "The data do not change."),
    ):
        visit = opened("privacy", **query, **more).whole()
        assert visit.main.text[0].value == said
        assert visit.address == query | more


def test_the_calibration_of_the_budget_page_holds_on_all_pages_and_that_is_said(opened):
    visit = opened("budget", epsilon="2")
    assert visit.toasts == []
    assert all(box.key != "calibration" for box in visit.line.radio)
    move(visit, "calibration", "optimal")
    (toast,) = visit.whole().toasts
    assert toast.startswith("Calibration on all pages")
    both = {"calibration": "optimal", "epsilon": "2"}
    assert visit.go("release").whole().address == both
    assert "CDP-Peel (optimal)" in list(visit.ranking())
    move(visit, "calibration", "paper")
    assert visit.go("budget").whole().address == {"epsilon": "2"}


def type_in(visit, key: str, text: str) -> list[str]:
    """Type beside a scale; what is said against it."""
    visit.line.text_input(key=f"_typed-{key}").set_value(text).run()
    assert visit.exceptions() == []
    return visit.toasts


def shown(visit, key: str) -> tuple[float, str]:
    """What the scale shows, and what stands beside it."""
    box = visit.line.text_input(key=f"_typed-{key}")
    return visit.line.select_slider(key=key).value, box.value


@pytest.mark.parametrize(
    ("key", "text", "value"), [("epsilon", "ln 3", math.log(3)), ("delta", "2^-20", 2.0**-20)]
)
def test_a_typed_value_joins_the_scale_the_figures_and_the_address(opened, key, text, value):
    visit = opened("release", picture="table")
    assert type_in(visit, key, text) == []
    assert shown(visit.whole(), key) == (value, text)
    assert float(visit.address[key]) == value
    assert repr(value) in visit.app.code[0].value
    again = opened("release", **visit.address).whole()
    assert again.everything() == visit.everything()
    assert shown(again, key)[0] == value
    if key == "epsilon":
        assert f"ε = {value:g}" in " ".join(visit.captions)


def test_scale_and_text_follow_each_other(opened):
    visit = opened("gaps")
    type_in(visit, "epsilon", "ln(3)")
    visit.line.select_slider(key="epsilon").set_value(2.0).run()
    assert shown(visit, "epsilon") == (2.0, "2")
    assert visit.address == {"epsilon": "2"}
    type_in(visit, "epsilon", "2.0")  # another way of writing the same stays as it was typed
    assert shown(visit, "epsilon") == (2.0, "2.0")
    type_in(visit, "epsilon", "1/2")
    visit.go("budget").whole()
    assert shown(visit, "epsilon") == (0.5, "1/2")


def test_a_text_that_the_browser_sends_late_undoes_nothing(opened):
    """Keys pressed fast on the scale: with the second one comes the text from before the first."""
    visit = opened("gaps", epsilon="0.8")
    visit.line.text_input(key="_typed-epsilon").set_value("1")
    visit.line.select_slider(key="epsilon").set_value(0.5).run()
    assert shown(visit.whole(), "epsilon") == (0.5, "0.5")
    unsent = visit.app.session_state[keys.ADDRESS].unsent
    assert unsent == {}  # the run came to its end: what is typed now is meant
    type_in(visit, "epsilon", "0.8")
    assert shown(visit.whole(), "epsilon") == (0.8, "0.8")
    unsent["_typed-epsilon"] = "1"  # as a run that was broken off leaves it
    type_in(visit, "epsilon", "1")
    assert shown(visit.whole(), "epsilon") == (0.8, "0.8")
    assert unsent == {}
    visit.line.text_input(key="_typed-epsilon").set_value("1")  # late, with a key on another scale
    visit.line.number_input(key="seed").set_value(5).run()
    assert shown(visit.whole(), "epsilon") == (0.8, "0.8")
    assert visit.address == {"epsilon": "0.8", "seed": "5"}


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("epsilon", "", "An empty box is not a number: type one such as 0.7, ln 3, 1/2, 1e-7"),
        ("epsilon", "0", "ε must be from 1e-9 to 1e12;"),
        ("epsilon", "![](x)", "`![](x)` is not a number: type one such as 0.7"),
        ("delta", "1", "δ must be at least 0 and below 1;"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence_and_the_value_before_stays(
    opened, key, text, sentence
):
    visit = opened("gaps", epsilon="0.7", delta="1e-5")
    before = visit.everything()
    (said,) = type_in(visit, key, text)
    assert said.startswith(sentence)
    stays = {"epsilon": "0.7", "delta": "1e-5"}[key]
    assert said.endswith(f"; keeping {stays}.")
    assert visit.everything() == before
    assert shown(visit, key) == (float(stays), stays)
    visit.app.run()
    assert visit.whole().toasts == []


def test_delta_is_judged_by_the_number_of_users_and_a_better_one_is_one_click_away(opened):
    visit = opened("release", users="2000000")
    (warning,) = visit.app.warning
    assert "too large for 2,000,000" in warning.value
    visit.line.button(key="take-delta").click().run()
    assert visit.whole().address == {"delta": "3e-10", "users": "2000000"}
    said = [caption.value for caption in visit.line.caption]
    assert any(words.startswith("δ = 3e-10 fits 2,000,000") for words in said)


def test_without_a_number_of_users_or_without_a_delta_nothing_is_judged(opened):
    assert "take-delta" not in [button.key for button in opened("release").line.button]
    visit = opened("release", users="2000000", mechanisms="Joint").whole()
    assert visit.address == {"users": "2000000", "mechanisms": "Joint"}
    assert "take-delta" not in [button.key for button in visit.line.button]
    assert any("have no δ" in caption.value for caption in visit.line.caption)


STAY = {"data", "small", "who", "upload-file"}  # they choose that there is an upload to be seen
WITH_DATA = [page.key for page in PAGES if "data" not in page.unread]
FIRST = "privacy"  # in every run: it has most controls of names, and the line is the same on all


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=() if p == FIRST else pytest.mark.grid) for p in WITH_DATA]
)
def test_nothing_of_an_upload_is_in_the_address_whatever_is_set(opened, page):
    """Every control is moved, then those that come up by that, until none is left."""
    rows = [f"hush{i},{70_001 + 111 * i}" for i in range(9)]
    data = "\n".join(["item,count", *rows])
    query = {"small": "top", "who": "chosen", "small_k": "2", "runs": "7", "runs_a_point": "1"}
    visit = uploaded(opened(page, **query), "hushed.csv", data.encode()).whole()

    done: set[str] = set()
    while True:
        found = controls_of(visit.app)
        moved = found.keys() - STAY - done
        if not moved:
            break
        for key in moved:
            found[key].set_value(another(found[key], visit.settings))
        visit.app.run()
        done |= moved
        assert visit.exceptions() == []
        assert visit.address["data"] == "upload"
        assert not re.search(r"hush|70\d\d\d", str(visit.address)), moved
    if page == FIRST:
        assert {"held", "goes", "comes"} <= done
        assert "hush" in visit.main.text[0].value  # who was chosen is named on the page alone


ONE_OF_EACH = [  # a sequence and a set
    next(key for key, one in MECHANISMS.items() if one.outputs.ordered is ordered)
    for ordered in (True, False)
]


def links_to(page):
    """Return links that together show every control of the settings of a page's question."""
    read_at = {**settings.READ_AT, **QUESTIONS[page].read_at}
    at = (read_at[key] for key in QUESTIONS[page].settings if key in read_at)
    others = dict.fromkeys((key, next(iter(values))) for key, values in at)
    return [{}, {"mechanisms": ",".join(ONE_OF_EACH)}, *({key: text} for key, text in others)]


@pytest.mark.grid
@pytest.mark.parametrize("page", [page.key for page in PAGES if page.key in QUESTIONS])
def test_every_setting_of_a_question_has_a_control_on_its_page(opened, page):
    (unread,) = (one.unread for one in PAGES if one.key == page)
    visits = (opened(page, **QUICK | query).whole() for query in links_to(page))
    drawn = {key for visit in visits for key in controls_of(visit.app)}
    missing = {*QUESTIONS[page].settings} - {*unread} - drawn
    assert not missing, (
        f"draw {missing} in pages/{page}.py by dptopk.ui.controls.inputs, or name them in "
        "`unread` of its entry in PAGES; in `read_at` of the question where they are read at some "
        "values of another alone"
    )
