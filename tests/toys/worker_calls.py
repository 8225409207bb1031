"""Functions that tests call in separate processes, each with a progress callback."""

import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np


class TwoPartError(ValueError):
    """An error that holds more than its message."""

    def __init__(self, message: str, more: int):
        super().__init__(message)
        self.more = more

    def __reduce__(self):
        return type(self), (str(self), self.more)


def echo(*values: Any, progress: Any, **more: Any) -> Any:
    """Return the arguments, after half and all was told."""
    progress(0.5)
    time.sleep(0.1)
    progress(1.0)
    return values, more


def loaded(*, progress: Any) -> list[str]:
    """Return the names of modules that are there before any is asked for."""
    return list(sys.modules)


def doubled(values: np.ndarray, *, progress: Any) -> np.ndarray:
    return 2 * values


def fail(*, progress: Any) -> None:
    raise TwoPartError("no such thing", 7)


def sleep(*, progress: Any) -> None:
    """Tell the number of the process, and sleep."""
    progress(float(os.getpid()))
    time.sleep(600)


def hold_the_interpreter(*, progress: Any) -> None:
    """Match what takes for ever, and lets nobody else compute."""
    progress(float(os.getpid()))
    re.match("(a|a)*b", "a" * 64)


def fill_the_memory(*, progress: Any) -> int:
    kept = []
    while True:
        kept.append(bytes(2**24))


def kill_itself(number: int, *, progress: Any) -> None:
    os.kill(os.getpid(), number)
    signal.pause()


def leave(*, progress: Any) -> None:
    os._exit(3)


def write(path: str, *, progress: Any) -> None:
    Path(path).write_text("something", encoding="utf-8")


def slowly_searched(
    wanted: list[tuple[Any, str, list[Any]]], seconds: float, *, progress: Any
) -> list[int]:
    """Use each pattern by its method on each of its texts; the places of those that take longer."""
    slow = []
    for place, (pattern, method, texts) in enumerate(wanted):
        progress(float(place))
        for text in texts:
            begun = time.process_time()
            use = getattr(pattern, method)
            use(b"" if isinstance(text, bytes) else "", text) if method == "sub" else use(text)
            if time.process_time() - begun > seconds:
                slow.append(place)
                break
    return slow


def temporary(*, progress: Any) -> str:
    """Return the folder of temporary files, which can be written to."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"something")
    return tempfile.gettempdir()


def leave_a_file(name: str, *, progress: Any) -> None:
    """Leave a temporary file, tell the number of the process, and go on."""
    (Path(tempfile.gettempdir()) / name).write_text("something", encoding="utf-8")
    while True:
        progress(float(os.getpid()))
        time.sleep(0.01)
