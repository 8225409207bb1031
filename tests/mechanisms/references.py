"""One entry a mechanism: its pmf, slowly and by other means, and what else is to be known of it.

A mechanism that is registered without an entry here fails the conformance tests.  A reference
reads a mechanism's fields (k, epsilon, neighbors, its own parameters) and nothing it computes.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath
import numpy as np
from dptopk_toys import ToyCounts, ToySet, ToyShort
from scipy.special import logsumexp

from dptopk import (
    NOTHING,
    CDPPeel,
    InverseSensitivitySet,
    Joint,
    Mechanism,
    NeighborRelation,
    PNFJoint,
    PNFPeel,
)
from dptopk.accounting import local_epsilon

SlowPmf = Callable[[Mechanism, list[int], list[list[int]]], Sequence[float]]


@dataclass(frozen=True)
class Reference:
    """What the conformance tests know of a mechanism beyond what it says itself.

    Parameters
    ----------
    log_pmf : callable
        (mechanism, counts, outputs) -> log probabilities: slow, plain and independent.
    settings : tuple of dict
        Values of its own parameters to test it at.
    blind : dict or None
        Values at which no epsilon means a uniform output; None if there are none.
    ignores_shift : callable
        (mechanism, d) -> whether a constant added to all counts changes nothing.
    finds : callable
        (counts that came out, true top counts) -> whether each is what a large budget gives.
    spends : float
        Share of epsilon (of delta, where it has one) that some small data use up at least.
    spends_at : tuple
        (k, epsilon, own parameters) at which they do.
    noise_cdf : callable, optional
        (mechanism, noise) -> distribution function of the noise on released counts.
    telling : tuple of float
        Five counts, in scales of the mechanism, between which its outputs vary.
    """

    log_pmf: SlowPmf
    settings: tuple[dict, ...] = ({},)
    blind: dict | None = None
    ignores_shift: Callable[[Mechanism, int], bool] = lambda mechanism, d: True
    finds: Callable[[np.ndarray, np.ndarray], np.ndarray] = np.equal
    spends: float = 0.6
    spends_at: tuple[int, float, dict] = (3, 1.0, {})
    noise_cdf: Callable | None = None
    telling: tuple[float, ...] = (9, 0, 7.5, 6, 0)


def spread(mechanism: Mechanism) -> int:
    """Most users by which a difference of two counts changes."""
    return 2 if mechanism.neighbors is NeighborRelation.SWAP else 1


# --- choosing one of everything ----------------------------------------------------------


def worst_place(counts: list[int], sequence: list[int]) -> int:
    """Loss of the joint mechanisms, straight from the paper."""
    best = sorted(counts, reverse=True)[: len(sequence)]
    return max(c - counts[i] for c, i in zip(best, sequence, strict=True))


def weakest_item(counts: list[int], chosen: list[int]) -> int:
    """How far the weakest item of a set falls short of the k-th count."""
    return sorted(counts, reverse=True)[len(chosen) - 1] - min(counts[i] for i in chosen)


def users_short(counts: list[int], chosen: list[int]) -> int:
    """How many users keep a set from being the top k; minus its gap where it is."""
    outside = [count for i, count in enumerate(counts) if i not in chosen]
    return (max(outside) - min(counts[i] for i in chosen)) if outside else 0


def exponential_over(loss: Callable, share: float = 1 / 2) -> SlowPmf:
    """The exponential mechanism over all outputs: one loop; a share of epsilon in the exponent."""

    def log_pmf(mechanism, counts, outputs):
        rate = share * mechanism.epsilon / spread(mechanism)
        log_weights = np.array([-rate * loss(counts, output) for output in outputs])
        return log_weights - logsumexp(log_weights)

    return log_pmf


def flipping_over(loss: Callable) -> SlowPmf:
    """Permute-and-flip over all outputs, integrated exactly."""

    def log_pmf(mechanism, counts, outputs):
        rate = mechanism.epsilon / (2 * spread(mechanism))
        return permute_and_flip([-rate * loss(counts, output) for output in outputs])

    return log_pmf


def permute_and_flip(log_odds: Sequence[float]) -> list[float]:
    """Log probabilities of permute-and-flip by exact integration, in many digits.

    P(i) = q_i * integral of prod_{j != i} (1 - t q_j), coefficients written out; the
    working precision covers their alternating sum.
    """
    with mpmath.workdps(40 + len(log_odds) // 2):
        odds = [mpmath.exp(x) for x in log_odds]
        product = [mpmath.mpf(1)]
        for q in odds:
            shifted = [mpmath.mpf(0), *product]
            product = [a - q * b for a, b in zip([*product, mpmath.mpf(0)], shifted, strict=True)]
        found = {}
        for q in odds:
            if q not in found:
                without, carry = [], mpmath.mpf(0)  # divide the factor of q out again
                for a in product[:-1]:
                    carry = a + q * carry
                    without.append(carry)
                integral = sum(a / (power + 1) for power, a in enumerate(without))
                found[q] = float(mpmath.log(q * integral))
        return [found[q] for q in odds]


# --- round by round ----------------------------------------------------------------------


def log_softmax(log_odds: Sequence[float]) -> Sequence[float]:
    """One round of the exponential mechanism."""
    return np.array(log_odds) - logsumexp(log_odds)


def peeling(rate_of: Callable[[Mechanism], float], one_round: Callable) -> SlowPmf:
    """Round after round over the items left, relative to the best one left."""

    def log_pmf(mechanism, counts, outputs):
        rate = rate_of(mechanism)

        @functools.cache
        def log_round(left: tuple[int, ...]) -> dict[int, float]:
            best = max(counts[i] for i in left)
            return dict(
                zip(left, one_round([rate * (counts[i] - best) for i in left]), strict=True)
            )

        def log_p(output):
            left, total = tuple(range(len(counts))), 0.0
            for item in output:
                total += log_round(left)[item]
                left = tuple(i for i in left if i != item)
            return total

        return [log_p(output) for output in outputs]

    return log_pmf


def cdp_rate(mechanism: CDPPeel) -> float:
    """Lemma 4.2 solved for the range of a round; the optimum is witnessed elsewhere."""
    k, epsilon, delta = mechanism.k, mechanism.epsilon, mechanism.delta
    if delta == 0:
        return epsilon / k / spread(mechanism)
    if mechanism.calibration == "optimal":
        return local_epsilon(epsilon, delta, k, "optimal") / spread(mechanism)
    return lemma_4_2(epsilon, delta, k) / spread(mechanism)


def lemma_4_2(epsilon: float, delta: float, k: int) -> float:
    """Root x of k x^2 / 8 + 2 x sqrt(k ln(1 / delta) / 8) = epsilon, or epsilon / k if larger."""
    b = 2 * math.sqrt(k * math.log(1 / delta) / 8)
    root = 2 * epsilon / (b + math.sqrt(b * b + k * epsilon / 2))
    return max(root, epsilon / k)


def limited_domain(mechanism: ToyShort, counts, outputs):
    """Items that are read, and ⊥, as a list of (item, count): a plain loop that stops at ⊥."""
    k, d = mechanism.k, len(counts)
    rate = lemma_4_2(mechanism.epsilon, mechanism.delta / 2, k) / spread(mechanism)
    n_read = min(d, max(k, mechanism.k_bar or min(2 * k, d - 1)))
    order = sorted(range(d), key=lambda i: -counts[i])  # stable: ties by position
    below = counts[order[n_read]] if n_read < d else 0
    failing = math.log(mechanism.delta / 2) - float(np.logaddexp(0, mechanism.epsilon))
    bonus = rate * spread(mechanism) + math.log(n_read) - failing

    def log_p(output):
        left, total = order[:n_read], 0.0
        for item in output:
            best = max((counts[i] for i in left), default=below)
            odds = {i: rate * (counts[i] - best) for i in left}
            odds[NOTHING] = rate * (below - best) + bonus
            if item not in odds:
                return -math.inf
            total += odds[item] - logsumexp(list(odds.values()))
            if item == NOTHING:
                return total
            left = [i for i in left if i != item]
        return total

    return [log_p(output) for output in outputs]


def laplace_cdf(mechanism: ToyCounts, noise: np.ndarray) -> np.ndarray:
    """k counts, each moved by one: scale 2 k / epsilon for half of epsilon."""
    tail = np.exp(-np.abs(noise) * mechanism.epsilon / (2 * mechanism.k)) / 2
    return np.where(noise < 0, tail, 1 - tail)


def reads_some(mechanism: ToyShort, d: int) -> bool:
    """Whether an item stays below those that are read, so that ⊥ moves with the counts."""
    return max(mechanism.k, mechanism.k_bar or min(2 * mechanism.k, d - 1)) < d


REFERENCES: dict[str, Reference] = {
    Joint.card.key: Reference(exponential_over(worst_place), blind={}),
    PNFJoint.card.key: Reference(flipping_over(worst_place), blind={}),
    PNFPeel.card.key: Reference(
        peeling(lambda m: m.epsilon / (m.k * spread(m)), permute_and_flip), blind={}, spends=0.9
    ),
    CDPPeel.card.key: Reference(
        peeling(cdp_rate, log_softmax),
        settings=({"delta": 1e-3}, {"delta": 1e-2, "calibration": "optimal"}, {"delta": 0.0}),
        blind={"delta": 0.0},  # delta alone buys information
        spends=0.9,
        spends_at=(2, 0.1, {"delta": 1e-2, "calibration": "optimal"}),
    ),
    InverseSensitivitySet.card.key: Reference(
        exponential_over(users_short), blind={}, telling=(3, 0, 2.5, 2, 0)
    ),
    ToySet.card.key: Reference(
        exponential_over(weakest_item, share=1),
        blind={},
        finds=lambda there, top: there >= top[-1],  # only the weakest item counts
        spends=0.95,
    ),
    ToyShort.card.key: Reference(
        limited_domain,
        settings=({"delta": 1e-2}, {"delta": 0.1, "k_bar": 2}),
        ignores_shift=reads_some,
        spends=0.2,
        spends_at=(1, 0.1, {"delta": 0.1, "k_bar": 1}),
    ),
    ToyCounts.card.key: Reference(
        peeling(lambda m: m.epsilon / (2 * m.k * spread(m)), log_softmax),
        blind={},
        spends=0.45,  # half of epsilon is for the counts
        spends_at=(1, 1.0, {}),
        noise_cdf=laplace_cdf,
    ),
}
"""By the card's key."""
