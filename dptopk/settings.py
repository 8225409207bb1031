"""Settings that more than one page reads: their keys, words and limits.

Those of one page are beside its presenter; those of a mechanism on its card.
"""

from dptopk.errors import METRICS
from dptopk.mechanisms import MECHANISMS
from dptopk.parameters import Choice, Flag, Number, Several
from dptopk.privacy import NeighborRelation

MAX_K = 200

K = Number("k", "k, items to release", 1, MAX_K, 10)

NEIGHBORS = Choice(
    "neighbors",
    "Neighbours: data sets in which",
    {
        NeighborRelation.ADD_REMOVE.value: "one user joins or leaves",
        NeighborRelation.SWAP.value: "one user is replaced",
    },
    NeighborRelation.ADD_REMOVE.value,
)

RUNS = Number("runs", "Runs of each mechanism", 1, 10_000, 250)
RUNS_OFFERED = (50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)

SEED = Number(
    "seed",
    "Seed",
    0,
    2**31 - 1,
    0,
    help="The same seed and settings give the same draws, here and in Python.",
)

USERS = Number(
    "users",
    "Number of users, if known",
    1,
    10**12,
    None,
    help="How many people the data are about: it tells how small δ must be. The data only say that "
    "there are at least as many as the largest count, if one user counts once for an item.",
)

PRESENT = Number("present", "Figure presented; 0 is the page", 0, 20, 0)

METRIC = Choice(
    "metric", "What is measured", {key: metric.title for key, metric in METRICS.items()}, "linf"
)

LOGARITHMIC = Flag("log", "Logarithmic axis", True)


def mechanism() -> Choice:
    """Which of all registered mechanisms is explained."""
    names = {mechanism.card.key: mechanism.card.name for mechanism in MECHANISMS.values()}
    return Choice("mechanism", "Mechanism", names, next(iter(names)))


def mechanisms() -> Several:
    """Which mechanisms run: all that are registered now, by the keys of their cards."""
    cards = [mechanism.card for mechanism in MECHANISMS.values()]
    return Several(
        "mechanisms",
        "Mechanisms",
        {card.key: card.name for card in cards},
        tuple(card.key for card in cards if card.featured),
        help="  \n".join(f"**{card.name}**: {card.summary}" for card in cards),
    )
