"""How many sessions may be open at once: of one client, and of all together.

Every session holds memory, so that without a bound whoever opens many takes it from all others.
A client is an address, of IPv6 the network of 64 bits that one connection gets.  Behind a proxy
the server is told whom to believe on it: see deploy/.
"""

import ipaddress
import os
from collections import Counter
from collections.abc import Mapping

OF_A_CLIENT, OF_ALL = 64, 200  # two classes behind one address; and a third one elsewhere
OF_A_CLIENT_NAME, OF_ALL_NAME = "DPTOPK_SESSIONS_OF_CLIENT", "DPTOPK_SESSIONS"


class Seats:
    """Counts the sessions that are open; used on one thread, that of the server's loop."""

    def __init__(self, of_a_client: int = OF_A_CLIENT, of_all: int = OF_ALL):
        self._of_a_client, self._of_all = of_a_client, of_all
        self._taken: Counter[str] = Counter()

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "Seats":
        """As many as the environment says.

        Raises
        ------
        ValueError
            If it says anything but a number from 1 on.
        """
        return cls(
            _number(environment, OF_A_CLIENT_NAME, OF_A_CLIENT),
            _number(environment, OF_ALL_NAME, OF_ALL),
        )

    def refusal(self, address: str) -> str:
        """Why no more sessions may be opened from an address; empty if they may.

        In short lines: the page shows them as they are.
        """
        if self._taken[_client(address)] >= self._of_a_client:
            return (
                f"{self._of_a_client} sessions are open from your address:\n"
                "close one, and this page opens."
            )
        if self._taken.total() >= self._of_all:
            return (
                f"{self._of_all} sessions are open, as many as this\nserver holds: as soon as one "
                "is\nclosed, this page opens."
            )
        return ""

    def take(self, address: str) -> None:
        """Open a session."""
        self._taken[_client(address)] += 1

    def leave(self, address: str) -> None:
        """Close a session."""
        client = _client(address)
        self._taken[client] -= 1
        if not self._taken[client]:
            del self._taken[client]


def _client(address: str) -> str:
    """Who an address is of."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:  # not of a network: a socket of the system
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
        found = found.ipv4_mapped
    return str(found)


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, str(default))
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError(f"{name} must be a number from 1 on, got {text!r}")
    return int(text)
