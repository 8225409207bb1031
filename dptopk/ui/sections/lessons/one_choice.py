"""Lesson 6: the joint exponential mechanism, one choice among all sequences of items."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.laws.distribution import output_distribution
from dptopk.laws.exact import probability_exact_sequence
from dptopk.mechanisms.exact_laws import Chance
from dptopk.mechanisms.pictures import Limits
from dptopk.mechanisms.selections import COINS, ONE_CHOICE, RACE
from dptopk.questions.errors import known_shares
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View, styles_of
from dptopk.simulation.trials import generator_for
from dptopk.ui import results
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import frequency, joined, plural, probability, rounded
from dptopk.ui.sections import how_it_chooses
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

_VECTOR = "20, 16, 12, 3, 2"
_K = 3
_MECHANISM, _RACE, _COINS = built(ONE_CHOICE, _K), built(RACE, _K), built(COINS, _K)
_SEQUENCES = 6  # in the figure
_EXAMPLE_HEIGHT = 360  # the same at each step, so that what follows keeps its place
_BATCH = 11  # of the draws: by its first T some items are eligible at every place, but never all
_NEARLY_ALL = 0.999  # of the probability of T
_MANY = 10**6  # sequences: more are given as a power of ten
_TAKEN = 3  # steps before the first place is filled: the losses, the distribution of T, and T


def _limits(view: View) -> Limits:
    counts = case_of(view, _VECTOR, _K).counts
    picture = _MECHANISM.picture(counts.sorted, np.arange(counts.d), np.random.default_rng(0))
    assert isinstance(picture, Limits)
    return picture


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, _K)
    last = _TAKEN + _K - 1
    step = min(step, last)
    if step == 0:
        chart, said = _losses(view)
    else:
        chart, said = _limit(view, step) if step < _TAKEN else _place(view, step - _TAKEN)
    return Example(
        f"Five items have the counts {_VECTOR}, and the top {_K} are to be released in order with "
        f"ε = 1. An item at place j falls short by the j-th largest count minus its own, or by 0 "
        f"if that is negative. The loss of a sequence of {_K} items is its largest shortfall: B, "
        f"A, C has loss 4, as B at place 1 has {_at(case, 1)}, 4 less than {_at(case, 0)}. "
        f"{_MECHANISM.label} is the exponential mechanism on all 60 sequences: one of loss ℓ has "
        "probability proportional to $e^{-\\varepsilon \\ell / 2}$.",
        chart,
        last,
        said,
    )


def _at(case: SmallCase, place: int) -> int:
    return int(case.counts.counts[place])


def _losses(view: View) -> tuple[Chart, str]:
    """Count the sequences of each loss."""
    case = case_of(view, _VECTOR, _K)
    sequences = output_distribution(case.counts, _MECHANISM).sequences
    true = case.counts.sorted.top(_K)
    of_each = (true - case.counts.counts[sequences]).max(axis=1)
    losses, n = (values.tolist() for values in np.unique(of_each, return_counts=True))
    assert losses[0] == 0
    chart = Chart(
        figures.amounts(
            [f"loss {loss}" for loss in losses], n, "number of sequences", "%{x}", [True] * len(n)
        ),
        "example",
        f"How many of the {len(sequences)} sequences have each loss.",
        case.origin((_MECHANISM,), "exact"),
        height=_EXAMPLE_HEIGHT,
        finding="; ".join(f"loss {loss}: {count}" for loss, count in zip(losses, n, strict=True))
        + ".",
    )
    said = (
        f"**The losses.** Of the {len(sequences)} sequences only A, B, C has loss 0, "
        f"and {n[1]} have loss {losses[1]}, each $e^{{-{losses[1] // 2}}}$ times as likely as A, "
        f"B, C: together {n[1] * math.exp(-losses[1] / 2):.2f} of its probability."
    )
    return chart, said


def _limit(view: View, step: int) -> tuple[Chart, str]:
    """Show the distribution of the limit T, and in the step after it the limit that is drawn."""
    case, picture = case_of(view, _VECTOR, _K), _limits(view)
    counts = case.counts
    odds = how_it_chooses.odds_of_limits(picture)
    style = _MECHANISM.card.style
    if step == 1:
        figure = figures.limits(picture, style, odds, case.unit)
        described = how_it_chooses.described(picture, counts.items)
        said = (
            "**The limit.** No list of sequences is needed: first a limit T is drawn, from 0, 1, 2 "
            "and so on without end, with probability proportional to $e^{-\\varepsilon T / 2}$ "
            "times the number of sequences of loss at most T (upper plot). Then one of these is "
            "drawn, all equally likely: A, B, C can come out at every T, not at 0 alone. The "
            "lower plot counts the items that may stand at each place."
        )
    else:
        limit, _ = _drawn(view)
        figure = figures.limits(picture, style, odds, case.unit, limit)
        n_eligible = _eligible(counts, _K, limit)
        factors = [f"({n} − {place})" if place else str(n) for place, n in enumerate(n_eligible)]
        listed = [f"{n} at place {place}" for place, n in enumerate(n_eligible, 1)]
        described = f"T = {limit}; eligible items: {joined(listed)}."
        said = (
            f"**T = {limit} is drawn.** Eligible at a place are the items whose count is at most "
            f"{limit} below its true count: {joined(listed)}. Each earlier place has used one of "
            f"them: {' · '.join(factors)} = "
            f"{plural(_n_sequences(n_eligible), 'sequence')} of loss at most {limit}."
        )
    drawn = step == _TAKEN - 1
    chart = Chart(
        figure,
        "example",
        "The limit T, and how many items are eligible at each place.",
        case.origin(
            (_MECHANISM,), "one draw" if drawn else "exact", seed=view.seed if drawn else None
        ),
        height=_EXAMPLE_HEIGHT,
        finding=described,
    )
    return chart, said


def _eligible(counts: ItemCounts, k: int, limit: int) -> list[int]:
    """Return the number of items eligible at each of k places under a limit."""
    by_size = counts.sorted
    eligible: list[int] = by_size.n_at_least(by_size.top(k) - limit).tolist()
    return eligible


def _n_sequences(eligible: Sequence[int]) -> int:
    """Return the number of sequences of items that are eligible at their places."""
    return math.prod(n - place for place, n in enumerate(eligible))


def _drawn(view: View) -> tuple[int, list[int]]:
    """Draw the limit T and the item of each place under the seed."""
    counts, picture = case_of(view, _VECTOR, _K).counts.counts, _limits(view)
    rng = generator_for(_MECHANISM, view.seed, _BATCH)
    p = picture.probabilities / picture.probabilities.sum()
    limit = int(rng.choice(picture.start, p=p))
    placed: list[int] = []
    for place in range(_K):
        left = np.setdiff1d(np.flatnonzero(counts >= counts[place] - limit), placed)
        placed.append(int(rng.choice(left)))
    return limit, placed


def _place(view: View, place: int) -> tuple[Chart, str]:
    """Fill a place, from 0, after those before it."""
    case = case_of(view, _VECTOR, _K)
    counts, items = case.counts.counts, case.counts.items
    limit, placed = _drawn(view)
    placed = placed[: place + 1]
    least = max(int(counts[place]) - limit, 0)
    eligible = counts >= least
    eligible[placed[:-1]] = False
    left = [items[i] for i in np.flatnonzero(eligible).tolist()]
    wanted = f"{counts[place]} − {limit} = {counts[place] - limit}"
    drawn = items[placed[-1]]
    said = (
        f"**Place {place + 1}.** "
        + (
            f"Eligible from a count of {wanted} on. "
            if least
            else f"{wanted}: every count is eligible. "
        )
        + (
            f"Only {drawn} is left and is placed."
            if len(left) == 1
            else f"{joined(left)} are eligible and not yet placed; a uniform draw gives {drawn}."
        )
        + (" Items placed before are outlined." if place else "")
    )
    if len(placed) == _K:
        loss = max(0, *(int(counts[at]) - int(counts[i]) for at, i in enumerate(placed)))
        names = ", ".join(items[i] for i in placed)
        said += f" The release is **{names}**, of loss {loss}."
    names_shown = [
        f"{item}{f', place {placed.index(i) + 1}' if i in placed else ''}"
        for i, item in enumerate(items)
    ]
    chart = Chart(
        figures.amounts(
            names_shown,
            counts.tolist(),
            case.unit,
            "%{x:,}",
            eligible.tolist(),
            threshold=(least, f"eligible at place {place + 1}: from {least} on"),
            outlined=placed[:-1],
        ),
        "example",
        f"Darker: eligible at place {place + 1} and not placed before."
        + (" Outlined: placed before." if place else ""),
        case.origin((_MECHANISM,), "one draw", seed=view.seed),
        height=_EXAMPLE_HEIGHT,
        finding=f"T = {limit}; {', '.join(names_shown)}.",
    )
    return chart, said


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, _K)
    both = (_MECHANISM, _RACE)
    right = [100 * probability_exact_sequence(case.counts, m) for m in (*both, _COINS)]
    law = output_distribution(case.counts, _MECHANISM)
    shown = law.sequences[:_SEQUENCES]
    log_p = {}
    for m in both:
        of_shown = m.log_pmf(case.counts, shown)
        log_p[m.label] = np.append(of_shown, np.log1p(-np.exp(of_shown).sum()))
    words = {label: [*map(probability, values.tolist())] for label, values in log_p.items()}
    figure = figures.output_probabilities(
        [*law.labels()[:_SEQUENCES], f"{len(law) - _SEQUENCES} others"],
        {label: np.exp(values) for label, values in log_p.items()},
        styles_of(both),
        words=words,
        beside=True,
    )
    return Answer(
        right[0],
        f"{right[0]:.1f} of 100",
        f"exact; {_RACE.label}: {right[1]:.1f}; {_COINS.label}: {right[2]:.1f}",
        f"{_MECHANISM.label} has ε/2 in its exponent whatever k is, and {_RACE.label} only ε/3 in "
        "each of its three rounds, so a single choice can be right more often (at so small a k the "
        f"coins of {_COINS.label}, lesson 4, gain more still). But all sequences "
        "compete: N sequences of loss ℓ are together $N e^{-\\varepsilon \\ell / 2}$ times as "
        "likely as the right one, so the right one is rare where many counts lie just below "
        "place k.",
        Chart(
            figure,
            "answer",
            f"The likeliest {_SEQUENCES} of {len(law)} sequences, and the others together.",
            case.origin(both, "exact"),
            height=figures.height_of_rows(_SEQUENCES + 1, 2),
            finding=f"The right sequence: {both[0].label} {right[0]:.1f}%, {both[1].label} "
            f"{right[1]:.1f}%.",
        ),
        snippets.small(
            case.python,
            (*both, _COINS),
            """
