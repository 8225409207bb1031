"""The shapes in which the errors page shows a distribution, and what goes with them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk import figures
from dptopk.errors import Metric
from dptopk.exact import ErrorLaw, joint_loss_bound
from dptopk.mechanisms import Joint
from dptopk.privacy import NeighborRelation
from dptopk.summaries import empirical_cdf, histogram
from dptopk.ui.controls import View

_TWENTIETHS = (np.arange(20) + 0.5) / 20


def for_people(trials: pd.DataFrame, metric: Metric) -> tuple[pd.DataFrame, Metric]:
    """Count places from 1, with 0 for a run without any error; other metrics stay as they are."""
    if metric.key != "linf_index":
        return trials, metric
    places = (trials["linf_index"] + 1).where(trials["linf"] > 0, 0)
    return trials.assign(linf_index=places), replace(metric, unit="place; 0: no error")


def bound(view: View, metric: Metric) -> float | None:
    """Theorem 3.3's bound where it applies."""
    applies = (
        Joint.name in view.names
        and metric.key == "signed_max"
        and view.neighbors is NeighborRelation.ADD_REMOVE
    )
    return joint_loss_bound(view.k, view.counts.d, view.epsilon) if applies else None


def exact_note(laws: Mapping[str, ErrorLaw], shape: str) -> str:
    """Say which curves are exact."""
    if not laws or shape != "cumulative":
        return " What the figure shows is simulated."
    names = " and ".join(laws)
    return f" The wide pale curve of {names} is exact; thin curves are simulated."


def cumulative(
    trials: pd.DataFrame,
    laws: Mapping[str, ErrorLaw],
    metric: Metric,
    bound: float | None,
    logarithmic: bool,
) -> go.Figure:
    """Empirical and exact cumulative distributions."""
    return figures.error_cdf(
        {label: empirical_cdf(values) for label, values in _by_mechanism(trials, metric).items()},
        metric,
        exact={label: (law.values, law.cumulative) for label, law in laws.items()},
        bound=bound,
        logarithmic=logarithmic,
    )


def bars(
    trials: pd.DataFrame,
    laws: Mapping[str, ErrorLaw],
    metric: Metric,
    bound: float | None,
    logarithmic: bool,
) -> go.Figure:
    """Histogram with common bins."""
    edges, shares = histogram(_by_mechanism(trials, metric), logarithmic=logarithmic)
    return figures.error_histogram(shares, edges, metric, bound=bound, logarithmic=logarithmic)


def dots(
    trials: pd.DataFrame,
    laws: Mapping[str, ErrorLaw],
    metric: Metric,
    bound: float | None,
    logarithmic: bool,
) -> go.Figure:
    """Twenty quantiles of each mechanism."""
    quantiles = {
        label: np.quantile(values, _TWENTIETHS, method="inverted_cdf")
        for label, values in _by_mechanism(trials, metric).items()
    }
    return figures.error_quantile_dots(quantiles, metric, bound=bound, logarithmic=logarithmic)


SHAPES: dict[str, Callable[..., go.Figure]] = {
    "cumulative": cumulative,
    "histogram": bars,
    "dots": dots,
}


def _by_mechanism(trials: pd.DataFrame, metric: Metric) -> dict[str, np.ndarray]:
    groups = trials.groupby("mechanism", sort=False)
    return {label: rows[metric.key].to_numpy() for label, rows in groups}
