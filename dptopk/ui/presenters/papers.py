"""Compare statements of the papers with numbers computed by this package."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
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
    STATEMENTS,
    TIMED_K,
    Checked,
    Link,
    Verdict,
    check_statements,
    measured_times,
)
from dptopk.questions.sweep import grid
from dptopk.ui import keys, results
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Button,
    Buttons,
    Caption,
    Chart,
    Code,
    Exhibit,
    FirstScreen,
    Header,
    Lead,
    Markdown,
    Table,
    Tile,
    Tiles,
    Words,
)
from dptopk.ui.findings import paper_figures
from dptopk.ui.formats import plural, unbroken
from dptopk.ui.presenters import sweep
from dptopk.ui.server import work

SIGNS = {Verdict.HOLDS: "✓", Verdict.DIFFERS: "≠", Verdict.UNCHECKED: "?"}
_TIMED_ON = "games"
_PLAIN = "Algorithm 1"
_ON_A_SLIDE = 2  # statements


def question() -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        "Do the papers' statements hold here?",
        "What each source says, in our words, beside what is computed here. The sidebar changes "
        "nothing on this page; a link opens the page with the settings of a statement.",
    )


def present() -> Iterator[Exhibit]:
    """Check every statement, then list them by paper."""
    work.share(
        part
        for statement in STATEMENTS
        for counts in statement.counts
        for part in (counts.identity, counts.digest)
    )
    checked = check_statements(results.IN_TURNS)
    origin = Origin(
        "examples and bundled data",
        None,
        (),
        "as each statement says",
        note="settings of each statement",
    )
    yield Tiles(_tiles(checked))
    yield Caption(
        "Examples and data sets are tried: ✓ means that nothing here contradicts the statement, "
        "not that it is proven."
    )
    for paper, own in groupby(checked, lambda one: one.statement.source.paper):
        yield Header(paper.short)
        yield from _of_paper(paper, list(own), origin)
    yield Header("Figures to draw again")
    yield Markdown("\n".join(f"- {line}" for line in paper_figures.redrawn()))
    yield Caption(
        "The figures of Gillenwater et al. numbered 3, 4, 5 and 7 are missing here: their captions "
        "were not available when this page was written, so it is not known what each shows. Apart "
        "from the errors above, the authors’ code draws three things: the time of a draw, which is "
        "measured below; and the gaps and a histogram of the counts, which the page linked above "
        "shows."
    )
    yield from _redrawn()
    yield Header("The time of one draw, measured here")
    yield from _times()
    yield Header("All numbers")
    yield Table(numbers(checked), "numbers", "Numbers of the sources beside ours", origin)
    yield Table(statements(checked), "statements", "All statements", origin)
    yield Code(snippets.small("", (), _CODE), origin)


_CODE = """
for one in check_statements():
    print(one.verdict.value, "|", one.statement.source.words, "|", one.words)
"""


def _tiles(checked: Sequence[Checked]) -> list[Tile]:
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


def _of_paper(paper: Paper, checked: Sequence[Checked], origin: Origin) -> Iterator[Words]:
    """List the statements of a paper, as many at once as fit on a slide."""
    for first in range(0, len(checked), _ON_A_SLIDE):
        lines = [] if first else [_cited(paper), ""]
        lines += map(_listed, checked[first : first + _ON_A_SLIDE])
        yield Words(f"{paper.title}, {paper.year}", unbroken("\n".join(lines)), origin)


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


def _redrawn() -> Iterator[Exhibit]:
    """Offer to draw a figure of the paper again, and show the last one that was asked for."""
    drawn = [metric for metric in METRICS.values() if metric.figure]
    yield Buttons(
        [
            Button(
                f"Draw {metric.figure} here: {metric.title}",
                f"redraw-{metric.key}",
                partial(st.session_state.__setitem__, keys.REDRAWN, metric.key),
            )
            for metric in drawn
        ],
        "redrawn",
    )
    metric = METRICS.get(st.session_state.get(keys.REDRAWN, ""))
    if metric is None:
        return
    question = QUESTIONS["sweep"]
    for title, query in paper_figures.panels(metric).items():
        values = asking.checked(question, query)
        source = asking.source_of(values)
        view = asking.view_of(question, values, source)
        over, at = grid(values["against"], view.counts.d, view.k)
        logarithmic = metric.in_counts and settings.LOGARITHMIC.default
        options = sweep.Options(metric, over, at, logarithmic, values["runs_a_point"])
        results.share(source)
        link = f"sweep?{urlencode(query, safe=',')}"
        yield Markdown(f"**{metric.figure}, {title}.** We get, with [its settings]({link}):")
        name = f"{metric.figure.lower().replace(' ', '-')}-{values['data']}"
        yield from _leading(sweep.present(view, options, name), name)


def _leading(exhibits: Sequence[Exhibit], name: str) -> Iterator[Exhibit]:
    """Return the leading figure of a page under another name, with its finding."""
    for exhibit in exhibits:
        if isinstance(exhibit, FirstScreen):
            for part in exhibit.below:
                if isinstance(part, Lead):
                    chart = replace(part.chart, name=name)
                    yield Markdown(chart.finding)
                    yield chart


def _times() -> Iterator[Exhibit]:
    """Offer a measurement, and show the last one."""
    asked = st.session_state.get(keys.TIMED, 0)
    yield Markdown(
        "The paper states how the time grows, not how long a draw takes on this machine. The "
        "button measures one draw at each k, by Joint as it is written here and by the paper’s "
        "Algorithm 1, which fills a matrix of k × d entries."
    )
    yield Buttons(
        [Button("Measure again" if asked else "Measure the times", "measure-times", _ask)],
        "times",
    )
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
    yield Markdown(words)
    yield chart


def _ask() -> None:
    st.session_state[keys.TIMED] = st.session_state.get(keys.TIMED, 0) + 1
