"""Lesson 4: permute-and-flip as coin flips in random order."""

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray
from dptopk.laws.exact import probability_exact_sequence
from dptopk.mechanisms.pictures import Coins
from dptopk.mechanisms.selections import COINS, RACE
from dptopk.questions.view import View
from dptopk.simulation.trials import generator_for
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import frequency, plain
from dptopk.ui.sections.lessons.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    at_every_epsilon,
    built,
    case_of,
    choice_of,
    closest_round,
    one_round,
)
from dptopk.ui.show import Chart

_VECTOR = "10, 9, 8, 5"
_MECHANISM, _RACE = built(COINS, 1), built(RACE, 1)
_LESS, _SAME, _MORE = "less", "same", "more"


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, 1)
    items, heads = case.counts.items, _heads(view)
    rng = generator_for(_MECHANISM, view.seed)
    order, shown = rng.permutation(case.counts.d), rng.random(case.counts.d)
    won = int(np.argmax(shown[order] < heads[order]))  # of the order: A's coin never fails
    n = won + 2
    step = min(step, n)
    if step == 0:
        order = np.arange(case.counts.d)
        said = "**The coins.** The coin of the largest count always shows heads."
    elif step == 1:
        listed = ", ".join(items[i] for i in order)
        said = f"**The permutation.** The items are tried in this random order: {listed}."
    else:
        tried = items[order[step - 2]]
        said = f"**{tried} is tried.** " + (
            f"Heads: {tried} is released, and no other item is tried."
            if step == n
            else f"Tails: {tried} is out, and the next one is tried."
        )
    n_tried = max(step - 1, 0)
    names = [
        f"{items[i]}, {case.counts.counts[i]}{_result(place, n_tried, won)}"
        for place, i in enumerate(order)
    ]
    out = [place < min(n_tried, won) for place in range(order.size)]
    described = "; ".join(
        f"{name}: {100 * p:.1f}%" for name, p in zip(names, heads[order], strict=True)
    )
    return Example(
        f"Four items have the counts {_VECTOR}, as in lesson 3, and one is to be released with "
        "ε = 1. Each has a coin that shows heads with probability "
        "$e^{-\\varepsilon\\, \\mathrm{gap}}$, where the gap is the distance of its count from the "
        "largest; as in lesson 3 no ½ is needed. The coins are flipped in uniformly random order, "
        "and the first item whose coin shows heads "
        "is released: permute-and-flip. In k rounds with ε/k each, among the items that are left, "
        f"it is called {_MECHANISM.label}. The race of lesson 3, {_RACE.label}, releases A in "
        f"{100 * probability_exact_sequence(case.counts, _RACE):.1f} of 100 releases.",
        Chart(
            figures.amounts(
                names,
                (100 * heads[order]).tolist(),
                "probability of heads (%)",
                "%{x:.1f}%",
                [not is_out for is_out in out],
                outlined=[won] if n_tried > won else [],
            ),
            "example",
            "Coins of four items.",
            case.origin(
                (_MECHANISM,),
                "one draw of the coins" if step else "exact",
                seed=view.seed if step else None,
            ),
            height=300,
            finding=f"Probability of heads, from the top. {described}.",
        ),
        n,
        said,
    )


def _heads(view: View) -> FloatArray:
    """Return the probability of heads of each item of the example."""
    counts = case_of(view, _VECTOR, 1).counts
    picture = _MECHANISM.picture(counts.sorted, np.arange(counts.d), np.random.default_rng(0))
    assert isinstance(picture, Coins)
    heads: FloatArray = np.exp(picture.log_heads)
    return heads


def _result(place: int, n_tried: int, won: int) -> str:
    """Return the result of the coin at a place, if it was flipped."""
    if place >= n_tried:
        return ""
    return ": heads" if place == won else ": tails"


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, 1)
    both = (_RACE, _MECHANISM)
    chart, _, first = one_round(both, case, 1, "answer", "Which item is released.")
    race, coins = np.exp([first[_RACE.label], first[_MECHANISM.label]]).tolist()
    return Answer(
        _SAME if np.isclose(race, coins) else _MORE if coins > race else _LESS,
        f"{100 * coins:.1f}%",
        f"exact; the race: {100 * race:.1f}%",
        "Draw an item at random, flip its coin, and put the item back if the coin shows tails: "
        "that is the exponential mechanism, where a poor item may be tried again and again. "
        "Permute-and-flip does not put it back, so each item is tried at most once, and at the "
        "same ε the expected error, the distance of the released count from the largest, is "
        "never larger.",
        chart,
        snippets.small(
            case.python,
            both,
            """
for mechanism in mechanisms:
    law = output_distribution(counts, mechanism)
    print(mechanism.label, dict(zip(law.labels(), (100 * law.probabilities).tolist())))
""",
        ),
        at_every_epsilon(
            "Probability that A is released",
            _MECHANISM.card.style,
            lambda epsilon: {
                m.label: probability_exact_sequence(case.counts, m.replaced(epsilon=epsilon))
                for m in both
            },
            both,
        ),
    )


def _on_data(view: View) -> OnData:
    both = tuple(view.build(m, 1, epsilon=view.epsilon / view.k) for m in (RACE, COINS))
    place, words = closest_round(view)
    chart, names, first = one_round(
        both, view, place, "data", f"Which item takes place {place} of {view.k}."
    )
    race, coins = (frequency(first[m.label]) for m in both)
    return OnData(
        f"{words} Probability that the right item, {plain(names[0])}, is released once all larger "
        f"items are: {coins} by the coins ({both[1].label}), {race} by the race "
        f"({both[0].label}).",
        chart,
    )


