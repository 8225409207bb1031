"""Lesson 5: peeling, and the cost of k rounds."""

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.laws.exact import probability_exact_sequence
from dptopk.mechanisms import Mechanism, NoisyOrder
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import RACE, RACE_WITH_DELTA
from dptopk.questions.errors import known_shares
from dptopk.questions.view import View, styles_of
from dptopk.simulation.trials import generator_for
from dptopk.ui import results
from dptopk.ui.exhibits import snippets
from dptopk.ui.formats import compact, counted, frequency, plural, rounded
from dptopk.ui.sections.lessons.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    at_every,
    built,
    case_of,
    choice_of,
)
from dptopk.ui.show import Chart

_VECTOR = "100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1"
_K = 10
_KS = (1, 2, 5, 10, 20, 50, 100)
_HELPED = 8  # from this k on δ helps
_DRAWN = (1, 2, 5, 7, _HELPED, 10, 20, 50, 100)
_KS_RANGE = (-0.05, 2.05)  # of their logarithms
_STEPS = 4  # the last draws all rounds that are left
_FILLED = (
    " A filled mark shows the noisy count of the round in which its item was released; marks of "
    "different rounds do not compare."
)
_EXAMPLE_HEIGHT = 440  # the same at each step, so that what follows keeps its place
_ALL_KS = 50  # in the figure of the data: up to here every k
_MOST_KS = 20  # of larger ones
_FALL = 0.1  # of a probability, from one k to the next: less is not pointed out
_DELTA = 1e-6
_TIMES = {"same": 1.0, "root": 10**0.5, "k": 10.0, "square": 100.0}  # by how much the scale grows


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, _K)
    step = min(step, _STEPS)
    n_rounds = step if step < _STEPS else _K
    k = _K if step else 1
    one, mechanism = built(RACE, 1), built(RACE, k)
    noisy, places = _drawn(view, mechanism, max(n_rounds, 1))
    counts, items = case.counts.counts, case.counts.items
    released = [items[i] for i in np.argsort(places)[-places.max() :]]
    widest = built(RACE, _K)
    assert isinstance(widest, NoisyOrder)
    down, up = widest.reach
    n_left = case.counts.d - n_rounds + 1
    if step == 0:
        said = (
            f"**k = 1.** The only round has all of ε, and {released[0]} is released. Predict "
            f"before you go on: the next steps draw the rounds of k = {_K}."
        )
    elif step < _STEPS:
        said = (
            f"**k = {_K}, round {step}.** Noise is drawn for {plural(n_left, 'item')}"
            f"{' that are left' if step > 1 else ''}: {released[-1]} has the largest noisy count "
            f"and takes place {step}."
        ) + (_FILLED if step > 1 else "")
    else:
        n_right = sum(name == right for name, right in zip(released, items, strict=False))
        said = (
            f"**Rounds {_STEPS} to {_K}** in the same way. The release is {', '.join(released)}: "
            f"{n_right} of {_K} are in their right place.{_FILLED}"
        )
    return Example(
        f"The top {_K} of {case.counts.d} items are wanted, in order. Peeling releases one item a "
        "round: noise is added to the counts of all items that are left, and the largest noisy "
        f"count takes the place. {mechanism.label} adds Gumbel noise, so each round is the race of "
        "lesson 3. It has ε = 1 for all rounds together. For a single item the scale of the noise "
        f"is {counted(one.scale, case.unit)}.",
        Chart(
            figures.noisy_counts(
                items,
                NoisyCounts(counts, noisy, "Gumbel"),
                mechanism.card.style,
                case.unit,
                (down * widest.scale, up * widest.scale),  # the same at each step
                places,
            ).update_xaxes(dtick=50),
            "example",
            "True counts, and the noisy counts of the rounds so far.",
            case.origin((mechanism,), "one draw", seed=view.seed),
            height=_EXAMPLE_HEIGHT,
            finding="; ".join(
                f"{item} {count}, with noise {value:.1f}{f', place {place}' if place else ''}"
                for item, count, value, place in zip(items, counts, noisy, places, strict=True)
            )
            + ".",
        ),
        _STEPS,
        said,
    )


