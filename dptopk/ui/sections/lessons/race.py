"""Lesson 3: the exponential mechanism as an exponential race."""

import numpy as np

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import RACE
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import frequency, plain, rounded
from dptopk.ui.sections.lessons.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    at_every_epsilon,
    built,
    case_of,
    closest_round,
    number_of,
    one_round,
)
from dptopk.ui.show import Chart

_VECTOR = "10, 9, 8, 5"
_MECHANISM = built(RACE, 1)


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, 1)
    counts = case.counts
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
        said = (
            "**The speeds.** A user counts at most once for an item, and for any number of items. "
            "Each additional user of an item multiplies its speed by "
            "$e^{\\varepsilon}$."
        )
    else:
        times = _arrivals(view)
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
        said = f"**Arrival {step}: {places[-1]}.** " + (
            "With k = 1 the race ends here: this item is released."
            if step == 1
            else f"With k = {step} the release would be {', '.join(places)}, in this order. These "
            f"{step} rounds together cost {step}ε; with ε/{step} in the speeds they would cost ε."
        )
    return Example(
        f"Four items have the counts {_VECTOR}, and one is to be released with ε = 1. Each has "
        "to run a random distance, exponentially distributed with mean 1. An item with count c "
        "runs at the speed $e^{\\varepsilon c}$, and the first to arrive is released. This is the "
        "exponential mechanism, without the usual ½ in the exponent, as one user changes all "
        "counts in the same direction. Releasing the first k in order of arrival, with ε/k "
        f"instead of ε in the speeds, is the mechanism {_MECHANISM.label}.",
        chart,
        n,
        said,
    )


def _arrivals(view: View) -> np.ndarray:
    """Return log times of arrival under the seed, by position: minus the noisy counts."""
    counts = case_of(view, _VECTOR, 1).counts
    picture = _MECHANISM.picture(
        counts.sorted, np.arange(counts.d), generator_for(_MECHANISM, view.seed)
    )
    assert isinstance(picture, NoisyCounts)
    return np.exp((picture.counts.max() - picture.noisy) / _MECHANISM.scale)


def _bars(
    view: View,
    title: str,
    values: np.ndarray,
    chosen: list[bool],
    axis: str,
    drawn: bool = True,
) -> Chart:
    case = case_of(view, _VECTOR, 1)
    kind, seed = ("one draw of the race", view.seed) if drawn else ("exact", None)
    names = [f"{item}, {count}" for item, count in case.counts]
    described = "; ".join(
        f"{item} {rounded(value, 3)}{'' if dark else ', still on its way'}"
        for item, value, dark in zip(case.counts.items, values.tolist(), chosen, strict=True)
    )
    return Chart(
        figures.amounts(names, values.tolist(), axis, "%{x:.3~r}", chosen),
        "example",
        title,
        case.origin((_MECHANISM,), kind, seed=seed),
        height=300,
        finding=f"{described}.",
    )


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, 1)
    chart, _, first = one_round((_MECHANISM,), case, 1, "answer", "Which item arrives first.")
    share = 100 * float(np.exp(first[_MECHANISM.label]))
    return Answer(
        share,
        f"{share:.1f} of 100",
        "exact",
        "Distance divided by speed is an exponential time whose rate is the speed, and of several "
        "such times each is the first with probability proportional to its rate: A with "
        "$e^{10 \\varepsilon}$ divided by the sum of the four speeds, as in the exponential "
        "mechanism. A user who joins multiplies some speeds by "
        "$e^{\\varepsilon}$ and leaves the others as they are, so no probability rises or falls by "
        "more than a factor of $e^{\\varepsilon}$.",
        chart,
        snippets.small(
            case.python,
            (_MECHANISM,),
            """
law = output_distribution(counts, mechanisms[0])
for item, probability in zip(law.labels(), law.probabilities):
    print(item, 100 * probability)
""",
        ),
        at_every_epsilon(
            "Probability that each item arrives first",
            _MECHANISM.card.style,
            lambda epsilon: _first(case.counts, epsilon),
        ),
    )


def _first(counts: ItemCounts, epsilon: float) -> dict[str, float]:
    """Return the probability that each item arrives first."""
    log_p = _MECHANISM.replaced(epsilon=epsilon).log_pmf(counts, np.arange(counts.d)[:, None])
    return dict(zip(counts.items, np.exp(log_p).tolist(), strict=True))


def _on_data(view: View) -> OnData:
    mechanism = view.build(RACE, 1, epsilon=view.epsilon / view.k)
    place, words = closest_round(view)
    chart, names, first = one_round(
        (mechanism,), view, place, "data", f"Which item takes place {place} of {view.k}."
    )
    return OnData(
        f"{words} Probability that the right item, {plain(names[0])}, arrives first once all "
        f"larger items are released: {frequency(first[mechanism.label])}.",
        chart,
    )


LESSON = Lesson(
    key="3",
    title="Why is the exponential mechanism a race?",
    point="The exponential mechanism releases the first arrival of a race in which an item with "
    "count c runs at the speed $e^{\\varepsilon c}$; the first k arrivals are k rounds of it.",
    minutes=8,
    misconception="“The item with the largest count is released, and noise is added to its "
    "count.” The item released need not have the largest count, and no count is released.",
    questions=(
        (
            "What do the speeds become if every count rises by 1, and what changes in the race?",
            "Every speed is multiplied by $e^{\\varepsilon}$. All arrive earlier, and each "
            "item wins with the same probability as before: only differences of counts matter.",
        ),
        (
            "Why may the same race run on to the k-th arrival instead of starting anew?",
            "The distances are drawn from the exponential distribution, which has no memory: what "
            "is left to run after an arrival is distributed as at the start, on average 1. So the "
            "race among the items left is a new one.",
        ),
    ),
    prediction=number_of("3", "Of 100 such races, how many does A win?", 100),
    example=_example,
    answer=_answer,
    on_data=_on_data,
    students_ask=(
        (
            "Textbooks have ε/2 in the exponent. Why is it ε here?",
            "A user who joins multiplies the speed of each item by 1 or by $e^{\\varepsilon}$, so "
            "the sum of all speeds by a factor between these two. The probability of an item is "
            "its speed divided by the sum: it rises or falls by a factor of at most "
            "$e^{\\varepsilon}$. Where one user can raise some scores and lower others, as when "
            "neighbours replace a user, a speed "
            "may rise by this factor while the sum falls by nearly as much: there the "
            "exponent has ε/2, as in lesson 6.",
        ),
        (
            "Why is the probability that A arrives first its share of the speeds?",
            "Distance over speed is an exponential time whose rate is the speed. In the next "
            "moment each item arrives with probability proportional to its rate, whatever the "
            "time. So the first arrival is A with probability (rate of A) / (sum of all rates).",
        ),
        (
            "What is the race good for, if the shares of the speeds give the same?",
            "Drawing from the shares needs a new sum of speeds in every round. In the race each "
            "item draws one distance, and the first k arrivals are the whole release.",
        ),
        (
            "Others call this Gumbel noise. Is it the same?",
            "Yes. The logarithm of a time is the logarithm of the distance less $\\varepsilon c$, "
            "and minus the logarithm of an exponential variable has a Gumbel distribution. So the "
            "first to arrive has the largest count after Gumbel noise of scale "
            "$1/\\varepsilon$ is added to each.",
        ),
        (
            "Are times or speeds released?",
            "No, only the names of the items in the order of arrival.",
        ),
    ),
)
