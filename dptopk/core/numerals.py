"""Format numbers and their units as text, for the app, the command line and files."""

import decimal
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np

COUNT_UNIT = "users"
"""Unit of counts, in the plural, unless the data name another."""

SMALLEST_PERCENTAGE = 0.001
"""Below this, and as near to 1, a percentage of one decimal would tell nothing."""

NEARLY_CERTAIN = "> 99.9999%"
"""Text for a probability within a millionth of 1, beside which the difference from 1 is given."""

_LOG_SMALLEST = math.log(sys.float_info.min)  # of a float with all its digits
_LOG_LARGEST = math.log(sys.float_info.max)


def compact(value: float) -> str:
    """Format a setting such as ε or δ with at most six digits: 1e-6."""
    return re.sub(r"e([+-])0", r"e\1", f"{value:g}").replace("e+", "e")


def rounded(value: float, digits: int) -> str:
    """Format a result with at most ``digits`` significant digits."""
    return compact(float(f"{value:.{digits}g}"))


def as_typed(value: float) -> Fraction:
    """Return the shortest decimal fraction that rounds to a float: 0.1 gives 1/10."""
    return Fraction(repr(float(value)))


def float_at_most(value: Fraction) -> float:
    """Return the largest float that is at most a fraction `as_typed`."""
    number = float(value)
    return number if as_typed(number) <= value else math.nextafter(number, 0.0)


def decimal_at_least(value: Fraction, n_digits: int) -> float:
    """Return the least number of so many digits, 15 or fewer, that is at least a fraction."""
    with decimal.localcontext(prec=n_digits, rounding=decimal.ROUND_CEILING):
        return float(Decimal(value.numerator) / Decimal(value.denominator))


def fraction_at_most(value: float) -> Fraction:
    """Return the smaller of a float's exact value and that of its shortest decimal text.

    A float and what people read of it, such as 0.1, are two numbers; what is promised of this one
    holds for both.
    """
    return min(Fraction(value), as_typed(value))


def rounded_up(value: float, n_digits: int = 3) -> float:
    """Round a value from 0 on up to ``n_digits`` significant digits."""
    if value == 0:
        return 0.0
    power = math.floor(math.log10(value)) - n_digits + 1
    digits = math.ceil(value / 10.0**power - 1e-9)
    return float(f"{digits}e{power}")


def rounded_down(value: float, n_digits: int = 3) -> float:
    """Round a value, as its shortest decimal text, down to ``n_digits`` significant digits."""
    context = decimal.Context(n_digits, decimal.ROUND_FLOOR)
    return float(context.create_decimal(repr(float(value))))


def needed(epsilon: float, n_digits: int = 3) -> str:
    """Format the smallest sufficient ε, rounded up so that it still suffices."""
    if epsilon == 0:
        return "any ε"
    return compact(rounded_up(epsilon, n_digits)) if math.isfinite(epsilon) else "no ε"


def stated(value: float) -> str:
    """Format the ε or δ of a guarantee, rounded up at six digits, so that it holds as stated."""
    return compact(rounded_up(value, 6))


def without_noise(value: float) -> float:
    """Round a float to 12 digits, without its rounding error: 2e-05, not 1.99...98e-05."""
    return float(f"{value:.12g}")


def score(value: float) -> str:
    """Format a real number with four digits, or more where four would make it a whole one."""
    for n_digits in (4, 6, 9, 12):
        text = f"{value:,.{n_digits}g}"
        if float(value).is_integer() or not float(text.replace(",", "")).is_integer():
            return text
    return repr(value)


