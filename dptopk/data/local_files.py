"""Read and count logs of events in files below one folder of this machine.

Made for an app that others use: the folder is its owner's choice, the file a visitor's.  Nothing
outside of the folder is opened (``within`` of `counts_from_events`), and messages name files by
their place in it.  To that end the functions that read change the working directory: they are
called in processes of their own.  Conditions may only compare columns and constants, and whatever
is wrong is an `IngestError`.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dptopk.core.cancellation import Progress
from dptopk.data.event_logs import FOLDER_ENDINGS, LogPreview, is_below, preview_log
from dptopk.data.events import CountsByPeriod, EventCounts, EventLog
from dptopk.data.ingest import COUNT_FIRST, MAX_ROWS, IngestError, shown

MEMORY = "4GB"  # most memory of DuckDB; what is more goes to temporary files

_DATABASES = ("db", "sqlite", "sqlite3", "duckdb", "ddb")
_OF_FOLDERS = tuple(f".{ending}" for endings in FOLDER_ENDINGS for ending in endings)
_LOGS = (*_OF_FOLDERS, ".xlsx", ".xlsm", ".zip", *(f".{ending}" for ending in _DATABASES))
_LOOKED_AT = 20_000  # files and folders


def log_files(root: str) -> list[str]:
    """Return the files below a folder that may be logs, and the folders of several, with a slash.

    Hidden ones are left out, and so are symbolic links that lead out of the folder, and what comes
    after 20,000 files and folders.
    """
    names: list[str] = []
    n_seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files = sorted(
            name
            for name in files
            if not name.startswith(".") and is_below(os.path.join(folder, name), root)
        )
        place = os.path.relpath(folder, root)
        if sum(name.endswith(_OF_FOLDERS) for name in files) > 1:
            names.append(f"{place}/")
        logs = (name for name in files if name.endswith(_LOGS))
        names += [os.path.normpath(os.path.join(place, name)) for name in logs]
        n_seen += len(files) + len(folders)
        if n_seen > _LOOKED_AT:
            break
    return names


@contextmanager
def _said() -> Iterator[None]:
    """Raise what is wrong with a file as `IngestError`."""
    try:
        yield
    except IngestError:
        raise
    except ValueError as error:
        raise IngestError(f"{error}.") from error


@_said()
def preview_below(root: str, source: str, table: str | None, progress: Progress) -> LogPreview:
    """Read the columns and first rows of a log below the folder."""
    _enter(root, source)
    return preview_log(source, table, root, progress)


@_said()
def count_below(
    root: str,
    log: EventLog,
    max_items: int | None,
    by_bound: bool,
    items: Sequence[str] | None = None,
    *,
    progress: Progress,
) -> EventCounts:
    """Count the users of each item of a log of files below the folder, or on a public list.

    More items than an upload may have are refused.
    """
    counts = _below(root, log, progress).counts(max_items, items, by_bound)
    if counts.d > MAX_ROWS:
        raise IngestError(f"There are {counts.d:,} items, more than are shown here: {COUNT_FIRST}.")
    return counts


@_said()
def count_periods_below(
    root: str,
    log: EventLog,
    time: str,
    period: str,
    items: Sequence[str] | None = None,
    *,
    progress: Progress,
) -> CountsByPeriod:
    """Count each period of a log of files below the folder, under every bound."""
    return _below(root, log, progress).each_period(time, period, items)


def _enter(root: str, source: str) -> None:
    """Change to the folder, for a source that is not hidden."""
    os.chdir(root)
    parts = Path(os.path.relpath(source, root)).parts
    if any(part.startswith(".") and part != os.pardir for part in parts):
        raise IngestError(f"{shown(source, 200)} is hidden, and is not opened.")


def _below(root: str, log: EventLog, progress: Progress) -> EventLog:
    """Change to the folder, and return the log with what may be run and read there."""
    _enter(root, log.source)
    try:
        log = log.with_plain_condition()
    except ValueError as error:
        raise IngestError(
            f"The condition {shown(str(log.where), 200)} is not run, as {error}: write one such as "
            "day >= '2026-01-01', or use dptopk counts with --where."
        ) from error
    return replace(log, memory_limit=MEMORY, progress=progress, within=root)
