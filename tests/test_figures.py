"""Figures draw the values they are given, say what their axes are, and show names as plain text."""

import itertools
import json
import re

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dptopk import MECHANISMS, METRICS, CDPPeel
from dptopk import figures as f

USERS = METRICS["linf"]
PLACE = METRICS["linf_index"]
HOSTILE = "<a href='https://example.com'>x</a> & <b>y</b>"
ESCAPED = "&lt;a href='https://example.com'&gt;x&lt;/a&gt; &amp; &lt;b&gt;y&lt;/b&gt;"
LABELS = list(MECHANISMS)
POWERS = np.array([0, 1, 9, 99, 12_345])
BIG = 2**53


def summary(mechanisms=LABELS, over="k", values=(1, 5, 20)) -> pd.DataFrame:
    """Quartiles at every value, all different."""
    rows = [
        {"mechanism": name, over: value, "q25": i + v, "median": 3 * i + v, "q75": 10 * i + v}
        for i, name in enumerate(mechanisms)
        for v, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def every_figure(names=("A", "B", "C"), labels=LABELS, values=POWERS, logarithmic=True):
    """Every figure function on the same small results, by name."""
    share = np.linspace(1 / len(values), 1, len(values))
    by_label = dict.fromkeys(labels, values)
    edges = np.arange(values.max() + 2) if values.max() < 9 else np.array([0, 2, 11, 12_346])
    in_bins = dict.fromkeys(labels, np.full(edges.size - 1, 1 / (edges.size - 1)))
    even = np.full(len(names), 1 / len(names))
    loss = np.linspace(-1, 1.5, len(names))
    yield "given_up_by_place", f.given_up_by_place(by_label)
    for metric in (USERS, PLACE):
        log = logarithmic and metric is USERS
        curves = dict.fromkeys(labels, (values, share))
        exact = dict(itertools.islice(curves.items(), 1))
        yield (
            f"error_cdf {metric.key}",
            f.error_cdf(curves, metric, exact=exact, bound=50.0, logarithmic=log),
        )
        yield f"error_cdf plain {metric.key}", f.error_cdf(curves, metric, logarithmic=log)
        yield (
            f"error_histogram {metric.key}",
            f.error_histogram(in_bins, edges, metric, bound=50.0, logarithmic=log),
        )
        yield (
            f"error_quantile_dots {metric.key}",
            f.error_quantile_dots(by_label, metric, logarithmic=log),
        )
        for over, at in (("k", (1, 5, 20)), ("epsilon", (0.1, 1.0, 10.0))):
            yield (
                f"error_sweep {metric.key} {over}",
                f.error_sweep(summary(labels, over, at), over, metric, logarithmic=log, current=1),
            )
    yield "count_gaps", f.count_gaps(values, 2, logarithmic=logarithmic)
    yield "count_histogram", f.count_histogram(edges, np.arange(edges.size - 1), 1, 2)
    probabilities = dict.fromkeys(labels, even)
    drawn = dict.fromkeys(labels, (even, even / 2, np.minimum(even * 2, 1)))
    yield "output_probabilities", f.output_probabilities(names, probabilities, drawn)
    yield "output_probabilities undrawn", f.output_probabilities(names, probabilities, {})
    for label in labels:
        yield (
            f"neighbouring_outputs {label}",
            f.neighbouring_outputs(names, even, even, label, marked=0),
        )
        yield f"privacy_losses {label}", f.privacy_losses(names, loss, 1.0, label, marked=0)
    yield "privacy_use", f.privacy_use(dict.fromkeys(labels, 0.7), 1.0)
    epsilons = np.linspace(0, 2, 5)
    for delta in (0.0, 1e-6):
        curves = dict.fromkeys(labels, (np.geomspace(1, 1e-12, 5), "solid"))
        yield f"privacy_profile {delta}", f.privacy_profile(epsilons, curves, 1.0, delta)


CASES = dict(every_figure())
LINEAR = dict(every_figure(logarithmic=False))


def axes(figure: go.Figure) -> list:
    return [figure.layout.xaxis, figure.layout.yaxis]


def named(figure: go.Figure, name: str):
    (trace,) = (trace for trace in figure.data if trace.name == name)
    return trace


def texts_of(value) -> list[str]:
    """Every text anywhere in a figure's JSON."""
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inside for text in texts_of(part)]


