"""Show what is left in a copy of a ledger, or a simulated series of queries as an example.

The queries are adaptive, on one budget, and charged by the items they return.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
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
from dptopk.data.ingest import IngestError
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.publishing.ledger import (
    LONGEST,
    MOST_BYTES,
    Entry,
    LedgerCopy,
    LedgerError,
    read_ledger,
)
from dptopk.questions import settings
from dptopk.questions.origin import Origin
from dptopk.questions.view import View, styles_of
from dptopk.simulation.adaptive_queries import QueryAnswers, ask_for_the_next, calls_paid_in_full
from dptopk.ui import address, keys, results, show
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    Markdown,
    Note,
    Problem,
    Sources,
    Table,
    Tile,
    Tiles,
)
from dptopk.ui.findings import alt_text
from dptopk.ui.formats import compact, needed, plain, plural, rounded, rounded_up, written
from dptopk.ui.server import work

COPY = (
    "`dptopk publish` charges every real release to a ledger, one file for the people it protects. "
    "This page shows a copy and does not change it; the copy stays in the memory of this session "
    "until you remove it. This app draws and enters nothing."
)
_BEGIN = "No ledger yet? This command creates one, once for these people:"
_CREATE = 'dptopk ledger create budget.sqlite --epsilon 2 --delta 1e-6 --protects "one patient"'
MOST_OUTCOMES = 10_000
CALLS = Number(
    "calls",
    "Calls, ℓ*",
    1,
    200,
    20,
    help="Maximum number of calls. Each adds to δ, for items that a single user may have added.",
)
METHODS = {
    "basic": "basic composition",
    "durfee-rogers": "Durfee and Rogers",
    "optimal": "tightest proven",
}
_DELTA = "δ of the series"
_YEAR = 52  # releases, where nobody said how many
SOURCES = (
    papers.DURFEE_2019.at("pay-what-you-get composition"),
    papers.DONG_2020.at("what adaptive rounds cost"),
)
PROMISE = (
    "The limits, k\\* outcomes and ℓ\\* calls, are fixed beforehand. A call is charged the "
    f"number of items released plus one, for the {EMPTY_SIGN} that ends it, and is refused if it "
    "could cost more than is left. Even if each question depends on earlier answers, the series "
    "costs the ε of k\\* rounds and δ = 2ℓ\\*δ₀ + δ′: δ₀ per call for items that a single user "
    "may have added, and δ′ (the δ of the sidebar) for the composition of the rounds. The "
    "guarantee covers the whole budget, whether or not it is used up."
)
_READING = "ledger-file"


@dataclass(frozen=True)
class Unreadable:
    """Reason why an uploaded ledger cannot be shown."""

    reason: str


@dataclass(frozen=True)
class Budget:
    """The mechanism and the ledger before the first call."""

    mechanism: Mechanism
    ledger: OutcomeLedger


Asked = LedgerCopy | Unreadable | Budget | str
"""Content of the page: a ledger or the example; text is the reason why that cannot run."""


def question(view: View, asked: Asked) -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    if isinstance(asked, LedgerCopy | Unreadable):
        return (
            "What is left in this ledger, and what would still fit?",
            "This is a copy of a ledger of real releases: nothing is changed, drawn or entered "
            "here.",
        )
    return (
        "How many questions does one budget answer?",
        "**Open a ledger of real releases** to see what is left in it. Until then, this is a "
        f"simulated example: each call to {_asked().name} asks for the next top {view.k} and "
        "is charged the number of items released, plus one. With few items per call, the budget "
        f"lasts longer than at {view.k} per call.",
    )


def choose(view: View, place: Any) -> Asked:
    """Draw the controls of the page; without a ledger those of the example."""
    copy = _uploaded_copy(place)
    if copy is not None:
        return Unreadable(copy) if isinstance(copy, str) else copy
    with place:
        show.redraw("Ask again", "series")
    outcomes = Number(
        "outcomes",
        "Outcomes, k*",
        1,
        MOST_OUTCOMES,
        5 * (view.k + 1),
        help="Maximum number of outcomes of all calls together: items released, plus one per call.",
    )
    wanted = inputs.number(place, outcomes)
    calls = inputs.number(place, CALLS)
    mechanism = view.build_on(_asked(), view.k, view.counts)
    if isinstance(mechanism, str):
        return mechanism
    assert isinstance(mechanism.cost, PerOutcomeCost)
    return Budget(mechanism, OutcomeLedger(mechanism.cost, wanted, calls))


def present(view: View, asked: Asked) -> Iterator[Exhibit]:
    """Show the copy of a ledger, or the example."""
    if isinstance(asked, LedgerCopy):
        yield from _copy(view, asked)
    elif isinstance(asked, Unreadable):
        yield Problem("This file cannot be shown", asked.reason)
    elif isinstance(asked, str):
        yield Problem("No question can be asked here", asked)
    else:
        yield from _example(view, asked)


def _example(view: View, budget: Budget) -> Iterator[Exhibit]:
    """Run calls until the ledger refuses, and compute the total cost."""
    mechanism, ledger = budget.mechanism, budget.ledger
    series = results.remembered(
        ask_for_the_next, view.counts, mechanism, ledger, view.seed, size=ledger.calls
    )
    assert isinstance(mechanism.cost, PerOutcomeCost)
    how: dict[str, Any] = {
        "settings_of": f"a call of {mechanism.label} alone",
        "alone": _promise_of_series(view, ledger, mechanism.cost),
        "more": {
            "mechanism": mechanism.label,
            "outcomes": ledger.outcomes,
            "calls": ledger.calls,
            "epsilon_of_series": ledger.total_epsilon(view.delta, "optimal"),
            "delta_of_series": without_noise(ledger.total_delta(view.delta)),
            "outcome_range": mechanism.cost.range,
            "call_delta": mechanism.cost.call_delta,
        },
    }
    origin = view.origin(
        (mechanism,), "simulated", runs=1, runs_are="series", seed=view.seed, **how
    )
    tiles = _tiles(view, budget, series)
    totals = _totals(view, ledger, len(series.answers), mechanism.k)
    spent = Chart(
        figures.outcomes_spent(
            mechanism.label,
            series.returned,
            series.charged,
            mechanism.k,
            ledger.outcomes,
            styles_of((mechanism,)),
        ),
        "outcomes-spent",
        "Outcomes spent after each call, charged by items released and charged in full.",
        origin,
        finding=alt_text.numbers(tiles),
        slide=_slide(view, ledger, series, mechanism.k),
    )
    yield FirstScreen([Tiles(tiles)], [Lead(spent)])
    yield Caption(f"{_ending(series, mechanism.k)} {_meaning(mechanism)}")
    yield FigureButtons(spent)
    yield Header("What the whole series costs")
    yield Markdown(PROMISE)
    yield Table(
        written(
            totals,
            {_DELTA: [rounded(value, 3) for value in totals[_DELTA]]}
            | {name: [needed(value, 4) for value in totals[name]] for name in _epsilons(totals)},
        ),
        "totals",
        "Cost of the whole series",
        view.origin((mechanism,), "exact", **how),
        totals,
    )
    yield Sources(SOURCES)
    yield Header("Call by call")
    yield Table(_calls(series, ledger), "calls", "Call by call", origin, options={"height": 320})
    code = snippets.small(view.source.python, (mechanism,), _code(view, ledger))
    yield Code(code, origin)


def _copy(view: View, found: LedgerCopy) -> Iterator[Exhibit]:
    """Yield the contents of a copy of a ledger, and further releases that would fit."""
    left, releases = found.left, _releases()
    origin = Origin("a ledger of releases", None, (), "as stated in the file")
    spent = pd.DataFrame([_entry(entry) for entry in found.entries], columns=_ENTRY)
    fitting = _fitting(view, found)
    tiles = [
        Tile("ε left", compact(left.epsilon), f"of {compact(found.epsilon)}, adding up"),
        Tile("zCDP left", f"ρ = {rounded(left.rho, 3)}", "for many small releases"),
        Tile(
            "δ left",
            compact(left.delta),
            f"of {compact(found.delta)}, for releases with a δ of their own",
        ),
        Tile("Releases so far", f"{len(found.entries):,}"),
    ]
    above: list[Exhibit] = [
        Markdown(f"Protects, as stated by its creator: {plain(found.protects)}."),
        Tiles(tiles, "copy"),
    ]
    planned = _planned(fitting, found, releases)
    if planned.empty:
        yield FirstScreen(above, [])
        yield Note("No mechanism that can be published fits the settings of the sidebar.")
    else:
        column = _EACH.format(releases)
        labels, largest = planned["mechanism"].tolist(), planned[column].tolist()
        best = labels[largest.index(max(largest))]
        said = (
            f"Of {plural(releases, 'release')} by one mechanism, all fit at ε = "
            f"{compact(max(largest))} each by {best}, the most here."
        )
        chart = Chart(
            figures.amounts(
                labels,
                largest,
                f"largest ε of each of {plural(releases, 'release')}",
                "%{x:.4~g}",
                [one == max(largest) for one in largest],
            ),
            "fits",
            f"Largest ε of each of {plural(releases, 'release')} that still fit, by mechanism.",
            origin,
            height=80 + 34 * len(planned),
            finding=said,
            slide=said,
        )
        yield FirstScreen(above, [Lead(chart)])
        short = {one.label: found.shortage(one, releases) for one in fitting}
        why = dict.fromkeys(f"{words[0].upper()}{words[1:]}." for words in short.values() if words)
        yield Caption(" ".join([said, *(f"0: {words}" for words in why)]))
        yield FigureButtons(chart)
        yield Header("What would still fit")
        yield Table(planned, "planned", "Releases that still fit", origin)
    yield Header("What was released")
    yield Table(spent, "spent", "Releases in the ledger", origin)
    yield Caption("Remove the file to see an example of a series that is charged by its results.")
    if fitting:
        code = f"""
