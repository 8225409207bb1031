"""Orders of counts with independent noise, integrated in closed form and many digits."""

import functools
import itertools
from collections.abc import Callable

import mpmath
from slow_laws import spread

from dptopk import Mechanism

Terms = dict[tuple[int, int], mpmath.mpf]  # (p, m) -> factor of y^p e^(m y)


def product(a: Terms, b: Terms) -> Terms:
    """Terms of a product."""
    found: Terms = {}
    for (p, m), x in a.items():
        for (q, n), y in b.items():
            found[p + q, m + n] = found.get((p + q, m + n), 0) + x * y
    return found


def antiderivative(terms: Terms) -> Terms:
    """Terms of an antiderivative, by parts."""
    found: Terms = {}
    for (p, m), x in terms.items():
        if m == 0:
            found[p + 1, 0] = found.get((p + 1, 0), 0) + x / (p + 1)
            continue
        factor = x / m
        for power in range(p, -1, -1):
            found[power, m] = found.get((power, m), 0) + factor
            factor *= -mpmath.mpf(power) / m
    return found


def value(terms: Terms, y) -> mpmath.mpf:
    """At y; 0 for what has died out at infinity."""
    if mpmath.isinf(y):
        assert all(m * mpmath.sign(y) < 0 for (_, m), x in terms.items() if x)
        return mpmath.mpf(0)
    return mpmath.fsum(x * y**p * mpmath.exp(m * y) for (p, m), x in terms.items())


def order_law(counts, scale, outputs, floor=None, *, alone=False) -> list[float]:
    """Between two counts all functions are sums of y^p e^(m y): piece by piece, from the right.

    With a floor all of an output have to lie above it; alone whatever the others do.
    """
    rate = 1 / scale
    edges = sorted({*counts, *([] if floor is None else [floor])}, reverse=True)
    # left to right ends of each piece, measured from a count at one of its ends
    lengths = [rate * (a - b) for a, b in itertools.pairwise(edges)]
    pieces = [(edges[0], mpmath.mpf(0), mpmath.inf)]
    pieces += [(e, mpmath.mpf(0), w) for e, w in zip(edges[1:], lengths, strict=True)]
    pieces += [(edges[-1], -mpmath.inf, mpmath.mpf(0))]
    if floor is not None:
        pieces = pieces[: edges.index(floor) + 1]

    def density(count, number) -> Terms:
        origin, low, _ = pieces[number]
        apart = rate * abs(origin - count)
        below = count <= origin and low == 0
        return {(0, -1 if below else 1): mpmath.exp(-apart) / 2}

    def cdf(count, number) -> Terms:
        origin, low, _ = pieces[number]
        half = mpmath.exp(-rate * abs(origin - count)) / 2
        if count <= origin and low == 0:
            return {(0, 0): mpmath.mpf(1), (0, -1): -half}
        return {(0, 1): half}

    @functools.cache
    def largest(prefix: tuple[int, ...]) -> tuple[Terms, ...]:
        """Probability that these counts are in this order above y, piece by piece."""
        if not prefix:
            return ({(0, 0): mpmath.mpf(1)},) * len(pieces)
        found, reached = [], mpmath.mpf(0)
        for number, before in enumerate(largest(prefix[:-1])):
            integral = antiderivative(product(density(prefix[-1], number), before))
            _, low, high = pieces[number]
            top = reached + value(integral, high)
            here = {key: -x for key, x in integral.items()}
            here[0, 0] = here.get((0, 0), 0) + top
            found.append(here)
            reached = top - value(integral, low)
        return tuple(found)

    @functools.cache
    def log_p(own: tuple[int, ...], others: tuple[int, ...]) -> float:
        total = mpmath.mpf(0)
        for number, before in enumerate(largest(own[:-1])):
            terms = product(density(own[-1], number), before)
            for count in others:
                terms = product(terms, cdf(count, number))
            integral = antiderivative(terms)
            _, low, high = pieces[number]
            total += value(integral, high) - value(integral, low)
        return float(mpmath.log(total))

    return [
        log_p(
            tuple(counts[i] for i in output),
            tuple(sorted(c for i, c in enumerate(counts) if i not in output and not alone)),
        )
        for output in outputs
    ]


def laplace_order(scale_of: Callable[[Mechanism], float]):
    """Law of the order of noisy counts, in many digits."""

    def log_pmf(mechanism, counts, outputs):
        with mpmath.workdps(160):
            return order_law(counts, mpmath.mpf(scale_of(mechanism)), outputs)

    return log_pmf


def laplace_order_above(counts, floor, scale, outputs, k) -> list[float]:
    """Log probability of an order above a floor: of k items before others, of fewer without any."""

    def log_below(count):
        x = (floor - count) / scale
        return mpmath.log(mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2)

    found = []
    for output in outputs:
        if len(output) == k:
            found += order_law(counts, scale, [output], floor)
            continue
        ahead = order_law(counts, scale, [output], floor, alone=True)[0] if output else 0
        others = (log_below(count) for i, count in enumerate(counts) if i not in output)
        found.append(float(ahead + mpmath.fsum(others)))
    return found


def laplace_scale(mechanism) -> mpmath.mpf:
    """Of Ding et al., or of the Laplace mechanism for users of few items."""
    most = min(mechanism.k, mechanism.max_items or mechanism.k)
    return most * spread(mechanism) / mpmath.mpf(mechanism.epsilon)
