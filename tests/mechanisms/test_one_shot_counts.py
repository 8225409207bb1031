"""Test OneShotCounts: its calibration, and the joint privacy of items and counts."""

import itertools
import math

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    EMPeel,
    ItemCounts,
    Laplace,
    NeighborRelation,
    OneShotCounts,
    neighboring_counts,
)
from dptopk.mechanisms import one_shot_laplace_scale

ADD_REMOVE, SWAP = NeighborRelation


@pytest.mark.parametrize(("k", "epsilon", "delta"), [(10, 1.0, 1e-6), (200, 0.1, 1e-9)])
def test_the_calibration_by_hand(k, epsilon, delta):
    """k rounds of range 2 x and k counts of loss x are k x^2-zCDP together."""
    x = OneShotCounts(k, epsilon, delta).count_epsilon
    rho = k * (2 * x) ** 2 / 8 + k * x**2 / 2
    assert rho + 2 * math.sqrt(rho * math.log(1 / delta)) == pytest.approx(epsilon, rel=1e-12)
    one_shot = 2 * math.sqrt(math.log(1 / delta))  # as the post writes it
    one_shot *= math.sqrt(1 + epsilon / math.log(1 / delta)) - 1
    mechanism = OneShotCounts(k, epsilon, delta)
    assert mechanism.scale == pytest.approx(math.sqrt(k) / one_shot, rel=1e-9)
    assert mechanism.count_scale == pytest.approx(2 * math.sqrt(k) / one_shot, rel=1e-9)


@pytest.mark.parametrize(("k", "epsilon", "delta"), [(1, 1.0, 1e-6), (3, 0.5, 0.0)])
def test_losses_are_added_where_that_is_more(k, epsilon, delta):
    mechanism = OneShotCounts(k, epsilon, delta)
    assert k * (1 / mechanism.scale + 1 / mechanism.count_scale) == pytest.approx(epsilon)
    swapped = OneShotCounts(k, epsilon, delta, SWAP)  # a count moves by one at most all the same
    assert swapped.scale == pytest.approx(2 * mechanism.scale)
    assert swapped.count_scale == mechanism.count_scale


def excess_of_laplace(epsilon: float, x: float) -> float:
    """Hockey-stick at any epsilon of Laplace noise of scale 1 / x and the same moved by one."""
    if epsilon >= x:
        return 0.0
    return 1 - math.exp(epsilon if epsilon <= -x else (epsilon - x) / 2)


def excess(mechanism, here: ItemCounts, there: ItemCounts) -> float:
    """Hockey-stick of one item and its count together: item by item, integrated over the count."""
    every = np.arange(here.d)[:, None]
    log_p, log_q = mechanism.log_pmf(here, every), mechanism.log_pmf(there, every)
    total = 0.0
    for item, moved in enumerate(here.counts != there.counts):
        left = mechanism.epsilon - (log_p[item] - log_q[item])
        x = mechanism.count_epsilon if moved else 0.0
        total += math.exp(log_p[item]) * max(excess_of_laplace(left, x), 0.0)
    return total


@pytest.mark.parametrize("neighbors", list(NeighborRelation))
@pytest.mark.parametrize("delta", [0.0, 1e-3, 0.2, 0.6])
def test_one_item_and_its_count_keep_the_promise_together(neighbors, delta):
    worst = 0.0
    vectors = ([3, 2, 1], [20, 20, 0], [1, 1, 1], [0, 0])
    for counts, epsilon in itertools.product(vectors, (0.1, 1.0, 4.0)):
        mechanism, data = OneShotCounts(1, epsilon, delta, neighbors), ItemCounts(counts)
        for other in neighboring_counts(data, neighbors):
            worst = max(worst, excess(mechanism, data, other), excess(mechanism, other, data))
    assert worst <= delta + 1e-12


def test_the_judge_of_items_and_counts_notices_too_little_noise():
    careless = OneShotCounts(1, 2.0, 0.0)
    promised = OneShotCounts(1, 1.0, 0.0)

    class Careless(OneShotCounts):
        count_epsilon = careless.count_epsilon

    mechanism, data = Careless(1, 1.0, 0.0), ItemCounts([20, 20, 0])
    assert mechanism.scale < promised.scale
    others = neighboring_counts(data, ADD_REMOVE)
    assert max(excess(mechanism, data, other) for other in others) > 1e-3


# --- noise of each kind ------------------------------------------------------------------


@pytest.mark.parametrize("neighbors", list(NeighborRelation))
def test_noise_of_each_kind_is_that_of_the_mechanism_that_adds_it(neighbors):
    mechanism = OneShotCounts(10, 0.2, 1e-6, neighbors)
    rows = mechanism.noise_scales(5000)
    others = [CDPPeel(10, 0.2, 1e-6, neighbors), EMPeel(10, 0.2, neighbors)]
    scales = [mechanism.scale, mechanism.count_scale, others[0].scale]
    scales += [8 * math.sqrt(10 * math.log(5000 / 1e-6)) / 0.2, others[1].scale]
    scales += [Laplace(10, 0.2, neighbors).scale]
    assert [row.scale for row in rows] == pytest.approx(scales)
    assert [row.pure for row in rows] == [False] * 4 + [True] * 2
    for row in rows:
        law = {"Gumbel": math.pi / math.sqrt(6), "Laplace": math.sqrt(2)}[row.noise]
        assert row.deviation == pytest.approx(law * row.scale)
        assert row.refusal == ""


@pytest.mark.parametrize(
    ("epsilon", "delta", "got", "here"),
    [
        (0.3, 1e-6, "0.3 and 1e-06", "ε = 0.3"),
        (0.1, 0.1, "0.1 and 0.1", "δ = 0.1"),
        (2.0, 0.0, "2 and 0", "ε = 2 and δ = 0"),
    ],
)
def test_one_shot_of_laplace_noise_is_refused_beyond_its_theorem(epsilon, delta, got, here):
    reason = (
        "epsilon must be at most 0.2 and delta above 0 and at most 0.05 for one shot of Laplace "
        f"noise, got {got}: beyond that nothing is proven"
    )
    with pytest.raises(ValueError, match=f"^{reason}$"):
        one_shot_laplace_scale(10, epsilon, delta, 5000)
    row = OneShotCounts(10, epsilon, delta).noise_scales(5000)[3]
    assert math.isnan(row.scale)
    assert row.refusal == f"It is proven only for ε ≤ 0.2 and 0 < δ ≤ 0.05; here {here}."
