"""Test that no input of a visitor, at its worst, keeps another visitor waiting for a second.

docs/explanation/protection.md, "Ways in", says where each of them is read and what is computed of
it later.
"""

import asyncio
import contextlib
import itertools
import json
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller as step
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import StringArray
from tabs import Server, Session

from dptopk.core import application
from dptopk.data.ingest import MAX_COLUMNS, MAX_NAME, MAX_ROWS
from dptopk.publishing.ledger import Ledger
from dptopk.publishing.published_files import MAX_RECORD_BYTES
from dptopk.questions import settings
from dptopk.ui.layout import deck
from dptopk.ui.sections.learn import MAX_STUDENTS
from dptopk.ui.server.middleware import MOST_PRESSED, MOST_SAID

LONGEST = 1.0  # seconds that another session may wait
TRIES = 2  # other processes of a busy machine may take the processor once, a fault is there again
MOST = 40.0  # seconds of a try
SECONDS = 2.0  # after which a session leaves a page that may take minutes
EPSILONS = ("0.1", "0.2", "0.5", "1", "2")

MANY = "data=synthetic-zipf&d=1000000&k=200&mechanisms=all&runs=10000&epsilon=0.05"
TYPED = f"data=typed&typed={','.join(str(2**53 - i * i) for i in range(85))}&k=50&mechanisms=all"
FEW = "data=synthetic-zipf&d=300&k=1"
SMALL = "small=top&small_items=10&small_k=5"
GOAL = "goal=score&metric=ndcg&least_score=0.99&releases=10000&other_k=true&against_delta=true"

COUNTS = "Table of counts, or log"

Steps = list[Callable[[Session], Awaitable]]


def link(page: str, query: str = "") -> Steps:
    return [step("visit", page, query)]


def large_counts(folder: Path) -> Steps:
    rows = b"".join(b"item-%08d,%d\n" % (i, i * i % 100_003) for i in range(MAX_ROWS))
    return [
        *link("data"),
        step("press", "Upload"),
        step("drop", COUNTS, "counts.csv", b"item,count\n" + rows),
    ]


def wide_table(folder: Path) -> Steps:
    rows = [
        ",".join(f"c{i:04990d}" for i in range(MAX_COLUMNS)),
        *[",".join("7" * MAX_COLUMNS)] * 1_000,
    ]
    wide = "\n".join(rows).encode()
    return [*link("data"), step("press", "Upload"), step("drop", COUNTS, "wide.csv", wide)]


def public_file(folder: Path) -> Steps:
    rows = "".join(f"{i:0{MAX_NAME}d},{i * i % 9_973}\n" for i in range(1_500))
    return [
        *link("choose", "data=typed&typed=5,3&k=1&stand_in=upload"),
        step("press", "Upload the public file"),
        step("drop", COUNTS, "public.csv", b"item,count\n" + rows.encode()),
        step("press", "Use th"),
        *link("choose", "stand_in=upload&k=200&mechanisms=all"),
    ]


def large_list(folder: Path) -> Steps:
    names = b"".join(b"item-%08d\n" % i for i in range(MAX_ROWS))
    return [
        *link("data"),
        step("press", "Upload"),
        step("drop", "File with one name a line", "items.txt", names),
        step("drop", COUNTS, "counts.csv", b"item,count\nitem-00000007,7\nitem-00000003,3\n"),
    ]


def ledger(folder: Path, n_entries: int, price: str) -> Steps:
    path = folder / "budget.sqlite"
    Ledger.create(path, 10, 1e-6, "one user")
    entry = "INSERT INTO entry VALUES (?, '2026-01-01', ?, '{}', '', ?, '0', ?, '', '')"
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        prices = ((n, "t" * 100, *[price.format(n)] * 2) for n in range(1, n_entries + 1))
        base.executemany(entry, prices)
    drop = step("drop", "Ledger file", "budget.sqlite", path.read_bytes())
    return [*link("ledger"), drop, *link("ledger", "k=5")]


def long_names(folder: Path) -> Steps:
    listed = "\n".join(f"{i:0{MAX_NAME}d}" for i in range(settings.MAX_K)).encode()
    return [*link("reader", FEW), step("drop", "The list", "list.csv", listed)]


def nested_record(folder: Path) -> Steps:
    record = b"a: " + b"[" * (MAX_RECORD_BYTES - 3)
    return [*link("reader", FEW), step("drop", "The list", "record.yaml", record)]


def whole_deck() -> dict:
    to = "release?typed=" + "1" * 986
    slide = {"title": "t" * 120, "link": to, "notes": "n" * 400, "minutes": 9, "hidden": True}
    return {"dptopk_deck": 1, "title": "t" * 120, "slides": [slide] * deck.MOST_SLIDES}


