"""Bars of named amounts."""

import numpy as np
import pandas as pd

from dptopk import MECHANISMS, figures as f

STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}


def test_amounts_stand_in_order_with_the_chosen_ones_darker_and_whole_names_in_the_hover():
    long = "x" * 60
    figure = f.amounts(["b<i>", long, long], [5, 7, 7], "users", "%{x:,}", [True, False, True])
    (bars,) = figure.data
    assert (list(bars.x), list(bars.y)) == ([5, 7, 7], [0, 1, 2])
    assert bars.marker.color[0] == bars.marker.color[2] != bars.marker.color[1]
    axis = figure.layout.yaxis
    assert axis.range[0] > axis.range[1]  # the first on top
    assert axis.ticktext[0] == "b&lt;i&gt;"
    assert all(len(line) <= 31 for line in axis.ticktext[1].split("<br>"))
    many = f.amounts([long, "Jaws"] * 4, [5] * 8, "users", "%{x:,}", [True] * 8)
    assert many.layout.yaxis.ticktext[0] == "x" * 27 + "…"
    assert bars.customdata[1] == long


def test_amounts_of_nobody_have_an_axis():
    assert f.amounts(["a"], [0], "users", "%{x:,}", [True]).layout.xaxis.range[1] > 0


def test_names_and_titles_take_several_lines_before_they_are_shortened():
    names = ["basic composition: k rounds of ε/k", "x" * 100, "&" * 30, ""]
    figure = f.amounts(
        names, [1] * 4, "noise on each count (users, Gumbel scale)", "%{x}", [1] * 4, 2
    )
    ticks = figure.layout.yaxis.ticktext
    assert ticks[0] == "basic composition: k<br>rounds of ε/k"
    assert ticks[1] == "x" * 26 + "<br>" + "x" * 25 + "…"
    assert ticks[2] == "&amp;" * 26 + "<br>" + "&amp;" * 4
    assert ticks[3] == ""
    assert figure.layout.xaxis.title.text == "noise on each count<br>(users, Gumbel scale)"


def test_numbers_beside_bars_have_a_margin_of_their_length():
    few, many = (f.amounts(["a"], [n], "users", "%{x:,}", [True]) for n in (3, 2**53))
    assert many.layout.margin.r >= 8 * len(f"{2**53:,}") > few.layout.margin.r >= 50


def test_each_cause_of_wrong_places_is_stacked_under_its_own_name():
    parts = {"clipping": [0.5, 0.0], "threshold": [1.0, 0.25], "noise": [2.0, 4.0]}
    figure = f.errors_by_cause(["Laplace\nat most 1", "no bound"], parts, ["3.5 best", "4.25"], 5)
    bars = {bar.name.partition(":")[0]: bar for bar in figure.data if bar.type == "bar"}
    assert {cause: list(bar.x) for cause, bar in bars.items()} == parts
    assert figure.layout.yaxis.ticktext == ("Laplace<br>at most 1", "no bound")
    (behind,) = (one for one in figure.data if one.type == "scatter")
    assert (list(behind.x), list(behind.text)) == ([3.5, 4.25], [" 3.5 best", " 4.25"])


def test_errors_are_a_curve_of_the_bound_with_its_minimum_marked(named):
    can_publish = {"Laplace": False, "Joint": True}
    rows = [("Laplace", 4, 3.0), ("Laplace", 1, 2.0), ("Laplace", 2, 0.5), ("Laplace", np.nan, 4.0)]
    rows.append(("Joint", np.nan, 1.5))
    found = pd.DataFrame(rows, columns=["mechanism", "max_items", "wrong"])
    found["can_publish"] = found["mechanism"].map(can_publish)
    figure = f.errors_by_bound(found, STYLES, 10, 4, {"best": found.iloc[2], "free": found.iloc[4]})
    curve, level = named(figure, "Laplace"), named(figure, "Joint, no bound: free")
    assert curve.line.color == curve.marker.color  # gray, as it cannot be published
    assert curve.line.color not in {style.color for style in STYLES.values()}
    assert level.line.color == STYLES["Joint"].color
    assert (list(curve.x), list(curve.y)) == ([1, 2, 4], [2.0, 0.5, 3.0])
    assert (list(level.x), list(level.y)) == ([1, 4], [1.5, 1.5])
    best = named(figure, "best, at most 2")
    assert (list(best.x), list(best.y)) == ([2], [0.5])
    assert [shape.x0 for shape in figure.layout.shapes] == [4]


def test_no_tick_stands_at_half_a_user():
    for largest, tick in ((0, 1), (1, 1), (3, 1), (90, None)):
        drawn = f.amounts(["A", "B"], [largest, 0], "students", "%{x:,}", [True, True])
        assert drawn.layout.xaxis.dtick == tick
