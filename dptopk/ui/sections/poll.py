"""Questions that a teacher asks a class, with options, exact answers and random draws."""

from collections.abc import Hashable
from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
class Question:
    """Question to a class, such as the prediction of a lesson; its sentences are in markdown."""

    key: Hashable  # the same for all that ask the same
    words: str
    case: str  # its example
    options: tuple[str, ...]  # predictions to choose from; they may quote strangers
    said: tuple[str, ...]  # these in markdown
    right: tuple[int, ...]  # those that are right; several where outputs are equally likely
    answer: str
    why: str  # it is so; empty where the law is shown
    origin: Origin
    names: tuple[str, ...]  # of the outputs that are drawn, if any; they may quote strangers


@dataclass(frozen=True, eq=False)
class Poll(Question):
    """Question on a small case, from whose exact law students draw."""

    counts: ItemCounts
    mechanism: Mechanism  # at its k and ε
    outputs: IntArray  # all, shape (m, k), in an order that does not tell their probabilities
    probabilities: FloatArray  # exact, shape (m,)
    written: tuple[str, ...]  # these as they are written
    chance: str  # that of the likeliest
    law: LawBySetting  # at every ε, for a slider

    def drawn(self, seed: int, number: int, before: int, n: int) -> list[int]:
        """Draw outputs of a student's seed, by their places.

        ``number`` is that of the question, ``before`` the number of draws made before.
        """
        rng = np.random.default_rng([seed, number, before])
        places = {tuple(row): place for place, row in enumerate(self.outputs.tolist())}
        rows = self.mechanism.sample(self.counts, n, rng).tolist()
        return [places[tuple(row)] for row in rows]


def tenths(percent: float) -> int:
    """Return the place of a percentage among the options of tenths."""
    return min(int(percent / 10 + _ALIKE), len(TENTHS) - 1)


def make(counts: ItemCounts, mechanism: Mechanism, asked: str) -> Poll:
    """Compute a question, an option of `ASKED`, with its exact law, also at the steps of ε."""
    kind, k = mechanism.outputs, mechanism.k
    outputs = kind.every(counts.d, k)
    names = tuple(kept_in_order(kind.label(row, counts.items)) for row in outputs.tolist())
    epsilons = tuple(sorted({*EPSILON.steps, mechanism.epsilon}))
    logs = [mechanism.replaced(epsilon=e).log_pmf(counts, outputs) for e in epsilons]
    written = tuple(map(_written, logs))
    at = epsilons.index(mechanism.epsilon)
    likeliest = int(logs[at].argmax())
    options = said = TENTHS
    right: tuple[int, ...] = (tenths(100 * float(np.exp(logs[at][likeliest]))),)
    words = f"How likely is the output {plain(names[likeliest])}?"
    answer = chance = written[at][likeliest]
    if asked == LIKELIEST:
        options, said = names, tuple(map(plain, names))
        right = tuple(np.flatnonzero(logs[at] > logs[at][likeliest] - _ALIKE).tolist())
        words, each = "Which output is the likeliest?", " each" * (len(right) > 1)
        answer = f"{' and '.join(said[i] for i in right)}, with probability {chance}{each}"
    listed = ", ".join(f"{plain(item)} {count:,}" for item, count in counts)
    how = f" {'in order' if kind.ordered else 'as a set'}" if k > 1 else ""
    return Poll(
        (counts.identity, mechanism, asked),
        words,
        f"Counts: {listed}. {plain(mechanism.label)} releases {'at most ' * kind.short}"
        f"{counted(k, 'items')}{how} with ε = {compact(mechanism.epsilon)}.",
        options,
        said,
        right,
        answer,
        "",
        Origin(
            f"Counts {', '.join(map(str, counts.counts.tolist()))}", counts, [mechanism], "exact"
        ),
        names,
        counts,
        mechanism,
        outputs,
        np.exp(logs[at]),
        written[at],
        chance,
        LawBySetting(
            f"Exact probabilities under {mechanism.label}.",
            mechanism.card.style.color,
            "ε",
            tuple(map(compact, epsilons)),
            names,
            tuple(map(tuple, np.exp(logs).tolist())),
            written,
            at,
        ),
    )


def _written(log_probabilities: FloatArray) -> tuple[str, ...]:
    rest = log_complements(log_probabilities).tolist()
    return tuple(map(probability, log_probabilities.tolist(), rest))
