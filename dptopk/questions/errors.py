"""Errors of each mechanism over many runs, with exact values where they are known."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS, Metric
from dptopk.core.numerals import mean_of, mean_of_runs, probability, share_of_runs
from dptopk.laws.exact import (
    QUICK,
    Chance,
    ErrorLaw,
    NoClosedFormError,
    chance_exact_sequence,
    chance_exact_set,
    exact_error,
    is_always_right,
)
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.requirements import needs
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.origin import Origin
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
from dptopk.simulation.trials import run_trials

PLACES_FROM_1 = "place, from 1; 0: no error"
"""Unit of a place as people count it."""

PLACES_IN_FILES = {"places": "from 1; 0: no error"}
"""Said in files that hold every metric of every run."""

QUANTILES_ARE = {
    "quantiles_are": "of the runs; of the wrong ones alone, reweighted, if the exact probability "
    "of a right release is known"
}
"""Said in files that hold quantiles beside what is exact; see `post_stratified`."""

TITLE = "Errors and items right of each mechanism"

_SHARES = {"exact_sequence": "right_in_order", "exact_set": "right_as_a_set"}
_ITEMS = tuple(f"{ITEMS_RIGHT.key}{end}" for end in ("", "_low", "_high"))
_MEASURED = {name: name for name in ("q25", "median", "q75", ITEMS_RIGHT.key)} | _SHARES


def metric_for_people(metric: Metric) -> Metric:
    """Return the metric with places counted from 1."""
    return replace(metric, unit=PLACES_FROM_1) if metric.is_place else metric


def for_people(trials: pd.DataFrame, metric: Metric) -> tuple[pd.DataFrame, Metric]:
    """Return places counted from 1, with 0 for no error; other metrics unchanged."""
    return places_from_1(trials), metric_for_people(metric)


def with_implied(
    summary: pd.DataFrame, exact_shares: Mapping[str, Mapping[str, Chance]]
) -> pd.DataFrame:
    """Return the summary with the mean of items right clipped to what exact chances imply.

    See `post_stratified.held_mean`.
    Its column ``_exact`` is the mean where both ends have the same four digits, else not a number.
    """
    rows = []
    for row in summary.to_dict("records"):
        known = exact_shares.get(row["mechanism"], {}).get("exact_set")
        if known:
            right = right_items(row["k"], known)
            least, most = implied_mean(right, known)
            mean, low, high = (row[name] for name in _ITEMS)
            held = held_mean(mean, low, high, right, known)
            row |= dict(zip(_ITEMS, held, strict=True))
        as_one = known and f"{least:.4g}" == f"{most:.4g}"
        rows.append(row | {f"{ITEMS_RIGHT.key}_exact": row[ITEMS_RIGHT.key] if as_one else np.nan})
    return pd.DataFrame(rows)


def known_law(counts: ItemCounts, mechanism: Mechanism, metric: str) -> ErrorLaw | None:
    """Return the exact law of the metric; None where it is too large to enumerate."""
    try:
        return exact_error(counts, mechanism, metric)
    except NoClosedFormError:
        return None


def known_shares(
    counts: ItemCounts, mechanism: Mechanism, pause: Callable[[], object] = lambda: None
) -> dict[str, Chance]:
    """Return exact probabilities of right releases that are known and quick to compute."""
    shares: dict[str, Chance] = {}
    with contextlib.suppress(NoClosedFormError):  # the share of the runs is told
        if mechanism.pmf_work(counts.sorted) < QUICK:
            shares["exact_sequence"] = chance_exact_sequence(counts, mechanism)
    pause()
    with contextlib.suppress(NoClosedFormError):
        if is_always_right(mechanism, counts) or mechanism.set_work(counts.sorted) < QUICK:
            shares["exact_set"] = chance_exact_set(counts, mechanism)
    return shares


def rights_of(
    counts: ItemCounts,
    mechanisms: Iterable[Mechanism],
    metric: Metric,
    laws: Mapping[str, ErrorLaw],
    exact_shares: Mapping[str, Mapping[str, Chance]],
) -> dict[Mechanism, Right | None]:
    """Return exact information on quantiles, for mechanisms without an exact law of the metric."""
    return {
        m: known_right(counts, m, metric.key, exact_shares.get(m.label, {}))
        for m in mechanisms
        if m.label not in laws
    }


def metric_columns(metric: Metric) -> dict[str, str]:
    """Return the metric and its unit as columns of a download."""
    return {"metric": metric.title, "unit": metric.unit}


def summary_columns(metric: Metric) -> dict[str, str]:
    """Return the columns that describe the numbers of `error_rows`."""
    how = "mean of the runs, limited to the range implied by the exact probability of the right set"
    return metric_columns(metric) | QUANTILES_ARE | {f"{ITEMS_RIGHT.key}_are": how}


def releases(mechanism: Mechanism) -> str:
    """Return the kind of outputs in a few words."""
    n = f"{mechanism.k:,} item" + ("" if mechanism.k == 1 else "s")
    return mechanism.outputs.words.replace("k items", n)


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
    exact_shares: Mapping[str, Mapping[str, Chance]],
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
            laws[label].quantile(level) if label in laws else own for label, own in known
        ]
    for key, name in _SHARES.items():
        chances = [exact_shares.get(label, {}).get(key) for label in labels]
        frame[f"{name}_exact"] = [one.probability if one else np.nan for one in chances]
        frame[f"{name}_exact_log"] = [one.log if one else np.nan for one in chances]
        frame[f"{name}_exact_log_complement"] = [
            one.log_complement if one else np.nan for one in chances
        ]
    return frame


def summary_origin(view: View, mechanisms: Sequence[Mechanism], metric: Metric) -> Origin:
    """Return the origin of the table of errors."""
    return view.origin(
        mechanisms,
        "as the columns are named: exact or simulated",
        runs=view.n,
        seed=view.seed,
        more=summary_columns(metric),
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Run every mechanism and summarize its errors, with exact values where known."""
    counts, mechanisms = view.counts, view.mechanisms
    trials = run_trials(counts, mechanisms, view.n, view.seed, progress)
    trials, metric = for_people(trials, METRICS[own[METRIC.key]].counted_in(view.unit))
    laws = {
        m.label: law
        for m in mechanisms
        if metric.law in m.exact_metrics and (law := known_law(counts, m, metric.key))
    }
    shares = {m.label: known_shares(counts, m) for m in mechanisms}
    right = rights_of(counts, mechanisms, metric, laws, shares)
    frame = error_rows(summarize(trials, metric.key, right), laws, shares).assign(
        releases=[releases(m) for m in mechanisms], needs=[needs(type(m)) for m in mechanisms]
    )
    exact = ("median_exact", f"{ITEMS_RIGHT.key}_exact", "right_as_a_set_exact")
    known = [name for name in exact if frame[name].notna().any()]
    return Answer(
        "error-summary",
        TITLE,
        frame,
        summary_origin(view, mechanisms, metric),
        (
            "mechanism",
            "median_simulated",
            f"{ITEMS_RIGHT.key}_simulated",
            "right_as_a_set_simulated",
            *known,
            "releases",
        ),
        tuple(view.refusals(view.k, counts)),
        _written(frame, shares),
    )