LESSON = Lesson(
    key="4",
    title="Coins or a race: which is right more often?",
    point="Permute-and-flip tries each item at most once, in random order, and at the same ε never "
    "has a larger expected error than the exponential mechanism, which may try a poor item again.",
    minutes=8,
    misconception="“The random order makes the result worse.” Only compared with an order from the "
    "largest count down, which would always release the largest and protect nobody. Any fixed "
    "order breaks the guarantee: if the items were tried in alphabetical order, a release of any "
    "other item than the first would prove that the first does not have the largest count.",
    questions=(
        (
            "What comes out if all counts are equal, by coins and by the race?",
            "Each item with the same probability, by both: every coin shows heads, so the first "
            "of the permutation is released; in the race all speeds are equal.",
        ),
        (
            "Why must one coin always show heads, and what would happen otherwise?",
            "The item with the largest count has the gap 0, and $e^0 = 1$. If its coin could show "
            "tails, all coins might, and nothing would be released.",
        ),
    ),
    prediction=choice_of(
        "4",
        f"Compared with the race of lesson 3 ({_RACE.label}) at the same ε, the coins release A",
        {_LESS: "less often", _SAME: "equally often", _MORE: "more often"},
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
    students_ask=(
        (
            "Why is the exponential mechanism the same with items put back?",
            "In each try an item is drawn and shows heads with probability proportional to "
            "$e^{-\\varepsilon\\, \\mathrm{gap}}$, so to $e^{\\varepsilon c}$. After tails the "
            "procedure starts afresh, so the item finally released has this distribution.",
        ),
        (
            "Why are the coins never worse?",
            "With $s_i = e^{\\varepsilon c_i}$ and $M = \\max_j s_j$ item i’s coin shows heads "
            "with probability $s_i / M$. Give each item a uniform time between 0 and 1; the order "
            "of these times is the permutation. With probability $t s_j / M$ item j comes "
            "before time t and shows heads. Item i is released at time t if its coin shows heads "
            "and no other item has done so before: integrated over t, with $u = t / M$, its "
            "probability is $P(i) = s_i \\int_0^{1/M} \\prod_{j \\ne i} (1 - u s_j)\\, du$. For "
            "two items with $s_i > s_j$ the integrals differ in one factor only: that of i has "
            "$1 - u s_j$, the larger one, where that of j has $1 - u s_i$. So $P(i) / s_i$ "
            "grows with $s_i$, while in the race it is the same for all items. Compared with the "
            "race the coins therefore move probability to larger counts, and the expected distance "
            "of the released count from the largest is never greater.",
        ),
        (
            "How much better can the coins be?",
            "Their expected error is at least half that of the race. Take the largest speed as "
            "unit, $M = 1$, and let S be the sum of all speeds but that of a wrong item i. As $1 - "
            "u s_j \\ge (1 - u)^{s_j}$, the integral of the answer before is at least $1 / (1 + "
            "S)$, so the coins release i with probability at least $s_i / (1 + S)$. The race "
            "releases it with $s_i / (S + s_i)$: the coins keep a share of at least $S / (1 + S)$ "
            "of this, and S is at least 1. Of two items far apart, with speeds 1 and s, the coins "
            "release the wrong one with probability $s / 2$ and the race with $s / (1 + s)$: for a "
            "small s nearly twice that. On the counts of this lesson the expected error is 0.308 "
            "and 0.445, a ratio of 0.69. Little is gained where many counts are close to the "
            "largest (S large), and nothing where all are equal.",
        ),
        (
            "Why is permute-and-flip private at the same ε?",
            "Take $P(i)$ from the second answer. A user who joins multiplies some of the $s_j$ by "
            "$e^{\\varepsilon}$. $P(i)$ grows by this factor at most: $s_i$ does, and the integral "
            "does not grow, as its factors and its upper limit $1/M$ can only become smaller. It "
            "falls by this factor at most: $s_i$ does not fall, and the integral is smallest if "
            "all $s_j$ and $M$ are multiplied; with $v = e^{\\varepsilon} u$ it is then "
            "$e^{-\\varepsilon}$ times the former one. For a user who leaves exchange the two "
            "(McKenna and Sheldon 2020). The page Privacy computes every ratio for a few counts.",
        ),
        (
            "If the coins are better, why does CDP-Peel of lesson 5, peeling with a small δ, not "
            "use them?",
            "Its smaller noise for many rounds rests on the bounded range of the exponential "
            "mechanism (lesson 5): for one user the logarithms of all ratios lie in an interval of "
            "length ε. Of two items with equal counts let a user join with the first. By coins "
            "the second falls from ½ to $e^{-\\varepsilon} / 2$, whose logarithm is ε lower, and "
            "the first rises from ½ to $1 - e^{-\\varepsilon} / 2$: the interval is longer than ε, "
            "at ε = 1 it is 1.49.",
        ),
        (
            "Are the coins at least as good over k rounds?",
            "Yes. The right k items come out in the right order at least as often. That "
            "probability is the product of those of the rounds, each among the same items left. In "
            "each round the coins give the largest count at least the probability that the race "
            "gives it.",
        ),
    ),
)
