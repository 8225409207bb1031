"""Lesson 9: find the mechanism that breaks its guarantee, by exact probability ratios."""

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.laws.distribution import output_distribution
from dptopk.laws.privacy_losses import WorstCase, within, worst_case_loss
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import BROKEN, TrueThreshold
from dptopk.mechanisms.selections import COINS, NOISY, ONE_CHOICE, RACE
from dptopk.questions.view import View
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import joined, loss, ratio
from dptopk.ui.sections.lessons.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    built,
    case_of,
    choice_of,
)
from dptopk.ui.show import Chart

_VECTOR = "4, 3, 3, 1"
_K = 2
_THRESHOLD = 2
_N_ITEMS = 4  # of the data: few enough to list every neighbour
_NUMERALS = ("I", "II", "III", "IV", "V")
_PLACES = (1, 3, 0, 4, 2)  # of the broken one, in each step
_RIGHT = (
    (RACE, "k rounds of the exponential mechanism, each with ε/k."),
    (COINS, "k rounds of coins with ε/k each; items are tried in random order."),
    (
        ONE_CHOICE,
        "A single draw among all sequences, weighted by $e^{-\\varepsilon\\, \\mathrm{loss} / 2}$.",
    ),
    (NOISY, "Laplace noise of scale k/ε is added to every count; the k largest are released."),
)
_WHY = (  # of each step, followed by the neighbor and the output that show it
    "Without noise the list follows from the counts, and on many counts no single user can change "
    "it. Here one can: a user who breaks the tie makes an impossible list certain",
    "With too little noise the results look better than those of the others. Each round may change "
    "a probability by a factor of $e^{\\varepsilon}$, and two rounds together by up to "
    "$e^{2 \\varepsilon}$",
    "Noise of scale 1/ε is enough for one count, but a user changes several counts at once, and "
    "the order of all of them is released. The ratio stays finite, and exceeds "
    "$e^{\\varepsilon}$",
    "If the first name has the largest count, its coin always shows heads, and no other item can "
    "be released first. A user who makes another count the largest makes the impossible possible",
    "Whether an item can be released depends on its true count, without noise. A user who lifts a "
    "count to the threshold makes an impossible output possible",
)


def _candidates(step: int) -> tuple[list[Mechanism], list[str], int]:
    """Return the mechanisms of a step, their descriptions, and the place of the broken one."""
    kind = BROKEN[step]
    more = {"threshold": _THRESHOLD} if kind is TrueThreshold else {}
    wrong = built(kind, _K, **more)
    mechanisms = [built(right, _K) for right, _ in _RIGHT]
    words = [word for _, word in _RIGHT]
    mechanisms, words = mechanisms[step:] + mechanisms[:step], words[step:] + words[:step]
    place = _PLACES[step]
    mechanisms.insert(place, wrong)
    words.insert(place, wrong.card.summary)
    return mechanisms, words, place


