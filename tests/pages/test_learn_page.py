"""Test the page Learn: every lesson asks for a prediction, and its answer is exact."""

import base64
import io
import itertools
import json
import math
import re
import zipfile
from collections import Counter

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
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.questions import QUESTIONS, asking
from dptopk.ui.sections.learn import LESSONS
from dptopk.ui.sections.lessons.lesson import NO_GUESS

COUNTS = (10, 9, 8, 5)


def race(counts, rate) -> float:
    """Probability that the first item arrives first."""
    weights = np.exp(rate * np.array(counts, float))
    return float(weights[0] / weights.sum())


def coins(counts, rate) -> float:
    """Probability that the first item is released, over all permutations."""
    heads = np.exp(rate * (np.array(counts, float) - max(counts)))
    found = []
    for order in itertools.permutations(range(len(counts))):
        before = order[: order.index(0)]
        found.append(math.prod(1 - heads[i] for i in before) * heads[0])
    return float(np.mean(found))


def one_choice(counts, k, rate) -> float:
    """Probability of the true sequence where each is weighed by its worst place."""
    sequences = itertools.permutations(range(len(counts)), k)
    losses = [max(counts[r] - counts[i] for r, i in enumerate(chosen)) for chosen in sequences]
    return float(1 / np.exp(-rate * np.maximum(losses, 0)).sum())


def right_set(vector, k) -> float:
    """Probability of the true set, written out."""
    law = dict(output_distribution(ItemCounts(vector), InverseSensitivitySet(k, 1.0)))
    return law[tuple(range(k))]


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


def in_order(k, rate) -> float:
    """Probability that k rounds on the counts of lesson 5 go right."""
    counts = (100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1)
    return math.prod(race(counts[place:], rate) for place in range(k))


ANSWERS = {  # the option that is right, if any, and what is written, both by definition
    "1": ("certain", "100%"),
    "2": ("AB", f"{1 / (1 + math.exp(2 / 3)):.1%}"),
    "3": (None, f"{100 * race(COUNTS, 1.0):.1f} of 100"),
    "4": ("more", f"{100 * coins(COUNTS, 1.0):.1f}%"),
    "5": ("k", "10 ×"),
    "6": (None, f"{100 * one_choice((20, 16, 12, 3, 2), 3, 0.5):.1f} of 100"),
    "7": (None, f"{100 * right_set((20, 18, 16, 9, 8), 3):.1f} of 100"),
    "8": (None, f"{belief_after_a():.1f}%"),
    "9": ("II", "∞"),
    "10": ("delta", f"1 in {float(f'{1 / alone():.2g}'):,.0f}"),
}


def numbers(values) -> np.ndarray:
    """Numbers of a figure, as they are sent."""
    if not isinstance(values, dict):
        return np.array(values, float)
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])


def shown(visit) -> list[str]:
    return [chart.key for chart in visit.main.get("plotly_chart")]


def values_in(chart) -> set[str]:
    """Names of the traces of a figure that show values, beside the prediction."""
    drawn = [trace for trace in without_prediction(chart) if np.isfinite(numbers(trace["x"])).any()]
    return {trace.get("name", "") for trace in drawn}


def alt_of_answer(visit) -> str:
    """Words for screen readers of the figure of the answer."""
    (alt,) = (c.proto.alt for c in visit.main.get("plotly_chart") if c.key == "chart-answer")
    return alt


def without_prediction(chart) -> list:
    """Traces of a figure but the last, the prediction."""
    *others, last = chart["data"]
    assert last["name"].startswith("Your prediction")
    return others


def said(visit) -> str:
    return "\n".join(element.value for element in visit.main.markdown)


def test_every_answer_is_known_here():
    assert ANSWERS.keys() == LESSONS.keys()
    assert coins(COUNTS, 1.0) > race(COUNTS, 1.0)


def test_lessons_are_cards_until_one_is_chosen_and_mark_what_was_seen(opened):
    visit = opened("learn", lesson="all", revealed="3").whole()
    cards = {key: visit.app.button(key=f"lesson-{key}").label for key in LESSONS}
    assert cards == {key: f"**{key}. {lesson.text.title}**" for key, lesson in LESSONS.items()}
    (seen,) = (words for words in visit.captions if "✓ seen" in words)
    assert seen == f"{LESSONS['3'].text.data['minutes']} minutes · ✓ seen"
    assert shown(visit) == []  # no example is computed
    assert "k" not in [one.key for one in visit.app.number_input]  # nothing here reads it
    visit.app.button(key="lesson-1").click().run()
    assert visit.whole().address == {"revealed": "3"}  # as in a link of before there were cards
    assert visit.title == LESSONS["1"].text.title
    visit.app.button(key="all-lessons").click().run()
    assert visit.whole().address == {"revealed": "3", "lesson": "all"}


