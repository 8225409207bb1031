"""Lesson 9: find the mechanism that breaks its guarantee, by exact probability ratios."""

import math

from dptopk import figures
from dptopk.laws.distribution import output_distribution
from dptopk.laws.privacy_losses import within, worst_case_loss
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import BROKEN, TrueThreshold
from dptopk.mechanisms.selections import COINS, NOISY, ONE_CHOICE, RACE
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.ui import snippets
from dptopk.ui.formats import joined, loss, ratio
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_K = 2
_CASE = typed_case("4, 3, 3, 1", _K)
_THRESHOLD = 2
_N_ITEMS = 4  # of the data: few enough to list every neighbour
_NUMERALS = ("I", "II", "III", "IV", "V")
_PLACES = (1, 3, 0, 4, 2)  # of the broken one, in each step
_RIGHT = (RACE, COINS, ONE_CHOICE, NOISY)


def _candidates(step: int) -> tuple[list[Mechanism], list[str], int]:
    """Return the mechanisms of a step, their descriptions, and the place of the broken one."""
    kind = BROKEN[step]
    more = {"threshold": _THRESHOLD} if kind is TrueThreshold else {}
    wrong = lesson.built(kind, _K, **more)
    mechanisms, words = [lesson.built(right, _K) for right in _RIGHT], LESSON.text.data["right"]
    mechanisms, words = mechanisms[step:] + mechanisms[:step], words[step:] + words[:step]
    place = _PLACES[step]
    mechanisms.insert(place, wrong)
    words.insert(place, wrong.card.summary)
    return mechanisms, words, place


def _right(mechanism: Mechanism) -> float:
    """Probability of a true top in order, up to ties, of whoever treats these as it likes."""
    counts = _CASE.counts
    law = output_distribution(counts, mechanism)
    top = counts.sorted.top(mechanism.k)
    return float(law.probabilities[(counts.counts[law.sequences] == top).all(axis=1)].sum())


def _example(view: View, step: int) -> lesson.Example:
    last = len(BROKEN) - 1
    step = min(step, last)
    mechanisms, words, _ = _candidates(step)
    right = [100 * _right(m) for m in mechanisms]
    listed = "\n".join(f"- **{n}** {word}" for n, word in zip(_NUMERALS, words, strict=True))
    described = "; ".join(f"{n} {share:.1f}%" for n, share in zip(_NUMERALS, right, strict=True))
    axis = f"right in order, {_K} of {_CASE.counts.d} (%)"
    return lesson.Example(
        LESSON.say("Example"),
        Chart(
            figures.amounts(_NUMERALS, right, axis, "%{x:.1f}%", [True] * len(right)),
            "example",
            "How often each of five mechanisms releases the true top in order.",
            _CASE.origin(mechanisms, "exact"),
            height=320,
            finding=f"{described}.",
        ),
        last,
        LESSON.say("Every step", listed=listed),
    )


def _answer(step: int) -> lesson.Answer:
    mechanisms, _, wrong = _candidates(step)
    worst = [worst_case_loss(_CASE.counts, m) for m in mechanisms]
    used = {n: each.value for n, each in zip(_NUMERALS, worst, strict=True)}
    promised = mechanisms[wrong].epsilon
    beyond = [n for n, value in used.items() if value > promised]
    neighbor = worst[wrong].neighbour
    output = ", ".join(neighbor.items[i] for i in worst[wrong].output)
    counts = ", ".join(map(str, neighbor.counts.tolist()))
    witness = LESSON.say("The neighbour that shows it", neighbour=counts, output=output)
    code = """
for mechanism in mechanisms:
    print(mechanism.label, worst_case_loss(counts, mechanism).value)
"""
    return lesson.Answer(
        beyond[0],
        ratio(worst[wrong].value),
        f"its largest ratio, exact; promised: {ratio(promised)}",
        LESSON.say(f"Why, step {step}", shown=witness),
        Chart(
            figures.privacy_use(
                used,
                promised,
                {n: m.card.style for n, m in zip(_NUMERALS, mechanisms, strict=True)},
            ).update_layout(margin_t=64),  # for the legend above the words of the promise
            "answer",
            "Largest privacy loss of each, over all neighbours and outputs.",
            _CASE.origin(mechanisms, "exact"),
            height=320,
            finding=f"{'; '.join(f'{n} {loss(value)}' for n, value in used.items())}. Beyond "
            f"ε = 1: {', '.join(beyond)}.",
        ),
        snippets.small(_CASE.python, mechanisms, code),
    )


def _on_data(view: View) -> lesson.OnData:
    few = view.counts.head(_N_ITEMS)
    k = min(view.k, _K, few.d)
    third = int(few.sorted.top(few.d)[min(k, few.d - 1)])
    mechanisms = []
    for kind in BROKEN:
        more = {"threshold": third} if kind is TrueThreshold else {}
        mechanisms.append(view.build(kind, k, **more))
    used = {m.label: worst_case_loss(few, m).value for m in mechanisms}
    kept = [label for label, value in used.items() if within(value, view.epsilon)]
    stay = "stays" if len(kept) == 1 else "stay"
    verdict = f"{joined(kept)} {stay} within ε" if kept else "none of them stays within ε"
    return lesson.OnData(
        LESSON.say("On the data", n_items=few.d, k=k, kept=verdict),
        Chart(
            figures.privacy_use(used, view.epsilon, {m.label: m.card.style for m in mechanisms}),
            "data",
            "Largest privacy loss of each broken mechanism.",
            view.origin(mechanisms, "exact", note=f"The {few.d} largest items alone."),
            height=340,
            finding=f"{'; '.join(f'{label} {loss(value)}' for label, value in used.items())}.",
        ),
    )


def _numbers() -> dict[str, object]:
    """Return the numbers of the text: draws that tell a log ratio of 1.2 from 1, at 1%."""
    p, q = 0.01, 0.01 / math.exp(1.2)
    draws = (2 / 0.2) ** 2 * (1 / p + 1 / q)
    return {"draws": f"{round(draws, -3):,.0f}"}


LESSON = lesson.Lesson("broken", _CASE, _example, _answer, _on_data, _numbers)
