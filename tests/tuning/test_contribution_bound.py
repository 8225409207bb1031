"""Test errors by cause under a bound on the items per user, against every output."""

from itertools import combinations, product

import duckdb
import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from dptopk import (
    MECHANISMS,
    ItemCounts,
    Joint,
    Laplace,
    LimitedDomain,
    NeighborRelation,
    ThresholdedLaplace,
    counts_by_bound,
    errors_by_share,
    items_found_by_bound,
    winner_map,
)
from dptopk.core.outputs import NOTHING
from dptopk.laws.distribution import output_distribution
from dptopk.tuning import errors_by_bound, places_by_cause

TAKERS = [m for m in MECHANISMS.values() if m.card.takes("max_items")]


def built(mechanism, k=2, epsilon=1.0, **own):
    delta = {"delta": 0.05} if mechanism.card.takes("delta") else {}
    return mechanism(k, epsilon, **delta, **own)


def fates(counts, bounded, k, row):
    """The four numbers by their definition, for counts whose k-th is not tied."""
    true = set(sorted(range(counts.d), key=lambda i: -counts.counts[i])[:k])
    kth = sorted(bounded.counts)[-k]
    named = {i for i in row if i != NOTHING}
    clipped = {i for i in named - true if bounded.counts[i] >= max(kth, 1)}
    return [len(named & true), len(clipped), k - len(named), len(named - true - clipped)]


@pytest.mark.parametrize("mechanism", TAKERS, ids=lambda m: m.__name__)
@given(values=st.permutations([7, 5, 4, 2, 0]), kept=st.lists(st.integers(0, 4), min_size=5))
@settings(max_examples=15)
def test_places_by_cause_are_those_of_every_output(mechanism, values, kept):
    counts = ItemCounts(values)
    bounded = ItemCounts([min(a, b) for a, b in zip(values, kept[:5], strict=True)])
    one = built(mechanism, max_items=1)
    found = places_by_cause(counts, bounded, one)
    law = output_distribution(bounded, one)
    wanted = sum(
        p * np.array(fates(counts, bounded, 2, row))
        for row, p in zip(law.sequences, law.probabilities, strict=True)
    )
    assert found.wrong.exact
    seen = [found.right, found.clipping, found.threshold, found.noise]
    assert seen == pytest.approx(wanted, abs=1e-9)
    assert sum(seen) == pytest.approx(2)


def test_draws_agree_with_the_exact_split(monkeypatch):
    counts, bounded = ItemCounts([9, 7, 4, 2, 0]), ItemCounts([4, 3, 4, 1, 0])
    for mechanism in (built(TAKERS[0]), Joint(2, 1.0)):
        exact = places_by_cause(counts, bounded, mechanism)
        with monkeypatch.context() as patched:
            patched.setattr("dptopk.tuning.contribution_bound.FEW_OUTPUTS", 0)
            patched.setattr("dptopk.tuning.contribution_bound._known", lambda *_: None)
            drawn = places_by_cause(counts, bounded, mechanism, n=20_000)
        assert exact.wrong.exact
        assert not drawn.wrong.exact
        for part in ("right", "clipping", "threshold", "noise"):
            assert getattr(drawn, part) == pytest.approx(getattr(exact, part), abs=0.03)
        assert drawn.wrong.low <= drawn.wrong.value <= drawn.wrong.high


def test_the_law_of_places_gives_what_all_outputs_give(monkeypatch):
    counts = ItemCounts([9, 7, 4, 2, 0])
    by_law = places_by_cause(counts, counts, Joint(2, 1.0))
    by_outputs = places_by_cause(counts, ItemCounts(counts.counts), Joint(2, 1.0))
    assert by_law.wrong.exact
    assert by_law.noise == pytest.approx(by_outputs.noise, abs=1e-12)
    assert by_law.clipping == by_law.threshold == 0


@pytest.mark.parametrize("mechanism", TAKERS, ids=lambda m: m.__name__)
@given(values=st.permutations([7, 4, 4, 4, 2]), kept=st.lists(st.integers(0, 4), min_size=5))
@settings(max_examples=15)
def test_places_of_tied_items_by_their_law_are_those_of_every_output(mechanism, values, kept):
    counts = ItemCounts(values)
    bounded = ItemCounts([min(a, b) for a, b in zip(values, kept[:5], strict=True)])
    one = built(mechanism, k=3, max_items=1)
    found = places_by_cause(counts, bounded, one)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("dptopk.tuning.contribution_bound._known", lambda *_: None)
        wanted = places_by_cause(counts, bounded, one)
    assert found.wrong.exact
    assert wanted.wrong.exact
    for part in ("right", "clipping", "threshold", "noise"):
        assert getattr(found, part) == pytest.approx(getattr(wanted, part), abs=1e-9)


