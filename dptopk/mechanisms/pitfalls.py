"""Deliberately wrong mechanisms, to show and test that privacy violations are detected.

They claim the guarantee of the right mechanism and do not keep it, or waste it.  Not in
the registry of mechanisms; `PITFALLS` tells their stories.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.papers import GILLENWATER_2022
from dptopk.core.parameters import Number
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms.base import Mechanism, PureMechanism, SimulatedMechanism
from dptopk.mechanisms.card import Card
from dptopk.mechanisms.cdp_peel import CDPPeel
from dptopk.mechanisms.em_peel import EMPeel
from dptopk.mechanisms.laplace import Laplace


@dataclass(frozen=True)
class MisscaledCDPPeel(CDPPeel):
    """CDP-Peel with its per-round parameter multiplied by a wrong factor.

    ``factor`` 1.25 is a Gumbel scale too small by 20%; 1 / k is Algorithm 3 as printed
    in Gillenwater et al. (2022), with scale k / local_epsilon: private, and k times
    noisier than Lemma 4.2 and the authors' code.
    """

    factor: float = 1.0

    card: ClassVar[Card] = dataclasses.replace(
        CDPPeel.card,
        key="MisscaledCDPPeel",
        parameters=(
            *CDPPeel.card.parameters,
            Number("factor", "Wrong factor", 1e-300, 1e300, 1.0, integer=False),
        ),
    )

    @property
    def why_not_exact(self) -> str:
        """Reason why there is no exact sampler: the mechanism must not be published."""
        return "It is wrong on purpose."

    @property
    def local_epsilon(self) -> float:
        """Per-round parameter, wrong by ``factor``."""
        return super().local_epsilon * self.factor


@dataclass(frozen=True)
class NoNoise(SimulatedMechanism):
    """The true top k, ties by position; not private, whatever epsilon it claims."""

    card: ClassVar[Card] = dataclasses.replace(
        Card.minimal("no noise", "The k largest counts are released as they are."),
        key="NoNoise",
    )

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        return np.tile(np.arange(self.k), (n, 1))

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        return np.where((ranks == np.arange(self.k)).all(axis=1), 0.0, -np.inf)


@dataclass(frozen=True)
class FullBudgetRounds(EMPeel):
    """k rounds of the exponential mechanism, each with all of epsilon: k epsilon in truth."""

    card: ClassVar[Card] = dataclasses.replace(
        EMPeel.card,
        key="FullBudgetRounds",
        name="ε not divided by k",
        summary="k rounds of the exponential mechanism, each with ε.",
    )

    @property
    def rate(self) -> float:
        """Weight of a count in the exponent, without its division by k."""
        return super().rate * self.k


@dataclass(frozen=True)
class UndividedLaplace(Laplace):
    """One shot of Laplace noise of scale 1 / epsilon: enough for one item, not for k."""

    card: ClassVar[Card] = dataclasses.replace(
        Laplace.card,
        key="UndividedLaplace",
        name="Laplace of scale 1/ε",
        summary="Laplace noise of scale 1/ε is added to every count, and the k largest are "
        "released in their order.",
    )

    @property
    def scale(self) -> float:
        """Scale of the noise of a single item, in users."""
        return self.neighbors.gap_sensitivity / self.epsilon


@dataclass(frozen=True)
class CoinsByName(SimulatedMechanism):
    """Permute-and-flip without the permutation: items are tried in the order given."""

    card: ClassVar[Card] = dataclasses.replace(
        Card.minimal(
            "coins by name",
            "k rounds of coins with ε/k each; items are tried in the order of their names.",
        ),
        key="CoinsByName",
    )

    def log_pmf(self, counts: ItemCounts | SortedCounts, outputs: npt.ArrayLike) -> FloatArray:
        """Exact log probability of outputs as positions; the order of names is that given."""
        rate = self.epsilon / (self.k * self.neighbors.gap_sensitivity)
        given = counts.counts if isinstance(counts, ItemCounts) else counts.top(counts.d)
        return np.array(
            [_log_by_name(given, list(map(int, row)), rate) for row in np.asarray(outputs)]
        )

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        raise NotImplementedError("CoinsByName has a law, and no sampler")


def _log_by_name(counts: IntArray, output: list[int], rate: float) -> float:
    """Log probability that items come out one after another, each the first to show heads."""
    left, log_p = list(range(counts.size)), 0.0
    for chosen in output:
        best = max(int(counts[i]) for i in left)
        for i in left:
            log_heads = -rate * (best - int(counts[i]))
            if i == chosen:
                log_p += log_heads
                break
            if log_heads == 0.0:
                return -math.inf
            log_p += math.log(-math.expm1(log_heads))
        left.remove(chosen)
    return log_p


@dataclass(frozen=True)
class TrueThreshold(SimulatedMechanism):
    """EM-Peel among items whose true count reaches a threshold; the k largest if they are fewer."""

    card: ClassVar[Card] = dataclasses.replace(
        Card.minimal(
            "threshold on the truth",
            "k rounds of the exponential mechanism with ε/k each, among the items whose true count "
            "reaches a fixed threshold.",
        ),
        key="TrueThreshold",
    )
    threshold: int = 1

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        kept = max(int((counts.top(counts.d) >= self.threshold).sum()), self.k)
        right = EMPeel(self.k, self.epsilon, self.neighbors)
        result = np.full(len(ranks), -np.inf)
        possible = (ranks < kept).all(axis=1)
        result[possible] = right.log_pmf(ItemCounts(counts.top(kept)), ranks[possible])
        return result

    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        kept = max(int((counts.top(counts.d) >= self.threshold).sum()), self.k)
        right = EMPeel(self.k, self.epsilon, self.neighbors)
        return right.sample(ItemCounts(counts.top(kept)), n, rng)


BROKEN: tuple[type[PureMechanism], ...] = (
    NoNoise,
    FullBudgetRounds,
    UndividedLaplace,
    CoinsByName,
    TrueThreshold,
)
"""Mechanisms that claim ε-DP and lose more on some neighbours, for a class to find them."""


@dataclass(frozen=True)
class Pitfall:
    """Common mistake, with an explanation and the mechanisms that make it."""

    key: str
    title: str
    story: str
    # of right mechanisms and settings by field name
    wrong: Callable[[Sequence[Mechanism], Mapping[str, Any]], tuple[Mechanism, ...]]
    judged_by: NeighborRelation | None = None  # the change of the data; None for the one they claim


def _unswapped(right: Sequence[Mechanism], _: Mapping[str, Any]) -> tuple[Mechanism, ...]:
    joins = NeighborRelation.ADD_REMOVE
    return tuple(m.replaced(neighbors=joins) for m in right)


def _too_small(_: Sequence[Mechanism], settings: Mapping[str, Any]) -> tuple[Mechanism, ...]:
    return (_misscaled(settings, 1.25),)


def _as_printed(_: Sequence[Mechanism], settings: Mapping[str, Any]) -> tuple[Mechanism, ...]:
    return (_misscaled(settings, 1 / settings["k"]),)


def _misscaled(settings: Mapping[str, Any], factor: float) -> Mechanism:
    names = {field.name for field in dataclasses.fields(MisscaledCDPPeel)}
    own = {name: value for name, value in settings.items() if name in names}
    return MisscaledCDPPeel(**own | {"factor": factor})


PITFALLS: dict[str, Pitfall] = {
    pitfall.key: pitfall
    for pitfall in (
        Pitfall(
            "unswapped",
            "add/remove noise although a user is replaced",
            "The noise is right when one user joins or leaves, but here one is replaced, and "
            "counts move both ways. The authors' published code does this for peeling: the "
            "guarantee fails.",
            _unswapped,
            NeighborRelation.SWAP,
        ),
        Pitfall(
            "too_small",
            "CDP-Peel with Gumbel noise 20% too small",
            "Multiplying the per-round ε by 1.25 makes every answer more accurate, but costs "
            "more than is guaranteed.",
            _too_small,
        ),
        Pitfall(
            "as_printed",
            "CDP-Peel with the scale printed in Algorithm 3",
            f"{GILLENWATER_2022.at('Algorithm 3').link}, prints Gumbel noise of scale k/ε′; Lemma "
            "4.2 there and the authors' code use 1/ε′. As printed the mechanism is private, but "
            "wastes most of the budget.",
            _as_printed,
        ),
    )
}
"""Every pitfall by its key, in the order shown."""
