"""Draw from the exponential mechanism and permute-and-flip exactly, from random bits.

Candidates s have whole losses >= 0 and are weighed by q_s = e^(-rate loss), rate a fraction.  They
come in rows; N(row, T) of a row have a loss of at most T.  As the sum of e^(-rate T) over T >= loss
is q_s / (1 - e^-rate), a pair (row, T) drawn in proportion to N(row, T) e^(-rate T), and then a
uniform one of the N(row, T), gives each candidate its weight.

Pairs are drawn by rejection from blocks of thresholds.  A block is proposed by a whole number that
is proven to bound its weight, a threshold within it follows by inverting the truncated geometric
law, and it is kept with the probability that makes up for the bound.  Reals (uniforms, weights,
probabilities) are known to lie in intervals only, by ball arithmetic (FLINT's arb), and these are
refined until every comparison is decided.  Doubles choose how thresholds are cut into blocks: that
changes how many bits are used, and never which law is drawn.

How many bits and steps a draw takes depends on the data.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Protocol, TypeVar

import numpy as np
from flint import arb, ctx, fmpq

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.random_bits import Bits, UniformReal, choose

_PRECISION = 192  # bits to begin with, of intervals for weights and probabilities
_WEIGHT_BITS = 64  # of the whole number that bounds the heaviest block
_LOG_RATIO = 0.25  # N varies by at most a quarter, about, on a block that matters
_LOG_WORTH_CUTTING = 12.0  # blocks below e^-12 of the weight cost too few rejections to cut

_Decided = TypeVar("_Decided")


class Candidates(Protocol):
    """Candidates in rows, counted by their losses; the least loss is 0."""

    @property
    def first(self) -> IntArray:
        """Least threshold of each row with N > 0."""

    @property
    def last(self) -> IntArray:
        """Threshold of each row from which on N is constant."""

    def log_n(self, rows: IntArray, thresholds: IntArray) -> FloatArray:
        """Return log N elementwise, approximately; it only guides how thresholds are cut."""

    def n_at_most(self, row: int, threshold: int) -> int:
        """Return N(row, threshold), exactly."""

    def draw(self, row: int, threshold: int, bits: Bits) -> list[int]:
        """Draw a uniform candidate of a row with a loss of at most the threshold, as ranks."""

    def loss(self, ranks: list[int]) -> int:
        """Return the loss of a candidate."""


def exponential(candidates: Candidates, rate: Fraction, bits: Bits) -> list[int]:
    """Draw a candidate with probability proportional to e^(-rate loss), as ranks."""
    proposals = _Proposals(candidates, rate)
    while True:
        pause()
        row, threshold, chance = proposals.draw(bits)
        if bernoulli(chance, bits):
            return candidates.draw(row, threshold, bits)


def permute_and_flip(candidates: Candidates, rate: Fraction, bits: Bits) -> list[int]:
    """Draw the winner of permute-and-flip with odds e^(-rate loss), as ranks.

    Every candidate is visited at a uniform time t and flips its coin; the first to come up wins.
    In x = -log(1 - t) a coin of odds q comes up with hazard q e^-x / (1 - q (1 - e^-x)), which is
    q times 1 / (q + (1 - q) e^x).  Proposals at times Expo(1) / B apart, B the sum of all bounds,
    and kept with their chances, visit each candidate at rate q; so the first that is kept with that
    probability as well is the winner.
    """
    proposals = _Proposals(candidates, rate)
    waits: list[UniformReal] = []
    while True:
        pause()
        row, threshold, chance = proposals.draw(bits)
        waits.append(UniformReal(bits))
        if not bernoulli(chance, bits):
            continue
        ranks = candidates.draw(row, threshold, bits)
        loss = candidates.loss(ranks)

        def kept(loss: int = loss) -> arb:
            waited = -sum((_enclosure(wait).log() for wait in waits), arb(0))
            odds = exp(-rate * loss)
            return 1 / (odds + (1 - odds) * (waited / arb(proposals.total)).exp())

        if loss == 0 or bernoulli(kept, bits, *waits):
            return ranks


def bernoulli(chance: Callable[[], arb], bits: Bits, *reals: UniformReal) -> bool:
    """Flip a coin of a probability that is enclosed at the precision of the moment.

    ``reals`` are those that the probability depends on.
    """
    uniform = UniformReal(bits)

    def heads() -> bool | None:
        scaled = chance() * (1 << uniform.length)
        if scaled >= uniform.value + 1:
            return True
        return False if scaled <= uniform.value else None

    return decided(heads, uniform, *reals)


def decided(judge: Callable[[], _Decided | None], *reals: UniformReal) -> _Decided:
    """Increase the precision of reals until ``judge`` returns anything other than None."""
    length = 1
    while True:
        for real in reals:
            real.draw(length)
        with ctx.workprec(_PRECISION + 2 * length):
            verdict = judge()
        if verdict is not None:
            return verdict
        length += 1 + length // 2


def exp(exponent: Fraction) -> arb:
    """Enclose e^exponent."""
    return arb(fmpq(exponent.numerator, exponent.denominator)).exp()


def _enclosure(real: UniformReal) -> arb:
    low, high = (fmpq(real.value + i, 1 << real.length) for i in (0, 1))
    return arb(low).union(arb(high))


@dataclass(frozen=True)
class _Block:
    """Thresholds [start, stop) of a row; all from ``start`` on where ``stop`` is None."""

    row: int
    start: int
    stop: int | None

    def mass(self, rate: Fraction) -> arb:
        """Enclose the sum of e^(-rate T) over the block, times 1 - e^-rate."""
        mass = exp(-rate * self.start)
        return mass if self.stop is None else mass * (1 - exp(-rate * (self.stop - self.start)))


class _Proposals:
    """Blocks of thresholds, proposed by whole numbers that bound their weights N * mass."""

    def __init__(self, candidates: Candidates, rate: Fraction):
        self._candidates, self._rate = candidates, rate
        self._blocks, log_heaviest = _cut(candidates, float(rate))
        self._units = fmpq(2) ** (_WEIGHT_BITS - math.ceil(log_heaviest / math.log(2)))
        with ctx.workprec(_PRECISION):
            self._bounds = [self._bound(block) for block in self._blocks]
        self._cumulative = list(accumulate(self._bounds))
        self.total = fmpq(self._cumulative[-1]) / self._units

    def draw(self, bits: Bits) -> tuple[int, int, Callable[[], arb]]:
        """Draw a row and a threshold, with the probability with which they are to be kept."""
        index = choose(self._cumulative, bits)
        block, bound = self._blocks[index], self._bounds[index]
        n = self._candidates.n_at_most(block.row, block.start)
        threshold = block.start  # any will do where N is constant
        if block.stop is not None and n != self._candidates.n_at_most(block.row, block.stop - 1):
            threshold += _geometric(self._rate, block.stop - block.start, bits)
            n = self._candidates.n_at_most(block.row, threshold)
        return block.row, threshold, lambda: self._weight(block, n) / bound

    def _bound(self, block: _Block) -> int:
        """Return a certain upper bound on the weight of a block, in whole units."""
        largest = block.start if block.stop is None else block.stop - 1
        n = self._candidates.n_at_most(block.row, largest)
        bound = self._weight(block, n).upper().ceil().unique_fmpz()
        assert bound is not None  # the upper end is one number
        return max(1, int(bound))

    def _weight(self, block: _Block, n: int) -> arb:
        """Enclose n times the mass of a block, in units."""
        return arb(n) * arb(self._units) * block.mass(self._rate)


def rounded_laplace(rate: Fraction, bits: Bits) -> int:
    """Draw Laplace noise of scale 1 / rate, rounded to the next integer.

    It is 0 with probability 1 - e^(-rate / 2), else of either sign, and its size less 1 geometric.
    """
    if not bernoulli(lambda: exp(-rate / 2), bits):
        return 0
    size = 1 + _geometric(rate, None, bits)
    return size if bits(1) else -size


def discrete_gaussian(variance: Fraction, bits: Bits) -> int:
    """Draw an integer with probability proportional to e^(-i^2 / (2 variance)).

    Canonne, Kamath, Steinke (2020), arXiv 2004.00010: by rejection from discrete
    Laplace noise of scale t, the next whole number above the standard deviation.
    """
    t = math.isqrt(math.floor(variance)) + 1
    while True:
        pause()
        size, negative = _geometric(Fraction(1, t), None, bits), bits(1)
        if negative and size == 0:  # 0 has one sign only
            continue
        if bernoulli(partial(exp, -((size - variance / t) ** 2) / (2 * variance)), bits):
            return -size if negative else size


def _geometric(rate: Fraction, length: int | None, bits: Bits) -> int:
    """Draw an integer >= 0, below a length if any, with probability proportional to e^(-rate i)."""
    real = UniformReal(bits)

    def offset() -> int | None:
        span = 1 if length is None else 1 - exp(-rate * length)
        ends = (arb(fmpq(real.value + i, 1 << real.length)) for i in (0, 1))
        low, high = (
            (-(-end * span).log1p() * rate.denominator / rate.numerator).floor().unique_fmpz()
            for end in ends
        )
        return int(low) if low is not None and low == high else None

    return decided(offset, real)


def _cut(candidates: Candidates, rate: float) -> tuple[list[_Block], float]:
    """Cut all thresholds into blocks, finer where the weight is; and the log of the heaviest."""
    rows = np.arange(candidates.first.size)
    log_tail = candidates.log_n(rows, candidates.last) - rate * candidates.last
    tails = [_Block(*at, None) for at in zip(rows.tolist(), candidates.last.tolist(), strict=True)]
    row = rows[candidates.first < candidates.last]
    start, stop = candidates.first[row], candidates.last[row]
    while True:
        log_first, log_last = candidates.log_n(row, start), candidates.log_n(row, stop - 1)
        log_mass = -rate * start + np.log(-np.expm1(-rate * (stop - start)))
        log_bound = log_last + log_mass
        log_total = np.logaddexp.reduce(np.append(log_first + log_mass, log_tail))
        coarse = (log_last - log_first > _LOG_RATIO) & (log_bound > log_total - _LOG_WORTH_CUTTING)
        if not coarse.any():
            break
        middle = start + (stop - start) // 2
        row = np.append(row, row[coarse])
        start = np.append(start, middle[coarse])
        stop = np.append(np.where(coarse, middle, stop), stop[coarse])
    blocks = [_Block(*at) for at in zip(*(x.tolist() for x in (row, start, stop)), strict=True)]
    return blocks + tails, float(np.append(log_bound, log_tail).max())
