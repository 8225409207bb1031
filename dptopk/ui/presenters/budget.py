"""How much noise does a budget need?  What each way of composing rounds makes of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from dptopk import accounting, figures, papers, settings
from dptopk.errors import METRICS, Metric
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.origin import Origin
from dptopk.parameters import Choice
from dptopk.privacy import RangeCost
from dptopk.questions.errors import error_rows, for_people, rights_of, summary_columns
from dptopk.summaries import summarize
from dptopk.ui import (
    address,
    budget_words,
    controls,
    findings,
    noise_table,
    results,
    snippets,
    tables,
    texts,
    told,
)
from dptopk.ui.budget_words import amount
from dptopk.ui.calibrations import DASHES, METHODS, Calibrated, calibrated, spent_curves
from dptopk.ui.formats import compact, plural
from dptopk.ui.noise_table import NoiseTable
from dptopk.ui.widgets import Chart, Table, Tile
from dptopk.view import View

SOURCES = (
    papers.GILLENWATER_2022.at("Lemma 4.2"),
    papers.BUN_2016.at("Proposition 1.3"),
    papers.CANONNE_2020.at("conversion of concentrated privacy"),
    papers.DURFEE_2019.at("range of a round"),
    papers.DONG_2020.at("what adaptive rounds cost"),
)
_CALIBRATION = "calibration"
_TIMES = 10
_CHOSEN = "The bar in full colour is the calibration chosen here."
RANGES = (
    "Adding Gumbel noise (a random number of the given scale) to every count and taking the "
    "largest is the exponential mechanism. The privacy loss of one round lies in an interval of "
    "length r, its *range*, not in all of [−r, r]: k rounds spend about r·√(k·ln(1/δ)/2) + k·r²/8 "
    "instead of k·r. What a release counts as when it is composed with others:"
)


@dataclass(frozen=True)
class Budgeted:
    """The mechanism whose rounds are calibrated, as chosen in the sidebar."""

    mechanism: Mechanism
    cost: RangeCost
    parameter: Choice

    @property
    def method(self) -> str:
        """The calibration that is chosen."""
        return str(getattr(self.mechanism, _CALIBRATION))

    @property
    def noise_times_range(self) -> float:
        """Noise is inversely proportional to the range of a round."""
        return self.mechanism.scale * self.cost.range


@dataclass(frozen=True)
class Shown:
    """What calibrations make of the budget."""

    tiles: list[Tile]
    noise: Chart
    table: Table
    note: str
    chart: Chart
    chart_note: str
    noises: NoiseTable | None
    costs: Table
    reasons: list[str]
    code: str


@dataclass(frozen=True)
class Worth:
    """What the calibrations are worth on the data."""

    tiles: list[Tile]
    table: Table
    caption: str


def budgeted(view: View, place: Any) -> Budgeted:
    """Choose the calibration; the first registered mechanism that has one is looked at."""
    found = (m for m in MECHANISMS.values() if m.card.takes(_CALIBRATION))
    mechanism = next(found)
    parameter = next(p for p in mechanism.card.parameters if p.key == _CALIBRATION)
    assert isinstance(parameter, Choice)
    calibration = controls.choice(place, parameter, on_change=_said, args=(parameter,))
    chosen = view.build(mechanism, view.k, calibration=calibration)
    assert isinstance(chosen.cost, RangeCost)
    return Budgeted(chosen, chosen.cost, parameter)


def _said(parameter: Choice) -> None:
    """Say that a choice made here holds everywhere."""
    words = parameter.options[st.session_state[parameter.key]]
    st.toast(f"On all pages the calibration is now: {words}.", icon=":material/done_all:")


def question(view: View) -> tuple[str, str]:
    """The question, and how to read the page."""
    name = next(m.name for m in MECHANISMS.values() if m.card.takes(_CALIBRATION))
    return (
        "How much noise does this budget need?",
        f"{name} releases {plural(view.k, 'item')} in {plural(view.k, 'round')} with "
        f"ε = {compact(view.epsilon)} and δ = {compact(view.delta)}: "
        f"{budget_words.adding_up(view.k, view.delta)}.",
    )


def present(view: View, chosen: Budgeted) -> Shown:
    """Calibrate by every method, and say what each spends."""
    rows = [
        Calibrated(method, chosen.noise_times_range / spread, *spent)
        for method, (spread, *spent) in calibrated(view.epsilon, view.delta, view.k).items()
    ]
    epsilons, curves = spent_curves(chosen.cost.range, chosen.cost.rounds, 2 * view.epsilon)
    named = {METHODS[method]: (curves[method], dash) for method, dash in DASHES.items()}
    spent = budget_words.spent_words(epsilons, named, view.epsilon)
    whose = f"{chosen.mechanism.label} in {plural(chosen.cost.rounds, 'round')}"
    tiles = budget_words.tiles(rows, chosen.method, view, SOURCES[0].link)
    return Shown(
        tiles=tiles,
        noise=Chart(
            figures.amounts(
                [METHODS[row.method] for row in rows],
                [row.noise for row in rows],
                f"noise on each count ({view.unit}, Gumbel scale)",
                budget_words.template(max(row.noise for row in rows)),
                [row.method == chosen.method for row in rows],
                lines=3,
            ),
            "noise",
            "Noise on each count by the way in which the rounds are added up; the calibration "
            "chosen is darker.",
            _of_any_counts(_both(view, chosen)).read_as(_CHOSEN),
            height=300,
            finding=told.numbers(tiles),
            slide=f"{whose}, {told.numbers(tiles)} {_CHOSEN}",
        ),
        table=Table(
            budget_words.written(_frame(rows, view.unit), view.unit),
            "calibrations",
            "Noise and cost by way of adding up",
            _of_any_counts(_both(view, chosen)),
            _frame(rows, view.unit),
        ),
        note="Asked: ε and δ of the sidebar. Spent: what the run costs at most, by the tightest "
        "proven accounting; what is left over is noise that the guarantee did not need. "
        f"{_CHOSEN} It holds on all pages."
        + budget_words.noise_words([row.noise for row in rows], view.epsilon, view.delta),
        chart=Chart(
            figures.privacy_profile(epsilons, named, view.epsilon, view.delta),
            "budget-curve",
            "Delta against epsilon of the whole run, as each method proves it.",
            _of_any_counts([chosen.mechanism]),
            finding=spent,
            slide=f"{whose}, {spent}",
        ),
        chart_note="All curves are of one run, with noise of scale "
        f"{amount(chosen.mechanism.scale)} {view.unit}."
        + budget_words.curve_words(
            epsilons, curves["optimal"], chosen.cost.range, chosen.cost.rounds, view.delta
        ),
        noises=noise_table.registered(view),
        costs=Table(
            budget_words.together(_costs(view), _together(view)),
            "costs",
            "Cost of a release of each mechanism",
            _of_any_counts(_every(view)),
            _costs(view),
        ),
        reasons=[f"**{mechanism.label}**: {mechanism.cost.why}" for mechanism in _every(view)],
        code=snippets.small(view.source.python, _every(view), _code(view, chosen)),
    )


def choose_metric() -> Metric:
    """The error in which the calibrations are compared."""
    return METRICS[controls.choice(st, settings.METRIC, look="select")]


def worth(view: View, chosen: Budgeted, asked: Metric) -> Worth | None:
    """Run every calibration on the data; nothing if stopped at once."""
    both = _both(view, chosen)
    run = results.trials(view.counts, both, view.n, view.seed, "budget")
    if not run.n_done:
        return None
    trials, metric = for_people(run.frame, asked.counted_in(view.unit))
    shares = results.exact_shares(view.counts, both)
    right = rights_of(view.counts, both, metric, {}, shares)
    summary = summarize(trials, metric.key, right)
    return Worth(
        findings.medians(summary, {}, metric),
        Table(
            tables.error_summary(summary, {}, shares),
            "budget-errors",
            "Errors by calibration",
            view.origin(
                both,
                "as the columns are named: exact or simulated",
                runs=view.n,
                seed=view.seed,
                more=summary_columns(metric),
            ),
            error_rows(summary, {}, shares),
        ),
        f"{texts.describe_metric(metric)} Simulated with the same seed. {texts.brackets(view.n)}",
    )


def _of_any_counts(mechanisms: Sequence[Mechanism]) -> Origin:
    """What follows from the settings alone."""
    return Origin("any counts", None, mechanisms, "proven bounds")


def _both(view: View, chosen: Budgeted) -> tuple[Mechanism, ...]:
    """The mechanism at the asked budget, once for each calibration."""
    return tuple(
        view.build(type(chosen.mechanism), view.k, calibration=option)
        for option in chosen.parameter.options
    )


def _frame(rows: list[Calibrated], unit: str) -> pd.DataFrame:
    """One row a method."""
    paper = next(row for row in rows if row.method == "paper")
    return pd.DataFrame(
        {
            "method": row.method,
            "what it is": METHODS[row.method],
            "ε₀ = 1 / scale": 1 / row.noise,
            f"noise scale ({unit})": row.noise,
            "noise against paper": row.noise / paper.noise,
            "ε spent at δ": row.spent_epsilon,
            "δ spent at ε": row.spent_delta,
        }
        for row in rows
    )


def _costs(view: View) -> pd.DataFrame:
    """What each mechanism declares that a release counts as, and what many of them spend."""
    return pd.DataFrame(
        {
            "mechanism": mechanism.label,
            "counts as": mechanism.cost.words,
            _together(view): accounting.composed_epsilon(mechanism.cost, _TIMES, view.delta),
        }
        for mechanism in _every(view)
    )


def _together(view: View) -> str:
    """Name of the column of what many releases spend."""
    return f"ε of {_TIMES} such releases, δ = {compact(view.delta)}"


def _every(view: View) -> list[Mechanism]:
    """Every registered mechanism that can run with these settings."""
    built = (view.build_on(m, view.k, view.counts) for m in MECHANISMS.values())
    return [mechanism for mechanism in built if isinstance(mechanism, Mechanism)]


def _code(view: View, chosen: Budgeted) -> str:
    epsilon, delta, k = view.epsilon, view.delta, view.k
    part = f"{chosen.noise_times_range:g}"
    per_round = "spread" if part == "1" else f"spread / {part}"
    calibrations = ", ".join(snippets.constructor(one) for one in _both(view, chosen))
    metric = METRICS[address.value(settings.METRIC)]
    call = f"run_trials(counts, calibrations, n={view.n}, seed={view.seed})"
    return f"""
for method in {tuple(METHODS)!r}:
    spread = local_epsilon({epsilon!r}, {delta!r}, {k}, method)
    spent = spent_epsilon(spread, {k}, {delta!r}, "optimal")
    print(method, {per_round}, spent, spent_delta(spread, {k}, {epsilon!r}, "optimal"))
for mechanism in mechanisms:
    print(mechanism.label, mechanism.cost.words, sep=": ")
    print(composed_epsilon(mechanism.cost, {_TIMES}, {delta!r}))
calibrations = [{calibrations}]
{snippets.errors(call, metric, "calibrations")}"""
