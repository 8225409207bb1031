"""Lesson 5: peeling, and the cost of k rounds."""

from functools import cache

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.laws.exact import probability_exact_sequence
from dptopk.mechanisms import Mechanism, NoisyOrder
from dptopk.mechanisms.pictures import NoisyCounts
from dptopk.mechanisms.selections import RACE, RACE_WITH_DELTA
from dptopk.questions.errors import known_shares
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View, styles_of
from dptopk.simulation.trials import generator_for
from dptopk.ui import results, snippets
from dptopk.ui.formats import compact, counted, frequency, plural, rounded
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_K = 10
_CASE = typed_case("100, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 1", _K)
_KS = (1, 2, 5, 10, 20, 50, 100)
_HELPED = 8  # from this k on δ helps
_DRAWN = (1, 2, 5, 7, _HELPED, 10, 20, 50, 100)
_KS_RANGE = (-0.05, 2.05)  # of their logarithms
_STEPS = 4  # the last draws all rounds that are left
_EXAMPLE_HEIGHT = 440  # the same at each step, so that what follows keeps its place
_ALL_KS = 50  # in the figure of the data: up to here every k
_MOST_KS = 20  # of larger ones
_FALL = 0.1  # of a probability, from one k to the next: less is not pointed out
_DELTA = 1e-6
_TIMES = {"same": 1.0, "root": 10**0.5, "k": 10.0, "square": 100.0}  # by how much the scale grows


def _example(view: View, step: int) -> lesson.Example:
    step = min(step, _STEPS)
    n_rounds = step if step < _STEPS else _K
    k = _K if step else 1
    one, mechanism = lesson.built(RACE, 1), lesson.built(RACE, k)
    noisy, places = _drawn(view, mechanism, max(n_rounds, 1))
    counts, items = _CASE.counts.counts, _CASE.counts.items
    released = [items[i] for i in np.argsort(places)[-places.max() :]]
    widest = lesson.built(RACE, _K)
    assert isinstance(widest, NoisyOrder)
    down, up = widest.reach
    n_left = _CASE.counts.d - n_rounds + 1
    if step == 0:
        words = LESSON.say("Step 0", item=released[0])
    elif step < _STEPS:
        words = LESSON.say(
            "Step 1" if step == 1 else "Later steps",
            step=step,
            left=plural(n_left, "item"),
            item=released[-1],
        )
    else:
        n_right = sum(name == right for name, right in zip(released, items, strict=False))
        words = LESSON.say("Last step", step=step, items=", ".join(released), right=n_right)
    return lesson.Example(
        LESSON.say("Example", n_items=_CASE.counts.d, one_scale=counted(one.scale, _CASE.unit)),
        Chart(
            figures.noisy_counts(
                items,
                NoisyCounts(counts, noisy, "Gumbel"),
                mechanism.card.style,
                _CASE.unit,
                (down * widest.scale, up * widest.scale),  # the same at each step
                places,
            ).update_xaxes(dtick=50),
            "example",
            "True counts, and the noisy counts of the rounds so far.",
            _CASE.origin((mechanism,), "one draw", seed=view.seed),
            height=_EXAMPLE_HEIGHT,
            finding="; ".join(
                f"{item} {count}, with noise {value:.1f}{f', place {place}' if place else ''}"
                for item, count, value, place in zip(items, counts, noisy, places, strict=True)
            )
            + ".",
        ),
        _STEPS,
        words,
    )


def _drawn(view: View, mechanism: Mechanism, n_rounds: int) -> tuple[FloatArray, IntArray]:
    """Draw the first rounds under the seed.

    Returns the noisy count of each item in the last round it took part in, and its place, from 1;
    0 is none so far.
    """
    counts = _CASE.counts
    rng = generator_for(mechanism, view.seed)
    noisy, places = np.zeros(counts.d), np.zeros(counts.d, np.int64)
    for place in range(1, n_rounds + 1):
        picture = mechanism.picture(counts.sorted, np.arange(counts.d), rng)
        assert isinstance(picture, NoisyCounts)
        noisy = np.where(places == 0, picture.noisy, noisy)
        places[np.where(places == 0, noisy, -np.inf).argmax()] = place
    return noisy, places


