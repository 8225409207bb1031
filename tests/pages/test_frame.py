"""What every page is framed by: its sidebar, its headings, its lists."""

import pytest

from dptopk.ui.plan import PAGES

KEYS = [page.key for page in PAGES]


@pytest.mark.parametrize("page", KEYS)
def test_the_sidebar_has_a_k_where_it_acts_and_keeps_it_elsewhere(opened, page):
    visit = opened(page, k=7).whole()
    acts = not next(p for p in PAGES if p.key == page).small
    assert [slider.key for slider in visit.app.sidebar.slider] == (["k"] if acts else [])
    assert visit.address == {"k": "7"}
    assert visit.go("release").title == "What comes out as the top 7?"


@pytest.mark.parametrize("page", KEYS)
def test_headings_go_down_by_one_level_at_a_time(opened, page):
    main = opened(page).whole().app.main
    levels = {
        int(element.tag[1])
        for kind in ("title", "header", "subheader")
        for element in main.get(kind)
    }
    assert levels == set(range(1, max(levels) + 1))
    assert not any(element.value.startswith("#") for element in main.markdown)


def test_one_item_has_no_order(opened):
    assert opened("exact", small_k=1).app.main.header[0].value == "Probability of A"
    assert opened("exact").app.main.header[0].value == "Probability of A, B, in this order"


def test_what_was_done_to_the_data_is_a_list_that_shows_names_as_they_are(opened):
    visit = opened("data", data="typed", typed="<b>a</b> 5\n<b>a</b> 6\nb 1").whole()
    (listed,) = (e.proto.body for e in visit.app.main.get("html") if "<li>" in e.proto.body)
    assert "<b>" not in listed
    assert listed.count("<li>") == len(visit.app.session_state["_view"][1].source.notes)
