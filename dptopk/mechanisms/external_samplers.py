"""Describe samplers of the same distributions in other libraries, for real releases."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class NoisyTopK:
    """OpenDP's ``make_noisy_top_k`` with the mechanism's own scale.

    It adds noise to every count and releases the positions of the k largest, in order; which
    noise follows from how privacy is measured.

    Parameters
    ----------
    measure : str
        OpenDP's name of the measure: "max_divergence" (exponential noise) or
        "zero_concentrated_divergence" (Gumbel noise).
    proof : str
        Who proves what, in a sentence.
    report : str
        Which of two ledgers to report, where they differ.
    """

    constructor: ClassVar[str] = "make_noisy_top_k"

    measure: str
    proof: str
    report: str = ""


@dataclass(frozen=True)
class VectorLaplace:
    """OpenDP's ``make_laplace`` on the vector of all counts, with the mechanism's own scale.

    The noisy counts are private together; the items of the k largest follow from them.

    Parameters
    ----------
    change : int
        The most that what is protected moves all counts by, together (their distance in L1).
    proof : str
        Who proves what, in a sentence.
    """

    constructor: ClassVar[str] = "make_laplace"
    measure: ClassVar[str] = "max_divergence"
    report: ClassVar[str] = ""

    change: int
    proof: str


@dataclass(frozen=True)
class ThresholdQuery:
    """SQL that counts users, adds Laplace noise, and keeps the largest above a threshold.

    Parameters
    ----------
    max_items : int
        Items of a user that are counted.
    scale, threshold : float
        Of the noise, and of noisy counts, in users.
    """

    max_items: int
    scale: float
    threshold: float
