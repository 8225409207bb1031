"""Convert results to the tables that are shown and downloaded.

Simulated numbers have their 95% interval in brackets; exact ones are marked exact.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS, USUAL, Metric
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import EMPTY_SIGN, NOTHING
from dptopk.core.placements import Placement
from dptopk.questions.errors import Errors, metric_for_people
from dptopk.questions.release import Release
from dptopk.simulation.single_releases import NoisyRound, Outcomes
from dptopk.simulation.summaries import is_settled
from dptopk.ui.formats import cost, measured

MARKS = {
    Placement.RIGHT: "✓",
    Placement.MOVED: "↕",
    Placement.FOREIGN: "✗",
    Placement.EMPTY: EMPTY_SIGN,
}


def released(counts: ItemCounts, releases: Mapping[str, Release]) -> pd.DataFrame:
    """Return the true item of each place beside each mechanism's item, mark and count error."""
    k = len(next(iter(releases.values())).positions)
    names = [counts.items[position] for position in counts.order[:k]]
    columns = {
        "place": np.arange(1, k + 1),
        "true item": [*names, *["no item"] * (k - len(names))],
        "true count": counts.sorted.padded_top(k),
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
    return f"{mark} {cost(release.count_errors[place])}{noisy}{counts.items[position]}"


def released_counts(counts: ItemCounts, releases: Mapping[str, Release], unit: str) -> pd.DataFrame:
    """Return a row per item released with a count: true count, released count, error."""
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


def released_gaps(counts: ItemCounts, releases: Mapping[str, Release], unit: str) -> pd.DataFrame:
    """Return a row per item whose gap is released: noisy gap, bounds, true gap and least count."""
    rows = []
    for label, release in releases.items():
        if (gaps := release.gaps) is None:
            continue
        users = counts.counts[release.positions]
        others = np.delete(counts.counts, release.positions)
        behind = np.append(users[1:], others.max() if others.size else 0)
        rows += [
            {
                "mechanism": label,
                "place": place + 1,
                "item": counts.items[release.positions[place]],
                "noisy gap": round(float(gaps.gaps[place]), 1),
                "at least": int(gaps.low[place]),
                "at most": int(gaps.high[place]),
                "true gap": int(users[place] - behind[place]),
                f"{unit} at least": int(gaps.count_at_least[place]),
                f"true count ({unit})": int(users[place]),
            }
            for place in np.flatnonzero(~np.isnan(gaps.gaps)).tolist()
        ]
    return pd.DataFrame(rows)


def noisy_round(names: list[str], noise: NoisyRound, unit: str) -> pd.DataFrame:
    """Return a row per item in order of the true counts: noise and place of release."""
    return pd.DataFrame(
        {
            "true place": noise.true_places,
            "item": names,
            f"true count ({unit})": noise.counts,
            "noise": (noise.noisy - noise.counts).round(1),
            "noisy count": noise.noisy.round(1),
            "released at place": pd.array(
                [int(place) if place else None for place in noise.places], dtype="Int64"
            ),
        }
    )


def outcomes(counts: ItemCounts, draws: Outcomes) -> pd.DataFrame:
    """Return a row per release: its seed and the item at each place."""
    places = {
        f"place {place}": [None if p == NOTHING else counts.items[p] for p in column]
        for place, column in enumerate(draws.positions.T, 1)
    }
    return pd.DataFrame({"seed": draws.seeds} | places)


def release_errors(errors: Mapping[str, Mapping[str, float]], unit: str) -> pd.DataFrame:
    """Return a row per metric, with its unit, and a column per mechanism."""
    columns: dict[str, list] = {"error": []}
    metrics = [METRICS[key] for key in next(iter(errors.values()))]
    for metric in metrics:
        counted = metric_for_people(metric).counted_in(unit)
        columns["error"].append(f"{metric.title} ({counted.unit})")
    for label, values in errors.items():
        columns[label] = [
            int(metric.counted_from_1(values[metric.key], values[metric.place_of]))
            if metric.is_place
            else values[metric.key]
            for metric in metrics
        ]
    return pd.DataFrame(columns)


def error_summary(errors: Errors) -> pd.DataFrame:
    """Return a row per mechanism: quartiles and probabilities of right releases."""
    rows, metric = [], errors.metric
    sets = {m.label for m in errors.mechanisms if not m.outputs.ordered}
    for row in errors.implied.to_dict("records"):
        law = errors.laws.get(row["mechanism"])
        quartiles = (
            {
                "median": f"{law.quantile(0.5):,} exact",
                "middle half": f"{law.quantile(0.25):,} to {law.quantile(0.75):,} exact",
            }
            if law
            else {
                "median": _median(row, metric),
                "middle half": f"{measured(row['q25'], metric)} to {measured(row['q75'], metric)} "
                + ("exact" if is_settled(row, "q25") and is_settled(row, "q75") else "simulated"),
            }
        )
        rows.append(
            {"mechanism": row["mechanism"]}
            | quartiles
            | {
                "median of the runs": "–" if not law and is_settled(row) else _median(row, metric),
                "right in order": (
                    "sets have no order"
                    if row["mechanism"] in sets
                    else errors.chance(row["mechanism"], "exact_sequence").marked
                ),
                "right as a set": errors.chance(row["mechanism"], "exact_set").marked,
                f"{ITEMS_RIGHT.title}, of {row['k']}": items_right(row),
            }
        )
    frame = pd.DataFrame(rows)
    return frame if errors.laws else frame.drop(columns="median of the runs")


def sweep(summary: pd.DataFrame, over: str, metric: Metric = USUAL) -> pd.DataFrame:
    """Return medians with intervals, a row per value of k or epsilon, a column per mechanism."""
    frame = summary.assign(median=[_median(row, metric) for row in summary.to_dict("records")])
    wide = frame.pivot(index=over, columns="mechanism", values="median")
    return (
        wide[list(dict.fromkeys(frame["mechanism"]))]
        .fillna("not run")
        .reset_index()
        .rename(columns={"epsilon": "ε", "k_bar": "items read"})
    )


def largest(counts: ItemCounts, n: int, unit: str) -> pd.DataFrame:
    """Return the items with the largest counts."""
    order = counts.order[:n]
    return pd.DataFrame(
        {
            "place": np.arange(1, len(order) + 1),
            "item": [counts.items[position] for position in order],
            f"count ({unit})": counts.counts[order],
        }
    )


def _median(row: Mapping, metric: Metric) -> str:
    runs = 0 if is_settled(row) else row["n"]
    return Estimate.of_row(row, "median", runs, metric.unit_of_estimates).marked


def items_right(row: Mapping) -> str:
    """Format the mean number of right items with its interval, or as exact where it is."""
    runs = row["n"] if np.isnan(row[f"{ITEMS_RIGHT.key}_exact"]) else 0
    return Estimate.of_row(row, ITEMS_RIGHT.key, runs, most=row["k"]).marked
