"""Privacy filter: admit adaptively chosen releases as long as they fit a total (ε, δ).

What is asked next may depend on everything that came out before, so only theorems for costs that
are themselves chosen on the way hold.  A release of price (ε_i, δ_i, ρ_i) is admitted while

    Σ δ_i ≤ δ − δ_s   and   ( Σ ε_i ≤ ε   or   Σ ρ_i ≤ ρ ),

with δ_s set aside and ρ the largest zCDP that is (ε, δ_s)-DP, both fixed before the first release.
Whatever the rule admits is (ε, δ)-DP together:

* An (ε_i, δ_i)-DP release is an ε_i-DP one, unless a coin of probability δ_i, the same on both
  neighbors, tells everything (Kairouz, Oh, Viswanath 2015, arXiv 1311.0776: in the proof of
  Theorem 3.3 such a mechanism dominates every (ε_i, δ_i)-DP one).  Some coin of the series falls
  so with probability at most Σ δ_i ≤ δ − δ_s.
* Stop at the first such coin.  Histories that end with Σ ε_i ≤ ε are no more than e^ε times
  likelier on either neighbor, one by one (the filter of basic composition of Rogers, Roth,
  Ullman, Vadhan 2016, arXiv 1605.08294).
* The other histories end with Σ ρ_i ≤ ρ.  The same series, stopped before its sum would exceed ρ,
  is ρ-zCDP (Whitehouse, Ramdas, Rogers, Wu 2023, arXiv 2203.05481, Theorem 1), and they are an
  event of it: at most e^ε times likelier, and δ_s.

The three add up to δ.  An ε_i-DP release is ε_i²/2-zCDP (Bun, Steinke 2016, arXiv 1605.02065,
Proposition 1.4), a round of range η is η²/8-zCDP (Dong, Durfee, Rogers 2020, arXiv 1909.13830, as
its logarithms span η; Cesar, Rogers 2021, arXiv 2004.07223).

A release that has several prices is entered for one of them.  Which one may depend on all that came
out before, as the release itself may: it is fixed before the draw, each is proven of the release,
and what is admitted keeps within the rule, so that the proof holds whichever it is.
`Filter.admitted` takes the one after which most releases like it still fit.

A price is a whole multiple of `UNIT`, rounded up, and a total is rounded down, so that sums are
exact and no longer than what they are of.  A float stands for the shortest decimal that is read as
it: 0.1 is 1/10, so that twenty of them make 2.
"""

import decimal
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from operator import attrgetter

import numpy as np

from dptopk.core.array_types import FloatArray
from dptopk.core.numerals import as_typed, decimal_at_least
from dptopk.core.privacy import ApproximateCost, Cost, Guarantee, RangeCost

UNIT = Fraction(1, 10**60)
"""Of prices and totals: each epsilon from 1e-9 on is a multiple, of 17 digits, and so is its ρ."""

_DIGITS = 20  # of what is rounded
_MOST = 10**9  # releases that are counted
_ROUNDING = Fraction(1, 10**12)  # relative, of what was computed in floats
_GUARD = Decimal("1e-30")  # relative; logarithms of 50 digits are rounded correctly


@dataclass(frozen=True)
class Price:
    """Cost of a release in a filter, or a sum of costs, as multiples of `UNIT`.

    It is (epsilon, delta)-DP and, but for a probability of delta, rho-zCDP.
    """

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __add__(self, other: "Price") -> "Price":
        return Price(self.epsilon + other.epsilon, self.delta + other.delta, self.rho + other.rho)

    def times(self, n: int) -> "Price":
        """Return the price of ``n`` releases of this price, composed."""
        return Price(n * self.epsilon, n * self.delta, n * self.rho)


