"""Lesson 8: bounds on the belief of an observer, by posterior odds and the ROC curve."""

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray
from dptopk.core.counts import ItemCounts
from dptopk.core.privacy import NeighborRelation
from dptopk.laws import RocCurve, roc_curve
from dptopk.laws.privacy_losses import privacy_loss, worst_case_hockey_stick, worst_case_loss
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.selections import RACE
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import compact
from dptopk.ui.sections.lessons.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    at_every_epsilon,
    built,
    case_of,
    number_of,
)
from dptopk.ui.show import Chart

_VECTOR = "4, 3, 1"
_MECHANISM = built(RACE, 1)
_N_ITEMS = 4  # of the data: few enough to list every user
_LITTLE = 0.1  # of what a test could gain if every output moved the belief as far as the worst


def _without_alice(counts: ItemCounts) -> ItemCounts:
    """Return the neighbor without a user of the first item."""
    return ItemCounts(counts.counts - np.eye(counts.d, dtype=np.int64)[0], counts.items)


def _belief(loss: float) -> float:
    """Belief in a data set that was 50% before, in percent, after an output of this loss."""
    return float(100 / (1 + np.exp(-loss)))


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, 1)
    there = _without_alice(case.counts)
    names = [f"{item}: {label}" for item in case.counts.items for label in ("with", "without")]
    counts = [int(c) for pair in zip(case.counts.counts, there.counts, strict=True) for c in pair]
    described = "; ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
    return Example(
        f"Three items have the counts {_VECTOR} with Alice, who counts for A, and "
        f"{', '.join(map(str, there.counts.tolist()))} without her. One item is released with "
        "ε = 1. An observer knows both lists of counts, and has a prior belief of 50% that Alice "
        "is in the data.",
        Chart(
            figures.amounts(
                names, counts, case.unit, "%{x:,}", [i % 2 == 0 for i in range(len(names))]
            ),
            "example",
            "The counts with Alice, and without her.",
            case.origin((_MECHANISM,), "true counts, no noise"),
            height=320,
            finding=f"{described}.",
        ),
    )


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, 1)
    there = _without_alice(case.counts)
    losses = privacy_loss(case.counts, _MECHANISM, there)
    belief, limit = _belief(float(losses.max())), _belief(_MECHANISM.epsilon)
    return Answer(
        belief,
        f"{belief:.1f}%",
        f"exact; the limit at ε = 1: {limit:.1f}%",
        "The odds after the release are the odds before, times a ratio: the probability of the "
        "released item with Alice, divided by its probability without her. ε-DP keeps this ratio "
        "between $e^{-\\varepsilon}$ and $e^{\\varepsilon}$ for every output.",
        _roc(
            roc_curve(case.counts, _MECHANISM, there),
            _MECHANISM,
            "answer",
            case.origin((_MECHANISM,), "exact"),
        ),
        snippets.small(
            case.python,
            (_MECHANISM,),
            f"""
there = ItemCounts({there.counts.tolist()})
losses = privacy_loss(counts, mechanisms[0], there)
print(100 / (1 + np.exp(-losses)))
curve = roc_curve(counts, mechanisms[0], there)
print(curve.false_positive, curve.true_positive)
""",
        ),
        at_every_epsilon(
            "Belief that Alice is there",
            _MECHANISM.card.style,
            lambda epsilon: {
                **{
                    f"after {item}": _belief(loss) / 100
                    for item, loss in zip(
                        case.counts.items,
                        privacy_loss(case.counts, _MECHANISM.replaced(epsilon=epsilon), there),
                        strict=True,
                    )
                },
                "limit": _belief(epsilon) / 100,
            },
        ),
    )


def _roc(curve: RocCurve, mechanism: Mechanism, name: str, origin: Origin) -> Chart:
    """Plot the ROC curve below the limit that the guarantee sets."""
    x = np.linspace(0.0, 1.0, 201)
    delta, epsilon = mechanism.guarantee.delta, mechanism.guarantee.epsilon
    log_factor = min(epsilon, 700.0)  # e^700 limits nothing
    limit: FloatArray = np.minimum(
        np.exp(log_factor) * x + delta, 1 - np.exp(-log_factor) * (1 - x - delta)
    ).clip(0.0, 1.0)
    gain = float((curve.true_positive - curve.false_positive).max())
    label = mechanism.label
    return Chart(
        figures.curves(
            {
                label: (curve.false_positive, curve.true_positive),
                f"limit at ε = {compact(epsilon)}": (x, limit),
            },
            {label: mechanism.card.style},
            ("says “Alice is there” though she is not", "says so when she is there"),
            shares=True,
        ),
        name,
        "How well the best test tells the two data sets apart.",
        origin,
        height=380,
        finding=f"True alarms exceed false ones by up to {100 * gain:.1f} of 100; guessing: 0.",
    )


def _change(view: View) -> str:
    """Return the change of the data by a single user, in words."""
    swap = view.neighbors is NeighborRelation.SWAP
    return "be replaced" if swap else "join or leave"


def _on_data(view: View) -> OnData:
    few = view.counts.head(_N_ITEMS)
    k = min(view.k, 2, few.d)
    mechanism = view.build(RACE, k)
    worst = worst_case_loss(few, mechanism)
    belief, limit = _belief(worst.value), _belief(mechanism.guarantee.epsilon)
    plainest = worst_case_hockey_stick(few, mechanism, 0.0)
    here, there = few, plainest.neighbour
    if plainest.reversed:
        here, there = there, here
    chart = _roc(
        roc_curve(here, mechanism, there),
        mechanism,
        "data",
        view.origin((mechanism,), "exact", note=f"The {few.d} largest items alone."),
    )
    return OnData(
        f"For the {few.d} largest items alone, k = {k} and ε = {compact(view.epsilon)}: of all "
        f"users who could {_change(view)}, the most visible one moves the belief from 50% to "
        f"{belief:.1f}%; the limit is {limit:.1f}%. The curve is that of the user who is "
        f"easiest to detect. {_rarely(plainest.value, belief)}".strip(),
        chart,
    )


def _rarely(gain: float, belief: float) -> str:
    """Say that only rare outputs move the belief, where the best test gains little."""
    if gain >= _LITTLE * (2 * belief / 100 - 1):
        return ""
    return "It lies near the diagonal: outputs that move the belief so far are rare."


LESSON = Lesson(
    key="8",
    title="What does an observer learn?",
    point="ε limits how far one release can move an observer’s belief about one person: odds "
    "change by a factor of at most $e^{\\varepsilon}$, whatever comes out.",
    minutes=10,
    misconception="“ε-DP hides what the data say.” It limits what the presence of one person adds: "
    "an observer still learns that most people in a city like A.",
    questions=(
        (
            "What does the limit become after two such releases?",
            "The ε of releases add up: odds may change by $e^{2 \\varepsilon}$. From a 50% prior "
            "that is a belief of at most $e^2 / (1 + e^2)$, 88.1%, after two releases with ε = 1.",
        ),
        (
            "Which prior belief leads to a belief of at most 90% after one release at this ε?",
            "A belief of 90% has the odds 9, so the odds before are at least $9 / e$, 3.31: a "
            "belief of 76.8%.",
        ),
    ),
    prediction=number_of(
        "8", "How far can the belief that Alice is there rise, in percent, whatever comes out?", 100
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
)
