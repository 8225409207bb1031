"""Test the answers of exercises against sums of fractions over all outputs."""

import itertools
import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from dptopk import ItemCounts, PNFPeel, output_distribution
from dptopk.homework.exercises import (
    MOST,
    AnswerError,
    NumberAnswer,
    make_sheet,
    number,
    whole_numbers,
)

LETTERS = "ABCDEF"
SHEETS = [make_sheet(7, f"student {i}") for i in range(12)]


def counts_of(exercise):
    told = dict(re.findall(r"([A-F]) (\d+)", exercise.text[0]))
    return [Fraction(told[letter]) for letter in sorted(told)]


def base_of(exercise):
    return int(re.search(r"(?:= |\d )ln (\d)", exercise.text[-1])[1])


def asked_of(exercise, pattern):
    return [LETTERS.index(letter) for letter in re.search(pattern, exercise.text[-1]).groups()]


def race(counts, base):
    weights = [Fraction(base) ** count for count in counts]
    return [weight / sum(weights) for weight in weights]


def coins(counts, wanted, base=2):
    """Add up the orders, and in each the coins until an item is released."""
    orders = list(itertools.permutations(range(len(counts))))
    total = Fraction(0)
    for order in orders:
        left = Fraction(1)
        for item in order:
            heads = Fraction(base) ** (counts[item] - max(counts))
            if item == wanted:
                total += left * heads
                break
            left *= 1 - heads
    return total / len(orders)


def utility_of_sequence(counts, chosen):
    true = sorted(counts, reverse=True)
    return -max(max(true[place] - counts[i], 0) for place, i in enumerate(chosen))


def score_of_set(counts, chosen):
    return min(counts[i] for i in chosen) - max(
        count for i, count in enumerate(counts) if i not in chosen
    )


def by_hand(place, exercise):
    """Return the answer of an exercise as a fraction, from its text alone."""
    if place == 1:
        words = exercise.text[0]
        prior = Fraction(re.search(r"probability (\d/\d)", words)[1])
        odds = prior / (1 - prior) * int(re.search(r"ln (\d)", words)[1])
        return odds / (1 + odds)
    counts = counts_of(exercise)
    if place == 0:
        (wanted,) = asked_of(exercise, r"that ([A-F]) is released")
        return race(counts, base_of(exercise))[wanted]
    if place == 2:
        return coins(counts, *asked_of(exercise, r"that ([A-F]) is released"))
    if place == 3:
        first, second = asked_of(exercise, r"of ([A-F]) first and ([A-F]) second")
        rest = [count for i, count in enumerate(counts) if i != first]
        return race(counts, 2)[first] * race(rest, 2)[second - (second > first)]
    if place == 4:
        (wanted,) = asked_of(exercise, r"has only ([A-F])\.")
        joined = [count + (i == wanted) for i, count in enumerate(counts)]
        return race(joined, 3)[wanted] / race(counts, 3)[wanted]
    if place == 5:
        chosen = tuple(asked_of(exercise, r"of ([A-F]) first and ([A-F]) second"))
        every, utility = itertools.permutations(range(4), 2), utility_of_sequence
        two = Fraction(2)
        return two ** utility(counts, chosen) / sum(two ** utility(counts, one) for one in every)
    chosen = tuple(asked_of(exercise, r"\{([A-F]), ([A-F])\}"))
    every, score = itertools.combinations(range(4), 2), score_of_set
    two = Fraction(2)
    return two ** score(counts, chosen) / sum(two ** score(counts, one) for one in every)


@pytest.mark.parametrize("place", range(7))
def test_answers_are_those_computed_by_hand(place):
    for sheet in SHEETS:
        exercise = sheet.exercises[place]
        expected = by_hand(place, exercise)
        assert math.isclose(exercise.answer.value, expected, rel_tol=1e-12)
        assert Fraction(exercise.answer.shown) == expected
        assert exercise.answer.credit(exercise.answer.shown) == (1.0, "")
        assert exercise.answer.credit(str(float(expected) * 1.02))[0] == 0.0


def test_students_get_numbers_of_their_own_and_each_the_same_again():
    for place in range(7):
        assert len({sheet.exercises[place].text for sheet in SHEETS}) > 4
    again = make_sheet(7, "student 3")
    assert [e.text for e in again.exercises] == [e.text for e in SHEETS[3].exercises]


