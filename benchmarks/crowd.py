"""A class that comes at once: how long people wait for their first page, and for each move.

    python benchmarks/crowd.py [--people 60] [--within 10] [--seconds 60]

Starts the server itself.  So many sessions open the app's first page within the seconds given, as
a class does that was just shown the address; each then moves k every two to six seconds.  One more,
the idle user, was there before and moves k every five seconds or so.  Sessions speak the browser's
protocol over its websocket, without a browser (see load.py): times are those of the server, until
a run is whole.  Clients and server share the machine's processors.

*Alone* is the server's processor time, and the time on the clock, of one opening and of one move
where nobody else is there: what a crowd waits for is how often that fits into a second.

Nothing is asserted: "OVER" is a word to look for.  The aims are for two cores without other work:
all of 60 openings within 10 s and of 120 within 20, p95 of a move under 2 s and 5 s.
"""

import argparse
import asyncio
import contextlib
import os
import platform
import random
import statistics
import time

from load import quantile
from tabs import Server, Session

FIRST, MOVED = "", "release"  # the page that opens, and its own address
MOST_K = 50
PAUSE = (2.0, 6.0)  # seconds between two moves of one person
N_ALONE = 20
AIMS = {60: (10.0, 2.0), 120: (20.0, 5.0)}  # seconds: of all openings, of p95 of a move


async def moved(session: Session) -> float:
    return await session.visit(MOVED, f"k={random.randint(5, MOST_K)}")


async def person(
    port: int, comes: float, ends: float, opened: list[float], moves: list[float]
) -> None:
    """Come, open the page, and move k until the end."""
    await asyncio.sleep(comes)
    began = time.perf_counter()
    async with Session(port) as session:
        await session.visit(FIRST, "")
        opened.append(time.perf_counter() - began)
        while time.perf_counter() < ends:
            await asyncio.sleep(random.uniform(*PAUSE))
            moves.append(await moved(session))


async def idle(session: Session, ends: float, moves: list[float]) -> None:
    while time.perf_counter() < ends:
        await asyncio.sleep(random.uniform(4, 6))
        moves.append(await moved(session))


async def alone(server: Server) -> dict[str, tuple[float, float]]:
    """Processor and clock seconds of an opening and of a move."""
    found = {}
    async with Session(server.port) as first:  # what is imported and read once
        await first.visit(FIRST, "")
    spent, began = server.processor(), time.perf_counter()
    for _ in range(N_ALONE):
        async with Session(server.port) as session:
            await session.visit(FIRST, "")
    found["opening"] = server.processor() - spent, time.perf_counter() - began
    async with Session(server.port) as session:
        await session.visit(FIRST, "")
        spent, began = server.processor(), time.perf_counter()
        for _ in range(N_ALONE):
            await moved(session)
        found["move"] = server.processor() - spent, time.perf_counter() - began
    return {what: (cpu / N_ALONE, wall / N_ALONE) for what, (cpu, wall) in found.items()}


async def measured(people: int, within: float, seconds: float) -> None:
    server = Server(scheduler=True)
    try:
        for what, (cpu, wall) in (await alone(server)).items():
            print(f"  {what} alone: {cpu:.3f} s of processor, {wall:.3f} s", flush=True)
        opened: list[float] = []
        moves: list[float] = []
        beside: list[float] = []
        async with contextlib.AsyncExitStack() as tabs:
            quiet = await tabs.enter_async_context(Session(server.port))
            await quiet.visit(FIRST, "")
            spent, began = server.processor(), time.perf_counter()
            ends = began + seconds
            async with asyncio.TaskGroup() as group:
                group.create_task(idle(quiet, ends, beside))
                for _ in range(people):
                    comes = random.uniform(0, within)
                    group.create_task(person(server.port, comes, ends, opened, moves))
            busy = (server.processor() - spent) / (time.perf_counter() - began)
        most, most_of_a_move = AIMS.get(people, (float("inf"), float("inf")))
        print(
            f"  openings {len(opened):5d}: {told(opened)} {judged(max(opened), most)}\n"
            f"  moves    {len(moves):5d}: {told(moves)} {judged(quantile(moves), most_of_a_move)}\n"
            f"  idle user{len(beside):5d}: {told(beside)}\n"
            f"  server: {busy:.0%} of a core, {server.memory():.0f} MB",
            flush=True,
        )
    finally:
        server.stop()


def told(times: list[float]) -> str:
    return (
        f"median {statistics.median(times):6.2f} s   p95 {quantile(times):6.2f} s   "
        f"most {max(times):6.2f} s"
    )


def judged(found: float, most: float) -> str:
    return "" if most == float("inf") else f"(aim {most:g} s: {'OVER' if found > most else 'kept'})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, nargs="+", default=[60, 120])
    parser.add_argument("--within", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load:.1f}")
    random.seed(0)
    for people in given.people:
        print(f"{people} people within {given.within:g} s, for {given.seconds:g} s")
        asyncio.run(measured(people, given.within, given.seconds))


if __name__ == "__main__":
    main()
