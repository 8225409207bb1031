"""Test figures of noise, and of how a mechanism chooses."""

import dataclasses
import json

import numpy as np
import pytest

from dptopk import MECHANISMS, figures as f
from dptopk.mechanisms.pictures import Limits, NoisyCounts
from dptopk.simulation.single_releases import NoisyRound

STYLE = next(iter(MECHANISMS.values())).card.style
NAMES = ("<b>A</b>", "B" * 40, "C", "D")


def shot(counts=(900, 880, 870, 860), noisy=(905.0, 861.0, 890.0, 700.5)) -> NoisyRound:
    """Two of four items released: the first, and the third instead of the second."""
    columns = ([0, 1, 2, 3], counts, noisy, [1, 2, 3, 4], [1, 0, 2, 0])
    return NoisyRound(*map(np.array, columns), 0, 4)


def dots(figure, axis: str):
    """The dots of counts; the other marks on the noisy side are the true counts."""
    return next(
        t
        for t in traces(figure, "scatter", axis)
        if t.mode == "markers" and t.marker.symbol is None
    )


def traces(figure, kind: str, axis: str) -> list:
    return [t for t in figure.data if t.type == kind and (t.xaxis or "x") == axis]


def test_dots_stand_at_their_counts_and_names_stand_at_their_rows():
    figure = f.noisy_order(NAMES, shot(), 2, STYLE)
    true, noisy = dots(figure, "x"), dots(figure, "x3")
    assert true.x.tolist() == [900, 880, 870, 860]
    assert noisy.x.tolist() == [905, 861, 890, 700.5]
    assert not [trace for trace in figure.data if trace.type == "bar"]  # their lengths would lie
    below = noisy.y[0]
    assert np.array(true.y) - below == pytest.approx([0, -1, -2, -3])
    assert np.array(noisy.y) - below == pytest.approx([0, -2, -1, -3])
    (names,) = traces(figure, "scatter", "x5")
    lines = traces(figure, "scatter", "x2")
    assert list(names.y) == list(noisy.y) == [0, -2, -1, -3]
    assert {y for line in lines for y in line.y[1::3]} == set(noisy.y)  # all at one height
    assert figure.layout.xaxis5.domain[1] <= figure.layout.xaxis3.domain[0]  # and beside the dots
    narrow = f.noisy_order(NAMES, shot(), 2, STYLE, narrow=True)
    (above,), low = traces(narrow, "scatter", "x5"), dots(narrow, "x3")
    to_dot, to_next = above.y[0] - low.y[0], low.y[0] - above.y[2]
    assert 0.3 < to_dot < to_next - 0.1  # no mark strikes a name through, nor seems the next one's
    assert [text.split()[0] for text in names.text] == ["1", "–", "2", "–"]
    assert names.text[0] == "1  &lt;b&gt;A&lt;/b&gt;"
    assert "<b>A" not in json.dumps(figure.to_dict(), default=str)
    assert len(names.text[1]) < 32
    marks = next(t for t in traces(figure, "scatter", "x3") if t.marker.symbol == "line-ns")
    assert (list(marks.x), list(marks.y)) == ([900, 880, 870, 860], list(noisy.y))


def test_names_are_shorter_on_a_narrow_screen_and_whole_in_the_hover_text():
    (names,) = traces(f.noisy_order(NAMES, shot(), 2, STYLE, narrow=True), "scatter", "x4")
    assert max(map(len, names.text[1:])) <= 16
    assert "…" in names.text[1]
    assert "B" * 40 in names.hovertext[1]


def test_axes_stay_put_between_draws_and_reach_further_only_where_a_draw_does():
    draws = [
        shot(),
        shot(noisy=(899.0, 881.0, 860.0, 850.5)),
        shot(noisy=(899.0, 500.0, 872.0, 3.0)),
    ]
    first, second, far = (dataclasses.replace(draw, usual=(700.0, 950.0)) for draw in draws)
    ranges = [f.noisy_order(NAMES, draw, 2, STYLE).layout.xaxis.range for draw in (first, second)]
    assert ranges[0] == ranges[1]
    assert not f.reaches_further(first)
    assert f.reaches_further(far)
    assert f.noisy_order(NAMES, far, 2, STYLE).layout.xaxis3.range[0] < 3


