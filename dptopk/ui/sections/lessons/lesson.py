"""Parts of a lesson: an example, a prediction, the exact answer, and the user's data."""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from dptopk import figures
from dptopk.content import texts
from dptopk.core.parameters import EPSILON, Choice, Number
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.kernels import top
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View, styles_of
from dptopk.ui.formats import compact, counted, frequency, plain
from dptopk.ui.show import Chart
from dptopk.ui.widgets.law_by_setting import LawBySetting
from dptopk.ui.widgets.moving_draws import MovingDraws
from dptopk.ui.widgets.moving_limit import MovingLimit

COMMON = texts.read("lessons/common")
NO_GUESS = "none"
N_ITEMS = 6  # of the data, in a figure
N_DRAWS = 100  # that are played
_EPSILONS = {compact(epsilon): epsilon for epsilon in EPSILON.steps}
WHOLE = (0, 1.2)  # of an axis of probabilities, with room for the numbers
Built = TypeVar("Built", bound=Mechanism)


@dataclass(frozen=True)
class Example:
    """Case of a lesson in words, with the figure of its present step."""

    words: str  # in markdown
    chart: Chart
    n_steps: int = 0  # the last step, from 0; with 0 there is nothing to step through
    step: str = ""  # the present one in a sentence
    moving: MovingDraws | MovingLimit | None = None  # draws that are played, or a limit to move


@dataclass(frozen=True)
class Answer:
    """Exact answer of a lesson."""

    value: str | float  # an option of the prediction, or a number
    words: str  # the number as it is written
    kind: str  # what kind of number it is
    why: str  # two sentences, in markdown
    chart: Chart  # that shows it; before that, without its values, it shows the prediction
    code: str  # Python that gives the numbers
    by_setting: LawBySetting | None = None  # at other values of ε, or of another setting
    exact: tuple[float, ...] = ()  # probability of each item, where draws of them are played
    known: tuple[str, ...] = ()  # names in the figure of what the example says already


@dataclass(frozen=True)
class OnData:
    """Result of a lesson on the chosen data."""

    words: str
    chart: Chart | None = None


@dataclass(frozen=True)
class Lesson:
    """Lesson with an example, a prediction and an exact answer; its words are in its file."""

    name: str  # of its file in dptopk/content/lessons
    case: SmallCase  # of its example
    example: Callable[[View, int], Example]  # at a step
    answer: Callable[[int], Answer]  # at a step
    on_data: Callable[[View], OnData]
    more: Callable[[], Mapping[str, object]] = dict  # numbers in its text beside those of its case

    @cached_property
    def text(self) -> texts.TextFile:
        """Title, data and sections of its file."""
        return texts.read(f"lessons/{self.name}")

    def say(self, section: str, **numbers: object) -> str:
        """Return a section of the text with its numbers, and those of this call."""
        return self.text.section(section, self.numbers() | numbers)

    def listed(self, section: str) -> tuple[tuple[str, str], ...]:
        """Return the questions of a section with their answers."""
        return self.text.answered(section, self.numbers())

    def numbers(self) -> dict[str, object]:
        """Return the numbers in its text, by their names."""
        counts = ", ".join(map(str, self.case.counts.counts.tolist()))
        return {"counts": counts, "k": self.case.k, **self.more()}

    @property
    def key(self) -> str:
        """Its number, as links name it."""
        return str(self.text.data["key"])

    @property
    def asks_anew(self) -> bool:
        """Return True if each step is a new example, with an answer of its own."""
        return bool(self.text.data.get("asks_anew"))

    @cached_property
    def prediction(self) -> Choice | Number:
        """The control of the prediction; at first there is none."""
        entry, key = self.text.data["prediction"], f"guess_{self.key}"
        if options := entry.get("options"):
            unknown = {NO_GUESS: "no prediction yet"}
            return Choice(key, entry["label"], unknown | options, NO_GUESS)
        high = entry["high"]
        empty = f"no prediction yet (0 to {high})"
        return Number(key, entry["label"], 0, high, None, empty=empty)

    def points(self, guess: Any) -> list[tuple[float, float | str]]:
        """Return where a prediction stands in the figure of the answer."""
        drawn = self.text.data["prediction"]["drawn"]
        if isinstance(self.prediction, Choice):
            return [(x, y) for x, y in drawn[guess]]
        return [(drawn["unit"] * guess, row) for row in drawn["rows"]]

    def named_steps(self, step: int, last: int) -> str:
        """Return the names of the steps in Markdown, the present one in bold."""
        names = self.text.data["steps"][: last + 1]
        return " · ".join(f"**{n}**" if i == step else n for i, n in enumerate(names))


def built(mechanism: type[Built], k: int, epsilon: float = 1.0, **more: Any) -> Built:
    """Make a mechanism of an example: one user joins or leaves."""
    fields: dict[str, Any] = {"k": k, "epsilon": epsilon, "neighbors": NeighborRelation.ADD_REMOVE}
    return mechanism(**fields | more)


