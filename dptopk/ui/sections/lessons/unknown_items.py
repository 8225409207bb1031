"""Lesson 10: release items that are not known in advance, above a threshold."""

import numpy as np

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.parameters import DELTA
from dptopk.laws.distribution import output_distribution
from dptopk.mechanisms import Thresholded
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import OPEN
from dptopk.questions.view import View, styles_of
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import compact
from dptopk.ui.sections import how_it_chooses, limits_drawn
from dptopk.ui.sections.lessons.lesson import (
    N_ITEMS,
    Lesson,
    LessonAnswer,
    LessonExample,
    OnData,
    at_every,
    built,
    case_of,
    counts_of,
    written,
)
from dptopk.ui.sentences.gaps import threshold_meaning
from dptopk.ui.show import Chart

_VECTOR = "30, 24, 20, 1"
_DELTA = 0.001
_MECHANISM = built(OPEN, 2, delta=_DELTA)
_SCALE = [delta for delta in DELTA.steps if delta]  # without δ nothing comes out
_NEVER, _SELDOM, _OFTEN = "never", "delta", "often"


def _example(view: View, step: int) -> LessonExample:
    case = case_of(view, _VECTOR, 2)
    rng = generator_for(_MECHANISM, view.seed)
    picture = _MECHANISM.picture(case.counts.sorted, np.arange(case.counts.d), rng)
    assert isinstance(picture, NoisyCounts)
    origin = case.origin((_MECHANISM,), "exact, with draws of the noise", seed=view.seed)
    moving = limits_drawn.moving_threshold(case.counts, _MECHANISM, case.unit, view.seed, origin)
    return LessonExample(
        LESSON.say("Example"),
        Chart(
            how_it_chooses.figure(picture, case.counts.items, _MECHANISM, case.unit, case.counts.d),
            "example",
            "Four counts with noise, and the threshold.",
            case.origin((_MECHANISM,), "one draw of the noise", seed=view.seed),
            height=360,
            finding=how_it_chooses.described(picture, case.counts.items),
        ),
        moving=moving,
    )


def _answer(view: View, step: int) -> LessonAnswer:
    case = case_of(view, _VECTOR, 2)
    out = _out(case.counts, _DELTA)
    alone = out[-1]
    words = [written(p) for p in out]
    described = "; ".join(f"{item} {p}" for item, p in zip(case.counts.items, words, strict=True))
    return LessonAnswer(
        _NEVER if alone == 0 else _SELDOM if alone <= _DELTA else _OFTEN,
        words[-1],
        f"exact; δ = {compact(_DELTA)}",
        LESSON.say("Why"),
        Chart(
            figures.output_probabilities(
                case.counts.items,
                {_MECHANISM.label: np.array(out)},
                styles_of((_MECHANISM,)),
                words={_MECHANISM.label: words},
                beside=True,
            ),
            "answer",
            "Probability that each item comes out; D is Alice’s.",
            case.origin((_MECHANISM,), "exact"),
            height=300,
            finding=f"Exact: {described}.",
        ),
        snippets.small(
            case.python,
            (_MECHANISM,),
            """
law = output_distribution(counts, mechanisms[0])
for item in range(counts.d):
    print(counts.items[item], law.probabilities[(law.sequences == item).any(axis=1)].sum())
""",
        ),
        at_every(
            "δ",
            {_with_threshold(case.counts, delta): delta for delta in _SCALE},
            _DELTA,
            "Probability that each item comes out",
            _MECHANISM.card.style,
            lambda delta: dict(zip(case.counts.items, _out(case.counts, delta), strict=True)),
        ),
    )


def _out(counts: ItemCounts, delta: float) -> list[float]:
    """Return the probability that each item comes out."""
    law = output_distribution(counts, _MECHANISM.replaced(delta=delta))
    held = [(law.sequences == item).any(axis=1) for item in range(counts.d)]
    return [float(law.probabilities[rows].sum()) for rows in held]


def _with_threshold(counts: ItemCounts, delta: float) -> str:
    """Write a δ with the threshold that it sets."""
    return f"{compact(delta)}, ⊥ at {_threshold(counts, delta)}"


def _threshold(counts: ItemCounts, delta: float) -> str:
    """Write the threshold that a δ sets, before noise is added."""
    mechanism = _MECHANISM.replaced(delta=delta)
    assert isinstance(mechanism, Thresholded)
    return f"{mechanism.threshold(counts.sorted):.1f}"


def _on_data(view: View) -> OnData:
    mechanism = view.build(OPEN, view.k)
    mechanism.check(view.counts)
    words = threshold_meaning(mechanism, view.counts.sorted, view.unit)
    ranks = np.arange(min(N_ITEMS, view.counts.d))
    rng = generator_for(mechanism, view.seed)
    picture = mechanism.picture(view.counts.sorted, ranks, rng)
    if not isinstance(picture, NoisyCounts):
        return OnData(words)
    names = view.counts.names(view.counts.order[: ranks.size])
    return OnData(
        words,
        Chart(
            how_it_chooses.figure(picture, names, mechanism, view.unit, view.counts.d),
            "data",
            "The largest counts with noise, and the threshold.",
            view.origin((mechanism,), "one draw of the noise", seed=view.seed),
            height=figures.height_of_rows(len(names), 2),
            finding=how_it_chooses.described(picture, names),
        ),
    )


def _numbers() -> dict[str, object]:
    """Return the numbers of the text: thresholds at δ and at a thousandth of it."""
    counts = counts_of(_VECTOR)
    return {
        "counts": _VECTOR,
        "k": _MECHANISM.k,
        "delta": compact(_DELTA),
        "threshold": _threshold(counts, _DELTA),
        "threshold_of_less": _threshold(counts, _DELTA / 1_000),
    }


LESSON = Lesson("unknown_items", _numbers, _example, _answer, _on_data)