@dataclass(frozen=True)
class Filter:
    """Total privacy loss that a series of releases may have, fixed before the first."""

    epsilon: Fraction
    delta: Fraction
    series_delta: Fraction  # δ_s: the part of delta that pays for adding up zCDP
    rho: Fraction  # bound on the sum of zCDP

    @classmethod
    def of(cls, epsilon: Fraction, delta: Fraction, series_delta: Fraction) -> "Filter":
        """Return the filter of a total, rounded down, with the largest ρ that it allows."""
        epsilon, delta, series = (in_units(n, math.floor) for n in (epsilon, delta, series_delta))
        return cls(epsilon, delta, series, in_units(largest_rho(epsilon, series), math.floor))

    @property
    def own_delta(self) -> Fraction:
        """Part of δ for releases that have a δ of their own."""
        return self.delta - self.series_delta

    def holds(self, spent: Price) -> bool:
        """Return whether releases of these prices together stay within the total."""
        if spent.delta > self.own_delta:
            return False
        return spent.epsilon <= self.epsilon or spent.rho <= self.rho

    def left(self, spent: Price) -> Price:
        """Return the remainder of each of the three sums; 0 where it is used up."""
        return Price(
            max(self.epsilon - spent.epsilon, Fraction(0)),
            max(self.own_delta - spent.delta, Fraction(0)),
            max(self.rho - spent.rho, Fraction(0)),
        )

    def admitted(self, spent: Price, offered: Iterable[Price]) -> Price | None:
        """Return the price, of those of one release, that it is entered for; None if none fits.

        After it `how_many` is smaller by one, so that as many are admitted, one after another.
        """
        fitting = [price for price in offered if self.holds(spent + price)]
        if len(fitting) > 1:
            fitting = [price for price, times in self._longest(spent, fitting) if times]
        return fitting[0] if fitting else None

    def how_many(self, spent: Price, offered: Iterable[Price]) -> int:
        """Return how many releases that have these prices still fit, at most a billion.

        No choice among the prices, of which at most one may have a δ, admits more: together they
        end within one of the two sums, and with all but the cheapest in it, as far as δ allows,
        fewer end there.
        """
        return sum(times for _, times in self._longest(spent, offered))

    def _longest(self, spent: Price, offered: Iterable[Price]) -> list[tuple[Price, int]]:
        """Return a longest series of releases that fits: each price, and how often it is taken.

        By the sum that holds more of them, by ρ if both hold as many, the cheapest in it first.
        """
        offered, ways = tuple(offered), []
        for summed in map(attrgetter, ("rho", "epsilon")):
            left, delta = summed(self) - summed(spent), self.own_delta - spent.delta
            series = []
            for price in sorted(offered, key=summed):
                times = min(_times(left, summed(price)), _times(delta, price.delta))
                left, delta = left - times * summed(price), delta - times * price.delta
                series.append((price, times))
            ways.append(series)
        return max(ways, key=lambda series: sum(times for _, times in series))


