"""Results -> tables as shown and downloaded.

Simulated numbers carry their 95% interval in brackets; exact ones are called exact.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dptopk.counts import ItemCounts
from dptopk.errors import METRICS
from dptopk.exact import Chance, ErrorLaw
from dptopk.outcomes import NoisyRound, Outcomes
from dptopk.outputs import EMPTY_SIGN, NOTHING
from dptopk.placements import Placement
from dptopk.questions.errors import PLACES_FROM_1, with_implied
from dptopk.questions.release import Release
from dptopk.summaries import is_settled
from dptopk.ui.formats import chance, cost, mean_of, mean_of_runs, number, share_of_runs, shortfall

MARKS = {
    Placement.RIGHT: "✓",
    Placement.MOVED: "↕",
    Placement.FOREIGN: "✗",
    Placement.EMPTY: EMPTY_SIGN,
}


def released(counts: ItemCounts, releases: Mapping[str, Release]) -> pd.DataFrame:
    """Place by place: the truth, and each mechanism's item with its mark and what it costs."""
    k = len(next(iter(releases.values())).positions)
    truth = counts.order[:k]
    columns = {
        "place": np.arange(1, k + 1),
        "true item": [counts.items[position] for position in truth],
        "true count": counts.counts[truth],
    }
    for label, release in releases.items():
        columns[label] = [_cell(counts, release, place) for place in range(k)]
    return pd.DataFrame(columns)


def _cell(counts: ItemCounts, release: Release, place: int) -> str:
    mark = MARKS[Placement(release.placements[place])]
    position = release.positions[place]
    if position == NOTHING:
        return f"{mark} nothing"
    noisy = "" if release.noisy is None else f"[{release.noisy[place]:,.0f}] "
    return f"{mark} {cost(release.given_up[place])}{noisy}{counts.items[position]}"


def released_counts(counts: ItemCounts, releases: Mapping[str, Release], unit: str) -> pd.DataFrame:
    """One row an item that came out with a count: the true one, the released one, the error."""
    rows = [
        {
            "mechanism": label,
            "place": place,
            "item": counts.items[position],
            f"true count ({unit})": int(counts.counts[position]),
            "released count": round(float(noisy), 1),
            "error": round(float(noisy) - int(counts.counts[position]), 1),
        }
        for label, release in releases.items()
        if release.noisy is not None
        for place, (position, noisy) in enumerate(
            zip(release.positions, release.noisy, strict=True), 1
        )
        if position != NOTHING
    ]
    return pd.DataFrame(rows)


def noisy_round(names: list[str], found: NoisyRound, unit: str) -> pd.DataFrame:
    """One row an item, by its true count: the noise on it, and where it was released."""
    return pd.DataFrame(
        {
            "true place": found.true_places,
            "item": names,
            f"true count ({unit})": found.counts,
            "noise": (found.noisy - found.counts).round(1),
            "noisy count": found.noisy.round(1),
            "released at place": pd.array(
                [int(place) if place else None for place in found.places], dtype="Int64"
            ),
        }
    )


def outcomes(counts: ItemCounts, found: Outcomes) -> pd.DataFrame:
    """One row a release: its seed, and the item at each place."""
    places = {
        f"place {place}": [None if p == NOTHING else counts.items[p] for p in column]
        for place, column in enumerate(found.positions.T, 1)
    }
    return pd.DataFrame({"seed": found.seeds} | places)


def release_errors(errors: Mapping[str, Mapping[str, int]], unit: str) -> pd.DataFrame:
    """One row a metric, with the unit of the counts where it is one, one column a mechanism."""
    frame = pd.DataFrame(errors)
    places = [key for key in frame.index if METRICS[key].is_place]
    units = dict.fromkeys(places, PLACES_FROM_1)
    by_metric = frame.T
    for key in places:
        frame.loc[key] = (by_metric[key] + 1).where(by_metric["linf"] > 0, 0)
    frame.insert(
        0,
        "error",
        [
            f"{METRICS[key].title} ({units.get(key, METRICS[key].counted_in(unit).unit)})"
            for key in frame.index
        ],
    )
    return frame.reset_index(drop=True)


