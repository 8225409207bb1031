"""Who is best among the chosen mechanisms, as far as exact numbers and intervals tell."""

from collections.abc import Mapping

import pandas as pd

from dptopk.errors import PLACE_UNIT, Metric
from dptopk.exact import Chance, ErrorLaw
from dptopk.mechanisms import Mechanism
from dptopk.summaries import not_beaten
from dptopk.ui.formats import chance, joined, number, one, share

ONE, AMONG = "★", "☆"
"""Signs of the one best, and of each of several that nothing shows to be worse."""

RIGHT = "exact_set"
"""Column of the probability that the true top k come out, in any order."""

_KINDS = {True: "in order", False: "as a set"}
_MOST_NAMED = 3
_HARDLY = 0.05  # below this nobody is praised for the exact set


def best_known(
    summary: pd.DataFrame,
    mechanisms: tuple[Mechanism, ...],
    laws: Mapping[str, ErrorLaw],
    shares: Mapping[str, Mapping[str, Chance]],
) -> pd.DataFrame:
    """The summary with exact numbers in place of simulated ones, sequences before sets."""
    kinds = {m.label: m.outputs.ordered for m in mechanisms}
    rows = []
    for row in summary.to_dict("records"):
        label = row["mechanism"]
        law, right = laws.get(label), shares.get(label, {}).get(RIGHT)
        if law:
            row |= {key: law.quantile(q) for key, q in (("q25", 0.25), ("q75", 0.75))}
            row |= dict.fromkeys(("median", "median_low", "median_high"), law.quantile(0.5))
        if right:
            columns = (RIGHT, f"{RIGHT}_low", f"{RIGHT}_high")
            row |= dict.fromkeys(columns, right.probability)
        said = f"{chance(right)}, exact" if right else share(row[RIGHT])
        facts = {"exact": law is not None, "kind": _KINDS[kinds[label]], "said": said}
        rows.append(row | facts)
    ordered = sorted(rows, key=lambda row: row["kind"] != _KINDS[True])
    return pd.DataFrame(ordered)


def marks(known: pd.DataFrame, column: str, more: bool, by_kind: bool) -> dict[str, str]:
    """Sign of whoever is best in a column; nobody's where all may be."""
    found: dict[str, str] = {}
    for _, rows in known.groupby("kind") if by_kind else [("", known)]:
        best = not_beaten(rows, column, more)
        if len(best) < len(rows):
            found |= dict.fromkeys(best, ONE if len(best) == 1 else AMONG)
    return found


def finding(known: pd.DataFrame, metric: Metric, k: int) -> str:
    """Who is likeliest to release the true top k, and whose median is best."""
    if len(known) == 1:
        return f"Only {known['mechanism'].iloc[0]} is chosen: choose others to compare."
    parts = [_likeliest(known, k)]
    if metric.unit != PLACE_UNIT:
        parts.append(best_median(known, metric))
    return ". ".join(parts) + "."


def best_median(known: pd.DataFrame, metric: Metric) -> str:
    """Whose median is best, without a full stop; sequences and sets apart where it matters."""
    apart = metric.sees_order and known["kind"].nunique() > 1
    groups = list(known.groupby("kind", sort=False)) if apart else [("", known)]
    which = "Most" if metric.more_is_better else "Smallest median"
    medians = "; ".join(_median(rows, metric, str(kind)) for kind, rows in groups)
    return f"{which} {metric.title}: {medians}"


def _likeliest(known: pd.DataFrame, k: int) -> str:
    """Who most often releases the true top k; where hardly anybody does, who comes closest."""
    if known[RIGHT].max() >= _HARDLY:
        best = known["said"].iloc[known[f"{RIGHT}_low"].argmax()]
        who = _leader(known, RIGHT, True)
        return f"Most often exactly the right {k}, in any order: {who} ({best})"
    who = _leader(known, "items_right", True)
    return (
        f"Hardly ever exactly the right {k}, whoever draws. Most of them right on average: "
        f"{who} ({known['items_right'].max():.3g} of {k})"
    )


def _median(rows: pd.DataFrame, metric: Metric, kind: str) -> str:
    more = metric.more_is_better
    best = rows["median"].max() if more else rows["median"].min()
    amount = f"{number(best)} {one(metric.unit) if best == 1 else metric.unit}"
    words = f"{_leader(rows, 'median', more)} ({amount})"
    return f"{kind} {words}" if kind else words


def _leader(rows: pd.DataFrame, column: str, more: bool) -> str:
    """Name the best in a column, or say how many cannot be told apart."""
    best = not_beaten(rows, column, more)
    if len(best) <= _MOST_NAMED:
        return joined(list(best))
    return f"{len(best)} of {len(rows)} cannot be told apart"
