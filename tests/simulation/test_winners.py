"""Test the map of winners: exact scores, simulated scores, and undecided cells."""

import math

import pytest

from dptopk import (
    MECHANISMS,
    METRICS,
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    Laplace,
    LimitedDomainLaplace,
    NeighborRelation,
    PNFPeel,
    exact_error,
    load_dataset,
    probability_exact_set,
    run_trials,
    summarize,
    winner_map,
)
from dptopk.questions.errors import known_shares, measure_errors, with_implied
from dptopk.simulation.post_stratified import known_rights
from dptopk.simulation.winners import MEASURES, cells, coarse_to_fine, exact_score, simulated_scores

COUNTS = ItemCounts([90, 70, 55, 30, 22, 9, 4, 4])
JOINT, PEEL = Joint(1, 1.0), CDPPeel(1, 1.0, 1e-6)


def test_every_score_is_that_of_the_package():
    joint = Joint(3, 0.3)
    assert exact_score(COUNTS, joint, "linf") is None
    known = exact_score(COUNTS, joint, "k_relative")
    assert known.value == exact_error(COUNTS, joint, "k_relative").quantile(0.5)
    assert (known.low, known.high, known.exact) == (known.value, known.value, True)
    close, rough = ItemCounts(range(300)), Joint(3, 0.02)  # counts by which quantiles differ
    law = exact_error(close, rough, "k_relative")
    assert law.quantile(0.45) < exact_score(close, rough, "k_relative").value < law.quantile(0.55)
    assert exact_score(close, rough, "k_relative").value == law.quantile(0.5)
    assert exact_score(COUNTS, joint, "exact_set").value == probability_exact_set(COUNTS, joint)
    scores = simulated_scores(COUNTS, joint, 60, 3)
    trials = run_trials(COUNTS, [joint], 60, 3)
    for measure in MEASURES:
        if measure in METRICS and METRICS[measure].is_score:
            continue  # a mean that no summary tells: see the test of toy measures
        own = measure in ("items_right", "exact_set")
        metric = "linf" if own else measure
        right = known_rights(COUNTS, [joint], metric, trials)
        row = with_implied(summarize(trials, metric, right), {"Joint": shares(joint, measure)})
        column = measure if own else "median"
        expected = row[[column, f"{column}_low", f"{column}_high"]].iloc[0].tolist()
        found = scores[measure]
        assert [found.value, found.low, found.high] == pytest.approx(expected)
        assert found.exact == (not own and not math.isnan(row["median_exact"].iloc[0]))
    assert scores["linf"].exact  # most are right: no run may have another median


def test_the_map_has_the_medians_that_the_errors_page_shows():
    """Also where a right release has a known probability and no run is right."""
    games = load_dataset("games")
    peel, joint = (MECHANISMS[name](k=40, epsilon=1.0) for name in ("PNFPeel", "PNFJoint"))
    mechanisms = [peel, joint, CDPPeel(40, 1.0, 1e-6)]
    shown = measure_errors(games, mechanisms, "linf", 250, 0).summary
    found = winner_map(games, mechanisms, [40], [1.0], n=250)
    assert found["value"].tolist() == shown["median"].tolist()


def shares(mechanism, measure):
    """What is known beside runs of a measure; of the right set runs themselves tell the share."""
    return {} if measure == "exact_set" else known_shares(COUNTS, mechanism)


def test_a_set_may_be_known_soon_where_its_order_is_not():
    """Of many places of Laplace noise the order takes long to write out, the set does not."""
    games, mechanism = load_dataset("games"), Laplace(300, 300.0)
    known = exact_score(games, mechanism, "exact_set")
    assert known.value == probability_exact_set(games, mechanism)
    assert known.exact
    assert set(known_shares(games, mechanism)) == {"exact_set"}
    assert set(known_shares(games, Laplace(5, 1.0))) == {"exact_set", "exact_sequence"}


