"""Run functions in separate processes with limits of time and memory.

What strangers send may hold the interpreter's lock for minutes or fill the memory.  Run here it
hurts nobody else: each call has a process, which ends with the call, with its limits, with whoever
waits for it, and with this process.

`multiprocessing` forks it from a process that has imported what calls need, on Linux, and starts it
elsewhere; one is begun ahead.  It reads the main script again, under the name ``__mp_main__``: a
script must do nothing then (see app.py).

Limits: memory is bounded on Linux only, seconds of computing where the system has `resource`;
seconds that pass are bounded everywhere.
"""

import contextlib
import ctypes
import importlib
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, NamedTuple

from dptopk.core.cancellation import Progress, no_progress

try:
    import resource
except ModuleNotFoundError:  # on Windows
    resource = None  # type: ignore[assignment]

Reason = Literal["time", "memory", "disk", "killed", "crash"]
Way = Literal["forkserver", "spawn"]

POLL = 0.05  # seconds between two looks at whether the call is still wanted
_TOLD = 0.05  # seconds between two tellings of a process
_END = 5.0  # most seconds until a process that has said its last has ended
_NICE = 10  # what is computed beside pages leaves them the processor
_WAY: Way = "forkserver" if sys.platform == "linux" else "spawn"
_FULL = 77  # exit status of a process whose memory is full
_MODULES: list[str] = []  # which the one fork server imports
_ONE = threading.Lock()  # multiprocessing looks at all processes where one starts or ends


class CallLimits(NamedTuple):
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


class _Answer(NamedTuple):
    """Result of a call, or the exception that it raised and where it did."""

    value: Any
    raised: str = ""


class _Worker:
    """A process that waits for its call."""

    def __init__(self, context: Any, modules: Sequence[str]):
        self._stream, its = context.Pipe()
        self._process = context.Process(target=_serve, args=(its, modules), daemon=True)
        with its, _ONE:
            self._process.start()

    def is_alive(self) -> bool:
        with _ONE:
            return bool(self._process.is_alive())

    def end(self) -> None:
        with self._stream, _ONE:
            self._process.kill()
            self._process.join()

    def said(self, call: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the shares done of a call, None while the process is silent, and the answer."""
        try:
            self._stream.send(call)
            while True:
                yield self._stream.recv() if self._stream.poll(POLL) else None
        except (EOFError, OSError) as error:
            raise WorkerError(self._reason()) from error

    def _reason(self) -> Reason:
        """Return the reason why the process ended before its call did."""
        with _ONE:
            self._process.join(_END)
        status = self._process.exitcode
        if status == -signal.SIGKILL:  # not by us: by a system without memory, mostly
            return "killed"
        if resource is not None and status == -signal.SIGXCPU:
            return "time"
        return "memory" if status == _FULL else "crash"


class Workers:
    """Pool that runs each call in a process of its own, ``at_once`` at most.

    Processes import ``modules`` first, as far as they are installed.  At most ``of_a_client`` calls
    of one client run at a time.
    """

    def __init__(self, modules: Sequence[str], at_once: int, of_a_client: int, way: Way = _WAY):
        self._modules, self._context = modules, multiprocessing.get_context(way)
        if way == "forkserver":
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no threads where it forks
            _MODULES.extend(modules)
            self._context.set_forkserver_preload(_MODULES)
        self._at_once, self._of_a_client = at_once, of_a_client
        self._ahead: list[_Worker] = []  # one at most
        self._preparing = threading.Lock()
        self._calls: dict[object, str] = {}  # client of each, as they came

    def prepare(self) -> None:
        """Begin a process in advance, beside this thread, so that the next call need not wait."""
        threading.Thread(target=self._prepare, daemon=True).start()

    def _prepare(self) -> None:
        with self._preparing:
            if not self._ahead:
                self._ahead.append(self._begun())

    def close(self) -> None:
        """End the process that was begun in advance."""
        with self._preparing:
            while self._ahead:
                self._ahead.pop().end()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        limits: CallLimits,
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
            worker = self._taken()
            stack.callback(worker.end)
            end, share = time.monotonic() + limits.elapsed, 0.0
            for message in worker.said((function, arguments, options, limits, folder)):
                if isinstance(message, _Answer):
                    break
                progress(share := share if message is None else message)
                if time.monotonic() > end:
                    raise WorkerError("time")
        if message.raised:
            message.value.add_note(message.raised)  # which pickle does not hold
            raise message.value
        return message.value

    def _taken(self) -> _Worker:
        """Take the process that was begun ahead, or begin one."""
        try:
            worker = self._ahead.pop()
        except IndexError:
            worker = self._begun()
        if not worker.is_alive():
            worker = self._begun()
        self.prepare()
        return worker

    def _begun(self) -> _Worker:
        end = time.monotonic() + _END
        while True:
            try:
                return _Worker(self._context, self._modules)
            except (ConnectionError, EOFError):  # the fork server was killed just now
                if time.monotonic() > end:
                    raise
                time.sleep(POLL)  # there is another once it has ended

    @contextlib.contextmanager
    def _place(self, client: str, waiting: Callable[[int], object]) -> Iterator[None]:
        """Wait for a free place, first come, first served, with a limit for each client."""
        here = object()
        self._calls[here] = client
        try:
            while ahead := self._n_ahead(here):
                waiting(ahead)
                time.sleep(POLL)
            yield
        finally:
            del self._calls[here]

    def _n_ahead(self, here: object) -> int:
        """Return the number of calls ahead, or 0 if there is a place."""
        running: Counter[str] = Counter()
        for call, client in [*self._calls.items()]:  # others come and go meanwhile
            has_place = running.total() < self._at_once and running[client] < self._of_a_client
            if call is here:
                break
            running[client] += has_place
        return 0 if has_place else [*self._calls].index(here)


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="dptopk-", ignore_cleanup_errors=True)
    except OSError as error:
        raise WorkerError("disk") from error


# In the process of a call.


def _serve(stream: Connection, modules: Sequence[str]) -> None:
    """Receive a call, run it within its limits and send its result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this, too
    _end_with_others()
    for name in modules:
        with contextlib.suppress(ModuleNotFoundError):  # whoever needs it says what is missing
            importlib.import_module(name)
    try:
        function, arguments, options, limits, folder = stream.recv()
        tempfile.tempdir = folder
        _limit(limits)
        last = 0.0

        def progress(share: float) -> None:
            nonlocal last
            if time.monotonic() - last >= _TOLD:
                last = time.monotonic()
                stream.send(float(share))

        try:
            answer = _Answer(function(*arguments, progress=progress, **options))
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is goes to whoever called
            answer = _Answer(error, traceback.format_exc())
        stream.send(answer)
    except MemoryError:
        os._exit(_FULL)
    except (EOFError, BrokenPipeError):  # nobody waits for it any more
        pass


def _end_with_others() -> None:
    """End this process with the one that waits for it, and on Linux with the fork server."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def leave() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


def _limit(limits: CallLimits) -> None:
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
