"""The law of noisy counts above a noisy threshold, by its definition and in many digits."""

import math

import mpmath
from slow_laws import first_items, spread
from slow_noise import laplace_order

from dptopk import NOTHING, LimitedDomainLaplace


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
