"""List all simulated runs behind a page, with their weights, and the code that repeats them."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from dptopk.core.errors import Metric
from dptopk.mechanisms import Mechanism
from dptopk.questions.errors import PLACES_IN_FILES
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.post_stratified import Right, Weighted, run_weights, weighted
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import Table


def of_each(
    trials: pd.DataFrame, metric: Metric, right: Mapping[Mechanism, Right | None]
) -> dict[str, Weighted]:
    """Return the weighted runs by label, weighted as in the figure."""
    known = {mechanism.label: one for mechanism, one in right.items()}
    return {
        str(label): weighted(rows[metric.key].to_numpy(), *_right(rows, known.get(str(label))))
        for label, rows in trials.groupby("mechanism", sort=False)
    }


def table(
    trials: pd.DataFrame, origin: Origin, metric: Metric, right: Mapping[Mechanism, Right | None]
) -> Table:
    """Return a table of all runs with their weights for a metric."""
    known = {mechanism.label: one for mechanism, one in right.items()}

    def whole() -> pd.DataFrame:
        groups = [rows for _, rows in trials.groupby("mechanism", sort=False)]
        weights = [
            pd.Series(run_weights(*_right(rows, known.get(rows["mechanism"].iloc[0]))), rows.index)
            for rows in groups
        ]
        return trials.assign(weight=pd.concat(weights))

    weight = f"weight of a run as a share of all releases by {metric.title}: correct runs are "
    weight += "reweighted to their exact probability where it is known"
    return Table(
        trials,
        "trials",
        "All runs, a row each",
        replace(origin, computed="simulated", more=PLACES_IN_FILES | {"weight_is": weight}),
        whole,
    )


def code(view: View, metric: Metric) -> str:
    """Return lines of Python that run all mechanisms and print their errors."""
    call = f"run_trials(counts, mechanisms, n={view.n}, seed={view.seed})"
    return snippets.snippet(view, snippets.errors(call, metric))


def _right(rows: pd.DataFrame, known: Right | None) -> tuple:
    """Return which runs are right, as far as that fixes their error, and their known chance."""
    return rows[known.column if known else "exact_sequence"].to_numpy(dtype=bool), known