def _right(counts: ItemCounts, mechanism: Mechanism) -> float:
    """Probability of a true top in order, up to ties, of whoever treats these as it likes."""
    law = output_distribution(counts, mechanism)
    top = counts.sorted.top(mechanism.k)
    return float(law.probabilities[(counts.counts[law.sequences] == top).all(axis=1)].sum())


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, _K)
    last = len(BROKEN) - 1
    step = min(step, last)
    mechanisms, words, _ = _candidates(step)
    right = [100 * _right(case.counts, m) for m in mechanisms]
    listed = "\n".join(f"- **{n}** {word}" for n, word in zip(_NUMERALS, words, strict=True))
    described = "; ".join(f"{n} {share:.1f}%" for n, share in zip(_NUMERALS, right, strict=True))
    return Example(
        f"Five mechanisms release the top {_K} of the counts {_VECTOR}, in order. Each claims "
        "ε = 1 when one user joins or leaves, and one of them violates it. The figure shows "
        "how often each is right.",
        Chart(
            figures.amounts(
                _NUMERALS,
                right,
                f"right in order, {_K} of {case.counts.d} (%)",
                "%{x:.1f}%",
                [True] * len(right),
            ),
            "example",
            "How often each of five mechanisms releases the true top in order.",
            case.origin(mechanisms, "exact"),
            height=320,
            finding=f"{described}.",
        ),
        last,
        f"Every step shows another five.\n\n{listed}",
    )


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, _K)
    mechanisms, _, wrong = _candidates(step)
    worst = [worst_case_loss(case.counts, m) for m in mechanisms]
    used = {n: each.value for n, each in zip(_NUMERALS, worst, strict=True)}
    promised = mechanisms[wrong].epsilon
    beyond = [n for n, value in used.items() if value > promised]
    return Answer(
        beyond[0],
        ratio(worst[wrong].value),
        f"its largest ratio, exact; promised: {ratio(promised)}",
        f"{_WHY[step]} {_shown_by(worst[wrong])}.",
        Chart(
            figures.privacy_use(
                used,
                promised,
                {n: m.card.style for n, m in zip(_NUMERALS, mechanisms, strict=True)},
            ),
            "answer",
            "Largest privacy loss of each, over all neighbours and outputs.",
            case.origin(mechanisms, "exact"),
            height=320,
            finding=f"{'; '.join(f'{n} {loss(value)}' for n, value in used.items())}. Beyond "
            f"ε = 1: {', '.join(beyond)}.",
        ),
        snippets.small(
            case.python,
            mechanisms,
            "\nfor mechanism in mechanisms:\n"
            "    print(mechanism.label, worst_case_loss(counts, mechanism).value)\n",
        ),
    )


def _shown_by(worst: WorstCase) -> str:
    """Return the neighbor and the output that reveal the violation."""
    output = ", ".join(worst.neighbour.items[i] for i in worst.output)
    counts = ", ".join(map(str, worst.neighbour.counts.tolist()))
    return f"(compare {_VECTOR} with {counts}, and the output {output})"


def _on_data(view: View) -> OnData:
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
    said = f"{joined(kept)} {stay} within ε" if kept else "none of them stays within ε"
    return OnData(
        f"The five broken mechanisms on the {few.d} largest counts alone, with k = {k} and the "
        f"sidebar’s ε: {said}. A guarantee must hold on all data, so a test on one data set does "
        "not prove it.",
        Chart(
            figures.privacy_use(used, view.epsilon, {m.label: m.card.style for m in mechanisms}),
            "data",
            "Largest privacy loss of each broken mechanism.",
            view.origin(mechanisms, "exact", note=f"The {few.d} largest items alone."),
            height=340,
            finding=f"{'; '.join(f'{label} {loss(value)}' for label, value in used.items())}.",
        ),
    )


LESSON = Lesson(
    key="9",
    title="Which of five is broken?",
    point="Better results at the same ε are a reason for suspicion; the exact ratio of two "
    "probabilities on neighbouring data reveals errors that results cannot show.",
    minutes=10,
    misconception="“It adds noise, so it is private.” What matters is the ratio of probabilities "
    "on every pair of neighbours, for every output.",
    questions=(
        (
            "Which of the broken ones would a test on a single data set miss?",
            "Those that fail on some counts only. No noise and coins by name fail where one user "
            "can change the order, the true threshold where a count lies next to it. A proof "
            "covers all neighbours; a test only those that it tried.",
        ),
        (
            "How many draws would it take to see a ratio of $e^{1.2}$ instead of $e^1$?",
            "The log ratio of two observed shares has a standard error of about $\\sqrt{1/(np) + "
            "1/(nq)}$. To detect a difference of 0.2 at two standard errors with $p$ = 1% takes "
            "about 43,000 draws on each of the two data sets; the exact ratio takes none.",
        ),
    ),
    prediction=choice_of(
        "9", "Which one violates ε = 1?", {n: f"mechanism {n}" for n in _NUMERALS}
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
    asks_anew=True,
)
