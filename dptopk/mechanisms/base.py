"""Base classes of mechanisms, which check arguments and convert between ranks and positions.

A mechanism is a frozen dataclass with a `Card`.  Its module supplies, on one screen, the
guarantee with its theorem, the rate or scale, the sampler `_sample_ranks` and the exact law
`_log_pmf` on sorted counts, and what it costs in composition; further exact laws where they
are known.  `sample` and `log_pmf` here check arguments, so that the kernels trust what they
get, and know what kind of output it is.
"""

import itertools
import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import ItemCounts, SortedCounts, check_counts
from dptopk.core.numerals import fraction_at_most
from dptopk.core.outputs import NOTHING, SEQUENCE, OutputKind, Released
from dptopk.core.privacy import Cost, Guarantee, NeighborRelation, PureCost, RangeCost
from dptopk.core.random_bits import Bits
from dptopk.mechanisms.card import Card
from dptopk.mechanisms.exact_laws import (
    ErrorBound,
    LawsOfErrors,
    LawsOfPlaces,
    NearCertainty,
    NoClosedFormError,
)
from dptopk.mechanisms.external_samplers import NoisyTopK, ThresholdQuery, VectorLaplace
from dptopk.mechanisms.kernels import top
from dptopk.mechanisms.pictures import Picture

MOST_ADDED = 1_000
"""Most outputs that are all a true top k whose probabilities are added up: of k ≤ 6 in any order.

A search for the smallest ε asks for this sum some fifty times.
"""

_ROUNDING = 1e-6  # of a log probability of 0, and of a total of 1


class NoExactDrawError(NotImplementedError):
    """The mechanism has no exact sampler."""


