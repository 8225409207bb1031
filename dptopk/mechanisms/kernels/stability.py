"""Propose-test-release: release a top set exactly if a few users cannot change it.

Propose-test-release (Dwork, Lei 2009) for top sets.  With g = c_m - c_{m+1} the gap after the
top m, and s the most users by which a difference of two counts changes,

    distance = max(0, ceil(g / s) - 1)

users can be added, removed or replaced without any other set becoming the top one, so it changes
by at most 1 between neighbours, and is 0 wherever a neighbour has another top set.  The set is
released if distance + Laplace(1 / epsilon) > ln(1 / (2 delta)) / epsilon, which at distance 0 has
probability delta; and by that much the guarantee fails.
"""

import math
from fractions import Fraction

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.core.errors import Law, added_up
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.exact_laws import ErrorLaw


def distances(gaps: IntArray, sensitivity: int) -> FloatArray:
    """Return the number of users that can change without changing the top set, from its gaps."""
    result: FloatArray = np.maximum(0, -(-gaps // sensitivity) - 1).astype(np.float64)
    return result


def threshold(epsilon: float, delta: float) -> float:
    """Return the threshold for the noisy number of users above which a set is released."""
    return -math.log(2 * delta) / epsilon


def epsilons(distance: FloatArray, delta: float, probability: float) -> FloatArray:
    """Return the smallest epsilon at which a set is released with a probability; inf if none.

    The inverse of `log_release`: at each distance only epsilon times it matters.
    """
    low = probability <= 0.5
    exponent = math.log(probability / delta) if low else -math.log(4 * delta * (1 - probability))
    exponent = max(0.0, exponent)
    result: FloatArray = np.full(distance.shape, np.inf if exponent else 0.0)
    np.divide(exponent, distance, out=result, where=distance > 0)
    return result


def log_release(
    distance: FloatArray, epsilon: float, delta: float
) -> tuple[FloatArray, FloatArray]:
    """Return the log probabilities that a set at each distance is released, and is not.

    delta e^(epsilon distance) while that is at most 1/2; from there on the rest is
    e^(-epsilon distance) / (4 delta).
    """
    with np.errstate(over="ignore"):  # an infinite exponent: released for certain
        exponent = np.float64(epsilon) * distance
    log_low = math.log(delta) + np.minimum(exponent, -math.log(2 * delta))
    log_rest = np.minimum(-exponent - math.log(4 * delta), -math.log(2))
    low = exponent <= -math.log(2 * delta)
    released: FloatArray = np.where(low, log_low, np.log1p(-np.exp(log_rest)))
    withheld: FloatArray = np.where(low, np.log1p(-np.exp(log_low)), log_rest)
    return released, withheld


def released_exactly(distance: int, epsilon: Fraction, delta: Fraction, bits: Bits) -> bool:
    """Draw whether a set is released at a distance, exactly with the chance of `log_release`."""
    from flint import arb, fmpq

    from dptopk.mechanisms.kernels import exact_choice  # loads python-flint, as above

    def chance() -> arb:
        share = arb(fmpq(delta.numerator, delta.denominator))
        rest = exact_choice.exp(-epsilon * distance) / (4 * share)
        if rest < 0.5:
            return 1 - rest
        low = 1 / (4 * rest)
        return low if rest > 0.5 else low.union(1 - rest)

    return exact_choice.bernoulli(chance, bits)


def error_law(top: IntArray, log_p: FloatArray, metric: str) -> ErrorLaw:
    """Return the law of an error when the true top m come out, m = 0, ..., k, the rest empty.

    ``top`` are the k largest counts, ``log_p`` the log probability of each m.  An empty place
    counts as an item without users.
    """
    k = top.size
    rest = np.append(top, 0)  # the largest count that is left out
    by_law: dict[str, NumberArray] = {
        Law.LINF: rest,
        Law.SIGNED_MAX: rest,
        Law.L1: np.append(added_up(np.cumsum, top[::-1], top)[::-1], 0),
        Law.K_RELATIVE: np.append(np.full(k, top[-1]), 0),
    }
    errors = by_law[metric]
    values, which = np.unique(errors, return_inverse=True)
    log_probabilities = np.full(values.size, -np.inf)
    np.logaddexp.at(log_probabilities, which, log_p)
    possible = np.isfinite(log_probabilities)
    return ErrorLaw(values[possible], log_probabilities[possible])


METRICS = (Law.LINF, Law.L1, Law.K_RELATIVE, Law.SIGNED_MAX)
"""Keys of the errors that `error_law` knows."""
