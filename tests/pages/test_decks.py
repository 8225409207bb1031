"""Test that every view of the bundled decks opens, and the deck editor."""

import re

import pytest

from dptopk.ui import keys
from dptopk.ui.layout import deck, hidden_answer, presentation
from dptopk.ui.sections.learn import LESSONS

VIEWS = {
    f"{name} {place}": (name, place)
    for name in deck.ready()
    for place in range(1, len(deck.read(name).slides) + 1)
}


@pytest.mark.parametrize(("name", "place"), VIEWS.values(), ids=VIEWS)
def test_every_view_of_a_ready_deck_opens(opened, name, place):
    slide = deck.read(name).slides[place - 1]
    visit = opened(slide.page, deck=name, slide=place).whole()  # as its own link opens it
    assert visit.complaints == []
    assert visit.title == slide.title
    held = {key: visit.settings[key] for key in slide.query if key in visit.settings}
    chosen = {key: one for key, one in held.items() if one.parse(slide.query[key]) != one.default}
    own = {"deck": name, "slide": str(place)}
    assert visit.address == own | {key: slide.query[key] for key in chosen}
    if slide.hidden:  # the question of the page, with the words
        (line,) = visit.slide_lines
        assert line.endswith(f"? {hidden_answer.WORDS}")
    moves = [visit.app.button(key=f"deck-{way}").disabled for way in ("previous", "next")]
    assert moves == [place == 1, place == len(deck.read(name).slides)]
    if slide.page == "learn" and re.search(r"\bsteps?\b", slide.notes, re.IGNORECASE):
        assert LESSONS[slide.query["lesson"]].text.data.get("steps")


def test_the_next_slide_opens_with_its_own_settings_and_none_of_the_last(opened):
    mine = deck.Deck(
        "Mine", (deck.Slide("A", "errors?k=3&epsilon=0.5"), deck.Slide("B", "data?k=7"))
    )
    own = {"deck": deck.written(mine)}
    visit = opened("errors", **mine.slides[0].query, **own, slide=1).whole()
    assert visit.press("deck-next").address == own | {"slide": "2", "k": "7"}
    assert visit.press("deck-previous").address == own | {"slide": "1", "k": "3", "epsilon": "0.5"}


def test_a_setting_in_the_link_of_a_slide_overrules_all_of_its_own(opened):
    changed = opened("learn", deck="ninety", slide=5, lesson=4).whole()
    assert changed.address == {"deck": "ninety", "slide": "5", "lesson": "4"}
    assert opened("learn", deck="ninety", slide=40).whole().address["slide"] == "40"


def test_a_slide_of_a_class_says_how_to_open_one_and_shows_its_code_once_open(opened):
    visit = opened("classroom", deck="twenty", slide=1).whole()
    assert visit.app.button(key="class-open").label == "Open a class"
    visit.app.button(key="class-open").click().run()
    visit.app.run()
    assert "class-open" not in [button.key for button in visit.app.button]
    assert visit.app.button(key="class-ask").label == "Ask it"
    visit.app.button(key="deck-next").click().run()
    visit.app.button(key="deck-next").click().run()
    assert visit.app.button(key="class-ask").label == "Ask the class: 0 students"


def test_a_lesson_on_a_slide_shows_one_figure_and_the_answer_beside_it(opened):
    visit = opened("learn", deck="ninety", slide=5, lesson=3).whole()
    buttons = [button.key for button in visit.app.button]
    assert "reveal" in buttons
    assert "next-lesson" not in buttons
    assert not visit.main.expander
    assert visit.press("reveal").charts == ["chart-answer"]
    assert visit.tiles == [("The answer", "66.2 of 100")]
    parts = visit.app.segmented_control(key="lesson-part-3")
    assert list(parts.options) == ["Example", "Answer", "Every ε", "Current data"]
    parts.set_value("data").run()
    assert visit.whole().charts == ["chart-data"]
    assert not visit.press("hide").main.get("plotly_chart")  # but races that are run
    parts = visit.main.get("bidi_component")
    assert "dptopk_moving_draws" in [part.proto.component_name for part in parts]


def test_a_run_that_was_interrupted_on_a_slide_leaves_the_next_one_its_title(opened, fresh_visits):
    visit = opened("learn", deck="twenty", slide=3)
    visit.app.session_state[keys.PRESENTATION] = presentation.Presentation(None)
    visit.app.run()
    assert visit.whole().title == deck.read("twenty").slides[2].title


def test_a_view_on_a_slide_bears_the_title_of_the_slide(opened):
    mine = deck.Deck("Mine", (deck.Slide("All *my* data", "data"),))
    visit = opened("data", deck=deck.written(mine), slide=1).whole()
    assert visit.title == "`All *my* data`"
    assert visit.press("deck-leave").title == "What is in Games (Steam)?"


def test_a_deck_is_begun_filled_changed_and_undone(opened):
    visit = opened("learn", epsilon=0.1).whole()
    visit.app.button(key="deck-new").click().run()
    assert visit.go("errors").whole().address.keys() == {"deck", "epsilon"}
    visit.app.button(key="answer-hide").click().run()
    assert "slide 1 of the deck" in visit.press("deck-add").toasts[0]
    visit.go("gaps").app.button(key="deck-add").click().run()
    visit.go("learn").whole()

    def made():
        return deck.read(visit.address["deck"]).slides

    first, second = made()
    assert first == deck.Slide("Errors", "errors?epsilon=0.1", hidden=True)
    assert second == deck.Slide(
        "How far apart are the top counts?", "gaps?epsilon=0.1", hidden=True
    )
    visit.app.button(key="deck-down").click().run()
    assert made() == (second, first)
    (title,) = (box for box in visit.app.text_input if box.label == "Title")
    title.set_value("<b>Mine</b> [x](https://example.com)")
    (change,) = (b for b in visit.app.button if b.label == "Change this slide")
    change.click().run()
    assert made()[1].title == "<b>Mine</b> [x](https://example.com)"
    written = [element.proto.body for element in visit.main.get("html")]
    assert "<b>Mine" not in " ".join(written)
    visit.app.button(key="deck-remove").click().run()
    assert made() == (second,)
    for _ in range(2):
        visit.app.button(key="deck-undo").click().run()
    assert made() == (second, first)
    assert "deck" not in visit.press("deck-close").address


def test_a_shared_deck_is_offered_and_has_a_title_of_its_own(opened):
    visit = opened("learn", deck="twenty").whole()
    assert visit.app.button(key="deck-present-it").label == "Present it"
    (title,) = (field for field in visit.app.text_input if field.label == "Title of the deck")
    title.set_value("[My](https://example.com) week 3").run()
    assert deck.read(visit.address["deck"]).title == "[My](https://example.com) week 3"
    assert visit.exceptions() == []
    visit.app.button(key="deck-present-it").click().run()
    assert visit.address["slide"] == "1"


def test_a_slide_that_no_deck_has_or_a_deck_that_cannot_be_read_is_said_and_not_kept(opened):
    for place in ("9" * 5_000, "41"):
        (said,) = opened("learn", deck="ninety", slide=place).whole().complaints
        assert "slide must be" in said
    visit = opened("gaps", deck="eJw", slide=1).whole()
    (said,) = visit.complaints
    assert "`deck=eJw`" in said
    assert "deck" not in visit.address
    assert "deck-next" not in [button.key for button in visit.app.button]
