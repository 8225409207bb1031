"""Test exact privacy losses against naive loops over outputs and neighbors."""

import math

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    LimitedDomain,
    NeighborRelation,
    OneShotCounts,
    PNFJoint,
    PNFPeel,
    hockey_stick,
    neighboring_counts,
    output_distribution,
    privacy_loss,
    privacy_profile,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.laws.privacy_losses import roc_curve, within
from dptopk.mechanisms.pitfalls import MisscaledCDPPeel

ADD_REMOVE, SWAP = NeighborRelation
COUNTS = ItemCounts([3, 1, 1])
EVERY = [kind(2, 1.0) for kind in (Joint, PNFPeel, InverseSensitivitySet)]
EVERY += [kind(2, 1.0, 1e-3) for kind in (CDPPeel, OneShotCounts)]


def naive_excess(here: dict, there: dict, epsilon: float) -> float:
    return sum(max(p - math.exp(epsilon) * there[s], 0) for s, p in here.items())


def naive_worst(data: ItemCounts, mechanism, neighbors, epsilon: float) -> tuple[float, float]:
    """Largest loss and hockey-stick over all outputs and neighbours, in both directions."""
    here, losses, excesses = dict(output_distribution(data, mechanism)), [], []
    for other in neighboring_counts(data, neighbors):
        there = dict(output_distribution(other, mechanism))
        losses += [abs(math.log(p / there[s])) for s, p in here.items()]
        excesses += [naive_excess(here, there, epsilon), naive_excess(there, here, epsilon)]
    return max(losses), max(excesses)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_loss_and_hockey_stick_of_two_data_sets(mechanism):
    other = ItemCounts([3, 2, 1])
    here, there = (dict(output_distribution(data, mechanism)) for data in (COUNTS, other))
    every = map(tuple, mechanism.outputs.every(3, 2).tolist())
    expected = [math.log(here[s] / there[s]) for s in every]
    np.testing.assert_allclose(privacy_loss(COUNTS, mechanism, other), expected, atol=1e-12)
    for epsilon in (0, 0.1, 0.5):
        assert hockey_stick(COUNTS, mechanism, other, epsilon) == pytest.approx(
            naive_excess(here, there, epsilon), abs=1e-12
        )


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
@pytest.mark.parametrize("counts", [[3, 1, 1], [0, 0], [5, 4, 0, 4]])
def test_worst_cases(mechanism, counts, neighbors):
    data = ItemCounts(counts)
    loss = worst_case_loss(data, mechanism, neighbors)
    most_lost, most_left = naive_worst(data, mechanism, neighbors, 0.2)
    assert loss.value == pytest.approx(most_lost, abs=1e-12)
    assert loss.neighbour in neighboring_counts(data, neighbors)
    at = [list(loss.output)]
    here, there = (mechanism.log_pmf(d, at)[0] for d in (data, loss.neighbour))
    assert abs(here - there) == pytest.approx(loss.value, abs=1e-12)
    assert loss.reversed == (there > here)
    excess = worst_case_hockey_stick(data, mechanism, 0.2, neighbors)
    assert excess.value == pytest.approx(most_left, abs=1e-12)


@pytest.mark.parametrize("mechanism", [Joint(2, 1.0, SWAP), PNFPeel(2, 1.0)])
def test_the_relation_is_the_mechanisms_own_unless_given(mechanism):
    own = worst_case_loss(COUNTS, mechanism)
    assert own == worst_case_loss(COUNTS, mechanism, mechanism.neighbors)
    assert own.value <= 1 + 1e-9


def test_progress_counts_neighbours():
    shares = []
    worst_case_loss(ItemCounts([2, 2]), Joint(1, 1.0), ADD_REMOVE, shares.append)
    assert shares == pytest.approx(np.arange(1, 7) / 6)


