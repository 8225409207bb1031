"""Read the files named by options, and write files atomically."""

import glob
import os
import stat
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from dptopk.cli.failures import Exit, Failure, say

_DATABASE = b"SQLite format 3\0"  # begins what a ledger is
_PATIENCE = 1.0  # seconds of silence while nothing comes


def read_bytes(name: str, most: int) -> bytes:
    """Return up to ``most`` bytes of a file, or of standard input for "-"."""
    if name == "-":
        typed = sys.stdin.isatty()
        how = "Type or paste them; Ctrl-D ends them." if typed else "Ctrl-C stops waiting."
        with _telling(f"Waiting for data on standard input. {how}"):
            return sys.stdin.buffer.read(most)
    file = Path(name)
    waits = f"Waiting for another program to write into {name}. Ctrl-C stops waiting."
    notice = nullcontext() if stat.S_ISREG(file.stat().st_mode) else _telling(waits)
    with notice, file.open("rb") as opened:
        return opened.read(most)


def content_of(name: str, most: int, option: str = "", code: Exit = Exit.DATA) -> bytes:
    """Return the bytes of `read_bytes`; a failure names the option, if there is one."""
    try:
        return read_bytes(name, most)
    except OSError as error:
        named = f"{option} {name}" if option else name
        raise Failure(f"{named} cannot be read: {error.strerror}.", code) from error


@contextmanager
def _telling(words: str) -> Iterator[None]:
    timer = threading.Timer(_PATIENCE, say, [words])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def write_file(option: str, name: str, content: bytes) -> None:
    """Write a file atomically: beside its place first, then moved there.

    It replaces no database: that may be the only record of what was spent on releases.
    """
    file = Path(name).resolve()
    if file.is_file() and read_bytes(str(file), len(_DATABASE)) == _DATABASE:
        raise Failure(f"{option} {name} would overwrite a database: name another.", Exit.OUTPUT)
    try:
        if file.exists() and not file.is_file():  # a device or a pipe; a folder says what it is
            file.write_bytes(content)
            return
        part = file.with_name(f".{file.name[:100]}.{os.getpid()}.part")
        try:
            part.write_bytes(content)
            if file.exists():
                part.chmod(file.stat().st_mode)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror
        raise Failure(f"{option} {name} cannot be written: {reason}.", Exit.OUTPUT) from error


def check_apart(
    read: Mapping[str, str | Sequence[str] | None], written: Mapping[str, str | None] | None = None
) -> None:
    """Raise if two options name the same file, where one is written or both are read.

    What is read may be several files, patterns and folders.
    """
    seen: dict[Path, str] = {}
    of_read = [(option, name) for option, names in read.items() for name in _files(names)]
    written = written or {}
    for option, name in (*of_read, *written.items()):
        if name is None or name == "-":
            continue
        file = Path(name).resolve()
        if file in seen and (file.is_file() or not file.exists()):
            other = seen[file]
            if option in written:
                wrong = f"{option} {name} would overwrite the file of {other}: name another."
            elif "--items" in (option, other):
                wrong = (
                    f"{option} {name} is the file of {other} too: the public list of --items is a "
                    "file of its own, one item a line, made without looking at the data."
                )
            else:
                wrong = f"{option} {name} is the file of {other} too: name a file for each."
            raise Failure(wrong)
        seen.setdefault(file, option)


def _files(names: str | Sequence[str] | None) -> Iterator[str]:
    """Yield the files of names, patterns and folders, as `counts_from_events` takes them."""
    for name in [names] if isinstance(names, str) else names or ():
        if os.path.isdir(name):
            yield from filter(os.path.isfile, glob.iglob(f"{glob.escape(name)}/**", recursive=True))
        else:
            paths = [] if os.path.exists(name) else glob.glob(name, recursive=True)
            yield from paths or [name]
