"""Who was not chosen is said to need less only where that is certain."""

import math
from types import SimpleNamespace

import pytest

from dptopk import JointSet, load_dataset
from dptopk.tuning.goals import Goal
from dptopk.tuning.search import LARGEST, SmallestEpsilon
from dptopk.ui.presenters.choose import cheaper_mechanisms
from dptopk.ui.presenters.choose.solving import Asked

VIEW = SimpleNamespace(counts=load_dataset("games"), seed=0, keys=("Joint",))
ASKED = Asked(Goal("exact_set", "", 0), 0.95)
EXACT = SmallestEpsilon(0.5, 0.5, 0.5, True, 0.95)
BY_RUNS = SmallestEpsilon(0.5, 0.4, 0.6, False, 0.95, 1_000)


@pytest.mark.parametrize(
    ("found", "other", "said"),
    [
        ([EXACT], 0.45, True),
        ([BY_RUNS], 0.45, False),  # less than the best estimate, which may be too large
        ([BY_RUNS], 0.41, False),
        ([BY_RUNS], 0.39, True),
        ([EXACT, BY_RUNS], 0.45, False),
        ([SmallestEpsilon(0.5, 0.0, 0.6, False, 0.95, 10)], 0.01, False),
        ([SmallestEpsilon(math.inf, math.inf, math.inf, True, 0.5)], 30.0, True),
    ],
)
def test_who_was_not_chosen_needs_less_where_no_interval_reaches_down_to_it(
    monkeypatch, found, other, said
):
    asked_at = []
    answer = SmallestEpsilon(other, other, other, True, 0.95)
    monkeypatch.setattr(
        cheaper_mechanisms,
        "_likelier",
        lambda *asked: asked_at.append(asked[-1]) or [JointSet(10, 1.0)],
    )
    monkeypatch.setattr(
        cheaper_mechanisms, "solved", lambda counts, likelier, *_: {likelier[0]: answer}
    )
    offered = cheaper_mechanisms.cheaper(VIEW, ASKED, dict(enumerate(found)))
    assert bool(offered) is said
    if offered:
        assert "which gives no order, is not chosen, and needs ε" in offered.sentence
    least = min(one.low for one in found)
    assert asked_at == ([min(least, LARGEST)] if least else [])
