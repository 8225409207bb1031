"""Read untrusted files in a separate process with limits of time and memory.

A malicious file can then neither delay other sessions nor exhaust their memory; reading ends with
Stop and with the session.  So are logs counted that lie on this machine.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from dptopk.core.worker_process import CallLimits, WorkerError, Workers
from dptopk.data.ingest import COUNT_FIRST, IngestError
from dptopk.ui.server.session_limits import client_of

AT_ONCE, OF_A_CLIENT = 3, 2  # one place is left for others
LIMITS = CallLimits(seconds=60.0, elapsed=300.0, memory=2 * 2**30)
"""The largest accepted files took 20 seconds of computing and 1.4 GB."""

_INSTEAD = "keep only the columns with items and counts, and save the table as CSV"
_ENDED = {
    "time": f"The file takes more than {LIMITS.seconds:.0f} seconds to read: {_INSTEAD}.",
    "memory": (
        f"The file takes more than {LIMITS.memory / 2**30:.0f} GB of memory to read: {_INSTEAD}."
    ),
    "killed": (
        "The system ended the process that read the file, most likely as memory ran out: "
        f"{_INSTEAD}."
    ),
    "crash": (
        "The process that read the file ended before it was done: drop the file again, or save the "
        "table anew as CSV."
    ),
}

_IMPORTED = (  # what most files need
    *("dptopk.data.ingest.reading", "dptopk.data.ingest.counting"),
    *("openpyxl", "pandas", "pyarrow.parquet"),
)
READERS = Workers(_IMPORTED, AT_ONCE, OF_A_CLIENT)
"""Those of this server."""

COUNTING = CallLimits(seconds=4 * 3600.0, elapsed=2 * 3600.0, memory=8 * 2**30, disk=2**40)
"""Of which DuckDB takes half the memory (`local_files.MEMORY`), and the disk for the rest."""

_NOT_COUNTED = {
    reason: f"Counting the log takes more {what} than this app may use: {COUNT_FIRST}."
    for reason, what in (("time", "time"), ("memory", "memory"), ("disk", "space on the disk"))
} | {
    "killed": (
        "The system ended the process that counted the log, most likely as memory ran out: "
        f"{COUNT_FIRST}."
    ),
    "crash": f"The process that counted the log ended before it was done: {COUNT_FIRST}.",
}

COUNTERS = Workers(("dptopk.data.local_files",), 1, 1)  # DuckDB takes all cores for each
"""Those of this server, for logs on this machine."""


def _called(
    function: Callable[..., Any],
    *arguments: Any,
    workers: Workers,
    limits: CallLimits,
    sentences: Mapping[str, str],
    **options: Any,
) -> Any:
    """Return what a function of `dptopk.data` reads or counts in a process of its own.

    ``sentences`` say why a process was ended, by reason; ``options`` hold ``progress`` and
    ``waiting`` of `Workers.call`.

    Raises
    ------
    IngestError
        Raised by the function, or if it exceeded the limits.
    """
    client = client_of(st.context.ip_address or "")
    try:
        return workers.call(function, *arguments, limits=limits, client=client, **options)
    except WorkerError as error:
        raise IngestError(sentences[error.reason]) from error


read = partial(_called, workers=READERS, limits=LIMITS, sentences=_ENDED)
"""Reader for functions of `dptopk.data.ingest`."""

_of_logs = partial(_called, workers=READERS, sentences=_NOT_COUNTED)
preview = partial(_of_logs, limits=LIMITS._replace(disk=COUNTING.disk))
"""Reader for functions of `dptopk.data.local_files` that take a moment."""

recount = partial(_of_logs, limits=LIMITS._replace(memory=4 * 2**30))
"""Reader for functions of `dptopk.data` that count an uploaded log by DuckDB.

Half of it is address space that Arrow and DuckDB reserve.
"""

count = partial(_of_logs, workers=COUNTERS, limits=COUNTING)
"""Reader for functions of `dptopk.data.local_files` that count."""
