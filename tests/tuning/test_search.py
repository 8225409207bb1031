"""Test the smallest epsilon of a target: by exact laws, by runs, by what one target implies."""

import itertools
import math

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    AdaptiveK,
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    Laplace,
    LimitedDomain,
    LimitedDomainLaplace,
    NoClosedFormError,
    OneShotCounts,
    PNFPeel,
    StableSet,
    load_dataset,
    probability_exact_set,
    smallest_epsilon,
)
from dptopk.core.errors import METRICS, all_errors, is_exact_sequence, is_exact_set
from dptopk.core.outputs import OutputKind
from dptopk.mechanisms import joint_set
from dptopk.mechanisms.kernels.sets import SetsByLoss
from dptopk.simulation.summaries import wilson_interval
from dptopk.tuning import search
from dptopk.tuning.implications import Events
from dptopk.tuning.search import LARGEST, SMALLEST, runs_to_judge
from dptopk.tuning.stochastic_root import STREAMS, Shares
from dptopk.tuning.targets import (
    Goal,
    chance_of_target,
    checked_target,
    filter_by_goal,
    successes,
    target_curve,
)

GAMES = load_dataset("games")
SMALL = ItemCounts([40, 33, 21, 20, 8, 3])


def made(cls, k=10):
    return cls(k=k, epsilon=1.0, **({"delta": 1e-6} if cls.card.takes("delta") else {}))


@pytest.mark.slow
@pytest.mark.parametrize("cls", MECHANISMS.values(), ids=lambda cls: cls.card.key)
@pytest.mark.parametrize("target", ["exact_set", "exact_sequence"])
def test_there_the_target_is_reached_and_below_it_is_not(cls, target):
    """On real data: by the exact law there and just below, or by runs there and at 10 % less."""
    mechanism = made(cls)
    if target == "exact_sequence" and not mechanism.outputs.ordered:
        with pytest.raises(NoClosedFormError, match=r"releases sets"):
            smallest_epsilon(GAMES, mechanism, target)
        return
    found = smallest_epsilon(GAMES, mechanism, target, seed=3)
    assert found.low <= found.epsilon <= found.high

    def chance(epsilon):
        return chance_of_target(GAMES, mechanism.replaced(epsilon=epsilon), target).probability

    if found.epsilon == math.inf:
        at_most = mechanism.replaced(epsilon=LARGEST)
        assert successes(GAMES, at_most, target, 2_000, seed=4) < 0.95 * 2_000
        assert found.reached < 0.95
    elif found.exact:
        assert found.low == found.high == found.epsilon
        assert found.reached == pytest.approx(0.95, abs=1e-5)
        assert chance(found.epsilon * (1 - 1e-5)) < 0.95 <= chance(found.epsilon) * (1 + 1e-12)
    else:
        above, below = (
            successes(GAMES, mechanism.replaced(epsilon=epsilon), target, 20_000, seed=5)
            for epsilon in (found.high * 1.03, 0.9 * found.low)
        )
        assert wilson_interval(above, 20_000)[1] >= 0.95 > wilson_interval(below, 20_000)[1]


@pytest.mark.parametrize("probability", [0.3, 0.95, 0.999999])
@pytest.mark.parametrize("cls", [Joint, CDPPeel, InverseSensitivitySet, StableSet])
def test_exact_answers_solve_the_law(cls, probability):
    found = smallest_epsilon(SMALL, made(cls, 2), "exact_set", probability)
    at = made(cls, 2).replaced(epsilon=found.epsilon)
    assert found.exact
    assert probability_exact_set(SMALL, at) == pytest.approx(probability, rel=1e-5)
    assert probability_exact_set(SMALL, at) >= probability * (1 - 1e-12)
    less = at.replaced(epsilon=found.epsilon * (1 - 1e-5))
    assert probability_exact_set(SMALL, less) < probability


