"""Progress and cooperative cancellation of long computations, which call `pause` in their loops.

A caller sets with `on_pause` what is done at these points: it lets other threads run, or raises to
end the computation.  Loops that take more than some hundredths of a second without a pause call it.
What takes longer than a second reports the share done to a `Progress`.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")

Progress = Callable[[float], object]
"""Function that is called with the share done, from 0 to 1; it may raise, which ends the work."""

STEP = 20_000
"""Values between two reports or pauses: some hundredths of a second where each takes little."""

_CALLED: ContextVar[Callable[[], object] | None] = ContextVar("pauses", default=None)


@contextlib.contextmanager
def on_pause(function: Callable[[], object], seconds: float = 0.0) -> Iterator[None]:
    """Call a function at the pauses within this context, in this thread; what it raises propagates.

    Loops may pause many times in a millisecond: between two calls there are so many ``seconds``.
    """
    last = time.monotonic()

    def at_times() -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            function()
            last = time.monotonic()

    token = _CALLED.set(at_times)
    try:
        yield
    finally:
        _CALLED.reset(token)


def pause() -> None:
    """Allow the calling thread to be interrupted at this point."""
    function = _CALLED.get()
    if function is not None:
        function()


def no_progress(share: float) -> None:
    """Ignore the share done."""


def part_of(progress: Progress | None, begin: float, end: float) -> Progress:
    """Return a function that reports the progress of a part of the work."""
    if progress is None:
        return no_progress
    return lambda share: progress(begin + share * (end - begin))


def with_progress(values: Sequence[T], progress: Progress) -> Iterator[T]:
    """Iterate over values, reporting progress on the way."""
    for start in range(0, len(values), STEP):
        progress(start / len(values))
        yield from values[start : start + STEP]
