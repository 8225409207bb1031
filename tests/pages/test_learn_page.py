"""Test the page Learn: every lesson asks for a prediction, and its answer is exact."""

import io
import itertools
import json
import math
import re
import zipfile
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
from dptopk.ui.sections.lessons.lesson import NO_GUESS

COUNTS = (10, 9, 8, 5)


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


FIVE = (100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1)  # the counts of lessons 5 to 7
SIX, SEVEN = (20, 16, 12, 3, 2), (20, 18, 16, 9, 8)


ANSWERS = {  # the option that is right, if any, and what is written, both by definition or the law
    "1": ("certain", "100%"),
    "2": ("AB", f"{1 / (1 + math.exp(2 / 3)):.1%}"),
    "3": (None, f"{100 * race(COUNTS, 1.0):.1f} of 100"),
    "4": ("more", f"{100 * right(PNFPeel(1, 1.0), COUNTS):.1f}%"),
    "5": ("k", "10 ×"),
    "6": (None, f"{100 * right(Joint(3, 1.0), SIX):.1f} of 100"),
    "7": (None, f"{100 * right(InverseSensitivitySet(3, 1.0), SEVEN):.1f} of 100"),
    "8": (None, f"{belief_after_a():.1f}%"),
    "9": ("II", "∞"),
    "10": ("delta", f"1 in {float(f'{1 / alone():.2g}'):,.0f}"),
}


def values_in(chart) -> set[str]:
    """Names of the traces of a figure that show values, beside the prediction."""
    return {
        trace.get("name", "")
        for trace in without_prediction(chart)
        if np.isfinite(np.array(trace["x"], float)).any()
    }


def alt_of_answer(visit) -> str:
    """Words for screen readers of the figure of the answer."""
    (alt,) = (c.proto.alt for c in visit.main.get("plotly_chart") if c.key == "chart-answer")
    return alt


def without_prediction(chart) -> list:
    """Traces of a figure but the last, the prediction."""
    *others, last = chart["data"]
    assert last["name"].startswith("Your prediction")
    return others


def test_lessons_are_cards_until_one_is_chosen_and_mark_what_was_seen(opened):
    visit = opened("learn", lesson="all", revealed="3").whole()
    cards = {key: visit.app.button(key=f"lesson-{key}").label for key in LESSONS}
    assert cards == {key: f"**{key}. {lesson.text.title}**" for key, lesson in LESSONS.items()}
    (seen,) = (words for words in visit.captions if "✓ seen" in words)
    assert seen == f"{LESSONS['3'].text.data['minutes']} minutes · ✓ seen"
    assert visit.charts == []  # no example is computed
    assert "k" not in [one.key for one in visit.app.number_input]  # nothing here reads it
    # as in a link of before there were cards
    assert visit.press("lesson-1").address == {"revealed": "3"}
    assert visit.title == LESSONS["1"].text.title
    assert visit.press("all-lessons").address == {"revealed": "3", "lesson": "all"}


@pytest.mark.parametrize("key", LESSONS)
def test_the_answer_is_hidden_until_it_is_asked_for_and_then_exact(opened, key):
    visit = opened("learn", lesson=key).whole()
    assert visit.title == LESSONS[key].text.title
    question = LESSONS[key].prediction.label
    assert question.endswith("?")
    assert question in [*visit.words.splitlines(), *(n.label for n in visit.app.number_input)]
    charts = [*([] if key in ("6", "10") else ["chart-example"]), "chart-answer"]
    assert visit.charts == charts  # the example may be what moves
    assert values_in(visit.chart("answer")) <= {"4": {"EM-Peel"}}.get(key, set())
    assert visit.tiles == []
    tiles = dict(visit.press("reveal").tiles)
    right, written = ANSWERS[key]
    assert "Your prediction" not in tiles
    options = getattr(LESSONS[key].prediction, "options", {})
    assert tiles["The answer"] == options.get(right, written)
    assert tiles.get("In numbers", written) == written
    assert visit.charts[: len(charts)] == charts
    assert len(values_in(visit.chart("answer"))) > 0
    assert LESSONS[key].say("The point") in visit.words.replace("\u00a0", " ")
    assert visit.address["revealed"] == key
    assert visit.press("hide").charts == charts