@pytest.mark.parametrize("target", ["exact_set", "exact_sequence"])
@pytest.mark.parametrize("cls", [CDPPeel, PNFPeel, Laplace, LimitedDomain, OneShotCounts])
def test_a_chance_whose_complement_is_unknown_is_not_taken_for_certain(cls, target):
    """With ties some laws have no logarithm of the complement next to 1: 1 - p has digits left."""
    counts = ItemCounts([90, 50, 10, 10, 10, 3])
    mechanism = made(cls, 3)
    if target == "exact_sequence" and not mechanism.outputs.ordered:
        return
    found = smallest_epsilon(counts, mechanism, target, 1 - 1e-9)
    at = mechanism.replaced(epsilon=found.epsilon)
    every = mechanism.outputs.every(counts.d, 3)
    is_right = is_exact_set if target == "exact_set" else is_exact_sequence
    wrong = np.exp(at.log_pmf(counts, every))[~is_right(counts, every, at)].sum()
    assert found.exact
    assert wrong == pytest.approx(1e-9, rel=1e-4)
    assert found.reached >= 1 - 1e-9 - 1e-15


def test_what_no_law_tells_next_to_certain_is_not_called_exact():
    """Beyond the digits of 1 - p: at least what a chance takes that has them, and no upper end."""
    counts = ItemCounts([3, 0, 0])
    has_digits = smallest_epsilon(counts, Laplace(2, 1.0), "exact_set", 1 - 1e-11)
    found = smallest_epsilon(counts, Laplace(2, 1.0), "exact_set", 1 - 1e-14)
    assert has_digits.exact
    assert not found.exact
    assert has_digits.epsilon < found.low <= found.epsilon
    assert found.high == math.inf


def test_an_error_of_at_most_so_many_users():
    exact = smallest_epsilon(GAMES, Joint(10, 1.0), ("k_relative", 30))
    assert exact.exact
    assert smallest_epsilon(GAMES, Joint(10, 1.0), ("k_relative", 100)).epsilon < exact.epsilon
    by_runs = smallest_epsilon(GAMES, Joint(10, 1.0), ("linf", 30), seed=1)
    assert not by_runs.exact
    assert by_runs.low < by_runs.epsilon < by_runs.high < 1.5 * by_runs.low


@pytest.mark.parametrize(
    ("cls", "target", "same"),
    [
        (Joint, ("linf", 10), ("signed_max", 10)),
        (Joint, ("linf", 0), "exact_sequence"),
        (Joint, ("items_right", 10), "exact_set"),
        (Joint, ("kendall", 0), "exact_sequence"),
        (InverseSensitivitySet, ("jaccard", 0.9), "exact_set"),
        (CDPPeel, ("linf", 0), "exact_sequence"),
        (CDPPeel, ("k_relative", 91), "exact_set"),  # the gap after the top is 92
        (LimitedDomain, ("k_relative", 10), "exact_set"),
        (JointSet, ("linf", 91), "exact_set"),
    ],
)
def test_what_is_the_same_event_on_these_data_has_the_same_exact_answer(cls, target, same):
    found, known = (smallest_epsilon(GAMES, made(cls), one) for one in (target, same))
    assert found.exact
    assert found.epsilon == pytest.approx(known.epsilon, rel=1e-6)
    assert target_curve(GAMES, made(cls), target, 0.5, 1.0).runs == 0


def test_an_easier_goal_costs_no_more_than_a_harder_one():
    """Simulated ones by the same runs; and what is exact cuts them, and says so."""
    for cls in (InverseSensitivitySet, CDPPeel):
        goals = [("items_right", least) for least in (10, 9, 8)]
        found = [smallest_epsilon(GAMES, made(cls), goal, seed=2) for goal in goals]
        costs = [one.epsilon for one in found]
        assert costs == sorted(costs, reverse=True)
        assert [one.exact for one in found] == [True, False, False]
    cut = smallest_epsilon(GAMES, made(InverseSensitivitySet), ("items_right", 9))
    exact = smallest_epsilon(GAMES, made(InverseSensitivitySet), ("k_relative", 105))
    assert cut.cut
    assert cut.high == exact.epsilon  # two smaller counts are that close: one can be wrong
    assert cut.low <= cut.epsilon <= cut.high


