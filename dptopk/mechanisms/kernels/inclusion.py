"""Exact probability that each item is among the k largest noisy counts and above a threshold.

With f and F the density and distribution function of the noise, N_i(x) the number of other items
whose noisy counts exceed x, and G(x) the probability that the threshold lies below x, item i comes
out with probability

    p_i = integral of f(x - c_i) G(x) P(N_i(x) < k) dx.

N(x), of all items, is Poisson-binomial.  Items that are likelier below x than above are counted by
those above, the others by those below, so that taking one of them out of a distribution,
P_i(j) = (P(j) - p P_i(j - 1)) / (1 - p) with p <= 1/2, adds up errors and does not amplify them.
By Hoeffding's bound (1963), -ln P >= k ln(k / mu) + (n - k) ln((n - k) / (n - mu)) of
P(N(x) <= k) for n items and a mean mu above k, and of P(N(x) >= k) for one below, only a stretch of
x matters; above it there is room for every item.
Gauss-Legendre panels between all counts, where Laplace's F is not smooth.  Lengths are in scales of
the noise.  Good to about 1e-10.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.mechanisms.exact_laws import NoClosedFormError
from dptopk.mechanisms.kernels.gauss import each_of, rule

_NEGLIGIBLE = 34.0  # minus the log of a probability that is left out
_REACH = 34.0  # scales beside a count, beyond which its density is not met
_ROUGHLY = 1e-3  # scales to which the ends of the stretch are found
_ORDERS = np.array([4, 6, 10])  # nodes of a panel, by its width
_NARROW = np.array([0.1, 0.4])  # scales or deviations of the number, up to which fewer suffice
_WIDEST = 1.5  # panel, in scales, where counts are certain
_AT_ONCE = 200  # nodes
_MOST_STEPS = 200_000_000
_TINY = 1e-20  # of a binomial probability that is left out
_RARE = 1e-3  # probability up to which indicators are counted together
_POWERS = 5  # of their odds, which then add up to 1e-13 at most
_LOG_TINY_TERM = math.log(1e-16)  # of a sum, likewise
_RULES = np.zeros((2, _ORDERS.size, _ORDERS[-1]))  # nodes and weights on [0, 1], filled up with 0
for _place, _order in enumerate(_ORDERS.tolist()):
    _RULES[:, _place, :_order] = rule(_order)[:2]


@dataclass(frozen=True)
class NoiseLaw:
    """Law of noise of scale 1: probability below and above a value, and density."""

    below: Callable[[FloatArray], FloatArray]
    above: Callable[[FloatArray], FloatArray]
    density: Callable[[FloatArray], FloatArray]
    lowest: float  # below which no noise is met
    smooth: bool


def _laplace_below(x: FloatArray) -> FloatArray:
    half = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, half, 1 - half)


def _gumbel_time(x: FloatArray) -> FloatArray:
    return np.exp(-np.maximum(x, -7.0))  # e^-1096 is 0 as a float


LAPLACE = NoiseLaw(
    _laplace_below,
    lambda x: _laplace_below(-x),
    lambda x: np.exp(-np.abs(x)) / 2,
    lowest=-_REACH,
    smooth=False,
)
GUMBEL = NoiseLaw(
    lambda x: np.exp(-_gumbel_time(x)),
    lambda x: -np.expm1(-_gumbel_time(x)),
    lambda x: _gumbel_time(x) * np.exp(-_gumbel_time(x)),
    lowest=-math.log(_REACH + 4),
    smooth=True,
)


def chances_of_ranks(
    levels: SortedCounts,
    scale: float,
    ranks: IntArray,
    k: int,
    noise: NoiseLaw,
    room: int | None = None,
    origin: int = 0,
    floor: float = -math.inf,
    bottom: float | None = None,
) -> FloatArray:
    """Return the probability that the items at these ranks come out; 0 beyond the levels.

    ``scale`` is that of the noise, in users; ``floor`` and ``bottom`` are measured from the count
    ``origin``.  With ``room``, that they do with fewer than so many others of these items above
    them.  Other parameters and errors as `chances`.
    """
    at = levels.level_of_rank(ranks)
    last, group = min(int(np.searchsorted(levels.ends, k)), levels.n_levels - 1), None
    if room is not None:
        group = np.bincount(at, minlength=levels.n_levels + 1)[:-1]
        last = min(last, int(np.searchsorted(np.cumsum(group), room)))
    # in whole users from the last count that there is room for: few where it matters
    zero = int(levels.values[last])
    heights = (levels.values - zero) / scale
    above = (origin - zero) / scale
    floor, bottom = floor + above, None if bottom is None else bottom + above
    found = chances(heights, levels.multiplicities, k, noise, floor, bottom, group, room or 0)
    result: FloatArray = np.append(found, 0.0)[at]
    return result


def chances(
    heights: FloatArray,
    sizes: IntArray,
    k: int,
    noise: NoiseLaw,
    floor: float = -math.inf,
    bottom: float | None = None,
    group: IntArray | None = None,
    room: int = 0,
) -> FloatArray:
    """Return the probability that an item of each level comes out, of k at most.

    Parameters
    ----------
    heights, sizes : numpy.ndarray, shape (n_levels,)
        Counts in scales of the noise, descending, and how many items have each.
    floor, bottom : float, optional
        Threshold without noise, and height of one with noise of the same law.
    group, room : optional
        How many items of each level belong to a group: then of those only, that one comes out with
        fewer than ``room`` others of the group above it.

    Raises
    ------
    NoClosedFormError
        If there are too many levels for this.
    """
    low, full = _stretch(heights, sizes, k, noise)
    if group is not None:
        if not group.any():
            return np.zeros(heights.size)
        of_group = _stretch(heights[group > 0], group[group > 0], room, noise)
        low, full = max(low, of_group[0]), max(full, of_group[1])
    low = max(low, floor, heights[-1] - _REACH if bottom is None else bottom + noise.lowest)
    high = max(full, low if bottom is None else bottom + _REACH)
    result: FloatArray = noise.above(high - heights)
    surely = int((heights > high + _REACH).sum())  # levels above all of the stretch
    near = slice(surely, int((heights > low - _REACH - math.log(float(sizes.sum()))).sum()))
    k -= int(sizes[:surely].sum())
    heights, sizes = heights[near], sizes[near]
    if group is not None:
        room -= int(group[:surely].sum())
        group = group[near]
    if k <= 0 or not heights.size:
        return result
    kinks = heights if bottom is None else np.append(heights, bottom)
    n_inside = 1 if noise.smooth else int(((kinks >= low) & (kinks <= high)).sum())
    _check_work(n_inside * int(_ORDERS[0]), heights.size, k)
    nodes, weights = _nodes(low, high, heights, sizes, noise, kinks)
    _check_work(nodes.size, heights.size, k)
    found = np.zeros(heights.size)
    certain = int(np.searchsorted(nodes, full))
    cuts = [*range(0, certain, _AT_ONCE), *range(certain, nodes.size, _AT_ONCE), nodes.size]
    for start, end in pairwise(cuts):
        pause()
        x = nodes[start:end]
        weight = weights[start:end] * (1.0 if bottom is None else noise.below(x - bottom))
        first, last, within = 0, heights.size, np.ones(1)
        if start < certain and group is None:
            first, last, within = _others_leave_room(x, heights, sizes, k, noise)
        elif start < certain and group is not None:
            within = _group_leaves_room(x, heights, sizes - group, k, group, room, noise)
        density = noise.density(x - heights[first:last, None])
        found[first:last] += (density * within) @ weight
    result[near] += found
    return result.clip(0.0, 1.0, out=result)


def _check_work(n_nodes: int, n_levels: int, k: int) -> None:
    if n_nodes * n_levels * k > _MOST_STEPS:
        raise NoClosedFormError(
            f"{n_levels:,} different counts are too many for exact probabilities of items"
        )


def _stretch(heights: FloatArray, sizes: IntArray, k: int, noise: NoiseLaw) -> tuple[float, float]:
    """Return where the number of noisy counts above x is neither surely >= k nor surely below."""

    n = int(sizes.sum())

    def unlikely(end: float) -> float:  # mean number, towards an end, at which k is negligible
        inside, outside = float(k), end
        while (mean := (inside + outside) / 2) not in (inside, outside):
            rest = (n - k) * math.log1p((mean - k) / (n - mean))
            if k * math.log(k / mean) + rest < _NEGLIGIBLE:
                inside = mean
            else:
                outside = mean
        return outside

    def where(mean: float) -> tuple[float, float]:  # noisy counts above x are so many on average
        low, high = float(heights[-1]) - _REACH, float(heights[0]) + _REACH + math.log(n)
        while high - low > _ROUGHLY and low < (middle := (low + high) / 2) < high:
            expected = float(sizes @ noise.above(middle - heights))
            low, high = (middle, high) if expected > mean else (low, middle)
        return low, high

    if k >= n:  # there is room for all of them
        return -math.inf, -math.inf
    ends = np.cumsum(sizes)
    low, high = where(unlikely(n))[0], where(unlikely(0))[1]
    # nor where so many counts are surely above x, or so few
    low = max(low, float(heights[np.searchsorted(ends, k, side="right")]) - _REACH)
    kth = float(heights[np.searchsorted(ends, k)])
    return low, min(high, kth + _REACH + math.log(n))


def _nodes(
    low: float,
    high: float,
    heights: FloatArray,
    sizes: IntArray,
    noise: NoiseLaw,
    kinks: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights from low to high, wherever a density is met."""
    edges = np.concatenate([heights - _REACH, heights + _REACH, *([] if noise.smooth else [kinks])])
    edges = np.unique(np.concatenate([[low, high], edges.clip(low, high)]))
    starts, widths = edges[:-1], np.diff(edges)
    ascending = heights[::-1]
    middle = starts + widths / 2
    at = np.searchsorted(ascending, middle)
    up = np.append(ascending, np.inf)[at] - middle
    down = middle - np.append(-np.inf, ascending)[at]
    met = np.minimum(up, down) <= _REACH
    starts, widths = starts[met], widths[met]
    for varies in (False, True):  # pieces as wide as a scale, then as the number's deviation
        slopes = np.full(starts.size, 1 / _WIDEST)
        if varies:
            for place, x in enumerate(starts + widths / 2):
                p = noise.below(x - heights)
                slopes[place] += math.sqrt(float(sizes @ (p * (1 - p))))
        n = np.maximum(np.ceil(widths * slopes), 1).astype(np.int64)
        own, nth = each_of(n)
        widths = (widths / n)[own]
        starts = starts[own] + nth * widths
    order = np.searchsorted(_NARROW, widths * slopes[own])
    panel, nth = each_of(_ORDERS[order])
    at, weights = _RULES[:, order[panel], nth]
    return starts[panel] + widths[panel] * at, widths[panel] * weights


