"""Lesson 2: the probability that noise swaps two items with close counts."""

import numpy as np

from dptopk import figures
from dptopk.laws.swap_chances import SELDOM, swap_chance, swaps
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import RACE
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import counted, plain
from dptopk.ui.sections import how_it_chooses
from dptopk.ui.sections.lessons.lesson import (
    Answer,
    Example,
    Lesson,
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


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, 3)
    rng = generator_for(_MECHANISM, view.seed)
    picture = _MECHANISM.picture(case.counts.sorted, np.arange(case.counts.d), rng)
    assert isinstance(picture, NoisyCounts)
    figure = how_it_chooses.figure(picture, case.counts.items, _MECHANISM, case.unit, case.counts.d)
    return Example(
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


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, 3)
    gaps = -np.diff(case.counts.counts)
    odds = [swap_chance(_MECHANISM, case.counts.d, gap) for gap in gaps.tolist()]
    words = [written(p) for p in odds]
    described = "; ".join(f"{pair} {p}" for pair, p in zip(_PAIRS.values(), words, strict=True))
    curve = swaps(_MECHANISM, case.counts.d)
    assert curve is not None
    return Answer(
        list(_PAIRS)[int(np.argmax(odds))],
        words[int(np.argmax(odds))],
        "exact probability that they swap",
        LESSON.say("Why"),
        Chart(
            figures.swap_chances(
                {_MECHANISM.label: curve}, gaps, {_MECHANISM.label: _MECHANISM.card.style}
            ),
            "answer",
            "Probability that two items swap, by the gap between their counts.",
            case.origin((_MECHANISM,), "exact"),
            height=340,
            finding=f"{described}.",
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
            lambda epsilon: {
                pair: swap_chance(_MECHANISM.replaced(epsilon=epsilon), case.counts.d, gap)
                for pair, gap in zip(_PAIRS.values(), gaps.tolist(), strict=True)
            },
        ),
    )


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
