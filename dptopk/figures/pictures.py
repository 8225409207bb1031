"""Explanatory figures of how mechanisms choose, for example by coin flips or noisy counts."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import IntArray
from dptopk.core.numerals import COUNT_UNIT
from dptopk.figures._drawing import (
    MARK,
    NEUTRAL,
    PALETTE,
    curve,
    dotted,
    hatching,
    hollow,
    hover,
    laid_out,
    threshold_words,
    translucent,
)
from dptopk.figures._names import hover_name, plain, shortened
from dptopk.mechanisms import Style
from dptopk.mechanisms.pictures import Coins, Limits, NoisyCounts, Sizes, Threshold

_TOGETHER = 2  # short names: small pictures stand side by side
_TWO_LINES = 8  # rows: more leave room for one line each
_DASHES = ("solid", "dash", "dot")
_FEW_LIMITS = 12  # up to here each has its own tick, and a point below


def coins(
    names: Sequence[str], picture: Coins, style: Style, written: tuple[Sequence[str], Sequence[str]]
) -> go.Figure:
    """Plot the probability of heads of each item's coin, and of being released, as bars.

    ``written`` gives both as people read them.
    """
    figure = go.Figure()
    heads = {"color": style.color, "pattern": hatching(style)}
    for name, values, marker, texts in (
        ("coin shows heads", np.exp(picture.log_heads), heads, written[0]),
        ("is released", np.exp(picture.log_released), {"color": NEUTRAL}, written[1]),
    ):
        figure.add_bar(
            x=values,
            y=np.arange(len(names)),
            orientation="h",
            name=name,
            marker=marker,
            customdata=[hover_name(item) for item in names],
            text=texts,
            textposition="outside",
            cliponaxis=False,
            hovertemplate=hover(name, "%{customdata}: %{text}"),
        )
    figure.update_layout(barmode="group", bargap=0.25)
    figure.update_xaxes(
        title="probability (exact)", range=[0, 1.12], tickvals=[0, 0.5, 1], tickformat=".0%"
    )
    return _with_items(figure, names, picture.counts.tolist())


def noisy_counts(
    names: Sequence[str],
    picture: NoisyCounts,
    style: Style,
    unit: str = COUNT_UNIT,
    reach: tuple[float, float] = (0.0, 0.0),
    places: IntArray | None = None,
) -> go.Figure:
    """Plot the true and the noisy count of each item, joined by a line.

    ``reach`` is how far noise seldom goes, down and up: the axis has room for it, so that it stays
    where it is from draw to draw.  ``places`` are those that the items took in rounds, 0 for none:
    such an item's mark is open.  Without them an item has the place of its noisy count.
    """
    words = f"with {picture.noise} noise, and the place it then has"
    if places is not None:
        words = f"with {picture.noise} noise; the number is the place taken"
    taken = picture.places if places is None else places
    figure = go.Figure()
    rows = np.arange(len(names))
    gap = np.full(len(names), np.nan)
    figure.add_scatter(
        x=np.stack([picture.counts, picture.noisy, gap], axis=1).ravel(),
        y=np.repeat(rows, 3),
        mode="lines",
        line={"color": style.color, "width": 2},
        showlegend=False,
        hoverinfo="skip",
    )
    labels = [hover_name(item) for item in names]
    figure.add_scatter(
        x=picture.counts,
        y=rows,
        mode="markers",
        name="true count",
        marker={"symbol": "line-ns-open", "size": 16, "color": NEUTRAL, "line": {"width": 3}},
        customdata=labels,
        hovertemplate=hover("true count", f"%{{customdata}}: %{{x:,}} {unit}"),
    )
    figure.add_scatter(
        x=picture.noisy,
        y=rows,
        mode="markers+text",
        name=words,
        marker={
            "symbol": [style.marker if place else hollow(style.marker) for place in taken],
            "size": 11,
            "color": style.color,
        },
        text=[f" {place} " if place else "" for place in taken],
        textposition=np.where(  # beyond the end of the stroke: on neither it nor the true count
            picture.noisy < picture.counts, "middle left", "middle right"
        ),
        cliponaxis=False,
        customdata=labels,
        hovertemplate=hover("with noise", f"%{{customdata}}: %{{x:,.1f}} {unit}"),
    )
    if picture.threshold is not None:
        words, ends = threshold_words(picture.threshold), [-0.5, len(names) - 0.5]
        hover_text = f"{words} {unit}, with noise"
        dotted(figure, [picture.threshold] * 2, ends, words, hover_text, cliponaxis=False)
    drawn = np.append(picture.noisy, [] if picture.threshold is None else picture.threshold)
    low = min(picture.counts.min() - reach[0], drawn.min())
    high = max(picture.counts.max() + reach[1], drawn.max())
    margin = 0.03 * (high - low) or 1.0
    figure.update_xaxes(
        title=unit,
        tickformat=",",
        nticks=4,  # on a phone beside long names
        range=[low - margin, high + margin],
    )
    return _with_items(figure, names, picture.counts.tolist())


def limits(
    picture: Limits, style: Style, written: Sequence[str], unit: str = COUNT_UNIT
) -> go.Figure:
    """Plot the probability of each limit, with the number of items eligible at some places.

    ``written`` gives the probabilities as people read them.
    """
    figure = go.Figure()
    width = picture.stop - picture.start
    end = int(picture.stop[-1])
    few = end <= _FEW_LIMITS
    figure.add_bar(
        x=picture.start + (width - 1) / 2,
        y=picture.probabilities,
        width=width * 0.92,
        customdata=list(
            zip(picture.start.tolist(), (picture.stop - 1).tolist(), written, strict=True)
        ),
        marker={"color": style.color, "pattern": hatching(style)},
        showlegend=False,
        hovertemplate=f"{picture.letter} from "
        "%{customdata[0]:,} to %{customdata[1]:,}: %{customdata[2]}"
        "<extra></extra>",
    )
    colors = (style.color, *PALETTE[2:])
    drawn_places = zip(picture.places, picture.eligible, _DASHES, colors, strict=False)
    for place, eligible, dash, color in drawn_places:
        curve(
            figure,
            picture.limits,
            eligible,
            f"place {place}",
            replace(style, color=color, dash=dash),
            f"{picture.letter} = %{{x:,}}: %{{y:,}} items",
            mode="lines+markers" if few else "lines",
            line_shape="hv",
            fill="tozeroy" if len(picture.places) == 1 else None,
            fillcolor=translucent(style.color),
            showlegend=True,
            yaxis="y2",
        )
    figure.update_layout(
        xaxis={
            "title": f"{picture.letter} ({unit})",
            "tickformat": ",",
            "anchor": "y2",
            "range": [-0.5, end - 0.5],  # none is below 0
            "dtick": 1 if few else None,
        },
        yaxis={
            "title": "probability" if (width == 1).all() else "probability per bar",
            "tickformat": ".0%",
            "domain": [0.55, 1],
        },
        yaxis2={"title": "eligible items", "tickformat": ",", "domain": [0, 0.45]},
    )
    figure.update_yaxes(rangemode="tozero")
    return laid_out(figure)


def threshold(picture: Threshold, style: Style, written: tuple[str, str]) -> go.Figure:
    """Plot the density of a number with noise, split at the threshold for releasing a set.

    ``written`` are the probabilities that it does and that nothing does, as people read them.
    """
    figure = go.Figure()
    above = picture.values >= picture.threshold
    for name, chosen, color in (
        (f"the set is released: {written[0]}", above, style.color),
        (f"nothing is (⊥): {written[1]}", picture.values <= picture.threshold, NEUTRAL),
    ):
        figure.add_scatter(
            x=picture.values[chosen],
            y=picture.density[chosen],
            mode="lines",
            fill="tozeroy",
            line={"color": color, "width": 2},
            fillcolor=translucent(color, 0.4),
            name=name,
            hovertemplate=hover(name, "%{x:,.1f} users"),
        )
    for name, x, color, dash in (
        (f"without noise: {picture.distance:,}", picture.distance, NEUTRAL, "dash"),
        (f"threshold: {picture.threshold:,.1f}", picture.threshold, MARK, "dot"),
    ):
        figure.add_scatter(
            x=[x, x],
            y=[0, picture.density.max() * 1.08],
            mode="lines",
            line={"color": color, "width": 3, "dash": dash},
            name=name,
            hovertemplate=name + " users<extra></extra>",
        )
    figure.update_xaxes(title="distance to instability (users), with noise", tickformat=",")
    figure.update_yaxes(title="probability density", rangemode="tozero", showticklabels=False)
    return laid_out(figure)


def sizes(
    picture: Sizes,
    style: Style,
    written: tuple[Sequence[str], Sequence[str]],
    unit: str = COUNT_UNIT,
) -> go.Figure:
    """Plot the gap after each size, and the probabilities that it is drawn and comes out.

    ``written`` gives both probabilities as people read them.
    """
    figure = go.Figure()
    places = np.arange(1, picture.gaps.size + 1)
    figure.add_bar(
        x=places,
        y=picture.gaps,
        marker={"color": NEUTRAL},
        showlegend=False,
        yaxis="y2",
        hovertemplate=f"size %{{x}}: a gap of %{{y:,}} {unit}<extra></extra>",
    )
    drawn = {"color": "rgba(0,0,0,0)", "line": {"color": NEUTRAL, "width": 2}}
    for name, values, marker, texts in (
        ("size is drawn", picture.log_chosen, drawn, written[0]),
        (
            "and its set is released",
            picture.log_released,
            {"color": style.color, "pattern": hatching(style)},
            written[1],
        ),
    ):
        figure.add_bar(
            x=places,
            y=np.exp(values),
            marker=marker,
            name=name,
            customdata=texts,
            hovertemplate=hover(name, "size %{x}: %{customdata}"),
        )
    figure.update_layout(
        barmode="overlay",
        xaxis={"title": "size: items in the set", "tickformat": ",d", "anchor": "y"},
        yaxis={"title": "probability", "tickformat": ".0%", "domain": [0, 0.5]},
        yaxis2={"title": f"gap ({unit})", "tickformat": ",", "domain": [0.6, 1]},
    )
    figure.update_yaxes(rangemode="tozero")
    return laid_out(figure)


def _with_items(figure: go.Figure, names: Sequence[str], counts: Sequence[int]) -> go.Figure:
    between = "<br>" if len(names) <= _TWO_LINES else ", "
    figure.update_yaxes(
        tickvals=np.arange(len(names)),
        ticktext=[
            f"{plain(name)}{between}{count:,}"
            for name, count in zip(shortened(names, _TOGETHER), counts, strict=True)
        ],
        range=[len(names) - 0.5, -0.5],
    )
    return laid_out(figure)
