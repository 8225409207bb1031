"""Mechanisms whose probability of a sequence depends on its loss alone: Joint, PNFJoint.

With loss(s) = max_r (c_r - c_{s_r}) both weigh a sequence by e^(-rate * loss(s)), and
differ in how they choose by these weights.  All sequences of one loss have the same
probability p(loss), so counting sequences is enough for exact laws.  With N(T) sequences of
loss at most T and N_u(T) of them made of the first u ranks only (see `sequences`),

    P(signed maximum = loss) = (N(loss) - N(loss - 1)) p(loss)
    P(k-relative <= x) = sum over losses of (N_u(loss) - N_u(loss - 1)) p(loss),

u = #{j : c_j >= c_k - x}.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import SortedCounts
from dptopk.core.errors import Law
from dptopk.core.estimate import Estimate
from dptopk.core.log_space import logsumexp
from dptopk.mechanisms import kernels, pictures
from dptopk.mechanisms.base import SingleChoice
from dptopk.mechanisms.exact_laws import ErrorLaw, NoClosedFormError, known
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.kernels.sequences import LossLevels, SequencesByLoss

_LARGEST_TABLE = 20_000_000  # losses x values of the k-relative error
_BLOCK = 1_000_000  # losses x places that are counted at a time


@dataclass(frozen=True)
class LossWeighted(SingleChoice):
    """Mechanism whose probability of a sequence depends on its loss alone."""

    exchangeable_ties: ClassVar[bool] = True
    exact_metrics: ClassVar[tuple[str, ...]] = (Law.SIGNED_MAX, Law.K_RELATIVE)
    limit_words: ClassVar[tuple[str, str]] = ("the loss of the released sequence", "L")

    @abstractmethod
    def log_pmf_of_losses(self, levels: LossLevels, losses: IntArray) -> FloatArray:
        """Return the log probability of one sequence of each given loss."""

    def loss_levels(self, counts: SortedCounts) -> LossLevels:
        """Return the losses that carry mass, and how many sequences have each."""
        return SequencesByLoss(counts, self.k).loss_levels(self.rate)

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of the signed maximum or the k-relative error."""
        levels = self.loss_levels(counts)
        log_p = self.log_pmf_of_losses(levels, levels.losses)
        if metric == Law.SIGNED_MAX:
            return ErrorLaw(levels.losses, levels.log_n + log_p)
        if metric == Law.K_RELATIVE:
            return _k_relative_law(counts, self.k, levels.losses, log_p)
        return super().error_law(counts, metric)

    def chance_of_error(self, counts: SortedCounts, metric: str, most: float) -> Estimate:
        """Return the probability that an error is at most ``most``; k-relative, without its law."""
        if metric != Law.K_RELATIVE or most < 0:
            return super().chance_of_error(counts, metric, most)
        losses = self.loss_levels(counts)
        log_p = self.log_pmf_of_losses(losses, losses.losses)
        return _chance_of_k_relative(counts, self.k, losses.losses, log_p, most)

    def chances_within(self, counts: SortedCounts, ends: IntArray) -> FloatArray:
        """Return the probability that the item at each place is among the first ranks.

        Given T, place r takes one of its f_r = t_r(T) - r + 1 free ranks, all alike.  Of the first
        u ranks on average E_r are free, E_r = E_{r-1} (1 - 1 / f_{r-1}) + the ranks up to u that
        t_r adds to t_{r-1}, and E_r / f_r is the chance that r takes one of them.
        """
        chances = np.zeros((ends.size, self.k))
        for n_within, free, weights in self._by_threshold(counts, max(self.k, ends.size)):
            left, reached = np.zeros((ends.size, weights.size)), np.int64(0)
            for r in range(self.k):
                pause()
                if r:
                    left *= 1 - 1 / free[r - 1]
                allowed = np.minimum(n_within[r], ends[:, None])
                left += allowed - reached
                reached = allowed
                chances[:, r] += left @ (weights / free[r])
        return chances.clip(max=1.0)

    def chances_in_order(self, counts: SortedCounts) -> FloatArray:
        """Return the probability that each place's count is at least that of the next place.

        Given T, places r and r + 1 are out of order only if both take one of the f_r ranks free at
        r, of different counts, the larger one second: with probability (f_r - 1) / f_{r+1} times
        (1 - S_r / (f_r (f_r - 1))) / 2, where S_r pairs of free ranks have equal counts on average:
        S_r = S_{r-1} (1 - 2 / f_{r-1}) + the pairs in the levels that t_r adds to t_{r-1}.
        """
        sizes = counts.multiplicities.astype(np.float64)
        n_pairs = np.append(0.0, np.cumsum(sizes * (sizes - 1)))  # of equal counts, by level
        wrong = np.zeros(max(self.k - 1, 0))
        for n_within, free, weights in self._by_threshold(counts, self.k):
            equal, reached = np.zeros(weights.size), np.zeros(weights.size)
            for r in range(self.k - 1):
                pause()
                if r:
                    equal *= (1 - 2 / free[r - 1]).clip(min=0.0)
                found = n_pairs[np.searchsorted(counts.ends, n_within[r]) + 1]
                equal += found - reached
                reached = found
                both = free[r] * (free[r] - 1)
                wrong[r] += ((both - equal) / (2 * free[r] * free[r + 1])) @ weights
        return (1 - wrong).clip(0.0, 1.0)

    def _by_threshold(
        self, counts: SortedCounts, width: int
    ) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
        """Yield t_r(T), its free ranks and the probability of T, in blocks for ``width`` rows.

        Whatever weighs sequences by p(loss), falling, draws T with probability N(T) times the drop
        of p from T to the next loss, and then a uniform sequence of loss at most T.
        """
        levels = self.loss_levels(counts)
        log_drop = _log_drop(self.log_pmf_of_losses(levels, levels.losses))
        sequences = SequencesByLoss(counts, self.k)
        step = max(1, _BLOCK // width)
        for begin in range(0, levels.losses.size, step):
            part = slice(begin, begin + step)
            n_within = sequences.n_within(levels.losses[part])
            weights = np.exp(sequences.log_n_of(n_within) + log_drop[part])
            yield n_within, (n_within - np.arange(self.k)[:, None]).astype(np.float64), weights

    def limit_at_most(self, counts: SortedCounts) -> Callable[[IntArray], FloatArray]:
        """Return the CDF of the limit, within which places are then filled."""
        return pictures.at_most(self.error_law(counts, Law.SIGNED_MAX))

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> pictures.Limits:
        """Return limits on the loss, with the items that each admits at some places."""
        sequences, places = SequencesByLoss(counts, self.k), pictures.some_places(self.k)
        return pictures.limits(
            self.limit_at_most(counts),
            lambda limits: sequences.n_within(limits)[np.array(places) - 1],
            places,
            *self.limit_words,
        )

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log of the sum of p(loss) over all orders of the top-k sets."""
        alone = SequencesByLoss(top.one_top_set(counts, self.k), self.k)
        orders = alone.loss_levels(self.rate)
        log_p = self.log_pmf_of_losses(self.loss_levels(counts), orders.losses)
        log_sets = top.log_n_top_sets(counts, self.k)
        return float(log_sets + logsumexp(orders.log_n + log_p))

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log mass of the wrong sets, summed by parts."""
        least = kernels.wrong_sets.smallest_loss(counts, self.k)
        if least is None:
            return -math.inf
        wrong = kernels.wrong_sets.at_most(counts, self.k, self.rate, least)
        log_p = self.log_pmf_of_losses(self.loss_levels(counts), wrong.losses)
        return float(logsumexp(wrong.log_n + _log_drop(log_p)))

    def log_probability_not_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log mass of all sequences with a loss."""
        least = kernels.wrong_sets.smallest_loss_of_sequences(counts, self.k)
        if least is None:
            return -math.inf
        wrong = SequencesByLoss(counts, self.k).loss_levels(self.rate, least)
        log_p = self.log_pmf_of_losses(self.loss_levels(counts), wrong.losses)
        return float(logsumexp(wrong.log_n + log_p))

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        losses = SequencesByLoss(counts, self.k).losses_of(counts.counts_at_ranks(ranks))
        distinct, which = np.unique(losses, return_inverse=True)
        return self.log_pmf_of_losses(self.loss_levels(counts), distinct)[which]


def _log_drop(log_p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # log 0 = -inf: p is the same at both losses
        drop: FloatArray = log_p + np.log(-np.expm1(np.diff(log_p, append=-np.inf).clip(max=0.0)))
    return drop


def _chance_of_k_relative(
    counts: SortedCounts, k: int, losses: IntArray, log_p: FloatArray, most: float
) -> Estimate:
    """Return the probability that the k-relative error is at most ``most``, from p(loss).

    log N_u(T) adds log(min(t_r(T), u) - r + 1) over positions r; N(T) / N_u(T) is the product of
    (t_r - r + 1) / (u - r + 1) over those with t_r > u, and N - N_u comes without cancellation.
    """
    sequences = SequencesByLoss(counts, k)
    n_levels = int(np.searchsorted(-counts.values, most - sequences.top[-1], side="right"))
    u = int(counts.ends[n_levels - 1])
    position = np.arange(k)[:, None]
    log_drop = _log_drop(log_p)
    log_parts = []
    for begin in range(0, losses.size, (step := max(1, _BLOCK // k))):
        pause()
        n_within = sequences.n_within(losses[begin : begin + step])
        inside = np.log(np.minimum(n_within, u) - position).sum(axis=0)
        growth = np.log1p(np.maximum(n_within - u, 0) / (u - position)).sum(axis=0)
        with np.errstate(divide="ignore"):  # log 0 = -inf: all sequences of this loss are within
            outside = inside + growth + np.log(-np.expm1(-growth))
        drop = log_drop[begin : begin + step]
        log_parts.append((logsumexp(inside + drop), logsumexp(outside + drop)))
    log_within, log_beyond = np.logaddexp.reduce(log_parts).tolist()
    return Estimate.of_logs(min(log_within, 0.0), known(log_beyond))


def _k_relative_law(counts: SortedCounts, k: int, losses: IntArray, log_p: FloatArray) -> ErrorLaw:
    """Return the law of the k-relative error, by counting within the first u ranks.

    log N_u(T) adds, over positions r, log(t_r(T) - r + 1) while t_r(T) <= u and
    log(u - r + 1) from there on.  With v the value of u before, all positions with t_r > v
    have t_r >= u, as both end a level: N_u(T) / N_v(T) is the product of
    (u - r + 1) / (v - r + 1) over these, and N_u - N_v comes without cancellation.
    """
    sequences = SequencesByLoss(counts, k)
    kth = int(np.searchsorted(counts.ends, k))
    n_values = int(np.searchsorted(-counts.values, losses[-1] - sequences.top[-1], side="right"))
    reach = slice(kth, max(n_values, kth + 1))
    u = counts.ends[reach]
    if u.size * losses.size > _LARGEST_TABLE:
        raise NoClosedFormError(
            f"the k-relative error takes {u.size:,} values at {losses.size:,} losses: too many to "
            "write its distribution out; choose a larger epsilon"
        )
    position = np.arange(k)[:, None]
    n_within = sequences.n_within(losses)
    below = np.vstack([np.zeros(losses.size), np.cumsum(np.log(n_within - position), axis=0)])
    above = np.vstack([np.cumsum(np.log(u - position)[::-1], axis=0)[::-1], np.zeros(u.size)])
    # p falls with the loss; summing by parts leaves positive terms only:
    # sum_i (N_u(i) - N_u(i - 1)) p_i = sum_i N_u(i) (p_i - p_{i+1})
    log_drop = _log_drop(log_p)
    log_probabilities = np.full(u.size, -np.inf)
    log_n_before, reached = np.empty(losses.size), np.zeros(losses.size, dtype=np.int64)
    for i, rank in enumerate(u):
        pause()
        if i:  # positions that may go on from u_{i-1} to u_i, by where they begin
            growth = np.log1p((rank - u[i - 1]) / (u[i - 1] - position[:, 0]))
            from_r = np.append(np.cumsum(growth[::-1])[::-1], 0.0)[reached]
            with np.errstate(divide="ignore"):  # log 0 = -inf: nothing is gained at this loss
                log_gain = log_n_before + from_r + np.log(-np.expm1(-from_r))
        reached = (n_within <= rank).sum(axis=0)
        log_n_before = below[reached, np.arange(losses.size)] + above[reached, i]
        weights = (log_gain if i else log_n_before) + log_drop
        heaviest = weights.max()
        if heaviest > -np.inf:  # by hand: scipy's takes longer than all else here
            log_probabilities[i] = heaviest + np.log(np.exp(weights - heaviest).sum())
    possible = np.isfinite(log_probabilities)
    values = sequences.top[-1] - counts.values[reach]
    return ErrorLaw(values[possible], log_probabilities[possible])
