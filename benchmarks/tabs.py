"""Start the app in a separate process, and simulate browser tabs by its protocol."""

import asyncio
import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).resolve().parents[1]
COMMAND = (
    *(sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1"),
    *("--server.headless", "true", "--server.fileWatcherType", "none"),
)
AFTER = 60  # seconds after which closed sessions are gone
_CONTROLS = (
    *("bidi_component", "button", "file_uploader", "radio", "selectbox", "slider", "text_area"),
)
_DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Server:
    """The app in a process of its own; what it says on its terminal is left out by default."""

    def __init__(self, command=COMMAND, cwd=ROOT, said=subprocess.DEVNULL, **environment: str):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        environment |= {"STREAMLIT_SERVER_PORT": str(self.port)}
        self._process = subprocess.Popen(
            command, cwd=cwd, env=os.environ | environment, stdout=said, stderr=said
        )
        for _ in range(600):
            with contextlib.suppress(OSError), self._health() as answer:  # refused, or not yet
                if answer.read() == b"ok":
                    return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError("the server did not start within a minute")

    def _health(self):
        return urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5)

    def memory(self) -> float:
        """Resident memory in megabytes; not a number where the system does not tell it so."""
        return self._told("VmRSS")

    def peak(self) -> float:
        """Most memory so far, likewise."""
        return self._told("VmHWM")

    def processor(self) -> float:
        """Seconds of processor so far; not a number where the system does not tell it so."""
        stat = Path(f"/proc/{self._process.pid}/stat")
        if not stat.exists():
            return float("nan")
        user, system = stat.read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _told(self, what: str) -> float:
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return float("nan")
        (line,) = (it for it in status.read_text().splitlines() if it.startswith(what))
        return int(line.split()[1]) / 1024

    def stop(self):
        """End it."""
        self._process.terminate()
        self._process.wait(30)


