"""What a gap means to mechanisms, side by side: when two items swap, and how often all is right."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from dptopk import figures
from dptopk.exact import Chance
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.single_choice import SingleChoice
from dptopk.swaps import SELDOM, Swaps, swaps
from dptopk.ui import results
from dptopk.ui.formats import chance, joined, one
from dptopk.ui.widgets import Chart
from dptopk.view import View

TITLE = "How far apart must two counts lie?"
_ALIKE = (
    "Noise of different kinds in one measure: how often two items swap that lie so far apart, if "
    "no other count lies near them."
)
_WORST = "signed_max"
_TELLING = math.log(0.001)  # of all being right: less is told of nobody


def chart(view: View, mechanisms: Sequence[Mechanism]) -> Chart | None:
    """Chance of a swap against the gap, for those that may swap items; nothing if none does.

    What weighs whole outputs at once is left out where others do lie near: the more of them there
    are, the more outputs share the probability, and two items alone tell nothing.
    """
    found = {m: swaps(m, view.counts.d) for m in mechanisms}
    known = {m: curve for m, curve in found.items() if curve is not None}
    crowded = _crowded(view, known)
    shown = tuple(m for m in known if m not in crowded)
    if not shown:
        return None
    top = view.counts.sorted.top(view.k + 1)
    gaps = np.unique(top[:-1] - top[1:])
    curves = {m.label: known[m] for m in shown}
    styles = {m.label: m.card.style for m in shown}
    ends = ", ".join(f"{label} {curve.told_apart:,}" for label, curve in curves.items())
    said = f"{_ALIKE} It is at most {SELDOM:.0%} from this gap on, in {view.unit}: {ends}."
    if crowded:
        said += f" {_left_out(crowded, view)}"
    return Chart(
        figures.swap_chances(curves, gaps, styles, view.unit),
        "swaps",
        TITLE,
        view.origin(shown, "exact"),
        height=340,
        finding=said,
        slide=f"{said} {all_right(view, tuple(known))}".strip(),
    )


def _crowded(view: View, known: Mapping[Mechanism, Swaps]) -> dict[Mechanism, int | None]:
    """Those that err often by gaps at which two items alone would seldom swap.

    With what their worst place seldom gives up; where no law of that is known, the whole set tells.
    """
    single = [m for m in known if isinstance(m, SingleChoice)]
    laws = results.exact_laws(view.counts, single, _WORST)
    shares = results.exact_shares(view.counts, single)
    found: dict[Mechanism, int | None] = {}
    for mechanism in single:
        apart = known[mechanism].told_apart
        law, right = laws.get(mechanism.label), shares[mechanism.label].get("exact_set")
        if law is not None and law.chance_of_at_most(apart - 1).probability < 1 - SELDOM:
            found[mechanism] = law.quantile(1 - SELDOM)
        elif law is None and right is not None and _is_crowded(view, known[mechanism], right):
            found[mechanism] = None
    return found


def _is_crowded(view: View, curve: Swaps, right: Chance) -> bool:
    """Whether the right set is rarer than the gap behind it explains."""
    top = view.counts.sorted.top(view.k + 1)
    alone = np.interp(float(top[-2] - top[-1]), curve.gaps, curve.chances, right=0.0)
    return 1 - right.probability > max(2 * float(alone), SELDOM)


def _left_out(crowded: Mapping[Mechanism, int | None], view: View) -> str:
    """Who is not drawn, and why."""
    names = joined([mechanism.label for mechanism in crowded])
    one_alone = len(crowded) == 1
    said = (
        f"{names} {'weighs' if one_alone else 'weigh'} whole outputs at once, of which so many are "
        "near on these data that two items alone tell nothing, and "
        f"{'is' if one_alone else 'are'} left out"
    )
    far = {f"{worst:,}": worst for worst in crowded.values() if worst is not None}
    if not far:
        return f"{said}."
    unit = one(view.unit) if [*far.values()] == [1] else view.unit
    return (
        f"{said}: {SELDOM:.0%} of releases give up {joined([*far])} {unit} or more at their worst "
        "place, exact."
    )


def all_right(view: View, mechanisms: Sequence[Mechanism]) -> str:
    """How often the true top k comes out on these data, in a sentence: exact, where known."""
    shares = results.exact_shares(view.counts, mechanisms)
    of_ordered = mechanisms[0].outputs.ordered
    known = {}
    for mechanism in mechanisms:
        ordered = mechanism.outputs.ordered
        found = shares[mechanism.label].get("exact_sequence" if ordered else "exact_set")
        if found is not None:
            known[mechanism] = found
    if not known:
        return ""
    right = f"All {view.k} come out right" + (" and in order" if of_ordered else ", in any order,")
    if view.k == 1:
        right = "The true first item comes out"
    if len(mechanisms) == 1:
        return f"{right} on these data in {chance(known[mechanisms[0]])} of releases, exact."
    likeliest = max(known.values(), key=lambda each: each.log)
    if likeliest.log < _TELLING:
        return f"{right} in at most {chance(likeliest)} of releases of any of them: see Compare."
    each = ", ".join(
        f"{m.label} {chance(found)}{' as a set' * (of_ordered and not m.outputs.ordered)}"
        for m, found in known.items()
    )
    return f"{right} on these data, exact: {each}."
