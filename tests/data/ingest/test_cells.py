"""Test the cleaning of item names and the conversion of cells to counts."""

import pytest

from dptopk.data.ingest import Contribution, IngestError, UnclearError, read_table, to_item_counts


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
    assert as_dict(ingested(data, answers={"nulls": "keep"})) == {name: 5, "other": 3}


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("a\nb", "a b"),
        ("a\tb", "a b"),
        ("a \r\n\r\n b", "a   b"),
        ("a\x1b[31mb", "a[31mb"),
        ("\ufeffa", "a"),
        ("a\x7f\x9fb", "ab"),
        ("a\u2028b", "a b"),
    ],
)
def test_what_garbles_a_line_is_removed(ingested, as_dict, said, written, raw, clean):
    data = written([(raw, 5), ("other", 3)], ",", "utf-8", "\n")
    result = ingested(data)
    assert as_dict(result) == {clean: 5, "other": 3}
    assert "1 name had line breaks or control characters" in said(result)


@pytest.mark.parametrize("hidden", "\u202e\u200b\u00ad\u2066\u2060\u3164")
def test_what_cannot_be_seen_is_marked_and_said_and_merges_no_names(
    ingested, as_dict, said, written, hidden
):
    data = written([(f"ap{hidden}ple", 5), ("apple", 3)], ",", "utf-8", "\n")
    result = ingested(data)
    assert as_dict(result) == {f"ap‹U+{ord(hidden):04X}›ple": 5, "apple": 3}
    assert "1 name had invisible characters, now shown as marks" in said(result)
    assert read_table(data).preview[0] == (f"ap‹U+{ord(hidden):04X}›ple", "5")


TWINS = {
    ("Apple", "apple"): '"Apple" and "apple"',
    ("granny  smith", "Granny Smith"): '"granny  smith" and "Granny Smith"',
    ("cafe\u0301", "café"): '"cafe‹U+0301›" and "café"',
    ("pa\u200dss", "pass"): '"pa‹U+200D›ss" and "pass"',
    ("\u0430pple", "apple"): '"‹U+0430›pple" and "apple"',
    ("ap\u00adple", "apple"): '"ap‹U+00AD›ple" and "apple"',
    ("❤\ufe0f", "❤"): '"❤‹U+FE0F›" and "❤"',
    ("a\u00a0b", "a b"): '"a‹U+00A0›b" and "a b"',
}


@pytest.mark.parametrize("pair", TWINS)
def test_names_that_look_alike_are_said_and_merged_only_on_demand(ingested, as_dict, written, pair):
    data = written([(pair[0], 5), ("pear", 2), (pair[1], 8)], ",", "utf-8", "\n")
    result = ingested(data)
    assert result.counts.d == 3
    _, question = result.report.questions  # and what column "count" counts
    assert (question.key, question.answer) == ("twins", "apart")
    assert TWINS[pair] in question.sentence
    for sizes in ((5, 8), (8, 5)):  # the name is the same, whatever one user changes of them
        data = written([*zip(pair, sizes, strict=True), ("pear", 2)], ",", "utf-8", "\n")
        merged = ingested(data, answers={"twins": "merge"})
        assert as_dict(merged) == {pair[1]: 13, "pear": 2}
        assert merged.report.questions[-1].answer == "merge"


def test_every_group_of_names_that_look_alike_can_be_seen(ingested):
    pairs = [f"{name},1" for i in range(60) for name in (f"Name {i}", f"name {i}")]
    data = "\n".join(["item,users", "caf\u00e9,2", "cafe\u0301,2", *pairs])
    (question,) = ingested(data.encode()).report.questions
    assert question.sentence.startswith("61 groups of names look alike")
    assert question.found[0] == '"café", "cafe‹U+0301›"'
    assert question.found[1] == '"Name 0", "name 0"'
    assert (len(question.found), question.found[-1]) == (51, "and 11 more groups")
    assert ingested(b"item,count\na,1\nA,2\n").report.questions[-1].found == ()  # said already


LOG = "user,item\nu1,Apple\nu1,apple\nu2,Apple\nu3,pear\n"
STATED = {"rows": "stated", "twins": "merge"}


@pytest.mark.parametrize(
    ("text", "answers", "known", "counts"),
    [
        ("item,count\nApple,5\napple,3\n", {}, Contribution.ASSUMED, [5, 3]),
        ("item,count\nApple,5\napple,3\n", {"twins": "merge"}, Contribution.SEVERAL, [8]),
        (LOG, {"rows": "users", "twins": "merge"}, Contribution.COUNTED, [2, 1]),
        (LOG, STATED, Contribution.SEVERAL, [3, 1]),
        (LOG.replace("u1,apple", "u4,apple"), STATED, Contribution.STATED, [3, 1]),
        (LOG.replace("u1,apple", ",apple"), STATED, Contribution.SEVERAL, [3, 1]),
    ],
)
def test_no_promise_for_a_user_is_kept_where_merged_names_may_share_users(
    ingested, said, text, answers, known, counts
):
    result = ingested(text.encode(), answers=answers)
    assert result.report.contribution is known
    assert result.counts.counts.tolist() == counts
    twice = "once" if known is Contribution.COUNTED else "twice"
    merged = f"They were merged; a user who is in both counts {twice}."
    assert (merged in said(result)) == ("twins" in answers)
    (twins,) = (asked for asked in result.report.questions if asked.key == "twins")
    assert twins.options["merge"].endswith(twice)


def test_rows_of_one_name_are_said_to_count_a_user_again(ingested, as_dict, said):
    trimmed = ingested(b'item,count\nEmma,900\n" Emma ",650\n', answers={"rows": "stated"})
    assert as_dict(trimmed) == {"Emma": 1550}
    assert "a user in two rows of a name counts twice" in said(trimmed)
    with pytest.raises(UnclearError, match="seems to name users"):  # of them it can be told
        ingested(b"user,item\nu1,Emma\nu1, Emma\nu2,Nora\n")


