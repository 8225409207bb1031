"""Draw the noise behind a single release, and further releases under other seeds.

The noise belongs to the draw of `trials.release` under the same seed.  It has a random stream
of its own, so that looking at it changes no draw.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.outputs import NOTHING
from dptopk.laws.privacy_losses import neighboring_counts
from dptopk.mechanisms import FreeGaps, Mechanism, NoisyOrder
from dptopk.simulation.trials import generator_for, release

MOST_SEEDS = 2**31
"""Seeds that people can choose: the one after the last is 0."""

_NEXT = 3  # how many items beyond the true top k are looked at
_CROWDED = 0.5  # what is far above is left out where all else took less than this share


@dataclass(frozen=True)
class NoisyRound:
    """True and noisy counts, in users, of the items near the decision, in the true order."""

    positions: IntArray
    counts: IntArray
    noisy: FloatArray
    true_places: IntArray  # place of each item among all by its true count, from 1
    places: IntArray  # at which it was released in this round, 0 for none
    round: int  # from 1; 0 if all places come from one shot of noise
    n_candidates: int  # items that these were chosen from
    # noisy count of ⊥, where there is one: what is above it comes out, at most k
    threshold: float | None = None
    # counts between which nearly all draws of these settings and this round lie near the last place
    # that is taken: the same for every seed, so that draws can be compared
    usual: tuple[float, float] | None = None

    @property
    def new_order(self) -> IntArray:
        """Row of each item by its noisy count, the largest in row 0."""
        rows = np.empty(self.noisy.size, dtype=np.int64)
        rows[np.argsort(-self.noisy, kind="stable")] = np.arange(self.noisy.size)
        return rows


@dataclass(frozen=True)
class ReleasedGaps:
    """Gaps, in users, that come with a release, and what they say of the true counts: (k,) each."""

    # from each item to the next, the last to the largest of all others; NaN if there are none
    gaps: FloatArray
    # whole numbers that enclose the true gaps with ``high``; an item of the last place has at least
    # so many users more than any other that is not released
    low: FloatArray
    high: FloatArray
    count_at_least: IntArray  # lower bounds on the true counts
    confidence: float  # probability with which all of them hold together


def gaps_of_release(
    counts: ItemCounts, mechanism: FreeGaps, seed: int, confidence: float = 0.95
) -> ReleasedGaps:
    """Return the gaps that come with the release of a seed, at no further cost of privacy.

    ``confidence`` is the probability with which all their bounds hold together.

    Examples
    --------
    >>> from dptopk import EMPeel, ItemCounts
    >>> from dptopk.simulation import gaps_of_release
    >>> found = gaps_of_release(ItemCounts([900, 500, 480, 20]), EMPeel(2, 0.5), seed=0)
    >>> found.gaps.round(1).tolist(), found.low.tolist(), found.count_at_least.tolist()
    ([398.6, 20.6], [374.0, -4.0], [394, 0])
    """
    if not isinstance(mechanism, FreeGaps):
        raise TypeError(f"mechanism must be one whose gaps are free, got {mechanism!r}")
    seed = validation.integer("seed", seed, low=0)
    gaps = mechanism.gaps_behind(counts, generator_for(mechanism, seed))
    margin = mechanism.gap_margin(counts.d, confidence)
    above = np.cumsum(np.nan_to_num(gaps)[::-1])[::-1]
    least = np.maximum(np.ceil(above - margin), 0).astype(np.int64)
    return ReleasedGaps(
        gaps, np.ceil(gaps - margin), np.floor(gaps + margin), least, float(confidence)
    )


def first_misplaced(counts: ItemCounts, output: IntArray) -> int:
    """Return the first place, from 1, whose item was not the largest left; 1 if there is none."""
    output = output[output != NOTHING]
    ranks = counts.ranks_at(output)
    for place in range(len(ranks)):
        best = np.setdiff1d(np.arange(place + 1), ranks[:place])[0]
        if counts.counts[output[place]] < counts.counts[counts.order[best]]:
            return place + 1
    return 1


def noise_of_release(
    counts: ItemCounts, mechanism: NoisyOrder, seed: int, round: int = 1, most: int = 16
) -> NoisyRound:
    """Return true and noisy counts behind the release of a seed; of ``round`` if each has its own.

    At most ``most`` items are kept: in a round its winner and the largest left; of one shot those
    that noise carried across the last place that was taken, from either side, then those nearest to
    it.
    """
    if not isinstance(mechanism, NoisyOrder):
        raise TypeError(f"mechanism must release an order of noisy counts, got {mechanism!r}")
    round = validation.integer("round", round, 1, mechanism.k)
    most = validation.integer("most", most, low=2)
    output = release(counts, mechanism, seed)
    ranks = counts.ranks_at(output[output != NOTHING])
    if mechanism.fresh_noise:
        chosen = _largest_left(counts.d, ranks[: round - 1], ranks[round - 1], most)
        row, n_candidates, released = round - 1, counts.d - round + 1, ranks[round - 1 : round]
        usual, edge = _largest_left(counts.d, np.arange(round - 1), round - 1, most), 1
    else:
        n_noisy = mechanism.n_noisy(counts.sorted)
        chosen, n_candidates = _around_boundary(n_noisy, mechanism.k, ranks, most)
        row, released = 0, ranks
        top = np.arange(min(n_noisy, mechanism.k))
        usual, _ = _around_boundary(n_noisy, mechanism.k, top, most)
        edge = int((usual < top.size).sum()) - 1
    positions = counts.order[chosen]
    behind = mechanism.noise_behind(counts, positions, generator_for(mechanism, seed))
    noise = behind.on_items[row]
    place = np.zeros(chosen.size, dtype=np.int64)  # of each item that was released, else 0
    row_of, which = np.nonzero(chosen[:, None] == released)
    place[row_of] = which + row + 1
    reach = (share * mechanism.scale_on(counts.d) for share in mechanism.reach)
    return NoisyRound(
        positions,
        counts.counts[positions],
        counts.counts[positions] + noise,
        chosen + 1,
        place,
        round if mechanism.fresh_noise else 0,
        n_candidates,
        behind.bottom,
        _usual_range(counts.counts[counts.order[usual]], edge, *reach),
    )


def _usual_range(counts: IntArray, edge: int, down: float, up: float) -> tuple[float, float]:
    """Return a range of counts and noise, without counts far above ``edge``."""
    needed = max([np.median(counts), *counts[edge : edge + 1]]) + up
    low, high = counts.min() - down, counts.max() + up
    return float(low), float(needed if needed - low < _CROWDED * (high - low) else high)


def _largest_left(d: int, gone: IntArray, winner: int, most: int) -> IntArray:
    left = np.setdiff1d(np.arange(min(d, most + gone.size)), gone)[:most]
    return left if winner in left else np.append(left[:-1], winner)


def _around_boundary(d: int, k: int, ranks: IntArray, most: int) -> tuple[IntArray, int]:
    """Return ranks near the last place, misplaced ones first, and the number of candidates."""
    last = ranks.size
    candidates = np.union1d(np.arange(min(d, k + _NEXT)), ranks)
    stayed = np.isin(candidates, ranks) == (candidates < last)
    nearest = candidates[np.lexsort((np.abs(candidates + 0.5 - last), stayed))]
    inside, outside = nearest[nearest < last], nearest[nearest >= last]
    n_inside = min(inside.size, max(most - outside.size, (most + 1) // 2))
    chosen = np.append(inside[:n_inside], outside[: most - n_inside])
    return np.sort(chosen), candidates.size


@dataclass(frozen=True)
class Outcomes:
    """Several releases, each under a seed of its own."""

    seeds: tuple[int, ...]
    positions: IntArray  # (n, k), place by place as compared with the truth; -1 for nothing


def consecutive_releases(
    counts: ItemCounts, mechanism: Mechanism, seed: int, n: int = 20
) -> Outcomes:
    """Draw ``n`` releases as of `trials.release` by consecutive seeds; after 2**31 - 1 comes 0.

    Sets are in the order of their true counts.
    """
    n = validation.integer("n", n, low=1)
    seed = validation.integer("seed", seed, 0, MOST_SEEDS - 1)
    seeds = tuple((seed + number) % MOST_SEEDS for number in range(n))
    released = np.array([release(counts, mechanism, each) for each in seeds])
    return Outcomes(seeds, mechanism.outputs.aligned(counts, released))


def loss_of_release(counts: ItemCounts, mechanism: Mechanism, output: IntArray) -> float:
    """Return the largest privacy loss of one output, in natural-log units, over all neighbors.

    The counts are of at most 8 items.  An output that cannot come out is a ValueError.
    """
    rows = np.asarray(output)[None]
    here = float(mechanism.log_pmf(counts, rows)[0])
    if here == -np.inf:
        raise ValueError(f"output must be one that can come out, got {output!r}")
    others = neighboring_counts(counts, mechanism.neighbors, mechanism.guarantee.max_items)
    return max(abs(here - float(mechanism.log_pmf(other, rows)[0])) for other in others)
