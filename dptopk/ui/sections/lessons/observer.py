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
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.ui import snippets
from dptopk.ui.formats import compact
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_CASE = typed_case("4, 3, 1", 1)
_HERE = _CASE.counts
_THERE = ItemCounts(_HERE.counts - np.eye(_HERE.d, dtype=np.int64)[0], _HERE.items)  # no Alice
_MECHANISM = lesson.built(RACE, 1)
_N_ITEMS = 4  # of the data: few enough to list every user
_LITTLE = 0.1  # of what a test could gain if every output moved the belief as far as the worst


def _belief(loss: float) -> float:
    """Belief in a data set that was 50% before, in percent, after an output of this loss."""
    return float(100 / (1 + np.exp(-loss)))


def _example(view: View, step: int) -> lesson.Example:
    names = [f"{item}: {label}" for item in _HERE.items for label in ("with", "without")]
    counts = [int(c) for pair in zip(_HERE.counts, _THERE.counts, strict=True) for c in pair]
    described = "; ".join(f"{name} {count}" for name, count in zip(names, counts, strict=True))
    return lesson.Example(
        LESSON.say("Example", without=", ".join(map(str, _THERE.counts.tolist()))),
        Chart(
            figures.amounts(names, counts, _CASE.unit, "%{x:,}", [True, False] * _HERE.d),
            "example",
            "The counts with Alice, and without her.",
            _CASE.origin((_MECHANISM,), "true counts, no noise"),
            height=320,
            finding=f"{described}.",
        ),
    )


def _answer(step: int) -> lesson.Answer:
    beliefs = _beliefs(_MECHANISM.epsilon)
    *after, limit = (100 * p for p in beliefs.values())
    belief = max(after)
    code = f"""
there = ItemCounts({_THERE.counts.tolist()})
losses = privacy_loss(counts, mechanisms[0], there)
print(100 / (1 + np.exp(-losses)))
curve = roc_curve(counts, mechanisms[0], there)
print(curve.false_positive, curve.true_positive)
"""
    return lesson.Answer(
        belief,
        f"{belief:.1f}%",
        f"exact; the limit at ε = 1: {limit:.1f}%",
        LESSON.say("Why"),
        lesson.chances_of_one(
            _MECHANISM,
            _CASE,
            beliefs,
            [f"{p:.1%}" for p in beliefs.values()],
            "Belief that Alice is there, by what comes out.",
            height=figures.height_of_rows(len(beliefs)),
            title_text="belief that Alice is there; before: 50%",
            range=lesson.WHOLE,
        ),
        snippets.small(_CASE.python, (_MECHANISM,), code),
        lesson.at_every("Belief that Alice is there", _MECHANISM, _beliefs),
    )


def _beliefs(epsilon: float) -> dict[str, float]:
    """Return the belief in Alice after each output, and the limit of it, from 50%."""
    losses = privacy_loss(_HERE, _MECHANISM.replaced(epsilon=epsilon), _THERE).tolist()
    named = zip(_HERE.items, losses, strict=True)
    return {f"after {item}": _belief(loss) / 100 for item, loss in named} | {
        "limit": _belief(epsilon) / 100
    }


def _roc(curve: RocCurve, mechanism: Mechanism, origin: Origin) -> Chart:
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
        "data",
        "How well the best test tells the two data sets apart.",
        origin,
        height=380,
        finding=f"True alarms exceed false ones by up to {100 * gain:.1f} of 100; guessing: 0.",
    )


def _on_data(view: View) -> lesson.OnData:
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
        view.origin((mechanism,), "exact", note=f"The {few.d} largest items alone."),
    )
    words = LESSON.say(
        "On the data",
        n_items=few.d,
        k=k,
        epsilon=compact(view.epsilon),
        change="be replaced" if view.neighbors is NeighborRelation.SWAP else "join or leave",
        belief=f"{belief:.1f}%",
        limit=f"{limit:.1f}%",
    )
    if plainest.value < _LITTLE * (2 * belief / 100 - 1):
        words += f" {LESSON.say('On the data: rare outputs')}"
    return lesson.OnData(words, chart)


def _numbers() -> dict[str, object]:
    odds = 9 / float(np.exp(_MECHANISM.epsilon))  # that become 9, those of 90%
    return {
        "twice": f"{_belief(2 * _MECHANISM.epsilon):.1f}%",
        "odds": f"{odds:.2f}",
        "prior": f"{odds / (1 + odds):.1%}",
    }


LESSON = lesson.Lesson("observer", _CASE, _example, _answer, _on_data, _numbers)
