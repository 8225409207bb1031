"""Results -> Plotly figures; nothing is computed here.

Every mechanism has one colour (Okabe-Ito), dash and marker everywhere, so that a
figure can be read without colour.  Item names are strangers' text: Plotly reads
tags in it, so `plain` escapes them.  Axes say their unit, and whether they are
logarithmic or padded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.errors import Metric


@dataclass(frozen=True)
class Style:
    """How one mechanism is drawn."""

    color: str
    dash: str
    symbol: str
    pattern: str


STYLES = {
    "Joint": Style("#0072B2", "solid", "circle", ""),
    "PNFJoint": Style("#E69F00", "dash", "square", "/"),
    "PNF-Peel": Style("#009E73", "dot", "diamond", "x"),
    "CDP-Peel": Style("#CC79A7", "dashdot", "triangle-up", "."),
}
_NEUTRAL = "#808495"
_MARK = "#D55E00"
_LABEL_LENGTH = 40


def style_of(label: str) -> Style:
    """Style of a mechanism by its label; labels begin with the name."""
    return next(style for name, style in STYLES.items() if label.split(" ")[0] == name)


def plain(text: str, length: int = _LABEL_LENGTH) -> str:
    """Text that Plotly shows as it stands, shortened to ``length`` characters."""
    text = " ".join(text.split())
    text = text if len(text) <= length else text[: length - 1] + "…"
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def given_up_by_place(given_up: Mapping[str, np.ndarray]) -> go.Figure:
    """Count given up at each place of one release, one series a mechanism."""
    figure = go.Figure()
    for label, values in given_up.items():
        style = style_of(label)
        figure.add_scatter(
            x=np.arange(1, len(values) + 1),
            y=values,
            name=label,
            mode="lines+markers",
            line={"color": style.color, "dash": style.dash, "width": 2},
            marker={"symbol": style.symbol, "size": 9},
            hovertemplate="place %{x}: %{y:,} users<extra>" + label + "</extra>",
        )
    figure.add_hline(y=0, line={"color": _NEUTRAL, "width": 1})
    figure.update_xaxes(title="place in the release", tickformat=",d", rangemode="tozero")
    figure.update_yaxes(title="true count − released item's count (users)", tickformat=",")
    return _laid_out(figure)


def error_cdf(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]],
    metric: Metric,
    *,
    exact: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
    bound: float | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Share of runs with error at most x; exact curves lie behind their simulations."""
    figure = go.Figure()
    for label, (values, share) in (exact or {}).items():
        figure.add_scatter(
            x=_padded(values, logarithmic),
            y=share,
            customdata=values,
            name=f"{label}, exact",
            mode="lines",
            line={"color": style_of(label).color, "width": 9, "shape": "hv"},
            opacity=0.3,
            hovertemplate="error ≤ %{customdata:,}: %{y:.1%}<extra>" + label + ", exact</extra>",
        )
    for label, (values, share) in curves.items():
        style = style_of(label)
        figure.add_scatter(
            x=_padded(values, logarithmic),
            y=share,
            customdata=values,
            name=label,
            mode="lines+markers" if len(values) <= 60 else "lines",
            line={"color": style.color, "dash": style.dash, "width": 2.5, "shape": "hv"},
            marker={"symbol": style.symbol, "size": 7},
            hovertemplate="error ≤ %{customdata:,}: %{y:.1%}<extra>" + label + "</extra>",
        )
    if bound is not None:
        _mark(figure, bound, f"Theorem 3.3: {bound:,.0f}", logarithmic, "longdash")
    everything = [values for values, _ in (*curves.values(), *(exact or {}).values())]
    largest = max(float(values.max()) for values in everything)
    _error_axis(figure.update_xaxes, metric, max(largest, bound or 0.0), logarithmic)
    figure.update_yaxes(title="share of runs with at most this error", tickformat=".0%")
    figure.update_yaxes(range=[-0.02, 1.02])
    return _laid_out(figure)