def _times(left: Fraction, each: Fraction) -> int:
    """Return how often an amount goes into what is left, at most `_MOST` times."""
    if left < 0:
        return 0
    return min(left // each, _MOST) if each else _MOST


def in_units(value: Fraction, rounding: Callable[[Fraction], int] = math.ceil) -> Fraction:
    """Return the multiple of `UNIT` next to a fraction, above it unless told otherwise."""
    if UNIT.denominator % value.denominator == 0:  # a decimal, as nearly all are
        return value
    return rounding(value / UNIT) * UNIT


def prices(cost: Cost, guarantee: Guarantee) -> tuple[Price, ...]:
    """Return the prices that a release may be entered for, any one of them.

    Rounds of bounded range have no δ of their own in a series; where they promise less ε with a δ,
    that promise is another price.
    """
    promised = as_typed(guarantee.epsilon)
    whole = _price(promised, as_typed(guarantee.delta), promised**2 / 2)
    if not isinstance(cost, RangeCost):
        epsilon = as_typed(cost.epsilon)
        delta = as_typed(cost.delta) if isinstance(cost, ApproximateCost) else Fraction(0)
        return (_price(epsilon, delta, epsilon**2 / 2),)
    span = promised / cost.rounds
    if cost.range != guarantee.epsilon / cost.rounds:  # it was computed, in floats
        span = as_typed(cost.range) * (1 + _ROUNDING)
    rounds = _price(cost.rounds * span, Fraction(0), cost.rounds * span**2 / 8)
    if guarantee.delta == 0:
        return (Price(min(rounds.epsilon, promised), rho=min(rounds.rho, whole.rho)),)
    return (rounds, whole) if promised < rounds.epsilon else (rounds,)


def _price(*parts: Fraction) -> Price:
    return Price(*map(in_units, parts))


def smallest_total(offered: Iterable[Price], releases: int, delta: float) -> tuple[float, float]:
    """Return the least ε, in four digits, of a total that holds so many releases, and its δ.

    ``delta`` is what the total may have for adding up zCDP, half of it as `Filter.of` is then
    asked; more where the releases' own need it.  Raises a ValueError where that is 1 or more.
    """
    pairs = []
    for need in (price.times(releases) for price in offered):
        needed = decimal_at_least(2 * need.delta, 15)
        totals = [(needed, need.epsilon)]
        shared = max(delta, needed)
        if shared:
            half = as_typed(shared) / 2
            least = _least_epsilon(need.rho, half, 2.0 * float(need.epsilon))
            totals.append((shared, as_typed(least)))
        pairs += [(decimal_at_least(epsilon, 4), total) for total, epsilon in totals if total < 1]
    if not pairs:
        raise ValueError(
            "δ is too large: no ledger holds it, as half of the δ of a ledger, which is below 1, "
            "is set aside for adding up zCDP"
        )
    return min(pairs)


@lru_cache(maxsize=1024)
def _least_epsilon(rho: Fraction, delta: Fraction, high: float) -> float:
    """Return the least ε below ``high`` at which rho-zCDP implies (ε, delta)-DP, from above."""
    low = 1e-9
    while high / low > 1 + 1e-6:
        middle = math.sqrt(low * high)
        enough = largest_rho(as_typed(middle), delta) >= rho
        low, high = (low, middle) if enough else (middle, high)
    return high


@cache
def _orders() -> tuple[FloatArray, FloatArray]:
    """Return orders α − 1 to look among, and ln((α − 1) (1 − 1/α)^−α) / (α − 1) at each."""
    a = np.exp(np.linspace(math.log(1e-6), math.log(1e12), 40_001))
    return a, ((a + 1) * np.log1p(1 / a) + np.log(a)) / a


@lru_cache(maxsize=256)
def _log(delta: Fraction) -> tuple[float, Decimal]:
    """Return ln δ as a float, and in decimals of 50 digits."""
    near = float(Decimal(delta.numerator).ln() - Decimal(delta.denominator).ln())
    with decimal.localcontext(prec=50):
        return near, (Decimal(delta.numerator) / Decimal(delta.denominator)).ln()


def largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a ρ, rounded down, such that ρ-zCDP implies (epsilon, delta)-DP.

    Of Canonne, Kamath, Steinke (2020), arXiv 2004.00010, Corollary 13: with any α > 1,

        δ = e^{(α − 1)(αρ − ε)} (1 − 1/α)^α / (α − 1)

    is solved for ρ in decimals of 50 digits; α, which may be any, is looked for in floats.
    """
    if delta <= 0 or epsilon <= 0:
        return Fraction(0)
    a, without_delta = _orders()
    log_delta, exact_log_delta = _log(delta)
    rho = (float(epsilon) + log_delta / a + without_delta) / (a + 1)
    best = Decimal(repr(float(a[np.argmax(rho)])))
    with decimal.localcontext() as context:
        context.prec = 50
        terms = [
            Decimal(epsilon.numerator) / Decimal(epsilon.denominator),
            exact_log_delta / best,
            -(best + 1) * (best / (best + 1)).ln() / best,
            best.ln() / best,
        ]
        proven = (sum(terms, Decimal(0)) - _GUARD * sum(map(abs, terms))) / (best + 1)
        context.prec, context.rounding = _DIGITS, decimal.ROUND_FLOOR
        return max(Fraction(+(proven * (1 - _GUARD))), Fraction(0))
