"""What people ask of a release: a target on any counts, its words, and who can reach it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dptopk.counts import ItemCounts
from dptopk.errors import METRICS
from dptopk.events import Target
from dptopk.exact import NoClosedFormError
from dptopk.implied import LONG
from dptopk.mechanisms import Mechanism
from dptopk.numerals import compact, counted, plural
from dptopk.targets import checked_target

IN_COUNTS = tuple(key for key, metric in METRICS.items() if metric.in_counts)
"""Errors that a target can bound."""


@dataclass(frozen=True)
class Goal:
    """What must be right, for any counts and k.

    ``metric`` and ``amount`` are of what is asked: an error and its most, as counts are or, for
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

    def words(self, counts: ItemCounts, k: int, unit: str) -> str:
        """The target on these counts of a unit, in words: "the right 10 items in any order"."""
        items = plural(k, "item")
        if self.kind == "exact_set":
            return f"the right {items}{' in any order' * (k > 1)}"
        if self.kind == "exact_sequence":
            return f"the right {items} in order"
        target = self.target(counts, k)
        most = int(target[1])
        if self.kind == "items_right":
            return f"at least {most} of the right {items}"
        title = METRICS[self.metric].title
        error = f"{'an' if title.startswith('ℓ') else 'a'} {title} of at most"
        if self.kind == "error":
            return f"{error} {counted(most, unit)}"
        share = f"{compact(self.amount)}% of the count at place {k}"
        return f"{error} {share} ({counted(most, unit)})"


def able(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], goal: Goal
) -> tuple[list[Mechanism], list[str]]:
    """Mechanisms that can reach the target at all, and why others cannot."""
    fit, refused = [], []
    for mechanism in mechanisms:
        try:
            checked_target(goal.target(counts, mechanism.k), mechanism)
        except NoClosedFormError as error:
            refused.append(f"{mechanism.label} is left out: {error}.")
            continue
        in_order = goal.kind == "exact_sequence"  # by the pmf at many ε; all else is quick, or runs
        if in_order and mechanism.pmf_work(counts.sorted) > LONG:
            refused.append(
                f"{mechanism.label} is left out: to write out the probability of the right order "
                f"at k = {mechanism.k} would take minutes."
            )
        else:
            fit.append(mechanism)
    return fit, refused


def _last(counts: ItemCounts, k: int) -> int:
    return int(counts.counts[counts.order[k - 1]])
