"""Errors of each mechanism over many runs, with exact values where they are known."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dptopk.core import validation
from dptopk.core.cancellation import Progress, pause
from dptopk.core.counts import ItemCounts, check_counts
from dptopk.core.errors import ITEMS_RIGHT, METRICS, Metric
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.core.numerals import plural
from dptopk.laws.exact import (
    QUICK,
    ErrorLaw,
    NoClosedFormError,
    chance_exact_sequence,
    chance_exact_set,
    exact_error,
    is_always_right,
)
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.selections import needs
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.runner import AT_ONCE, AtOnce, Runner, Task
from dptopk.questions.settings import METRIC
from dptopk.questions.view import View
from dptopk.simulation.post_stratified import (
    Right,
    held_mean,
    implied_mean,
    known_right,
    right_items,
)
from dptopk.simulation.summaries import QUANTILES, places_from_1, summarize
from dptopk.simulation.trials import TrialColumns, batches_of, check_told_apart, combine_batches

PLACES_IN_FILES = {"places": "from 1; 0: no error"}
"""Said in files that hold every metric of every run."""

QUANTILES_ARE = {
    "quantiles_are": "of the runs; of the wrong ones alone, reweighted, if the exact probability "
    "of a right release is known"
}
"""Said in files that hold quantiles beside what is exact; see `post_stratified`."""

TITLE = "Errors and items right of each mechanism"

_LAW = 10_000  # size of a law, in rows of trials: most are far smaller
_SHARES = {"exact_sequence": "right_in_order", "exact_set": "right_as_a_set"}
_MEASURED = {name: name for name in ("q25", "median", "q75", ITEMS_RIGHT.key)} | _SHARES


def metric_for_people(metric: Metric) -> Metric:
    """Return the metric with places counted from 1."""
    return replace(metric, unit="place, from 1; 0: no error") if metric.is_place else metric


def with_implied(
    summary: pd.DataFrame, exact_shares: Mapping[str, Mapping[str, Estimate]]
) -> pd.DataFrame:
    """Return the summary with the mean of items right clipped to what exact chances imply.

    See `post_stratified.held_mean`.
    Its column ``_exact`` is the mean where both ends have the same four digits, else NaN.
    """
    rows = []
    for row in summary.to_dict("records"):
        known = exact_shares.get(row["mechanism"], {}).get("exact_set")
        if known:
            right = right_items(row["k"], known)
            least, most = implied_mean(right, known)
            of_runs = Estimate.of_row(row, ITEMS_RIGHT.key, row["n"])
            row |= held_mean(of_runs, right, known).columns(ITEMS_RIGHT.key)
        as_one = known and f"{least:.4g}" == f"{most:.4g}"
        rows.append(row | {f"{ITEMS_RIGHT.key}_exact": row[ITEMS_RIGHT.key] if as_one else np.nan})
    return pd.DataFrame(rows)


def known_law(counts: ItemCounts, mechanism: Mechanism, metric: str) -> ErrorLaw | None:
    """Return the exact law of the metric; None where it is too large to enumerate."""
    try:
        return exact_error(counts, mechanism, metric)
    except NoClosedFormError:
        return None


def known_shares(counts: ItemCounts, mechanism: Mechanism) -> dict[str, Estimate]:
    """Return exact probabilities of right releases that are known and quick to compute."""
    shares: dict[str, Estimate] = {}
    with contextlib.suppress(NoClosedFormError):  # the share of the runs is told
        if mechanism.pmf_work(counts.sorted) < QUICK:
            shares["exact_sequence"] = chance_exact_sequence(counts, mechanism)
    pause()
    with contextlib.suppress(NoClosedFormError):
        if is_always_right(mechanism, counts) or mechanism.set_work(counts.sorted) < QUICK:
            shares["exact_set"] = chance_exact_set(counts, mechanism)
    return shares


@dataclass(frozen=True)
class Errors:
    """Errors of mechanisms over many runs, with exact values where they are known."""

    # that ran: all that were asked for, unless the runs were stopped
    mechanisms: tuple[Mechanism, ...]
    metric: Metric  # that is summarized; places are counted from 1, with 0 for no error
    trials: pd.DataFrame  # one row a run, as from `run_trials`
    laws: Mapping[str, ErrorLaw]  # of the error, by label
    shares: Mapping[str, Mapping[str, Estimate]]  # of "exact_sequence" and "exact_set", by label
    right: Mapping[Mechanism, Right | None]  # on the quantiles of mechanisms without a law
    summary: pd.DataFrame  # one row a mechanism, from `summarize`

    @cached_property
    def implied(self) -> pd.DataFrame:
        """Summary with the mean of items right clipped to what exact chances imply."""
        return with_implied(self.summary, self.shares)

    def chance(self, label: str, target: str) -> Estimate:
        """Return a probability of ``shares`` of a mechanism that ran: exact if known, else of runs.

        ``target`` is "exact_sequence" or "exact_set".
        """
        if known := self.shares.get(label, {}).get(target):
            return known
        row = self._of_runs[label]
        return Estimate.of_row(row, target, row["n"], PROBABILITY)

    @cached_property
    def _of_runs(self) -> dict[str, dict[Any, Any]]:
        """Rows of the summary by label."""
        return {row["mechanism"]: row for row in self.summary.to_dict("records")}

    @property
    def rows(self) -> pd.DataFrame:
        """Table of `error_rows`, with simulated and exact values side by side."""
        return error_rows(self.summary, self.laws, self.shares)

    @property
    def described(self) -> pd.DataFrame:
        """Rows with the kind of outputs and the requirements of each mechanism."""
        return self.rows.assign(
            releases=[releases(m) for m in self.mechanisms],
            needs=[needs(type(m)) for m in self.mechanisms],
        )


def measure_errors(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    metric: str,
    n: int,
    seed: int,
    *,
    unit: str = METRICS[METRIC.default].unit,
    runner: Runner = AT_ONCE,
) -> Errors:
    """Run every mechanism ``n`` times and summarize its errors, with exact values where known.

    ``metric`` is a key of `METRICS`, ``unit`` that of the counts in the plural; see `run_trials`.
    """
    ran = runner.each(trial_tasks(counts, mechanisms, n, seed), "errors")
    laws = exact_laws(counts, [*ran], metric, runner)
    shares = exact_shares(counts, ran, runner)
    right = {m: known_right(counts, m, metric, shares[m.label]) for m in ran if m.label not in laws}
    return errors_of_runs(counts, ran, metric, unit, right, laws, shares)


def errors_of_runs(
    counts: ItemCounts,
    batches: Mapping[Mechanism, Sequence[TrialColumns]],
    metric: str,
    unit: str,
    right: Mapping[Mechanism, Right | None],
    laws: Mapping[str, ErrorLaw],
    shares: Mapping[str, Mapping[str, Estimate]],
) -> Errors:
    """Summarize the runs of mechanisms, in batches, with what is known exactly."""
    measure = metric_for_people(METRICS[metric].counted_in(unit))
    if not batches:
        return Errors((), measure, pd.DataFrame(), {}, {}, {}, pd.DataFrame())
    trials = places_from_1(combine_batches(batch for each in batches.values() for batch in each))
    summary = summarize(trials, metric, right, counts)
    return Errors(tuple(batches), measure, trials, laws, shares, right, summary)


def trial_tasks(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], n: int, seed: int
) -> dict[Mechanism, Task]:
    """Return the runs of each mechanism as tasks, of duration proportional to k."""
    check_counts("counts", counts)
    n = validation.integer("n", n, low=1)
    seed = validation.integer("seed", seed, low=0)
    for mechanism in mechanisms:  # what is wrong is said before any run
        mechanism.check(counts)
    check_told_apart(mechanisms)
    return {m: Task(batches_of, (counts, m, n, seed), m.k, n) for m in mechanisms}


def exact_laws(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], metric: str, runner: Runner = AT_ONCE
) -> dict[str, ErrorLaw]:
    """Return the exact law of the metric by label, where it is known."""
    laws = {
        m.label: runner.call(known_law, counts, m, metric, size=_LAW)
        for m in mechanisms
        if METRICS[metric].law in m.exact_metrics
    }
    return {label: law for label, law in laws.items() if law is not None}


def exact_shares(
    counts: ItemCounts, mechanisms: Iterable[Mechanism], runner: Runner = AT_ONCE
) -> dict[str, dict[str, Estimate]]:
    """Return the exact probabilities of right releases by label, where they are known."""
    return {m.label: runner.call(known_shares, counts, m) for m in mechanisms}


def metric_columns(metric: Metric) -> dict[str, str]:
    """Return the metric and its unit as columns of a download."""
    return {"metric": metric.title, "unit": metric.unit}


def releases(mechanism: Mechanism) -> str:
    """Return the kind of outputs in a few words."""
    return mechanism.outputs.words.replace("k items", plural(mechanism.k, "item"))


def as_simulated(summary: pd.DataFrame) -> pd.DataFrame:
    """Rename the columns of a summary of runs as simulated."""
    return summary.rename(
        columns={
            f"{key}{end}": f"{name}_simulated{end}"
            for key, name in _MEASURED.items()
            for end in ("", "_low", "_high")
        }
    )


def error_rows(
    summary: pd.DataFrame,
    laws: Mapping[str, ErrorLaw],
    exact_shares: Mapping[str, Mapping[str, Estimate]],
) -> pd.DataFrame:
    """Return the summary of the runs with columns named as simulated, and exact values beside.

    The mean of items right is held within what is exact; see `with_implied`.  Quantiles that the
    summary calls exact stand beside those of laws.
    """
    exact = [f"{name}_exact" for name in QUANTILES]
    settled = summary.reindex(columns=exact)
    frame = as_simulated(with_implied(summary.drop(columns=exact, errors="ignore"), exact_shares))
    labels = frame["mechanism"]
    for name, level in QUANTILES.items():
        known = zip(labels, settled[f"{name}_exact"], strict=True)
        frame[f"{name}_exact"] = [
            laws[label].quantile(level) if label in laws else other for label, other in known
        ]
    for key, name in _SHARES.items():
        chances = [exact_shares.get(label, {}).get(key) for label in labels]
        frame[f"{name}_exact"] = [one.probability if one else np.nan for one in chances]
        frame[f"{name}_exact_log"] = [one.log if one else np.nan for one in chances]
        frame[f"{name}_exact_log_complement"] = [
            one.log_complement if one else np.nan for one in chances
        ]
    return frame


def errors_of(view: View, metric: str, runner: Runner) -> Errors:
    """Return the errors of the chosen mechanisms on the data of a view."""
    counts, unit = view.counts, view.unit
    return measure_errors(
        counts, view.mechanisms, metric, view.n, view.seed, unit=unit, runner=runner
    )


def summary_origin(view: View, errors: Errors) -> Origin:
    """Return the origin of the table of errors."""
    how = "mean of the runs, limited to the range implied by the exact probability of the right set"
    return view.origin(
        errors.mechanisms,
        "exact or simulated, as named in the columns",
        runs=view.n,
        seed=view.seed,
        more=metric_columns(errors.metric) | QUANTILES_ARE | {f"{ITEMS_RIGHT.key}_are": how},
    )


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Run every mechanism and summarize its errors, with exact values where known."""
    errors = errors_of(view, values[METRIC.key], AtOnce(progress))
    frame = errors.described
    exact = ("median_exact", f"{ITEMS_RIGHT.key}_exact", "right_as_a_set_exact")
    known = [name for name in exact if frame[name].notna().any()]
    return Answer(
        "error-summary",
        TITLE,
        frame,
        summary_origin(view, errors),
        (
            "mechanism",
            "median_simulated",
            f"{ITEMS_RIGHT.key}_simulated",
            "right_as_a_set_simulated",
            *known,
            "releases",
        ),
        tuple(view.refusals(view.k, view.counts)),
        _written(frame, errors),
    )


def _written(frame: pd.DataFrame, errors: Errors) -> dict[str, list[str]]:
    """Write the numbers of runs with their intervals, and exact ones beside them."""
    items, right, rows = ITEMS_RIGHT.key, "right_as_a_set", []
    for row in frame.to_dict("records"):
        n, k, exact = row["n"], row["k"], errors.shares[row["mechanism"]].get("exact_set")
        mean = row[f"{items}_exact"]
        rows.append(
            {
                name: Estimate.of_row(row, name, n, unit, most).text
                for name, unit, most in (
                    ("median_simulated", errors.metric.unit_of_estimates, 0),
                    (f"{items}_simulated", "", k),
                    (f"{right}_simulated", PROBABILITY, 0),
                )
            }
            | {f"{items}_exact": "" if np.isnan(mean) else Estimate.exactly(mean, most=k).text}
            | {f"{right}_exact": exact.text if exact else ""}
        )
    return {name: [row[name] for row in rows] for name in rows[0]}