def test_an_estimate_lies_within_a_narrow_interval():
    found = smallest_epsilon(GAMES, PNFPeel(14, 1.0), "exact_set")
    assert found.high < 1.08 * found.low
    share = math.log(found.epsilon / found.low) / math.log(found.high / found.low)
    assert 0.1 < share < 0.9
    assert found.runs == runs_to_judge(14)
    assert found.reached == pytest.approx(0.95, abs=0.001)


def test_what_cannot_fail_takes_any_epsilon():
    zeros = ItemCounts([0, 0, 0])
    for counts, target in ((GAMES, ("l1", 10 * 4841)), (zeros, ("signed_max", 0))):
        found = smallest_epsilon(counts, made(Joint, 2), target)
        assert (found.epsilon, found.exact, found.reached) == (0, True, 1)


def test_any_epsilon_and_none():
    whole = smallest_epsilon(ItemCounts([5, 3, 1]), Joint(3, 1.0), "exact_set")
    assert (whole.epsilon, whole.exact) == (0, True)
    tied = smallest_epsilon(ItemCounts([5, 5, 5]), StableSet(2, 1.0, 1e-6), "exact_set")
    assert tied.epsilon == math.inf
    assert tied.reached == pytest.approx(1e-6)
    assert smallest_epsilon(SMALL, AdaptiveK(3, 1.0, 1e-6), ("l1", 0)).epsilon == math.inf


def test_the_mechanisms_own_epsilon_is_ignored_and_a_seed_repeats():
    for target in ("exact_set", ("linf", 20)):
        found = [
            smallest_epsilon(GAMES, PNFPeel(5, epsilon), target, seed=8) for epsilon in (0.1, 7.0)
        ]
        assert found[0] == found[1]


def test_runs_of_another_stream_or_seed_are_other_runs_and_those_of_the_same_are_the_same():
    def counted(**random) -> int:
        return successes(SMALL, Joint(3, 0.3), "exact_set", 2_000, **random)

    each = [counted(seed=seed, stream=stream) for seed in range(3) for stream in range(3)]
    assert len(set(each)) >= 7
    assert each == [counted(seed=seed, stream=stream) for seed in range(3) for stream in range(3)]


def test_runs_count_the_event_that_is_asked_for():
    """A set is right more often than its order, and each as often as its exact chance says."""
    mechanism = Joint(3, 0.3)
    for target in ("exact_set", "exact_sequence", ("linf", 5)):
        n = successes(SMALL, mechanism, target, 2_000, seed=1)
        low, high = wilson_interval(n, 2_000)
        chance = chance_of_target(SMALL, mechanism, target).probability
        assert low - 0.03 < chance < high + 0.03
        assert 0.05 < chance < 0.95


