"""Test that exact draws have exactly the law that a mechanism states.

Small laws are written out by their definitions.  For them every string of bits up to a length is
fed to the sampler: what it finishes on is mass that an output has for certain, and what it does
not finish on is all that any output may have beyond.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from references import REFERENCES
from scipy import stats
from tapes import walked

import dptopk
from dptopk import (
    MECHANISMS,
    NOTHING,
    AdaptiveK,
    CDPPeel,
    EMPeel,
    Gamma,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    LimitedDomain,
    NeighborRelation,
    OneShotCounts,
    OutputDistribution,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    PrivateCountRelease,
    SortedCounts,
    StableSet,
    can_publish,
    exact_sample,
    goodness_of_fit,
)
from dptopk.mechanisms import NoExactDrawError
from dptopk.mechanisms.kernels import exact_choice
from dptopk.mechanisms.pitfalls import MisscaledCDPPeel

SWAP = NeighborRelation.SWAP
ALPHA = 1e-6  # chance that one test of draws against their true law fails

Law = dict[tuple[int, ...], float]


class SeededBits:
    """A source of bits that can be repeated, and counts them."""

    def __init__(self, seed: int = 0):
        self._rng = np.random.default_rng(seed)
        self.drawn = 0

    def __call__(self, n: int) -> int:
        self.drawn += n
        return int.from_bytes(self._rng.bytes((n + 7) // 8)) >> (-n % 8)


# --- laws by their definitions -----------------------------------------------------------


def law_of(mechanism, counts) -> Law:
    """The law that the conformance tests hold the floats against, an entry each."""
    outputs = mechanism.outputs.every(len(counts), mechanism.k).tolist()
    law = REFERENCES[type(mechanism).card.key].log_pmf(mechanism, list(counts), outputs)
    found = zip(map(tuple, outputs), np.exp(law).tolist(), strict=True)
    return {output: p for output, p in found if p > 0}


# --- every string of bits ----------------------------------------------------------------

ENUMERATED = [  # and a length, by what it costs
    (Joint(2, 1.0), (3, 2, 0), 11),
    (Joint(2, 3.0, SWAP), (2, 2, 2), 10),
    (Joint(2, 8.0), (1, 0), 10),
    (PNFJoint(2, 1.0), (3, 2, 0), 10),
    (PNFJoint(1, 2.0), (1, 1, 0), 10),
    (InverseSensitivitySet(2, 1.0), (4, 3, 1, 1), 11),
    (InverseSensitivitySet(2, 2.0, SWAP), (1, 1, 1, 0), 11),
    (PNFInverseSensitivitySet(2, 1.0), (4, 3, 1, 1), 11),
    (PNFPeel(1, 1.0), (3, 2, 2), 10),
    (PNFPeel(2, 4.0), (2, 1, 1), 10),
    (EMPeel(2, 2.0), (3, 1), 10),
    (CDPPeel(2, 2.0, 0.25), (3, 2, 0), 10),
    (LimitedDomain(1, 2.0, 0.5, k_bar=2), (5, 4, 1), 10),
    (LimitedDomain(1, 2.0, 0.5, k_bar=2, max_items=1), (5, 4, 1), 10),
    (PrivateCountRelease(1, 4.0, 0.5, k_bar=2), (5, 4, 1), 10),
    (StableSet(2, 0.5, 0.125), (7, 5, 2), 12),
    (StableSet(1, 0.5, 0.125), (7, 2, 2), 12),
    (AdaptiveK(2, 2.0, 0.125), (7, 5, 2), 10),
]
ROUNDING = 1e-9
"""Of the laws, which are floats here.  A string of bits is a mass of 2^-12 or more."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "counts", "length"),
    [pytest.param(*case, id=f"{case[0].label}-{case[1]}") for case in ENUMERATED],
)
def test_no_string_of_bits_leads_elsewhere(mechanism, counts, length):
    data, law = ItemCounts(counts), law_of(mechanism, counts)
    finished, unfinished = walked(
        lambda bits: tuple(exact_sample(mechanism, data, bits).tolist()), length
    )
    assert set(finished) <= set(law)
    for output, probability in law.items():
        assert finished[output] <= probability + ROUNDING, output
        assert finished[output] + unfinished[-1] >= probability - ROUNDING, output
    assert unfinished[-1] <= Fraction(7, 8) * unfinished[-4]


# --- draws -------------------------------------------------------------------------------


def judged(law: Law, drawn: list[tuple[int, ...]]) -> float:
    """P-value of the chi-squared test, in which rare outputs are pooled."""
    assert set(drawn) <= set(law)
    outputs = np.array([*law])
    with np.errstate(divide="ignore"):  # log 0 = -inf
        log_p = np.log([*law.values()])
    whole = OutputDistribution(outputs - outputs.min(), log_p, tuple(map(str, range(302))))
    return goodness_of_fit(whole, np.array(drawn) - outputs.min()).p_value


