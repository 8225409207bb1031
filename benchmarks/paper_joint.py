"""The yardsticks: the paper's algorithms, written plainly from their description.

Gillenwater, Joseph, Munoz Medina, Ribero (2022), arXiv 2201.12333.  `paper_joint` is
its Algorithm 1: a k x d matrix, sorted, and one pass over its entries that updates the
number of sequences through each.  The pass is a plain loop, as printed; with
``vectorised=True`` it is two cumulative sums, our own best effort at the same algorithm
and the stronger yardstick.  `naive_pnf_peel` is Algorithm 2: fresh noise on every item
in every round.
"""

import math

import numpy as np


def paper_joint(
    counts: np.ndarray,
    k: int,
    epsilon: float,
    rng: np.random.Generator,
    *,
    vectorised: bool = False,
) -> np.ndarray:
    """Draw one sequence as in Algorithm 1: O(d k) memory, O(d k log(d k)) time.

    Returns
    -------
    numpy.ndarray of int64, shape (k,)
        Positions into the counts as given.
    """
    d = counts.size
    order = np.argsort(-counts, kind="stable")
    c = counts[order].astype(float)
    i = np.arange(1, k + 1)[:, None]
    j = np.arange(1, d + 1)[None, :]
    utility = c[None, :] - c[:k, None]  # U_ij = -(c_i - c_j)
    distinct = utility - (d * (k - i) + j) / (2 * d * k)  # ties broken, all entries different
    by_utility = np.argsort(-distinct, axis=None)
    row, column = np.divmod(by_utility, d)  # from 0
    count = _log_sequences_vectorised if vectorised else _log_sequences
    log_weight = count(row, column, k) + epsilon / 2 * utility.ravel()[by_utility]

    a = int(np.argmax(log_weight + rng.gumbel(size=log_weight.size)))  # the Gumbel trick
    chosen = np.full(k, -1)
    chosen[row[a]] = column[a]
    t = np.bincount(row[: a + 1], minlength=k)
    for r in range(k):
        if r != row[a]:
            chosen[r] = _uniform_without(t[r], chosen[:r], column[a] if r > row[a] else -1, rng)
    return order[chosen]


def _log_sequences(row: np.ndarray, column: np.ndarray, k: int) -> np.ndarray:
    """Log number of sequences through each entry, from the largest utility down.

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


def _log_sequences_vectorised(row: np.ndarray, column: np.ndarray, k: int) -> np.ndarray:
    """The same by cumulative sums."""
    free = column + 1 - row
    log_free = np.log(np.maximum(free, 1))
    log_before = np.log(np.maximum(free - 1, 1))
    log_m = np.cumsum(log_free - log_before) - log_free
    log_m[np.cumsum(free == 1) < k] = -np.inf
    return log_m


def _uniform_without(n: int, taken: np.ndarray, also: int, rng: np.random.Generator) -> int:
    """Uniform number below n that is neither in ``taken`` nor ``also``."""
    while True:
        candidate = int(rng.integers(n))
        if candidate != also and candidate not in taken:
            return candidate


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