ledger = Ledger.open("budget.sqlite")
print(ledger.left, len(ledger.entries))
for mechanism in mechanisms:
    print(mechanism.label, ledger.largest_epsilon(mechanism, {releases}))
"""
        yield Code(snippets.small(view.source.python, fitting, code), origin)


_EACH = "largest ε of each of {:,}"
_ENTRY = ["release", "entered (UTC)", "data", "mechanism", "k", "ε", "δ", "ρ (zCDP)"]
_ENTRY += ["purpose", "entered by", "annotations"]
_MOST_NOTES = 5 * LONGEST  # characters of an entry's annotations that are shown


def _entry(entry: Entry) -> list[object]:
    price, settings_of = entry.price, entry.settings
    named = [str(settings_of.get(key, ""))[:100] for key in ("mechanism", "k")]
    costs = [float(cost) for cost in (price.epsilon, price.delta, price.rho)]
    said = [entry.purpose, entry.author, entry.notes[:_MOST_NOTES]]
    return [entry.number, entry.entered[:19].replace("T", " "), entry.title, *named, *costs, *said]


def _releases() -> int:
    """Return the number of releases that are planned: those of the link, or of a year of weeks."""
    releases = int(address.value(settings.RELEASES))
    return releases if releases > 1 else _YEAR


def _fitting(view: View, account: LedgerCopy) -> list[Mechanism]:
    """Return the mechanisms with an exact sampler that the settings of the sidebar fit."""
    found = []
    for kind in MECHANISMS.values():
        with suppress(ValueError):  # such as δ = 0 where one is needed
            found.append(view.build(kind, view.k, neighbors=account.neighbors))
    return [mechanism for mechanism in found if not mechanism.why_not_exact]


def _planned(fitting: list[Mechanism], account: LedgerCopy, releases: int) -> pd.DataFrame:
    """Tabulate what each mechanism could still release, one row each."""
    return pd.DataFrame(
        {
            "mechanism": mechanism.label,
            "ε of each": mechanism.epsilon,
            "number that still fits": account.how_many(mechanism),
            "largest ε of one": account.largest_epsilon(mechanism),
            _EACH.format(releases): account.largest_epsilon(mechanism, releases),
        }
        for mechanism in fitting
    )


def _asked() -> type[Mechanism]:
    """Return the first registered mechanism whose calls are charged by outcome."""
    return next(m for m in MECHANISMS.values() if m.card.pays_by_outcome)


def _tiles(view: View, budget: Budget, series: QueryAnswers) -> list[Tile]:
    ledger = budget.ledger
    n_calls, in_full = len(series.answers), calls_paid_in_full(ledger, budget.mechanism.k)
    empty = int((series.returned == 0).sum())
    return [
        Tile(
            "Calls that released items",
            f"{n_calls - empty:,} of {n_calls:,}",
            f"{empty:,} empty · {in_full:,} calls if each were charged {budget.mechanism.k:,}",
            "In this series, with the sidebar's seed; draw again for another. A call without items "
            "also costs one outcome.",
        ),
        Tile("Items released", f"{series.returned.sum():,}", "simulated"),
        Tile(
            "ε of the series",
            needed(ledger.total_epsilon(view.delta, "optimal")),
            f"of one call alone: {compact(view.epsilon)}",
            "An upper bound, by the tightest proven composition of k* outcomes, for any questions "
            f"and whether or not they are used up. The sidebar's ε = {compact(view.epsilon)} is "
            "that of a single call.",
        ),
        Tile(
            "δ of the series",
            _total_delta(view, ledger),
            f"of one call alone: {compact(view.delta)}",
            "Of all ℓ* calls together.",
        ),
    ]


def _total_delta(view: View, ledger: OutcomeLedger) -> str:
    """Format the δ of a series, rounded up so that it holds."""
    return compact(rounded_up(ledger.total_delta(view.delta)))


def _promise_of_series(view: View, ledger: OutcomeLedger, cost: PerOutcomeCost) -> str:
    """Return a sentence on the cost of the series, for downloads."""
    total = needed(ledger.total_epsilon(view.delta, "optimal"), 4)
    return (
        f"The whole series, {plural(ledger.outcomes, 'outcome')} and "
        f"{plural(ledger.calls, 'call')} at most, costs ε = {total} and δ = "
        f"{_total_delta(view, ledger)}: ε₀ = {rounded(cost.range, 4)} an outcome, "
        f"δ₀ = {rounded(cost.call_delta, 3)} a call."
    )


def _ending(series: QueryAnswers, k: int) -> str:
    """Describe the results of the calls and the reason why the series ended."""
    empty, whole = int((series.returned == 0).sum()), int((series.returned == k).sum())
    n = len(series.answers)
    gave = [f"{empty:,} of {plural(n, 'call')} released nothing"] if empty else []
    gave += [f"{whole:,} released all {k:,}"] if whole and empty else []
    words = f"{', '.join(gave)}. " if gave else ""
    return f"{words}The series ends because {series.ended}."


def _slide(view: View, ledger: OutcomeLedger, series: QueryAnswers, k: int) -> str:
    """Describe the series in one line."""
    return (
        f"Each call asks for the next top {k:,}, without the items released before. "
        f"{int((series.returned > 0).sum()):,} of {plural(len(series.answers), 'call')} released "
        f"items; if each were charged {k:,}, there would be {calls_paid_in_full(ledger, k):,}. "
        f"{_ending(series, k)} The whole series: ε = "
        f"{needed(ledger.total_epsilon(view.delta, 'optimal'))}, δ = "
        f"{_total_delta(view, ledger)}."
    )


def _meaning(mechanism: Mechanism) -> str:
    cost = mechanism.cost
    assert isinstance(cost, PerOutcomeCost)
    call_delta = rounded(cost.call_delta, 3)
    return (
        f"An outcome is a round of range ε₀ = {rounded(cost.range, 4)}, with the noise that a "
        f"single release needs at the current ε; a call has δ₀ = {call_delta}."
    )


def _totals(view: View, ledger: OutcomeLedger, n_calls: int, k: int) -> pd.DataFrame:
    """Tabulate the cost of the series by each method, and the cost of paying in full."""
    in_full = OutcomeLedger(ledger.cost, max(1, n_calls * k), ledger.calls)
    rows = []
    for method in LEDGER_METHODS:
        delta = 0.0 if method == "basic" else view.delta
        rows.append(
            {
                "composed by": METHODS[method],
                "ε of the series": ledger.total_epsilon(delta, method),
                _DELTA: without_noise(ledger.total_delta(delta)),
                (
                    f"ε if the {plural(n_calls, 'call')} were charged {k:,} each"
                ): in_full.total_epsilon(delta, method),
            }
        )
    return pd.DataFrame(rows)


def _epsilons(totals: pd.DataFrame) -> list[str]:
    """Return the columns of a total ε, which is rounded up."""
    return [name for name in map(str, totals) if name.startswith("ε")]


def _calls(series: QueryAnswers, ledger: OutcomeLedger) -> pd.DataFrame:
    """Tabulate the series, one row per call."""
    return pd.DataFrame(
        {
            "call": range(1, len(series.answers) + 1),
            "items released": series.returned,
            "outcomes charged": series.charged,
            "outcomes left": ledger.outcomes - series.charged.cumsum(),
            "calls left": [ledger.calls - n for n in range(1, len(series.answers) + 1)],
        }
    )


def _code(view: View, ledger: OutcomeLedger) -> str:
    return f"""
