"""Test that decks are checked when they are read, and read back as written."""

import base64
import json
import random
import string
import zlib

import pytest
from hypothesis import given, strategies as st

from dptopk.questions import settings
from dptopk.ui.layout import deck
from dptopk.ui.layout.deck import Deck, Slide
from dptopk.ui.layout.pages import PAGES

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SLIDES = st.builds(
    Slide,
    TEXT,
    st.sampled_from([page.key for page in PAGES]).flatmap(
        lambda page: TEXT.map(lambda text: deck.link(page, {"typed": text, "seed": "1"}))
    ),
    st.floats(0, 240),
    TEXT,
    st.booleans(),
)


def packed(content: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(content)).decode().rstrip("=")


def file_of(**changed) -> bytes:
    """A deck of one slide, with changes to that."""
    slide = {"title": "a", "link": "release?k=3", "minutes": 1, "notes": "", "hidden": False}
    return json.dumps({"dptopk_deck": 1, "title": "", "slides": [slide | changed]}).encode()


@given(st.builds(Deck, TEXT, st.lists(SLIDES, max_size=5).map(tuple)))
def test_a_deck_is_read_from_link_and_file_as_it_was_written(made):
    assert deck.read(deck.written(made)) == made
    assert deck.parsed(deck.file_text(made).encode()) == made


def test_a_deck_of_the_most_slides_loses_none():
    made = Deck("whole", tuple(Slide(str(i), "release?k=3") for i in range(deck.MOST_SLIDES)))
    assert deck.read(deck.written(made)) == made
    assert deck.parsed(deck.file_text(made).encode()) == made


@given(st.text(max_size=60) | st.binary(max_size=60).map(packed))
def test_any_other_text_of_a_link_is_refused_in_a_sentence(value):
    with pytest.raises(ValueError, match=r"^\w"):
        deck.read(value)


@pytest.mark.parametrize("value", ["a" * settings.DECK.longest, packed(file_of()) + "A" * 6_000])
def test_a_link_too_long_for_a_file_name_or_a_deck_is_refused(value):
    with pytest.raises(ValueError, match="no readable deck"):
        deck.read(value)


def test_the_decks_of_the_package_take_the_time_they_are_called_by():
    found = {name: deck.read(name) for name in deck.ready()}
    assert {name: one.minutes for name, one in found.items()} == {"twenty": 20, "ninety": 90}
    for one in found.values():
        assert all(slide.title and slide.notes and slide.minutes for slide in one.slides)
        assert len(deck.written(one)) < settings.DECK.longest / 2  # room for a teacher's own


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"link": "https://example.com/release"}, "slide 1: its link must begin with a page"),
        ({"link": "//example.com"}, "must begin with a page"),
        ({"link": "/release"}, "must begin with a page"),
        ({"link": "javascript:alert(1)"}, "must begin with a page"),
        ({"link": "release/../data"}, "must begin with a page"),
        ({"link": "release?nobody=1"}, "must hold each setting once, got 'nobody'"),
        ({"link": "release?k=1&k=2"}, "must hold each setting once, got 'k'"),
        ({"link": "release?deck=ninety"}, "must hold each setting once, got 'deck'"),
        ({"link": "release?typed=" + "1" * 1_000}, "link must be text of at most 1,000 characters"),
        ({"link": None}, "link must be text"),
        ({"title": "a" * 121}, "title must be text of at most 120"),
        ({"notes": ["a"]}, "notes must be text"),
        ({"minutes": -1}, r"minutes must be in \[0, 240\]"),
        ({"minutes": float("nan")}, "minutes must be in"),
        ({"minutes": True}, "minutes must be a number"),
        ({"hidden": 1}, "hidden must be true or false"),
    ],
)
def test_a_slide_that_is_no_view_of_this_app_is_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        deck.parsed(file_of(**changed))
    with pytest.raises(ValueError, match=said):
        deck.read(packed(file_of(**changed)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not valid JSON"),
        (b"[" * 60_000, "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"{}", "it is not a deck"),
        (b'{"dptopk_deck": true, "title": "", "slides": []}', "it is not a deck"),
        (b'{"dptopk_deck": 1, "title": "", "slides": {}}', "a list of at most 40 slides"),
        (b'{"dptopk_deck": 1, "title": "", "slides": [1]}', "slide 1 must have a title"),
        (b" " * 70_000, "at most 65,536 bytes"),
    ],
)
def test_a_file_that_is_no_deck_is_refused(content, said):
    with pytest.raises(ValueError, match=said):
        deck.parsed(content)


def test_a_link_that_unpacks_to_much_is_refused():
    bomb = packed(b" " * 2_000_000)
    assert len(bomb) < settings.DECK.longest
    with pytest.raises(ValueError, match="no whole deck"):
        deck.read(bomb)


def test_a_deck_too_long_for_a_link_is_not_written():
    drawn = random.Random(0)
    notes = ["".join(drawn.choices(string.ascii_letters, k=900)) for _ in range(10)]
    slides = tuple(Slide("a", "data", notes=words) for words in notes)
    with pytest.raises(ValueError, match=r"must fit in a link of 6,000 characters.*shorten"):
        deck.written(Deck("long", slides))
