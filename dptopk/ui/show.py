"""Figures, tables, downloads and alerts: one way to show each.

Item names are strangers' text.  `st.dataframe` cells and `st.text` show text as it
stands; markdown does not, so names go through `plain` before they reach any.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dptopk.errors import METRICS, Metric
from dptopk.exact import ErrorLaw
from dptopk.export import csv_escaped
from dptopk.ui.tables import number

# letters, digits, spaces and marks that markdown leaves alone, some only inside a word
_HARMLESS = re.compile(r"(?:[^\W_]|[ ,’…]|(?<=[^\W_])[-'./](?=[^\W_]))*")

_CONFIG = {
    "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtons": [["toImage"]],
    "scrollZoom": False,
}


def plain(text: str, length: int = 60) -> str:
    """Text that markdown shows as it stands: on one line, shortened, as code if need be.

    Inside a code span nothing is interpreted: no link, image, LaTeX or directive.
    """
    text = " ".join(str(text).split())
    text = text if len(text) <= length else text[: length - 1] + "…"
    if _HARMLESS.fullmatch(text) and "www." not in text.lower():
        return text
    return "`" + text.replace("`", "ˋ") + "`"


def heading(question: str, answer: str) -> None:
    """Open a page: the question it answers and how to read it in one sentence."""
    st.title(question, anchor=False)
    st.markdown(answer)


def problem(headline: str, sentence: str) -> None:
    """Say that something could not be done; the sentence may hold strangers' text."""
    st.error(headline, icon=":material/error:")
    st.text(sentence)


def chart(figure: go.Figure, name: str, alt: str, height: int = 420) -> None:
    """Show a figure; ``name`` is its key and the file name of its download."""
    st.plotly_chart(
        figure,
        height=height,
        key=f"chart-{name}",
        alt=alt,
        config=_CONFIG | {"toImageButtonOptions": {"filename": f"dptopk-{name}", "scale": 2}},
    )
    st.download_button(
        "Figure as HTML",
        data=partial(_page_of, figure, alt, st.session_state.get("_view")),
        file_name=f"dptopk-{name}.html",
        mime="text/html",
        key=f"html-{name}",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help="A file that opens in any browser. The camera in the figure's corner saves a PNG.",
    )


def _page_of(figure: go.Figure, alt: str, view) -> str:
    """A figure as a file that says what it shows and with which settings."""
    settings = f"{alt} {view.summary}" if view is not None else alt
    titled = go.Figure(figure).update_layout(
        title={"text": escape(settings), "font": {"size": 13}, "y": 0.99}, margin={"t": 90}
    )
    page = titled.to_html(include_plotlyjs=True, config=_CONFIG)
    head = f'<html lang="en"><head><title>{escape(settings)}</title>'
    return page.replace("<html>\n<head>", head, 1)


def table(frame: pd.DataFrame, name: str, *, data=None, **options) -> None:
    """Show a table, with a CSV of it (or of ``data``) that no spreadsheet runs as formulas."""
    st.dataframe(frame, key=f"table-{name}", hide_index=True, **options)
    csv_button(frame if data is None else data, name)


def csv_button(
    frame: pd.DataFrame | Callable[[], pd.DataFrame], name: str, label: str = "Table as CSV"
) -> None:
    """Offer a table for download; a large one is made only when asked for."""
    st.download_button(
        label,
        # the mark tells Excel that it is UTF-8
        data=lambda: csv_escaped(frame() if callable(frame) else frame).encode("utf-8-sig"),
        file_name=f"dptopk-{name}.csv",
        mime="text/csv",
        key=f"csv-{name}",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
    )


def code(lines: str) -> None:
    """Show the lines of Python that give the same numbers."""
    with st.expander("The same numbers in Python", icon=":material/code:"):
        st.code(lines, language="python")


def rows(cells, columns) -> pd.DataFrame:
    """Build a table of text from rows of cells."""
    return pd.DataFrame([list(row) for row in cells], columns=list(columns), dtype=str)


def metric_choice(place) -> Metric:
    """Choose an error metric; the choice is in the URL."""
    key = place.selectbox(
        "Error measured",
        list(METRICS),
        key="metric",
        bind="query-params",
        format_func=lambda key: METRICS[key].title,
    )
    return METRICS[key]


def logarithmic_choice(place, metric: Metric | None = None) -> bool:
    """Choose the scale of an axis in users; other units have no logarithmic axis."""
    if metric is not None and metric.unit != "users":
        return False
    return place.toggle("Logarithmic axis", True, key="log", bind="query-params")


@dataclass(frozen=True)
class Tile:
    """One number that matters, what it is, and what kind of number."""

    label: str
    value: str
    kind: str = ""
    help: str | None = None


def tiles(numbers: Iterable[Tile]) -> None:
    """Show numbers side by side, as many as fit in a row."""
    with st.container(horizontal=True, gap="small"):
        for number in numbers:
            with st.container(width=155, gap=None):
                st.metric(number.label, number.value, help=number.help)
                if number.kind:
                    st.caption(number.kind)


def median_tiles(summary: pd.DataFrame, laws: Mapping[str, ErrorLaw], metric: Metric) -> None:
    """Show the median error of each mechanism, and whether it is exact or simulated."""
    chosen = []
    for row in summary.to_dict("records"):
        label = row["mechanism"]
        if label in laws:
            value, kind = f"{laws[label].quantile(0.5):,}", "median, exact"
        else:
            value = number(row["median"])
            interval = f"{number(row['median_low'])} to {number(row['median_high'])}"
            kind = f"median, simulated, n = {row['n']:,} (95 %: {interval})"
        chosen.append(Tile(label, value, kind, f"{metric.title}, in {metric.unit}."))
    tiles(chosen)