for mechanism in mechanisms:
    print(mechanism.label, 100 * probability_exact_sequence(counts, mechanism))
""",
        ),
        at_every_epsilon(
            "Probability of A, B, C in order",
            _MECHANISM.card.style,
            lambda epsilon: {
                m.label: probability_exact_sequence(case.counts, m.replaced(epsilon=epsilon))
                for m in both
            },
            both,
        ),
    )


def _on_data(view: View) -> OnData:
    mechanism = view.build(ONE_CHOICE, view.k)
    shown = np.arange(min(view.k, view.counts.d))
    picture = mechanism.picture(view.counts.sorted, shown, np.random.default_rng(0))
    assert isinstance(picture, Limits)
    told = described = how_it_chooses.described(picture, ())
    k = min(view.k, view.counts.d)
    reached = int(view.counts.sorted.top(k)[-1] - view.counts.counts.min())
    rare = reached >= picture.stop[-1] and picture.probabilities.sum() > _NEARLY_ALL
    left = (
        "such a T has probability below 0.001"
        if rare
        else f"with such a T, place {k} is filled at random from all items that are left"
    )
    known = {
        m.label: results.remembered(known_shares, view.counts, m).get("exact_sequence")
        for m in (mechanism, view.build(RACE, view.k), view.build(COINS, view.k))
    }
    each = ", ".join(
        f"{label} {frequency(right.log, right.log_complement)}"
        for label, right in known.items()
        if right
    )
    all_right = f"all {view.k} are right and in order" if view.k > 1 else "the item is right"
    right = f"Probability that {all_right} (exact): {each}.{_worse(view, known)}" if each else ""
    if picture.median is not None:
        told += f" {_number_within(view, k, picture.median)}"
    return OnData(
        f"{told} From T = {reached:,} on, all {view.counts.d:,} items are eligible at place "
        f"{k}: {left}. {right}".strip(),
        Chart(
            how_it_chooses.figure(picture, (), mechanism, view.unit, view.counts.d),
            "data",
            "The limit T on the data, and how many items are eligible.",
            view.origin((mechanism,), "exact"),
            height=360,
            finding=described,
        ),
    )


def _number_within(view: View, k: int, limit: int) -> str:
    """Say how many sequences have a loss of at most ``limit``."""
    n = _n_sequences(_eligible(view.counts, k, limit))
    if n == 1:
        return f"Only the right sequence has a loss of at most {limit:,}."
    n_written = f"{n:,}" if n < _MANY else f"About $10^{{{round(math.log10(n))}}}$"
    return f"{n_written} sequences have a loss of at most {limit:,}."


def _worse(view: View, known: Mapping[str, Chance | None]) -> str:
    """Return why the single choice is right less often than the rounds, where it is."""
    joint, race, coins = known.values()
    label, _, by_coins = known
    if joint is None or race is None:
        return ""
    if joint.log >= race.log:
        if coins is None or joint.log >= coins.log:
            return ""
        return f" Here {by_coins} is right most often, by its coins (lesson 4)."
    if view.k <= 2:
        return (
            f" Here {label} is worse: with k = {view.k} a round has at least as much ε in its "
            "exponent."
        )
    if joint.probability >= 0.5:
        return f" Here {label} is worse."
    return (
        f" Here {label} is worse: at ε = {rounded(view.epsilon, 3)} the many sequences with items "
        "of smaller counts outweigh the right one."
    )


LESSON = Lesson(
    key="6",
    title="How can one choice fill k places?",
    point="Joint makes a single choice among all sequences by their worst place: it does not "
    "divide its budget among k rounds, but does worse where many counts lie just below place k.",
    minutes=10,
    misconception="“It must list all sequences, so it cannot be run.” It draws a limit T on the "
    "loss first; given T, all sequences with a loss of at most T are equally likely, and the "
    "places are filled one by one.",
    questions=(
        (
            "At which T is every item eligible at place 3?",
            "From T = 10 on: the true count of place 3 is 12, the smallest count is 2, and 12 − 10 "
            "= 2. In the lower plot of step 1 the line of place 3 reaches 5 there.",
        ),
        (
            "What happens to the answer if a thousand items with count 1 are added?",
            "The right sequence falls from 63.5 to 0.0013 of 100 releases by Joint, and from 53.5 "
            "to 0.15 by EM-Peel. Each round of peeling has 1,000 more rivals. Joint has about "
            "$10^9$ sequences of three new items; at place 1 a count of 1 is 19 short, so their "
            "loss is 19, and together they weigh $10^9 e^{-9.5}$, about 75,000, where the right "
            "one weighs 1. Joint suits data whose small counts lie far below the top k.",
        ),
    ),
    students_ask=(
        (
            "How does the answer follow from step 0?",
            "Add up the number of sequences times $e^{-\\varepsilon \\ell / 2}$ over the losses: "
            "$1 + 3 e^{-2} + 2 e^{-4} + 6 e^{-4.5} + 6 e^{-5}$ and so on is 1.575, and the share "
            "of A, B, C is 1/1.575 = 0.635. By T it is the same: the probability of each T, "
            "divided by its number of sequences, summed over all T.",
        ),
        (
            "Why is there a ½ in the exponent of Joint, and none in the race?",
            "A user who joins raises each count by 0 or 1, and so the j-th largest count, too. A "
            "shortfall is a difference of two such counts and changes by at most 1, and so does "
            "the loss. But it may rise "
            "for one sequence and fall for another: if a user joins with item C, the loss of C, "
            "A, B falls from 8 to 7, and that of A, B, D rises from 9 to 10. So the weight of a "
            "sequence may rise by the factor $e^{\\varepsilon / 2}$ while the sum of all weights "
            "falls by nearly as much, which makes $e^{\\varepsilon}$ together. A user who joins "
            "the race only raises speeds: there no ½ is needed (lesson 3).",
        ),
        (
            "Is Joint better for the top 2, too?",
            "At k = 2 each round of EM-Peel has ε/2 in its exponent, as Joint has. On these counts "
            "EM-Peel is then right more often, in 76.2 against 68.9 of 100 releases.",
        ),
        (
            "Is Joint better than PNF-Peel of lesson 4, too?",
            "Not on these counts at ε = 1: PNF-Peel is right in 68.9 of 100 releases, Joint in "
            "63.5. The coins gain in every round, and three rounds cost little. With more places "
            "a round has less: on the video games with k = 10 and ε = 1 Joint is right in 80.3, "
            "PNF-Peel in 44.6. One choice and coins go together: PNFJoint draws by "
            "permute-and-flip among all sequences, instead of by the exponential mechanism, and "
            "is right in 75.4 here and in 87.9 there.",
        ),
        (
            "How far below place k must the small counts lie?",
            "They must lie so far below that the N sequences with small counts have a loss ℓ above "
            "(2/ε) ln N: at this ℓ they together weigh $N e^{-\\varepsilon \\ell / 2} = 1$, as the "
            "right one does. A thousand items that may take any of three places make about $10^9$ "
            "sequences: at ε = 1 a loss of 41. Let the counts be 120, 116, 112 and the 1,000 items "
            "33 users below place 3, at 79: these sequences are short by 41 at place 1, and Joint "
            "is right in 36.7 of 100 releases. It is right in 13.9 with the items 30 users below "
            "place 3, in 68.2 with them 41 users below, and in 69.3 without them. EM-Peel is right "
            "in 56.1, 58.1, 59.3 and 59.4 with the items 30, 33 and 41 users below and without "
            "them: Joint "
            "is ahead only where the items lie far enough below.",
        ),
        (
            "Why have A, C, B and B, A, C and B, C, A the same probability under Joint?",
            "Only the worst place matters to Joint, and the worst shortfall of each of the three "
            "is 4, however many places have it.",
        ),
        (
            "Why is Joint better at one ε and worse at another on the same data?",
            "Move ε below the answer (on a slide, “Every ε”): up to ε = 0.4 EM-Peel is right more "
            "often (at 0.4, 15.7 against 15.4 of 100), from 0.5 on Joint (at 0.5, 22.6 against "
            "21.8). At small ε, where $e^x$ is about $1 + x$, the right sequence gains on 1/60, "
            "by a factor of about 1 + 13.4 ε/2 under Joint, with the mean loss of all sequences, "
            "13.4, and of about 1 + 23.5 ε/3 under EM-Peel, with the sum of the distances of 20, "
            "16 and 12 from the mean of the counts left in their rounds, 23.5: the second is "
            "larger. For the data set ε in the sidebar to 1, then to 0.1. On the video games with "
            "k = 10 Joint is right in 80.3 of 100 releases at ε = 1, EM-Peel in 33.2. At ε = 0.1 "
            "Joint is right in 1 of 19,000, EM-Peel in 1 of 12,000: a smaller ε brings more "
            "sequences with small counts close enough to compete.",
        ),
        (
            "Why are all sequences of a loss of at most T equally likely if each place is drawn by "
            "itself?",
            "The true counts fall from place to place, so an item that is eligible at one place "
            "is so at all later ones. Whichever items were placed before, the same number of "
            "items is left at each place, and every sequence has probability 1 / (product of these "
            "numbers).",
        ),
        (
            "Why does T give the exponential mechanism?",
            "A sequence of loss ℓ can come out at every T ≥ ℓ, then with probability 1 / (number "
            "of sequences with a loss of at most T). This number cancels with the one in the "
            "probability of T, and the sum of $e^{-\\varepsilon T / 2}$ over all T ≥ ℓ is "
            "proportional to $e^{-\\varepsilon \\ell / 2}$.",
        ),
        (
            "The draw of T depends on the counts, and so do those after it: is the budget used "
            "twice?",
            "No. T and the lists of eligible items stay secret; only the sequence is released. Its "
            "probability is that of the exponential mechanism, as the answer before shows, and "
            "only this must not change by more than a factor of $e^{\\varepsilon}$.",
        ),
        (
            "Why is the loss the largest shortfall and not the sum of all?",
            "One user can change every shortfall by 1: their sum would change by up to k, and the "
            "noise would have to be k times as large. The largest changes by at most 1.",
        ),
    ),
    prediction=number_of(
        "6", "Of 100 releases, how many are A, B, C: the right items in the right order?", 100
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
)
