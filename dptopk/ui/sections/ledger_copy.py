"""Show what is left in a copy of a ledger, and which further releases would fit."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import as_typed, rounded_down
from dptopk.core.parameters import Choice
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.publishing.ledger import LONGEST, MOST_BYTES, Entry, Ledger, LedgerCopy, read_ledger
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.ui import keys, show, snippets
from dptopk.ui.controls.goals import planned_releases
from dptopk.ui.formats import compact, plain, plural
from dptopk.ui.server import work
from dptopk.ui.show import Chart, Table, Tile

COPY = (
    "`dptopk publish` charges every real release to a ledger, one file for the people it protects. "
    "This page shows a copy and does not change it; the copy stays in the memory of this session "
    "until you remove it. This app draws and enters nothing."
)
_BEGIN = (
    "No ledger yet? This command creates one, once for these people. Its ε and δ, here examples, "
    "bound all that is ever released about them."
)
_CREATE = 'dptopk ledger create budget.sqlite --epsilon 2 --delta 1e-6 --protects "one patient"'
_YEAR = 52  # releases, where nobody said how many
_INVENTED = (
    "A ledger keeps one budget for all releases about the same people. Tighter accounting (zCDP, "
    "which uses δ) admits more than adding up. Begin or open yours."
)
LEDGER = "ledger"
EXAMPLE = Choice(
    "example", "Example", {LEDGER: "A ledger", "series": "Lists charged by their items"}, "series"
)
_READING = "ledger-file"
_FITS, _ONE, _EACH = "number that still fits", "largest ε of one", "largest ε of each of {:,}"
_ENTRY = ["release", "entered (UTC)", "data", "mechanism", "k", "ε", "δ", "ρ (zCDP)"]
_ENTRY += ["purpose", "entered by", "annotations"]
_MOST_ROWS = 200
_MOST_NOTES = 5 * LONGEST  # characters of an entry's annotations that are shown


def uploaded(place: Any) -> LedgerCopy | str | None:
    """Draw the uploader; return the ledger, the reason if it cannot be read, or None.

    It is read in a process of its own, within the limits of uploads; the session keeps the file
    and what was read until the file is removed.
    """
    inside = place.popover("Begin or open a ledger", icon=":material/upload_file:")
    inside.markdown(COPY)
    file = inside.file_uploader(
        "Ledger file, made by dptopk ledger create",
        max_upload_size=MOST_BYTES // 2**20,
        key="ledger-copy",
    )
    inside.caption(_BEGIN)
    inside.code(_CREATE, language="sh", wrap_lines=True)
    wanted = None if file is None else file.file_id

    def read() -> LedgerCopy:
        assert file
        given = (read_ledger, file.getvalue())
        copy: LedgerCopy = work.stoppable(_READING, wanted, "copy", *given)
        return copy

    with inside.container():
        return work.read_once(keys.LEDGER_COPY, _READING, wanted, read)


@cache
def _invented() -> LedgerCopy:
    kind, counts = next(iter(MECHANISMS.values())), ItemCounts([1])
    said = (10, 0.2, "Diagnoses, January"), (10, 0.2, "Diagnoses, February"), (20, 0.4, "Medicines")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "budget.sqlite"
        ledger = Ledger.create(path, 2, 1e-6, "one patient, who joins or leaves")
        for k, epsilon, title in said:
            ledger.enter(counts, kind(k=k, epsilon=epsilon), title)
        return read_ledger(path.read_bytes())


def describe(view: View, screen: show.Screen, copy: LedgerCopy | str | None) -> None:
    """Show the contents of a copy of a ledger, and further releases that would fit.

    Text is the reason why it cannot be read; without a copy an invented one is shown.
    """
    ledger = _invented() if copy is None else copy
    screen.ask_first(
        "What is left of a privacy budget, and what would still fit?",
        _INVENTED
        if copy is None
        else "This is a copy of a ledger of real releases: nothing is changed, drawn or entered "
        "here.",
    )
    if isinstance(ledger, str):
        with screen.place:
            show.problem("This file cannot be shown", ledger)
        return
    left, releases = ledger.left, planned_releases(1)
    of = "an invented ledger" if copy is None else "a ledger of releases"
    origin = Origin(of, None, (), "as stated in the file")
    fitting = []  # mechanisms with an exact sampler
    for kind in MECHANISMS.values():
        with suppress(ValueError):  # such as δ = 0 where one is needed
            fitting.append(view.build(kind, view.k, neighbors=ledger.neighbors))
    fitting = [mechanism for mechanism in fitting if not mechanism.why_not_exact]
    epsilon, delta = (compact(rounded_down(one, 6)) for one in (left.epsilon, left.delta))
    of_delta = f"of {compact(ledger.delta)}, for releases with a δ of their own"
    tiles = [
        Tile("ε left", epsilon, f"of {compact(ledger.epsilon)}, adding up"),
        Tile("zCDP left", f"ρ = {compact(rounded_down(left.rho))}", "for many small releases"),
        Tile("δ left", delta, of_delta),
        Tile("Releases so far", f"{len(ledger.entries):,}"),
    ]
    planned = _planned(fitting, ledger, releases if releases > 1 else _YEAR)
    if planned.empty:
        show.note("No mechanism that can be published fits these settings.")
        show.tiles(tiles, "copy")
    else:
        column = axis = _EACH.format(releases)
        if releases == 1:
            column, axis = _FITS, "lists that still fit"
            if not planned[_FITS].any():
                column = axis = _ONE
        drawn = planned[planned[column] > 0].sort_values(column, ascending=False, kind="stable")
        labels, largest = drawn["mechanism"].tolist(), drawn[column].tolist()
        of = f"{compact(rounded_down(left.epsilon))} of {compact(ledger.epsilon)}"
        added = int(as_typed(left.epsilon) // as_typed(view.epsilon))
        headline = f"ε = {of} is left: {_what_fits(drawn, column, releases, view.epsilon, added)}"
        headline = headline if copy else f"Example: {headline}"
        digits = "%{x:,}" if column == _FITS else "%{x:.3~g}"
        chart = Chart(
            figures.amounts(labels, largest, axis, digits, [one == largest[0] for one in largest]),
            "fits",
            f"{axis[:1].upper()}{axis[1:]}, by mechanism.",
            origin,
            height=80 + 34 * len(drawn),
            finding=headline,
        )
        screen.lead(headline, chart)
        at_most = planned[_ONE if releases == 1 else column]
        none = [one for one, most in zip(fitting, at_most, strict=True) if not most]
        short = (ledger.shortage(one, releases) for one in none)
        why = dict.fromkeys(f"{words[0].upper()}{words[1:]}." for words in short)
        with show.below(chart, headline, *(f"0: {words}" for words in why)):
            show.tiles(tiles, "copy")
            show.table(Table(planned, "planned", "Releases that still fit", origin))
    st.header("What was released", anchor=False)
    st.markdown(
        f"Protects, as stated by its creator: {plain(ledger.protects)}. ε, δ and ρ are what a "
        "release was charged, which may differ from its own guarantee."
    )
    if len(ledger.entries) > _MOST_ROWS:
        n = f"{len(ledger.entries):,}"
        st.caption(f"The last {_MOST_ROWS:,} of {n} releases; the download contains all.")
    every = partial(_rows, ledger.entries)
    last = _rows(ledger.entries[-_MOST_ROWS:])
    show.table(Table(last, "spent", "Releases in the ledger", origin, every))
    if copy is not None:
        st.caption("Remove the file to see examples.")
    if fitting:
        code = f"""
