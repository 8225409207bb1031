"""Test two measures that are only added to `METRICS`; run by `core/test_measures.py`."""

import numpy as np
import pytest

from dptopk import (
    METRICS,
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    LimitedDomain,
    NoClosedFormError,
    exact_error,
    load_dataset,
    output_distribution,
    probability_exact_sequence,
    run_trials,
    smallest_epsilon,
    summarize,
    sweep,
    winner_map,
)
from dptopk.cli import main
from dptopk.laws.exact import chance_exact_set
from dptopk.simulation.post_stratified import known_right
from dptopk.simulation.winners import simulated_scores
from dptopk.tuning.targets import target_curve

TOYS = ("kept", "misplaced")
COUNTS = ItemCounts([9, 7, 4, 2, 0])
GAMES = load_dataset("games")


def law_of(mechanism, counts, key):
    """Values of a measure and their probabilities, ascending, from every output."""
    law = output_distribution(counts, mechanism)
    values = METRICS[key].compute(counts, law.sequences, mechanism.outputs)
    order = np.argsort(values, kind="stable")
    return values[order], law.probabilities[order]


def test_a_median_is_exact_where_half_are_right_and_no_law_is_claimed():
    joint = Joint(10, 1.0)
    right = known_right(GAMES, joint, "kept", {"exact_set": chance_exact_set(GAMES, joint)})
    rows = summarize(run_trials(GAMES, [joint], 250, 0), "kept", {joint: right})
    assert rows["median_exact"].item() == rows["median"].item() == 1.0  # 80% are right
    for key in TOYS:
        with pytest.raises(NoClosedFormError):
            exact_error(GAMES, joint, key)


def test_the_smallest_epsilon_is_that_of_the_law():
    """On five items: the probability that every output tells, at the ends of the interval."""
    for target, mechanism in (
        (("kept", 0.8), Joint(2, 1.0)),
        (("misplaced", 1), Joint(2, 1.0)),
        (("kept", 0.8), InverseSensitivitySet(2, 1.0)),
    ):
        found = smallest_epsilon(COUNTS, mechanism, target, 0.9)
        assert not found.exact
        assert 0 < found.low <= found.epsilon <= found.high < np.inf

        def reached(epsilon, key=target[0], least=target[1], mechanism=mechanism):
            values, probabilities = law_of(mechanism.replaced(epsilon=epsilon), COUNTS, key)
            return probabilities[METRICS[key].reaches(values, least)].sum()

        assert reached(found.low) <= 0.9 <= reached(found.high)
    curve = target_curve(COUNTS, Joint(2, 1.0), ("kept", 0.8), 0.1, 10.0)
    assert curve.probabilities[0] < 0.5 < 0.95 < curve.probabilities[-1]


def test_where_only_right_releases_reach_a_target_it_is_exact():
    right = smallest_epsilon(GAMES, Joint(5, 1.0), "exact_sequence")
    assert smallest_epsilon(GAMES, Joint(5, 1.0), ("misplaced", 0)) == right
    assert right.exact
    assert probability_exact_sequence(GAMES, Joint(5, right.epsilon)) >= 0.95
    anything = smallest_epsilon(GAMES, Joint(5, 1.0), ("misplaced", 5))
    assert (anything.epsilon, anything.exact) == (0.0, True)
    with pytest.raises(ValueError, match=r"smallest kept must be in \[0, 1\], got 2"):
        smallest_epsilon(GAMES, Joint(5, 1.0), ("kept", 2))


def test_sweeps_and_winners_score_them():
    mechanisms = [Joint(2, 1.0), CDPPeel(2, 1.0, 1e-6), LimitedDomain(2, 1.0, 1e-3)]
    trials = sweep(COUNTS, mechanisms, "epsilon", [0.1, 3.0], 40, 0)
    assert trials["kept"].between(0, 1).all()
    assert trials["misplaced"].isin([0, 1, 2]).all()
    for key in TOYS:
        table = winner_map(COUNTS, mechanisms, [2], [0.1, 3.0], key, n=60).set_index(
            ["mechanism", "epsilon"]
        )
        assert (table["low"] <= table["value"]).all()
        assert (table["value"] <= table["high"]).all()
        low, high = METRICS[key].range(COUNTS, 2, Joint.outputs)
        assert (table["low"] >= low).all()
        assert (table["high"] <= high).all()
        better = 1 if key == "kept" else -1
        worth = table["value"].to_dict()
        assert better * worth["Joint", 3.0] > better * worth["Joint", 0.1]
    values, probabilities = law_of(Joint(2, 0.6), COUNTS, "kept")
    score = simulated_scores(COUNTS, Joint(2, 0.6), 400, 1)["kept"]
    assert score.low <= values @ probabilities <= score.high


def said_on(visit):
    """All texts of a page, in whatever elements."""
    elements = [element.proto for element in visit.main]
    return " ".join(map(str, elements))


@pytest.mark.parametrize("key", TOYS)
def test_pages_measure_by_them(key, opened):
    common = {"metric": key, "k": 5, "runs": 50, "mechanisms": "Joint,CDPPeel,StableSet"}
    title = METRICS[key].title
    for shape in ("dots", "cumulative", "histogram"):
        visit = opened("errors", **common, shape=shape, epsilon="0.05").whole()
        assert title in said_on(visit).lower()
        _names, printed = visit.told()
        assert printed
    visit = opened("compare", **common, epsilon="0.05").whole()
    assert f"{METRICS[key].superlative} {title}" in said_on(visit)
    opened("sweep", **common, runs_a_point=50, against="epsilon").whole()
    opened("release", k=5).whole()
    opened("winners", **common | {"measure": key}).whole()
    score, error = {"goal": "score", "least_score": "0.9"}, {"goal": "error", "most": 2}
    visit = opened("choose", **common, **score if key == "kept" else error).whole()
    said = "at least 0.9" if key == "kept" else "at most 2 places"
    assert f"{METRICS[key].article} {title} of {said}" in said_on(visit)
    opened("budget", **common).whole()


@pytest.mark.parametrize("key", TOYS)
def test_the_command_line_measures_by_them(key, capsys):
    def printed(*arguments):
        assert main([*arguments, "--format", "csv"]) in (0, None)
        return capsys.readouterr().out

    some = ("-k", "3", "--mechanisms", "Joint,CDPPeel")
    assert METRICS[key].title in printed("compare", *some, "--runs", "50", "--metric", key)
    printed("sweep", *some, "--against", "epsilon", "--runs-a-point", "5", "--metric", key)
    goal = ("score", "--least-score", "0.9") if key == "kept" else ("error", "--most", "1")
    printed("epsilon", *some, "--goal", *goal, "--metric", key)
