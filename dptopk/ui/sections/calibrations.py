"""Describe the noise and the cost of rounds that a budget pays by each method of composition."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core import papers
from dptopk.core.errors import METRICS, Metric
from dptopk.core.parameters import Choice
from dptopk.core.privacy import RangeCost
from dptopk.mechanisms import MECHANISMS, ComparesNoise, Mechanism
from dptopk.questions import settings
from dptopk.questions.budget import (
    CALIBRATION,
    METHODS,
    Calibrated,
    calibrated,
    each_calibration,
    noise_times_range,
    of_any_counts,
    spent_deltas,
)
from dptopk.questions.errors import measure_errors, summary_origin
from dptopk.questions.view import View
from dptopk.tuning.repeated import joint_cost, with_share_of_delta
from dptopk.ui import address, results, show, snippets, tables
from dptopk.ui.controls import inputs
from dptopk.ui.controls.goals import planned_releases
from dptopk.ui.formats import compact, needed, plural, rounded, rounded_up, small
from dptopk.ui.sentences import base, texts
from dptopk.ui.show import Chart, Table

SOURCES = (
    papers.GILLENWATER_2022.at("Lemma 4.2"),
    papers.BUN_2016.at("Proposition 1.3"),
    papers.CANONNE_2020.at("conversion of concentrated privacy"),
    papers.DURFEE_2019.at("range of a round"),
    papers.DONG_2020.at("what adaptive rounds cost"),
)
_DASHES = {"optimal": "solid", "renyi": "dash", "cks": "dot", "paper": "dashdot"}
_SEARCHED = 1e-6  # relative error of an ε that was searched for
_DECIMALS = 0.01  # from here on an ε has so many that they tell it
_SAME = 1e-3  # relative: differences that no bar shows
_TIMES = 10  # where nobody said how many
RANGES = (
    "Adding Gumbel noise (a random number of the given scale) to every count and taking the "
    "largest is the exponential mechanism. The privacy loss of one round lies in an interval of "
    "length r, its *range*, not in all of [−r, r]: with a δ, k rounds cost at most "
    "r·√(k·ln(1/δ)/2) + k·r²/8, where that is less than k·r. The table shows what a release of "
    "each mechanism costs in composition:"
)


def choose(view: View, place: Any) -> Mechanism:
    """Draw the choice of calibration; return the mechanism whose rounds are calibrated so."""
    mechanism, parameter = calibrated()
    calibration = inputs.choice(place, parameter, on_change=_said, args=(parameter,))
    return view.build(mechanism, view.k, calibration=calibration)


def method_of(mechanism: Mechanism) -> str:
    """Return the key of the calibration of a mechanism."""
    return str(getattr(mechanism, CALIBRATION))


def _said(parameter: Choice) -> None:
    words = parameter.options[st.session_state[parameter.key]]
    st.toast(f"Calibration on all pages: {words}.", icon=":material/done_all:")


def cost_of_the_run(view: View, chosen: Mechanism) -> None:
    """Show δ against ε of the whole run, as each method proves it."""
    epsilons = np.linspace(2 * view.epsilon / 200, 2 * view.epsilon, 200)
    cost = chosen.cost
    assert isinstance(cost, RangeCost)
    arguments = (cost.range, cost.rounds, tuple(epsilons.tolist()), tuple(_DASHES))
    curves = results.remembered(spent_deltas, *arguments, size=100)
    named = {METHODS[method]: (curves[method], dash) for method, dash in _DASHES.items()}
    at = int(np.abs(epsilons - view.epsilon).argmin())
    each = [f"{name}: {rounded(float(values[at]), 2)}" for name, (values, _) in named.items()]
    spent = f"δ at ε = {compact(view.epsilon)}: {'; '.join(each)}."
    rounds = plural(cost.rounds, "round")
    show.chart(
        Chart(
            figures.privacy_profile(epsilons, named, view.epsilon, view.delta),
            "budget-curve",
            "δ against ε of the whole run, as proven by each method.",
            of_any_counts([chosen]),
            finding=spent,
            slide=f"{chosen.label} in {rounds}, {spent}",
        )
    )
    words = "All curves describe the same run, with noise of scale "
    words += f"{_amount(chosen.scale)} {view.unit}."
    if (end := cost.range * cost.rounds) <= epsilons[-1]:
        words += f" Curves end at ε = {compact(end)} at the latest: {rounds} of range "
        words += f"{compact(cost.range)} cannot cost more."
    st.caption(words + " The promised point, δ = 0, is below the figure." * (not view.delta))


def errors(view: View, metric: Metric) -> None:
    """Run every calibration on the data; show nothing if stopped before the first result."""
    asked_of = view.counts, tuple(each_calibration(view)), metric.key, view.n, view.seed
    measured = measure_errors(*asked_of, unit=view.unit, runner=results.IN_TURNS)
    if not measured.mechanisms:
        return
    origin = summary_origin(view, measured)
    show.tiles(base.medians(measured), "worth")
    summary = tables.error_summary(measured)
    show.table(Table(summary, "budget-errors", "Errors by calibration", origin, measured.rows))
    st.caption(
        f"{texts.describe_metric(measured.metric)} Simulated with the same seed. "
        f"{texts.brackets(view.n)}"
    )


def composition(view: View) -> None:
    """Show what a release of each mechanism costs in composition, and many with a total δ."""
    st.markdown(RANGES)
    every, n, delta = every_mechanism(view), planned_releases(_TIMES), view.delta
    column = f"ε of {n:,} such releases, δ = {compact(delta)}"
    rows, words = [], []
    for mechanism in every:
        shared = with_share_of_delta(mechanism, n, delta)
        cost, of_each = joint_cost(shared, n, delta).epsilon, shared.guarantee.delta
        rows.append({"mechanism": mechanism.label, "counts as": mechanism.cost.words, column: cost})
        adds_up = shared != mechanism and of_each
        each = f" (δ = {compact(float(f'{of_each:.3g}'))} each)" if adds_up else ""
        value = needed(cost) if np.isfinite(cost) else "∞: their δ exceeds it"
        words.append(f"{value}{each}")
    costs, title = pd.DataFrame(rows), "Cost of a release of each mechanism"
    show.table(Table(costs, "costs", title, of_any_counts(every), words={column: words}))
    show.listed(f"**{m.label}**: {m.cost.why}" for m in every)


def every_mechanism(view: View) -> tuple[Mechanism, ...]:
    """Return every registered mechanism that can run with these settings."""
    return replace(view, keys=tuple(m.card.key for m in MECHANISMS.values())).mechanisms


def code(view: View, chosen: Mechanism) -> str:
    """Return lines that print the calibrations, the costs and the errors of the page."""
    epsilon, delta, k, n = view.epsilon, view.delta, view.k, planned_releases(_TIMES)
    part = f"{noise_times_range(chosen):g}"
    per_round = "spread" if part == "1" else f"spread / {part}"
    calibrations = ", ".join(snippets.constructor(one) for one in each_calibration(view))
    metric = METRICS[address.value(settings.METRIC)]
    return f"""