class Session:
    """A tab, as the server sees it."""

    def __init__(self, port: int):
        self._port = port
        self._widgets: dict[str, tuple[str, str]] = {}  # by label: its name and its fragment
        self._live = ""  # the fragment that its page makes anew by a timer
        self._texts: list[str] = []  # since the last look
        self._url = f"ws://127.0.0.1:{port}/_stcore/stream"

    async def __aenter__(self):
        self._socket = await websockets.connect(
            self._url,
            subprotocols=["streamlit"],
            max_size=None,
            ping_interval=None,
            close_timeout=1,  # who says too much is not heard at once
        )
        return self

    async def __aexit__(self, *error):
        await self._socket.close()

    async def ask(self, page: str, query: str):
        """Ask for a page with settings."""
        self._query = query
        message = BackMsg()
        message.rerun_script.page_name = page
        message.rerun_script.query_string = query
        message.rerun_script.is_history_navigation = True
        await self.send(message)

    async def settled(self):
        """Receive what comes until a run has ended that was not broken off."""
        async for message in self._messages():
            if message.WhichOneof("type") == "script_finished" and message.script_finished in _DONE:
                return

    async def send(self, message: BackMsg):
        """Send a message as it is."""
        await self._socket.send(message.SerializeToString())

    async def _messages(self):
        """What comes, and note what can be pressed."""
        async for data in self._socket:
            message = ForwardMsg.FromString(data)
            if message.HasField("new_session"):
                self._id = message.new_session.initialize.session_id
            if message.HasField("navigation"):
                self._script = message.navigation.page_script_hash
            element = message.delta.new_element if message.HasField("delta") else None
            if element is not None and element.HasField("exception"):
                raise RuntimeError(element.exception.message)
            if message.HasField("auto_rerun"):
                self._live = message.auto_rerun.fragment_id
            if element is not None:
                self._texts += [
                    getattr(element, kind).body
                    for kind in ("markdown", "html")
                    if element.HasField(kind)
                ]
            for kind in _CONTROLS:
                if element is not None and element.HasField(kind):
                    widget = getattr(element, kind)
                    label = getattr(widget, "label", "") or widget.component_name
                    self._widgets[label] = widget.id, message.delta.fragment_id
            yield message
        raise RuntimeError("the server closed the session")

    async def move(self, label: str, **value) -> float:
        """Move the control whose label begins so; seconds until all that comes of it is there."""
        began = time.perf_counter()
        (found,) = (it for name, it in self._widgets.items() if name.startswith(label))
        message = BackMsg()
        message.rerun_script.page_script_hash = self._script
        message.rerun_script.query_string = self._query
        message.rerun_script.fragment_id = found[1]
        message.rerun_script.widget_states.widgets.add(id=found[0], **value)
        await self.send(message)
        await self.settled()
        return time.perf_counter() - began

    async def look(self) -> bool:
        """Make the live part of the page anew, as its timer does; False if there is none."""
        if not self._live:
            return False
        self._texts, self._widgets = [], {}
        message = BackMsg()
        message.rerun_script.page_script_hash = self._script
        message.rerun_script.query_string = self._query
        message.rerun_script.fragment_id = self._live
        message.rerun_script.is_auto_rerun = True
        await self.send(message)
        await self.settled()
        return True

    def has(self, label: str) -> bool:
        """Return True if there is a control whose label begins so."""
        return any(name.startswith(label) for name in self._widgets)

    def said(self, words: str) -> bool:
        """Return True if the words came since the last look."""
        return any(words in text for text in self._texts)

    @property
    def code(self) -> str:
        """The code of a class that was opened here."""
        (found,) = {
            code for text in self._texts for code in re.findall("<strong>([A-Z]{6})<", text)
        }
        return found

    async def press(self, label: str) -> float:
        """Press a button, likewise."""
        return await self.move(label, trigger_value=True)

    async def answer(self, label: str, option: str) -> float:
        """Choose an option, likewise."""
        return await self.move(label, string_value=option)

    async def upload(self, filename: str, data: bytes) -> float:
        """Drop a file into the dialog of the page shown, and use it; seconds that this took."""
        began = time.perf_counter()
        await self.press("Upload")
        await self.drop("Table of counts, or log of users and items", filename, data)
        if self.has("Use th"):  # a file that can be read in one way alone is used at once
            await self.press("Use th")
        return time.perf_counter() - began

    async def drop(self, label: str, filename: str, data: bytes) -> float:
        """Drop a file into the control whose label begins so, likewise."""
        message = BackMsg()
        message.file_urls_request.request_id = filename
        message.file_urls_request.session_id = self._id
        message.file_urls_request.file_names.append(filename)
        await self.send(message)
        async for answer in self._messages():
            if answer.HasField("file_urls_response"):
                (urls,) = answer.file_urls_response.file_urls
                break
        await asyncio.to_thread(self._put, urls.upload_url, filename, data)
        file = UploadedFileInfo(name=filename, size=len(data), file_id=urls.file_id, file_urls=urls)
        state = FileUploaderState(uploaded_file_info=[file])
        return await self.move(label, file_uploader_state_value=state)

    def _put(self, address: str, filename: str, data: bytes):
        """Send a file as a browser does, with the token of the server's cookie."""
        server = f"http://127.0.0.1:{self._port}"
        with urllib.request.urlopen(f"{server}/_stcore/health", timeout=60) as answer:
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
        edge = "-" * 40
        head = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
            "Content-Type: text/csv\r\n\r\n"
        )
        headers = {
            "Content-Type": f"multipart/form-data; boundary={edge}",
            "Cookie": cookie,
            "X-Xsrftoken": cookie.partition("=")[2],
        }
        body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
        request = urllib.request.Request(server + address, body, headers, method="PUT")
        with urllib.request.urlopen(request, timeout=60):
            pass

    async def visit(self, page: str, query: str) -> float:
        """Open a page with settings; seconds until it is whole."""
        began = time.perf_counter()
        await self.ask(page, query)
        await self.settled()
        return time.perf_counter() - began
