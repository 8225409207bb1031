"""Moments at which a long computation may be interrupted.

The package computes without knowing for whom.  Whoever computes for somebody who waits, and may
leave, says with `called` what happens at these moments: let others have a turn, or raise.  Kernels
say `pause` in loops that can take long.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_CALLED: ContextVar[Callable[[], object] | None] = ContextVar("pauses", default=None)


@contextlib.contextmanager
def called(function: Callable[[], object]) -> Iterator[None]:
    """Call a function at every pause within, in this thread only; what it raises ends the work."""
    token = _CALLED.set(function)
    try:
        yield
    finally:
        _CALLED.reset(token)


def pause() -> None:
    """A moment at which nothing is half done."""
    function = _CALLED.get()
    if function is not None:
        function()
