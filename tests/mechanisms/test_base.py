"""What all mechanisms refuse, and in which words."""

import dataclasses

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    SortedCounts,
)

PURE = (Joint, PNFJoint, PNFPeel)
EVERY = [*(mechanism(2, 1.0) for mechanism in PURE), CDPPeel(2, 1.0, 1e-6)]
COUNTS = ItemCounts([5, 3, 1])


def test_registry_knows_all_four_by_name():
    assert list(MECHANISMS) == ["Joint", "PNFJoint", "PNF-Peel", "CDP-Peel"]
    assert all(mechanism.name == name for name, mechanism in MECHANISMS.items())


PARAMETERS = [
    ({"k": 0}, ValueError, r"k must be at least 1, got 0"),
    ({"k": -3}, ValueError, r"k must be at least 1, got -3"),
    ({"k": 2.0}, TypeError, r"k must be an integer, got 2\.0"),
    ({"k": True}, TypeError, r"k must be an integer, got True"),
    ({"k": "2"}, TypeError, r"k must be an integer, got '2'"),
    ({"k": None}, TypeError, r"k must be an integer, got None"),
    ({"epsilon": 0}, ValueError, r"epsilon must be a finite number above 0, got 0"),
    ({"epsilon": -1.0}, ValueError, r"epsilon must be a finite number above 0, got -1"),
    ({"epsilon": float("inf")}, ValueError, r"epsilon must be a finite number above 0, got inf"),
    ({"epsilon": float("nan")}, ValueError, r"epsilon must be a finite number above 0, got nan"),
    ({"epsilon": "1"}, TypeError, r"epsilon must be a number, got '1'"),
    ({"epsilon": True}, TypeError, r"epsilon must be a number, got True"),
    ({"epsilon": 1j}, TypeError, r"epsilon must be a number, got 1j"),
    ({"neighbors": "swap"}, TypeError, r"neighbors must be one of .*SWAP, got 'swap'"),
    ({"neighbors": None}, TypeError, r"neighbors must be one of .*got None"),
]


@pytest.mark.parametrize(("wrong", "error", "message"), PARAMETERS)
@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_wrong_parameters(mechanism, wrong, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(mechanism, **wrong)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"delta": 1.0}, ValueError, r"delta must be in \[0, 1\), got 1"),
        ({"delta": -1e-9}, ValueError, r"delta must be in \[0, 1\), got -1e-09"),
        ({"delta": float("nan")}, ValueError, r"delta must be in \[0, 1\), got nan"),
        ({"delta": "0"}, TypeError, r"delta must be a number, got '0'"),
        ({"delta": False}, TypeError, r"delta must be a number, got False"),
        (
            {"calibration": "tight"},
            ValueError,
            r"calibration must be one of 'paper', 'optimal', got 'tight'",
        ),
        ({"calibration": 3}, TypeError, r"calibration must be a string, got 3"),
    ],
)
def test_wrong_parameters_of_cdp_peel(wrong, error, message):
    with pytest.raises(error, match=message):
        dataclasses.replace(CDPPeel(2, 1.0, 1e-6), **wrong)


