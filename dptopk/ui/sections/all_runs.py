"""Tabulate all simulated runs behind a page, with their weights and code to repeat them."""

from dataclasses import replace

import pandas as pd

from dptopk.core.errors import Metric
from dptopk.questions.errors import PLACES_IN_FILES, Errors
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.post_stratified import Right, Weighted, run_weights, weighted
from dptopk.ui import snippets
from dptopk.ui.show import Table


def of_each(found: Errors) -> dict[str, Weighted]:
    """Return the weighted runs by label, weighted as in the figure."""
    known = {mechanism.label: one for mechanism, one in found.right.items()}
    key = found.metric.key
    return {
        str(label): weighted(rows[key].to_numpy(), *_right(rows, known.get(str(label))))
        for label, rows in found.trials.groupby("mechanism", sort=False)
    }


def table(found: Errors, origin: Origin) -> Table:
    """Return a table of all runs with their weights for a metric."""
    known = {mechanism.label: one for mechanism, one in found.right.items()}
    trials = found.trials

    def whole() -> pd.DataFrame:
        groups = [rows for _, rows in trials.groupby("mechanism", sort=False)]
        weights = [
            pd.Series(run_weights(*_right(rows, known.get(rows["mechanism"].iloc[0]))), rows.index)
            for rows in groups
        ]
        return trials.assign(weight=pd.concat(weights))

    weight = (
        f"weight of a run as a share of all releases by {found.metric.title}: correct runs are "
    )
    weight += "reweighted to their exact probability where it is known"
    return Table(
        trials,
        "trials",
        "All runs, one per row",
        replace(origin, computed="simulated", more=PLACES_IN_FILES | {"weight_is": weight}),
        whole,
    )


def code(view: View, metric: Metric) -> str:
    """Return lines of Python that run all mechanisms and print their errors."""
    return snippets.snippet(view, snippets.errors(view.n, view.seed, metric))


def _right(rows: pd.DataFrame, known: Right | None) -> tuple:
    """Return which runs are right, as far as that fixes their error, and their known chance."""
    return rows[known.column if known else "exact_sequence"].to_numpy(dtype=bool), known
