"""Every string of bits up to a length, fed to what draws from a source of bits."""

from collections import Counter
from fractions import Fraction


class EndOfTape(Exception):
    pass


class Tape:
    """The bits of one string, and an end."""

    def __init__(self, value: int, length: int):
        self._value, self._left = value, length

    def __call__(self, n: int) -> int:
        if n > self._left:
            raise EndOfTape
        self._left -= n
        return self._value >> self._left & ((1 << n) - 1)


def walked(draw, length: int) -> tuple[Counter, list[Fraction]]:
    """Draw by every string of bits: the mass of each output, and what is left after so many."""
    finished: Counter = Counter()
    unfinished, live = [], [0]
    for n in range(length + 1):
        running = []
        for value in live:
            try:
                output = draw(Tape(value, n))
            except EndOfTape:
                running.append(value)
            else:
                finished[output] += Fraction(1, 2**n)
        unfinished.append(Fraction(len(running), 2**n))
        live = [2 * value + bit for value in running for bit in (0, 1)]
    return finished, unfinished
