"""Run functions in separate processes with limits of time and memory.

What strangers send may hold the interpreter's lock for minutes or fill the memory.  Run here it
hurts nobody else: each call has a process, which ends with the call, with its limits, with whoever
waits for it, and with this process.

On Linux a process is forked from one that has imported what calls need (a fork server), which takes
some milliseconds; elsewhere it is started, one ahead.  The module `multiprocessing` does the same,
but runs the main script again in every process, and cannot end one that another process forked.

Limits: memory is bounded on Linux only, seconds of computing where the system has `resource`;
seconds that pass are bounded everywhere.
"""

import atexit
import contextlib
import ctypes
import hmac
import importlib
import os
import pickle
import secrets
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from dptopk.core.cancellation import Progress, no_progress

try:
    import resource
except ModuleNotFoundError:  # on Windows
    resource = None  # type: ignore[assignment]

Reason = Literal["time", "memory", "disk", "killed", "crash"]

POLL = 0.05  # seconds between two looks at whether the call is still wanted
_TOLD = 0.05  # seconds between two tellings of a process
_START = 60.0  # most seconds that a process may take to begin
_APART = 2**16  # bytes of a text that are sent beside the pickle and not in it
_NICE = 5  # what is computed beside pages leaves them the processor
_FORKED = sys.platform == "linux"
_SHARE, _RESULT, _ERROR, _MEMORY = b"share", b"value", b"error", b"fills"


class Limits(NamedTuple):
    """Limits of one call: CPU seconds, elapsed seconds, bytes of memory and of a temporary file.

    Temporary files go to a folder of the call, which is deleted with it however it ended.
    """

    seconds: float
    elapsed: float
    memory: int
    disk: int = 0


class WorkerError(Exception):
    """A call was aborted: it took too much time, memory or disk, or its process was ended."""

    def __init__(self, reason: Reason):
        super().__init__(f"the process was ended: {reason}")
        self.reason = reason


class _Worker(Protocol):
    stream: socket.socket

    def end(self, patience: float) -> int | None:
        """Wait ``patience`` seconds for the process to end, then kill it.

        Returns the exit status, as of `os.waitpid`, of one that ended by itself.
        """


class Workers:
    """Pool that runs each call in a process of its own, ``at_once`` at most.

    A process is forked or started, and imports ``modules`` first, as far as they are installed.
    At most ``of_a_client`` calls of one client run at a time.
    """

    def __init__(
        self, modules: Sequence[str], at_once: int, of_a_client: int, *, forked: bool = _FORKED
    ):
        self._starter = _ForkServer(modules) if forked else _Starter(modules)
        self._at_once, self._of_a_client = at_once, of_a_client
        self._running: Counter[str] = Counter()
        self._queue: list[tuple[object, str]] = []
        self._changed = threading.Condition()
        atexit.register(self.close)

    def prepare(self) -> None:
        """Import in advance what calls need, so that the first one need not wait."""
        self._starter.prepare()

    def close(self) -> None:
        """End the prepared processes; the next call prepares anew."""
        self._starter.close()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        limits: Limits,
        client: str = "",
        progress: Progress = no_progress,
        waiting: Callable[[int], object] = lambda ahead: None,
        **options: Any,
    ) -> Any:
        """Call a function in a process and return its result, or raise its exception.

        The function is one of a module that can be imported; pickle must hold arguments and result.
        It is also given ``progress``, which is called with the share done every `POLL` seconds.
        ``waiting`` is called with the number of calls ahead.  What either raises kills the call.
        A `WorkerError` is raised if the call takes more than its limits, or its process crashes.
        """
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._place(client, waiting))
            folder = stack.enter_context(_temporary_folder()) if limits.disk else None
            worker = self._starter.start()
            try:
                _send(worker.stream, (function, arguments, options, limits, folder), _START)
                return _outcome(worker.stream, limits, progress)
            except _BrokenOffError:
                raise WorkerError(_reason(worker.end(_START))) from None
            finally:
                worker.end(0.0)

    @contextlib.contextmanager
    def _place(self, client: str, waiting: Callable[[int], object]) -> Iterator[None]:
        """Wait for a free slot, first come, first served, with a limit for each client."""
        here = (object(), client)
        with self._changed:
            self._queue.append(here)
        try:
            while (ahead := self._ahead(here)) > 0:
                waiting(ahead)
        except BaseException:
            with self._changed:
                self._queue.remove(here)
                self._changed.notify_all()
            raise
        try:
            yield
        finally:
            with self._changed:
                self._running -= Counter([client])
                self._changed.notify_all()

    def _ahead(self, here: tuple[object, str]) -> int:
        """Take a free slot, or wait a moment; return the number of calls ahead."""
        with self._changed:
            if not self._may_run(here):
                self._changed.wait(POLL)
            if self._may_run(here):
                self._queue.remove(here)
                self._running[here[1]] += 1
                return 0
            return self._running.total() + self._queue.index(here)

    def _may_run(self, here: tuple[object, str]) -> bool:
        if self._running.total() >= self._at_once:
            return False
        able = (one for one in self._queue if self._running[one[1]] < self._of_a_client)
        return next(able, None) is here


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="dptopk-", ignore_cleanup_errors=True)
    except OSError as error:
        raise WorkerError("disk") from error


