"""Measure how long a class that arrives at once waits for its first page and for each action.

    python benchmarks/crowd.py [--people 60] [--within 10] [--seconds 60]
    python benchmarks/crowd.py --class [--people 120] [--within 10] [--seconds 60]

Starts the server itself.  So many sessions open the app's first page within the seconds given, as
a class does that was just shown the address; each then moves k every two to six seconds.  One more,
the idle user, was there before and moves k every five seconds or so.  Sessions speak the browser's
protocol over its websocket, without a browser (see load.py): times are those of the server, until
a run is whole.  Clients and server share the machine's processors.

*Alone* is the server's processor time, and the time on the clock, of one opening and of one move
where nobody else is there: what a crowd waits for is how often that fits into a second.

With `--class` they are the students of one class: they join it within the seconds given, the
teacher asks once the first half is there, and all look for news every two seconds, as their pages
do; each predicts, then draws every two to six seconds, and the teacher's page is made anew every
second.
*Joining* is from the connection until the page is whole, *answers* are from a click to the end of
what came of it, *the reveal* is from the teacher's click until a student's page has the exact
number: up to two seconds of it are the rhythm of the looks.

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
TENTHS = [f"{low} to {low + 10}%" for low in range(10, 90, 10)]  # predictions of the class
LOOKS = 2.0  # seconds between two looks of a student's page
AIMS_OF_A_CLASS = {"joining": 10.0, "answers": 1.0, "the reveal": 3.0}  # seconds, of everybody
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
    server = Server()
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


async def look(session: Session, seconds: float) -> bool:
    """Wait, then make the live part of a page anew, as its timer does; False if there is none."""
    await asyncio.sleep(seconds)
    return await session.look()


async def student(
    port: int, code: str, comes: float, ends: float, found: dict[str, list[float]], shown: dict
) -> None:
    """Join, wait for the question, predict, draw until the end, and see the answer."""
    await asyncio.sleep(comes)
    began = time.perf_counter()
    async with Session(port) as session:
        await session.visit("join", f"code={code}")
        found["joining"].append(time.perf_counter() - began)
        while not session.has("Your prediction"):
            await look(session, LOOKS)
        found["answers"].append(await session.answer("Your prediction", random.choice(TENTHS)))
        while time.perf_counter() < ends and not session.said("(exact)"):
            draws = time.perf_counter() + random.uniform(*PAUSE)
            while time.perf_counter() < draws and not session.said("(exact)"):
                await asyncio.sleep(LOOKS)
                found["looks"].append(await timed(session.look()))
            if session.has("Draw 10") and not session.said("(exact)"):
                found["answers"].append(await session.press("Draw 10"))
        while not session.said("(exact)"):
            await look(session, LOOKS)
        found["the reveal"].append(time.perf_counter() - shown["at"])


async def timed(doing) -> float:
    began = time.perf_counter()
    await doing
    return time.perf_counter() - began


async def taught(people: int, within: float, seconds: float) -> None:
    """Run one class, from its opening to the reveal, and print how long everybody waited."""
    server = Server()
    found: dict[str, list[float]] = {
        name: [] for name in ("joining", "answers", "looks", "the board", "the reveal")
    }
    shown: dict[str, float] = {}
    try:
        async with Session(server.port) as teacher:
            await teacher.visit("classroom", "")
            await teacher.press("Open a class")
            code = teacher.code
            async with Session(server.port) as first:  # what is imported and read once
                await first.visit("join", f"code={code}")
            spent, began = server.processor(), time.perf_counter()
            ends = began + seconds
            async with asyncio.TaskGroup() as group:
                for _ in range(people):
                    comes = random.uniform(0, within)
                    group.create_task(student(server.port, code, comes, ends, found, shown))
                await asyncio.sleep(within / 2)
                await teacher.press("Ask it")
                while time.perf_counter() < ends:
                    found["the board"].append(await timed(teacher.look()))
                    await asyncio.sleep(1)
                shown["at"] = time.perf_counter()
                await teacher.press("Reveal the answer")
            busy = (server.processor() - spent) / (time.perf_counter() - began)
        for name, times in found.items():
            most = AIMS_OF_A_CLASS.get(name, float("inf"))
            print(f"  {name:10s}{len(times):5d}: {told(times)} {judged(max(times), most)}")
        print(f"  server: {busy:.0%} of a core, {server.memory():.0f} MB", flush=True)
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
    parser.add_argument("--class", dest="is_class", action="store_true")
    parser.add_argument("--people", type=int, nargs="+")
    parser.add_argument("--within", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load before: {load:.1f}")
    random.seed(0)
    for people in given.people or ([120] if given.is_class else [60, 120]):
        print(f"{people} people within {given.within:g} s, for {given.seconds:g} s")
        run = taught if given.is_class else measured
        asyncio.run(run(people, given.within, given.seconds))


if __name__ == "__main__":
    main()
