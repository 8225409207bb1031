"""Write a report as one HTML file with figures and tables, readable offline and in print."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import plotly.graph_objects as go

from dptopk.ui import exports
from dptopk.ui.show import Chart, Table

_ASSETS = Path(__file__).parents[1] / "assets"


@dataclass(frozen=True)
class Section:
    """A heading, sentences in plain text, figures and tables, and code."""

    title: str
    sentences: Sequence[str]
    shown: Sequence[Chart | Table] = ()
    code: str = ""


def page(title: str, sections: Sequence[Section], once: Sequence[str] = ()) -> str:
    """Return the report as HTML; sentences of ``once`` appear at the first figure or table only."""
    figures: dict[str, Any] = {}
    body = "".join(_section(section, figures) for section in _said_once(sections, once))
    content = exports.in_script(figures)
    template = Template((_ASSETS / "report.html").read_text(encoding="utf-8"))
    return template.substitute(
        # first of all: the address of a large download follows from samples of its content
        digest=hashlib.sha256((body + content).encode()).hexdigest(),
        title=escape(title),
        body=body,
        made=escape(exports.made()),
        figures=content,
        plotly=exports.packed_plotly(),
        unpack=exports.UNPACK,
    )


def _said_once(sections: Sequence[Section], once: Sequence[str]) -> Iterator[Section]:
    """Yield the sections without sentences that an earlier figure or table contains."""
    written: set[str] = set()
    for section in sections:
        parts = []
        for one in section.shown:
            origin = one.origin
            for sentence in written:
                note, alone = (
                    " ".join(words.replace(sentence, "").split())
                    for words in (origin.note, origin.alone)
                )
                origin = replace(origin, note=note, alone=alone)
            written |= {sentence for sentence in once if sentence and sentence in origin.line}
            parts.append(replace(one, origin=origin))
        yield replace(section, shown=parts)


def _section(section: Section, figures: dict[str, Any]) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(sentence)}</p>" for sentence in section.sentences]
    parts += [f"<pre>{escape(section.code)}</pre>"] if section.code else []
    parts += [
        _figure(part, figures) if isinstance(part, Chart) else _table(part)
        for part in section.shown
    ]
    return "".join(parts)


def _figure(chart: Chart, figures: dict[str, Any]) -> str:
    name = f"figure-{len(figures) + 1}"
    figure = go.Figure(chart.figure).update_layout(template="plotly_white")
    figures[name] = json.loads(figure.to_json())
    return (
        f'<figure><div id="{name}" role="img" aria-label="{escape(chart.alt)}" '
        f'style="height:{chart.height}px"></div>'
        f"<figcaption>{escape(chart.alt)} {escape(chart.origin.line)}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    return f'<div class="scroll">{table.html}</div><p class="made">{escape(table.origin.line)}</p>'