SAMPLES = [
    (([5, 3, 1], 1, None), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((np.array([5, 3, 1]), 1, None), TypeError, r"counts must be .* wrap an array as ItemCounts"),
    ((ItemCounts([5]), 1, None), ValueError, r"k must be in \[1, 1\] for 1 items, got 2"),
    ((SortedCounts([5], [1]), 1, None), ValueError, r"k must be in \[1, 1\] for 1 items, got 2"),
    ((COUNTS, -1, None), ValueError, r"n must be at least 0, got -1"),
    ((COUNTS, 1.0, None), TypeError, r"n must be an integer, got 1\.0"),
    ((COUNTS, True, None), TypeError, r"n must be an integer, got True"),
    ((COUNTS, 1, 0), TypeError, r"rng must be a numpy.random.Generator .*got 0"),
    ((COUNTS, 1, np.random), TypeError, r"rng must be a numpy.random.Generator"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), SAMPLES)
@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_wrong_arguments_of_sample(mechanism, arguments, error, message, rng):
    counts, n, generator = arguments
    with pytest.raises(error, match=message):
        mechanism.sample(counts, n, rng if generator is None else generator)


LOG_PMF = [
    (([5, 3, 1], [[0, 1]]), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((ItemCounts([5]), [[0, 0]]), ValueError, r"k must be in \[1, 1\] for 1 items, got 2"),
    ((COUNTS, [0, 1]), ValueError, r"sequences must have shape \(m, 2\), got \(2,\)"),
    ((COUNTS, [[0, 1, 2]]), ValueError, r"sequences must have shape \(m, 2\), got \(1, 3\)"),
    ((COUNTS, [[[0, 1]]]), ValueError, r"sequences must have shape \(m, 2\)"),
    ((COUNTS, [[0, 3]]), ValueError, r"sequences must hold positions in \[0, 2\], got 3"),
    ((COUNTS, [[0, 1], [-1, 2]]), ValueError, r"sequences must hold .* \[0, 2\], got -1"),
    ((COUNTS, [[0.0, 1.0]]), TypeError, r"sequences must hold integer positions, got dtype"),
    ((COUNTS, [["a", "b"]]), TypeError, r"sequences must hold integer positions, got dtype"),
    ((COUNTS, [[True, False]]), TypeError, r"sequences must hold integer positions, got dtype"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), LOG_PMF)
@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_wrong_arguments_of_log_pmf(mechanism, arguments, error, message):
    with pytest.raises(error, match=message):
        mechanism.log_pmf(*arguments)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_nothing_asked_nothing_given(mechanism, rng):
    samples = mechanism.sample(COUNTS, 0, rng)
    assert (samples.shape, samples.dtype) == ((0, 2), np.int64)
    assert mechanism.log_pmf(COUNTS, np.empty((0, 2), dtype=np.int64)).shape == (0,)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_shape_and_kind_of_what_comes_back(mechanism, rng):
    samples = mechanism.sample(COUNTS, np.int64(7), rng)
    assert (samples.shape, samples.dtype) == ((7, 2), np.int64)
    assert samples.flags.c_contiguous
    log_p = mechanism.log_pmf(COUNTS, samples.astype(np.uint8))
    assert (log_p.shape, log_p.dtype) == ((7,), np.float64)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_frozen_and_comparable(mechanism):
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.epsilon = 2.0
    assert mechanism == dataclasses.replace(mechanism, epsilon=1)
    assert hash(mechanism) == hash(dataclasses.replace(mechanism, k=np.int32(2)))
    assert isinstance(dataclasses.replace(mechanism, k=np.int32(2)).k, int)


@pytest.mark.parametrize("neighbors", list(NeighborRelation))
@pytest.mark.parametrize("mechanism", PURE)
def test_pure_guarantee(mechanism, neighbors):
    guarantee = mechanism(3, 0.25, neighbors).guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.neighbors) == (0.25, 0.0, neighbors)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_positions_refer_to_the_counts_as_given(mechanism, rng):
    """Unsorted counts, a large epsilon: the top items' own positions come out."""
    sure = dataclasses.replace(mechanism, epsilon=1e5)
    samples = sure.sample(ItemCounts([1, 90, 0, 50]), 20, rng)
    assert np.all(samples == [1, 3])


@pytest.mark.parametrize("epsilon", [1e-300, 1e300])
@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: m.name)
def test_extreme_epsilon_makes_no_noise_of_its_own(mechanism, epsilon, rng):
    """No warning, no nan: uniform at one end, the true top k at the other."""
    extreme = dataclasses.replace(mechanism, epsilon=epsilon)
    log_p = extreme.log_pmf(COUNTS, [[0, 1], [1, 0], [2, 1]])
    if epsilon < 1:
        np.testing.assert_allclose(log_p, -np.log(6), rtol=1e-10)
        assert len(np.unique(extreme.sample(COUNTS, 200, rng), axis=0)) == 6
    else:
        assert log_p[0] == pytest.approx(0, abs=1e-12)
        assert np.all(log_p[1:] < -1e200)
        assert np.all(extreme.sample(COUNTS, 200, rng) == [0, 1])
