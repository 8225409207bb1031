"""Generate exercises on private top-k selection whose answers can be computed by hand.

ε is a multiple of ln 2 or ln 3, so that probabilities under neighbors by adding or removing a user
are fractions.  Every sheet is determined by a seed and the name of a student: the numbers are
drawn by SHA-256, which stays the same on every machine and in every version of Python.
"""

import hashlib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeVar
from urllib.parse import parse_qs

import numpy as np

from dptopk.core.counts import ItemCounts
from dptopk.core.number_parsing import parse_number
from dptopk.laws.distribution import output_distribution
from dptopk.laws.privacy_losses import within, worst_case_loss
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.selections import COINS, ONE_CHOICE, ONE_SET, RACE
from dptopk.questions.settings import VECTOR

T = TypeVar("T")

TOLERANCE = 0.01
"""Largest error of a number that still counts as right, as a share of the right number."""

MOST = 20
"""The largest count that an answer may have."""

_ROUNDING = 1e-12  # relative: 0.495 is just within 1% of 1/2
_LETTERS = "ABCDEF"
_LARGEST_DENOMINATOR = 10**7


class AnswerError(ValueError):
    """An answer that cannot be read; the message says why."""


class Draws:
    """Pseudorandom choices seeded by a text, equal on every machine."""

    def __init__(self, text: str):
        self._text = text
        self._n = 0

    def one(self, options: Sequence[T]) -> T:
        """Return one of the options, all equally likely."""
        self._n += 1
        digest = hashlib.sha256(f"{self._text}/{self._n}".encode()).digest()
        return options[int.from_bytes(digest) % len(options)]


@dataclass(frozen=True)
class NumberAnswer:
    """A number as the answer, right if it is off by at most `TOLERANCE` of its value."""

    value: float
    shown: str

    def credit(self, text: str) -> tuple[float, str]:
        """Return the share of the points that an answer earns, and a remark."""
        off = abs(number(text) - self.value) - TOLERANCE * abs(self.value)
        right = off <= _ROUNDING * abs(self.value)
        return float(right), "" if right else f"expected {self.shown}"


@dataclass(frozen=True)
class CountsAnswer:
    """Counts with a wanted property as the answer.

    ``judge`` returns the share of the points that counts earn, and a remark; ``example`` are counts
    that earn all of them.
    """

    n: int
    judge: Callable[[ItemCounts], tuple[float, str]]
    example: tuple[int, ...]

    @property
    def shown(self) -> str:
        """Counts that earn all points, as text."""
        return f"for example {', '.join(map(str, self.example))}"

    def credit(self, text: str) -> tuple[float, str]:
        """Return the share of the points that an answer earns, and a remark."""
        query = text.partition("#")[0].partition("?")[2]  # empty where it is no link
        given = parse_qs(query).get(VECTOR.key, [text])
        return self.judge(ItemCounts(whole_numbers(given[0], self.n)))


@dataclass(frozen=True)
class Exercise:
    """One exercise: paragraphs of text, points, the answer and how it is found."""

    title: str
    text: tuple[str, ...]
    points: int
    answer: NumberAnswer | CountsAnswer
    solution: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """Exercises of one student."""

    student: str
    exercises: tuple[Exercise, ...]

    @property
    def points(self) -> int:
        """Number of points of all exercises."""
        return sum(exercise.points for exercise in self.exercises)


def make_sheet(seed: int, student: str) -> Sheet:
    """Generate the sheet of one student: one exercise of every kind, in a fixed order.

    ``seed`` is of the whole class: whoever knows it can generate every answer.
    """
    return Sheet(
        student, tuple(kind(Draws(f"{seed}/{student}/{i}")) for i, kind in enumerate(KINDS))
    )


def number(text: str) -> float:
    """Read a fraction, a decimal, with a point or a comma, or a percentage; see `parse_number`.

    Other text, and what can be read in two ways, such as 2,018, is an `AnswerError`.
    """
    try:
        value = parse_number(text.strip().removesuffix("%"))
    except ValueError as error:
        raise AnswerError(f"{text.strip()[:40]!r} {error}") from error
    return value / 100 if text.strip().endswith("%") else value


def whole_numbers(text: str, n: int) -> list[int]:
    """Read n counts from 0 to `MOST`, separated by commas."""
    cells = [cell.strip() for cell in text.split(",")]
    if len(cells) != n or not all(cell.isascii() and cell.isdigit() for cell in cells):
        example = ", ".join(map(str, range(n, 0, -1)))
        raise AnswerError(f"{text.strip()[:40]!r} is not {n} whole numbers such as {example}")
    if any(len(cell) > 3 or int(cell) > MOST for cell in cells):
        raise AnswerError(f"counts are at most {MOST}")
    return [int(cell) for cell in cells]


def fraction(value: float) -> str:
    """Return a probability as a fraction where it has a small one, else with six digits."""
    near = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    return str(near) if math.isclose(near, value, rel_tol=1e-11) else f"{value:.6g}"


