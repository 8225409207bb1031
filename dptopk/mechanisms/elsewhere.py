"""Where else a mechanism can be had: libraries made for real releases that draw the same law."""

from dataclasses import dataclass


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

    measure: str
    proof: str
    report: str = ""