@pytest.mark.parametrize("key", LESSONS)
def test_the_answer_is_hidden_until_it_is_asked_for_and_then_exact(opened, key):
    visit = opened("learn", lesson=key).whole()
    assert visit.title == LESSONS[key].text.title
    charts = [*([] if key == "10" else ["chart-example"]), "chart-answer"]
    assert shown(visit) == charts  # the example may be what moves
    assert values_in(visit.chart("answer")) <= {"4": {"EM-Peel"}}.get(key, set())
    assert visit.tiles == []
    visit.app.button(key="reveal").click().run()
    tiles = dict(visit.whole().tiles)
    right, written = ANSWERS[key]
    assert tiles["Your prediction"] == "none"
    options = getattr(LESSONS[key].prediction, "options", {})
    assert tiles["The answer"] == options.get(right, written)
    assert tiles.get("In numbers", written) == written
    assert shown(visit)[: len(charts)] == charts
    assert len(values_in(visit.chart("answer"))) > 0
    assert LESSONS[key].say("The point") in said(visit).replace("\u00a0", " ")
    assert visit.address["revealed"] == key
    visit.app.button(key="hide").click().run()
    assert shown(visit.whole()) == charts


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
        assert alt_of_answer(hidden).endswith("It tells nothing of the answer yet.")
        assert np.isfinite(numbers(mark["x"])).all()
        judged = "As you predicted" if guess == right else "Not as you predicted"
        expected = (judged,) if right else ("As you predicted", " too high.", " too low.")
        assert any(words in said(visit) for words in expected)
        assert visit.address[prediction.key] == str(guess)


def test_a_prediction_made_with_the_control_is_kept(opened):
    visit = opened("learn", lesson="3")
    assert visit.app.button(key="reveal").label == "Show the answer"
    visit.app.number_input(key="guess_3").set_value(64).run()
    visit.app.button(key="reveal").click().run()
    assert dict(visit.whole().tiles)["Your prediction"] == "64"
    assert "Close: 2.2 too low." in said(visit)
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
        ("4", "0.1", {"EM-Peel": race(COUNTS, 0.1), "PNF-Peel": coins(COUNTS, 0.1)}),
        ("6", "0.1", {"Joint": one_choice((20, 16, 12, 3, 2), 3, 0.05)}),
        ("7", "1", {"Inverse sensitivity": right_set((20, 18, 16, 9, 8), 3)}),
        ("8", "1", {"after A": belief_after_a() / 100, "limit": math.e / (1 + math.e)}),
        ("5", "2", {"EM-Peel, ε/k a round": in_order(2, 1 / 2)}),
        ("5", "12", {"CDP-Peel, with δ": in_order(12, 1 / CDPPeel(12, 1.0, 1e-6).scale)}),
        ("5", "12", {"ε a round: costs kε": in_order(12, 1.0)}),
        ("10", "1e-6, ⊥ at 32.8", {"D": alone(1e-6)}),
    ],
)
def test_the_slider_beside_an_answer_shows_the_exact_law_at_every_value(key, value, expected, view):
    law = LESSONS[key].answer(view, 0).by_setting
    first = {"5": ("k", "10"), "10": ("δ", "0.001, ⊥ at 19.0")}.get(key, ("ε", "1"))
    assert (law.symbol, law.values[law.at]) == first
    row = dict(zip(law.outputs, law.probabilities[law.values.index(value)], strict=True))
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert len(set(map(len, (law.values, law.probabilities, law.words)))) == 1
    assert len(law.colors) in (0, len(law.outputs))


def test_the_item_of_one_user_comes_out_with_probability_at_most_delta(view):
    law = LESSONS["10"].answer(view, 0).by_setting
    for value, row in zip(law.values, law.probabilities, strict=True):
        assert 0 < row[law.outputs.index("D")] <= float(value.partition(",")[0])
    assert {"0.001, ⊥ at 19.0", "1e-6, ⊥ at 32.8"} < set(law.values)
    known = LESSONS["10"].numbers()
    assert (known["threshold"], known["threshold_of_less"]) == ("19.0", "32.8")