def test_progress_is_told():
    told = []
    smallest_epsilon(GAMES, PNFPeel(5, 1.0), "exact_set", progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1


@pytest.mark.parametrize(("cls", "k"), [(JointSet, 10), (CDPPeel, 50)])
def test_laws_are_written_out_at_few_epsilons(cls, k):
    """A law near the answer takes up to a tenth of a second, and more below it."""
    told = []
    counts = load_dataset("goodbooks10k")
    found = smallest_epsilon(counts, made(cls, k), "exact_set", progress=told.append)
    assert found.exact
    assert found.epsilon < 0.01
    assert len(told) <= 20  # 30 and more in even steps


def test_curves_are_exact_where_they_can_be():
    exact = target_curve(GAMES, Joint(10, 1.0), "exact_set", 0.01, 3)
    assert exact.runs == 0
    assert np.all(np.diff(exact.epsilons) > 0)
    assert np.all(np.diff(exact.probabilities) >= -1e-9)
    at = chance_of_target(GAMES, Joint(10, float(exact.epsilons[5])), "exact_set")
    assert at.probability == exact.probabilities[5]
    for left, right in itertools.pairwise(range(len(exact.epsilons))):
        for share in (0.25, 0.5, 0.75):  # chords are straight over the logarithm
            epsilon = exact.epsilons[left] ** (1 - share) * exact.epsilons[right] ** share
            chord = exact.probabilities[left] * (1 - share) + exact.probabilities[right] * share
            there = chance_of_target(GAMES, Joint(10, float(epsilon)), "exact_set")
            assert abs(there.probability - chord) < 0.005
    assert target_curve(GAMES, PNFPeel(14, 1.0), "exact_set", 0.01, 3).runs == 500


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("best", "target must be"),
        (("best", 3), "target must be one of"),
        (("exact_set", 0.3), 'target must be "exact_set" alone, without a number'),
        (("items_right", 11), r"items_right must be in \[1, 10\], got 11"),
        (("linf", -1), "largest linf"),
        (3, "target must be"),
    ],
)
def test_what_is_no_target_is_refused(target, message):
    with pytest.raises((TypeError, ValueError), match=message):
        checked_target(target, Joint(10, 1.0))


@pytest.mark.parametrize("probability", [0, 1, -0.1, 2])
def test_what_is_no_probability_is_refused(probability):
    with pytest.raises(ValueError, match=r"probability must be in \(0, 1\), got"):
        smallest_epsilon(SMALL, Joint(2, 1.0), "exact_set", probability)


def test_joint_set_answers_at_the_largest_k_of_the_app():
    """Its law at k = 200, which took minutes, is quick; and steps on either side tell it holds."""
    found = smallest_epsilon(GAMES, JointSet(200, 1.0), "exact_set")
    assert found.exact
    for factor, reached in ((1 - 1e-6, False), (1 + 1e-6, True)):
        at = JointSet(200, found.epsilon * factor)
        assert (probability_exact_set(GAMES, at) >= 0.95) is reached


def test_a_law_too_large_to_write_out_on_the_way_leaves_it_to_runs(monkeypatch):
    counts = ItemCounts(np.arange(1000, 0, -20))
    exact = smallest_epsilon(counts, JointSet(5, 1.0), "exact_set")
    most = 25 * SetsByLoss(counts.sorted, 5).most_levels(0.35)  # of ε = 0.7
    assert exact.exact
    assert exact.epsilon < 0.6
    just_below = 25 * SetsByLoss(counts.sorted, 5).most_levels(0.49 * exact.epsilon)
    monkeypatch.setattr(joint_set, "_LONG", just_below)
    found = smallest_epsilon(counts, JointSet(5, 1.0), "exact_set")
    assert found.exact  # no step was too long
    assert found.epsilon == pytest.approx(exact.epsilon, rel=1e-6)
    monkeypatch.setattr(joint_set, "_LONG", most)
    with pytest.raises(NoClosedFormError, match="too many to write out"):
        probability_exact_set(counts, JointSet(5, 0.1))
    found = smallest_epsilon(counts, JointSet(5, 1.0), "exact_set")
    assert not found.exact
    assert found.low <= exact.epsilon <= found.high
    assert target_curve(counts, JointSet(5, 1.0), "exact_set", 0.1, 1.0).runs > 0


def test_only_the_order_of_many_items_is_too_long_to_ask_for():
    mechanisms = [Laplace(200, 1.0), JointSet(200, 1.0)]
    assert filter_by_goal(GAMES, mechanisms, Goal("exact_set", "", 0)) == (mechanisms, [])
    few, many = mechanisms[0], Laplace(1500, 1.0)
    fit, refused = filter_by_goal(GAMES, [few, many], Goal("exact_sequence", "", 0))
    assert fit == [few]
    assert "the right order at k = 1500 would take minutes" in refused[0]


