"""How numbers of any size, and what they are numbers of, are written: everywhere."""

import re

COUNT_UNIT = "users"
"""What counts are numbers of, in the plural, unless the data say that it is something else."""


def compact(value: float) -> str:
    """Render a setting that may be any number, such as ε or δ, in six digits at most: 1e-6."""
    return re.sub(r"e([+-])0", r"e\1", f"{value:g}").replace("e+", "e")


def rounded(value: float, digits: int) -> str:
    """Render a result in so many digits at most, written as a setting is."""
    return compact(float(f"{value:.{digits}g}"))


def one(unit: str) -> str:
    """A single one of what is counted, from its plural."""
    return f"{unit[:-3]}y" if unit.endswith("ies") else unit.removesuffix("s")


def counted(value: float, unit: str) -> str:
    """Render an amount with the unit of the counts, two digits below 10."""
    text = f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    return f"{text} {one(unit)}" if text == "1" else f"{text} {unit}"


def plural(n: int, noun: str) -> str:
    """Render a number of things."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"
