"""PNFInverseSensitivitySet: permute-and-flip over sets, scored by inverse sensitivity.

The scores are those of `InverseSensitivitySet` (Shekelyan, Loukides 2022, arXiv 2201.13376); the
choice is permute-and-flip (McKenna, Sheldon 2020, arXiv 2010.12603) with odds
q = e^(-rate (gap - score)), 1 for the true top k.  It is drawn by thinning the draws of the
exponential mechanism (see `_sample_ranks`), and its law is one integral over groups of equal odds.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import SortedCounts
from dptopk.core.errors import Law
from dptopk.core.log_space import logsumexp
from dptopk.core.privacy import PureCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms import kernels
from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.card import Card, Explanation, Gaps, Group, Style
from dptopk.mechanisms.exact_laws import ErrorLaw
from dptopk.mechanisms.inverse_sensitivity_set import InverseSensitivitySet
from dptopk.mechanisms.kernels import permute_and_flip


@dataclass(frozen=True)
class PNFInverseSensitivitySet(InverseSensitivitySet):
    """Permute-and-flip over sets by their distance from being a top k, epsilon-DP.

    k, epsilon and neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="PNFInverseSensitivitySet",
        name="PNF inverse sensitivity",
        summary="PNF inverse sensitivity draws a set by permute-and-flip: as Inverse "
        "sensitivity, but never with a worse score in expectation than by drawing with the "
        "same weights.",
        paper=papers.MCKENNA_2020.at("permute-and-flip"),
        group=Group.SETS,
        style=Style("#158055", "10px,2px,2px,2px", "hourglass", "x"),
        scale="scores only one pair of items, the weakest in the set and the strongest outside: a "
        "difference larger by {users} makes a wrong set about e times less likely, for any k",
        gaps=Gaps.BEHIND,
        explanation=Explanation.read(
            "PNFInverseSensitivitySet",
            (
                papers.MCKENNA_2020.at("permute-and-flip"),
                papers.DING_2021.at("the same by exponential noise"),
                papers.SHEKELYAN_2022.at("the canonical loss"),
            ),
        ),
    )

    @property
    def cost(self) -> PureCost:
        """Pure epsilon-DP: the range of permute-and-flip exceeds epsilon."""
        return PureCost(self.epsilon, permute_and_flip.WHY_PURE)

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of the k-relative error, from the last level of a set."""
        if metric != Law.K_RELATIVE:
            return Mechanism.error_law(self, counts, metric)
        sets = self._sets(counts)
        groups = sets.by_score()
        log_p = groups.log_n + self._log_pmf_of(sets, groups.scores.ravel()).reshape(
            groups.scores.shape
        )
        log_weights = logsumexp(log_p, axis=0)
        values = sets.top[-1] - counts.values[groups.levels]
        log_top = float(self._log_pmf_of(sets, np.array([sets.gap]))[0])
        if values.size and values[0] == 0:  # a tie: other sets without error
            log_weights[0] = np.logaddexp(log_weights[0], log_top)
            return ErrorLaw(values, log_weights)
        return ErrorLaw(np.append(0, values), np.append(log_top, log_weights))

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability of one true top k, times their number."""
        return Mechanism.log_probability_exact_set(self, counts)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        """Draw winners by thinning.

        With the sum of all odds W, draws of the exponential mechanism at times Expo(1) / W apart
        visit each set at rate q; one that comes at time x is kept with probability
        1 / (1 + (1 - q) (e^x - 1)): the first that is kept is the winner (see `pnf_joint`).
        """
        sets = self._sets(counts)
        apart = np.exp(self.rate * sets.gap - sets.log_z)
        winners = np.empty((n, self.k), dtype=np.int64)
        x, pending = np.zeros(n), np.arange(n)
        while pending.size:
            ranks = sets.draw(pending.size, rng)
            x[pending] += rng.standard_exponential(pending.size) * apart
            log_odds = np.float64(self.rate) * (sets.scores(ranks) - sets.gap)
            # x stays far from overflow: the top set is never refused and comes at rate 1
            keep = 1 / (1 - np.expm1(log_odds) * np.expm1(x[pending]))
            kept = rng.random(pending.size) < keep
            winners[pending[kept]] = ranks[kept]
            pending = pending[~kept]
        return winners

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        from dptopk.mechanisms.kernels import exact_candidates, exact_choice  # loads python-flint

        sets = exact_candidates.Sets(counts, self.k)
        return exact_choice.permute_and_flip(sets, self.exact_rate, bits)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        sets = self._sets(counts)
        scores, back = np.unique(sets.scores(ranks), return_inverse=True)
        result: FloatArray = self._log_pmf_of(sets, scores)[back]
        return result

    def _log_pmf_of(self, sets: "kernels.gap_weighted.SetsByGap", scores: IntArray) -> FloatArray:
        """Return the log probability of one set of each score, by one integral each."""
        groups, rate = sets.by_score(), np.float64(self.rate)
        every = np.append(groups.scores.ravel(), sets.gap)
        return permute_and_flip.log_pmf(
            rate * (every - sets.gap)[None],
            np.append(groups.log_n.ravel(), 0.0)[None],
            rate * (scores - sets.gap),
            np.zeros(scores.size, dtype=np.int64),
        )
