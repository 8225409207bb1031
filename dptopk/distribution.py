"""Small cases written out: every output with its exact probability.

For few items, or few distinct counts, all outputs can be listed; draws are checked
against the list.  `privacy_loss` compares the lists of neighbouring data sets.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from dptopk import _validate
from dptopk.counts import ItemCounts
from dptopk.mechanisms._base import check_mechanism

MAX_OUTPUTS = 50_000
"""Most outputs that are written out."""

_SMALLEST_EXPECTED = 5.0  # chi-squared cells expecting fewer draws are pooled


@dataclass(frozen=True)
class OutputDistribution:
    """Every possible output with its exact probability, likeliest first.

    Iterating gives pairs (output as a tuple of positions, probability), so that
    ``dict(distribution)`` looks a probability up.

    Attributes
    ----------
    sequences : numpy.ndarray of int64, shape (m, k)
        Outputs as positions into the counts as given; with ties merged, as levels.
    log_probabilities : numpy.ndarray of float64, shape (m,)
        Natural logarithms.
    items : tuple of str
        Item names by position; with ties merged, what to call each level.
    """

    sequences: np.ndarray
    log_probabilities: np.ndarray
    items: tuple[str, ...]

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities, shape (m,)."""
        return np.exp(self.log_probabilities)

    def __len__(self) -> int:
        return len(self.sequences)

    def __iter__(self):
        return zip(map(tuple, self.sequences.tolist()), self.probabilities.tolist(), strict=True)

    def labels(self) -> list[str]:
        """Each output as its items' names in order."""
        return [", ".join(self.items[p] for p in row) for row in self.sequences.tolist()]

    def to_frame(self) -> pd.DataFrame:
        """One row an output: the items in order, probability, log probability."""
        return pd.DataFrame(
            {
                "output": self.labels(),
                "probability": self.probabilities,
                "log_probability": self.log_probabilities,
            }
        )


def n_outputs(d: int, k: int) -> int:
    """Count the ordered sequences of k of d items, d! / (d - k)!."""
    return math.perm(d, k)


def every_output(d: int, k: int) -> np.ndarray:
    """List the ordered sequences of k of d positions, in lexicographic order, shape (m, k)."""
    return np.array(list(itertools.permutations(range(d), k)), dtype=np.int64)


def output_distribution(mechanism, counts: ItemCounts) -> OutputDistribution:
    """Every possible output of a mechanism with its exact probability.

    Parameters
    ----------
    mechanism : SequenceMechanism
        The mechanism.
    counts : ItemCounts
        The data, small: at most 50,000 possible outputs.

    Returns
    -------
    OutputDistribution

    Raises
    ------
    ValueError
        If there are more outputs than that; the message names the number.
    TypeError
        If ``counts`` is not ItemCounts.
    """
    check_small(mechanism, counts)
    every = every_output(counts.d, mechanism.k)
    log_probabilities = mechanism.log_pmf(counts, every)
    order = np.argsort(-log_probabilities, kind="stable")
    return OutputDistribution(every[order], log_probabilities[order], counts.items)


def merged_output_distribution(mechanism, counts: ItemCounts) -> OutputDistribution:
    """Every possible output with ties merged, and its exact probability.

    Items with equal counts are interchangeable, so outputs are told apart by the level
    (the distinct count) released at each place only.  This writes out large data with few
    distinct counts.  Compare draws after ``counts.levels_at(samples)``.

    Parameters
    ----------
    mechanism, counts
        As in `output_distribution`; at most 50,000 sequences of levels.

    Returns
    -------
    OutputDistribution
        With levels in place of positions.

    Raises
    ------
    TypeError, ValueError
        As in `output_distribution`.
    """
    check_mechanism("mechanism", mechanism)
    check_item_counts(counts)
    levels, k = counts.sorted, mechanism.k
    check_small(mechanism, counts, levels.n_levels**k)
    every = np.array(list(itertools.product(range(levels.n_levels), repeat=k)), dtype=np.int64)
    nth = np.zeros_like(every)  # how many items of its level come before each place
    for place in range(1, k):
        nth[:, place] = (every[:, :place] == every[:, [place]]).sum(axis=1)
    left = levels.multiplicities[every] - nth
    possible = (left > 0).all(axis=1)
    every, nth, left = every[possible], nth[possible], left[possible]
    first = levels.ends - levels.multiplicities
    log_probabilities = np.log(left).sum(axis=1) + mechanism.log_pmf(levels, first[every] + nth)
    order = np.argsort(-log_probabilities, kind="stable")
    return OutputDistribution(every[order], log_probabilities[order], _level_names(counts))