def test_without_a_bound_nothing_is_clipped_whatever_the_ties():
    counts = ItemCounts([3, 3, 3, 1, 0])
    for mechanism in (built(m) for m in TAKERS):
        found = places_by_cause(counts, counts, mechanism)
        assert found.clipping == 0
        assert found.right + found.wrong.value == pytest.approx(2)


# Every log of two users on three items, and every bound


SETS = [items for size in range(4) for items in combinations("abc", size)]
WORLDS = [world for world in product(SETS, repeat=2) if any(world)]


def log_of(world):
    rows = [(f"user {n}", item) for n, items in enumerate(world) for item in items]
    return pd.DataFrame(rows, columns=["u", "i"], dtype=object)


@pytest.mark.slow
def test_bounded_counts_of_every_small_log_keep_so_many_of_each_user():
    """A user with more items than the bound keeps the bound; others all; both add up."""
    counted = {((), (), bound): np.zeros(3, dtype=int) for bound in (1, 2)}
    with duckdb.connect(config={"threads": 1}) as connection:
        options = {"items": [*"abc"], "bounds": [1, 2], "engine": connection}
        for world in WORLDS:
            by_bound = counts_by_bound(log_of(world), "u", "i", **options)
            for bound in (1, 2):
                counted[*world, bound] = by_bound.bounded(bound).counts
    for (first, second, bound), both in counted.items():
        alone = counted[first, (), bound], counted[(), second, bound]
        for items, own in zip((first, second), alone, strict=True):
            assert own.sum() == min(len(items), bound)
            assert all(own["abc".index(item)] <= (item in items) for item in "abc")
        assert both.tolist() == sum(alone).tolist()


def test_the_table_marks_the_best_and_runs_only_bounds_that_gain():
    rng = np.random.default_rng(3)
    rows = [(f"u{u}", f"i{i}") for u in range(300) for i in set(rng.zipf(1.6, 6) % 40)]
    by_bound = counts_by_bound(pd.DataFrame(rows, columns=["u", "i"]), "u", "i")
    mechanisms = [Laplace(3, 1.0), Joint(3, 1.0)]
    found = errors_by_bound(by_bound, mechanisms, n=200)
    assert found["is_best"].sum() == 1
    assert found.loc[found["is_best"], "wrong"].item() == found["wrong"].min()
    least = found.loc[found["is_best"], "wrong_high"].item()
    assert found["as_good"].tolist() == (found["wrong_low"] <= least + 0.005).tolist()
    assert not found["as_good"].all()
    of = found[found["mechanism"] == "Laplace"]
    assert of["max_items"].dropna().tolist() == [1, 2]  # three items cost what any number costs
    free = found.loc[found["max_items"].isna(), ["clipping", "pairs_kept"]]
    assert free.to_numpy().tolist() == [[0.0, 1.0], [0.0, 1.0]]
    parts = found[["right", "clipping", "threshold", "noise"]].sum(axis=1)
    assert parts.to_numpy() == pytest.approx(3)


@pytest.mark.parametrize("epsilon", [5.0, 20.0, 100.0])
def test_rounding_errors_are_no_wrong_places(epsilon):
    counts = ItemCounts([900, 700, 650, 400, 90, 12, 3])
    for mechanism in (
        LimitedDomain(3, epsilon, 1e-6),
        ThresholdedLaplace(3, epsilon, 1e-6),
        Laplace(3, epsilon),
    ):
        found = places_by_cause(counts, counts, mechanism)
        assert found.wrong.exact
        for part in (found.threshold, found.noise):
            assert part == 0 or part > 1e-12


def test_what_does_not_fit_together_is_refused():
    counts = ItemCounts([3, 2, 1])
    with pytest.raises(ValueError, match="bounded must count the items of counts"):
        places_by_cause(counts, ItemCounts([1, 1, 1], [*"abc"]), Joint(2, 1.0))
    with pytest.raises(ValueError, match="k must be in"):
        places_by_cause(counts, counts, Laplace(4, 1.0, NeighborRelation.SWAP))


def test_empty_lists_and_several_k_are_refused_by_name():
    log = pd.DataFrame({"who": [*"aabbcd"], "what": ["x", "y", "x", "z", "x", "y"]})
    by_bound = counts_by_bound(log, "who", "what")
    with pytest.raises(ValueError, match="must be of one k"):
        errors_by_bound(by_bound, [Joint(1, 1.0), Joint(2, 1.0)])
    for empty in ("shares", "bounds"):
        with pytest.raises(ValueError, match=f"{empty} must hold at least one entry"):
            errors_by_share(by_bound, [Joint(1, 1.0)], 1e-3, **{empty: []})
    with pytest.raises(ValueError, match="bounds must hold at least one entry"):
        items_found_by_bound(by_bound, 1.0, 1e-3, k=1, bounds=[])
    with pytest.raises(ValueError, match="epsilons must hold at least one entry"):
        winner_map(by_bound.counts, [Joint(1, 1.0)], [1], [])
