"""Write the titles of pages: what a page finds, in one sentence of at most two facts."""

import itertools
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts, SortedCounts
from dptopk.core.errors import ITEMS_RIGHT, Law, Metric
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import OutputKind
from dptopk.core.placements import Placement
from dptopk.mechanisms import Mechanism
from dptopk.questions.sweep import SIGNS
from dptopk.questions.winners import fewest_good
from dptopk.simulation.summaries import not_beaten
from dptopk.tuning.repeated import NeededTogether
from dptopk.tuning.search import SmallestEpsilon
from dptopk.ui.formats import (
    amount,
    compact,
    counted,
    joined,
    joined_of,
    measured,
    plural,
    rounded,
    stated,
)
from dptopk.ui.sentences import leaders

_POOR, _NOBODY = ("poor",), ()  # in place of who leads
_LARGE = 7  # a loss above which a factor is written as a power of e


def release(placements: Mapping[str, np.ndarray], kinds: Mapping[str, OutputKind]) -> str:
    """Say how many places the best of these releases has right, and how many the others."""
    right = {label: int((of == Placement.RIGHT).sum()) for label, of in placements.items()}
    k = next(iter(placements.values())).size
    where = "in the right place" if all(kind.ordered for kind in kinds.values()) else "right"
    most, fewest = max(right.values()), min(right.values())
    first = [label for label, n in right.items() if n == most]
    who, put = joined_of(first, list(right)), "puts" if len(first) == 1 else "put"
    claim = f"{who[:1].upper()}{who[1:]} {put} {most} of {plural(k, 'name')}"
    if most == fewest:
        return f"{claim}{' each' if len(right) > 1 else ''} {where}"
    others = {label: n for label, n in right.items() if n < most}
    if len(set(others.values())) == 1:
        rest = f"{joined_of(list(others), list(right))} {fewest}"
    else:
        rest = f"the others {fewest} to {max(others.values())}"
    return f"{claim} {where}, {rest}"


def right_on_average(label: str, right: Estimate, kind: OutputKind) -> str:
    """Say how many places a mechanism has right on average."""
    value, k = right.value, right.most
    mean = right.brief if right.exact or not 0.05 < value < k - 0.05 else f"about {value:.1f}"
    of = plural(k, "place" if kind.ordered else "item")
    return f"{label} gets {mean} of {of} right on average"


def most_accurate(known: pd.DataFrame, metric: Metric, k: int, counts: ItemCounts) -> str:
    """Name the mechanisms with the best median, that no other is shown to beat, and the others'.

    Where even these are poor, see `fewest_good`, that is said in place of the others.
    """
    rows, best, among = _best_median(known, metric)
    everybody, title = list(rows["mechanism"]), _in_words(metric)
    if metric.is_place or len(everybody) == 1:
        return f"Median {title}: {amount(rows['median'].iloc[0], metric)}, by {everybody[0]}"
    labels, values = list(best["mechanism"]), best["median"].unique()
    if len(labels) == len(everybody):
        return f"{metric.superlative} {title}{among}: none is shown to be ahead"
    who = joined_of(labels, everybody)
    others = rows[~rows["mechanism"].isin(labels)]
    ends = (measured(end, metric) for end in (others["median"].min(), others["median"].max()))
    rest = others["mechanism"].iloc[0] if len(others) == 1 else "the others"
    low = "" if len(values) == 1 else f"{measured(min(values), metric)} to "
    best_of_all = f"{metric.superlative} {title}{among}: {who} {low}{amount(max(values), metric)}"
    right = best[ITEMS_RIGHT.key].max()
    if right < fewest_good(counts, k) and metric.key != ITEMS_RIGHT.key:
        most = rows.sort_values(ITEMS_RIGHT.key, ascending=False, kind="stable").iloc[0]
        more = f"; {most['mechanism']} {rounded(most[ITEMS_RIGHT.key], 2)} of {k}"
        more = more if most[ITEMS_RIGHT.key] > right else ""
        return f"{best_of_all}, but only {rounded(right, 2)} of {plural(k, 'item')} right{more}"
    return f"{best_of_all}, {rest} {' to '.join(dict.fromkeys(ends))}"


