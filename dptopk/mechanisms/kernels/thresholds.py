"""Draw sequences and sets with probability proportional to e^(-rate * loss).

With N(T) sequences of loss at most T (see `sequences`), draw T with probability proportional to
N(T) e^(-rate T), then a uniform sequence among the N(T): since the sum of e^(-rate T) over
T >= loss is e^(-rate loss) / (1 - e^-rate), every sequence gets its own weight.

Thresholds are drawn by exact rejection from blocks that bound their mass.  In doubles this means:
a block or an event whose probability is below about 2^-53 (1e-16) may never be drawn.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.mechanisms.kernels.sequences import SequencesByLoss, ThresholdBlocks, draw_distinct


@dataclass(frozen=True)
class SequenceDraws:
    """Independent draws, as ranks (n, k), with the number of thresholds proposed for each.

    With the one that was kept, these are geometric, with the total weight over the bound on it, and
    independent of the sequence.
    """

    ranks: IntArray
    n_proposed: IntArray


def draw(
    sequences: SequencesByLoss,
    blocks: ThresholdBlocks,
    rate: float,
    n: int,
    rng: np.random.Generator,
) -> SequenceDraws:
    """Draw n sequences with probability proportional to e^(-rate * loss)."""
    drawn, n_proposed = draw_thresholds(sequences, blocks, rate, n, rng)
    n_within = sequences.n_within(drawn)
    positions = np.broadcast_to(np.arange(sequences.k)[:, None], n_within.shape)
    return SequenceDraws(draw_distinct(positions, n_within, rng), n_proposed)


def log_bound(blocks: ThresholdBlocks) -> float:
    """Return a log bound on the total weight of proposals of `draw`; at least 0, as N(0) >= 1."""
    return float(np.logaddexp.reduce(blocks.log_upper))


def losses_of(sequences: SequencesByLoss, ranks: IntArray) -> FloatArray:
    """Return the loss of each drawn sequence, in users."""
    released = sequences.counts.counts_at_ranks(ranks)
    return sequences.losses_of(released).astype(np.float64)


def draw_thresholds(
    sequences: SequencesByLoss,
    blocks: ThresholdBlocks,
    rate: float,
    n: int,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """Draw n thresholds from N(T) e^(-rate T), up to the widest loss, and count proposals.

    Exact rejection: a block by its upper bound, a geometric threshold inside it,
    kept with probability N(T) over the block's largest N.
    """
    cumulative = np.cumsum(np.exp(blocks.log_upper - blocks.log_upper.max()))
    thresholds = np.empty(n, dtype=np.int64)
    n_proposed = np.zeros(n, dtype=np.int64)
    pending = np.arange(n)
    while pending.size:
        n_proposed[pending] += 1
        uniform = rng.random((3, pending.size))
        block = np.searchsorted(cumulative, uniform[0] * cumulative[-1], side="right")
        length = blocks.length[block]
        offset = np.floor(-np.log1p(uniform[1] * np.expm1(-rate * length)) / rate)
        last = np.minimum(length, 2.0**53) - 1  # beyond the widest loss N is constant
        proposal = blocks.start[block] + np.minimum(offset, last).astype(np.int64)
        proposal = np.minimum(proposal, sequences.widest)
        distinct, which = np.unique(proposal, return_inverse=True)
        log_n = sequences.log_n_at_most(distinct)[which]
        kept = uniform[2] < np.exp(log_n - blocks.log_n_last[block])
        kept |= block == blocks.start.size - 1  # constant N: no rounding may reject
        thresholds[pending[kept]] = proposal[kept]
        pending = pending[~kept]
    return thresholds, n_proposed
