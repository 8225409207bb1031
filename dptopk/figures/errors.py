"""Errors: of one release, their distribution, quantile dots, side by side, over a parameter."""

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk.core import numerals
from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.core.errors import Metric
from dptopk.figures._drawing import (
    NEUTRAL,
    Styles,
    bin_sides,
    check_metric,
    curve,
    digits,
    error_axis,
    hatching,
    hollow,
    hover,
    laid_out,
    mark,
    mark_bound,
    mark_current,
    padded,
    rows_of,
    ruled,
    side_by_side,
    translucent,
    whiskers,
    write,
)
from dptopk.mechanisms import ErrorBound
from dptopk.simulation.quantile_dots import Dots, drawn_ends

_SPREAD = 0.24  # of a place, to each side: room for all mechanisms at it
_DOT = 8  # pixels
_ROW_SHARE = 0.92  # of a row: all dots of one value
_LINE = 20  # pixels of a line of text
_NARROW_ROW = 146  # pixels for one row on a narrow screen
_FEW_ROWS = 6  # more are lower
_SQUARE = 0.82  # a square as wide as a disc is high looks larger
_CLEAR = "\N{NO-BREAK SPACE}" * 3  # between a number and its dot
_MANY = 10  # with more rows than these each takes one line: all fit on a projector


def count_errors_by_place(
    count_errors: Mapping[str, IntArray], styles: Styles, unit: str = numerals.COUNT_UNIT
) -> go.Figure:
    """Plot the count error at each place of one release, one series per mechanism."""
    figure = go.Figure()
    offsets = np.linspace(-_SPREAD, _SPREAD, len(count_errors)) if len(count_errors) > 1 else [0.0]
    for (label, values), aside in zip(count_errors.items(), offsets, strict=True):
        style = styles[label]
        figure.add_scatter(  # what is equal stands side by side, and nobody is hidden
            x=(places := np.arange(1, len(values) + 1)) + aside,
            y=values,
            customdata=places,
            name=label,
            mode="markers",
            marker={"symbol": style.marker, "size": 10, "color": style.color},
            hovertemplate=hover(label, f"place %{{customdata}}: %{{y:,}} {unit}"),
        )
    ruled(figure, {"color": NEUTRAL, "width": 1}, y=0)
    last = max(map(len, count_errors.values()))
    step = next(size for size in (1, 2, 5, 10, 20, 50, last) if last <= 10 * size)
    ticks = [1, *range(max(step, 2), last + 1, step)]  # there is no place 0
    figure.update_xaxes(title="place in the release", tickvals=ticks, range=[0.5, last + 0.5])
    figure.update_yaxes(title=f"count error ({unit})", tickformat=",")
    return laid_out(figure)