def test_at_an_enormous_epsilon_nothing_is_left_over():
    for epsilon in (50.0, 1e5):
        assert worst_case_hockey_stick(COUNTS, PNFPeel(2, 1.0), epsilon).value == 0


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_two_data_sets_are_compared_by_the_names_of_their_items(mechanism):
    here = ItemCounts({"tea": 9, "rum": 4, "ale": 2})
    there = {"tea": 8, "rum": 4, "ale": 2}
    expected = privacy_loss(here, mechanism, ItemCounts(there))
    assert expected.any()
    for names in (["ale", "rum", "tea"], ["rum", "tea", "ale"]):
        other = ItemCounts({name: there[name] for name in names})
        assert privacy_loss(here, mechanism, other).tolist() == expected.tolist()
        same = ItemCounts({name: dict(here)[name] for name in names})
        assert not privacy_loss(here, mechanism, same).any()
        assert hockey_stick(here, mechanism, same, 0.0) == 0
        assert privacy_profile(here, mechanism, same, [0.0, 1.0]).tolist() == [0, 0]
        curve = roc_curve(here, mechanism, same)
        assert curve.true_positive.tolist() == curve.false_positive.tolist()


def test_counts_without_names_are_in_the_order_of_the_others_and_other_names_are_refused():
    here, joint = ItemCounts({"tea": 9, "rum": 4, "ale": 2}), Joint(1, 1.0)
    plain, other = ItemCounts([9, 4, 2]), ItemCounts({"tea": 9, "rum": 4, "gin": 2})
    for pair in ((here, plain), (plain, here), (plain.head(2), ItemCounts([9, 4]))):
        assert not privacy_loss(pair[0], joint, pair[1]).any()
    for call in (privacy_loss, roc_curve):
        with pytest.raises(ValueError, match="got none named 'ale': give"):
            call(here, joint, other)


def test_an_output_impossible_on_both_data_sets_costs_nothing():
    """Of three items the largest alone is read: of the others none can come out."""
    mechanism = LimitedDomain(1, 1.0, 0.1, k_bar=1)
    here, there = ItemCounts([9, 3, 0]), ItemCounts([9, 4, 0])
    loss = privacy_loss(here, mechanism, there)
    assert loss[3] < 0 < loss[0]  # the threshold rose
    assert loss[1:3].tolist() == [0, 0]
    first, second = (math.exp(mechanism.log_pmf(data, [[0]])[0]) for data in (here, there))
    assert hockey_stick(here, mechanism, there, 0) == pytest.approx(first - second, rel=1e-9)
    here, there = ItemCounts([4, 4]), ItemCounts([4, 5])  # another item is read
    assert np.isinf(privacy_loss(here, mechanism, there)).tolist() == [True, True, False]
    assert worst_case_loss(here, mechanism).value == math.inf
    worst = worst_case_hockey_stick(here, mechanism, 1.0)
    assert (worst.neighbour, worst.output) == (there, (1,))
    alone = mechanism.log_pmf(worst.neighbour, [[1]])[0]
    assert worst.value == pytest.approx(math.exp(alone), rel=1e-9)


def test_a_misscaled_mechanism_is_caught():
    """Gumbel noise 20% too small breaks the promise; k times too much keeps it."""
    wrong = MisscaledCDPPeel(1, 1.0, 0.0, factor=1.25)
    assert worst_case_hockey_stick(ItemCounts([60, 50]), wrong, 1.0).value > 0
    assert worst_case_hockey_stick(ItemCounts([60, 50]), CDPPeel(1, 1.0, 0.0), 1.0).value <= 1e-15
    noisy = MisscaledCDPPeel(2, 1.0, 1e-3, factor=1 / 2)
    right = CDPPeel(2, 1.0, 1e-3)
    assert noisy.local_epsilon == pytest.approx(right.local_epsilon / 2)
    assert worst_case_loss(COUNTS, noisy).value < worst_case_loss(COUNTS, right).value


ONE = Joint(1, 1.0)
WRONG = [
    (privacy_loss, ([3], ONE, COUNTS), TypeError, "counts must be ItemCounts"),
    (privacy_loss, (COUNTS, ONE, [3]), TypeError, "must be ItemCounts"),
    (privacy_loss, (COUNTS, ONE, ItemCounts([1, 2])), ValueError, r"as counts \(3\), got 2"),
    (privacy_loss, (COUNTS, Joint(4, 1.0), COUNTS), ValueError, r"k must be in \[1, 3\]"),
    (privacy_loss, (COUNTS, "Joint", COUNTS), TypeError, "mechanism must"),
    (hockey_stick, (COUNTS, ONE, COUNTS, -1.0), ValueError, "epsilon must be a .* 0, got -1"),
    (hockey_stick, (COUNTS, ONE, COUNTS, "1"), TypeError, "epsilon must be a number"),
    (worst_case_loss, (COUNTS, "Joint"), TypeError, "mechanism must"),
    (worst_case_loss, ([3, 1], ONE), TypeError, "counts must be ItemCounts"),
    (worst_case_loss, (COUNTS, ONE, "both"), ValueError, "neighbors must be one of"),
    (worst_case_loss, (COUNTS, Joint(4, 1.0)), ValueError, r"k must be in \[1, 3\]"),
    (worst_case_loss, (ItemCounts([1] * 9), ONE), ValueError, "at most 8 items .* got 9"),
    (worst_case_hockey_stick, (COUNTS, ONE, math.nan), ValueError, "epsilon .*at least 0, got nan"),
]


