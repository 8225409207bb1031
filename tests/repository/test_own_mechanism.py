"""Test a mechanism without an exact law: that of the tutorial on one's own."""

import functools
import re
from pathlib import Path

import pytest

from dptopk import (
    ItemCounts,
    NoClosedFormError,
    exact_error,
    output_distribution,
    probability_exact_sequence,
    probability_exact_set,
    smallest_epsilon,
    sweep,
    winner_map,
    worst_case_loss,
)
from dptopk.questions.errors import known_shares

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "own.md"
COUNTS = ItemCounts([90, 70, 40, 20, 5])


@pytest.fixture(scope="module")
def own():
    """The mechanism of the text, and all else that its lines make."""
    lines = "".join(re.findall(r"```python\n(.*?)```", TUTORIAL.read_text("utf-8"), re.DOTALL)[:2])
    names = {"__name__": __name__}
    exec(compile(lines, TUTORIAL.name, "exec"), names)
    return names


def test_a_mechanism_of_ones_own_is_simulated(own):
    mechanism = own["NoisyTop"](2, 0.5)
    shares = own["trials"].groupby("mechanism")["exact_set"].mean()
    assert 0.9 < shares["NoisyTop"] < shares["Joint"]
    found = smallest_epsilon(COUNTS, mechanism, "exact_set", 0.9)
    assert not found.exact
    assert 0.3 < found.low <= found.epsilon <= found.high < 0.45
    trials = sweep(COUNTS, [mechanism], "epsilon", [0.1, 5.0], n=20, seed=0)
    assert trials.groupby("epsilon")["exact_set"].mean().is_monotonic_increasing
    table = winner_map(COUNTS, [mechanism], [1, 2], [1.0], "linf", n=20)
    assert not table["exact"].any()
    assert known_shares(COUNTS, mechanism) == {}
    assert str(mechanism.guarantee.statement)


def test_what_needs_a_law_says_that_there_is_none(own):
    mechanism = own["NoisyTop"](2, 0.5)
    for exact in (
        output_distribution,
        probability_exact_sequence,
        probability_exact_set,
        worst_case_loss,
        functools.partial(exact_error, metric="linf"),
    ):
        with pytest.raises(NoClosedFormError, match="no closed form of NoisyTop's prob"):
            exact(COUNTS, mechanism)
