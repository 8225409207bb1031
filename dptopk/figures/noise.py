"""Noise behind one release: true and noisy counts, and the change of order."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dptopk.core.array_types import FloatArray
from dptopk.core.numerals import COUNT_UNIT
from dptopk.figures._drawing import (
    MARK,
    NEUTRAL,
    dotted,
    inked,
    laid_out,
    threshold_words,
    translucent,
    write,
)
from dptopk.figures._names import hover_name, plain, shortened
from dptopk.mechanisms import Style
from dptopk.simulation.single_releases import NoisyRound

_LETTERS, _TOGETHER_NARROW = 22, 3  # short names: two columns of them stand side by side
_BESIDE = 0.2  # of the width, for names; on a narrow screen they stand above their dots
_LOW, _NAME = 0.18, 0.22  # of a row there, from its middle down to its dot and up to the name's
_BEYOND = "beyond the axis"
_CROWDED = 0.5  # the axis ends where what changes places takes less than this share of the axis
_ZERO_SHARE = 0.4  # of the largest count: the axis begins at 0 unless the smallest is above it


def noisy_order(
    names: Sequence[str],
    round: NoisyRound,
    k: int,
    style: Style,
    unit: str = COUNT_UNIT,
    *,
    narrow: bool = False,
) -> go.Figure:
    """Plot counts in their true order, and noisy counts in the new one, joined by lines.

    Thick lines belong to items that noise carried in or out: past place k, or past the best
    one left of a round; or that a threshold kept back, which is a line across the noisy counts.
    Where the screen is ``narrow`` names are shortened further: whole they stand in the hover text.
    """
    figure = go.Figure()
    low, high = (_LOW, _NAME) if narrow else (0.0, 0.0)
    short = shortened(names, _TOGETHER_NARROW, 0 if narrow else _LETTERS)
    labels = [plain(name) for name in short]
    whole = [hover_name(name) for name in names]
    old, new = np.arange(len(labels)), round.new_order
    released = round.places > 0
    belongs = old == 0 if round.round else round.true_places <= k
    values = _values(round)
    end = _end(round)
    begin = _begin(round, end)
    for side, rows, bars, strong, color in (
        ("x", old, round.counts, belongs, NEUTRAL),
        ("x3", new, round.noisy, released, style.color),
    ):
        heights, beyond = np.asarray(-rows - low, float), bars > end
        colors = [translucent(color, 1.0 if one else 0.45) for one in strong]
        figure.add_scatter(
            x=np.where(beyond, np.nan, bars),
            y=heights,
            xaxis=side,
            mode="markers",
            marker={"size": 8, "color": colors},
            hoverinfo="skip",
        )
        if beyond.any():
            once = all(trace.name != _BEYOND for trace in figure.data)
            figure.add_scatter(
                x=np.full(beyond.sum(), end),
                y=heights[beyond],
                xaxis=side,
                mode="markers",
                name=_BEYOND if once else None,
                uid=f"ink-beyond-{side}",  # the app draws it in the colour of its text
                marker=inked("triangle-right", 8, 0),
                cliponaxis=False,
                hoverinfo="skip",
            )
    hover = [
        f"{name}<br>true: {count:,}, place {place:,}<br>noise: {noisy - count:+,.1f}"
        f"<br>with noise: {noisy:,.1f}"
        for name, count, noisy, place in zip(
            whole, round.counts, round.noisy, round.true_places, strict=True
        )
    ]
    places = [f"{place:,}" if place else "–" for place in round.places]
    for x_axis, rows, numbers in (
        ("x4", old, [f"{place:,}" for place in round.true_places]),
        ("x5", new, places),
    ):
        figure.add_scatter(
            x=np.zeros(len(labels)),
            y=high - rows,
            xaxis=x_axis,
            mode="text",
            text=[f"{number}  {name}" for number, name in zip(numbers, labels, strict=True)],
            textposition="middle right",
            cliponaxis=False,  # large type on a slide takes more room
            hovertext=hover,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    figure.add_scatter(
        x=np.where(round.counts <= end, round.counts, np.nan),
        y=-new - low,
        xaxis="x3",
        mode="markers",
        name="true count",
        marker={"symbol": "line-ns", "size": 8, "line": {"width": 2.5, "color": MARK}},
        hovertext=hover,
        hovertemplate="%{hovertext}<extra></extra>",
    )
    if round.threshold is not None:
        at, words = round.threshold, threshold_words(round.threshold)
        across = [0.6, 0.4 - len(labels)]
        dotted(figure, [at, at], across, None, f"{words} {unit}, with noise", xaxis="x3")
        anchor = "right" if at > (begin + end) / 2 else "left"  # never beyond the figure
        write(figure, words, at, 0.6, anchor, "bottom", xref="x3", yref="y")
    crossed = belongs != released
    for chosen, color, width in (
        (~crossed & (old == new), NEUTRAL, 1.5),
        (~crossed & (old != new), style.color, 2),
        (crossed, MARK, 4),
    ):
        gaps = np.full(chosen.sum(), np.nan)
        figure.add_scatter(
            x=np.tile([0.0, 1.0, np.nan], gaps.size),
            y=np.column_stack([-old[chosen], -new[chosen], gaps]).ravel(),
            xaxis="x2",
            mode="lines",
            line={"color": color, "width": width},
            hoverinfo="skip",
        )
    span = end - begin
    axis: dict[str, object] = {
        "range": [begin, begin + (1.06 if end >= values.max() else 1.0) * span],
        "tickformat": ",",
        "nticks": 4,
    }
    aside = {"visible": False, "range": [0, 1]}
    left = 0.0 if narrow else _BESIDE
    figure.for_each_trace(lambda trace: trace.update(showlegend=trace.name is not None))
    figure.update_layout(
        xaxis=axis | {"domain": [left, 0.42], "title": f"true count<br>({unit})"},
        xaxis2=aside | {"domain": [0.43, 0.57]},
        xaxis3=axis | {"domain": [0.58 + left, 1], "title": f"with noise<br>({unit})"},
        xaxis4=aside | ({"overlaying": "x"} if narrow else {"domain": [0, _BESIDE]}),
        xaxis5=aside | ({"overlaying": "x3"} if narrow else {"domain": [0.58, 0.58 + _BESIDE]}),
        yaxis={
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
            "range": [0.4 - len(labels), 0.6],
        },
        showlegend=True,
    )
    return laid_out(figure).update_layout(margin_t=40 if round.threshold is None else 60)


def _values(round: NoisyRound) -> FloatArray:
    threshold = [] if round.threshold is None else [round.threshold]
    return np.concatenate([round.counts, round.noisy, threshold])


def cuts_bars(round: NoisyRound) -> bool:
    """Return whether some counts lie beyond the axis of `noisy_order`."""
    return _end(round) < float(_values(round).max())


def reaches_further(round: NoisyRound) -> bool:
    """Return whether the axes of `noisy_order` exceed the usual range."""
    low, high = round.usual or (-np.inf, np.inf)
    return _needed(round) > high or float(_values(round).min()) < low


def _needed(round: NoisyRound) -> float:
    """Return the count up to which all items that change places are shown, and half of all."""
    values = np.maximum(round.counts, round.noisy)
    moved = round.new_order != np.arange(values.size)
    needed = max(float(values[moved].max(initial=-np.inf)), float(np.median(values)))
    return needed if round.threshold is None else max(needed, round.threshold)


def _end(round: NoisyRound) -> float:
    """Return the end of the axis, beyond which counts are an arrow: the usual if that suffices."""
    needed = _needed(round)
    low, high = float(_values(round).min()), float(_values(round).max())
    if round.usual is not None and needed <= round.usual[1]:
        return round.usual[1]
    end = needed + 0.1 * (needed - low)
    return end if end - low < _CROWDED * (high - low) else high


def _begin(round: NoisyRound, end: float) -> float:
    """Return the start of the axis: 0, below negative values, or near values far above 0."""
    drawn = np.minimum(_values(round), end)
    low, high = float(drawn.min()), float(drawn.max())
    if round.usual is not None:
        low, high = min(low, round.usual[0]), end
    if low < _ZERO_SHARE * high:
        return min(0.0, low - 0.04 * (high - low))
    return float(np.floor(low - 0.1 * max(high - low, 1.0)))