def test_the_map_holds_every_cell_and_mechanism_that_runs_there():
    table = winner_map(COUNTS, [JOINT, PEEL], [2, 8, 9], [0.1, 2], "signed_max", n=20)
    assert len(table) == 2 * 2 * 2  # no 9 of 8 items
    found = table[["k", "epsilon"]].drop_duplicates()
    assert found.to_numpy().tolist() == [[2, 0.1], [2, 2], [8, 0.1], [8, 2]]
    assert table["mechanism"].tolist() == ["Joint", "CDP-Peel"] * 4
    assert table["exact"][::2].all()
    simulated = table[~table["exact"]]
    assert set(simulated["mechanism"]) == {"CDP-Peel"}
    again = winner_map(COUNTS, [JOINT, PEEL], [2], [2], "signed_max", n=20)
    assert again["value"].tolist() == table["value"].tolist()[2:4]


def test_the_comparison_of_the_paper_comes_out_of_the_map():
    """Gillenwater et al. 2022 on Games, delta = 1e-6, 50 trials, their calibration.

    At epsilon = 1 Joint leads for moderate k and CDP-Peel for large k; at epsilon = 0.1 peeling
    leads first, and then Joint does; PNF-Peel never does.
    """
    mechanisms = [Joint(1, 1.0), PNFPeel(1, 1.0), CDPPeel(1, 1.0, 1e-6, calibration="paper")]
    table = winner_map(load_dataset("games"), mechanisms, [15, 25, 45, 95, 195], [0.1, 1.0], n=50)
    won = cells(table, "linf").pivot(index="epsilon", columns="k", values="winner")
    assert won.loc[1.0].tolist() == ["Joint"] * 2 + ["CDP-Peel"] * 3
    assert won.loc[0.1, [15, 95, 195]].tolist() == ["CDP-Peel", "Joint", "Joint"]
    assert "PNF-Peel" not in won.to_numpy()


def test_a_label_that_says_what_differs_is_the_same_in_every_cell():
    table = winner_map(COUNTS, [Laplace(5, 1.0, max_items=3), JOINT], [2, 5], [1.0], n=5)
    assert table["mechanism"].tolist() == ["Laplace (3 items a user)", "Joint"] * 2


def test_two_of_one_label_that_differ_in_every_cell_are_refused():
    bounded = [LimitedDomainLaplace(3, 1.0, 1e-6, max_items=m) for m in (1, 10)]
    for pair in (bounded, [JOINT, JOINT.replaced(neighbors=NeighborRelation.SWAP)]):
        with pytest.raises(
            ValueError, match=f"got two called {pair[0].label}: {type(pair[0]).__name__}"
        ):
            winner_map(COUNTS, pair, [3], [0.3], n=5)
    assert len(winner_map(COUNTS, [JOINT, Joint(2, 3.0)], [3], [0.3])) == 1  # the same in a cell


def test_a_winner_is_one_whom_nothing_else_may_beat():
    mechanisms = [JOINT, PNFPeel(1, 1.0), InverseSensitivitySet(1, 1.0)]
    table = winner_map(COUNTS, mechanisms, [4], [0.05, 0.4, 1], "exact_set", n=40)
    won = cells(table, "exact_set")
    assert won["n"].tolist() == [3, 3, 3]
    for cell in won.itertuples():
        own = table[table["epsilon"] == cell.epsilon].set_index("mechanism")
        best = tuple(own.index[own["high"] >= own["low"].max()])
        assert cell.best == best
        assert cell.winner == (best[0] if len(best) == 1 else "")
        assert cell.equal == (len(best) > 1 and (own.loc[list(best), "low"].nunique() == 1))
    assert won["winner"].tolist()[1] == "Inverse sensitivity"


