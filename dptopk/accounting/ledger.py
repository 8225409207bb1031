"""Pay-what-you-get composition: charge a series of calls by the number of released items.

Durfee, Rogers (2019), arXiv 1905.04273, the composition that the title speaks of.  A call to a
mechanism of a limited domain runs one round of the exponential mechanism after another until ⊥
comes: as many rounds as items came out, and one more for ⊥.  So k* outcomes and l* calls are set
aside beforehand, a call that returns a items is charged a + 1 and one call, and none is answered
that might overrun either.  Each call may be chosen after seeing the answers before it.

Privacy, with eps_0 the range of a round and delta_0 the probability with which a call names an
item that only one of two neighbours reads (see `mechanisms.limited_domain`):

* As long as no such item comes, a history is no likelier on D than k* adaptive rounds among the
  items that both read make it, and these are (eps, delta')-DP (`local_epsilon` and its kin).
* That one does come has a probability of at most delta_0 a call.
* On the neighbour such items stand beside those that both read, and take at most a share of
  delta_0 of the weight of ⊥: each round is at least 1 / (1 + delta_0) of what it was.

Together P(D in A) <= e^eps (1 + delta_0)^k* P(D' in A) + l* delta_0 + delta'.  The total told here
has the larger delta of the paper's theorem, 2 l* delta_0 + delta', and the factor in epsilon.

The guarantee is that of the whole budget, set before the first call, however much of it is used:
what was spent up to some point is no guarantee of its own, since the answers decided on the point.
"""

import math
from dataclasses import dataclass, replace

from dptopk.accounting._curves import MAX_ROUNDS
from dptopk.accounting.calibration import spent_epsilon
from dptopk.core import validation
from dptopk.core.privacy import PerOutcomeCost

LEDGER_METHODS = ("basic", "durfee-rogers", "optimal")
"""Ways of adding up the rounds of a ledger, weakest first."""


class OverrunError(ValueError):
    """A call was refused because it might exceed the budget."""


@dataclass(frozen=True)
class OutcomeLedger:
    """Budget of outcomes and calls, with the charges so far."""

    cost: PerOutcomeCost  # of every outcome and every call
    outcomes: int  # k*, to start with, ⊥ among them; at least 1
    calls: int  # l*, to start with, at least 1
    charged: tuple[int, ...] = ()  # outcomes each call so far was charged

    def __post_init__(self) -> None:
        validation.instance("cost", self.cost, PerOutcomeCost)
        for name in ("outcomes", "calls"):
            checked = validation.integer(name, getattr(self, name), 1, MAX_ROUNDS)
            object.__setattr__(self, name, checked)

    @property
    def outcomes_left(self) -> int:
        """Number of outcomes left."""
        return self.outcomes - sum(self.charged)

    @property
    def calls_left(self) -> int:
        """Number of calls left."""
        return self.calls - len(self.charged)

    def refusal(self, k: int) -> str:
        """Return the reason to refuse a call for up to k items; empty if it is allowed."""
        k = validation.integer("k", k, low=1)
        if not self.calls_left:
            return f"all {self.calls:,} calls are spent"
        if k + 1 > self.outcomes_left:
            return (
                f"a call for {k:,} may cost {k + 1:,} outcomes, and {self.outcomes_left:,} of "
                f"{self.outcomes:,} are left"
            )
        return ""

    def after(self, k: int, returned: int) -> "OutcomeLedger":
        """Return the ledger after a call for up to k items that returned ``returned`` of them.

        A call that might overrun the budget, whatever it returned, is an `OverrunError`.
        """
        if refusal := self.refusal(k):
            raise OverrunError(f"the call is refused: {refusal}")
        returned = validation.integer("returned", returned, 0, k)
        return replace(self, charged=(*self.charged, returned + 1))

    def total_epsilon(self, delta: float, method: str) -> float:
        """Return the total epsilon of the series by a method, whatever is asked in it.

        ``delta``, in [0, 1), is delta', what composing the rounds may add to `total_delta`.  Two
        of `LEDGER_METHODS` are older: "basic" needs no delta'; "durfee-rogers" is that of the
        paper.  "optimal" is `spent_epsilon` of this package.
        """
        delta = validation.probability("delta", delta)
        method = validation.choice("method", method, LEDGER_METHODS)
        epsilon, k = self.cost.range, self.outcomes
        rounds = {
            "basic": lambda: k * epsilon,
            "durfee-rogers": lambda: _durfee_rogers(epsilon, k, delta),
            "optimal": lambda: spent_epsilon(epsilon, k, delta, "optimal"),
        }[method]()
        return rounds + k * math.log1p(self.cost.call_delta)

    def total_delta(self, delta: float) -> float:
        """Return the total delta of the series, 2 l* delta_0 + delta', at most 1."""
        delta = validation.probability("delta", delta)
        return min(1.0, 2 * self.calls * self.cost.call_delta + delta)


def _durfee_rogers(epsilon: float, k: int, delta: float) -> float:
    """Return the least of basic, pure-DP advanced and bounded-range composition."""
    if delta == 0:
        return k * epsilon
    log = math.log(1 / delta)
    pure = k * epsilon * math.tanh(epsilon / 2) + epsilon * math.sqrt(2 * k * log)
    ranged = k * epsilon * epsilon / 2 + epsilon * math.sqrt(k * log / 2)
    return min(k * epsilon, pure, ranged)
