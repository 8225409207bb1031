"""LimitedDomain: peel items from the largest counts, without a list of all items.

Durfee, Rogers (2019), arXiv 1905.04273.  Only the k_bar largest counts above 0 are read (the first
by position among equal ones), and the one below them, c: 0 where there is none.  Beside the items
stands ⊥ with

    c + Δ + ln(n / delta_0) / rate,    n = min(m, k_bar),

users, where Δ is the sensitivity of a difference of two counts and one user counts for at most m
items (any number: k_bar instead).  k rounds of the exponential mechanism (one shot of Gumbel noise
on items and ⊥) release one item after another, and stop when ⊥ comes.

Privacy of the whole release, for neighbours D and D' on any items, those without users included.
From D to D', at most m counts rise by 1 (a user joins) or fall by 1 (one leaves), or under swap
at most m rise and at most m others fall:

* At most n items are read on D and not on D', under swap as well.  If all of them fell, they are
  at most m.  Else one, x, did not, and still has users: so D' reads k_bar items, all before x.
  Those of them that D does not read came after x on D, so they rose, and are at most m; and D
  reads at most k_bar items, so it loses no more than D' gains.
* Such an item has at most c + Δ users on D: either none on D', or some item took its place there,
  and has at most c on D; counts move by at most Δ against each other, 1 if a user joins or leaves
  and 2 under swap.  It comes before ⊥ with odds of at most delta_0 / n, and any of at most n with
  probability at most delta_0.
* Let R be the same rounds among the items read on both, with each data set's own ⊥.  Items and ⊥
  move as counts do (c, the count at a fixed rank, too), so that a round has range rate * Δ,
  and R is (epsilon_R, delta_R)-DP by the calibration.
* An output of items read on both is no likelier on D than R makes it on D, as there are fewer to
  choose from; and on D' each of its rounds has at most 1 + delta_0 times the weight it has in R.

Together P(D in A) <= e^epsilon_R (1 + delta_0)^k P(D' in A) + delta_R + delta_0.  Here delta_R =
delta / 2, delta_0 is the other half or epsilon / (100 k) if that is smaller, and epsilon_R is
epsilon - k ln(1 + delta_0), at least 99 % of it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dptopk import accounting
from dptopk.accounting import enclosed
from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.numerals import fraction_at_most
from dptopk.core.outputs import OutputKind
from dptopk.core.parameters import DELTA, MAX_ITEMS
from dptopk.core.privacy import ApproximateCost, Guarantee, PerOutcomeCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms import kernels
from dptopk.mechanisms.approximate import ApproximateMechanism
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.kernels import inclusion, race, top
from dptopk.mechanisms.kernels.conditional_noise import ConditionalNoise
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.unknown_items import K_BAR, ReadsTheTop


@dataclass(frozen=True)
class LimitedDomain(ApproximateMechanism, ReadsTheTop):
    """Peeling from a limited domain, (epsilon, delta)-DP without a list of items.

    k, epsilon, delta, neighbors, k_bar and max_items as in `Mechanism`.
    """

    k_bar: int | None = None
    max_items: int | None = None

    card: ClassVar[Card] = Card(
        key="LimitedDomain",
        name="Limited domain",
        summary="Limited domain draws from the largest counts alone: it needs no list of possible "
        "items, peels, and stops early rather than release an item with a very small "
        "count.",
        paper=papers.DURFEE_2019.at("limited domain"),
        group=Group.UNKNOWN,
        style=Style("#A6761D", "8px,3px,2px,3px", "triangle-right", "|"),
        scale="adds Gumbel noise of scale {users} to the largest counts and to its threshold",
        explanation=Explanation.read(
            "LimitedDomain",
            (
                papers.DURFEE_2019.at("limited domain"),
                papers.GILLENWATER_2022.at("Lemma 4.2"),
            ),
        ),
        parameters=(DELTA, MAX_ITEMS, K_BAR),
        pays_by_outcome=True,
        stream=("k", "epsilon", "delta", "neighbors", "k_bar"),
    )
    outputs: ClassVar[OutputKind] = OutputKind(short=True)
    why_delta: ClassVar[str] = (
        "hiding that an item has few users takes a small probability of failure"
    )

    @property
    def guarantee(self) -> Guarantee:
        """(epsilon, delta)-DP without a list; with a bound on items per user if it is used."""
        most = self.max_items if self.n_changed < self.n_read else None
        return Guarantee(
            self.epsilon, self.delta, self.neighbors, fixed_items=False, max_items=most
        )

    @property
    def cost(self) -> ApproximateCost:
        """(epsilon, delta), or in a series one round for each outcome."""
        why = (
            "Which items are read depends on the data, and δ covers that; in a series with its "
            "own budget, a call is charged for the items that it released."
        )
        range, most = self.local_epsilon, self.k + 1
        return PerOutcomeCost(self.epsilon, self.delta, why, range, self.domain_delta, most)

    @property
    def domain_delta(self) -> float:
        """Probability that an item added by one user is released, at most: delta_0 above."""
        return min(self.delta / 2, self.epsilon / (100 * self.k))

    @property
    def local_epsilon(self) -> float:
        """Range of a round, by Lemma 4.2 with half of delta."""
        return accounting.local_epsilon(self._rounds_epsilon, self.delta / 2, self.k, "paper")

    @property
    def _rounds_epsilon(self) -> float:
        """Privacy loss left for what is read on both of two neighbors: epsilon_R above."""
        return self.epsilon - self.k * math.log1p(self.domain_delta)

    @property
    def rate(self) -> float:
        """Weight of a count in the exponent, the range of a round over Δ."""
        return self.local_epsilon / self.neighbors.gap_sensitivity

    @property
    def scale(self) -> float:
        """Scale of the Gumbel noise, in users."""
        return 1 / self.rate

    def threshold(self, counts: SortedCounts) -> float:
        """Return the count of ⊥, in users."""
        bottom = self._bottom(counts)
        return bottom.count + bottom.log_bonus / self.rate

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> NoisyCounts | None:
        """Return one draw of the noise, if all of these items are read."""
        here = counts.counts_at_ranks(ranks)
        if ranks[-1] >= self.n_read or here[-1] == 0:
            return None
        noisy = here + rng.gumbel(scale=self.scale, size=here.size)
        bottom = self.threshold(counts) + rng.gumbel(scale=self.scale)
        return NoisyCounts(here, noisy, "Gumbel", bottom)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k arrive before ⊥ and all others."""
        return self._rounds(counts).log_top(self.k)

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that ⊥ or another item arrives before some of the top k."""
        return self._rounds(counts).log_not_top(self.k)

    def _chances_read(
        self, counts: SortedCounts, read: SortedCounts, ranks: IntArray, room: int | None
    ) -> FloatArray:
        bottom = self._bottom(counts)
        origin, lead = bottom.count, bottom.log_bonus
        return inclusion.chances_of_ranks(
            read, self.scale, ranks, self.k, inclusion.GUMBEL, room, origin, bottom=lead
        )

    def _bottom(self, counts: SortedCounts) -> race.Bottom:
        """Return ⊥; Δ is kept in users, as its share of the rate would absorb delta_0."""
        count = top.count_behind(counts, self.n_read) + self.neighbors.gap_sensitivity
        return race.Bottom(count, math.log(self.n_changed) - math.log(self.domain_delta))

    def _rounds(self, counts: SortedCounts) -> "kernels.early_stop.EarlyStop":
        return kernels.early_stop.EarlyStop(
            top.with_users(counts, self.n_read), self._bottom(counts), self.rate
        )

    @property
    def _exact_domain_delta(self) -> Fraction:
        return min(
            fraction_at_most(self.delta) / 2, fraction_at_most(self.epsilon) / (100 * self.k)
        )

    @property
    def _exact_range(self) -> Fraction:
        """`local_epsilon` of exact draws, which provably stays within the budget."""
        epsilon, delta = fraction_at_most(self.epsilon), fraction_at_most(self.delta)
        rounds = enclosed.less_log1p(epsilon, self.k, self._exact_domain_delta)
        return min(self._proven_range(rounds, delta / 2), Fraction(self.local_epsilon))

    def _proven_range(self, epsilon: Fraction, delta: Fraction) -> Fraction:
        """Return the largest range of k rounds that are provably (epsilon, delta)-DP."""
        return enclosed.local_epsilon_at_most(epsilon, delta, self.k, "paper")

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return self._rounds(counts).draw(self.k, n, rng)

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        """Peel by what the budget allows for certain: all is rounded towards privacy."""
        from dptopk.mechanisms.kernels import exact_choice, exact_peeling  # loads python-flint

        rate = self._exact_range / self.neighbors.gap_sensitivity
        count = top.count_behind(counts, self.n_read) + self.neighbors.gap_sensitivity
        bottom = exact_peeling.StopCandidate(
            count, math.ceil(self.n_changed / self._exact_domain_delta)
        )
        read = top.with_users(counts, self.n_read)
        return exact_peeling.peel(read, self.k, exact_choice.exponential, rate, bits, bottom)

    def _noise_behind(
        self,
        counts: SortedCounts,
        shown: IntArray,
        rng: np.random.Generator,
        beyond: np.random.Generator,
    ) -> ConditionalNoise:
        rounds = self._rounds(counts)
        ranks = rounds.draw(self.k, 1, rng)[0]
        return rounds.noise_behind(ranks, shown, beyond)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        return self._rounds(counts).log_pmf(ranks)
