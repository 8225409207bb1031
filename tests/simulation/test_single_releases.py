"""Test the noise behind single releases, and consecutive releases."""

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    NOTHING,
    EMPeel,
    ItemCounts,
    Joint,
    Laplace,
    NeighborRelation,
    load_dataset,
    neighboring_counts,
    release,
    worst_case_loss,
)
from dptopk.mechanisms import ComparesNoise, NoisyOrder
from dptopk.simulation.single_releases import (
    MOST_SEEDS,
    consecutive_releases,
    first_misplaced,
    gaps_of_release,
    loss_of_release,
    noise_of_release,
)
from dptopk.simulation.trials import generator_for, release_with_counts

GAMES = load_dataset("games")
NOISY = [cls for cls in MECHANISMS.values() if issubclass(cls, NoisyOrder)]
noisy_classes = pytest.mark.parametrize("cls", NOISY, ids=lambda cls: cls.__name__)


def made(cls, k, epsilon):
    defaults = {p.key: p.default for p in cls.card.parameters}
    return cls(k=k, epsilon=epsilon, **defaults)


@noisy_classes
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_noisy_counts_are_those_of_the_release(cls, epsilon):
    """The same draw as `release`, before and after its noise was looked at."""
    mechanism = made(cls, 8, epsilon)
    for seed in range(5):
        output, noisy = release_with_counts(GAMES, mechanism, seed)
        output = output[output != NOTHING]
        for number in range(1, 9 if mechanism.fresh_noise else 2):
            found = noise_of_release(GAMES, mechanism, seed, number)
            again = noise_of_release(GAMES, mechanism, seed, number)
            np.testing.assert_array_equal(found.noisy, again.noisy)
            assert found.round == (number if mechanism.fresh_noise else 0)
            np.testing.assert_array_equal(found.counts, GAMES.counts[found.positions])
            assert np.all(np.diff(found.true_places) > 0)
            np.testing.assert_array_equal(GAMES.order[found.true_places - 1], found.positions)
            there = found.places > 0
            np.testing.assert_array_equal(output[found.places[there] - 1], found.positions[there])
            # rows of what was released come first, in the order of the release
            in_new_order = found.positions[np.argsort(found.new_order)]
            expected = output[number - 1 : number] if mechanism.fresh_noise else output
            np.testing.assert_array_equal(in_new_order[: expected.size], expected)
            if mechanism.outputs.short:  # above ⊥ is what comes out, at most k
                assert min((found.noisy > found.threshold).sum(), 8) == output.size
            else:
                assert found.threshold is None
            fresh = isinstance(mechanism, ComparesNoise)  # the noise on released counts
            if noisy is not None and not fresh:  # those very counts come out
                np.testing.assert_allclose(found.noisy[there], noisy[found.places[there] - 1])
        again, _ = release_with_counts(GAMES, mechanism, seed)
        np.testing.assert_array_equal(again[again != NOTHING], output)
    assert not np.array_equal(
        noise_of_release(GAMES, mechanism, 1).noisy, noise_of_release(GAMES, mechanism, 2).noisy
    )


@noisy_classes
def test_the_items_that_matter_are_few_and_on_both_sides_of_the_boundary(cls):
    mechanism = made(cls, 40, 0.5)
    output = release(GAMES, mechanism, 3)
    found = noise_of_release(GAMES, mechanism, 3, 5, most=10)
    assert found.positions.size == 10 < found.n_candidates
    if mechanism.fresh_noise:
        assert output[4] in found.positions
        assert not set(output[:4]) & set(found.positions)
        assert found.n_candidates == GAMES.d - 4
    else:
        released = set(output[output != NOTHING])
        last = len(released)  # all forty, or as many as passed a threshold
        assert min(3, last) <= (found.true_places <= last).sum() <= 7
        assert (found.true_places > last).sum() >= 3
        strangers = released - set(GAMES.order[:last])
        assert strangers & set(found.positions) or mechanism.outputs.short


@noisy_classes
def test_everything_is_shown_where_there_is_little(cls):
    counts = ItemCounts([5, 9, 7])
    mechanism = made(cls, 3, 1.0)
    last = noise_of_release(counts, mechanism, 0, 3)
    assert last.positions.size == (1 if mechanism.fresh_noise else 3) == last.n_candidates
    assert np.isfinite(last.noisy).all()


def test_the_first_upset_is_the_first_place_not_held_by_the_best_left():
    counts = ItemCounts([9, 7, 7, 5, 1])
    for output, place in (
        ([0, 1, 2], 1),  # none
        ([0, 2, 1], 1),  # ties are no upset
        ([1, 0, 2], 1),
        ([0, 3, 1], 2),
        ([0, 1, 4], 3),
        ([2, 0, 1], 1),
    ):
        assert first_misplaced(counts, np.array(output)) == place


