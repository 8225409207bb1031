"""Repeated runs of mechanisms, and sweeps over a parameter, as tidy tables.

Every mechanism draws from its own stream, made from the seed and the mechanism's
own parameters: adding or dropping a mechanism leaves the others' draws unchanged.
Trials run in batches of 250 with a stream each, so that stopping is prompt and a longer
run begins with the same full batches as a shorter one.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dptopk.core import errors, validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import Progress, no_progress
from dptopk.core.counts import ItemCounts, SortedCounts, check_counts
from dptopk.mechanisms import Mechanism, ReadsTheTop, check_mechanism

if TYPE_CHECKING:
    import pandas as pd

SWEEPABLE = ("k", "epsilon", "k_bar")

SETTING = ("mechanism", "k", "epsilon", "delta", "neighbors")
RIGHT = ("exact_sequence", "exact_set")
_BATCH = 250

TrialColumns = dict[str, npt.NDArray[Any]]
"""Columns of a table by name: numbers, truths, or words as objects."""


def generator_for(mechanism: Mechanism, seed: int, batch: int = 0) -> np.random.Generator:
    """Return the random generator of a mechanism at its parameters, for one batch of a seed."""
    stream = zlib.crc32(mechanism.stream_key.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream, batch)))


def release(counts: ItemCounts | SortedCounts, mechanism: Mechanism, seed: int) -> IntArray:
    """Draw one output under a seed: positions into the counts as given, shape (k,).

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, release
    >>> counts = ItemCounts({"pear": 30, "apple": 50, "fig": 2})
    >>> counts.names(release(counts, Joint(2, 1.0), seed=0))
    ['apple', 'pear']
    """
    return release_with_counts(counts, mechanism, seed)[0]


def release_with_counts(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism, seed: int
) -> tuple[IntArray, FloatArray | None]:
    """Draw one output as `release` does, with its noisy counts if there are any.

    Counts are in users, NaN where nothing came out.
    """
    seed = validation.integer("seed", seed, low=0)
    mechanism = check_mechanism("mechanism", mechanism)
    released = mechanism.released(counts, 1, generator_for(mechanism, seed))
    return released.positions[0], None if released.counts is None else released.counts[0]


def run_trials(
    counts: ItemCounts | SortedCounts,
    mechanisms: Sequence[Mechanism],
    n: int,
    seed: int,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run every mechanism ``n`` times and measure every error.

    Parameters
    ----------
    counts : ItemCounts or SortedCounts
        The data.
    mechanisms : sequence of Mechanism
        What to run, no two of the same label at the same settings.
    n : int
        Runs of each mechanism, at least 1.
    seed : int
        Non-negative; the same seed gives the same table.
    progress : callable, optional
        Called with the share done, in (0, 1], after each batch; returning False stops,
        and the table holds what was finished.

    Returns
    -------
    pandas.DataFrame
        One row a mechanism and trial: ``mechanism``, ``k``, ``epsilon``, ``delta``,
        ``neighbors``, ``trial``, one column for each of `errors.METRICS`, and
        ``exact_sequence`` and ``exact_set``, whether the release was right (up to ties) in
        order and as a set.  Where a mechanism reads the largest counts only, ``k_bar`` says how
        many; it is NaN for others.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, run_trials
    >>> trials = run_trials(ItemCounts([9, 7, 4, 2, 0]), [Joint(2, 1.0)], n=3, seed=0)
    >>> trials[["mechanism", "trial", "linf", "exact_set"]].shape
    (3, 4)
    """
    return run_settings(counts, checked_mechanisms("mechanisms", mechanisms), n, seed, progress)