def typical_error(known: pd.DataFrame, metric: Metric, k: int, counts: ItemCounts) -> str:
    """Say what half of the releases of the most accurate mechanisms keep to.

    An error at one place is compared with the true count at place k; a sum of errors is not.
    """
    count_at_k = int(counts.sorted.padded_top(k)[-1])
    _, best, _ = _best_median(known, metric)
    labels, values = list(best["mechanism"]), best["median"].unique()
    if metric.is_place or len(values) > 1:
        return most_accurate(known, metric, k, counts)
    value, words = float(values[0]), amount(values[0], metric)
    whose = f"{labels[0]}'s releases" if len(labels) == 1 else f"the releases of {joined(labels)}"
    if not metric.in_counts:
        bound = "at least" if metric.more_is_better else "at most"
        if metric.article:
            return f"Half of {whose} have {metric.article} {metric.title} of {bound} {words}"
        return f"Half of {whose} have {bound} {words}{metric.title.removeprefix(metric.unit)}"
    if not value:
        return f"At least half of {whose} have no error"
    err = f"Half of {whose} err by at most {words}"
    if metric.law is Law.LINF:
        err = f"Half of {whose} name only items within {words} of the true ones"
    if metric.law is Law.L1 or not count_at_k:
        return err
    return f"{err}, {rounded(100 * value / count_at_k, 2)}% of the count at place {k}"


def over_values(
    summary: pd.DataFrame,
    column: str,
    metric: Metric,
    sets: Collection[str],
    current: float,
    counts: ItemCounts,
    where: str,
) -> str:
    """Name the mechanisms that lead at the current k, ε or items read, and others elsewhere.

    Two ranges are named: that of the current value, else the longest, and the longest of others;
    of the rest, where even the best is near guessing (see `fewest_good`), else whether others lead.
    ``where`` gives what does not vary.
    """
    symbol = SIGNS[column]
    each = symbol if len(symbol) == 1 else f"number of {symbol}"
    rows, among = _sequences(summary, summary["mechanism"].isin(sets), metric)
    n_mechanisms = rows["mechanism"].nunique()
    if metric.is_place or n_mechanisms == 1:
        return f"Median {_in_words(metric)} at each {each}"
    led: list[tuple[tuple[str, ...], list[float]]] = []
    for _, there in rows.groupby(column, sort=True):
        names = not_beaten(there, "median", metric.more_is_better)
        right = there.loc[there["mechanism"].isin(names), ITEMS_RIGHT.key].max()
        if right < fewest_good(counts, int(there["k"].iloc[0])):
            names = _POOR
        elif len(names) >= min(3, n_mechanisms):
            names = _NOBODY
        if not led or led[-1][0] != names:
            led.append((names, []))
        led[-1][1].append(float(there[column].iloc[0]))
    clear = [one for one in led if one[0] not in (_POOR, _NOBODY)]
    poor = " and ".join(_range(values) for names, values in led if names == _POOR)
    if not clear:
        if not poor:
            return f"At {where}, no mechanism is shown to be best at any {each}"
        rest = ", unclear elsewhere" if len(led) > 1 else ""
        return f"At {where}, even the best is near guessing at {symbol} = {poor}{rest}"
    first = max(clear, key=lambda one: (one[1][0] <= current <= one[1][-1], len(one[1])))
    others = [one for one in clear if one is not first]
    named = [first, *sorted(others, key=lambda one: (one[0] == first[0], -len(one[1])))[:1]]
    ranges = [f"{' or '.join(one[0])} at {_range(one[1])}" for one in clear if one in named]
    words = ", ".join(ranges).replace(" at ", f" at {symbol} = ", 1)
    left = ["others"] * (len(clear) > len(named))
    left += ["unclear"] * any(names == _NOBODY for names, _ in led)
    if poor:  # what else is left out is the smaller part of it
        words += f"; even the best is near guessing at {poor}"
    elif left:
        words += f", {' or '.join(left)} elsewhere"
    return f"{metric.superlative} {_in_words(metric)}{among} at {where}: {words}"


def _range(values: Sequence[float]) -> str:
    return " to ".join(dict.fromkeys((compact(values[0]), compact(values[-1]))))


