"""Results -> sentences that say what they mean."""

import numpy as np
import pandas as pd

from dptopk.counts import ItemCounts
from dptopk.errors import Metric, Placement
from dptopk.mechanisms import CDPPeel, Joint
from dptopk.ui.controls import View
from dptopk.ui.show import Tile


def gap_meaning(view: View) -> str:
    """What the gaps around the top k mean for choosing at once against peeling.

    Joint's one choice has weight rate * loss, whatever k; a round of CDP-Peel sees noise of
    scale 1 / local_epsilon, which grows with k.
    """
    counts, k = view.counts, view.k
    top = counts.sorted.top(k + 1)
    if top[0] == top[-1]:
        return (
            f"The first {len(top)} counts are tied: any of these items is a right answer, and no "
            "mechanism can do better or worse among them."
        )
    joint = Joint(k, view.epsilon, view.neighbors)
    peel = CDPPeel(k, view.epsilon, view.delta, view.neighbors, view.calibration)
    gaps = top[:-1] - top[1:]
    close = int(((gaps > 0) & (gaps < 1 / peel.local_epsilon)).sum())
    return (
        f"CDP-Peel adds noise of scale {users(1 / peel.local_epsilon)} to every count "
        f"(δ = {view.delta:g}). Of the first {plural(len(gaps), 'gap')}, {close} "
        f"{'is' if close == 1 else 'are'} smaller without being a tie: items beside such a gap "
        f"change places easily. Joint pays for its worst place only: giving up "
        f"{users(1 / joint.rate)} more there makes a sequence e times less likely. Large gaps help "
        "Joint; many small gaps and a large k help peeling."
    )


def plural(n: int, noun: str) -> str:
    """Render a number of things."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def users(value: float) -> str:
    """Render an amount of users, two digits below 10."""
    text = f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    return f"{text} user" if text == "1" else f"{text} users"


def gap_sizes(view: View) -> list[Tile]:
    """The gap after the k-th place, the smallest gap before it, and the ties."""
    k = view.k
    top = view.counts.sorted.top(k + 1)
    gaps = top[:-1] - top[1:]
    inside = gaps[: k - 1]
    after = f"{int(gaps[k - 1]):,}" if len(gaps) >= k else "–"
    smallest = f"{int(inside.min()):,}" if len(inside) else "–"
    return [
        Tile(
            f"gap after place {k}", after, "users" if len(gaps) >= k else "every item is released"
        ),
        Tile("smallest gap before it", smallest, "users" if len(inside) else "there is one place"),
        Tile(f"ties in the top {k}", str(int((inside == 0).sum())), "gaps of 0"),
    ]


def sweep_finding(summary: pd.DataFrame, over: str, metric: Metric) -> str:
    """Which mechanism has the smallest median error where, in a sentence.

    Mechanisms whose 95 % interval reaches into the best one's count as tied with it.
    """
    if metric.unit != "users":
        return f"Median {metric.title}"
    symbol = {"k": "k", "epsilon": "ε"}[over]
    n_mechanisms = summary["mechanism"].nunique()
    if n_mechanisms == 1:
        return f"Only {summary['mechanism'].iloc[0]} is chosen: choose others to compare."
    leaders: list[tuple[float, tuple[str, ...]]] = []
    for value, rows in summary.groupby(over, sort=True):
        if len(rows) < n_mechanisms:
            continue  # stopped on the way: nothing to compare with
        best = rows.loc[rows["median"].idxmin()]
        names = tuple(rows.loc[rows["median_low"] <= best["median_high"], "mechanism"])
        if not leaders or leaders[-1][1] != names:
            leaders.append((float(value), names))
    if not leaders:
        return "Not enough was run yet to compare."
    parts = []
    for value, names in leaders[:6]:
        who = "all tie" if len(names) == n_mechanisms else _joined(list(names))
        parts.append(f"from {symbol} = {value:g} {who}")
    more = " …" if len(leaders) > 6 else ""
    return f"Smallest median {metric.title}: {'; '.join(parts)}{more}."


def right_places(label: str, placements: np.ndarray) -> Tile:
    """How many places of a release are right, as a tile."""
    k = placements.size
    right = int((placements == Placement.RIGHT).sum())
    found = int((placements != Placement.FOREIGN).sum())
    return Tile(
        label,
        f"{right} of {k}",
        "places right",
        f"{found} of the {k} items belong to the true top {k}, at this or another place.",
    )


def size(counts: ItemCounts) -> list[Tile]:
    """The numbers that describe a data set."""
    levels = counts.sorted
    total = sum(
        value * times
        for value, times in zip(levels.values.tolist(), levels.multiplicities.tolist(), strict=True)
    )
    return [
        Tile("items", f"{counts.d:,}"),
        Tile("distinct counts", f"{levels.n_levels:,}"),
        Tile("largest count", f"{levels.values[0]:,}"),
        Tile("smallest count", f"{levels.values[-1]:,}"),
        Tile("all counts together", f"{total:,}"),
    ]


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
