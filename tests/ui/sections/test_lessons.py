"""Test lessons: examples, exact answers, and what they say of data, against their definitions."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from dptopk import (
    CDPPeel,
    EMPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    LimitedDomain,
    PNFPeel,
    load_dataset,
    output_distribution,
)
from dptopk.questions import QUESTIONS, asking
from dptopk.ui.sections.learn import LESSONS, on_data

pytestmark = pytest.mark.slow  # an answer of each lesson, and what it says of data

COUNTS = ItemCounts([10, 9, 8, 5])
FIVE = (100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1)  # the counts of lessons 5 to 7
SIX, SEVEN = (20, 16, 12, 3, 2), (20, 18, 16, 9, 8)


def race(counts, rate) -> float:
    """Probability that the first item arrives first."""
    weights = np.exp(rate * np.array(counts, float))
    return float(weights[0] / weights.sum())


def right(mechanism, counts) -> float:
    """Probability that a mechanism releases the first items, in order if it has one."""
    return math.exp(mechanism.log_pmf(ItemCounts(counts), np.arange(mechanism.k)[None])[0])


def without_margin(vector, k) -> float:
    """Of 100 releases, how often the set is right if the true one scores 0 like a tie."""
    weights = []
    for chosen in itertools.combinations(range(len(vector)), k):
        least = min(vector[i] for i in chosen)
        most = max(count for i, count in enumerate(vector) if i not in chosen)
        weights.append(math.exp(min(least - most, 0) / 2))
    return 100 * weights[0] / sum(weights)


def belief_after_a() -> float:
    """Belief in Alice after item A, from 50%: with her 4, 3, 1 and without her 3, 3, 1."""
    here, there = race((4, 3, 1), 1.0), race((3, 3, 1), 1.0)
    return 100 * here / (here + there)


def alone(delta=0.001) -> float:
    """Probability that the item of one user comes out, written out."""
    law = output_distribution(ItemCounts([30, 24, 20, 1]), LimitedDomain(2, 1.0, delta))
    return sum(p for output, p in law if 3 in output)


TEN = COUNTS.counts.tolist()
ANSWERS = {  # the option that is right, if any, and what is written, both by definition or the law
    "1": ("certain", "100%"),
    "2": ("AB", f"{1 / (1 + math.exp(2 / 3)):.1%}"),
    "3": (None, f"{100 * race(TEN, 1.0):.1f} of 100"),
    "4": ("more", f"{100 * right(PNFPeel(1, 1.0), TEN):.1f}%"),
    "5": ("k", "10 ×"),
    "6": (None, f"{100 * right(Joint(3, 1.0), SIX):.1f} of 100"),
    "7": (None, f"{100 * right(InverseSensitivitySet(3, 1.0), SEVEN):.1f} of 100"),
    "8": (None, f"{belief_after_a():.1f}%"),
    "9": ("II", "∞"),
    "10": ("delta", f"1 in {float(f'{1 / alone():.2g}'):,.0f}"),
}


def view_of(**settings):
    """The view of settings, where others have their default."""
    question = QUESTIONS["errors"]
    values = asking.checked(question, settings)
    return asking.view_of(question, values, asking.source_of(values))


def said_of(key, **settings) -> str:
    """What a lesson says of the data of these settings."""
    return on_data(LESSONS[key], view_of(**settings)).words


def traces(chart) -> tuple:
    return chart.figure.data


@pytest.mark.parametrize("key", LESSONS)
def test_answers_are_by_definition_their_reasons_and_the_notes_short(key):
    lesson, (value, words) = LESSONS[key], ANSWERS[key]
    found = lesson.answer(0)
    assert found.words == words
    assert found.value == value or (value is None and not hasattr(lesson.prediction, "options"))
    questions = lesson.listed("Questions for the class")
    assert len(set(questions)) == 2
    assert all(question.endswith("?") for question, _ in questions)
    asked = [*questions, *lesson.listed("What students ask")]
    assert all(reply.endswith(".") for _, reply in asked)
    assert 5 <= lesson.text.data["minutes"] <= 10
    last = lesson.example(view_of(), 0).n_steps if lesson.asks_anew else 0
    for step in range(last + 1):
        n = len(re.findall(r"[.?!](?= |$)", lesson.answer(step).why))
        assert n == 2, f"{lesson.name}.md: “Why” has {n} sentences; a phone has room for two"


@pytest.mark.parametrize("key", LESSONS)
def test_every_prediction_has_its_place_in_the_figure_of_the_answer(key):
    lesson = LESSONS[key]
    options = getattr(lesson.prediction, "options", {})
    guesses = [*options][1:] if options else [0, int(lesson.prediction.high)]
    ys = [y for trace in traces(lesson.answer(0).chart) for y in trace["y"]]
    rows = [y for y in ys if isinstance(y, str)]
    for guess in guesses:
        points = lesson.points(guess)
        assert points, guess
        for x, y in points:
            assert math.isfinite(x)
            assert y in rows if rows else math.isfinite(y)


@pytest.mark.parametrize("key", LESSONS)
def test_every_step_has_a_figure_and_a_name_of_its_own(key):
    lesson, view = LESSONS[key], view_of(seed=1)
    last = lesson.example(view, 0).n_steps
    drawn = {lesson.example(view, step).chart.figure.to_json() for step in range(last + 1)}
    assert len(drawn) == last + 1
    if last:
        names = lesson.text.data["steps"][: last + 1]
        assert len(set(names)) == last + 1
        assert lesson.named_steps(last, last) == " · ".join([*names[:-1], f"**{names[-1]}**"])


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("2", "0.1", {"A and B, 2 apart": 1 / (1 + math.exp(2 / 30))}),
        ("3", "1", {"A": race(TEN, 1.0)}),
        ("3", "0.1", {"A": race(TEN, 0.1)}),
        ("4", "0.1", {"EM-Peel": race(TEN, 0.1), "PNF-Peel": right(PNFPeel(1, 0.1), TEN)}),
        ("6", "0.1", {"Joint": right(Joint(3, 0.1), SIX)}),
        ("7", "1", {"Inverse sensitivity": right(InverseSensitivitySet(3, 1.0), SEVEN)}),
        ("8", "1", {"after A": belief_after_a() / 100, "limit": math.e / (1 + math.e)}),
        ("5", "2", {"EM-Peel, ε/k a round": right(EMPeel(2, 1.0), FIVE)}),
        ("5", "12", {"CDP-Peel, with δ": right(CDPPeel(12, 1.0, 1e-6), FIVE)}),
        ("5", "12", {"ε a round: costs kε": right(EMPeel(12, 12.0), FIVE)}),
        ("10", "1e-6, ⊥ at 32.8", {"D": alone(1e-6)}),
    ],
)
def test_the_slider_beside_an_answer_shows_the_exact_law_at_every_value(key, value, expected):
    law = LESSONS[key].answer(0).by_setting
    first = {"5": ("k", "10"), "10": ("δ", "0.001, ⊥ at 19.0")}.get(key, ("ε", "1"))
    assert (law.symbol, law.values[law.at]) == first
    row = dict(zip(law.outputs, law.probabilities[law.values.index(value)], strict=True))
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert len(set(map(len, (law.values, law.probabilities, law.words)))) == 1
    assert len(law.colors) in (0, len(law.outputs))


def test_each_round_of_peeling_releases_the_largest_noisy_count_that_is_left():
    released = []
    for step in range(1, 5):
        example = LESSONS["5"].example(view_of(seed=1), step)
        marks = traces(example.chart)[-1]
        noisy, places = np.array(marks["x"], float), [int(text or 0) for text in marks["text"]]
        n_released = step if step < 4 else 10
        assert sorted(place for place in places if place) == list(range(1, n_released + 1))
        by_place = [places.index(place) for place in range(1, n_released + 1)]
        assert by_place[: len(released)] == released  # a step on, the same draw
        released = by_place
        left = [i for i in range(12) if not places[i]]
        assert noisy[released[-1]] >= noisy[left].max()
        opened_marks = [i for i, symbol in enumerate(marks["marker"]["symbol"]) if "open" in symbol]
        assert opened_marks == left
    names = ", ".join("ABCDEFGHIJKL"[i] for i in released)
    n_right = sum(place == i for place, i in enumerate(released))
    assert f"The release is {names}: {n_right} of 10 are in their right place." in example.step


def test_numbers_of_the_notes_follow_from_their_definitions():
    law = dict(output_distribution(ItemCounts(SEVEN), Joint(3, 1.0)))
    of_true, of_next = (
        sum(law[order] for order in itertools.permutations(chosen))
        for chosen in ((0, 1, 2), (0, 1, 3))
    )
    rho = (math.sqrt(math.log(1e6) + 1) - math.sqrt(math.log(1e6))) ** 2
    interval = math.log(2 - math.exp(-1)) + 1  # of losses of the coins, at two tied items
    games = load_dataset("games")
    orders = itertools.permutations(SIX, 3)
    losses = [max(np.array(SIX[:3]) - order) for order in orders]
    total = sum(math.exp(-loss / 2) for loss in losses)
    rises = sum(SIX[place] - np.mean(SIX[place:]) for place in range(3))
    p, q = 0.01, 0.01 / math.exp(1.2)
    for key, known in {
        "4": {"interval": f"{interval:.2f}"},
        "5": {
            "helped": 8,
            "rho": f"{rho:.4f}",
            "factor": f"{math.sqrt(1 / (8 * rho)):.3f}",
            "delta_scale": f"{math.sqrt(10 / (8 * rho)):.2f}",
        },
        "6": {
            "joint": f"{100 * right(Joint(3, 1.0), SIX):.1f}",
            "peel": f"{100 * math.prod(race(SIX[place:], 1 / 3) for place in range(3)):.1f}",
            "joint_two": f"{100 * right(Joint(2, 1.0), SIX):.1f}",
            "joint_04": f"{100 * right(Joint(3, 0.4), SIX):.1f}",
            "mean_loss": f"{np.mean(losses):.1f}",
            "sum": f"{total:.3f}",
            "share": f"{1 / total:.3f}",
            "n_4": losses.count(4),
            "n_sequences": len(losses),
            "rises": f"{rises:.1f}",
        },
        "7": {
            "no_margin": f"{without_margin(SEVEN, 3):.1f}",
            "joint_factor": f"{math.exp(3.5):.0f}",
            "orders_factor": f"{of_true / of_next:.0f}",
            "joint_wide": f"{100 / (1 + math.exp(-1)):.1f}",
            "set_wide": f"{100 / (1 + math.exp(-2)):.1f}",
            "set": f"{100 * right(InverseSensitivitySet(3, 1.0), SEVEN):.1f}",
            "others": f"{games.d - 4:,}",
            "left_out": games.sorted.top(5)[-1],
        },
        "8": {
            "twice": f"{1 / (1 + math.exp(-2)):.1%}",
            "prior": f"{9 / math.e / (1 + 9 / math.e):.1%}",
        },
        "9": {"draws": f"{round((2 / 0.2) ** 2 * (1 / p + 1 / q), -3):,.0f}"},
        "10": {"threshold": "19.0", "threshold_of_less": "32.8"},
    }.items():
        numbers = LESSONS[key].numbers()
        assert {name: numbers[name] for name in known} == known


def test_one_item_is_released_by_the_coins_whatever_the_draw():
    for seed in range(2):
        view = view_of(seed=seed)
        last = LESSONS["4"].example(view, 0).n_steps
        (bars,) = traces(LESSONS["4"].example(view, last).chart)
        results = [name.partition(": ")[2] for name in bars["customdata"]]
        tried = [result for result in results if result]
        assert tried == ["tails"] * (len(tried) - 1) + ["heads"]
        assert results == tried + [""] * (len(results) - len(tried))


def test_bars_of_probabilities_have_their_numbers_beside_them():
    charts = [LESSONS[key].answer(0).chart for key in ("3", "6")]
    for chart in (*charts, *(on_data(LESSONS[key], view_of()).chart for key in ("3", "4"))):
        for bars in traces(chart):
            assert [*bars["text"]] == [number for _, number in bars["customdata"]]
            assert chart.figure.layout.xaxis.range[1] > 1.1 * max(bars["x"])


def test_where_the_rounds_are_better_it_is_said():
    second = race(SIX, 0.5) * race(SIX[1:], 0.5)
    two = f"{100 * second:.1f} against {100 * right(Joint(2, 1.0), SIX):.1f} of 100"
    assert two in LESSONS["6"].say("What students ask")
    assert "Here Joint is worse" not in said_of("6")
    assert "Here Joint is worse" in said_of("6", epsilon=0.1)


def test_the_sequences_that_are_not_shown_are_in_a_bar_of_their_own():
    drawn = [np.array(bars["x"], float) for bars in traces(LESSONS["6"].answer(0).chart)]
    for bars, kind in zip(drawn, (Joint, EMPeel), strict=True):
        law = output_distribution(ItemCounts(SIX), kind(3, 1.0))
        others = sum(p for output, p in law if {3, 4} & set(output))
        assert bars[6] == pytest.approx(others)
        assert bars.sum() == pytest.approx(1)
    assert drawn[0][1:4] == pytest.approx(drawn[0][0] * math.exp(-4 / 2))


def test_a_swap_across_the_gap_counts_it_twice():
    first, second = (LESSONS["7"].example(view_of(), step).step for step in (0, 1))
    assert "C has u = 16 − 9 = 7." in first
    law = dict(output_distribution(ItemCounts(SEVEN), InverseSensitivitySet(3, 1.0)))
    times = law[0, 1, 2] / law[0, 1, 3]
    assert f"about 1/{round(times, -2):,.0f}." in second


def test_giving_up_the_order_is_seen_on_the_first_data():
    words = said_of("7", epsilon=0.1)
    needed = [line.split("ε = ")[2] for line in words.splitlines() if "95% needs" in line]
    in_order, ignored, as_set = (float(number.rstrip(".")) for number in needed)
    assert in_order > 2 * ignored > 2 * as_set
    told = [float(ratio) for ratio in re.findall(r"([\d.]+) times", words)]
    assert told == pytest.approx([in_order / ignored, ignored / as_set], rel=0.05)


@pytest.mark.parametrize(
    ("data", "k"), [("games", 1), ("games", 5), ("books", 2), ("classroom-one_giant", 2)]
)
def test_curves_of_lesson_7_that_need_the_same_are_drawn(data, k):
    """Of one item order is no matter; of two answers so near one is drawn around the other."""
    found = on_data(LESSONS["7"], view_of(data=data, k=k))
    assert "Not on these data" not in found.words
    assert found.chart


@pytest.mark.parametrize(("typed", "k"), [("5 5 5", 2), ("9 5 1", 3)])
def test_where_all_sets_are_right_any_epsilon_is_enough(typed, k):
    words = said_of("7", data="typed", typed=typed, k=k)
    assert "any ε is enough for 95%" in words
    assert "ε = any ε" not in words


def test_only_what_was_chosen_is_refused_and_an_error_of_the_program_is_none_of_the_data():
    def fails(view):
        raise ValueError("of the program")

    assert said_of("10", delta=0.0).startswith("Not on these data: `delta")
    with pytest.raises(ValueError, match="of the program"):
        on_data(replace(LESSONS["10"], on_data=fails), view_of())


@pytest.mark.parametrize("key", LESSONS)
def test_that_the_noise_is_twice_as_wide_is_said_where_a_user_is_replaced(key):
    """Than in the example, where one joins or leaves; lesson 1 has no noise there."""
    twice = "noise is twice as wide"
    assert said_of(key, neighbors="swap").count(twice) == (key != "1")
    assert twice not in said_of(key)


@pytest.mark.grid
@pytest.mark.parametrize("key", LESSONS)
@pytest.mark.parametrize(
    "data",
    [
        {"data": "typed", "typed": "5", "k": 1},
        {"data": "typed", "typed": "0 0 0", "k": 3},
        {"data": "typed", "typed": "9007199254740991 9007199254740990 3 0", "k": 2},
        {"data": "games", "epsilon": 1e-9, "k": 200},
        {"data": "news", "epsilon": 1e12, "neighbors": "swap"},
        {"data": "typed", "typed": "![](https://example.com/x) 9\n[a](b) 5\n$x$ 1", "k": 2},
    ],
    ids=["one item", "no users", "large", "tiny epsilon", "huge epsilon", "hostile"],
)
def test_every_lesson_goes_on_with_any_data(key, data):
    words = said_of(key, **data)
    assert "nan" not in words.split()
    assert "![](" not in words.replace("`![](", "")


@pytest.mark.parametrize("key", ["3", "4"])
def test_the_closest_round_is_named_with_its_counts(key):
    found = on_data(LESSONS[key], view_of())
    assert "981 purchases, and 978" in found.words
    assert "round 5 of the 10" in found.chart.origin.brief
    assert "purchases, and 2,323" in said_of(key, k=1)


def test_each_of_the_five_broken_ones_is_found():
    answers = [LESSONS["9"].answer(step) for step in range(5)]
    assert [found.words for found in answers] == ["∞", "6.1567", "5.3309", "∞", "∞"]
    assert len({found.value for found in answers}) == 5


def test_a_list_without_noise_leaves_no_doubt_and_a_private_one_does():
    exact, private = traces(LESSONS["1"].answer(0).chart)
    np.testing.assert_allclose(exact["x"], [0.5, 0, 1, 0.5])
    assert all(1 / (1 + math.e) <= p <= math.e / (1 + math.e) for p in private["x"])


def test_the_roc_curve_lies_below_its_limit():
    curve, limit = traces(on_data(LESSONS["8"], view_of()).chart)
    at = np.interp(curve["x"], limit["x"], limit["y"])
    assert np.all(curve["y"] <= at + 1e-3)
    assert curve["y"][-1] == pytest.approx(1)


@pytest.mark.parametrize(("key", "mechanism"), [("3", EMPeel(1, 1.0)), ("4", PNFPeel(1, 1.0))])
def test_winners_have_the_exact_distribution_and_the_answer_names_it(key, mechanism):
    exact = np.exp(mechanism.log_pmf(COUNTS, np.arange(4)[:, None]))
    assert LESSONS[key].answer(0).exact == pytest.approx(exact)
    draws = [
        draw
        for seed in range(0, 2_000, 100)
        for draw in LESSONS[key].example(view_of(seed=seed), 0).moving.draws
    ]
    assert len({draw.words for draw in draws}) == len(draws) == 2_000
    shares = np.bincount([draw.winner for draw in draws], minlength=4) / len(draws)
    assert (abs(shares - exact) <= 5 * np.sqrt(exact * (1 - exact) / len(draws))).all()


def test_the_first_to_arrive_wins_and_the_others_are_still_on_their_way():
    moving = LESSONS["3"].example(view_of(seed=7), 0).moving
    for draw in moving.draws:
        (frame,) = draw.frames
        far = [part for part, _ in frame]
        assert far[draw.winner] == 1 == max(far)
        assert sorted(far)[-2] < 1
        assert f": {moving.names[draw.winner]} arrives first" in draw.words
    step = LESSONS["3"].example(view_of(seed=7), 1).chart.figure.data[0]
    far = [part for part, _ in moving.draws[0].frames[0]]
    assert sorted(100 * np.array(far)) == pytest.approx(sorted(step["x"]))


def test_coins_are_turned_one_by_one_until_the_first_heads():
    moving = LESSONS["4"].example(view_of(), 0).moving
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
