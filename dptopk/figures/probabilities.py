"""Exact probabilities of outputs on neighboring data, privacy losses and privacy profiles."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray
from dptopk.core.numerals import compact, ratio, rounded
from dptopk.figures._drawing import (
    INK,
    MARK,
    NEUTRAL,
    PALETTE,
    Styles,
    hatching,
    hover,
    inked,
    laid_out,
    mark,
    numbered,
    pale,
    power_ticks,
    rows_of,
    ruled,
    text_at,
    translucent,
    whiskers,
    write,
)
from dptopk.figures._names import hover_name, tick
from dptopk.laws.privacy_losses import within
from dptopk.mechanisms import Style

_ROOM = 1.2  # times the longest bar, for the number beside it
_BETWEEN = 0.12  # of a column: what parts it from the next
_UNSEEN = 0.01  # of the longest bar: a shorter one is hardly a line
_END_OF_AXIS = 0.78  # of the width, where numbers stand beside: on a phone six digits' room is left


def output_probabilities(
    outputs: Sequence[str],
    exact: Mapping[str, FloatArray],
    styles: Styles,
    observed: Mapping[str, tuple[FloatArray, FloatArray, FloatArray]] | None = None,
    *,
    words: Mapping[str, Sequence[str]],
    observed_words: Mapping[str, Sequence[str]] | None = None,
    short: Sequence[str] | None = None,
    beside: bool = False,
    columns: Mapping[str, str] | None = None,
) -> go.Figure:
    """Plot the exact probability of each output as a bar, with observed shares.

    With ``columns`` each mechanism has a plot of its own beside the others, with a common scale,
    below its name and these words.

    ``observed`` gives, for each mechanism, the share of the draws and the low and high end
    of its 95% interval.  What a mechanism cannot release is NaN and takes no room in its
    row: sets and sequences do not narrow each other's bars.  ``words`` and ``observed_words`` are
    the numbers as they are written.
    ``short`` names the outputs beside their rows; see `short_labels`.  With ``beside`` the numbers
    stand beside the bars, too.
    """
    figure = go.Figure()
    names = [hover_name(output) for output in outputs]
    places = rows_of(figure, _ticks(short or outputs))
    possible = ~np.isnan(np.array(list(exact.values())))
    in_row, nth = possible.sum(axis=0), np.cumsum(possible, axis=0) - 1
    width = 0.84 / max(in_row.max(), 1)
    for series, (label, probabilities) in enumerate(exact.items()):
        style = styles[label]
        at = places if columns else places + (nth[series] - (in_row - 1) / 2) * width
        axis = f"x{series + 1}" if columns and series else "x"
        figure.add_bar(
            x=probabilities,
            y=at,
            xaxis=axis,
            orientation="h",
            width=0.7 if columns else width * 0.92,
            showlegend=not columns,
            marker={"color": style.color, "pattern": hatching(style)},
            **numbered(label, names, words[label]),
        )
        if observed and observed_words and label in observed:
            share, low, high = observed[label]
            figure.add_scatter(
                x=share,
                y=at,
                xaxis=axis,
                error_x=whiskers(share, low, high, thickness=1.5, width=0, color=INK),
                name="drawn (95% interval)",
                uid=f"ink-{series}",  # the app draws these in the colour of its text
                legendgroup="drawn",
                showlegend=series == 0,
                legendrank=2_000,  # after the bars
                mode="markers",
                customdata=list(zip(names, observed_words[label], strict=True)),
                marker=inked("line-ns-open", 9, 2),
                hovertemplate=hover(label, "%{customdata[0]}: %{customdata[1]} (drawn)"),
            )
    figure.update_xaxes(title="probability", tickformat="~%", rangemode="tozero")
    if columns:
        _in_columns(figure, exact, styles, columns)
    if beside:
        for bars, label in zip(figure.select_traces({"type": "bar"}), exact, strict=True):
            bars.update(
                text=words[label], textposition="outside", constraintext="none", cliponaxis=False
            )
        longest = max(np.nanmax(probabilities) for probabilities in exact.values())
        figure.update_xaxes(range=[0, _ROOM * longest])
    # above the columns their names, and above these the legend
    return laid_out(figure).update_layout(margin_t=64 if columns and observed else 40)


def _in_columns(
    figure: go.Figure, exact: Mapping[str, FloatArray], styles: Styles, words: Mapping[str, str]
) -> None:
    """Part the axis of probabilities into one for each mechanism, with its name and words above."""
    n = len(exact)
    longest = max(float(np.nanmax(probabilities)) for probabilities in exact.values())
    end_of_axis = max(1.15 * longest, 1.1 * (longest > 0.5))  # 100% beside 50%, and clear of 0%
    for series, label in enumerate(exact):
        begin, end = series / n, (series + 1 - _BETWEEN) / n
        square = f'<span style="color:{styles[label].color}">■</span>'
        figure.update_layout(
            {
                f"xaxis{series + 1 if series else ''}": {
                    "domain": [begin, end],
                    "range": [0, end_of_axis],
                    "title": "probability" if n == 1 or series == (n - 1) // 2 else None,
                    "tickformat": "~%",
                    "nticks": 4,
                    "tickangle": 0,
                    "showgrid": True,
                }
            }
        )
        above = f"{square} <b>{label}</b> {words[label]}"
        write(figure, above, begin, 1, "left", "bottom", xref="paper", yref="paper")


def pooled_draws(
    outputs: Sequence[str],
    drawn: tuple[FloatArray, FloatArray, FloatArray],
    exact: FloatArray | None,
    style: Style,
    *,
    drawn_words: Sequence[str],
    words: Sequence[str],
    short: Sequence[str] | None = None,
) -> go.Figure:
    """Plot the share of draws of each output as bars, with exact probabilities as marks.

    ``drawn`` gives the shares and the low and high ends of their 95% intervals; ``exact`` may be
    missing, as long as it is to be predicted.  ``drawn_words`` and ``words`` are the numbers as
    they are written, ``short`` the names beside the rows.
    """
    figure = go.Figure()
    names = [hover_name(output) for output in outputs]
    places = rows_of(figure, _ticks(short or outputs))
    share, low, high = drawn
    figure.add_bar(
        x=share,
        y=places,
        orientation="h",
        width=0.7,
        showlegend=True,
        **numbered("drawn (95% interval)", names, drawn_words),
        error_x=whiskers(share, low, high, thickness=1.5, width=4, color=NEUTRAL),
        marker={
            "color": translucent(style.color, 0.55),
            "line": {"color": style.color, "width": 1},
        },
    )
    if exact is not None:
        figure.add_scatter(
            x=exact,
            y=places,
            uid="ink-exact",  # the app draws these in the colour of its text
            mode="markers",
            marker=inked("line-ns-open", 13, 4),
            **numbered("exact", names, words),
        )
    figure.update_xaxes(title="probability", tickformat="~%", rangemode="tozero")
    return laid_out(figure)


def neighboring_outputs(
    outputs: Sequence[str],
    here: FloatArray,
    there: FloatArray,
    style: Style,
    marked: Sequence[int] = (),
    *,
    words: tuple[Sequence[str], Sequence[str]],
    short: Sequence[str] | None = None,
) -> go.Figure:
    """Plot the probability of each output on the data and on the neighbor.

    ``words`` are the numbers as they are written, ``short`` the names beside the rows.
    """
    figure = go.Figure()
    names = [hover_name(output) for output in outputs]
    places = rows_of(figure, _ticks(short or outputs, marked))
    for name, values, written, offset, shape in (
        ("data", here, words[0], -0.2, ""),
        ("neighbour", there, words[1], 0.2, "/"),
    ):
        color = style.color if offset < 0 else pale(style.color)
        figure.add_bar(
            x=values,
            y=places + offset,
            orientation="h",
            width=0.38,
            **numbered(name, names, written),
            marker={
                "color": color,
                "line": {"color": style.color, "width": 1},
                "pattern": hatching(replace(style, hatch=shape)) | {"bgcolor": color},
            },
        )
    figure.update_xaxes(title="probability (exact)", tickformat="~%", rangemode="tozero")
    longest = max(float(here.max()), float(there.max()))
    for row in marked:
        if max(here[row], there[row]) < _UNSEEN * longest:  # told apart by their numbers alone
            both = f"{words[0][row]} on the data, {words[1][row]} on the neighbour"
            write(figure, both, 0, float(places[row]), "left", xshift=6)
    return _with_mark(figure, marked)


def privacy_losses(
    outputs: Sequence[str],
    loss: FloatArray,
    epsilon: float,
    style: Style,
    marked: Sequence[int] = (),
    *,
    short: Sequence[str] | None = None,
) -> go.Figure:
    """Plot the privacy loss of each output as a point, with the guaranteed band behind."""
    figure = go.Figure()
    names = [hover_name(output) for output in outputs]
    places = rows_of(figure, _ticks(short or outputs, marked))
    kept = within(np.abs(loss), epsilon)
    capped = _capped(loss, epsilon)
    figure.add_vrect(x0=-epsilon, x1=epsilon, fillcolor=NEUTRAL, opacity=0.15, line_width=0)
    for edge in (-epsilon, epsilon):
        ruled(figure, {"color": NEUTRAL, "dash": "dash", "width": 2}, x=edge)
    for name, chosen, symbol, color in (
        ("within ±ε", kept, style.marker, style.color),
        ("beyond ±ε", ~kept, "x", MARK),
    ):
        if chosen.any():
            figure.add_scatter(
                x=capped[chosen],
                y=places[chosen],
                name=name,
                mode="markers",
                customdata=[
                    (name, ratio(value), f"{value:.4g}")
                    for name, value in zip(np.array(names)[chosen], loss[chosen], strict=True)
                ],
                marker={"symbol": symbol, "size": 12, "color": color},
                hovertemplate=hover(
                    name, "%{customdata[0]}: ratio %{customdata[1]}, log %{customdata[2]}"
                ),
            )
    figure.update_xaxes(title="privacy loss<br>(ln of the ratio; band: ±ε)")
    figure.update_yaxes(showgrid=True)
    return _with_mark(figure, marked)


def _with_mark(figure: go.Figure, marked: Sequence[int]) -> go.Figure:
    """Note in the legend whose names are bold, if any are."""
    figure = laid_out(figure)
    if not marked:
        return figure
    title = {"text": "<b>bold</b>: largest change", "side": "left"}
    return figure.update_layout(showlegend=True, legend={"title": title})


def _ticks(names: Sequence[str], marked: Sequence[int] = ()) -> list[str]:
    """Return the names beside the rows, the most important ones bold."""
    return [
        f"<b>{tick(name)}</b>" if place in marked else tick(name)
        for place, name in enumerate(names)
    ]


def privacy_use(used: Mapping[str, float], epsilon: float, styles: Styles) -> go.Figure:
    """Plot the largest privacy loss over all neighbors as bars, beside the guarantee."""
    figure, notes = go.Figure(), []
    drawn = _capped(np.array(list(used.values())), epsilon)
    for (label, value), length in zip(used.items(), drawn, strict=True):
        style = styles[label]
        figure.add_bar(
            y=[label],
            x=[length],
            orientation="h",
            marker={"color": style.color, "pattern": hatching(style)},
            showlegend=False,
            hovertemplate=hover(label, f"{value:.6f} of {compact(epsilon)}"),
        )
        digits = f"{value:.3f}" if value < 100 else rounded(value, 4)
        end = _END_OF_AXIS + 0.01  # the axis, which ends before them with its lines
        written = digits if np.isfinite(value) else "∞"
        notes.append(text_at(written, end, label, xanchor="left", xref="paper"))
    figure.layout.annotations = notes
    mark(figure, epsilon, f"promised ε = {compact(epsilon)} ", False, "dash", height=1.12)
    figure.update_xaxes(
        title="largest privacy loss (exact)",
        range=[0, 1.03 * max(epsilon, *drawn)],
        domain=[0, _END_OF_AXIS],
        showgrid=True,
    )
    figure.update_yaxes(autorange="reversed")
    return laid_out(figure)


def privacy_profile(
    epsilons: FloatArray, curves: Mapping[str, tuple[FloatArray, str]], epsilon: float, delta: float
) -> go.Figure:
    """Plot delta against epsilon on a logarithmic axis, with the guarantee marked.

    ``curves`` gives the values and the label whose style is used, by name.  The area under
    the first curve from epsilon on is shaded: probability that exceeds e^epsilon.  A curve that
    falls below the axis ends at its foot, and the axis says so.
    """
    figure = go.Figure()
    floor = min(1e-16, delta / 1e3) if delta else 1e-16
    falls = False
    for number, (name, (values, dash)) in enumerate(curves.items()):
        below = values <= floor
        falls |= bool(below.any())
        curve = np.where(below & np.append(True, below[:-1]), np.nan, np.maximum(values, floor))
        color = PALETTE[number % len(PALETTE)]
        if number == 0:
            beyond = epsilons >= epsilon
            figure.add_scatter(
                x=epsilons[beyond],
                y=np.maximum(values[beyond], floor),
                fill="tozeroy",
                mode="none",
                fillcolor=translucent(color, 0.25),
                name="beyond the promised ε",
                hoverinfo="skip",
            )
        figure.add_scatter(
            x=epsilons,
            y=curve,
            customdata=values,
            name=name,
            mode="lines",
            line={"color": color, "dash": dash, "width": 3},
            hovertemplate=hover(name, "ε = %{x:.3f}: δ = %{customdata:.2e}"),
        )
    if delta:
        figure.add_scatter(
            x=[epsilon],
            y=[delta],
            name=f"promised: ε = {compact(epsilon)}, δ = {compact(delta)}",
            mode="markers",
            marker={"symbol": "star", "size": 14, "color": MARK},
            hovertemplate=hover("promised", f"ε = {compact(epsilon)}, δ = {compact(delta)}"),
        )
    figure.update_xaxes(title="ε of the whole release", rangemode="tozero", tickformat="~g")
    power_ticks(figure.update_yaxes, floor)
    figure.update_yaxes(
        title=f"δ (log scale{f';<br>none below {compact(floor)}' if falls else ''})",
        range=[np.log10(floor), 0.1],
    )
    return laid_out(figure)


def _capped(loss: FloatArray, epsilon: float) -> FloatArray:
    """Return losses as drawn, infinite ones slightly beyond the largest finite one."""
    finite = np.abs(loss[np.isfinite(loss)])
    beyond = 1.3 * max(epsilon, float(finite.max(initial=0.0)))
    return np.asarray(np.clip(loss, -beyond, beyond), dtype=np.float64)
