"""Figure of a few named amounts."""

from collections.abc import Sequence

import plotly.graph_objects as go

from dptopk.figures._drawing import BLUE, laid_out, plain, translucent

_LABEL = 30  # characters of a name on the axis; the whole name is in the hover


def amounts(
    names: Sequence[str],
    values: Sequence[float],
    title: str,
    template: str,
    chosen: Sequence[bool],
) -> go.Figure:
    """One horizontal bar a name, the first on top, its number beside it; the chosen are darker.

    ``title`` is that of the axis, ``template`` how Plotly writes a number: ``"%{x:,}"``.
    """
    figure = go.Figure()
    figure.add_bar(
        x=list(values),
        y=list(range(len(names))),  # names may be equal once they are shortened
        orientation="h",
        customdata=[plain(name, 200) for name in names],
        marker={
            "color": [BLUE if darker else translucent(BLUE, 0.45) for darker in chosen],
            "line": {"color": BLUE, "width": 1},
        },
        texttemplate=f" {template}",
        textposition="outside",
        cliponaxis=False,
        hovertemplate=f"%{{customdata}}: {template}<extra></extra>",
    )
    figure.update_xaxes(title=title, tickformat=",", range=[0, 1.12 * max(*values, 1)])
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=[plain(name, _LABEL) for name in names],
        autorange="reversed",
    )
    figure.update_layout(showlegend=False, bargap=0.25)
    return laid_out(figure)