def deck_file(folder: Path) -> Steps:
    content = json.dumps(whole_deck()).encode()
    return [*link("learn"), step("drop", "Open a deck", "deck.json", content)]


def deck_of_link(folder: Path) -> Steps:
    return link("learn", f"deck={deck.written(deck.parsed(json.dumps(whole_deck()).encode()))}")


def students(folder: Path) -> Steps:
    names = "\n".join(f"{i:03d}" + "é" * 77 for i in range(MAX_STUDENTS))
    return [*link("learn"), step("move", "Students", string_value=names)]


def report_of_browser(folder: Path) -> Steps:
    nested = ",".join(["[]"] * (MOST_SAID // 3 - 1_000))
    return [
        *link("errors"),
        step("move", "dptopk_of_every_page", json_value=f'{{"narrow": [{nested}]}}'),
    ]


def many_presses(folder: Path) -> Steps:
    messages = [BackMsg() for _ in range(4_000)]
    for number, message in enumerate(messages):
        for name in range(MOST_PRESSED):
            pressed = f"$$ID-{number}-{name}"
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)

    async def press_all(session: Session):
        for message in messages:
            await session.send(message)
        await session.settled()

    return [*link("errors"), press_all]


def log_of_server(folder: Path) -> Steps:
    pattern = "**/" * 330 + "*.csv"
    return [
        *link("data"),
        step("press", "Open a log"),
        step("move", "File, folder or pattern", string_value=pattern),
    ]


WORST = {
    "counts of 2,000,000 items": large_counts,
    "a table of 200 columns": wide_table,
    "a public file of long names": public_file,
    "a list of 2,000,000 items": large_list,
    "a ledger of long prices": lambda folder: ledger(folder, 100, "1/1{:04280d}1"),
    "a ledger of many entries": lambda folder: ledger(folder, 20_000, "1/{}000001"),
    "a published list of long names": long_names,
    "a nested record": nested_record,
    "a deck in a file": deck_file,
    "a deck in a link": deck_of_link,
    "the names of a class": students,
    "a report of the browser": report_of_browser,
    "presses of many buttons": many_presses,
    "the files of the server": log_of_server,
    "unknown settings": lambda _: link(
        "errors", "&".join(f"mechanism{i:0490d}" for i in range(500))
    ),
    "typed counts": lambda _: link("choose", f"{TYPED}&{GOAL}"),
    "a million items": lambda _: link("errors", MANY),
    "a million items, gap by gap": lambda _: link("gaps", f"{MANY}&places=1000"),
    "a million items, for a goal": lambda _: link("choose", f"{MANY}&{GOAL}&stand_in=zipf"),
    "all outputs": lambda _: link("exact", f"{MANY}&{SMALL}&draws=100000"),
    "a question of a class": lambda _: [
        *link("classroom", f"vector={','.join(['9' * 15] * 4)}"),
        step("press", "Open a class"),
    ],
}


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """The port of a server that opens logs, too, and has been asked before."""
    files = tmp_path_factory.mktemp("files")
    for number in range(5_000):
        (files / f"{number:0100d}.csv").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(application.FILES, str(files))
        server = Server()
    try:
        in_own_thread(warmed(server.port))
        yield server.port
    finally:
        server.stop()


async def warmed(port: int) -> None:
    async with Session(port) as session:
        for epsilon in EPSILONS:
            await session.visit("errors", f"epsilon={epsilon}")


async def done(session: Session, steps: Steps) -> None:
    """Take the steps of an input; leave in the midst of the last one if it takes long."""
    *before, last = steps
    for one in before:
        await one(session)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(last(session), SECONDS)


async def longest_wait(port: int, steps: Steps) -> float:
    """Return the seconds that one session waits at most for ε while another takes the steps."""
    async with asyncio.timeout(MOST), Session(port) as other, Session(port) as stranger:
        await other.visit("errors", "epsilon=0.1")
        taken, waits = asyncio.create_task(done(stranger, steps)), [0.0]
        for epsilon in itertools.cycle(EPSILONS):
            chosen = StringArray(data=[epsilon])
            waits.append(await other.move("ε, privacy budget", string_array_value=chosen))
            if taken.done():
                break
        await taken
        return max(waits)


def in_own_thread(steps):
    """Run a coroutine where no event loop is left by the tests in a browser."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, steps).result()


@pytest.mark.parametrize("name", WORST)
def test_no_input_keeps_another_session_waiting(port, tmp_path, name):
    steps = WORST[name](tmp_path)
    waits = []
    while len(waits) < TRIES and min(waits, default=LONGEST) >= LONGEST:
        waits.append(in_own_thread(longest_wait(port, steps)))
    assert min(waits) < LONGEST, f"another session waited {waits} seconds"
