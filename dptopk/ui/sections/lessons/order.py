"""Lesson 7: the gain from releasing a set instead of a sequence."""

import math
from dataclasses import replace

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.laws.exact import probability_exact_sequence, probability_exact_set
from dptopk.mechanisms import Mechanism, Style
from dptopk.mechanisms.selections import ONE_CHOICE, ONE_SET
from dptopk.questions.epsilon import in_words
from dptopk.questions.errors import known_shares
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.tuning.search import LARGEST, SMALLEST, smallest_epsilon
from dptopk.tuning.targets import target_curve
from dptopk.ui import results
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import frequency, rounded
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

_VECTOR = "20, 18, 16, 9, 8"
_K = 3
_WANTED = 0.95  # of releases on the data, for which the smallest ε is shown
_IGNORED = replace(ONE_CHOICE.card.style, dash="dot", marker="circle-open")
_SEQUENCE, _SET = built(ONE_CHOICE, _K), built(ONE_SET, _K)


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, _K)
    in_order = 100 * probability_exact_sequence(case.counts, _SEQUENCE)
    items, counts = case.counts.items, case.counts.counts.tolist()
    step = min(step, 1)
    inside = [0, 1, 3] if step else [0, 1, 2]
    least = min(counts[i] for i in inside)
    most = max(count for i, count in enumerate(counts) if i not in inside)
    chosen = ", ".join(items[i] for i in inside)
    u = f"u = {least} − {most} = {least - most}".replace("-", "−")
    said = f"**The true set.** {chosen} has {u}. Predict before you go on."
    if step:
        lower = 2 * (most - least)  # than that of the true set, whose gap is as large
        said = (
            f"**C and D swapped.** {chosen} has {u}, {lower} less: it is $e^{{-{lower // 2}}}$ "
            f"times as likely as the true set, about 1/{round(math.exp(lower / 2), -2):,.0f}."
        )
    return Example(
        f"Five items have the counts {_VECTOR}, and the top {_K} are to be released with ε = 1. "
        f"{_SEQUENCE.label} releases them in the right order in {in_order:.1f} of 100 releases. "
        f"{_SET.label} releases a set instead, without any order: with probability proportional to "
        "$e^{\\varepsilon u / 2}$, where u is the smallest count in the set minus the largest "
        "outside.",
        Chart(
            figures.amounts(
                [*items],
                counts,
                case.unit,
                "%{x:,}",
                [i in inside for i in range(case.counts.d)],
            ),
            "example",
            f"Five counts; the darker {_K} are in the set.",
            case.origin((_SEQUENCE, _SET), "true counts, no noise"),
            height=300,
            finding=f"{', '.join(f'{item} {count}' for item, count in case.counts)}; "
            f"in the set: {chosen}.",
        ),
        1,
        said,
    )


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, _K)
    right = _right(case.counts, _SEQUENCE.epsilon)
    share = 100 * right[_SET.label]
    return Answer(
        share,
        f"{share:.1f} of 100",
        "exact",
        "A release in order must tell the top three apart, whose gaps are small; a set must tell "
        f"only the items inside from those outside. {_SET.label} does even better than "
        f"{_SEQUENCE.label} with its order ignored: its exponent counts the gap after place 3 "
        "twice, as the true set has u = 7 and the best wrong one −7.",
        _bars(right, "answer", case.origin((_SEQUENCE, _SET), "exact")),
        snippets.small(
            case.python,
            (_SEQUENCE, _SET),
            """
print(100 * probability_exact_sequence(counts, mechanisms[0]))
for mechanism in mechanisms:
    print(mechanism.label, 100 * probability_exact_set(counts, mechanism))
""",
        ),
        at_every_epsilon(
            "Probability that all items are right",
            _SET.card.style,
            lambda epsilon: _right(case.counts, epsilon),
            (_SEQUENCE, _SEQUENCE, _SET),
        ),
    )


def _right(counts: ItemCounts, epsilon: float) -> dict[str, float]:
    """Return how often all items are right: in order, with the order ignored, and as a set."""
    sequence, of_set = (m.replaced(epsilon=epsilon) for m in (_SEQUENCE, _SET))
    return {
        f"{sequence.label}, in order": probability_exact_sequence(counts, sequence),
        f"{sequence.label}, order ignored": probability_exact_set(counts, sequence),
        f"{of_set.label}": probability_exact_set(counts, of_set),
    }


