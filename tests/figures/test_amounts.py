"""Bars of named amounts."""

from dptopk import figures as f


def test_amounts_stand_in_order_with_the_chosen_ones_darker_and_whole_names_in_the_hover():
    long = "x" * 60
    figure = f.amounts(["b<i>", long, long], [5, 7, 7], "users", "%{x:,}", [True, False, True])
    (bars,) = figure.data
    assert (bars.x, bars.y) == ((5, 7, 7), (0, 1, 2))
    assert bars.marker.color[0] == bars.marker.color[2] != bars.marker.color[1]
    axis = figure.layout.yaxis
    assert axis.autorange == "reversed"
    assert axis.ticktext[0] == "b&lt;i&gt;"
    assert axis.ticktext[1].endswith("…")
    assert bars.customdata[1] == long


def test_amounts_of_nobody_have_an_axis():
    assert f.amounts(["a"], [0], "users", "%{x:,}", [True]).layout.xaxis.range[1] > 0
