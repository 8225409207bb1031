"""Test PNF-Peel by hand, against a value of the paper, and with many ties and levels."""

import math
from itertools import permutations

import numpy as np
import pytest

from dptopk import (
    ItemCounts,
    NoClosedFormError,
    PNFPeel,
    load_dataset,
    probability_exact_set,
)
from dptopk.core.errors import is_exact_set
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels import thinned_race


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1000, 25])
@pytest.mark.parametrize(
    ("values", "k", "epsilon"),
    [
        ([9, 7, 5, 5, 2, 0], 3, 2.0),
        ([5, 5, 5, 1], 4, 3.0),
        ([40, 20, 19, 18, 0], 2, 1.0),
        ([2**53, 2**53 - 2, 5, 3, 0], 3, 2.0),
    ],
)
@pytest.mark.parametrize("spare", [16, -2])
def test_rounds_along_one_race_follow_the_law(
    values, k, epsilon, at_once, spare, monkeypatch, rng, fits
):
    """Each draw on its own and all at once, and where the arrivals end before the rounds do."""
    monkeypatch.setattr(thinned_race, "_SPARE", spare)
    data, n = ItemCounts(values), 20_000 if at_once > 100 else 5_000
    for wrong in (1.0, 1.6):
        rate = wrong * PNFPeel(k, epsilon).rate
        drawn = [thinned_race.draw(data.sorted, k, rate, at_once, rng) for _ in range(n // at_once)]
        assert fits(PNFPeel(k, epsilon), data, np.concatenate(drawn)) == (
            wrong == 1.0 or len(set(values)) == 1
        )


@pytest.mark.parametrize("n", [20, 3_000])
def test_many_rounds_of_many_items_begin_and_end_as_rounds_one_by_one(n, rng, fits_law):
    """The first item by its law; the last of as many rounds as items is what was left."""
    counts = ItemCounts(np.floor(900 / np.arange(1, 61) ** 0.7))
    mechanism = PNFPeel(60, 40.0)
    drawn = np.concatenate([mechanism.sample(counts, n, rng) for _ in range(3_000 // n)])
    np.testing.assert_array_equal(np.sort(drawn, axis=1), np.tile(np.arange(60), (3_000, 1)))
    alone = PNFPeel(1, mechanism.rate).log_pmf(counts, np.arange(60)[:, None])
    assert fits_law(np.arange(60), alone, drawn[:, 0])


@pytest.mark.parametrize(
    ("values", "k"),
    [([9, 7, 5, 5, 2, 0], 3), ([9, 5, 5, 5, 5], 3), ([5, 5, 1], 2), ([3, 3, 3, 3, 2], 3)],
)
@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 5.0, 3_000.0])
def test_the_right_set_is_the_sum_of_its_orders_and_the_rest_that_of_all_others(values, k, epsilon):
    data, mechanism = ItemCounts(values), PNFPeel(k, epsilon)
    orders = np.array(list(permutations(range(len(values)), k)))
    log_p, right = mechanism.log_pmf(data, orders), is_exact_set(data, orders)
    levels = data.sorted
    expected = [logsumexp(log_p[right]), logsumexp(log_p[~right])]
    ours = [
        mechanism.log_probability_exact_set(levels),
        mechanism.log_probability_not_exact_set(levels),
    ]
    np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "k"), [("games", 13), ("movies_small", 10), ("books", 12)])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 20.0])
def test_a_set_of_many_items_is_right_or_wrong(name, k, epsilon):
    levels, mechanism = load_dataset(name).sorted, PNFPeel(k, epsilon)
    right = mechanism.log_probability_exact_set(levels)
    wrong = mechanism.log_probability_not_exact_set(levels)
    assert math.exp(right) + math.exp(wrong) == pytest.approx(1, abs=1e-12)


def test_a_set_of_too_many_orders_is_refused_unless_counts_are_tied():
    with pytest.raises(NoClosedFormError, match=r"too many orders at k = 14$"):
        probability_exact_set(load_dataset("games"), PNFPeel(14, 1.0))
    tied = ItemCounts(np.repeat([50, 40, 3], [20, 20, 60]))
    assert 0 < probability_exact_set(tied, PNFPeel(40, 5.0)) < 1