FALLING = (
    ([100, 60, 25, 0], AdaptiveK(2, 1.0, 0.01), "exact_set", 0.3),
    ([9, 7, 7], AdaptiveK(2, 1.0, 0.3), ("linf", 3), 0.05),
    ([100, 60, 25, 0], AdaptiveK(2, 1.0, 0.01), "exact_set", 0.368),  # just below the peak
    ([100, 60, 25, 0], AdaptiveK(2, 1.0, 0.01), "exact_set", 0.369),
    ([10, 10, 8, 1], LimitedDomain(2, 1.0, 0.1, k_bar=2), "exact_set", 0.3),
)


@pytest.mark.slow
@pytest.mark.parametrize(("vector", "mechanism", "target", "probability"), FALLING)
def test_where_chances_fall_again_the_smallest_epsilon_is_found(
    vector, mechanism, target, probability
):
    """Against a fine grid of all epsilons."""
    counts = ItemCounts(vector)
    found = smallest_epsilon(counts, mechanism, target, probability)

    def reached(epsilon: float) -> bool:
        at = mechanism.replaced(epsilon=epsilon)
        return chance_of_target(counts, at, target).probability >= probability

    grid = np.geomspace(SMALLEST, LARGEST, 1_500)
    good = [reached(epsilon) for epsilon in grid.tolist()]
    assert found.exact
    if not any(good):
        assert found.epsilon == math.inf
        assert not found.may_fall
        return
    first = good.index(True)
    last = first + (good[first:] + [False]).index(False)
    assert found.epsilon == pytest.approx(grid[first] if first else 0.0, rel=0.017)
    assert found.epsilon == 0 or reached(found.epsilon)
    assert found.may_fall == (last < len(grid))
    if found.may_fall:
        assert found.until == pytest.approx(grid[last], rel=0.017)
        assert reached(found.until)
        assert not reached(found.until * 1.001)


def test_runs_look_for_the_first_of_falling_chances_and_say_that_they_may_fall():
    mechanism = LimitedDomainLaplace(2, 1.0, 0.1, 2, k_bar=3)
    found = smallest_epsilon(ItemCounts([10, 9, 8, 7]), mechanism, ("linf", 9), 0.05)
    assert not found.exact
    assert found.epsilon <= SMALLEST * 1.01
    assert math.isnan(found.until)
    assert found.may_fall
    assert not smallest_epsilon(GAMES, Joint(10, 1.0), "exact_set").may_fall


def test_exact_bounds_that_the_interval_of_the_runs_misses_stand_alone(monkeypatch):
    asked = GAMES, Joint(10, 1.0), ("linf", 30)
    found = smallest_epsilon(*asked)
    assert found.runs
    for share in (0.5, 2.0):  # of what the runs say
        easier, harder = share * 0.9 * found.epsilon, share * found.epsilon
        monkeypatch.setattr(search, "_bounds", lambda *_, ends=(harder, easier): ends)
        missed = smallest_epsilon(*asked)
        assert (missed.low, missed.high) == (easier, harder)
        assert easier <= missed.epsilon <= harder


RUNS, ENDS = 2_000, (-3_000, 3_000)


# --- stochastic roots, on known curves ---------------------------------------------------


def shares(place, steepness, seed):
    """Runs that succeed with a probability that is logistic around a place, coupled by stream."""

    def succeeded(rung, stream):
        drawn = np.random.default_rng((seed, stream)).random(RUNS)
        return int((drawn < 1 / (1 + math.exp(-steepness * (rung - place)))).sum())

    return Shares(succeeded, RUNS, ENDS)


@pytest.mark.parametrize("steepness", [0.02, 0.1])
def test_crossings_are_found_and_their_intervals_hold(steepness):
    place, n_held = 100.5, 0
    true = place + math.log(0.95 / 0.05) / steepness
    for seed in range(40):
        found = shares(place, steepness, seed).root(0.95, -200, 700)
        assert found.low < found.at < found.high
        n_held += found.low <= true <= found.high
    assert n_held >= 34  # of 40 at 95%: fewer once in 10,000


