"""Convert results to sentences and tiles."""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import Metric
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import OutputKind
from dptopk.core.placements import Placement
from dptopk.laws.swap_chances import SELDOM, swaps
from dptopk.mechanisms import Mechanism
from dptopk.questions.errors import Errors
from dptopk.simulation.quantile_dots import Dots
from dptopk.simulation.summaries import is_settled, not_beaten
from dptopk.ui.formats import compact, counted, joined, plural, stated
from dptopk.ui.show import Tile

NO_RANKS = "It is a position, not an amount, so mechanisms are not ranked by it."
"""Sentence in place of a ranking by a measure that is a position."""

_MOST_CHANGES = 6  # of who leads


def scale_meaning(mechanism: Mechanism, unit: str, d: int, *, alone: bool = True) -> str:
    """Describe the effect of a difference of counts of d items on a mechanism.

    The sentence has no full stop.  It consists of a clause of the mechanism's card and, if
    ``alone`` (no other items near), of the gap from which on two items seldom swap.
    """
    doing = mechanism.card.scale_words(counted(mechanism.scale_on(d), unit))
    swaps_of = swaps(mechanism, d) if alone else None
    if swaps_of is None:
        return f"**{mechanism.label}** {doing}"
    return (
        f"**{mechanism.label}** {doing}; if no other count is close, two items swap in at most "
        f"{SELDOM:.0%} of releases once their counts differ by {counted(swaps_of.told_apart, unit)}"
    )


def delta_of(mechanism: Mechanism) -> str:
    """Return the δ that a mechanism spends beside ε, in words; empty if it has none."""
    delta = mechanism.guarantee.delta
    return f"δ = {stated(delta)}" if delta else ""


def with_delta(mechanism: Mechanism) -> str:
    """Return a mechanism's label, followed by its δ if it has one."""
    delta = delta_of(mechanism)
    return f"{mechanism.label} ({delta})" if delta else mechanism.label


def too_wrong(dots: Mapping[str, Dots], threshold: float, unit: str) -> str:
    """Count the dots of each mechanism whose error exceeds a threshold."""
    n = next(iter(dots.values())).values.size
    parts = [f"**{each.beyond(threshold)} of {n}** under {label}" for label, each in dots.items()]
    return f"Releases with an error above {counted(threshold, unit)}: {joined(parts)}."


def sweep_finding(
    summary: pd.DataFrame, over: str, metric: Metric, sets: Collection[str] = ()
) -> str:
    """Name the mechanism with the best median over each range of k or epsilon.

    Mechanisms whose 95% interval overlaps that of the best one may be as good; the sentence says
    so once.  Those whose labels are in ``sets`` are ranked apart where the measure sees the order.
    """
    symbol = {"k": "k", "epsilon": "ε"}[over]
    if metric.is_place:
        return f"Median {metric.title} at each {symbol}. {NO_RANKS}"
    if summary["mechanism"].nunique() == 1:
        return f"Only {summary['mechanism'].iloc[0]} is chosen: choose others to compare."
    best, is_set = metric.superlative, summary["mechanism"].isin(sets)
    begin = f"{best} {metric.title}{'' if 'median' in best else ' in the median'}"
    kinds = {"": summary}
    if metric.sees_order and is_set.nunique() > 1:
        kinds = {" among sequences": summary[~is_set], " Among sets": summary[is_set]}
    most = _MOST_CHANGES // len(kinds)
    words = ".".join(
        f"{kind}: {_leading(rows, over, symbol, metric, most) or 'too few runs so far'}"
        for kind, rows in kinds.items()
    )
    doubt = ""
    if any(word in words for word in (" or ", "any of", "one of")):
        doubt = f" {plural(int(summary['n'].max()), 'run')} cannot distinguish the alternatives."
    return f"{begin}{words}.{doubt}"