def _drawn(view: View, mechanism: Mechanism, n_rounds: int) -> tuple[FloatArray, IntArray]:
    """Draw the first rounds under the seed.

    Returns the noisy count of each item in the last round it took part in, and its place, from 1;
    0 is none so far.
    """
    counts = case_of(view, _VECTOR, _K).counts
    rng = generator_for(mechanism, view.seed)
    noisy, places = np.zeros(counts.d), np.zeros(counts.d, np.int64)
    for place in range(1, n_rounds + 1):
        picture = mechanism.picture(counts.sorted, np.arange(counts.d), rng)
        assert isinstance(picture, NoisyCounts)
        noisy = np.where(places == 0, picture.noisy, noisy)
        places[np.where(places == 0, noisy, -np.inf).argmax()] = place
    return noisy, places


def _pairs() -> list[tuple[Mechanism, Mechanism]]:
    """Return two peeling mechanisms at each k, without and with δ."""
    return [(built(RACE, k), built(RACE_WITH_DELTA, k, delta=_DELTA)) for k in _DRAWN]


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, _K)
    one, many = built(RACE, 1), built(RACE, _K)
    times = many.scale / one.scale
    pairs = _pairs()
    with_delta = pairs[_DRAWN.index(_K)][1]
    drawn = {
        many.label: (np.array(_DRAWN), np.array([pure.scale for pure, _ in pairs])),
        f"{with_delta.label}, δ = {compact(_DELTA)}": (
            np.array(_DRAWN),
            np.array([peel.scale for _, peel in pairs]),
        ),
    }
    styles = {name: m.card.style for name, m in zip(drawn, (many, with_delta), strict=True)}
    return Answer(
        min(_TIMES, key=lambda option: abs(np.log(_TIMES[option] / times))),
        f"{rounded(times, 3)} ×",
        f"exact; with δ = {compact(_DELTA)}: {rounded(with_delta.scale / one.scale, 3)} ×",
        "The ε of the rounds add up, so each of k rounds gets ε/k, and its noise is k times as "
        f"large. {with_delta.label} is the same peeling with a small δ: many rounds then cost "
        f"less than the sum of their ε, and from k = {_HELPED} on its noise is "
        f"{with_delta.scale / _K**0.5:.3f}·√k times as large.",
        Chart(
            figures.curves(
                drawn,
                styles,
                ("k, items to release", f"scale of the noise ({case.unit})"),
                logarithmic=True,
            )
            .update_xaxes(type="log", rangemode="normal", tickvals=_KS, range=_KS_RANGE)
            .update_yaxes(tickvals=_KS),
            "answer",
            "Scale of the noise of peeling, by k.",
            case.origin([m for pair in pairs for m in pair], "exact"),
            height=360,
            finding=f"At k = {_K}: {many.label} {rounded(many.scale, 3)}, {with_delta.label} "
            f"{rounded(with_delta.scale, 3)} {case.unit}.",
        ),
        snippets.small(
            case.python,
            (one, many, with_delta),
            "\nfor mechanism in mechanisms:\n    print(mechanism.label, mechanism.scale)\n",
        ),
        at_every(
            "k",
            {str(k): k for k in range(1, case.counts.d + 1)},
            _K,
            "Probability that the top k come out in order",
            many.card.style,
            lambda k: _in_order(case.counts, k),
            (many, with_delta, None),
        ),
    )


def _in_order(counts: ItemCounts, k: int) -> dict[str, float]:
    """Return the probability of the right sequence, also if every round had all of ε."""
    rounds, with_delta = built(RACE, k), built(RACE_WITH_DELTA, k, delta=_DELTA)
    undivided = rounds.replaced(epsilon=k * rounds.epsilon)
    return {
        f"{rounds.label}, ε/k a round": probability_exact_sequence(counts, rounds),
        f"{with_delta.label}, with δ": probability_exact_sequence(counts, with_delta),
        "ε a round: costs kε": probability_exact_sequence(counts, undivided),
    }