for method in {tuple(METHODS)!r}:
    spread = local_epsilon({epsilon!r}, {delta!r}, {k}, method)
    spent = spent_epsilon(spread, {k}, {delta!r}, "optimal")
    print(method, {per_round}, spent, spent_delta(spread, {k}, {epsilon!r}, "optimal"))
for mechanism in mechanisms:
    print(mechanism.label, mechanism.cost.words, sep=": ")
    one = with_share_of_delta(mechanism, {n}, {delta!r})
    print(joint_cost(one, {n}, {delta!r}).epsilon)
calibrations = [{calibrations}]
{snippets.errors(view.n, view.seed, metric, "calibrations")}"""


def noise_scales(view: View, mechanism: object) -> None:
    """Tabulate the scale of each kind of noise for the number of items, if it is compared."""
    if not isinstance(mechanism, ComparesNoise):
        return
    rows = mechanism.noise_scales(view.counts.d)
    delta = getattr(mechanism, "delta", 0.0)
    scale, deviation = f"scale ({view.unit})", f"standard deviation ({view.unit})"
    frame = pd.DataFrame(
        {
            "noise": row.noise,
            "is added": row.use,
            "promise": f"ε = {compact(view.epsilon)}"
            + ("" if row.pure or not delta else f", δ = {compact(delta)}"),
            scale: row.scale,
            deviation: row.deviation,
            "source": row.source.words,
        }
        for row in rows
    )
    words = {name: [_amount(size) for size in frame[name].fillna(0)] for name in (scale, deviation)}
    origin = view.origin((mechanism,), "exact", settings_of=mechanism.label)
    st.header("Noise of each kind", anchor=False)
    show.table(Table(frame, "noise-scales", "Noise of each kind", origin, words=words))
    st.caption(
        "Scales of different distributions are not comparable: the standard deviation is "
        "π/√6 = 1.28 scales for Gumbel noise, √2 = 1.41 for Laplace noise, and 1 for Gaussian "
        "noise. "
        + "".join(
            f"Of these scales, only that of {row.noise} noise ({row.use}) depends on the "
            f"number of items, {view.counts.d:,} here. "
            for row in rows
            if row.by_items
        )
        + " ".join(
            f"It is not given here: {row.refusal[0].lower()}{row.refusal[1:]}"
            for row in rows
            if row.refusal
        )
    )


def _amount(value: float) -> str:
    """Render an amount of any size in three digits or more, by powers of ten if need be."""
    if 100 <= value < 1e7:
        return f"{value:,.1f}"
    if value == 0 or 1e-3 <= value < 100:
        return f"{value:.3g}" if value < 1 else f"{value:.2f}"
    mantissa, power = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(power)}"


def _at_most(epsilon: float) -> str:
    return _amount(rounded_up(epsilon * (1 - _SEARCHED)))


def tick_template(largest: float) -> str:
    """Return Plotly's format for amounts up to ``largest``, with the digits of `_amount`."""
    if largest >= 1e7:
        return "%{x:.2e}"
    return "%{x:,.3~r}" if largest < 100 else "%{x:,.4~r}"