# axes


@pytest.mark.parametrize("name", CASES)
def test_every_axis_says_what_it_is(name):
    for axis in axes(CASES[name]):
        title = axis.title.text
        # the names of the mechanisms are their own title
        assert title or (name == "privacy_use" and axis is CASES[name].layout.yaxis)
        assert ("log scale" in (title or "")) == (axis.type == "log")


@pytest.mark.parametrize("name", CASES)
def test_counts_and_errors_say_their_unit(name):
    titles = " | ".join(axis.title.text or "" for axis in axes(CASES[name]))
    unit = {
        "given": r"\(users\)",
        "count": r"\(users; log scale, padded by 1\)",
        "error": r"\(users; log scale, padded by 1\)",
        "outpu": "probability",
        "neigh": "probability",
        "priva": "privacy loss|δ .* ε|ε .* δ",
    }[name[:5]]
    if PLACE.key in name:
        unit = r"\(place, from 0\)"
    assert re.search(unit, titles)


@pytest.mark.parametrize("name", LINEAR)
def test_linear_axes_do_not_claim_to_be_logarithmic_or_padded(name):
    for axis in axes(LINEAR[name]):
        if name not in ("count_histogram",) and "privacy_profile" not in name:
            logarithmic = axis.type == "log"
            assert logarithmic == ("epsilon" in name and axis is LINEAR[name].layout.xaxis)
            assert "padded" not in (axis.title.text or "")


@pytest.mark.parametrize(
    "largest", [0, 1, 5, 99, 100, 10**6, 10**9, 10**12, 10**15, BIG, 200 * BIG]
)
def test_ticks_of_a_padded_axis_stand_where_their_number_is_drawn(largest):
    values = np.array([0, largest])
    axis = f.error_cdf({"Joint": (values, np.array([0.5, 1.0]))}, USERS).layout.xaxis
    for at, text in zip(axis.tickvals, axis.ticktext, strict=True):
        number, suffix = re.fullmatch(r"(\d+)([kMGTP]?)", text).groups()
        assert int(at) - 1 == int(number) * 1000 ** ["", "k", "M", "G", "T", "P"].index(suffix)
    assert axis.tickvals[-1] > largest / 10
    low, high = axis.range
    assert low < 0
    assert high > np.log10(largest + 1)


# values


@pytest.mark.parametrize("logarithmic", [True, False])
def test_cumulative_curves_draw_their_values_padded_by_one_if_logarithmic(logarithmic):
    share = np.linspace(0.2, 1, 5)
    curves = {label: (POWERS + i, share) for i, label in enumerate(LABELS)}
    exact = {"Joint": (POWERS, share**2)}
    figure = f.error_cdf(curves, USERS, exact=exact, bound=41.0, logarithmic=logarithmic)
    pad = 1 if logarithmic else 0
    drawn = {label: named(figure, label) for label in LABELS}
    for label, (values, shares) in curves.items():
        assert np.array_equal(drawn[label].x, values + pad)
        assert np.array_equal(drawn[label].customdata, values)
        assert np.array_equal(drawn[label].y, shares)
        assert drawn[label].line.shape == "hv"
    behind = named(figure, "Joint, exact")
    assert np.array_equal(behind.customdata, POWERS)
    assert np.array_equal(behind.y, share**2)
    assert list(figure.data).index(behind) < min(list(figure.data).index(t) for t in drawn.values())
    (line,) = figure.layout.shapes
    (note,) = figure.layout.annotations
    assert (line.x0, line.x1) == (41 + pad, 41 + pad)
    assert note.text == "Theorem 3.3: 41"
    assert note.x == pytest.approx(np.log10(42) if logarithmic else 41)


