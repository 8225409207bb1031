"""Draw all rounds of permute-and-flip from the arrivals of one exponential race.

A round of permute-and-flip over items with odds q_s = e^(rate (c_s - largest count left)) is this:
with x the time since the round began, every item left is proposed at rate q_s, and a proposal at x
is accepted with probability 1 / (q_s + (1 - q_s) e^x).  For in 1 - e^-x, the time at which items
are visited, the first success of an item that is visited at a uniform time, with a coin of odds
q_s, has the hazard q_s / (1 - q_s (1 - e^-x)), hence q_s e^-x / (1 - q_s (1 - e^-x)) in x.

Items with Poisson processes of rate e^(rate c_s) propose so in every round, if time is measured by
the best item left: what is to come does not depend on what came.  So the rounds are one walk along
the arrivals of a race (`race`): an item that is accepted is released, and the next round begins;
one that is not will arrive again, an exponential time later.  A round takes 1.3 proposals at most
on average.  Where the arrivals that were drawn do not suffice, the walk goes on from where they
end, one proposal after another.

An arrival is kept as g = -log(time * e^(rate c_s)), the noise on a count in scales: differences of
counts are whole numbers until they are multiplied by the rate.
"""

import math

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels import race

_SPARE = 16  # arrivals beyond 1.5 a round
_FEW = 32  # draws, up to which each walks alone
_FEW_LEVELS = 20  # fewer are counted in no time, round after round
_MANY_LEVELS = 20_000  # through which a race looks for arrivals
_CHUNK = 1_000_000  # arrivals at once
_LATEST = 700.0  # logarithm of the latest time that doubles hold


def pays(counts: SortedCounts, k: int, n: int) -> bool:
    """Return whether k rounds of n draws take less time than one round after another."""
    if n > _FEW:
        return k > 40 and counts.n_levels >= _FEW_LEVELS
    return k > (8 if counts.n_levels < _MANY_LEVELS else 16)


