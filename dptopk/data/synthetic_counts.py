"""Synthetic counts: small vectors for teaching, and families of random shapes.

The classroom vectors are small enough to follow by hand; two are those of
Gillenwater, Joseph, Munoz Medina and Ribero (ICML 2022), Appendix D.3.  The shapes
have parameters, described by `SYNTHETIC_SHAPES` so that controls can be built from
the description.  Every shape but ``uniform`` is deterministic and sorted, largest
first.

Limits: d up to 10,000,000 and counts up to 2**53.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.counts import ItemCounts
from dptopk.core.papers import GILLENWATER_2022, Citation
from dptopk.core.parameters import Number

MAX_D = 10_000_000
"""Largest number of items of a synthetic shape."""


@dataclass(frozen=True)
class ClassroomVector:
    """Small vector of counts, with its purpose in teaching."""

    title: str
    description: str
    counts: tuple[int, ...]
    source: Citation | None = None


CLASSROOM_VECTORS = {
    "ten_steps": ClassroomVector(
        "Ten even steps",
        "Ten items with counts 100, 90, ..., 10: every gap is the same.",
        tuple(range(100, 0, -10)),
    ),
    "paper_four": ClassroomVector(
        "Four items (Appendix D.3)",
        "Counts 10, 5, 1, 1: two large counts and a tie below them.",
        (10, 5, 1, 1),
        GILLENWATER_2022.at("Appendix D.3"),
    ),
    "paper_thousand": ClassroomVector(
        "Two and 998 ones (Appendix D.3)",
        "Counts 30, 15 and 998 ones: each of the small items is improbable, all together are not.",
        (30, 15) + (1,) * 998,
        GILLENWATER_2022.at("Appendix D.3"),
    ),
    "all_ties": ClassroomVector(
        "All tied", "Eight items with 20 users each: every choice is a true top k.", (20,) * 8
    ),
    "one_giant": ClassroomVector(
        "One giant",
        "One item with 1,000 users and nine between 12 and 4: the first place is clear, the others "
        "are not.",
        (1000, *range(12, 3, -1)),
    ),
}


def classroom_vector(name: str) -> ItemCounts:
    """Return the classroom vector ``name``; its items are called A, B, C, ...

    Raises
    ------
    TypeError, ValueError
        If ``name`` is not a key of `CLASSROOM_VECTORS`.
    """
    vector = CLASSROOM_VECTORS[validation.choice("name", name, tuple(CLASSROOM_VECTORS))]
    letters = [_letters(position) for position in range(len(vector.counts))]
    return ItemCounts(np.array(vector.counts), letters, name)


def _letters(position: int) -> str:
    """Return names as spreadsheets name columns: A, ..., Z, AA, AB, ..."""
    name = ""
    position += 1
    while position:
        position, letter = divmod(position - 1, 26)
        name = chr(ord("A") + letter) + name
    return name


@dataclass(frozen=True)
class SyntheticShape:
    """Family of counts: its parameters, and ``make(d, rng, **parameters)``."""

    title: str
    description: str
    parameters: tuple[Number, ...]
    make: Callable[..., IntArray | FloatArray]
    random: bool = False


def _zipf(d: int, rng: np.random.Generator, top: int, exponent: float) -> FloatArray:
    counts: FloatArray = np.rint(top * np.arange(1, d + 1, dtype=np.float64) ** -exponent)
    return counts


def _geometric(d: int, rng: np.random.Generator, top: int, ratio: float) -> FloatArray:
    with np.errstate(under="ignore"):  # the far tail is 0
        counts: FloatArray = np.rint(top * ratio ** np.arange(d, dtype=np.float64))
    return counts


def _two_plateaus(d: int, rng: np.random.Generator, high: int, low: int, n_high: int) -> IntArray:
    if low > high:
        raise ValueError(f"low must be at most high ({high}), got {low}")
    return np.where(np.arange(d) < n_high, high, low)


_TOP = Number("top", "Count of the largest item, in users", 1, 10**12, 100_000)

SYNTHETIC_SHAPES = {
    "zipf": SyntheticShape(
        "Zipf",
        "The item of rank r has top / r^exponent users, rounded: a few large counts and a long "
        "tail.",
        (_TOP, Number("exponent", "How fast counts fall with the rank", 0.05, 5.0, 1.0, False)),
        _zipf,
    ),
    "uniform": SyntheticShape(
        "Uniform",
        "Independent random integers from 0 to per_item x d, in no order.",
        (Number("per_item", "The largest possible count, divided by d", 1, 10_000, 10),),
        lambda d, rng, per_item: rng.integers(0, per_item * d, d, np.int64, endpoint=True),
        random=True,
    ),
    "geometric": SyntheticShape(
        "Geometric",
        "Each item has the count before it times a ratio, rounded.",
        (
            _TOP,
            Number("ratio", "Count of an item divided by the one before", 0.001, 1.0, 0.9, False),
        ),
        _geometric,
    ),
    "equal_steps": SyntheticShape(
        "Equal steps",
        "Counts step x d, ..., 2 x step, step: every gap is the same.",
        (Number("step", "Gap between neighbours, in users", 1, 100_000, 10),),
        lambda d, rng, step: step * np.arange(d, 0, -1, dtype=np.int64),
    ),
    "two_plateaus": SyntheticShape(
        "Two plateaus",
        "The first n_high items are tied at a high count, all others at a low one.",
        (
            Number("high", "Count on the high plateau", 0, 10**12, 100),
            Number("low", "Count on the low plateau", 0, 10**12, 50),
            Number("n_high", "Items on the high plateau (all, if d or more)", 0, MAX_D, 10),
        ),
        _two_plateaus,
    ),
}


def synthetic(shape: str, d: int, seed: int = 0, **parameters: float) -> ItemCounts:
    """Generate the counts of a synthetic shape.

    Parameters
    ----------
    shape : str
        A key of `SYNTHETIC_SHAPES`.
    d : int
        Number of items, in ``[1, 10_000_000]``.
    seed : int, default 0
        Seed of the numpy Generator; only ``uniform`` is random.
    **parameters
        Those that the shape lists; left out, they take their defaults.

    Returns
    -------
    ItemCounts
        Items are called "item 1", "item 2", ...; the name tells shape and d.
    """
    chosen = SYNTHETIC_SHAPES[validation.choice("shape", shape, tuple(SYNTHETIC_SHAPES))]
    d = validation.integer("d", d, 1, MAX_D)
    rng = np.random.default_rng(validation.integer("seed", seed, 0))
    takes = ", ".join(parameter.key for parameter in chosen.parameters)
    if unknown := parameters.keys() - {*takes.split(", ")}:
        raise TypeError(f"{min(unknown)} is not a parameter of {shape}, which takes {takes}")
    values = {
        parameter.key: parameter.checked(parameters.get(parameter.key, parameter.default))
        for parameter in chosen.parameters
    }
    return ItemCounts(chosen.make(d, rng, **values), name=f"{shape}, d = {d:,}")


_SUMMED = 1_000  # terms of a sum of powers that are added one by one; the rest as an integral


def zipf_like(d: int, top: int, total: int) -> ItemCounts:
    """Return Zipf counts of so many items, with this largest count and nearly this total.

    A stand-in for counts of which only these three numbers are known.  The exponent is that at
    which the total is right before counts are rounded, or the nearest that the shape takes.

    Parameters
    ----------
    d : int
        Number of items, in ``[1, 10_000_000]``.
    top : int
        Count of the largest item, in users, in ``[1, 10**12]``.
    total : int
        Sum of the counts, in users, in ``[top, d * top]``.
    """
    size, exponent = SYNTHETIC_SHAPES["zipf"].parameters
    d = validation.integer("d", d, 1, MAX_D)
    top = validation.integer("top", top, int(size.low), int(size.high))
    total = validation.integer("total", total, top, d * top)

    def beyond(s: float) -> float:
        return math.log(_sum_of_powers(d, s)) - math.log(total / top)

    low, high = float(exponent.low), float(exponent.high)
    if beyond(low) <= 0:
        fitted = low
    elif beyond(high) >= 0:
        fitted = high
    else:
        from scipy.optimize import brentq  # slow to load

        fitted = float(brentq(beyond, low, high))
    return synthetic("zipf", d, top=top, exponent=float(f"{fitted:.4g}"))


def _sum_of_powers(d: int, s: float) -> float:
    """Return sum_{r=1}^d r^-s, its tail by the Euler-Maclaurin formula."""
    first = min(d, _SUMMED)
    total = float(np.sum(np.arange(1, first + 1, dtype=np.float64) ** -s))
    if d == first:
        return total
    grown = math.log(d / first)
    integral = first ** (1 - s) * (grown if s == 1 else math.expm1((1 - s) * grown) / (1 - s))
    return total + float(integral) + (math.pow(d, -s) - math.pow(first, -s)) / 2
