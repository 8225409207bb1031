"""Orders of counts with noise of one random radius, in whole numbers and many digits.

The volume of all noise in a cube that leads to an order is a polynomial in the radius between two
kinks: it is found at enough radii, each from piecewise polynomials in y, and integrated against
the density of the radius term by term.  Lengths are multiplied by 2 d, which makes them whole
numbers; volumes are then whole numbers over d!, and so are the coefficients of t^i / i!.
"""

import functools
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath

from dptopk import Mechanism, NeighborRelation

Polynomial = tuple[int, ...]  # coefficients of 1, t, t^2 / 2!, ..., times d!


def times_line(a: Polynomial, level: int, slope: int) -> Polynomial:
    """Product with level + slope * t."""
    found = [level * x for x in a] + [0]
    for i, x in enumerate(a):
        found[i + 1] += slope * (i + 1) * x
    return tuple(found)


def value(a: Polynomial, t: int) -> int:
    """At t."""
    whole = math.factorial(len(a))
    total = sum(x * t**i * (whole // math.factorial(i)) for i, x in enumerate(a))
    assert total % whole == 0
    return total // whole


@functools.cache
def volume(own: tuple[int, ...], others: tuple[int, ...], radius: int) -> int:
    """Of all noise in [-R, R]^d that leads to this order, times d!; y goes down from above."""
    pieces = _pieces(tuple(sorted({*own, *others})), radius)
    total = 0
    before = _above(own[:-1], pieces, radius, len(own) + len(others))
    for (top, bottom), product in zip(pieces, before, strict=True):
        possible = own[-1] - radius <= bottom and top <= own[-1] + radius
        if not possible or any(top <= count - radius for count in others):
            continue
        for count in others:
            end = min(top, count + radius) - (count - radius)  # length below y, at t = 0
            product = times_line(product, end, -1 if top <= count + radius else 0)
        total += value((0, *product), top - bottom)
    return total


@functools.cache
def _pieces(counts: tuple[int, ...], radius: int) -> tuple[tuple[int, int], ...]:
    edges = sorted({c + r for c in counts for r in (-radius, radius)}, reverse=True)
    return tuple(itertools.pairwise(edges))


@functools.cache
def _above(prefix: tuple[int, ...], pieces, radius: int, d: int) -> tuple[Polynomial, ...]:
    """Volume of these counts being above y in this order, as polynomials in the way down."""
    if not prefix:
        return ((math.factorial(d),),) * len(pieces)
    found, reached = [], 0
    for (top, bottom), before in zip(pieces, _above(prefix[:-1], pieces, radius, d), strict=True):
        there = prefix[-1] - radius <= bottom and top <= prefix[-1] + radius
        here = (reached, *before) if there else (reached,)
        found.append(here)
        reached = value(here, top - bottom)
    return tuple(found)


@functools.cache
def polynomials(own: tuple[int, ...], others: tuple[int, ...]):
    """The volume between kinks of R: (start, length or None, coefficients of R - start)."""
    d = len(own) + len(others)
    own, others = (tuple(2 * d * c for c in counts) for counts in (own, others))
    kinks = sorted({abs(a - b) // 2 for a in own + others for b in own + others})
    found = []
    for start, end in itertools.zip_longest(kinks, kinks[1:]):
        length = 2 * d * (d + 1) if end is None else end - start
        nodes = [length * i // d for i in range(d + 1)]
        divided = [Fraction(volume(own, others, start + t)) for t in nodes]
        if not any(divided):
            continue
        for order in range(1, d + 1):
            for i in range(d, order - 1, -1):
                divided[i] = (divided[i] - divided[i - 1]) / (nodes[i] - nodes[i - order])
        polynomial = [divided[d]]
        for i in range(d - 1, -1, -1):
            shifted = [Fraction(0), *polynomial]
            polynomial = [y - nodes[i] * x for x, y in zip([*polynomial, 0], shifted, strict=True)]
            polynomial[0] += divided[i]
        unit = math.factorial(d) * (2 * d) ** d
        scaled = [x * (2 * d) ** power / unit for power, x in enumerate(polynomial)]
        found.append((Fraction(start, 2 * d), end and Fraction(length, 2 * d), scaled))
    return found


def radius_order(scale_of: Callable[[Mechanism], mpmath.mpf]):
    """R has the density R^d e^(-R / b) / (d! b^(d + 1)), and the noise (2 R)^-d in its cube."""

    def log_pmf(mechanism, counts, outputs):
        with mpmath.workdps(200):
            rate = 1 / scale_of(mechanism)

            @functools.cache
            def log_p(own: tuple[int, ...], others: tuple[int, ...]) -> float:
                d, total = len(counts), mpmath.mpf(0)
                for start, length, polynomial in polynomials(own, others):
                    end = mpmath.mpf(0) if length is None else mpmath.exp(-rate * many(length))
                    reached, power_of = mpmath.mpf(0), mpmath.mpf(1)
                    part = mpmath.mpf(0)
                    for power, x in enumerate(polynomial):  # integrals of t^power, by parts
                        reached = (power * reached + (power == 0) - power_of * end) / rate
                        power_of *= 0 if length is None else many(length)
                        part += many(x) * reached
                    total += part * mpmath.exp(-rate * many(start))
                total *= rate ** (d + 1) / mpmath.mpf(2) ** d / mpmath.factorial(d)
                return float(mpmath.log(total))

            return [
                log_p(
                    tuple(counts[i] for i in output),
                    tuple(sorted(c for i, c in enumerate(counts) if i not in output)),
                )
                for output in outputs
            ]

    return log_pmf


def many(x: Fraction) -> mpmath.mpf:
    """In as many digits as are worked with."""
    return mpmath.mpf(x.numerator) / x.denominator


def radius_scale(mechanism) -> mpmath.mpf:
    """Half of the theorem's for the order alone, where counts move one way only."""
    assert mechanism.calibration == "optimal"
    halved = mechanism.neighbors is NeighborRelation.ADD_REMOVE
    return 1 / ((1 + halved) * mpmath.mpf(mechanism.epsilon))
