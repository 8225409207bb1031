"""Privacy guarantees, neighboring relations, and the costs of releases under composition.

Two data sets are neighbours when they differ in one user.  A user holds any
subset of the items (one vote each), so one user may touch every count at once,
each by at most one (Gillenwater, Joseph, Munoz Medina, Ribero 2022,
arXiv 2201.12333).
"""

import enum
import math
from dataclasses import dataclass

from dptopk.core.numerals import compact, plural, rounded_up, stated


class NeighborRelation(enum.Enum):
    """Neighboring relation: how two neighboring data sets differ."""

    ADD_REMOVE = "add-remove"
    """One user joins (all changes in {0, +1}) or leaves (all in {0, -1})."""

    SWAP = "swap"
    """One user is replaced by another: changes in {-1, 0, +1}."""

    @property
    def gap_sensitivity(self) -> int:
        """Sensitivity of the difference of two counts, in users: 1, or 2 under SWAP.

        When a user joins or leaves, all counts move the same way, so that their differences
        change by at most one; when one is replaced, one count may rise while another falls.  So
        SWAP doubles the noise of every mechanism.
        """
        return 1 if self is NeighborRelation.ADD_REMOVE else 2


@dataclass(frozen=True)
class Guarantee:
    """Differential privacy guarantee of a release.

    Parameters
    ----------
    epsilon : float
        Bound on the privacy loss, in natural-log units.
    delta : float
        Extra probability of any set of outputs beyond e^epsilon times; 0 for pure privacy.
    neighbors : NeighborRelation
        The change of the data that the guarantee speaks about.
    fixed_items : bool
        Whether it holds only if the list of items is chosen independently of the data: a user
        who brings a new item would change what can come out at all.
    max_items : int or None
        How many items a user counts for at most, where it holds for such users only.
    """

    epsilon: float
    delta: float
    neighbors: NeighborRelation
    fixed_items: bool = True
    max_items: int | None = None

    @property
    def statement(self) -> str:
        """The guarantee in plain words: a sentence, and the condition it holds on."""
        return self.statement_on("")

    def statement_on(self, one: str) -> str:
        """Return the guarantee in words for data that may protect a smaller unit than a user.

        ``one`` is what it then protects, a single one of what is counted, such as "order";
        empty where that is a user.
        """
        change = self._change_by(one) if one else self._change_by_user
        epsilon = stated(self.epsilon)
        sentence = (
            f"{change} changes the probability of any set of outputs "
            f"by a factor of at most e^{epsilon} = {_power_of_e(self.epsilon)}"
        )
        if self.delta:
            sentence += f", up to an extra {stated(self.delta)} of probability"
        condition = f" {FIXED_ITEMS}" if self.fixed_items else ""
        condition += " It does not hold for a whole user, who may count for more." if one else ""
        return f"{sentence}.{condition}"

    @property
    def _change_by_user(self) -> str:
        """Words for the difference between neighbors where a user counts once for an item."""
        once = "at most once for each item"
        if self.max_items is not None:
            once += f" and for at most {plural(self.max_items, 'item')}"
        if self.neighbors is NeighborRelation.ADD_REMOVE:
            return f"Adding or removing one user, who counts {once},"
        return f"Replacing one user by another, each counting {once},"

    def _change_by(self, one: str) -> str:
        """Return words for the difference between neighbors, in units of the counts."""
        each = "each item" if self.max_items is None else f"each of at most {self.max_items:,}"
        each += "" if self.max_items is None else f" item{'s'[: self.max_items != 1]}"
        if self.neighbors is NeighborRelation.ADD_REMOVE:
            return f"Adding at most one {one} to {each}, or taking at most one from {each},"
        return f"Taking at most one {one} from {each} and adding at most one to {each}"


def log_belief(loss: float) -> float:
    """Return the log posterior probability, from even odds, of an outcome with this privacy loss.

    By Bayes' rule it is e^l / (1 + e^l): whoever gave one half to either of two neighbouring data
    sets, and sees an outcome that is e^l times likelier on one of them, gives so much to that one.
    """
    if loss > 0:
        return -math.log1p(math.exp(-loss))
    return loss - math.log1p(math.exp(loss))


def belief(loss: float) -> float:
    """Return the posterior probability, from even odds, of an outcome with this privacy loss."""
    return math.exp(log_belief(loss))


def guess(epsilon: float, delta: float) -> float:
    """Bound the probability of guessing right between two neighbors, from even odds.

    Under (epsilon, delta)-DP no test does better than (e^epsilon + delta) / (1 + e^epsilon)
    (Kairouz, Oh, Viswanath 2015, arXiv 1311.0776, on differential privacy as hypothesis tests).
    """
    return min(1.0, belief(epsilon) + guess_by_delta(epsilon, delta))


def log_wrong_guess(epsilon: float, delta: float) -> float:
    """Return ln((1 - delta) / (1 + e^epsilon)), the log of the complement of `guess`."""
    return math.log1p(-delta) + log_belief(-epsilon)


def guess_by_delta(epsilon: float, delta: float) -> float:
    """Return delta / (1 + e^epsilon), delta's term in `guess`; 0.0 where it underflows.

    As a difference of two guesses it would lose its digits, and all of them where both are nearly
    certain.
    """
    return delta * belief(-epsilon)


FIXED_ITEMS = "The guarantee holds if the list of items was fixed independently of the data."
"""The condition on which every mechanism for known items keeps its promise."""


@dataclass(frozen=True)
class PureCost:
    """Cost of an epsilon-DP release: its privacy loss lies in [-epsilon, epsilon]."""

    epsilon: float
    why: str  # the reason, in a sentence

    @property
    def words(self) -> str:
        """Cost in a few words."""
        return f"pure ε = {stated(self.epsilon)}"


@dataclass(frozen=True)
class RangeCost:
    """Cost of adaptive rounds: each loss lies in an interval of length ``range``."""

    rounds: int
    range: float
    why: str  # the reason, in a sentence

    @property
    def words(self) -> str:
        """Cost in a few words."""
        return f"{plural(self.rounds, 'round')} of range {compact(rounded_up(self.range, 4))}"


@dataclass(frozen=True)
class ApproximateCost:
    """Cost of an (epsilon, delta)-DP release without a tighter characterization."""

    epsilon: float
    delta: float
    why: str  # the reason, in a sentence

    @property
    def words(self) -> str:
        """Cost in a few words."""
        return f"(ε, δ) = ({stated(self.epsilon)}, {stated(self.delta)})"


@dataclass(frozen=True)
class PerOutcomeCost(ApproximateCost):
    """Cost of an (epsilon, delta)-DP call that may also be charged by its number of outcomes."""

    range: float  # of the round that each outcome takes, ⊥ among them, in natural-log units
    call_delta: float  # probability with which one call names an item that one user brought in
    outcomes: int  # most outcomes of one call, ⊥ among them


Cost = PureCost | RangeCost | ApproximateCost
"""Privacy cost of a release as it is composed with others."""


def _power_of_e(epsilon: float) -> str:
    """Format e^epsilon rounded up to three digits (of e^epsilon - 1 where epsilon < 1)."""
    if epsilon > 700:  # a float would overflow
        return f"10^{math.ceil(epsilon / math.log(10)):,}"
    if epsilon >= 1:
        return f"{rounded_up(math.exp(epsilon)):,.6g}".replace("e+", "e")
    more = rounded_up(math.expm1(epsilon))
    if more < 1e-6:
        return f"1 + {compact(more)}"
    return f"{1 + more:.{2 - math.floor(math.log10(more))}f}".rstrip("0")
