"""Test draws on many items against the exact law of an error or of a place.

On few items, and with ties merged, every output is a cell: see `test_conformance_draws`.
"""

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
    exact_error,
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.core.errors import is_exact_sequence, is_exact_set
from dptopk.mechanisms.kernels import peeling

ADD_REMOVE, SWAP = NeighborRelation
NAMES = ("Joint", "PNFJoint", "PNFPeel", "CDPPeel", "CDPPeel-optimal")
N = 100_000


def make(name, k, epsilon, neighbors=ADD_REMOVE):
    """A mechanism by name; CDP-Peel at delta = 1e-3, where it differs from delta = 0."""
    if name.startswith("CDPPeel"):
        calibration = "optimal" if name.endswith("optimal") else "paper"
        return CDPPeel(k, epsilon, 1e-3, neighbors, calibration)
    return {"Joint": Joint, "PNFJoint": PNFJoint, "PNFPeel": PNFPeel}[name](k, epsilon, neighbors)


# --- many items --------------------------------------------------------------------------


@pytest.fixture
def many_counts(rng):
    """Heavy-tailed counts in random order, most of them tied."""

    def build(d: int, top: float) -> ItemCounts:
        return ItemCounts(rng.permutation(np.floor(top / np.arange(1, d + 1) ** 0.7)))

    return build


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "k", "epsilon", "neighbors"),
    [
        *((300, 3, 0.5, ADD_REMOVE), (2000, 10, 1.0, SWAP)),
        *((2000, 60, 4.0, ADD_REMOVE), (200, 200, 20.0, SWAP)),
    ],
)
@pytest.mark.parametrize("name", ["Joint", "PNFJoint"])
def test_errors_follow_their_exact_law(name, d, k, epsilon, neighbors, many_counts, rng, fits_law):
    counts = many_counts(d, 300)
    mechanism = make(name, k, epsilon, neighbors)
    released = counts.counts[mechanism.sample(counts, 10_000, rng)]
    best = np.sort(counts.counts)[::-1][:k]
    signed = exact_error(counts, mechanism, "signed_max")
    assert fits_law(signed.values, signed.log_probabilities, (best - released).max(axis=1))
    relative = exact_error(counts, mechanism, "k_relative")
    assert fits_law(relative.values, relative.log_probabilities, best[-1] - released.min(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("d", [300, 2000])
@pytest.mark.parametrize("k", [5, 60])
@pytest.mark.parametrize("name", ["PNFPeel", "CDPPeel"])
def test_first_item_of_many_rounds(name, k, d, many_counts, rng, fits_law):
    """The first of k rounds is the mechanism with one round at the same rate."""
    counts = many_counts(d, 300)
    mechanism = make(name, k, 8.0)
    rate = mechanism.rate if name == "PNFPeel" else mechanism.local_epsilon
    alone = PNFPeel(1, rate) if name == "PNFPeel" else CDPPeel(1, rate, 0.0)
    log_p = alone.log_pmf(counts, np.arange(d)[:, None])
    drawn = mechanism.sample(counts, 10_000, rng)[:, 0]
    assert fits_law(np.arange(d), log_p, drawn)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", [ADD_REMOVE, SWAP])
@pytest.mark.parametrize("name", NAMES)
def test_share_of_exact_releases(name, neighbors, many_counts, rng, fits_chance):
    """Right in order and right as a set, d = 2000, against the exact probabilities."""
    counts = many_counts(2000, 3000)
    epsilon = (0.03 if name == "CDPPeel-optimal" else 0.05) * (1 if neighbors is ADD_REMOVE else 2)
    mechanism = make(name, 6, epsilon, neighbors)
    samples = mechanism.sample(counts, N // 4, rng)

    in_order = probability_exact_sequence(counts, mechanism)
    assert 0.01 < in_order < 0.99  # else the test could hardly fail
    assert fits_chance(in_order, is_exact_sequence(counts, samples))
    as_a_set = probability_exact_set(counts, mechanism)
    assert 0.01 < as_a_set < 0.99
    assert fits_chance(as_a_set, is_exact_set(counts, samples))


# --- power -------------------------------------------------------------------------------


def test_awkward_cases_do_thin_blocks():
    """Cases of `test_conformance_draws` put several counts into a block: draws are thinned."""
    counts = ItemCounts(range(30)).sorted
    for mechanism in (PNFPeel(2, 0.3), CDPPeel(2, 0.3, 1e-3), PNFPeel(1, 0.1)):
        rate = getattr(mechanism, "rate", None) or mechanism.local_epsilon
        blocks = peeling.CountBlocks.cut(counts, mechanism.k, rate)
        assert blocks.size.max() >= 4
        assert blocks.size.size >= 2


def test_a_wrong_law_is_noticed_on_many_items(many_counts, rng, fits_law):
    counts = many_counts(2000, 300)
    drawn = exact_error(counts, Joint(10, 1.0), "signed_max")
    values = rng.choice(drawn.values, 10_000, p=drawn.probabilities / drawn.probabilities.sum())
    assert fits_law(drawn.values, drawn.log_probabilities, values)
    for wrong in (Joint(10, 0.8), Joint(10, 1.2), Joint(10, 1.0, SWAP), PNFJoint(10, 1.2)):
        law = exact_error(counts, wrong, "signed_max")
        assert not fits_law(law.values, law.log_probabilities, values)
    impossible = np.append(values[:-1], drawn.values[-1] + 10**6)
    assert not fits_law(drawn.values, drawn.log_probabilities, impossible)
