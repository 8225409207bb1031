"""Who is called best: by exact numbers, by intervals, and never across kinds in silence."""

import math

import pandas as pd
import pytest

from dptopk import CDPPeel, InverseSensitivitySet, ItemCounts, Joint, exact_error, summarize
from dptopk.errors import METRICS
from dptopk.exact import Chance
from dptopk.trials import run_trials
from dptopk.ui import leaders

LINF = METRICS["linf"]
COUNTS = ItemCounts([40, 31, 25, 17, 8, 3])


def known(**rows) -> pd.DataFrame:
    """Rows by name: kind, median with its interval, probability of the exact set likewise."""
    return pd.DataFrame(
        [
            {"mechanism": name, "kind": kind, "said": f"{right[0]:.0%}"}
            | dict(zip(("median", "median_low", "median_high"), median, strict=True))
            | dict(zip(("exact_set", "exact_set_low", "exact_set_high"), right, strict=True))
            for name, (kind, median, right) in rows.items()
        ]
    )


ORDERED, SET = "in order", "as a set"
ROWS = known(
    A=(ORDERED, (5, 4, 6), (0.2, 0.1, 0.3)),
    B=(ORDERED, (9, 8, 10), (0.2, 0.2, 0.2)),
    C=(SET, (1, 1, 1), (0.9, 0.8, 0.95)),
)


def test_marks_go_to_the_best_of_each_kind_or_of_all():
    assert leaders.marks(ROWS, "median", more=False, by_kind=False) == {"C": leaders.ONE}
    assert leaders.marks(ROWS, "median", more=False, by_kind=True) == {"A": leaders.ONE}
    assert leaders.marks(ROWS, "exact_set", more=True, by_kind=False) == {"C": leaders.ONE}


def test_who_cannot_be_told_apart_shares_the_mark_and_all_alike_have_none():
    close = ROWS.assign(median_low=[4, 5, 4.5])
    three = pd.concat([close.iloc[:2], ROWS.iloc[[1]].assign(mechanism="D")])
    assert leaders.marks(three, "median", more=False, by_kind=False) == dict.fromkeys(
        "AB", leaders.AMONG
    )
    assert leaders.marks(ROWS.iloc[:2], "exact_set", more=True, by_kind=False) == {}


def test_the_finding_ranks_kinds_apart_where_the_measure_sees_the_order():
    found = leaders.finding(ROWS, LINF, 10)
    assert found == (
        "Most often exactly the right 10, in any order: C (90%). "
        "Smallest median ℓ∞ error: in order A (5 users); as a set C (1 user)."
    )
    together = leaders.finding(ROWS, METRICS["k_relative"], 10)
    assert together.endswith("Smallest median k-relative error: C (1 user).")
    places = leaders.finding(ROWS, METRICS["linf_index"], 10)
    assert places == "Most often exactly the right 10, in any order: C (90%)."
    alone = leaders.finding(ROWS.iloc[:1], LINF, 10)
    assert alone == "Only A is chosen: choose others to compare."


def test_nobody_is_praised_for_a_set_that_hardly_ever_comes_out():
    means, low, high = [3.0, 8.51, 5.0], [2.9, 8.2, 4.8], [3.1, 8.7, 5.2]
    items = {"items_right": means, "items_right_low": low, "items_right_high": high}
    rows = ROWS.assign(exact_set=1e-4, exact_set_low=1e-4, said="0.01%, exact", **items)
    found = leaders.finding(rows, LINF, 10)
    assert found.startswith(
        "Hardly ever exactly the right 10, whoever draws. Most of them right on average: B "
        "(8.51 of 10). Smallest median"
    )


def test_more_items_right_are_better_in_the_finding():
    assert leaders.finding(ROWS, METRICS["items_right"], 10).endswith(
        "Most items right: B (9 items)."
    )


def test_exact_numbers_stand_in_place_of_simulated_ones():
    mechanisms = (InverseSensitivitySet(3, 0.2), Joint(3, 0.2), CDPPeel(3, 0.2, 1e-6))
    summary = summarize(run_trials(COUNTS, mechanisms, 50, seed=0), "signed_max")
    law = exact_error(mechanisms[1], COUNTS, "signed_max")
    chance = Chance(math.log(0.4), math.log(0.6))
    laws, shares = {"Joint": law}, {"Joint": {"exact_set": chance}}
    rows = leaders.best_known(summary, mechanisms, laws, shares)
    assert rows["mechanism"].tolist() == ["Joint", "CDP-Peel", "Inverse sensitivity"]
    joint, peel, _ = rows.to_dict("records")
    assert joint["median"] == joint["median_low"] == joint["median_high"] == law.quantile(0.5)
    assert joint["exact_set_low"] == joint["exact_set_high"] == pytest.approx(0.4)
    assert joint["said"] == "40.0%, exact"
    assert (joint["exact"], peel["exact"]) == (True, False)
    own = summary.set_index("mechanism").loc["CDP-Peel"]
    assert peel["median_low"] == own["median_low"]
