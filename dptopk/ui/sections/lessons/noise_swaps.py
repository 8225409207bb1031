"""Lesson 2: the probability that noise swaps two items with close counts."""

import numpy as np

from dptopk import figures
from dptopk.core.array_types import IntArray
from dptopk.laws.swap_chances import SELDOM, swap_chance, swaps
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import RACE
from dptopk.questions.view import View, styles_of
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import counted, plain
from dptopk.ui.sections import how_it_chooses
from dptopk.ui.sections.lessons.lesson import (
    WHOLE,
    Lesson,
    LessonAnswer,
    LessonExample,
    OnData,
    at_every_epsilon,
    built,
    case_of,
    written,
)
from dptopk.ui.show import Chart

_VECTOR = "40, 38, 30, 10"
_PAIRS = {"AB": "A and B, 2 apart", "BC": "B and C, 8 apart", "CD": "C and D, 20 apart"}
_MECHANISM = built(RACE, 3)


def _example(view: View, step: int) -> LessonExample:
    case = case_of(view, _VECTOR, 3)
    rng = generator_for(_MECHANISM, view.seed)
    picture = _MECHANISM.picture(case.counts.sorted, np.arange(case.counts.d), rng)
    assert isinstance(picture, NoisyCounts)
    figure = how_it_chooses.figure(picture, case.counts.items, _MECHANISM, case.unit, case.counts.d)
    return LessonExample(
        LESSON.say("Example", scale=counted(_MECHANISM.scale, case.unit)),
        Chart(
            figure,
            "example",
            "Four counts, and the same with noise.",
            case.origin((_MECHANISM,), "one draw of the noise", seed=view.seed),
            height=340,
            finding=how_it_chooses.described(picture, case.counts.items),
        ),
    )


def _answer(view: View, step: int) -> LessonAnswer:
    case = case_of(view, _VECTOR, 3)
    gaps = -np.diff(case.counts.counts)
    odds = _odds(gaps, case.counts.d, _MECHANISM.epsilon)
    words = {pair: written(p) for pair, p in odds.items()}
    described = "; ".join(f"{pair} {p}" for pair, p in words.items())
    most = max(odds, key=lambda pair: odds[pair])
    return LessonAnswer(
        next(key for key, pair in _PAIRS.items() if pair == most),
        words[most],
        "exact probability that they swap",
        LESSON.say("Why"),
        Chart(
            figures.output_probabilities(
                [*odds],
                {_MECHANISM.label: np.array([*odds.values()])},
                styles_of((_MECHANISM,)),
                words={_MECHANISM.label: [*words.values()]},
                beside=True,
            ).update_xaxes(title_text="probability of a swap", range=WHOLE),
            "answer",
            "Probability that two items swap.",
            case.origin((_MECHANISM,), "exact"),
            height=300,
            finding=f"Exact: {described}.",
        ),
        snippets.small(
            case.python,
            (_MECHANISM,),
            """
for gap in -np.diff(counts.counts):
    print(gap, swap_chance(mechanisms[0], counts.d, int(gap)))
""",
        ),
        at_every_epsilon(
            "Probability that two items swap",
            _MECHANISM.card.style,
            lambda epsilon: _odds(gaps, case.counts.d, epsilon),
        ),
    )


def _odds(gaps: IntArray, d: int, epsilon: float) -> dict[str, float]:
    """Return the probability that the two items of each pair swap."""
    mechanism = _MECHANISM.replaced(epsilon=epsilon)
    named = zip(_PAIRS.values(), gaps.tolist(), strict=True)
    return {pair: swap_chance(mechanism, d, gap) for pair, gap in named}


def _on_data(view: View) -> OnData:
    counts, unit = view.counts, view.unit
    mechanism = view.build(RACE, view.k)
    top = counts.sorted.top(view.k + 1)
    gaps = top[:-1] - top[1:]
    curve = swaps(mechanism, counts.d)
    if not gaps.size or not gaps.any():
        return OnData(LESSON.say("On the data: all tied"))
    if curve is None:
        return OnData(LESSON.say("On the data: hardly told apart"))
    closest = int(np.where(gaps == 0, gaps.max() + 1, gaps).argmin())
    chance = swap_chance(mechanism, counts.d, int(gaps[closest]))
    names = [plain(name) for name in counts.names(counts.order[closest : closest + 2])]
    often = int(((gaps > 0) & (gaps < curve.told_apart)).sum())
    return OnData(
        LESSON.say(
            "On the data",
            scale=counted(mechanism.scale, unit),
            gaps=gaps.size,
            n=top.size,
            small_gaps=f"{often} {'is' if often == 1 else 'are'}",
            told_apart=counted(curve.told_apart, unit),
            seldom=f"{SELDOM:.0%}",
            first=names[0],
            second=names[1],
            apart=counted(int(gaps[closest]), unit),
            chance=written(chance),
        ),
        Chart(
            figures.swap_chances(
                {mechanism.label: curve}, gaps, {mechanism.label: mechanism.card.style}, unit
            ),
            "data",
            "Probability that two items swap, by the gap between their counts.",
            view.origin((mechanism,), "exact"),
            height=340,
            finding=f"At most {SELDOM:.0%} from a gap of {counted(curve.told_apart, unit)} on.",
        ),
    )


LESSON = Lesson("noise_swaps", lambda: {"counts": _VECTOR}, _example, _answer, _on_data)