def _bars(right: dict[str, float], name: str, origin: Origin) -> Chart:
    shares = [100 * p for p in right.values()]
    described = "; ".join(
        f"{label} {share:.1f}%" for label, share in zip(right, shares, strict=True)
    )
    axis = "right releases (%)"
    marked = [False] * (len(right) - 1) + [True]
    return Chart(
        figures.amounts([*right], shares, axis, "%{x:.1f}%", marked, lines=2),
        name,
        "How often all items are right.",
        origin,
        height=300,
        finding=f"Exact: {described}.",
    )


def _on_data(view: View) -> OnData:
    sequence, of_set = view.build(ONE_CHOICE, view.k), view.build(ONE_SET, view.k)
    asked: tuple[tuple[str, Mechanism, str, Style], ...] = (
        (f"{sequence.label}, in order", sequence, "exact_sequence", sequence.card.style),
        (f"{sequence.label}, order ignored", sequence, "exact_set", _IGNORED),
        (of_set.label, of_set, "exact_set", of_set.card.style),
    )
    exact = {m: results.remembered(known_shares, view.counts, m) for m in (sequence, of_set)}
    known = [(name, m, target, style) for name, m, target, style in asked if target in exact[m]]
    if not known:
        return OnData(f"How often all {view.k} are right is not known exactly on these data.")
    found = {
        name: results.remembered(smallest_epsilon, view.counts, m, target, _WANTED)
        for name, m, target, _ in known
    }
    here = min(max(view.epsilon, SMALLEST), LARGEST)
    ends = [here, *(one.epsilon for one in found.values() if 0 < one.epsilon < math.inf)]
    low, high = max(min(ends) / 4, SMALLEST), min(max(ends) * 2, LARGEST)
    curves = {
        name: results.remembered(target_curve, view.counts, m, target, low, high)
        for name, m, target, _ in known
    }
    each = [
        f"{name}: {frequency(right.log, right.log_complement)} at ε = {rounded(view.epsilon, 3)}; "
        f"{_WANTED:.0%} needs ε = {in_words(found[name])[0]}"
        for name, right in ((name, exact[m][target]) for name, m, target, _ in known)
    ]
    listed = "\n".join(f"- {words}." for words in each)
    return OnData(
        f"How often all {view.k} are right:\n\n{listed}\n\n"
        f"{_sideways([found[name].epsilon for name, *_ in asked if name in found])}"
        "The dotted line is your ε.",
        Chart(
            figures.target_curves(
                found, curves, _WANTED, {name: style for name, _, _, style in known}, here
            ).update_yaxes(title=f"probability that all {view.k} are right"),
            "data",
            f"How often all {view.k} are right, against ε.",
            view.origin((sequence, of_set), "exact"),
            height=360,
            finding=f"{'. '.join(each)}.",
        ),
    )


def _sideways(needed: list[float]) -> str:
    """Say how many times less ε is needed without the order, and by a mechanism made for sets.

    ``needed`` is the ε of each curve, that of the right order first; others say nothing.
    """
    if len(needed) != 3 or not all(0 < epsilon < math.inf for epsilon in needed):
        return ""
    in_order, ignored, of_set = needed
    if not in_order > ignored > of_set:
        return ""
    return (
        f"Read the curves sideways, along the dashed line at {_WANTED:.0%}, from mark to "
        f"mark: with the order ignored ε can be {rounded(in_order / ignored, 2)} times smaller, "
        f"with a mechanism made for sets another {rounded(ignored / of_set, 2)} times. "
    )