def _leading(rows: pd.DataFrame, over: str, symbol: str, metric: Metric, most: int) -> str:
    """List the leaders by the value from which they lead, at most so many; empty without any."""
    n_mechanisms = rows["mechanism"].nunique()
    if n_mechanisms == 1:
        return f"only {rows['mechanism'].iloc[0]}"
    leaders: list[tuple[float, tuple[tuple[str, ...], bool]]] = []
    for _, there in rows.groupby(over, sort=True):
        if len(there) < n_mechanisms:
            continue  # stopped on the way: nothing to compare with
        names = not_beaten(there, "median", metric.more_is_better)
        best = there[there["mechanism"].isin(names)]
        # with whether several are known to be equal
        alike = len(names) > 1 and best["median"].nunique() == 1
        led = names, alike and all(is_settled(row) for row in best.to_dict("records"))
        if not leaders or leaders[-1][1] != led:
            leaders.append((float(there[over].iloc[0]), led))
    parts: list[str] = []
    for value, (names, alike) in leaders[:most]:
        if alike:
            everybody, several = len(names) == n_mechanisms, len(names) > 3
            who = f"all {n_mechanisms}" if everybody else f"{len(names)} of {n_mechanisms}"
            who = "both" if everybody and n_mechanisms == 2 else who
            who = f"{who if everybody or several else joined(list(names))} equal"
        elif len(names) == n_mechanisms > 2:
            who = f"any of the {n_mechanisms}"
        elif len(names) > 3:
            who = f"one of {len(names)}"
        else:
            who = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        first = "" if parts else f"{symbol} = "
        parts.append(f"from {first}{compact(value)}: {who}")
    return "; ".join(parts + ["and so on"] * (len(leaders) > most))


def reading_finding(summary: pd.DataFrame, metric: Metric) -> str:
    """Name the numbers of items read at which each mechanism has its best median."""
    if metric.is_place:
        return f"Median {metric.title} at each number of items read. {NO_RANKS}"
    best = metric.superlative.lower()
    parts = []
    for name, rows in summary.groupby("mechanism", sort=False):
        named = rows.assign(mechanism=rows["k_bar"].map("{:,}".format))
        as_good = not_beaten(named, "median", metric.more_is_better)
        if len(as_good) == len(rows) > 1:
            parts.append(f"{name}: {plural(int(rows['n'].max()), 'run')} cannot distinguish them")
        else:
            adjoin = named["mechanism"].isin(as_good).to_numpy().nonzero()[0]
            whole = len(as_good) > 2 and np.ptp(adjoin) == len(as_good) - 1
            which = f"{as_good[0]} to {as_good[-1]}" if whole else joined(list(as_good))
            parts.append(f"{name}: {which}")
    return f"Number of items read with the {best} {metric.title}: {'; '.join(parts)}."


def right_places(placements: np.ndarray, outputs: OutputKind) -> str:
    """Count the right places of a release, and the empty ones."""
    right, empty = (int((placements == sort).sum()) for sort in (Placement.RIGHT, Placement.EMPTY))
    kind = "places right" if outputs.ordered else "items right, as a set"
    left_out = f" · {plural(empty, 'place')} empty (⊥)" if empty else ""
    return f"{right} of {placements.size} {kind}{left_out}"


def tie_at(levels: SortedCounts, k: int) -> str:
    """Name the places that share the count at place k with places beyond; empty if none do."""
    level = int(np.searchsorted(np.cumsum(levels.multiplicities), min(k, levels.d)))
    n = int(levels.multiplicities[level])
    above = int(levels.multiplicities[:level].sum())
    if above + n <= k:
        return ""
    right = f"any {k - above:,} of these items are" if k - above > 1 else "any of these items is"
    return f"Places {above + 1:,} to {above + n:,} have equal counts: {right} right."


def size(counts: ItemCounts, unit: str) -> str:
    """Describe a data set in its unit: its items, their different counts, and the sum."""
    levels, total = counts.sorted, sum(counts.counts.tolist())
    return (
        f"{plural(counts.d, 'item')} with {plural(levels.n_levels, 'distinct count')}, from "
        f"{levels.values[-1]:,} to {levels.values[0]:,} {unit}; {total:,} in all."
    )


def medians(errors: Errors) -> list[Tile]:
    """Return tiles with the median error of each mechanism, marked exact or simulated."""
    chosen, laws, metric = [], errors.laws, errors.metric
    for row in errors.summary.to_dict("records"):
        label = row["mechanism"]
        written_in, runs = metric.unit_of_estimates, 0 if is_settled(row) else row["n"]
        median = Estimate.of_row(row, "median", runs, written_in)
        if label in laws:
            median = Estimate.exactly(laws[label].quantile(0.5), written_in)
        unit = f": {metric.unit}" if metric.is_place or metric.is_score else f", in {metric.unit}"
        unit = "" if metric.unit in metric.title else unit
        chosen.append(Tile(label, median.brief, f"median, {median.how}", f"{metric.title}{unit}."))
    return chosen
