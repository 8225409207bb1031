"""Lesson 2: the probability that noise swaps two items with close counts."""

import numpy as np

from dptopk import figures
from dptopk.laws.swap_chances import SELDOM, swap_chance, swaps
from dptopk.mechanisms.selections import RACE
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import counted, plain
from dptopk.ui.sections import how_it_chooses
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_CASE = typed_case("40, 38, 30, 10", 3)
_PAIRS = {"AB": "A and B, 2 apart", "BC": "B and C, 8 apart", "CD": "C and D, 20 apart"}
_MECHANISM = lesson.built(RACE, 3)


def _example(view: View, step: int) -> lesson.Example:
    rng = generator_for(_MECHANISM, view.seed)
    picture = _MECHANISM.picture(_CASE.counts.sorted, np.arange(_CASE.counts.d), rng)
    assert picture
    return lesson.Example(
        LESSON.say("Example", scale=counted(_MECHANISM.scale, _CASE.unit)),
        how_it_chooses.chart(
            picture,
            _CASE.counts.items,
            _MECHANISM,
            _CASE,
            "example",
            "Four counts, and the same with noise.",
            _CASE.origin((_MECHANISM,), "one draw of the noise", seed=view.seed),
            height=340,
        ),
    )


def _answer(step: int) -> lesson.Answer:
    odds = _odds(_MECHANISM.epsilon)
    words = {pair: lesson.written(p) for pair, p in odds.items()}
    most = max(odds, key=lambda pair: odds[pair])
    code = """
for gap in -np.diff(counts.counts):
    print(gap, swap_chance(mechanisms[0], counts.d, int(gap)))
"""
    return lesson.Answer(
        next(key for key, pair in _PAIRS.items() if pair == most),
        words[most],
        "exact probability that they swap",
        LESSON.say("Why"),
        lesson.chances_of_one(
            _MECHANISM,
            _CASE,
            odds,
            [*words.values()],
            "Probability that two items swap.",
            height=300,
            title_text="probability of a swap",
            range=lesson.WHOLE,
        ),
        snippets.small(_CASE.python, (_MECHANISM,), code),
        lesson.at_every("Probability that two items swap", _MECHANISM, _odds),
    )


def _odds(epsilon: float) -> dict[str, float]:
    """Return the probability that the two items of each pair swap."""
    mechanism, gaps = _MECHANISM.replaced(epsilon=epsilon), -np.diff(_CASE.counts.counts)
    named = zip(_PAIRS.values(), gaps.tolist(), strict=True)
    return {pair: swap_chance(mechanism, _CASE.counts.d, gap) for pair, gap in named}


def _on_data(view: View) -> lesson.OnData:
    counts, unit = view.counts, view.unit
    mechanism = view.build(RACE, view.k)
    top = counts.sorted.top(view.k + 1)
    gaps = top[:-1] - top[1:]
    curve = swaps(mechanism, counts.d)
    if not gaps.size or not gaps.any():
        return lesson.OnData(LESSON.say("On the data: all tied"))
    if curve is None:
        return lesson.OnData(LESSON.say("On the data: hardly told apart"))
    closest = int(np.where(gaps == 0, gaps.max() + 1, gaps).argmin())
    chance = swap_chance(mechanism, counts.d, int(gaps[closest]))
    names = [plain(name) for name in counts.names(counts.order[closest : closest + 2])]
    often = int(((gaps > 0) & (gaps < curve.told_apart)).sum())
    return lesson.OnData(
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
            chance=lesson.written(chance),
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


LESSON = lesson.Lesson("noise_swaps", _CASE, _example, _answer, _on_data)
