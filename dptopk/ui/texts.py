"""Words used on more than one page."""

from dptopk.privacy import Guarantee, NeighborRelation

NEIGHBORS = {
    NeighborRelation.ADD_REMOVE: "one user joins or leaves",
    NeighborRelation.SWAP: "one user is replaced",
}

CALIBRATIONS = {
    "paper": "as in the paper (Lemma 4.2)",
    "optimal": "tightest proven (less noise)",
}

MECHANISMS = {
    "Joint": (
        "Joint weighs every ordered sequence of k items by its worst place and draws one: "
        "a single choice for the whole budget."
    ),
    "PNFJoint": (
        "PNFJoint makes the same single choice by permute-and-flip: never worse than Joint in "
        "expected worst place, and nearly the same where no single sequence is likely."
    ),
    "PNF-Peel": (
        "PNF-Peel releases one item after another, each by permute-and-flip with a k-th of "
        "the budget."
    ),
    "CDP-Peel": (
        "CDP-Peel releases one item after another by the exponential mechanism; its rounds "
        "compose better than one by one because a small extra probability δ is allowed."
    ),
}

EXPLORATION = (
    "The samplers use ordinary floating-point random numbers: made to explore and teach, not "
    "hardened for publishing real releases."
)


def kind_of(guarantee: Guarantee) -> str:
    """Name the kind of guarantee, with its numbers."""
    if guarantee.delta:
        return f"({guarantee.epsilon:g}, {guarantee.delta:g})-differentially private"
    return f"{guarantee.epsilon:g}-differentially private"