def draws(mechanism, data, n: int, bits=None) -> list[tuple[int, ...]]:
    bits = bits or SeededBits(n)
    return [tuple(exact_sample(mechanism, data, bits).tolist()) for _ in range(n)]


DRAWN = [
    (Joint(3, 2.0), (3, 9, 9, 5, 0, 4)),
    (Joint(2, 1.0, SWAP), (40, 39, 12, 12, 3)),
    (Joint(3, 5.0), (2, 1, 1)),
    (PNFJoint(2, 2.0), (3, 9, 9, 5, 0)),
    (PNFJoint(2, 1.0, SWAP), (40, 12, 39, 3)),
    (InverseSensitivitySet(3, 2.0), (3, 9, 9, 5, 0, 4)),
    (InverseSensitivitySet(2, 1.0, SWAP), (40, 39, 12, 12, 3)),
    (InverseSensitivitySet(2, 1.0), (2, 1)),
    (PNFInverseSensitivitySet(3, 1.0), (3, 9, 9, 5, 0, 4)),
    (PNFInverseSensitivitySet(1, 0.5, SWAP), (5, 5, 1)),
    (PNFPeel(3, 3.0), (3, 9, 9, 5)),
    (PNFPeel(2, 3.0, SWAP), (1, 0, 0)),
    (EMPeel(3, 3.0), (3, 9, 9, 5)),
    (CDPPeel(3, 2.0, 0.125), (3, 9, 9, 5)),
    (CDPPeel(2, 1.0, 0.0, calibration="optimal"), (2, 1)),
    (CDPPeel(2, 1.0, 0.125, SWAP, "optimal"), (5, 4, 4)),
    (LimitedDomain(2, 2.0, 0.5, k_bar=3), (8, 3, 9, 5, 1)),
    (LimitedDomain(2, 0.5, 0.75, SWAP), (8, 7, 9, 5, 1)),
    (LimitedDomain(2, 0.5, 0.75, SWAP, max_items=1), (8, 7, 9, 5, 1)),
    (PrivateCountRelease(2, 4.0, 0.5, k_bar=3), (8, 3, 9, 5, 1)),
    (PrivateCountRelease(2, 2.0, 0.75, SWAP, max_items=1), (8, 7, 9, 5, 1)),
    (OneShotCounts(2, 3.0, 0.125), (3, 9, 9, 5)),
    (StableSet(2, 1.0, 0.125), (5, 9, 1)),
    (StableSet(1, 1.0, 0.75, SWAP), (5, 1, 9)),
    (AdaptiveK(3, 3.0, 0.125), (5, 9, 1, 1)),
    (AdaptiveK(2, 2.0, 0.25, SWAP), (5, 3)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "counts"), [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in DRAWN]
)
def test_draws_follow_the_law(mechanism, counts):
    drawn = draws(mechanism, ItemCounts(counts), 1000)
    assert judged(law_of(mechanism, counts), drawn) > ALPHA


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1e9, 1e-9])
@pytest.mark.parametrize(
    ("mechanism", "counts"),
    [
        (Joint(2, 2.0), (9, 7, 4, 0)),
        (PNFJoint(2, 2.0), (9, 7, 4, 0)),
        (InverseSensitivitySet(2, 1.0), (9, 8, 7, 0)),
        (PNFPeel(2, 2.0), (9, 7, 4)),
    ],
)
def test_floats_do_not_decide(mechanism, counts, ratio, monkeypatch):
    """Blocks chosen by floats, as few or as many as can be, leave the law as it is."""
    monkeypatch.setattr(exact_choice, "_LOG_RATIO", ratio)
    drawn = draws(mechanism, ItemCounts(counts), 600)
    assert judged(law_of(mechanism, counts), drawn) > ALPHA


@pytest.mark.slow
def test_time_goes_on_after_a_refusal():
    """Where most proposals are refused: time that began anew would lose the best 3% of its 63%."""
    data, bits = SortedCounts([3, 0], [1, 20]), SeededBits()
    best = sum(exact_sample(PNFPeel(1, 1.0), data, bits)[0] == 0 for _ in range(10_000))
    q = math.exp(-3)
    chance = math.fsum(math.comb(20, i) * (-q) ** i / (i + 1) for i in range(21))
    assert stats.binomtest(best, 10_000, chance).pvalue > ALPHA