@dataclass(frozen=True)
class Mechanism(NearCertainty, LawsOfErrors, LawsOfPlaces, ABC):
    """Mechanism that selects (up to) k of d items.

    Parameters
    ----------
    k : int
        Number of items to release, at least 1; at most so many if outputs may be shorter.
    epsilon : float
        Privacy budget of the whole release, items and counts, natural-log units, in [1e-9, 1e12].
    delta : float
        If it is (epsilon, delta)-DP: extra probability of any set of outputs beyond e^epsilon
        times, below 1; above 0 if it cannot do without.
    neighbors : NeighborRelation
        The change of the data that is protected; default ADD_REMOVE.
    max_items : int, optional
        If users may be bounded: how many items one user counts for at most; default any number.
    k_bar : int, optional
        If it reads the largest counts only: how many, and k where that is more; default 2 k.

    A wrong one raises a TypeError or ValueError that names it, its value and the rule.
    """

    k: int
    epsilon: float

    card: ClassVar[Card]
    outputs: ClassVar[OutputKind] = SEQUENCE
    exchangeable_ties: ClassVar[bool] = False
    """True if laws may merge items with equal counts; False if a tie may be cut."""

    open_domain: ClassVar[bool] = False
    """True if it runs on data of any number of items, also fewer than k.

    It has to where users may bring items that nobody listed: a refusal would tell how many there
    are.  An item without users is then as good as absent.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "card" in cls.__dict__:
            cls.name = cls.card.name

    def __post_init__(self) -> None:
        checked: dict[str, object] = {
            "k": validation.integer("k", self.k, low=1),
            "epsilon": validation.epsilon("epsilon", self.epsilon),
        }
        checked["neighbors"] = validation.member("neighbors", self.neighbors, NeighborRelation)
        for parameter in self.card.parameters:
            checked[parameter.key] = parameter.checked(getattr(self, parameter.key))
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, checked anew."""
        return replace(self, **changes)

    # --- what is promised, and what it costs ----------------------------------------------

    @property
    @abstractmethod
    def neighbors(self) -> NeighborRelation:
        """Neighboring relation of the guarantee; a field of every mechanism."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """Privacy guarantee of one release."""

    @property
    @abstractmethod
    def cost(self) -> Cost:
        """Privacy cost of one release under composition."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """Difference of counts, in users, that changes odds by a factor of e; see the card."""

    def scale_on(self, d: int) -> float:
        """Return the scale that the card describes, for data of ``d`` items."""
        return self.scale

    @property
    def label(self) -> str:
        """Name, with the parameters that distinguish it from others of this name."""
        return self.name

    @classmethod
    def has_law(cls) -> bool:
        """Return whether the exact probability of its outputs is known."""
        return True

    @property
    def external_sampler(self) -> NoisyTopK | VectorLaplace | None:
        """Hardened implementation of the same distribution in another library, if known."""
        return None

    @property
    def sql_query(self) -> ThresholdQuery | None:
        """Query of a database that draws from the same distribution, if there is one."""
        return None

    @property
    def stream_key(self) -> str:
        """Name of the random streams at the present parameters."""
        return _stream_key(self)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by key, as JSON has them."""
        parameters = {one.key: getattr(self, one.key) for one in self.card.parameters}
        common = {"k": self.k, "epsilon": self.epsilon, "neighbors": self.neighbors.value}
        return common | parameters

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> Self:
        """Return the mechanism at such `settings` by key; those of others are ignored."""
        keys = ("k", "epsilon", *(parameter.key for parameter in cls.card.parameters))
        relation = {"neighbors": NeighborRelation(settings["neighbors"])}
        return cls(**{key: settings[key] for key in keys} | relation)

    # --- running it -----------------------------------------------------------------------

    def check(self, counts: ItemCounts | SortedCounts) -> None:
        """Raise for data that the mechanism cannot run on, such as fewer than k items."""
        check_counts("counts", counts)
        if self.k > counts.d and not self.open_domain:
            raise ValueError(f"k must be in [1, {counts.d}] for {counts.d} items, got {self.k}")

    def sample(
        self, counts: ItemCounts | SortedCounts, n: int, rng: np.random.Generator
    ) -> IntArray:
        """Draw ``n`` independent outputs.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items but for an `open_domain`.
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
        """Compute the exact log probability of given outputs, at any d and k.

        Parameters
        ----------
        counts : ItemCounts or SortedCounts
            The data, at least k items but for an `open_domain`.
        outputs : array_like of int, shape (m, k)
            Outputs, as positions into the counts as given; sets in any order, short outputs
            filled up with `outputs.NOTHING` at their end.

        Returns
        -------
        numpy.ndarray of float64, shape (m,)
            Natural logarithms; -inf for an output that repeats an item.
        """
        self.check(counts)
        kind = self.outputs
        checked = kind.check(kind.plural, outputs, counts.d, self.k)
        possible = kind.possible(checked)
        result = np.full(len(checked), -np.inf)
        if possible.any():
            if self.has_law() and not _is_ours(self):
                _check_law(self, counts.sorted)
            ranks = _ranks_of(counts, checked[possible])
            result[possible] = _of_law(self, counts.sorted, kind.canonical(ranks))
        return result

    # --- drawing for a real release ---------------------------------------------------------

    @property
    def why_not_exact(self) -> str:
        """Reason why there is no exact sampler, in a sentence; empty if there is one."""
        if type(self)._exact_ranks is Mechanism._exact_ranks:
            return self.card.not_exact
        if self.card.key != type(self).__name__:  # a subclass, whose law may be another
            return f"The exact sampler of {self.name} need not have the law of a class made of it."
        return ""

    def sample_exactly(self, counts: ItemCounts | SortedCounts, bits: Bits) -> IntArray:
        """Draw one output exactly, without counts: a row of `sample`; see `dptopk.exact_sample`.

        ``bits(n)`` is an integer uniform in [0, 2^n).  A `NoExactDrawError` says why there is none.
        """
        released: IntArray = self._released_exactly(counts, bits, with_counts=False).positions[0]
        return released

    def released_exactly(self, counts: ItemCounts | SortedCounts, bits: Bits) -> Released:
        """Draw one output exactly, with noisy counts rounded to whole users where it releases them.

        Arguments and errors as `sample_exactly`; both are of one row.
        """
        return self._released_exactly(counts, bits, with_counts=self.outputs.counted)

    # --- exact laws beyond the pmf --------------------------------------------------------

    def chance_grows(self, target: str) -> bool:
        """Return False if a larger epsilon is known to make a target less likely on some data.

        ``target`` is "exact_set", "exact_sequence" or a key of `errors.METRICS`.
        """
        return True

    def error_bound(self, d: int, metric: str) -> ErrorBound | None:
        """Return a proven bound on an error for d items, if there is one."""
        return None

    def log_probability_exact_sequence(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k come out in order, up to ties."""
        if not self.outputs.ordered:
            raise NoClosedFormError(
                f"{self.name} releases sets, which have no order to be right: ask for the exact set"
            )
        return self._log_probability_of_top(counts, in_order=True)

    def log_probability_exact_set(self, counts: SortedCounts) -> float:
        """Return the log probability that the true top k come out in any order, up to ties.

        Without a closed form, the probabilities of at most `MOST_ADDED` sequences are added up.
        """
        return self._log_probability_of_top(counts, in_order=False)

    def pmf_work(self, counts: SortedCounts) -> int:
        """Return the number of steps of one `log_pmf`; some millions take noticeable time."""
        return 0

    def set_work(self, counts: SortedCounts) -> int:
        """Return the number of steps of `log_probability_exact_set`; see `pmf_work`."""
        return self.pmf_work(counts)

    def picture(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> Picture | None:
        """Return numbers for a picture of the choice among adjacent ranks, if one fits."""
        return None

    # --- what a mechanism supplies --------------------------------------------------------

    @abstractmethod
    def _sample_ranks(self, counts: SortedCounts, n: int, rng: np.random.Generator) -> IntArray:
        """Draw outputs as ranks, shape (n, k)."""

    @abstractmethod
    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        """Return the log probability of outputs of distinct items, given the rank of each item."""

    def _exact_ranks(self, counts: SortedCounts, bits: Bits) -> list[int]:
        """Draw one output exactly, as at most k ranks, by integers and enclosures of reals only."""
        raise NotImplementedError(f"{type(self).__name__} has no exact sampler")

    def _exact_counts(self, counts: SortedCounts, ranks: list[int], bits: Bits) -> list[int]:
        """Noisy counts of released ranks, rounded to whole users; for outputs that are counted."""
        raise NotImplementedError(f"{type(self).__name__} releases no counts")

    def _noisy_counts(
        self, counts: SortedCounts, ranks: IntArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return the noisy counts of released ranks, shape (n, k); for outputs that are counted."""
        raise NotImplementedError(f"{type(self).__name__} releases no counts")

    def _draw(
        self, counts: SortedCounts, n: int, rng: np.random.Generator, with_counts: bool
    ) -> tuple[IntArray, FloatArray | None]:
        """Draw outputs as ranks, with noisy counts if wanted, which leave the ranks unchanged."""
        ranks = self._sample_ranks(counts, n, rng)
        if not _is_ours(self):
            ranks = _check_ranks(self, ranks, n, counts.d)
        return ranks, self._noisy_counts(counts, ranks, rng) if with_counts else None

    def _released(
        self,
        counts: ItemCounts | SortedCounts,
        n: int,
        rng: np.random.Generator,
        with_counts: bool,
    ) -> Released:
        self.check(counts)
        n = validation.integer("n", n, low=0)
        validation.generator("rng", rng)
        if n == 0:
            empty = np.empty((0, self.k), dtype=np.int64)
            return Released(empty, empty.astype(float) if with_counts else None)
        ranks, noisy = self._draw(counts.sorted, n, rng, with_counts)
        pause()
        return _as_given(counts, self.outputs, ranks, noisy)

    def _released_exactly(
        self, counts: ItemCounts | SortedCounts, bits: Bits, with_counts: bool
    ) -> Released:
        self.check(counts)
        if self.why_not_exact:
            raise NoExactDrawError(f"{self.label} cannot be drawn exactly. {self.why_not_exact}")
        ranks = self._exact_ranks(counts.sorted, bits)
        row = np.array([ranks + [NOTHING] * (self.k - len(ranks))], dtype=np.int64)
        noisy = None
        if with_counts:
            noisy = np.full((1, self.k), np.nan)
            noisy[0, : len(ranks)] = self._exact_counts(counts.sorted, ranks, bits)
        return _as_given(counts, self.outputs, row, noisy)

    def _log_probability_of_top(self, counts: SortedCounts, in_order: bool) -> float:
        """Add up the probabilities of the true top k, by one of those that differ in ties alone."""
        if self.k > counts.d:
            raise NoClosedFormError(f"there is no top {self.k} of {counts.d} items")
        log_n = (top.log_n_top_sequences if in_order else top.log_n_top_sets)(counts, self.k)
        orders = 1 if in_order or not self.outputs.ordered else self.k
        alike = log_n == 0 or self.exchangeable_ties
        log_listed = math.lgamma(orders + 1) + (0.0 if alike else log_n)
        if log_listed > math.log(MOST_ADDED) + 1e-9:  # rounding
            raise NoClosedFormError(
                f"no closed form of {self.name}'s probability of the true top {self.k} is known "
                f"here, and more than {MOST_ADDED:,} outputs are right: simulate with run_trials"
            )
        rows = [tuple(range(self.k))] if alike else top.every_top(counts, self.k, in_order)
        if orders > 1:
            rows = [order for row in rows for order in itertools.permutations(row)]
        log_p = float(np.logaddexp.reduce(self.log_pmf(counts, np.array(rows))))
        return log_p + (log_n if alike else 0.0)


@dataclass(frozen=True)
class PureMechanism(Mechanism):
    """Mechanism with a pure epsilon-DP guarantee."""

    neighbors: NeighborRelation = NeighborRelation.ADD_REMOVE

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon-DP: no output becomes more than e^epsilon times likelier."""
        return Guarantee(self.epsilon, 0.0, self.neighbors)

    @property
    def cost(self) -> Cost:
        """Pure epsilon-DP, of which no smaller range is claimed."""
        return PureCost(self.epsilon, "It is pure ε-DP; no tighter cost is claimed.")


@dataclass(frozen=True)
class SimulatedMechanism(PureMechanism):
    """Pure epsilon-DP mechanism without exact laws, such as a user's own.

    It supplies a card (`Card.minimal`) and `_sample_ranks`; its guarantee is its author's claim.
    Everything that simulates takes it; what needs an exact law raises a `NoClosedFormError`.  One
    that has a law overrides `_log_pmf`.
    """

    @property
    def scale(self) -> float:
        """Smallest gap, in users, over which epsilon-DP lets odds change by a factor of e."""
        return self.neighbors.gap_sensitivity / self.epsilon

    @classmethod
    def has_law(cls) -> bool:
        """Return whether it has a law of its own, by `_log_pmf`."""
        return cls._log_pmf is not SimulatedMechanism._log_pmf

    def _log_pmf(self, counts: SortedCounts, ranks: IntArray) -> FloatArray:
        raise NoClosedFormError(
            f"no closed form of {self.name}'s probabilities is known: simulate with run_trials"
        )


@dataclass(frozen=True)
class SingleChoice(PureMechanism):
    """Single choice by a score that is a difference of two counts, epsilon-DP.

    By the exponential mechanism, unless it says otherwise (`cost`).
    """

    @property
    def rate(self) -> float:
        """Weight of a unit of the score, epsilon / (2 * sensitivity), in 1 / users.

        The score moves by the sensitivity of a gap, in either direction: it is not monotone, so
        the 2 stays.
        """
        return self.epsilon / (2 * self.neighbors.gap_sensitivity)

    @property
    def exact_rate(self) -> Fraction:
        """Rate of exact draws, at most that of the epsilon as printed."""
        return fraction_at_most(self.epsilon) / (2 * self.neighbors.gap_sensitivity)

    @property
    def scale(self) -> float:
        """Difference of scores, in users, that makes an output e times less likely."""
        return 1 / self.rate

    @property
    def cost(self) -> Cost:
        """One exponential mechanism: range epsilon (Durfee, Rogers 2019, arXiv 1905.04273)."""
        why = "It is a single choice by the exponential mechanism, whose loss spans at most ε."
        return RangeCost(1, self.epsilon, why)


def check_mechanism(name: str, value: object) -> Mechanism:
    """Return ``value`` if it is a mechanism."""
    if not isinstance(value, Mechanism):
        raise TypeError(f"{name} must be a mechanism, got {value!r}")
    return value


def check_total(mechanism: Mechanism, log_probabilities: FloatArray, among: str = "") -> FloatArray:
    """Return the log probabilities of all outputs of a mechanism if they add up to 1.

    ``among`` says of which items, where these are not all.
    """
    total = float(np.logaddexp.reduce(log_probabilities))
    if abs(math.expm1(total)) > _ROUNDING:
        raise validation.ReturnedError(
            f"the probabilities of all outputs of {mechanism.name}{among}, by its _log_pmf, must "
            f"add up to 1, got {math.exp(total):.6g}"
        )
    return log_probabilities


def _is_ours(mechanism: Mechanism) -> bool:
    """Return whether a mechanism is of this package: these are trusted, for their speed."""
    return type(mechanism).__module__.startswith("dptopk.")


def _check_law(mechanism: Mechanism, counts: SortedCounts) -> None:
    """Raise if the outputs of the largest counts, as many as have few, do not add up to 1."""
    k, n_outputs = mechanism.k, mechanism.outputs.n_outputs
    possible = range(min(counts.d, MOST_ADDED) + 1)
    d = bisect_right(possible, MOST_ADDED, key=lambda d: n_outputs(d, k)) - 1
    if d > k or d == counts.d:  # on exactly k items a law may know less than on these data
        _check_law_on(mechanism, type(mechanism)._log_pmf, tuple(counts.top(d).tolist()))


@lru_cache(maxsize=1024)
def _check_law_on(mechanism: Mechanism, law: Callable[..., object], top: tuple[int, ...]) -> None:
    """Raise if the outputs of such counts do not add up to 1, by this law of the mechanism."""
    every = mechanism.outputs.every(len(top), mechanism.k)
    log_probabilities = _of_law(mechanism, ItemCounts(top).sorted, every)
    check_total(mechanism, log_probabilities, f" among the {len(top):,} largest counts")


def _of_law(mechanism: Mechanism, counts: SortedCounts, ranks: IntArray) -> FloatArray:
    """Return the log probabilities of outputs by a mechanism's law if that is what it returns."""
    log_pmf = np.asarray(mechanism._log_pmf(counts, ranks))
    wrong = ""
    if log_pmf.shape != (len(ranks),):
        wrong = f"shape {log_pmf.shape}"
    elif log_pmf.dtype.kind not in "iuf":
        wrong = f"dtype {log_pmf.dtype}"
    elif not (log_pmf <= _ROUNDING).all():
        first = int(np.argmin(log_pmf <= _ROUNDING))
        wrong = f"{log_pmf[first]} for ranks {ranks[first].tolist()}"
    if wrong:
        raise validation.ReturnedError(
            f"{mechanism.name}._log_pmf must return {len(ranks):,} log probabilities, each at most "
            f"0, for as many rows of ranks, got {wrong}"
        )
    return np.minimum(log_pmf, 0.0)  # rounding may pass certainty


def _check_ranks(mechanism: Mechanism, ranks: IntArray, n: int, d: int) -> IntArray:
    """Return what a sampler drew if it is ``n`` outputs of the mechanism's kind, of distinct items.

    Too few ranks or repeats would give wrong numbers silently.
    """
    kind, name = mechanism.outputs, f"what {mechanism.name}._sample_ranks returns"
    try:
        checked = kind.check(name, ranks, d, mechanism.k)
    except (TypeError, ValueError) as error:  # the fault of what was drawn, of no argument
        raise validation.ReturnedError(error) from error
    if len(checked) != n:
        raise validation.ReturnedError(f"{name} must have {n:,} rows, got {len(checked):,}")
    possible = kind.possible(checked)
    if not possible.all():
        first = checked[np.argmin(possible)].tolist()
        raise validation.ReturnedError(f"{name} must hold no item twice in a row, got {first}")
    return checked


def _stream_key(mechanism: Mechanism) -> str:
    """Return the name of a mechanism's random streams: the card's key and fields.

    Other fields only where they differ from their default, so that a field that is added later
    leaves every draw published before as it was.
    """
    parts = []
    for field in fields(mechanism):
        value = getattr(mechanism, field.name)
        if field.name in mechanism.card.stream or value != _default_of(field):
            parts.append(f"{field.name}={_stream_text(value)}")
    return f"{mechanism.card.key}({', '.join(parts)})"


def _default_of(field: "Field[Any]") -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def _stream_text(value: object) -> str:
    """Return a field's value as text that is stable across versions."""
    if isinstance(value, NeighborRelation):
        return f"<NeighborRelation.{value.name}: {value.value!r}>"
    return repr(value)


def _ranks_of(counts: ItemCounts | SortedCounts, outputs: IntArray) -> IntArray:
    return _where_there(counts.ranks_at, outputs)


def _as_given(
    counts: ItemCounts | SortedCounts, kind: OutputKind, ranks: IntArray, noisy: FloatArray | None
) -> Released:
    """Return released ranks as positions, sets ascending, with each item's noisy count."""
    positions = np.ascontiguousarray(_where_there(counts.positions, ranks), dtype=np.int64)
    if kind.ordered:
        return Released(positions, noisy)
    last = np.where(positions == NOTHING, np.iinfo(np.int64).max, positions)
    order = np.argsort(last, axis=1, kind="stable")
    if noisy is not None:
        noisy = np.take_along_axis(noisy, order, axis=1)
    return Released(np.take_along_axis(positions, order, axis=1), noisy)


def _where_there(translate: Callable[[IntArray], IntArray], places: IntArray) -> IntArray:
    """Translate ranks or positions, leaving `NOTHING` unchanged."""
    if not (places == NOTHING).any():
        return translate(places)
    return np.where(places == NOTHING, NOTHING, translate(np.maximum(places, 0)))
