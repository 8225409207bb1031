"""Test that a proposal, or a cheaper mechanism beside it, is stated without false certainty."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from dptopk import Joint, JointSet, PNFPeel, load_dataset
from dptopk.core.estimate import Estimate
from dptopk.questions import epsilon
from dptopk.questions.epsilon import NeededEpsilons, Requirement
from dptopk.tuning.search import LARGEST, SmallestEpsilon
from dptopk.tuning.targets import Goal
from dptopk.ui.sections.proposal import Proposal
from dptopk.ui.sections.smallest_epsilon import enough_there
from dptopk.ui.sentences.leaders import Best

JOINT = Joint(10, 1.0)
JOINTS = Best(("Joint",))
BY_RUNS = " (simulated: the upper end of its 95% interval)"
PROPOSED = (
    "is sufficient for 95 times in 100: we propose it unless a higher probability is worth the "
    "loss of privacy."
)


def proposal(right=0.25, needed=None, q75=0.0, best=JOINTS, high=None, mechanisms=(JOINT,)):
    """Joint proposed, with an exact probability of the right set."""
    rows = pd.DataFrame([{"q75_exact": math.nan, "q75_simulated": q75}])
    right = Estimate.of_logs(math.log(right), math.log1p(-right))
    errors = SimpleNamespace(chance=lambda *_: right, rows=rows, mechanisms=mechanisms)
    found = {}
    if needed is not None:
        ends = (needed, needed, 0) if high is None else (needed / 2, high, 1_000)
        found["Joint"] = SmallestEpsilon(needed, *ends, chance=Estimate.exactly(0.95))
    return Proposal(JOINT, errors, found, best)


@pytest.mark.parametrize(
    ("needed", "high", "end", "label"),
    [
        (0.08904, None, f"A smaller ε, 0.0891, {PROPOSED}", "Use ε = 0.0891"),
        (0.9999, None, "It is the smallest ε for 95 times in 100, rounded up.", None),
        (3.21, None, "For 95 times in 100 it takes ε = 3.21.", "Use ε = 3.21"),
        (9.999, None, "For 95 times in 100 it takes ε = 10.", "Use ε = 10"),
        (
            *(10.01, None),
            *("For 95 times in 100 it takes ε = 10.1, which is practically no protection.", None),
        ),
        (0.0, None, "Any ε is sufficient for 95 times in 100.", None),
        (math.inf, None, "No ε is sufficient for 95 times in 100.", None),
        (None, None, "(exact).", None),
        (0.0881, 0.08904, f"A smaller ε, 0.0891{BY_RUNS}, {PROPOSED}", "Use ε = 0.0891"),
        (0.98, 0.9999, f"It is the smallest ε for 95 times in 100{BY_RUNS}, rounded up.", None),
        (0.98, 1.0201, f"For 95 times in 100 it takes ε = 1.03{BY_RUNS}.", "Use ε = 1.03"),
        (
            *(0.98, math.inf),
            *("The runs determine no ε that is sufficient for 95 times in 100.", None),
        ),
    ],
)
def test_the_answer_says_what_is_enough_and_the_button_sets_it(needed, high, end, label):
    proposed = proposal(needed=needed, high=high)
    verb = "The author chose" if label or needed == 10.01 else "We propose"  # the smallest
    assert proposed.sentence.startswith(f"{verb} Joint at ε = 1 (without δ): it releases 10 items")
    assert proposed.sentence.endswith(end)
    assert (proposed.use and proposed.use.label) == label
    of_runs = "; the upper end of its simulated 95% interval, rounded up"
    assert not label or (of_runs in proposed.use.help) == (high is not None)


def test_beside_the_data_the_upper_end_of_a_simulated_epsilon_is_offered():
    by_runs = SmallestEpsilon(0.1546, 0.1534, 0.1549, 1_000, chance=Estimate.exactly(0.95))
    offer = enough_there(NeededEpsilons({JOINT: by_runs}), "games", 1.0)
    assert offer.sentence.endswith("needs ε = 0.1546 (simulated; 0.155 at its upper end).")
    assert offer.button.label == "Use ε = 0.155, from games"
    exact = SmallestEpsilon(0.1546, 0.1546, 0.1546, chance=Estimate.exactly(0.95))
    offer = enough_there(NeededEpsilons({JOINT: exact}), "games", 1.0)
    assert offer.sentence == "On games Joint needs ε = 0.155."
    assert "simulated" not in offer.button.help
    untold = enough_there(NeededEpsilons({JOINT: replace(by_runs, high=math.inf)}), "games", 1.0)
    assert "(simulated; no upper end)" in untold.sentence
    assert untold.button is None


def test_where_none_is_likely_to_be_right_that_is_said_first():
    best = Best(("CDP-Peel",), "median maximum error (ℓ∞): 812 users")
    alone = proposal(1e-9, best=best)
    assert alone.sentence.startswith("Joint is not likely to give exactly the right 10 at ε = 1 (")
    among = proposal(1e-9, best=best, mechanisms=(JOINT, PNFPeel(10, 1.0))).sentence
    assert among.startswith(
        "No chosen mechanism is likely to give exactly the right 10 at ε = 1; CDP-Peel has the "
        "smallest error (median maximum error (ℓ∞): 812 users). The author chose Joint at ε = 1"
    )


def test_one_item_is_spoken_of_in_the_singular():
    one = replace(proposal(), mechanism=JOINT.replaced(k=1)).sentence
    assert "releases 1 item in order; the right item comes out with probability" in one
    assert "; the right 10, in any order, come out with probability" in proposal().sentence


def test_no_error_is_where_none_shows():
    assert proposal().without_error
    assert not proposal(q75=2.0).without_error


def test_that_larger_epsilons_may_not_be_enough_is_said():
    proposed = proposal(0.5, needed=0.3)
    assert "Larger" not in proposed.sentence
    falls = replace(proposed, needed={"Joint": replace(proposed.needed["Joint"], until=0.4)})
    assert falls.sentence.endswith(" A larger ε may not reach it.")


VIEW = SimpleNamespace(counts=load_dataset("games"), seed=0, keys=("Joint",), releases=1, delta=0.0)
ASKED = Requirement(Goal("exact_set", "", 0), 0.95)
EXACT = SmallestEpsilon(0.5, 0.5, 0.5, chance=Estimate.exactly(0.95))
SIMULATED = SmallestEpsilon(0.5, 0.4, 0.6, 1_000, chance=Estimate.exactly(0.95))


@pytest.mark.parametrize(
    ("found", "other", "said"),
    [
        ([EXACT], 0.45, True),
        ([SIMULATED], 0.45, False),  # less than the best estimate, which may be too large
        ([SIMULATED], 0.41, False),
        ([SIMULATED], 0.39, True),
        ([EXACT, SIMULATED], 0.45, False),
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