class _BrokenOffError(Exception):
    """The process ended before its call did."""


def _reason(status: int | None) -> Reason:
    """Return the reason why a process ended before its call did."""
    if status is not None and resource is not None and os.WIFSIGNALED(status):
        if os.WTERMSIG(status) == signal.SIGXCPU:
            return "time"
        if os.WTERMSIG(status) == signal.SIGKILL:  # not by us: by a system without memory, mostly
            return "killed"
    return "crash"


def _outcome(stream: socket.socket, limits: Limits, progress: Progress) -> Any:
    end, share = time.monotonic() + limits.elapsed, 0.0

    def look() -> None:
        progress(share)
        if time.monotonic() > end:
            raise WorkerError("time")

    while True:
        kind = _received(stream, len(_SHARE), look)
        if kind == _SHARE:
            (share,) = struct.unpack("!d", _received(stream, 8, look))
            look()
        elif kind == _MEMORY:
            raise WorkerError("memory")
        else:
            value = _loaded(stream, look)
            if kind == _RESULT:
                return value
            error, where = value
            error.add_note(where)  # which pickle does not hold
            raise error


# What is sent: a pickle, and beside it large texts and arrays, which are not copied into it.


class _Pickler(pickle.Pickler):
    def __init__(self, file: BytesIO):
        self.arrays: list[pickle.PickleBuffer] = []
        self.texts: list[bytes] = []
        super().__init__(file, 5, buffer_callback=self.arrays.append)

    def persistent_id(self, obj: Any) -> int | None:
        if type(obj) is not bytes or len(obj) < _APART:
            return None
        self.texts.append(obj)
        return len(self.texts) - 1


class _Unpickler(pickle.Unpickler):
    """Unpickler for values whose large bytes were sent separately."""

    def __init__(self, file: BytesIO, arrays: Sequence[memoryview], texts: Sequence[bytes]):
        super().__init__(file, buffers=arrays)
        self._texts = texts

    def persistent_load(self, pid: Any) -> bytes:
        return self._texts[int(pid)]


def _send(stream: socket.socket, value: Any, seconds: float | None, kind: bytes = b"") -> None:
    file = BytesIO()
    pickler = _Pickler(file)
    pickler.dump(value)
    arrays = [array.raw() for array in pickler.arrays]
    parts: list[Any] = [file.getbuffer(), *pickler.texts, *arrays]
    sizes = [memoryview(part).nbytes for part in parts]
    head = struct.pack(f"!II{len(sizes)}Q", len(pickler.texts), len(arrays), *sizes)
    stream.settimeout(seconds)
    try:
        stream.sendall(kind + head)
        for part in parts:
            stream.sendall(part)
    except OSError as error:
        raise _BrokenOffError from error


def _loaded(stream: socket.socket, look: Callable[[], None]) -> Any:
    n_texts, n_arrays = struct.unpack("!II", _received(stream, 8, look))
    n = 1 + n_texts + n_arrays
    sizes = struct.unpack(f"!{n}Q", _received(stream, 8 * n, look))
    pickled = _received(stream, sizes[0], look)
    texts = [bytes(_received(stream, size, look)) for size in sizes[1 : 1 + n_texts]]
    arrays = [
        memoryview(_received(stream, size, look)).toreadonly() for size in sizes[1 + n_texts :]
    ]
    return _Unpickler(BytesIO(pickled), arrays, texts).load()


