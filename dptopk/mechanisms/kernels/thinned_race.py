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

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels import race

_SPARE = 16  # arrivals beyond 1.5 a round
_FEW = 32  # draws, up to which each walks alone
_FEW_LEVELS = 20  # fewer are counted in no time, round after round
_MANY_LEVELS = 20_000  # through which a race looks for arrivals
_CHUNK = 1_000_000  # arrivals at once
_LATEST = 700.0  # logarithm of the latest time that doubles hold
_LONGEST = 2_000.0  # scales: no clock shows a time above e^600


def pays(counts: SortedCounts, k: int, n: int) -> bool:
    """Return whether k rounds of n draws take less time than one round after another."""
    if n > _FEW:
        return k > 12 and counts.n_levels >= _FEW_LEVELS
    return k > (8 if counts.n_levels < _MANY_LEVELS else 16)


def draw(counts: SortedCounts, k: int, rate: float, n: int, rng: np.random.Generator) -> IntArray:
    """Draw the ranks of k rounds of permute-and-flip at ``rate``, shape (n, k)."""
    wanted = min(counts.d, k + k // 2 + _SPARE)
    best = counts.counts_at_ranks(np.arange(min(k + 1, counts.d)))
    step = max(1, _CHUNK // wanted)
    released = np.empty((n, k), dtype=np.int64)
    for i in range(0, n, step):
        first = race.draw_first_noisy(counts, wanted, rate, min(step, n - i), rng)
        more = wanted < counts.d
        if n > _FEW:
            ends = _walk_all(counts, first, released[i : i + step], rate, more, rng)
        else:
            here, noise = counts.values[first.levels], rate * first.noise
            drawn = zip(first.ranks.tolist(), here.tolist(), noise.tolist(), strict=True)
            ends = []
            for row, arrivals in enumerate(drawn):
                found, elapsed = _walk(*arrivals, best.tolist(), k, rate, more, rng)
                released[i + row, : len(found)] = found
                if len(found) < k:
                    ends.append((row, len(found), elapsed))
        for row, n_found, elapsed in ends:
            found = released[i + row, :n_found].tolist()
            released[i + row, n_found:] = _further(counts, found, k, elapsed, rate, rng)
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


def _walk_all(
    counts: SortedCounts,
    first: race.FirstArrivals,
    released: IntArray,
    rate: float,
    more: bool,
    rng: np.random.Generator,
) -> list[tuple[int, int, float]]:
    """Walk along the arrivals of many draws, step by step; see `_walk`.

    Fills ``released``, and returns of draws that end too early which they are, how many they
    released and how long their last round went on.

    Arrivals are kept as the logarithm of their time, with heights of counts in scales below the
    largest.  Of a step between counts only `_LONGEST` scales matter: differences of times keep
    their digits.
    """
    n, k = released.shape
    width = first.ranks.shape[1]
    steps = rate * np.diff(counts.values, prepend=counts.values[:1]).astype(np.float64)
    heights = np.cumsum(np.maximum(steps, -_LONGEST))
    # the last column is what comes behind all arrivals: an end, or nothing
    ranks, height, log_time = (np.empty((n, width + 1), kind) for kind in (np.int64, float, float))
    ranks[:, :-1], height[:, :-1] = first.ranks, heights[first.levels]
    np.subtract(-rate * first.noise, height[:, :-1], out=log_time[:, :-1])
    ranks[:, -1], height[:, -1] = 0, -np.inf
    log_time[:, -1] = log_time[:, -2] if more else np.inf
    n_best = min(k + 1, counts.d)  # of these ranks it is known whether they are left
    best = np.append(heights[counts.level_of_rank(np.arange(n_best))], -np.inf)
    left = np.ones((n, n_best + 1), dtype=bool)
    row, place, last = np.arange(n), np.arange(n) * (width + 1), np.full(n, -np.inf)
    n_released, top, ends = np.zeros(n, dtype=np.int64), np.full(n, best[0]), []
    # items that were not accepted: when they arrive again, and where they stand in the row
    waits, waiting = np.full((4, n), np.inf), np.zeros((4, n), dtype=np.int64)
    step = 0
    while row.size:
        pause()
        step += 1
        time_again, time_next = waits.min(axis=0), log_time.take(place)
        time, item = np.minimum(time_again, time_next), place.copy()
        again = np.flatnonzero(time_again < time_next)
        slot = waits[:, again].argmin(axis=0)
        item[again], waits[slot, again] = waiting[slot, again], np.inf
        h, rank = height.take(item), ranks.take(item)
        x = np.exp(np.minimum(time + top, _LATEST)) - np.exp(np.minimum(last + top, _LATEST))
        x = np.minimum(x, _LATEST)
        odds = np.exp(h - top)
        accepted = rng.random(row.size) * (odds + (1 - odds) * np.exp(x)) < 1
        over = h == -np.inf  # an item that arrives again has a count
        accepted &= ~over
        place += 1
        place[again] -= 1
        refused = np.flatnonzero(~(accepted | over))
        if refused.size:
            below = h[refused]
            clock = np.exp(time[refused] + below) + rng.standard_exponential(refused.size)
            free = waits[:, refused].argmax(axis=0)
            if np.isfinite(waits[free, refused]).any():
                free[:] = len(waits)
                waits = np.vstack([waits, np.full_like(waits, np.inf)])
                waiting = np.vstack([waiting, waiting])
            waits[free, refused], waiting[free, refused] = np.log(clock) - below, item[refused]
        released[row, n_released] = rank  # or something else, where it was not accepted
        n_released += accepted
        last = np.where(accepted, time, last)
        left[row, np.minimum(rank, n_best)] = ~accepted
        new = np.flatnonzero(accepted & (h == top))
        top[new] = best[left[row[new]].argmax(axis=1)]
        if step < min(k, width):
            continue
        ends += [(int(row[i]), int(n_released[i]), float(x[i])) for i in np.flatnonzero(over)]
        going = np.flatnonzero(~over & (n_released < k))
        if going.size < row.size:
            row, n_released, place = row[going], n_released[going], place[going]
            last, top = last[going], top[going]
            waits, waiting = waits[:, going], waiting[:, going]
    return ends


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
