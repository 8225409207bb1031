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
    columns: int  # between the smallest and the largest value of all
    tallest: int  # dots on each other; what is more stands beside them
    beside: int  # stacks side by side that a column has room for


_WIDE = _Room(18, 10, 5)
_NARROW = _Room(7, 17, 3)  # on 150 pixels no more than that stand clear of each other


@dataclass(frozen=True)
class Dots:
    """Quantiles of one distribution, ascending, with the positions of their dots."""

    values: NumberArray
    at: FloatArray  # on the axis of the values: in the middle of each dot's stack
    height: IntArray  # number of dots below it
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
    """Compute quantiles at (i + 1/2) / n of each distribution, stacked in common columns.

    Columns are equally wide, if ``logarithmic`` in log(1 + value); ``narrow`` makes fewer and
    higher stacks.
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
    ends = _drawn(
        np.array([v for values in quantiles.values() for v in (values[0], values[-1])]),
        logarithmic,
    )
    room = _NARROW if narrow else _WIDE
    low, width = float(ends.min()), float(np.ptp(ends)) / room.columns or _ALONE
    parted = math.inf
    if threshold is not None:
        parted = float(_drawn(np.array([threshold, threshold + 1]), logarithmic).mean())
        low = parted  # columns are counted from there
    dots = {}
    for label, values in quantiles.items():
        drawn = _drawn(values, logarithmic)
        column = (drawn - low) // width
        if threshold is None:
            column = np.minimum(column, room.columns - 1)
        at, height = _stacked(drawn, column, width, room, parted)
        dots[label] = Dots(values, np.expm1(at) if logarithmic else at, height, exact[label])
    return dots


def _stacked(
    drawn: FloatArray, column: FloatArray, width: float, room: _Room, parted: float
) -> tuple[FloatArray, IntArray]:
    """Return place and height of dots: one stack per column, or several if it is too tall.

    No stack reaches over the place at which two columns are ``parted``.
    """
    at, height = np.empty(drawn.size), np.empty(drawn.size, dtype=np.int64)
    for each in np.unique(column):
        here = column == each
        middle = (drawn[here].min() + drawn[here].max()) / 2
        number = int(here.sum())
        n_stacks = -(-number // room.tallest)
        tall = -(-number // n_stacks)
        stack, height[here] = np.divmod(np.arange(number), tall)
        half = n_stacks * width / room.beside / 2
        middle = max(middle, parted + half) if middle > parted else min(middle, parted - half)
        at[here] = middle + (stack - (n_stacks - 1) / 2) * width / room.beside
    return at, height
