"""List the statements of papers beside what is computed here, and draw their figures again."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core.errors import METRICS
from dptopk.core.papers import Paper
from dptopk.data import sources
from dptopk.mechanisms import selections
from dptopk.questions import QUESTIONS, asking, settings
from dptopk.questions.origin import Origin
from dptopk.questions.papers import (
    TIMED_K,
    Checked,
    Link,
    Verdict,
    measured_times,
)
from dptopk.questions.sweep import grid
from dptopk.ui import keys, results, show
from dptopk.ui.findings import paper_figures
from dptopk.ui.formats import plural, unbroken
from dptopk.ui.sections.sweep import swept
from dptopk.ui.show import Button, Chart, Tile

SIGNS = {Verdict.HOLDS: "✓", Verdict.DIFFERS: "≠", Verdict.UNCHECKED: "?"}
_TIMED_ON = "games"
_PLAIN = "Algorithm 1"
_ON_A_SLIDE = 2  # statements


def tiles(checked: Sequence[Checked]) -> list[Tile]:
    """Count the statements by what was found."""
    n = {verdict: sum(one.verdict is verdict for one in checked) for verdict in Verdict}
    n_papers = len({one.statement.source.paper for one in checked})
    tested = n[Verdict.HOLDS] + n[Verdict.DIFFERS]
    return [
        Tile(
            "Statements that hold here",
            f"{n[Verdict.HOLDS]} of {tested}",
            f"of {plural(n_papers, 'source')}",
        ),
        Tile("Differ here", str(n[Verdict.DIFFERS]), "on some of the data"),
        Tile("Cannot be checked here", str(n[Verdict.UNCHECKED]), "and why"),
    ]


def of_paper(paper: Paper, checked: Sequence[Checked], origin: Origin) -> None:
    """List the statements of a paper, as many at once as fit on a slide."""
    for first in range(0, len(checked), _ON_A_SLIDE):
        lines = [] if first else [_cited(paper), ""]
        lines += map(_listed, checked[first : first + _ON_A_SLIDE])
        show.words(f"{paper.title}, {paper.year}", unbroken("\n".join(lines)), origin)


def _cited(paper: Paper) -> str:
    return f"{paper.citation}: [{paper.title}]({paper.url}), {paper.venue}."


def _listed(one: Checked) -> str:
    """Return a statement as an entry of a list in markdown."""
    statement = one.statement
    how = f" ({one.found.computed})" if one.found else ""
    opened = ", ".join(f"[{link.label}]({_address(link)})" for link in statement.links)
    lines = [
        f"- {SIGNS[one.verdict]} **{_upper(statement.source.place)}, {one.verdict.value}.** "
        f"The source says: {statement.says}",
        f"**We get**{how}: {one.words}",
        f"**Data:** {statement.data}" + (f" **Open:** {opened}" if opened else ""),
    ]
    return "  \n  ".join(lines)


def _address(link: Link) -> str:
    """Return a link of ours relative to the page."""
    return f"{link.page}?{urlencode(link.query, safe=',')}" if link.query else link.page


def _upper(words: str) -> str:
    return words[0].upper() + words[1:]


def numbers(checked: Sequence[Checked]) -> pd.DataFrame:
    """Tabulate the numbers of the sources beside ours."""
    return pd.DataFrame(
        {
            "source": one.statement.source.words,
            "number": compared.what,
            "the source says": f"{compared.relation} {compared.said:g}",
            "we get": compared.found,
        }
        for one in checked
        if one.found
        for compared in one.found.compared
    )


def statements(checked: Sequence[Checked]) -> pd.DataFrame:
    """Tabulate all statements, one row each."""
    return pd.DataFrame(
        {
            "source": one.statement.source.words,
            "the source says": one.statement.says,
            "result": one.verdict.value,
            "we get": one.words,
            "how": one.found.computed if one.found else "",
            "data": one.statement.data,
        }
        for one in checked
    )


def redrawn() -> None:
    """Offer to draw a figure of the paper again, and show the last one that was asked for."""
    with show.buttons("redrawn"):
        for metric in METRICS.values():
            if metric.figure:
                show.button(
                    Button(
                        f"Draw {metric.figure} here: {metric.title}",
                        f"redraw-{metric.key}",
                        partial(st.session_state.__setitem__, keys.REDRAWN, metric.key),
                    )
                )
    asked = METRICS.get(st.session_state.get(keys.REDRAWN, ""))
    if asked is None:
        return
    question = QUESTIONS["sweep"]
    for title, query in paper_figures.panels(asked).items():
        values = asking.checked(question, query)
        source = asking.source_of(values)
        view = asking.view_of(question, values, source)
        over, at = grid(values["against"], view.counts.d, view.k)
        logarithmic = asked.in_counts and settings.LOGARITHMIC.default
        results.share(source)
        link = f"sweep?{urlencode(query, safe=',')}"
        st.markdown(f"**{asked.figure}, {title}.** We get, with [its settings]({link}):")
        name = f"{asked.figure.lower().replace(' ', '-')}-{values['data']}"
        runs = values["runs_a_point"]
        if shown := swept(view, asked, over, at, runs, logarithmic=logarithmic, name=name):
            st.markdown(shown.chart.finding)
            show.chart(shown.chart)


def times() -> None:
    """Offer a measurement of Joint beside Gillenwater et al. 2022, Algorithm 1, and show it."""
    asked = st.session_state.get(keys.TIMED, 0)
    st.markdown(
        "The paper states how the time grows, not how long a draw takes on this machine. The "
        "button measures one draw at each k, by Joint as it is written here and by the paper’s "
        "Algorithm 1, which fills a matrix of k × d entries."
    )
    with show.buttons("times"):
        label = "Measure again" if asked else "Measure the times"
        show.button(Button(label, "measure-times", _ask))
    if not asked:
        return
    source = sources.source_of(_TIMED_ON, {})
    seconds = results.remembered(measured_times, asked, source.counts)
    mechanism = selections.ONE_CHOICE(max(TIMED_K), 1.0)
    drawn = {
        mechanism.label: (np.array(TIMED_K), 1_000 * np.array(seconds["here"])),
        _PLAIN: (np.array(TIMED_K), 1_000 * np.array(seconds["algorithm_1"])),
    }
    ratio = seconds["algorithm_1"][-1] / seconds["here"][-1]
    words = (
        f"At k = {TIMED_K[-1]} Algorithm 1 took {1_000 * seconds['algorithm_1'][-1]:,.0f} ms and "
        f"Joint here {1_000 * seconds['here'][-1]:,.0f} ms: Joint is {ratio:,.0f} times as fast."
    )
    chart = Chart(
        figures.curves(
            drawn,
            {mechanism.label: mechanism.card.style},
            ("k", "milliseconds for one draw"),
            logarithmic=True,
        ),
        "times",
        "Time of one draw against k.",
        Origin(
            source.title,
            source.counts,
            (),
            "measured on this machine just now, CPU time of one draw at each k",
            more={"epsilon": mechanism.epsilon},
            unit=source.unit,
        ),
        finding=words,
    )
    st.markdown(words)
    show.chart(chart)


def _ask() -> None:
    st.session_state[keys.TIMED] = st.session_state.get(keys.TIMED, 0) + 1
