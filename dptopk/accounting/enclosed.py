"""Compute rigorous lower bounds on calibrated privacy parameters by interval arithmetic.

Fractions in, fractions out: what is promised holds for these very numbers, with no rounding left
out.  Enclosures are FLINT's ball arithmetic, loaded when it is needed.
"""

import functools
from fractions import Fraction
from typing import TYPE_CHECKING

from dptopk.accounting.calibration import local_epsilon

if TYPE_CHECKING:
    from flint import arb

_PRECISION = 128  # bits: rounding costs less than 1e-30 of a result


@functools.lru_cache(maxsize=256)
def local_epsilon_at_most(epsilon: Fraction, delta: Fraction, k: int, method: str) -> Fraction:
    """Return a range per round such that k rounds are provably (epsilon, delta)-DP.

    It is not above what `local_epsilon` finds by the same method, and less by rounding only:
    epsilon / k; or if larger, for ``paper`` the lower end of an enclosure of the root of
    k x^2 / 8 + x sqrt(k L / 2) = epsilon, L = ln(1 / delta) (Bun, Steinke 2016, arXiv 1605.02065,
    Propositions 1.3 and 1.4); for ``optimal`` the float itself, if an upper bound on the delta that
    it spends is at most delta, and else the next of ever smaller ones for which it is.
    """
    pure = epsilon / k
    if delta == 0:
        return pure
    paper = max(pure, _root(epsilon, delta, k, 1 / 8))
    if method == "paper":
        return paper
    from dptopk.accounting import _proven_optimum  # loads python-flint

    unproven = Fraction(local_epsilon(float(epsilon), float(delta), k, method))
    less = Fraction(0)
    while unproven * (1 - less) > paper:
        eta = unproven * (1 - less)
        if _proven_optimum.delta_at_most(eta, k, epsilon, float(delta)) <= delta:
            return eta
        less = max(Fraction(1, 10**9), 4 * less)
    return paper


def count_epsilon_at_most(epsilon: Fraction, delta: Fraction, k: int) -> Fraction:
    """Return a loss x for k counts and k rounds of range 2 x, (epsilon, delta)-DP together.

    `concentrated_loss_at_most`, or epsilon / (3 k) if larger.  Arguments as
    `local_epsilon_at_most`.
    """
    added = epsilon / (3 * k)
    return max(added, concentrated_loss_at_most(epsilon, delta, k)) if delta else added


def concentrated_loss_at_most(epsilon: Fraction, delta: Fraction, k: int) -> Fraction:
    """Return x with k x^2-zCDP provably (epsilon, delta)-DP, delta above 0.

    The lower end of an enclosure of the root of k x^2 + 2 x sqrt(k L) = epsilon, L = ln(1 / delta).
    """
    return _root(epsilon, delta, k, 1)


def _root(epsilon: Fraction, delta: Fraction, k: int, share: float) -> Fraction:
    """Return the lower end of an enclosure of x with rho + 2 sqrt(rho L) = epsilon.

    rho = share k x^2, L = ln(1 / delta), share a power of two.
    """
    from flint import ctx

    with ctx.workprec(_PRECISION):
        budget, tail = _enclosed(epsilon) / k, -_enclosed(delta).log() / k
        return lower_end(budget / (((tail + budget) * share).sqrt() + (tail * share).sqrt()))


def less_log1p(epsilon: Fraction, k: int, x: Fraction) -> Fraction:
    """Return the lower end of an enclosure of epsilon - k ln(1 + x)."""
    from flint import ctx

    with ctx.workprec(_PRECISION):
        return lower_end(_enclosed(epsilon) - k * _enclosed(x).log1p())


def lower_end(enclosure: "arb") -> Fraction:
    """Return the lower end of an enclosure, as the fraction that it is."""
    mantissa, exponent = enclosure.lower().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _enclosed(value: Fraction) -> "arb":
    from flint import arb, fmpq

    return arb(fmpq(value.numerator, value.denominator))