def test_names_that_differ_visibly_are_no_twins(ingested):
    names = ["a b", "ab", "é", "e", "сон", "сын", "x1", "xl"]
    data = "\n".join(["item,users", *(f"{name},{i + 1}" for i, name in enumerate(names))])
    assert ingested(data.encode()).report.questions == ()


@pytest.mark.parametrize("cell", ["5", " 5 ", "+5", "005", "5.0", "5.", "5.000000", '"5"'])
def test_whole_numbers(ingested, as_dict, cell):
    assert as_dict(ingested(f"item,count\na,{cell}\nb,3\n".encode())) == {"a": 5, "b": 3}


def test_the_largest_count(ingested):
    data = b"item,count\na,9007199254740992\nb,00000000000000000000009007199254740992.0\n"
    assert ingested(data).counts.counts.tolist() == [2**53, 2**53]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        *((cell, "the count is missing") for cell in ("", "  ")),
        *((cell, "stands for a missing count") for cell in ("null", "-", "NaN")),
        *((cell, "is negative") for cell in ("-1", "−1", "(5)", "-0.5")),
        *((cell, "is not a whole number") for cell in ("0.5", ".5", "12,5", "0,123", "1e-3")),
        *((cell, "may have a thousands separator") for cell in ("5.000", "1,234")),
        *((cell, "is not a number") for cell in ("1,23,45", "12 34", "1e", "²", "0x10")),
        *((cell, "is not a number") for cell in ("5 users", "$5", "TRUE", "=1+1")),
        *((cell, "is too large") for cell in ("1E+19", "9007199254740993.0", "9" * 5_000)),
        *((cell, "digits 0 to 9") for cell in ("१२", "５")),
        ("1.234,50", "is not a whole number"),
        ("-inf", "is not finite"),
        ("Infinity", "is not finite"),
        ("9" * 100_000 + "x", "is too large"),
    ],
)
def test_other_counts_are_refused(ingested, written, cell, words):
    data = written([("a", 5), ("b", cell), ("c", 3)], ",", "utf-8", "\n")
    with pytest.raises(IngestError, match=f'Row 3, column "count": .*({words})'):
        ingested(data)


@pytest.mark.parametrize(
    ("cells", "counts"),
    [
        (["1 234", "1\u202f234\u202f567"], [1234, 1234567]),
        (["1'234", "12’345"], [1234, 12345]),
        (["1_000", "7"], [1000, 7]),
        (["1,234,567", "1,234"], [1234567, 1234]),
        (["1.234.567", "1.234"], [1234567, 1234]),
        (["12,34,567", "1,234"], [1234567, 1234]),
        (["1.234,00", "1.234"], [1234, 1234]),
        (["1,234.0", "12,345"], [1234, 12345]),
        (["1e5", "2.5E+3"], [100000, 2500]),
        (["5.0", "7"], [5, 7]),
    ],
)
def test_separators_with_one_reading(ingested, said, written, cells, counts):
    result = ingested(written(zip("ab", cells, strict=True), ";", "utf-8", "\n"))
    assert result.counts.counts.tolist() == counts
    assert not any(question.needed for question in result.report.questions)
    assert "thousands separators" in said(result) or cells[0] in ("1e5", "5.0")


@pytest.mark.parametrize(("decimal", "counts"), [(",", [12345, 42]), (".", [12, 42])])
def test_a_mark_with_two_readings_is_asked(ingested, written, decimal, counts):
    data = written([("a", "12.345"), ("b", "42")], ";", "utf-8", "\n")
    with pytest.raises(
        UnclearError, match=r'"12\.345" may have a thousands separator or a decimal'
    ):
        ingested(data)
    result = ingested(data, answers={"decimal": decimal, "rounding": "nearest"})
    assert result.counts.counts.tolist() == counts


@pytest.mark.parametrize(
    ("rounding", "counts", "change"), [("nearest", [3, 1, 7], "+1"), ("down", [2, 0, 7], "-1")]
)
def test_decimals_are_rounded_on_demand_and_what_changes_is_said(
    ingested, said, written, rounding, counts, change
):
    data = written([("a", "2.5"), ("b", "0.5"), ("c", "7")], ",", "utf-8", "\n")
    with pytest.raises(UnclearError, match=r'"2\.5" is not a whole number \(1 more like it\)'):
        ingested(data)
    result = ingested(data, answers={"rounding": rounding})
    assert result.counts.counts.tolist() == counts
    assert f"their sum changes by {change}." in said(result)


def test_a_column_is_written_one_way(ingested, written):
    data = written([("a", "1,234.5"), ("b", "1.234,5"), ("c", "2,000.5")], ";", "utf-8", "\n")
    with pytest.raises(IngestError, match=r'"1\.234,5" uses the comma, unlike the rest'):
        ingested(data)


def test_a_fault_in_the_only_column_speaks_of_no_other(refusal):
    for content, asked in (
        ("count\n100\n90\nabc\n", "write the count in digits"),
        ("100\n90\n12.5\n", "or write whole numbers"),
    ):
        table = read_table(content.encode(), "counts.txt")
        said = refusal(lambda table: to_item_counts(table, None, 0), table)
        assert asked in said
        assert "choose" not in said


def test_merged_names_take_that_on_the_list(ingested, as_dict):
    data = b"who,what\nann,HAY FEVER\nbob,hay fever\nann,Gout\n"
    answers = {"twins": "merge", "listed": ("Hay fever", "Gout"), "rows": "users"}
    assert as_dict(ingested(data, answers=answers)) == {"Hay fever": 2, "Gout": 1}
