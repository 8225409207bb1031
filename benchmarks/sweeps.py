"""Measure large sweeps in many sessions at once, beside one that only moves a slider.

    python benchmarks/sweeps.py [--heavy 8] [--seconds 60]

All mechanisms, k = 5, 15, ..., 195, 1,000 runs at each point, 166,000 items: minutes of work in
each heavy session, and none is waited for.  What is measured, in one run and from the server's side
as in `load.py`: what a move of the slider takes alone and beside the sweeps; how long a sweep takes
to end when its page is left, or its tab is closed; how often it shows what is done so far; and what
the server holds.

Nothing is asserted: "OVER BUDGET" is a word to look for.
"""

import argparse
import asyncio
import contextlib
import os
import platform
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from a clone, not installed

from load import ELSEWHERE, moves, quantile
from tabs import Server, Session

from dptopk import MECHANISMS

ALL = ",".join(mechanism.card.key for mechanism in MECHANISMS.values())
SWEEP = "data=synthetic-zipf&d=166000&against=paper&runs_a_point=1000&runs=1000&k=50"
MOST_P95, MOST_STOP = 0.5, 1.0  # the budget, in seconds


class Watched(Session):
    """A tab in which a sweep goes on."""

    def __init__(self, port: int):
        super().__init__(port)
        self.sketches = 0
        self.said = ""

    async def sweep(self, seed: int):
        """Begin a sweep, and receive what it shows for as long as it goes on."""
        await self.ask("sweep", f"{SWEEP}&mechanisms={ALL}&seed={seed}")
        async for message in self._messages():
            element = message.delta.new_element if message.HasField("delta") else None
            if element is None:
                continue
            self.sketches += element.HasField("plotly_chart")
            if element.HasField("progress"):
                self.said = element.progress.text


def processor_seconds(pid: int) -> float:
    """What a process has used of the processors so far (Linux only)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def idle_after(pid: int) -> float:
    """Seconds until the server rests for a whole second."""
    began = time.perf_counter()
    while time.perf_counter() - began < 60:
        before = processor_seconds(pid)
        await asyncio.sleep(1)
        if processor_seconds(pid) - before < 0.1:
            return time.perf_counter() - began - 1
    return float("inf")


async def left(port: int, n: int) -> list[float]:
    """Begin a sweep and leave its page, some times; seconds until the other page is whole."""
    times = []
    for seed in range(n):
        async with Watched(port) as session:
            sweeping = asyncio.create_task(session.sweep(10**6 + seed))
            await asyncio.sleep(4 + seed)  # in the middle of one mechanism or another
            sweeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await sweeping
            times.append(await session.visit(ELSEWHERE, ""))
    return times


async def measured(n_heavy: int, seconds: float):
    server = Server()
    try:
        async with Session(server.port) as light:
            await moves(light)  # what is imported and read once
            alone = await moves(light)
            stopped_alone = await left(server.port, 4)
            before = server.memory()
            async with contextlib.AsyncExitStack() as tabs:
                heavy = [
                    await tabs.enter_async_context(Watched(server.port)) for _ in range(n_heavy)
                ]
                tasks = [asyncio.create_task(tab.sweep(seed)) for seed, tab in enumerate(heavy)]
                await asyncio.sleep(10)
                began, beside = time.perf_counter(), []
                while not beside or time.perf_counter() - began < seconds:
                    beside += await moves(light)
                stopped = await left(server.port, 4)
                took = time.perf_counter() - began
                held, shown = server.memory(), [tab.sketches for tab in heavy]
                said = heavy[0].said
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            ended = await idle_after(server._process.pid)
    finally:
        server.stop()
    kept = quantile(beside) <= MOST_P95
    print(
        f"  slider alone          median {statistics.median(alone):6.3f} s   p95 "
        f"{quantile(alone):6.3f} s\n"
        f"  beside {n_heavy} sweeps       median {statistics.median(beside):6.3f} s   p95 "
        f"{quantile(beside):6.3f} s   most {max(beside):.3f} s   (budget: p95 {MOST_P95:g} s: "
        f"{'kept' if kept else 'OVER BUDGET'})\n"
        f"  leaving a sweep       most {max(stopped_alone):.2f} s alone, {max(stopped):.2f} s "
        f"beside {n_heavy} others   (budget: {MOST_STOP:g} s: "
        f"{'kept' if max(stopped_alone + stopped) <= MOST_STOP else 'OVER BUDGET'})\n"
        f"  figures so far        {min(shown)} to {max(shown)} in each sweep within {took:.0f} s; "
        f"last said: {said!r}\n"
        f"  after closing tabs    at rest in {ended:.1f} s\n"
        f"  memory                {before:.0f} MB before, {(held - before) / n_heavy:.1f} MB more "
        "a sweep",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heavy", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    load = os.getloadavg()[0]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load:.1f}")
    asyncio.run(measured(given.heavy, given.seconds))


if __name__ == "__main__":
    main()
