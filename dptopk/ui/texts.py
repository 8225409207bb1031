"""Words used on more than one page."""

from dptopk.errors import Metric
from dptopk.ingest import Contribution
from dptopk.privacy import Guarantee, NeighborRelation
from dptopk.ui import settings
from dptopk.ui.formats import compact, plural

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

FIT_WORDS = (
    "Pearson's χ² test of the draws against the exact probabilities; outputs expected fewer than "
    "five times are pooled. A sampler that is wrong gives a p-value near 0; one in a thousand "
    "right ones falls below 0.001 by chance."
)


_CAVEATS = {
    Contribution.COUNTED: "",
    Contribution.STATED: (
        "That one user counts at most once for each item is what you said of these data: see Data."
    ),
    Contribution.ASSUMED: (
        "That one user counts at most once for each item is an assumption on these data: see Data."
    ),
    Contribution.SEVERAL: (
        "On these data one user may change a count by more than 1: the promise holds for one "
        "event, and does not hold for one user."
    ),
}


def caveat(contribution: Contribution) -> str:
    """Say on what a promise rests for these data; nothing where distinct users were counted."""
    return _CAVEATS[contribution]


def change(neighbors: NeighborRelation) -> str:
    """Say how neighbouring data sets differ."""
    return settings.NEIGHBORS.options[neighbors.value]


def kind_of(guarantee: Guarantee) -> str:
    """Name the kind of guarantee, with its numbers."""
    if guarantee.delta:
        return f"({compact(guarantee.epsilon)}, {compact(guarantee.delta)})-differentially private"
    return f"{compact(guarantee.epsilon)}-differentially private"


def brackets(n: int) -> str:
    """Say what brackets beside a simulated number are."""
    return (
        f"Brackets are 95 % intervals of numbers simulated with {plural(n, 'run')}: where the true "
        "number lies, as far as so many runs can tell. Numbers called exact are computed, not "
        "simulated."
    )


def describe_metric(metric: Metric) -> str:
    """One sentence on what a metric measures."""
    return f"The {metric.title} is {metric.meaning}."
