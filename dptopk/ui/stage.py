"""Presentation: one figure fills the screen, for the back row.

The page runs as always, but behind the scenes (see stage.css): its controls keep their values
and its keys work.  Its question and its figures come here instead, and one of them is shown.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from dptopk import settings
from dptopk.figures import presented
from dptopk.ui import address, formats, keys, moving_ranks, ranking, widgets

_LOOK = Path(__file__).with_name("stage.css")


@dataclass
class Stage:
    """What a page has to show: its question, and what can fill the screen, in its order."""

    question: str = ""
    exhibits: list[widgets.Exhibit] = field(default_factory=list)


def run(script: Callable[[], None]) -> None:
    """Run a page; where its address asks for it, present a figure of it."""
    wanted = int(address.value(settings.PRESENT))
    if not wanted:
        script()
        with st.container(key="enter"):
            _button("Present", 1, "p", ":material/slideshow:")
        return
    front = st.container(key="stage")
    stage = st.session_state[keys.STAGE] = Stage()
    try:
        with st.container(key="backstage"), suppress(widgets.PageEnd):
            script()
    finally:
        del st.session_state[keys.STAGE]
    with front:
        _present(stage, wanted)


def _present(stage: Stage, wanted: int) -> None:
    """Show the figure that is wanted; where there is none the page stays in sight."""
    exhibits = [part for exhibit in stage.exhibits for part in _parts(exhibit)]
    n = len(exhibits)
    place = min(wanted, n)
    if n:
        st.html(_LOOK)
        st.title(stage.question, anchor=False)
        _show(exhibits[place - 1])
    with st.container(key="stage_keys", horizontal=True, gap="small"):
        if n > 1:
            _button("Previous", place - 1 or n, "left", ":material/chevron_left:")
            _button("Next", place % n + 1, "right", ":material/chevron_right:")
            st.caption(f"{place} of {n}")
        _button("Leave", 0, "escape", ":material/close:")


def _parts(exhibit: widgets.Exhibit) -> Iterator[widgets.Exhibit]:
    """What is shown at once: of a ranking as many columns as can be read."""
    if not isinstance(exhibit, widgets.Ranking):
        yield exhibit
        return
    table, compared = exhibit.table, exhibit.compared
    for first in range(0, len(compared), ranking.AT_ONCE):
        some = compared[first : first + ranking.AT_ONCE]
        kept = [name for name in table.frame if name in some or name not in compared]
        beside = exhibit.beside if exhibit.beside in some else some[0]
        part = replace(table, frame=table.frame[kept])
        yield replace(exhibit, table=part, compared=some, beside=beside)


def _show(exhibit: widgets.Exhibit) -> None:
    st.caption(f"{formats.plain(exhibit.origin.data)} · {exhibit.origin.words}")
    if isinstance(exhibit, widgets.Ranking):
        widgets.show_ranking(exhibit)
    elif isinstance(exhibit, moving_ranks.MovingRanks):
        moving_ranks.show(exhibit)
    elif isinstance(exhibit, widgets.Chart):
        widgets.lead(replace(exhibit, figure=presented(exhibit.figure)))


def _button(label: str, place: int, shortcut: str, icon: str) -> None:
    """Go to a figure of the page by its place; 0 is the page itself."""
    st.button(
        label,
        key=f"present-{label}",
        icon=icon,
        type="tertiary",
        shortcut=shortcut,
        on_click=address.choose,
        args=(settings.PRESENT, place),
    )
