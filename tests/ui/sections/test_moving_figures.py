"""Test the draws that lessons and mechanisms play against the exact laws."""

import itertools

import numpy as np
import pytest

from dptopk import EMPeel, ItemCounts, Joint, LimitedDomain, PNFPeel, load_dataset, release
from dptopk.questions import QUESTIONS, asking
from dptopk.simulation.trials import generator_for
from dptopk.ui.sections.learn import LESSONS
from dptopk.ui.sections.limits_drawn import moving_limit, moving_threshold

COUNTS = ItemCounts([10, 9, 8, 5])
QUESTION = QUESTIONS["errors"]


def view_of(seed):
    values = asking.checked(QUESTION, {"seed": seed})
    return asking.view_of(QUESTION, values, asking.source_of(values))


@pytest.mark.parametrize(("key", "mechanism"), [("3", EMPeel(1, 1.0)), ("4", PNFPeel(1, 1.0))])
def test_winners_have_the_exact_distribution_and_the_answer_names_it(key, mechanism):
    exact = np.exp(mechanism.log_pmf(COUNTS, np.arange(4)[:, None]))
    assert LESSONS[key].answer(0).exact == pytest.approx(exact)
    draws = [
        draw
        for seed in range(0, 2_000, 100)
        for draw in LESSONS[key].example(view_of(seed), 0).moving.draws
    ]
    assert len({draw.words for draw in draws}) == len(draws) == 2_000
    shares = np.bincount([draw.winner for draw in draws], minlength=4) / len(draws)
    assert (abs(shares - exact) <= 5 * np.sqrt(exact * (1 - exact) / len(draws))).all()


def test_the_first_to_arrive_wins_and_the_others_are_still_on_their_way():
    moving = LESSONS["3"].example(view_of(7), 0).moving
    for draw in moving.draws:
        (frame,) = draw.frames
        far = [part for part, _ in frame]
        assert far[draw.winner] == 1 == max(far)
        assert sorted(far)[-2] < 1
        assert f": {moving.names[draw.winner]} arrives first" in draw.words
    step = LESSONS["3"].example(view_of(7), 1).chart.figure.data[0]
    far = [part for part, _ in moving.draws[0].frames[0]]
    assert sorted(100 * np.array(far)) == pytest.approx(sorted(step["x"]))


def test_coins_are_turned_one_by_one_until_the_first_heads():
    moving = LESSONS["4"].example(view_of(0), 0).moving
    assert moving.faces == ("100%", "37%", "14%", "1%")
    firsts = []
    for draw in moving.draws:
        faces = dict(enumerate(word for _, word in draw.frames[-1]))
        turned = sorted((word, item) for item, word in faces.items() if ". " in word)
        assert [word for word, _ in turned] == [
            *(f"{place}. tails" for place in range(1, len(turned))),
            f"{len(turned)}. heads",
        ]
        assert turned[-1][1] == draw.winner
        assert len(draw.frames) == len(turned) + 1
        firsts.append(turned[0][1])
    assert set(firsts) == {0, 1, 2, 3}  # in random order


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