def test_scores_by_one_measure_are_not_read_as_those_of_another():
    table = winner_map(COUNTS, [JOINT, InverseSensitivitySet(1, 1.0)], [3], [60], "linf", n=5)
    for part in (table, table[table["k"] == 3], table.assign(low=0.0)):
        with pytest.raises(ValueError, match="that of the table, 'linf', got 'exact_set'"):
            cells(part, "exact_set")
    assert cells(table, "linf")["n"].tolist() == [2]
    with pytest.raises(ValueError, match="measure must be one of"):
        cells(table, "loo")


def test_what_is_certain_and_the_same_is_called_equal():
    table = winner_map(COUNTS, [JOINT, InverseSensitivitySet(1, 1.0)], [3], [60], "k_relative")
    (cell,) = cells(table, "k_relative").itertuples()
    assert (cell.best, cell.winner) == (("Joint", "Inverse sensitivity"), "")
    assert cell.equal
    assert not cells(table.assign(low=[0.0, 0.0], high=[0.0, 1.0]), "k_relative")["equal"].any()


@pytest.mark.parametrize("measure", ["exact_set", "items_right"])
def test_nobody_wins_by_what_rounding_adds_to_the_same_score(measure):
    """Of one item Joint and its variant of sets have the same law, by different sums."""
    counts, mechanisms = ItemCounts([90, 81, 70, 66, 40, 33]), [Joint(1, 1.0), JointSet(1, 1.0)]
    table = winner_map(counts, mechanisms, [1], [0.01, 0.02, 0.05, 0.2, 0.5, 1, 5], measure)
    won = cells(table, measure)
    assert set(won["best"]) == {("Joint", "Joint set")}
    assert won["equal"].all()


def test_nobody_wins_by_less_than_a_millionth_next_to_certain():
    table = winner_map(COUNTS, [JOINT, InverseSensitivitySet(1, 1.0)], [3], [60], "exact_set")
    right = [1 - 3.2e-16, 1 - 9e-7]
    (cell,) = cells(table.assign(value=right, low=right, high=right), "exact_set").itertuples()
    assert (cell.winner, cell.n, cell.equal) == ("", 2, True)
    rare = [1e-9, 2e-9]
    (cell,) = cells(table.assign(value=rare, low=rare, high=rare), "exact_set").itertuples()
    assert cell.winner == "Inverse sensitivity"


def test_progress_is_told_and_stops_with_cells_from_all_over():
    told = []

    def stop(share):
        told.append(share)
        return share < 0.2

    ks, epsilons = list(range(1, 9)), [0.1, 0.2, 0.3, 0.4, 0.5]
    table = winner_map(COUNTS, [JOINT], ks, epsilons, "exact_set", progress=stop)
    assert told == sorted(told)
    assert told[-1] >= 0.2
    assert len(table) == len(told) < len(ks) * len(epsilons) / 4
    assert set(table["k"]) >= {1, 5}
    assert set(table["epsilon"]) >= {0.1, 0.5}


def test_nobody_wins_a_cell_by_being_the_first_to_be_scored():
    done = []
    table = winner_map(
        COUNTS, [JOINT, PEEL], [2, 3], [1.0], progress=lambda share: done.append(share) or False
    )
    assert (len(done), len(table)) == (1, 0)
    assert cells(table, "linf").empty


def test_cells_come_from_coarse_to_fine_and_each_once():
    order = coarse_to_fine(11, 10)
    assert len(order) == len(set(order)) == 110
    assert set(order[:9]) == {(x, y) for x in (0, 4, 8) for y in (0, 4, 8)}


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"measure": "linf_index"}, "measure must be one of"),
        ({"n": 0}, "n must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"ks": [0]}, "k must be at least 1"),
        ({"epsilons": [0]}, "epsilon must be"),
        ({"mechanisms": ["Joint"]}, "must be a mechanism"),
        ({"counts": [1, 2]}, "counts must be"),
    ],
)
def test_arguments_are_checked(changes, match):
    good = {"counts": COUNTS, "mechanisms": [JOINT], "ks": [2], "epsilons": [1.0]}
    with pytest.raises((TypeError, ValueError), match=match):
        winner_map(**good | changes)
