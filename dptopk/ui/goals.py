"""What people ask of a release: the controls of a target, and its words."""

from dataclasses import dataclass
from typing import Any

from dptopk import settings
from dptopk.counts import ItemCounts
from dptopk.errors import METRICS
from dptopk.parameters import Choice, Ladder, Number
from dptopk.targets import Target
from dptopk.ui import controls
from dptopk.ui.formats import compact, plural

GOAL = Choice(
    "goal",
    "What must be right",
    {
        "exact_set": "the items",
        "exact_sequence": "the items and their order",
        "items_right": "at least so many items",
        "error": "the error: at most so many users",
        "error_share": "the error: at most a share of the last count",
    },
    "exact_set",
)
LEAST = Number("least", "At least", 1, settings.MAX_K, 9)
MOST = Number("most", "At most", 0, 10**9, 10)
MOST_SHARE = Number(
    "most_share",
    "At most, in % of the count at place k",
    0,
    100,
    5.0,
    integer=False,
    help="Of the smallest count that belongs to the true top k, rounded down to whole users.",
)
CHANCE = Ladder(
    "chance",
    "With probability",
    (0.5, 0.8, 0.9, 0.95, 0.99, 0.999),
    0.95,
    "probability",
    "How often one release must reach it.",
)
_IN_USERS = tuple(key for key, metric in METRICS.items() if metric.unit == "users")


@dataclass(frozen=True)
class Goal:
    """What must be right, for any counts and k.

    ``metric`` and ``amount`` are of what is asked: an error and its most, in users or, for
    "error_share", in percent of the count at place k; or how many items at least.
    """

    kind: str
    metric: str
    amount: float

    def target(self, counts: ItemCounts, k: int) -> Target:
        """The target on these counts."""
        if self.kind == "items_right":
            return self.kind, min(int(self.amount), k)
        if self.kind == "error":
            return self.metric, self.amount
        if self.kind == "error_share":
            return self.metric, float(int(self.amount * _last(counts, k) / 100))
        return self.kind

    def words(self, counts: ItemCounts, k: int) -> str:
        """The target on these counts, in words: "the right 10 items"."""
        items = plural(k, "item")
        if self.kind == "exact_set":
            return f"the right {items}"
        if self.kind == "exact_sequence":
            return f"the right {items} in order"
        target = self.target(counts, k)
        most = int(target[1])
        if self.kind == "items_right":
            return f"at least {most} of the right {items}"
        error = f"an {METRICS[self.metric].title} of at most"
        if self.kind == "error":
            return f"{error} {plural(most, 'user')}"
        share = f"{compact(self.amount)}% of the count at place {k}"
        return f"{error} {share} ({plural(most, 'user')})"


def goal(place: Any, k: int) -> Goal:
    """Controls of what must be right."""
    kind = controls.choice(place, GOAL, look="select")
    if kind == "items_right":
        return Goal(kind, "", controls.number(place, LEAST, high=k))
    if kind in ("error", "error_share"):
        metric = controls.choice(place, settings.METRIC, allowed=_IN_USERS, look="select")
        amount = controls.number(place, MOST if kind == "error" else MOST_SHARE)
        return Goal(kind, metric, amount)
    return Goal(kind, "", 0)


def chance(place: Any) -> float:
    """Control of how often it must be right."""
    return controls.ladder(place.container(width=260), CHANCE) or CHANCE.default


def _last(counts: ItemCounts, k: int) -> int:
    return int(counts.counts[counts.order[k - 1]])
