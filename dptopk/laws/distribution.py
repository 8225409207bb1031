"""Exact distribution over all outputs of a mechanism, for small data.

For few items, or few distinct counts, all outputs can be listed; draws are checked
against the list.  `privacy_loss` compares the lists of neighbouring data sets.  Noisy counts
that come out beside the items are not part of these outputs.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.outputs import MAX_OUTPUTS, SEQUENCE, OutputKind
from dptopk.mechanisms import Mechanism, check_mechanism
from dptopk.mechanisms.base import check_total

_QUICKLY_COUNTED = 1_000  # levels times k
_SMALLEST_EXPECTED = 5.0  # chi-squared cells expecting fewer draws are pooled


@dataclass(frozen=True)
class OutputDistribution:
    """Exact distribution over all outputs, most likely first.

    Iterating gives pairs (output as a tuple of positions, probability), so that
    ``dict(distribution)`` looks a probability up.

    Attributes
    ----------
    sequences : numpy.ndarray of int64, shape (m, k)
        Outputs as positions into the counts as given; with ties merged, as levels.  Sets are
        ascending, short outputs filled up with `outputs.NOTHING`.
    log_probabilities : numpy.ndarray of float64, shape (m,)
        Natural logarithms.
    items : tuple of str
        Item names by position; with ties merged, what to call each level.
    outputs : OutputKind
        What the outputs are: in order or not, always k items or fewer.
    """

    sequences: IntArray
    log_probabilities: FloatArray
    items: tuple[str, ...]
    outputs: OutputKind = SEQUENCE

    @property
    def probabilities(self) -> FloatArray:
        """Probabilities, shape (m,)."""
        probabilities: FloatArray = np.exp(self.log_probabilities)
        return probabilities

    @property
    def log_complements(self) -> FloatArray:
        """Log probability of the complement of each output, shape (m,)."""
        return log_complements(self.log_probabilities)

    def __len__(self) -> int:
        return len(self.sequences)

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], float]]:
        return zip(map(tuple, self.sequences.tolist()), self.probabilities.tolist(), strict=True)

    def labels(self) -> list[str]:
        """Return the label of each output by the names of its items; see `OutputKind.label`."""
        return [self.outputs.label(row, self.items) for row in self.sequences.tolist()]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per output: items, probability, its logarithm and its complement's.

        ``log_complement`` tells how far from certain an output is whose probability rounds to 1.
        """
        return pd.DataFrame(
            {
                "output": self.labels(),
                "probability": self.probabilities,
                "log_probability": self.log_probabilities + 0.0,  # -0.0 is written as 0.0
                "log_complement": self.log_complements + 0.0,
            }
        )


def log_complements(log_probabilities: FloatArray) -> FloatArray:
    """Return the log probability of the complement of each output of a distribution, shape (m,).

    Summed over the others for an output close to certain: 1 - p has lost its digits there.
    """
    log_p = np.minimum(log_probabilities, 0.0)
    result: FloatArray = np.log1p(-np.exp(np.minimum(log_p, np.log(0.5))))
    for i in np.flatnonzero(log_p > np.log(0.5)):  # one at most
        result[i] = np.logaddexp.reduce(np.delete(log_p, i), initial=-np.inf)
    return result


def n_outputs(d: int, k: int, outputs: OutputKind = SEQUENCE) -> int:
    """Count the outputs of k of d items; of a sequence, d! / (d - k)!."""
    return outputs.n_outputs(d, k)


def output_distribution(counts: ItemCounts, mechanism: Mechanism) -> OutputDistribution:
    """Compute the exact distribution over all outputs of a mechanism, at most 50,000.

    Counts and mechanism may be given in either order.  For more outputs a ValueError names their
    number.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, output_distribution
    >>> law = output_distribution(ItemCounts([5, 3], ["a", "b"]), Joint(1, 1.0))
    >>> dict(zip(law.labels(), law.probabilities.round(3).tolist()))
    {'a': 0.731, 'b': 0.269}
    """
    if isinstance(counts, Mechanism):
        counts, mechanism = mechanism, counts  # type: ignore[assignment]
    check_small(mechanism, counts)
    every = mechanism.outputs.every(counts.d, mechanism.k)
    log_probabilities = check_total(mechanism, mechanism.log_pmf(counts, every))
    return _likeliest_first(every, log_probabilities, tuple(counts.items), mechanism.outputs)


def merged_output_distribution(counts: ItemCounts, mechanism: Mechanism) -> OutputDistribution:
    """Compute the exact distribution over all outputs, with ties merged.

    Where items with equal counts are interchangeable, outputs can be told apart by the level
    (the distinct count) released at each place only: levels are in place of positions, at most
    50,000 sequences of them.  This writes out large data with few distinct counts.  Compare draws
    after `merged_outputs`.  A mechanism that does not treat ties alike is a ValueError.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, merged_output_distribution
    >>> law = merged_output_distribution(ItemCounts([5, 3, 3, 3]), Joint(1, 1.0))
    >>> law.probabilities.round(3).tolist()
    [0.525, 0.475]
    """
    check_mechanism("mechanism", mechanism)
    validation.instance("counts", counts, ItemCounts)
    kind, levels, k = mechanism.outputs, counts.sorted, mechanism.k
    if not mechanism.exchangeable_ties:
        raise ValueError(
            f"{mechanism.label} does not treat items with equal counts alike: its outputs cannot "
            "be merged, take few enough items to list them all"
        )
    mechanism.check(counts)
    n = kind.n_by_level(levels.n_levels, k)
    exactly = n <= MAX_OUTPUTS or levels.n_levels * k <= _QUICKLY_COUNTED
    if n > MAX_OUTPUTS and exactly:  # else all are listed in no time, or counting takes long
        n = kind.count_by_level(levels.multiplicities, k)
    check_small(mechanism, counts, n, "" if exactly else "up to ")
    every, ranks, log_n = kind.every_by_level(levels, k)
    log_p = check_total(mechanism, log_n + mechanism.log_pmf(levels, ranks))
    log_probabilities = np.minimum(log_p, 0.0)  # rounding
    return _likeliest_first(every, log_probabilities, _level_names(counts), kind)