def _received(stream: socket.socket, size: int, look: Callable[[], None]) -> bytearray:
    content, got = bytearray(size), 0
    stream.settimeout(POLL)
    with memoryview(content) as view:
        while got < size:
            try:
                n = stream.recv_into(view[got:])
            except TimeoutError:
                look()
                continue
            except OSError as error:
                raise _BrokenOffError from error
            if not n:
                raise _BrokenOffError
            got += n
    return content


# In the process of a call.


def _run(stream: socket.socket) -> None:
    """Receive a call, run it within its limits and send its result."""
    try:
        function, arguments, options, limits, folder = _loaded(stream, lambda: None)
        tempfile.tempdir = folder
        _limit(limits)
        stream.settimeout(None)
        last = 0.0

        def progress(share: float) -> None:
            nonlocal last
            if time.monotonic() - last >= _TOLD:
                last = time.monotonic()
                stream.sendall(_SHARE + struct.pack("!d", share))

        try:
            value, kind = function(*arguments, progress=progress, **options), _RESULT
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is goes to whoever called
            value, kind = (error, traceback.format_exc()), _ERROR
        _send(stream, value, None, kind)
    except MemoryError:
        stream.sendall(_MEMORY)
    except (_BrokenOffError, BrokenPipeError):  # nobody waits for it any more
        pass


def _limit(limits: Limits) -> None:
    """Set the limits of this process; it may write no files but temporary ones."""
    if resource is None:
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    seconds = int(used + limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    statm = Path("/proc/self/statm")
    if statm.exists():
        pages = int(statm.read_text(encoding="ascii").split()[0])
        memory = pages * resource.getpagesize() + limits.memory
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    os.nice(_NICE)
    first_to_go = Path("/proc/self/oom_score_adj")
    if first_to_go.exists():  # where the system runs out of memory all the same
        first_to_go.write_text("1000", encoding="ascii")
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.disk, limits.disk))


def _imported(modules: Sequence[str]) -> None:
    for name in modules:
        with contextlib.suppress(ModuleNotFoundError):  # whoever needs it says what is missing
            importlib.import_module(name)


def _command(begin: str, *arguments: Any) -> list[str]:
    """Return the command that starts Python with the same search path and runs this module."""
    given = ", ".join(map(repr, arguments))
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import {begin}"
    return [sys.executable, "-c", f"{code}; {begin}({given})"]


# One thread each: forks of a process with threads of others may hang.
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass
class _Forked:
    """Process forked by the fork server, which kills it when ``control`` is shut."""

    stream: socket.socket
    control: socket.socket

    def end(self, patience: float) -> int | None:
        if self.control.fileno() < 0:  # for the second time
            return None
        with self.stream, self.control as control, contextlib.suppress(OSError):
            if patience:
                control.settimeout(patience)
                status = control.recv(4)  # nothing, if the fork server is gone
                return struct.unpack("!i", status)[0] if len(status) == 4 else None
            control.shutdown(socket.SHUT_WR)
            control.settimeout(_START)
            control.recv(4)
        return None


class _ForkServer:
    """Server that forks processes from one that has imported what calls need."""

    def __init__(self, modules: Sequence[str]):
        self._modules = tuple(modules)
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def prepare(self) -> None:
        with self._lock:
            self._running()

    def start(self) -> _Forked:
        stream, its_stream = socket.socketpair()
        control, its_control = socket.socketpair()
        with its_stream, its_control, self._lock:
            fds = [its_stream.fileno(), its_control.fileno()]
            try:
                socket.send_fds(self._running(), [b"f"], fds)
            except OSError:  # it was killed just now
                self._stop()
                socket.send_fds(self._running(), [b"f"], fds)
        return _Forked(stream, control)

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _running(self) -> socket.socket:
        """Return the socket of the fork server, starting it anew if it died."""
        if self._server is not None and self._server.poll() is not None:
            self._stop()
        if self._control is None:
            self._control, its = socket.socketpair()
            with its:
                self._server = subprocess.Popen(
                    _command("serve_forks", its.fileno(), self._modules),
                    stdin=subprocess.DEVNULL,
                    pass_fds=[its.fileno()],
                    env=os.environ | _ENVIRONMENT,
                    start_new_session=True,  # Ctrl-C is for this process: what it started ends too
                )
        return self._control

    def _stop(self) -> None:
        if self._control is not None and self._server is not None:
            self._control.close()
            self._server.wait()
        self._control = self._server = None


