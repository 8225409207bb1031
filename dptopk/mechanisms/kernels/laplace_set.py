"""Exact probability that the true top k have the k largest counts with Laplace noise.

With S a true top k, R the rest, f and F the density and distribution function of the noise, it is
the integral over y, the smallest noisy count of S, of

    sum_{i in S} f / (1 - F)(y - c_i) * prod_{i in S} (1 - F(y - c_i)) * prod_{j in R} F(y - c_j),

and what it falls short of 1 that over y, the largest noisy count of R, of

    sum_{j in R} f / F(y - c_j) * prod_{j in R} F(y - c_j) * (1 - prod_{i in S} (1 - F(y - c_i))).

With a floor, below which nothing comes out, the first integral begins there.

Items of R above y and items of S below it add lines to the logarithm; the others, at distances x,
add -sum_p e^(-p x) / (p 2^p), of which the sums over items follow from level to level.  So the
work is proportional to the number of levels near the k-th count, and not to its square.  Lengths
are in scales of the noise; all terms are positive, in logarithms.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.kernels.gauss import rule

_LOG_NEGLIGIBLE = 45.0
_POWERS = np.arange(1, 56)  # 2^-55 of a term is beyond a double
_HALVES = 0.5**_POWERS / np.stack([_POWERS, np.ones_like(_POWERS)])  # of the log, and its slope
_VARIES = 4.0  # logarithms change by about this within a panel, at most
_WIDEST = 2.0  # panel, in scales
_NODES, _WEIGHTS, _ = rule(16)
_LOG_WEIGHTS = np.log(_WEIGHTS)
_LN_2 = math.log(2.0)


def work(counts: SortedCounts, k: int, rate: float) -> int:
    """Return the number of steps of one probability."""
    reach = 2 * (_LOG_NEGLIGIBLE + float(np.log(counts.d))) / rate
    near = int((np.abs(counts.values - counts.top(k)[-1]) <= reach).sum())
    return near * _POWERS.size


def log_probability_top_first(
    counts: SortedCounts, k: int, rate: float, floor: int | None = None
) -> float:
    """Return the log probability that a true top k come before all others, up to ties.

    With a ``floor``, a level, they all have to lie above its count, too; k is then below d.
    """
    if k == counts.d and floor is None:
        return 0.0
    log_p = _Boundary(counts, k, rate, floor).integral(_top_first, together=True)
    return min(log_p + top.log_n_top_sets(counts, k), 0.0)


def log_probability_not_top_first(counts: SortedCounts, k: int, rate: float) -> float:
    """Return the log of the complement; NaN where several sets are a true top k."""
    if k == counts.d:
        return -np.inf
    if top.log_n_top_sets(counts, k) > 0:
        return np.nan
    return min(_Boundary(counts, k, rate).integral(_not_top_first, together=False), 0.0)


@dataclass(frozen=True)
class _Stretch:
    """Panels of y between two neighboring counts, with logs of integrands, (n, n_nodes)."""

    log_width: FloatArray
    log_rest: FloatArray  # that all of R are below y
    log_top: FloatArray  # that all of S are above it
    log_lost: FloatArray  # log of minus the log of that of all those of S that are ahead
    log_rest_hazard: FloatArray  # sum of f / F over R
    log_top_hazard: FloatArray  # sum of f / (1 - F) over S

    @property
    def log_some(self) -> FloatArray:
        """Log probability that not all of S are above y, shape (n, n_nodes)."""
        with np.errstate(divide="ignore"):  # log 0 = -inf: the other branch is taken
            lost = np.log(-np.expm1(self.log_top))
        # all of S are ahead, and hardly any is lost: a logarithm that no double holds
        return np.where(self.log_top > -1e-16, self.log_lost, lost)


def _top_first(at: _Stretch) -> FloatArray:
    return at.log_top_hazard + at.log_top + at.log_rest


def _not_top_first(at: _Stretch) -> FloatArray:
    return at.log_rest_hazard + at.log_rest + at.log_some


@dataclass(frozen=True)
class _Sums:
    """Contributions of items of a level and those before it to logarithms, level by level."""

    lead: FloatArray  # distance of the nearest item
    powers: FloatArray  # sums of e^(-p x) over items that are further by x than the nearest
    number: FloatArray  # of items
    line: FloatArray  # their distances added up

    @classmethod
    def over(cls, n: FloatArray, gaps: FloatArray) -> "_Sums":
        """Return the sums for ``n`` items at levels separated by ``gaps``."""
        powers = np.empty((n.size, _POWERS.size))
        lead, line = np.zeros(n.size), np.zeros(n.size)
        number = np.cumsum(n)
        powers[0] = n[0]
        for level in range(1, n.size):
            gap = gaps[level - 1]
            line[level] = line[level - 1] + number[level - 1] * gap
            if n[level]:
                further = np.exp(-_POWERS * (lead[level - 1] + gap))
                powers[level] = n[level] + powers[level - 1] * further
            else:
                lead[level], powers[level] = lead[level - 1] + gap, powers[level - 1]
        return cls(lead, powers, number, line)

    @property
    def upside_down(self) -> "_Sums":
        """The sums with levels in the other order."""
        return _Sums(self.lead[::-1], self.powers[::-1], self.number[::-1], self.line[::-1])

    def steepness(self, level: int, apart: float) -> float:
        """Return a bound on the slope of the contributions, half of e^-x for each item ahead."""
        half, lead = self._nearest[level]
        return half * math.exp(-lead - apart)

    @cached_property
    def _nearest(self) -> list[tuple[float, float]]:
        """Half the first sum of each level, and the distance that it is taken from."""
        return list(zip((self.powers[:, 0] / 2).tolist(), self.lead.tolist(), strict=True))

    def ahead(self, level: int, apart: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log of the contributions, -sum log(1 - e^-x / 2), and of their hazard.

        Those of a level, and behind it, seen from a distance ``apart``.
        """
        x = apart + self.lead[level]
        sums = np.exp(x[:, :, None] * (1 - _POWERS)) @ (self.powers[level] * _HALVES).T
        return np.log(sums[:, :, 0]) - x, np.log(sums[:, :, 1]) - x