def _first_arrival(draws: Draws) -> Exercise:
    base = draws.one((2, 3))
    counts = _distinct(draws, 4, span=5)
    place = draws.one(range(4))
    return _probability(
        "The exponential mechanism",
        counts,
        f"The exponential mechanism releases one item (k = 1) with ε = ln {base}; neighbouring "
        f"data differ by one user, who changes each count by at most 1, all in one direction. What "
        f"is the probability that {_LETTERS[place]} is released?",
        _law(counts, RACE(1, math.log(base)))[(place,)],
        f"With counts that all move in one direction the weight of an item is e^(ε · count) = "
        f"{base}^count: divide that of {_LETTERS[place]} by the sum of the four.",
        2,
    )


def _coins(draws: Draws) -> Exercise:
    counts = _distinct(draws, 3, span=3)
    place = draws.one(range(3))
    return _probability(
        "Permute-and-flip",
        counts,
        f"Permute-and-flip releases one item (k = 1) with ε = ln 2; neighbouring data differ by "
        f"one user. What is the probability that {_LETTERS[place]} is released?",
        _law(counts, COINS(1, math.log(2)))[(place,)],
        "The items come in random order, all six orders alike; an item whose count is g below the "
        "largest is released with probability 2^(−g) when its turn comes. Add up the six orders; "
        "the item with the largest count is always released when its turn comes.",
        3,
    )


def _rounds(draws: Draws) -> Exercise:
    counts = _distinct(draws, 4, span=4)
    first, second = draws.one(list(itertools.permutations(range(4), 2)))
    return _probability(
        "Peeling",
        counts,
        "Two rounds of the exponential mechanism release two items in order (k = 2); ε = 2 ln 2 is "
        f"the budget of both rounds. What is the probability of {_LETTERS[first]} first and "
        f"{_LETTERS[second]} second?",
        _law(counts, RACE(2, 2 * math.log(2)))[first, second],
        "Each round has ε/2 = ln 2, and so weights 2^count. The second round chooses among the "
        "three items that are left.",
        3,
    )


def _sequence(draws: Draws) -> Exercise:
    counts = _distinct(draws, 4, span=4)
    first, second = draws.one(list(itertools.permutations(range(4), 2)))
    return _probability(
        "One choice among all sequences",
        counts,
        "Joint releases a sequence of two items (k = 2) with ε = 2 ln 2; neighbouring data differ "
        f"by one user. What is the probability of {_LETTERS[first]} first and {_LETTERS[second]} "
        "second?",
        _law(counts, ONE_CHOICE(2, 2 * math.log(2)))[first, second],
        "Write down the twelve sequences. The utility of a sequence is minus the largest "
        "difference between the true i-th count and the count of the item at place i, differences "
        "below 0 counted as 0; its weight is e^(ε · utility / 2) = 2^utility.",
        4,
    )


def _set(draws: Draws) -> Exercise:
    counts = _distinct(draws, 4, span=4)
    chosen = draws.one(list(itertools.combinations(range(4), 2)))
    return _probability(
        "One choice among all sets",
        counts,
        "The inverse-sensitivity mechanism releases a set of two items (k = 2) with ε = 2 ln 2: "
        "the score of a set is its smallest count minus the largest count outside of it, and its "
        "weight is e^(ε · score / 2) = 2^score. What is the probability of the set {"
        f"{', '.join(_LETTERS[i] for i in chosen)}}}?",
        _law(counts, ONE_SET(2, 2 * math.log(2)))[chosen],
        "The six weights are powers of 2: the true top two has a positive score, every other set "
        "a negative one. Divide by their sum.",
        3,
    )


def _belief(draws: Draws) -> Exercise:
    base = draws.one((2, 3, 4))
    prior = Fraction(1, draws.one((2, 3, 4, 5)))
    most = prior * base / (prior * base + 1 - prior)
    return Exercise(
        "Belief of an observer",
        (
            f"Before a release an observer believes with probability {prior} that Alice is in the "
            f"data. The release is ε-differentially private with ε = ln {base}. What is the "
            "largest probability that the observer can give it afterwards?",
        ),
        2,
        NumberAnswer(float(most), str(most)),
        (
            f"The odds before are {prior / (1 - prior)}; a release multiplies them by at most "
            f"e^ε = {base}. Odds o are the probability o / (1 + o).",
        ),
    )


def _two_days(draws: Draws) -> Exercise:
    counts = _distinct(draws, 3, span=3)
    place = draws.one(range(3))
    mechanism = RACE(1, math.log(3))
    more = list(counts)
    more[place] += 1
    ratio = _law(more, mechanism)[(place,)] / _law(counts, mechanism)[(place,)]
    name = _LETTERS[place]
    return _probability(
        "Privacy loss",
        counts,
        "The exponential mechanism releases one item (k = 1) with ε = ln 3. Then a user joins "
        f"who has only {name}. By which factor does the probability that {name} is released "
        "grow?",
        ratio,
        f"The weight 3^count of {name} grows by the factor 3, but the sum of all weights grows "
        "too: the probability grows by less than e^ε = 3.",
        3,
    )