def serve_forks(fd: int, modules: Sequence[str]) -> None:
    """Fork a process for every pair of sockets received; the main loop of the fork server.

    Of each pair one is for its call, the other gets its exit status, and kills it when shut.
    Without whoever started this it ends, and all that it forked.
    """
    _imported(modules)
    libc = ctypes.CDLL(None, use_errno=True)
    asked, woken = socket.socket(fileno=fd), socket.socketpair()
    woken[1].setblocking(False)
    signal.set_wakeup_fd(woken[1].fileno())
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    forked: dict[int, socket.socket] = {}
    with contextlib.suppress(ConnectionError):
        while True:
            for ready in select.select([asked, woken[0], *forked.values()], [], [])[0]:
                if ready is asked:
                    message, fds, _, _ = socket.recv_fds(asked, 1, 2)
                    if not message:
                        raise ConnectionResetError
                    stream, control = (socket.socket(fileno=one) for one in fds)
                    pid = os.fork()
                    if pid == 0:
                        _forked(libc, stream, [asked, *woken, control, *forked.values()])
                    stream.close()
                    forked[pid] = control
                elif ready is woken[0]:
                    woken[0].recv(1024)
                else:
                    for pid in [pid for pid, control in forked.items() if control is ready]:
                        os.kill(pid, signal.SIGKILL)  # it is a child, so the number is still its
                        _reap(forked, pid, 0)
            for pid in list(forked):
                _reap(forked, pid, os.WNOHANG)
    for pid in forked:
        os.kill(pid, signal.SIGKILL)


def _forked(libc: Any, stream: socket.socket, others: Sequence[socket.socket]) -> None:
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        libc.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG: it ends with the fork server
        for other in others:
            other.close()
        _run(stream)
        status = 0
    except BaseException:  # noqa: BLE001  nothing may leave the process that was forked
        traceback.print_exc()
    finally:
        os._exit(status)


def _reap(forked: dict[int, socket.socket], pid: int, options: int) -> None:
    """Send the exit status of a process that ended."""
    ended, status = os.waitpid(pid, options)
    if ended:
        with forked.pop(pid) as control, contextlib.suppress(OSError):  # nobody wants to know
            control.sendall(struct.pack("!i", status))


class _Started:
    """Process started for one call; it connects to a socket of this process."""

    def __init__(self, modules: Sequence[str]):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._token = secrets.token_bytes(32)
        port = self._listener.getsockname()[1]
        self._process = subprocess.Popen(
            _command("serve_one", port, tuple(modules)),
            stdin=subprocess.PIPE,
            env=os.environ | _ENVIRONMENT,
        )
        assert self._process.stdin is not None
        with self._process.stdin as given:
            given.write(self._token)
        self._status: int | None = None

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def connected(self) -> "_Started":
        """Wait until the process has connected; close any other connection."""
        self._listener.settimeout(_START)
        with self._listener as listener:
            while True:
                stream, _ = listener.accept()
                stream.settimeout(_START)
                if hmac.compare_digest(stream.recv(32, socket.MSG_WAITALL), self._token):
                    self.stream = stream
                    return self
                stream.close()

    def end(self, patience: float) -> int | None:
        if hasattr(self, "stream"):
            self.stream.close()
        self._listener.close()
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return None
        return -code if code < 0 else code << 8  # as waitpid has it


class _Starter:
    def __init__(self, modules: Sequence[str]):
        self._modules = tuple(modules)
        self._lock = threading.Lock()
        self._ahead: _Started | None = None

    def prepare(self) -> None:
        with self._lock:
            if self._ahead is None:
                self._ahead = _Started(self._modules)

    def start(self) -> _Started:
        with self._lock:
            worker, self._ahead = self._ahead, None
        if worker is not None and not worker.alive:
            worker.end(0.0)
            worker = None
        worker = worker or _Started(self._modules)
        try:
            worker.connected()
        except BaseException:
            worker.end(0.0)
            raise
        self.prepare()
        return worker

    def close(self) -> None:
        with self._lock:
            if self._ahead is not None:
                self._ahead.end(0.0)
            self._ahead = None


def serve_one(port: int, modules: Sequence[str]) -> None:
    """Run one call for the process that listens at a local port; the main of a started process."""
    token = sys.stdin.buffer.read()
    _imported(modules)
    with socket.create_connection(("127.0.0.1", port)) as stream:
        stream.sendall(token)
        _run(stream)
