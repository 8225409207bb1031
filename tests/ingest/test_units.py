"""What counts are numbers of, and what a promise then protects."""

import pytest

from dptopk.ingest import Contribution, checked_unit, unit_of


@pytest.mark.parametrize(
    ("header", "contribution", "unit"),
    [
        ("Total_Likes", Contribution.ASSUMED, "likes"),
        ("count", Contribution.ASSUMED, "users"),
        ("qty", Contribution.SEVERAL, "events"),
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
    assert "an assumption on these shares" in Contribution.ASSUMED.caveat("shares")
    several = Contribution.SEVERAL.caveat("orders")
    assert "holds for one order of each item, and does not hold for one user" in several
    for contribution in set(Contribution) - {Contribution.COUNTED}:
        assert "only promised m times the ε" in contribution.caveat("likes")
