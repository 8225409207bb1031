"""Measure the time of a draw against k: the mechanisms here beside Algorithm 1 as printed.

`paper_joint` is Algorithm 1 of Gillenwater, Joseph, Muñoz Medina, Ribero (2022), arXiv 2201.12333,
written from its description: a yardstick for times, used for nothing else.

Times are CPU seconds of one thread, so that waiting for others does not count.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import Progress, no_progress, pause
from dptopk.core.counts import ItemCounts
from dptopk.mechanisms import Mechanism
from dptopk.questions.runner import Task

TIMED_K = (5, 25, 50, 100, 150, 200)
TRIALS = 5
MOST_ENTRIES = 5_000_000
"""Entries of the matrix up to which Algorithm 1 is run: it keeps some 60 bytes for each."""

ALGORITHM_1 = "Algorithm 1"


def timed(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    ks: Sequence[int],
    trials: int,
    number: int | None,
) -> Iterator[tuple[tuple[str, int], Task]]:
    """Yield the tasks that measure each mechanism at every k, by label and k.

    ``number`` tells one measurement from the next; if it is None, Algorithm 1 is left out.
    """
    for k in (k for k in ks if k <= counts.d):
        for mechanism in mechanisms:
            arguments = (counts, mechanism.replaced(k=k), trials, number)
            yield (mechanism.label, k), Task(seconds_of_draws, arguments, 0.1 * k)
        if number is not None and k * counts.d <= MOST_ENTRIES:
            at_k = (counts, k, trials, number)
            yield (ALGORITHM_1, k), Task(seconds_of_algorithm_1, at_k, 2.0 * k)


def seconds_of_draws(
    counts: ItemCounts,
    mechanism: Mechanism,
    trials: int,
    number: int | None,
    progress: Progress = no_progress,
) -> list[float]:
    """Measure the seconds of single draws from counts that are sorted anew for each."""
    rng = np.random.default_rng(number or 0)
    fresh = [ItemCounts(counts.counts) for _ in range(trials)]
    return _timed([partial(mechanism.sample, one, 1, rng) for one in fresh], progress)


def seconds_of_algorithm_1(
    counts: ItemCounts, k: int, trials: int, number: int, progress: Progress = no_progress
) -> list[float]:
    """Measure the seconds of single draws by Algorithm 1 at ε = 1."""
    rng = np.random.default_rng(number)
    return _timed([partial(paper_joint, counts.counts, k, 1.0, rng)] * trials, progress)


def _timed(draws: list[Callable[[], IntArray]], progress: Progress) -> list[float]:
    seconds = []
    for draw in draws:
        started = time.thread_time()
        draw()
        seconds.append(time.thread_time() - started)
        pause()
        progress(len(seconds) / len(draws))
    return seconds


def log_sequences(row: IntArray, column: IntArray, k: int) -> FloatArray:
    """Return the log number of sequences through each entry of Algorithm 1's sorted matrix.

    By cumulative sums, from the largest utility down.  Row r has t_r = column + 1 entries so far,
    and t_r - r free choices; those through an entry number the product of t_r - r over the other
    rows, once all rows have some.
    """
    free = column + 1 - row
    log_free = np.log(np.maximum(free, 1))
    log_before = np.log(np.maximum(free - 1, 1))
    log_m: FloatArray = np.cumsum(log_free - log_before) - log_free
    log_m[np.cumsum(free == 1) < k] = -np.inf
    return log_m


def paper_joint(
    counts: IntArray,
    k: int,
    epsilon: float,
    rng: np.random.Generator,
    count: Callable[[IntArray, IntArray, int], FloatArray] = log_sequences,
) -> IntArray:
    """Draw one sequence as in Algorithm 1: O(d k) memory, O(d k log(d k)) time.

    ``count`` counts the sequences through each entry of the sorted matrix; see `log_sequences`.
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
    log_weight = count(row, column, k) + epsilon / 2 * utility.ravel()[by_utility]

    a = int(np.argmax(log_weight + rng.gumbel(size=log_weight.size)))  # the Gumbel trick
    chosen = np.full(k, -1)
    chosen[row[a]] = column[a]
    t = np.bincount(row[: a + 1], minlength=k)
    for r in range(k):
        while chosen[r] < 0:
            candidate = rng.integers(t[r])
            if candidate not in chosen[:r]:
                chosen[r] = candidate
    sequence: IntArray = order[chosen]
    return sequence
