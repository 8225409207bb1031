"""Counts and items typed or pasted into a text box."""

import re

import pytest
from hypothesis import given, strategies as st

from dptopk.data.ingest import IngestError, parse_typed, with_names_apart


@pytest.mark.parametrize(
    "text",
    [
        "100, 90, 80",
        "100 90 80",
        "100;90;80",
        "100\n90\n80",
        "100,\n90, 80\n",
        "100\t90\t80",
        " 100,90,80, ",
    ],
)
def test_typed_counts(as_dict, said, text):
    result = parse_typed(text)
    assert as_dict(result) == {"item 1": 100, "item 2": 90, "item 3": 80}
    assert result.counts.name == "typed"
    assert "3 counts were typed; the items are numbered." in said(result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apple 12\npear 5", {"apple": 12, "pear": 5}),
        ("apple, 12\n\npear,5\n", {"apple": 12, "pear": 5}),
        ("apple\t12\r\npear\t5", {"apple": 12, "pear": 5}),
        ("apple: 12\npear = 5", {"apple": 12, "pear": 5}),
        ("item,count\napple,12\npear,5", {"apple": 12, "pear": 5}),
        ("granny smith 12\nThe Good, the Bad 5", {"granny smith": 12, "The Good, the Bad": 5}),
        ('"Matrix, The", 278\nHeat, 5', {"Matrix, The": 278, "Heat": 5}),
        ("7\t12\n8\t5", {"7": 12, "8": 5}),
        ("Apollo 13, 120\nHeat, 5", {"Apollo 13": 120, "Heat": 5}),
        ("apple 12\napple 3\npear 2", {"apple": 15, "pear": 2}),
        ("=1+1\t5\n<b>x</b>\t3", {"=1+1": 5, "<b>x</b>": 3}),
    ],
)
def test_typed_items(as_dict, text, expected):
    assert as_dict(parse_typed(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "Nothing was typed") for text in ("", " \n ,, \n", "\x1f")),
        ("100, -5", 'Line 1: "-5" is negative'),
        ("100\n2.5", 'Line 2: "2.5" is not a whole number'),
        ("100, 1e400", "is too large"),
        ("100, ٣", "digits 0 to 9"),
        *((text, '"1,234" may be one number') for text in ("1,234, 90, 80", "1,234\n90\n80")),
        ("7 12\n8 5", "Every line holds two numbers"),
        ("apple 1,234\npear 5", "Line 1: it is not clear where the count begins"),
        ("apple 1 234\npear 5", "Line 1: it is not clear where the count begins"),
        ("100\n90\nabc", 'Line 3: "abc" is not a number: type counts alone'),
        ("100\n12.5", "round, or write whole numbers."),
        ("apple 5\npear x", 'Line 2: "x" is not a number; write the count in digits'),
        ("apple\npear", 'Line 1: "apple" lacks an item or a count'),
        ("apple 5\npear,", 'Line 2: "pear," lacks an item or a count'),
        ("apple 5\n12", 'Line 2: "12" lacks an item or a count'),
        ("apple 5\npear many", 'Line 2: "many" is not a number'),
        ("a\tb\t5\nc\td\t5", "Line 1 has 3 columns"),
        ("x" * 1_000_001, "The text has 1,000,001 characters"),
    ],
)
def test_faulty_typed_text(text, message):
    with pytest.raises(IngestError, match=re.escape(message)):
        parse_typed(text)


@given(st.text(max_size=80))
def test_any_typed_text_is_read_or_refused_in_words(refusal, text):
    assert refusal(parse_typed, text).endswith(".")


def test_typed_text_must_be_text():
    with pytest.raises(TypeError, match="text must be a string"):
        parse_typed(b"1, 2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apple 12\napple 3\npear 2", {"apple": 12, "apple (2)": 3, "pear": 2}),
        ("a, 5\na (2), 4\n\na, 3\na: 2", {"a": 5, "a (2)": 4, "a (3)": 3, "a (4)": 2}),
        ('item,count\n"Ape, The", 5\nApe, The 123', {"Ape, The": 5, "Ape, The (2)": 123}),
        ("7\t12\n7\t5", {"7": 12, "7 (2)": 5}),
        ("apple 12\npear 5", {"apple": 12, "pear": 5}),
    ],
)
def test_repeated_names_are_told_apart(as_dict, text, expected):
    result = parse_typed(with_names_apart(text))
    assert as_dict(result) == expected
    assert result.report.summing == ""
