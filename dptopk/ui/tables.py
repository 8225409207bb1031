"""Results -> tables as shown and downloaded.

Simulated numbers carry their 95 % interval in brackets; exact ones are called exact.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dptopk.counts import ItemCounts
from dptopk.errors import METRICS, Metric, Placement
from dptopk.exact import ErrorLaw

_MARKS = {Placement.RIGHT: "✓", Placement.MOVED: "↕", Placement.FOREIGN: "✗"}
_TINTS = {"✓": "rgba(0,158,115,0.16)", "↕": "rgba(230,159,0,0.22)", "✗": "rgba(213,94,0,0.28)"}


def released(
    counts: ItemCounts,
    samples: Mapping[str, np.ndarray],
    placements: Mapping[str, np.ndarray],
    given_up: Mapping[str, np.ndarray],
) -> pd.DataFrame:
    """Place by place: the truth, and each mechanism's item with its mark and what it costs."""
    k = len(next(iter(samples.values())))
    truth = counts.order[:k]
    columns = {
        "place": np.arange(1, k + 1),
        "true item": [counts.items[position] for position in truth],
        "true count": counts.counts[truth],
    }
    for label, sample in samples.items():
        columns[label] = [
            f"{_MARKS[Placement(place)]} {_cost(lost)}{counts.items[position]}"
            for position, place, lost in zip(
                sample, placements[label], given_up[label], strict=True
            )
        ]
    return pd.DataFrame(columns)


def released_widths(samples: Mapping[str, np.ndarray]) -> dict[str, dict]:
    """Column widths in pixels at which four mechanisms fit beside the truth."""
    widths = {"place": 50, "true item": 150, "true count": 85} | dict.fromkeys(samples, 152)
    return {column: {"width": width} for column, width in widths.items()}


def _cost(given_up: int) -> str:
    """What a place costs, with its sign, if it costs anything."""
    return f"({given_up:+,}) " if given_up else ""


def release_long(
    counts: ItemCounts,
    samples: Mapping[str, np.ndarray],
    placements: Mapping[str, np.ndarray],
    given_up: Mapping[str, np.ndarray],
) -> pd.DataFrame:
    """One row a mechanism and place, for download."""
    parts = [
        pd.DataFrame(
            {
                "mechanism": label,
                "place": np.arange(1, len(sample) + 1),
                "item": [counts.items[position] for position in sample],
                "count": counts.counts[sample],
                "given_up": given_up[label],
                "placement": [Placement(place).name.lower() for place in placements[label]],
            }
        )
        for label, sample in samples.items()
    ]
    return pd.concat(parts, ignore_index=True)


def tinted(frame: pd.DataFrame, labels: list[str]):
    """Tint the marked items by their mark, beside the sign that says the same."""
    return frame.style.map(
        lambda cell: f"background-color: {_TINTS.get(cell[:1], 'transparent')}", subset=labels
    ).format(thousands=",")


def release_errors(errors: Mapping[str, Mapping[str, int]]) -> pd.DataFrame:
    """One row a metric, one column a mechanism."""
    frame = pd.DataFrame(errors)
    units = {"linf_index": "place; 0: no error"}
    frame.loc["linf_index"] = (frame.loc["linf_index"] + 1).where(frame.loc["linf"] > 0, 0)
    frame.insert(
        0,
        "error",
        [f"{METRICS[key].title} ({units.get(key, METRICS[key].unit)})" for key in frame.index],
    )
    return frame.reset_index(drop=True)


def error_summary(
    summary: pd.DataFrame,
    laws: Mapping[str, ErrorLaw],
    exact_shares: Mapping[str, Mapping[str, float]],
) -> pd.DataFrame:
    """One row a mechanism: quartiles and shares of right releases, each labelled."""
    rows = []
    for row in summary.to_dict("records"):
        law = laws.get(row["mechanism"])
        shares = exact_shares.get(row["mechanism"], {})
        quartiles = (
            {
                "median": f"{law.quantile(0.5):,} exact",
                "middle half": f"{law.quantile(0.25):,} to {law.quantile(0.75):,} exact",
            }
            if law
            else {
                "median": _median(row),
                "middle half": f"{number(row['q25'])} to {number(row['q75'])} simulated",
            }
        )
        rows.append(
            {"mechanism": row["mechanism"]}
            | quartiles
            | {
                "median of the runs": _median(row),
                "right in order": _share(row, "exact_sequence", shares),
                "right as a set": _share(row, "exact_set", shares),
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
        .rename(columns={"epsilon": "ε"})
    )


def gaps(counts: ItemCounts, n: int) -> pd.DataFrame:
    """Place, item, count and gap to the next count, for the first places."""
    top = counts.sorted.top(n + 1)
    return pd.DataFrame(
        {
            "place": np.arange(1, len(top)),
            "item": [counts.items[position] for position in counts.order[: len(top) - 1]],
            "count": top[:-1],
            "gap to the next": top[:-1] - top[1:],
        }
    )


def largest(counts: ItemCounts, n: int) -> pd.DataFrame:
    """The items with the largest counts."""
    order = counts.order[:n]
    return pd.DataFrame(
        {
            "place": np.arange(1, len(order) + 1),
            "item": [counts.items[position] for position in order],
            "count": counts.counts[order],
        }
    )


def number(value: float) -> str:
    """Render a number of users."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _median(row: Mapping) -> str:
    low, high = number(row["median_low"]), number(row["median_high"])
    return f"{number(row['median'])} [{low}, {high}]"


def _share(row: Mapping, key: str, exact: Mapping[str, float]) -> str:
    if key in exact:
        return f"{percent(exact[key])} exact"
    low, high = percent(row[f"{key}_low"]), percent(row[f"{key}_high"])
    return f"{percent(row[key])} [{low}, {high}]"


def percent(value: float) -> str:
    """Render a probability, with more digits near 0 and 1: never a false 0 or 100 %."""
    if value in (0.0, 1.0) or 0.001 <= value <= 0.999:
        return f"{value:.1%}"
    if value < 1e-6:
        return f"{value:.1e}"
    return f"{value:.4%}" if value < 1 - 1e-6 else "> 99.9999%"


def describe_metric(metric: Metric) -> str:
    """One sentence on what a metric measures."""
    return f"The {metric.title} is {metric.meaning}."
