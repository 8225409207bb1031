"""Lesson 6: the joint exponential mechanism, one choice among all sequences of items."""

import numpy as np

from dptopk import figures
from dptopk.laws.distribution import output_distribution
from dptopk.laws.exact import probability_exact_sequence
from dptopk.mechanisms.pictures import Limits
from dptopk.mechanisms.selections import ONE_CHOICE, RACE
from dptopk.questions.view import View, styles_of
from dptopk.simulation.trials import generator_for
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import Chart
from dptopk.ui.formats import plural, probability
from dptopk.ui.presenters.gaps import swapping
from dptopk.ui.presenters.learn.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    built,
    case_of,
    number_of,
)
from dptopk.ui.presenters.mechanisms import how_it_chooses

_VECTOR = "24, 16, 8, 1, 1"
_K = 3
_MECHANISM, _RACE = built(ONE_CHOICE, _K), built(RACE, _K)
_SEQUENCES = 6  # in the figure
_BATCH = 3  # of the draws: its first T let several items in


def _limits(view: View) -> Limits:
    counts = case_of(view, _VECTOR, _K).counts
    picture = _MECHANISM.picture(counts.sorted, np.arange(counts.d), np.random.default_rng(0))
    assert isinstance(picture, Limits)
    return picture


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, _K)
    counts = case.counts
    last = 1 + _K
    step = min(step, last)
    words = (
        f"Five items have the counts {_VECTOR}, and the top {_K} are to be released in order with "
        "ε = 1. First a limit T is drawn. Then the places are filled one after another, each by a "
        "uniform draw from the items that are left and whose count is at most T below the true "
        "count of the place."
    )
    picture = _limits(view)
    if step == 0:
        figure = how_it_chooses.figure(picture, counts.items, _MECHANISM, case.unit, counts.d)
        described = how_it_chooses.described(picture, counts.items)
        said = (
            "**The limit.** The loss of a sequence is its worst place: the most by which an item "
            "falls short of the true count of its place. T is at least the loss, and has "
            "probability proportional to $e^{-\\varepsilon T / 2}$ times the number of sequences "
            "with a loss of at most T. The upper plot shows it, the lower one how many items T "
            "admits at each place, with those that stand at another."
        )
        return Example(
            words,
            Chart(
                figure,
                "example",
                "The limit T, and the items that it lets in.",
                case.origin((_MECHANISM,), "exact"),
                height=360,
                finding=described,
            ),
            last,
            said,
        )
    rng = generator_for(_MECHANISM, view.seed, _BATCH)
    p = picture.probabilities / picture.probabilities.sum()
    limit = int(rng.choice(picture.start, p=p))
    placed: list[int] = []
    allowed = np.ones(counts.d, dtype=bool)
    for place in range(step - 1):
        allowed = counts.counts >= counts.counts[place] - limit
        allowed[placed] = False
        placed.append(int(rng.choice(np.flatnonzero(allowed))))
    if step == 1:
        said = f"**T = {limit} is drawn.** It holds for all places."
    else:
        place = step - 1
        least = max(int(counts.counts[place - 1]) - limit, 0)
        said = (
            f"**Place {place}.** {plural(int(allowed.sum()), 'item')} may stand here: a count of "
            f"at least {counts.counts[place - 1]} − {limit}, and not placed yet (darker). A "
            f"uniform draw gives {counts.items[placed[-1]]}."
            if least
            else f"**Place {place}.** T = {limit} admits every item that is not placed yet "
            f"(darker). A uniform draw gives {counts.items[placed[-1]]}."
        )
    names = [
        f"{item}{f', place {placed.index(i) + 1}' if i in placed else ''}"
        for i, item in enumerate(counts.items)
    ]
    return Example(
        words,
        Chart(
            figures.amounts(names, counts.counts.tolist(), case.unit, "%{x:,}", allowed.tolist()),
            "example",
            f"The counts, and the items that T = {limit} lets in.",
            case.origin((_MECHANISM,), "one draw", seed=view.seed),
            height=300,
            finding=f"T = {limit}; {', '.join(names)}.",
        ),
        last,
        said,
    )


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, _K)
    both = (_MECHANISM, _RACE)
    right = [100 * probability_exact_sequence(case.counts, m) for m in both]
    law = output_distribution(case.counts, _MECHANISM)
    shown = law.sequences[:_SEQUENCES]
    log_p = {m.label: m.log_pmf(case.counts, shown) for m in both}
    figure = figures.output_probabilities(
        law.labels()[:_SEQUENCES],
        {label: np.exp(values) for label, values in log_p.items()},
        styles_of(both),
        words={label: [*map(probability, values.tolist())] for label, values in log_p.items()},
    )
    return Answer(
        right[0],
        f"{right[0]:.1f} of 100",
        f"exact; {_RACE.label}: {right[1]:.1f}",
        "A sequence of loss ℓ has probability proportional to $e^{-\\varepsilon \\ell / 2}$: one "
        "choice has the whole budget, not divided among the places. (The ½ is there as a user may "
        "raise the loss of one sequence and lower that of another; in a race speeds only rise.) "
        "But a T that reaches down to the small counts admits all of these items at once: where "
        "there are many, the right sequence becomes rare.",
        Chart(
            figure,
            "answer",
            f"The likeliest {_SEQUENCES} of {len(law)} sequences.",
            case.origin(both, "exact"),
            height=figures.height_of_rows(_SEQUENCES, 2),
            finding=f"The right sequence: {both[0].label} {right[0]:.1f}%, {both[1].label} "
            f"{right[1]:.1f}%.",
        ),
        snippets.small(
            case.python,
            both,
            """
for mechanism in mechanisms:
    print(mechanism.label, 100 * probability_exact_sequence(counts, mechanism))
""",
        ),
    )


def _on_data(view: View) -> OnData:
    mechanism = view.build(ONE_CHOICE, view.k)
    shown = np.arange(min(view.k, view.counts.d))
    picture = mechanism.picture(view.counts.sorted, shown, np.random.default_rng(0))
    assert isinstance(picture, Limits)
    described = how_it_chooses.described(picture, ())
    right = swapping.all_right(view, (mechanism,))
    return OnData(
        f"{described} {right}".strip(),
        Chart(
            how_it_chooses.figure(picture, (), mechanism, view.unit, view.counts.d),
            "data",
            "The limit T on the data, and the items that it lets in.",
            view.origin((mechanism,), "exact"),
            height=360,
            finding=described,
        ),
    )


LESSON = Lesson(
    key="6",
    title="How can one choice fill k places?",
    point="Joint makes a single choice among all sequences by their worst place: it does not "
    "divide its budget among k rounds, but does worse where many counts lie not far below place k.",
    minutes=10,
    misconception="“It must list all sequences, so it cannot be run.” It draws a limit T on the "
    "loss first; given T, all sequences with a loss of at most T are equally likely, and the "
    "places are filled one by one.",
    questions=(
        (
            "At which T may every item stand at place 3?",
            "From T = 7 on: the true count of place 3 is 8, the smallest count is 1, and 8 − 7 = "
            "1. The lower part of the first figure shows it.",
        ),
        (
            "What happens to the answer if a thousand items with count 1 are added?",
            "From T = 7 on they can stand at place 3, too, so nearly all sequences are wrong "
            "ones: the right one becomes rare, by Joint even rarer than by peeling. Joint suits "
            "data whose small counts lie far below the top k.",
        ),
    ),
    prediction=number_of(
        "6", "Of 100 releases, how many are A, B, C: the right items in the right order?", 100
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
    draws=True,
)
