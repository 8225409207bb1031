"""Test the turnover of repeated lists by definition, and the cost of a series."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    CDPPeel,
    ItemCounts,
    Joint,
    Laplace,
    LimitedDomain,
    PNFPeel,
    StableSet,
)
from dptopk.core.outputs import NOTHING
from dptopk.core.privacy import guess
from dptopk.data.ingest import ItemsOfUsers
from dptopk.laws.distribution import output_distribution
from dptopk.tuning import costs_of_series, expected_turnover, turnover_of_series, units_of_privacy
from dptopk.tuning.repeated import epsilon_each, joint_cost, with_share_of_delta
from dptopk.tuning.series import true_turnover

BEFORE, AFTER = ItemCounts([9, 7, 4, 2, 0]), ItemCounts([3, 8, 8, 1, 0])


def by_definition(before, after, mechanism) -> float:
    old, new = (output_distribution(counts, mechanism) for counts in (before, after))
    return sum(
        p * q * len(set(b.tolist()) - set(a.tolist()) - {NOTHING})
        for a, p in zip(old.sequences, old.probabilities, strict=True)
        for b, q in zip(new.sequences, new.probabilities, strict=True)
    )


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda m: m.__name__)
def test_expected_turnover_is_that_of_every_pair_of_outputs(mechanism):
    delta = {"delta": 0.05} if mechanism.card.takes("delta") else {}
    one = mechanism(2, 1.0, **delta)
    for before, after in ((BEFORE, BEFORE), (BEFORE, AFTER)):
        found = expected_turnover(before, after, one)
        assert found.exact
        assert found.value == pytest.approx(by_definition(before, after, one), abs=1e-8)


@pytest.mark.parametrize("mechanism", [Laplace(2, 1.0), StableSet(2, 1.0, 0.05)], ids=["L", "S"])
def test_draws_agree_with_the_exact_turnover(mechanism, monkeypatch):
    exact = expected_turnover(BEFORE, AFTER, mechanism)
    monkeypatch.setattr("dptopk.tuning.contribution_bound.FEW_OUTPUTS", 0)
    monkeypatch.setattr("dptopk.tuning.series._chances", lambda *_: None)
    drawn = expected_turnover(BEFORE, AFTER, mechanism, n=20_000)
    assert not drawn.exact
    assert drawn.value == pytest.approx(exact.value, abs=0.03)
    same = expected_turnover(BEFORE, BEFORE, mechanism, n=500)
    assert same.value > 0.0  # two releases of the same counts are drawn apart


def test_no_two_estimates_of_a_series_share_their_draws(monkeypatch):
    """Of the same counts throughout all estimate one number, by runs of their own."""
    monkeypatch.setattr("dptopk.tuning.contribution_bound.FEW_OUTPUTS", 0)
    series = dict.fromkeys(range(4), ItemCounts([4, 4, 3, 3, 2, 2, 1]))
    found = turnover_of_series(series, PNFPeel(3, 1.0))
    assert not found["is_exact"].any()
    estimates = {
        tuple(row)
        for name in ("released", "noise")
        for row in found[[name, f"{name}_low", f"{name}_high"]].to_numpy().tolist()
    }
    assert len(estimates) == 6


def test_true_turnover_is_up_to_ties():
    assert true_turnover(BEFORE, AFTER, 2) == 1
    assert true_turnover(BEFORE, BEFORE, 2) == 0
    assert true_turnover(ItemCounts([5, 3, 3]), ItemCounts([5, 0, 3]), 2) == 0
    assert true_turnover(ItemCounts([5, 3, 4]), ItemCounts([5, 4, 4]), 2) == 0


def test_true_turnover_is_the_least_of_any_two_lists_of_the_largest_counts(rng):
    def lists(counts, k):
        most = sorted(counts, reverse=True)[:k]
        some = combinations(range(len(counts)), len(most))
        return [set(one) for one in some if sum(counts[i] for i in one) == sum(most)]

    for _ in range(300):
        before, after = rng.integers(0, 4, (2, rng.integers(1, 8))).tolist()
        k = int(rng.integers(1, 8))
        pairs = product(lists(before, k), lists(after, k))
        least = min(len(new - old) for old, new in pairs)
        assert true_turnover(ItemCounts(before), ItemCounts(after), k) == least


def test_a_series_has_a_row_for_each_period_but_the_first():
    series = {"2026-01-05": BEFORE, "2026-01-12": AFTER, "2026-01-19": AFTER}
    shares: list[float] = []
    found = turnover_of_series(series, Joint(2, 1.0), progress=shares.append)
    assert found["period"].tolist() == ["2026-01-12", "2026-01-19"]
    assert found["true"].tolist() == [1, 0]
    assert found["is_exact"].all()
    assert found["released"][1] == pytest.approx(found["noise"][1])
    assert shares == [0.5, 1.0]
    others = {
        period: ItemCounts(one.counts[::-1], one.items[::-1]) for period, one in series.items()
    }
    with pytest.raises(ValueError, match="after must count the items of before, in their order"):
        turnover_of_series(
            series, Joint(2, 1.0), truth=series | {"2026-01-12": others["2026-01-12"]}
        )
    with pytest.raises(ValueError, match="at least two periods, got 1"):
        turnover_of_series({"2026-01-05": BEFORE}, Joint(2, 1.0))


def test_a_user_of_one_period_pays_one_release_and_one_of_all_pays_all():
    of_users = ItemsOfUsers((1, 4, 30), (60, 30, 10))
    found = costs_of_series(Joint(2, 0.1), 52, 1e-6, of_users).set_index("periods")
    assert found.index.tolist() == [1, 30, 52]
    costs = found.loc[1, ["epsilon_total", "delta_total", "guess"]]
    assert costs.tolist() == [0.1, 0.0, guess(0.1, 0.0)]
    assert found.loc[52, "epsilon_basic"] == pytest.approx(5.2)
    assert found["epsilon_total"].le(found["epsilon_basic"]).all()
    assert found["epsilon_total"].is_monotonic_increasing
    assert found.loc[52, "delta_total"] == 1e-6


def test_without_delta_costs_add_up():
    found = costs_of_series(Joint(2, 0.1), 12)
    assert found["epsilon_total"].tolist() == pytest.approx(found["epsilon_basic"].tolist())
    assert (found["delta_total"] == 0).all()


def test_a_release_with_a_delta_pays_it_every_time():
    found = costs_of_series(Laplace(2, 0.1), 10).iloc[-1]
    assert found["delta_basic"] == 0
    none = costs_of_series(StableSet(2, 0.1, 0.9), 10).iloc[-1]  # no total holds such a δ
    assert (none["epsilon_total"], none["delta_total"]) == (1.0, 1.0)
    stable = costs_of_series(StableSet(2, 0.1, 1e-8), 10).iloc[-1]
    assert stable["delta_total"] == pytest.approx(1e-7)


@pytest.mark.parametrize("mechanism", [LimitedDomain(3, 0.1, 1e-6), CDPPeel(3, 0.1, 1e-6)])
def test_a_series_costs_what_so_many_releases_cost_elsewhere(mechanism):
    """The same number, at the same δ of all, as a plan of 52 releases."""
    found = costs_of_series(mechanism, 52, 1e-6).iloc[-1]
    wanted = joint_cost(with_share_of_delta(mechanism, 52, 1e-6), 52, 1e-6)
    assert (found["epsilon_total"], found["delta_total"]) == (wanted.epsilon, wanted.delta)
    each = epsilon_each(mechanism, 52, 5.0, 1e-6)
    within = costs_of_series(mechanism.replaced(epsilon=each), 52, 1e-6)
    assert within["epsilon_total"].iloc[-1] == pytest.approx(5.0, rel=1e-6)


def test_a_total_that_is_hardly_less_has_no_larger_delta():
    found = costs_of_series(StableSet(5, 0.1, 1e-6), 3, 1e-6).iloc[-1]
    assert found["epsilon_total"] == found["epsilon_basic"]
    assert found["delta_total"] == found["delta_basic"] < 1e-6


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (1e-9, 0.999)])  # a total of ε = 0
def test_units_promise_the_user_no_more_than_they_protect(epsilon, delta):
    mechanism = CDPPeel(2, epsilon, delta)
    costs = costs_of_series(mechanism, 52, delta)
    series, delta = costs.iloc[-1][["epsilon_total", "delta_total"]]
    assert (series == 0) == (epsilon == 1e-9)
    found = units_of_privacy(mechanism, ItemsOfUsers((1, 6), (90, 10)), costs).set_index("unit")
    assert found.loc["event", "user_epsilon"] == pytest.approx(6 * series)
    wanted = min(1.0, delta * sum(math.exp(series * i) for i in range(6)))  # group privacy
    assert found.loc["event", "user_guess"] == pytest.approx(guess(6 * series, wanted))
    assert found.loc["user in a period", "unit_epsilon"] == costs["epsilon_total"].iloc[0]
    assert (found.loc[["user", "user in a period"], "user_epsilon"] == series).all()
    assert np.all(found["user_guess"] >= found["guess"] - 1e-12)