def number(value: float) -> str:
    """Format a count, or a mean of counts."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def singular(unit: str) -> str:
    """Return the singular of a unit that is given in the plural."""
    head, of, what = unit.partition(" of ")
    single = f"{head[:-3]}y" if head.endswith("ies") else head.removesuffix("s")
    return f"{single}{of}{what}"


def counted(value: float, unit: str) -> str:
    """Format an amount with the unit of the counts, with two digits below 10."""
    text = f"{value:,.0f}" if value >= 10 else f"{value:.2g}"
    return f"{text} {singular(unit)}" if text == "1" else f"{text} {unit}"


def plural(n: int, noun: str, nouns: str = "") -> str:
    """Format a number of things: "2,000 rows"; ``nouns`` is their plural if it takes no s."""
    return f"{n:,} {noun if n == 1 else nouns or f'{noun}s'}"


def probability(log_p: float, log_complement: float = math.nan) -> str:
    """Format a probability from its logarithm and its complement's, never as a false 0 or 1.

    It is a percentage from 0.1% on, and `scientific` below: of numbers beside each other no
    small one is a percentage, and another a power of ten.  The complement may be unknown (not a
    number).  How tiny it is where the probability is nearly 1 is said beside it, where it matters.
    """
    p = math.exp(min(log_p, 0.0))
    if log_p == -math.inf or log_complement == -math.inf:
        return "0%" if log_p == -math.inf else "100%"
    if p < SMALLEST_PERCENTAGE:
        return scientific(log_p)
    if p <= 1 - SMALLEST_PERCENTAGE:
        return f"{p:.1%}"
    return f"{p:.4%}" if 1 - p > 1e-6 else NEARLY_CERTAIN


def distance_from_1(log_p: float, log_complement: float) -> str:
    """Format the distance from 1 of a probability that is nearly 1; empty for any other."""
    if probability(log_p, log_complement) != NEARLY_CERTAIN or math.isnan(log_complement):
        return ""
    return f"{scientific(log_complement)} below 1"


def in_full(log_p: float, log_complement: float = math.nan) -> str:
    """Format an exact probability, with its distance from 1 if that is small and known."""
    short = distance_from_1(log_p, log_complement)
    return probability(log_p, log_complement) + (f" ({short})" if short else "")


def at_most(log_p: float, log_complement: float) -> str:
    """Format a bound on a probability, rounded up, from its logarithm and its complement's."""
    p, decimals = math.exp(log_p), 2
    if p > 0.999 and math.exp(log_complement) < 1e-6:
        return f"1 − {scientific(log_complement)}"
    if p > 0.999:
        decimals = 4
    scale = 10.0 ** (decimals + 2)
    return f"{math.ceil(p * scale - 1e-9) / scale:.{decimals}%}"


def share(value: float) -> str:
    """Format a share known as a float, never as a false 0 or 1."""
    with np.errstate(divide="ignore"):  # log 0 = -inf: none, or all
        return probability(float(np.log(value)), float(np.log1p(-value)))


def share_below_1(value: float) -> str:
    """Format a share that noise keeps from 1, even where it is 1 as a float."""
    return share(min(value, math.nextafter(1.0, 0.0)))


def mean_of(mean: float, k: int) -> str:
    """Format a mean of k items, never rounded up to k itself, nor down to 0."""
    if 0 < mean < 0.0005:
        return "< 0.001"
    if mean == k or float(f"{mean:.4g}") < k:
        return f"{mean:.4g}"
    decimals = max(0, 4 - len(str(k - 1)))
    return f"> {k - 10.0**-decimals:.{decimals}f}"


def scientific(log_value: float) -> str:
    """Format a positive number, given by its natural logarithm, with two digits.

    What no float holds is written as a power of e: e^-29,501.
    """
    if not _LOG_SMALLEST <= log_value <= _LOG_LARGEST:
        return f"e^{log_value:,.0f}"
    exponent = math.floor(log_value / math.log(10))
    digits = f"{math.exp(log_value - exponent * math.log(10)):.1f}"
    if digits == "10.0":
        digits, exponent = "1.0", exponent + 1
    return f"{digits}e{exponent}"


def ratio(loss: float) -> str:
    """Format the ratio of two probabilities from its logarithm."""
    if math.isinf(loss):
        return "∞" if loss > 0 else "0"
    return f"{math.exp(loss):,.4f}" if abs(loss) < math.log(1_000) else scientific(loss)