def error_histogram(
    shares: Mapping[str, np.ndarray],
    edges: np.ndarray,
    metric: Metric,
    *,
    bound: float | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Share of runs in bins of the error, bins common to all mechanisms."""
    figure = go.Figure()
    shown = _padded(edges, logarithmic)
    ranges = np.stack([np.ceil(edges[:-1]), np.ceil(edges[1:]) - 1], axis=1)
    at, width = _side_by_side(shown, len(shares), logarithmic)
    for series, (label, share) in enumerate(shares.items()):
        style = style_of(label)
        figure.add_bar(
            x=at[series],
            width=width[series],
            y=share,
            name=label,
            customdata=ranges,
            marker={
                "color": style.color,
                "pattern": _pattern(style),
                "line": {"width": 0},
            },
            hovertemplate=(
                "error %{customdata[0]:,} to %{customdata[1]:,}: %{y:.1%}"
                "<extra>" + label + "</extra>"
            ),
        )
    if bound is not None:
        _mark(figure, bound, f"Theorem 3.3: {bound:,.0f}", logarithmic, "longdash")
    _error_axis(figure.update_xaxes, metric, max(float(edges[-1]), bound or 0.0), logarithmic)
    figure.update_yaxes(title="share of runs", tickformat=".0%", rangemode="tozero")
    figure.update_layout(barmode="overlay")
    return _laid_out(figure)


def error_quantile_dots(
    quantiles: Mapping[str, np.ndarray],
    metric: Metric,
    *,
    bound: float | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Twenty dots a mechanism, each standing for 5 % of the runs."""
    figure = go.Figure()
    for row, (label, values) in enumerate(quantiles.items()):
        style = style_of(label)
        distinct, start, times = np.unique(values, return_index=True, return_counts=True)
        height = np.arange(len(values)) - np.repeat(start, times)
        figure.add_scatter(
            x=_padded(np.repeat(distinct, times), logarithmic),
            y=-row + height / 24,
            customdata=np.repeat(distinct, times),
            name=label,
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol, "size": 11},
            hovertemplate="one run in 20 near %{customdata:,}<extra>" + label + "</extra>",
        )
    if bound is not None:
        _mark(figure, bound, f"Theorem 3.3: {bound:,.0f}", logarithmic, "longdash")
    largest = max(float(values.max()) for values in quantiles.values())
    _error_axis(figure.update_xaxes, metric, max(largest, bound or 0.0), logarithmic)
    figure.update_yaxes(
        tickvals=[-row for row in range(len(quantiles))],
        ticktext=list(quantiles),
        title="each mark is 5 % of the runs",
        zeroline=False,
    )
    return _laid_out(figure)


def error_sweep(
    summary: pd.DataFrame,
    over: str,
    metric: Metric,
    *,
    logarithmic: bool = True,
    current: float | None = None,
) -> go.Figure:
    """Median error with the 25th to 75th percentile band, against k or epsilon."""
    figure = go.Figure()
    for label, rows in summary.groupby("mechanism", sort=False):
        style = style_of(label)
        x = rows[over].to_numpy()
        low, middle, high = (rows[column].to_numpy() for column in ("q25", "median", "q75"))
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=_padded(np.concatenate([high, low[::-1]]), logarithmic),
            fill="toself",
            fillcolor=_translucent(style.color),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=label,
        )
        figure.add_scatter(
            x=x,
            y=_padded(middle, logarithmic),
            customdata=np.stack([low, middle, high], axis=1),
            name=label,
            legendgroup=label,
            mode="lines+markers",
            line={"color": style.color, "dash": style.dash, "width": 2.5},
            marker={"symbol": style.symbol, "size": 8},
            hovertemplate=(
                "median %{customdata[1]:,}, middle half %{customdata[0]:,} to "
                "%{customdata[2]:,}<extra>" + label + "</extra>"
            ),
        )
    if current is not None:
        figure.add_vline(x=current, line={"color": _NEUTRAL, "dash": "dot", "width": 1.5})
    largest = float(summary["q75"].max())
    _error_axis(figure.update_yaxes, metric, largest, logarithmic, prefix="median ")
    if over == "epsilon":
        figure.update_xaxes(type="log", title="ε (privacy budget; log scale)", tickformat="~g")
    else:
        figure.update_xaxes(title="k (items released)", rangemode="tozero")
    figure.update_layout(hovermode="x unified")
    return _laid_out(figure)