ledger = OutcomeLedger(mechanisms[0].cost, {ledger.outcomes}, {ledger.calls})
series = ask_for_the_next(counts, mechanisms[0], ledger, seed={view.seed})
print(series.returned, series.ledger.charged, series.ended)
methods = {{"basic": 0.0, "durfee-rogers": {view.delta!r}, "optimal": {view.delta!r}}}
for method, delta in methods.items():
    print(method, ledger.total_epsilon(delta, method), ledger.total_delta(delta))
"""


def _uploaded_copy(place: Any) -> LedgerCopy | str | None:
    """Draw the uploader; return the ledger, the reason if it cannot be read, or None.

    It is read in a process of its own, within the limits of uploads; the session keeps the file
    and what was read until the file is removed.
    """
    inside = place.popover("Open a ledger of real releases", icon=":material/upload_file:")
    inside.markdown(COPY)
    file = inside.file_uploader(
        "Ledger file, made by dptopk ledger create",
        max_upload_size=MOST_BYTES // 2**20,
        key="ledger-copy",
    )
    inside.caption(_BEGIN)
    inside.code(_CREATE, language="sh", wrap_lines=True)
    if file is None:
        st.session_state.pop(keys.LEDGER_COPY, None)
        work.resume(_READING)
        return None
    held: tuple[str, LedgerCopy | str] | None = st.session_state.get(keys.LEDGER_COPY)
    if held is not None and held[0] == file.file_id:
        return held[1]
    found: LedgerCopy | str
    try:
        with inside.container():
            found = work.stoppable(
                _READING, file.file_id, "copy", "Reading", read_ledger, file.getvalue()
            )
    except LedgerError as error:
        found = f"{error}."
    except IngestError:
        found = "the file takes too much time or memory to read."
    except work.StoppedError:
        return "stopped: remove the file, and add it again to read it."
    st.session_state[keys.LEDGER_COPY] = file.file_id, found
    return found