def _answer(step: int) -> lesson.Answer:
    one, many = lesson.built(RACE, 1), lesson.built(RACE, _K)
    times = many.scale / one.scale
    with_delta = lesson.built(RACE_WITH_DELTA, _K, delta=_DELTA)
    pairs = [(many.replaced(k=k), with_delta.replaced(k=k)) for k in _DRAWN]
    scales = np.array([[mechanism.scale for mechanism in pair] for pair in pairs]).T
    names = many.label, f"{with_delta.label}, δ = {compact(_DELTA)}"
    drawn = {name: (np.array(_DRAWN), row) for name, row in zip(names, scales, strict=True)}
    styles = {name: m.card.style for name, m in zip(drawn, (many, with_delta), strict=True)}
    code = "for mechanism in mechanisms:\n    print(mechanism.label, mechanism.scale)"
    return lesson.Answer(
        min(_TIMES, key=lambda option: abs(np.log(_TIMES[option] / times))),
        f"{rounded(times, 3)} ×",
        f"exact; with δ = {compact(_DELTA)}: {rounded(with_delta.scale / one.scale, 3)} ×",
        LESSON.say("Why"),
        Chart(
            figures.curves(
                drawn,
                styles,
                ("k, items to release", f"scale of the noise ({_CASE.unit})"),
                logarithmic=True,
            )
            .update_xaxes(type="log", rangemode="normal", tickvals=_KS, range=_KS_RANGE)
            .update_yaxes(tickvals=_KS, range=_KS_RANGE),
            "answer",
            "Scale of the noise of peeling, by k.",
            _CASE.origin([m for pair in pairs for m in pair], "exact"),
            height=360,
            finding=f"At k = {_K}: {many.label} {rounded(many.scale, 3)}, {with_delta.label} "
            f"{rounded(with_delta.scale, 3)} {_CASE.unit}.",
        ),
        snippets.small(_CASE.python, (one, many, with_delta), code),
        lesson.at_every(
            "Probability that the top k come out in order",
            many,
            _in_order,
            (many, with_delta, None),
            symbol="k",
            scale={str(k): k for k in range(1, _CASE.counts.d + 1)},
            default=_K,
        ),
    )


def _in_order(k: int) -> dict[str, float]:
    """Return the probability of the right sequence, also if every round had all of ε."""
    counts = _CASE.counts
    rounds, with_delta = lesson.built(RACE, k), lesson.built(RACE_WITH_DELTA, k, delta=_DELTA)
    undivided = rounds.replaced(epsilon=k * rounds.epsilon)
    return {
        f"{rounds.label}, ε/k a round": probability_exact_sequence(counts, rounds),
        f"{with_delta.label}, with δ": probability_exact_sequence(counts, with_delta),
        "ε a round: costs kε": probability_exact_sequence(counts, undivided),
    }


def _on_data(view: View) -> lesson.OnData:
    every = np.arange(1, min(_ALL_KS, max(view.k, view.counts.d)) + 1)
    ks = np.union1d(every, np.linspace(1, view.k, min(view.k, _MOST_KS)).astype(int))
    shares: dict[str, list[float]] = {}
    at_k = []
    for k in ks.tolist():
        for kind in (RACE, RACE_WITH_DELTA):
            mechanism = view.build(kind, k)
            known = results.remembered(known_shares, view.counts, mechanism)
            right = known.get("exact_set")
            shares.setdefault(mechanism.label, []).append(
                float("nan") if right is None else right.probability
            )
            if k == view.k and right is not None:
                at_k.append(f"{mechanism.label} {frequency(right.log, right.log_complement)}")
    mechanisms = tuple(view.build(kind, view.k) for kind in (RACE, RACE_WITH_DELTA))
    drawn = {label: (ks, np.array(values)) for label, values in shares.items()}
    all_right = f"All {view.k} come out right, in any order" if view.k > 1 else "The item is right"
    described = f"{all_right}: {', '.join(at_k)}."
    by_race, with_delta = (np.array(values) for values in shares.values())
    words = (
        LESSON.say("On the data", epsilon=rounded(view.epsilon, 3)),
        _steepest(view, every, by_race),
        _helped(ks, by_race, with_delta),
        described,
    )
    return lesson.OnData(
        " ".join(filter(None, words)),
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
    return LESSON.say(
        "On the data: a steep fall",
        k=k,
        here=f"{here:,} {view.unit}",
        next=k + 1,
        beyond=f"{beyond:,}",
    )


def _helped(ks: IntArray, without: FloatArray, with_delta: FloatArray) -> str:
    """Say at which k the δ adds most to the probability of the right set."""
    gains = with_delta - without
    if not (gains > _FALL).any():
        return ""
    at = int(np.nanargmax(gains))
    return LESSON.say(
        "On the data: δ helps",
        k=ks[at],
        without=f"{without[at]:.1%}",
        with_delta=f"{with_delta[at]:.1%}",
    )


@cache
def _numbers() -> dict[str, object]:
    with_delta = lesson.built(RACE_WITH_DELTA, _K, delta=_DELTA)
    return {
        "delta": compact(_DELTA),
        "helped": _HELPED,
        "alike": _HELPED - 1,
        "rho": f"{_K / (8 * with_delta.scale**2):.4f}",
        "factor": f"{with_delta.scale / _K**0.5:.3f}",
        "delta_scale": f"{with_delta.scale:.2f}",
        "tightest": f"{with_delta.replaced(calibration='optimal').scale:.2f}",
    }


LESSON = lesson.Lesson("rounds", _CASE, _example, _answer, _on_data, _numbers)