def test_a_sheet_keeps_its_numbers_on_every_machine_and_version():
    shown = [exercise.answer.shown for exercise in make_sheet(1, "Ada").exercises]
    assert shown[:7] == ["81/352", "2/3", "11/192", "2/675", "111/55", "1/57", "8/13"]


def test_the_largest_lead_is_that_of_all_gaps():
    lead = SHEETS[0].exercises[7].answer
    assert lead.credit(", ".join(map(str, lead.example)))[0] == 1.0
    base = base_of(SHEETS[0].exercises[7])
    own = ItemCounts(lead.example)
    coin = dict(output_distribution(own, PNFPeel(1, math.log(base))))[(0,)]
    most = coin - float(race([Fraction(c) for c in lead.example], base)[0])
    for gaps in itertools.combinations_with_replacement(range(5), 3):
        counts = [Fraction(MOST - gap) for gap in (0, *gaps)]
        unique = counts.count(max(counts)) == 1
        if unique:
            here = coins(counts, 0, base) - race(counts, base)[0]
            assert here <= most + 1e-12
        credit, _ = lead.credit(", ".join(map(str, counts)))
        assert credit == 1.0 if unique and here > 0.999 * most else credit <= 0.5


@pytest.mark.parametrize(
    ("counts", "credit"), [("5, 5, 5, 5", 1.0), ("1,0,0,0", 1.0), ("20,0,0,0", 0.0)]
)
def test_a_fault_goes_unnoticed_where_no_output_is_unlikely(counts, credit):
    texts = set()
    for sheet in SHEETS:
        texts.add(sheet.exercises[8].text)
        assert sheet.exercises[8].answer.credit(counts)[0] == credit
    assert len(texts) == 3  # one for each size of the mistake
    assert any("20% too little noise: it runs with ε / 0.8." in " ".join(text) for text in texts)


def test_counts_may_come_as_a_link():
    answer = SHEETS[0].exercises[8].answer
    link = "http://localhost:8501/exact?small=typed&vector=5%2C+5%2C+5%2C+5&k=1"
    assert answer.credit(link)[0] == 1.0
    with pytest.raises(AnswerError, match="4 whole numbers such as"):
        answer.credit("http://[exact?k=1")  # no address either


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, 0.375) for text in ("3/8", " 0.375 ", "37.5 %", "3 / 8", "0,375", "37,5%")),
        ("0,500", 0.5),
        ("−2", -2.0),
    ],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert number(text) == value


@pytest.mark.parametrize("text", ["", "x", "%", "1/0", "nan", "inf", "1%/2", "1e999", "0.5, 1"])
def test_other_texts_are_refused_as_numbers(text):
    with pytest.raises(AnswerError, match=r"is not a (finite )?number"):
        number(text)


def test_an_error_is_at_most_one_percent_of_the_solution():
    """An answer of 0.50505 is within 1 % of itself, but not of 1/2."""
    half = NumberAnswer(0.5, "1/2")
    given = ("0.4949", "0.495", "49,5%", "0.505", "0.50501", "0.50505")
    assert [half.credit(text)[0] for text in given] == [0, 1, 1, 1, 0, 0]


@pytest.mark.parametrize(
    "text", ["1, 2, 3", "1, 2, 3, x", "1, 2, 3, -4", "1, 2, 3, 4.0", "²,1,1,1"]
)
def test_other_texts_are_refused_as_counts(text):
    with pytest.raises(AnswerError, match="4 whole numbers such as 4, 3, 2, 1"):
        whole_numbers(text, 4)


def test_counts_have_a_largest_value():
    with pytest.raises(AnswerError, match="at most 20"):
        whole_numbers("1, 2, 3, 21", 4)


@given(st.text(max_size=60))
def test_no_text_breaks_the_grading(text):
    for exercise in SHEETS[0].exercises:
        try:
            credit, _ = exercise.answer.credit(text)
        except AnswerError:
            continue
        assert 0 <= credit <= 1
        assert isinstance(exercise.answer, NumberAnswer) or text.count(",") >= 3
