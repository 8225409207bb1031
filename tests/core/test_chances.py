"""Test probabilities close to 1: their complements against sums over all other outputs."""

import contextlib
import math

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    ErrorLaw,
    ItemCounts,
    Joint,
    NoClosedFormError,
    load_dataset,
    output_distribution,
)
from dptopk.core.errors import is_exact_sequence, is_exact_set
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.laws.distribution import log_complements
from dptopk.laws.exact import chance_exact_sequence, chance_exact_set

CASES = [
    *([30, 20, 10, 0], [90, 60, 30, 30, 1], [90, 60, 60, 30, 1], [500, 300, 100]),
    *([3000, 2000, 1000, 0, 0], [7, 7, 7], [7], [2**40, 2**39, 1, 0]),
    *([1000, 800, 800, 800, 5, 1], [9, 9, 9, 2, 2]),
]
# Those by loss always know the complement, those by gap where places k and k + 1 differ.
BY_LOSS = ("Joint", "PNFJoint", "JointSet")
BY_GAP = ("InverseSensitivitySet", "PNFInverseSensitivitySet")


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, pytest.param(1, marks=pytest.mark.grid)])
@pytest.mark.parametrize("cls", MECHANISMS.values(), ids=lambda cls: cls.card.key)
def test_what_is_distance_from_1(cls, turn):
    """Each case at two of four epsilons, the next one at the other two."""
    for number, counts in enumerate(CASES, start=turn):
        for epsilon in [(0.5, 10.0), (2.0, 60.0)][number % 2]:
            check_what_is_distance_from_1(cls, counts, epsilon)


def check_what_is_distance_from_1(cls, counts, epsilon):
    data = ItemCounts(counts)
    parameters = {"delta": 1e-3} if cls.card.takes("delta") else {}
    for k in range(1, len(counts) + 1):
        mechanism = cls(k=k, epsilon=epsilon, **parameters)
        chances = []
        for chance_of, right in (
            (chance_exact_sequence, is_exact_sequence),
            (chance_exact_set, is_exact_set),
        ):
            with contextlib.suppress(NoClosedFormError):
                chances.append((chance_of(data, mechanism), right))
        if not chances:
            continue
        every = mechanism.outputs.every(data.d, k)
        log_p = mechanism.log_pmf(data, every)
        for chance, right in chances:
            wrong = log_p[~right(data, every, mechanism.outputs)]
            expected = np.logaddexp.reduce(wrong, initial=-np.inf)
            if math.isnan(
                chance.log_complement
            ):  # not known: then it is tiny, and not called certain
                assert -np.inf < expected < math.log(1e-6)
                assert cls.card.key not in BY_LOSS
                assert cls.card.key not in BY_GAP or counts[k - 1] == counts[k]
            else:
                assert chance.log_complement == pytest.approx(expected, rel=1e-14, abs=1e-6)
            assert chance.probability == pytest.approx(-math.expm1(expected), abs=1e-11)


@pytest.mark.parametrize(
    ("chance", "brief", "how"),
    [
        (Estimate.of_logs(0.0, -40.0), "> 99.9999%", "exact"),
        (Estimate.of_logs(0.0, -math.inf), "100%", "exact"),
        (Estimate.of_logs(math.log(1e-9), -1e-9), "1.0e-9", "exact"),
        (Estimate.of_logs(-29_501.0, 0.0), "e^-29,501", "exact"),  # no float holds it: it is none
        (Estimate.of_logs(math.log(0.25), math.log(0.75)), "25.0%", "exact"),
        (Estimate(0.5, 0.4, 0.6, 96, PROBABILITY), "50.0%", "simulated (95%: 40.0% to 60.0%)"),
    ],
)
def test_a_chance_is_written_for_those_who_decide(chance, brief, how):
    assert (chance.brief, chance.how) == (brief, how)


def test_far_beyond_what_a_float_can_hold():
    """Gaps of 1,000 users at rate 1: the complement is about e^-1000, which no float holds."""
    counts = ItemCounts([3000, 2000, 1000])
    peel = MECHANISMS["CDP-Peel"](k=2, epsilon=2.0, delta=0)
    for chance in (chance_exact_sequence(counts, peel), chance_exact_set(counts, peel)):
        assert chance.probability == 1.0
        assert -1_001 < chance.log_complement < -999
    law = output_distribution(counts, peel)
    assert law.probabilities[0] == 1.0
    assert -1_001 < law.log_complements[0] < -999


@pytest.mark.parametrize(
    ("name", "rate"), [("Joint", 0.5), ("Joint set", 0.5), ("Inverse sensitivity", 1.0)]
)
def test_the_complement_of_one_of_many_items_in_closed_form(name, rate):
    games = load_dataset("games")
    weights = rate * (games.counts[games.order].astype(float) - games.counts.max())
    if name == "Inverse sensitivity":  # its top set has the gap in addition; half the rate a user
        weights = weights * 0.5
        weights[0] -= weights[1]
    expected = np.logaddexp.reduce(weights[1:]) - np.logaddexp.reduce(weights)
    chance = chance_exact_set(games, MECHANISMS[name](k=1, epsilon=1.0))
    assert chance.log_complement == pytest.approx(expected, abs=1e-6)
    assert expected < -1_000


def test_complements_of_a_whole_distribution():
    assert log_complements(np.array([0.0])).tolist() == [-np.inf]  # the only output
    for p in ([0.5, 0.5], [0.25] * 4, [0.7, 0.2, 0.1], [1 - 1e-9, 1e-9]):
        expected = [math.log(sum(np.delete(p, i))) for i in range(len(p))]
        np.testing.assert_allclose(log_complements(np.log(p)), expected, rtol=1e-9, atol=1e-15)


def test_what_lies_beyond_a_value_of_a_law():
    law = ErrorLaw(np.array([0, 3, 9]), np.log([1 - 2e-9, 1e-9, 1e-9]))
    np.testing.assert_allclose(law.log_beyond[:2], np.log([2e-9, 1e-9]), rtol=1e-12)
    assert np.isnan(law.log_beyond[2])  # what was left out may lie beyond
    joint = Joint(2, 1.0).error_law(ItemCounts([400, 300, 0]).sorted, "signed_max")
    assert joint.log_beyond[0] != -np.inf  # an error is possible, if hardly


@pytest.mark.parametrize(
    "name", ["Joint", "PNFJoint", "Joint set", "Inverse sensitivity", "PNF inverse sensitivity"]
)
@pytest.mark.parametrize(
    ("counts", "k"),
    [
        ([60, 42, 32, 32, 32, 20], 3),  # places k and k + 1 tie
        ([60, 48, 48, 48, 47, 2], 2),
        ([60, 60, 48, 48, 48, 48], 4),
        ([60, 60, 60, 50, 50, 9], 4),
        ([60, 47, 33, 25, 9], 3),
    ],
)
def test_how_far_a_set_is_from_certain_is_known_with_cut_ties_too(counts, k, name):
    data, mechanism = ItemCounts(counts), MECHANISMS[name](k=k, epsilon=4.0)
    chance = chance_exact_set(data, mechanism)
    every = mechanism.outputs.every(data.d, k)
    wrong = mechanism.log_pmf(data, every)[~is_exact_set(data, every, mechanism.outputs)]
    assert chance.log_complement == pytest.approx(np.logaddexp.reduce(wrong), abs=1e-6)