def count_gaps(gaps: np.ndarray, k: int, *, logarithmic: bool = True) -> go.Figure:
    """c_i - c_(i+1) at every place i, the one at k marked; ties marked by shape."""
    figure = go.Figure()
    places = np.arange(1, len(gaps) + 1)
    for name, chosen, symbol, color in (
        ("gap", gaps > 0, "circle", STYLES["Joint"].color),
        ("tie (gap 0)", gaps == 0, "x", STYLES["PNFJoint"].color),
    ):
        if chosen.any():
            figure.add_scatter(
                x=places[chosen],
                y=_padded(gaps[chosen], logarithmic),
                customdata=gaps[chosen],
                mode="markers",
                name=name,
                marker={"symbol": symbol, "size": 8, "color": color},
                hovertemplate="c_%{x} − c_next = %{customdata:,} users<extra></extra>",
            )
    if k <= len(gaps):
        figure.add_scatter(
            x=[k],
            y=_padded(gaps[k - 1 : k], logarithmic),
            customdata=gaps[k - 1 : k],
            mode="markers+text",
            name=f"gap at k = {k}",
            text=[f"k = {k}"],
            textposition="top center",
            marker={"symbol": "diamond-open", "size": 18, "color": _MARK, "line": {"width": 3}},
            hovertemplate="c_k − c_(k+1) = %{customdata:,} users<extra></extra>",
        )
        figure.add_vline(x=k, line={"color": _MARK, "dash": "dot", "width": 1.5})
    _count_axis(
        figure.update_yaxes, "gap to the next count", float(gaps.max(initial=0)), logarithmic
    )
    figure.update_xaxes(title="place i (1 = the largest count)", rangemode="tozero")
    return _laid_out(figure)


def count_histogram(edges: np.ndarray, n_items: np.ndarray, kth_count: int, k: int) -> go.Figure:
    """Items by count, in logarithmic bins, with the k-th count marked."""
    figure = go.Figure()
    shown = _padded(edges, True)
    figure.add_bar(
        x=_log_middle(shown),
        y=n_items,
        width=np.diff(shown) * 0.92,
        customdata=np.stack([edges[:-1], edges[1:] - 1], axis=1),
        marker={"color": STYLES["Joint"].color},
        name="items",
        hovertemplate="%{y:,} items with counts %{customdata[0]:,} to %{customdata[1]:,}"
        "<extra></extra>",
    )
    _mark(figure, kth_count, f"count at place {k}: {kth_count:,} ", True, height=1.06)
    _count_axis(figure.update_xaxes, "count", float(edges[-1]), True)
    figure.update_yaxes(type="log", title="items (log scale)", tickformat=",", dtick=1)
    figure.update_layout(showlegend=False)
    return _laid_out(figure)


def output_probabilities(
    outputs: Sequence[str],
    exact: Mapping[str, np.ndarray],
    observed: Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None,
) -> go.Figure:
    """Exact probability of each output as bars; observed shares with their intervals.

    ``observed`` gives, for each mechanism, the share of the draws and the low and high end
    of its 95 % interval.
    """
    figure = go.Figure()
    names = [plain(output, 60) for output in outputs]
    n_series = len(exact)
    width = 0.8 / n_series
    places = np.arange(len(names), dtype=float)
    for series, (label, probabilities) in enumerate(exact.items()):
        style = style_of(label)
        at = places + (series - (n_series - 1) / 2) * width
        figure.add_bar(
            x=at,
            y=probabilities,
            width=width * 0.92,
            name=label,
            customdata=names,
            marker={
                "color": style.color,
                "pattern": _pattern(style),
            },
            hovertemplate="%{customdata}: %{y:.4%} (exact)<extra>" + label + "</extra>",
        )
        if observed and label in observed:
            share, low, high = observed[label]
            figure.add_scatter(
                x=at,
                y=share,
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": high - share,
                    "arrayminus": share - low,
                    "thickness": 1.5,
                    "width": 3,
                },
                name="drawn, with 95 % interval",
                legendgroup="drawn",
                showlegend=series == 0,
                mode="markers",
                customdata=names,
                marker={
                    "symbol": style.symbol + "-open",
                    "size": 8,
                    "color": _NEUTRAL,
                    "line": {"width": 2},
                },
                hovertemplate="%{customdata}: %{y:.4%} (drawn)<extra>" + label + "</extra>",
            )
    figure.update_xaxes(
        title="output, in order of release", tickvals=places, ticktext=names, tickangle=-40
    )
    figure.update_yaxes(title="probability", tickformat=".0%", rangemode="tozero")
    return _laid_out(figure)


