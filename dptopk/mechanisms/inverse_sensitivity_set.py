"""InverseSensitivitySet: the exponential mechanism over sets, scored by inverse sensitivity.

The canonical loss of Shekelyan and Loukides (2022), "Differentially Private Top-k Selection via
Canonical Lipschitz Mechanism", arXiv 2201.13376, at rho = 1/2, which is also the inverse
sensitivity of Asi and Duchi (2020).  A set S is weighed by

    score(S) = min over S of c_i - max outside S of c_j.

They cap the score at 0; without the cap the true top set has its gap c_k - c_{k+1} in addition,
the sensitivity is the same, and nothing is lost.  Counting sets needs no matrix of items and
places: see `kernels.gap_weighted`.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.errors import Law
from dptopk.core.log_space import logsumexp
from dptopk.core.outputs import OutputKind
from dptopk.core.random_bits import Bits
from dptopk.mechanisms import kernels, pictures
from dptopk.mechanisms.base import SingleChoice
from dptopk.mechanisms.card import Card, Explanation, Gaps, Group, Style
from dptopk.mechanisms.exact_laws import ErrorLaw, known
from dptopk.mechanisms.kernels import top


@dataclass(frozen=True)
class InverseSensitivitySet(SingleChoice):
    """Exponential mechanism over sets by their distance from being a top k, epsilon-DP.

    Shekelyan, Loukides (2022), arXiv 2201.13376, with the score not capped.  k, epsilon and
    neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="InverseSensitivitySet",
        name="Inverse sensitivity",
        summary="Inverse sensitivity weighs sets by the change they need: how much counts would "
        "have to change to make a set the top k; it draws one, and gives no order.",
        paper=papers.SHEKELYAN_2022.at("the canonical loss"),
        group=Group.SETS,
        style=Style("#117733", "10px,3px", "hexagon", "+"),
        scale="scores only one pair of items, the weakest in the set and the strongest outside: a "
        "difference larger by {users} makes a set e times less likely, for any k",
        gaps=Gaps.BEHIND,
        explanation=Explanation.read(
            "InverseSensitivitySet",
            (
                papers.SHEKELYAN_2022.at("the canonical loss"),
                papers.MCSHERRY_2007.at("the exponential mechanism"),
            ),
        ),
    )
    outputs: ClassVar[OutputKind] = OutputKind(ordered=False)
    exchangeable_ties: ClassVar[bool] = True
    exact_metrics: ClassVar[tuple[str, ...]] = (Law.K_RELATIVE,)

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of the k-relative error, from the last level of a set."""
        if metric != Law.K_RELATIVE:
            return super().error_law(counts, metric)
        sets = self._sets(counts)
        levels, log_weights = sets.by_last_level()
        values = sets.top[-1] - counts.values[levels]
        log_top = self.rate * sets.gap
        if values.size and values[0] == 0:  # a tie: other sets without error
            log_weights[0] = np.logaddexp(log_weights[0], log_top)
        else:
            values, log_weights = np.append(0, values), np.append(log_top, log_weights)
        return ErrorLaw(values, log_weights - sets.log_z)

    def chances_within(self, counts: SortedCounts, ends: IntArray) -> FloatArray:
        """Return the probability that a released item is among the first ranks, at every place."""
        sets = self._sets(counts)
        groups = sets.by_score()
        scores = np.append(groups.scores.ravel(), sets.gap)
        log_p = self._log_pmf_of(sets, scores)
        share = sets.shares_within(groups.levels, log_p[:-1].reshape(groups.scores.shape), ends)
        share += np.exp(log_p[-1]) * np.minimum(ends, self.k) / self.k
        return np.repeat(share.clip(max=1.0)[:, None], self.k, axis=1)

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> pictures.Limits:
        """Return limits on the weakest item's count, and the items that each admits."""
        return pictures.limits(
            pictures.at_most(self.error_law(counts, Law.K_RELATIVE)),
            lambda limits: counts.n_at_least(counts.top(self.k)[-1] - limits)[None],
            (self.k,),
            "how far the weakest item lies below the true count at place k",
        )

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps: one for each place and level."""
        return self.k * counts.n_levels

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log of e^(rate * gap) / Z, times the number of top sets."""
        sets = self._sets(counts)
        return top.log_n_top_sets(counts, self.k) + self.rate * sets.gap - sets.log_z

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log mass of all sets with a lower score than the top sets."""
        sets = self._sets(counts)
        if sets.complete:
            return -math.inf
        groups = sets.by_score(beside_top=sets.gap == 0)
        wrong = groups.scores < sets.gap
        log_p = groups.log_n[wrong] + self._log_pmf_of(sets, groups.scores[wrong])
        log_wrong = float(logsumexp(np.append(log_p, -np.inf)))
        return log_wrong if sets.gap else known(log_wrong)

    def _sets(self, counts: SortedCounts) -> "kernels.gap_weighted.SetsByGap":
        return kernels.gap_weighted.SetsByGap(counts, self.k, self.rate)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return self._sets(counts).draw(n, rng)

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_candidates, exact_choice  # loads python-flint

        sets = exact_candidates.Sets(counts, self.k)
        return exact_choice.exponential(sets, self.exact_rate, bits)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        sets = self._sets(counts)
        return self._log_pmf_of(sets, sets.scores(ranks))

    def _log_pmf_of(self, sets: "kernels.gap_weighted.SetsByGap", scores: IntArray) -> FloatArray:
        return np.float64(self.rate) * scores - sets.log_z
