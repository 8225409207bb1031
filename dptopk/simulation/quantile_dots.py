"""Compute quantile dot plots, which show a distribution as fifty equally likely values.

Kay, Kola, Hullman, Munson (2016), "When (ish) is My Bus?", CHI 2016: people read chances best
where they can count them.  Quantiles are those of the exact law where there is one, else of
the runs, held to what is known of right releases (see `post_stratified`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray, NumberArray
from dptopk.mechanisms import ErrorLaw
from dptopk.simulation.post_stratified import Weighted

N_DOTS = 50
"""Number of dots that stand for all releases: one for 2% of them."""

_ALONE = 0.3  # width of the only column, where all values are one


@dataclass(frozen=True)
class _Room:
    columns: int  # from the smallest to the largest value of all
    beside: int  # dots in each row of a column


_WIDE = _Room(14, 7)
_NARROW = _Room(7, 3)  # on 150 pixels no more than that stand clear of each other


@dataclass(frozen=True)
class Dots:
    """Quantiles of one distribution, ascending, with the positions of their dots."""

    values: NumberArray
    at: FloatArray  # on the axis of the values
    height: IntArray  # number of rows of dots below it, in its column
    exact: bool  # True if they come from an exact law, not from runs
    full: int  # number of rows if all dots stand in one column

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
    """Compute quantiles at (i + 1/2) / n of each distribution, stacked in common columns.

    Columns are equally wide, if ``logarithmic`` in log(1 + value), and filled row by row, so that
    the height of a column is its share of all; ``narrow`` makes fewer and higher ones.
    """
    n = validation.integer("n", n, low=1)
    quantiles = {label: _quantiles(source, n) for label, source in errors.items()}
    exact = {label: isinstance(source, ErrorLaw) for label, source in errors.items()}
    return _all_stacked(quantiles, exact, None, logarithmic, narrow)


def split_at(
    dots: Mapping[str, Dots], threshold: float, *, logarithmic: bool, narrow: bool = False
) -> dict[str, Dots]:
    """Stack dots anew so that no stack mixes values from both sides of a threshold.

    Values above it stand beyond the middle between the threshold and the next whole number, where
    a figure draws its line; all others before.  Other arguments as `quantile_dots`.
    """
    values = {label: each.values for label, each in dots.items()}
    exact = {label: each.exact for label, each in dots.items()}
    return _all_stacked(values, exact, int(threshold), logarithmic, narrow)


def rare_threshold(dots: Mapping[str, Dots]) -> int:
    """Return a threshold that about 3 of 50 dots exceed under the best distribution."""
    return min(int(each.values[-1 - (3 * each.values.size) // N_DOTS]) for each in dots.values())


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
    quantiles: Mapping[str, NumberArray],
    exact: Mapping[str, bool],
    threshold: int | None,
    logarithmic: bool,
    narrow: bool,
) -> dict[str, Dots]:
    """Stack the dots of all distributions in common columns, split at a threshold if given."""
    ends = np.array([v for values in quantiles.values() for v in (values[0], values[-1])])
    room = _NARROW if narrow else _WIDE
    drawn_ends = _drawn(ends, logarithmic)
    least = float(drawn_ends.min())
    width = float(np.ptp(drawn_ends)) / (room.columns - 1) or _ALONE
    if not logarithmic and ends.dtype.kind != "f":
        width = max(width, 1.0)  # a column of each whole number
    first = least - width / 2  # the smallest value, often 0, is in the middle of its column
    if threshold is not None:
        parted = float(_drawn(np.array([threshold, threshold + 1]), logarithmic).mean())
        whole = math.floor((parted - least) / width - 0.25)
        if whole >= 0:  # as many columns before it as are about as wide
            width = (parted - least) / (whole + 0.5)
        first = parted
    dots = {}
    for label, values in quantiles.items():
        column = (_drawn(values, logarithmic) - first) // width
        nth = np.arange(values.size) - np.searchsorted(column, column)  # of its column
        height, slot = np.divmod(nth, room.beside)
        aside = (slot - (room.beside - 1) / 2) / (room.beside + 1)
        at = first + (column + 0.5 + aside) * width
        full = -(-values.size // room.beside)
        at = np.expm1(at) if logarithmic else at
        dots[label] = Dots(values, at, height, exact[label], full)
    return dots
