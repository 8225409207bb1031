"""Test draws of item discovery against their exact law, and items without users."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from dptopk import ItemCounts, SparseGaussian, counts_by_bound, discover_items
from dptopk.data import EventLog
from dptopk.data.ingest import CountsByBound, ItemsOfUsers

RNG = np.random.default_rng(11)
ROWS = [
    (f"u{user}", f"i{item:02}")
    for user in range(300)
    for item in set(np.minimum(RNG.geometric(0.08, RNG.integers(1, 12)), 40).tolist())
]
LOG = pd.DataFrame(ROWS, columns=["who", "what"])
COLUMNS = ("who", "what")


@pytest.mark.parametrize("weighted", [True, False])
def test_draws_follow_the_exact_law(weighted):
    """Each item by its own chance, independently: variances of sums add up, too."""
    by_bound = counts_by_bound(LOG, *COLUMNS, bounds=[4])
    mechanism = SparseGaussian(1.0, 1e-4, 4, weighted)
    rng, n = np.random.default_rng(2), 4_000
    draws = [by_bound.discover(mechanism, rng) for _ in range(n)]
    amounts = by_bound.amounts_under(4, weighted)
    chances = mechanism.survival(amounts)
    place = {name: position for position, name in enumerate(by_bound.counts.items)}
    seen = np.zeros((n, len(place)), dtype=bool)
    for row, draw in enumerate(draws):
        seen[row, [place[name] for name in draw.items]] = True
        assert (draw.amounts > mechanism.threshold).all()
        assert (np.diff(draw.amounts) <= 0).all()
    variance = chances * (1 - chances)
    middling = n * variance > 25
    assert middling.sum() > 5
    statistic = (((seen.mean(axis=0) - chances) ** 2 * n)[middling] / variance[middling]).sum()
    assert chi2.sf(statistic, middling.sum()) > 1e-6
    assert seen.sum(axis=1).var() == pytest.approx(variance.sum(), rel=0.15)
    assert not seen[:, chances < 1e-9].any()


def test_noise_has_the_stated_deviation_to_a_percent():
    """Of so many items that noise of 0.99 sigma is told apart: the threshold promises sigma."""
    d, bound, users = 200_000, 4, 10_000
    amounts = np.full((1, d), users)
    counts, of_users = ItemCounts(amounts[0]), ItemsOfUsers((1,), (d * users,))
    by_bound = CountsByBound(counts, (bound,), amounts, amounts.astype(float), of_users, {})
    mechanism = SparseGaussian(1.0, 1e-6, bound)
    assert users > mechanism.threshold + 8 * mechanism.sigma  # all come out
    draws = [by_bound.discover(mechanism, np.random.default_rng(seed)) for seed in (6, 7)]
    noise = np.concatenate([draw.amounts for draw in draws]) - users
    assert noise.size == 2 * d
    scaled = noise / mechanism.sigma
    assert abs(scaled.mean()) < 5 / np.sqrt(noise.size)
    assert scaled.std() == pytest.approx(1, abs=5 / np.sqrt(2 * noise.size))


def test_an_item_that_a_bound_took_from_all_its_users_is_not_in_the_data():
    """Its name would tell of a user whose other items are also new: more of them than the bound."""
    log = pd.DataFrame([("u0", f"i{item}") for item in range(40)], columns=["who", "what"])
    by_bound = counts_by_bound(log, *COLUMNS, bounds=[3])
    mechanism = SparseGaussian(1.0, 0.2, 3)
    kept = {name for name, n in by_bound.bounded(3) if n}
    assert len(kept) == 3
    rng = np.random.default_rng(0)
    names = {name for _ in range(3_000) for name in by_bound.discover(mechanism, rng).items}
    assert names == kept  # each with a probability of some percent


def test_the_same_seed_and_log_give_the_same_whatever_the_order_of_rows():
    mixed = LOG.sample(frac=1, random_state=5)
    rng = np.random.default_rng
    one = EventLog(LOG, *COLUMNS).discover(1.0, 1e-6, 4, rng(3))
    other = discover_items(mixed, *COLUMNS, 1.0, 1e-6, 4, rng(3))
    assert one.items == other.items
    assert len(one) == len(one.amounts) > 0
    np.testing.assert_array_equal(one.amounts, other.amounts)
    with pytest.raises(ValueError, match="read-only"):
        one.amounts[0] = 0


def test_names_for_missing_values_are_left_out_whatever_the_others_are():
    """Among codes of countries only, NA is one; else a user with another item would remove it."""
    countries = ["NA"] * 300 + ["DE"] * 300
    log = pd.DataFrame({"who": range(600), "what": countries})
    neighbor = pd.concat([log, pd.DataFrame({"who": [600], "what": ["tea"]})])
    for nulls, found in ((None, ["DE"]), ("keep", ["DE", "NA"])):
        for events in (log, neighbor):
            rng = np.random.default_rng(0)
            items = discover_items(events, *COLUMNS, 1.0, 1e-6, 1, rng, nulls=nulls).items
            assert sorted(items) == found


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"delta": 0.0}, ValueError, "delta must be above 0"),
        ({"max_items": 0}, ValueError, "max_items must be in"),
        ({"twins": "merge"}, ValueError, "one user may give a merged item its name"),
        ({"rng": 3}, TypeError, "rng must be a numpy.random.Generator"),
        ({"item": "which"}, ValueError, "item must be a column of the log, got 'which'"),
    ],
)
def test_bad_arguments_are_named(options, error, words):
    usual = {"user": "who", "item": "what", "epsilon": 1.0, "delta": 1e-6, "max_items": 4}
    with pytest.raises(error, match=words):
        discover_items(LOG, **usual | {"rng": np.random.default_rng(0)} | options)
