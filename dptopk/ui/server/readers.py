"""Read untrusted files in a separate process with limits of time and memory.

A malicious file can then neither delay other sessions nor exhaust their memory; reading ends with
Stop and with the session.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dptopk.core.worker_process import Limits, WorkerError, Workers
from dptopk.data.ingest import IngestError

AT_ONCE, OF_A_CLIENT = 3, 2  # one place is left for others
LIMITS = Limits(seconds=60.0, elapsed=300.0, memory=2 * 2**30)
"""The largest accepted files took 20 seconds of computing and 1.4 GB."""

_INSTEAD = "keep only the columns with items and counts, and save the table as CSV"
_ENDED = {
    "time": f"The file takes more than {LIMITS.seconds:.0f} seconds to read: {_INSTEAD}.",
    "memory": (
        f"The file takes more than {LIMITS.memory / 2**30:.0f} GB of memory to read: {_INSTEAD}."
    ),
    "crash": (
        "The process that read the file ended before it was done: drop the file again, or save the "
        "table anew as CSV."
    ),
}

READERS = Workers(("dptopk.data.ingest", "openpyxl", "pyarrow.parquet"), AT_ONCE, OF_A_CLIENT)
"""Those of this server."""


def read(
    function: Callable[..., Any],
    *arguments: Any,
    progress: Callable[[float], object],
    waiting: Callable[[int], object],
    **options: Any,
) -> Any:
    """Return what a function of `dptopk.data.ingest` reads, in a process of its own.

    Parameters
    ----------
    progress, waiting : callable
        Called with the share done, and with the number ahead; may raise, which ends the reading.

    Raises
    ------
    IngestError
        Raised by the function, or if it exceeded `LIMITS`.
    """
    try:
        return READERS.call(
            function,
            *arguments,
            limits=LIMITS,
            client=st.context.ip_address or "",
            progress=progress,
            waiting=waiting,
            **options,
        )
    except WorkerError as error:
        raise IngestError(_ENDED[error.reason]) from error
