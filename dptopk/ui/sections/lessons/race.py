"""Lesson 3: the exponential mechanism as an exponential race."""

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import RACE
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.simulation.single_releases import MOST_SEEDS
from dptopk.simulation.trials import generator_for
from dptopk.ui import snippets
from dptopk.ui.formats import frequency, plain, rounded
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart
from dptopk.ui.widgets.moving_draws import MovingDraws, PlayedDraw

_CASE = typed_case("10, 9, 8, 5", 1)
_MECHANISM = lesson.built(RACE, 1)


def _example(view: View, step: int) -> lesson.Example:
    counts = _CASE.counts
    n = counts.d - 1  # who comes last needs no step
    step = min(step, n)
    if step == 0:
        speeds = np.exp((counts.counts - counts.counts.max()) / _MECHANISM.scale)
        chart = _bars(
            view,
            "Speed of each item; that of A is 1.",
            speeds,
            [True] * counts.d,
            "speed relative to A",
            drawn=False,
        )
        words = LESSON.say("Step 0")
    else:
        times = _arrivals(view.seed)
        order = np.argsort(times)
        now = times[order[step - 1]]
        chart = _bars(
            view,
            f"How far each item has run at arrival {step}.",
            100 * np.minimum(now / times, 1.0),
            (times <= now).tolist(),
            "part of its distance (%)",
        )
        places = [counts.items[i] for i in order[:step]]
        words = LESSON.say(
            "Step 1" if step == 1 else "Later steps",
            step=step,
            item=places[-1],
            items=", ".join(places),
        )
    return lesson.Example(LESSON.say("Example"), chart, n, words, _races(view))


def _races(view: View) -> MovingDraws:
    """Return a hundred races, the first of them the one of the steps."""
    counts = _CASE.counts
    draws = []
    for number in range(lesson.N_DRAWS):
        times = _arrivals(seed := (view.seed + number) % MOST_SEEDS)
        winner = int(times.argmin())
        frame = tuple(zip((times[winner] / times).tolist(), counts.items, strict=True))
        words = f"Race {number + 1} of {lesson.N_DRAWS}, seed {seed}: "
        words += f"{counts.items[winner]} arrives first."
        draws.append(PlayedDraw((frame,), winner, words))
    return MovingDraws(
        "Races of four items",
        "Each runs its own random distance at its own speed; the first to arrive is released.",
        "Run a race",
        _MECHANISM.card.style.color,
        ("item, count", "part of its distance", f"races won, of {lesson.N_DRAWS}"),
        tuple(counts.items),
        tuple(f"{item}, {count}" for item, count in counts),
        tuple(counts.items),
        "1.8em",
        1_400,
        tuple(draws),
    )


def _arrivals(seed: int) -> FloatArray:
    """Return the times of arrival under a seed, by position."""
    counts = _CASE.counts
    rng = generator_for(_MECHANISM, seed)
    picture = _MECHANISM.picture(counts.sorted, np.arange(counts.d), rng)
    assert isinstance(picture, NoisyCounts)
    times: FloatArray = np.exp((picture.counts.max() - picture.noisy) / _MECHANISM.scale)
    return times


def _bars(
    view: View, title: str, values: np.ndarray, chosen: list[bool], axis: str, drawn: bool = True
) -> Chart:
    kind, seed = ("one draw of the race", view.seed) if drawn else ("exact", None)
    names = [f"{item}, {count}" for item, count in _CASE.counts]
    described = "; ".join(
        f"{item} {rounded(value, 3)}{'' if dark else ', still on its way'}"
        for item, value, dark in zip(_CASE.counts.items, values.tolist(), chosen, strict=True)
    )
    return Chart(
        figures.amounts(names, values.tolist(), axis, "%{x:.3~r}", chosen),
        "example",
        title,
        _CASE.origin((_MECHANISM,), kind, seed=seed),
        height=300,
        finding=f"{described}.",
    )


def _answer(step: int) -> lesson.Answer:
    chart, _, first = lesson.one_round(
        (_MECHANISM,), _CASE, 1, "answer", "Which item arrives first."
    )
    share = 100 * float(np.exp(first[_MECHANISM.label]))
    code = """
law = output_distribution(counts, mechanisms[0])
for item, probability in zip(law.labels(), law.probabilities):
    print(item, 100 * probability)
"""
    return lesson.Answer(
        share,
        f"{share:.1f} of 100",
        "exact",
        LESSON.say("Why"),
        chart,
        snippets.small(_CASE.python, (_MECHANISM,), code),
        lesson.at_every("Probability that each item arrives first", _MECHANISM, _first),
        tuple(_first(_MECHANISM.epsilon).values()),
    )


def _first(epsilon: float) -> dict[str, float]:
    """Return the probability that each item arrives first."""
    counts = _CASE.counts
    log_p = _MECHANISM.replaced(epsilon=epsilon).log_pmf(counts, np.arange(counts.d)[:, None])
    return dict(zip(counts.items, np.exp(log_p).tolist(), strict=True))


def _on_data(view: View) -> lesson.OnData:
    mechanism = view.build(RACE, 1, epsilon=view.epsilon / view.k)
    place, words = lesson.closest_round(view)
    chart, names, first = lesson.one_round(
        (mechanism,), view, place, "data", f"Which item takes place {place} of {view.k}."
    )
    chance = frequency(first[mechanism.label])
    sentence = LESSON.say("On the data", item=plain(names[0]), chance=chance)
    return lesson.OnData(f"{words} {sentence}", chart)


LESSON = lesson.Lesson("race", _CASE, _example, _answer, _on_data)
