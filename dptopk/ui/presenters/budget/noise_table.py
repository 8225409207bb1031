"""Tabulate the scales of Gumbel and Laplace noise for the same settings."""

from typing import Any

import pandas as pd

from dptopk.mechanisms import MECHANISMS, ComparesNoise, NoiseScale
from dptopk.questions.view import View
from dptopk.ui.exhibits.base import Caption, Exhibit, Header, Table
from dptopk.ui.formats import compact
from dptopk.ui.presenters.budget.sentences import amount


def registered(view: View) -> list[Exhibit]:
    """Return the comparison by the first mechanism that declares one; empty if it cannot run."""
    kind = next(m for m in MECHANISMS.values() if issubclass(m, ComparesNoise))
    built = view.build_on(kind, view.k, view.counts)
    return compared(view, built) if isinstance(built, ComparesNoise) else []


def compared(view: View, mechanism: ComparesNoise) -> list[Exhibit]:
    """Tabulate the scale of each kind of noise for the number of items of the data."""
    rows = mechanism.noise_scales(view.counts.d)
    delta = getattr(mechanism, "delta", 0.0)
    frame = pd.DataFrame(
        {
            "noise": row.noise,
            "is added": row.use,
            "promise": _promise(row, view.epsilon, delta),
            f"scale ({view.unit})": row.scale,
            f"standard deviation ({view.unit})": row.deviation,
            "source": row.source.words,
        }
        for row in rows
    )
    digits: dict[Any, Any] = {
        f"scale ({view.unit})": amount,
        f"standard deviation ({view.unit})": amount,
    }
    shown = frame.style.format(digits, na_rep="—")
    origin = view.origin((mechanism,), "exact", settings_of=mechanism.label)
    return [
        Header("Gumbel noise against Laplace noise"),
        Table(shown, "noise-scales", "Noise of each kind", origin, frame),
        Caption(
            "Scales of different distributions are not comparable: the standard deviation is "
            "π/√6 = 1.28 scales for Gumbel noise, and √2 = 1.41 for Laplace noise. Only the "
            "one-shot Laplace mechanism with a δ depends on the number of items, "
            f"{view.counts.d:,} here. "
            + " ".join(
                f"{row.noise} noise {row.use} is not available here. {row.refusal}"
                for row in rows
                if row.refusal
            )
        ),
    ]


def _promise(row: NoiseScale, epsilon: float, delta: float) -> str:
    if row.pure or not delta:
        return f"ε = {compact(epsilon)}"
    return f"ε = {compact(epsilon)}, δ = {compact(delta)}"
