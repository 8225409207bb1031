"""Find the best of the chosen mechanisms, where exact numbers or intervals distinguish them."""

import math
from dataclasses import dataclass

import pandas as pd

from dptopk.core.errors import ITEMS_RIGHT, Metric
from dptopk.questions.errors import Errors
from dptopk.simulation.summaries import is_settled, not_beaten
from dptopk.ui.formats import amount, joined, joined_of, measured, plural
from dptopk.ui.sentences.base import NO_RANKS

ONE, AMONG = "★", "☆"
"""Signs of the one best, and of each of several that nothing shows to be worse."""

SLACK = 1e-6
"""Differences that are no reason to praise anybody: of a probability, or of a mean."""

RIGHT = "exact_set"
"""Column of the probability that the true top k come out, in any order."""

IN_ORDER = "in order"
"""Kind of a mechanism whose output is a sequence."""

_KINDS = {True: IN_ORDER, False: "as a set"}
_MEDIAN = ("median", "median_low", "median_high")
HARDLY = 0.05  # below this nobody is praised for the exact set


@dataclass(frozen=True)
class Best:
    """Mechanisms best by the exact set, or by error where the exact set is improbable.

    ``error`` states their error, and is empty if the exact set is probable.
    """

    labels: tuple[str, ...]
    error: str = ""


def best_known(errors: Errors) -> pd.DataFrame:
    """Replace simulated by exact numbers in a summary, and sort sequences before sets.

    A median is ``settled`` if the law of the error is known, or if the summary marks it as exact.
    """
    ordered = {m.label: m.outputs.ordered for m in errors.mechanisms}
    rows = []
    for row in errors.implied.to_dict("records"):
        label = row["mechanism"]
        law, share = errors.laws.get(label), errors.chance(label, RIGHT)
        if law:
            row |= {key: law.quantile(q) for key, q in (("q25", 0.25), ("q75", 0.75))}
            row |= dict.fromkeys(_MEDIAN, law.quantile(0.5))
        row |= share.columns(RIGHT)
        facts = {"right_exact": share.exact, "said": share.text, "kind": _KINDS[ordered[label]]}
        facts["right_certain"] = share.log_complement == -math.inf  # NaN of the runs
        rows.append(row | facts | {"settled": bool(law) or is_settled(row)})
    rows.sort(key=lambda row: row["kind"] != _KINDS[True])
    return pd.DataFrame(rows)


def marks(known: pd.DataFrame, column: str, more: bool, by_kind: bool) -> dict[str, str]:
    """Return the sign of the best mechanisms of a column by label; none for a single mechanism."""
    marks_of: dict[str, str] = {}
    for _, rows in known.groupby("kind") if by_kind else [("", known)]:
        best = not_beaten(rows, column, more, SLACK)
        if len(rows) > 1:
            marks_of |= dict.fromkeys(best, ONE if len(best) == 1 else AMONG)
    return marks_of


def finding(known: pd.DataFrame, metric: Metric, k: int) -> str:
    """Name the mechanism most likely to release the true top k, and that with the best median."""
    if len(known) == 1:
        return f"Only {known['mechanism'].iloc[0]} is chosen: choose others to compare."
    if metric.is_place:
        return f"{_likeliest(known, k)}. Shown: the median {metric.title}. {NO_RANKS}"
    return f"{_likeliest(known, k)}. {best_median(known, metric)}."


def best_median(known: pd.DataFrame, metric: Metric) -> str:
    """Name the mechanism with the best median, without a full stop; sets apart if needed."""
    apart = metric.sees_order and known["kind"].nunique() > 1
    groups = list(known.groupby("kind", sort=False)) if apart else [("", known)]
    medians = []
    for kind, rows in groups:
        nothing = rows.get("nothing", [False] * len(rows))  # then the number is of an empty release
        says = [
            "nothing released" if empty else amount(median, metric) + (", exact" if exact else "")
            for median, exact, empty in zip(rows["median"], rows["settled"], nothing, strict=True)
        ]
        whole = rows.assign(says=says, sure=rows["settled"])
        words = _leaders(whole, "median", metric.more_is_better)
        medians.append(f"{kind!s} {'only ' * (len(rows) == 1)}{words}" if kind else words)
    return f"{metric.superlative} {metric.title}: {'; '.join(medians)}"