def draw(counts: SortedCounts, k: int, rate: float, n: int, rng: np.random.Generator) -> IntArray:
    """Draw the ranks of k rounds of permute-and-flip at ``rate``, shape (n, k)."""
    wanted = min(counts.d, k + k // 2 + _SPARE)
    best = counts.counts_at_ranks(np.arange(min(k + 1, counts.d)))
    step = max(1, _CHUNK // wanted)
    released = np.empty((n, k), dtype=np.int64)
    for i in range(0, n, step):
        pause()
        first = race.draw_first_noisy(counts, wanted, rate, min(step, n - i), rng)
        here, noise = counts.counts_at_ranks(first.ranks), rate * first.noise
        more = wanted < counts.d
        if n <= _FEW:
            drawn = zip(first.ranks.tolist(), here.tolist(), noise.tolist(), strict=True)
            ends = [_walk(*row, best.tolist(), k, rate, more, rng) for row in drawn]
        else:
            ends = _walk_all(first.ranks, here, noise, best, k, rate, more, rng)
        for row, (found, elapsed) in enumerate(ends):
            released[i + row] = found + _further(counts, found, k, elapsed, rate, rng)
    return released


def _walk(
    ranks: list[int],
    here: list[int],
    noise: list[float],
    best: list[int],
    k: int,
    rate: float,
    more: bool,
    rng: np.random.Generator,
) -> tuple[list[int], float]:
    """Return what is released along these arrivals, and how long the last round went on.

    Shorter than k only where ``more`` items would arrive later.
    """
    uniform = rng.random(2 * len(ranks)).tolist()
    released: list[int] = []
    gone, lead, top = set[int](), 0, best[0]
    again: list[tuple[int, int, float]] = []  # items that were not accepted, and their next arrival
    place, began = 0, 0.0
    while True:
        pause()
        if place < len(ranks):
            late = rate * (top - here[place]) - noise[place]
        else:  # nothing is known of what comes later
            late = rate * (top - here[-1]) - noise[-1] if more else math.inf
        which = -1
        for i, (_, count, g) in enumerate(again):
            if (log_time := rate * (top - count) - g) < late:
                late, which = log_time, i
        elapsed = min(max(math.exp(min(late, _LATEST)) - began, 0.0), _LATEST)
        if which >= 0:
            rank, count, g = again.pop(which)
        elif place < len(ranks):
            rank, count, g = ranks[place], here[place], noise[place]
            place += 1
        else:
            return released, elapsed
        gap = rate * (top - count)
        if gap > 0:
            wanted = uniform.pop() if uniform else rng.random()
            if wanted * (math.exp(-gap) - math.expm1(-gap) * math.exp(elapsed)) >= 1:
                again.append((rank, count, -math.log(math.exp(-g) + rng.standard_exponential())))
                continue
        released.append(rank)
        if len(released) == k:
            return released, 0.0
        gone.add(rank)
        while lead in gone:
            lead += 1
        top = best[lead]
        began = math.exp(min(rate * (top - count) - g, _LATEST))


class _Waiting:
    """Items that were not accepted and will arrive again, some for each draw."""

    def __init__(self, n: int):
        self.ranks, self.here = np.zeros((2, n, 4), dtype=np.int64)
        self.noise = np.full((n, 4), -np.inf)  # -inf: nobody
        self.next = np.zeros(n, dtype=np.int64)

    def put(self, row: IntArray, rank: IntArray, here: IntArray, noise: FloatArray) -> None:
        """Add one waiting item to each of these draws."""
        if not np.isinf(self.noise[row]).any(axis=1).all():
            self.ranks, self.here = (np.hstack([x, x]) for x in (self.ranks, self.here))
            self.noise = np.hstack([self.noise, np.full_like(self.noise, -np.inf)])
        free = np.isinf(self.noise[row]).argmax(axis=1)
        self.ranks[row, free], self.here[row, free], self.noise[row, free] = rank, here, noise

    def find_next(self, row: IntArray, top: IntArray, rate: float) -> None:
        """Find the item that arrives next in each of these draws."""
        late = rate * (top[:, None] - self.here[row]) - self.noise[row]
        self.next[row] = late.argmin(axis=1)


def _walk_all(
    ranks: IntArray,
    here: IntArray,
    noise: FloatArray,
    best: IntArray,
    k: int,
    rate: float,
    more: bool,
    rng: np.random.Generator,
) -> list[tuple[list[int], float]]:
    """Walk along the arrivals of many draws, step by step; see `_walk`."""
    n, width = ranks.shape
    released, n_released = np.empty((n, k), dtype=np.int64), np.zeros(n, dtype=np.int64)
    elapsed, began = np.zeros(n), np.zeros(n)
    left = np.ones((n, best.size + 1), dtype=bool)  # of the first ranks, and of all others
    top, place, waiting = np.full(n, best[0]), np.zeros(n, dtype=np.int64), _Waiting(n)
    ranks, here = (np.hstack([x, x[:, -1:]]) for x in (ranks, here))
    noise = np.hstack([noise, noise[:, -1:] if more else np.full((n, 1), -np.inf)])
    row = np.arange(n)
    while row.size:
        pause()
        highest, at, slot = top[row], place[row], waiting.next[row]
        late = rate * (highest - here[row, at]) - noise[row, at]
        late_again = rate * (highest - waiting.here[row, slot]) - waiting.noise[row, slot]
        again: BoolArray = late_again < late
        time = np.exp(np.minimum(np.where(again, late_again, late), _LATEST))
        x = np.clip(time - began[row], 0.0, _LATEST)
        rank = np.where(again, waiting.ranks[row, slot], ranks[row, at])
        count = np.where(again, waiting.here[row, slot], here[row, at])
        g = np.where(again, waiting.noise[row, slot], noise[row, at])
        over = ~again & (at == width)
        gap = rate * np.maximum(highest - count, 0)
        beside = np.exp(-gap) - np.expm1(-gap) * np.exp(x)
        accepted = ((rng.random(row.size) * beside < 1) | (gap == 0)) & ~over
        place[row] += ~again
        waiting.noise[row[again], slot[again]] = -np.inf
        refused = ~accepted & ~over
        if refused.any():
            later = -np.log(np.exp(-g[refused]) + rng.standard_exponential(int(refused.sum())))
            waiting.put(row[refused], rank[refused], count[refused], later)
        changed = again | refused
        waiting.find_next(row[changed], highest[changed], rate)
        mine = row[accepted]
        released[mine, n_released[mine]] = rank[accepted]
        n_released[mine] += 1
        left[mine, np.minimum(rank[accepted], best.size)] = False
        elapsed[row[over]] = x[over]
        whole = n_released[row] == k
        going, mine = ~(over | whole), row[accepted & ~whole]
        top[mine] = best[left[mine].argmax(axis=1)]
        since = rate * (top[mine] - count[accepted & ~whole]) - g[accepted & ~whole]
        began[mine] = np.exp(np.minimum(since, _LATEST))
        row = row[going]
    return [
        (released[i, : n_released[i]].tolist(), float(elapsed[i]) if n_released[i] < k else 0.0)
        for i in range(n)
    ]


def _further(
    counts: SortedCounts,
    released: list[int],
    k: int,
    elapsed: float,
    rate: float,
    rng: np.random.Generator,
) -> list[int]:
    """Return what else is released, proposal by proposal, by levels; no arrivals are known."""
    if len(released) == k:
        return []
    taken, left = sorted(released), counts.multiplicities.copy()
    np.subtract.at(left, counts.level_of_rank(np.array(taken, dtype=np.int64)), 1)
    starts = counts.ends - counts.multiplicities
    further: list[int] = []
    while len(taken) < k:
        pause()
        best = counts.values[np.argmax(left > 0)]
        odds = np.exp(-rate * np.maximum(best - counts.values, 0))
        summed = np.cumsum(left * odds)
        elapsed += rng.standard_exponential() / summed[-1]
        level = int(np.searchsorted(summed, rng.random() * summed[-1], side="right"))
        beside = odds[level] + (1 - odds[level]) * math.exp(min(elapsed, _LATEST))
        if rng.random() * beside >= 1:
            continue
        rank = int(starts[level] + rng.integers(left[level]))
        for other in taken:
            rank += int(starts[level]) <= other <= rank
        further.append(rank)
        taken = sorted([*taken, rank])
        left[level] -= 1
        elapsed = 0.0
    return further
