"""Gaps between neighboring top counts, and the epsilon that each top set needs."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.mechanisms import SetOrNothing
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import TRUE_COUNTS, Origin
from dptopk.questions.settings import PLACES, places_shown
from dptopk.questions.view import View

TITLE = "Gaps place by place"
CHANCE = 0.95  # with which a set is to come out
UNPROTECTED = "Counts and gaps are the true ones and are not protected."


def gap_rows(counts: ItemCounts, n: int, unit: str) -> pd.DataFrame:
    """Return place, item, count and gap to the next count, for the first ``n`` places."""
    top = counts.sorted.top(n + 1)
    return pd.DataFrame(
        {
            "place": np.arange(1, len(top)),
            "item": [counts.items[position] for position in counts.order[: len(top) - 1]],
            f"count ({unit})": top[:-1],
            f"gap to the next ({unit})": top[:-1] - top[1:],
        }
    )


def sets_of(view: View) -> tuple[SetOrNothing, ...]:
    """Return the chosen mechanisms that release a top set of exactly k items, or nothing."""
    return tuple(m for m in view.mechanisms if isinstance(m, SetOrNothing))


def set_epsilons(view: View, n: int) -> dict[str, FloatArray]:
    """Return the epsilon at which each of the first ``n`` top sets can be released, by label."""
    return {m.label: m.epsilons_for_sets(view.counts.sorted, n, CHANCE) for m in sets_of(view)}


def with_epsilons(gaps: pd.DataFrame, epsilons: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Add columns of the epsilon that each top set needs; empty where none suffices."""
    return gaps.assign(
        **{
            f"ε of {label} for {CHANCE:.0%}": np.where(np.isfinite(by_gap), by_gap, np.nan)
            for label, by_gap in epsilons.items()
        }
    )


def gaps_origin(view: View) -> Origin:
    """Return the origin of the gaps and of the epsilons of top sets."""
    sets = sets_of(view)
    if sets:
        return view.origin(sets, "exact", more={"chance": CHANCE}, answers=("epsilon",))
    return view.origin((), TRUE_COUNTS, more={"k": view.k})


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """List the gaps between counts."""
    if view.counts.d < 2:
        raise ValueError("one item has no gap to the next")
    n = min(view.counts.d - 1, values[PLACES] or places_shown(view.k))
    frame = with_epsilons(gap_rows(view.counts, n, view.unit), set_epsilons(view, n))
    notes = (*view.refusals(view.k, view.counts), UNPROTECTED)
    return Answer("gaps", TITLE, frame, gaps_origin(view), (*map(str, frame),), notes)