def neighbouring_outputs(
    outputs: Sequence[str],
    here: np.ndarray,
    there: np.ndarray,
    label: str,
    marked: int | None = None,
) -> go.Figure:
    """Probability of each output on the data and on the neighbour, side by side."""
    figure = go.Figure()
    names = [plain(output, 60) for output in outputs]
    style = style_of(label)
    places = np.arange(len(names), dtype=float)
    for name, values, offset, pattern in (
        ("the data", here, -0.2, ""),
        ("the neighbour", there, 0.2, "/"),
    ):
        figure.add_bar(
            x=places + offset,
            y=values,
            width=0.38,
            name=name,
            customdata=names,
            marker={
                "color": style.color,
                "opacity": 1.0 if offset < 0 else 0.6,
                "pattern": {"shape": pattern, "bgcolor": style.color, "fgcolor": "white"},
            },
            hovertemplate="%{customdata}: %{y:.4%}<extra>" + name + "</extra>",
        )
    figure.update_xaxes(tickvals=places, ticktext=names, tickangle=-40, title="output, in order")
    figure.update_yaxes(title="probability (exact)", tickformat=".0%", rangemode="tozero")
    if marked is not None:
        _mark(figure, marked, "worst ", False, height=0.95)
    return _laid_out(figure)


def privacy_losses(
    outputs: Sequence[str],
    loss: np.ndarray,
    epsilon: float,
    label: str,
    marked: int | None = None,
) -> go.Figure:
    """Privacy loss of each output as a point, the promised band of epsilon behind."""
    figure = go.Figure()
    names = [plain(output, 60) for output in outputs]
    style = style_of(label)
    places = np.arange(len(names), dtype=float)
    kept = np.abs(loss) <= epsilon + 1e-9
    figure.add_hrect(y0=-epsilon, y1=epsilon, fillcolor=_NEUTRAL, opacity=0.15, line_width=0)
    for edge in (-epsilon, epsilon):
        figure.add_hline(y=edge, line={"color": _NEUTRAL, "dash": "dash", "width": 1.5})
    for name, chosen, symbol, color in (
        ("within ±ε", kept, style.symbol, style.color),
        ("beyond ±ε", ~kept, "x", _MARK),
    ):
        if chosen.any():
            figure.add_scatter(
                x=places[chosen],
                y=loss[chosen],
                name=name,
                mode="markers",
                customdata=np.stack([np.array(names)[chosen], np.exp(loss[chosen])], axis=1),
                marker={"symbol": symbol, "size": 10, "color": color},
                hovertemplate="%{customdata[0]}: ratio %{customdata[1]:.4f}, log %{y:.4f}"
                "<extra></extra>",
            )
    figure.update_xaxes(tickvals=places, ticktext=names, tickangle=-40, title="output, in order")
    figure.update_yaxes(title="privacy loss (ln of the ratio; band: ±ε promised)")
    if marked is not None:
        _mark(figure, marked, "worst ", False, height=0.95)
    return _laid_out(figure)


def privacy_use(used: Mapping[str, float], epsilon: float) -> go.Figure:
    """Largest privacy loss over all neighbours, one bar a mechanism, beside the promise."""
    figure = go.Figure()
    for label, value in used.items():
        style = style_of(label)
        figure.add_bar(
            y=[label],
            x=[value],
            orientation="h",
            marker={"color": style.color, "pattern": _pattern(style)},
            text=[f" {value:.3f}"],
            textposition="outside",
            cliponaxis=False,
            showlegend=False,
            hovertemplate="%{x:.6f} of " + f"{epsilon:g}<extra>{label}</extra>",
        )
    _mark(figure, epsilon, f"promised ε = {epsilon:g} ", False, "dash", height=1.08)
    figure.update_xaxes(
        title="largest privacy loss over all neighbours (exact)", rangemode="tozero"
    )
    figure.update_yaxes(autorange="reversed")
    return _laid_out(figure)


def privacy_profile(
    epsilons: np.ndarray,
    curves: Mapping[str, tuple[np.ndarray, str]],
    epsilon: float,
    delta: float,
) -> go.Figure:
    """Delta against epsilon on a logarithmic axis, the promised point marked.

    ``curves`` gives the values and the label whose style is used, by name.  The area under
    the first curve from epsilon on is shaded: probability that exceeds e^epsilon.
    """
    figure = go.Figure()
    floor = min(1e-16, delta / 1e3) if delta else 1e-16
    for number, (name, (values, dash)) in enumerate(curves.items()):
        shown = np.where(values > floor, values, np.nan)
        color = list(STYLES.values())[(number + 3) % len(STYLES)].color
        if number == 0:
            beyond = epsilons >= epsilon
            figure.add_scatter(
                x=epsilons[beyond],
                y=np.maximum(values[beyond], floor),
                fill="tozeroy",
                mode="none",
                fillcolor=_translucent(color, 0.25),
                name="beyond the promised ε",
                hoverinfo="skip",
            )
        figure.add_scatter(
            x=epsilons,
            y=shown,
            name=name,
            mode="lines",
            line={"color": color, "dash": dash, "width": 2.5},
            hovertemplate="ε = %{x:.3f}: δ = %{y:.2e}<extra>" + name + "</extra>",
        )
    if delta:
        figure.add_scatter(
            x=[epsilon],
            y=[delta],
            name=f"promised: ε = {epsilon:g}, δ = {delta:g}",
            mode="markers",
            marker={"symbol": "star", "size": 14, "color": _MARK},
            hovertemplate="promised<extra></extra>",
        )
    figure.update_xaxes(title="ε of the whole release", rangemode="tozero")
    figure.update_yaxes(
        type="log",
        title="δ (log scale)",
        exponentformat="power",
        range=[np.log10(floor), 0.1],
    )
    return _laid_out(figure)