def merged_outputs(counts: ItemCounts, samples: IntArray) -> IntArray:
    """Return draws as levels instead of positions, as in `merged_output_distribution`."""
    return np.where(samples < 0, samples, counts.levels_at(np.maximum(samples, 0)))


def _likeliest_first(
    every: IntArray, log_probabilities: FloatArray, items: tuple[str, ...], kind: OutputKind
) -> OutputDistribution:
    order = np.argsort(-log_probabilities, kind="stable")
    return OutputDistribution(every[order], log_probabilities[order], items, kind)


def _level_names(counts: ItemCounts) -> tuple[str, ...]:
    levels = counts.sorted
    first = levels.ends - levels.multiplicities
    return tuple(
        counts.items[counts.order[rank]] if size == 1 else f"any of {size:,} with {value:,}"
        for rank, size, value in zip(
            first.tolist(), levels.multiplicities.tolist(), levels.values.tolist(), strict=True
        )
    )


def check_small(
    mechanism: Mechanism, counts: ItemCounts, possible: int | None = None, at_most: str = ""
) -> None:
    """Raise for more outputs than can be enumerated; ``possible`` defaults to all of them.

    ``at_most`` is said before their number.
    """
    check_mechanism("mechanism", mechanism)
    validation.instance("counts", counts, ItemCounts)
    mechanism.check(counts)
    if possible is None:
        possible = mechanism.outputs.n_outputs(counts.d, mechanism.k)
    if possible > MAX_OUTPUTS:
        raise ValueError(
            f"counts has {counts.d:,} items: k = {mechanism.k} gives "
            f"{at_most}{_readable(possible)} possible outputs, more than the {MAX_OUTPUTS:,} that "
            "are written out; take fewer items or a smaller k"
        )


@dataclass(frozen=True)
class Fit:
    """Goodness of fit of draws to an exact distribution, by Pearson's chi-squared test."""

    statistic: float
    p_value: float
    n_cells: int
    n_draws: int
    observed: IntArray  # draws of each output, in the distribution's order


def goodness_of_fit(distribution: OutputDistribution, samples: npt.ArrayLike) -> Fit:
    """Test draws, (n, k) positions, against their exact distribution by Pearson's chi-squared test.

    Outputs expected fewer than five times are pooled into one cell, and that cell
    with the rarest other one while it still expects fewer than five.  Draws of an
    impossible output give p = 0.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, goodness_of_fit, output_distribution
    >>> import numpy as np
    >>> counts, joint = ItemCounts([9, 7, 4]), Joint(2, 1.0)
    >>> draws = joint.sample(counts, 10_000, np.random.default_rng(0))
    >>> goodness_of_fit(output_distribution(counts, joint), draws).p_value > 0.001
    True
    """
    validation.instance("distribution", distribution, OutputDistribution)
    k = distribution.sequences.shape[1]
    given = np.asarray(samples)
    if len(given) == 0:
        raise ValueError("samples must hold at least one draw, got none")
    d, kind = len(distribution.items), distribution.outputs
    drawn = kind.check("samples", given, d, k)
    observed = _tally(kind.codes(distribution.sequences, d), kind.codes(drawn, d))
    expected = distribution.probabilities * len(drawn)
    order = np.argsort(-expected, kind="stable")
    n_alone = int((expected >= _SMALLEST_EXPECTED).sum())
    cells = np.append(np.arange(n_alone), n_alone) if n_alone < len(order) else np.arange(n_alone)
    pooled_expected = np.add.reduceat(expected[order], cells)
    pooled_observed = np.add.reduceat(observed[order], cells)
    if len(cells) > 1 and pooled_expected[-1] < _SMALLEST_EXPECTED:
        cells = cells[:-1]
        pooled_expected = np.add.reduceat(expected[order], cells)
        pooled_observed = np.add.reduceat(observed[order], cells)
    impossible = observed.sum() < len(drawn) or observed[expected == 0].any()
    statistic = float(((pooled_observed - pooled_expected) ** 2 / pooled_expected).sum())
    if impossible:
        p_value = 0.0
    else:
        from scipy.special import chdtrc  # slow to load

        p_value = float(chdtrc(len(cells) - 1, statistic)) if len(cells) > 1 else 1.0
    return Fit(statistic, p_value, len(cells), len(drawn), observed)


def _tally(codes: FloatArray, drawn: FloatArray) -> IntArray:
    order = np.argsort(codes)
    place = np.searchsorted(codes[order], drawn).clip(max=len(codes) - 1)
    known = codes[order][place] == drawn
    return np.bincount(order[place[known]], minlength=len(codes))


def _readable(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"about 10^{int(math.log10(number))}"