@pytest.mark.parametrize("key", LESSONS)
def test_the_prediction_stays_beside_the_answer_and_is_judged_in_words(opened, key):
    prediction, (right, _) = LESSONS[key].prediction, ANSWERS[key]
    options = getattr(prediction, "options", {})
    wrong = next((option for option in options if option not in (right, NO_GUESS)), None)
    for guess in [right, wrong] if options else [0, int(prediction.high)]:
        visit = opened("learn", **{"lesson": key, prediction.key: guess, "revealed": key}).whole()
        predicted = dict(visit.tiles)["Your prediction"]
        assert predicted == options.get(guess, str(guess))
        mark = visit.chart("answer")["data"][-1]
        assert mark["name"] == f"Your prediction: {predicted}"
        assert f"{mark['name']}. " in alt_of_answer(visit)
        hidden = opened("learn", **{"lesson": key, prediction.key: guess}).whole()
        assert hidden.chart("answer")["data"][-1] == mark
        assert values_in(hidden.chart("answer")) < values_in(visit.chart("answer"))
        assert alt_of_answer(hidden).endswith("of the answer yet.")
        assert np.isfinite(np.array(mark["x"], float)).all()
        judged = "As you predicted" if guess == right else "Not as you predicted"
        expected = (judged,) if right else ("As you predicted", " too high.", " too low.")
        assert any(words in visit.words for words in expected)
        assert "Not close" not in visit.words
        assert visit.address[prediction.key] == str(guess)


def test_a_prediction_made_with_the_control_is_kept(opened):
    visit = opened("learn", lesson="3")
    assert visit.app.button(key="reveal").label == "Show the answer"
    visit.app.number_input(key="guess_3").set_value(64).run()
    assert dict(visit.press("reveal").tiles)["Your prediction"] == "64"
    assert "Close: 2.2 too low." in visit.words
    again = opened("learn", **visit.address).whole()
    assert again.everything() == visit.everything()


@pytest.fixture(scope="module")
def view():
    """The view of the default settings."""
    question = QUESTIONS["errors"]
    values = asking.checked(question, {})
    return asking.view_of(question, values, asking.source_of(values))


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("2", "0.1", {"A and B, 2 apart": 1 / (1 + math.exp(2 / 30))}),
        ("3", "1", {"A": race(COUNTS, 1.0)}),
        ("3", "0.1", {"A": race(COUNTS, 0.1)}),
        ("4", "0.1", {"EM-Peel": race(COUNTS, 0.1), "PNF-Peel": right(PNFPeel(1, 0.1), COUNTS)}),
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


@pytest.mark.parametrize("key", LESSONS)
def test_the_reason_of_every_answer_is_two_sentences(key, view):
    lesson = LESSONS[key]
    for step in range(lesson.example(view, 0).n_steps + 1 if lesson.asks_anew else 1):
        n = len(re.findall(r"[.?!](?= |$)", lesson.answer(step).why))
        assert n == 2, f"{lesson.name}.md: “Why” has {n} sentences; a phone has room for two"


def test_bars_of_probabilities_have_their_numbers_beside_them(opened):
    for key, name in (("3", "answer"), ("3", "data"), ("4", "data"), ("6", "answer")):
        chart = opened("learn", lesson=key, revealed=key).whole().chart(name)
        for bars in without_prediction(chart) if name == "answer" else chart["data"]:
            assert bars["text"] == [number for _, number in bars["customdata"]]
            assert chart["layout"]["xaxis"]["range"][1] > 1.1 * max(bars["x"])


def test_each_round_of_peeling_releases_the_largest_noisy_count_that_is_left(opened):
    released = []
    for step in range(1, 5):
        visit = opened("learn", lesson="5", step=str(step), seed=1).whole()
        marks = visit.chart("example")["data"][-1]
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
    assert f"The release is {names}: {n_right} of 10 are in their right place." in visit.words


