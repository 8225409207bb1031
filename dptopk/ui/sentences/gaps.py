"""Sentences on gaps between counts and their effect on mechanisms."""

from collections.abc import Iterable

import numpy as np

from dptopk.core.counts import SortedCounts
from dptopk.laws.swap_chances import swaps
from dptopk.mechanisms import Gaps, Mechanism, SetOrNothing, Thresholded
from dptopk.ui.formats import compact, counted, needed, plural, rounded
from dptopk.ui.sentences.base import scale_meaning


def gap_meaning(
    mechanism: Mechanism, gaps: np.ndarray, unit: str, d: int, *, alone: bool = True
) -> str:
    """Describe the gaps around the top k of d items relative to a mechanism's noise.

    ``gaps`` are the first k, or one fewer if every item is released.  Without ``alone``, that is
    with many other items near, the gaps are not compared with the noise.
    """
    if not alone:
        return f"{scale_meaning(mechanism, unit, d, alone=False)}."
    return f"{scale_meaning(mechanism, unit, d)}; {_gaps_told(mechanism, gaps, unit, d)}."


def _gaps_told(mechanism: Mechanism, gaps: np.ndarray, unit: str, d: int) -> str:
    """Return a clause on the gaps that decide the choice of a mechanism."""
    k, by_gap = mechanism.k, swaps(mechanism, d)
    scale = mechanism.scale_on(d) if by_gap is None else by_gap.told_apart
    if mechanism.card.gaps is Gaps.BEHIND:
        if len(gaps) < k:
            return f"every item is released, so there is no gap after place {k}"
        ratio = gaps[-1] / scale
        as_many = f"{ratio:,.0f}" if ratio >= 10 else rounded(ratio, 2)
        times = f", {as_many} times that" if gaps[-1] else ", a tie"
        return f"the gap after place {k} is {counted(int(gaps[-1]), unit)}{times}"
    if mechanism.card.gaps is Gaps.LARGEST:
        place = int(gaps.argmax())
        return (
            f"the largest of the first {plural(len(gaps), 'gap')} is "
            f"{counted(int(gaps[place]), unit)}, after place {place + 1}"
        )
    close = int(((gaps > 0) & (gaps < scale)).sum())
    if len(gaps) == 1:
        return f"the first gap is {'not ' * (not close)}smaller" if gaps[0] else "there is a tie"
    are = "is" if close == 1 else "are"
    return f"of the first {len(gaps):,} gaps, {close:,} {are} smaller, not counting ties"


def sets_within(
    mechanism: SetOrNothing, epsilons: np.ndarray, epsilon: float, chance: float
) -> str:
    """Count the k at which a set would be released at an epsilon, and name the cheapest k."""
    within = int((epsilons <= epsilon).sum())
    never = int(np.isinf(epsilons).sum())
    best = int(epsilons.argmin())
    words = (
        f"**{mechanism.label}**: at ε = {compact(epsilon)}, {mechanism.what_comes_out} is released "
        f"with probability at least {chance:.0%} for {within} of the values k = 1 to "
        f"{len(epsilons)}"
    )
    if never < len(epsilons):
        words += f"; k = {best + 1} needs the smallest ε, {needed(epsilons[best])}"
    if never:
        words += f". For {never} of them no ε suffices: one user can close the gap after k"
    return f"{words}."


def ties_within(levels: SortedCounts, k: int) -> str:
    """Count the gaps of 0 between the items of the top k; empty without one."""
    ties = int((np.diff(levels.top(min(k, levels.d))) == 0).sum())
    return f"In the top {k}, {plural(ties, 'gap')} {'is' if ties == 1 else 'are'} 0." * bool(ties)


def threshold_meaning(mechanism: Mechanism, counts: SortedCounts, unit: str) -> str:
    """Describe where the threshold of a mechanism lies; empty if it has none."""
    if not isinstance(mechanism, Thresholded):
        return ""
    threshold = mechanism.threshold(counts)
    behind = 0 if mechanism.n_read >= counts.d else int(counts.top(mechanism.n_read + 1)[-1])
    why = (
        f"the first count that is not read is {counted(behind, unit)} (place "
        f"{mechanism.n_read + 1:,})"
        if behind
        else "every item with a count is read"
    )
    above = int((counts.top(mechanism.k) > threshold).sum())
    return (
        f"The threshold of **{mechanism.label}** (⊥) lies at {counted(threshold, unit)}: {why}; an "
        "item that depends on a single user passes the margin of "
        f"{counted(threshold - behind, unit)} with probability at most δ. Of the true top "
        f"{mechanism.k}, {above:,} {'lies' if above == 1 else 'lie'} above the threshold before "
        "noise is added; if these are few, few items are released."
    )


def threshold_sentences(
    mechanisms: Iterable[Mechanism], counts: SortedCounts, unit: str
) -> list[str]:
    """Describe where the thresholds of mechanisms lie, for those that have one."""
    meanings = (threshold_meaning(mechanism, counts, unit) for mechanism in mechanisms)
    return [words for words in meanings if words]
