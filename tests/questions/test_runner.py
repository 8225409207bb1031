"""Test that questions give the same numbers directly and in turns, and report progress."""

import pandas as pd
import pytest

from dptopk import CDPPeel, ItemCounts, Joint, NeighborRelation, PNFPeel, load_dataset
from dptopk.data.sources import Source
from dptopk.questions.epsilon import Repetition, Requirement, needed_epsilons, target_curves
from dptopk.questions.errors import measure_errors
from dptopk.questions.runner import AtOnce, Task
from dptopk.questions.sweep import sweep_errors
from dptopk.questions.view import View
from dptopk.questions.winners import map_winners
from dptopk.simulation.trials import at_points
from dptopk.tuning.targets import Goal
from dptopk.ui import results

COUNTS = ItemCounts([50, 40, 40, 12, 3, 0])
MECHANISMS = (Joint(2, 0.5), CDPPeel(2, 0.5, 1e-6))


def double(x, progress):
    progress(0.5)
    return 2 * x


def negate(x):
    return -x


def test_progress_grows_to_1_in_proportion_to_the_work():
    told = []
    tasks = {"a": Task(double, (3,), work=1.0), "b": Task(negate, (3,), work=3.0)}
    assert AtOnce(told.append).each(tasks, "here") == {"a": 6, "b": -3}
    assert told == [0.125, 0.25, 1.0]


def test_arguments_that_no_mechanism_can_run_with_are_refused_before_any_run():
    with pytest.raises(ValueError, match="n must be"):
        measure_errors(COUNTS, MECHANISMS, "linf", 0, 0)
    with pytest.raises(ValueError, match="k must be"):
        measure_errors(COUNTS, [Joint(7, 1.0)], "linf", 5, 0)


WAYS = ({}, {"runner": results.IN_TURNS})  # at once, and in turns


def test_errors_are_the_same_at_once_and_in_turns():
    here, there = (measure_errors(COUNTS, MECHANISMS, "k_relative", 20, 3, **by) for by in WAYS)
    pd.testing.assert_frame_equal(here.rows, there.rows)
    assert here.laws.keys() == there.laws.keys() == {"Joint"}


def test_a_sweep_and_a_map_are_the_same_at_once_and_in_turns():
    points = at_points(MECHANISMS, "k", [1, 3])
    here, there = (sweep_errors(COUNTS, points, "linf", 20, 0, **by) for by in WAYS)
    pd.testing.assert_frame_equal(here.summary, there.summary)
    asked = (COUNTS, MECHANISMS, [1, 2], [0.5, 2.0], "linf", 20, 0)
    here, there = (map_winners(*asked, **by) for by in WAYS)
    pd.testing.assert_frame_equal(here.scores, there.scores)
    pd.testing.assert_frame_equal(here.won, there.won)


def test_the_smallest_epsilons_come_cheapest_first_with_what_all_cost_together():
    asked = Requirement(Goal("exact_set", "", 0), 0.95)
    needed = needed_epsilons(load_dataset("games"), [CDPPeel(3, 1, 1e-6), Joint(3, 1)], asked, 0, 0)
    epsilons = [one.epsilon for one in needed.found.values()]
    assert epsilons == sorted(epsilons)
    assert needed.together == {}
    assert [m.epsilon for m in needed.at.values()] == epsilons
    asked = Requirement(asked.goal, 0.95, Repetition(releases=52))
    kinds = (PNFPeel(10, 1), Joint(10, 1))
    needed = needed_epsilons(load_dataset("games"), kinds, asked, 1e-6, 0)
    costs = [one.value for one in needed.together.values()]
    assert costs == sorted(costs)


def test_most_changes_of_epsilon_ask_for_the_same_curves():
    """Their ends are powers of 2, beyond the smallest ε found and the present one."""
    asked = []

    class Asked(AtOnce):
        def each(self, tasks, name, sketch=None):
            asked.append([task.arguments for task in tasks.values()])
            return super().each(tasks, name, sketch)

    source = Source(COUNTS, "Data", "", (), "")
    required = Requirement(Goal("exact_set", "", 0), 0.9)
    found = needed_epsilons(COUNTS, MECHANISMS, required, 0.0, 0).found
    for epsilon in (0.03, 0.031, 3.0):
        keys = ("Joint", "CDPPeel")
        view = View(source, 2, epsilon, NeighborRelation.ADD_REMOVE, keys, 50, 7, {})
        curves = target_curves(view, MECHANISMS, required, found, Asked())
        for curve in curves.values():
            shown = [epsilon, *(one.epsilon for one in found.values())]
            assert curve.epsilons[0] < min(shown) <= max(shown) < curve.epsilons[-1]
    assert asked[0] == asked[1] != asked[2]
