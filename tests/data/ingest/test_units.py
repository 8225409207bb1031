"""Test the guessed units of counts, and the unit that a guarantee then protects."""

import re

import pytest

from dptopk.data.ingest import (
    ANSWERS,
    KINDS,
    Ambiguity,
    Contribution,
    checked_unit,
    read_table,
    to_item_counts,
    unit_of,
)


@pytest.mark.parametrize(
    ("header", "contribution", "unit"),
    [
        ("Total_Likes", Contribution.ASSUMED, "likes"),
        ("count", Contribution.ASSUMED, "users"),
        ("", Contribution.SEVERAL, "events"),  # rows were counted
        ("qty", Contribution.SEVERAL, "units of qty"),  # a row may hold many
        ("qty <b>", Contribution.SEVERAL, "units"),
        ("qty", Contribution.ASSUMED, "users"),
        ("Ausleihen", Contribution.ASSUMED, "Ausleihen"),
        ("Total Loans", Contribution.ASSUMED, "loans"),
        ("number of class", Contribution.ASSUMED, "users"),
        ("orders", Contribution.SEVERAL, "orders"),
        ("likes and shares", Contribution.STATED, "users"),  # which of the two is not known
        ("orders", Contribution.COUNTED, "users"),  # distinct users were counted
    ],
)
def test_the_header_of_the_counts_tells_their_unit(header, contribution, unit):
    assert unit_of(header, contribution) == unit


@pytest.mark.parametrize("text", ["", "a" * 25, "<b>", "$x$", "[a](b)", "one two three four", "1s"])
def test_a_unit_is_a_few_words_of_letters(text):
    assert checked_unit(text) is None
    assert checked_unit("  page   views ") == "page views"


def test_what_is_protected_follows_from_what_is_counted():
    assert Contribution.COUNTED.caveat("users") == ""
    assert "change each of these counts of shares by" in Contribution.ASSUMED.caveat("shares")
    several = Contribution.SEVERAL.caveat("orders")
    assert "holds for one order of each item and does not hold for a whole user" in several
    assert Contribution.SEVERAL.protects("units of qty") == "unit of qty"
    assert Contribution.SEVERAL.protects("readers") == "unit of a count"  # no promise for a reader
    for contribution in set(Contribution) - {Contribution.COUNTED}:
        assert bool(contribution.protects("likes")) is not contribution.holds
        assert "ε is m times as large" in contribution.caveat("likes")


@pytest.mark.parametrize(
    ("rows", "repeated"),
    [
        (
            "1,u1,pen\n2,u1, pen\n3,u2,pen\n4, u2,ink\n5,u2,ink\n",
            "2 rows with a user and an item of another",
        ),
        ("1,u1,pen\n2,u1,pen\n3,,pen\n4,,pen\n", "1 row with a user and an item of another"),
        ("1,u1,pen\n2,,pen\n3,,pen\n", ""),  # who is not named may be anybody
        ("1,u1,pen\n2,u2,pen\n3,u1,ink\n", ""),
    ],
)
def test_a_file_that_shows_users_in_several_rows_contradicts_who_says_otherwise(rows, repeated):
    table = read_table(f"time,user_id,item\n{rows}".encode(), "log.csv")
    report = to_item_counts(table, "item", None, user_column="user_id", rows="stated").report
    assert report.contribution is (Contribution.SEVERAL if repeated else Contribution.STATED)
    (asked,) = report.questions
    assert asked.answer == "stated"
    for said in (" ".join(report.sentences), asked.sentence):
        assert ("file itself contradicts" in said) is bool(repeated)
        assert repeated in said


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "u1,pen,3\nu2,pen,1\nu1,ink,2\n",
            "count users: it has 2 rows where one user counts more than 1.",
        ),
        ("u1,pen,3\nu2,pen,1\n", "count users: it has 1 row where one user counts more than 1."),
        (
            "u1,pen,1\nu1,pen,9\n",
            "count users: it has 1 row with a user and an item of another row and 1 row where one "
            "user counts more than 1.",
        ),
        ("u1,pen,1\n,pen,9\n", ""),  # a row of nobody may count many
        ("u1,pen,1\nu2,pen,0\n", ""),
    ],
)
def test_a_row_of_one_user_that_counts_more_contradicts_that_rows_count_users(rows, said):
    table = read_table(f"user_id,item,qty\n{rows}".encode(), "log.csv")
    report = to_item_counts(table, "item", "qty", user_column="user_id", rows="stated").report
    assert report.contribution is (Contribution.SEVERAL if said else Contribution.STATED)
    for words in (" ".join(report.sentences), report.questions[0].sentence):
        assert ("file itself contradicts" in words) is bool(said)
        assert said in words


@pytest.mark.parametrize(("key", "allowed"), ANSWERS.items())
def test_an_answer_that_is_none_is_refused_with_those_that_are(key, allowed):
    table = read_table(b"item,users,new\na,5,yes\nb,3,no\n")
    for answer in allowed:
        to_item_counts(table, 0, 1, **{key: answer})
    with pytest.raises(
        ValueError, match=f"{key} must be one of '{re.escape(allowed[0])}'.*got 'assumed'"
    ):
        to_item_counts(table, 0, 1, **{key: "assumed"})


def test_a_question_is_of_a_kind_and_offers_answers_of_it():
    assert Ambiguity("twins", "Two.", {"merge": "one"}).label == KINDS["twins"].label
    with pytest.raises(ValueError, match="key must be one of 'items', "):
        Ambiguity("twin", "Two.", {})
    with pytest.raises(ValueError, match="options must be one of 'apart', 'merge', got 'both'"):
        Ambiguity("twins", "Two.", {"both": "one"})
