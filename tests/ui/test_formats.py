"""Strangers' text in markdown is shown as it stands or in a code span; numbers are never false."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dptopk.mechanisms import Chance
from dptopk.summaries import wilson_interval
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


def told(shown: str) -> tuple[float, float]:
    """What a probability as shown says: itself, and what it falls short of 1."""
    near = re.fullmatch(r"> 99\.9999% \((\S+) short of certain\)", shown)
    if near:
        return 1.0, float(near[1])
    p = float(shown.rstrip("%")) / (100 if shown.endswith("%") else 1)
    return p, 1 - p


@given(st.floats(-3_000, -1e-15))
@example(-1e-7)
@example(math.log(1e-6))
@example(math.log(0.0009999))
@example(math.log(0.9990001))
@example(math.log(0.99999949))
@example(-1e-300)
@example(-745.0)
def test_a_probability_is_never_a_false_0_or_1(log_p):
    """Whether it or its complement is the small one."""
    log_rest = math.log(-math.expm1(log_p))
    for pair in ((log_p, log_rest), (log_rest, log_p)):
        shown = formats.in_full(*pair)
        assert shown.startswith(formats.probability(*pair))
        assert not re.fullmatch(r"0(\.0+)?(e[+-]?\d+)?%?|100(\.0+)?%|1", shown)
        p, rest = told(shown)
        assert p == pytest.approx(math.exp(pair[0]), rel=0.06, abs=1e-320)
        assert rest == pytest.approx(math.exp(pair[1]), rel=0.06, abs=1e-320)


@pytest.mark.parametrize(
    ("log_p", "log_rest", "shown"),
    [
        (-math.inf, 0.0, "0%"),
        (0.0, -math.inf, "100%"),
        (0.0, math.nan, "> 99.9999%"),
        (0.0, math.log(1.23e-9), "> 99.9999%"),
        (0.0, -5_000.0, "> 99.9999%"),
        (math.log(0.25), math.log(0.75), "25.0%"),
        (math.log(0.0005), math.log(0.9995), "0.0500%"),
        (math.log(0.99995), math.log(0.00005), "99.9950%"),
        (math.log(1e-9), -1e-9, "1.0e-9"),
        (math.log(9.97e-9), 0.0, "1.0e-8"),
        (-5_000.0, 0.0, "3.4e-2172"),
    ],
)
def test_probabilities(log_p, log_rest, shown):
    assert formats.probability(log_p, log_rest) == shown
    assert formats.chance(Chance(log_p, log_rest)) == shown


def test_what_is_nearly_certain_says_how_nearly():
    assert formats.in_full(0.0, -5_000.0) == "> 99.9999% (3.4e-2172 short of certain)"
    assert formats.in_full(0.0, math.nan) == "> 99.9999%"
    assert formats.shortfall(Chance(0.0, math.log(1.23e-9))) == "1.2e-9 short of certain"
    assert formats.shortfall(Chance(0.0, -math.inf)) == ""  # it is certain
    assert formats.shortfall(Chance(0.0, math.nan)) == ""
    assert formats.shortfall(Chance(math.log(0.9), math.log(0.1))) == ""


def test_none_or_all_of_the_runs_stand_beside_their_interval():
    for right, shown in ((0, "0% [0%, 7.1%]"), (50, "100% [92.9%, 100%]")):
        low, high = (float(end) for end in wilson_interval(right, 50))
        assert formats.share_of_runs(right / 50, low, high) == shown


@pytest.mark.parametrize(
    ("loss", "ratio", "shown"),
    [
        (-0.5, "0.6065", "-0.500"),
        (0.0, "1.0000", "0.000"),
        (-1e-9, "1.0000", "0.000"),
        (math.inf, "∞", "∞"),
        (-math.inf, "0", "-∞"),
        (2_000.0, "3.9e868", "2,000.000"),
        (-30.0, "9.4e-14", "-30.000"),
    ],
)
def test_losses_and_their_ratios(loss, ratio, shown):
    assert (formats.ratio(loss), formats.loss(loss)) == (ratio, shown)


def test_one_way_to_write_a_small_number():
    assert [formats.compact(x) for x in (1e-6, 0.7, 1e6, 2.5e-7)] == [
        "1e-6",
        "0.7",
        "1e6",
        "2.5e-7",
    ]
    assert [formats.small(x) for x in (0.0, 1.234e-7, 1e-6)] == ["0", "1.2e-7", "1e-6"]


def test_a_column_in_words_keeps_its_numbers():
    frame = pd.DataFrame({"a": [0.9, np.nan, 0.9, 0.14, 0.0, 0.0]})
    shown = formats.written(frame, {"a": ["90%", "–", "90%", "14%", "1.0e-400", "0%"]})
    assert shown.data is frame or shown.data.equals(frame)
    for _ in range(2):  # however often it is rendered
        html = shown.to_html()
        assert html.count("90%") == 2
        assert all(html.count(f">{text}<") == 1 for text in ("14%", "–", "1.0e-400", "0%"))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1234.0, "1,234"), (2.5, "2.5"), (2**53, "9,007,199,254,740,992")],
)
def test_numbers_of_users(value, shown):
    assert formats.number(value) == shown


def test_amounts_of_users():
    assert [formats.counted(x, "users") for x in (0.2, 1, 8.46, 12.4, 1234)] == [
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


def test_small_percentages_in_one_figure_are_written_in_one_way():
    pairs = [(-1.0, math.log1p(-math.exp(-1.0))), (math.log(1.4e-7), 0.0), (0.0, math.log(3e-9))]
    assert [formats.percentage(*pair) for pair in pairs] == ["36.8%", "1.4e-7", "> 99.9999%"]
    assert formats.percentage(-math.inf) == "0%"
    assert [formats.percentage(math.log(p)) for p in (0.05, 4e-6, 5.6e-7)] == [
        "5.0%",
        "4.0e-6",
        "5.6e-7",
    ]
    assert formats.percentage(-1e-12) == formats.NEARLY_CERTAIN


def test_names_are_joined_as_people_list_them():
    assert formats.joined(["a"]) == "a"
    assert formats.joined(["a", "b"]) == "a and b"
    assert formats.joined(["a", "b", "c"]) == "a, b and c"


def test_who_is_meant_is_named_however_many_they_are():
    everybody = list("abcdefgh")
    assert formats.joined_of(list("abcde"), everybody) == "a, b, c, d and e"
    assert formats.joined_of(list("abcdef"), everybody) == "all but g and h"
    assert formats.joined_of(everybody, everybody) == "all 8"
    assert formats.joined_of(["a", "b"], ["a", "b"]) == "a and b"


def test_what_a_place_costs_has_its_sign_and_nothing_costs_nothing():
    assert [formats.cost(x) for x in (0, 5, -1_234)] == ["", "(+5) ", "(−1,234) "]


@pytest.mark.parametrize("text", [text for text in HOSTILE if text != "\u2028# x"])
def test_words_that_quote_strangers_are_code_where_they_hold_markup(text):
    assert re.fullmatch(r"`[^`\n]*`", formats.quoting(f"A user who holds {text}, pear joins."))


def test_words_that_quote_plain_names_stay_words():
    said = "Joint · A user who holds pear, 7 Wonders (new) joins: on these data; at once."
    assert formats.quoting(said) == said


def test_large_whole_numbers_of_tables_are_written_as_everywhere_and_stay_numbers():
    frame = pd.DataFrame({"item": ["a", "b"], "count": [4841, 2], "place": [1, 2], "x": [1e6, 2]})
    shown = formats.grouped(frame)
    assert shown.data is frame
    html = shown.to_html()
    assert ">4,841<" in html
    assert ">1000000.0" in html  # what is no whole number has its own ways
    small = frame[["item", "place"]]
    assert formats.grouped(small) is small
    assert formats.grouped(shown) is shown


def test_names_of_files_lose_their_middle():
    assert formats.shortened("counts.csv", 10) == "counts.csv"
    assert formats.shortened("counts of May.csv", 10) == "coun…y.csv"


def test_a_formula_is_not_broken_over_two_lines():
    kept = formats.unbroken("as e^(−ε · gap / 2), or e^(2 · ε/2) = e^ε. A gap / 2")
    assert kept.split(" ") == [
        "as",
        "e^(−ε\u00a0·\u00a0gap\u00a0/\u2060\u00a02),",
        "or",
        "e^(2\u00a0·\u00a0ε/\u20602)\u00a0=\u00a0e^ε.",
        *("A", "gap", "/", "2"),
    ]