def _on_data(view: View) -> OnData:
    every = np.arange(1, min(_ALL_KS, max(view.k, view.counts.d)) + 1)
    ks = np.union1d(every, np.linspace(1, view.k, min(view.k, _MOST_KS)).astype(int))
    found: dict[str, list[float]] = {}
    at_k = []
    for k in ks.tolist():
        for kind in (RACE, RACE_WITH_DELTA):
            mechanism = view.build(kind, k)
            known = results.remembered(known_shares, view.counts, mechanism)
            right = known.get("exact_set")
            found.setdefault(mechanism.label, []).append(
                float("nan") if right is None else right.probability
            )
            if k == view.k and right is not None:
                at_k.append(f"{mechanism.label} {frequency(right.log, right.log_complement)}")
    mechanisms = tuple(view.build(kind, view.k) for kind in (RACE, RACE_WITH_DELTA))
    drawn = {label: (ks, np.array(values)) for label, values in found.items()}
    all_right = f"All {view.k} come out right, in any order" if view.k > 1 else "The item is right"
    described = f"{all_right}: {', '.join(at_k)}."
    by_race, with_delta = (np.array(values) for values in found.values())
    return OnData(
        f"At ε = {rounded(view.epsilon, 3)} each round of {mechanisms[0].label} has ε/k, so its "
        "noise grows with k. The right set is rare where the counts at places k and k + 1 are "
        "close."
        f"{_steepest(view, every, by_race)}{_helped(ks, by_race, with_delta)} {described}",
        Chart(
            figures.curves(
                drawn,
                styles_of(mechanisms),
                ("k, items to release", "probability: all k right, any order"),
            ).update_yaxes(tickformat=".0%", range=[-0.03, 1.05]),
            "data",
            "Probability that all k come out right, in any order, by k.",
            view.origin(mechanisms, "exact"),
            height=340,
            finding=described,
        ),
    )


def _steepest(view: View, ks: IntArray, right: FloatArray) -> str:
    """Say where the probability of the right set falls most from one k to the next."""
    falls = -np.diff(right[: ks.size])
    if not (falls > _FALL).any():
        return ""
    at = int(np.nanargmax(falls)) + 1
    k = int(ks[at])
    here, beyond = view.counts.sorted.top(k + 1)[k - 1 :].tolist()
    return (
        f" Without δ the probability falls most at k = {k}: place {k} has {here:,} {view.unit}, "
        f"place {k + 1} has {beyond:,}."
    )


def _helped(ks: IntArray, without: FloatArray, with_delta: FloatArray) -> str:
    """Say at which k the δ adds most to the probability of the right set."""
    gains = with_delta - without
    if not (gains > _FALL).any():
        return ""
    at = int(np.nanargmax(gains))
    shares = f"{without[at]:.1%} without it, {with_delta[at]:.1%} with it"
    return f" δ helps most at k = {ks[at]}: {shares}."


