"""Test the distribution of the synthetic log, and the consistency of its counts."""

import numpy as np
import pytest

from dptopk.data.synthetic_log import synthetic_log


def test_users_have_items_by_the_stated_law_and_counts_fit_together():
    log = synthetic_log(4_000, 80, 3, seed=2)
    assert len(log.weeks) == 3
    m = np.arange(1, 51.0)
    wanted = m**-1.8 / (m**-1.8).sum()
    for week in log.weeks:
        of_users = week.items_of_users
        assert of_users.n_users == 4_000
        seen = dict(zip(of_users.sizes, of_users.users, strict=True))
        for size in (1, 2, 5):
            share = wanted[size - 1]
            assert abs(seen[size] / 4_000 - share) < 5 * np.sqrt(share / 4_000)
        for bound, values, weights in zip(week.bounds, week.values, week.weights, strict=True):
            kept = [(min(size, bound), n) for size, n in seen.items()]
            assert values.sum() == sum(t * n for t, n in kept)
            assert weights.sum() == pytest.approx(sum(t**0.5 * n for t, n in kept))
        assert week.counts.items == log.weeks[0].counts.items
        position = int(week.counts.order[0])
        mean, variance = week.moments(position, 2)
        seen_kept = week.bounded(2).counts[position]
        assert abs(seen_kept - mean) < 6 * np.sqrt(variance)


def test_users_stay_for_another_week_three_times_of_four():
    stays = synthetic_log(4_000, 5, 2, seed=1).weeks_of_users
    assert stays.sizes == (1, 2)
    assert stays.users[1] / 4_000 == pytest.approx(0.75, abs=0.04)


def test_the_same_seed_gives_the_same_log_and_what_is_wrong_is_said():
    one, again = (synthetic_log(50, 8, 2, seed=3).weeks[1] for _ in range(2))
    assert one.counts == again.counts
    assert np.array_equal(one.values, again.values)
    with pytest.raises(ValueError, match="d must be"):
        synthetic_log(d=0)
