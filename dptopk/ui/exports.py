"""Write figures and tables as files that state their data and settings.

The picture of a figure is made in the browser, from the figure on the page (see
assets/picture.js): saved as PNG or SVG, and put in its place when the page is printed.  The HTML
file holds Plotly itself, packed, so that it opens without a network.
"""

import base64
import datetime
import functools
import gzip
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.offline import get_plotlyjs

import dptopk
from dptopk.core.text_direction import kept_in_order
from dptopk.data import tables
from dptopk.data.tables import csv_escaped
from dptopk.export.notebook import notebook as write_notebook
from dptopk.figures import named
from dptopk.questions.origin import Origin, versions

_ASSETS = Path(__file__).parent / "assets"
_PICTURE = (_ASSETS / "picture.js").read_text(encoding="utf-8")
UNPACK = (_ASSETS / "unpack.js").read_text(encoding="utf-8")
_MADE = f"Made with dptopk {dptopk.__version__}"
_ROWS_ON_PAPER = 60
_buttons = st.components.v2.component(
    "dptopk_figure_buttons",
    js=_PICTURE + (_ASSETS / "figure_buttons.js").read_text(encoding="utf-8"),
    css=(_ASSETS / "figure_buttons.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def file_stem(page: str, name: str, origin: Origin) -> str:
    """Return the stem of a file name from page, part, data and settings."""
    part = name if name.startswith(page) else f"{page}-{name}"
    return f"dptopk-{part}-{origin.stem}"


def picture(chart_key: str, name: str, file: str, title: str, origin: Origin, what: str) -> None:
    """Prepare a figure for printing, or draw buttons that save it, called ``what``, as pictures."""
    _buttons(
        key=f"picture-{name}" if what else f"print-{name}",
        data={
            "chart": chart_key,
            "what": what,
            "file": file,
            "words": {"title": title, "lines": [origin.line], "made": _MADE},
        },
        width="content",
    )


def figure_page(figure: go.Figure, height: int, file: str, title: str, origin: Origin) -> str:
    """Return a figure as an HTML file with its caption and buttons that save pictures."""
    copy = go.Figure(named(figure)).update_layout(template="plotly_white")
    lines = [origin.line, made()]
    given: dict[str, Any] = {
        "figure": json.loads(copy.to_json()),
        "file": file,
        "words": {"title": title, "lines": lines},
    }
    content = in_script(given)
    template = Template((_ASSETS / "figure.html").read_text(encoding="utf-8"))
    return template.substitute(
        # first of all: the address of a large download follows from samples of its content
        digest=hashlib.sha256(content.encode()).hexdigest(),
        title=escape(title),
        height=height,
        caption="".join(f"<p>{escape(line)}</p>" for line in lines),
        figure=content,
        plotly=packed_plotly(),
        picture=_PICTURE,
        unpack=UNPACK,
    )


def in_script(given: Any) -> str:
    """Encode a value as JSON that is safe inside a script element."""
    return json.dumps(given).replace("<", "\\u003c")


@functools.cache
def packed_plotly() -> str:
    """Return Plotly's script, gzipped and in base 64: 2 MB instead of 4.8."""
    packed = gzip.compress(get_plotlyjs().encode(), 9, mtime=0)
    return base64.b64encode(packed).decode()


def csv(frame: Any, origin: Origin, title: str) -> bytes:
    """Encode a table, or the result of a function, as CSV with columns for its origin."""
    whole = origin.added_to(frame() if callable(frame) else frame, title)
    return csv_escaped(whole).encode("utf-8-sig")  # the mark tells Excel that it is UTF-8


def parquet(frame: Any, origin: Origin, title: str) -> bytes:
    """Encode a table as Parquet, with its origin in columns and metadata, nothing escaped."""
    whole = origin.added_to(frame() if callable(frame) else frame, title)
    return tables.parquet(whole, origin.about(title))


def script(code: str, origin: Origin, title: str) -> str:
    """Return lines of Python as a file with a header naming their origin."""
    return "".join(f"# {line}\n" for line in (title, *_of_lines(origin))) + f"\n{code}"


def notebook(code: str, origin: Origin, title: str) -> str:
    """Return lines of Python as a Jupyter notebook."""
    return write_notebook(title, _of_lines(origin), code)


def _of_lines(origin: Origin) -> list[str]:
    """Return the origin of lines of Python, one line each, without how to read a figure."""
    named = ", ".join(f"{name} {version}" for name, version in versions().items())
    made = f"{_MADE}, {datetime.date.today().isoformat()} (with {named})"
    return [" ".join(line.split()) for line in (replace(origin, reading="").line, made)]


def on_paper(html: str, n_rows: int, origin: Origin) -> None:
    """Add a table and its origin to the printed page, where the screen's canvas is missing.

    ``html`` is the result of `table_html`, ``n_rows`` the number of rows of the whole table.
    """
    cut = n_rows > _ROWS_ON_PAPER
    more = f"The first {_ROWS_ON_PAPER} of {n_rows:,} rows; the CSV holds all. " if cut else ""
    st.html(
        f'<div class="dptopk-on-paper">{html}<p>{more}{escape(origin.line)} · {made()}</p></div>'
    )


def made() -> str:
    """Return the version of the package that made a file, and the date."""
    return f"{_MADE}, {datetime.date.today().isoformat()}"


def table_html(frame: Any, words: Mapping[str, Sequence[str]] | None = None) -> str:
    """Render the first rows of a table as HTML, with ``words`` in place of a column's numbers."""
    frame = (frame if isinstance(frame, pd.DataFrame) else frame.data).head(_ROWS_ON_PAPER)
    for name, texts in (words or {}).items():
        pairs = zip(frame[name], texts, strict=False)
        frame = frame.assign(**{name: ["–" if pd.isna(number) else text for number, text in pairs]})
    head = "".join(f"<th>{escape(str(name))}</th>" for name in frame.columns)
    rows = (
        "".join(f"<td>{escape(_cell(value))}</td>" for value in row)
        for row in frame.itertuples(index=False, name=None)
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    """Format a cell as it is printed; NaN is a dash, as on the screen."""
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) else kept_in_order(str(value))
