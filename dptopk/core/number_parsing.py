"""Parse numbers typed by users, such as 0.7, 0,7, ln 3, 1/2, 1e-7 or 2^-20.

A grammar of its own reads them; nothing that is typed is ever run:

    sum     = product (("+" | "-") product)*
    product = factor (("*" | "/") factor)*
    factor  = "-" factor | power
    power   = atom [("^" | "**") factor]
    atom    = number | "e" | "(" sum ")" | function power
"""

import math
import re
from collections.abc import Callable

_LONGEST = 60  # characters; brackets nest no deeper
_TOKEN = re.compile(r"\s*([\d.,]+(?:e[+-]?\d+)?|log(?:2|10)(?!\d)|[a-z]+|\*\*|\S)", re.ASCII)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(,\d{3})+")
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "ln": math.log,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "sqrt": math.sqrt,
}
_ALIKE = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "\N{DIVISION SLASH}": "/"})


def parse_number(text: str) -> float:
    """Read a finite number or a short calculation; log is the natural logarithm.

    A ValueError says why it cannot be read, to be read after the text.
    """
    stripped = text.strip()
    if len(stripped) > _LONGEST:
        raise ValueError(f"has more than {_LONGEST} characters")
    tokens = _TOKEN.findall(stripped.translate(_ALIKE).lower())
    for token in tokens:
        if _THOUSANDS.fullmatch(token):
            whole = token.replace(",", "")
            raise ValueError(f"can be read in two ways: type {whole}, or a point for the comma")
    try:
        reader = _Reader(tokens)
        number = reader.sum()
        reader.expect("")
    except ArithmeticError:
        number = math.inf
    except ValueError:
        raise ValueError(
            "is not a number: type one such as 0.7, ln 3, 1/2, 1e-7 or 2^-20"
        ) from None
    if not math.isfinite(number):
        raise ValueError("is not a finite number")
    return number


class _Reader:
    """Tokens of an expression, read from left to right; an empty one marks the end."""

    def __init__(self, tokens: list[str]):
        self._tokens = [*tokens, ""]
        self._place = 0

    def expect(self, token: str) -> None:
        """Read one given token; raise for any other."""
        if self._take() != token:
            raise ValueError(token)

    def sum(self) -> float:
        """Read a sum of products."""
        number = self._product()
        while sign := self._any("+", "-"):
            other = self._product()
            number += other if sign == "+" else -other
        return number

    def _product(self) -> float:
        number = self._factor()
        while sign := self._any("*", "/"):
            other = self._factor()
            number = number * other if sign == "*" else number / other
        return number

    def _factor(self) -> float:
        return -self._factor() if self._any("-") else self._power()

    def _power(self) -> float:
        number = self._atom()
        return math.pow(number, self._factor()) if self._any("^", "**") else number

    def _atom(self) -> float:
        token = self._take()
        if token == "(":
            number = self.sum()
            self.expect(")")
            return number
        if token in _FUNCTIONS:
            return _FUNCTIONS[token](self._power())
        if token == "e":
            return math.e
        if not re.match(r"[0-9.,]", token):
            raise ValueError(token)
        return float(token.replace(",", "."))

    def _any(self, *tokens: str) -> str:
        return self._take() if self._tokens[self._place] in tokens else ""

    def _take(self) -> str:
        token = self._tokens[self._place]
        self._place = min(self._place + 1, len(self._tokens) - 1)
        return token
