"""Describe figures in sentences, for screen readers and slides, from the page's numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import Metric, is_exact_sequence, is_exact_set
from dptopk.core.estimate import Estimate
from dptopk.mechanisms import Mechanism
from dptopk.simulation.single_releases import NoisyRound, Outcomes
from dptopk.simulation.summaries import wilson_interval
from dptopk.tuning.repeated import NeededTogether
from dptopk.tuning.search import SmallestEpsilon
from dptopk.ui.formats import counted, frequency, joined, number, plural, share
from dptopk.ui.sentences import leaders
from dptopk.ui.show import Tile

_OTHERS = 4  # mechanisms behind the cheapest that are told


def numbers(tiles: Iterable[Tile]) -> str:
    """List the numbers of tiles in a sentence."""
    each = (f"{t.label}: {t.value}{f' ({t.kind})' if t.kind else ''}" for t in tiles)
    return f"{'; '.join(each)}."


def best_of(known: pd.DataFrame, metric: Metric) -> str:
    """Name the mechanism with the best median, if medians can be ranked and compared."""
    if metric.is_place or len(known) == 1:
        return ""
    return f"{leaders.best_median(known, metric)}."


def count_errors(releases: Mapping[str, np.ndarray], unit: str) -> str:
    """Name the place with the largest count error of each release."""
    parts = []
    for label, values in releases.items():
        worst = int(values.argmax())
        what = f"{values[worst]:,} at place {worst + 1}" if values[worst] > 0 else "none"
        parts.append(f"{label} {what}")
    return f"Largest count error at one place, in {unit}: {', '.join(parts)}."


def counts_off(frame: pd.DataFrame, unit: str) -> str:
    """Describe the errors of released counts, given a row per item released with a count."""
    if frame.empty:
        return ""
    errors = frame["error"].abs().groupby(frame["mechanism"], sort=False)
    each = [
        f"{label} {number(of.median())} (median absolute error of {plural(len(of), 'item')}; "
        f"largest {number(of.max())})"
        for label, of in errors
    ]
    return f"In {unit}. Errors of the released counts: {'; '.join(each)}."


def gaps_sure(frame: pd.DataFrame, unit: str) -> str:
    """Count the released gaps that are above 0 for certain, given a row per gap."""
    each = [
        f"{label} {(of > 0).sum()} of {len(of)}"
        for label, of in frame["at least"].groupby(frame["mechanism"], sort=False)
    ]
    return f"In {unit}. Gaps above 0, together with probability 95%: {'; '.join(each)}."


def drawn_right(
    counts: ItemCounts, mechanism: Mechanism, outcomes: Outcomes, known: Mapping[str, Estimate]
) -> str:
    """Count the right releases among those drawn, each with its probability where it is known."""
    n, kind = len(outcomes.seeds), mechanism.outputs
    as_set = int(is_exact_set(counts, outcomes.positions, kind).sum())
    tended = _tends_to(known.get("exact_set"), as_set, n)
    if not kind.ordered:
        return f"Of {n} drawn sets {as_set} are right ({tended})."
    in_order = int(is_exact_sequence(counts, outcomes.positions, kind).sum())
    return (
        f"Of {n} drawn releases {as_set} have the right items ({tended}), {in_order} of these in "
        f"order ({_tends_to(known.get('exact_sequence'), in_order, n)})."
    )


def _tends_to(known: Estimate | None, times: int, n: int) -> str:
    """Write the probability of what came out so many times of n, or the interval they give."""
    if known is None:
        low, high = map(float, wilson_interval(times, n))
        return f"95%: {share(low)} to {share(high)}"
    has_log = not math.isnan(known.log)
    return f"exact: {frequency(known.log, known.log_complement) if has_log else known.brief}"


def noise(names: Sequence[str], round: NoisyRound, k: int, unit: str) -> str:
    """Name the shown items that noise moved into or out of the top k, or below a threshold."""
    belongs = np.arange(len(names)) == 0 if round.round else round.true_places <= k
    released = round.places > 0
    if round.threshold is not None and (kept := belongs & (round.noisy <= round.threshold)).any():
        n, suffix = int(kept.sum()), " shown" * (len(names) < round.n_candidates)
        which = joined([names[int(place)] for place in np.flatnonzero(kept)])
        return (
            f"Below the threshold ⊥, at {counted(round.threshold, unit)}, "
            f"{'is' if n == 1 else 'are'} {n} of the true top {k}{suffix}"
            f"{f': {which}' * (n <= _OTHERS)}."
        )
    into, out = (
        [names[int(place)] for place in np.flatnonzero(chosen)]
        for chosen in (released & ~belongs, belongs & ~released)
    )
    if not into:
        moved = int((released & (round.places != round.true_places)).sum())
        if moved and not round.round:
            return f"The noise changes the order: {plural(moved, 'item')} of those shown moved."
        return "The noise does not change which of these items are released."
    return f"The noise moves {joined(into)} into the release, and {joined(out)} out of it."


def spread(levels: SortedCounts, k: int, unit: str) -> str:
    """Name the largest count, the count at place k, and the middle one."""
    largest, middle = levels.values[0], levels.counts_at_ranks(np.array([levels.d // 2]))[0]
    return (
        f"Of {plural(levels.d, 'item')} the largest has {largest:,} {unit}, the one at place {k} "
        f"has {levels.top(k)[-1]:,}, and the middle one {middle:,}."
    )


def cheapest(
    solved: Mapping[str, SmallestEpsilon],
    together: Mapping[str, NeededTogether] | None = None,
    releases: int = 1,
) -> str:
    """Name the mechanisms that need least, as far as intervals tell, and the next ones.

    Of several ``releases`` it is what all ``together`` cost; else the smallest ε.
    """
    costs: Mapping[str, Estimate] = together or solved
    least = min(one.high if one.high < math.inf else one.value for one in costs.values())
    if least == math.inf:
        return "No ε is certain to reach the target."
    needs = {label: f"{label} {one.brief}" for label, one in costs.items()}
    if together:
        needs |= {
            label: f"{label} ε = {one.brief} for all {releases:,}, {solved[label].brief} each"
            for label, one in together.items()
            if solved[label].value
        }
    best = [label for label, one in costs.items() if one.low <= least]
    end = "" if len(best) == 1 else " (not distinguishable)"
    what = "Cheapest together" if together else "The smallest ε"
    among = " of those chosen" if len(costs) > 1 else ""
    others = [f"{label} {one.brief}" for label, one in costs.items() if label not in best]
    first = ("; " if together else ", ").join(needs[label] for label in best)
    more = f", and {len(others) - _OTHERS} more" if len(others) > _OTHERS else ""
    rest = f" Others: {', '.join(others[:_OTHERS])}{more}." if others else ""
    return f"{what}{among}: {first}{end}.{rest}"