@pytest.mark.parametrize(("function", "arguments", "error", "message"), WRONG)
def test_wrong_arguments(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(*arguments)


def test_a_worst_case_unpacks():
    counts = ItemCounts([4, 2, 2])
    worst = worst_case_loss(counts, Joint(2, 1.0))
    value, neighbour, output = worst
    assert (value, neighbour, output) == (worst.value, worst.neighbour, worst.output)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 10.0])
@pytest.mark.parametrize("counts", [[10**12, 7, 5, 1], [2**53, 2**53 - 1, 5, 4, 0]], ids=str)
@pytest.mark.parametrize("mechanism", [Joint, PNFJoint, PNFPeel])
def test_a_promise_is_not_broken_by_logarithms_that_hold_no_difference(mechanism, counts, epsilon):
    worst = worst_case_loss(ItemCounts(counts), mechanism(2, epsilon))
    assert worst.value <= epsilon + 1e-9
    assert worst.n_faint > 0


def test_faint_outputs_have_no_loss_and_impossible_ones_keep_theirs():
    counts, neighbour = ItemCounts([10**12, 7, 5]), ItemCounts([10**12, 8, 5])
    loss = privacy_loss(counts, Joint(1, 1.0), neighbour)
    assert np.isfinite(loss[0])
    assert np.isnan(loss[1:]).all()
    assert hockey_stick(counts, Joint(1, 1.0), neighbour, 0.0) == 0.0
    assert worst_case_loss(ItemCounts([10, 5, 1]), Joint(2, 1.0)).n_faint == 0


@pytest.mark.parametrize(
    ("mechanism", "counts"),
    [
        (CDPPeel(1, 0.7, 1e-30), [47, 0]),
        (CDPPeel(1, 0.7, 1e-30, calibration="optimal"), [47, 0]),
        (LimitedDomain(1, 2.1, 1e-30, k_bar=1), [18, 0]),
        (LimitedDomain(1, 2.1, 1e-30), [18, 1, 0]),
    ],
)
def test_last_digits_of_logarithms_are_no_excess(mechanism, counts):
    """A loss of epsilon itself, of outputs of e^-33: its rounding is a multiple of this delta."""
    worst = worst_case_hockey_stick(ItemCounts(counts), mechanism, mechanism.epsilon)
    assert worst.value <= mechanism.delta
    more = worst_case_hockey_stick(ItemCounts(counts), mechanism, mechanism.epsilon * (1 - 1e-9))
    assert more.value > mechanism.delta


def test_a_loss_is_compared_with_epsilon_relative_to_it():
    """At 1e-9 an absolute slack of 1e-9 would let twice the promise pass."""
    for epsilon in (1e-9, 1e-6, 1.0, 1e12):
        assert within(epsilon, epsilon)
        assert not within(epsilon * (1 + 1e-4), epsilon)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_a_roc_curve_rises_and_lies_as_far_above_its_line_as_the_hockey_stick(mechanism):
    other = ItemCounts([3, 2, 1])
    curve = roc_curve(COUNTS, mechanism, other)
    for values in (curve.false_positive, curve.true_positive):
        assert values[0] == 0
        assert values[-1] == pytest.approx(1)
        assert (np.diff(values) >= 0).all()
    for epsilon in (0, 0.1, 0.5):
        above = (curve.true_positive - math.exp(epsilon) * curve.false_positive).max()
        assert above == pytest.approx(hockey_stick(COUNTS, mechanism, other, epsilon), abs=1e-12)
