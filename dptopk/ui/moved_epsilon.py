"""What moves the ε that a target costs: k, and δ for the mechanisms that use one."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from dptopk import figures
from dptopk.choosing import SmallestEpsilon
from dptopk.goals import able
from dptopk.parameters import DELTA
from dptopk.ui.formats import compact
from dptopk.ui.solving import Asked, amount, solved
from dptopk.ui.widgets import Chart, Table
from dptopk.view import View, styles_of

_OTHERS = (5, 10, 20, 50)
_DELTAS = (1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


@dataclass(frozen=True)
class AgainstDelta:
    """What δ buys: a figure and a table, or a sentence where nothing depends on it."""

    chart: Chart | None
    table: Table | None
    sentence: str


def at_other_k(view: View, asked: Asked) -> Table:
    """Smallest epsilon at a few other k."""
    offered = [k for k in _OTHERS if k <= view.counts.d]
    tried = [m for k in offered for m in able(view.counts, view.at(k, view.counts), asked.goal)[0]]
    found = solved(view.counts, tried, asked, view.seed, "choose-k")
    rows = {
        m.label: {f"k = {at.k}": amount(found[at]) for at in found if at.label == m.label}
        for m in found
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[f"k = {k}" for k in offered])
    origin = view.origin([], "smallest ε", seed=view.seed, more={"probability": asked.probability})
    frame = frame.fillna("—").rename_axis("mechanism").reset_index()
    return Table(frame, "epsilon-at-other-k", "Smallest ε at other k", origin)


def against_delta(view: View, asked: Asked) -> AgainstDelta:
    """Smallest epsilon of each mechanism that uses a delta, beside the cheapest without."""
    fit, _ = able(view.counts, view.mechanisms, asked.goal)
    pure = [m for m in fit if not m.card.takes(DELTA.key)]
    relaxed = [m for m in fit if m.card.takes(DELTA.key)]
    if not relaxed:
        return AgainstDelta(None, None, "None of the chosen mechanisms uses a δ.")
    deltas = sorted({*_DELTAS, *([view.delta] if view.delta else [])})
    tried = {m.label: {d: m.replaced(delta=d) for d in deltas} for m in relaxed}
    every = [*pure, *(at for ats in tried.values() for at in ats.values())]
    found = solved(view.counts, every, asked, view.seed, "choose-delta")
    curves = {
        label: {d: found[at] for d, at in ats.items() if at in found}
        for label, ats in tried.items()
    }
    without = {m.label: found[m] for m in pure if m in found}
    words = asked.goal.words(view.counts, view.k, view.unit)
    exact = all(answer.exact for answer in found.values())
    origin = view.origin(
        [m.replaced(epsilon=1.0) for m in relaxed],
        "exact" if exact else "exact, but for simulated intervals",
        seed=None if exact else view.seed,
        more={"target": words, "probability": asked.probability},
    )
    rows = [
        {"mechanism": label} | {f"δ = {compact(d)}": amount(answers[d]) for d in answers}
        for label, answers in curves.items()
    ]
    best = _cheapest(without)
    sentence = _finding(curves, best)
    figure = figures.epsilon_against_delta(curves, best, styles_of(view.mechanisms), view.delta)
    return AgainstDelta(
        Chart(
            figure, "against-delta", f"ε needed for {words} against δ.", origin, finding=sentence
        ),
        Table(
            pd.DataFrame(rows).fillna("—"),
            "epsilon-against-delta",
            "Smallest ε against δ",
            origin,
        ),
        sentence,
    )


def _finding(
    curves: Mapping[str, Mapping[float, SmallestEpsilon]], best: tuple[str, float] | None
) -> str:
    """What δ buys, in a sentence."""
    parts = []
    for label, answers in curves.items():
        ends = [delta for delta in answers if 0 < answers[delta].epsilon < math.inf]
        if not ends:
            parts.append(f"{label} reaches it at no δ")
            continue
        least, most = min(ends), max(ends)
        parts.append(
            f"{label} needs ε = {amount(answers[least])} at δ = {compact(least)} and "
            f"{amount(answers[most])} at δ = {compact(most)}"
        )
    if best:
        parts.append(f"{best[0]}, the cheapest without δ, needs {best[1]:.3g}")
    return "; ".join(parts) + "."


def _cheapest(found: dict[str, SmallestEpsilon]) -> tuple[str, float] | None:
    """The mechanism without delta that needs least, if one reaches the target."""
    reaching = [(a.epsilon, label) for label, a in found.items() if 0 < a.epsilon < math.inf]
    epsilon, label = min(reaching, default=(0.0, ""))
    return (label, epsilon) if label else None
