"""Test the limits that are drawn over counts against the exact laws."""

import itertools

import numpy as np
import pytest

from dptopk import ItemCounts, Joint, LimitedDomain, load_dataset, release
from dptopk.simulation.trials import generator_for
from dptopk.ui.sections.limits_drawn import moving_limit, moving_threshold

SMALL = ItemCounts([16, 20, 3, 12, 2], list("BADCE"))
GAMES = load_dataset("games")


def moved(counts, mechanism, seed=0):
    return moving_limit(counts, mechanism, "users", seed, None)


def test_the_distribution_of_the_limit_is_exact():
    """T has a weight of e^(-T / 2) times the number of sequences of loss at most T."""
    shown = moved(SMALL, Joint(3, 1.0))
    top = (20, 16, 12)
    sequences = itertools.permutations((20, 16, 12, 3, 2), 3)
    losses = np.maximum(np.array(top) - np.array([*sequences]), 0).max(axis=1)
    limits = np.arange(300)
    weights = (losses <= limits[:, None]).sum(axis=1) * np.exp(-limits / 2)
    exact = weights / weights.sum()
    assert shown.limits[: len(shown.probabilities)] == tuple(range(len(shown.probabilities)))
    np.testing.assert_allclose(shown.probabilities, exact[: len(shown.probabilities)], rtol=1e-10)
    assert shown.words[5].startswith(f"T = 5 has probability {exact[5]:.1%}; 2 eligible items at ")


@pytest.mark.parametrize(
    ("counts", "mechanism", "seed"),
    [
        (SMALL, Joint(3, 1.0), 2**31 - 3),
        (GAMES, Joint(10, 0.1), 7),
        (GAMES, Joint(50, 0.5), 0),  # some places and items are not shown
        (ItemCounts([5, 5, 5]), Joint(3, 1e-3), 0),
    ],
)
def test_a_draw_is_the_release_of_its_seed_and_every_place_takes_an_eligible_item(
    counts, mechanism, seed
):
    shown, k = moved(counts, mechanism, seed), mechanism.k
    top = counts.counts[counts.order[:k]]
    unseen = 0
    for number, draw in enumerate(shown.draws):
        out = release(counts, mechanism, (seed + number) % 2**31)
        assert list(draw.names) == counts.names(out)
        limit = shown.limits[draw.at]
        assert (counts.counts[out] >= top - limit).all()
        for name, (row, column) in zip(draw.names, draw.placed, strict=True):
            if row >= 0 and not shown.many[row]:
                assert shown.items[row] == name
            if row >= 0 and column >= 0:
                assert shown.counts[row] >= shown.levels[column] - limit or shown.many[row]
        unseen += sum(row < 0 for row, _ in draw.placed)
    assert (unseen > 0) == (k == 50)
    assert len(shown.columns) == min(k, 10)
    assert counts.d - sum(not many for many in shown.many) >= sum(shown.many)


def test_a_noisy_threshold_lets_out_the_largest_noisy_counts_above_it():
    counts = ItemCounts([24, 30, 1, 20], list("BADC"))
    mechanism = LimitedDomain(2, 1.0, delta=1e-3)
    shown = moving_threshold(counts, mechanism, "users", 5, None)
    assert shown.items == ("A", "B", "C", "D")
    at = mechanism.threshold(counts.sorted)
    exact = np.exp(-np.exp((at - np.array(shown.limits)) / mechanism.scale))  # of noise by Gumbel
    below, bins = np.append(0, np.cumsum(shown.probabilities)), np.array(shown.bins)
    inside = (exact > 0.001) & (exact < 0.999)
    assert (below[bins] - 0.001 <= exact)[inside].all()
    assert (exact <= below[bins + 1] + 0.001)[inside].all()
    for number, draw in enumerate(shown.draws):
        rng = generator_for(mechanism, 5 + number)
        picture = mechanism.picture(counts.sorted, np.arange(4), rng)
        assert draw.noisy == tuple(picture.noisy)
        assert shown.limits[draw.at] == picture.threshold
        out = [row for row in np.argsort(-picture.noisy) if picture.noisy[row] > picture.threshold]
        assert draw.placed == tuple((row, 0) for row in out[:2])
        assert draw.names == tuple(shown.items[row] for row in out[:2])
    assert len({len(draw.names) for draw in shown.draws}) > 1
