"""Test that text of strangers is escaped in markdown, and that numbers are not rounded falsely."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies as st

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


def frequency(p: float) -> str:
    return formats.frequency(math.log(p) if p else -math.inf, math.log1p(-p))


WRITTEN = [
    (formats.loss, -1e-9, "0.000"),
    (formats.loss, -math.inf, "-∞"),
    (formats.loss, 2_000.0, "2,000.000"),
    (formats.ratio, -0.5, "0.6065"),
    (formats.ratio, math.inf, "∞"),
    (formats.ratio, -math.inf, "0"),
    (formats.ratio, 2_000.0, "e^2,000"),
    (formats.ratio, -30.0, "9.4e-14"),
    (formats.compact, 1e-6, "1e-6"),
    (formats.compact, 0.7, "0.7"),
    (formats.compact, 1e6, "1e6"),
    (formats.compact, 2.5e-7, "2.5e-7"),
    *((formats.rounded_up, x, said) for x, said in ((1.0, 1), (0.0891, 0.0891), (123.01, 124))),
    (formats.small, 0.0, "0"),
    (formats.small, 1.234e-7, "1.2e-7"),
    (formats.number, 1234.0, "1,234"),
    (formats.number, 2.5, "2.5"),
    (formats.number, 2**53, "9,007,199,254,740,992"),
    (formats.cost, 0, ""),
    (formats.cost, 5, "(+5) "),
    (formats.cost, -1_234, "(−1,234) "),
    (formats.joined, ["a"], "a"),
    (formats.joined, ["a", "b"], "a and b"),
    (formats.joined, ["a", "b", "c"], "a, b and c"),
    (formats.plain, "a" * 61, "a" * 59 + "…"),
    (formats.plain, "a" * 60, "a" * 60),
    *((formats.plain, name, name) for name in ("Dota 2", "item 7, item 8", "日本の東京, A/B")),
    (formats.plain, "Sid Meier's Civilization V", "Sid Meier's Civilization V"),
    (formats.quoting, "A user who holds pear, 7 Wonders (new) joins; at once.", None),
    (formats.unbroken, "δ = 1.2e-7: one-shot, PNF-Peel", "δ = 1.2e-\u20607: one-shot, PNF-Peel"),
    (formats.counted, (0.2, "users"), "0.2 users"),
    (formats.counted, (1, "users"), "1 user"),
    (formats.counted, (8.46, "users"), "8.5 users"),
    (formats.counted, (12.4, "users"), "12 users"),
    (formats.counted, (1234, "users"), "1,234 users"),
    (formats.counted, (1, "entries"), "1 entry"),
    (formats.joined_of, ("abcde", "abcdefgh"), "a, b, c, d and e"),
    (formats.joined_of, ("abcdef", "abcdefgh"), "all but g and h"),
    (formats.joined_of, ("abcdefgh", "abcdefgh"), "all 8"),
    (formats.joined_of, ("ab", "ab"), "a and b"),
    (formats.joined_of, ("abcdef", "abcdefghi"), "6 of 9"),
    (formats.shortened, ("counts.csv", 10), "counts.csv"),
    (formats.shortened, ("counts of May.csv", 10), "coun…y.csv"),
    (frequency, 0.803, "80.3%"),
    (frequency, 0.001, "0.1%"),
    (frequency, 5.2e-5, "1 in 19,000"),
    (frequency, 1.3e-8, "1 in 77 million"),
    (frequency, 4e-7, "1 in 2.5 million"),
    (frequency, 2.5e-11, "1 in 40 billion"),
    (frequency, 2.4e-85, "never in practice"),
    (frequency, 0.0, "0%"),
]


@pytest.mark.parametrize(("write", "value", "said"), WRITTEN)
def test_values_are_written_so(write, value, said):
    given = value if isinstance(value, tuple) else (value,)
    assert write(*given) == (value if said is None else said)


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


def test_a_column_in_words_keeps_its_numbers():
    frame = pd.DataFrame({"a": [0.9, np.nan, 0.9, 0.14, 0.0, 0.0]})
    shown = formats.written(frame, {"a": ["90%", "–", "90%", "14%", "1.0e-400", "0%"]})
    assert shown.data is frame or shown.data.equals(frame)
    for _ in range(2):  # however often it is rendered
        html = shown.to_html()
        assert html.count("90%") == 2
        assert all(html.count(f">{text}<") == 1 for text in ("14%", "–", "1.0e-400", "0%"))


@pytest.mark.parametrize("text", [text for text in HOSTILE if text != "\u2028# x"])
def test_words_that_quote_strangers_are_code_where_they_hold_markup(text):
    assert re.fullmatch(r"`[^`\n]*`", formats.quoting(f"A user who holds {text}, pear joins."))


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
    many = pd.DataFrame({"count": range(20_001)})  # each cell would be written by itself
    assert formats.grouped(many) is many


@pytest.mark.parametrize("formula", ["ln(1 / (2δ)) / ε", "2 ln(1 / (2δ)) / ε", "1/ε", "2 / ε"])
def test_no_formula_breaks_at_its_strokes(formula):
    kept = formats.unbroken(f"above {formula} users. Or")
    assert (
        kept == f"above {formula.replace(' ', chr(0xA0)).replace('/', '/' + chr(0x2060))} users. Or"
    )


def test_a_formula_is_not_broken_over_two_lines():
    kept = formats.unbroken("as e^(−ε · gap / 2), or e^(2 · ε/2) = e^ε. A gap / 2")
    assert kept.split(" ") == [
        "as",
        "e^(−ε\u00a0·\u00a0gap\u00a0/\u2060\u00a02),",
        "or",
        "e^(2\u00a0·\u00a0ε/\u20602)\u00a0=\u00a0e^ε.",
        *("A", "gap", "/", "2"),
    ]


@pytest.mark.parametrize(
    ("typed", "latex"),
    [
        ("e^(−ε · gap / 2)", r"$e^{-\varepsilon  \cdot \mathrm{gap} / 2}$"),
        ("e^(2 · ε/2) = e^ε", r"$e^{2 \cdot \varepsilon /2}$ = $e^{\varepsilon }$"),
        ("e^(ε₀ · count)", r"$e^{\varepsilon_0 \cdot \mathrm{count}}$"),
        ("e^0.1 = 1.11", "$e^{0.1}$ = 1.11"),
        ("2√(ρ ln(1/δ))", r"2$\sqrt{\rho  \ln (1/\delta )}$"),
    ],
)
def test_powers_and_roots_are_typeset(typed, latex):
    assert formats.typeset(f"at most {typed}, of 2/ε") == f"at most {latex}, of 2/\u2060ε"
