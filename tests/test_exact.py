"""Exact laws: against enumeration, by hand, and against simulation on real data."""

import math

import numpy as np
import pytest

from dptopk import (
    METRICS,
    CDPPeel,
    ErrorLaw,
    ItemCounts,
    Joint,
    NeighborRelation,
    NoClosedFormError,
    PNFJoint,
    PNFPeel,
    SortedCounts,
    exact_error,
    load_dataset,
    output_distribution,
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.errors import is_exact_sequence, is_exact_set

ADD_REMOVE, SWAP = NeighborRelation
VECTORS = [
    [4],
    [3, 3],
    [0, 9, 0],
    [10, 5, 1, 1],
    [2, 7, 0, 7, 3],
    [5, 5, 5, 2, 2, 2],
    [3, 6, 1, 5, 2, 4],
    [1, 1000, 2, 0, 30, 2],
]
CASES = [(counts, k) for counts in VECTORS for k in range(1, len(counts) + 1)]


def every(k, epsilon, neighbors):
    return [
        Joint(k, epsilon, neighbors),
        PNFJoint(k, epsilon, neighbors),
        PNFPeel(k, epsilon, neighbors),
        CDPPeel(k, epsilon, 1e-3, neighbors),
    ]


# --- enumeration -------------------------------------------------------------------------


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize(("counts", "k"), CASES)
def test_laws_of_errors_against_enumeration(counts, k, epsilon, neighbors):
    data = ItemCounts(counts)
    for mechanism in (Joint(k, epsilon, neighbors), PNFJoint(k, epsilon, neighbors)):
        outputs = output_distribution(mechanism, data)
        for metric in ("signed_max", "k_relative"):
            errors = METRICS[metric].compute(data, outputs.sequences)
            law = exact_error(mechanism, data, metric)
            found = dict(zip(law.values.tolist(), law.probabilities, strict=True))
            for value in np.unique(errors).tolist():
                expected = outputs.probabilities[errors == value].sum()
                assert found.pop(value, 0.0) == pytest.approx(expected, rel=1e-10, abs=1e-12)
            assert not found  # no value that no output has
            assert law.mean == pytest.approx(outputs.probabilities @ errors, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize(("counts", "k"), CASES)
def test_probabilities_of_being_right_against_enumeration(counts, k, epsilon, neighbors):
    data = ItemCounts(counts)
    for mechanism in every(k, epsilon, neighbors):
        outputs = output_distribution(mechanism, data)
        right = outputs.probabilities[is_exact_sequence(data, outputs.sequences)].sum()
        ours = probability_exact_sequence(mechanism, data)
        assert ours == pytest.approx(right, rel=1e-10)
        if isinstance(mechanism, PNFPeel):
            continue
        right = outputs.probabilities[is_exact_set(data, outputs.sequences)].sum()
        assert probability_exact_set(mechanism, data) == pytest.approx(right, rel=1e-10)


# --- by hand -----------------------------------------------------------------------------


def test_golden_value_of_the_paper():
    assert probability_exact_sequence(Joint(2, 1.0), ItemCounts([10, 5, 1, 1])) == pytest.approx(
        0.6314807521, abs=1e-9
    )


def test_one_race_by_hand():
    """Weights 4 and 1: the first item wins with probability 4/5, and k = d is certain."""
    counts = ItemCounts([2, 0])
    rate = math.log(2)
    assert probability_exact_set(CDPPeel(1, rate, 0.0), counts) == pytest.approx(0.8, rel=1e-12)
    assert probability_exact_set(CDPPeel(2, rate, 0.0), counts) == 1.0


def test_all_ties_are_always_right():
    counts = ItemCounts([7] * 40)
    for mechanism in every(5, 1.0, ADD_REMOVE):
        assert probability_exact_sequence(mechanism, counts) == pytest.approx(1, abs=1e-10)
        if not isinstance(mechanism, PNFPeel):
            assert probability_exact_set(mechanism, counts) == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-17, 1e-12])
@pytest.mark.parametrize("mechanism", [Joint, PNFJoint])
@pytest.mark.parametrize("metric", ["signed_max", "k_relative"])
def test_without_budget_the_laws_are_those_of_a_uniform_sequence(metric, mechanism, epsilon):
    data = ItemCounts([9, 7, 7, 4, 1, 0])
    sequences = output_distribution(Joint(3, 1.0), data).sequences
    errors = METRICS[metric].compute(data, sequences)
    values, n = np.unique(errors, return_counts=True)
    law = exact_error(mechanism(3, epsilon), data, metric)
    np.testing.assert_array_equal(law.values, values)
    np.testing.assert_allclose(law.probabilities, n / len(errors), rtol=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.5, 50.0, 1e5])
@pytest.mark.parametrize("k", [1, 3, 50, 200])
def test_probabilities_are_probabilities(k, epsilon):
    """In [0, 1] to the last digit, and a set is at least as likely as its right order."""
    counts = load_dataset("games")
    for mechanism in every(k, epsilon, ADD_REMOVE):
        in_order = probability_exact_sequence(mechanism, counts)
        assert 0 <= in_order <= 1
        if not isinstance(mechanism, PNFPeel):
            assert in_order * (1 - 1e-12) <= probability_exact_set(mechanism, counts) <= 1


def test_mean_and_quantiles_of_a_law():
    law = ErrorLaw(np.array([0, 3, 10]), np.log([0.5, 0.3, 0.2]))
    assert law.mean == pytest.approx(2.9)
    levels = (0.01, 0.49, 0.51, 0.79, 0.81, 1.0)
    assert [law.quantile(level) for level in levels] == [0, 0, 3, 3, 10, 10]


