"""Test the figure of the probability of a target, in which every answer must be visible."""

import itertools
import math
from dataclasses import replace

import numpy as np

from dptopk import MECHANISMS, figures as f
from dptopk.core.estimate import Estimate
from dptopk.tuning.search import SmallestEpsilon
from dptopk.tuning.targets import TargetCurve

LABELS = list(MECHANISMS)
STYLES = {name: mechanism.card.style for name, mechanism in MECHANISMS.items()}


def marks(epsilons):
    found = {
        label: SmallestEpsilon(at, at, at, chance=Estimate.exactly(0.95))
        for label, at in zip(LABELS, epsilons, strict=False)
    }
    drawn = f.target_curves(found, {}, 0.95, STYLES, 1.0).data
    return {trace.name: trace.marker for trace in drawn}, [trace.name for trace in drawn]


def test_chances_on_a_curve_are_written_as_everywhere():
    """Once "0.0%" and "100.0%" at all but a few points."""
    curve = TargetCurve(np.geomspace(0.01, 1, 4), np.array([5.6e-7, 0.05, 0.5, 1 - 1e-9]), 0)
    answer = {LABELS[0]: SmallestEpsilon(0.5, 0.5, 0.5, chance=Estimate.exactly(0.95))}
    line, _ = f.target_curves(answer, {LABELS[0]: curve}, 0.95, STYLES, 1.0).data
    assert list(line.customdata) == ["5.6e-7", "5.0%", "50.0%", "> 99.9999%"]
    assert line.hovertemplate.startswith("%{customdata} at")


def test_a_mechanism_that_is_not_chosen_and_needs_less_is_a_grey_mark_with_its_name(named):
    answer = {LABELS[0]: SmallestEpsilon(0.5, 0.5, 0.5, chance=Estimate.exactly(0.95))}
    figure = f.target_curves(answer, {}, 0.95, STYLES, 1.0, (LABELS[1], 0.1))
    mark = named(figure, f"{LABELS[1]}, not chosen")
    assert (list(mark.x), list(mark.y)) == ([0.1], [0.95])
    assert mark.marker.color not in {style.color for style in STYLES.values()}
    assert mark.showlegend is None  # its name stands with the others, where no line crosses it
    assert not figure.layout.annotations


def test_answers_that_lie_together_are_drawn_around_each_other_the_largest_first():
    together = [0.1665, 0.1660, 0.37, 0.346]
    shown, order = marks(together)
    (joint, pnf), (peel, cdp) = ([shown[label] for label in LABELS[at : at + 2]] for at in (0, 2))
    assert pnf.size == cdp.size == 13
    for around, label in ((joint, LABELS[0]), (peel, LABELS[2])):
        assert around.size >= 13 + 8
        assert around.symbol == f"{STYLES[label].marker}-open"
    assert pnf.symbol == STYLES[LABELS[1]].marker  # filled: nothing is under it
    sizes = [shown[label].size for label in order]
    assert sizes == sorted(sizes, reverse=True)


def test_marks_that_are_hollow_already_stay_so_where_they_lie_together():
    """Plotly knows no circle-open-open."""
    both = dict.fromkeys(LABELS[:2], SmallestEpsilon(0.5, 0.5, 0.5, chance=Estimate.exactly(0.95)))
    styles = {label: replace(STYLES[label], marker="circle-open") for label in both}
    drawn = f.target_curves(both, {}, 0.95, styles, 1.0).data
    assert [trace.marker.symbol for trace in drawn] == ["circle-open"] * 2


def test_an_answer_of_runs_is_drawn_with_each_end_of_its_interval():
    runs = SmallestEpsilon(0.5, 0.4, 0.9, 1_000, chance=Estimate.exactly(0.95))
    (mark,) = f.target_curves({LABELS[0]: runs}, {}, 0.95, STYLES, 1.0).data
    (line,) = f.epsilon_against_delta({LABELS[0]: {1e-6: runs}}, None, STYLES, 0.0).data
    for at, bar in ((mark.x[0], mark.error_x), (line.y[0], line.error_y)):
        assert at == 0.5
        assert (at - bar.arrayminus[0], at + bar.array[0]) == (0.4, 0.9)
        assert bar.visible


def test_answers_that_lie_apart_are_alike_and_many_together_stay_small():
    apart, _ = marks([0.1, 0.2, 0.4, math.inf, 0.0])
    assert list(apart) == LABELS[:3]
    assert {mark.size for mark in apart.values()} == {13}
    many, _ = marks([0.1] * len(LABELS))
    sizes = sorted(mark.size for mark in many.values())
    assert sizes[-1] <= 40
    assert all(small < large for small, large in itertools.pairwise(sizes))
