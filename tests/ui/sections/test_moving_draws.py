"""Test the draws that lessons 3 and 4 play, against the exact distribution of their mechanisms."""

import numpy as np
import pytest

from dptopk import EMPeel, ItemCounts, PNFPeel
from dptopk.questions import QUESTIONS, asking
from dptopk.ui.sections.learn import LESSONS

COUNTS = ItemCounts([10, 9, 8, 5])
QUESTION = QUESTIONS["errors"]


def view_of(seed):
    values = asking.checked(QUESTION, {"seed": seed})
    return asking.view_of(QUESTION, values, asking.source_of(values))


@pytest.mark.parametrize(("key", "mechanism"), [("3", EMPeel(1, 1.0)), ("4", PNFPeel(1, 1.0))])
def test_winners_have_the_exact_distribution_and_the_answer_names_it(key, mechanism):
    exact = np.exp(mechanism.log_pmf(COUNTS, np.arange(4)[:, None]))
    assert LESSONS[key].answer(view_of(0), 0).exact == pytest.approx(exact)
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
