"""Test which mechanism is called best, by exact numbers and by intervals."""

import math
import re

import pandas as pd
import pytest
from summarized_errors import summarized

from dptopk import (
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    exact_error,
    summarize,
)
from dptopk.core.errors import METRICS
from dptopk.core.estimate import Estimate
from dptopk.questions.errors import metric_for_people
from dptopk.simulation.post_stratified import known_right
from dptopk.simulation.trials import run_trials
from dptopk.ui import formats
from dptopk.ui.sentences import base, leaders

LINF = METRICS["linf"]
COUNTS = ItemCounts([40, 31, 25, 17, 8, 3])


ENDS = ("", "_low", "_high")


def known(**rows) -> pd.DataFrame:
    """Rows by name: kind, median with its interval, probability of the exact set likewise.

    A median without an interval is exact, and so is a probability.
    """
    return pd.DataFrame(
        [
            {"mechanism": name, "kind": kind, "n": 250, "said": formats.share(right[0])}
            | {"settled": len(median) == 1}
            | {"right_exact": len(right) == 1, "right_certain": False}
            | {f"median{end}": median[i % len(median)] for i, end in enumerate(ENDS)}
            | {f"exact_set{end}": right[i % len(right)] for i, end in enumerate(ENDS)}
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


def test_who_cannot_be_told_apart_shares_the_mark_also_where_that_is_everybody():
    close = ROWS.assign(median_low=[4, 5, 4.5])
    three = pd.concat([close.iloc[:2], ROWS.iloc[[1]].assign(mechanism="D")])
    assert leaders.marks(three, "median", more=False, by_kind=False) == dict.fromkeys(
        "AB", leaders.AMONG
    )
    alike = leaders.marks(ROWS.iloc[:2], "exact_set", more=True, by_kind=False)
    assert alike == dict.fromkeys("AB", leaders.AMONG)
    assert leaders.marks(ROWS.iloc[:1], "exact_set", more=True, by_kind=False) == {}


def test_the_finding_ranks_kinds_apart_where_the_measure_sees_the_order():
    found = leaders.finding(ROWS, LINF, 10)
    assert found == (
        "Most likely to release exactly the true top 10, in any order: C (90.0%). "
        "Smallest median maximum error (ℓ∞): in order A (5 users); as a set only C (1 user)."
    )
    together = leaders.finding(ROWS, METRICS["k_relative"], 10)
    assert together.endswith("Smallest median k-relative error: C (1 user).")
    for key in ("linf_index", "signed_index"):
        places = leaders.finding(ROWS, metric_for_people(METRICS[key]), 10)
        assert places == (
            "Most likely to release exactly the true top 10, in any order: C (90.0%). "
            "Shown: the median "
            f"{METRICS[key].title}. {base.NO_RANKS}"
        )
    alone = leaders.finding(ROWS.iloc[:1], LINF, 10)
    assert alone == "Only A is chosen: choose others to compare."


def test_who_cannot_err_is_certain_and_not_only_practically():
    rows = known(A=(ORDERED, (0,), (1.0,)), B=(ORDERED, (0,), (1.0,))).assign(said="100%")
    everybody = leaders.finding(rows.assign(right_certain=True), LINF, 10)
    assert everybody.startswith("Certain to release exactly the true top 10, in any order: A and B")
    assert leaders.finding(rows.assign(right_certain=[True, False]), LINF, 10).startswith("Prac")


FIRST = "Practically certain to release exactly the true top 10, in any order: "


def test_the_number_of_the_best_is_not_printed_as_that_of_everyone():
    rows = known(
        A=(ORDERED, (0,), (1.0,)),
        B=(ORDERED, (0,), (1 - 1.6e-16,)),  # a float calls it as certain, or more
        P=(ORDERED, (3, 0, 3), (1.0, 0.985, 1.0)),
    ).assign(said=["> 99.9999%", "> 99.9999%", "100% [98.5%, 100%]"])
    assert leaders.finding(rows, LINF, 10) == (
        f"{FIRST}A and B (> 99.9999%, exact; 250 runs cannot distinguish P from them). "
        "Smallest median maximum error (ℓ∞): A and B (0 users, exact; 250 runs cannot distinguish "
        "P from them)."
    )
    for column, more in (("exact_set", True), ("median", False)):
        assert leaders.marks(rows, column, more, False) == dict.fromkeys("ABP", leaders.AMONG)
    simulated = known(
        A=(ORDERED, (3, 1, 5), (0.9, 0.8, 0.95)),
        B=(ORDERED, (4, 2, 6), (0.85, 0.75, 0.9)),
        C=(ORDERED, (3, 1, 6), (0.9, 0.8, 0.95)),
    )
    assert leaders.finding(simulated, LINF, 10) == (
        "Most likely to release exactly the true top 10, in any order: A and C (90.0%; 250 "
        "runs cannot distinguish B "
        "from them). Smallest median maximum error (ℓ∞): A and C (3 users; 250 runs cannot "
        "distinguish B from them)."
    )
    assert leaders.finding(simulated.iloc[[0, 2]], LINF, 10).endswith(
        "A and C (3 users; 250 runs cannot distinguish them)."
    )


def test_the_headline_names_all_that_are_practically_certain():
    certain = dict.fromkeys("ABCDE", (ORDERED, (0,), (1.0,)))
    others = dict.fromkeys("PQR", (SET, (9,), (0.2,)))
    found = leaders.finding(known(**certain, **others), METRICS["k_relative"], 10)
    assert found.startswith(f"{FIRST}A, B, C, D and E (")
    assert " of 8" not in found


@pytest.mark.parametrize("rest", [3.2e-16, 9e-7, math.nan])
def test_nobody_is_praised_for_less_than_a_millionth(rest):
    """Complements as an exact law gives them, or does not: all are practically certain."""
    mechanisms = (InverseSensitivitySet(3, 0.2), JointSet(3, 0.2))
    summary = summarize(run_trials(COUNTS, mechanisms, 50, seed=0), "linf")
    rests = (rest, 1.6e-16)
    shares = {
        m.label: {
            "exact_set": Estimate.of_logs(0.0 if math.isnan(x) else math.log1p(-x), math.log(x))
        }
        for m, x in zip(mechanisms, rests, strict=True)
    }
    rows = leaders.best_known(summarized(summary, {}, shares, mechanisms))
    for column in ("exact_set", "items_right"):
        marks = leaders.marks(rows, column, more=True, by_kind=False)
        assert set(marks.values()) == {leaders.AMONG}, column
    both = f"{FIRST}Inverse sensitivity and Joint set (> 99.9999%, exact). "
    assert leaders.finding(rows, LINF, 10).startswith(both)


def test_nobody_is_praised_for_a_set_that_hardly_ever_comes_out():
    means, low, high = [3.0, 8.51, 5.0], [2.9, 8.2, 4.8], [3.1, 8.7, 5.2]
    items = {"items_right": means, "items_right_low": low, "items_right_high": high}
    rows = ROWS.assign(exact_set=1e-4, exact_set_low=1e-4, said="1.0e-4", **items)
    found = leaders.finding(rows, LINF, 10)
    assert found.startswith(
        "No mechanism recovers the exact top 10 in 5% of releases or more. Closest on average: B "
        "(8.51 of 10 right). Smallest median"
    )


def test_the_best_at_a_budget_is_likeliest_right_or_where_none_is_errs_least():
    assert leaders.best(ROWS, LINF) == leaders.Best(("C",))
    exact = known(A=(ORDERED, (5,), (0.3,)), B=(ORDERED, (9,), (0.3,)), C=(SET, (1,), (0.1,)))
    assert leaders.best(exact, LINF) == leaders.Best(("A", "B"))
    rare = known(A=(ORDERED, (5, 4, 6), (0.01,)), B=(ORDERED, (9,), (0.03,)))
    assert leaders.best(rare, LINF) == leaders.Best(("A",), "median maximum error (ℓ∞): 5 users")
    sets = known(A=(ORDERED, (5,), (0.01,)), C=(SET, (1,), (0.0,)))
    assert leaders.best(sets, LINF).labels == ("C",)
    assert leaders.best(sets, LINF).error.endswith("a set has no errors of order")


def test_more_items_right_are_better_in_the_finding():
    assert leaders.finding(ROWS, METRICS["items_right"], 10).endswith(
        "Most items right: B (9 items)."
    )


def test_exact_numbers_stand_in_place_of_simulated_ones():
    mechanisms = (InverseSensitivitySet(3, 0.2), Joint(3, 0.2), CDPPeel(3, 0.2, 1e-6))
    summary = summarize(run_trials(COUNTS, mechanisms, 50, seed=0), "signed_max")
    law = exact_error(COUNTS, mechanisms[1], "signed_max")
    chance = Estimate.of_logs(math.log(0.4), math.log(0.6))
    laws, shares = {"Joint": law}, {"Joint": {"exact_set": chance}}
    rows = leaders.best_known(summarized(summary, laws, shares, mechanisms))
    assert rows["mechanism"].tolist() == ["Joint", "CDP-Peel", "Inverse sensitivity"]
    joint, peel, _ = rows.to_dict("records")
    assert joint["median"] == joint["median_low"] == joint["median_high"] == law.quantile(0.5)
    assert joint["exact_set_low"] == joint["exact_set_high"] == pytest.approx(0.4)
    assert joint["said"] == "40.0%"
    assert (joint["settled"], peel["settled"]) == (True, False)
    assert (joint["right_exact"], peel["right_exact"]) == (True, False)
    assert re.fullmatch(r"\S+% \[\S+%, \S+%\]", peel["said"])  # the runs alone know it
    own = summary.set_index("mechanism").loc["CDP-Peel"]
    assert peel["median_low"] == own["median_low"]


def test_a_chance_of_no_error_settles_whether_the_median_is_0():
    """In order 0.8 and 0.45: these medians are 0 and not, whatever so few runs gave."""
    mechanisms = (Joint(3, 0.2), CDPPeel(3, 0.2, 1e-6))
    chances = {
        m.label: {"exact_sequence": Estimate.of_logs(math.log(p), math.log1p(-p))}
        for m, p in zip(mechanisms, (0.8, 0.45), strict=True)
    }
    trials = run_trials(COUNTS, mechanisms, 50, seed=0)
    rights = {m: known_right(COUNTS, m, "linf", chances[m.label]) for m in mechanisms}
    known = summarized(summarize(trials, "linf", rights), {}, chances, mechanisms)
    rows = leaders.best_known(known)
    ends = rows.set_index("mechanism")[["median_low", "median", "median_high"]]
    assert ends.loc["Joint"].tolist() == [0, 0, 0]
    assert (ends.loc["CDP-Peel"] > 0).all()
    assert rows["settled"].tolist() == [True, False]
    smallest = "Smallest median maximum error (ℓ∞): Joint (0 users, exact)"
    assert leaders.best_median(rows, LINF) == smallest
    assert leaders.marks(rows, "median", False, True) == {"Joint": leaders.ONE}
    joint, peel = base.medians(known)
    assert (joint.value, joint.kind) == ("0", "median, exact")
    assert "0 to" not in peel.kind


def test_of_many_mechanisms_those_ahead_are_counted_and_few_are_named():
    ahead = dict.fromkeys("ABCDEF", (ORDERED, (0,), (1.0,)))
    others = dict.fromkeys("PQR", (SET, (9,), (0.2,)))
    perhaps = {"X": (SET, (9, 0, 9), (1.0, 0.985, 1.0))}
    found = leaders.finding(known(**ahead, **others, **perhaps), METRICS["k_relative"], 10)
    assert found.startswith(f"{FIRST}6 of 10 (")
    assert "; 250 runs cannot distinguish X from them). Smallest median" in found
    few = dict.fromkeys("AB", (ORDERED, (0,), (1.0,)))
    rest = dict.fromkeys("PQRSTUV", (SET, (9,), (0.2,)))
    found = leaders.finding(known(**few, **rest), METRICS["k_relative"], 10)
    assert found.startswith(f"{FIRST}A and B (")