def title(chosen: Mechanism, noise: Mapping[str, float], unit: str) -> str:
    """Say how much noise is added, and what it is beside the paper's or the tightest one."""
    method = method_of(chosen)
    here, paper, tightest = noise[method], noise["paper"], noise["optimal"]
    scale = f"{chosen.name}'s noise has scale {_amount(here)} {unit}"
    if abs(tightest - paper) <= _SAME * paper:
        return scale
    many = paper > 100 * tightest
    if method == "paper":
        less = f"1/{paper / tightest:,.0f} of it" if many else f"{1 - tightest / paper:.1%} less"
        return f"{scale}; {less} gives the same promise"
    if many:
        return f"{scale}; the paper's is {paper / tightest:,.0f} times as much"
    return f"{scale}, {1 - here / paper:.1%} less than the paper's {_amount(paper)}"


def spent(chosen: Mechanism, rows: Sequence[Calibrated], view: View) -> str:
    """Say how widely the noise spreads, and how much of the budget the run really spends."""
    row = next(row for row in rows if row.method == method_of(chosen))
    deviation = row.noise * np.pi / np.sqrt(6)
    spread = f"The noise is Gumbel, with standard deviation {_amount(deviation)} {view.unit}."
    if row.spent_epsilon == 0:
        return f"{spread} δ = {compact(view.delta)} alone covers the run."
    most, tightest = _at_most(row.spent_epsilon), "By the tightest proven accounting the run spends"
    if float(most.replace(",", "")) >= view.epsilon:
        return (
            f"{spread} {tightest} all of the chosen ε = {compact(view.epsilon)}, to three digits."
        )
    return (
        f"{spread} {tightest} ε = {most} or less at the same δ, of the chosen "
        f"{compact(view.epsilon)}; the difference is noise that the guarantee does not need."
    )


def words_of_methods(frame: pd.DataFrame, unit: str) -> dict[str, list[str]]:
    """Return what is shown in place of the numbers of the table of methods."""
    digits: dict[str, Callable[[float], str]] = {
        "ε₀ = 1 / scale": lambda rate: f"{rate:.5f}" if rate >= _DECIMALS else _amount(rate),
        f"noise scale ({unit})": "{:,.2f}".format,
        "noise against paper": "{:.3f}".format,
        "ε spent at δ": lambda spent: (
            f"{math.ceil(1e4 * spent - 100 * _SEARCHED) / 1e4:.4f}"
            if spent >= _DECIMALS
            else _at_most(spent)
        ),
        "δ spent at ε": small,
    }
    return {name: [write(number) for number in frame[name]] for name, write in digits.items()}