def test_a_bound_beyond_all_errors_is_inside_the_axis():
    curve = {"Joint": (np.array([0, 3]), np.array([0.5, 1.0]))}
    figure = f.error_cdf(curve, USERS, bound=5_000.0)
    assert figure.layout.xaxis.range[1] > np.log10(5_001)


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("scale", [1, 10**6, 10**12, BIG // 100], ids=str)
def test_bars_stand_inside_their_bins_and_tell_the_whole_numbers_in_them(logarithmic, scale):
    edges = np.array([0, 1, 5, 100]) * scale
    shares = {"Joint": np.array([0.5, 0.3, 0.2]), "CDP-Peel": np.array([0.0, 0.0, 1.0])}
    figure = f.error_histogram(shares, edges, USERS, logarithmic=logarithmic)
    pad = 1 if logarithmic else 0
    for label, share in shares.items():
        bar = named(figure, label)
        assert np.array_equal(bar.y, share)
        assert (bar.x >= edges[:-1] + pad).all()
        assert (bar.x <= edges[1:] + pad).all()
        assert np.array_equal(bar.customdata[:, 0], edges[:-1])
        assert np.array_equal(bar.customdata[:, 1], edges[1:] - 1)


@pytest.mark.parametrize("largest", [7, 10**6, 4 * 10**9, 10**12, BIG], ids=str)
def test_items_by_count_stand_inside_their_bins(largest):
    edges = np.unique(np.append(np.geomspace(1, largest, 8).astype(np.int64), [0, largest + 1]))
    n_items = np.arange(edges.size - 1)
    figure = f.count_histogram(edges, n_items, largest, 1)
    bar = named(figure, "items")
    assert np.array_equal(bar.y, n_items)
    assert (bar.x >= edges[:-1] + 1).all()
    assert (bar.x <= edges[1:] + 1).all()
    assert np.array_equal(bar.customdata, np.stack([edges[:-1], edges[1:] - 1], axis=1))
    assert figure.layout.annotations[0].text.strip() == f"count at place 1: {largest:,}"
    assert figure.layout.annotations[0].x == pytest.approx(np.log10(largest + 1))


@pytest.mark.parametrize("logarithmic", [True, False])
def test_quantile_dots_are_the_quantiles_and_never_lie_on_each_other(logarithmic):
    quantiles = {label: np.repeat([0, 3 + i, 50], [4, 1, 15]) for i, label in enumerate(LABELS)}
    figure = f.error_quantile_dots(quantiles, USERS, logarithmic=logarithmic)
    places = set()
    for label, values in quantiles.items():
        dots = named(figure, label)
        assert sorted(dots.customdata) == sorted(values)
        assert np.array_equal(dots.x, dots.customdata + (1 if logarithmic else 0))
        places |= set(zip(dots.x.tolist(), dots.y.tolist(), strict=True))
    assert len(places) == 20 * len(LABELS)
    assert dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True)) == {
        label: -row for row, label in enumerate(LABELS)
    }


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize(("over", "values"), [("k", (1, 5, 20)), ("epsilon", (0.1, 1.0, 10.0))])
def test_sweeps_draw_medians_and_the_band_of_the_middle_half(over, values, logarithmic):
    rows = summary(over=over, values=values)
    figure = f.error_sweep(rows, over, USERS, logarithmic=logarithmic, current=values[1])
    pad = 1 if logarithmic else 0
    for label, own in rows.groupby("mechanism", sort=False):
        line = named(figure, label)
        assert line.x.tolist() == list(values)
        assert np.array_equal(line.y, own["median"] + pad)
        assert np.array_equal(line.customdata, own[["q25", "median", "q75"]])
        (band,) = (t for t in figure.data if t.legendgroup == label and t is not line)
        assert sorted(band.y) == sorted(np.append(own["q25"], own["q75"]) + pad)
        assert band.hoverinfo == "skip"
    assert [shape.x0 for shape in figure.layout.shapes] == [values[1]]


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("k", [1, 3, 5, 6])
def test_gaps_are_drawn_once_each_with_ties_told_apart(k, logarithmic):
    gaps = np.array([40, 0, 7, 0, 1])
    figure = f.count_gaps(gaps, k, logarithmic=logarithmic)
    pad = 1 if logarithmic else 0
    for name, chosen in (("gap", gaps > 0), ("tie (gap 0)", gaps == 0)):
        points = named(figure, name)
        assert points.x.tolist() == (np.flatnonzero(chosen) + 1).tolist()
        assert np.array_equal(points.y, gaps[chosen] + pad)
        assert np.array_equal(points.customdata, gaps[chosen])
    assert len({trace.marker.symbol for trace in figure.data}) == len(figure.data)
    marks = [trace for trace in figure.data if trace.name == f"gap at k = {k}"]
    if k > len(gaps):  # no item is left after the k-th
        assert (len(marks), len(figure.layout.shapes)) == (0, 0)
    else:
        (mark,) = marks
        assert (list(mark.x), mark.y[0], mark.customdata[0]) == (
            [k],
            gaps[k - 1] + pad,
            gaps[k - 1],
        )
        assert figure.layout.shapes[0].x0 == k


def test_probabilities_and_shares_of_draws_stand_together():
    names = ("a, b", "b, a")
    exact = {label: np.array([0.7, 0.3]) + i / 100 for i, label in enumerate(LABELS)}
    drawn = {label: (p + 0.01, p - 0.05, np.minimum(p + 0.06, 1.0)) for label, p in exact.items()}
    figure = f.output_probabilities(names, exact, drawn)
    bars = {trace.name: trace for trace in figure.data if trace.type == "bar"}
    dots = [trace for trace in figure.data if trace.type == "scatter"]
    assert list(bars) == LABELS
    for (label, p), own in zip(exact.items(), dots, strict=True):
        assert np.array_equal(bars[label].y, p)
        assert np.array_equal(bars[label].x, own.x)
        np.testing.assert_allclose(own.y, p + 0.01)
        np.testing.assert_allclose(own.y + own.error_y.array, drawn[label][2])
        np.testing.assert_allclose(own.y - own.error_y.arrayminus, drawn[label][1])
        assert own.hovertemplate.endswith(f"{label}</extra>")
    assert [trace.showlegend for trace in dots] == [True, False, False, False]
    edges = sorted((x - bar.width / 2, x + bar.width / 2) for bar in bars.values() for x in bar.x)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(edges))


def test_given_up_counts_keep_their_sign_and_place():
    figure = f.given_up_by_place({"Joint": np.array([-5, 0, 12])})
    assert named(figure, "Joint").x.tolist() == [1, 2, 3]
    assert named(figure, "Joint").y.tolist() == [-5, 0, 12]


def test_privacy_losses_tell_those_beyond_the_promise_apart():
    loss = np.array([1.0, -1.0, 0.2, 1.001, -2.0])
    figure = f.privacy_losses(list("abcde"), loss, 1.0, "Joint", marked=4)
    within, beyond = named(figure, "within ±ε"), named(figure, "beyond ±ε")
    assert (within.x.tolist(), within.y.tolist()) == ([0, 1, 2], [1.0, -1.0, 0.2])
    assert (beyond.x.tolist(), beyond.y.tolist()) == ([3, 4], [1.001, -2.0])
    assert within.marker.symbol != beyond.marker.symbol
    assert within.marker.color != beyond.marker.color
    assert figure.layout.annotations[0].x == 4
    only = f.privacy_losses(["a"], np.zeros(1), 1.0, "Joint")
    assert [trace.name for trace in only.data] == ["within ±ε"]


def test_privacy_use_draws_the_largest_loss_and_the_promise():
    used = {label: 0.1 * (i + 1) for i, label in enumerate(LABELS)}
    figure = f.privacy_use(used, 0.3)
    assert {bar.y[0]: bar.x[0] for bar in figure.data} == used
    assert [line.x0 for line in figure.layout.shapes] == [0.3]
    assert figure.layout.annotations[0].text.strip() == "promised ε = 0.3"


def test_neighbouring_outputs_draw_both_data_sets():
    here, there = np.array([0.6, 0.4]), np.array([0.5, 0.5])
    figure = f.neighbouring_outputs(["a", "b"], here, there, "PNF-Peel", marked=1)
    data, neighbour = named(figure, "the data"), named(figure, "the neighbour")
    assert np.array_equal(data.y, here)
    assert np.array_equal(neighbour.y, there)
    assert data.marker.pattern.shape != neighbour.marker.pattern.shape
    assert figure.layout.annotations[0].x == 1


def test_profiles_leave_out_what_is_below_the_floor_and_mark_the_promise():
    epsilons = np.array([0.5, 1.0, 2.0])
    figure = f.privacy_profile(epsilons, {"one": (np.array([1e-3, 1e-6, 0.0]), "solid")}, 1.0, 1e-6)
    line = named(figure, "one")
    assert line.y[:2].tolist() == [1e-3, 1e-6]
    assert np.isnan(line.y[2])
    promise = named(figure, "promised: ε = 1, δ = 1e-06")
    assert (list(promise.x), list(promise.y)) == ([1.0], [1e-6])
    pure = f.privacy_profile(epsilons, {"one": (np.full(3, 1e-3), "solid")}, 1.0, 0.0)
    assert not any("promised: " in trace.name for trace in pure.data)


# styles


def test_mechanisms_differ_in_colour_dash_marker_and_pattern():
    assert list(f.STYLES) == LABELS
    for aspect in ("color", "dash", "symbol", "pattern"):
        assert len({getattr(style, aspect) for style in f.STYLES.values()}) == len(LABELS)


def test_a_label_is_drawn_in_the_style_of_its_mechanism():
    for name, mechanism in MECHANISMS.items():
        assert f.style_of(mechanism.name) == f.STYLES[name]
    assert f.style_of(CDPPeel(3, 1.0, 1e-6, calibration="optimal").label) == f.STYLES["CDP-Peel"]


def test_lines_and_bars_use_the_styles():
    curves = dict.fromkeys(LABELS, (POWERS, np.linspace(0.2, 1, 5)))
    bars = dict.fromkeys(LABELS, np.array([1.0]))
    lines = f.error_cdf(curves, USERS)
    columns = f.error_histogram(bars, np.array([0, 1]), USERS)
    for label, style in f.STYLES.items():
        line, bar = named(lines, label), named(columns, label)
        assert (line.line.color, line.line.dash) == (style.color, style.dash)
        assert line.marker.symbol == style.symbol
        assert (bar.marker.color, bar.marker.pattern.shape) == (style.color, style.pattern)


# names


@given(st.text(max_size=80))
def test_plain_text_holds_no_tag_and_loses_no_letter(text):
    shown = f.plain(text, 40)
    assert not re.search(r"[<>]|&(?!(amp|lt|gt);)", shown)
    back = shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    whole = " ".join(text.split())
    assert back == whole if len(whole) <= 40 else back == whole[:39] + "…"
    assert len(back) <= 40


@pytest.mark.parametrize(
    "name",
    [name for name in CASES if name.startswith(("output_prob", "neighbouring", "privacy_losses"))],
)
def test_hostile_names_are_escaped_wherever_they_are_shown(name):
    figure = dict(every_figure(names=(HOSTILE, f"{HOSTILE}2", "C")))[name]
    whole = json.dumps(figure.to_plotly_json(), default=np.ndarray.tolist)
    shown = texts_of(json.loads(whole))
    assert ESCAPED in shown  # as a tick or in the hover text
    assert not any("<a " in text or "<b>" in text for text in shown)


# small and odd results


@pytest.mark.parametrize("name", CASES)
def test_every_figure_is_a_figure_and_can_be_sent(name):
    figure = CASES[name]
    assert isinstance(figure, go.Figure)
    sent = json.loads(figure.to_json())
    assert len(sent["data"]) == len(figure.data) >= 1


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("label", LABELS)
def test_one_item_one_mechanism_and_zeros_only(label, logarithmic):
    values = np.array([0])
    for _, figure in every_figure(("only",), [label], values, logarithmic):
        assert len(json.loads(figure.to_json())["data"]) >= 1
        for axis in axes(figure):
            assert axis.range is None or axis.range[0] < axis.range[1]


def test_no_gaps_at_all():
    figure = f.count_gaps(np.array([], dtype=np.int64), 1)
    assert len(figure.data) == 0
    assert figure.layout.yaxis.range[0] < figure.layout.yaxis.range[1]


def test_only_ties():
    figure = f.count_gaps(np.zeros(3, dtype=np.int64), 2)
    assert [trace.name for trace in figure.data] == ["tie (gap 0)", "gap at k = 2"]
