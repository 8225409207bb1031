"""Test turnover and costs of a series of releases, and the chance that all are right."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    CDPPeel,
    EMPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    Laplace,
    LimitedDomain,
    PNFJoint,
    PNFPeel,
    StableSet,
    load_dataset,
    probability_exact_set,
    smallest_epsilon,
)
from dptopk.core.estimate import Estimate
from dptopk.core.numerals import as_typed
from dptopk.core.outputs import NOTHING
from dptopk.core.privacy import ApproximateCost, guess
from dptopk.data.ingest import ItemsOfUsers
from dptopk.laws.distribution import output_distribution
from dptopk.mechanisms.approximate import MOST_RELEASES
from dptopk.tuning import costs_of_series, expected_turnover, turnover_of_series, units_of_privacy
from dptopk.tuning.repeated import (
    chance_of_all,
    epsilon_each,
    joint_cost,
    needed_together,
    premise,
    probability_of_each,
    with_share_of_delta,
    within_budget,
)
from dptopk.tuning.search import SmallestEpsilon
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


# --- the cost of several releases, and the chance that all are right ---------------------


def built(cls, epsilon=0.3):
    own = {parameter.key: parameter.default for parameter in cls.card.parameters}
    return cls(k=3, epsilon=epsilon, **own)


def test_no_rounding_takes_all_together_above_the_budget():
    for mechanism, releases, total, delta in (
        (InverseSensitivitySet(1, 1.0), 3, 0.0145878, 0.5),
        (EMPeel(5, 1.0), 2, 10.0, 0.01),
        (Joint(10, 1.0), 20, 1.0, 1e-6),
    ):
        each = mechanism.replaced(epsilon=epsilon_each(mechanism, releases, total, delta))
        assert total * (1 - 1e-5) < joint_cost(each, releases, delta).epsilon <= total


def test_a_budget_for_a_year_of_weeks_is_more_than_its_52nd_part():
    assert epsilon_each(Joint(10, 1.0), 52, 0.5, 1e-6) == pytest.approx(0.0344, abs=5e-5)
    assert pytest.approx(0.0096, abs=5e-5) == 0.5 / 52
    assert epsilon_each(Joint(10, 1.0), 52, 0.5, 0.0) == pytest.approx(0.5 / 52)
    assert epsilon_each(Joint(10, 1.0), 1, 0.5, 1e-6) == 0.5
    for releases in (2, 3, 7, 12, 52, 365):  # ε / n times n is more than ε, or not, in the last bit
        for total in (0.1, 0.3, 0.7, 1.7, 3.0):
            for kind in (Joint, PNFPeel):
                each = epsilon_each(kind(3, 1.0), releases, total, 0.0)
                assert each == pytest.approx(total / releases, rel=1e-6)


def test_the_cheapest_alone_is_not_the_cheapest_in_a_series():
    games = load_dataset("games")
    joint, flip = (
        type(m)(10, smallest_epsilon(games, m, "exact_set").epsilon)
        for m in (Joint(10, 1.0), PNFJoint(10, 1.0))
    )
    assert flip.epsilon < joint.epsilon
    assert joint_cost(joint, 52, 1e-6).epsilon == pytest.approx(2.75, abs=5e-3)
    assert joint_cost(flip, 52, 1e-6).epsilon == pytest.approx(5.67, abs=5e-3)
    assert joint_cost(flip, 52, 0.0).epsilon == pytest.approx(52 * flip.epsilon)
    assert joint_cost(joint, 1, 1e-6).epsilon == joint.epsilon  # alone as it is promised


def test_a_total_says_whose_delta_it_has_and_what_it_rests_on():
    assert premise(52, 1e-6).startswith("δ = 1e-6 is of all 52 releases together. The total holds")
    assert "fixed before the first" in premise(52, 0.0)
    assert "δ =" not in premise(52, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-6, 0.3])
@pytest.mark.parametrize("releases", [2, 52, 10_000])
def test_what_each_may_have_uses_a_budget_up_and_never_more(releases, delta):
    for cls in MECHANISMS.values():
        each = epsilon_each(built(cls), releases, 0.8, delta)
        at = [
            joint_cost(with_share_of_delta(built(cls, e), releases, delta), releases, delta).epsilon
            for e in (each, each * (1 + 1e-5))
        ]
        assert at[0] <= 0.8 * (1 + 1e-7), cls
        assert at[1] > 0.8 * (1 - 1e-7), cls


def test_a_delta_that_adds_up_is_shared_and_others_stay():
    for cls in MECHANISMS.values():
        mechanism = built(cls)
        one = with_share_of_delta(mechanism, 52, 1e-6)
        if isinstance(mechanism.cost, ApproximateCost):
            assert one == mechanism.replaced(delta=1e-6 / 104)
            assert joint_cost(mechanism, 52, 1e-6).epsilon == math.inf
        else:
            assert one is mechanism
        assert with_share_of_delta(mechanism, 1, 1e-6) is mechanism
        assert 0 < joint_cost(one, 52, 1e-6).epsilon <= 52 * 0.3 * (1 + 1e-9)


@pytest.mark.parametrize("delta", [1e-6, 1e-5, 3e-7, 1e-9, 1.2345671e-7, 0.3])
def test_shares_of_a_delta_are_together_no_more_than_its_half(delta):
    """Of decimals as they are written, in which a ledger adds them up."""
    for releases in (*range(2, 60), 100, 365, MOST_RELEASES):
        share = with_share_of_delta(StableSet(2, 0.1, 0.1), releases, delta).delta
        assert 0 <= as_typed(delta) / 2 - releases * as_typed(share) <= as_typed(delta) * 1e-15


@pytest.mark.parametrize("p", [0.0694, 0.5, 0.95, 0.999])
def test_chances_of_independent_releases_multiply(p):
    found = chance_of_all(Estimate.of_logs(math.log(p), math.log1p(-p)), 52)
    assert found.probability == pytest.approx(p**52, rel=1e-12)
    assert math.exp(found.log_complement) == pytest.approx(1 - p**52, rel=1e-12)
    assert probability_of_each(found.probability, 52) == pytest.approx(p, rel=1e-12)


def test_a_chance_next_to_1_or_0_keeps_its_digits():
    near = chance_of_all(Estimate.of_logs(-0.0, math.log(1e-30)), 52)
    assert math.exp(near.log_complement) == pytest.approx(52e-30)
    nearer = chance_of_all(Estimate.of_logs(-0.0, -800.0), 52)
    assert nearer.log_complement == pytest.approx(-800 + math.log(52))
    assert chance_of_all(Estimate.of_logs(0.0, -math.inf), 52) == Estimate.of_logs(0.0, -math.inf)
    assert chance_of_all(Estimate.of_logs(-800.0, -0.0), 52).log == pytest.approx(-41_600)
    assert math.isnan(chance_of_all(Estimate.of_logs(-1e-9, math.nan), 52).log_complement)


def test_what_is_needed_together_follows_from_what_each_needs():
    games = load_dataset("games")
    joint, peel = Joint(10, 1.0), PNFPeel(14, 1.0)
    exact = smallest_epsilon(games, joint, "exact_set")
    cost = needed_together(exact, joint, 52, 1e-6)
    assert cost.value == cost.low == cost.high
    assert cost.value == joint_cost(Joint(10, exact.epsilon), 52, 1e-6).epsilon
    assert cost.added == 52 * exact.epsilon
    assert cost.chance.value == cost.chance.low == pytest.approx(0.95**52, rel=1e-4)
    runs = smallest_epsilon(games, peel, "exact_set")
    of_runs = needed_together(runs, peel, 52, 1e-6)
    for end in ("low", "high"):
        at = PNFPeel(14, getattr(runs, end))
        assert getattr(of_runs, end) == joint_cost(at, 52, 1e-6).epsilon
    assert of_runs.low < of_runs.value < of_runs.high
    assert of_runs.chance.low < of_runs.chance.value < of_runs.chance.high < 0.95**40
    for epsilon in (0.0, math.inf):
        none = SmallestEpsilon(epsilon, epsilon, epsilon, chance=Estimate.exactly(1.0))
        assert needed_together(none, joint, 52, 1e-6).value == epsilon


def test_a_share_of_a_budget_is_as_often_right_as_a_release_at_that_epsilon():
    games = load_dataset("games")
    one = within_budget(games, Joint(10, 1.0), "exact_set", 52, 3.0, 1e-6)
    assert one.epsilon == epsilon_each(Joint(10, 1.0), 52, 3.0, 1e-6)
    assert one.chance.value == probability_exact_set(games, Joint(10, one.epsilon))
    assert one.chance.exact
    least = smallest_epsilon(games, Joint(10, 1.0), "exact_set")
    total = joint_cost(Joint(10, least.epsilon), 52, 1e-6).epsilon
    back = within_budget(games, Joint(10, 1.0), "exact_set", 52, total, 1e-6)
    assert back.epsilon == pytest.approx(least.epsilon, rel=1e-4)  # the other way round
    assert back.chance.value == pytest.approx(0.95, abs=1e-3)
    runs = within_budget(games, PNFPeel(14, 1.0), "exact_set", 52, 100.0, 1e-6)
    assert runs.chance.runs > 1_000
    assert runs.chance.low < runs.chance.value < runs.chance.high
    assert runs.chance.value == pytest.approx(0.95, abs=0.01)


def test_each_release_of_a_budget_has_its_share_of_delta_too():
    games, delta = load_dataset("games"), 1e-6
    found = within_budget(games, StableSet(1, 1.0, delta), "exact_set", 12, 0.03, delta)
    alone = StableSet(1, found.epsilon, delta)
    each = with_share_of_delta(alone, 12, delta)
    assert each.delta == pytest.approx(delta / 24)
    right = probability_exact_set(games, each)
    assert found.chance.value == right < probability_exact_set(games, alone)


def test_a_budget_may_be_too_small_for_any_epsilon():
    games = load_dataset("games")
    assert epsilon_each(Joint(10, 1.0), 10_000, 1e-6, 0.0) == 0.0
    assert within_budget(games, Joint(10, 1.0), "exact_set", 10_000, 1e-6, 0.0) is None


@pytest.mark.parametrize("wrong", [0, MOST_RELEASES + 1, 1.5])
def test_numbers_of_releases_are_checked(wrong):
    for call in (
        lambda: joint_cost(Joint(3, 1.0), wrong, 0.0),
        lambda: epsilon_each(Joint(3, 1.0), wrong, 1.0, 0.0),
        lambda: with_share_of_delta(Joint(3, 1.0), wrong, 0.0),
        lambda: probability_of_each(0.5, wrong),
    ):
        with pytest.raises((ValueError, TypeError), match="releases must be"):
            call()
