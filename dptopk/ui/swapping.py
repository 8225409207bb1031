"""What a gap means to mechanisms, side by side: when two items swap, and how often all is right."""

from collections.abc import Sequence

import numpy as np

from dptopk import figures
from dptopk.mechanisms import Mechanism
from dptopk.swaps import SELDOM, swaps
from dptopk.ui import results
from dptopk.ui.formats import in_full
from dptopk.ui.widgets import Chart
from dptopk.view import View

TITLE = "How far apart must two counts lie?"
_ALIKE = (
    "Noise of different kinds in one measure: how often two items swap that lie so far apart while "
    "all others lie far from both."
)


def chart(view: View, mechanisms: Sequence[Mechanism]) -> Chart | None:
    """Chance of a swap against the gap, for those that may swap items; nothing if none does."""
    d = view.counts.d
    found = {m.label: swaps(m, d) for m in mechanisms}
    known = {label: curve for label, curve in found.items() if curve is not None}
    if not known:
        return None
    shown = tuple(m for m in mechanisms if m.label in known)
    top = view.counts.sorted.top(view.k + 1)
    gaps = np.unique(top[:-1] - top[1:])
    styles = {m.label: m.card.style for m in shown}
    ends = ", ".join(f"{label} {curve.told_apart:,}" for label, curve in known.items())
    said = f"{_ALIKE} It is at most {SELDOM:.0%} from this gap on, in {view.unit}: {ends}."
    whole = all_right(view, shown)
    return Chart(
        figures.swap_chances(known, gaps, styles, view.unit),
        "swaps",
        TITLE,
        view.origin(shown, "exact"),
        height=340,
        finding=said,
        slide=f"{said} {whole}".strip(),
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
            as_set = " as a set" if of_ordered and not ordered and view.k > 1 else ""
            known[mechanism.label] = in_full(found.log, found.log_rest) + as_set
    if not known:
        return ""
    right = f"All {view.k} come out right" + (" and in order" if of_ordered else ", in any order,")
    if view.k == 1:
        right = "The true first item comes out"
    if len(mechanisms) == 1:
        return f"{right} on these data in {known[mechanisms[0].label]} of releases, exact."
    each = ", ".join(f"{label} {share}" for label, share in known.items())
    return f"{right} on these data, exact: {each}."
