"""Draw exactly uniform integers and reals from a source of random bits.

A source is a function of n >= 0 that returns n independent fair bits as an integer in [0, 2^n).
"""

import secrets
from bisect import bisect_right
from collections.abc import Callable

Bits = Callable[[int], int]
"""Source of random bits."""

SYSTEM_BITS: Bits = secrets.randbits
"""The operating system's source, made for cryptography: it takes no seed."""


def below(n: int, bits: Bits) -> int:
    """Draw an integer uniform in [0, n), by rejection.

    What is left of a rejected range is used again (Lumbroso 2013, arXiv 1304.1916): at most
    log2(n) + 2 bits in expectation, and none for n = 1.
    """
    size, value = 1, 0  # value is uniform in [0, size)
    while True:
        length = ((n - 1) // size).bit_length()
        size, value = size << length, value << length | bits(length)
        if value < n:
            return value
        size, value = size - n, value - n


def distinct(stops: list[int], bits: Bits) -> list[int]:
    """Draw distinct integers, the r-th uniform in [0, stops[r]) without those before.

    A Fisher-Yates shuffle of 0, 1, 2, ... of which only touched cells are kept.  Needs
    non-decreasing stops with stops[r] > r.
    """
    moved: dict[int, int] = {}
    drawn = []
    for place, stop in enumerate(stops):
        cell = place + below(stop - place, bits)
        value = moved.pop(place, place)
        if cell == place:
            drawn.append(value)
        else:
            drawn.append(moved.get(cell, cell))
            moved[cell] = value
    return drawn


class UniformReal:
    """A uniform real in [0, 1) whose binary digits are drawn when they are needed.

    It lies in [value, value + 1) / 2^length, where ``length`` digits are drawn.
    """

    def __init__(self, bits: Bits):
        self._bits = bits
        self.length = self.value = 0

    def draw(self, length: int) -> None:
        """Draw digits until there are ``length``."""
        missing = length - self.length
        if missing > 0:
            self.length, self.value = length, self.value << missing | self._bits(missing)


def choose(cumulative: list[int], bits: Bits) -> int:
    """Draw an index i with probability (cumulative[i] - cumulative[i - 1]) / cumulative[-1].

    The digits of one uniform real are drawn until they decide: about two more than the
    entropy of the choice.
    """
    real, total = UniformReal(bits), cumulative[-1]
    while True:
        low = real.value * total
        index = bisect_right(cumulative, low >> real.length)
        if (real.value + 1) * total <= cumulative[index] << real.length:
            return index
        real.draw(real.length + 1)
