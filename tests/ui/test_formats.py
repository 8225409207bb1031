"""Strangers' text in markdown is shown as it stands or in a code span; numbers are never false."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dptopk.ui import formats

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
    assert inert(formats.plain(text))
    assert inert(formats.plain(f"{text}, {text}", 200))


@given(st.text(max_size=90))
@example("`")
@example("a`b")
def test_any_text_is_inert_on_one_line_and_short(text):
    shown = formats.plain(text)
    assert inert(shown)
    assert len(shown) <= 62
    assert "\n" not in shown


@given(st.text(st.sampled_from("wW./_- ab`*[]()!<:$@"), max_size=30))
def test_text_made_of_marks_is_inert(text):
    assert inert(formats.plain(text))


@pytest.mark.parametrize(
    "text", ["Dota 2", "item 7, item 8", "Sid Meier's Civilization V", "日本の東京, A/B"]
)
def test_harmless_names_are_left_alone(text):
    assert formats.plain(text) == text


def test_long_names_are_shortened_with_a_sign():
    assert formats.plain("a" * 61) == "a" * 59 + "…"
    assert formats.plain("a" * 60) == "a" * 60


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
@example(1e-300)
@example(5e-7)
@example(1e-6)
@example(0.0009999)
@example(0.9990001)
@example(0.99999949)
@example(1 - 2**-53)
def test_a_percentage_is_never_a_false_0_or_100(value):
    shown = formats.percent(value)
    assert not re.fullmatch(r"0(\.0+)?(e[+-]?\d+)?%?|100(\.0+)?%", shown)


@given(st.floats(0, 1))
def test_a_percentage_is_close_to_its_value(value):
    shown = formats.percent(value)
    number = float(shown.removeprefix("> ").rstrip("%"))
    told = number / 100 if shown.endswith("%") else number
    assert told == pytest.approx(value, rel=0.06, abs=0)
    assert told == pytest.approx(value, rel=0, abs=0.00051)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.0%"),
        (1.0, "100.0%"),
        (0.25, "25.0%"),
        (0.0005, "0.0500%"),
        (0.99995, "99.9950%"),
        (1e-9, "1.0e-09"),
        (1 - 1e-9, "> 99.9999%"),
    ],
)
def test_percentages(value, shown):
    assert formats.percent(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1234.0, "1,234"), (2.5, "2.5"), (2**53, "9,007,199,254,740,992")],
)
def test_numbers_of_users(value, shown):
    assert formats.number(value) == shown


def test_amounts_of_users():
    assert [formats.users(x) for x in (0.2, 1, 8.46, 12.4, 1234)] == [
        "0.2 users",
        "1 user",
        "8.5 users",
        "12 users",
        "1,234 users",
    ]


def test_amounts_of_things():
    assert [formats.plural(n, "item") for n in (0, 1, 2, 5_155)] == [
        "0 items",
        "1 item",
        "2 items",
        "5,155 items",
    ]


def test_names_are_joined_as_people_list_them():
    assert formats.joined(["a"]) == "a"
    assert formats.joined(["a", "b"]) == "a and b"
    assert formats.joined(["a", "b", "c"]) == "a, b and c"


def test_what_a_place_costs_has_its_sign_and_nothing_costs_nothing():
    assert [formats.cost(x) for x in (0, 5, -1_234)] == ["", "(+5) ", "(-1,234) "]
