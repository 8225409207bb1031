"""Limit the number of open sessions, of one client and in total.

Every session holds memory, so that a client without a limit could exhaust it.  No session is opened
either if too little memory is left to run a page.  A client is an IPv4 address or an IPv6 network
of 64 bits, as one connection gets.  Behind a proxy the server must be configured to trust its
headers: see deploy/.
"""

import contextlib
import ipaddress
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

OF_A_CLIENT, OF_ALL = 150, 300  # a course of 120 behind one address, with screens to spare; and two
LEAST_MEMORY = 2**26  # bytes that are left for those who are here
_KEPT = ("inactive", "active")
OF_A_CLIENT_NAME, OF_ALL_NAME = "DPTOPK_SESSIONS_OF_CLIENT", "DPTOPK_SESSIONS"


class SessionLimits:
    """Counter of open sessions; runs on the thread of the server's event loop."""

    def __init__(
        self,
        of_a_client: int = OF_A_CLIENT,
        of_all: int = OF_ALL,
        memory: Callable[[], float] | None = None,
    ):
        self._of_a_client, self._of_all = of_a_client, of_all
        self._memory = memory or memory_left
        self._taken: Counter[str] = Counter()

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "SessionLimits":
        """Return a counter with the limits of the environment; a wrong one ends the process."""
        return cls(
            _number(environment, OF_A_CLIENT_NAME, OF_A_CLIENT),
            _number(environment, OF_ALL_NAME, OF_ALL),
        )

    def refusal(self, address: str) -> str:
        """Return the reason why no session may be opened from an address; empty if one may.

        It has short lines, which the page shows as they are.
        """
        if self._taken[client_of(address)] >= self._of_a_client:
            return (
                f"{self._of_a_client} sessions are open from your address:\n"
                "close one, and this page opens."
            )
        if self._taken.total() >= self._of_all:
            return (
                f"{self._of_all} sessions are open, as many as this\nserver holds: as soon as one "
                "is\nclosed, this page opens."
            )
        if self._memory() < LEAST_MEMORY:
            return (
                "This server has too little memory left\nfor one more session: as soon as\n"
                "some is free, this page opens."
            )
        return ""

    def take(self, address: str) -> None:
        """Count a session that opens."""
        self._taken[client_of(address)] += 1

    def leave(self, address: str) -> None:
        """Count a session that closes."""
        self._taken -= Counter([client_of(address)])


def memory_left(root: Path = Path("/")) -> float:
    """Return the bytes that this process may still allocate; infinity without a limit.

    The minimum over the machine, the container and the limit of the process, read from Linux's
    files below ``root`` (of containers: control groups, version 2).
    """
    return min(_left(root), default=math.inf)


def _left(root: Path) -> Iterator[float]:
    with contextlib.suppress(OSError):
        yield 1024 * _number_in(root / "proc/meminfo", r"MemAvailable: +(\d+) kB")
    group = root / "sys/fs/cgroup"
    with contextlib.suppress(OSError):  # what is kept of files is given back when it is needed
        kept = sum(_number_in(group / "memory.stat", rf"{kind}_file (\d+)") for kind in _KEPT)
        used = _number_in(group / "memory.current", r"(\d+)")
        yield _number_in(group / "memory.max", r"(\d+)") - used + kept
    with contextlib.suppress(OSError):
        most = _number_in(root / "proc/self/limits", r"Max address space +(\d+)")
        yield most - 1024 * _number_in(root / "proc/self/status", r"VmSize:\s+(\d+) kB")


def _number_in(file: Path, line: str) -> float:
    """Return the number in a line of a file; infinity if there is none."""
    match = re.search(f"^{line}", file.read_text(encoding="ascii", errors="replace"), re.MULTILINE)
    return int(match[1]) if match else math.inf


def client_of(address: str) -> str:
    """Return the client of an address: an IPv4 address or an IPv6 network of 64 bits."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:  # not of a network: a socket of the system
        return address
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.IPv6Network((int(parsed), 64), strict=False))
    return str(getattr(parsed, "ipv4_mapped", parsed))


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise SystemExit(f"dptopk does not start: {name} must be a number from 1 on, got {text!r}")
    return int(text)
