"""What the Privacy page says of a worst case."""

from collections.abc import Mapping

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
