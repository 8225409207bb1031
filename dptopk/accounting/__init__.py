"""Composition and calibration of k adaptive rounds whose privacy losses have bounded range.

A mechanism is **η-range-bounded** if, on any two neighbours, the log-ratios of its outputs'
probabilities fit into an interval of length η.  The exponential mechanism with weights exp(ε0 c)
on counts c is, with η = ε0 under add/remove (Durfee, Rogers 2019, arXiv 1905.04273), and k rounds
of it peel off a top-k.  For k rounds of range η, each chosen freely after seeing the outputs
before it: what (ε, δ) do they spend, and which η does a budget allow?  Five proofs, weakest first:

``basic``
    ε = kη with δ = 0.  Below kη it promises nothing (δ = 1).
``paper``
    ρ = kη²/8 zero-concentrated DP, converted by ε = ρ + 2√(ρ ln(1/δ)) (Bun, Steinke 2016,
    arXiv 1605.02065, Prop. 1.3).  Lemma 4.2 of Gillenwater, Joseph, Muñoz Medina, Ribero 2022,
    arXiv 2201.12333.
``cks``
    ρ = k(y − 1 − ln y), y = η/(1 − e^{−η}), k times the largest KL divergence of a round (Dong,
    Durfee, Rogers 2020, arXiv 1909.13830; Cesar, Rogers 2021, arXiv 2004.07223), converted by
    δ = inf_{α>1} e^{a(αρ−ε)} a^a/α^α, a = α − 1 (Canonne, Kamath, Steinke 2020, arXiv 2004.00010).
``renyi``
    The same conversion of the largest moment of a round itself, M_a = sup E e^{aL} =
    (A/α)(aA/(αB))^a, A = (1 − e^{−αη})/(1 − e^{−η}), B = e^{−η}(1 − e^{−aη})/(1 − e^{−η}):
    δ = inf_a M_a^k e^{−aε} a^a/α^α.  Adaptive, since every conditional moment is at most M_a.
``optimal``
    The worst that an adaptive adversary can do, by a dynamic program rounded upwards, so again a
    proof (`_curves.adaptive_optimum`).  Above `OPTIMAL_MAX_ROUNDS` rounds it answers with
    ``renyi``, and above the range `OPTIMAL_MAX_RANGE`, where the two agree for all but large δ.

A later proof never gives a worse answer: each bound on δ is the least of those up to it, and each
search starts from the answer before it.

A series of calls that is charged by what comes out of it has an `OutcomeLedger`.

Limits: η is the range for the neighbours in question (2ε0 for the exponential mechanism under
swap).  The optimum is over all adaptive range-bounded rounds; peeling itself may spend less.
Extreme floats cost tightness, not validity: from kη = 1e15 on only ``basic`` is left.
"""

from dptopk.accounting._curves import (
    MAX_ROUNDS,
    METHODS,
    OPTIMAL_MAX_RANGE,
    OPTIMAL_MAX_ROUNDS,
)
from dptopk.accounting.calibration import local_epsilon, spent_delta, spent_epsilon
from dptopk.accounting.costs import Composition, composed_epsilon, composition
from dptopk.accounting.ledger import LEDGER_METHODS, OutcomeLedger, OverrunError

__all__ = [
    "LEDGER_METHODS",
    "MAX_ROUNDS",
    "METHODS",
    "OPTIMAL_MAX_RANGE",
    "OPTIMAL_MAX_ROUNDS",
    "Composition",
    "OutcomeLedger",
    "OverrunError",
    "composed_epsilon",
    "composition",
    "local_epsilon",
    "spent_delta",
    "spent_epsilon",
]