def test_an_easier_event_crosses_no_later():
    for seed in range(20):
        places = [shares(place, 0.05, seed).root(0.9, -100, 300) for place in (20.0, 20.2, 21.0)]
        assert [found.at for found in places] == sorted(found.at for found in places)


def test_what_is_never_or_always_reached_is_beyond_the_ends():
    never, always = (Shares(lambda *_, n=n: n, RUNS, ENDS) for n in (0, RUNS))
    assert never.root(0.5, 0, 8).at == math.inf
    assert always.root(0.5, 0, 8).at == -math.inf


def test_runs_too_few_to_tell_leave_an_end_open():
    found = shares(0.0, 0.1, 1).root(0.9999, 0, 200)
    assert found.high == math.inf
    assert found.low < found.at
    assert shares(0.0, 0.1, 1).runs == STREAMS * RUNS


# --- which targets imply others, against all outputs of small cases ----------------------

VECTORS = (
    *((9, 7, 6, 2, 1), (9, 9, 4, 4, 4), (8, 5, 5, 5, 0), (6, 5, 4, 3, 2), (5, 5, 5, 5, 5)),
    *((7, 1, 0, 0, 0), (20, 11, 10, 9, 3), (3, 2, 0), (4, 1)),
)
KINDS = tuple(
    OutputKind(ordered=ordered, short=short) for ordered in (True, False) for short in (True, False)
)
AMOUNTS = (*range(13), 17)
TWO_SIDED = ("linf", "l1")
METRICS_OF_AMOUNTS = [key for key, metric in METRICS.items() if metric.in_counts]


def reached(counts, outputs, kind, target):
    measured = all_errors(counts, outputs, kind)
    if isinstance(target, str):
        return measured[target]
    key, amount = target
    return measured[key] >= amount if key == "items_right" else measured[key] <= amount


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.how}, short: {kind.short}")
def test_an_event_implies_another_where_every_output_says_so(kind):
    """All pairs of targets with a law among them; how large an l1 error can be is bounded only."""
    n_missed = n_true = 0
    for vector, k in itertools.product(VECTORS, (1, 2, 3)):
        counts = ItemCounts(vector)
        if k > counts.d and not kind.short:
            continue
        outputs = kind.every(counts.d, k)
        targets = ["exact_set", *(("items_right", m) for m in range(1, k + 1))]
        targets += ["exact_sequence"] if kind.ordered else []
        targets += [(key, most) for key in METRICS_OF_AMOUNTS for most in AMOUNTS]
        events = Events(counts.sorted, kind, k)
        of = {target: events.of(target) for target in targets}
        truth = np.array([reached(counts, outputs, kind, target) for target in targets])
        implied = ~(truth[:, None] & ~truth[None]).any(axis=2)
        for (i, one), (j, other) in itertools.product(enumerate(targets), repeat=2):
            said = of[one].implies(of[other])
            no_law = one[0] in TWO_SIDED and other[0] in TWO_SIDED
            bound = other[0] == "l1" and kind.ordered and (kind.short or one[0] == "signed_max")
            padded = k > counts.d  # items without users, which these outputs do not have
            if not (no_law or bound or padded):
                assert said == implied[i, j], (vector, k, one, other)
            assert implied[i, j] or not said, (vector, k, one, other)
            n_missed += implied[i, j] and not said
            n_true += implied[i, j]
        for i, target in enumerate(targets):
            assert events.certain.implies(of[target]) <= truth[i].all()
    assert n_missed < 0.05 * n_true


def test_a_place_is_no_amount():
    assert Events(ItemCounts([3, 2, 1]).sorted, OutputKind(), 2).of(("linf_index", 1)) is None
