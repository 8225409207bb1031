"""Median error of each mechanism as a function of k, epsilon or another parameter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import METRICS
from dptopk.core.numerals import compact
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.errors import (
    QUANTILES_ARE,
    Errors,
    as_simulated,
    errors_of_runs,
    metric_columns,
    trial_tasks,
)
from dptopk.questions.origin import Origin
from dptopk.questions.runner import AT_ONCE, AtOnce, Runner
from dptopk.questions.settings import AGAINST, MAX_K, METRIC, RUNS_A_POINT
from dptopk.questions.view import View
from dptopk.simulation.post_stratified import Right, known_of_seen
from dptopk.simulation.trials import RIGHT, TrialColumns

GRIDS: dict[str, tuple[str, list[float]]] = {
    "k": ("k", [1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 100]),
    "paper": ("k", list(range(5, 200, 10))),
    "k45": ("k", list(range(5, 50, 10))),
    "epsilon": ("epsilon", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]),
}
_OF_PAPERS = ("paper", "k45")
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


def current(view: View, over: str) -> float:
    """Return the present value of a parameter that may vary."""
    read = int(view.parameters.get("k_bar") or 2 * view.k)
    return {"k": view.k, "epsilon": view.epsilon, "k_bar": read}[over]


def points(view: View, against: str) -> tuple[str, list[float]]:
    """Return the parameter to vary and the values of `grid`, with the present one if within.

    The grids of papers stay as they are there.
    """
    over, values = grid(against, view.counts.d, view.k)
    now = current(view, over)
    if against in _OF_PAPERS or not min(values) <= now <= max(values):
        return over, values
    return over, sorted({*values, now})


def having_parameter(view: View, over: str) -> tuple[Mechanism, ...]:
    """Return the chosen mechanisms that have the parameter."""
    return tuple(mechanism for mechanism in view.mechanisms if hasattr(mechanism, over))


def mechanisms_at_points(
    view: View, over: str, values: list[float]
) -> tuple[list[Mechanism], list[str]]:
    """Return the chosen mechanisms at every value, in the order of `trials.sweep`, and refusals."""
    mechanisms: list[Mechanism] = []
    refused: dict[str, str] = {}
    for value in values:
        for mechanism in having_parameter(view, over):
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
                mechanisms.append(changed)
    return mechanisms, list(refused.values())


def sweep_errors(
    counts: ItemCounts,
    settings: Sequence[Mechanism],
    metric: str,
    n: int,
    seed: int,
    *,
    unit: str = METRICS[METRIC.default].unit,
    runner: Runner = AT_ONCE,
    sketch: Callable[[Errors], object] | None = None,
    name: str = "sweep",
) -> Errors:
    """Run mechanisms at many settings, as from `at_points`, and summarize their errors at each.

    ``sketch`` may be called with the errors at the settings that have run so far; ``name`` tells
    this run from others of a page; the others as in `measure_errors`.  No laws and no shares:
    quantiles use the exact probability of a right release where that takes no noticeable time and
    some run is right.
    """
    known: dict[Mechanism, Errors] = {}  # each summarized once, not again with every sketch

    def summarized(batches: Mapping[Mechanism, Sequence[TrialColumns]], runner: Runner) -> Errors:
        right: dict[Mechanism, Right | None] = {}
        for label in dict.fromkeys(m.label for m in batches):
            seen = tuple(
                (m, tuple(any(bool(batch[name].any()) for batch in runs) for name in RIGHT))
                for m, runs in batches.items()
                if m.label == label
            )
            if any(any(happened) for _, happened in seen):  # else there is nothing to compute
                right |= runner.call(known_of_seen, counts, seen, metric, size=len(seen))
        return errors_of_runs(counts, batches, metric, unit, right, {}, {})

    def so_far(done: dict[Mechanism, Sequence[TrialColumns]]) -> object:
        for mechanism in done.keys() - known:
            known[mechanism] = summarized({mechanism: done[mechanism]}, AT_ONCE)
        errors = [known[mechanism] for mechanism in done]
        summary = pd.concat([one.summary for one in errors], ignore_index=True)
        return sketch and sketch(replace(errors[-1], mechanisms=tuple(done), summary=summary))

    tasks = trial_tasks(counts, settings, n, seed)
    return summarized(runner.each(tasks, name, sketch and so_far), runner)


def sweep_origin(view: View, errors: Errors, n: int) -> Origin:
    """Return the origin of the runs of each mechanism at each point."""
    return view.origin(
        errors.mechanisms,
        "simulated",
        runs=n,
        runs_are="runs of each mechanism at each point",
        seed=view.seed,
        more=metric_columns(errors.metric),
    )


def summary_origin(view: View, errors: Errors, n: int) -> Origin:
    """Return the origin of the table of medians."""
    return replace(
        sweep_origin(view, errors, n),
        computed="exact or simulated, as named in the columns",
        more=metric_columns(errors.metric) | QUANTILES_ARE,
    )


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Run every mechanism at every value."""
    over, points_at = points(view, values[AGAINST.key])
    at, refused = mechanisms_at_points(view, over, points_at)
    if not at:
        raise ValueError(" ".join(refused) or f"no chosen mechanism has {over}")
    n = values[RUNS_A_POINT.key]
    runner, metric = AtOnce(progress), values[METRIC.key]
    errors = sweep_errors(view.counts, at, metric, n, view.seed, unit=view.unit, runner=runner)
    frame = as_simulated(errors.summary)
    exact = ["median_exact"] if frame["median_exact"].notna().any() else []
    return Answer(
        "sweep-medians",
        title(over),
        frame,
        summary_origin(view, errors, n),
        ("mechanism", over, *_SHOWN, *exact),
        (*view.refusals(view.k, view.counts), *refused),
    )
