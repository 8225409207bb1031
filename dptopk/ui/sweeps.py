"""The grids of the sweep page, and the mechanisms along them."""

import dataclasses

from dptopk.mechanisms import SequenceMechanism
from dptopk.ui.controls import MAX_K, View

_GRIDS: dict[str, tuple[str, list]] = {
    "k to 100": ("k", [1, 2, 3, 5, 10, 15, 20, 30, 40, 60, 100]),
    "k as in the paper": ("k", list(range(5, 200, 10))),
    "ε": ("epsilon", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]),
}


def grid_choice(place, d: int) -> tuple[str, list]:
    """Choose what varies: its name in `trials.sweep` and the values, within the items."""
    grid = place.segmented_control(
        "Against",
        list(_GRIDS),
        default="k to 100",
        required=True,
        key="against",
        bind="query-params",
    )
    over, values = _GRIDS[grid]
    if over == "k":
        largest = min(d, MAX_K)
        values = [value for value in values if value <= largest] or [1]
        if largest < 15:
            values = list(range(1, largest + 1))
    return over, values


def settings(view: View, over: str, values: list) -> list[SequenceMechanism]:
    """Every chosen mechanism at every value, in the order of `trials.sweep`."""
    return [
        dataclasses.replace(mechanism, **{over: value})
        for value in values
        for mechanism in view.mechanisms
    ]
