"""Proven lower bounds on calibrated parameters, by interval arithmetic.

Fractions in, fractions out: what is promised holds for these very numbers, with no rounding left
out.  Enclosures are FLINT's ball arithmetic, loaded when it is needed.
"""

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

_PRECISION = 128  # bits: rounding costs less than 1e-30 of a result


def local_epsilon_at_most(epsilon: Fraction, delta: Fraction, k: int) -> Fraction:
    """Return a range per round with which k rounds are (epsilon, delta)-DP, by ``paper``'s proof.

    Parameters
    ----------
    epsilon : Fraction
        Total privacy loss in natural-log units, above 0.
    delta : Fraction
        Extra probability of any set of outputs beyond e^epsilon times, in [0, 1).
    k : int
        Number of rounds.

    Returns
    -------
    Fraction
        epsilon / k, or if larger the lower end of an enclosure of the root of
        k x^2 / 8 + x sqrt(k L / 2) = epsilon, L = ln(1 / delta) (Bun, Steinke 2016,
        arXiv 1605.02065, Propositions 1.3 and 1.4); see `local_epsilon`.
    """
    pure = epsilon / k
    if delta == 0:
        return pure
    from flint import ctx

    with ctx.workprec(_PRECISION):
        budget, tail = _enclosed(epsilon) / k, -_enclosed(delta).log() / k
        return max(pure, lower_end(budget / (((tail + budget) / 8).sqrt() + (tail / 8).sqrt())))


def count_epsilon_at_most(epsilon: Fraction, delta: Fraction, k: int) -> Fraction:
    """Return a loss x for k counts and k rounds of range 2 x, (epsilon, delta)-DP together.

    The lower end of an enclosure of the root of k x^2 + 2 x sqrt(k L) = epsilon, L = ln(1 / delta),
    or epsilon / (3 k) if larger.  Arguments as `local_epsilon_at_most`.
    """
    added = epsilon / (3 * k)
    if delta == 0:
        return added
    from flint import ctx

    with ctx.workprec(_PRECISION):
        budget, tail = _enclosed(epsilon) / k, -_enclosed(delta).log() / k
        return max(added, lower_end(budget / ((tail + budget).sqrt() + tail.sqrt())))


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