@pytest.mark.parametrize("mechanism", [Joint(2, 2.0), CDPPeel(2, 2.0, 0.0), PNFPeel(2, 2.0)])
def test_a_wrong_law_is_found_out(mechanism):
    counts = (3, 2, 0)
    law = law_of(mechanism.replaced(epsilon=1.0), counts)
    assert judged(law, draws(mechanism, ItemCounts(counts), 1000)) < ALPHA


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [EMPeel(2, 2.0), CDPPeel(2, 2.0, 0.0), PNFPeel(2, 2.0)])
@pytest.mark.parametrize("largest", [2**53, 2**53 - 1, 10**6])
def test_a_huge_gap_leaves_the_rest_as_they_are(mechanism, largest):
    drawn = draws(mechanism, ItemCounts([largest, 1, 0]), 400)
    assert {first for first, _ in drawn} == {0}
    after = law_of(mechanism.replaced(k=1, epsilon=mechanism.epsilon / 2), (0, 1, 0)[1:])
    law = {(0, 1 + i): p for (i,), p in after.items()}
    assert judged(law, drawn) > ALPHA


@pytest.mark.parametrize(
    "cls", [Joint, PNFJoint, InverseSensitivitySet, PNFInverseSensitivitySet, PNFPeel, EMPeel]
)
def test_an_enormous_epsilon_gives_the_truth(cls):
    for counts in ((2**53, 7, 2**53 - 1, 6), (7, 5, 6, 4)):
        assert set(draws(cls(2, 1e12), ItemCounts(counts), 20)) == {(0, 2)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "cls", [Joint, PNFJoint, InverseSensitivitySet, PNFInverseSensitivitySet, PNFPeel, EMPeel]
)
def test_a_tiny_epsilon_gives_anything(cls):
    mechanism, data = cls(2, 1e-9), ItemCounts([90, 0, 8, 7])
    uniform = {
        tuple(output): 1 / mechanism.outputs.n_outputs(4, 2)
        for output in mechanism.outputs.every(4, 2).tolist()
    }
    assert judged(uniform, draws(mechanism, data, 600)) > ALPHA


def test_wide_gaps_at_a_tiny_epsilon():
    """A rate 2^29 times smaller and gaps 2^29 times as wide give the same law."""
    wide = draws(Joint(1, 2.0**-28), ItemCounts([3 * 2**29, 2**30, 0]), 600)
    assert judged(law_of(Joint(1, 2.0), (3, 2, 0)), wide) > ALPHA


PUBLISHED = [
    made
    for kind in MECHANISMS.values()
    if can_publish(made := kind(2, 1.0, **({"delta": 1e-6} if kind.card.takes("delta") else {})))
]
by_label = pytest.mark.parametrize("mechanism", PUBLISHED, ids=lambda mechanism: mechanism.label)


@by_label
def test_the_system_draws_rows_as_samplers_do(mechanism):
    for counts in ([4, 4], [2**53, 2**53, 2**53], range(300), [0, 0, 0]):
        row = exact_sample(mechanism, ItemCounts(list(counts)))
        assert row.dtype == np.int64
        assert row.shape == (2,)
        checked = mechanism.outputs.check("row", row[None], len(counts), 2)
        assert mechanism.outputs.possible(checked).all()
        assert (mechanism.outputs.canonical(checked) == checked).all()
    if mechanism.outputs.short:
        assert exact_sample(mechanism.replaced(k=1), ItemCounts([5])).shape == (1,)
    else:
        assert exact_sample(mechanism.replaced(k=1), ItemCounts([5])).tolist() == [0]


@by_label
def test_the_same_bits_give_the_same_draw_by_ranks(mechanism):
    data = ItemCounts([7, 90, 7, 12, 55, 0, 12])
    by_rank = exact_sample(mechanism, data.sorted, SeededBits())
    given = np.where(by_rank == NOTHING, NOTHING, data.order[by_rank])
    given = mechanism.outputs.canonical(given[None])[0]
    assert exact_sample(mechanism, data, SeededBits()).tolist() == given.tolist()


def test_many_items_cost_what_their_distinct_counts_do():
    data, bits = SortedCounts(range(1000, 0, -1), [10**12] * 1000), SeededBits()
    ranks = exact_sample(Joint(20, 1.0), data, bits)
    assert len(set(ranks.tolist())) == 20
    assert bits.drawn < 20 * (np.log2(10**15) + 2) + 100


def test_one_shot_counts_come_rounded():
    """P(0) = 1 - e^(-x/2), else sign and 1 + geometric."""
    mechanism, data, bits = OneShotCounts(2, 4.0, 0.0), ItemCounts([900, 400, 1]), SeededBits()
    off = []
    for _ in range(600):
        released = mechanism.released_exactly(data, bits)
        assert released.positions.tolist() == [[0, 1]]
        assert released.counts is not None
        off += (released.counts[0] - [900, 400]).astype(int).tolist()
    x = mechanism.count_epsilon
    ends = np.arange(-3, 4) + 0.5
    below = stats.laplace.cdf(ends, scale=1 / x)
    seen = np.histogram(np.clip(off, -3, 4), np.append(-np.inf, np.append(ends, np.inf)))[0]
    expected = np.diff(np.concatenate([[0.0], below, [1.0]])) * len(off)
    assert stats.chisquare(seen, expected).pvalue > ALPHA


