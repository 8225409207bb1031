"""Lesson 7: the gain from releasing a set instead of a sequence."""

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.data.datasets import load_dataset
from dptopk.laws.exact import probability_exact_sequence, probability_exact_set
from dptopk.mechanisms import Mechanism, Style
from dptopk.mechanisms.selections import ONE_CHOICE, ONE_SET
from dptopk.questions.errors import known_shares
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View
from dptopk.tuning.search import LARGEST, SMALLEST, SmallestEpsilon, smallest_epsilon
from dptopk.tuning.targets import target_curve
from dptopk.ui import results, snippets
from dptopk.ui.formats import frequency, rounded
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_K = 3
_CASE = typed_case("20, 18, 16, 9, 8", _K)
_WANTED = 0.95  # of releases on the data, for which the smallest ε is shown
_IGNORED = replace(ONE_CHOICE.card.style, dash="dot", marker="circle-open")
_SEQUENCE, _SET = lesson.built(ONE_CHOICE, _K), lesson.built(ONE_SET, _K)


def _example(view: View, step: int) -> lesson.Example:
    items, counts = _CASE.counts.items, _CASE.counts.counts.tolist()
    step = min(step, 1)
    inside = [0, 1, 3] if step else [0, 1, 2]
    least = min(counts[i] for i in inside)
    most = max(count for i, count in enumerate(counts) if i not in inside)
    chosen = ", ".join(items[i] for i in inside)
    u = f"u = {least} − {most} = {least - most}".replace("-", "−")
    lower = 2 * (most - least)  # than that of the true set, whose gap is as large
    times = f"{round(math.exp(lower / 2), -2):,.0f}"
    words = LESSON.say(f"Step {step}", items=chosen, u=u, lower=lower, half=lower // 2, times=times)
    darker = [i in inside for i in range(_CASE.counts.d)]
    return lesson.Example(
        LESSON.say("Example"),
        Chart(
            figures.amounts(items, counts, _CASE.unit, "%{x:,}", darker),
            "example",
            f"Five counts; the darker {_K} are in the set.",
            _CASE.origin((_SEQUENCE, _SET), "true counts, no noise"),
            height=300,
            finding=f"{', '.join(f'{item} {count}' for item, count in _CASE.counts)}; "
            f"in the set: {chosen}.",
        ),
        1,
        words,
    )


def _answer(step: int) -> lesson.Answer:
    shares = {label: 100 * p for label, p in _right(_SEQUENCE.epsilon).items()}
    share = shares[_SET.label]
    described = "; ".join(f"{label} {each:.1f}%" for label, each in shares.items())
    marked = [label == _SET.label for label in shares]
    axis = "right releases (%)"
    code = """
print(100 * probability_exact_sequence(counts, mechanisms[0]))
for mechanism in mechanisms:
    print(mechanism.label, 100 * probability_exact_set(counts, mechanism))
"""
    return lesson.Answer(
        share,
        f"{share:.1f} of 100",
        "exact",
        LESSON.say("Why"),
        Chart(
            figures.amounts(
                [*shares], [*shares.values()], axis, "%{x:.1f}%", marked, lines=2
            ).update_xaxes(range=(0, 101)),
            "answer",
            "How often all items are right.",
            _CASE.origin((_SEQUENCE, _SET), "exact"),
            height=300,
            finding=f"Exact: {described}.",
        ),
        snippets.small(_CASE.python, (_SEQUENCE, _SET), code),
        lesson.at_every(
            "Probability that all items are right", _SET, _right, (_SEQUENCE, _SEQUENCE, _SET)
        ),
    )


def _right(epsilon: float) -> dict[str, float]:
    """Return how often all items are right: in order, with the order ignored, and as a set."""
    counts = _CASE.counts
    sequence, of_set = (m.replaced(epsilon=epsilon) for m in (_SEQUENCE, _SET))
    return {
        f"{sequence.label}, in order": probability_exact_sequence(counts, sequence),
        f"{sequence.label}, order ignored": probability_exact_set(counts, sequence),
        f"{of_set.label}": probability_exact_set(counts, of_set),
    }


def _on_data(view: View) -> lesson.OnData:
    sequence, of_set = view.build(ONE_CHOICE, view.k), view.build(ONE_SET, view.k)
    asked: tuple[tuple[str, Mechanism, str, Style], ...] = (
        (f"{sequence.label}, in order", sequence, "exact_sequence", sequence.card.style),
        (f"{sequence.label}, order ignored", sequence, "exact_set", _IGNORED),
        (of_set.label, of_set, "exact_set", of_set.card.style),
    )
    exact = {m: results.remembered(known_shares, view.counts, m) for m in (sequence, of_set)}
    known = [(name, m, target, style) for name, m, target, style in asked if target in exact[m]]
    if not known:
        return lesson.OnData(LESSON.say("On the data: not known", k=view.k))
    chances = {
        name: results.remembered(smallest_epsilon, view.counts, m, target, _WANTED)
        for name, m, target, _ in known
    }
    here = min(max(view.epsilon, SMALLEST), LARGEST)
    ends = [here, *(one.epsilon for one in chances.values() if 0 < one.epsilon < math.inf)]
    low, high = max(min(ends) / 4, SMALLEST), min(max(ends) * 2, LARGEST)
    curves = {
        name: results.remembered(target_curve, view.counts, m, target, low, high)
        for name, m, target, _ in known
    }
    each = [
        f"{name}: {frequency(right.log, right.log_complement)} at ε = {rounded(view.epsilon, 3)}; "
        f"{_enough(chances[name])}"
        for name, right in ((name, exact[m][target]) for name, m, target, _ in known)
    ]
    listed = "\n".join(f"- {words}." for words in each)
    sideways = _sideways([chances[name].epsilon for name, *_ in asked if name in chances])
    return lesson.OnData(
        LESSON.say("On the data", k=view.k, each=listed, sideways=sideways),
        Chart(
            figures.target_curves(
                chances, curves, _WANTED, {name: style for name, _, _, style in known}, here
            ).update_yaxes(title=f"probability that all {view.k} are right"),
            "data",
            f"How often all {view.k} are right, against ε.",
            view.origin((sequence, of_set), "exact"),
            height=360,
            finding=f"{'. '.join(each)}.",
        ),
    )


def _enough(answer: SmallestEpsilon) -> str:
    """Say which ε suffices, also where all or none does."""
    if 0 < answer.epsilon < math.inf:
        return f"{_WANTED:.0%} needs ε = {answer.brief}"
    return f"{answer.brief} is enough for {_WANTED:.0%}"


def _sideways(needed: list[float]) -> str:
    """Say how many times less ε is needed without the order, and by a mechanism made for sets.

    ``needed`` is the ε of each curve, that of the right order first; others say nothing.
    """
    if len(needed) != 3 or not all(0 < epsilon < math.inf for epsilon in needed):
        return ""
    in_order, ignored, of_set = needed
    if not in_order > ignored > of_set:
        return ""
    words = LESSON.say(
        "On the data: sideways",
        wanted=f"{_WANTED:.0%}",
        ignored=rounded(in_order / ignored, 2),
        of_set=rounded(ignored / of_set, 2),
    )
    return f"{words} "


@cache
def _numbers() -> dict[str, object]:
    example, games = _CASE.counts, load_dataset("games")
    wide, crowded = ItemCounts([200, 120, 40, 38, 8]), ItemCounts([20, 18, 16] + [9] * 20)
    in_order = 100 * probability_exact_sequence(example, _SEQUENCE)
    # on the video games the hardest to beat: the first four and any six of the others
    top, n_others = games.sorted.top(11), games.d - 4
    log_sets = math.log(math.comb(n_others, 6))
    left_out, gap = int(top[4]), int(top[9] - top[10])
    m = (left_out - 1 + gap) / 2
    turned = probability_exact_set(games, lesson.built(ONE_SET, 10, log_sets / m))
    return {
        "in_order": f"{in_order:.1f}",
        "joint_wide": f"{100 * probability_exact_set(wide, _SEQUENCE):.1f}",
        "set_wide": f"{100 * probability_exact_set(wide, _SET):.1f}",
        "no_margin": f"{100 * _without_margin(example):.1f}",
        "joint_factor": f"{_beside_best_wrong(example, 1):.0f}",
        "orders_factor": f"{_beside_best_wrong(example, math.factorial(_K)):.0f}",
        "others": f"{n_others:,}",
        "log_sets": f"{log_sets:.1f}",
        "left_out": left_out,
        "left_out_less_one": left_out - 1,
        "gap": gap,
        "m": f"{m:.0f}",
        "turns": f"{log_sets / m:.4f}",
        "turned": f"{turned:.1f}",
        "set": f"{100 * probability_exact_set(example, _SET):.1f}",
        "set_crowded": f"{100 * probability_exact_set(crowded, _SET):.1f}",
    }


def _without_margin(counts: ItemCounts) -> float:
    """Return the probability of the right set if it scores 0, as one that ties."""
    margin = int(counts.counts[_K - 1] - counts.counts[_K])
    wrong = 1 / probability_exact_set(counts, _SET) - 1  # weight of all, the right one's being 1
    return 1 / (1 + wrong * math.exp(margin * _SET.epsilon / 2))


def _beside_best_wrong(counts: ItemCounts, n_orders: int) -> float:
    """Return how much likelier the right items are than with the last swapped for the next one.

    Of each ``n_orders`` orders are summed, the sorted one first.
    """
    sums = []
    for chosen in ([*range(_K)], [*range(_K - 1), _K]):
        orders = [*itertools.islice(itertools.permutations(chosen), n_orders)]
        sums.append(float(np.exp(_SEQUENCE.log_pmf(counts, orders)).sum()))
    return sums[0] / sums[1]


LESSON = lesson.Lesson("order", _CASE, _example, _answer, _on_data, _numbers)
