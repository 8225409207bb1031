"""Short log of a server: a line an event, at most `MOST_LINES` a minute, without what users sent.

Streamlit logs a traceback for every malformed message, with the words of the error, and ids as long
as a client writes them: whoever sends 10,000 would fill the disk, and the words may quote a name.
"""

import logging
import time
import traceback
from collections import deque
from pathlib import Path
from typing import Any

import streamlit as st

MOST_LINES = 30  # a minute, of all clients together
MOST_CHARACTERS = 300
_DROPPED = -1  # a level below that of every handler
_N_FRAMES = 5

_written: deque[float] = deque(maxlen=MOST_LINES)  # when the last lines were


class ShortRecord(logging.LogRecord):
    """Log record of one line; of an exception it tells the type and the place."""

    def __init__(self, *given: Any):
        super().__init__(*given)
        self._error = _described(self.exc_info) if self.exc_info else ""
        self.exc_info = self.stack_info = None
        if _is_full():
            self.levelno = _DROPPED
            return
        _written.append(time.monotonic())
        if _is_full():
            self._error += " (further lines of this minute are left out)"

    def getMessage(self) -> str:
        """Return the message in one line of printable characters."""
        message = super().getMessage().strip()[:MOST_CHARACTERS]
        line = "".join(c if c.isprintable() else " " for c in message)
        return line + self._error


def shorten() -> None:
    """Shorten what this process logs, unless ``logger.level`` is debug."""
    if st.get_option("logger.level") != "debug":
        logging.setLogRecordFactory(ShortRecord)


def _is_full() -> bool:
    return len(_written) == MOST_LINES and time.monotonic() - _written[0] < 60


def _described(exc_info: Any) -> str:
    """Return the type of an exception and where it was raised, the innermost place first."""
    kind, _, raised = exc_info
    frames = ((Path(at.f_code.co_filename), line) for at, line in traceback.walk_tb(raised))
    places = [f"{file.parent.name}/{file.name}:{line}" for file, line in frames]
    return f": {kind.__name__} in {', '.join(places[: -_N_FRAMES - 1 : -1])}"
