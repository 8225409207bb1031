"""Test that sentences and tiles agree with the results."""

import numpy as np
import pandas as pd
import pytest
from summarized_errors import summarized

from dptopk import (
    METRICS,
    AdaptiveK,
    CDPPeel,
    Gamma,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    LimitedDomain,
    LimitedDomainLaplace,
    NeighborRelation,
    OutputKind,
    SortedCounts,
    StableSet,
    exact_error,
    run_trials,
    summarize,
)
from dptopk.core.placements import Placement
from dptopk.laws.swap_chances import swaps
from dptopk.mechanisms.pictures import Limits
from dptopk.questions.errors import metric_for_people
from dptopk.ui.sections import how_it_chooses
from dptopk.ui.sentences import base
from dptopk.ui.sentences.gaps import (
    gap_meaning,
    threshold_meaning,
    threshold_sentences,
    ties_within,
)

LINF = METRICS["linf"]
DOUBT = ". 50 runs cannot distinguish the alternatives"
EITHER = f"Joint or PNFJoint{DOUBT}"


def summary(over="k", **medians) -> pd.DataFrame:
    """Medians of mechanisms at 1, 2, 3, ...; None where one was not run."""
    names = {"J": "Joint", "P": "PNFJoint", "C": "CDP-Peel"}
    return pd.DataFrame(
        [
            {"mechanism": names[key], over: value, "n": 50}
            | dict.fromkeys(("median", "median_low", "median_high"), median)
            for key, series in medians.items()
            for value, median in enumerate(series, 1)
            if median is not None
        ]
    )


ITEMS, RELATIVE = METRICS["items_right"], METRICS["k_relative"]


@pytest.mark.parametrize(
    ("medians", "metric", "sentence"),
    [
        ({"J": [1, 5], "C": [2, 3]}, LINF, "from k = 1: Joint; from 2: CDP-Peel."),
        ({"J": [1, 1], "C": [2, 3]}, LINF, "from k = 1: Joint."),
        ({"J": [1, 1], "C": [1, 3]}, LINF, f"from k = 1: Joint or CDP-Peel; from 2: Joint{DOUBT}."),
        ({"J": [0], "P": [0], "C": [0]}, LINF, f"from k = 1: any of the 3{DOUBT}."),
        ({"J": [2], "P": [2], "C": [3]}, LINF, f"from k = 1: {EITHER}."),
        ({"J": [3, 1, 3], "C": [2, 2, 2]}, LINF, "CDP-Peel; from 2: Joint; from 3: CDP-Peel."),
        ({"J": [7], "C": [9]}, ITEMS, "Most items right in the median: from k = 1: CDP-Peel."),
        # CDP-Peel was not run at k = 2, and nowhere at the same k as Joint
        ({"J": [5, 6], "C": [1, None]}, LINF, "from k = 1: CDP-Peel."),
        ({"J": [1, 2]}, LINF, "Only Joint is chosen: choose others to compare."),
        ({"J": [0, 2] * 5, "C": [1] * 10}, LINF, "; from 6: CDP-Peel; and so on."),
    ],
)
def test_the_leader_is_named_where_it_begins_to_lead(medians, metric, sentence):
    found = base.sweep_finding(summary(**medians), "k", metric)
    assert found.endswith(sentence)
    assert found.count("from") <= 6
    own = sentence.startswith(("Only", "Most"))
    assert own or found.startswith("Smallest median maximum error (ℓ∞): from k = 1: ")


def test_medians_that_are_known_exactly_are_alike_and_not_in_doubt():
    """As 0 is everybody's up to some k."""
    medians = summary(J=[0, 0, 0], P=[0, 0, 3], C=[0, 2, 2])
    exact = medians.assign(median_exact=medians["median"].where(medians["median"] == 0))
    assert base.sweep_finding(exact, "k", LINF) == (
        "Smallest median maximum error (ℓ∞): from k = 1: all 3 equal; from 2: "
        "Joint and PNFJoint equal; from 3: Joint."
    )


def test_many_leaders_are_counted():
    alike = pd.concat([summary(J=[0], C=[1])] + [summary(P=[0]).assign(mechanism=n) for n in "abc"])
    assert "from k = 1: one of 4. 50" in base.sweep_finding(alike, "k", LINF)
    many = {f"M{i}": [0.0, 5.0 + i, 5.0 + i, 5.0 + i] for i in range(9)}
    many["M3"][2] = 1.0
    rows = pd.concat([summary(J=series).assign(mechanism=name) for name, series in many.items()])
    found = base.sweep_finding(rows, "k", LINF)
    assert "from k = 1: any of the 9; from 2: M0; from 3: M3; from 4: M0. 50 runs" in found
    apart = base.sweep_finding(rows, "k", LINF, {f"M{i}" for i in range(5, 9)})
    assert ". Among sets: from k = 1: any of the 4; from 2: M5. 50 runs" in apart