def _padded(values: np.ndarray, logarithmic: bool) -> np.ndarray:
    """Where a value is drawn: one further on a logarithmic axis, so that 0 has a place."""
    return np.asarray(values) + 1 if logarithmic else np.asarray(values)


def _side_by_side(
    edges: np.ndarray, n_series: int, logarithmic: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Centre and width of the bars of each series, equally wide to the eye within a bin."""
    drawn = np.log(edges) if logarithmic else edges.astype(np.float64)
    share = np.linspace(0.05, 0.95, n_series + 1)[:, None]
    cuts = drawn[:-1] + share * np.diff(drawn)
    cuts = np.exp(cuts) if logarithmic else cuts
    return (cuts[1:] + cuts[:-1]) / 2, np.diff(cuts, axis=0)


def _log_middle(edges: np.ndarray) -> np.ndarray:
    """Middle of each bin on a logarithmic axis."""
    roots = np.sqrt(edges.astype(np.float64))  # first the roots: products of counts overflow
    return roots[1:] * roots[:-1]


def _error_axis(update, metric: Metric, largest: float, logarithmic: bool, prefix: str = ""):
    """Axis of an error; place indices are never logarithmic."""
    if metric.unit == "users":
        _count_axis(update, prefix + metric.title, largest, logarithmic)
    else:
        update(title=f"{prefix}{metric.title} ({metric.unit})", tickformat=",")


def _count_axis(update, title: str, largest: float, logarithmic: bool) -> None:
    """Axis in users; the logarithmic one is padded by 1 and ticked at the true values."""
    if not logarithmic:
        update(title=f"{title} (users)", tickformat=",", rangemode="tozero")
        return
    top = min(max(1, int(np.ceil(np.log10(largest + 1)))), 18)  # 10^19 is no int64
    powers = 10 ** np.arange(top + 1)
    ticks = np.concatenate([[0], powers]) if top > 2 else _fine_ticks(powers)
    update(
        type="log",
        title=f"{title} (users; log scale, padded by 1)",
        tickvals=ticks + 1,
        ticktext=[_short(tick) for tick in ticks],
        range=[-0.06, np.log10(largest + 1) * 1.04 + 0.06],
    )


def _fine_ticks(powers: np.ndarray) -> np.ndarray:
    return np.unique(np.concatenate([[0], powers, 2 * powers, 5 * powers]))


def _short(value: int) -> str:
    for size, suffix in ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value // size}{suffix}"
    return str(value)


def _mark(
    figure: go.Figure,
    x: float,
    text: str,
    logarithmic: bool,
    dash: str = "dot",
    height: float = 0.5,
) -> None:
    """Vertical line with a word beside it; Plotly wants an annotation's place in log10."""
    at = float(_padded(np.array(x), logarithmic))
    figure.add_vline(x=at, line={"color": _MARK, "dash": dash, "width": 2})
    figure.add_annotation(
        x=float(np.log10(at)) if logarithmic else at,
        y=height,
        yref="paper",
        xanchor="right",
        yanchor="middle",
        text=text,
        showarrow=False,
        font={"color": _MARK},
    )


def _pattern(style: Style) -> dict:
    """Hatching that tells bars apart without colour."""
    return {"shape": style.pattern, "bgcolor": style.color, "fgcolor": "white", "size": 6}


def _translucent(color: str, alpha: float = 0.18) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def _laid_out(figure: go.Figure) -> go.Figure:
    figure.update_layout(
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        font={"size": 14},
        hoverlabel={"namelength": -1},
        dragmode=False,
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure
