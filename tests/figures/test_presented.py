"""Test figures for projection: large type, and labels beside lines."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from dptopk import MECHANISMS, METRICS, figures as f
from dptopk.mechanisms.card import MINIMAL_STYLE

LABELS = list(MECHANISMS)[:4]
STYLES = {label: MECHANISMS[label].card.style for label in LABELS}


@pytest.mark.slow
def test_every_figure_has_large_type_and_names_its_lines_once(case):
    _, figure = case
    before = figure.to_json()
    large = f.presented(figure)
    assert figure.to_json() == before  # a copy
    for axis in (large.layout.xaxis, large.layout.yaxis):
        assert min(axis.tickfont.size, axis.title.font.size) >= 20
    assert min(large.layout.font.size, large.layout.legend.font.size) >= 20
    assert all(words.font.size >= 20 for words in large.layout.annotations)
    beside = names(figure)
    assert beside.keys().isdisjoint(in_legend(large))
    if not beside:  # lines that coincide have one entry
        assert {*re.split(" [=≈] ", " = ".join(map(str, in_legend(large))))} == {
            str(name) for name in in_legend(figure)
        } or not in_legend(figure)


def in_legend(figure) -> set[str]:
    """Names of lines in the legend."""
    return {
        trace.name
        for trace in figure.data
        if trace.type == "scatter"
        and "lines" in (trace.mode or "")
        and trace.showlegend is not False
    }


def names(figure) -> dict[str, tuple[float, float]]:
    """Where each name is written, in the units of the axes."""
    large = f.presented(figure)
    return {
        named[1]: (words.x, words.y)
        for words in large.layout.annotations
        if (named := re.search("<b>(.*)</b>", words.text))
    }


def test_lines_are_named_at_their_ends_and_names_stay_apart(quartiles):
    summary = quartiles(LABELS)
    summary["median"] = [1, 2, 100] * 3 + [1, 2, 900]  # three lines end at one place
    summary["q75"] = summary["median"]
    summary["median"] += np.repeat([0, 0.2, 0.4, 0], 3)  # apart on their way
    places = names(figure := f.error_sweep(summary, "k", METRICS["linf"], STYLES))
    assert list(places) == LABELS
    assert {x for x, _ in places.values()} == {20}
    low, high = figure.layout.yaxis.range
    heights = sorted((y - low) / (high - low) for _, y in places.values())
    assert min(np.diff(heights)) > 0.06
    ends = np.log10([101, 101, 101, 901])  # the names of three stand around their common end
    middle = np.mean(heights[:3]) * (high - low) + low
    assert middle == pytest.approx(ends[0], abs=0.01)


@pytest.mark.parametrize("end", [0, 900])
def test_names_at_the_ends_stay_in_the_figure_and_leave_the_axis_to_the_lines(quartiles, end):
    """Plotly draws no name beyond an axis, and widens an axis for what stands beside it."""
    summary = quartiles(LABELS)
    summary["q75"] = summary["median"] = [1, 2, end, 1, 3, end, 1, 4, end, 5, 5, 900 - end]
    figure = f.named(f.error_sweep(summary, "k", METRICS["linf"], STYLES))
    low, high = figure.layout.yaxis.range
    heights = [words.y for words in figure.layout.annotations]
    assert low <= min(heights) <= max(heights) <= high
    assert len(heights) == 4
    assert figure.layout.xaxis.range[1] < 21  # k goes to 20


@pytest.mark.parametrize("logarithmic", [True, False])
def test_lines_that_end_together_are_named_where_they_are_alone(logarithmic):
    values = np.array([0, 10, 40])
    rising = {
        label: (values, np.array([start, start + 0.1, 1.0]))
        for label, start in zip(LABELS, (0.8, 0.55, 0.3, 0.05), strict=True)
    }
    figure = f.error_cdf(rising, METRICS["linf"], STYLES, logarithmic=logarithmic)
    for label, (_, y) in names(figure).items():
        nearest = min(LABELS, key=lambda other: np.abs(rising[other][1][:2] - y).min())
        assert nearest == label


@pytest.mark.parametrize("shown", [f.named, f.presented])
def test_lines_that_coincide_are_drawn_once_with_all_of_their_names(quartiles, shown):
    summary = quartiles(LABELS)
    summary["q75"] = summary["median"] = [1, 2, 100] * 3 + [1, 2, 900]
    figure = f.error_sweep(summary, "k", METRICS["linf"], STYLES)
    drawn = shown(figure)
    said = [words.text for words in drawn.layout.annotations]
    assert ["PNFJoint" in text for text in said] == ["Joint =<br>" in text for text in said]
    assert sum("PNFJoint" in text for text in said) == 1
    lines = [line for line in drawn.data if line.legendgroup and line.hovertemplate]
    assert [bool(line.line.width) for line in lines] == [True, False, False, True]
    for line, before in zip(drawn.data, figure.data, strict=True):  # numbers under the pointer
        assert line.hovertemplate == before.hovertemplate
        np.testing.assert_array_equal(line.y, before.y)
    beside = {label: replace(style, color=MINIMAL_STYLE.color) for label, style in STYLES.items()}
    beside |= {"PNFJoint": STYLES["PNFJoint"]}
    drawn = shown(f.error_sweep(summary, "k", METRICS["linf"], beside))
    seen = [line for line in drawn.data if line.legendgroup and line.hovertemplate]
    assert seen[0].line.color == STYLES["PNFJoint"].color != seen[3].line.color


def test_lines_are_named_on_a_page_without_a_legend_and_on_a_phone_where_there_is_room(quartiles):
    figure = f.error_sweep(quartiles(LABELS, values=(1, 50)), "k", METRICS["linf"], STYLES)
    page, phone = f.named(figure), f.named(figure, narrow=True)
    assert page.layout.showlegend is phone.layout.showlegend is False
    assert phone.layout.margin.r == page.layout.margin.r < 0.35 * 330 + 20
    long = {f"{label}, of the paper's Figure 1": style for label, style in STYLES.items()}
    figure = f.error_sweep(quartiles(long), "k", METRICS["linf"], long)
    assert in_legend(f.named(figure, narrow=True)) == set(long)
    bars = f.amounts(["a"], [1], "users", "%{x:,}", [True])
    assert f.named(bars) is bars


def test_a_name_beside_a_line_that_ends_early_lies_on_no_other():
    level = {"on its way": ([1, 2, 10], [0, 1, 5.0]), "early": ([1, 2], [6.0, 4.9])}
    assert names(f.curves(level | {"on": ([2, 10], [4.9, 4.9])}, STYLES, ("x", "y"))) == {}
    assert len(names(f.curves(level | {"on": ([2, 10], [9, 9.0])}, STYLES, ("x", "y")))) == 3


def test_lines_over_periods_are_named_at_the_last_one():
    lines = {"true": [0, 1, 1], "noise": [0, 3, 4], "released": [0, 6, 9]}
    weeks = ["2026-01-05", "2026-01-12", "2026-01-19"]
    figure = f.turnover(weeks, lines, 10, "week")
    assert [words.x for words in f.named(figure).layout.annotations] == [2] * 3
    assert len(in_legend(f.presented(figure))) == 3  # too long for their ends in large type


def test_lines_without_room_for_their_names_keep_the_legend():
    values, share = np.arange(5), np.linspace(0.2, 0.96, 5)
    alike = {label: (values, share + 0.01 * i) for i, label in enumerate(LABELS)}
    figure = f.error_cdf(alike, METRICS["linf"], STYLES, logarithmic=False)
    assert names(figure) == {}
    assert in_legend(f.presented(figure)) == set(LABELS)


def test_lines_crowded_at_their_ends_keep_the_legend(quartiles):
    summary = quartiles(list(MECHANISMS))
    at_end = [1] * (len(MECHANISMS) - 1) + [900]
    summary["median"] = [value for n, last in enumerate(at_end) for value in (n, 1, last)]
    styles = {label: MECHANISMS[label].card.style for label in MECHANISMS}
    figure = f.error_sweep(summary, "k", METRICS["linf"], styles)
    assert names(figure) == {}
    assert in_legend(f.presented(figure)) == set(MECHANISMS)


def test_points_at_one_place_keep_the_legend_and_long_names_leave_the_width_to_the_figure():
    one = {label: np.array([0]) for label in LABELS}
    large = f.presented(f.count_errors_by_place(one, STYLES))
    assert [trace.showlegend for trace in large.data] == [None] * len(LABELS)
    assert large.layout.xaxis.tickvals == (1,)
    series = np.array([10, 1, 1, 1, 1])
    figure = f.outcomes_spent(LABELS[0], series, series + 1, 10, 55, STYLES)
    large = f.presented(figure)
    assert (large.layout.margin.r or 0) < 300
    assert in_legend(large) == in_legend(figure)


def test_long_names_stand_two_in_a_row_of_the_legend():
    epsilons = np.linspace(0, 2, 5)
    same = (np.geomspace(1, 1e-9, 5), "dot")
    curves = {letter * 45: same for letter in "abcdef"}
    large = f.presented(f.privacy_profile(epsilons, curves, 1.0, 1e-6))
    assert large.layout.legend.itemwidth < 50


def test_lines_over_two_axes_keep_the_legend_and_their_axes(all_figures):
    figure = dict(all_figures())["limits"]()
    large = f.presented(figure)
    assert not large.layout.annotations
    assert in_legend(large) == in_legend(figure) != set()


def test_a_line_of_which_nothing_is_drawn_is_not_named():
    epsilons = np.linspace(0, 2, 5)
    nothing = (np.zeros(5), "solid")
    assert names(f.privacy_profile(epsilons, {"none": nothing}, 1.0, 1e-6)) == {}
    some = (np.geomspace(1, 1e-9, 5), "dot")
    figure = f.privacy_profile(epsilons, {"none": nothing, "some": some}, 1.0, 1e-6)
    assert list(names(figure)) == ["some"]


def test_names_of_three_lines_take_two_in_large_type():
    names = ["concentrated DP (conversion of Canonne et al.)", "moments"]
    page = f.amounts(names, [2.0, 1.0], "noise", "%{x:.2f}", [True, False], lines=3)
    assert max(tick.count("<br>") for tick in page.layout.yaxis.ticktext) == 2
    slide = f.presented(page)
    assert [tick.count("<br>") for tick in slide.layout.yaxis.ticktext] == [1, 0]
    whole = [tick.replace("<br>", " ") for tick in slide.layout.yaxis.ticktext]
    assert sorted(whole) == sorted(names)


def pixels(figure) -> list[float]:
    """Sizes of all type in a figure, and widths of its lines."""
    fonts = [figure.layout.font, figure.layout.legend.font]
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        fonts += [axis.tickfont, axis.title.font]
    fonts += [words.font for words in figure.layout.annotations]
    lines = [trace.line.width for trace in figure.data if trace.type == "scatter"]
    shifts = [words.xshift for words in figure.layout.annotations]
    margins = [figure.layout.margin.t, figure.layout.margin.r]
    sizes = [font.size for font in fonts] + lines + shifts + margins
    return [size for size in sizes if size is not None]


@pytest.mark.slow
def test_on_a_larger_screen_all_lengths_in_pixels_grow_alike(case):
    _, figure = case
    usual, large = f.presented(figure), f.presented(figure, 1.5)
    assert pixels(large) == pytest.approx([1.5 * size for size in pixels(usual)])
    assert [words.x for words in large.layout.annotations] == [
        words.x for words in usual.layout.annotations
    ]
    for drawn, other in zip(large.data, usual.data, strict=True):
        assert drawn.type == other.type
        if drawn.type in ("scatter", "bar"):
            np.testing.assert_array_equal(drawn.x, other.x)
            np.testing.assert_array_equal(drawn.y, other.y)
        if drawn.type == "bar":
            assert drawn.width is other.width is None or np.array_equal(drawn.width, other.width)


@pytest.mark.parametrize(
    ("x", "ticks", "texts", "shown"),
    [
        ([0.02, 0.3, 2], [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5], None, [0.1, 1]),
        ([0.1, 0.9], [0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], None, [0.1, 0.2, 0.5]),
        ([1, 5, 12], [1, 2, 3, 6, 11, 101], ["0", "1", "2", "5", "10", "100"], [1, 2, 3, 6, 11]),
        (
            [180, 1101],
            [201, 301, 401, 501, 1001, 1101],
            ["200", "300", "400", "500", "1k", "1,100"],
            [201, 501, 1001],
        ),
    ],
)
def test_a_logarithmic_axis_has_few_ticks_on_a_phone(x, ticks, texts, shown):
    figure = go.Figure(go.Scatter(x=x, y=x))
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=texts)
    axis = f.named(figure, narrow=True).layout.xaxis
    assert (list(axis.tickvals), axis.tickangle) == (shown, 0)
    assert axis.ticktext == (texts and tuple(texts[ticks.index(at)] for at in shown))
    assert list(f.named(figure).layout.xaxis.tickvals) == ticks  # not of the figure itself


@pytest.mark.parametrize("drawn", [[], [None]])
def test_a_logarithmic_axis_of_bars_alone_has_few_ticks_on_a_phone(drawn):
    figure = go.Figure(go.Bar(x=[1, 900], y=["a", "b"], orientation="h"))
    figure.add_traces([go.Scatter(x=[x], y=[x]) for x in drawn])
    figure.update_xaxes(type="log", tickvals=[1, 2, 5, 10, 20, 50, 100, 200, 500])
    assert list(f.named(figure, narrow=True).layout.xaxis.tickvals) == [1, 10, 100]