def test_a_link_to_a_former_step_of_lesson_6_leads_to_the_lesson(opened):
    for link in ({"step": "2"}, {"step": "5", "present": "1"}):
        visit = opened("learn", lesson="6", **link).whole()
        assert not visit.complaints
        assert "counts 20, 16, 12, 3, 2" in visit.words


def test_where_the_rounds_are_better_it_is_said(opened):
    shown = opened("learn", lesson="6", revealed="6").whole().words
    second = race(SIX, 0.5) * race(SIX[1:], 0.5)
    assert f"{100 * second:.1f} against {100 * right(Joint(2, 1.0), SIX):.1f} of 100" in shown
    little = opened("learn", lesson="6", revealed="6", epsilon="0.1").whole().words
    assert ["Here Joint is worse" in words for words in (shown, little)] == [False, True]


def test_the_sequences_that_are_not_shown_are_in_a_bar_of_their_own(opened):
    visit = opened("learn", lesson="6", revealed="6").whole()
    for bars, kind in zip(without_prediction(visit.chart("answer")), (Joint, EMPeel), strict=True):
        law = output_distribution(ItemCounts(SIX), kind(3, 1.0))
        others = sum(p for output, p in law if {3, 4} & set(output))
        drawn = np.array(bars["x"], float)
        assert drawn[6] == pytest.approx(others)
        assert drawn.sum() == pytest.approx(1)
    joint = np.array(visit.chart("answer")["data"][0]["x"], float)
    assert joint[1:4] == pytest.approx(joint[0] * math.exp(-4 / 2))


def test_a_presented_lesson_keeps_the_case_the_words_of_its_steps_and_its_notes(opened):
    visit = opened("learn", lesson="7", present="1").whole()
    assert "Two questions for the" in visit.words  # the notes
    before = visit.words
    visit.app.button(key="next-step").click().run()
    assert visit.words != before
    assert "A, B, C" in visit.words
    visit.app.button(key="reveal").click().run()
    assert visit.charts == ["chart-answer"]
    assert visit.press("present-Next").address == {"lesson": "8", "present": "1", "revealed": "7"}
    assert opened("learn", lesson="7", revealed="7", present="3").charts == ["chart-data"]


def test_a_lesson_that_was_prepared_is_presented_without_answer_and_prediction(opened):
    prepared = {"lesson": "3", "step": "2", "guess_3": "40", "guess_4": "more", "revealed": "3,4"}
    visit = opened("learn", **prepared).whole().press("present-Present")
    assert visit.address == {"lesson": "3", "step": "2", "revealed": "4", "present": "1"}
    assert visit.app.button(key="reveal")
    assert visit.press("present-Next").address == {"lesson": "4", "present": "1"}
    assert visit.app.button(key="reveal")


def test_a_swap_across_the_gap_counts_it_twice(opened):
    visit = opened("learn", lesson="7").whole()
    assert "C has u = 16 − 9 = 7." in visit.words.replace("\u00a0", " ")
    visit.app.button(key="next-step").click().run()
    law = dict(output_distribution(ItemCounts(SEVEN), InverseSensitivitySet(3, 1.0)))
    times = law[0, 1, 2] / law[0, 1, 3]
    assert f"about 1/{round(times, -2):,.0f}." in visit.words.replace("\u00a0", " ")


def test_giving_up_the_order_is_seen_on_the_first_data(opened):
    visit = opened("learn", lesson="7", revealed="7", epsilon="0.1").whole()
    words = visit.words
    needed = [line.split("ε = ")[2] for line in words.splitlines() if "95% needs" in line]
    in_order, ignored, as_set = (float(number.rstrip(".")) for number in needed)
    assert in_order > 2 * ignored > 2 * as_set
    told = [float(ratio) for ratio in re.findall(r"([\d.]+) times", words.replace("\u00a0", " "))]
    assert told == pytest.approx([in_order / ignored, ignored / as_set], rel=0.05)


