"""Test explanatory figures of how a mechanism chooses: their axes and marks."""

import dataclasses

import numpy as np

from dptopk import MECHANISMS, figures as f
from dptopk.mechanisms.pictures import Limits, NoisyCounts

STYLE = next(iter(MECHANISMS.values())).card.style


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
