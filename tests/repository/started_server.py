"""A server as started by the README, and a client of it that is no browser."""

import re
import shlex
import socket
import sys
import urllib.error
import urllib.request
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from tabs import ROOT, Server
from websockets.sync.client import connect

README = (ROOT / "README.md").read_text(encoding="utf-8")
OUTLOOK = Path(__file__).with_name("outlook")


def start_command() -> list[str]:
    """What the README says starts the app, without what installs it."""
    (line,) = re.findall(r"^## Start it\n.*?```sh\n(.*?)\n```", README, re.DOTALL | re.MULTILINE)
    program, *arguments = shlex.split(line.split("&&")[-1])
    assert program == ".venv/bin/streamlit"
    return [sys.executable, "-m", "streamlit", *arguments]


class Started(Server):
    """A server where every look outside is written down and refused."""

    def __init__(self, folder: Path, command: list[str], cwd: Path, **environment: str):
        self._outlook, self._terminal = folder / "outlook", folder / "said"
        environment |= {
            "PYTHONPATH": str(OUTLOOK),
            "OUTLOOK": str(self._outlook),
            "HOME": str(folder),  # a machine where Streamlit has never been
            "USERPROFILE": str(folder),
        }
        with self._terminal.open("wb") as said:
            super().__init__(command, cwd, said, **environment)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, path: str, **headers: str):
        request = urllib.request.Request(f"{self.url}{path}", headers=headers)
        return urllib.request.urlopen(request, timeout=20)

    def status(self, path: str, **headers: str) -> int:
        try:
            with self.ask(path, **headers) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def session(self, host: str = "127.0.0.1", origin: str | None = None, **headers: str):
        """Connect as a page does; ``host`` is what the browser takes the server for."""
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        address = f"ws://{host}:{self.port}/_stcore/stream"
        return connect(
            address, sock=stream, origin=origin, additional_headers=headers, max_size=None
        )

    def looked(self) -> list[str]:
        return self._outlook.read_text(encoding="utf-8").splitlines()

    def said(self) -> str:
        return self._terminal.read_text(encoding="utf-8")


def visited(session, *states: WidgetState) -> list[ForwardMsg]:
    """Run the script for a session with widget states; what the server says until it has run."""
    message = BackMsg()
    message.rerun_script.query_string = ""
    message.rerun_script.widget_states.widgets.extend(states)
    session.send(message.SerializeToString())
    said = []
    while not said or said[-1].WhichOneof("type") != "script_finished":
        said.append(ForwardMsg.FromString(session.recv(timeout=60)))
    return said
