"""Draw the noise on counts from its exact conditional law, given the output.

An exponential race has no memory: given who came first, the time of arrival is that of all
together, and whoever is left starts anew from there.  In a round of permute-and-flip as
report-noisy-max (Ding et al. 2021, arXiv 2105.07260) the noise of a winner s, measured from
the best count left, is -log(t) / rate with t of density proportional to
prod_{j != s} (1 - t q_j) on [0, 1]; the noise of the others is exponential, cut where it
would pass the winner.  Where a sampler has drawn the noise of what came out, that of the others
is as it is at first, cut where it would pass the last of them.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms.kernels.race import Bottom, Noise

_NO_RIVALS = 1e-12  # odds of all others together below which the winner's law is uniform in t


@dataclass(frozen=True)
class ConditionalNoise:
    """Noise behind one draw."""

    on_items: FloatArray  # (rounds, m), in users; NaN where an item takes no part any more
    bottom: float | None = None  # noisy count of ⊥, in users, where there is one


def of_race(
    counts: SortedCounts,
    ranks: IntArray,
    shown: IntArray,
    rate: float,
    rng: np.random.Generator,
    bottom: Bottom | None = None,
    stopped: bool = False,
) -> ConditionalNoise:
    """Draw Gumbel noise of scale 1 / rate, given that ``ranks`` are the largest in this order.

    An item that arrives at rate e^(rate c) after a time t has noise -log(t e^(rate c)) / rate.
    ⊥ takes part where there is a ``bottom``; ``stopped`` if it came after the ``ranks``.
    """
    left = counts.multiplicities.copy()
    race = _Race(counts, rate, bottom)
    own = np.empty(ranks.size)
    for place, level in enumerate(counts.level_of_rank(ranks)):
        race.wait(left, rng)
        own[place] = race.log_time(counts.values[level])
        left[level] -= 1
    if stopped:
        race.wait(left, rng)
    since = race.log_time(counts.counts_at_ranks(shown))
    later: FloatArray = np.logaddexp(since, np.log(rng.standard_exponential(shown.size)))
    on_items = beside(ranks, -own / rate, shown, -later / rate)
    if bottom is None:
        return ConditionalNoise(on_items)
    came = race.log_time_of_bottom
    if not stopped:
        wait = np.log(rng.standard_exponential()) - bottom.log_bonus
        came = float(np.logaddexp(came, wait))
    return ConditionalNoise(on_items, bottom.count - came / rate)


class _Race:
    """Clock of an exponential race: log time relative to the best item left."""

    def __init__(self, counts: SortedCounts, rate: float, bottom: Bottom | None):
        self.counts, self.rate, self.bottom = counts, rate, bottom
        self.best = int(counts.values[0])
        self.clock = -np.inf

    def wait(self, left: IntArray, rng: np.random.Generator) -> None:
        """Advance the clock to the next arrival of the items left and ⊥."""
        there = left > 0
        before = self.best
        if there.any():
            self.best = int(self.counts.values[np.argmax(there)])
        elif self.bottom is not None:
            self.best = self.bottom.count
        self.clock += self.rate * (self.best - before)
        log_rates = self.rate * (self.counts.values[there] - self.best) + np.log(left[there])
        if self.bottom is not None:
            apart = self.rate * (self.bottom.count - self.best)
            log_rates = np.append(log_rates, apart + self.bottom.log_bonus)
        wait = np.log(rng.standard_exponential()) - logsumexp(log_rates)
        self.clock = float(np.logaddexp(self.clock, wait))

    def log_time(self, counts: IntArray) -> FloatArray:
        """Return the present log time, relative to each of these counts."""
        log_time: FloatArray = self.clock - self.rate * (self.best - counts).astype(np.float64)
        return log_time

    @property
    def log_time_of_bottom(self) -> float:
        """Present log time, relative to the count of ⊥ without its bonus."""
        assert self.bottom is not None
        return float(self.clock - self.rate * (self.best - self.bottom.count))


@dataclass(frozen=True)
class Last:
    """Last released item: its count, and the noise on it, in users."""

    count: int
    noise: float


@dataclass(frozen=True)
class Follower:
    """Item with the largest noisy count of those that are not released."""

    rank: int
    noisy: Last  # its count and noise
    behind: float  # how far its noisy count is behind the last released one, in users


def follower(
    counts: SortedCounts,
    ranks: IntArray,
    last: Last,
    noise: Noise,
    scale: float,
    rng: np.random.Generator,
) -> Follower | None:
    """Draw the item that follows the released ranks, given that it does not exceed the last.

    Of a level of m items left, the first of m clocks that run on.  None if no item is left.
    """
    levels = counts.level_of_rank(ranks)
    left = counts.multiplicities - np.bincount(levels, minlength=counts.n_levels)
    there = np.flatnonzero(left)
    if not there.size:
        return None
    apart = (last.count - counts.values[there]).astype(np.float64)
    since = noise.log_time(-(apart + last.noise) / scale)
    wait = np.log(rng.standard_exponential(there.size)) - np.log(left[there])
    own = -scale * noise.depth(np.logaddexp(since, wait))
    behind = apart + (last.noise - own)
    best = int(np.argmin(behind))
    level = int(there[best])
    start, size = int(counts.ends[level] - counts.multiplicities[level]), int(left[level])
    rank = start + int(rng.integers(size))
    for taken in np.sort(ranks[levels == level]).tolist():
        rank += rank >= taken  # the rank of so many items that are left
    noisy = Last(int(counts.values[level]), float(own[best]))
    return Follower(rank, noisy, max(float(behind[best]), 0.0))


def under(
    here: IntArray, last: Last, noise: Noise, scale: float, rng: np.random.Generator
) -> FloatArray:
    """Draw noise on these counts, given that none exceeds the last released noisy count."""
    depth = -((last.count - here).astype(np.float64) + last.noise) / scale
    later = np.logaddexp(noise.log_time(depth), np.log(rng.standard_exponential(here.size)))
    return -scale * noise.depth(later)


def beside(ranks: IntArray, own: FloatArray, shown: IntArray, others: FloatArray) -> FloatArray:
    """Return noise on the ranks ``shown``: their ``own`` if released, shape (1, m)."""
    released = shown[:, None] == ranks
    if not ranks.size:
        return others[None]
    noise: FloatArray = np.where(released.any(axis=1), own[np.argmax(released, axis=1)], others)
    return noise[None]


def of_rounds(
    counts: SortedCounts, ranks: IntArray, shown: IntArray, rate: float, rng: np.random.Generator
) -> ConditionalNoise:
    """Draw the exponential noise of every round, given that ``ranks`` won the rounds in turn."""
    left = counts.multiplicities.copy()
    own = counts.counts_at_ranks(shown)
    noise = np.full((ranks.size, shown.size), np.nan)
    for place, (rank, level) in enumerate(zip(ranks, counts.level_of_rank(ranks), strict=True)):
        best = counts.values[np.argmax(left > 0)]
        left[level] -= 1
        rivals = left > 0
        odds = np.exp(-rate * np.maximum(best - counts.values[rivals], 0))
        lead = -np.log(_winning_time(odds, left[rivals], rng))
        there = ~(shown[:, None] == ranks[:place]).any(axis=1)
        cut = lead + rate * (best - own[there])  # at most this, for not passing the winner
        fallen = -np.log1p(rng.random(cut.size) * np.expm1(-cut))
        noise[place, there] = np.where(shown[there] == rank, cut, fallen) / rate
    return ConditionalNoise(noise)


def _winning_time(odds: FloatArray, n: IntArray, rng: np.random.Generator) -> float:
    """Draw t in (0, 1] with density proportional to prod (1 - t q)^n, by exact rejection.

    Each factor is at most e^(-t q), and a cut exponential of their product is kept more
    often than not.
    """
    total = float(n @ odds)
    while True:
        uniform = 1 - rng.random()
        t = uniform if total < _NO_RIVALS else -np.log1p(uniform * np.expm1(-total)) / total
        with np.errstate(divide="ignore"):  # t q = 1: never kept
            log_kept = float(n @ (np.log1p(-t * odds) + t * odds))
        if t > 0 and rng.random() < np.exp(log_kept):
            return float(t)
