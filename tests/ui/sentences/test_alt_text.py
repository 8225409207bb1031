"""Test the alternative texts of figures, and the units in them."""

import dataclasses
import math

import numpy as np
import pandas as pd

from dptopk import ItemCounts
from dptopk.core.errors import METRICS
from dptopk.core.estimate import Estimate
from dptopk.simulation.single_releases import NoisyRound
from dptopk.tuning.repeated import NeededTogether
from dptopk.tuning.search import SmallestEpsilon
from dptopk.ui.sentences import alt_text, titles
from dptopk.ui.show import Tile

TILES = [Tile("A", "5", "median, exact"), Tile("B", "7")]


def test_the_numbers_of_the_tiles_are_told_with_their_kind():
    assert alt_text.numbers(TILES) == "A: 5 (median, exact); B: 7."


def test_the_best_median_is_told_where_intervals_allow_it():
    rows = pd.DataFrame({"mechanism": ["A", "B"], "kind": ["in order"] * 2, "median": [5, 7]})
    rows = rows.assign(median_low=[5, 6], median_high=[5, 9], settled=[True, False], n=50)
    likes = METRICS["linf"].counted_in("likes")
    best = "Smallest median maximum error (ℓ∞): A (5 likes, exact)."
    assert alt_text.best_of(rows, likes) == best
    close = alt_text.best_of(rows.assign(median_low=[5, 4]), likes)
    assert close.endswith("A (5 likes, exact; 50 runs cannot distinguish B from it).")
    assert alt_text.best_of(rows, METRICS["signed_index"]) == ""
    assert alt_text.best_of(rows.iloc[:1], likes) == ""


def test_where_a_release_gives_up_most():
    releases = {"A": np.array([0, 9, -9]), "B": np.array([0, -1])}
    assert alt_text.count_errors(releases, "likes") == (
        "Largest count error at one place, in likes: A 9 at place 2, B none."
    )


def test_how_far_released_counts_are_off():
    frame = pd.DataFrame({"mechanism": ["B", "B", "B", "A"], "error": [-9.5, 1.0, 4.25, 2.0]})
    assert alt_text.counts_off(frame, "likes") == (
        "In likes. Errors of the released counts: B 4.2 (median absolute error of 3 "
        "items; largest 9.5); A 2 (median absolute error of 1 item; largest 2)."
    )
    assert alt_text.counts_off(pd.DataFrame(), "likes") == ""


def test_how_many_gaps_are_sure():
    frame = pd.DataFrame({"mechanism": ["B", "B", "A"], "at least": [3, 0, -4]})
    assert alt_text.gaps_sure(frame, "likes") == (
        "In likes. Gaps above 0, together with probability 95%: B 1 of 2; A 0 of 1."
    )


def test_whom_the_noise_carries_in_and_out():
    places = np.array([1, 0, 2])
    found = NoisyRound(
        np.arange(3), np.array([9, 8, 7]), np.array([9.0, 6.0, 7.5]), np.arange(1, 4), places, 0, 3
    )
    said = "The noise moves c into the release, and b out of it."
    assert alt_text.noise("abc", found, 2, "likes") == said
    same = dataclasses.replace(found, places=np.array([1, 2, 0]))
    assert "does not change" in alt_text.noise("abc", same, 2, "likes")
    turned = dataclasses.replace(found, places=np.array([2, 1, 0]))
    assert alt_text.noise("abc", turned, 2, "likes") == (
        "The noise changes the order: 2 items of those shown moved."
    )
    short = dataclasses.replace(found, places=np.array([1, 0, 0]), threshold=7.75)
    assert alt_text.noise("abc", short, 2, "likes") == (
        "Below the threshold ⊥, at 7.8 likes, is 1 of the true top 2: b."
    )
    assert "are 2 of the true top 3 shown: b and c." in alt_text.noise(
        "abc", dataclasses.replace(short, n_candidates=9), 3, "likes"
    )
    assert "does not change" in alt_text.noise(
        "abc", dataclasses.replace(same, threshold=1.0), 2, "likes"
    )


def test_who_is_cheapest_as_far_as_intervals_tell():
    exact = SmallestEpsilon(0.5, 0.5, 0.5, chance=Estimate.exactly(0.95))
    near, far = (
        SmallestEpsilon(x, x - 0.2, x + 0.2, 1_000, chance=Estimate.exactly(0.95))
        for x in (0.6, 1.0)
    )
    none = SmallestEpsilon(math.inf, math.inf, math.inf, chance=Estimate.exactly(0.1))
    assert alt_text.cheapest({"A": exact, "C": far}) == (
        "The smallest ε of those chosen: A 0.5. Others: C 1."
    )
    assert alt_text.cheapest({"A": exact, "B": near, "C": far}) == (
        "The smallest ε of those chosen: A 0.5, B 0.6 (not distinguishable). Others: C 1."
    )
    alike = SmallestEpsilon(0.1546, 0.1534, 0.1549, 1_000, chance=Estimate.exactly(0.95))
    assert alt_text.cheapest({"A": alike}) == "The smallest ε: A 0.1546."
    many = dict.fromkeys("CDEFGH", far)
    assert alt_text.cheapest({"A": exact} | many).endswith("E 1, F 1, and 2 more.")
    assert alt_text.cheapest({"A": none}) == "No ε is certain to reach the target."


def test_how_counts_are_spread():
    assert alt_text.spread(ItemCounts([9, 4, 1]).sorted, 1, "likes") == (
        "Of 3 items the largest has 9 likes, the one at place 1 has 9, and the middle one 4."
    )


def test_releases_that_are_right_at_any_epsilon_cost_no_number():
    free = SmallestEpsilon(0.0, 0.0, 0.0, chance=Estimate.exactly(1.0))
    none = NeededTogether(0.0, 0.0, 0.0, added=0.0, by="", chance=Estimate.exactly(1.0))
    said = alt_text.cheapest({"A": free}, {"A": none}, 12)
    assert said == "Cheapest together: A any ε."
    assert titles.enough({"A": free}, {"A": none}, 12) == "Any ε is enough with A"