def test_curves_of_lesson_7_that_need_the_same_are_drawn(opened):
    """Of one item order is no matter; of two answers so near one is drawn around the other."""
    for data, k in (("games", "1"), ("games", "5"), ("books", "2"), ("classroom-one_giant", "2")):
        visit = opened("learn", lesson="7", revealed="7", data=data, k=k, epsilon="1").whole()
        assert "Not on these data" not in visit.words
        assert len(visit.charts) > 1


@pytest.mark.parametrize(("typed", "k"), [("5 5 5", "2"), ("9 5 1", "3")])
def test_where_all_sets_are_right_any_epsilon_is_enough(opened, typed, k):
    words = opened("learn", lesson="7", revealed="7", data="typed", typed=typed, k=k).whole().words
    assert "any ε is enough for 95%" in words.replace("\u00a0", " ")
    assert "ε = any ε" not in words.replace("\u00a0", " ")


def test_only_what_was_chosen_is_refused_and_an_error_of_the_program_is_none_of_the_data(view):
    def fails(view):
        raise ValueError("of the program")

    refused = on_data(LESSONS["10"], replace(view, parameters={**view.parameters, "delta": 0.0}))
    assert refused.words.startswith("Not on these data: `delta")
    with pytest.raises(ValueError, match="of the program"):
        on_data(replace(LESSONS["10"], on_data=fails), view)


@pytest.mark.grid
@pytest.mark.parametrize("key", LESSONS)
def test_a_lesson_says_that_the_noise_is_twice_that_of_its_example_where_a_user_is_replaced(
    opened, key
):
    replaced = opened("learn", lesson=key, revealed=key, neighbors="swap").whole().words
    assert replaced.count("noise is twice as wide") == (key != "1")  # there without noise
    joined = opened("learn", lesson=key, revealed=key).whole().words
    assert "noise is twice as wide" not in joined


@pytest.mark.parametrize("key", LESSONS)
def test_steps_go_to_the_end_and_begin_again(opened, key):
    visit = opened("learn", lesson=key)
    seen = []
    while "next-step" in [button.key for button in visit.app.button]:
        seen.append(visit.chart("example")["data"])
        visit.press("next-step")
    if not seen:
        return
    seen.append(visit.chart("example")["data"])
    assert len({json.dumps(drawn) for drawn in seen}) == len(seen) > 1
    names = LESSONS[key].text.data["steps"][: len(seen)]
    assert " · ".join([*names[:-1], f"**{names[-1]}**"]) in visit.words
    visit.app.button(key="begin-again").click().run()
    assert visit.chart("example")["data"] == seen[0]


def test_one_item_is_released_by_the_coins_whatever_the_draw(opened):
    for seed in range(2):
        visit = opened("learn", lesson="4", step="20", seed=seed).whole()
        (bars,) = visit.chart("example")["data"]
        results = [name.partition(": ")[2] for name in bars["customdata"]]
        tried = [result for result in results if result]
        assert tried[-1] == "heads"
        assert set(tried[:-1]) <= {"tails"}
        assert results == tried + [""] * (len(results) - len(tried))


def test_the_next_lesson_begins_at_its_first_step(opened):
    visit = opened("learn", lesson="3", step="2", guess_3="50")
    assert visit.press("next-lesson").address == {"lesson": "4"}
    assert visit.press("previous-lesson").address == {"lesson": "3", "guess_3": "50"}


@pytest.mark.grid
@pytest.mark.parametrize("key", LESSONS)
@pytest.mark.parametrize(
    "data",
    [
        {"data": "typed", "typed": "5"},
        {"data": "typed", "typed": "0 0 0"},
        {"data": "typed", "typed": "9007199254740991 9007199254740990 3 0", "k": "2"},
        {"data": "games", "epsilon": "1e-9", "k": "200"},
        {"data": "news", "epsilon": "1e12", "neighbors": "swap"},
        {"data": "typed", "typed": "![](https://example.com/x) 9\n[a](b) 5\n$x$ 1", "k": "2"},
    ],
    ids=["one item", "no users", "large", "tiny epsilon", "huge epsilon", "hostile"],
)
def test_every_lesson_goes_on_with_any_data(opened, key, data):
    words = opened("learn", lesson=key, revealed=key, **data).whole().words
    assert "nan" not in words.split()
    assert "![](" not in words.replace("`![](", "")


