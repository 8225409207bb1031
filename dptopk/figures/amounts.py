"""Bar chart of a few named amounts."""

import textwrap
from collections.abc import Collection, Sequence

import plotly.graph_objects as go

from dptopk.figures._drawing import BLUE, INK, hover, laid_out, pale, rows_of
from dptopk.figures._names import hover_name, plain, shortened

_LINE = 26  # characters of a name on the axis, and of the axis's title, before it is broken
_CHARACTER = 8  # pixels of the numbers beside the bars, which stand in the margin
_MANY = 1e3  # from here on ticks are written shortly: the numbers stand at the bars
_NUMBERS = (8, 21)  # characters of them, at least and at most


def amounts(
    names: Sequence[str],
    values: Sequence[float],
    title: str,
    template: str,
    chosen: Sequence[bool],
    lines: int = 1,
    outlined: Collection[int] = (),
) -> go.Figure:
    """Plot one horizontal bar per name, with its number; the chosen ones are darker.

    ``title`` is that of the axis, ``template`` how Plotly writes a number: ``"%{x:,}"``.  A name
    takes so many ``lines`` and is then shortened; it is whole in the hover.  Bars at the positions
    ``outlined`` have a strong edge.
    """
    figure = go.Figure()
    one_line = [plain(name) for name in shortened(names)]
    ticks = one_line if lines == 1 else [_broken(name, lines) for name in names]
    figure.add_bar(
        x=list(values),
        y=rows_of(figure, ticks),
        orientation="h",
        customdata=[hover_name(name) for name in names],
        marker={
            "color": [BLUE if darker else pale(BLUE) for darker in chosen],
            "line": {
                "color": [INK if i in outlined else BLUE for i in range(len(names))],
                "width": [3 if i in outlined else 1 for i in range(len(names))],
            },
        },
        texttemplate=f" {template}",
        textposition="outside",
        cliponaxis=False,
        hovertemplate=hover("%{customdata}", template),
        showlegend=False,
    )
    largest = max(*values, 0) or 1
    figure.update_xaxes(
        title=_broken(title, 2),
        tickformat="," if largest < _MANY else "~s",
        tickangle=0,
        nticks=4,  # on a phone beside long names; the numbers stand at the bars
        dtick=1 if largest <= 3 and template == "%{x:,}" else None,  # there is no half a user
        range=[0, 1.01 * largest],
    )
    figure = laid_out(figure.update_layout(bargap=0.25))
    shortest, longest = _NUMBERS
    whole = 0 if template.endswith("e}") else len(f"{largest:,.0f}") + 1  # as powers: few digits
    n_characters = min(max(shortest, whole), longest)
    return figure.update_layout(margin_r=10 + _CHARACTER * n_characters)


def _broken(name: str, lines: int) -> str:
    """Break a name into at most so many lines, shortened if necessary."""
    wrapped = textwrap.wrap(name, _LINE, break_on_hyphens=False)
    kept = [*wrapped[: lines - 1], " ".join(wrapped[lines - 1 :])]
    return "<br>".join(plain(line, _LINE) for line in kept if line)