def _written(
    frame: pd.DataFrame, exact_shares: Mapping[str, Mapping[str, Chance]]
) -> dict[str, list[str]]:
    """Format simulated values with 95% intervals, and probabilities never as a false 0 or 1."""
    found = {}
    for name, words in (
        ("median_simulated", lambda *row: f"{row[0]:,.6g} [{row[1]:,.6g}, {row[2]:,.6g}]"),
        ("right_as_a_set_simulated", share_of_runs),
    ):
        cells = (frame[f"{name}{end}"] for end in ("", "_low", "_high"))
        rows = zip(*cells, strict=True)
        found[name] = ["" if np.isnan(row[0]) else words(*row) for row in rows]
    items = ITEMS_RIGHT.key
    ends = (f"{items}_simulated{end}" for end in ("", "_low", "_high"))
    held = zip(*(frame[name] for name in ends), frame["k"], strict=True)
    found[f"{items}_simulated"] = [mean_of_runs(*row) for row in held]
    exact = zip(frame[f"{items}_exact"], frame["k"], strict=True)
    found[f"{items}_exact"] = ["" if np.isnan(mean) else mean_of(mean, k) for mean, k in exact]
    known = [exact_shares[label].get("exact_set") for label in frame["mechanism"]]
    found["right_as_a_set_exact"] = [
        probability(one.log, one.log_complement) if one else "" for one in known
    ]
    return found
