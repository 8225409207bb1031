"""List the statements of papers beside what is computed here, and draw their figures again."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk import figures
from dptopk.core.parameters import Choice
from dptopk.questions.draw_times import ALGORITHM_1, TIMED_K
from dptopk.questions.errors import Errors
from dptopk.questions.origin import Origin
from dptopk.questions.paper_figures import FIGURES, Drawn, PaperFigure, PaperPanel, panel_numbers
from dptopk.questions.papers import STATEMENTS, Checked, Verdict, source_of, statement_rows
from dptopk.ui import address, keys, results, show
from dptopk.ui.formats import plural, unbroken
from dptopk.ui.sentences import base
from dptopk.ui.server import work
from dptopk.ui.show import Button, Chart

SIGNS = {Verdict.HOLDS: "✓", Verdict.PARTLY: "≈", Verdict.DIFFERS: "≠", Verdict.UNCHECKED: "?"}
ALL = "all"
EVERY = (
    "Do the research papers' figures and statements hold here?",
    "The papers' figures drawn again, and what the sources say, in our words, beside what is "
    "computed here.",
)
_TITLES = {
    key: f"{figure.source.place}: {figure.title}" if key.isdigit() else figure.title
    for key, figure in FIGURES.items()
}
FIGURE = Choice("figure", "Figure", {ALL: "all, small"} | _TITLES, ALL)
_QUICK_FIRST = {kind: n for n, kind in enumerate(("counts", "gaps", "pruning", "sets", "times"))}
_ROWS = 4_000  # of trials behind a panel
_ON_A_SLIDE = 2  # statements
_COLUMNS = ("", "Where", "The source says", "We get", "Data", "Open")
ORIGIN = Origin(
    "examples and bundled data",
    None,
    (),
    "as each statement says",
    note="settings of each statement",
)
_SHARED = "figures"  # stands for the data of all figures


def share() -> None:
    """Share among all sessions what is computed of examples, bundled and synthetic data."""
    every = [counts for statement in STATEMENTS for counts in statement.counts]
    every += [source_of(one.picture.data).counts for one in FIGURES.values()]
    work.share([_SHARED, *(part for one in every for part in (one.identity, one.digest))])


def opening(key: str) -> tuple[str, str]:
    """Return the title of one figure and what its reader looks at."""
    return _TITLES[key], f"{FIGURES[key].source.link} shows: {FIGURES[key].shows}"


def _drawn(panel: PaperPanel, n_left: int) -> Drawn | None:
    """Return the numbers of a panel, one of those left, summarized once for all sessions."""
    token = ("panel", _SHARED, panel.name)
    runner = results.InTurns(f"{plural(n_left, 'figure')} to draw, of this one")
    return work.shared(token, _ROWS, partial(panel_numbers, panel, runner))


def wall() -> DeltaGenerator:
    """Show a small picture of each figure with its button; the quick ones come first.

    Returns the place above them, which has room for progress.
    """
    running, places = st.container(key="papers_counted", gap=None), {}
    if keys.PRESENTATION in st.session_state:  # nothing is pressed on a slide
        return running
    running.html("<i></i>")  # an empty place is not drawn, and would move the wall when it is
    with st.container(key="wall", horizontal=True, gap="small"):
        for figure in FIGURES.values():
            act = partial(address.choose, FIGURE, figure.key)
            name = f"{figure.source.paper.short}, {figure.source.place}"
            places[figure.key] = show.card(
                Button(figure.title, f"figure-{figure.key}", act),
                f"{name}: {figure.picture.title}.",
            )
            show.sketch(places[figure.key], "")
    every = sorted(FIGURES.values(), key=lambda one: _QUICK_FIRST.get(one.picture.draws, 9))
    for n_drawn, figure in enumerate(every):
        with running:
            drawn = _drawn(figure.picture, len(every) - n_drawn)
        if drawn is not None:
            show.sketch(places[figure.key], figures.sketch(figures.paper_panel(drawn)))
    return running


def whole_figure(figure: PaperFigure) -> None:
    """Draw all panels of a figure, below what is different here."""
    show.caption(f"Different here: {figure.differs}" if figure.differs else "")
    n_columns = figure.n_columns
    for first in range(0, len(figure.panels), n_columns):
        some = figure.panels[first : first + n_columns]
        for n, (place, panel) in enumerate(zip(st.columns(n_columns), some, strict=False), first):
            with place:
                if panel.draws == "times":
                    _times(panel)
                else:
                    _panel(panel, len(figure.panels) - n)


def _panel(panel: PaperPanel, n_left: int) -> None:
    """Draw a panel, one of those left, with a link to the page that draws it alone."""
    drawn = _drawn(panel, n_left)
    if drawn is None:
        return
    alone = panel.link.page != "papers"
    st.markdown(f"**{f'[{panel.title}]({panel.link.address})' if alone else panel.title}**")
    show.chart(_chart(drawn))


def _chart(drawn: Drawn, finding: str = "") -> Chart:
    content, panel = drawn.shown, drawn.panel
    if isinstance(content, Errors):
        finding = base.sweep_finding(content.summary, "k", content.metric)
    title = f"{panel.title}, as in {FIGURES[panel.figure].source.words}."
    figure = figures.paper_panel(drawn)
    return Chart(figure, panel.name, title, drawn.origin, height=360, finding=finding)


def _times(panel: PaperPanel) -> None:
    """Offer a measurement beside Gillenwater et al. 2022, Algorithm 1, and show it."""
    number = st.session_state.get(keys.TIMED, 0)
    st.markdown(
        "The button measures five draws at each k, by the mechanisms as they are written here and "
        "by the paper’s Algorithm 1, which fills a matrix of k × d entries: up to a minute."
    )
    label = "Measure again" if number else "Measure the times"
    show.button_row("times", [Button(label, "measure-times", _ask)])
    if not number:
        return
    drawn = panel_numbers(panel, results.IN_TURNS, number=number)
    if drawn is None:
        return
    words = _ratio(drawn.table)
    st.markdown(words)
    show.chart(_chart(drawn, words))
    show.table(show.Table(drawn.table, "times", "Milliseconds for one draw", drawn.origin))


def _ratio(table: pd.DataFrame) -> str:
    """Compare Algorithm 1 with the sampler here at the largest k that it was run at."""
    theirs = table[table["sampler"] == ALGORITHM_1].iloc[-1]
    ours = table[table["k"] == theirs["k"]].iloc[0]
    last = table[table["k"] == TIMED_K[-1]].iloc[0]
    name, times = ours["sampler"], theirs["milliseconds"] / ours["milliseconds"]
    return (
        f"At k = {theirs['k']} Algorithm 1 took {theirs['milliseconds']:,.0f} ms and {name} here "
        f"{ours['milliseconds']:,.1f} ms: {name} is {times:,.0f} times as fast. At k = {last['k']} "
        f"it takes {last['milliseconds']:,.1f} ms."
    )


def _ask() -> None:
    st.session_state[keys.TIMED] = st.session_state.get(keys.TIMED, 0) + 1


def finding(checked: Sequence[Checked]) -> str:
    """Say how many statements hold here, hold in part, differ and cannot be checked."""
    n = {verdict: sum(one.verdict is verdict for one in checked) for verdict in Verdict}
    differs = f", {n[Verdict.DIFFERS]} not" if n[Verdict.DIFFERS] else ""
    return (
        f"{n[Verdict.HOLDS]} of the papers' {plural(len(checked), 'statement')} hold here, "
        f"{n[Verdict.PARTLY]} in part{differs}; {n[Verdict.UNCHECKED]} cannot be checked"
    )


def list_statements(checked: Sequence[Checked]) -> None:
    """Tabulate statements by paper, as many at once as fit on a slide, then their numbers."""
    st.caption(
        "Examples and data sets are tried: ✓ means that nothing here contradicts the statement, "
        "not that it is proven; ≈ that some of the data, or a part of it, does."
    )
    for paper, some in groupby(checked, lambda one: one.statement.source.paper):
        st.header(paper.short, anchor=False)
        statements = list(some)
        at_once = _ON_A_SLIDE if keys.PRESENTATION in st.session_state else len(statements)
        for first in range(0, len(statements), at_once):
            cited = f"{paper.citation}: [{paper.title}]({paper.url}), {paper.venue}."
            lines = [] if first else [cited, ""]
            lines += [_row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
            lines += [_row(_cells(one)) for one in statements[first : first + at_once]]
            with st.container(key=f"statements_{paper.short}_{first}"):
                show.words(f"{paper.title}, {paper.year}", unbroken("\n".join(lines)), ORIGIN)
    st.header("All numbers", anchor=False)
    numbers = [
        (one.statement.source.words, it.what, f"{it.relation} {it.said:g}", it.found)
        for one in checked
        if one.found
        for it in one.found.compared
    ]
    if numbers:
        frame = pd.DataFrame(numbers, columns=["source", "number", "the source says", "we get"])
        show.table(show.Table(frame, "numbers", "Numbers of the sources beside ours", ORIGIN))
    show.table_buttons(show.Table(statement_rows(checked), "statements", "All statements", ORIGIN))


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _cells(one: Checked) -> tuple[str, ...]:
    statement = one.statement
    how = f" ({one.found.computed})" if one.found else ""
    opened = ", ".join(f"[{link.label}]({link.address})" for link in statement.links)
    sign = f"{SIGNS[one.verdict]} {one.verdict.value}"
    return sign, statement.source.place, statement.says, one.words + how, statement.data, opened


def code(key: str) -> str:
    """Return the lines of Python that print a figure's numbers, or the results of statements."""
    if key != ALL:
        return f'for panel in FIGURES["{key}"].panels:\n    print(panel_numbers(panel).table)'
    return """
for one in check_statements():
    print(one.verdict.value, "|", one.statement.source.words, "|", one.words)
"""
