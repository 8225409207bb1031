"""Format numbers, amounts and untrusted text for display."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dptopk.core.errors import Metric
from dptopk.core.numerals import (
    SMALLEST_PERCENTAGE,
    at_most as at_most,
    compact as compact,
    counted as counted,
    in_full as in_full,
    needed as needed,
    number as number,
    plural as plural,
    probability as probability,
    ratio as ratio,
    rounded as rounded,
    rounded_down as rounded_down,
    rounded_up as rounded_up,
    score as score,
    share as share,
    singular as singular,
    stated as stated,
)
from dptopk.core.text_direction import kept_in_order

# letters, digits, spaces and marks that markdown leaves alone, some only inside a word
_HARMLESS = re.compile(
    r"(?:[^\W_]|[ ,’…\u200e]|(?<=[^\W_])[-'./](?=[^\W_])|(?<= )\((?=[^\W_])|(?<=[^\W_])\))*"
)

_UNSEEN = re.compile("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")  # some reorder what follows

# what could begin markup in the middle of a line; a colon before a space begins none
_MARKUP = re.compile(r"[][<>$*_`~|\\@#&^{}/!]|:(?! |$)|www\.|--|->|[^\S ]", re.IGNORECASE)
_POWER = re.compile(r"(?<=\de)-(?=\d)")  # a browser breaks 1e-6 behind its hyphen
_FORMULA = re.compile(
    r"e\^\([^()]*\)(?: = e\^\S+)?"  # and what it equals
    r"|(?:\d )?ln\(1 ?/ ?\(?[^()\s]+\)*(?: / ε)?"
    r"|\b\d ?/ ?ε"
)
_TYPED = re.compile(
    r"e\^(?:\((?P<power>[^()]+)\)|ε|(?P<number>\d+(?:\.\d+)?))|√\((?P<root>(?:[^()]|\([^()]*\))+)\)"
)
_WORD = re.compile(r"[a-z]{2,}")
_FUNCTIONS = ("ln",)
_COMMANDS = {
    "−": "-",
    "·": r"\cdot",
    "ε₀": r"\varepsilon_0",
    "ε": r"\varepsilon ",
    "δ": r"\delta ",
    "ρ": r"\rho ",
}
_NEVER = math.log(1e-12)  # nobody draws often enough to see less
_LARGE = ((1e9, " billion"), (1e6, " million"), (1.0, ""))
_MOST_NAMED = 5
_QUOTED = 300  # characters of words that quote strangers


def plain(text: object, length: int = 60) -> str:
    """Escape untrusted text for markdown: one line, shortened, as code where necessary.

    Inside a code span markdown interprets nothing: no link, image, LaTeX or directive.
    """
    line = _UNSEEN.sub("\ufffd", " ".join(str(text).split()))
    line = line if len(line) <= length else line[: length - 1] + "…"
    if _HARMLESS.fullmatch(line) and "www." not in line.lower():
        return kept_in_order(line)
    return "`" + kept_in_order(line.replace("`", "ˋ")) + "`"


def shortened(text: str, length: int) -> str:
    """Shorten a text by an ellipsis in the middle, as file names differ at both ends."""
    tail = length // 2
    return text if len(text) <= length else f"{text[: length - 1 - tail]}…{text[-tail:]}"


def quoting(text: str) -> str:
    """Escape a sentence of the app that may quote untrusted text, only where necessary."""
    return plain(text, _QUOTED) if _MARKUP.search(text) else kept_in_order(text)


def unbroken(text: str) -> str:
    """Insert non-breaking characters into the formulas and powers of ten of a sentence."""
    whole = _FORMULA.sub(lambda m: m[0].replace(" ", "\u00a0").replace("/", "/\u2060"), text)
    return _POWER.sub("-\u2060", whole)


def typeset(text: str) -> str:
    """Write powers of e and roots of a sentence in LaTeX, and keep other formulas unbroken."""
    return unbroken(_TYPED.sub(_in_latex, text))


def _in_latex(formula: re.Match[str]) -> str:
    inside = formula["power"] or formula["number"] or formula["root"] or "ε"
    words = _WORD.sub(
        lambda word: rf"\{word[0]} " if word[0] in _FUNCTIONS else rf"\mathrm{{{word[0]}}}", inside
    )
    for letter, command in _COMMANDS.items():
        words = words.replace(letter, command)
    return rf"$\sqrt{{{words}}}$" if formula["root"] else f"$e^{{{words}}}$"


def unmarked(text: str) -> str:
    """Remove the markdown of bold type and code from a sentence."""
    return text.replace("**", "").replace("`", "")


def measured(value: float, metric: Metric) -> str:
    """Render a value of a metric, or a mean of values, without its unit."""
    return score(value) if metric.is_score else number(value)


def amount(value: float, metric: Metric) -> str:
    """Render a value of a metric with its unit; a score and a place, from 1, have none."""
    if metric.is_score:
        return score(value)
    if metric.is_place:
        return number(value) if value else "0 (no error)"
    return f"{number(value)} {singular(metric.unit) if value == 1 else metric.unit}"


def small(value: float) -> str:
    """Render a small number to be compared with δ in two digits; 0 only if it is 0."""
    return rounded(value, 2)


def frequency(log_p: float, log_complement: float = math.nan) -> str:
    """Render a probability for a sentence: 33.2%, 1 in 19,000, or never in practice.

    Takes the logarithms of the probability and of its complement; see `probability`.
    """
    if log_p == -math.inf or math.exp(log_p) >= SMALLEST_PERCENTAGE:
        return probability(log_p, log_complement)
    if log_p < _NEVER:
        return "never in practice"
    n = float(f"{math.exp(-log_p):.2g}")
    size, word = next((size, word) for size, word in _LARGE if n >= size)
    return f"1 in {n / size:,.{int(bool(word) and n / size < 10)}f}{word}"


def loss(value: float) -> str:
    """Render a privacy loss, in natural logarithms."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:,.3f}".replace("-0.000", "0.000")