def test_the_notes_say_the_point_the_misconception_two_questions_and_the_time(opened):
    for lesson in LESSONS.values():
        questions = lesson.listed("Questions for the class")
        assert 5 <= lesson.text.data["minutes"] <= 10
        assert len(set(questions)) == 2
        assert all(question.endswith("?") for question, _ in questions)
        asked = (*questions, *lesson.listed("What students ask"))
        assert all(answer.endswith(".") for _, answer in asked)
        parts = [part for pair in asked for part in pair]
        words = opened("learn", lesson=lesson.key).whole().words
        words = words.replace("\u00a0", " ").replace("\u2060", "")
        headings = words.count("**What students ask.**")
        assert headings == ("What students ask" in lesson.text.sections)
        about = f"About {lesson.text.data['minutes']} minutes"
        for part in (lesson.say("The point"), *parts, about):
            assert part.replace("\u00a0", " ") in words


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


@pytest.mark.parametrize("key", ["3", "4"])
def test_the_closest_round_is_named_with_its_counts(opened, key):
    visit = opened("learn", lesson=key, revealed=key).whole()
    assert "981 purchases, and 978" in visit.words
    assert any("round 5 of the 10" in words for words in visit.captions)
    words = opened("learn", lesson=key, revealed=key, k="1").whole().words
    assert "purchases, and 2,323" in words


def test_each_of_the_five_broken_ones_is_found_and_every_step_asks_anew(opened):
    found = []
    visit = opened("learn", lesson="9")
    for step in range(5):
        tiles = dict(visit.press("guess-I").tiles)  # it shows the answer, too
        found.append((tiles["The answer"], tiles["In numbers"]))
        assert "compare 4, 3, 3, 1 with" in visit.words
        visit.app.button(key="next-step" if step < 4 else "begin-again").click().run()
        assert "revealed" not in visit.whole().address
        assert "guess_9" not in visit.address
        assert visit.address.get("step", "0") == str((step + 1) % 5)
    assert [ratio for _, ratio in found] == ["∞", "6.1567", "5.3309", "∞", "∞"]
    assert len({answer for answer, _ in found}) == 5


def test_a_list_without_noise_leaves_no_doubt_and_a_private_one_does(opened):
    visit = opened("learn", lesson="1", revealed="1").whole()
    exact, private = without_prediction(visit.chart("answer"))
    np.testing.assert_allclose(exact["x"], [0.5, 0, 1, 0.5])
    assert all(1 / (1 + math.e) <= p <= math.e / (1 + math.e) for p in private["x"])


def test_the_roc_curve_lies_below_its_limit(opened):
    visit = opened("learn", lesson="8", revealed="8").whole()
    curve, limit = visit.chart("data")["data"]
    at = np.interp(curve["x"], limit["x"], limit["y"])
    assert np.all(curve["y"] <= at + 1e-3)
    assert curve["y"][-1] == pytest.approx(1)


def test_a_class_gets_sheets_of_its_names(offered):
    visit, found = offered("learn")
    assert found["Exercise sheets (ZIP)"] == ("dptopk-learn-homework.zip", b"")
    visit.app.text_area(key="homework-students").set_value("Ada\n Grace \n").run()
    name, content = offered.found["Exercise sheets (ZIP)"]
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        key = json.loads(opened.read("teacher/key.json"))
    assert (name, key["students"]) == ("dptopk-learn-homework.zip", ["Ada", "Grace"])
    assert not {"Ada", "Grace"} & set(visit.address.values())


@pytest.mark.parametrize(
    ("names", "words"),
    [("Ada\nada", "look alike"), ("\n".join(f"s{i}" for i in range(201)), "at most 200")],
)
def test_names_that_cannot_be_used_are_said(opened, names, words):
    visit = opened("learn")
    visit.app.text_area(key="homework-students").set_value(names).run()
    headline, sentence = visit.problem()
    assert "cannot be used" in headline
    assert words in sentence