def test_up_to_seven_rounds_delta_changes_nothing(view):
    without, with_delta, _ = zip(
        *LESSONS["5"].answer(view, 0).by_setting.probabilities, strict=True
    )
    assert without[:7] == pytest.approx(with_delta[:7])
    assert all(more > 1.1 * less for less, more in zip(without[7:], with_delta[7:], strict=True))


def test_bars_beside_the_slider_have_the_colors_of_their_mechanisms(view):
    for key, kinds in (
        ("4", (EMPeel, PNFPeel)),
        ("5", (EMPeel, CDPPeel, None)),
        ("6", (Joint, EMPeel)),
        ("7", (Joint, Joint, InverseSensitivitySet)),
    ):
        law = LESSONS[key].answer(view, 0).by_setting
        assert law.colors == tuple(kind.card.style.color if kind else "" for kind in kinds)
        for name, kind in zip(law.outputs, kinds, strict=True):
            assert name.startswith(kind.card.name if kind else "ε a round: costs kε")


@pytest.mark.parametrize("key", LESSONS)
def test_the_reason_of_every_answer_is_two_sentences(key, view):
    lesson = LESSONS[key]
    for step in range(lesson.example(view, 0).n_steps + 1 if lesson.asks_anew else 1):
        n = len(re.findall(r"[.?!](?= |$)", lesson.answer(view, step).why))
        assert n == 2, f"{lesson.name}.md: “Why” has {n} sentences; a phone has room for two"


def test_bars_of_probabilities_have_their_numbers_beside_them(opened):
    for key, name in (("3", "answer"), ("3", "data"), ("4", "data"), ("6", "answer")):
        chart = opened("learn", lesson=key, revealed=key).whole().chart(name)
        for bars in without_prediction(chart) if name == "answer" else chart["data"]:
            assert bars["text"] == [number for _, number in bars["customdata"]]
            assert chart["layout"]["xaxis"]["range"][1] > 1.1 * numbers(bars["x"]).max()


@pytest.mark.parametrize("seed", range(3))
def test_each_round_of_peeling_releases_the_largest_noisy_count_that_is_left(opened, seed):
    released = []
    for step in range(1, 5):
        visit = opened("learn", lesson="5", step=str(step), seed=seed).whole()
        marks = visit.chart("example")["data"][-1]
        noisy, places = numbers(marks["x"]), [int(text or 0) for text in marks["text"]]
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
    assert f"The release is {names}: {n_right} of 10 are in their right place." in said(visit)


def test_the_limit_is_drawn_then_places_are_filled(opened):
    (bars,) = opened("learn", lesson="6").whole().chart("example")["data"]
    counts = (20, 16, 12, 3, 2)
    n_of_loss = Counter(
        max(counts[place] - counts[i] for place, i in enumerate(order))
        for order in itertools.permutations(range(5), 3)
    )
    drawn = zip(bars["customdata"], numbers(bars["x"]).tolist(), strict=True)
    assert dict(drawn) == {f"loss {loss}": n for loss, n in n_of_loss.items()}
    total = sum(n * math.exp(-loss / 2) for loss, n in n_of_loss.items())
    known = LESSONS["6"].numbers()
    assert (known["sum"], known["share"]) == (f"{total:.3f}", f"{1 / total:.3f}")
    visit = opened("learn", lesson="6", step="2").whole()
    assert "T = 5 is drawn" in said(visit)
    assert "2 · (3 − 1) · (3 − 2) = 4 sequences" in said(visit)
    assert sum(n for loss, n in n_of_loss.items() if loss <= 5) == 4
    for step, (place, least, left) in enumerate([(1, 15, "AB"), (2, 11, "AC"), (3, 7, "A")], 3):
        visit = opened("learn", lesson="6", step=str(step)).whole()
        bars, threshold = visit.chart("example")["data"]
        assert threshold["name"] == f"eligible at place {place}: from {least} on"
        darker = [
            name[0]
            for name, color in zip(bars["customdata"], bars["marker"]["color"], strict=True)
            if not color.startswith("rgba")
        ]
        assert "".join(darker) == left
        edges = zip(bars["customdata"], bars["marker"]["line"]["width"], strict=True)
        wide = [name for name, width in edges if width > 1]
        assert len(wide) == place - 1
        assert all(", place " in name for name in wide)
    assert "The release is **B, C, A**, of loss 4." in said(visit)


