"""Test a discovery with a selection from what it finds: privacy on neighbors, law and errors."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from dptopk import (
    MECHANISMS,
    AdaptiveK,
    CDPPeel,
    DividedBudget,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    Laplace,
    NeighborRelation,
    OneShotCounts,
    PNFPeel,
    SparseGaussian,
    ThresholdedLaplace,
    counts_by_bound,
    discover_then_select,
    errors_by_share,
    items_right,
    output_distribution,
)
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.data.ingest import CountsByBound, ItemsOfUsers
from dptopk.tuning import discovery_then_selection, places_by_stage
from dptopk.tuning.discovery_then_selection import draw_selection

BOUND, ALL = 2, ("a", "b", "c", "d", "e")
USERS = {"u1": "abc", "u2": "ab", "u3": "abcd", "u4": "abd", "u5": "ac", "u6": "b", "u7": "abcd"}
SELECTIONS = [kind(2, 0.8) for kind in (Joint, PNFPeel, InverseSensitivitySet)]
SELECTIONS += [CDPPeel(2, 0.8, 0.01), AdaptiveK(2, 0.8, 0.02)]


def by_bound(users):
    """Count users and their items, of which each keeps two: the last ones by name."""
    names = [item for item in ALL if any(item in items for items in users.values())]
    pairs = [
        (user, names.index(item))
        for user, items in enumerate(users.values())
        for item in reversed(items)
    ]
    levels, numbers = np.unique([len(items) for items in users.values()], return_counts=True)
    of_users = ItemsOfUsers(tuple(levels.tolist()), tuple(numbers.tolist()))
    return CountsByBound.of_pairs(*np.array(pairs).T, of_users, names, "")


def law(counted, budget):
    """Return the probability of every list of items found with every selection from it."""
    names, users = counted.counts.items, counted.counts.counts
    amounts = counted.amounts_under(BOUND, budget.discovery.weighted)
    chances = budget.discovery.survival(amounts)
    found = {}
    for mask in itertools.product((False, True), repeat=len(names)):
        chosen = np.flatnonzero(mask)
        p = float(np.where(mask, chances, 1 - chances).prod())
        listed = tuple(sorted(names[place] for place in chosen))
        if not p:
            continue
        if not chosen.size:
            found[(), ()] = p
            continue
        selection = budget.selection.replaced(k=min(budget.selection.k, chosen.size))
        order = [names.index(name) for name in listed]
        outputs = output_distribution(ItemCounts(users[order]), selection)
        for row, share in zip(outputs.sequences, outputs.probabilities, strict=True):
            selected = tuple(listed[place] for place in row if place != NOTHING)
            if not selection.outputs.ordered:
                selected = tuple(sorted(selected))
            found[listed, selected] = found.get((listed, selected), 0) + p * float(share)
    return found


def excess(one, other, epsilon):
    """Return the hockey-stick divergence of two laws."""
    return sum(max(p - math.exp(epsilon) * other.get(it, 0.0), 0.0) for it, p in one.items())


NEIGHBORS = [
    {**USERS, "new": "".join(items)}
    for size in range(1, 6)
    for items in itertools.combinations(ALL, size)
] + [{name: items for name, items in USERS.items() if name != left} for left in USERS]


@pytest.fixture(scope="module")
def counted():
    """Counts of the log and of all its neighbors."""
    return by_bound(USERS), [by_bound(users) for users in NEIGHBORS]


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda one: one.name)
@pytest.mark.parametrize("weighted", [True, False])
def test_every_neighbor_keeps_to_epsilon_and_delta(counted, selection, weighted):
    """Of a user with any items, listed or new; and the selection does spend its share."""
    budget = DividedBudget(SparseGaussian(1.2, 0.1, BOUND, weighted), selection)
    promised = budget.guarantee
    assert promised.epsilon == pytest.approx(2.0)
    assert promised.delta == 0.1 + selection.guarantee.delta
    here, others = counted
    one = law(here, budget)
    assert sum(one.values()) == pytest.approx(1)
    worst, without = 0.0, 0.0
    for neighbor in others:
        other = law(neighbor, budget)
        for left, right in ((one, other), (other, one)):
            worst = max(worst, excess(left, right, promised.epsilon))
            without = max(without, excess(left, right, 0.0))
    assert 0.02 < worst <= promised.delta
    assert without > promised.delta


@pytest.mark.parametrize("selection", SELECTIONS[:3], ids=lambda one: one.name)
def test_with_all_items_surely_found_the_loss_is_that_of_the_selection(selection):
    """What the excess over delta hides: it nears its share of epsilon, and keeps to it."""
    users = {f"u{n}": "cd" if n % 2 and n < 800 else "ab" for n in range(802)}
    budget = DividedBudget(SparseGaussian(1.2, 1e-6, BOUND), selection.replaced(epsilon=4.0))
    one, worst = law(by_bound(users), budget), 0.0
    likely = [it for it, p in one.items() if p > 1e-9]
    assert {listed for listed, _ in likely} == {("a", "b", "c", "d")}
    for size in range(1, 5):
        for items in itertools.combinations("abcd", size):
            other = law(by_bound({**users, "new": "".join(items)}), budget)
            worst = max(worst, *(abs(math.log(one[it] / other[it])) for it in likely))
    assert 2.2 < worst <= 4.0 + 1e-6  # of twice the epsilon it would exceed 4


@pytest.mark.parametrize("selection", SELECTIONS[::2], ids=lambda one: one.name)
def test_draws_follow_the_law_of_both(counted, selection):
    """Found by the bounded log; selected by all users of an item, also those the bound left out."""
    here = counted[0]
    budget = DividedBudget(SparseGaussian(1.2, 0.1, BOUND), selection)
    rng, n = np.random.default_rng(7), 2_500
    seen = dict.fromkeys(wanted := law(here, budget), 0)
    for _ in range(n):
        drawn = draw_selection(here, budget, rng)
        items = drawn.items if selection.outputs.ordered else tuple(sorted(drawn.items))
        seen[tuple(sorted(drawn.found.items)), items] += 1
    outcomes = [it for it in wanted if n * wanted[it] >= 5]
    assert len(outcomes) > 8
    expected = np.array([n * wanted[it] for it in outcomes])
    observed = np.array([seen[it] for it in outcomes], dtype=float)
    expected = np.append(expected, n - expected.sum())
    observed = np.append(observed, n - observed.sum())
    assert chisquare(observed, expected).pvalue > 1e-6


def lost(counted, budget):
    """Return the expected lost places by definition: not found, and found but not selected."""
    names, k = counted.counts.items, budget.selection.k

    def right(items):
        row = [[names.index(item) for item in items][:k]]
        row = np.pad(np.array(row, dtype=np.int64).reshape(1, -1), ((0, 0), (0, k)))[:, :k]
        row[0, min(len(items), k) :] = NOTHING
        return int(items_right(counted.counts, row, OutputKind(short=True))[0])

    def largest_first(listed):
        return sorted(listed, key=lambda item: -counted.counts.counts[names.index(item)])

    found = sum(p * right(largest_first(listed)) for (listed, _), p in law(counted, budget).items())
    both = sum(p * right(selected) for (_, selected), p in law(counted, budget).items())
    return k - found, found - both


@pytest.mark.parametrize("selection", SELECTIONS, ids=lambda one: one.name)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_lost_places_are_those_of_the_law(counted, selection, k):
    here = counted[0]
    budget = DividedBudget(SparseGaussian(1.2, 0.1, BOUND), selection.replaced(k=k))
    found = places_by_stage(here, budget)
    not_found, not_selected = lost(here, budget)
    assert found.wrong.exact
    assert found.not_found == pytest.approx(not_found)
    assert found.not_selected == pytest.approx(not_selected, abs=1e-12)
    assert found.right + found.wrong.value == pytest.approx(k)


@pytest.mark.parametrize("k", [1, 3])
def test_simulated_losses_agree_with_the_exact_ones(counted, monkeypatch, k):
    """With draws of items and, apart from them, of selections."""
    here = counted[0]
    budget = DividedBudget(SparseGaussian(1.2, 0.1, BOUND), Joint(k, 0.8))
    exact = places_by_stage(here, budget)
    monkeypatch.setattr(discovery_then_selection, "_MOST_UNCERTAIN", 0)
    monkeypatch.setattr("dptopk.tuning.contribution_bound.FEW_OUTPUTS", 0)
    found = places_by_stage(here, budget, n=1_500, seed=3)
    assert not found.wrong.exact
    assert found.wrong.low < exact.wrong.value < found.wrong.high
    assert found.wrong.value == pytest.approx(exact.wrong.value, abs=0.07)
    assert found.not_found == exact.not_found


RNG = np.random.default_rng(11)
LOG = pd.DataFrame(
    [
        (f"u{user}", f"i{item:02}")
        for user in range(600)
        for item in set(np.minimum(RNG.geometric(0.08, RNG.integers(1, 12)), 40).tolist())
    ],
    columns=["who", "what"],
)
COLUMNS = ("who", "what")


def test_the_table_is_of_every_share_with_the_bound_that_finds_most():
    counted = counts_by_bound(LOG, *COLUMNS)
    shares, selections = (0.2, 0.9), [Joint(4, 1.0), CDPPeel(4, 1.0, 0.5)]
    found = errors_by_share(counted, selections, 1e-4, shares, n=30, seed=2)
    assert found["mechanism"].tolist() == ["Joint"] * 2 + ["CDP-Peel"] * 2
    assert found["share"].tolist() == [*shares] * 2
    assert found["is_best"].sum() == 1
    assert found.loc[found["is_best"], "wrong"].item() == found["wrong"].min()
    total = found["epsilon_discovery"] + found["epsilon_selection"]
    assert total.to_numpy() == pytest.approx(1.0)
    for row, selection in zip(found.itertuples(), np.repeat(selections, 2), strict=True):
        budgets = [
            DividedBudget.of(selection, 1e-4, bound, row.share, weighted)
            for bound in counted.bounds
            for weighted in (True, False)
        ]
        tried = {
            (one.discovery.max_items, one.discovery.weighted): places_by_stage(counted, one, 30, 2)
            for one in budgets
        }
        mine = tried[row.max_items, row.weighted].wrong
        assert (row.wrong, row.wrong_low, row.wrong_high) == (mine.value, mine.low, mine.high)
        assert row.not_found <= min(one.not_found for one in tried.values()) + 0.001
    only = errors_by_share(counted, [Joint(4, 1.0)], 1e-4, shares, bounds=[3], n=2)
    assert set(only["max_items"]) == {3}


def test_shares_that_leave_too_small_an_epsilon_for_delta_are_left_out():
    counted = counts_by_bound(LOG, *COLUMNS, bounds=[3])
    selections = [Joint(2, 0.1), CDPPeel(2, 0.1, 0.5)]
    found = errors_by_share(counted, selections, 0.01, (0.1, 0.5), n=2)
    kept = list(zip(found["mechanism"], found["share"], strict=True))
    assert kept == [("Joint", 0.5), ("CDP-Peel", 0.5)]
    with pytest.raises(ValueError, match=r"delta must be above 0 and at most 0\.002497"):
        errors_by_share(counted, selections[:1], 0.01, (0.05, 0.1), n=2)
    with pytest.raises(ValueError, match=r"share must be above 0 and below 1, got 1\.0"):
        errors_by_share(counted, selections[:1], 0.01, (0.5, 1.0), n=2)
    with pytest.raises(ValueError, match="users of any number of items"):
        errors_by_share(counted, [*selections, Laplace(3, 0.1, max_items=2)], 0.01, n=2)


def test_half_of_delta_goes_to_a_selection_that_takes_one():
    peeled, joint = (DividedBudget.of(one, 1e-6, 3) for one in (CDPPeel(2, 1.0, 0.3), Joint(2, 1)))
    assert (peeled.discovery.delta, peeled.selection.delta) == (5e-7, 5e-7)
    assert joint.discovery.delta == joint.guarantee.delta == 1e-6
    assert peeled.guarantee.delta == 1e-6
    assert (joint.guarantee.fixed_items, joint.guarantee.max_items) == (False, None)
    assert joint.discovery.epsilon == joint.selection.epsilon == 0.5


def test_fewer_items_than_k_all_come_out_and_none_is_no_error():
    log = pd.DataFrame({"who": range(300), "what": ["x"] * 200 + ["y"] * 99 + ["z"]})
    budget = DividedBudget.of(Joint(10, 2.0), 1e-6, 1)
    chosen = discover_then_select(log, *COLUMNS, budget, np.random.default_rng(0))
    assert chosen.items == chosen.found.items == ("x", "y")
    assert len(chosen) == 2
    assert chosen.counts is None
    nothing = discover_then_select(log.tail(1), *COLUMNS, budget, np.random.default_rng(0))
    assert (nothing.items, len(nothing.found)) == ((), 0)


def test_noisy_counts_of_a_selection_come_out_beside_its_items():
    budget = DividedBudget.of(OneShotCounts(3, 4.0, 0.1), 1e-4, 5)
    chosen = discover_then_select(LOG, *COLUMNS, budget, np.random.default_rng(1))
    users = LOG.drop_duplicates().groupby("what")["who"].nunique()
    assert len(chosen.counts) == 3
    assert np.abs(chosen.counts - users[[*chosen.items]].to_numpy()).max() < 40
    assert len(set(chosen.counts) & set(users)) == 0
    with pytest.raises(ValueError, match="read-only"):
        chosen.counts[0] = 0


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_runs_or_says_why_not(name):
    """On every number of items found, also fewer than k."""
    mechanism = MECHANISMS[name]
    taken = {one.key: 0.1 for one in mechanism.card.parameters if one.key == "delta"}
    counted = counts_by_bound(LOG, *COLUMNS, bounds=[3])
    if name in ("LimitedDomainLaplace", "ThresholdedLaplace"):
        taken["max_items"] = 2
    selection = mechanism(4, 1.0, **taken)
    if selection.guarantee.max_items is not None:
        with pytest.raises(ValueError, match="selection must protect users of any number of items"):
            DividedBudget.of(selection, 1e-4, 3)
        return
    for share in (0.02, 0.1, 0.5):
        budget = DividedBudget.of(selection, 1e-4, 3, share)
        found = places_by_stage(counted, budget, n=5)
        assert 0 <= found.wrong.low <= found.wrong.value + 1e-12
        assert found.wrong.value <= found.wrong.high + 1e-12 <= 4 + 1e-9


JOINT, SPARSE = Joint(2, 1.0), SparseGaussian(1.0, 0.2, 3)
FEW = ThresholdedLaplace(5, 1.0, 1e-6, 3)
SWAPPED = Joint(2, 1.0, NeighborRelation.SWAP)


COUNTED, RNG = counts_by_bound(LOG, *COLUMNS), np.random.default_rng(0)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: DividedBudget(3, JOINT), TypeError, "discovery must be SparseGaussian, got int"),
        (lambda: DividedBudget.of("Joint", 1e-6, 3), TypeError, "selection must be a mechanism"),
        (lambda: DividedBudget.of(JOINT, 1e-6, 3, 1.0), ValueError, "share must be above"),
        (lambda: DividedBudget.of(JOINT, 1e-6, 3, 0), ValueError, "share must be"),
        (lambda: DividedBudget.of(JOINT, 0.0, 3), ValueError, "delta must be above 0"),
        (lambda: DividedBudget.of(SWAPPED, 1e-6, 3), ValueError, "a user who is added or removed"),
        (lambda: DividedBudget.of(FEW, 1e-6, 3), ValueError, "users of any number of items, as"),
        (lambda: DividedBudget(SPARSE, CDPPeel(2, 1.0, 0.9)), ValueError, "up to less than 1"),
        (lambda: errors_by_share([3], [JOINT], 1e-6), TypeError, "by_bound must be CountsByBound"),
        (lambda: errors_by_share(COUNTED, [3], 1e-6), TypeError, r"selections\[0\] must be a mech"),
        (lambda: discover_then_select(LOG, *COLUMNS, JOINT, RNG), TypeError, "must be DividedB"),
        (
            lambda: discover_then_select(
                LOG, *COLUMNS, DividedBudget.of(JOINT, 1e-6, 3), RNG, twins="merge"
            ),
            ValueError,
            "one user may give a merged item its name",
        ),
    ],
)
def test_bad_arguments_are_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
