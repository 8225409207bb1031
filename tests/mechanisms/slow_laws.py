"""Reference probability mass functions, computed slowly by their definition.

A law reads a mechanism's fields (k, epsilon, neighbors, its own parameters) and nothing that it
computes.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import mpmath
import numpy as np
from scipy.special import logsumexp, ndtr

from dptopk import (
    NOTHING,
    AdaptiveK,
    CDPPeel,
    LimitedDomain,
    Mechanism,
    NeighborRelation,
    OneShotCounts,
    PrivateCountRelease,
    StableSet,
)
from dptopk.accounting import local_epsilon

SlowPmf = Callable[[Mechanism, list[int], list[list[int]]], Sequence[float]]


def spread(mechanism: Mechanism) -> int:
    """Most users by which a difference of two counts changes."""
    return 2 if mechanism.neighbors is NeighborRelation.SWAP else 1


# --- choosing one of everything ----------------------------------------------------------


def worst_place(counts: list[int], sequence: list[int]) -> int:
    """Loss of the joint mechanisms, straight from the paper."""
    best = sorted(counts, reverse=True)[: len(sequence)]
    return max(c - counts[i] for c, i in zip(best, sequence, strict=True))


def worst_of_best_order(counts: list[int], chosen: list[int]) -> int:
    """Loss of a set: that of the best of its orders."""
    return min(worst_place(counts, list(order)) for order in itertools.permutations(chosen))


def users_short(counts: list[int], chosen: list[int]) -> int:
    """How many users keep a set from being the top k; minus its gap where it is."""
    outside = [count for i, count in enumerate(counts) if i not in chosen]
    return (max(outside) - min(counts[i] for i in chosen)) if outside else 0


def exponential_over(loss: Callable) -> SlowPmf:
    """The exponential mechanism over all outputs: one loop; half of epsilon in the exponent."""

    def log_pmf(mechanism, counts, outputs):
        rate = mechanism.epsilon / (2 * spread(mechanism))
        log_weights = np.array([-rate * loss(counts, output) for output in outputs])
        return log_weights - logsumexp(log_weights)

    return log_pmf


def flipping_over(loss: Callable) -> SlowPmf:
    """Permute-and-flip over all outputs, integrated exactly."""

    def log_pmf(mechanism, counts, outputs):
        rate = mechanism.epsilon / (2 * spread(mechanism))
        losses = [loss(counts, output) for output in outputs]
        return permute_and_flip([rate * (min(losses) - one) for one in losses])

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


def unknown_domain(mechanism: LimitedDomain, counts, outputs, range_of=lemma_4_2):
    """Items with users that are read, and ⊥ above the first below them; budgets by the proof."""
    k, epsilon, delta = mechanism.k, mechanism.epsilon, mechanism.delta
    failing = min(delta / 2, epsilon / (100 * k))
    rate = range_of(epsilon - k * math.log1p(failing), delta / 2, k) / spread(mechanism)
    n_read = max(k, mechanism.k_bar or 2 * k)
    order = first_items(counts, len(counts))
    below = counts[order[n_read]] if n_read < len(counts) else 0
    read = [i for i in order[:n_read] if counts[i] > 0]
    brought = min(mechanism.max_items or n_read, n_read)
    bonus = rate * spread(mechanism) + math.log(brought / failing)
    return until_stranger(counts, read, below, rate, bonus, outputs)


def until_stranger(counts, read, below: int, rate: float, bonus: float, outputs):
    """Items and ⊥ as a list of (item, count): a plain loop that stops at ⊥."""

    def log_p(output):
        left, total = read, 0.0
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


# --- releasing what is stable ------------------------------------------------------------


def passes(counts: list[int], size: int, epsilon: float, delta: float, spread: int) -> tuple:
    """Probability that the top ``size`` come out, and that not: tails of the Laplace law."""
    top = sorted(counts, reverse=True)
    if size == len(top):
        return mpmath.mpf(1), mpmath.mpf(0)
    distance = max(0, (top[size - 1] - top[size] - 1) // spread)  # the gap stays above 0
    reach = mpmath.log(1 / (2 * mpmath.mpf(delta))) - mpmath.mpf(epsilon) * distance
    tail = mpmath.exp(-abs(reach)) / 2
    return (tail, 1 - tail) if reach >= 0 else (1 - tail, tail)


def stable(mechanism: StableSet, counts, outputs):
    """One question, two outcomes."""
    with mpmath.workdps(40):
        p, rest = passes(counts, mechanism.k, mechanism.epsilon, mechanism.delta, spread(mechanism))
        laws = {frozenset(first_items(counts, mechanism.k)): p, frozenset(): rest}
        return log_of_sets(laws, outputs)


def adaptive(mechanism: AdaptiveK, counts, outputs):
    """A size by its gap, and then the question for that size."""
    top = sorted(counts, reverse=True)
    sizes = range(1, max(1, min(mechanism.k, len(counts) - 1)) + 1)
    with mpmath.workdps(40):
        gaps = [top[size - 1] - top[size] if size < len(top) else 0 for size in sizes]
        rate = mpmath.mpf(mechanism.epsilon) / (4 * spread(mechanism))
        odds = [mpmath.exp(rate * (gap - max(gaps))) for gap in gaps]
        laws = {frozenset(): mpmath.mpf(0)}
        for size, weight in zip(sizes, odds, strict=True):
            half = mechanism.epsilon / 2
            p, rest = passes(counts, size, half, mechanism.delta, spread(mechanism))
            chosen = weight / mpmath.fsum(odds)
            laws[frozenset(first_items(counts, size))] = chosen * p
            laws[frozenset()] += chosen * rest
        return log_of_sets(laws, outputs)


def first_items(counts: list[int], size: int) -> list[int]:
    """The top items, ties by position."""
    return sorted(range(len(counts)), key=lambda i: -counts[i])[:size]


def log_of_sets(laws: dict[frozenset, mpmath.mpf], outputs) -> list[float]:
    """Log probabilities of outputs under a law of sets."""
    log_p = {items: float(mpmath.log(p)) if p else -math.inf for items, p in laws.items()}
    return [log_p.get(frozenset(x for x in row if x != NOTHING), -math.inf) for row in outputs]


def laplace_cdf(scale_of: Callable[[Mechanism], float]) -> Callable:
    """Distribution function of Laplace noise."""

    def cdf(mechanism, noise: np.ndarray) -> np.ndarray:
        tail = np.exp(-np.abs(noise) / scale_of(mechanism)) / 2
        return np.where(noise < 0, tail, 1 - tail)

    return cdf


def gaussian_cdf(deviation_of: Callable[[Mechanism], float]) -> Callable:
    """Distribution function of Gaussian noise."""
    return lambda mechanism, noise: ndtr(noise / deviation_of(mechanism))


def concentrated(epsilon: float, delta: float, k: int) -> float:
    """Loss of a count: rho = k x^2, root of rho + 2 sqrt(rho ln(1 / delta)) = epsilon."""
    with mpmath.workdps(40):
        log = -mpmath.log(delta)
        return float((mpmath.sqrt(log + mpmath.mpf(epsilon)) - mpmath.sqrt(log)) / mpmath.sqrt(k))


def loss_of_count(mechanism: OneShotCounts) -> float:
    """The same, or what the sum of all losses allows, if that is more."""
    k, epsilon, delta = mechanism.k, mechanism.epsilon, mechanism.delta
    added = epsilon / (3 * k)
    return max(concentrated(epsilon, delta, k), added) if delta else added


def unknown_domain_with_counts(mechanism: PrivateCountRelease, counts, outputs):
    """Rounds of twice that loss."""

    def range_of(epsilon: float, delta: float, k: int) -> float:
        return 2 * concentrated(epsilon, delta, k)

    return unknown_domain(mechanism, counts, outputs, range_of)


def deviation_of_count(mechanism: PrivateCountRelease) -> float:
    """Standard deviation at which as many counts as one user moves have half of rho."""
    k, spent = mechanism.k, min(mechanism.delta / 2, mechanism.epsilon / (100 * mechanism.k))
    x = concentrated(mechanism.epsilon - k * math.log1p(spent), mechanism.delta / 2, k)
    moved = min(k, spread(mechanism) * (mechanism.max_items or k))
    return math.sqrt(moved / (k * x**2))
