"""Compute quantile dot plots, which show a distribution as equally likely values.

Kay, Kola, Hullman, Munson (2016), "When (ish) is My Bus?", CHI 2016: people read chances best
where they can count them.  Quantiles are those of the exact law where there is one, else of
the runs, held to what is known of right releases (see `post_stratified`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.mechanisms import ErrorLaw
from dptopk.simulation.post_stratified import Weighted

N_DOTS = 20
"""Number of dots that stand for all releases: one for 5% of them."""

RARE = 1
"""Number of these dots that are few: the worst 5%."""

_ALIKE = 1e-9  # relative difference of values that are drawn as one
_COLUMNS = 96  # from the smallest to the largest value of all
_NARROW_COLUMNS = 28  # on 150 pixels no more than that stand clear of each other


@dataclass(frozen=True)
class Dots:
    """Quantiles of one distribution, ascending, with the positions of their dots."""

    values: NumberArray
    at: FloatArray  # on the axis of the values
    height: IntArray  # number of dots below it, in its column
    exact: bool  # True if they come from an exact law, not from runs

    def beyond(self, threshold: float) -> int:
        """Count the dots above a threshold."""
        return int((self.values > threshold).sum())


def quantile_dots(
    errors: Mapping[str, ErrorLaw | Weighted | IntArray],
    *,
    logarithmic: bool,
    n: int = N_DOTS,
    narrow: bool = False,
) -> dict[str, Dots]:
    """Compute quantiles at (i + 1/2) / n of each distribution, stacked near their values.

    Columns are equally far apart, if ``logarithmic`` in log(1 + value), and the height of each is
    the share of its values.  ``narrow`` makes fewer columns.
    """
    n = validation.integer("n", n, low=1)
    quantiles = {
        label: (_quantiles(source, n), isinstance(source, ErrorLaw))
        for label, source in errors.items()
    }
    return _all_stacked(quantiles, None, logarithmic, narrow)


def split_at(
    dots: Mapping[str, Dots], threshold: float, *, logarithmic: bool, narrow: bool = False
) -> dict[str, Dots]:
    """Stack dots anew so that no stack mixes values from both sides of a threshold.

    Values above it stand beyond the middle between the threshold and the next whole number, where
    a figure draws its line; all others before.  Other arguments as `quantile_dots`.
    """
    quantiles = {label: (each.values, each.exact) for label, each in dots.items()}
    return _all_stacked(quantiles, int(threshold), logarithmic, narrow)


def rare_threshold(dots: Mapping[str, Dots]) -> int:
    """Return a threshold that no more than `RARE` of 20 dots exceed under the best distribution."""
    return min(int(each.values[-1 - (RARE * each.values.size) // N_DOTS]) for each in dots.values())


def drawn_ends(values: Iterable[NumberArray]) -> tuple[float, float]:
    """Return the smallest and the largest value of several ascending ones, which differ.

    Where all are one, or nearly, the other is one nearer to 0, or 1; a billionth of huge values,
    whose logarithms would else be the same.
    """
    ends = [float(end) for each in values for end in (each[0], each[-1])]
    least, most = min(ends), max(ends)
    alike = _ALIKE * abs(most)
    if most - least <= alike:
        return (max(most - max(alike, 1), 0.0), most) if most > 0 else (least, least + 1)
    return least, most


def _quantiles(source: ErrorLaw | Weighted | IntArray, n: int) -> NumberArray:
    levels = (np.arange(n) + 0.5) / n
    if isinstance(source, Weighted):
        return source.quantiles(levels)
    if isinstance(source, ErrorLaw):
        return np.array([source.quantile(level) for level in levels])
    values = np.asarray(source)
    return np.quantile(values, levels, method="inverted_cdf").astype(values.dtype)


def _drawn(values: NumberArray, logarithmic: bool) -> FloatArray:
    return np.log1p(values) if logarithmic else values.astype(np.float64)


def _all_stacked(
    quantiles: Mapping[str, tuple[NumberArray, bool]],
    threshold: int | None,
    logarithmic: bool,
    narrow: bool,
) -> dict[str, Dots]:
    """Stack quantiles, exact or not, in common columns, split at a threshold if given."""
    ends = np.array(drawn_ends(values for values, _ in quantiles.values()))
    least, most = _drawn(ends, logarithmic).tolist()
    width = (most - least) / ((_NARROW_COLUMNS if narrow else _COLUMNS) - 1)
    first = least - width / 2  # the smallest value, often 0, is in the middle of its column
    if threshold is not None:
        first = float(_drawn(np.array([threshold, threshold + 1]), logarithmic).mean())
    dots = {}
    for label, (values, exact) in quantiles.items():
        column = np.floor((_drawn(values, logarithmic) - first) / width).astype(np.int64)
        at = first + (column + 0.5) * width
        at = np.expm1(at) if logarithmic else at
        height = np.arange(column.size) - np.searchsorted(column, column)
        dots[label] = Dots(values, at, height, exact)
    return dots