LESSON = Lesson(
    key="7",
    title="What is gained by giving up the order?",
    point="A set need not tell the top k apart: what matters is how far items outside lie below "
    "those inside, and how many lie outside. If the order is not needed, no budget should "
    "be spent on it.",
    minutes=6,
    misconception="“An order can always be ignored, so a ranking is the safer release.” Both are "
    "equally private at the same ε. But Joint has the right set less often, even "
    "where its order costs nothing: it counts the gap after place k once, the set "
    "mechanism twice.",
    questions=(
        (
            "For which uses of a top k does the order not matter?",
            "Wherever all k are treated alike: items to keep in a cache, features for a model, "
            "candidates that people then look at.",
        ),
        (
            "On which counts does Joint lose nothing by its order, and is it then as good as the "
            "set?",
            "Where the gaps inside the top k are far wider than the one after place k, as for "
            "200, 120, 40, 38, 8 with k = 3: when Joint releases the right three, they are "
            "practically always in order. Even so it has them in 73.1 of 100 releases only, and "
            f"{_SET.label} in 88.1: relative to the best wrong set the right one weighs "
            f"$e^{{2/2}}$ under Joint and $e^2$ under {_SET.label}, hence $e^1 / (1 + e^1)$ and "
            "$e^2 / (1 + e^2)$.",
        ),
    ),
    students_ask=(
        (
            "Why is there a ½ in the exponent here, too?",
            "One user changes the smallest count in a set and the largest outside by at most 1 "
            "each, in the same direction, so u by at most 1; but it may rise for one set and fall "
            "for another. With the ½ both changes together stay within $e^{\\varepsilon}$.",
        ),
        (
            "Must all sets be listed?",
            "No. The true set is a group by itself. The others are grouped by the largest item "
            "outside and the smallest inside. All items above the former are inside, and the "
            "rest are chosen freely among the items between "
            "the two: a binomial coefficient counts the group. First a group is drawn, then one "
            "of its sets, all equally likely.",
        ),
        (
            "May the released set be published in the order of its counts?",
            "No. That order is computed from the data without noise: where two counts differ by 1, "
            "one user decides it. The set is published in an order that does not depend on the "
            "counts, such as by name.",
        ),
        (
            "Where does the name inverse sensitivity come from?",
            "For a wrong set, −u is how many users must join or leave before it is a top k: one "
            "who joins with all its items raises u by 1, and no user changes u by more. That is "
            "inverse sensitivity (Asi and Duchi 2020), where the true answer scores 0. Here the "
            "true set scores its margin, +7: so many must join or leave before it ties. Without "
            "that margin it would be right in 92.2 of 100.",
        ),
        (
            "Why is the set so much better, even where the order of Joint is ignored?",
            "The true set has u = 16 − 9 = 7, the best wrong one, A, B, D, has u = 9 − 16 = −7: "
            "the set mechanism sees the gap twice, and its true set is $e^7$ times as likely. For "
            "Joint the losses of A, B, C and A, B, D are 0 and 7: a factor of $e^{3.5}$, 33, only "
            "(26 over all orders of the two sets).",
        ),
        (
            f"Is {_SET.label} on all data right at least as often as Joint with its order ignored?",
            "Yes. Let a be the largest count that a wrong set leaves out of the top k, b the "
            "smallest that it takes in, and g the gap after place k. In any order of the true set "
            "replace its items by those of the wrong one, the largest by the largest, the second "
            "by the second: no shortfall grows by more than a − b. So Joint gives the wrong set at "
            "least $e^{-\\varepsilon (a - b) / 2}$ times the probability of the true one. "
            f"{_SET.label} gives it $e^{{-\\varepsilon (a - b + g) / 2}}$ times, as u is b − a for "
            "the wrong set and g for the true one: at most as much, as g is never negative.",
        ),
        (
            "Why does the curve of the set rise so suddenly on the data?",
            "The right set competes with all others at once. Against N wrong sets, each "
            "$e^{\\varepsilon m}$ times less likely than the right one, its odds are "
            "$e^{\\varepsilon m} / N$: tiny as long as $\\varepsilon m$ is below ln N, and large "
            "soon after. On the video games with k = 10 the hardest to beat are the sets of the "
            "first four and any six of the 5,151 others, $e^{44.7}$ in number. The largest count "
            "that most of them leave out is 981, their smallest is about 1, and the gap after "
            "place 10 is 92: m = (980 + 92)/2 = 536. So the curve turns at ε = 44.7/536 = 0.0834, "
            "where the right set has probability 0.5.",
        ),
        (
            "Does only the gap after place k matter?",
            "No, the number of items outside matters, too. With 20 items at 9 in place of the 9 "
            "and the 8 the gap is still 7, but the right set falls from 99.7 to 78.2 of 100; with "
            "1,000 items at 9 it falls below 0.01. Each wrong set is as unlikely beside the true "
            "one as before, but there are many more of them.",
        ),
    ),
    prediction=number_of(
        "7", f"In how many of 100 releases does {_SET.label} release the right {_K}?", 100
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
)