def _level_names(counts: ItemCounts) -> tuple[str, ...]:
    """Name a level by its only item, or by how many items share its count."""
    levels = counts.sorted
    first = levels.ends - levels.multiplicities
    return tuple(
        counts.items[counts.order[rank]] if size == 1 else f"any of {size:,} with {value:,}"
        for rank, size, value in zip(
            first.tolist(), levels.multiplicities.tolist(), levels.values.tolist(), strict=True
        )
    )


def check_small(mechanism, counts: ItemCounts, possible: int | None = None) -> None:
    """Refuse more outputs than can be written out; ``possible`` defaults to all sequences."""
    check_mechanism("mechanism", mechanism)
    check_item_counts(counts)
    possible = n_outputs(counts.d, mechanism.k) if possible is None else possible
    mechanism.sample(counts, 0, np.random.default_rng(0))  # refuses k > d in one voice
    if possible > MAX_OUTPUTS:
        raise ValueError(
            f"counts has {counts.d:,} items: k = {mechanism.k} gives {_readable(possible)} "
            f"possible outputs, more than the {MAX_OUTPUTS:,} that are written out; take fewer "
            "items or a smaller k"
        )


@dataclass(frozen=True)
class Fit:
    """How well draws agree with an exact distribution (Pearson's chi-squared test)."""

    statistic: float
    p_value: float
    n_cells: int
    n_draws: int
    observed: np.ndarray  # draws of each output, in the distribution's order


def goodness_of_fit(distribution: OutputDistribution, samples) -> Fit:
    """Pearson's chi-squared test of draws against their exact distribution.

    Outputs expected fewer than five times are pooled into one cell, and that cell
    with the rarest other one while it still expects fewer than five.  Draws of an
    impossible output give p = 0.

    Parameters
    ----------
    distribution : OutputDistribution
        All outputs with exact probabilities.
    samples : array_like of int, shape (n, k)
        Draws, as positions.

    Returns
    -------
    Fit
    """
    if not isinstance(distribution, OutputDistribution):
        raise TypeError(
            f"distribution must be an OutputDistribution, got {type(distribution).__name__}"
        )
    k = distribution.sequences.shape[1]
    if len(samples) == 0:
        raise ValueError("samples must hold at least one draw, got none")
    samples = _validate.position_matrix("samples", samples, k, len(distribution.items))
    observed = _tally(distribution.sequences, samples, len(distribution.items))
    expected = distribution.probabilities * len(samples)
    order = np.argsort(-expected, kind="stable")
    n_alone = int((expected >= _SMALLEST_EXPECTED).sum())
    cells = np.append(np.arange(n_alone), n_alone) if n_alone < len(order) else np.arange(n_alone)
    pooled_expected = np.add.reduceat(expected[order], cells)
    pooled_observed = np.add.reduceat(observed[order], cells)
    if len(cells) > 1 and pooled_expected[-1] < _SMALLEST_EXPECTED:
        cells = cells[:-1]
        pooled_expected = np.add.reduceat(expected[order], cells)
        pooled_observed = np.add.reduceat(observed[order], cells)
    impossible = observed.sum() < len(samples) or observed[expected == 0].any()
    statistic = float(((pooled_observed - pooled_expected) ** 2 / pooled_expected).sum())
    if impossible:
        p_value = 0.0
    else:
        p_value = float(chdtrc(len(cells) - 1, statistic)) if len(cells) > 1 else 1.0
    return Fit(statistic, p_value, len(cells), len(samples), observed)


def _tally(sequences: np.ndarray, samples: np.ndarray, d: int) -> np.ndarray:
    """How often each sequence occurs among the samples."""
    weights = float(d) ** np.arange(sequences.shape[1])  # a number for each, below d^k
    codes, drawn = (sequences * weights).sum(axis=1), (samples * weights).sum(axis=1)
    order = np.argsort(codes)
    place = np.searchsorted(codes[order], drawn).clip(max=len(codes) - 1)
    known = codes[order][place] == drawn
    return np.bincount(order[place[known]], minlength=len(codes))


def check_item_counts(counts) -> None:
    """Refuse anything but `ItemCounts`: positions must be those of the items."""
    if not isinstance(counts, ItemCounts):
        raise TypeError(f"counts must be ItemCounts, got {type(counts).__name__}")


def _readable(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"about 10^{int(math.log10(number))}"
