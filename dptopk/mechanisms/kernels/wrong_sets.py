"""Count the sequences and sets that are not a true top k, by loss, without cancellation.

With counts sorted, let u be the rank that ends the tie at place k, t the items of this tie and a
those with larger counts.  Of the N(T) sequences of loss at most T (see `sequences`),

    N_u(T) = N(T) prod over places r with t_r > u of (u - r + 1) / (t_r - r + 1)

are made of the first u ranks.  Their places from r = a - b + 1 on may hold any of these, b being
the number of places r <= a with t_r >= u: k - a + b of the t + b items left.  A true top k is held
where the b larger ones are among them,

    C(t, k - a) / C(t + b, k - a + b) = prod_{i=1..b} (k - a + i) / (t + i)

of all choices.  Both are products of factors of at most 1, so that

    N_wrong(T) = N(T) (1 - e^-(x + y)),    x and y minus their logarithms,

loses no digit, also where next to all sequences of a loss hold a true top k.
"""

import numpy as np

from dptopk.core.array_types import FloatArray
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels.sequences import LossLevels, SequencesByLoss

_CHUNK = 2_000_000  # entries of the largest temporary array


def smallest_loss(counts: SortedCounts, k: int) -> int | None:
    """Return the smallest loss of a set that is not a true top k; None if there is none."""
    kth = int(np.searchsorted(counts.ends, k))
    tie_is_cut = counts.ends[kth] > k
    steps = -np.diff(counts.values[: kth + 2])  # down to the k-th count, and from it
    found = [int(steps[kth])] if kth < steps.size else []
    found += [int(steps[kth - 1])] if tie_is_cut and kth else []
    return min(found, default=None)


def smallest_loss_of_sequences(counts: SortedCounts, k: int) -> int | None:
    """Return the smallest positive loss of a sequence; None if there is none."""
    kth = int(np.searchsorted(counts.ends, k))
    steps = -np.diff(counts.values[: kth + 2])
    return int(steps.min()) if steps.size else None


def at_most(counts: SortedCounts, k: int, rate: float, least: int) -> LossLevels:
    """Return losses from ``least`` on that have mass, with log N_wrong up to each.

    What is left out is less than d e^-45 of what they carry together.
    """
    sequences = SequencesByLoss(counts, k)
    losses = sequences.loss_levels(rate, least).losses
    kth = int(np.searchsorted(counts.ends, k))
    u, tied = int(counts.ends[kth]), int(counts.multiplicities[kth])
    larger = u - tied
    place = np.arange(k)[:, None]
    i = np.arange(1, larger + 1)
    y = np.append(0.0, np.cumsum(-np.log1p((k - u) / (tied + i))))
    log_n = np.empty(losses.size)
    step = max(1, _CHUNK // k)
    for start in range(0, losses.size, step):
        part = slice(start, start + step)
        n_within = sequences.n_within(losses[part])
        x = np.log1p(np.maximum(n_within - u, 0) / (u - place)).sum(axis=0)
        b = (n_within[:larger] >= u).sum(axis=0)
        log_n[part] = sequences.log_n_of(n_within) + _log_rest(x + y[b])
    return LossLevels(losses, log_n)


def _log_rest(minus_log: FloatArray) -> FloatArray:
    """Return the log of 1 - e^-x."""
    rest: FloatArray = np.log(-np.expm1(-minus_log))
    return rest