def written(p: float) -> str:
    """Write a probability for a class; one too small for a float is 0 here."""
    return frequency(math.log(max(p, sys.float_info.min)))


def at_every(
    title: str,
    mechanism: Mechanism,
    chances: Callable[[Any], Mapping[str, float]],
    mechanisms: Sequence[Mechanism | None] = (),
    *,
    symbol: str = "ε",
    scale: Mapping[str, Any] = _EPSILONS,
    default: Any = EPSILON.default,
) -> LawBySetting:
    """Compute probabilities of an example at every value of a setting; ``chances`` names them.

    The ``scale`` holds the values by their words; the ``default`` is shown first.  Each
    probability is drawn in the color of its own mechanism, where ``mechanisms`` gives one for each;
    one without a mechanism, None, is drawn in gray.  Else all have the color of ``mechanism``.
    """
    rows = [chances(value) for value in scale.values()]
    return LawBySetting(
        f"{title}, exact.",
        mechanism.card.style.color,
        symbol,
        tuple(scale),
        tuple(rows[0]),
        tuple(tuple(row.values()) for row in rows),
        tuple(tuple(map(written, row.values())) for row in rows),
        tuple(scale.values()).index(default),
        tuple(m.card.style.color if m else "" for m in mechanisms),
    )


def closest_round(view: View) -> tuple[int, str]:
    """Return the place of the top k, from 1, whose count lies closest to the next, ties apart.

    It comes with sentences on the budget of each round, and on the two counts.
    """
    highest = view.counts.sorted.top(view.k + 1)
    gaps = highest[:-1] - highest[1:]
    place = int(np.where(gaps > 0, gaps, np.iinfo(np.int64).max).argmin()) + 1 if gaps.size else 1
    sections = ["Budget of a round"] if view.k > 1 else []
    numbers: dict[str, object] = {"k": view.k, "share": compact(view.epsilon / view.k)}
    if gaps.size:
        here, following = highest[place - 1 : place + 1].tolist()
        tied = " apart from ties" if (gaps == 0).any() else ""
        numbers |= {"place": place, "tied": tied, "following": f"{following:,}"}
        numbers["here"] = counted(here, view.unit)
        sections.append("Closest round" if view.k > 1 else "Only round")
    return place, " ".join(COMMON.section(section, numbers) for section in sections)


def chances_of_one(
    mechanism: Mechanism,
    case: SmallCase,
    chances: Mapping[str, float],
    words: Sequence[str],
    title: str,
    height: int,
    **axis: object,
) -> Chart:
    """Plot the probabilities of an answer, by their names, with what is to be said of the axis."""
    figure = figures.output_probabilities(
        [*chances],
        {mechanism.label: np.array([*chances.values()])},
        styles_of((mechanism,)),
        words={mechanism.label: words},
        beside=True,
    ).update_xaxes(**axis)
    words_of_all = "; ".join(f"{name} {p}" for name, p in zip(chances, words, strict=True))
    origin = case.origin((mechanism,), "exact")
    return Chart(figure, "answer", title, origin, height=height, finding=f"Exact: {words_of_all}.")


def one_round(
    mechanisms: Sequence[Mechanism], case: SmallCase | View, place: int, name: str, title: str
) -> tuple[Chart, list[str], dict[str, float]]:
    """Plot the exact probability of each item at a place, given that all larger were released.

    Returns the figure, the names of the items shown, and the log probability of the first of them
    by label.
    """
    counts = case.counts
    left = top.without_top(counts.sorted, place - 1)
    names = counts.names(counts.order[place - 1 : place - 1 + N_ITEMS])
    ranks = np.arange(len(names))
    log_p = {m.label: m.log_pmf(left, ranks[:, None]) for m in mechanisms}
    words = {label: [frequency(p) for p in values.tolist()] for label, values in log_p.items()}
    of_round = ""
    if isinstance(case, View) and case.k > 1:
        of_round = f"round {place} of the {case.k} that share ε = {compact(case.epsilon)}"
    figure = figures.output_probabilities(
        names,
        {label: np.exp(values) for label, values in log_p.items()},
        styles_of(tuple(mechanisms)),
        words=words,
        short=figures.short_labels(
            [(mechanisms[0].outputs, (i,)) for i in range(len(names))], names
        ),
        beside=True,
    ).update_xaxes(range=WHOLE)
    parts = "; ".join(f"{label} {plain(names[0])} {words[label][0]}" for label in words)
    chart = Chart(
        figure,
        name,
        title,
        case.origin(mechanisms, "exact", note=of_round),
        height=figures.height_of_rows(len(names), len(mechanisms)),
        finding=f"Exact probability: {parts}.",
    )
    return chart, names, {label: float(values[0]) for label, values in log_p.items()}
