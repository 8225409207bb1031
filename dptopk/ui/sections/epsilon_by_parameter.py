"""Compute the ε of a target at other k, and at other δ for mechanisms that use one."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core.parameters import DELTA
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import (
    OTHER_KS,
    TITLES,
    Requirement,
    at_other_deltas,
    at_other_ks,
    rows_across,
    smallest_epsilons,
)
from dptopk.questions.origin import Origin
from dptopk.questions.settings import OVER_DELTA, OVER_K
from dptopk.questions.view import View, styles_of
from dptopk.tuning.search import SmallestEpsilon
from dptopk.ui import results, show
from dptopk.ui.formats import compact, needed
from dptopk.ui.show import Chart, Table


def at_other_k(view: View, asked: Requirement) -> Table:
    """Tabulate the smallest epsilon at a few other k."""
    offered = [k for k in OTHER_KS if k <= view.counts.d]
    tried, _ = at_other_ks(view, asked.goal)
    found = smallest_epsilons(view.counts, tried, asked, view.seed, results.IN_TURNS, "choose-k")
    rows = {
        m.label: {f"k = {at.k}": found[at].brief for at in found if at.label == m.label}
        for m in found
    }
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[f"k = {k}" for k in offered])
    origin = _origin(view, asked, found)
    frame = frame.fillna("—").rename_axis("mechanism").reset_index()
    numbers = rows_across(found, {}, OVER_K) if found else None
    return Table(frame, "epsilon-at-other-k", TITLES[OVER_K], origin, numbers)


def against_delta(view: View, asked: Requirement) -> None:
    """Compute the smallest epsilon against delta, beside the cheapest without delta."""
    every, _ = at_other_deltas(view, asked.goal)
    if not any(m.card.takes(DELTA.key) for m in every):
        st.header("What δ buys", anchor=False)
        st.markdown("None of the chosen mechanisms uses a δ.")
        return
    found = smallest_epsilons(
        view.counts, every, asked, view.seed, results.IN_TURNS, "choose-delta"
    )
    curves: dict[str, dict[float, SmallestEpsilon]] = {}
    for m in every:
        if m.card.takes(DELTA.key):
            curve = curves.setdefault(m.label, {})
            curve |= {float(getattr(m, DELTA.key)): found[m]} if m in found else {}
    without = {m.label: found[m] for m in every if m.label not in curves and m in found}
    words = asked.goal.words(view.counts, view.k, view.unit)
    origin = _origin(view, asked, found, target=words)
    rows = [
        {"mechanism": label} | {f"δ = {compact(d)}": answers[d].brief for d in answers}
        for label, answers in curves.items()
    ]
    reaching = [(a.epsilon, label) for label, a in without.items() if 0 < a.epsilon < math.inf]
    best = min(reaching)[::-1] if reaching else None
    sentence = _finding(curves, best)
    figure = figures.epsilon_against_delta(curves, best, styles_of(view.mechanisms), view.delta)
    st.header("What δ buys", anchor=False)
    st.markdown(sentence)
    show.chart(
        Chart(
            figure,
            "against-delta",
            f"ε needed for {words} against δ.",
            origin,
            finding=sentence,
            slide=f"What δ buys: {sentence}",
        )
    )
    show.table(
        Table(
            pd.DataFrame(rows).fillna("—"),
            "epsilon-against-delta",
            TITLES[OVER_DELTA],
            origin,
            rows_across(found, {}, OVER_DELTA) if found else None,
        )
    )


def _origin(
    view: View, asked: Requirement, found: Mapping[Mechanism, SmallestEpsilon], **more: str
) -> Origin:
    exact = all(answer.exact for answer in found.values())
    return view.origin(
        list(found),
        "exact" if exact else "exact, but for simulated intervals",
        seed=None if exact else view.seed,
        more=more | {"probability": asked.probability},
        answers=("epsilon",),
    )


def _finding(
    curves: Mapping[str, Mapping[float, SmallestEpsilon]], best: tuple[str, float] | None
) -> str:
    """Return a sentence with the ε needed at the smallest and the largest δ."""
    parts = []
    for label, answers in curves.items():
        ends = [delta for delta in answers if 0 < answers[delta].epsilon < math.inf]
        if not ends:
            parts.append(f"{label} does not reach the target at any δ")
            continue
        least, most = min(ends), max(ends)
        parts.append(
            f"{label} needs ε = {answers[least].brief} at δ = {compact(least)} and "
            f"{answers[most].brief} at δ = {compact(most)}"
        )
    if best:
        parts.append(f"{best[0]}, the cheapest without δ, needs {needed(best[1])}")
    return "; ".join(parts) + "."
