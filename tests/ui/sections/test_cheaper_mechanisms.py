"""Test that only exact results suggest a cheaper mechanism that is not chosen."""

import math
from types import SimpleNamespace

import pytest

from dptopk import Joint, JointSet, PNFPeel, load_dataset
from dptopk.core.estimate import Estimate
from dptopk.questions import epsilon
from dptopk.questions.epsilon import NeededEpsilons, Requirement
from dptopk.tuning.search import LARGEST, SmallestEpsilon
from dptopk.tuning.targets import Goal

VIEW = SimpleNamespace(counts=load_dataset("games"), seed=0, keys=("Joint",), releases=1, delta=0.0)
ASKED = Requirement(Goal("exact_set", "", 0), 0.95)
EXACT = SmallestEpsilon(0.5, 0.5, 0.5, chance=Estimate.exactly(0.95))
BY_RUNS = SmallestEpsilon(0.5, 0.4, 0.6, 1_000, chance=Estimate.exactly(0.95))


@pytest.mark.parametrize(
    ("found", "other", "said"),
    [
        ([EXACT], 0.45, True),
        ([BY_RUNS], 0.45, False),  # less than the best estimate, which may be too large
        ([BY_RUNS], 0.41, False),
        ([BY_RUNS], 0.39, True),
        ([EXACT, BY_RUNS], 0.45, False),
        ([SmallestEpsilon(0.5, 0.0, 0.6, 1_000, chance=Estimate.exactly(0.95))], 0.01, False),
        ([SmallestEpsilon(math.inf, math.inf, math.inf, chance=Estimate.exactly(0.5))], 30.0, True),
    ],
)
def test_who_was_not_chosen_needs_less_where_no_interval_reaches_down_to_it(
    monkeypatch, found, other, said
):
    asked_at = []
    answer = SmallestEpsilon(other, other, other, chance=Estimate.exactly(0.95))
    one = JointSet(10, 1.0)
    reach = lambda counts, others, asked, at, *_: asked_at.append(at) or [one]  # noqa: E731
    monkeypatch.setattr(epsilon, "_comparable", lambda *_: (one,))
    monkeypatch.setattr(epsilon, "mechanisms_meeting", reach)
    monkeypatch.setattr(epsilon, "needed_epsilons", lambda *_: NeededEpsilons({one: answer}))
    solved = NeededEpsilons(dict(zip((Joint(10, 1.0), PNFPeel(10, 1.0)), found, strict=False)))
    cheaper = epsilon.cheaper_unchosen(VIEW, ASKED, solved)
    assert cheaper == ((one, other) if said else None)
    words = epsilon.words_on_unchosen(one, other, 1)
    assert "which gives no order, is not chosen, but needs only ε" in words
    least = min(one.low for one in found)
    assert asked_at == ([min(least, LARGEST)] if least else [])
