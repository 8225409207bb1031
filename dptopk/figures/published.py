"""Plot the probability that each name of a published list is in the true top k."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray
from dptopk.figures._drawing import (
    BLUE,
    inked,
    laid_out,
    numbered,
    rows_of,
    text_at,
    translucent,
    whiskers,
)
from dptopk.figures._names import hover_name, plain, shortened

_CHARACTER = 8  # pixels of the numbers beside the bars, which stand in the margin
_LETTERS = 40  # of a name on a wide screen


def name_chances(
    names: Sequence[str],
    places: Sequence[int | None],
    chances: FloatArray,
    words: Sequence[str],
    series: str,
    listed: FloatArray | None = None,
    listed_words: Sequence[str] = (),
    *,
    narrow: bool = False,
) -> go.Figure:
    """Plot the chance of each name as a bar, with its number as it is written in ``words``.

    ``chances``, shape (n, 3), have the ends of their intervals, equal where exact; ``places`` are
    None in a set; ``listed``, shape (n,), is how often each name is released if it has the supposed
    count: a diamond, NaN where no count is supposed.  A ``narrow`` screen cuts long names.
    """
    figure = go.Figure()
    whole = [hover_name(name) for name in names]
    ranked = [
        name if place is None else f"{place:,}. {name}"
        for place, name in zip(places, names, strict=True)
    ]
    ticks = shortened(ranked) if narrow else shortened(ranked, length=_LETTERS)
    rows = rows_of(figure, [plain(name) for name in ticks])
    middle, low, high = chances.T
    figure.add_bar(
        x=middle,
        y=rows,
        orientation="h",
        width=0.62,
        marker={"color": translucent(BLUE, 0.45), "line": {"color": BLUE, "width": 1}},
        **numbered(series, whole, words),
        error_x=whiskers(
            middle, low, high, thickness=1.5, width=0, color=BLUE, visible=bool((high > low).any())
        ),
    )
    margin = {"xanchor": "left", "xref": "paper", "xshift": 6}
    figure.layout.annotations = [
        text_at(text.partition(" [")[0], 1, float(row), **margin)
        for row, text in zip(rows, words, strict=True)
    ]
    if listed is not None:
        figure.add_scatter(
            x=listed,
            y=rows,
            mode="markers",
            cliponaxis=False,
            uid="ink-listed",  # the app draws it in the colour of its text
            marker=inked("diamond-open", 9, 2),
            **numbered("chance of release at the supposed counts", whole, listed_words),
        )
    ends = {"tickvals": [0, 0.5, 1], "ticktext": ["0%", "", "100%"]}  # apart on a phone, too
    figure.update_xaxes(title="chance", range=[-0.015, 1.015], tickangle=0, **ends)
    figure.update_layout(showlegend=True, bargap=0.25)
    figure = laid_out(figure)
    longest = max(len(text.partition(" [")[0]) for text in words)
    return figure.update_layout(margin_r=16 + _CHARACTER * longest)