def test_far_larger_counts_are_arrows_so_that_those_that_change_places_can_be_told_apart():
    figure = f.noisy_order(
        NAMES, shot((4841, 981, 978, 856), (4836.0, 970.0, 985.0, 850.0)), 2, STYLE
    )
    for axis in ("x", "x3"):
        low, high = figure.layout["xaxis" + axis[1:]].range
        assert 985 < high < 1100
        assert low < 850
        drawn = dots(figure, axis)
        assert np.isnan(drawn.x[0])
        assert np.nanmax(drawn.x) < high
        (cut,) = (t for t in traces(figure, "scatter", axis) if t.marker.symbol == "triangle-right")
        assert (list(cut.x), list(cut.y)) == ([pytest.approx(high)], [drawn.y[0]])
    named = [trace.name for trace in figure.data if trace.showlegend]
    assert named == ["beyond the axis", "true count"]
    marks = next(t for t in traces(figure, "scatter", "x3") if t.marker.symbol == "line-ns")
    assert np.array_equal(marks.x, [np.nan, 981, 978, 856], equal_nan=True)


@pytest.mark.parametrize(("threshold", "side"), [(889.5, "right"), (701.25, "left"), (-90, "left")])
def test_a_threshold_is_a_line_across_the_noisy_counts_named_within_the_figure(threshold, side):
    found = dataclasses.replace(shot(), threshold=threshold)
    figure = f.noisy_order(NAMES, found, 2, STYLE)
    (line,) = (t for t in traces(figure, "scatter", "x3") if t.mode == "lines")
    assert list(line.x) == [threshold, threshold]
    assert (min(line.y), max(line.y)) == figure.layout.yaxis.range
    low, high = figure.layout.xaxis3.range
    assert low < threshold < high
    (words,) = figure.layout.annotations
    assert words.text == f"threshold ⊥: {threshold:,.{0 if threshold > 100 else 1}f}"
    assert (words.x, words.xref, words.xanchor) == (threshold, "x3", side)
    assert not f.noisy_order(NAMES, shot(), 2, STYLE).layout.annotations


def test_thick_lines_are_of_items_carried_past_place_k():
    lines = traces(f.noisy_order(NAMES, shot(), 2, STYLE), "scatter", "x2")
    thick = max(lines, key=lambda line: line.line.width)
    assert np.array_equal(thick.y, [-1, -2, np.nan, -2, -1, np.nan], equal_nan=True)


def test_thick_lines_of_a_round_are_of_its_upset():
    drawn = shot(noisy=(905.0, 861.0, 950.0, 700.5))
    found = dataclasses.replace(drawn, places=np.array([0, 0, 5, 0]), round=5, n_candidates=90)
    lines = traces(f.noisy_order(NAMES, found, 2, STYLE), "scatter", "x2")
    thick = max(lines, key=lambda line: line.line.width)
    assert np.array_equal(thick.y, [0, -1, np.nan, -2, 0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("counts", "noisy", "begins"),
    [
        ((900, 880, 870, 860), (905.0, 861.0, 890.0, 855.5), True),
        ((900, 880, 870, 10), (905.0, 861.0, 890.0, 12.0), False),
        ((9, 5, 2, 0), (9.5, -3.5, 6.0, -8.0), False),
        ((7, 7, 7, 7), (7.0, 7.0, 7.0, 7.0), True),
    ],
)
def test_an_axis_begins_at_zero_unless_all_counts_are_far_from_it_and_holds_all(
    counts, noisy, begins
):
    figure = f.noisy_order(NAMES, shot(counts, noisy), 2, STYLE)
    for axis in (figure.layout.xaxis, figure.layout.xaxis3):
        low, high = axis.range
        assert low < min(*counts, *noisy) or low == 0
        assert high > max(*counts, *noisy)
        assert (low > 0) == begins


def drawn_limits(n: int, width: int):
    start = np.arange(n) * width
    picture = Limits(start, start + width, np.full(n, 1 / n), (3,), start, (start + 3)[None], "so")
    return f.limits(picture, STYLE, ["some"] * n)


def test_few_limits_have_a_tick_and_a_point_each_and_none_is_below_0():
    figure = drawn_limits(6, 1)
    assert figure.layout.xaxis.range == (-0.5, 5.5)  # half a bar to each side
    assert figure.layout.xaxis.dtick == 1
    assert figure.data[1].mode == "lines+markers"
    many = drawn_limits(40, 25)
    assert many.layout.xaxis.range[1] == 999.5
    assert many.layout.xaxis.dtick is None
    assert many.data[1].mode == "lines"


def test_a_place_stands_beyond_the_end_of_its_stroke():
    noisy = NoisyCounts(np.array([9, 7, 4]), np.array([9.25, 3.5, 4.0]), "Gumbel")
    marks = f.noisy_counts(["A", "B", "C"], noisy, STYLE).data[-1]
    assert [text.strip() for text in marks.text] == ["1", "3", "2"]
    assert list(marks.textposition) == ["middle right", "middle left", "middle right"]
    line = f.noisy_counts(["A", "B", "C"], dataclasses.replace(noisy, threshold=5.25), STYLE).data[
        -1
    ]
    assert (line.name, list(line.x)) == ("threshold ⊥: 5.2", [5.25, 5.25])