def _lead(draws: Draws) -> Exercise:
    base = draws.one((2, 3))
    best, example = _largest_lead(base)

    def judge(counts: ItemCounts) -> tuple[float, str]:
        lead = _lead_of(counts.counts.tolist(), base)
        remark = f"the lead is {lead:.4f}, the largest {best:.4f}"
        return (1.0 if lead >= 0.999 * best else max(0.0, lead / best) / 2), remark

    return Exercise(
        "The lead of permute-and-flip",
        (
            f"Find four counts from 0 to {MOST}, the largest of them once, for which the lead of "
            "permute-and-flip over the exponential mechanism is as large as possible: the "
            f"difference of their probabilities to release the item with the largest count, with "
            f"k = 1 and ε = ln {base}. Write the four counts, separated by commas, or the link "
            "to the page Exact that shows them. A smaller lead earns up to half of the points.",
        ),
        4,
        CountsAnswer(4, judge, example),
        (
            f"The largest lead is {best:.4f}, at gaps of "
            f"{', '.join(str(example[0] - c) for c in example[1:])} below the largest count, found "
            "by trying all. Without gaps, and with very large ones, both release alike.",
        ),
    )


def _unnoticed(draws: Draws) -> Exercise:
    less, epsilon = draws.one((10, 15, 20)), 0.1  # with ε = ln 2, 20% would show on all counts
    left = 1 - less / 100
    mechanism = RACE(1, epsilon / left)

    def judge(counts: ItemCounts) -> tuple[float, str]:
        loss = worst_case_loss(counts, mechanism).value
        seen = f"the worst privacy loss is {loss:.4f}, and ε is {epsilon:.4f}"
        return float(within(loss, epsilon)), seen

    return Exercise(
        "A fault that no test on these data shows",
        (
            "A program is to release one of four items (k = 1) by the exponential mechanism with "
            f"ε = {epsilon}, but by mistake adds {less}% too little noise: it runs with "
            f"ε / {left:g}. Find four counts from 0 to {MOST} on which the mistake does not show: "
            "when a user joins or leaves, who has any of the four items, no probability changes "
            "by a factor of more than e^ε. Write the four counts, separated by commas, or "
            "the link to the page Exact that shows them.",
        ),
        4,
        CountsAnswer(4, judge, (5, 5, 5, 5)),
        (
            f"The less likely an output, the closer its factor comes to e^(ε / {left:g}); of four "
            "equal counts none is unlikely. Checks on one data set cannot prove privacy: a proof "
            "must cover all neighbours of all data sets.",
        ),
    )


KINDS: tuple[Callable[[Draws], Exercise], ...] = (
    _first_arrival,
    _belief,
    _coins,
    _rounds,
    _two_days,
    _sequence,
    _set,
    _lead,
    _unnoticed,
)
"""Functions that generate one exercise each, in the order of a sheet."""


def _distinct(draws: Draws, n: int, span: int) -> list[int]:
    """Return n distinct counts, the largest first, none more than ``span`` below it."""
    top = draws.one(range(span + 1, 10))
    below = draws.one(list(itertools.combinations(range(1, span + 1), n - 1)))
    return [top, *(top - gap for gap in below)]


def _law(counts: Sequence[int], mechanism: Mechanism) -> dict[tuple[int, ...], float]:
    """Return the exact probability of every output, by positions."""
    return dict(output_distribution(ItemCounts(counts), mechanism))


def _probability(
    title: str, counts: Sequence[int], question: str, value: float, how: str, points: int
) -> Exercise:
    """Return an exercise that asks for a number, such as a probability, on these counts."""
    names = (f"{_LETTERS[i]} {count}" for i, count in enumerate(counts))
    given, answer = f"Counts of users: {', '.join(names)}.", NumberAnswer(value, fraction(value))
    return Exercise(title, (given, question), points, answer, (how,))


def _lead_of(counts: Sequence[int], base: int) -> float:
    """Return by how much likelier the right item is by coins than by the race; 0 with a tie."""
    if sorted(counts)[-1] == sorted(counts)[-2]:
        return 0.0
    of, right = ItemCounts(counts), np.array([[counts.index(max(counts))]])
    coins, race = (kind(1, math.log(base)).log_pmf(of, right)[0] for kind in (COINS, RACE))
    return float(np.exp(coins) - np.exp(race))


@cache
def _largest_lead(base: int) -> tuple[float, tuple[int, ...]]:
    """Return the largest lead of all gaps to a count of `MOST`, and such counts.

    With p = base^-gap of each other item, coins release the right one with probability
    1 - sum p / 2 + sum p p' / 3 - p p' p'' / 4 (integral of the product of 1 - p u over u from 0
    to 1), and the race with 1 / (1 + sum p).
    """
    gaps = np.array(list(itertools.combinations_with_replacement(range(1, MOST + 1), 3)))
    a, b, c = np.power(float(base), -gaps).T
    coins = 1 - (a + b + c) / 2 + (a * b + a * c + b * c) / 3 - a * b * c / 4
    best = gaps[np.argmax(coins - 1 / (1 + a + b + c))]
    counts = (MOST, *(MOST - best).tolist())
    return _lead_of(counts, base), counts
