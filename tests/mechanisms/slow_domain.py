"""Reference distributions of noisy counts above a threshold, by definition, in many digits."""

import math

import mpmath
from slow_laws import first_items, spread
from slow_noise import laplace_order, laplace_order_above

from dptopk import NOTHING, LimitedDomainLaplace, ThresholdedLaplace


def noisy_domain(mechanism: LimitedDomainLaplace, counts, outputs):
    """Items with users that are read, and ⊥, as an order of counts with Laplace noise."""
    n_read = max(mechanism.k, mechanism.k_bar or 2 * mechanism.k)
    most = mechanism.max_items or n_read
    order = first_items(counts, len(counts))
    below = counts[order[n_read]] if n_read < len(counts) else 0
    read = [i for i in order[:n_read] if counts[i] > 0]
    with mpmath.workdps(60):
        epsilon = mpmath.mpf(mechanism.epsilon)
        paid = min(spread(mechanism) * most, n_read + 1) if mechanism.max_items else n_read + 1
        failing = mpmath.mpf(mechanism.delta) / (1 + mpmath.exp(epsilon)) / min(most, n_read)
        low, high = mpmath.mpf(0), 10 - 2 * mpmath.log(failing)
        for _ in range(150):  # the chance of passing falls: halve
            middle = (low + high) / 2
            passes = (2 + middle) * mpmath.exp(-middle) / 4 > failing
            low, high = (middle, high) if passes else (low, middle)
        stranger = spread(mechanism) + high * paid / epsilon
    place = {item: number for number, item in enumerate([*read, NOTHING])}
    heights = [*(mpmath.mpf(counts[i] - below) for i in read), stranger]
    rows = [row[: (row + [NOTHING]).index(NOTHING) + 1] for row in outputs]
    told = [all(item in place for item in row) for row in rows]
    asked = [[place[item] for item in row] for row, known in zip(rows, told, strict=True) if known]
    law = iter(laplace_order(lambda _: paid / epsilon)(mechanism, heights, asked))
    return [next(law) if known else -math.inf for known in told]


def thresholded(mechanism: ThresholdedLaplace, counts, outputs):
    """Items with users in order above the threshold, the others below it or, at k items, after."""
    most = mechanism.max_items or 1
    with mpmath.workdps(160):
        scale = most * spread(mechanism) / mpmath.mpf(mechanism.epsilon)
        passing = 1 - (1 - mpmath.mpf(mechanism.delta)) ** (mpmath.mpf(1) / most)
        level = -mpmath.log(2 * passing) if passing < 0.5 else mpmath.log(2 * (1 - passing))
        rows = [[item for item in row if item != NOTHING] for row in outputs]
        known = [all(counts[item] > 0 for item in row) for row in rows]
        there = [i for i, count in enumerate(counts) if count > 0]
        place = {item: number for number, item in enumerate(there)}
        asked = [[place[i] for i in row] for row, ok in zip(rows, known, strict=True) if ok]
        heights = [mpmath.mpf(counts[i]) for i in there]
        law = iter(laplace_order_above(heights, 1 + scale * level, scale, asked, mechanism.k))
        return [next(law) if ok else -math.inf for ok in known]