def best(known: pd.DataFrame, metric: Metric) -> Best:
    """Return the best mechanisms, ordered or not; exact numbers take precedence over runs."""
    if known[RIGHT].max() >= HARDLY:
        return Best(_first(known.assign(sure=known["right_exact"]), RIGHT, True))
    labels = _first(known.assign(sure=known["settled"]), "median", metric.more_is_better)
    of_best = known["mechanism"].isin(labels)
    kinds = known.loc[of_best, "kind"]
    medians = [measured(median, metric) for median in sorted(set(known.loc[of_best, "median"]))]
    words = " to ".join(dict.fromkeys([medians[0], medians[-1]]))
    words = f"median {metric.title}: {words}{'' if metric.is_score else f' {metric.unit}'}"
    if metric.sees_order and known["kind"].nunique() > 1 and _KINDS[False] in set(kinds):
        words += "; a set has no errors of order"
    return Best(labels, words)


def _first(rows: pd.DataFrame, column: str, more: bool) -> tuple[str, ...]:
    """Return those proven not worse by exact numbers, else those with the best number."""
    among = rows[rows["mechanism"].isin(not_beaten(rows, column, more, SLACK))]
    sure = among[among["sure"]]
    if sure.empty:
        values = among[column]
        sure = among[values == (values.max() if more else values.min())]
    return tuple(sure["mechanism"])


def certain(known: pd.DataFrame) -> int:
    """Count the mechanisms that release the true top k almost certainly, by exact numbers."""
    return int((known[RIGHT].where(known["right_exact"]) > 1 - SLACK).sum())


def _likeliest(known: pd.DataFrame, k: int) -> str:
    """Name the mechanism most likely to release the true top k, or the closest on average."""
    exact = known["right_exact"]
    if known[RIGHT].max() >= HARDLY:
        says = known["said"].where(~exact, known["said"] + ", exact")
        who = _leaders(known.assign(says=says, sure=exact), RIGHT, True)
        if certain(known):
            near = known[known["right_exact"] & (known[RIGHT] > 1 - SLACK)]
            sure = "Certain" if near["right_certain"].all() else "Practically certain"
            return f"{sure} to release exactly the true top {k}, in any order: {who}"
        return f"Most likely to release exactly the true top {k}, in any order: {who}"
    says = known[ITEMS_RIGHT.key].map(lambda mean: f"{mean:.3g} of {k} right")
    who = _leaders(known.assign(says=says, sure=False), ITEMS_RIGHT.key, True)
    return (
        f"No mechanism recovers the exact top {k} in {HARDLY:.0%} of releases or more. Closest on "
        f"average: {who}"
    )


def _leaders(rows: pd.DataFrame, column: str, more: bool) -> str:
    """List the best mechanisms of a column with their numbers, and those the runs cannot exclude.

    Exact numbers take precedence: all exact numbers among the best are equal.  Mechanisms are
    grouped by their formatted number.
    """
    best = rows[rows["mechanism"].isin(not_beaten(rows, column, more, SLACK))]
    first = best[best["sure"]]
    if first.empty:
        ahead = best[column].argmax() if more else best[column].argmin()
        first = best[best["says"] == best["says"].iloc[ahead]]
    everybody = list(rows["mechanism"])
    others = best.loc[~best["mechanism"].isin(first["mechanism"]), "mechanism"]
    runs, doubt = plural(int(best["n"].max()), "run"), ""
    if len(others):
        whom = "it" if len(first) == 1 else "them"
        doubt = f"; {runs} cannot distinguish {joined_of(list(others), everybody)} from {whom}"
    elif len(first) > 1 and not first["sure"].all():
        doubt = f"; {runs} cannot distinguish them"
    parts = [
        f"{joined_of(list(names), everybody)} ({says}"
        for says, names in first.groupby("says", sort=False)["mechanism"]
    ]
    return f"{joined([f'{part})' for part in parts[:-1]] + [parts[-1] + doubt])})"
