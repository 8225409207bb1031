"""Describe which items a mechanism may swap: by gap, and whether other counts crowd them."""

import math
from collections.abc import Sequence

import numpy as np

from dptopk import figures
from dptopk.core.errors import Law
from dptopk.core.estimate import Estimate
from dptopk.laws.swap_chances import SELDOM, Swaps, swaps
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.base import SingleChoice
from dptopk.questions.errors import exact_laws, exact_shares
from dptopk.questions.view import View
from dptopk.ui import results
from dptopk.ui.formats import frequency, joined
from dptopk.ui.sentences.gaps import gap_meaning, threshold_sentences
from dptopk.ui.show import Chart

_SWAPS = "How far apart must two counts be?"
_ALIKE = "Probability that two items swap, by gap, if no other count is close."
_WORST = Law.SIGNED_MAX
_TELLING = math.log(0.001)  # of all being right: less is told of nobody


def meaning(view: View, mechanisms: Sequence[Mechanism]) -> list[str]:
    """Describe the effect of the gaps, one sentence per mechanism."""
    top = view.counts.sorted.top(view.k + 1)
    if top[0] == top[-1]:
        return [
            f"The first {len(top)} counts are tied: any of these items is a correct answer, and "
            "all mechanisms are equally good among them."
        ]
    gaps = top[:-1] - top[1:]
    crowded = crowded_by_others(view, mechanisms)
    return [
        *(
            gap_meaning(m, gaps, view.unit, view.counts.d, alone=m not in crowded)
            for m in mechanisms
        ),
        *threshold_sentences(mechanisms, view.counts.sorted, view.unit),
        "Items with a smaller gap are swapped more often. Large gaps favour mechanisms that "
        "penalise only the worst place; many small gaps and a large k favour peeling.",
    ]


def swap_chart(view: View, mechanisms: Sequence[Mechanism]) -> Chart | None:
    """Return a chart of the probability of a swap against the gap, or None without any.

    Mechanisms that choose among whole outputs are left out where other counts lie near: the more
    there are, the more outputs share the probability, and a curve of two items is no guide.
    """
    known = _known(view, mechanisms)
    left_out = crowded_by_others(view, mechanisms)
    mechanisms_shown = tuple(m for m in known if m not in left_out)
    if not mechanisms_shown:
        return None
    gaps = np.unique(-np.diff(view.counts.sorted.top(view.k + 1)))
    curves = {m.label: known[m] for m in mechanisms_shown}
    styles = {m.label: m.card.style for m in mechanisms_shown}
    ends = ", ".join(f"{label} {curve.told_apart:,}" for label, curve in curves.items())
    sentence = f"{_ALIKE} Smallest gap at which it is at most {SELDOM:.0%}, in {view.unit}: {ends}."
    if left_out:
        names, one_alone = joined([m.label for m in left_out]), len(left_out) == 1
        sentence += (
            f" {names} {'chooses' if one_alone else 'choose'} among whole outputs; on these data "
            "so many of them are close that a curve for two items is no guide, so "
            f"{'it is' if one_alone else 'they are'} left out"
        )
        far = [f"{m.label} {error:,}" for m, error in left_out.items() if error is not None]
        worst = f"in at least {SELDOM:.0%} of releases the error at the worst place is this or more"
        sentence += f": {worst}, in {view.unit}, exact: {joined(far)}." if far else "."
    return Chart(
        figures.swap_chances(curves, gaps, styles, view.unit),
        "swaps",
        _SWAPS,
        view.origin(mechanisms_shown, "exact"),
        height=340,
        finding=sentence,
        slide=f"{sentence} {all_right(view, tuple(known))}".strip(),
    )


def _known(view: View, mechanisms: Sequence[Mechanism]) -> dict[Mechanism, Swaps]:
    by_mechanism = {m: swaps(m, view.counts.d) for m in mechanisms}
    return {m: curve for m, curve in by_mechanism.items() if curve is not None}


def crowded_by_others(view: View, mechanisms: Sequence[Mechanism]) -> dict[Mechanism, int | None]:
    """Return mechanisms that often err at gaps at which two isolated items would rarely swap.

    The values are the errors that their worst place seldom exceeds, or None where that law is not
    known and the probability of the right set decides.
    """
    known = _known(view, mechanisms)
    single = [m for m in known if isinstance(m, SingleChoice)]
    laws = exact_laws(view.counts, single, _WORST, results.IN_TURNS)
    shares = exact_shares(view.counts, single, results.IN_TURNS)
    places: dict[Mechanism, int | None] = {}
    for mechanism in single:
        apart = known[mechanism].told_apart
        law, right = laws.get(mechanism.label), shares[mechanism.label].get("exact_set")
        if law is not None and law.chance_of_at_most(apart - 1).probability < 1 - SELDOM:
            places[mechanism] = law.quantile(1 - SELDOM)
        elif law is None and right is not None and _is_crowded(view, known[mechanism], right):
            places[mechanism] = None
    return places


def _is_crowded(view: View, curve: Swaps, right: Estimate) -> bool:
    """Return True if the right set is less probable than the gap after it explains."""
    top = view.counts.sorted.top(view.k + 1)
    alone = np.interp(float(top[-2] - top[-1]), curve.gaps, curve.chances, right=0.0)
    return 1 - right.probability > max(2 * float(alone), SELDOM)


def all_right(view: View, mechanisms: Sequence[Mechanism]) -> str:
    """Format the exact probability that the true top k is released, where it is known.

    It is the probability in order if every mechanism gives an order, else that of the set.
    """
    shares = exact_shares(view.counts, mechanisms, results.IN_TURNS)
    in_order = all(mechanism.outputs.ordered for mechanism in mechanisms)
    measure = "exact_sequence" if in_order else "exact_set"
    chances = {m: shares[m.label].get(measure) for m in mechanisms}
    known = {mechanism: share for mechanism, share in chances.items() if share is not None}
    if not known:
        return ""
    right = f"right {view.k}" + (" in order" if in_order else ", in any order,")
    if view.k == 1:
        right = "true first item"
    right = f"Exact probability of the {right} on these data"
    likeliest = max(known.values(), key=lambda each: each.log)
    best = frequency(likeliest.log, likeliest.log_complement)
    if len(mechanisms) == 1:
        return f"{right}: {best}."
    if likeliest.log < _TELLING:
        by = joined([m.label for m, share in known.items() if share.log == likeliest.log])
        return f"{right}: {best} by {by}, the most of these mechanisms."
    each = ", ".join(
        f"{m.label} {frequency(share.log, share.log_complement)}" for m, share in known.items()
    )
    return f"{right}: {each}."
