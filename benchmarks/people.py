"""Measure many light sessions beside some heavy ones, on one server or several behind Caddy.

    python benchmarks/people.py [--light 120] [--heavy 10] [--processes 2] [--seconds 60]

Starts the servers itself, and where there are several, Caddy (on the PATH) with deploy/Caddyfile,
which keeps a visitor at one of them by a cookie.  A light session moves k on the page Release every
ten seconds or so, a heavy one draws the paper's sweep anew, again and again.  Sessions speak the
browser's protocol without a browser (see load.py); clients and servers share the processors, with
whatever else runs: the load is printed, and the processor that the servers got.  The first third is
for everybody to come.

Nothing is asserted: the aim is a p95 of a light move under 0.5 s.
"""

import argparse
import asyncio
import contextlib
import os
import random
import socket
import statistics
import subprocess
import time

from load import HEAVY, LIGHT, heavy, quantile
from tabs import ROOT, Server, Session

PAUSE = (6.0, 14.0)  # seconds between two moves of one person
AIM = 0.5


async def light(port: int, moves: list[tuple[float, float]]) -> None:
    """Move k for ever; note when each move ended and how long it took."""
    async with Session(port) as session:
        await session.visit(LIGHT, "k=10")
        while True:
            await asyncio.sleep(random.uniform(*PAUSE))
            took = await session.visit(LIGHT, f"k={random.randint(5, 25)}")
            moves.append((time.perf_counter(), took))


async def sweeps(port: int, first: int) -> None:
    """Draw the sweep for ever."""
    async with Session(port) as session:
        while True:
            first += 1
            await session.visit(HEAVY, heavy(first))


@contextlib.contextmanager
def proxied(servers: list[Server]):
    """Yield the port at which people come: that of Caddy where there are several servers."""
    if len(servers) == 1:
        yield servers[0].port
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    told = {
        "SITE": f"http://127.0.0.1:{port}",
        "APP": " ".join(f"127.0.0.1:{server.port}" for server in servers),
    }
    caddy = subprocess.Popen(
        ["caddy", "run", "--adapter", "caddyfile", "--config", str(ROOT / "deploy" / "Caddyfile")],
        env=os.environ | told,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(2)
        yield port
    finally:
        caddy.terminate()
        caddy.wait(30)


async def measured(port: int, given: argparse.Namespace) -> list[float]:
    """Seconds of the light moves that ended after the first third."""
    moves: list[tuple[float, float]] = []
    tasks = [asyncio.create_task(light(port, moves)) for _ in range(given.light)]
    tasks += [asyncio.create_task(sweeps(port, 1_000 * n)) for n in range(given.heavy)]
    began = time.perf_counter()
    await asyncio.sleep(given.seconds)
    failed = [task for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if failed:
        print(f"  {len(failed)} sessions failed: {failed[0].exception()!r}")
    return [took for ended, took in moves if ended > began + given.seconds / 3]


def main() -> None:
    """Start, measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--light", type=int, default=120)
    parser.add_argument("--heavy", type=int, default=10)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    random.seed(0)
    for n in given.processes:
        print(f"{n} processes, {os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
        servers = [Server() for _ in range(n)]
        try:
            with proxied(servers) as port:
                spent, began = sum(s.processor() for s in servers), time.perf_counter()
                times = asyncio.run(measured(port, given))
                busy = sum(s.processor() for s in servers) - spent
                busy /= time.perf_counter() - began
            memory = " + ".join(f"{server.memory():.0f}" for server in servers)
            print(
                f"  {len(times)} light moves: median {statistics.median(times):.2f} s   p95 "
                f"{quantile(times):.2f} s (aim {AIM} s)   most {max(times):.2f} s\n"
                f"  servers: {busy:.0%} of a core, {memory} MB; load after: "
                f"{os.getloadavg()[0]:.1f}",
                flush=True,
            )
        finally:
            for server in servers:
                server.stop()


if __name__ == "__main__":
    main()