def error_summary(
    summary: pd.DataFrame,
    laws: Mapping[str, ErrorLaw],
    exact_shares: Mapping[str, Mapping[str, Chance]],
    sets: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """One row a mechanism: quartiles and shares of right releases, each labelled.

    ``sets`` are the labels of those that release sets: no order can be right.  ``summary`` may say
    which medians are settled; see `summaries.summarize`.
    """
    rows = []
    for row in with_implied(summary, exact_shares).to_dict("records"):
        law = laws.get(row["mechanism"])
        shares = exact_shares.get(row["mechanism"], {})
        quartiles = (
            {
                "median": f"{law.quantile(0.5):,} exact",
                "middle half": f"{law.quantile(0.25):,} to {law.quantile(0.75):,} exact",
            }
            if law
            else {"median": _median(row), "middle half": _middle_half(row)}
        )
        rows.append(
            {"mechanism": row["mechanism"]}
            | quartiles
            | {
                "median of the runs": "–" if not law and is_settled(row) else _median(row),
                "right in order": (
                    "sets have no order"
                    if row["mechanism"] in sets
                    else _share(row, "exact_sequence", shares)
                ),
                "right as a set": _share(row, "exact_set", shares),
                f"items right, of {row['k']}": items_right(row),
            }
        )
    frame = pd.DataFrame(rows)
    return frame if laws else frame.drop(columns="median of the runs")


def sweep(summary: pd.DataFrame, over: str) -> pd.DataFrame:
    """Median with its interval, one row a value of k or epsilon, one column a mechanism."""
    frame = summary.assign(median=[_median(row) for row in summary.to_dict("records")])
    wide = frame.pivot(index=over, columns="mechanism", values="median")
    return (
        wide[list(dict.fromkeys(frame["mechanism"]))]
        .fillna("not run")
        .reset_index()
        .rename(columns={"epsilon": "ε", "k_bar": "items read"})
    )


def gaps(counts: ItemCounts, n: int, unit: str) -> pd.DataFrame:
    """Place, item, count and gap to the next count, for the first places; in the unit."""
    top = counts.sorted.top(n + 1)
    return pd.DataFrame(
        {
            "place": np.arange(1, len(top)),
            "item": [counts.items[position] for position in counts.order[: len(top) - 1]],
            f"count ({unit})": top[:-1],
            f"gap to the next ({unit})": top[:-1] - top[1:],
        }
    )


def with_epsilons(
    gaps: pd.DataFrame, epsilons: Mapping[str, np.ndarray], chance: float
) -> pd.DataFrame:
    """The gaps with the epsilon that each top set needs to come out; empty where none is enough."""
    return gaps.assign(
        **{
            f"ε of {label} for {chance:.0%}": np.where(np.isfinite(found), found, np.nan)
            for label, found in epsilons.items()
        }
    )


def largest(counts: ItemCounts, n: int, unit: str) -> pd.DataFrame:
    """The items with the largest counts, in their unit."""
    order = counts.order[:n]
    return pd.DataFrame(
        {
            "place": np.arange(1, len(order) + 1),
            "item": [counts.items[position] for position in order],
            f"count ({unit})": counts.counts[order],
        }
    )


def _middle_half(row: Mapping) -> str:
    exact = is_settled(row, "q25") and is_settled(row, "q75")
    kind = "exact" if exact else "simulated"
    return f"{number(row['q25'])} to {number(row['q75'])} {kind}"


def _median(row: Mapping) -> str:
    if is_settled(row):
        return f"{number(row['median'])} exact"
    low, high = number(row["median_low"]), number(row["median_high"])
    return f"{number(row['median'])} [{low}, {high}]"


def items_right(row: Mapping) -> str:
    """Mean number of items right, with its interval; exact where `with_implied` says so."""
    mean, k = row["items_right"], row["k"]
    if np.isnan(row["items_right_exact"]):
        return mean_of_runs(mean, row["items_right_low"], row["items_right_high"], k)
    return f"{mean_of(mean, k)} exact"


def _share(row: Mapping, key: str, exact: Mapping[str, Chance]) -> str:
    if key in exact:
        short = shortfall(exact[key])
        return f"{chance(exact[key])} exact" + (f", {short}" if short else "")
    return share_of_runs(row[key], row[f"{key}_low"], row[f"{key}_high"])