def test_sequences_and_sets_are_ranked_apart_where_the_measure_sees_the_order():
    both = summary(J=[2, 1], P=[1, 2], C=[0, 0])
    assert base.sweep_finding(both, "k", LINF, {"CDP-Peel"}) == (
        "Smallest median maximum error (ℓ∞) among sequences: from k = 1: PNFJoint; from 2: "
        "Joint. Among sets: only CDP-Peel."
    )
    together = base.sweep_finding(both, "k", RELATIVE, {"CDP-Peel"})
    assert together == "Smallest median k-relative error: from k = 1: CDP-Peel."
    stopped = base.sweep_finding(summary(J=[2], P=[None, 1], C=[0]), "k", LINF, {"CDP-Peel"})
    assert "among sequences: too few runs so far. Among sets" in stopped


def test_how_many_items_to_read_is_said_for_each_mechanism():
    found = summary("k_bar", J=[4, 2, 9], C=[5, 5, 5])
    assert base.reading_finding(found, LINF) == (
        "Number of items read with the smallest median maximum error (ℓ∞): Joint: 2; "
        "CDP-Peel: 50 runs cannot distinguish them."
    )


def test_a_place_has_no_leader():
    found = base.sweep_finding(summary(J=[1], C=[2]), "k", METRICS["linf_index"])
    assert found == f"Median place of the maximum at each k. {base.NO_RANKS}"
    people = metric_for_people(METRICS["signed_index"])  # with the unit that pages give it
    for found in (
        base.sweep_finding(summary("epsilon", J=[1], C=[2]), "epsilon", people),
        base.reading_finding(summary("k_bar", J=[1, 2]), people),
    ):
        assert found.startswith("Median place of the signed maximum at each ")
        assert found.endswith(base.NO_RANKS)


