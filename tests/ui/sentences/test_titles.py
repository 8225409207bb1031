"""Test the titles of pages against results made by hand."""

import numpy as np
import pandas as pd
import pytest

from dptopk import CDPPeel, ItemCounts, Joint
from dptopk.core.errors import METRICS
from dptopk.core.outputs import SEQUENCE, OutputKind
from dptopk.core.placements import Placement
from dptopk.questions.errors import metric_for_people
from dptopk.ui.sentences import titles

LINF = METRICS["linf"]
APART = ItemCounts(range(21, 0, -1))  # the 10th is 12; a guess of 10 gets about 5 right
RIGHT, MOVED = Placement.RIGHT, Placement.MOVED


@pytest.mark.parametrize(
    ("placed", "said"),  # by letters: in the right place, or moved
    [
        ({"A": "rm"}, "A puts 1 of 2 names in the right place"),
        ({"A": "rr", "B": "rr"}, "A and B put 2 of 2 names each in the right place"),
        (dict.fromkeys("ABCD", "r"), "All 4 put 1 of 1 name each in the right place"),
        ({"A": "mm", "B": "rm", "C": "rm"}, "B and C put 1 of 2 names in the right place, A 0"),
        ({"A": "mm", "B": "rr", "C": "rm"}, "B puts 2 of 2 names in the right place, the oth"),
    ],
)
def test_a_release_is_named_by_its_right_places(placed, said):
    marks = {"r": RIGHT, "m": MOVED}
    found = {label: np.array([marks[letter] for letter in row]) for label, row in placed.items()}
    assert titles.release(found, dict.fromkeys(placed, SEQUENCE)).startswith(said)


def test_a_set_has_no_places():
    found = titles.release({"A": np.array([RIGHT, RIGHT, MOVED])}, {"A": OutputKind(ordered=False)})
    assert found == "A puts 2 of 3 names right"


def known(**medians) -> pd.DataFrame:
    """Medians with their intervals, each (median, low, high)."""
    return pd.DataFrame(
        [
            {"mechanism": label, "median": m, "median_low": low, "median_high": high}
            for label, (m, low, high) in medians.items()
        ]
    ).assign(kind="in order", items_right=8.0)


LEAST = "Smallest median maximum error: "
ALIKE = f"{LEAST}none is shown to be ahead"  # by this measure, maybe by another


@pytest.mark.parametrize(
    ("medians", "said"),
    [
        ({"A": (3, 2, 4), "B": (9, 8, 10)}, f"{LEAST}A 3 users, B 9"),
        ({"A": (3, 2, 9), "B": (9, 8, 10)}, ALIKE),
        ({"A": (3, 2, 4), "B": (4, 3, 5), "C": (9, 8, 10)}, f"{LEAST}A and B 3 to 4 users, C 9"),
        ({"A": (3, 2, 4), "B": (9, 8, 10), "C": (7, 6, 8)}, f"{LEAST}A 3 users, the others 7 to 9"),
        ({"A": (3, 2, 4)}, "Median maximum error: 3 users, by A"),
    ],
)
def test_only_what_intervals_part_is_most_accurate(medians, said):
    assert titles.most_accurate(known(**medians), LINF, 10, APART) == said


@pytest.mark.parametrize(("place", "said"), [(0.0, "0 (no error)"), (3.0, "3")])
def test_a_place_has_no_unit(place, said):
    """It is "place, from 1; 0: no error" in tables."""
    metric = metric_for_people(METRICS["linf_index"])
    found = titles.most_accurate(known(A=(place, 0, 4), B=(9, 8, 10)), metric, 10, APART)
    assert found == f"Median place of the maximum: {said}, by A"


def test_a_best_that_gets_few_items_right_is_said_to():
    few = known(A=(3, 2, 4), B=(9, 8, 10)).assign(items_right=[4.488, 11.2])
    many = ItemCounts(range(5_000, 0, -1))
    said = titles.most_accurate(few, LINF, 50, many)
    assert said == f"{LEAST}A 3 users, but only 4.5 of 50 items right; B 11 of 50"
    of_items = titles.most_accurate(few, METRICS["items_right"], 50, many)
    assert of_items.startswith("Most items right: B")


ONE, HALF = {"A": (3, 2, 4)}, "Half of A's releases "


@pytest.mark.parametrize(
    ("medians", "key", "said"),
    [
        (ONE, "linf", f"{HALF}name only items within 3 users of the true ones, 25% of"),
        (ONE, "signed_max", f"{HALF}err by at most 3 users, 25% of the count at"),
        (ONE, "l1", f"{HALF}err by at most 3 users"),
        (dict.fromkeys("AB", (0, 0, 0)), "linf", "At least half of the releases of A and "),
        ({"A": (9, 9, 9), "B": (3, 2, 4)}, "items_right", f"{HALF}have at least 9 items right"),
        (ONE, "kendall", f"{HALF}have a Kendall tau distance of at most 3"),
        ({"A": (3, 2, 4), "B": (4, 3, 5)}, "linf", ALIKE),
    ],
)
def test_an_error_is_compared_with_the_last_count(medians, key, said):
    found = titles.typical_error(known(**medians), METRICS[key], 10, APART)
    assert found.startswith(said)
    assert ("%" in found) == ("25%" in said)
    assert "%" not in titles.typical_error(
        known(**medians), METRICS[key], 10, ItemCounts([9, *[0] * 99])
    )


