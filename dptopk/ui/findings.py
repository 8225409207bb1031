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

    Joint's one choice has weight rate * loss, whatever k; a round of peeling sees
    noise of scale 1 / local_epsilon, which grows with k.
    """
    counts, k = view.counts, view.k
    if k == counts.d:
        return (
            "Every item is released, so only their order is at stake: gaps between neighbours "
            "decide, not the gap after the k-th."
        )
    top = counts.sorted.top(k + 1)
    if top[0] == top[-1]:
        return (
            f"The first {k + 1} counts are tied: any of these items is a right answer, and no "
            "mechanism can do better or worse among them."
        )
    joint = Joint(k, view.epsilon, view.neighbors)
    peel = CDPPeel(k, view.epsilon, view.delta, view.neighbors, view.calibration)
    spread = 1 / peel.local_epsilon
    closer = int((-np.diff(top) < spread).sum())
    return (
        f"Peeling adds noise of about {spread:,.0f} users to every count at k = {k} "
        f"(δ = {view.delta:g}): {closer} of the first {k} gaps are smaller, and there neighbours "
        f"change places easily. Joint pays for its worst place only: a sequence becomes e times "
        f"less likely for each {1 / joint.rate:,.0f} users given up, and large gaps among the top "
        f"{k} rule out most sequences. With many small gaps and large k, peeling does better."
    )


def gap_sizes(view: View) -> list[Tile]:
    """The gap after the k-th place, the smallest gap before it, and the ties."""
    top = view.counts.sorted.top(view.k + 1)
    gaps = top[:-1] - top[1:]
    after = f"{int(gaps[view.k - 1]):,} users" if len(gaps) >= view.k else "no item left"
    inside = gaps[: view.k - 1]
    smallest = f"{int(inside.min()):,} users" if len(inside) else "one place"
    return [
        Tile(f"gap after place {view.k}", after),
        Tile(f"smallest gap in the top {view.k}", smallest),
        Tile(f"ties in the top {view.k}", str(int((inside == 0).sum()))),
    ]


def sweep_finding(summary: pd.DataFrame, over: str, metric: Metric) -> str:
    """Which mechanism has the smallest median error where, in a sentence."""
    symbol = {"k": "k", "epsilon": "ε"}[over]
    n_mechanisms = summary["mechanism"].nunique()
    if n_mechanisms == 1:
        return f"Only {summary['mechanism'].iloc[0]} is chosen: choose others to compare."
    leaders: list[tuple[float, frozenset[str]]] = []
    for value, rows in summary.groupby(over, sort=True):
        if len(rows) < n_mechanisms:
            continue  # stopped on the way: nothing to compare with
        best = rows["median"].min()
        names = frozenset(rows.loc[rows["median"] == best, "mechanism"])
        if not leaders or leaders[-1][1] != names:
            leaders.append((float(value), names))
    if not leaders:
        return "Not enough was run yet to compare."
    parts = []
    for value, names in leaders[:6]:
        who = "all tie" if len(names) == n_mechanisms else _joined(sorted(names))
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