def error_cdf(
    curves: Mapping[str, tuple[NumberArray, FloatArray]],
    metric: Metric,
    styles: Styles,
    *,
    exact: Mapping[str, tuple[NumberArray, FloatArray, Sequence[str]]] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Plot the CDF of the error; exact curves lie behind simulated ones.

    ``curves`` gives values and shares, ``words`` the shares as they are written if they are more
    than a number, ``exact`` the exact probabilities as they are written, too.
    """
    check_metric(metric)
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    which = "this error"
    if metric.more_is_better:
        which = "so much" if metric.is_score else "so many"
    form = digits(metric)
    everything = [values for values, _ in curves.values()]
    everything += [values for values, _, _ in (exact or {}).values()]
    largest = max(values.max() for values in everything)
    for label, (values, share, written) in (exact or {}).items():
        at, reached = _to_the_end(values, share, largest)
        figure.add_scatter(
            x=padded(at, logarithmic),
            y=reached,
            customdata=list(zip(at.tolist(), [*written, written[-1]], strict=True)),
            name=f"{label}, exact",
            mode="lines",
            line={"color": styles[label].color, "width": 9, "shape": "hv"},
            opacity=0.3,
            hovertemplate=hover(
                f"{label}, exact", f"{measured} ≤ %{{customdata[0]:{form}}}: %{{customdata[1]}}"
            ),
        )
    for label, (values, share) in curves.items():
        style = styles[label]
        shares = [*map(numerals.share, share)] if words is None else words[label]
        at, reached = _to_the_end(values, share, largest)
        figure.add_scatter(
            x=padded(at, logarithmic),
            y=reached,
            customdata=list(zip(at.tolist(), [*shares, shares[-1]], strict=True)),
            name=label,
            mode="lines+markers" if len(values) <= 60 else "lines",
            line={"color": style.color, "dash": style.dash, "width": 3, "shape": "hv"},
            marker={"symbol": style.marker, "size": [9] * len(values) + [0], "opacity": 1},
            hovertemplate=hover(
                label,
                f"{measured} ≤ %{{customdata[0]:{form}}}: %{{customdata[1]}} of the releases",
            ),
        )
    mark_bound(figure, bound, logarithmic)
    ends = _ends([min(values.min() for values in everything), largest], bound)
    error_axis(figure.update_xaxes, metric, ends, logarithmic)
    figure.update_yaxes(title=f"releases with at most {which}", tickformat=".0%")
    figure.update_yaxes(range=[-0.02, 1.02])
    return laid_out(figure)


def error_histogram(
    shares: Mapping[str, FloatArray],
    edges: NumberArray,
    metric: Metric,
    styles: Styles,
    *,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
) -> go.Figure:
    """Plot the share of releases by error, in bins common to all mechanisms."""
    check_metric(metric)
    figure = go.Figure()
    measured = metric.title if metric.more_is_better else "error"
    if metric.is_score:
        ends = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ranges = [f"{numerals.score(first)} to {numerals.score(last)}" for first, last in ends]
    else:
        ends = zip(edges[:-1].tolist(), (edges[1:] - 1).tolist(), strict=True)
        ranges = [f"{a:,}" if a == b else f"{a:,} to {b:,}" for a, b in ends]
    at, width = side_by_side(bin_sides(edges, logarithmic), len(shares), logarithmic)
    for series, (label, share) in enumerate(shares.items()):
        style = styles[label]
        figure.add_bar(
            x=at[series],
            width=width[series],
            y=share,
            name=label,
            customdata=list(zip(ranges, map(numerals.share, share), strict=True)),
            marker={"color": style.color, "pattern": hatching(style), "line": {"width": 0}},
            hovertemplate=hover(label, f"{measured} %{{customdata[0]}}: %{{customdata[1]}}"),
        )
    mark_bound(figure, bound, logarithmic)
    # less a half, where the bar of the first number begins
    first = edges[0] - 0.5 * (edges.dtype.kind != "f")
    error_axis(figure.update_xaxes, metric, _ends([first, edges[-1]], bound), logarithmic)
    figure.update_yaxes(title="share of releases", tickformat=".0%", rangemode="tozero")
    figure.update_layout(barmode="overlay")
    return laid_out(figure)


def error_sweep(
    summary: pd.DataFrame,
    over: str,
    metric: Metric,
    styles: Styles,
    *,
    logarithmic: bool = True,
    current: float | None = None,
    band: tuple[str, str] = ("median", "middle half"),
) -> go.Figure:
    """Plot the median error with its 25th to 75th percentile band against a parameter.

    ``band`` says what is in the columns "median", and "q25" to "q75", where it is something else.
    """
    check_metric(metric)
    figure, form = go.Figure(), digits(metric)
    for name, rows in summary.groupby("mechanism", sort=False):
        label = str(name)
        style = styles[label]
        x = rows[over].to_numpy()
        low, middle, high = (rows[column].to_numpy() for column in ("q25", "median", "q75"))
        figure.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=padded(np.concatenate([high, low[::-1]]), logarithmic),
            mode="lines",  # left to Plotly, fewer than twenty points get markers
            fill="toself",
            fillcolor=translucent(style.color, 0.08),  # paler, as bands lie on each other
            line={"width": 1, "color": translucent(style.color, 0.5)},
            hoverinfo="skip",
            showlegend=False,
            legendgroup=label,
        )
        text = (
            f"{band[0]} %{{customdata[1]:{form}}}, "
            f"{band[1]} %{{customdata[0]:{form}}} to %{{customdata[2]:{form}}}"
        )
        numbers = np.stack([low, middle, high], axis=1)
        at = padded(middle, logarithmic)
        curve(figure, x, at, label, style, text, customdata=numbers, legendgroup=label)
    if current is not None:
        mark_current(figure, current)
    ends = _ends([summary["q25"].min(), summary["q75"].max()])
    error_axis(figure.update_yaxes, metric, ends, logarithmic, prefix=f"{band[0]} ", between="<br>")
    if over == "epsilon":
        figure.update_xaxes(type="log", title="ε (privacy budget; log scale)", tickformat="~g")
    elif over == "k":
        figure.update_xaxes(title="k (items released)", rangemode="tozero")
    else:
        items = "items" if over == "d" else "items read"
        every = sorted(summary[over].unique())  # those too close to the next one have no tick
        ticks = [x for x, after in itertools.pairwise([*every, np.inf]) if after >= 1.8 * x]
        figure.update_xaxes(title=f"{items} (log scale)", type="log", tickvals=ticks)
    figure.update_layout(hovermode="x unified")
    return laid_out(figure)


def _to_the_end(
    values: NumberArray, share: FloatArray, largest: float
) -> tuple[NumberArray, FloatArray]:
    return np.append(values, largest), np.append(share, share[-1])


def _ends(drawn: Iterable[float], bound: ErrorBound | None = None) -> tuple[float, float]:
    """Return the smallest and the largest error drawn, a proven bound among them."""
    values = [*map(float, drawn), *([bound.value] if bound else [])]
    return min(values), max(values)


def height_of_dots(n_rows: int, narrow: bool) -> int:
    """Return the height in pixels of so many rows, of all dots of one value where they are few."""
    row = _NARROW_ROW if narrow else 65 if n_rows <= _FEW_ROWS else 46
    return 140 + n_rows * row


def error_quantile_dots(
    dots: Mapping[str, Dots],
    metric: Metric,
    styles: Styles,
    *,
    bound: ErrorBound | None = None,
    logarithmic: bool = True,
    threshold: float | None = None,
    narrow: bool = False,
    words: Mapping[str, Sequence[str]] | None = None,
    why: str = "",
) -> go.Figure:
    """Plot quantile dots, one row per mechanism; those beyond a threshold are hollow.

    A row is as high as all dots in one column, so that the height of a column is its share.
    The figure is at least as high as `height_of_dots` says; ``narrow`` says that the columns are
    those of a narrow screen.  ``words`` are lines below the names of the rows, of which low rows
    and a narrow screen show the first; by default, whether the dots are exact.  ``why`` says what
    the threshold is, whose line is drawn only where a dot lies beyond it.
    """
    check_metric(metric)
    figure, lines = go.Figure(), 1 if narrow or len(dots) > _FEW_ROWS else None
    if words is None:
        words = {label: ["exact" if each.exact else "from runs"] for label, each in dots.items()}
    step = _ROW_SHARE / max(each.values.size for each in dots.values())
    for row, (label, each) in enumerate(dots.items()):
        style = styles[label]
        above = each.values > (np.inf if threshold is None else threshold)
        figure.add_scatter(
            x=padded(each.at, logarithmic),
            y=-row + (each.height + 0.5) * step,
            customdata=each.values,
            name=label,
            mode="markers",
            marker={
                "color": style.color,
                "symbol": [
                    hollow(style.marker) if is_above else style.marker for is_above in above
                ],
                "size": _DOT * (_SQUARE if style.marker == "square" else 1),
                "line": {"width": np.where(above, 1.5, 0), "color": style.color},
            },
            hovertemplate=hover(
                label, f"one release in {each.values.size}: %{{customdata:{digits(metric)}}}"
            ),
        )
        ruled(figure, {"color": NEUTRAL, "width": 1}, y=-row)
    mark_bound(figure, bound, logarithmic)
    reached = [end for each in dots.values() for end in (each.at.min(), each.at.max())]
    reached += drawn_ends(each.values for each in dots.values())
    if threshold is not None and any(each.beyond(threshold) for each in dots.values()):
        # the line stands beyond what is not too wrong
        (side,) = bin_sides(np.array([int(threshold) + 1]), logarithmic)
        reached.append(float(side) - logarithmic)
        beyond = f"hollow: error above {threshold:,.0f}{f',<br>{why}' if why else ''} "
        mark(figure, reached[-1], beyond, logarithmic, height=1.03)
    low, high = _ends(reached, bound)
    error_axis(figure.update_xaxes, metric, (low, high), logarithmic, between="<br>")
    if not logarithmic:
        low = min(low, 0) if metric.in_counts else low
        figure.update_xaxes(range=[low - 0.03 * (high - low), high + 0.03 * (high - low)])
    (share,) = {1 / each.values.size for each in dots.values()}
    note = f"each mark is {share:.0%} of the releases"
    figure.update_yaxes(
        tickvals=[-row + 0.3 for row in range(len(dots))],
        ticktext=["<br>".join([label, *words[label][:lines]]) for label in dots],
        title=None if narrow else f"{note},<br>at about its error",
        showgrid=False,
        zeroline=False,
        range=[-len(dots) + 0.92, 1],
    )
    figure.update_layout(showlegend=False)
    if narrow:  # beside rows as high as a telephone, the title of their axis were out of sight
        write(figure, note, 1, 1, "right", "bottom", xref="paper", yref="paper", yshift=2 * _LINE)
    n_lines = 4 if narrow else 3 if why else 2
    return laid_out(figure).update_layout(margin_t=n_lines * _LINE)


def row_of_comparison(n_rows: int) -> int:
    """Return the height in pixels of a row, for so many rows."""
    return 21 if n_rows > _MANY else 40


def error_comparison(
    rows: pd.DataFrame, metric: Metric, styles: Styles, *, logarithmic: bool = True
) -> go.Figure:
    """Plot median, its 95% interval and the middle half of the releases, one row each.

    ``rows`` has ``mechanism``, ``kind`` (in words; a line parts rows of different kinds),
    ``q25``, ``median``, ``q75``, ``median_low``, ``median_high`` and ``settled``,
    whether the median is exact; it may have ``nothing``, whether most releases are empty.
    """
    check_metric(metric)
    figure, form = go.Figure(), digits(metric)
    many = len(rows) > _MANY
    one_line = many or rows["kind"].nunique() == 1  # of one kind it says nothing
    names = rows["mechanism"] if one_line else rows["mechanism"] + "<br>" + rows["kind"]
    places = rows_of(figure, names.tolist())
    for place, row in zip(places, rows.to_dict("records"), strict=True):
        label = row["mechanism"]
        style = styles[label]
        seen = [row[key] for key in ("q25", "q75", "median", "median_low", "median_high")]
        low, high, middle, least, most = padded(np.array(seen, dtype=float), logarithmic)
        value = f"{row['median']:,.1f}".removesuffix(".0")
        if row.get("nothing"):  # the number is of an empty release
            value = "nothing released"
        if metric.is_score:
            value = numerals.score(row["median"])
        figure.add_scatter(
            x=[low, high, None, most] if many else [low, high],
            y=[place, place, None, place] if many else [place, place],
            mode="lines+text" if many else "lines",
            # above its dot a number would lie on the row above: beside it, clear of the whisker
            text=["", "", "", f"{_CLEAR}{value}{_CLEAR}"] if many else None,
            textposition="middle left" if row.get("nothing") else "middle right",
            cliponaxis=False,
            line={"color": translucent(style.color, 0.45), "width": 7 if many else 11},
            hoverinfo="skip",
        )
        figure.add_scatter(
            x=[middle],
            y=[place],
            customdata=[seen],
            name=label,
            mode="markers" if many else "markers+text",
            text=None if many else [value],
            textposition="top left" if row.get("nothing") else "top center",
            cliponaxis=False,
            marker={
                "symbol": style.marker,
                "size": 9 if many else 11,
                "color": style.color,
                "line": {"color": "white", "width": 1},
            },
            error_x=whiskers(
                [middle],
                [least],
                [most],
                color=style.color,
                thickness=2,
                width=5,
                visible=not row["settled"],
            ),
            hovertemplate=hover(
                label,
                f"median %{{customdata[2]:{form}}}"
                + (
                    ", exact"
                    if row["settled"]
                    else f" (95%: %{{customdata[3]:{form}}} to %{{customdata[4]:{form}}})"
                )
                + f"<br>middle half %{{customdata[0]:{form}}} to %{{customdata[1]:{form}}}",
            ),
        )
    for place, (kind, following) in enumerate(zip(rows["kind"], rows["kind"][1:], strict=False)):
        if kind != following:
            ruled(figure, {"color": NEUTRAL, "width": 1, "dash": "dot"}, y=place + 0.5)
            if many:  # too low for a second line of each name
                words = f"↑ {kind}<br>↓ {following}"
                write(figure, words, 1, place + 0.5, "right", xref="paper")
    drawn = rows[["q25", "q75", "median_low", "median_high"]].to_numpy(dtype=float)
    ends = _ends([drawn.min(), drawn.max()])
    error_axis(figure.update_xaxes, metric, ends, logarithmic, prefix="median ", between="<br>")
    figure.update_yaxes(range=[len(rows) - 0.4, -0.7])  # room for the number above a dot
    figure.update_layout(showlegend=False)
    return laid_out(figure)
