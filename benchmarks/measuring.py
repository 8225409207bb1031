"""Measure time and memory of calls beside a yardstick."""

import time
import tracemalloc


def seconds(function, *, repeats: int = 7, fresh=None) -> float:
    """Least processor time of a call; ``fresh()`` makes its untimed argument."""
    once = timed(function, fresh)
    return min(once() for _ in range(repeats + 1))


def seconds_of_both(ours, yardstick, *, repeats: int, fresh=None) -> tuple[float, float]:
    """Least processor times of two calls taken in turn, so that both see the same machine."""
    both = timed(ours, fresh), timed(yardstick, fresh)
    times = [[once() for once in both] for _ in range(repeats + 1)]
    return tuple(map(min, zip(*times, strict=True)))


def timed(function, fresh):
    """Make a call that returns its seconds of processor."""

    def once() -> float:
        argument = () if fresh is None else (fresh(),)
        start = time.process_time()
        function(*argument)
        return time.process_time() - start

    return once


def peak_bytes(function) -> int:
    """Most bytes allocated at once while the function runs, beyond what was there."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    function()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


def show(what: str, ours: str, yardstick: str, ratio: str, budget: str, kept: bool | None):
    verdict = {True: "within budget", False: "OVER BUDGET", None: "no budget set"}[kept]
    print(f"{what:<58} {ours:>10}  {yardstick:<52} {ratio:<22} {budget:<14} {verdict}", flush=True)


def milliseconds(value: float) -> str:
    return f"{1e3 * value:,.2f} ms" if value < 1 else f"{value:,.2f} s"


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.1f} MB"
