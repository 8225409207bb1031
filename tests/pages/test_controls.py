"""Test that pages and addresses follow the controls, and that wanted values return."""

import re

import pytest
from controls import QUICK, another, controls_of

from dptopk.questions.settings import MAX_K
from dptopk.ui.layout.pages import PAGES


def test_drawing_again_advances_the_seed_and_the_table(opened):
    visit = opened("release", epsilon="0.1")
    first = visit.ranking()
    assert visit.press("draw").address == {"epsilon": "0.1", "seed": "1"}
    assert visit.line.number_input(key="seed").value == 1
    assert not visit.ranking().equals(first)
    assert visit.everything() == opened("release", epsilon="0.1", seed=1).everything()


def test_drawing_again_after_the_last_seed_begins_anew(opened):
    visit = opened("release", seed=2**31 - 1, epsilon="0.1")
    assert visit.press("draw").address == {"epsilon": "0.1"}
    assert any(caption.startswith("Seed 0 ") for caption in visit.captions)


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


def test_a_k_chosen_among_few_items_stays(opened):
    visit = opened("gaps", k=50)
    move(visit, "data", "classroom-ten_steps")
    move(visit, "k", 3)
    move(visit, "data", "games")
    assert visit.line.slider(key="k").value == 3
    assert visit.address == {"k": "3"}


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