def test_the_rounds_are_better_for_few_items_and_for_little_budget(opened):
    words = said(opened("learn", lesson="6", revealed="6").whole())
    counts = (20, 16, 12, 3, 2)
    second = race(counts, 0.5) * race(counts[1:], 0.5)
    assert f"{100 * second:.1f} against {100 * one_choice(counts, 2, 0.5):.1f} of 100" in words
    assert "Here Joint is worse" not in words
    words = said(opened("learn", lesson="6", revealed="6", epsilon="0.1").whole())
    assert "Here Joint is worse: at ε = 0.1 the many sequences" in words
    words = said(
        opened("learn", lesson="6", revealed="6", data="typed", typed="20 16 3", k="1").whole()
    )
    assert "with k = 1 a round has at least as much ε" in words


def test_the_sequences_that_are_not_shown_are_in_a_bar_of_their_own(opened):
    counts = ItemCounts((20, 16, 12, 3, 2))
    visit = opened("learn", lesson="6", revealed="6").whole()
    for bars, kind in zip(without_prediction(visit.chart("answer")), (Joint, EMPeel), strict=True):
        law = output_distribution(counts, kind(3, 1.0))
        others = sum(p for output, p in law if {3, 4} & set(output))
        drawn = numbers(bars["x"])
        assert drawn[6] == pytest.approx(others)
        assert drawn.sum() == pytest.approx(1)
    joint = numbers(visit.chart("answer")["data"][0]["x"])
    assert joint[1:4] == pytest.approx(joint[0] * math.exp(-4 / 2))


def test_delta_and_every_k_are_seen_on_the_first_data(opened):
    words = said(opened("learn", lesson="5", revealed="5").whole()).replace("\u00a0", " ")
    games = load_dataset("games")
    known = np.array(
        [
            [probability_exact_set(games, kind) for kind in (EMPeel(k, 1.0), CDPPeel(k, 1.0, 1e-6))]
            for k in range(1, 51)
        ]
    )
    at = int(np.argmax(known[:, 1] - known[:, 0]))
    without, with_delta = known[at]
    assert f"k = {at + 1}: {without:.1%} without it, {with_delta:.1%} with it" in words
    fall = int(np.argmax(-np.diff(known[:, 0]))) + 2
    assert f"Without δ the probability falls most at k = {fall}:" in words


def test_a_presented_lesson_keeps_the_case_the_words_of_its_steps_and_its_notes(opened):
    visit = opened("learn", lesson="6", step="2", present="1").whole()
    words = said(visit)
    assert "T = 5 is drawn" in words
    assert "to be released in order" in words
    visit.app.button(key="next-step").click().run()
    assert "**Place 1.**" in said(visit)
    visit.app.button(key="reveal").click().run()
    assert shown(visit) == ["chart-answer"]
    visit.app.button(key="present-Next").click().run()
    assert visit.whole().address == {"lesson": "7", "present": "1", "revealed": "6"}
    assert shown(opened("learn", lesson="7", revealed="7", present="3")) == ["chart-data"]


def test_the_notes_of_a_lesson_come_with_its_slide(opened):
    words = said(opened("learn", lesson="6", present="1").whole())
    assert "**Two questions for the class.**" in words
    assert "$e^{-\\varepsilon T / 2}$ over all T ≥ ℓ" in words.replace("\u00a0", " ")


@pytest.mark.parametrize("seed", range(4))
def test_a_sequence_is_within_its_limit_whatever_the_seed(opened, seed):
    words = said(opened("learn", lesson="6", step="2", seed=seed).whole())
    limit = int(words.partition("**T = ")[2].split()[0])
    words = said(opened("learn", lesson="6", step="5", seed=seed).whole())
    assert int(words.partition("**, of loss ")[2].split(".")[0]) <= limit


