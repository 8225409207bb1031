"""Implement the algorithms of the paper from their description, as yardsticks.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333.  Its Algorithm 1 is
`dptopk.questions.draw_times.paper_joint`: a k x d matrix, sorted, and one pass over its entries
that updates the number of sequences through each.  There the pass is two cumulative sums,
our own best effort at the same algorithm and the stronger yardstick; `in_a_loop` is a plain
loop, as printed.  `naive_pnf_peel` is Algorithm 2: fresh noise on every item in every round.
"""

import math

import numpy as np


def in_a_loop(row: np.ndarray, column: np.ndarray, k: int) -> np.ndarray:
    """Log number of sequences through each entry, from the largest utility down, as printed.

    Row r has t_r = column + 1 entries so far, and t_r - r free choices.  The sequences
    through an entry number the product of t_r - r over the other rows, once all rows
    have some; each entry changes one factor.
    """
    log_m = np.full(row.size, -math.inf)
    log = [-math.inf, *map(math.log, range(1, int(column.max()) + 2))]
    rows_with_choice, log_product = 0, 0.0
    for a, (r, c) in enumerate(zip(row.tolist(), column.tolist(), strict=True)):
        free = c + 1 - r
        if free == 1:
            rows_with_choice += 1
        elif free > 1:
            log_product += log[free] - log[free - 1]
        if rows_with_choice == k:
            log_m[a] = log_product - log[free]
    return log_m


def naive_pnf_peel(
    counts: np.ndarray, k: int, epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw one sequence as in Algorithm 2: k rounds of noise on all d items."""
    left = counts.astype(float)
    chosen = np.empty(k, dtype=np.int64)
    for r in range(k):
        chosen[r] = np.argmax(left + rng.exponential(k / epsilon, left.size))
        left[chosen[r]] = -np.inf
    return chosen
