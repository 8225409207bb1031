"""Median error of each mechanism as a function of k, epsilon or another parameter."""

from collections.abc import Sequence
from dataclasses import replace

from dptopk.core.errors import METRICS, Metric
from dptopk.core.numerals import compact
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.errors import QUANTILES_ARE, as_simulated, for_people, metric_columns
from dptopk.questions.origin import Origin
from dptopk.questions.settings import AGAINST, MAX_K, METRIC, RUNS_A_POINT
from dptopk.questions.view import View
from dptopk.simulation.post_stratified import known_rights
from dptopk.simulation.summaries import summarize
from dptopk.simulation.trials import run_settings

GRIDS: dict[str, tuple[str, list[float]]] = {
    "k": ("k", [1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 100]),
    "paper": ("k", list(range(5, 200, 10))),
    "epsilon": ("epsilon", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]),
}
READ = (1, 1.5, 2, 3, 5, 8, 15, 30, 60)  # how many items may be read, in multiples of k
_SHOWN = (
    *(f"{name}_simulated" for name in ("q25", "median", "q75")),
    *(f"median_simulated_{end}" for end in ("low", "high")),
)
SIGNS = {"k": "k", "epsilon": "ε", "k_bar": "items read"}


def title(over: str) -> str:
    """Return the title of the table."""
    return f"Medians and middle halves against {SIGNS[over]}"


def grid(against: str, d: int, k: int = 1) -> tuple[str, list[float]]:
    """Return the parameter to vary, as `trials.sweep` names it, and its feasible values."""
    if against == "k_bar":  # all items are as good as any more
        return against, sorted({min(d, round(k * times)) for times in READ})
    over, values = GRIDS[against]
    if over == "k":
        largest = min(d, MAX_K)
        values = [value for value in values if value <= largest] or [1]
        if largest < 15:
            values = list(range(1, largest + 1))
    return over, values


def swept(view: View, over: str) -> tuple[Mechanism, ...]:
    """Return the chosen mechanisms that have the parameter."""
    return tuple(mechanism for mechanism in view.mechanisms if hasattr(mechanism, over))


def points(view: View, over: str, values: list[float]) -> tuple[list[Mechanism], list[str]]:
    """Return the chosen mechanisms at every value, in the order of `trials.sweep`, and refusals."""
    found: list[Mechanism] = []
    refused: dict[str, str] = {}
    for value in values:
        for mechanism in swept(view, over):
            try:
                changed = mechanism.replaced(**{over: value})
                changed.check(view.counts)
                view.check_bound(changed)
            except ValueError as error:
                refused.setdefault(
                    mechanism.label,
                    f"{mechanism.label} is left out at {over} = {compact(value)}: {error}.",
                )
            else:
                found.append(changed)
    return found, list(refused.values())


def sweep_origin(view: View, at: Sequence[Mechanism], n: int, metric: Metric) -> Origin:
    """Return the origin of the runs of each mechanism at each point."""
    return view.origin(
        at,
        "simulated",
        runs=n,
        runs_are="runs of each mechanism at each point",
        seed=view.seed,
        more=metric_columns(metric),
    )


def summary_origin(view: View, at: Sequence[Mechanism], n: int, metric: Metric) -> Origin:
    """Return the origin of the table of medians."""
    return replace(
        sweep_origin(view, at, n, metric),
        computed="as the columns are named: exact or simulated",
        more=metric_columns(metric) | QUANTILES_ARE,
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Run every mechanism at every value.

    Raises
    ------
    ValueError
        If none can run anywhere.
    """
    over, values = grid(own[AGAINST.key], view.counts.d, view.k)
    at, refused = points(view, over, values)
    if not at:
        raise ValueError(" ".join(refused) or f"no chosen mechanism has {over}")
    n = own[RUNS_A_POINT.key]
    trials = run_settings(view.counts, at, n, view.seed, progress)
    trials, metric = for_people(trials, METRICS[own[METRIC.key]].counted_in(view.unit))
    right = known_rights(view.counts, at, metric.key, trials)
    frame = as_simulated(summarize(trials, metric.key, right))
    exact = ["median_exact"] if frame["median_exact"].notna().any() else []
    return Answer(
        "sweep-medians",
        title(over),
        frame,
        summary_origin(view, at, n, metric),
        ("mechanism", over, *_SHOWN, *exact),
        (*view.refusals(view.k, view.counts), *refused),
    )