def test_a_swap_across_the_gap_counts_it_twice(opened):
    visit = opened("learn", lesson="7").whole()
    assert "**The true set.** A, B, C has u = 16 − 9 = 7." in said(visit).replace("\u00a0", " ")
    visit.app.button(key="next-step").click().run()
    told = said(visit).replace("\u00a0", " ")
    assert "A, B, D has u = 9 − 16 = −7, 14 less: it is $e^{-7}$ times" in told
    law = dict(output_distribution(ItemCounts([20, 18, 16, 9, 8]), InverseSensitivitySet(3, 1.0)))
    times = law[0, 1, 3] / law[0, 1, 2]
    assert times == pytest.approx(math.exp(-7))
    assert f"about 1/{round(1 / times, -2):,.0f}." in told


def test_giving_up_the_order_is_seen_on_the_first_data(opened):
    visit = opened("learn", lesson="7", revealed="7", epsilon="0.1").whole()
    words = said(visit)
    needed = [
        float(line.split("ε = ")[2].rstrip("."))
        for line in words.splitlines()
        if "95% needs" in line
    ]
    in_order, ignored, as_set = needed
    assert in_order > 2 * ignored > 2 * as_set
    told = [float(ratio) for ratio in re.findall(r"([\d.]+) times", words.replace("\u00a0", " "))]
    assert told == pytest.approx([in_order / ignored, ignored / as_set], rel=0.05)


@pytest.mark.grid
@pytest.mark.parametrize("key", LESSONS)
def test_a_lesson_says_that_the_noise_is_twice_that_of_its_example_where_a_user_is_replaced(
    opened, key
):
    replaced = said(opened("learn", lesson=key, revealed=key, neighbors="swap").whole())
    assert replaced.count("all noise is twice as wide") == (key != "1")  # there without noise
    joined = said(opened("learn", lesson=key, revealed=key).whole())
    assert "all noise is twice as wide" not in joined


@pytest.mark.parametrize("key", LESSONS)
def test_steps_go_to_the_end_and_begin_again(opened, key):
    visit = opened("learn", lesson=key)
    seen = []
    while "next-step" in [button.key for button in visit.app.button]:
        seen.append(visit.chart("example")["data"])
        visit.app.button(key="next-step").click().run()
        visit.whole()
    if not seen:
        return
    seen.append(visit.chart("example")["data"])
    assert len({json.dumps(drawn) for drawn in seen}) == len(seen) > 1
    names = LESSONS[key].text.data["steps"][: len(seen)]
    assert " · ".join([*names[:-1], f"**{names[-1]}**"]) in said(visit)
    visit.app.button(key="begin-again").click().run()
    assert visit.chart("example")["data"] == seen[0]


def test_one_item_is_released_by_the_coins_whatever_the_draw(opened):
    for seed in range(6):
        visit = opened("learn", lesson="4", step="20", seed=seed).whole()
        (bars,) = visit.chart("example")["data"]
        results = [name.partition(": ")[2] for name in bars["customdata"]]
        tried = [result for result in results if result]
        assert tried[-1] == "heads"
        assert set(tried[:-1]) <= {"tails"}
        assert results == tried + [""] * (len(results) - len(tried))


def test_the_next_lesson_begins_at_its_first_step(opened):
    visit = opened("learn", lesson="3", step="2", guess_3="50")
    visit.app.button(key="next-lesson").click().run()
    assert visit.whole().address == {"lesson": "4"}
    visit.app.button(key="previous-lesson").click().run()
    assert visit.whole().address == {"lesson": "3", "guess_3": "50"}


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
    visit = opened("learn", lesson=key, revealed=key, **data).whole()
    assert visit.exceptions() == []
    words = said(visit)
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
        words = said(opened("learn", lesson=lesson.key).whole())
        words = words.replace("\u00a0", " ").replace("\u2060", "")
        headings = words.count("**What students ask.**")
        assert headings == ("What students ask" in lesson.text.sections)
        about = f"About {lesson.text.data['minutes']} minutes"
        for part in (lesson.say("The point"), *parts, about):
            assert part.replace("\u00a0", " ") in words