def discrete_gaussian(variance: Fraction, reach: int) -> Law:
    """P(i) by its definition; what is left out beyond the reach is under 1e-80."""
    weights = {(i,): math.exp(-(i**2) / (2 * variance)) for i in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    return {i: weight / total for i, weight in weights.items()}


VARIANCES = [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(401, 10)]


@pytest.mark.parametrize("variance", VARIANCES)
def test_discrete_gaussian_noise_has_its_law(variance):
    law, bits = discrete_gaussian(variance, 150), SeededBits()
    drawn = [(exact_choice.discrete_gaussian(variance, bits),) for _ in range(1500)]
    assert judged(law, drawn) > ALPHA
    for factor in (Fraction(1, 2), Fraction(3, 2)):
        assert judged(discrete_gaussian(factor * variance, 150), drawn) < ALPHA


@pytest.mark.parametrize("variance", VARIANCES[:3])
def test_no_string_of_bits_leads_to_other_noise(variance):
    """Finished mass is at most each probability, and all that is unfinished at least the rest."""
    law = discrete_gaussian(variance, 80)
    finished, (*_, left) = walked(
        lambda bits: (exact_choice.discrete_gaussian(variance, bits),), 11
    )
    assert set(finished) <= set(law)
    for output, probability in law.items():
        assert finished[output] <= probability + ROUNDING
        assert finished[output] + left >= probability - ROUNDING
    assert left < Fraction(2, 3)


def test_counts_of_a_private_count_release_come_with_whole_noise():
    mechanism, bits = PrivateCountRelease(2, 20.0, 0.1), SeededBits()
    data = ItemCounts([900, 400, 1])
    drawn = []
    for _ in range(600):
        released = mechanism.released_exactly(data, bits)
        assert released.positions.tolist() == [[0, 1]]
        assert released.counts is not None
        drawn += [(int(off),) for off in released.counts[0] - [900, 400]]
    assert judged(discrete_gaussian(mechanism.exact_count_variance, 60), drawn) > ALPHA


# --- what cannot be drawn, and wrong arguments -------------------------------------------


def test_every_mechanism_is_drawn_or_says_why_not():
    published = {type(mechanism) for mechanism in PUBLISHED}
    for cls in MECHANISMS.values():
        assert (cls in published) == (cls._exact_ranks is not dptopk.Mechanism._exact_ranks)
        assert cls.card.not_exact.endswith(".")
    assert not can_publish(Gamma(2, 1.0))
    with pytest.raises(NoExactDrawError, match=r"Gamma cannot be drawn exactly\. It compares"):
        exact_sample(Gamma(2, 1.0), ItemCounts([2, 1]))


class TwiceTheRate(Joint):
    @property
    def rate(self) -> float:
        return 2 * super().rate


@pytest.mark.parametrize(
    "mechanism", [TwiceTheRate(1, 1.0), MisscaledCDPPeel(1, 1.0, 1e-6, factor=2.0)]
)
def test_variants_do_not_inherit_the_exact_sampler(mechanism):
    assert not can_publish(mechanism)
    with pytest.raises(NoExactDrawError, match=r"cannot be drawn exactly\. "):
        exact_sample(mechanism, ItemCounts([2, 1]))


def test_arguments_are_checked():
    data = ItemCounts([2, 1])
    with pytest.raises(TypeError, match="mechanism must be a mechanism, got 3"):
        exact_sample(3, data)
    with pytest.raises(TypeError, match="counts must be ItemCounts or SortedCounts, got list"):
        exact_sample(Joint(1, 1.0), [2, 1])
    with pytest.raises(ValueError, match=r"k must be in \[1, 2\] for 2 items, got 3"):
        exact_sample(Joint(3, 1.0), data)
    with pytest.raises(TypeError, match="bits must be a function of a number of bits, got 7"):
        exact_sample(Joint(1, 1.0), data, bits=7)


@by_label
def test_no_generator_of_floats_is_used(mechanism, monkeypatch):
    """Neither numpy's nor Python's: a draw from a source given does not even ask the system."""

    def refuse(*arguments, **named):
        raise AssertionError("another source of randomness")

    bits = SeededBits()
    for name in ("secrets.randbits", "random.random", "numpy.random.default_rng"):
        monkeypatch.setattr(name, refuse)
    exact_sample(mechanism, ItemCounts([5, 3, 1]), bits)
    assert bits.drawn or mechanism.outputs.short
