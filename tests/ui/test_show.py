"""Strangers' text in markdown: shown as it stands, or inside a code span that nothing leaves."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dptopk.ui import show

# letters, digits and marks that mean nothing to Streamlit's markdown in the middle of a line;
# an underscore is emphasis, two hyphens become a dash, www. and // become links
_HARMLESS = re.compile(r"[^\W_]*(?:[ ,.'’()/…-]*[^\W_]*)*", re.UNICODE)
_BECOMES_SOMETHING_ELSE = re.compile(r"www\.|//|(^| )--( |$)", re.IGNORECASE)


def inert(shown: str) -> bool:
    """Whether markdown shows a text as it stands."""
    if re.fullmatch(r"`[^`\n]*`", shown):
        return True
    return bool(_HARMLESS.fullmatch(shown)) and not _BECOMES_SOMETHING_ELSE.search(shown)


HOSTILE = [
    "![](https://example.com/x.png)",
    "[click](https://example.com)",
    "<img src=https://example.com/x.png>",
    "$\\frac{1}{0}$",
    ":red[boo] :smile:",
    ":material/delete:",
    "`code` **bold**",
    "``` x",
    "https://example.com",
    "www.example.com",
    "WWW.example.com",
    "wWw.example.com/path",
    "someone@example.com",
    "_emphasis_",
    "__strong__ text",
    "a -- b",
    "a -> b",
    "~~gone~~",
    "| a | b |",
    "a\nb\n\n# c",
    "\\`",
    "&lt;b&gt; &amp;",
    "[^1]",
    "\u2028# x",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert(text):
    assert inert(show.plain(text))
    assert inert(show.plain(f"{text}, {text}", 200))


@given(st.text(max_size=90))
@example("`")
@example("a`b")
def test_any_text_is_inert_on_one_line_and_short(text):
    shown = show.plain(text)
    assert inert(shown)
    assert len(shown) <= 62
    assert "\n" not in shown


@given(st.text(st.sampled_from("wW./_- ab`*[]()!<:$@"), max_size=30))
def test_text_made_of_marks_is_inert(text):
    assert inert(show.plain(text))


@pytest.mark.parametrize(
    "text", ["Dota 2", "item 7, item 8", "Sid Meier's Civilization V", "日本の東京, A/B"]
)
def test_harmless_names_are_left_alone(text):
    assert show.plain(text) == text


def test_long_names_are_shortened_with_a_sign():
    assert show.plain("a" * 61) == "a" * 59 + "…"
    assert show.plain("a" * 60) == "a" * 60


def test_tables_of_strangers_cells_stay_text():
    frame = show.rows([["1", "=1+1"], ["NA", ""]], ["x", "x"])
    assert frame.to_numpy().tolist() == [["1", "=1+1"], ["NA", ""]]
    assert list(frame.columns) == ["x", "x"]