def test_numbers_of_the_notes_follow_from_their_definitions():
    six, seven = (20, 16, 12, 3, 2), (20, 18, 16, 9, 8)
    law = dict(output_distribution(ItemCounts(seven), Joint(3, 1.0)))
    right, wrong = (
        sum(law[order] for order in itertools.permutations(chosen))
        for chosen in ((0, 1, 2), (0, 1, 3))
    )
    rho = (math.sqrt(math.log(1e6) + 1) - math.sqrt(math.log(1e6))) ** 2
    orders = itertools.permutations(six, 3)
    losses = [max(np.array(six[:3]) - order) for order in orders]
    rises = sum(six[place] - np.mean(six[place:]) for place in range(3))
    p, q = 0.01, 0.01 / math.exp(1.2)
    for key, known in {
        "5": {
            "rho": f"{rho:.4f}",
            "factor": f"{math.sqrt(1 / (8 * rho)):.3f}",
            "delta_scale": f"{math.sqrt(10 / (8 * rho)):.2f}",
        },
        "6": {
            "joint": f"{100 * one_choice(six, 3, 0.5):.1f}",
            "peel": f"{100 * math.prod(race(six[place:], 1 / 3) for place in range(3)):.1f}",
            "joint_two": f"{100 * one_choice(six, 2, 0.5):.1f}",
            "joint_04": f"{100 * one_choice(six, 3, 0.2):.1f}",
            "mean_loss": f"{np.mean(losses):.1f}",
            "rises": f"{rises:.1f}",
        },
        "7": {
            "no_margin": f"{without_margin(seven, 3):.1f}",
            "joint_factor": f"{math.exp(3.5):.0f}",
            "orders_factor": f"{right / wrong:.0f}",
            "joint_wide": f"{100 / (1 + math.exp(-1)):.1f}",
            "set_wide": f"{100 / (1 + math.exp(-2)):.1f}",
            "set": f"{100 * right_set(seven, 3):.1f}",
        },
        "8": {
            "twice": f"{1 / (1 + math.exp(-2)):.1%}",
            "prior": f"{9 / math.e / (1 + 9 / math.e):.1%}",
        },
        "9": {"draws": f"{round((2 / 0.2) ** 2 * (1 / p + 1 / q), -3):,.0f}"},
    }.items():
        numbers = LESSONS[key].numbers()
        assert {name: numbers[name] for name in known} == known
    for kind, rate in ((Joint, np.mean(losses) / 2), (EMPeel, rises / 3)):
        tiny = probability_exact_sequence(ItemCounts(six), kind(3, 1e-6))
        assert (60 * tiny - 1) / 1e-6 == pytest.approx(rate, rel=1e-4)


def test_what_the_notes_answer_is_so():
    known = {
        name: float(text)
        for name, text in LESSONS["6"].numbers().items()
        if "_0" in name and "games" not in name
    }
    assert known["peel_04"] > known["joint_04"]
    assert known["joint_05"] > known["peel_05"]
    law = dict(output_distribution(ItemCounts([20, 18, 16, 9, 8]), InverseSensitivitySet(3, 1.0)))
    assert law[0, 1, 2] / law[0, 1, 3] == pytest.approx(math.exp(7))
    wide, joint = ItemCounts([200, 120, 40, 38, 8]), Joint(3, 1.0)
    in_order, as_set = (f(wide, joint) for f in (probability_exact_sequence, probability_exact_set))
    assert in_order == pytest.approx(as_set, rel=1e-9)
    pairs = [(EMPeel(k, 1.0).scale, CDPPeel(k, 1.0, 1e-6).scale) for k in (7, 8)]
    assert pairs[0][0] == pytest.approx(pairs[0][1])
    assert pairs[1][0] > pairs[1][1]
    assert LESSONS["5"].numbers()["helped"] == 8
    tighter = [CDPPeel(k, 1.0, 1e-6, calibration="optimal") for k in range(1, 11)]
    assert all(one.scale < EMPeel(one.k, 1.0).scale for one in tighter)
    assert 120 - (112 - 33) == 41 == round(2 * math.log(1e9))
    assert race(np.array(COUNTS) + 1, 1.0) == pytest.approx(race(COUNTS, 1.0))
    assert race(10 * np.array(COUNTS), 0.1) == pytest.approx(race(COUNTS, 1.0))


