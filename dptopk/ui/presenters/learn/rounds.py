"""Lesson 5: peeling, and the cost of k rounds."""

import numpy as np

from dptopk import figures
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.selections import RACE, RACE_WITH_DELTA
from dptopk.questions.errors import known_shares
from dptopk.questions.view import View, styles_of
from dptopk.ui import results
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import Chart
from dptopk.ui.formats import chance, compact, counted, plural, rounded
from dptopk.ui.presenters.learn.lesson import (
    Answer,
    Example,
    Lesson,
    OnData,
    built,
    case_of,
    choice_of,
)

_VECTOR = "100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1"
_K = 10
_KS = (1, 2, 5, 10, 20, 50, 100)
_STEPS = (1, 2, 5, _K)  # k, step by step
_MOST_KS = 20  # in the figure of the data
_DELTA = 1e-6
_TIMES = {"same": 1.0, "root": 10**0.5, "k": 10.0, "square": 100.0}  # by how much the scale grows


def _example(view: View, step: int) -> Example:
    case = case_of(view, _VECTOR, _K)
    step = min(step, len(_STEPS) - 1)
    k = _STEPS[step]
    mechanism = built(RACE, k)
    shares = [mechanism.epsilon / k] * k
    names = [f"round {r}: {item}" for r, item in enumerate(case.counts.items[:k], 1)]
    return Example(
        f"Peeling releases one item a round. Here {_K} items are wanted with ε = 1 in all, and no "
        f"δ is allowed. A round is a race as in lesson 3: the same as to add Gumbel noise to every "
        f"count and release the largest. For a single item the scale of this noise is "
        f"{counted(built(RACE, 1).scale, case.unit)}.",
        Chart(
            figures.amounts(names, shares, "ε of the round", "%{x:.3~r}", [True] * k),
            "example",
            f"The budget of each of {plural(k, 'round')}.",
            case.origin((mechanism,), "exact"),
            height=figures.height_of_rows(k) if k > 5 else 300,
            finding=f"Each round gets ε = {rounded(shares[0], 3)}.",
        ),
        len(_STEPS) - 1,
        f"**k = {k}.** "
        + ("The only round gets all of it." if k == 1 else "The rounds share the budget equally."),
    )


def _helps() -> int:
    """Return the smallest k at which the noise is smaller with δ."""
    k = 1
    while built(RACE_WITH_DELTA, k, delta=_DELTA).scale >= built(RACE, k).scale:
        k += 1
    return k


def _pairs() -> list[tuple[Mechanism, Mechanism]]:
    """Return two peeling mechanisms at each k, without and with δ."""
    return [(built(RACE, k), built(RACE_WITH_DELTA, k, delta=_DELTA)) for k in _KS]


def _answer(view: View, step: int) -> Answer:
    case = case_of(view, _VECTOR, _K)
    one, many = built(RACE, 1), built(RACE, _K)
    times = many.scale / one.scale
    pairs = _pairs()
    with_delta = pairs[_KS.index(_K)][1]
    drawn = {
        many.label: (np.array(_KS), np.array([pure.scale for pure, _ in pairs])),
        f"{with_delta.label}, δ = {compact(_DELTA)}": (
            np.array(_KS),
            np.array([peel.scale for _, peel in pairs]),
        ),
    }
    styles = {name: m.card.style for name, m in zip(drawn, (many, with_delta), strict=True)}
    return Answer(
        min(_TIMES, key=lambda option: abs(np.log(_TIMES[option] / times))),
        f"{rounded(times, 3)} ×",
        f"exact; with δ = {compact(_DELTA)}: {rounded(with_delta.scale / one.scale, 3)} ×",
        "The ε of the rounds add up, so each of k rounds gets ε/k, and its noise is k times as "
        "large. Where a small δ is allowed, many rounds together cost less than the sum, and for "
        "large k the noise grows with the square root of k only.",
        Chart(
            figures.curves(drawn, styles, ("k", f"scale of the noise ({case.unit})")),
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
    )


def _on_data(view: View) -> OnData:
    ks = np.unique(np.linspace(1, view.k, min(view.k, _MOST_KS)).astype(int))
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
                at_k.append(f"{mechanism.label} {chance(right)}")
    mechanisms = tuple(view.build(kind, view.k) for kind in (RACE, RACE_WITH_DELTA))
    drawn = {label: (ks, np.array(values)) for label, values in found.items()}
    described = f"All {view.k} come out right, in any order: {', '.join(at_k)}."
    by_race = np.array(next(iter(found.values())))
    unknown = np.isnan(by_race).all()
    rarest = "" if unknown else f": here rarest at k = {ks[np.nanargmin(by_race)]}"
    return OnData(
        f"At ε = {rounded(view.epsilon, 3)} each round has ε/k, so the noise grows with k; and the "
        f"right set is rarer where the counts of places k and k + 1 are close{rarest}. {described}",
        Chart(
            figures.curves(
                drawn, styles_of(mechanisms), ("k", "probability that all k are right")
            ).update_yaxes(tickformat=".0%", range=[-0.03, 1.05]),
            "data",
            "Probability that all k come out right, in any order, by k.",
            view.origin(mechanisms, "exact"),
            height=340,
            finding=described,
        ),
    )


LESSON = Lesson(
    key="5",
    title="What do k rounds cost?",
    point="Peeling pays for every round: without δ its noise grows in proportion to k; with a "
    "small δ and many rounds, in proportion to the square root of k.",
    minutes=7,
    misconception="“One release costs ε, however many items it holds.” A release is a series of "
    "choices, and each choice reveals something about every user.",
    questions=(
        (
            "What is gained by δ here, and what may go wrong with probability δ?",
            "The rounds’ privacy losses are seldom all at their maximum at once. With δ their sum "
            "need not always stay within ε: with probability up to δ, an output may reveal more "
            "about a user than ε allows.",
        ),
        (
            "From which k on does the δ help at all, and why not for few rounds?",
            f"From k = {_helps()} on at δ = {compact(_DELTA)}; for smaller k both have the "
            "same noise. The bound with δ grows more slowly with k, but has a term of its "
            "own, so that for few rounds it is larger than the sum of their ε.",
        ),
    ),
    prediction=choice_of(
        "5",
        f"For {_K} items instead of one, the noise of each round is",
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