def gaps(levels: SortedCounts, k: int, unit: str) -> str:
    """Say how far apart the items at the end of the top k are, and the smallest gap in it."""
    top = levels.top(min(k + 1, levels.d)).tolist()
    between = [int(a - b) for a, b in itertools.pairwise(top)]
    if not between:
        return "There is one item, so there are no gaps"
    if len(top) <= k:
        least = counted(min(between), unit)
        return f"All {len(top)} items are released; the smallest gap is {least}"
    *above, last = between
    apart = "tie" if last == 0 else f"are {counted(last, unit)} apart"
    if k == 1:
        return f"The first two items {apart}"
    smallest = min(above)
    least = f"the smallest gap in the top {k} is {smallest:,}, after place "
    least += f"{above.index(smallest) + 1}"
    if not smallest:
        tied = [n for n in np.unique(top[:k], return_counts=True)[1].tolist() if n > 1]
        least = f"{sum(tied)} of the top {k} tie{' with another' * (len(tied) > 1)}"
    return f"Places {k} and {k + 1} {apart}; {least}"


def size(counts: ItemCounts, k: int, unit: str) -> str:
    """Compare the largest count with the one at place k."""
    top = counts.sorted.top(min(k, counts.d)).tolist()
    first = f"The largest of {plural(counts.d, 'item')} has {counted(top[0], unit)}"
    return first if len(top) == 1 else f"{first}, the one at place {len(top)} has {top[-1]:,}"


def apart(numbers: Mapping[str, tuple[float, str]]) -> str:
    """Name the smallest and the largest number, each with its mechanism, where they differ.

    ``numbers`` holds, by the mechanism's label, each number and how it is written.
    """
    ordered = sorted(numbers, key=lambda label: numbers[label][0])
    least, most = (numbers[label][1] for label in (ordered[0], ordered[-1]))
    if least == most:
        return least
    return f"from {least} ({ordered[0]}) to {most} ({ordered[-1]})"


def one_user(mechanism: Mechanism, loss: float, *, named: bool) -> str:
    """Say how much one user changes the probability of an output, at most, and the promise.

    >>> from dptopk import Joint
    >>> one_user(Joint(1, 1.0), 0.5, named=True)
    'Under Joint, one user changes probabilities by a factor up to 1.65; promised: 2.72'
    """
    promised = mechanism.guarantee
    outside = f" and δ = {stated(promised.delta)}" if promised.delta else ""
    whose = f"Under {mechanism.label}, one" if named else "One"
    most = "makes an output possible that was impossible"
    if math.isfinite(loss):
        most = f"changes probabilities by a factor up to {_factor(loss)}"
    return f"{whose} user {most}; promised: {_factor(promised.epsilon)}{outside}"


def _factor(loss: float) -> str:
    return f"{float(f'{math.exp(loss):.3g}'):,g}" if loss < _LARGE else f"e^{compact(loss)}"


def enough(
    solved: Mapping[str, SmallestEpsilon],
    together: Mapping[str, NeededTogether],
    releases: int,
    on: str = "",
) -> str:
    """Name the smallest ε and the mechanism that needs it; ``solved`` has the cheapest first.

    Of several releases it is the ε of all ``together``; ``on`` names data that stand in.
    """
    best, each = next(iter(solved.items()))
    where = f" on {on}" if on else ""
    if math.isinf(together.get(best, each).value):
        return f"No ε is certain to reach this target{where}"
    if best in together and each.value:
        cost = f"{releases:,} releases cost ε = {together[best].brief} with {best}{where}"
        return f"{cost}, {each.brief} each"
    setting = f"ε = {each.brief}" if each.value else "Any ε"
    return f"{setting} is enough with {best}{where}"


def _sequences(rows: pd.DataFrame, is_set: pd.Series, metric: Metric) -> tuple[pd.DataFrame, str]:
    """Return sequences alone, and words that say so, where a measure sees the order."""
    if metric.sees_order and is_set.nunique() > 1:
        return rows[~is_set], " among sequences"
    return rows, ""


def _best_median(known: pd.DataFrame, metric: Metric) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return the rows that can be ranked, those that no other beats, and words on the choice."""
    rows, among = _sequences(known, known["kind"] != leaders.IN_ORDER, metric)
    best = not_beaten(rows, "median", metric.more_is_better)
    return rows, rows[rows["mechanism"].isin(best)], among


def _in_words(metric: Metric) -> str:
    return metric.title.partition(" (")[0]