def test_the_notes_on_coins_are_so():
    counts = ItemCounts([10, 9, 8, 5])
    speeds = np.exp(counts.counts)
    grid = np.linspace(0, 1 / speeds.max(), 200_001)
    coins = []
    for i in range(4):
        others = np.delete(speeds, i)
        coins.append(speeds[i] * np.trapezoid(np.prod(1 - grid[:, None] * others, axis=1), grid))
    law = dict(output_distribution(counts, PNFPeel(1, 1.0)))
    assert coins == pytest.approx([law[i,] for i in range(4)], rel=1e-6)
    assert (np.diff(coins / speeds) < 0).all()
    # a range above ε: the ratio of A rises though that of B falls by ε
    one, other = (
        dict(output_distribution(ItemCounts(c), PNFPeel(1, 1.0))) for c in ([5, 5], [6, 5])
    )
    logs = [math.log(other[i,] / one[i,]) for i in range(2)]
    assert logs == pytest.approx([math.log(2 - math.exp(-1)), -1])
    known = LESSONS["4"].numbers()
    assert known["interval"] == f"{logs[0] - logs[1]:.2f}"
    errors = [speeds / speeds.sum() @ (10 - counts.counts), coins @ (10 - counts.counts)]
    assert (known["race_error"], known["coins_error"]) == tuple(f"{e:.3f}" for e in errors)
    # never less than a share S / (1 + S) of the race's probability of a wrong item
    for case in ([10, 9, 8, 5], [9, 9, 9, 9], [20, 3], [5, 5, 1, 1, 1]):
        by_coins, by_race = (
            dict(output_distribution(ItemCounts(case), kind(1, 1.0))) for kind in (PNFPeel, EMPeel)
        )
        relative = np.exp(np.array(case) - max(case))
        for i in range(1, len(case)):
            others = relative.sum() - relative[i]
            share = by_coins[i,] / by_race[i,]
            assert share >= others / (1 + others) * (1 - 1e-12)
            assert share >= 0.5

    def lasting(case):
        """Return the part of the race's expected error that the coins keep."""
        away, ranks = max(case) - np.array(case), np.arange(len(case))[:, None]
        by_coins, by_race = (
            np.exp(kind(1, 1.0).log_pmf(ItemCounts(case), ranks)) @ away
            for kind in (PNFPeel, EMPeel)
        )
        return by_coins / by_race

    assert lasting([100] + [90] * 20) == pytest.approx(0.5, abs=1e-3)
    assert lasting([100] + [99] * 200) > 0.95
    for k in (1, 2, 3):  # never worse in k rounds
        right = [probability_exact_sequence(counts, kind(k, 1.0)) for kind in (PNFPeel, EMPeel)]
        assert right[0] > right[1]


def test_the_notes_on_one_choice_are_so():
    def loss(counts, chosen):
        by_size = sorted(counts, reverse=True)
        return max(by_size[place] - counts[i] for place, i in enumerate(chosen))

    before, joined = (20, 16, 12, 3, 2), (20, 16, 13, 3, 2)  # with item C
    losses = [(loss(before, order), loss(joined, order)) for order in [(2, 0, 1), (0, 1, 3)]]
    assert losses == [(8, 7), (9, 10)]
    for held in itertools.product((0, 1), repeat=5):
        after = [count + more for count, more in zip(before, held, strict=True)]
        for order in itertools.permutations(range(5), 3):
            assert abs(loss(after, order) - loss(before, order)) <= 1
    counts = (20, 16, 12, *[1] * 3)
    assert loss(counts, (3, 4, 5)) == 19  # of three of a thousand items with count 1


def test_the_notes_on_sets_are_so():
    crowded = ItemCounts([20, 18, 16] + [9] * 1_000)
    assert 100 * probability_exact_set(crowded, InverseSensitivitySet(3, 1.0)) < 0.01
    known, games = LESSONS["7"].numbers(), load_dataset("games")
    assert (known["others"], known["left_out"]) == (f"{games.d - 4:,}", games.sorted.top(5)[-1])
    assert known["turned"] == "0.5"
    for vector in ((20, 18, 16, 9, 8), (9, 9, 5, 2, 2), (30, 10, 9, 1, 0)):
        counts, true = ItemCounts(vector), (0, 1, 2)
        sets = dict(output_distribution(counts, InverseSensitivitySet(3, 1.0)))
        by_joint = dict.fromkeys(sets, 0.0)
        for order, p in output_distribution(counts, Joint(3, 1.0)):
            by_joint[tuple(sorted(order))] += p
        gap = vector[2] - vector[3]
        for chosen in sets.keys() - {true}:
            largest = max(vector[i] for i in true if i not in chosen)
            smallest = min(vector[i] for i in chosen)
            ratio = math.exp(-(largest - smallest) / 2)
            assert by_joint[chosen] >= by_joint[true] * ratio * (1 - 1e-12)
            assert sets[chosen] / sets[true] == pytest.approx(ratio * math.exp(-gap / 2))


