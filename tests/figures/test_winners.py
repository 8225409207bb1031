"""Test that the map of winners shows the best mechanism of each region by name and color."""

import numpy as np
import pandas as pd
import pytest

from dptopk import figures as f
from dptopk.figures._drawing import translucent
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


def colours(figure) -> list[list[str]]:
    """The answer whose colour each cell has; empty where it is blank."""
    rows = [["" for _ in KS] for _ in EPSILONS]
    for trace in figure.data:
        if trace.type == "heatmap" and trace.name:
            for row, column in zip(*np.nonzero(trace.z == 1), strict=True):
                rows[row][column] += trace.name
    return rows


def test_a_cell_has_the_colour_of_its_answer_and_says_why_it_has_none():
    blank = "no clear winner"
    assert colours(drawn()) == [["two", "one or three", "one or two"], [blank, blank, ""]]
    heat = {trace.name: trace for trace in drawn().data if trace.type == "heatmap"}
    (colour,) = {colour for _, colour in heat["two"].colorscale}
    assert colour == translucent(STYLES["two"].color, 0.45)
    assert len({trace.colorscale[0][1] for trace in heat.values()}) == len(heat)
    poor = CELLS.assign(poor=CELLS["best"] == ("two",))  # the best gets too few right
    figure = f.winner_map(poor, SAID, KS, EPSILONS, STYLES, (1, 1.0))
    assert colours(figure)[0][0] == "even the best is near guessing"


def test_every_cell_tells_its_numbers_also_a_blank_one():
    told = {}
    for trace in drawn().data:
        if trace.type == "heatmap":
            for row, column in zip(*np.nonzero(trace.z == 1), strict=True):
                told[KS[column], EPSILONS[row]] = trace.customdata[row, column]
    assert told == SAID


def words(figure) -> dict[tuple[float, float], str]:
    (text,) = (trace for trace in figure.data if trace.type == "scatter" and trace.text)
    return dict(zip(zip(text.x, text.y, strict=True), text.text, strict=True))


def legend(figure) -> list[str]:
    return [trace.name for trace in figure.data if trace.showlegend]


def test_a_region_is_named_in_its_middle_and_a_small_one_has_letters_that_a_legend_explains():
    figure = drawn()
    said = {(0, 0): "two", (1, 0): "one or three", (2, 0): "one or two"}
    assert words(figure) == said | {(0.5, 1): "no clear winner"}
    assert legend(figure) == ["chosen k and ε: no clear winner"]
    phone = f.winner_map(
        CELLS, SAID, [*KS, *range(10, 19)], EPSILONS, STYLES, (5, 1.0), narrow=True
    )
    assert set(words(phone).values()) == {"B", "AC", "AB"}
    letters = ["<b>AB</b> one or two", "<b>AC</b> one or three", "<b>B</b> two"]
    assert legend(phone) == [*legend(figure), *letters]


@pytest.mark.parametrize(("best", "said"), [(("one",), "one"), (("one", "two"), "one or two")])
def test_cells_with_one_answer_are_one_region_with_one_name(best, said):
    cells = CELLS.assign(best=[best] * len(CELLS), equal=False)
    assert words(f.winner_map(cells, SAID, KS, EPSILONS, STYLES, (5, 1.0))) == {(1, 0): said}


def test_the_present_setting_is_framed_and_in_the_legend_if_it_is_a_cell():
    (frame,) = drawn(current=(5, 1.0)).layout.shapes
    assert (frame.x0, frame.x1, frame.y0, frame.y1) == (0.5, 1.5, 0.5, 1.5)
    figure = drawn(current=(1, 0.1))
    assert legend(figure) == ["chosen k and ε: two"]
    assert figure.data[-1].marker.color == translucent(STYLES["two"].color, 0.45)
    for away in ((10, 1.0), (5, 0.05)):
        assert not drawn(current=away).layout.shapes
        assert not legend(drawn(current=away))
    assert not legend(drawn(current=(9, 1.0)))  # not computed so far


def test_words_on_cells_without_an_answer_stand_in_the_order_of_the_cells():
    cells = CELLS.assign(poor=[True, True, True, False, False])
    every = ("one", "two", "three")
    cells["best"] = [("two",), ("one",), ("three",), every, every]
    figure = f.winner_map(cells, SAID, KS, EPSILONS, STYLES, (5, 1.0))
    (texts,) = (one.text for one in figure.data if one.type == "scatter" and one.mode == "text")
    assert list(texts) == ["even the best is near guessing", "no clear winner"]
