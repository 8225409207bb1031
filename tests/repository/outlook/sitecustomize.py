"""Make Python log every outgoing connection; first on the path of a server under test.

Names that are looked up, connections and datagrams are written to the file named by
OUTLOOK, a line each, and refused unless they are for this machine; so are addresses that are
listened on.  It is an audit hook, so nothing that Python itself does can go around it.
"""

import os
import sys

_FILE = os.environ["OUTLOOK"]
_HERE = ("127.0.0.1", "localhost", None)
_OUTWARD = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")


def _look(event: str, arguments: tuple) -> None:
    if event == "socket.bind":
        _write(f"{event} {arguments[1]}")
    elif event in _OUTWARD:
        place = arguments[0] if event.startswith("socket.get") else arguments[1]
        host = place[0] if isinstance(place, tuple) else place
        if host not in _HERE:
            _write(f"{event} {place}")
            raise ConnectionRefusedError(f"{event} {place}: this server must not look outside")


def _write(line: str) -> None:
    with open(_FILE, "a", encoding="utf-8") as file:
        file.write(line + "\n")


sys.addaudithook(_look)