def sweep(
    counts: ItemCounts | SortedCounts,
    mechanisms: Sequence[Mechanism],
    over: str,
    values: Iterable[float],
    n: int,
    seed: int,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run trials at every value of a parameter, with all others fixed.

    Parameters
    ----------
    counts, mechanisms, n, seed, progress
        As in `run_trials`.
    over : {"k", "epsilon", "k_bar"}
        The parameter that varies, one that every mechanism has.
    values : iterable of int or float
        Its values, in the order to run.

    Returns
    -------
    pandas.DataFrame
        As from `run_trials`, for all values together.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint, sweep
    >>> trials = sweep(ItemCounts([9, 7, 4]), [Joint(2, 1.0)], "epsilon", [0.5, 2.0], n=3, seed=0)
    >>> trials.groupby("epsilon").size().to_dict()
    {0.5: 3, 2.0: 3}
    """
    validation.choice("over", over, SWEEPABLE)
    base = checked_mechanisms("mechanisms", mechanisms)
    for m in base:
        if not hasattr(m, over):
            raise ValueError(f"over must be a parameter of {m.name}, got {over!r}")
    return run_settings(counts, at_points(base, over, values), n, seed, progress)


def at_points(
    mechanisms: Sequence[Mechanism], over: str, values: Iterable[float]
) -> list[Mechanism]:
    """Return every mechanism at every value of a parameter, as `sweep` runs them."""
    return [
        m.replaced(**{over: value})
        for value in validation.listed("values", values)
        for m in mechanisms
    ]


def setting_of(mechanism: Mechanism) -> dict[str, str | float]:
    """Return the settings that identify the runs of a mechanism, by column of `run_trials`."""
    setting: dict[str, str | float] = {
        "mechanism": mechanism.label,
        "k": mechanism.k,
        "epsilon": mechanism.guarantee.epsilon,
        "delta": mechanism.guarantee.delta,
        "neighbors": mechanism.guarantee.neighbors.value,
    }
    if isinstance(mechanism, ReadsTheTop):
        setting["k_bar"] = mechanism.n_read
    return setting


def setting_columns(trials: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns of a table that identify settings."""
    return (*SETTING, *(["k_bar"] if "k_bar" in trials else []))


def setting_key(setting: Iterable[Any]) -> tuple[Any, ...]:
    """Return the values of these columns, or of `setting_of`, without NaN."""
    return tuple(value for value in setting if value == value)


def check_told_apart(mechanisms: Iterable[Mechanism]) -> None:
    """Raise for two mechanisms whose runs no table would tell apart."""
    known: dict[tuple[Any, ...], Mechanism] = {}
    for mechanism in mechanisms:
        key = setting_key(setting_of(mechanism).values())
        if key in known:
            raise ValueError(
                "mechanisms must differ by their label or by the settings that tables of runs "
                f"hold, got {known[key]!r} and {mechanism!r}: run them one by one"
            )
        known[key] = mechanism


def combine_batches(batches: Iterable[TrialColumns]) -> pd.DataFrame:
    """Combine batches as `measure` yields them into one table."""
    import pandas as pd

    batches = list(batches)
    columns = dict.fromkeys(column for batch in batches for column in batch)
    missing = [np.full(len(batch["trial"]), np.nan) for batch in batches]
    return pd.DataFrame(
        {
            column: np.concatenate(
                [batch.get(column, nan) for batch, nan in zip(batches, missing, strict=True)]
            )
            for column in columns
        }
    )


def measure(
    counts: ItemCounts | SortedCounts, mechanism: Mechanism, n: int, seed: int
) -> Iterator[TrialColumns]:
    """Run one mechanism batch by batch; yield the columns of `run_trials` for each batch."""
    for batch, first in enumerate(range(0, n, _BATCH)):
        size = min(_BATCH, n - first)
        samples = mechanism.sample(counts, size, generator_for(mechanism, seed, batch))
        setting = {
            name: np.full(size, value, dtype=object if isinstance(value, str) else None)
            for name, value in setting_of(mechanism).items()
        }
        trial = {"trial": np.arange(first, first + size)}
        yield setting | trial | errors.all_errors(counts, samples, mechanism.outputs)


def batches_of(
    counts: ItemCounts | SortedCounts,
    mechanism: Mechanism,
    n: int,
    seed: int,
    progress: Progress = no_progress,
) -> list[TrialColumns]:
    """Return all batches of `measure`; report the share of runs done after each."""
    batches = []
    for batch in measure(counts, mechanism, n, seed):
        batches.append(batch)
        progress((batch["trial"][-1] + 1) / n)
    return batches


def run_settings(
    counts: ItemCounts | SortedCounts,
    settings: Sequence[Mechanism],
    n: int,
    seed: int,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run trials of mechanisms at any settings, one after another; see `run_trials`."""
    check_counts("counts", counts)
    n = validation.integer("n", n, low=1)
    seed = validation.integer("seed", seed, low=0)
    for mechanism in settings:  # whatever is wrong is said before any work
        mechanism.check(counts)
    check_told_apart(settings)
    total = n * sum(mechanism.k for mechanism in settings)
    batches, done = [], 0
    for mechanism in settings:
        for batch in measure(counts, mechanism, n, seed):
            batches.append(batch)
            done += len(batch["trial"]) * mechanism.k
            if progress is not None and progress(done / total) is False:
                return combine_batches(batches)
    return combine_batches(batches)


def checked_mechanisms(name: str, mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """Return the mechanisms of an argument of this name; raise a TypeError for anything else."""
    return [
        check_mechanism(f"{name}[{position}]", mechanism)
        for position, mechanism in enumerate(validation.listed(name, mechanisms))
    ]