ledger = Ledger.open("budget.sqlite")
print(ledger.left, len(ledger.entries))
for mechanism in mechanisms:
    print(mechanism.label, ledger.largest_epsilon(mechanism, {releases}))
"""
        show.take_away(snippets.small(view.source.python, fitting, code), origin)


def _what_fits(drawn: pd.DataFrame, column: str, releases: int, epsilon: float, added: int) -> str:
    """Say how many lists still fit, at which ε, by the mechanism in the first row, if any.

    Of those that fit at the chosen ε, so many as are ``added`` up in ε alone come first.
    """
    if drawn.empty:
        return "no list fits" if releases == 1 else f"{releases:,} lists do not fit"
    label, most = drawn[["mechanism", column]].iloc[0]
    if column == _ONE:
        return f"no list fits at ε = {compact(epsilon)}, one at {compact(most)}"
    n, each, more = (most, epsilon, "") if column == _FITS else (releases, most, "")
    if column == _FITS and 0 < added < most:
        n, more = added, f" by adding up, {most:,} by zCDP"
    fit = f"{plural(n, 'more list')} {'fits' if n == 1 else 'fit'}"
    return f"{fit} at ε = {compact(each)} each{more} ({label})"


def _rows(entries: Sequence[Entry]) -> pd.DataFrame:
    return pd.DataFrame([_entry(entry) for entry in entries], columns=_ENTRY)


def _entry(entry: Entry) -> list[object]:
    price, settings_of = entry.price, entry.settings
    named = [str(settings_of.get(key, ""))[:100] for key in ("mechanism", "k")]
    costs = [float(cost) for cost in (price.epsilon, price.delta, price.rho)]
    texts = [entry.purpose, entry.author, entry.notes[:_MOST_NOTES]]
    return [entry.number, entry.entered[:19].replace("T", " "), entry.title, *named, *costs, *texts]


def _planned(fitting: list[Mechanism], account: LedgerCopy, releases: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "mechanism": mechanism.label,
            "ε of each": mechanism.epsilon,
            _FITS: account.how_many(mechanism),
            _ONE: rounded_down(account.largest_epsilon(mechanism)),
            _EACH.format(releases): rounded_down(account.largest_epsilon(mechanism, releases)),
        }
        for mechanism in fitting
    )
