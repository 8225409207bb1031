"""What all mechanisms share: arguments checked once, ranks and positions translated.

A mechanism is a frozen dataclass with a `Card`.  Its module supplies, on one screen, the
guarantee with its theorem, the rate or scale, the sampler `_sample_ranks` and the exact law
`_log_pmf` on sorted counts, and what it costs in composition; further exact laws where they
are known.  `sample` and `log_pmf` here check arguments, so that the kernels trust what they
get, and know what kind of output it is.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from dptopk import _validate
from dptopk._types import FloatArray, IntArray
from dptopk.counts import ItemCounts, SortedCounts, check_counts
from dptopk.mechanisms import _positions, _streams
from dptopk.mechanisms.card import Card
from dptopk.mechanisms.elsewhere import NoisyTopK
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.law import ErrorBound, LawsOfErrors, NearCertainty, NoClosedFormError
from dptopk.mechanisms.pictures import Picture
from dptopk.outputs import SEQUENCE, OutputKind, Released
from dptopk.privacy import Cost, Guarantee, NeighborRelation, PureCost


@dataclass(frozen=True)
class Mechanism(NearCertainty, LawsOfErrors, ABC):
    """A mechanism that selects (up to) k of d items."""

    k: int
    epsilon: float

    card: ClassVar[Card]
    outputs: ClassVar[OutputKind] = SEQUENCE
    exchangeable_ties: ClassVar[bool] = False
    """Whether laws may merge items with equal counts; not so if a tie may be cut."""

    elsewhere: ClassVar[NoisyTopK | None] = None  # what draws the same law for real releases

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "card" in cls.__dict__:
            cls.name = cls.card.name

    def __post_init__(self) -> None:
        checked: dict[str, object] = {
            "k": _validate.integer("k", self.k, low=1),
            "epsilon": _validate.positive("epsilon", self.epsilon),
        }
        _validate.member("neighbors", self.neighbors, NeighborRelation)
        for parameter in self.card.parameters:
            checked[parameter.key] = parameter.checked(getattr(self, parameter.key))
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def replaced(self, **changes: Any) -> Self:
        """The same mechanism with some of its fields changed, and checked anew."""
        return replace(self, **changes)

    # --- what is promised, and what it costs ----------------------------------------------

    @property
    @abstractmethod
    def neighbors(self) -> NeighborRelation:
        """The change of the data that is protected: a field of every mechanism."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What the mechanism promises, and against which change of the data."""

    @property
    @abstractmethod
    def cost(self) -> Cost:
        """What a release counts as when it is composed with others."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """Difference of counts, in users, that changes odds by a factor of e; see the card."""

    def scale_on(self, d: int) -> float:
        """What the card's words on the scale are about, on data of ``d`` items."""
        return self.scale

    @property
    def label(self) -> str:
        """The name, with what sets this one apart from others of its name."""
        return self.name

    @property
    def stream_key(self) -> str:
        """Text that names this mechanism's random streams at its present parameters."""
        return _streams.key(self)

    # --- running it -----------------------------------------------------------------------

    def check(self, counts: ItemCounts | SortedCounts) -> None:
        """Refuse data that the mechanism cannot run on.

        Raises
        ------
        TypeError, ValueError
            Naming the argument, value and rule that was broken.
        """
        check_counts("counts", counts)
        if self.k > counts.d:
            raise ValueError(f"k must be in [1, {counts.d}] for {counts.d} items, got {self.k}")

    def sample(
        self, counts: ItemCounts | SortedCounts, n: int, rng: np.random.Generator
    ) -> IntArray:
        """Draw ``n`` independent outputs.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items.
        n : int
            Number of outputs, at least 0.
        rng : numpy.random.Generator
            Source of randomness; the same state gives the same outputs.

        Returns
        -------
        numpy.ndarray of int64, shape (n, k)
            Positions into the counts as given (for SortedCounts: ranks).  A sequence has the
            item released as largest first; a set is ascending; an output of fewer than k
            items is filled up with `outputs.NOTHING` (-1).

        Raises
        ------
        TypeError, ValueError
            Naming the argument, value and rule that was broken.
        """
        return self._released(counts, n, rng, with_counts=False).positions

    def released(
        self, counts: ItemCounts | SortedCounts, n: int, rng: np.random.Generator
    ) -> Released:
        """Draw ``n`` independent outputs, with the noisy counts of those that release them.

        Arguments and errors as `sample`; the same state of ``rng`` gives the same positions.
        """
        return self._released(counts, n, rng, with_counts=self.outputs.counted)

    def log_pmf(self, counts: ItemCounts | SortedCounts, outputs: npt.ArrayLike) -> FloatArray:
        """Exact log probability of given outputs, at any d and k.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items.
        outputs : array_like of int, shape (m, k)
            Outputs, as positions into the counts as given; sets in any order, short outputs
            filled up with `outputs.NOTHING` at their end.

        Returns
        -------
        numpy.ndarray of float64, shape (m,)
            Natural logarithms; -inf for an output that repeats an item.

        Raises
        ------
        TypeError, ValueError
            Naming the argument, value and rule that was broken.
        """
        self.check(counts)
        kind = self.outputs
        checked = kind.check(kind.plural, outputs, counts.d, self.k)
        possible = kind.possible(checked)
        result = np.full(len(checked), -np.inf)
        if possible.any():
            ranks = _positions.ranks_of(counts, checked[possible])
            result[possible] = self._log_pmf(counts.sorted, kind.canonical(ranks))
        return result

    # --- exact laws beyond the pmf --------------------------------------------------------

    def error_bound(self, d: int, metric: str) -> ErrorBound | None:
        """A proven bound on an error on d items, if there is one."""
        return None

    def log_probability_exact_sequence(self, counts: SortedCounts) -> float:
        """Log probability that the true top k come out in order, up to ties."""
        if not self.outputs.ordered:
            raise NoClosedFormError(
                f"{self.name} releases sets, which have no order to be right: ask for the exact set"
            )
        return self._log_probability_of_top(counts, top.log_n_top_sequences(counts, self.k))

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Log probability that the true top k come out in any order, up to ties."""
        if self.outputs.ordered:
            raise NoClosedFormError(
                f"no closed form of {self.name}'s probability of a set is known"
            )
        return self._log_probability_of_top(counts, top.log_n_top_sets(counts, self.k))

    def pmf_work(self, counts: SortedCounts) -> int:
        """Steps of one `log_pmf` that take noticeable time from a few millions on."""
        return 0

    def set_work(self, counts: SortedCounts) -> int:
        """Steps of `log_probability_exact_set`, likewise."""
        return self.pmf_work(counts)

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> Picture | None:
        """How it chooses among items of adjacent ranks, if one of the `pictures` fits."""
        return None

    # --- what a mechanism supplies --------------------------------------------------------

    @abstractmethod
    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        """Draw outputs as ranks, shape (n, k)."""

    @abstractmethod
    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        """Log probability of outputs of distinct items, given the rank of each item."""

    def _noisy_counts(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Noisy counts of released ranks, shape (n, k); for outputs that are counted."""
        raise NotImplementedError(f"{type(self).__name__} releases no counts")

    def _draw(
        self, counts: SortedCounts, n: int, rng: np.random.Generator, with_counts: bool
    ) -> tuple[IntArray, FloatArray | None]:
        """Draw outputs as ranks, and noisy counts if wanted: the ranks are the same without."""
        ranks = self._sample_ranks(counts, n, rng)
        return ranks, self._noisy_counts(counts, ranks, rng) if with_counts else None

    def _released(
        self,
        counts: ItemCounts | SortedCounts,
        n: int,
        rng: np.random.Generator,
        with_counts: bool,
    ) -> Released:
        self.check(counts)
        n = _validate.integer("n", n, low=0)
        _validate.generator("rng", rng)
        if n == 0:
            empty = np.empty((0, self.k), dtype=np.int64)
            return Released(empty, empty.astype(float) if with_counts else None)
        ranks, noisy = self._draw(counts.sorted, n, rng, with_counts)
        return _positions.as_given(counts, self.outputs, ranks, noisy)

    def _log_probability_of_top(self, counts: SortedCounts, log_n: float) -> float:
        """Log probability of one true top k, times the number of them."""
        if log_n > 0 and not self.exchangeable_ties:
            raise NoClosedFormError(
                f"the true top {self.k} is not unique, and {self.name} does not treat tied items "
                "alike"
            )
        return log_n + float(self.log_pmf(counts, np.arange(self.k)[None])[0])


@dataclass(frozen=True)
class PureMechanism(Mechanism):
    """A mechanism with a pure epsilon-DP guarantee.

    Parameters
    ----------
    k : int
        Number of items to release, at least 1.
    epsilon : float
        Privacy budget of the whole release, natural-log units, above 0.
    neighbors : NeighborRelation
        The change of the data that is protected.

    A wrong one raises a TypeError or ValueError that names it, its value and the rule.
    """

    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: no output becomes more than e^epsilon times likelier."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    @property
    def cost(self) -> Cost:
        """Pure epsilon-DP, of which no smaller range is claimed."""
        return PureCost(self.epsilon, "It is pure ε-DP, and nothing narrower is claimed.")