class _Boundary:
    """Levels around the k-th count, with the contributions of items on either side of y."""

    def __init__(self, counts: SortedCounts, k: int, rate: float, floor: int | None = None):
        kth = int(np.searchsorted(counts.ends, k))
        after = kth if counts.ends[kth] > k else kth + 1
        self.k, self.zone = k, _LOG_NEGLIGIBLE + float(np.log(counts.d))
        values, distance = counts.values, 2 * self.zone / rate
        lowest = kth if floor is None else min(kth, floor)  # of the levels that y goes up from
        first = int(np.argmax(values - values[lowest] <= distance))
        last = int((values[after] - values <= distance).sum())
        n_top = np.clip(k - (counts.ends - counts.multiplicities), 0.0, counts.multiplicities)
        n_rest = (counts.multiplicities - n_top)[first:last]
        n_top = n_top[first:last]
        self.kth, self.after, self.n = kth - first, after - first, last - first
        self.floor = self.n if floor is None else min(floor - first, self.n)
        self.gaps = -np.diff(values[first:last]) * rate
        self.top_down, self.rest_down = (_Sums.over(n, self.gaps) for n in (n_top, n_rest))
        self.top_up, self.rest_up = (
            _Sums.over(n[::-1], self.gaps[::-1]).upside_down for n in (n_top, n_rest)
        )

    def integral(self, log_integrand: Callable[[_Stretch], FloatArray], together: bool) -> float:
        """Return the log of the integral over y; ``together`` if all top items must be above it."""
        log_p = -np.inf
        for stretch in self._stretches(together):
            pause()
            log_x = log_integrand(stretch) + stretch.log_width[:, None] + _LOG_WEIGHTS
            log_p = np.logaddexp.reduce(log_x, axis=None, initial=log_p)
        return float(log_p)

    def _stretches(self, together: bool) -> Iterator[_Stretch]:
        """Yield the intervals of y above the floor: the k-th gap, those above it, those below."""
        if self.kth < self.after <= self.floor:
            yield self._between(self.after, 0.0, float(self.gaps[self.kth]))
        covered = 0.0
        for level in range(min(self.kth, self.floor), -1, -1):
            length = float(self.gaps[level - 1]) if level else np.inf
            # where R hardly matters it falls by a factor e a scale, for each item of S if together
            settled = np.log(max(2 * self.rest_up.steepness(level, 0.0), 1.0))
            falls = float(self.top_up.number[level]) if together else 1.0
            most = settled + (_LOG_NEGLIGIBLE + 10) / falls
            end = min(length, most, self.zone - covered)
            yield self._between(level, 0.0, end)
            covered += length
            if end < length or covered >= self.zone:
                break
        lost, most = 0.0, _LOG_NEGLIGIBLE + 10 + self.k * _LN_2
        for level in range(self.after + 1, self.floor + 1):
            length = float(self.gaps[level - 1]) if level < self.n else self.zone
            falls = float(self.rest_down.number[level - 1])
            begin = max(0.0, length - (most - lost) / falls)
            yield self._between(level, begin, length)
            lost += falls * length
            if lost >= most:
                break

    def _between(self, level: int, begin: float, end: float) -> _Stretch:
        length = float(self.gaps[level - 1]) if 0 < level < self.n else self.zone
        lines = (self.rest_down.number[level - 1] if level else 0.0) + (
            self.top_up.number[level] if level < self.n else 0.0
        )

        def slope(up: float, down: float) -> float:
            ahead = self.top_down.steepness(level - 1, down) if level else 0.0
            behind = self.rest_up.steepness(level, up) if level < self.n else 0.0
            return 1.0 + float(lines) + ahead + behind

        # with so many items of R just below, y is that near to them with a factor e^-45 less
        crowd = self.k + _LOG_NEGLIGIBLE + 10 * np.sqrt(self.k)
        many = self.rest_up.steepness(level, 0.0) / crowd if level < self.n else 0.0
        low = max(begin, math.log(max(many, 1.0)))
        half = length / 2
        ups = _cut(low, min(half, end, self.zone), lambda up: slope(up, length - up))
        downs = _cut(
            max(0.0, length - end),
            min(length - max(begin, half), self.zone),
            lambda down: slope(length - down, down),
        )
        widths = [np.diff(ups), np.diff(downs)]
        up = [ups[:-1, None] + widths[0][:, None] * _NODES]
        down = [length - up[0], downs[:-1, None] + widths[1][:, None] * _NODES]
        up.append(length - down[1])
        if length > 2 * self.zone and begin <= self.zone and end >= length - self.zone:
            whole = length - 2 * self.zone  # pure exponentials
            up.append(self.zone + whole * _NODES[None])
            down.append(self.zone + whole * (1 - _NODES[None]))
            widths.append(np.array([whole]))
        return self._at(level, np.concatenate(up), np.concatenate(down), np.concatenate(widths))

    def _at(self, level: int, up: FloatArray, down: FloatArray, widths: FloatArray) -> _Stretch:
        """Return all integrands at nodes given by their distances from the levels around."""
        log_rest, log_top = np.zeros((2, *up.shape))
        log_rest_hazard, log_top_hazard, log_lost = np.full((3, *up.shape), -np.inf)
        with np.errstate(divide="ignore"):  # log 0 = -inf: nobody
            if level:
                number, line = self.rest_down.number[level - 1], self.rest_down.line[level - 1]
                log_rest -= number * (_LN_2 + down) + line
                log_rest_hazard = np.logaddexp(log_rest_hazard, np.log(number))
                log_lost, hazard = self.top_down.ahead(level - 1, down)
                log_top -= np.exp(log_lost)
                log_top_hazard = np.logaddexp(log_top_hazard, hazard)
            if level < self.n:
                number, line = self.top_up.number[level], self.top_up.line[level]
                log_top -= number * (_LN_2 + up) + line
                log_top_hazard = np.logaddexp(log_top_hazard, np.log(number))
                part, hazard = self.rest_up.ahead(level, up)
                log_rest -= np.exp(part)
                log_rest_hazard = np.logaddexp(log_rest_hazard, hazard)
        log_width = np.log(widths)
        return _Stretch(log_width, log_rest, log_top, log_lost, log_rest_hazard, log_top_hazard)


def _cut(begin: float, end: float, slope: Callable[[float], float]) -> FloatArray:
    """Return the edges of panels across each of which the logarithm changes by little."""
    cuts = [begin]
    while cuts[-1] < end:
        cuts.append(min(end, cuts[-1] + min(_WIDEST, _VARIES / slope(cuts[-1]))))
    return np.array(cuts)
