"""Test calls in separate processes: whole results, and limits that always end a call."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import worker_calls

from dptopk.core.worker_process import CallLimits, WorkerError, Workers

LIMITS = CallLimits(seconds=60.0, elapsed=60.0, memory=2**29)
WAYS = ["forkserver", "spawn"] if sys.platform == "linux" else ["spawn"]


@pytest.fixture(scope="module", params=WAYS)
def workers(request):
    made = Workers(["worker_calls", "no_such_module"], 2, 1, request.param)
    yield made
    made.close()


def gone(pid: int) -> bool:
    """Whether a process has ended, within a while."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":  # whoever inherited it has not looked yet
            return True
        time.sleep(0.05)
    return False


def test_arguments_and_results_pass_whole(workers):
    told: list[float] = []
    text, array = os.urandom(300_000), np.arange(100_000)
    given = (worker_calls.echo, text, [array, text], None)
    values, more = workers.call(*given, limits=LIMITS, progress=told.append, key={"a": 1})
    assert values[0] == values[1][1] == text
    assert isinstance(values[0], bytes)
    assert np.array_equal(values[1][0], array)
    assert (values[2], more) == (None, {"key": {"a": 1}})
    assert told == sorted(told)
    assert 0.5 in told
    assert workers.call(worker_calls.doubled, array, limits=LIMITS).sum() == 2 * array.sum()


def test_an_error_passes_whole_and_says_where_it_was_raised(workers):
    with pytest.raises(worker_calls.TwoPartError, match="no such thing") as caught:
        workers.call(worker_calls.fail, limits=LIMITS)
    assert caught.value.more == 7
    assert "in fail" in caught.value.__notes__[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "arguments", "limits", "reason"),
    [
        (worker_calls.hold_the_interpreter, (), LIMITS._replace(seconds=0.5), "time"),
        (worker_calls.sleep, (), LIMITS._replace(elapsed=0.5), "time"),
        (worker_calls.fill_the_memory, (), LIMITS, "memory"),
        (worker_calls.kill_itself, (signal.SIGKILL,), LIMITS, "killed"),
        (worker_calls.kill_itself, (signal.SIGABRT,), LIMITS, "crash"),
        (worker_calls.leave, (), LIMITS, "crash"),
    ],
)
def test_what_takes_too_much_is_ended_and_told_why(workers, function, arguments, limits, reason):
    with pytest.raises(WorkerError) as caught:
        workers.call(function, *arguments, limits=limits)
    assert caught.value.reason == reason
    assert workers.call(worker_calls.echo, 1, limits=LIMITS) == ((1,), {})


def test_whoever_leaves_ends_the_process_though_it_holds_the_interpreter(workers):
    pids = []

    def told(share):
        if share > 1:
            pids.append(int(share))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workers.call(worker_calls.hold_the_interpreter, limits=LIMITS, progress=told)
    assert gone(pids[0])


def test_no_file_is_written(workers, tmp_path):
    with pytest.raises(OSError, match="large"):
        workers.call(worker_calls.write, str(tmp_path / "a"), limits=LIMITS)
    assert (tmp_path / "a").read_text(encoding="utf-8") == ""


def test_temporary_files_are_deleted_with_the_call_however_it_ended(workers):
    places = []
    limits = LIMITS._replace(disk=2**20)
    place = workers.call(worker_calls.temporary, limits=limits)
    assert Path(place).name.startswith("dptopk-")
    assert not Path(place).exists()

    def leave(share):
        if share > 0:
            places.extend(Path(tempfile.gettempdir()).glob("dptopk-*/left-here"))
            raise KeyboardInterrupt

    def kill(share):
        if share > 0 and len(places) < 2:
            places.extend(Path(tempfile.gettempdir()).glob("dptopk-*/left-here"))
            os.kill(int(share), signal.SIGKILL)  # from outside

    for progress, ended in ((leave, KeyboardInterrupt), (kill, WorkerError)):
        with pytest.raises(ended) as caught:
            workers.call(worker_calls.leave_a_file, "left-here", limits=limits, progress=progress)
    assert caught.value.reason == "killed"
    assert len(places) >= 2
    assert not any(place.exists() for place in places)
    assert workers.call(worker_calls.echo, 1, limits=limits) == ((1,), {})


def test_without_room_for_temporary_files_a_call_is_not_begun(workers, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(WorkerError) as caught:
        workers.call(worker_calls.echo, 1, limits=LIMITS._replace(disk=2**20))
    assert caught.value.reason == "disk"
    assert workers.call(worker_calls.echo, 1, limits=LIMITS) == ((1,), {})


def test_calls_wait_for_a_place_and_one_client_has_not_them_all(workers):
    running, ended, waited = threading.Event(), threading.Event(), []

    def told(share):
        if share > 1:
            running.set()
        if ended.is_set():
            raise KeyboardInterrupt

    def hold():
        with pytest.raises(KeyboardInterrupt):
            workers.call(worker_calls.sleep, limits=LIMITS, progress=told, client="a")

    def waiting(ahead):
        waited.append(ahead)
        if len(waited) > 2:
            raise TimeoutError

    thread = threading.Thread(target=hold)
    thread.start()
    running.wait(60)
    try:
        with pytest.raises(TimeoutError):
            workers.call(worker_calls.echo, limits=LIMITS, client="a", waiting=waiting)
        assert waited == [1, 1, 1]
        assert workers.call(worker_calls.echo, 2, limits=LIMITS, client="b") == ((2,), {})
    finally:
        ended.set()
        thread.join(60)
    assert workers.call(worker_calls.echo, 3, limits=LIMITS, client="a") == ((3,), {})


STARTS_A_CALL = """
import sys
sys.path[:] = {path!r}
import worker_calls
from dptopk.core.worker_process import CallLimits, Workers
workers = Workers(["worker_calls"], 1, 1)
workers.call(
    worker_calls.sleep,
    limits=CallLimits(60.0, 60.0, 2**29),
    progress=lambda share: share > 1 and print(int(share), flush=True),
)
"""


def test_processes_end_with_the_server_and_a_fork_server_that_died_is_replaced():
    code = STARTS_A_CALL.format(path=sys.path)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as it:
        pid = int(it.stdout.readline())
        fork_server = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        it.kill()
    assert gone(pid)
    assert gone(fork_server)
    workers = Workers(["worker_calls"], 1, 1)
    pids: list[int] = []

    def told(share):
        if share > 1 and not pids:
            pids.append(int(share))
            parent = Path(f"/proc/{pids[0]}/stat").read_text().rpartition(")")[2].split()[1]
            os.kill(int(parent), signal.SIGKILL)

    with pytest.raises(WorkerError):
        workers.call(worker_calls.sleep, limits=LIMITS, progress=told)
    assert gone(pids[0])  # they go with the fork server
    assert workers.call(worker_calls.echo, limits=LIMITS) == ((), {})
    workers.close()


def test_the_main_script_of_the_app_does_nothing_in_these_processes():
    app = str(Path(__file__).parents[2] / "app.py")
    code = (
        f"import runpy, sys; runpy.run_path({app!r}, run_name='__mp_main__');"
        "assert not sys.modules.keys() & {'streamlit', 'dptopk'}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
