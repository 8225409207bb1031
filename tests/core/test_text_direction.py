"""Test that names written from right to left leave the text around them in order."""

import pytest

from dptopk import figures
from dptopk.core.text_direction import kept_in_order
from dptopk.ui import formats

TEA, COFFEE = "شاي", "קפה"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("A, B", "A, B"),
        (f"{TEA}, A", f"{TEA}\u200e, A"),
        (f"{TEA}, {COFFEE}", f"{TEA}\u200e, {COFFEE}\u200e"),
        ("abc\u200f, 1", "abc\u200f\u200e, 1"),
    ],
)
def test_each_name_of_a_list_ends_in_a_mark(text, shown):
    assert kept_in_order(text) == kept_in_order(shown) == shown
    assert formats.plain(text).strip("`") == formats.quoting(text) == figures.plain(text) == shown


@pytest.mark.parametrize("control", "\0\x9f\u202a\u202e\u2066\u2069")
def test_no_control_of_direction_reaches_the_browser(control):
    assert formats.plain(f"a{control}b") == "`a\ufffdb`"
