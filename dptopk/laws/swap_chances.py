"""Compute the probability that a mechanism swaps two items, as a function of their gap.

Scales of different noise do not compare: Gumbel noise of scale 8.5 errs more than exponential
noise of mean 10, and what weighs whole sequences adds no noise to a count.  What compares is how
often two items swap that lie some users apart while all others lie far from both.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.laws.exact import QUICK
from dptopk.mechanisms import Mechanism, NoClosedFormError, SetOrNothing
from dptopk.mechanisms.base import SingleChoice, check_mechanism

SELDOM = 0.05
"""Chance of a swap below which two items are said to be told apart."""

_FAR = 80  # scales between all others, at first: e^-80 of what is left out cannot be seen
_SETTLED = -1e-12  # log of how likely either of the two outputs must be: then all else is far
_FARTHEST = 2.0**53  # of counts; whatever is not settled there is not settled by counts
_POINTS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # of a curve, as shares of its end


@dataclass(frozen=True)
class Swaps:
    """Exact probability of a swap at ascending gaps, in users, until it is at most `SELDOM`."""

    gaps: IntArray
    chances: FloatArray

    def __post_init__(self) -> None:
        for kept in (self.gaps, self.chances):  # the same answer is given again
            kept.flags.writeable = False

    @property
    def told_apart(self) -> int:
        """Smallest gap, in users, at which two items swap with probability at most `SELDOM`."""
        return int(self.gaps[-1])


def swap_chance(mechanism: Mechanism, d: int, gap: int) -> float:
    """Return the exact probability, in [0, 1/2], that two items swap whose counts differ by a gap.

    They are the item at place k and the one behind it, or the last two where all d items are
    released; every other count lies so far from both and from all others that its place is
    settled.  For what releases in order, any two neighbours of a top k fare as these do.  A
    mechanism that may release fewer items, or would rather release nothing, is a ValueError, and
    one without a law a NoClosedFormError.

    Examples
    --------
    >>> from dptopk import EMPeel, swap_chance
    >>> round(swap_chance(EMPeel(1, 1.0), d=100, gap=4), 3)
    0.018
    """
    check_mechanism("mechanism", mechanism)
    d = validation.integer("d", d, low=mechanism.k)
    gap = validation.integer("gap", gap, low=0)
    if not mechanism.has_law():
        raise NoClosedFormError(f"no closed form of {mechanism.name}'s probabilities is known")
    pair = _settled(mechanism, d)
    if pair is None:
        raise ValueError(
            f"mechanism must release two places or leave an item out, and never a set or nothing, "
            f"got {mechanism.label} with k = {mechanism.k} of {d} items"
        )
    return pair.chance(gap)


def swaps(mechanism: Mechanism, d: int) -> Swaps | None:
    """Compute the probability of a swap against the gap; None if it is 0 or slow to compute.

    Arguments as of `swap_chance`, but ``d`` may be below k, which gives None.

    Examples
    --------
    >>> from dptopk import EMPeel, swaps
    >>> swaps(EMPeel(1, 1.0), d=100).told_apart
    3
    """
    check_mechanism("mechanism", mechanism)
    return _swaps(mechanism, validation.integer("d", d, low=1))


@lru_cache(maxsize=1024)
def _swaps(mechanism: Mechanism, d: int) -> Swaps | None:
    if isinstance(mechanism, SingleChoice) and mechanism.k < d:
        mechanism = mechanism.replaced(k=1)  # the budget is spent once, whatever k is
    pair = _settled(mechanism, d, QUICK)
    end = None if pair is None else pair.least_gap()
    if pair is None or end is None:
        return None
    gaps = np.unique(np.round(end * np.array(_POINTS)).astype(np.int64))
    return Swaps(gaps, np.array([pair.chance(int(gap)) for gap in gaps]))


def _settled(mechanism: Mechanism, d: int, most_work: float = math.inf) -> "_Pair | None":
    """Return two items that may swap, alone among others; None if there are none or it is slow."""
    two = d > mechanism.k or (d == mechanism.k > 1 and mechanism.outputs.ordered)
    if not two or isinstance(mechanism, SetOrNothing):
        return None
    far = _FAR * mechanism.scale_on(d)
    if far > _FARTHEST:  # at a tiny epsilon: such counts are no int64
        return None
    pair = _Pair(mechanism, d, math.ceil(far))
    if pair.largest > _FARTHEST:
        return None
    if mechanism.pmf_work(pair.counts(gap=1)) > most_work or not pair.has_law():
        return None
    # what weighs all sequences at once sees so many of them that each must weigh less
    while not pair.is_settled():
        pair.far *= 4
        if pair.largest > _FARTHEST:
            return None
    return pair


class _Pair:
    """Two items, with all others far from both and from each other."""

    def __init__(self, mechanism: Mechanism, d: int, far: int):
        self.mechanism, self.d, self.far = mechanism, d, far
        right = np.arange(mechanism.k)
        swapped = right.copy()
        swapped[-1] = mechanism.k
        if d == mechanism.k:
            swapped[-2:] = right[-1], right[-2]
        self.outputs = np.stack([right, swapped])

    @property
    def largest(self) -> int:
        """Approximate largest count."""
        return (self.mechanism.k + 3) * self.far

    def has_law(self) -> bool:
        """Return whether the mechanism has a closed form for the right output."""
        counts = self.counts(gap=1)
        try:
            if self.mechanism.outputs.ordered:
                self.mechanism.log_probability_exact_sequence(counts)
            else:
                self.mechanism.log_probability_exact_set(counts)
        except NoClosedFormError:
            return False
        return True

    def is_settled(self) -> bool:
        """Return whether almost surely only the two orders of the pair come out."""
        return bool(np.logaddexp(*self.log_p(gap=1)) > _SETTLED)

    def chance(self, gap: int) -> float:
        """Return the probability that the two items swap."""
        odds = math.exp(self.log_odds(gap))
        return odds / (1 + odds)

    def least_gap(self) -> int | None:
        """Find the smallest gap with a negligible swap probability by bracketing and bisection."""
        wanted = math.log(SELDOM / (1 - SELDOM))
        low, at_low = 0, 0.0
        high = max(1, math.ceil(3 * self.mechanism.scale_on(self.d)))
        while (at_high := self.log_odds(high)) > wanted:
            low, at_low = high, at_high
            high *= 2
            if high > _FARTHEST - self.largest:
                return None
        halve = False
        while high - low > 1:
            share = 0.5 if halve else (wanted - at_low) / (at_high - at_low)
            middle = min(max(low + math.ceil(share * (high - low)), low + 1), high - 1)
            odds = self.log_odds(middle)
            if odds > wanted:
                low, at_low = middle, odds
            else:
                high, at_high = middle, odds
            halve = not halve
        return high

    def log_odds(self, gap: int) -> float:
        """Return the log odds of a swap."""
        right, swapped = self.log_p(gap)
        return swapped - right

    def log_p(self, gap: int) -> tuple[float, float]:
        """Return the log probabilities of the right output and of the swapped one."""
        right, swapped = self.mechanism.log_pmf(self.counts(gap), self.outputs).tolist()
        return right, swapped

    def counts(self, gap: int) -> SortedCounts:
        """Return counts with the pair at this gap, and all others far apart."""
        n = min(self.mechanism.k + 1, self.d)
        gaps = np.full(n, self.far)
        gaps[-2:] = gap, 3 * self.far  # behind the two lies what is left
        values, multiplicities = np.unique(gaps[::-1].cumsum(), return_counts=True)
        if self.d > n:
            values = np.append(0, values)
            multiplicities = np.append(self.d - n, multiplicities)
        return SortedCounts(values[::-1], multiplicities[::-1])
