"""Ask the server whether it is alive; kill one that does not answer for long.

    python healthcheck.py [PORT [NAME]]

Docker marks a container whose check fails and leaves it running.  So after three failures in a row
this one kills the processes of its user whose command holds NAME (streamlit), the container ends,
and its restart policy starts it anew, without sessions.  A frozen process hears no other signal.
"""

import os
import signal
import sys
import tempfile
import urllib.request
from pathlib import Path

FAILURES = 3
SECONDS = 20.0  # for an answer: in a full classroom it takes one or two


def alive(port: str) -> bool:
    """Tell whether the server answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=SECONDS):
            return True
    except OSError:
        return False


def processes(name: str) -> list[int]:
    """Return the processes whose command holds the name, but not this one."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:  # it has ended, or is another user's
                continue
            if any(Path(os.fsdecode(part)).name == name for part in command):
                found.append(int(folder.name))
    return found


def main(port: str = "8501", name: str = "streamlit") -> int:
    """Return 0 if the server is alive, else 1; kill it after several failures."""
    failures = Path(tempfile.gettempdir()) / f"health-{port}"
    if alive(port):
        failures.unlink(missing_ok=True)
        return 0
    n = len(failures.read_bytes()) + 1 if failures.exists() else 1
    failures.write_bytes(b"." * n)
    print(f"no answer within {SECONDS:g} s, for the {n}. time", file=sys.stderr)
    if n >= FAILURES:
        failures.unlink()
        for process in processes(name):
            os.kill(process, signal.SIGKILL)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