def joined(names: list[str]) -> str:
    """Render names as a list in English."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def joined_of(names: list[str], everybody: list[str]) -> str:
    """Render names of some of all: all but a few where that is shorter, else counted if many."""
    missing = [name for name in everybody if name not in names]
    if len(names) > 3 and len(missing) <= 2:
        return f"all but {joined(missing)}" if missing else f"all {len(names)}"
    return joined(names) if len(names) <= _MOST_NAMED else f"{len(names)} of {len(everybody)}"


def cost(error: int) -> str:
    """Render the count error of a place with its sign; empty if there is none."""
    return f"({error:+,}) ".replace("-", "−") if error else ""


def written(frame: pd.DataFrame, words: Mapping[str, Sequence[str]]) -> Any:
    """Return a Styler whose columns show texts and sort by the numbers behind them.

    NaN is shown as a dash.
    """
    styler = frame.style
    for column, texts in words.items():
        pairs = list(zip(frame[column], texts, strict=True))
        known = dict(pairs)
        styler = styler.format(known.__getitem__, subset=[column], na_rep="–")
        for row, (value, text) in enumerate(pairs):
            if text != known.get(value, text):  # probabilities so small that floats are equal
                one = pd.IndexSlice[[frame.index[row]], [column]]
                styler = styler.format(text.replace("{", "{{").replace("}", "}}"), subset=one)
    return styler


_MOST_STYLED = 20_000


def grouped(frame: Any) -> Any:
    """Return a table with thousands separators in its large integers.

    A Styler stays as it is, and so does a table of more than `_MOST_STYLED` cells, as pandas writes
    each of them by itself.
    """
    if not isinstance(frame, pd.DataFrame) or frame.size > _MOST_STYLED:
        return frame
    whole = [
        column
        for column, kind in frame.dtypes.items()
        if pd.api.types.is_integer_dtype(kind) and (frame[column].abs() >= 1_000).any()
    ]
    return frame.style.format("{:,}", subset=whole) if whole else frame
