"""Read untrusted files in a separate process with limits of time and memory.

A malicious file can then neither delay other sessions nor exhaust their memory; reading ends with
Stop and with the session.  So are logs counted that lie on this machine.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dptopk.core.worker_process import CallLimits, WorkerError, Workers
from dptopk.data.ingest import COUNT_FIRST, IngestError
from dptopk.ui.server.session_limits import client_of

AT_ONCE, OF_A_CLIENT = 3, 2  # one place is left for others
LIMITS = CallLimits(seconds=60.0, elapsed=300.0, memory=2 * 2**30)
"""The largest accepted files took 20 seconds of computing and 1.4 GB."""

_ENDED = {
    "time": "{} takes more time than this app may use",
    "memory": "{} takes more memory than this app may use",
    "disk": "{} takes more space on the disk than this app may use",
    "killed": "{} was ended by the system, most likely as memory ran out",
    "crash": "{} ended before it was done",
}

_IMPORTED = (  # what most files need
    *("dptopk.data.ingest.reading", "dptopk.data.ingest.counting"),
    *("openpyxl", "pandas", "pyarrow.parquet"),
)
READERS = Workers(_IMPORTED, AT_ONCE, OF_A_CLIENT)
"""Those of this server."""

COUNTING = CallLimits(seconds=4 * 3600.0, elapsed=2 * 3600.0, memory=8 * 2**30, disk=2**40)
"""Of which DuckDB takes half the memory (`local_files.MEMORY`), and the disk for the rest."""

COUNTERS = Workers(("dptopk.data.local_files",), 1, 1)  # DuckDB takes all cores for each
"""Those of this server, for logs on this machine."""


def _called(
    function: Callable[..., Any],
    *arguments: Any,
    workers: Workers,
    limits: CallLimits,
    doing: str,
    instead: str,
    **options: Any,
) -> Any:
    """Return what a function of `dptopk.data` reads or counts in a process of its own.

    If the process was ended, an `IngestError` says what it was ``doing`` and what to do
    ``instead``.  ``options`` hold ``progress`` and ``waiting`` of `Workers.call`.
    """
    client = client_of(st.context.ip_address or "")
    try:
        return workers.call(function, *arguments, limits=limits, client=client, **options)
    except WorkerError as error:
        raise IngestError(f"{_ENDED[error.reason].format(doing)}: {instead}.") from error


read = partial(
    _called,
    workers=READERS,
    limits=LIMITS,
    doing="Reading the file",
    instead="keep only the columns with items and counts, and save the table as CSV",
)
"""Reader for functions of `dptopk.data.ingest`."""

_of_logs = partial(_called, workers=READERS, doing="Counting the log", instead=COUNT_FIRST)
preview = partial(_of_logs, limits=LIMITS._replace(disk=COUNTING.disk))
"""Reader for functions of `dptopk.data.local_files` that take a moment."""

recount = partial(_of_logs, limits=LIMITS._replace(memory=4 * 2**30))
"""Reader for functions of `dptopk.data` that count an uploaded log by DuckDB.

Half of it is address space that Arrow and DuckDB reserve.
"""

count = partial(_of_logs, workers=COUNTERS, limits=COUNTING)
"""Reader for functions of `dptopk.data.local_files` that count."""
