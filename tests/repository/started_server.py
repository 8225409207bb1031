"""A server as started by the README, and a client of it that is no browser."""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OUTLOOK = Path(__file__).with_name("outlook")


def start_command() -> list[str]:
    """What the README says starts the app, without what installs it."""
    (line,) = re.findall(r"^## Start it\n.*?```sh\n(.*?)\n```", README, re.DOTALL | re.MULTILINE)
    program, *arguments = shlex.split(line.split("&&")[-1])
    assert program == ".venv/bin/streamlit"
    return [sys.executable, "-m", "streamlit", *arguments]


class Started:
    """A server where every look outside is written down and refused."""

    def __init__(self, folder: Path, command: list[str], cwd: Path, **environment: str):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self._outlook, self._said = folder / "outlook", folder / "said"
        environment = (
            os.environ
            | environment
            | {
                "PYTHONPATH": str(OUTLOOK),
                "OUTLOOK": str(self._outlook),
                "STREAMLIT_SERVER_PORT": str(self.port),
                "HOME": str(folder),  # a machine where Streamlit has never been
                "USERPROFILE": str(folder),
            }
        )
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                command, cwd=cwd, env=environment, stdout=said, stderr=said
            )
        for _ in range(600):
            try:
                if self.ask("/_stcore/health").read() == b"ok":
                    return
            except OSError:  # refused, or not answered yet
                time.sleep(0.1)
        self.stop()
        raise RuntimeError("the server did not start within a minute")

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, path: str, **headers: str):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
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
        return self._said.read_text(encoding="utf-8")

    def stop(self):
        self._process.terminate()
        self._process.wait(timeout=30)


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