@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize("calibration", ["paper", "optimal"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_gaps_are_compared_with_the_scale_of_a_mechanism(neighbors, calibration, delta):
    gaps = np.array([5, 95, 300, 0])
    peel = CDPPeel(4, 0.1, delta, neighbors, calibration)
    apart = swaps(peel, 900).told_apart
    small = sum(0 < gap < apart for gap in gaps)
    words = gap_meaning(peel, gaps, "likes", 900)
    assert words.startswith(f"**{peel.label}** adds Gumbel noise of scale ")
    assert f"of scale {1 / peel.local_epsilon:,.0f} likes to every count" in words
    swap = f"swap in at most 5% of releases once their counts differ by {apart:,} likes; of the"
    assert f"; if no other count is close, two items {swap} first 4" in words
    verb = "is" if small == 1 else "are"
    # the tie is not one of them
    assert words.endswith(f"of the first 4 gaps, {small} {verb} smaller, not counting ties.")
    joint = Joint(4, 0.1, neighbors)
    assert f"larger by {1 / joint.rate:,.0f} likes" in gap_meaning(joint, gaps, "likes", 900)


def test_one_gap_is_one_gap():
    for gap, words in ((3, "smaller"), (300, "not smaller")):
        said = gap_meaning(Joint(1, 0.1), np.array([gap]), "users", 2)
        assert said.endswith(f"; the first gap is {words}.")
    assert gap_meaning(Joint(1, 0.1), np.array([0]), "users", 2).endswith("; there is a tie.")


def test_noise_that_grows_with_the_number_of_items_is_told_by_it():
    found = gap_meaning(Gamma(2, 0.5), np.array([3, 150, 700]), "likes", 99)
    assert "between −R and R, with one random R of about 200 likes; " in found
    assert "; of the first 3 gaps, 2 are smaller, not counting ties" in found


@pytest.mark.parametrize(
    ("counts", "k", "ties"),
    [
        ([90, 70, 70, 5], 3, "In the top 3, 1 gap is 0."),
        ([90, 70], 1, ""),
        ([8, 8, 8, 8], 4, "In the top 4, 3 gaps are 0."),
    ],
)
def test_ties_within_the_top_are_counted(counts, k, ties):
    assert ties_within(ItemCounts(counts).sorted, k) == ties


def test_places_right_and_empty_ones_are_counted():
    marks = np.array([Placement.RIGHT, Placement.MOVED, Placement.FOREIGN, Placement.RIGHT])
    assert base.right_places(marks, OutputKind()) == "2 of 4 places right"
    marks = np.array([Placement.RIGHT, Placement.EMPTY, Placement.EMPTY])
    said = base.right_places(marks, OutputKind(ordered=False, short=True))
    assert said == "1 of 3 items right, as a set · 2 places empty (⊥)"


def test_sizes_of_data_do_not_overflow():
    assert base.size(ItemCounts(np.full(2_000, 2**53)), "likes") == (
        "2,000 items with 1 distinct count, from 9,007,199,254,740,992 to 9,007,199,254,740,992 "
        f"likes; {2_000 * 2**53:,} in all."
    )


def test_a_median_is_exact_where_the_law_is_known_and_has_its_interval_where_not():
    counts, mechanisms = ItemCounts([50, 40, 12]), [Joint(2, 0.1), CDPPeel(2, 0.1, 1e-6)]
    found = summarize(run_trials(counts, mechanisms, 40, 0), "signed_max")
    law = exact_error(counts, mechanisms[0], "signed_max")
    joint, peel = base.medians(summarized(found, {"Joint": law}, metric="signed_max"))
    assert (joint.value, joint.kind) == (f"{law.quantile(0.5):,}", "median, exact")
    row = found.set_index("mechanism").loc["CDP-Peel"]
    assert peel.value == f"{row['median']:g}"
    assert peel.kind.startswith("median, simulated (95%: ")
    assert peel.help.endswith(", in users.")


def test_limits_beyond_all_that_can_be_drawn_are_told_without_a_middle():
    start, stop = np.array([[0, 10], [10, 20]])
    shown = Limits(start, stop, np.array([0.2, 0.1]), (1,), start, np.array([[1, 2]]), "so")
    assert how_it_chooses.described(shown, []) == "L is so. Its median is above 19."


def test_odds_of_limits_near_0_and_1_claim_no_more_than_is_known():
    some = np.arange(4)
    shown = Limits(some, some + 1, np.array([1, 0, 1e-16, 0.25]), (1,), some, some[None], "so")
    assert how_it_chooses.odds_of_limits(shown) == ["> 99.9999%", "< 1e-6", "< 1e-6", "25.0%"]


def test_a_gap_behind_place_k_is_told_where_no_other_matters():
    gaps = np.array([5, 95, 300, 12])
    assert gap_meaning(InverseSensitivitySet(4, 0.5), gaps, "likes", 900).endswith(
        "; the gap after place 4 is 12 likes, 2 times that."
    )
    wide = np.array([5, 95, 300, 8_440])
    assert gap_meaning(InverseSensitivitySet(4, 0.5), wide, "likes", 900).endswith(
        "; the gap after place 4 is 8,440 likes, 1,407 times that."
    )
    tied = gap_meaning(StableSet(4, 0.5, 1e-6), np.array([5, 95, 300, 0]), "likes", 900)
    assert tied.endswith("; the gap after place 4 is 0 likes, a tie.")
    whole = gap_meaning(StableSet(5, 0.5, 1e-6), gaps, "likes", 900)
    assert whole.endswith("; every item is released, so there is no gap after place 5.")
    assert gap_meaning(AdaptiveK(4, 0.5, 1e-6), gaps, "likes", 900).endswith(
        "; the largest of the first 4 gaps is 300 likes, after place 3."
    )


def test_a_threshold_is_told_where_there_is_one():
    counts = ItemCounts([90, 60, 40, 9, 7, 5, 3, 2]).sorted
    mechanism = LimitedDomain(3, 1.0, 1e-6, k_bar=4)
    lies = mechanism.threshold(counts)
    words = threshold_meaning(mechanism, counts, "likes")
    assert f"(⊥) lies at {lies:,.0f} likes: the first count that is not read is 7 likes" in words
    above = sum(count > lies for count in (90, 60, 40))
    passes = f"passes the margin of {lies - 7:,.0f} likes with probability at most δ"
    assert f"place 5); an item that depends on a single user {passes}" in words
    verb = "lies" if above == 1 else "lie"
    assert f"Of the true top 3, {above} {verb} above the threshold" in words
    every = LimitedDomainLaplace(3, 1.0, 1e-6, 1, k_bar=8)
    assert "every item with a count is read" in threshold_meaning(every, counts, "l")
    assert threshold_sentences([Joint(3, 1.0), mechanism], counts, "likes") == [words]


def test_a_tie_across_the_last_place_is_named_and_no_other():
    levels = SortedCounts([9, 5, 4], [1, 3, 2])
    equal = "Places 2 to 4 have equal counts: any"
    ties = {2: f"{equal} of these items is right.", 3: f"{equal} 2 of these items are right."}
    for k in (1, 2, 3, 4, 6, 7):
        assert base.tie_at(levels, k) == ties.get(k, "")
