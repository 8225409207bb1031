"""Words used on more than one page."""

from dptopk.errors import Metric
from dptopk.privacy import Guarantee, NeighborRelation
from dptopk.ui import settings

EXPLORATION = (
    "The samplers use ordinary floating-point random numbers: made to explore and teach, not "
    "hardened for publishing real releases. A release under a known seed is a plain function of "
    "the data: who knows the seed can compute it back."
)

TRUE_COUNTS = "true counts, no noise"

ITEM_LIST = (
    "Item list: taken from the data themselves. A promise of privacy holds only for a list that "
    "was fixed independently of them, such as a public catalogue: a user who brings a new item "
    "changes what can come out at all."
)


def change(neighbors: NeighborRelation) -> str:
    """Say how neighbouring data sets differ."""
    return settings.NEIGHBORS.options[neighbors.value]


def kind_of(guarantee: Guarantee) -> str:
    """Name the kind of guarantee, with its numbers."""
    if guarantee.delta:
        return f"({guarantee.epsilon:g}, {guarantee.delta:g})-differentially private"
    return f"{guarantee.epsilon:g}-differentially private"


def describe_metric(metric: Metric) -> str:
    """One sentence on what a metric measures."""
    return f"The {metric.title} is {metric.meaning}."