def _others_leave_room(
    x: FloatArray, heights: FloatArray, sizes: IntArray, k: int, noise: NoiseLaw
) -> tuple[int, int, FloatArray]:
    """Return P(N_i(x) < k) for an item of each level from a first to a last one, at each x.

    Those before are surely above x, and those behind surely below.
    """
    first = int((heights > x[-1] + _REACH).sum())
    last = int((heights > x[0] - _REACH - math.log(float(sizes.sum()))).sum())
    room = k - int(sizes[:first].sum())
    if room <= 0 or last <= first:
        return first, first, np.empty((0, x.size))
    levels, n = heights[first:last, None], sizes[first:last]
    above, below = noise.above(x - levels), noise.below(x - levels)
    high = above > 0.5
    n_high = n @ high
    p = np.where(high, below, above)
    rise = _number(np.where(high, 0.0, p), n, room)  # items of the others that are above x
    fall = _number(np.where(high, p, 0.0), n, int(n_high.max()) + 1)  # high ones that are below x
    # at most a of the high ones are above x if n_high - a of them at least are below
    at_least = np.cumsum(fall[::-1], axis=0)[::-1]
    at_most = np.cumsum(rise, axis=0)
    places, column = np.arange(max(room, len(fall)))[:, None], np.arange(x.size)
    needed = n_high - (room - 1 - places)  # high items below x, if so many others are above
    beside_rise = np.where(places < room, at_least[needed.clip(0, len(at_least) - 1), column], 0.0)
    left = room - n_high + places  # others above x at most, if so many high ones are below
    beside_fall = np.where(
        (left >= 0) & (places < n_high), at_most[left.clip(0, room - 1), column], 0.0
    )
    with_high, with_others = _shifted(fall, beside_fall), _shifted(rise, beside_rise)
    return first, last, _without_each(p, high, with_high, with_others)


