"""Show a simulated series of queries on one budget, charged by the items they return.

The queries are adaptive: each asks for what comes after the items released before.
"""

from typing import Any

import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.accounting import LEDGER_METHODS, OutcomeLedger
from dptopk.core import papers
from dptopk.core.numerals import without_noise
from dptopk.core.outputs import EMPTY_SIGN
from dptopk.core.parameters import Number
from dptopk.core.privacy import PerOutcomeCost
from dptopk.mechanisms import MECHANISMS
from dptopk.questions.view import View, styles_of
from dptopk.simulation.adaptive_queries import ask_for_the_next, calls_paid_in_full
from dptopk.ui import results, show, snippets
from dptopk.ui.controls import inputs
from dptopk.ui.formats import compact, needed, plural, rounded, rounded_up
from dptopk.ui.sentences import alt_text
from dptopk.ui.show import Chart, Table, Tile
from dptopk.ui.widgets import links

MOST_OUTCOMES = 10_000
CALLS = Number(
    "calls",
    "Lists at most",
    1,
    200,
    20,
    help="ℓ* in the papers, where a list is the answer to a call. Each adds to δ, for items that a "
    "single user may have added.",
)
METHODS = {
    "basic": "basic composition",
    "durfee-rogers": "Durfee and Rogers",
    "optimal": "tightest proven",
}
_DELTA = "δ of the series"
SOURCES = (
    papers.DURFEE_2019.at("pay-what-you-get composition"),
    papers.DONG_2020.at("what adaptive rounds cost"),
)
PROMISE = (
    "The limits, k\\* outcomes and ℓ\\* lists, are fixed beforehand. A list is charged the "
    f"number of its items plus one, for the {EMPTY_SIGN} that ends it, and is refused if it "
    "could cost more than is left. Even if each question depends on earlier answers, the series "
    "costs the ε of k\\* rounds and δ = 2ℓ\\*δ₀ + δ′: δ₀ per list for items that a single user "
    "may have added, and δ′ (the δ among the assumptions) for the composition of the rounds. The "
    "guarantee covers the whole budget, whether or not it is used up."
)