LESSON = Lesson(
    key="5",
    title="What do k rounds cost?",
    point="Every round of peeling uses budget: without δ its noise grows in proportion to k; with "
    "a small δ and many rounds, in proportion to the square root of k.",
    minutes=7,
    misconception="“Each round costs ε, and so does the list.” Peeling makes k choices, and their "
    "costs add up. (A mechanism that fills all k places by one choice is lesson 6.)",
    questions=(
        (
            "What is gained by δ here, and what may go wrong with probability δ?",
            "Less noise for many rounds. The rounds’ privacy losses are seldom all at their "
            "maximum at once, so each round may have more than ε/k. The sum of the losses still "
            "stays within ε, except with probability at most δ: then an output may reveal more "
            "about a user than ε allows.",
        ),
        (
            "From which k on does the δ help at all, and why not for few rounds?",
            "From k = 8 on at ε = 1 and δ = 1e-6, with CDP-Peel as its paper defines it "
            "(Gillenwater et al. 2022, Lemma 4.2, which the figures name); for smaller k it uses "
            "ε/k, too, and both have the same noise. With δ the rounds may use ρ "
            "= 0.0175 in all: then ρ + 2√(ρ "
            "ln(1/δ)) = 1. The scale of the noise is √(k/(8ρ)) = 2.675·√k users, less than k from "
            "k = 8 on only. At k = 10 it is 8.46 users. Move k below the answer (on a slide, "
            "“Every k”): up to k = 7 both are right equally often. The tightest proven "
            "calibration (More settings) helps from the first rounds on, and gives 6.52 users at "
            "k = 10.",
        ),
    ),
    students_ask=(
        (
            "Why is the last bar beside the slider so much longer?",
            "Each of its rounds has all of ε, so together they cost kε, at k = 10 ten times the "
            "budget of the other two. That is a weaker guarantee, and not a better mechanism.",
        ),
        (
            "Why does the second line bend, and why is it half as steep after that?",
            "Up to k = 7 CDP-Peel uses ε/k, as EM-Peel does. Both axes are logarithmic: there k "
            "and √k are straight lines, with slopes 1 and 1/2.",
        ),
        (
            "Why do the ε of the rounds add up?",
            "Every round looks at the counts of all users, and what a user changes in one round "
            "multiplies with what they change in the next: k factors of at most $e^{\\varepsilon "
            "/ k}$ each are at most $e^{\\varepsilon}$ (basic composition). This holds even if a "
            "round depends on what earlier ones released.",
        ),
        (
            "Where does the square root come from?",
            "ρ-zCDP (zero-concentrated DP) means: between any two neighbours the outputs’ Rényi "
            "divergence of order α is at most αρ, for every α > 1. Any $\\varepsilon_0$-DP round "
            "is $(\\varepsilon_0^2 / 2)$-zCDP. The exponential mechanism is better: a user who "
            "joins multiplies some speeds by $e^{\\varepsilon_0}$, and the sum of all by one "
            "common factor, so the logarithms of its ratios lie in an interval of length "
            "$\\varepsilon_0$ (bounded range); for a general round it is twice as long. Length r "
            "gives $r^2 / 8$, as the next answer shows, here $(\\varepsilon_0^2 / 8)$-zCDP. "
            "These numbers add up, even if a round depends on what earlier ones released: k "
            "rounds have $\\rho = k \\varepsilon_0^2 / 8$. For a given ε and δ "
            "this ρ stays the same, so $\\varepsilon_0$ shrinks with √k only.",
        ),
        (
            "Why does bounded range r give $(r^2 / 8)$-zCDP?",
            "Let an output have probability P on the first data set and Q on its neighbour, Z = "
            "ln(P/Q), and $K(\\alpha) = \\ln E(e^{\\alpha Z})$ with outputs drawn from Q. K is 0 "
            "at α = 0 and at α = 1, where it sums probabilities. Its second derivative is the "
            "variance of Z under reweighted probabilities, at most $r^2 / 4$ on an interval of "
            "length r (the step in Hoeffding’s lemma). So $K(\\alpha) - \\alpha (\\alpha - 1) r^2 "
            "/ 8$ is concave and 0 at both points, hence not above 0 for α > 1; and the Rényi "
            "divergence, $K(\\alpha) / (\\alpha - 1)$, is at most $\\alpha r^2 / 8$: this is "
            "$(r^2 / 8)$-zCDP.",
        ),
        (
            "Where does ρ + 2√(ρ ln(1/δ)) = ε come from?",
            "Take Z as before, now for all rounds together and with outputs drawn from P. "
            "ρ-zCDP says $E(e^{(\\alpha - 1) Z}) \\le e^{(\\alpha - 1) \\alpha \\rho}$, so by "
            "Markov’s inequality Z exceeds ε with probability at most $e^{-(\\alpha - 1) "
            "(\\varepsilon - \\alpha \\rho)}$. The best α, $(\\varepsilon + \\rho) / (2 \\rho)$, "
            "makes this $e^{-(\\varepsilon - \\rho)^2 / (4 \\rho)}$; it is δ if $\\varepsilon = "
            "\\rho + 2 \\sqrt{\\rho \\ln(1/\\delta)}$.",
        ),
        (
            "Could the rounds share ε unequally?",
            "Yes. Without δ only the sum of the ε of all rounds counts; in zCDP, the sum of "
            "their squares. Equal shares need no knowledge of the data; shares chosen by looking "
            "at the counts would themselves tell something about users.",
        ),
    ),
    prediction=choice_of(
        "5",
        f"{RACE.card.name} releases {_K} items instead of one, with ε = 1 in all. The scale of the "
        "noise in each round is",
        {
            "same": "as large as for one item",
            "root": f"about √{_K} times as large",
            "k": f"{_K} times as large",
            "square": f"{_K}² times as large",
        },
    ),
    example=_example,
    answer=_answer,
    on_data=_on_data,
)