def test_the_bound_on_bounded_range_in_the_notes_is_so():
    for counts, joined in (((9, 5, 5, 1), (10, 5, 6, 1)), ((3, 3, 3), (4, 3, 3))):
        p, q = (np.exp(c) / np.exp(c).sum() for c in (np.array(joined, float), np.array(counts)))
        z = np.log(p / q)
        r = float(np.ptp(z))
        assert r <= 1 + 1e-12
        for alpha in (1.5, 2.0, 5.0, 20.0):
            divergence = math.log(q @ np.exp(alpha * z)) / (alpha - 1)
            assert divergence <= alpha * r**2 / 8


def test_the_conversion_from_zcdp_in_the_notes_is_so():
    rho = CDPPeel(10, 1.0, 1e-6).scale ** -2 * 10 / 8
    assert rho + 2 * math.sqrt(rho * math.log(1e6)) == pytest.approx(1)
    best = (1 + rho) / (2 * rho)
    tails = [math.exp(-(a - 1) * (1 - a * rho)) for a in (best, best - 0.1, best + 0.1)]
    assert tails[0] == pytest.approx(1e-6)
    assert tails[0] < min(tails[1:])


def test_the_closest_round_is_named_with_its_counts(opened):
    for key in ("3", "4"):
        visit = opened("learn", lesson=key, revealed=key).whole()
        words = said(visit)
        assert (
            "Each of the 10 rounds has ε/k = 0.1. The round for place 5 has the smallest gap: "
            in words
        )
        assert "gap: 981 purchases, and 978 at the next." in words
        captions = [caption.value for caption in visit.app.caption]
        assert any("round 5 of the 10 that share ε = 1" in caption for caption in captions)
        words = said(opened("learn", lesson=key, revealed=key, k="1").whole())
        assert "The only round is for place 1: 4,841 purchases, and 2,323 at the next." in words


def test_the_number_of_sequences_within_the_median_limit_is_said(opened):
    words = said(opened("learn", lesson="6", revealed="6").whole())
    assert "Only the right sequence has a loss of at most 1." in words
    words = said(opened("learn", lesson="6", revealed="6", epsilon="0.1").whole())
    counts = np.sort(load_dataset("games").counts)[::-1]
    eligible = [int((counts >= counts[place] - 988).sum()) - place for place in range(10)]
    power = round(math.log10(math.prod(eligible)))
    assert f"About $10^{{{power}}}$ sequences have a loss of at most 988." in words


def test_each_of_the_five_broken_ones_is_found_and_every_step_asks_anew(opened):
    found = []
    visit = opened("learn", lesson="9")
    for step in range(5):
        visit.app.button(key="guess-I").click().run()  # it shows the answer, too
        tiles = dict(visit.whole().tiles)
        found.append((tiles["The answer"], tiles["In numbers"]))
        assert "compare 4, 3, 3, 1 with" in said(visit)
        visit.app.button(key="next-step" if step < 4 else "begin-again").click().run()
        assert "revealed" not in visit.whole().address
        assert "guess_9" not in visit.address
        assert visit.address.get("step", "0") == str((step + 1) % 5)
    assert [ratio for _, ratio in found] == ["∞", "6.1567", "5.3309", "∞", "∞"]
    assert len({answer for answer, _ in found}) == 5


def test_a_list_without_noise_leaves_no_doubt_and_a_private_one_does(opened):
    visit = opened("learn", lesson="1", revealed="1").whole()
    exact, private = without_prediction(visit.chart("answer"))
    np.testing.assert_allclose(numbers(exact["x"]), [0.5, 0, 1, 0.5])
    assert all(1 / (1 + math.e) <= p <= math.e / (1 + math.e) for p in numbers(private["x"]))


def test_the_roc_curve_lies_below_its_limit(opened):
    visit = opened("learn", lesson="8", revealed="8").whole()
    curve, limit = visit.chart("data")["data"]
    at = np.interp(numbers(curve["x"]), numbers(limit["x"]), numbers(limit["y"]))
    assert (numbers(curve["y"]) <= at + 1e-3).all()
    assert numbers(curve["y"])[-1] == pytest.approx(1)


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
    assert headline == "These names cannot be used"
    assert words in sentence
