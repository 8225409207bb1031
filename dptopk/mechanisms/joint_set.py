"""JointSet: the exponential mechanism over all sets of k items, scored by the worst place.

Gillenwater, Joseph, Munoz Medina, Ribero (2021), "A Joint Exponential Mechanism for
Differentially Private Top-k Set", PriML 2021.  A set has the loss of its best order,
loss(S) = max_i (c_i - c_{s_i}) with its own counts in descending order, and probability
proportional to exp(-rate * loss(S)).  They leave counting the sets open for large d and k; see
`kernels.sets`.  Thresholds are drawn as for `joint`.
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
from dptopk.mechanisms import kernels, pictures
from dptopk.mechanisms.base import SingleChoice
from dptopk.mechanisms.card import Card, Explanation, Group, Style
from dptopk.mechanisms.exact_laws import ErrorLaw, NoClosedFormError
from dptopk.mechanisms.kernels import thresholds

_LONG = 300_000_000  # losses times k^2: some ten seconds


@dataclass(frozen=True)
class JointSet(SingleChoice):
    """Joint exponential mechanism over sets, epsilon-DP (Gillenwater et al. 2021).

    k, epsilon and neighbors as in `Mechanism`.
    """

    card: ClassVar[Card] = Card(
        key="JointSet",
        name="Joint set",
        summary="Joint set weighs sets by their worst place: a set's own items are compared with "
        "the true top k in order of size, and one set is drawn.",
        paper=papers.GILLENWATER_2021.at("the whole paper"),
        group=Group.SETS,
        style=Style("#785EF0", "3px,3px", "hexagon2", "x"),
        scale="penalises only the worst place: a count error larger by {users} there makes a set e "
        "times less likely, for any k",
        explanation=Explanation.read(
            "JointSet",
            (
                papers.GILLENWATER_2021.at("the whole paper"),
                papers.MCSHERRY_2007.at("the exponential mechanism"),
            ),
        ),
        not_exact="Its sets are counted by a recursion in floating-point numbers, and no exact "
        "sampler is known here; Inverse sensitivity releases sets exactly.",
    )
    outputs: ClassVar[OutputKind] = OutputKind(ordered=False)
    exchangeable_ties: ClassVar[bool] = True
    exact_metrics: ClassVar[tuple[str, ...]] = (Law.SIGNED_MAX,)

    def error_law(self, counts: SortedCounts, metric: str) -> ErrorLaw:
        """Return the exact law of the signed maximum error, which is the loss."""
        if metric != Law.SIGNED_MAX:
            return super().error_law(counts, metric)
        sets = self._sets_by_loss(counts)
        levels = sets.loss_levels(self.rate)
        log_p = levels.log_n - self.rate * levels.losses - sets.log_z(levels, self.rate)
        possible = np.isfinite(log_p)
        return ErrorLaw(levels.losses[possible], log_p[possible])

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability of the set without loss, up to ties."""
        self._sets_by_loss(counts)
        return super().log_probability_exact_set(counts)

    def log_probability_not_exact_set(self, counts: SortedCounts) -> float:
        """Return the log mass of all sets with a loss above 0."""
        least = kernels.wrong_sets.smallest_loss(counts, self.k)
        if least is None:
            return -math.inf
        sets = self._sets_by_loss(counts)
        wrong = sets.loss_levels(self.rate, least)
        log_z = sets.log_z(sets.loss_levels(self.rate), self.rate)
        return float(logsumexp(wrong.log_n - self.rate * wrong.losses)) - log_z

    def _sets_by_loss(self, counts: SortedCounts) -> "kernels.sets.SetsByLoss":
        """Return the sets by loss; refuse if enumerating the losses takes too long."""
        sets = kernels.sets.SetsByLoss(counts, self.k)
        if sets.most_levels(self.rate) * self.k**2 > _LONG:
            raise NoClosedFormError(
                f"at ε = {self.epsilon:.4g} the losses of {self.name} are too many to write out"
            )
        return sets

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> pictures.Limits:
        """Return limits on the loss, with the number of items that each admits at a place."""
        sets, places = kernels.sets.SetsByLoss(counts, self.k), pictures.some_places(self.k)
        return pictures.limits(
            pictures.at_most(self.error_law(counts, Law.SIGNED_MAX)),
            lambda limits: sets.n_within(limits)[np.array(places) - 1],
            places,
            "the largest count error at any place",
        )

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps: k^3 / 6 for each loss that may have mass."""
        return self.k**3 // 6 * min(counts.n_levels * self.k, 1000)

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        sets = kernels.sets.SetsByLoss(counts, self.k)
        drawn, _ = thresholds.draw_thresholds(sets, sets.blocks(self.rate), self.rate, n, rng)
        return sets.draw_within(drawn, rng)

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        sets = kernels.sets.SetsByLoss(counts, self.k)
        losses = sets.losses_of(counts.counts_at_ranks(ranks))
        log_z = sets.log_z(sets.loss_levels(self.rate), self.rate)
        return -np.float64(self.rate) * losses - log_z