def _shifted(law: FloatArray, beside: FloatArray) -> FloatArray:
    """Return the sums over j of law(j - m) beside(j), for m from 0 on: shape of ``beside``."""
    sums = np.zeros(beside.shape)
    for m in range(len(beside)):
        part = beside[m : m + len(law)]
        np.einsum("jx,jx->x", law[: len(part)], part, out=sums[m])
    return sums


def _without_each(
    p: FloatArray, high: BoolArray, with_high: FloatArray, with_others: FloatArray
) -> FloatArray:
    """Return the sums of `_shifted` at m = 0 for a law without one indicator of each level.

    Divided by 1 - p + p z, a generating function is a series in the odds, whose terms are the
    sums at m = 1, 2, ...; those are left out that add less than 1e-16.
    """
    odds = p / (1 - p)
    steps = np.log(np.maximum(odds.max(axis=1), 1e-300))
    n_terms = np.where(steps < 0, np.ceil(_LOG_TINY_TERM / np.minimum(steps, -1e-3)), np.inf)
    n_terms = np.minimum(n_terms + 1, len(with_high)).astype(np.int64)
    found = np.zeros(p.shape)
    for m in range(int(n_terms.max(initial=0)) - 1, -1, -1):
        needed = np.flatnonzero(n_terms > m)
        near = slice(int(needed[0]), int(needed[-1]) + 1)
        found[near] *= -odds[near]
        found[near] += np.where(high[near], with_high[m], with_others[m])
    return found / (1 - p)


