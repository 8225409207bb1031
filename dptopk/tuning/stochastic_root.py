"""Stochastic root finding: estimate where an increasing success probability reaches a level.

The setting stands on rungs, and at each a number of runs succeed.  A share is that of five
neighbouring rungs, which have random numbers of their own, and every fifth rung has the same again:
from rung to rung one of them changes place and not its random numbers, so that shares grow as
smoothly as if all had the same, and yet are of five times as many runs.  Where one event implies
another, shares of the second are nowhere smaller, and it crosses no later.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from dptopk.core.estimate import Estimate
from dptopk.simulation.summaries import share_of_runs

STREAMS = 5
"""Rungs with random numbers of their own; an odd number."""

_NEAR = 4  # rungs between which single shares of runs are told apart


@dataclass(frozen=True)
class Root:
    """Estimated root, in rungs, with its 95% interval; infinite beyond the last."""

    at: float
    low: float
    high: float


class Shares:
    """Estimated success probabilities at the rungs of a grid, between two ``ends``.

    ``succeeded`` is the number of successes of ``n`` runs at a rung, with the random numbers of a
    stream.
    """

    def __init__(self, succeeded: Callable[[int, int], int], n: int, ends: tuple[int, int]):
        self._succeeded, self._n, self._ends = succeeded, n, ends
        self._known: dict[int, int] = {}

    @property
    def runs(self) -> int:
        """Number of runs behind each share."""
        return STREAMS * self._n

    def between(self, at: float) -> float:
        """Return the share at a place on or between rungs."""
        rung = math.floor(at)
        return self._share(rung) + (at - rung) * (self._share(rung + 1) - self._share(rung))

    def root(self, wanted: float, low: int, high: int) -> Root:
        """Estimate where the shares reach ``wanted``, with its interval."""
        while high - low > _NEAR:
            middle = (low + high) // 2
            enough = self._successes(middle) >= wanted * self._n
            low, high = (low, middle) if enough else (middle, high)
        at = self._place(self._share, wanted, (low + high) // 2, 1)
        near = math.floor(min(max(at, self._ends[0]), self._ends[1]))
        none, every = share_of_runs(0, self.runs), share_of_runs(self.runs, self.runs)
        least, most = -math.inf, math.inf  # where too few runs tell nothing
        if none.high < wanted:
            least = self._place(lambda rung: self._at(rung).high, wanted, near, STREAMS)
        if every.low >= wanted:
            most = self._place(lambda rung: self._at(rung).low, wanted, near, STREAMS)
        return Root(at, least, most)

    def _place(self, curve: Callable[[int], float], wanted: float, start: int, step: int) -> float:
        """Find where an increasing curve reaches ``wanted``, by galloping steps, then bisection."""
        low = high = start
        while curve(high) < wanted:
            if high == self._ends[1]:
                return math.inf
            low, high, step = high, min(high + step, self._ends[1]), 2 * step
        while curve(low) >= wanted:
            if low == self._ends[0]:
                return -math.inf
            low, high, step = max(low - step, self._ends[0]), low, 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if curve(middle) >= wanted else (middle, high)
        return low + (wanted - curve(low)) / (curve(high) - curve(low))

    def _at(self, rung: int) -> Estimate:
        return share_of_runs(round(self._share(rung) * self.runs), self.runs)

    def _share(self, rung: int) -> float:
        half = STREAMS // 2
        rungs = range(rung - half, rung + half + 1)
        return sum(self._successes(each) for each in rungs) / self.runs

    def _successes(self, rung: int) -> int:
        if rung not in self._known:
            self._known[rung] = self._succeeded(rung, rung % STREAMS)
        return self._known[rung]
