"""Which item names are kept or cleaned, and which counts are whole numbers."""

import pytest

from dptopk.ingest import IngestError


@pytest.mark.parametrize(
    "name",
    [
        "<b>bold</b><script>alert(1)</script>",
        "![](http://x.invalid/a.png)",
        "[link](javascript:alert(1))",
        "$\\frac{1}{0}$ :red[text] `code`",
        '=HYPERLINK("http://x.invalid","a")',
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "-1+1",
        "NA",
        "null",
        "NaN",
        "None",
        "TRUE",
        "1e5",
        "007",
        "…,;|'\"",
        "\u0645\u0631\u062d\u0628\u0627 \u200f x",
        "👩\u200d👩\u200d👧",
        "a\u00a0b",
        "x" * 500,
    ],
)
def test_names_are_kept_verbatim(ingested, as_dict, written, name):
    name = name.strip()
    data = written([(name, 5), ("other", 3)], ",", "utf-8", "\n")
    assert as_dict(ingested(data)) == {name: 5, "other": 3}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\nb", "a b"),
        ("a\tb", "a b"),
        ("a \r\n\r\n b", "a   b"),
        ("a\x1b[31mb", "a[31mb"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("\ufeffa", "a"),
        ("a\x7f\x9fb", "ab"),
        ("a\u2028b", "a b"),
    ],
)
def test_what_garbles_a_line_is_removed(ingested, as_dict, written, raw, clean):
    data = written([(raw, 5), ("other", 3)], ",", "utf-8", "\n")
    result = ingested(data)
    assert as_dict(result) == {clean: 5, "other": 3}
    assert result.report.names_cleaned == 1


@pytest.mark.parametrize("cell", ["5", " 5 ", "+5", "005", "5.0", "5.", "5.000000", '"5"'])
def test_whole_numbers(ingested, as_dict, cell):
    assert as_dict(ingested(f"item,count\na,{cell}\nb,3\n".encode())) == {"a": 5, "b": 3}


def test_the_largest_count(ingested):
    data = b"item,count\na,9007199254740992\nb,00000000000000000000009007199254740992.0\n"
    assert ingested(data).counts.counts.tolist() == [2**53, 2**53]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("", "the count is missing"),
        ("  ", "the count is missing"),
        ("null", "stands for a missing count"),
        ("-", "stands for a missing count"),
        ("NaN", "stands for a missing count"),
        ("-1", "is negative"),
        ("−1", "is negative"),
        ("(5)", "is negative"),
        ("-0.5", "is negative"),
        ("0.5", "is not a whole number"),
        (".5", "is not a whole number"),
        ("12,5", "is not a whole number"),
        ("5.000", "may have a thousands separator"),
        ("1 234", "may have a thousands separator"),
        ("1\u202f234", "may have a thousands separator"),
        ("1'234'567", "may have a thousands separator"),
        ("1.234,50", "may have a thousands separator"),
        ("-inf", "is not finite"),
        ("Infinity", "is not finite"),
        ("1E+09", "scientific notation"),
        ("9007199254740993.0", "is too large"),
        ("9" * 5_000, "is too large"),
        ("9" * 100_000 + "x", "is too large"),
        ("१२", "digits 0 to 9"),
        ("５", "digits 0 to 9"),
        ("²", "is not a number"),
        ("0x10", "is not a number"),
        ("5 users", "is not a number"),
        ("$5", "is not a number"),
        ("TRUE", "is not a number"),
        ("=1+1", "is not a number"),
    ],
)
def test_other_counts_are_refused(ingested, written, cell, words):
    data = written([("a", 5), ("b", cell), ("c", 3)], ",", "utf-8", "\n")
    with pytest.raises(IngestError, match=f'Row 3, column "count": .*({words})'):
        ingested(data)
