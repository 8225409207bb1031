"""Lesson 10: release items that are not known in advance, above a threshold."""

import numpy as np

from dptopk import figures
from dptopk.core.parameters import DELTA
from dptopk.laws.distribution import output_distribution
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import OPEN
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import compact
from dptopk.ui.sections import how_it_chooses, limits_drawn
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.sentences.gaps import threshold_meaning

_CASE = typed_case("30, 24, 20, 1", 2)
_DELTA = 0.001
_MECHANISM = lesson.built(OPEN, 2, delta=_DELTA)
_SCALE = [delta for delta in DELTA.steps if delta]  # without δ nothing comes out
_NEVER, _SELDOM, _OFTEN = "never", "delta", "often"


def _example(view: View, step: int) -> lesson.Example:
    rng = generator_for(_MECHANISM, view.seed)
    picture = _MECHANISM.picture(_CASE.counts.sorted, np.arange(_CASE.counts.d), rng)
    assert picture
    origin = _CASE.origin((_MECHANISM,), "exact, with draws of the noise", seed=view.seed)
    moving = limits_drawn.moving_threshold(_CASE.counts, _MECHANISM, _CASE.unit, view.seed, origin)
    return lesson.Example(
        LESSON.say("Example"),
        how_it_chooses.chart(
            picture,
            _CASE.counts.items,
            _MECHANISM,
            _CASE,
            "example",
            "Four counts with noise, and the threshold.",
            _CASE.origin((_MECHANISM,), "one draw of the noise", seed=view.seed),
        ),
        moving=moving,
    )


def _answer(step: int) -> lesson.Answer:
    out = _out(_DELTA)
    alone = [*out.values()][-1]
    words = [lesson.written(p) for p in out.values()]
    code = """
law = output_distribution(counts, mechanisms[0])
for item in range(counts.d):
    print(counts.items[item], law.probabilities[(law.sequences == item).any(axis=1)].sum())
"""
    return lesson.Answer(
        _NEVER if alone == 0 else _SELDOM if alone <= _DELTA else _OFTEN,
        words[-1],
        f"exact; δ = {compact(_DELTA)}",
        LESSON.say("Why"),
        lesson.chances_of_one(
            _MECHANISM,
            _CASE,
            out,
            words,
            "Probability that each item comes out; D is Alice’s.",
            height=300,
        ),
        snippets.small(_CASE.python, (_MECHANISM,), code),
        lesson.at_every(
            "Probability that each item comes out",
            _MECHANISM,
            _out,
            symbol="δ",
            scale={f"{compact(delta)}, ⊥ at {_threshold(delta)}": delta for delta in _SCALE},
            default=_DELTA,
        ),
    )


def _out(delta: float) -> dict[str, float]:
    """Return the probability that each item comes out."""
    law = output_distribution(_CASE.counts, _MECHANISM.replaced(delta=delta))
    held = {item: (law.sequences == i).any(axis=1) for i, item in enumerate(_CASE.counts.items)}
    return {item: float(law.probabilities[rows].sum()) for item, rows in held.items()}


def _threshold(delta: float) -> str:
    """Write the threshold that a δ sets, before noise is added."""
    return f"{_MECHANISM.replaced(delta=delta).threshold(_CASE.counts.sorted):.1f}"


def _on_data(view: View) -> lesson.OnData:
    mechanism = view.build(OPEN, view.k)
    mechanism.check(view.counts)
    words = threshold_meaning(mechanism, view.counts.sorted, view.unit)
    ranks = np.arange(min(lesson.N_ITEMS, view.counts.d))
    rng = generator_for(mechanism, view.seed)
    picture = mechanism.picture(view.counts.sorted, ranks, rng)
    if not isinstance(picture, NoisyCounts):
        return lesson.OnData(words)
    names = view.counts.names(view.counts.order[: ranks.size])
    return lesson.OnData(
        words,
        how_it_chooses.chart(
            picture,
            names,
            mechanism,
            view,
            "data",
            "The largest counts with noise, and the threshold.",
            view.origin((mechanism,), "one draw of the noise", seed=view.seed),
            height=figures.height_of_rows(len(names), 2),
        ),
    )


def _numbers() -> dict[str, object]:
    return {
        "delta": compact(_DELTA),
        "threshold": _threshold(_DELTA),
        "threshold_of_less": _threshold(_DELTA / 1_000),
    }


LESSON = lesson.Lesson("unknown_items", _CASE, _example, _answer, _on_data, _numbers)