def test_far_beyond_enumeration():
    """1e9 items: the top 5 are right but for e^-97, and the rates are those by hand."""
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    for mechanism in (Joint(5, 1.0), PNFJoint(5, 1.0), CDPPeel(5, 5.0, 0.0)):
        assert probability_exact_set(mechanism, counts) == pytest.approx(1, abs=1e-12)
    # all but blind: three of the three at 900 among five drawn from 1e9, and two at 400
    log_right = math.log(math.comb(3, 3) * math.comb(7, 2) / math.comb(10**9, 5))
    for mechanism in (Joint(5, 1e-15), CDPPeel(5, 1e-15, 0.0)):
        right = probability_exact_set(mechanism, counts)
        assert math.log(right) == pytest.approx(log_right, rel=1e-8)


@pytest.mark.parametrize("metric", ["signed_max", "k_relative"])
@pytest.mark.parametrize("mechanism", [Joint, PNFJoint])
@pytest.mark.parametrize(("k", "epsilon"), [(1, 0.1), (40, 1.0), (200, 5.0)])
def test_laws_on_real_data_add_up(metric, mechanism, k, epsilon):
    law = exact_error(mechanism(k, epsilon), load_dataset("games"), metric)
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert np.all(np.diff(law.values) > 0)
    assert law.values[0] >= 0


# --- simulation --------------------------------------------------------------------------


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize(("k", "epsilon"), [(5, 0.3), (20, 2.0)])
def test_laws_agree_with_draws_on_games(k, epsilon, neighbors, rng, fits_law):
    counts = load_dataset("games")
    for mechanism in (Joint(k, epsilon, neighbors), PNFJoint(k, epsilon, neighbors)):
        samples = mechanism.sample(counts, 5000, rng)
        for metric in ("signed_max", "k_relative"):
            law = exact_error(mechanism, counts, metric)
            errors = METRICS[metric].compute(counts, samples)
            assert fits_law(law.values, law.log_probabilities, errors)


@pytest.mark.parametrize(("k", "epsilon"), [(3, 0.2), (10, 1.5)])
def test_shares_of_right_releases_agree_with_draws_on_games(k, epsilon, rng, fits_chance):
    counts = load_dataset("games")
    for mechanism in every(k, epsilon, ADD_REMOVE):
        samples = mechanism.sample(counts, 20_000, rng)
        p = probability_exact_sequence(mechanism, counts)
        assert fits_chance(p, is_exact_sequence(counts, samples))
        if not isinstance(mechanism, PNFPeel):
            p = probability_exact_set(mechanism, counts)
            assert fits_chance(p, is_exact_set(counts, samples))


# --- refusals ----------------------------------------------------------------------------

COUNTS = ItemCounts([5, 3, 1])


@pytest.mark.parametrize("metric", ["linf", "l1", "linf_index"])
@pytest.mark.parametrize("mechanism", every(2, 1.0, ADD_REMOVE), ids=lambda m: m.name)
def test_metrics_without_a_closed_form(mechanism, metric):
    title = METRICS[metric].title
    with pytest.raises(NoClosedFormError, match=f"no closed form of the {title} of "):
        exact_error(mechanism, COUNTS, metric)


@pytest.mark.parametrize("metric", ["signed_max", "k_relative"])
@pytest.mark.parametrize("mechanism", [PNFPeel(2, 1.0), CDPPeel(2, 1.0, 0.1)])
def test_mechanisms_without_a_closed_form(mechanism, metric):
    with pytest.raises(NoClosedFormError, match=f"of {mechanism.name} is known"):
        exact_error(mechanism, COUNTS, metric)


def test_the_set_of_pnf_peel_has_no_closed_form():
    with pytest.raises(NoClosedFormError, match="PNF-Peel's probability of a set"):
        probability_exact_set(PNFPeel(2, 1.0), COUNTS)


def test_a_table_too_large_is_refused_with_advice():
    counts = ItemCounts(np.arange(20_000))
    with pytest.raises(NoClosedFormError, match="choose a larger epsilon"):
        exact_error(Joint(2, 1e-6), counts, "k_relative")


WRONG = [
    (("Joint", COUNTS), TypeError, r"mechanism must be a mechanism, got 'Joint'"),
    ((Joint, COUNTS), TypeError, r"mechanism must be a mechanism, got "),
    ((Joint(2, 1.0), [5, 3, 1]), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((Joint(4, 1.0), COUNTS), ValueError, r"k must be in \[1, 3\] for 3 items, got 4"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        exact_error(*arguments, "signed_max")
    with pytest.raises(error, match=message):
        probability_exact_sequence(*arguments)
    with pytest.raises(error, match=message):
        probability_exact_set(*arguments)


def test_wrong_metric():
    with pytest.raises(ValueError, match=r"metric must be one of 'linf', .*got 'mean'"):
        exact_error(Joint(2, 1.0), COUNTS, "mean")
    with pytest.raises(TypeError, match=r"metric must be a string, got None"):
        exact_error(Joint(2, 1.0), COUNTS, None)


def test_a_law_unpacks_into_values_and_probabilities():
    law = exact_error(Joint(2, 1.0), ItemCounts([4, 2, 2]), "signed_max")
    values, probabilities = law
    assert np.array_equal(values, law.values)
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
