"""Change a few counts by dragging their bars, or by the arrow keys; a custom component.

What the browser reports comes from a stranger: it is whole numbers in a range, as many as there
are bars, or nothing.
"""

import math
from functools import partial
from typing import Any

import streamlit as st

from dptopk.core.counts import MAX_COUNT, ItemCounts
from dptopk.questions import settings
from dptopk.ui import address, keys
from dptopk.ui.widgets import component


def show(counts: ItemCounts, k: int) -> None:
    """Draw a bar for each of the typed counts, the ``k`` largest darker; a move types anew."""
    most = max(int(counts.counts.max()), 1)
    step = 10 ** max(0, math.floor(math.log10(most)) - 2)
    scale = 10 ** math.floor(math.log10(most)) // 2 or 1
    _COMPONENT(
        key=keys.DRAGGED_COUNTS,
        data={
            "items": list(counts.items),
            "counts": counts.counts.tolist(),
            "k": k,
            "step": step,
            "most": min(scale * math.ceil(1.4 * most / scale), MAX_COUNT),
        },
        on_counts_change=partial(_type, counts.d),
    )


def _type(n: int) -> None:
    """Type the counts that the browser reports, if they are ``n``."""
    counts: Any = st.session_state[keys.DRAGGED_COUNTS].get("counts")
    if (
        isinstance(counts, list)
        and len(counts) == n
        and all(type(count) is int and 0 <= count <= MAX_COUNT for count in counts)
    ):
        address.choose(settings.VECTOR, ", ".join(map(str, counts)))


_COMPONENT = component(__file__)
