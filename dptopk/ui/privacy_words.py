"""What the Privacy page says of a worst case."""

from collections.abc import Iterable, Mapping

import numpy as np

from dptopk.mechanisms import Mechanism
from dptopk.privacy_loss import WorstCase
from dptopk.ui.formats import compact, joined, plural, small
from dptopk.ui.widgets import Tile


def use_tile(mechanism: Mechanism, loss: WorstCase, stick: WorstCase | None) -> Tile:
    """How much of the promise is used, and whether it is kept on these counts."""
    promised = mechanism.guarantee
    if stick is None:
        kept = loss.value <= promised.epsilon + 1e-9
        kind = f"of ε = {compact(promised.epsilon)}"
    else:
        kept = stick.value <= promised.delta * (1 + 1e-9)
        kind = (
            f"of ε = {compact(promised.epsilon)} · δ used: {small(stick.value)} of "
            f"{compact(promised.delta)}"
        )
    sign = "✓ kept on these counts" if kept else "✗ broken"
    return Tile(
        mechanism.label,
        f"{loss.value:.3f}" if np.isfinite(loss.value) else "∞",
        f"{kind} · {sign}",
        "Largest privacy loss over all neighbours and outputs, exact.",
    )


def beyond(
    tried: Iterable[Mechanism], found: Mapping[str, tuple[WorstCase, WorstCase | None]]
) -> list[str]:
    """Say why a loss above ε breaks no promise, where δ is enough for it."""
    covered = []
    for mechanism in tried:
        loss, stick = found[mechanism.label]
        promised = mechanism.guarantee
        if stick is not None and loss.value > promised.epsilon + 1e-9:
            covered += [mechanism.label] * (stick.value <= promised.delta * (1 + 1e-9))
    if not covered:
        return []
    return [
        f"A loss above ε breaks no promise of {joined(covered)}: what comes out beyond it is so "
        "rare that δ is enough for it, of which the numbers above say how much is used."
    ]


def left_out(found: Mapping[str, tuple[WorstCase, WorstCase | None]]) -> list[str]:
    """Say which outputs could not be compared."""
    faint = {label: loss.n_faint for label, (loss, _) in found.items() if loss.n_faint}
    if not faint:
        return []
    named = joined([f"{plural(n, 'output')} of {label}" for label, n in faint.items()])
    return [
        f"Left out: {named}, less likely than e^(-2^20) on both data sets: the logarithms of such "
        "probabilities are so large that floats hold no exact difference of two."
    ]
