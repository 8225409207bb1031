"""Measure the memory of the server as sessions with uploads come and go.

    python benchmarks/soak.py [--sessions 500] [--rows 20000]
    python benchmarks/soak.py --large 4 [--rows 2000000]

The first opens and closes sessions, `AT_ONCE` at a time.  Each uploads a file of its own, uses it
and looks at some pages.  What the server holds a minute after the first `FIRST` were closed is
compared with what it holds a minute after all were.  The second keeps its sessions open and tells
what each holds, and what is left a minute after all were closed.  Linux only, as the memory is
that which the system counts as the server's (resident).

Nothing is asserted: "OVER BUDGET" is a word to look for.
"""

import argparse
import asyncio
import contextlib
import random
import time

from tabs import AFTER, Server, Session

AT_ONCE = 3
FIRST = 50
MOST_GROWTH = 1.10  # of memory, from the first sessions to the last
MOST_BYTES = 24e9 / 100 / 2_000_000  # a row, so that 100 sessions of 2,000,000 keep to 24 GB
PAGES = (("release", "k=10"), ("gaps", "k=10"), ("data", "k=10"))


def table(rows: int, seed: int) -> bytes:
    """A table with names of some twenty characters, and counts that fall as counts do."""
    rng = random.Random(seed)
    lines = [
        f"item {rng.randrange(10**9):09d} {place:07d},{int(1e7 / (place + 9)) + rng.randrange(9)}"
        for place in range(rows)
    ]
    return "\n".join(["item,users", *lines]).encode()


async def one(server: Server, rows: int, seed: int):
    """Open a session, upload, look around, close it."""
    async with Session(server.port) as session:
        await session.visit("data", "")
        await session.upload(f"table {seed}.csv", table(rows, seed))
        for page, query in PAGES:
            await session.visit(page, f"{query}&data=upload")


async def many(server: Server, seeds: range, rows: int):
    """Sessions one after another, some at once."""
    left = iter(seeds)

    async def line():
        for seed in left:
            await one(server, rows, seed)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(line())


async def soak(n: int, rows: int):
    server = Server()
    try:
        print(f"{n} sessions, each with an upload of {rows:,} rows; {AT_ONCE} at a time")
        print(f"  at the start               {server.memory():.0f} MB", flush=True)
        await many(server, range(1), rows)
        print(f"  after one session          {server.memory():.0f} MB", flush=True)
        held = {}
        for begin, end in ((1, FIRST), (FIRST, n)):
            began = time.perf_counter()
            await many(server, range(begin, end), rows)
            seconds, now = time.perf_counter() - began, server.memory()
            await asyncio.sleep(AFTER)
            held[end] = server.memory()
            print(
                f"  after {end:>4} sessions        {now:.0f} MB, and {held[end]:.0f} MB {AFTER} s "
                f"later; {seconds / (end - begin):.2f} s a session",
                flush=True,
            )
        ratio = held[n] / held[FIRST]
        verdict = "kept" if ratio <= MOST_GROWTH else "OVER BUDGET"
        print(f"  the last to the first      {ratio:.3f}  (budget {MOST_GROWTH:g}: {verdict})")
    finally:
        server.stop()


async def large(n: int, rows: int):
    server = Server()
    try:
        await many(server, range(1), 1_000)  # what is imported and read once
        await asyncio.sleep(AFTER)
        before = server.memory()
        print(f"{n} sessions that stay, each with {rows:,} rows; {before:.0f} MB before")
        async with contextlib.AsyncExitStack() as tabs:
            for seed in range(1, n + 1):
                session = await tabs.enter_async_context(Session(server.port))
                await session.visit("data", "")
                seconds = await session.upload(f"table {seed}.csv", table(rows, seed))
                used = server.memory()
                for page, query in PAGES:
                    await session.visit(page, f"{query}&data=upload")
                print(
                    f"  session {seed}: upload and use {seconds:.1f} s; {used:.0f} MB, after "
                    f"{len(PAGES)} pages {server.memory():.0f} MB; peak {server.peak():.0f} MB",
                    flush=True,
                )
            await asyncio.sleep(AFTER)
            each = (server.memory() - before) / n
        await asyncio.sleep(AFTER)
        a_row = each * 2**20 / rows
        verdict = "kept" if a_row <= MOST_BYTES else "OVER BUDGET"
        print(
            f"  a session keeps            {each:.0f} MB, {a_row:.0f} bytes a row  (budget "
            f"{MOST_BYTES:.0f}: {verdict}); 100 sessions would keep {each / 10.24:.1f} GB\n"
            f"  {AFTER} s after all were closed {server.memory():.0f} MB"
        )
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=500)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--large", type=int, help="sessions that stay open with large files")
    given = parser.parse_args()
    if given.large:
        asyncio.run(large(given.large, given.rows or 2_000_000))
    else:
        asyncio.run(soak(given.sessions, given.rows or 20_000))


if __name__ == "__main__":
    main()