def test_what_has_no_noise_on_counts_is_refused():
    others = [cls for cls in MECHANISMS.values() if cls not in NOISY]
    assert others
    for cls in others:
        with pytest.raises(TypeError, match="mechanism must release an order of noisy counts"):
            noise_of_release(GAMES, made(cls, 2, 1.0), 0)
    mechanism = made(NOISY[0], 2, 1.0)
    for wrong, message in (
        ({"round": 3}, r"round must be in \[1, 2\], got 3"),
        ({"round": 0}, "round"),
        ({"most": 1}, "most"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises(ValueError, match=message):
            noise_of_release(GAMES, mechanism, **({"seed": 0} | wrong))


@pytest.mark.parametrize("cls", MECHANISMS.values(), ids=lambda cls: cls.__name__)
def test_what_is_played_are_the_releases_of_the_seeds_that_follow(cls):
    mechanism = made(cls, 5, 0.01)
    found = consecutive_releases(GAMES, mechanism, MOST_SEEDS - 2, n=4)
    assert found.seeds == (MOST_SEEDS - 2, MOST_SEEDS - 1, 0, 1)
    kind = mechanism.outputs
    for seed, row in zip(found.seeds, found.positions, strict=True):
        expected = kind.aligned(GAMES, release(GAMES, mechanism, seed)[None])[0]
        np.testing.assert_array_equal(row, expected)
    assert kind.short or len(np.unique(found.positions, axis=0)) > 1
    with pytest.raises(ValueError, match="n must be"):
        consecutive_releases(GAMES, mechanism, 0, n=0)
    with pytest.raises(ValueError, match="seed must be in"):
        consecutive_releases(GAMES, mechanism, MOST_SEEDS)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(NeighborRelation))
@pytest.mark.parametrize("cls", MECHANISMS.values(), ids=lambda cls: cls.__name__)
def test_a_release_gives_away_what_its_probabilities_say(cls, neighbors):
    """The worst of all outputs gives away what `worst_case_loss` finds, none more."""
    counts = ItemCounts([9, 1, 5])  # whatever can come out on a neighbour can do so here
    mechanism = made(cls, 2, 1.0).replaced(neighbors=neighbors)
    every = mechanism.outputs.every(3, 2)
    every = every[np.isfinite(mechanism.log_pmf(counts, every))]
    losses = [loss_of_release(counts, mechanism, output) for output in every]
    assert max(losses) == pytest.approx(worst_case_loss(counts, mechanism).value)
    assert min(losses) < max(losses)
    first = neighboring_counts(counts, neighbors, mechanism.guarantee.max_items)[0]
    first = mechanism.log_pmf(counts, every) - mechanism.log_pmf(first, every)
    assert (np.array(losses) >= np.abs(first) - 1e-12).all()


def test_an_output_that_cannot_come_out_gives_away_nothing():
    mechanism = made(NOISY[0], 2, 1.0)
    with pytest.raises(ValueError, match="output must be one that can come out"):
        loss_of_release(ItemCounts([3, 2, 1]), mechanism, np.array([1, 1]))
    with pytest.raises(ValueError, match="at most 8 items"):
        loss_of_release(GAMES, mechanism, np.array([0, 1]))


@noisy_classes
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_what_is_usual_is_so_for_every_seed_and_seldom_left(cls, epsilon):
    mechanism = made(cls, 8, epsilon)
    found = [noise_of_release(GAMES, mechanism, seed, 2) for seed in range(20)]
    (usual,) = {each.usual for each in found}
    low, high = usual
    assert sum(each.noisy.min() < low for each in found) <= 2
    assert low < GAMES.counts[GAMES.order[8]] < high


@pytest.mark.parametrize("cls", [EMPeel, Laplace])
def test_gaps_are_those_of_the_release_with_whole_bounds(cls):
    mechanism = cls(3, 2.0)
    found = gaps_of_release(GAMES, mechanism, 5, confidence=0.9)
    margin = mechanism.gap_margin(GAMES.d, 0.9)
    np.testing.assert_array_equal(
        found.gaps, mechanism.gaps_behind(GAMES, generator_for(mechanism, 5))
    )
    assert (found.low == np.ceil(found.gaps - margin)).all()
    assert (found.high == np.floor(found.gaps + margin)).all()
    least = [max(0, int(np.ceil(found.gaps[place:].sum() - margin))) for place in range(3)]
    assert found.count_at_least.tolist() == least
    assert found.confidence == 0.9
    noise = mechanism.noise_behind(
        GAMES, release(GAMES, mechanism, 5), generator_for(mechanism, 5)
    ).on_items[0]
    noisy = GAMES.counts[release(GAMES, mechanism, 5)] + noise
    assert found.gaps[:-1] == pytest.approx(noisy[:-1] - noisy[1:])


def test_with_all_items_released_the_last_gap_is_unknown():
    counts = ItemCounts([900, 500])
    found = gaps_of_release(counts, EMPeel(2, 1.0), 0)
    assert np.isnan([found.gaps[1], found.low[1], found.high[1]]).all()
    assert found.count_at_least[1] == 0
    assert 0 < found.count_at_least[0] <= 900


def test_gaps_cost_something_elsewhere():
    with pytest.raises(TypeError, match="mechanism must be one whose gaps are free, got Joint"):
        gaps_of_release(GAMES, Joint(2, 1.0), 0)
