"""Test that the map of winners marks the best mechanism of each cell by letter and color."""

import numpy as np
import pandas as pd

from dptopk import MECHANISMS, figures as f
from dptopk.figures._drawing import translucent
from dptopk.figures.winners import NO_WIN
from dptopk.mechanisms import Style

STYLES = {
    "one": Style("#000000", "solid", "circle", ""),
    "two": Style("#0072B2", "dot", "square", "/"),
    "three": Style("#E69F00", "dash", "x", "x"),
}
KS, EPSILONS = [1, 5, 9], [0.1, 1.0]
CELLS = pd.DataFrame(
    [
        (1, 0.1, ("two",), False),
        (5, 0.1, ("one", "three"), False),
        (9, 0.1, ("one", "two"), True),
        (1, 1.0, ("one", "two", "three"), False),
        (5, 1.0, ("one", "two", "three"), True),
    ],
    columns=["k", "epsilon", "best", "equal"],
).assign(n=3, poor=False)
SAID = {(k, e): f"{k} {e}<b>" for k, e in zip(CELLS["k"], CELLS["epsilon"], strict=True)}


def drawn(current=(5, 1.0)):
    return f.winner_map(CELLS, SAID, KS, EPSILONS, STYLES, current)


def colours(figure) -> list[list[set]]:
    """Whose colours each cell shows: names in the legend, and what is told over it."""
    rows = [[set() for _ in KS] for _ in EPSILONS]
    legend = [trace.name for trace in figure.data if trace.name]
    for name, trace in zip(legend, (t for t in figure.data if t.type == "heatmap"), strict=True):
        for row, half in zip(*np.nonzero(trace.z == 1), strict=True):
            rows[row][half // 2].add(name)
            k, epsilon = KS[half // 2], EPSILONS[row]
            assert trace.customdata[row, half] == SAID[k, epsilon]
            assert trace.x[half] == half // 2 + (0.25 if half % 2 else -0.25)
    return rows


def test_a_cell_has_the_colours_of_the_best_and_grey_says_that_there_are_more():
    a, b, c, grey = "<b>A</b> one", "<b>B</b> two", "<b>C</b> three", "no single best"
    assert colours(drawn()) == [[{b}, {a, c}, {a, b}], [{grey}, {grey}, set()]]
    heat = [trace for trace in drawn().data if trace.type == "heatmap"]
    for style, trace in zip(STYLES.values(), heat, strict=False):
        assert {colour for _, colour in trace.colorscale} == {translucent(style.color, 0.45)}


def test_nobody_has_a_grey_of_somebody():
    styles = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}
    cells = CELLS.assign(best=[tuple(styles)] * len(CELLS), n=len(styles))
    figure = f.winner_map(cells, SAID, KS, EPSILONS, styles, (1, 1.0))
    colours = [trace.colorscale[0][1] for trace in figure.data if trace.type == "heatmap"]
    *somebody, nobody = [
        tuple(float(part) for part in colour[5:-1].split(",")) for colour in colours
    ]
    assert all(one[3] >= 3 * nobody[3] for one in somebody)


def test_cells_in_which_nobody_is_good_are_hatched():
    poor = (CELLS["k"] == 9) & (CELLS["epsilon"] == 0.1)
    figure = f.winner_map(CELLS.assign(poor=poor), SAID, KS, EPSILONS, STYLES, (1, 1.0))
    (hatch,) = (trace for trace in figure.data if trace.name == NO_WIN)
    drawn_x, drawn_y = ([at for at in ends if at is not None] for ends in (hatch.x, hatch.y))
    assert (min(drawn_x), max(drawn_x)) == (1.5, 2.5)  # the third column
    assert (min(drawn_y), max(drawn_y)) == (-0.5, 0.5)
    assert NO_WIN not in [trace.name for trace in drawn().data]


def test_a_cell_is_read_without_colour():
    (letters,) = (trace for trace in drawn().data if trace.type == "scatter" and trace.text)
    assert dict(zip(zip(letters.x, letters.y, strict=True), letters.text, strict=True)) == {
        (0, 0): "B",
        (1, 0): "AC",
        (2, 0): "AB",
        (0, 1): "?",
        (1, 1): "=",
    }


def test_the_present_setting_is_framed_if_it_is_on_the_map():
    (frame,) = drawn().layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.5, 1.5, 0.5, 1.5)
    assert not drawn(current=(5, 0.7)).layout.shapes
