"""Questions that a teacher asks a class, with options, exact answers and random draws."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.parameters import EPSILON, Choice
from dptopk.core.text_direction import kept_in_order
from dptopk.laws.distribution import log_complements
from dptopk.mechanisms import Mechanism
from dptopk.questions.origin import Origin
from dptopk.ui.formats import compact, counted, plain, probability
from dptopk.ui.widgets.law_by_setting import LawBySetting

MOST_OUTPUTS = 20  # rows of a figure that a lecture hall can read
TOP, LIKELIEST = "top", "likeliest"
ASKED = Choice(
    "asked",
    "Students predict",
    {TOP: "the probability of the likeliest output", LIKELIEST: "which output is the likeliest"},
    TOP,
)
TENTHS = ("below 10%", *(f"{low} to {low + 10}%" for low in range(10, 90, 10)), "90% or more")
_ALIKE = 1e-9  # a difference of probabilities, or of their logarithms, that is rounding


@dataclass(frozen=True)
class LessonQuestion:
    """Prediction of a lesson that a class is asked; nothing is drawn."""

    key: str  # lesson and step
    words: str  # the question, in markdown
    case: str  # its example, likewise
    options: tuple[str, ...]  # predictions to choose from
    right: tuple[int, ...]  # those that are right
    answer: str  # in markdown
    why: str  # it is so, likewise
    origin: Origin  # of the example
    names: tuple[str, ...] = ()  # of outputs

    def option(self, place: int) -> str:
        """Return a prediction in markdown."""
        return self.options[place]

    def is_like(self, other: "Question") -> bool:
        """Return True if another one asks the same."""
        return isinstance(other, LessonQuestion) and self.key == other.key


@dataclass(frozen=True, eq=False)
class Poll:
    """Question on a small case, from whose exact law students draw."""

    counts: ItemCounts
    mechanism: Mechanism  # at its k and ε
    asked: str  # an option of `ASKED`
    outputs: IntArray  # all, shape (m, k), in an order that does not tell their probabilities
    log_probabilities: FloatArray  # exact, shape (m,)
    epsilons: tuple[float, ...]  # at which the probabilities are known as well
    log_by_epsilon: FloatArray = field(repr=False)  # these, shape (number of epsilons, m)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the outputs; they may quote strangers."""
        kind, items = self.mechanism.outputs, self.counts.items
        return tuple(kept_in_order(kind.label(row, items)) for row in self.outputs.tolist())

    @property
    def options(self) -> tuple[str, ...]:
        """Predictions to choose from; they may quote strangers."""
        return self.names if self.asked == LIKELIEST else TENTHS

    def option(self, place: int) -> str:
        """Return a prediction in markdown."""
        return plain(self.names[place]) if self.asked == LIKELIEST else TENTHS[place]

    @cached_property
    def right(self) -> tuple[int, ...]:
        """Options that are right; several where outputs are equally likely."""
        largest = float(self.log_probabilities.max())
        if self.asked == LIKELIEST:
            return tuple(np.flatnonzero(self.log_probabilities > largest - _ALIKE).tolist())
        return (tenths(100 * float(np.exp(largest))),)

    @property
    def likeliest(self) -> int:
        """Place of the likeliest output, the first of them."""
        return int(self.log_probabilities.argmax())

    @property
    def words(self) -> str:
        """The question, in markdown."""
        if self.asked == LIKELIEST:
            return "Which output is the likeliest?"
        return f"How likely is the output {plain(self.names[self.likeliest])}?"

    @property
    def answer(self) -> str:
        """The answer in words, in markdown."""
        chance = self.written[self.likeliest]
        if self.asked == LIKELIEST:
            right = " and ".join(plain(self.names[i]) for i in self.right)
            return f"{right}, with probability {chance}{' each' if len(self.right) > 1 else ''}"
        return chance

    @property
    def case(self) -> str:
        """The counts and the mechanism, in markdown."""
        counts = ", ".join(f"{plain(item)} {count:,}" for item, count in self.counts)
        kind, k = self.mechanism.outputs, self.mechanism.k
        most = "at most " if kind.short else ""
        how = f" {'in order' if kind.ordered else 'as a set'}" if k > 1 else ""
        return (
            f"Counts: {counts}. {plain(self.mechanism.label)} releases {most}{counted(k, 'items')}"
            f"{how} with ε = {compact(self.mechanism.epsilon)}."
        )

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Exact probabilities as they are written."""
        return _written(self.log_probabilities)

    @cached_property
    def law(self) -> LawBySetting:
        """Exact law at every ε, for a slider."""
        return LawBySetting(
            f"Exact probabilities under {self.mechanism.label}.",
            self.mechanism.card.style.color,
            "ε",
            tuple(map(compact, self.epsilons)),
            self.names,
            tuple(map(tuple, np.exp(self.log_by_epsilon).tolist())),
            tuple(map(_written, self.log_by_epsilon)),
            self.epsilons.index(self.mechanism.epsilon),
        )

    def drawn(self, seed: int, number: int, before: int, n: int) -> list[int]:
        """Draw outputs of a student's seed, by their places.

        ``number`` is that of the question, ``before`` the number of draws made before.
        """
        rng = np.random.default_rng([seed, number, before])
        rows = self.mechanism.sample(self.counts, n, rng).tolist()
        return [self._places[tuple(row)] for row in rows]

    @property
    def origin(self) -> Origin:
        """Counts and mechanism of the question."""
        title = f"Counts {', '.join(map(str, self.counts.counts.tolist()))}"
        return Origin(title, self.counts, [self.mechanism], "exact")

    def is_like(self, other: "Question") -> bool:
        """Return True if another one asks the same."""
        return isinstance(other, Poll) and (self.counts.identity, self.mechanism, self.asked) == (
            other.counts.identity,
            other.mechanism,
            other.asked,
        )

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {tuple(row): place for place, row in enumerate(self.outputs.tolist())}


Question: TypeAlias = Poll | LessonQuestion


def tenths(percent: float) -> int:
    """Return the place of a percentage among the options of tenths."""
    return min(int(percent / 10 + _ALIKE), len(TENTHS) - 1)


def make(counts: ItemCounts, mechanism: Mechanism, asked: str) -> Poll:
    """Compute the exact law of a question, also at the steps of ε."""
    outputs = mechanism.outputs.every(counts.d, mechanism.k)
    epsilons = tuple(sorted({*EPSILON.steps, mechanism.epsilon}))
    laws = [mechanism.replaced(epsilon=e).log_pmf(counts, outputs) for e in epsilons]
    return Poll(
        counts,
        mechanism,
        asked,
        outputs,
        mechanism.log_pmf(counts, outputs),
        epsilons,
        np.array(laws),
    )


def _written(log_probabilities: FloatArray) -> tuple[str, ...]:
    pairs = zip(
        log_probabilities.tolist(), log_complements(log_probabilities).tolist(), strict=True
    )
    return tuple(probability(log_p, rest) for log_p, rest in pairs)