def _group_leaves_room(
    x: FloatArray,
    heights: FloatArray,
    others: IntArray,
    k: int,
    group: IntArray,
    room: int,
    noise: NoiseLaw,
) -> FloatArray:
    """Return P(fewer than ``room`` others of the group, and than k other items in all, above x).

    For an item of the group of each level, 0 where there is none.
    """
    above, within = noise.above(x - heights[:, None]), np.zeros((heights.size, x.size))
    at_most = np.cumsum(_number(above, others, k), axis=0)
    members = np.flatnonzero(group)
    for level in members:
        own = _number(above[members], group[members] - (members == level), min(room, k))
        within[level] = (own * at_most[k - len(own) :][::-1]).sum(axis=0)
    return within


def _number(p: FloatArray, sizes: IntArray, width: int) -> FloatArray:
    """Return the law of a sum of independent indicators, below ``width``, at n points: (width, n).

    ``sizes`` of them have the probabilities ``p``, shape (n_levels, n).
    """
    largest = p.max(axis=1, initial=0.0)
    rare = largest <= _RARE
    law = _number_of_rare(p[rare], sizes[rare], width)
    for level in np.flatnonzero(~rare):
        law = _with(law, p[level], int(sizes[level]), float(largest[level]))
    return law


def _number_of_rare(p: FloatArray, sizes: IntArray, width: int) -> FloatArray:
    """Return `_number` where all probabilities are small.

    The logarithm of the generating function is a power series in z, whose coefficients are
    (-1)^(m + 1) / m times the sum of odds^m, and 0 beyond `_POWERS`.
    """
    law = np.zeros((width, p.shape[1]))
    odds = p / (1 - p)
    law[0] = np.exp(-(sizes @ np.log1p(odds)))
    powers, power = [], odds
    for m in range(_POWERS):
        powers.append(sizes @ power if m % 2 == 0 else -(sizes @ power))
        power = power * odds
    for j in range(1, width):
        for m in range(1, min(j, _POWERS) + 1):
            law[j] += powers[m - 1] * law[j - m]
        law[j] /= j
        if float(law[j].max()) < _TINY and j > float(powers[0].max()):
            break
    return law


def _with(law: FloatArray, p: FloatArray, m: int, largest: float) -> FloatArray:
    """Return the law of a sum with m more indicators of probability p, of which one is largest."""
    if largest > 0.5:  # one by one: a power of 1 - p may be 0
        for _ in range(m):
            shifted = law[:-1] * p
            law = law * (1 - p)
            law[1:] += shifted
        return law
    term = (1 - p) ** m
    odds, found = p / (1 - p), law * term
    for j in range(1, min(m, len(law) - 1) + 1):
        term = term * odds * ((m - j + 1) / j)
        found[j:] += law[:-j] * term
        if j > m * largest and float(term.max()) < _TINY:
            break
    return found
