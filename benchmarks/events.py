"""Measure the counting of a log of events against plain SQL for the same counts.

    python benchmarks/events.py [--rows 1e6] [--memory 4GB] [--folder DIR]

Up to two million rows also as CSV, beside an upload of it.

The log is made by a script, with a seed: a user has 40 events in the mean, of items whose number of
events falls as a power law, one in a thousand without a user.  It is written as Parquet, in files
of ten million rows.  Each call is in a process of its own; its time is that of the call, and
that of all cores, which says more on a machine with other work; its memory the most that the
process held, as Linux and macOS count it.
Up to 10^9 rows: 16 GB of files, and 24 GB of temporary files.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from a clone, not installed

import duckdb

from dptopk import counts_from_events
from dptopk.data.ingest import proposed_counts, read_table

ROWS_OF_FILE = 10_000_000
EVENTS_OF_USER = 40
PLAIN = """
SELECT item, count(*) AS users FROM (
    SELECT DISTINCT "user", item FROM read_parquet('{folder}/*.parquet') WHERE "user" IS NOT NULL
) GROUP BY item ORDER BY item
"""
# count(DISTINCT "user"), shorter, is not put on disk: 10^9 rows ended above 8 GB of memory
CALLS = {
    "plain SQL": None,
    "counts_from_events": {},
    "..., at most 20 items of a user": {"max_items": 20},
    "counts_from_events of CSV": {},
    "..., under every bound": {"by_bound": True},
    "upload of CSV, under every bound": {},
}
LARGEST_UPLOAD = 2_000_000  # rows


def write_log(folder: str, rows: int) -> None:
    """Write a log of so many events as files of Parquet."""
    users = max(rows // EVENTS_OF_USER, 1)
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        for first in range(0, rows, ROWS_OF_FILE):
            n = min(ROWS_OF_FILE, rows - first)
            connection.execute(
                "COPY (SELECT CASE WHEN random() < 0.001 THEN NULL ELSE "
                f"'user ' || CAST(floor(random() * {users}) AS BIGINT) END AS user, "
                "'item ' || CAST(floor(pow(100000.0, random())) AS BIGINT) AS item, "
                f"range AS at FROM range({n})) "
                f"TO '{folder}/{first // ROWS_OF_FILE:04}.parquet'"
            )


def write_text(folder: str) -> None:
    """Write the log as one file of CSV, which an upload may be."""
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_parquet('{folder}/*.parquet')) TO '{folder}/log.csv'"
        )


def uploaded(file: str) -> dict[str, int]:
    """Count the users of each item as the app does for an upload."""
    table = read_table(Path(file).read_bytes(), file)
    places = table.item_column, table.count_column, table.user_column
    return dict(proposed_counts(table, places, {}).counts)


def call(what: str, folder: str, memory: str | None) -> None:
    """Count once; print seconds, seconds of all cores, most memory and a checksum, as JSON."""
    start = time.perf_counter()
    options = CALLS[what]
    if options is None:
        with tempfile.TemporaryDirectory() as spilled:
            config = {"temp_directory": spilled, "preserve_insertion_order": False}
            config |= {"memory_limit": memory} if memory else {}
            with duckdb.connect(config=config) as connection:
                counts = dict(connection.execute(PLAIN.format(folder=folder)).fetchall())
    elif what.startswith("upload"):
        counts = uploaded(f"{folder}/log.csv")
    else:
        source = f"{folder}/log.csv" if "CSV" in what or "every" in what else f"{folder}/*.parquet"
        counts = dict(counts_from_events(source, "user", "item", memory_limit=memory, **options))
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss * (1 if platform.system() == "Darwin" else 1024)
    computing = used.ru_utime + used.ru_stime
    print(json.dumps([seconds, computing, peak, hash(tuple(sorted(counts.items())))]))


def main() -> None:
    """Make the log, count it in each way, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=float, default=1e6, help="events, up to 1e9")
    parser.add_argument("--memory", help="most memory of DuckDB, such as 4GB")
    parser.add_argument("--folder", help="where the log is written and kept")
    parser.add_argument("--call", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.call:
        call(asked.call, asked.folder, asked.memory)
        return
    rows = int(asked.rows)
    if not 1 <= rows <= 10**9:
        parser.error("--rows must be in [1, 1e9]")
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or made
        os.makedirs(folder, exist_ok=True)
        if not any(Path(folder).iterdir()):
            write_log(folder, rows)
            if rows <= LARGEST_UPLOAD:
                write_text(folder)
        size = sum(path.stat().st_size for path in Path(folder).glob("*.parquet"))
        print(
            f"{rows:,} events, {size / 1e6:,.0f} MB of Parquet; DuckDB {duckdb.__version__}, "
            f"{os.cpu_count()} cores, memory {asked.memory or 'as DuckDB likes'}"
        )
        checks = {}
        for what in CALLS if rows <= LARGEST_UPLOAD else list(CALLS)[:3]:
            arguments = ["--call", what, "--folder", folder]
            arguments += ["--memory", asked.memory] if asked.memory else []
            ended = subprocess.run(
                [sys.executable, __file__, *arguments],
                capture_output=True,
                text=True,
                env=os.environ | {"PYTHONHASHSEED": "0"},
            )
            if ended.returncode:
                print(f"{what:<32} failed: {ended.stderr.strip().splitlines()[-1][:150]}")
                continue
            seconds, computing, peak, checks[what] = json.loads(ended.stdout)
            print(
                f"{what:<32} {seconds:>8.2f} s, of all cores {computing:>8.2f} s, "
                f"{peak / 1e6:>8,.0f} MB",
                flush=True,
            )
        whole = {check for what, check in checks.items() if "at most" not in what}
        print("All whole counts are equal." if len(whole) == 1 else "THE COUNTS DIFFER.")


if __name__ == "__main__":
    main()