def test_a_set_is_not_ranked_with_sequences_by_what_sees_the_order():
    frame = known(A=(3, 2, 4), B=(9, 8, 10), C=(0, 0, 0))
    frame.loc[2, "kind"] = "as a set"
    assert titles.most_accurate(frame, METRICS["l1"], 10, APART).startswith(
        "Smallest median total error among"
    )


def swept(over: str, leaders: dict[float, str], k: int = 0, **right: float) -> pd.DataFrame:
    """Medians of A and B, 1 of who leads and 2 of the other, with the items right of each."""
    return pd.DataFrame(
        [
            {
                over: value,
                "mechanism": label,
                **dict.fromkeys(("median", "median_low", "median_high"), 2 - (label in led)),
                "k": k or value,
                "items_right": right.get(label, k or value),
            }
            for value, led in leaders.items()
            for label in "AB"
        ]
    )


MANY = ItemCounts(range(5_000, 0, -1))
OVER_K = f"{LEAST[:-2]} at ε = 0.1: "


@pytest.mark.parametrize(
    ("current", "said"),
    [
        (20, "A at k = 5 to 10, B at 30 to 50, others or unclear elsewhere"),  # at 20 none is shown
        (60, "B at k = 30 to 50, A at 60, others or unclear elsewhere"),
        (5, "A at k = 5 to 10, B at 30 to 50, others or unclear elsewhere"),
    ],
)
def test_the_range_of_the_setting_and_the_longest_are_named_in_their_order(current, said):
    leaders = {1: "AB", 5: "A", 10: "A", 20: "AB", 30: "B", 40: "B", 50: "B", 60: "A"}
    rows = swept("k", leaders)
    found = titles.over_values(rows, "k", LINF, (), current, MANY, "ε = 0.1")
    assert found == f"{OVER_K}{said}"


def test_who_gets_few_items_right_is_no_best_of_a_sweep():
    """By the same rule as in the map: closer to k than a guess."""
    rows = swept("k", {1: "AB", 5: "A", 10: "B", 30: "A", 40: "A"}, A=14, B=14)
    found = titles.over_values(rows, "k", LINF, (), 5, MANY, "ε = 0.1")
    said = "A at k = 5, B at 10; even the best is near guessing at 30 to 40"
    assert found == f"{OVER_K}{said}"
    none = titles.over_values(rows[rows["k"] > 10], "k", LINF, (), 30, MANY, "ε = 0.1")
    assert none == "At ε = 0.1, even the best is near guessing at k = 30 to 40"
    ties = titles.over_values(rows[rows["k"] == 1], "k", LINF, (), 1, MANY, "ε = 0.1")
    assert ties == "At ε = 0.1, no mechanism is shown to be best at any k"


def test_a_leader_with_two_ranges_is_named_once():
    """And a number of items read is a number."""
    rows = swept("k_bar", {8: "A", 9: "AB", 10: "AB", 15: "A", 300: "A"}, k=8)
    asked = ("k_bar", LINF, (), 8, MANY, "k = 8, ε = 0.1")
    found = titles.over_values(rows, *asked)
    said = "k = 8, ε = 0.1: A at items read = 8, A at 15 to 300, unclear elsewhere"
    assert found == f"Smallest median maximum error at {said}"
    alone = titles.over_values(rows[rows["mechanism"] == "A"], *asked)
    assert alone == "Median maximum error at each number of items read"


@pytest.mark.parametrize(
    ("counts", "k", "said"),
    [
        ([9, 9, 5], 2, "Places 2 and 3 are 4 users apart; 2 of the top 2 tie"),
        ([9, 9, 9, 5, 4], 4, "Places 4 and 5 are 1 user apart; 3 of the top 4 tie"),
        ([9, 9, 9, 5, 5, 3], 5, "2 users apart; 5 of the top 5 tie with another"),
        ([9, 7, 4, 4], 3, "Places 3 and 4 tie; the smallest gap in the top 3 is 2, after place 1"),
        ([9, 7, 4], 2, "3 users apart; the smallest gap in the top 2 is 2, after place 1"),
        ([9, 7], 1, "The first two items are 2 users apart"),
        ([9], 1, "There is one item, so there are no gaps"),
        ([9, 7], 2, "All 2 items are released; the smallest gap is 2 users"),
    ],
)
def test_the_gap_after_the_last_place_and_the_smallest(counts, k, said):
    assert titles.gaps(ItemCounts(counts).sorted, k, "users").endswith(said)


BY = "changes probabilities by a factor up to "
POSSIBLE = "makes an output possible that was impossible"


@pytest.mark.parametrize(
    ("mechanism", "loss", "said"),
    [
        (Joint(1, 1.0), 0.5, f"{BY}1.65; promised: 2.72"),
        (Joint(1, 6.95), 6.93, f"{BY}1,020; promised: 1,040"),
        (Joint(1, 10.0), 9.5, f"{BY}e^9.5; promised: e^10"),
        (CDPPeel(1, 1.0, 1e-6), np.inf, f"{POSSIBLE}; promised: 2.72 and δ = 1e-6"),
    ],
)
def test_one_user_changes_a_probability_by_a_factor_beside_that_promised(mechanism, loss, said):
    found = titles.one_user(mechanism, loss, named=True).replace("\u2060", "")
    assert found == f"Under {mechanism.label}, one user {said}"
    assert titles.one_user(mechanism, loss, named=False).startswith("One user ")


def test_equal_numbers_are_named_once():
    assert titles.apart({"A": (0.11, "0.1"), "B": (0.1, "0.1")}) == "0.1"
    found = titles.apart({"A": (0.2, "0.2"), "B": (np.inf, "∞"), "C": (0.1, "0.1")})
    assert found == "from 0.1 (C) to ∞ (B)"
