"""Describe samplers of the same distributions in other libraries, for real releases."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class NoisyTopK:
    """OpenDP's ``make_noisy_top_k`` with the mechanism's own scale.

    It adds noise to every count and releases the positions of the k largest, in order: exponential
    noise for the measure "max_divergence", Gumbel noise for "zero_concentrated_divergence".
    """

    constructor: ClassVar[str] = "make_noisy_top_k"

    measure: str
    proof: str  # who proves what, in a sentence
    report: str = ""  # which of two ledgers to report, where they differ


@dataclass(frozen=True)
class VectorLaplace:
    """OpenDP's ``make_laplace`` on the vector of all counts, with the mechanism's own scale.

    The noisy counts are private together; the items of the k largest follow from them.
    """

    constructor: ClassVar[str] = "make_laplace"
    measure: ClassVar[str] = "max_divergence"
    report: ClassVar[str] = ""

    change: int  # sensitivity of all counts together, in L1
    proof: str  # who proves what, in a sentence


@dataclass(frozen=True)
class ThresholdQuery:
    """SQL that counts at most ``max_items`` items a user and keeps the largest above a threshold.

    Scale of its Laplace noise and threshold are in users.
    """

    max_items: int
    scale: float
    threshold: float
