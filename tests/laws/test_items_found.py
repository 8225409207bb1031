"""Test the distribution of the items found, against every subset of small cases."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from dptopk import ItemCounts, SparseGaussian, counts_by_bound, items_found_by_bound
from dptopk.laws.items_found import fewer_than, items_found

MECHANISM = SparseGaussian(2.0, 1e-3, 2)


def has_a_top(truth, found, k):
    """Tell by definition: k of the items found have, in order, the k largest counts."""
    largest = np.sort(truth)[::-1][:k]
    return np.array_equal(np.sort(truth[found])[::-1][:k], largest)


@pytest.mark.parametrize(
    ("truth", "amounts"),
    [
        ((9, 7, 4, 2, 1), (9.0, 6.0, 8.0, 3.0, 0.0)),
        ((9, 7, 7, 7, 2), (12.0, 9.0, 8.0, 7.0, 5.0)),
        ((5, 5, 5, 5, 5), (4.0, 8.0, 9.0, 10.0, 11.0)),
        ((3, 0, 8, 0), (7.0, 0.0, 9.0, 0.0)),
    ],
)
def test_the_law_is_that_of_all_subsets(truth, amounts):
    truth, amounts = np.array(truth), np.array(amounts)
    chances = MECHANISM.survival(amounts)
    subsets = [np.array(one) for one in itertools.product((False, True), repeat=truth.size)]
    weights = [np.where(one, chances, 1 - chances).prod() for one in subsets]
    n_found = np.array([one.sum() for one in subsets])
    for k in range(1, truth.size + 1):
        found = items_found(ItemCounts(truth), chances, k)
        assert found.expected == pytest.approx(n_found @ weights)
        assert found.deviation**2 == pytest.approx(n_found**2 @ weights - found.expected**2)
        mass = [truth[~one].sum() / truth.sum() for one in subsets]
        assert found.missing_mass == pytest.approx(np.dot(mass, weights))
        tops = [has_a_top(truth, one, k) for one in subsets]
        assert found.all_of_top_k == pytest.approx(np.dot(tops, weights), abs=1e-15)
        right = [
            sum((Counter(truth[one].tolist()) & Counter(sorted(truth.tolist())[-k:])).values())
            for one in subsets
        ]
        assert found.of_top_k == pytest.approx(np.dot(right, weights))


@pytest.mark.parametrize("least", [1, 2, 3, 7, 40])
def test_the_chance_of_each_number_is_that_of_adding_them_one_by_one(least):
    chances = np.random.default_rng(3).random(41)
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    assert fewer_than(chances, least) == pytest.approx(law[:least], abs=1e-15)
    assert fewer_than(chances[:1], 1) == pytest.approx(1 - chances[0])


def log(n_users=400, seed=4):
    """Events whose users have between 1 and 30 items, some of them rare."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"u{user}", f"i{item:03}")
        for user in range(n_users)
        for item in set(np.minimum(rng.geometric(0.05, rng.integers(1, 31)), 80).tolist())
    ]
    return pd.DataFrame(rows, columns=["who", "what"])


def test_the_table_is_of_every_bound_weighted_and_not():
    by_bound = counts_by_bound(log(), "who", "what")
    found = items_found_by_bound(by_bound, 1.0, 1e-6, 5)
    assert found["max_items"].tolist() == [*by_bound.bounds] * 2
    assert found["is_best"].sum() == 1
    assert found.loc[found["is_best"], "counts_kept"].item() == found["counts_kept"].max()
    for _, row in found.iterrows():
        mechanism = SparseGaussian(1.0, 1e-6, row["max_items"], row["weighted"])
        amounts = by_bound.amounts_under(row["max_items"], weighted=True)
        if not row["weighted"]:
            amounts = by_bound.bounded(row["max_items"]).counts
        one = items_found(by_bound.counts, mechanism.survival(amounts), 5)
        assert row["expected"] == one.expected
        assert row["counts_kept"] == 1 - one.missing_mass
        assert (row["sigma"], row["threshold"]) == (mechanism.sigma, mechanism.threshold)
    some = items_found_by_bound(by_bound, 1.0, 1e-6, 5, bounds=[2, 1_000])
    assert some["max_items"].tolist() == [2, 1_000] * 2
    assert some["counts_kept"][0] == found["counts_kept"][1]
    # of users who keep one item both are the same mechanism
    one, other = found[found["max_items"] == 1].drop(columns=["weighted", "is_best"]).to_numpy()
    assert one == pytest.approx(other)


def test_bad_arguments_are_named():
    counts = ItemCounts([3, 2])
    with pytest.raises(ValueError, match=r"k must be in \[1, 2\], got 3"):
        items_found(counts, np.ones(2), 3)
    with pytest.raises(ValueError, match=r"chances must have shape \(2,\), got \(3,\)"):
        items_found(counts, np.ones(3), 1)
