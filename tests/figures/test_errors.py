"""Test that figures of counts and errors draw the given values."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dptopk import MECHANISMS, METRICS, figures as f
from dptopk.core.numerals import share as written_share
from dptopk.core.papers import GILLENWATER_2022
from dptopk.mechanisms import ErrorBound
from dptopk.simulation.quantile_dots import quantile_dots

USERS = METRICS["linf"]
LABELS = list(MECHANISMS)
STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}
POWERS = np.array([0, 1, 9, 99, 12_345])
BIG = 2**53


def bound(value: float) -> ErrorBound:
    return ErrorBound("linf", value, 0.95, GILLENWATER_2022.at("Theorem 3.3"), "")


@pytest.mark.parametrize("logarithmic", [True, False])
def test_cumulative_curves_draw_their_values_padded_by_one_if_logarithmic(named, logarithmic):
    share = np.linspace(0.2, 1, 5)
    curves = {label: (POWERS + i, share) for i, label in enumerate(LABELS)}
    exact = {"Joint": (POWERS, share**2, list("abcde"))}
    figure = f.error_cdf(
        curves, USERS, STYLES, exact=exact, bound=bound(41.0), logarithmic=logarithmic
    )
    pad = 1 if logarithmic else 0
    drawn = {label: named(figure, label) for label in LABELS}
    largest = POWERS.max() + len(LABELS) - 1
    for label, (values, shares) in curves.items():  # each goes on to where the last one ends
        assert drawn[label].x.tolist() == [*(values + pad), largest + pad]
        assert [said[0] for said in drawn[label].customdata] == [*values.tolist(), largest]
        assert drawn[label].customdata[0][1] == "20.0%"
        assert drawn[label].y.tolist() == [*shares, 1.0]
        assert list(drawn[label].marker.size)[-1] == 0  # no run is there
        assert drawn[label].line.shape == "hv"
    behind = named(figure, "Joint, exact")
    assert [tuple(pair) for pair in behind.customdata] == list(
        zip([*POWERS.tolist(), largest], "abcdee", strict=True)
    )
    assert behind.y.tolist() == [*share**2, 1.0]
    assert behind.line.color == drawn["Joint"].line.color == STYLES["Joint"].color
    assert list(figure.data).index(behind) < min(list(figure.data).index(t) for t in drawn.values())
    (line,) = figure.layout.shapes
    (note,) = figure.layout.annotations
    assert (line.x0, line.x1) == (41 + pad, 41 + pad)
    assert note.text == "Theorem 3.3: 41"
    assert note.x == pytest.approx(np.log10(42) if logarithmic else 41)


def test_a_key_is_no_measure():
    for draw in (
        lambda key: f.error_cdf({}, key, STYLES),
        lambda key: f.error_histogram({}, POWERS, key, STYLES),
        lambda key: f.error_sweep(pd.DataFrame(), "k", key, STYLES),
        lambda key: f.error_quantile_dots({}, key, STYLES),
        lambda key: f.error_comparison(pd.DataFrame(), key, STYLES),
    ):
        with pytest.raises(TypeError, match=r"such as METRICS\['linf'\], got 'linf'"):
            draw("linf")


def test_a_bound_beyond_all_errors_is_inside_the_axis():
    curve = {"Joint": (np.array([0, 3]), np.array([0.5, 1.0]))}
    figure = f.error_cdf(curve, USERS, STYLES, bound=bound(5_000.0))
    assert figure.layout.xaxis.range[1] > np.log10(5_001)


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("scale", [1, 10**6, 10**12, BIG // 100], ids=str)
def test_bars_stand_on_the_whole_numbers_of_their_bins_and_tell_them(named, logarithmic, scale):
    edges = np.array([0, 1, 5, 100]) * scale
    shares = {"Joint": np.array([0.5, 0.3, 0.2]), "CDP-Peel": np.array([0.0, 0.0, 1.0])}
    figure = f.error_histogram(shares, edges, USERS, STYLES, logarithmic=logarithmic)
    pad = 1 if logarithmic else 0
    for label, share in shares.items():
        bar = named(figure, label)
        assert np.array_equal(bar.y, share)
        assert (bar.x - bar.width / 2 >= edges[:-1] + pad - 0.5).all()
        assert (bar.x + bar.width / 2 <= edges[1:] + pad - 0.5 + 1e-9 * edges[1:]).all()
        last = edges[1:] - 1
        told = [
            f"{a:,}" if a == b else f"{a:,} to {b:,}" for a, b in zip(edges, last, strict=False)
        ]
        assert [said[0] for said in bar.customdata] == told
        assert [said[1] for said in bar.customdata] == [*map(written_share, share)]


@pytest.mark.parametrize("logarithmic", [True, False])
def test_the_bar_of_one_number_stands_on_it(named, logarithmic):
    """An error of 0 is no error between 0 and 1."""
    edges = np.arange(5)
    one = {"Joint": np.full(4, 0.25)}
    figure = f.error_histogram(one, edges, USERS, STYLES, logarithmic=logarithmic)
    bar = named(figure, "Joint")
    low, high = bar.x - bar.width / 2, bar.x + bar.width / 2
    if logarithmic:
        assert np.log10(low[0]) > figure.layout.xaxis.range[0]  # nothing is cut off
        assert ((low < np.arange(1, 5)) & (np.arange(1, 5) < high)).all()
        assert np.sqrt(low[0] * high[0]) == pytest.approx(1)
    else:
        np.testing.assert_allclose(bar.x, np.arange(4), atol=1e-12)


@pytest.mark.parametrize("largest", [7, 10**6, 4 * 10**9, 10**12, BIG], ids=str)
def test_items_by_count_stand_inside_their_bins(named, largest):
    edges = np.unique(np.append(np.geomspace(1, largest, 8).astype(np.int64), [0, largest + 1]))
    n_items = np.arange(edges.size - 1)
    figure = f.count_histogram(edges, n_items, largest, 1)
    bar = named(figure, "items")
    assert np.array_equal(bar.y, n_items)
    assert (bar.x - bar.width / 2 >= (edges[:-1] + 0.4) * (1 - 1e-9)).all()
    assert (bar.x + bar.width / 2 <= (edges[1:] + 0.5) * (1 + 1e-9)).all()
    assert np.array_equal(bar.customdata, np.stack([edges[:-1], edges[1:] - 1], axis=1))
    assert figure.layout.annotations[0].text.strip() == f"count at place 1: {largest:,}"
    assert figure.layout.annotations[0].x == pytest.approx(np.log10(largest + 1))


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("threshold", [None, 4])
def test_dots_stand_where_they_are_put_and_are_hollow_beyond_a_threshold(
    named, logarithmic, threshold
):
    errors = {label: np.repeat([0, 3 + i, 50], [4, 1, 15]) for i, label in enumerate(LABELS)}
    dots = quantile_dots(errors, logarithmic=logarithmic)
    figure = f.error_quantile_dots(
        dots, USERS, STYLES, logarithmic=logarithmic, threshold=threshold
    )
    for row, label in enumerate(LABELS):
        drawn = named(figure, label)
        assert np.array_equal(drawn.customdata, errors[label])
        assert np.array_equal(drawn.x, dots[label].at + (1 if logarithmic else 0))
        assert (-row <= drawn.y).all()
        assert (drawn.y < -row + 0.95).all()
        hollow = [symbol.endswith("-open") for symbol in drawn.marker.symbol]
        assert hollow == [threshold is not None and value > 4 for value in errors[label]]
        # outlines of full dots would close the gaps between them
        assert [width > 0 for width in drawn.marker.line.width] == hollow
    assert figure.layout.yaxis.ticktext == tuple(f"{label}<br>from runs" for label in LABELS)
    assert "5% of the releases" in figure.layout.yaxis.title.text
    marked = [line.x0 for line in figure.layout.shapes if line.x0 == line.x1]
    beyond = 30**0.5 if logarithmic else 4.5  # half way from 4 to 5
    assert marked == ([] if threshold is None else [pytest.approx(beyond)])
    said = [words.text.strip() for words in figure.layout.annotations]
    assert said == ([] if threshold is None else ["hollow: error above 4"])
    none = f.error_quantile_dots(dots, USERS, STYLES, logarithmic=logarithmic, threshold=50)
    assert not none.layout.annotations  # no error is larger


def test_on_a_phone_what_a_mark_is_stands_on_top_and_a_threshold_says_what_it_is():
    """Rows are as high as the screen: the middle of their axis, with its title, is out of sight."""
    dots = quantile_dots({LABELS[0]: np.arange(20)}, logarithmic=False, narrow=True)
    figure = f.error_quantile_dots(
        dots, USERS, STYLES, threshold=18, narrow=True, why="the worst 5% of the best mechanism"
    )
    threshold, mark = (words.text.strip() for words in figure.layout.annotations)
    assert threshold == "hollow: error above 18,<br>the worst 5% of the best mechanism"
    assert mark == "each mark is 5% of the releases"
    assert not figure.layout.yaxis.title.text


@pytest.mark.parametrize("marker", ["circle-open", "circle-dot", "square-open-dot", "line-ew"])
def test_dots_beyond_a_threshold_are_hollow_whatever_marker_a_mechanism_has(marker):
    dots = quantile_dots({"own": np.array([0, 9])}, logarithmic=False)
    styles = {"own": replace(STYLES[LABELS[0]], marker=marker)}
    (drawn,) = f.error_quantile_dots(dots, USERS, styles, threshold=4).data
    assert drawn.marker.symbol[0] == marker
    assert drawn.marker.symbol[-1] == f"{marker.split('-open')[0].split('-dot')[0]}-open"


@pytest.mark.parametrize("logarithmic", [True, False])
def test_dots_of_no_error_all_have_their_place_and_none_lies_on_the_line(logarithmic):
    errors = np.repeat([0, 1], [19, 1])
    dots = quantile_dots({LABELS[0]: errors}, logarithmic=logarithmic)
    figure = f.error_quantile_dots(dots, USERS, STYLES, logarithmic=logarithmic, threshold=0)
    (at, above) = np.unique(figure.data[0].x)
    (line,) = (shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1)
    assert at < line - 0.05 < line + 0.05 < above
    if logarithmic:
        low, high = figure.layout.xaxis.range
        assert low < np.log10(at) < np.log10(line) < high


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize(("over", "values"), [("k", (1, 5, 20)), ("epsilon", (0.1, 1.0, 10.0))])
def test_sweeps_draw_medians_and_the_band_of_the_middle_half(
    named, quartiles, over, values, logarithmic
):
    rows = quartiles(over=over, values=values)
    figure = f.error_sweep(rows, over, USERS, STYLES, logarithmic=logarithmic, current=values[1])
    pad = 1 if logarithmic else 0
    for label, own in rows.groupby("mechanism", sort=False):
        line = named(figure, label)
        assert line.x.tolist() == list(values)
        assert np.array_equal(line.y, own["median"] + pad)
        assert np.array_equal(line.customdata, own[["q25", "median", "q75"]])
        (band,) = (t for t in figure.data if t.legendgroup == label and t is not line)
        assert sorted(band.y) == sorted(np.append(own["q25"], own["q75"]) + pad)
        assert band.hoverinfo == "skip"
        assert band.mode == "lines"  # few points get markers else
    assert [shape.x0 for shape in figure.layout.shapes] == [values[1]]


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("k", [1, 3, 5, 6])
def test_counts_are_bars_and_the_gap_after_place_k_stands_on_the_next(named, k, logarithmic):
    counts = np.array([48, 8, 8, 1, 1, 0])
    figure = f.count_gaps(counts, k, logarithmic=logarithmic)
    pad = 1 if logarithmic else 0
    bars = named(figure, "count")
    assert bars.x.tolist() == [1, 2, 3, 4, 5, 6]
    assert np.array_equal(bars.y, counts + pad)
    assert bars.customdata[0] == "place 1: 48 users<br>40 more than the next"
    assert bars.customdata[5] == "place 6: 0 users"
    assert [color == bars.marker.color[0] for color in bars.marker.color] == [
        place <= k for place in range(1, 7)
    ]
    assert named(figure, "tie (gap 0)").x.tolist() == [2.5, 4.5]
    gaps = [trace for trace in figure.data if trace.name == f"gap after place {k}"]
    if k == len(counts):  # no item is left after the k-th
        assert (gaps, figure.layout.annotations) == ([], ())
    else:
        ((low, high, _, _),) = (gap.y for gap in gaps)
        assert all(k + 0.5 < x < k + 1.5 for x in gaps[0].x)
        assert (high - pad, low - pad) == (counts[k - 1], counts[k])
        (note,) = figure.layout.annotations
        assert note.text == f"gap after place {k}: {counts[k - 1] - counts[k]:,}"


def test_medians_are_written_out_however_large_they_are():
    medians = [16_119, 0, 2.5]
    row = dict.fromkeys(("q25", "q75", "median_low", "median_high"), 1.0)
    rows = pd.DataFrame(
        row | {"mechanism": name, "kind": "in order", "settled": False, "median": median}
        for name, median in zip(LABELS[:3], medians, strict=True)
    )
    figure = f.error_comparison(rows, USERS, STYLES)
    assert [t.text[0] for t in figure.data if t.text is not None] == ["16,119", "0", "2.5"]


@pytest.mark.parametrize("logarithmic", [True, False])
def test_a_median_is_drawn_with_each_end_of_its_interval_and_the_middle_half(named, logarithmic):
    row = {"q25": 1.0, "median": 4.0, "q75": 30.0, "median_low": 3.0, "median_high": 9.0}
    rows = [row | {"mechanism": LABELS[0], "kind": "in order", "settled": False}]
    figure = f.error_comparison(pd.DataFrame(rows), USERS, STYLES, logarithmic=logarithmic)
    middle, pad = named(figure, LABELS[0]), int(logarithmic)
    assert list(middle.x) == [4 + pad]
    assert middle.x[0] - middle.error_x.arrayminus[0] == 3 + pad
    assert middle.x[0] + middle.error_x.array[0] == 9 + pad
    assert middle.error_x.visible
    assert list(middle.customdata[0]) == [1, 30, 4, 3, 9]
    half = next(trace for trace in figure.data if trace.name is None)
    assert list(half.x) == [1 + pad, 30 + pad]


def test_many_rows_take_a_line_each_and_kinds_are_named_where_they_part():
    names = [f"M{i}" for i in range(15)]
    styles = dict.fromkeys(names, STYLES[LABELS[0]])
    row = {"q25": 1.0, "median": 2.0, "q75": 4.0, "median_low": 2.0, "median_high": 9.0}
    rows = pd.DataFrame(
        row | {"mechanism": name, "kind": "in order" if i < 9 else "as a set", "settled": False}
        for i, name in enumerate(names)
    )
    figure = f.error_comparison(rows, USERS, styles)
    assert list(figure.layout.yaxis.ticktext) == names
    assert [note.text for note in figure.layout.annotations] == ["↑ in order<br>↓ as a set"]
    beside = [trace.text[-1].strip() for trace in figure.data if trace.text is not None]
    assert beside == ["2"] * 15
    assert 150 + 15 * f.row_of_comparison(15) < 480
    assert f.row_of_comparison(9) == 40


def test_equal_series_stand_side_by_side_at_places_that_exist():
    given_up = [-5, 0, *range(10)]
    same = {label: np.array(given_up) for label in ("Joint", "CDP-Peel")}
    figure = f.count_errors_by_place(same, STYLES)
    assert [trace.y.tolist() for trace in figure.data] == [given_up] * 2
    left, right = (np.asarray(trace.x) for trace in figure.data)
    assert (left < right).all()
    assert list(np.round(left)) == list(np.round(right)) == list(range(1, 13))
    assert list(figure.data[1].customdata) == list(range(1, 13))
    assert figure.layout.xaxis.range == (0.5, 12.5)
    assert figure.layout.xaxis.tickvals == (1, 2, 4, 6, 8, 10, 12)
    assert f.count_errors_by_place({"Joint": np.zeros(1)}, STYLES).layout.xaxis.tickvals == (1,)


@pytest.mark.parametrize("errors", [np.arange(300, 800), np.arange(500), np.full(9, 300)])
def test_an_axis_of_errors_is_cut_to_what_is_drawn(errors):
    dots = quantile_dots({"Joint": errors}, logarithmic=True)
    figure = f.error_quantile_dots(dots, USERS, STYLES)
    low, high = figure.layout.xaxis.range
    first, last = np.log10([figure.data[0].x.min(), figure.data[0].x.max()])
    assert low < first <= last < high
    assert max(first - low, high - last) < 0.1 * (last - first) + 0.08
    shown = [t for t in figure.layout.xaxis.tickvals if low <= np.log10(t) <= high]
    assert len(shown) >= 2


def test_places_have_no_halves_on_an_axis_of_few():
    assert f.count_gaps(np.array([4, 3]), 1).layout.xaxis.dtick == 1
    assert f.count_gaps(np.arange(60)[::-1], 2).layout.xaxis.dtick is None


def test_an_empty_release_is_called_nothing_where_its_number_would_be():
    row = dict.fromkeys(("q25", "median", "q75", "median_low", "median_high"), 4841.0)
    rows = [row | {"mechanism": LABELS[0], "kind": "as a set", "settled": True, "nothing": True}]
    figure = f.error_comparison(pd.DataFrame(rows), USERS, STYLES)
    ((text, position),) = ((t.text[0], t.textposition) for t in figure.data if t.text is not None)
    assert (text, position) == ("nothing released", "top left")  # within the plot
