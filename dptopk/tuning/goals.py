"""Goals for a release, such as a largest error, which give a target on any data."""

from collections.abc import Sequence
from dataclasses import dataclass

from dptopk.core.counts import ItemCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS
from dptopk.core.numerals import compact, counted, plural, score
from dptopk.laws.exact import NoClosedFormError
from dptopk.mechanisms import Mechanism
from dptopk.tuning.implications import LONG, Target
from dptopk.tuning.targets import checked_target

IN_COUNTS = tuple(key for key, metric in METRICS.items() if metric.in_counts)
"""Errors that a target can bound by a share of a count."""

_ERRORS = tuple(
    key for key, m in METRICS.items() if not (m.is_place or m.more_is_better or m.in_counts)
)
MEASURED = {
    "error": (*IN_COUNTS, *_ERRORS),
    "error_share": IN_COUNTS,
    "score": tuple(key for key, metric in METRICS.items() if metric.is_scored),
}
"""The measures of goals that need one, by kind."""


def measure_of(kind: str, chosen: str) -> str:
    """Return the chosen measure, or the first one that the kind of goal allows."""
    allowed = MEASURED[kind]
    return chosen if chosen in allowed else allowed[0]


def check_measure(kind: str, chosen: str) -> None:
    """Raise a ValueError for a measure that a kind of goal does not allow."""
    if kind in MEASURED and chosen not in MEASURED[kind]:
        raise ValueError(
            f"metric must be one of {', '.join(MEASURED[kind])} for the goal {kind}, got {chosen}"
        )


@dataclass(frozen=True)
class Goal:
    """Requirement on a release, for any counts and k.

    ``metric`` and ``amount`` are of what is asked: an error and its most, as it is measured or, for
    "error_share", in percent of the count at place k; a "score" and its least; or how many items
    at least.
    """

    kind: str
    metric: str
    amount: float

    def target(self, counts: ItemCounts, k: int) -> Target:
        """Return the target on these counts."""
        if self.kind == ITEMS_RIGHT.key:
            return self.kind, min(int(self.amount), k)
        if self.kind in ("error", "score"):
            return self.metric, min(self.amount, METRICS[self.metric].allowed(k)[1])
        if self.kind == "error_share":
            return self.metric, float(int(self.amount * _last(counts, k) / 100))
        return self.kind

    def words(self, counts: ItemCounts, k: int, unit: str) -> str:
        """Return the target on these counts in words: "the right 10 items in any order"."""
        items = plural(k, "item")
        if self.kind == "exact_set":
            return f"the right {items}{' in any order' * (k > 1)}"
        if self.kind == "exact_sequence":
            return f"the right {items} in order"
        target = self.target(counts, k)
        metric = METRICS.get(self.metric, ITEMS_RIGHT)
        if self.kind == "score":
            return f"{metric.article} {metric.title} of at least {score(float(target[1]))}"
        most = int(target[1])
        if self.kind == ITEMS_RIGHT.key:
            return f"at least {most} of the right {items}"
        error = f"{metric.article} {metric.title} of at most"
        if self.kind == "error":
            return f"{error} {counted(most, metric.counted_in(unit).unit)}"
        share = f"{compact(self.amount)}% of the count at place {k}"
        return f"{error} {share} ({counted(most, unit)})"


def able(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], goal: Goal
) -> tuple[list[Mechanism], list[str]]:
    """Return the mechanisms that can reach the target, and why the others cannot."""
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
    return int(counts.sorted.padded_top(k)[-1])
