"""Write Plotly figures as HTML for pages of the site, which load Plotly's script once."""

import html

import plotly.graph_objects as go
import plotly.io
from plotly.offline import get_plotlyjs

SCRIPT = get_plotlyjs
"""Plotly's own script."""

_LOADED = '<script src="../../_static/plotly.js"></script>'
_OPTIONS = {"displayModeBar": False, "responsive": True}


def raw(text: str) -> str:
    """Return HTML as a block of a page in Markdown."""
    return f"```{{raw}} html\n{text}\n```"


def drawn(figure: go.Figure, key: str, height: int, words: str) -> str:
    """Return a figure as a block of a page; ``words`` describe it to screen readers."""
    figure.update_layout(height=height, template=plotly.io.templates["plotly_white"])
    made = plotly.io.to_html(
        figure, full_html=False, include_plotlyjs=False, div_id=key, config=_OPTIONS
    )
    label = html.escape(words)
    return raw(f'{_LOADED}\n<div class="figure" role="img" aria-label="{label}">{made}</div>')
