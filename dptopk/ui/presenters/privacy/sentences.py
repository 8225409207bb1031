"""Sentences and tiles on the largest privacy loss of a mechanism."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from dptopk.laws.privacy_losses import WorstCase
from dptopk.mechanisms import Mechanism
from dptopk.questions.privacy import beyond as settled_by_delta
from dptopk.questions.privacy import is_kept
from dptopk.ui.exhibits.base import Tile
from dptopk.ui.formats import compact, joined, plural, scientific, small

_SMALL = 0.01


def use_tile(mechanism: Mechanism, loss: WorstCase, stick: WorstCase | None) -> Tile:
    """Return a tile with the largest privacy loss and whether the guarantee holds."""
    promised = mechanism.guarantee
    kept = is_kept(mechanism, loss, stick)
    kind = f"of ε = {compact(promised.epsilon)}"
    if stick is not None:
        kind += f" · needs δ = {_delta(stick.value)}, promised {_delta(promised.delta)}"
    sign = "✓ kept on these counts" if kept else "✗ broken"
    return Tile(
        mechanism.label,
        f"{loss.value:.3f}" if np.isfinite(loss.value) else "∞",
        f"{kind} · {sign}",
        "Largest privacy loss over all neighbours and outputs, exact.",
    )


def _delta(value: float) -> str:
    """Format a δ below a hundredth in powers of ten, so that two are compared at a glance."""
    if not 0 < value < _SMALL:
        return small(value)
    return scientific(math.log(value)).replace(".0e", "e")


def beyond(
    tried: Iterable[Mechanism], found: Mapping[str, tuple[WorstCase, WorstCase | None]]
) -> list[str]:
    """Explain a loss above ε that δ permits."""
    covered = settled_by_delta(tried, found)
    if not covered:
        return []
    return [
        f"A loss above ε does not violate the guarantee of {joined(covered)}: such outputs have a "
        "probability that δ covers; the numbers above give the δ needed."
    ]


def left_out(found: Mapping[str, tuple[WorstCase, WorstCase | None]]) -> list[str]:
    """Name the outputs that could not be compared."""
    faint = {label: loss.n_faint for label, (loss, _) in found.items() if loss.n_faint}
    if not faint:
        return []
    named = joined([f"{plural(n, 'output')} of {label}" for label, n in faint.items()])
    return [
        f"Left out: {named}, with probability below e^(-2^20) on both data sets: floating-point "
        "numbers cannot hold the difference of such logarithms exactly."
    ]