def example(view: View, screen: show.Screen, controls: Any) -> None:
    """Run calls until the ledger refuses, and compute the total cost."""
    by_outcome = next(m for m in MECHANISMS.values() if m.card.pays_by_outcome)
    screen.ask_first(
        "How many lists does one privacy budget pay for?",
        "A ledger keeps one budget for all releases about the same people. Simulated here: each "
        f"list asks for the next {view.k} items and costs one unit, and one for each item in it.",
    )
    with controls:
        show.redraw("Draw again", "series")
    outcomes = Number(
        "outcomes",
        "Budget, in units",
        1,
        MOST_OUTCOMES,
        5 * (view.k + 1),
        help="k* in the papers, which call them outcomes: one for each item released in all lists "
        "together, and one for each list, for the sign that ends it.",
    )
    wanted = inputs.number(controls, outcomes)
    most = inputs.number(controls, CALLS)
    mechanism = view.build_on(by_outcome, view.k, view.counts)
    if isinstance(mechanism, str):
        with screen.place:
            show.problem("No question can be asked here", mechanism)
        return
    assert isinstance(mechanism.cost, PerOutcomeCost)
    ledger = OutcomeLedger(mechanism.cost, wanted, most)
    with screen.place:
        series = results.remembered(
            ask_for_the_next, view.counts, mechanism, ledger, view.seed, size=ledger.calls
        )
    cost, k, n = mechanism.cost, mechanism.k, len(series.answers)
    epsilon = ledger.total_epsilon(view.delta, "optimal")
    delta = ledger.total_delta(view.delta)
    delta_said, lists = compact(rounded_up(delta)), plural(n, "list")
    empty, paid_in_full = int((series.returned == 0).sum()), calls_paid_in_full(ledger, k)
    ends = f"The series ends because {series.ended}."
    how: dict[str, Any] = {
        "settings_of": f"a call of {mechanism.label} alone",
        "alone": f"The whole series, {plural(ledger.outcomes, 'outcome')} and "
        f"{plural(ledger.calls, 'list')} at most, costs ε = {needed(epsilon, 4)} and δ = "
        f"{delta_said}: ε₀ = {rounded(cost.range, 4)} an outcome, δ₀ = "
        f"{rounded(cost.call_delta, 3)} a list.",
        "more": {
            "mechanism": mechanism.label,
            "outcomes": ledger.outcomes,
            "calls": ledger.calls,
            "epsilon_of_series": epsilon,
            "delta_of_series": without_noise(delta),
            "outcome_range": cost.range,
            "call_delta": cost.call_delta,
        },
    }
    origin = view.origin(
        (mechanism,), "simulated", runs=1, runs_are="series", seed=view.seed, **how
    )
    charged = int(series.charged.sum())
    every = "All " if n == ledger.calls > 1 else ""
    used = f"{charged:,} of the budget's {plural(ledger.outcomes, 'unit')}"
    fit = f"charged {k:,} each, {paid_in_full:,} would fit"
    left = f"but {empty:,} are empty" if 2 * empty > n else fit
    sentence = f"{every}{lists} {'costs' if n == 1 else 'cost'} {used}, {left}"
    tiles = [
        Tile(
            "Items released",
            f"{series.returned.sum():,}",
            f"{empty:,} of {lists} empty · simulated",
            "In this series, with the seed of all pages; draw again for another. An empty list "
            "costs one.",
        ),
        Tile(
            "ε of all lists",
            needed(epsilon),
            f"of one list alone: {compact(view.epsilon)}",
            "An upper bound, by the tightest proven composition of k* outcomes, for any questions "
            f"and whether or not they are used up. The chosen ε = {compact(view.epsilon)} is "
            "that of a single list.",
        ),
        Tile(
            "δ of all lists",
            delta_said,
            f"of one list alone: {compact(view.delta)}",
            "Of all ℓ* lists together.",
        ),
    ]
    style = styles_of((mechanism,))
    spent = Chart(
        figures.outcomes_spent(
            mechanism.label, series.returned, series.charged, k, ledger.outcomes, style
        ),
        "outcomes-spent",
        f"Budget spent after each list, charged by its items and charged {k:,} each.",
        origin,
        finding=f"{alt_text.numbers(tiles)} {ends}",
    )
    screen.lead(sentence, spent)
    calls = pd.DataFrame(
        {
            "list": range(1, n + 1),
            "items released": series.returned,
            "charged": series.charged,
            "budget left": ledger.outcomes - series.charged.cumsum(),
            "lists left": [ledger.calls - number for number in range(1, n + 1)],
        }
    )
    with show.below(spent, ends):
        show.tiles(tiles)
        show.table(Table(calls, "calls", "List by list", origin))
    st.header("What the whole series costs", anchor=False)
    meaning = (
        "An outcome, an item or the end of a list, is a round of range ε₀ = "
        f"{rounded(cost.range, 4)}, with the noise that a single release needs at the current ε; "
        f"a list has δ₀ = {rounded(cost.call_delta, 3)}."
    )
    st.markdown(f"{PROMISE} {meaning}")
    in_full, rows = OutcomeLedger(cost, max(1, n * k), ledger.calls), []
    for method in LEDGER_METHODS:
        own = 0.0 if method == "basic" else view.delta
        row = {"composed by": METHODS[method], "ε of the series": ledger.total_epsilon(own, method)}
        row |= {_DELTA: without_noise(ledger.total_delta(own))}
        row |= {f"ε if the {lists} were charged {k:,} each": in_full.total_epsilon(own, method)}
        rows.append(row)
    totals = pd.DataFrame(rows)
    words = {_DELTA: [rounded(value, 3) for value in totals[_DELTA]]}
    epsilons = [name for name in map(str, totals) if name.startswith("ε")]
    words |= {name: [needed(value, 4) for value in totals[name]] for name in epsilons}
    of_series = view.origin((mechanism,), "exact", **how)
    show.table(Table(totals, "totals", "Cost of the whole series", of_series, words=words))
    links.sources(SOURCES)
    code = f"""
ledger = OutcomeLedger(mechanisms[0].cost, {ledger.outcomes}, {ledger.calls})
series = ask_for_the_next(counts, mechanisms[0], ledger, seed={view.seed})
print(series.returned, series.ledger.charged, series.ended)
methods = {{"basic": 0.0, "durfee-rogers": {view.delta!r}, "optimal": {view.delta!r}}}
for method, delta in methods.items():
    print(method, ledger.total_epsilon(delta, method), ledger.total_delta(delta))
"""
    show.take_away(snippets.small(view.source.python, (mechanism,), code), origin)
