"""Measure one light session beside many heavy ones.

    python benchmarks/load.py [--heavy 20] [--seconds 60]

Starts the server itself.  Sessions speak the browser's protocol over its websocket, without a
browser: times are those of the server, from a moved control to the end of the run with all its
messages received; what a browser needs to draw them is not in them, nor does it take the server's
processor.

A heavy session draws the paper's sweep anew, again and again, each time with a fresh seed.  The
light one moves k on the page Release, at rest in between.  A control is moved as the browser's
Back does it: by another address.  *Stops* is how long a heavy session takes that leaves its page
in the middle of a run.  Memory is what the server holds (Linux only).

*Beside processes* is the light session while other processes draw without end and no session does:
the best that worker processes could give, before anything is sent to them or back.

Nothing is asserted: "OVER BUDGET" is a word to look for.  Other work on the machine hurts; its
load is printed.
"""

import argparse
import asyncio
import contextlib
import itertools
import multiprocessing
import os
import platform
import random
import statistics
import time

from tabs import AFTER, Server, Session

from dptopk import MECHANISMS, load_dataset, run_trials

LIGHT, HEAVY, ELSEWHERE = "release", "sweep", "data"
DRAWN = ("Joint", "PNFJoint", "PNF-Peel")  # by the processes
N_MOVES = 60  # of the light session, alone and beside
REST = 0.5  # seconds on average between them
MOST_TIMES, MOST_P95 = 2.0, 0.3  # the budget: of the median alone, and in seconds


def heavy(seed: int) -> str:
    return f"against=paper&seed={seed}"


async def moves(session: Session) -> list[float]:
    """Move the slider, with rests; seconds of each move."""
    await session.visit(LIGHT, "k=10")
    times = []
    for move in range(N_MOVES):
        await asyncio.sleep(random.uniform(0, 2 * REST))
        times.append(await session.visit(LIGHT, f"k={5 + move % 20}"))
    return times


async def draws(session: Session, first: int, finished: list[float]):
    """Sweep again and again."""
    seed = first
    while True:
        seed += 1
        await session.visit(HEAVY, heavy(seed))
        finished.append(time.perf_counter())


async def stops(session: Session) -> list[float]:
    """Leave the page in the middle of a run, some times; seconds until the other is whole."""
    times = []
    for seed in range(5):
        await session.ask(HEAVY, heavy(10**6 + seed))
        await asyncio.sleep(2)
        times.append(await session.visit(ELSEWHERE, ""))
    return times


async def measured(n_heavy: int, seconds: float) -> dict[str, float]:
    """All figures of one server."""
    server = Server()
    try:
        async with contextlib.AsyncExitStack() as tabs:
            light = await tabs.enter_async_context(Session(server.port))
            await moves(light)  # what is imported and read once
            alone = await moves(light)
            async with Session(server.port) as one:
                run_alone = min([await one.visit(HEAVY, heavy(seed)) for seed in range(3)])
            before = server.memory()
            others = [await tabs.enter_async_context(Session(server.port)) for _ in range(n_heavy)]
            finished: list[float] = []
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(draws(session, 1_000 * number, finished))
                    for number, session in enumerate(others, 1)
                ]
                while len(finished) < n_heavy:  # the first ones end together, after a long time
                    await asyncio.sleep(1)
                began, beside = time.perf_counter(), []
                while not beside or time.perf_counter() - began < seconds:
                    beside += await moves(light)
                minutes = (time.perf_counter() - began) / 60
                n_finished = sum(when > began for when in finished)
                leaver = await tabs.enter_async_context(Session(server.port))
                left = await stops(leaver)
                held = server.memory()
                for task in tasks:
                    task.cancel()
        await asyncio.sleep(AFTER)
        return {
            "alone": statistics.median(alone),
            "alone p95": quantile(alone),
            "beside": statistics.median(beside),
            "beside p95": quantile(beside),
            "beside most": max(beside),
            "run alone": run_alone,
            "runs a minute": n_finished / minutes,
            "stops": statistics.median(left),
            "stops most": max(left),
            "before": before,
            "a session": (held - before) / n_heavy,
            "after": server.memory(),
        }
    finally:
        server.stop()


def draw_without_end():
    """What a worker process would do."""
    counts = load_dataset("games")
    mechanisms = [MECHANISMS[name](k=10, epsilon=1.0) for name in DRAWN]
    for seed in itertools.count():
        run_trials(counts, mechanisms, n=200, seed=seed)


async def beside_processes(n_processes: int) -> tuple[list[float], list[float]]:
    """Moves of the light session alone, and beside so many processes that compute."""
    server = Server()
    workers = [
        multiprocessing.get_context("spawn").Process(target=draw_without_end, daemon=True)
        for _ in range(n_processes)
    ]
    try:
        async with Session(server.port) as light:
            await moves(light)
            alone = await moves(light)
            for worker in workers:
                worker.start()
            await asyncio.sleep(5)
            return alone, await moves(light)
    finally:
        for worker in workers:
            if worker.pid:
                worker.kill()
        server.stop()


def quantile(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def show(found: dict[str, float], n_heavy: int):
    ratio = found["beside"] / found["alone"]
    kept = ratio <= MOST_TIMES and found["beside p95"] <= MOST_P95
    print(
        f"  light session alone        median {found['alone']:6.3f} s   p95 "
        f"{found['alone p95']:6.3f} s\n"
        f"  beside {n_heavy} heavy ones     median {found['beside']:6.3f} s   p95 "
        f"{found['beside p95']:6.3f} s   most {found['beside most']:.3f} s   "
        f"{ratio:.1f} times alone  (budget {MOST_TIMES:g} times, p95 {MOST_P95:g} s: "
        f"{'kept' if kept else 'OVER BUDGET'})\n"
        f"  heavy runs finished        {found['runs a minute']:.1f} a minute; one alone takes "
        f"{found['run alone']:.1f} s\n"
        f"  leaving a heavy page       median {found['stops']:.2f} s   most "
        f"{found['stops most']:.2f} s\n"
        f"  memory                     {found['before']:.0f} MB before, and "
        f"{found['a session']:.1f} MB a heavy session; {found['after']:.0f} MB {AFTER} s after all "
        f"tabs were closed",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heavy", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load:.1f}")
    show(asyncio.run(measured(given.heavy, given.seconds)), given.heavy)
    for n in range(1, (os.cpu_count() or 1) + 1):
        alone, beside = asyncio.run(beside_processes(n))
        print(
            f"Beside {n} processes          median {statistics.median(beside):6.3f} s   p95 "
            f"{quantile(beside):6.3f} s   "
            f"{statistics.median(beside) / statistics.median(alone):.1f} times alone",
            flush=True,
        )


if __name__ == "__main__":
    main()
