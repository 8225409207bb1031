"""Test that sessions without a tab are closed after a while, and no others."""

import asyncio
import gc
import weakref

import loops
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from dptopk.ui.server import session_expiry
from dptopk.ui.server.classroom import HOURS, Classrooms
from dptopk.ui.server.session_expiry import KEPT_SECONDS, Expiry, repeat

pytestmark = pytest.mark.slow  # each collects all garbage


class Session:
    """A session by its name, as Streamlit has it."""

    def __init__(self, name):
        self.id, self.session_state = name, SessionState()
        self.shut_down = False

    def shutdown(self):
        self.shut_down = True


class Host:
    """Keeps sessions as Streamlit does."""

    def __init__(self):
        self.connected = set()
        self.closed = []
        self.storage = MemoryMediaFileStorage("/media")
        self.media_file_mgr = MediaFileManager(self.storage)
        self.uploaded_file_mgr = MemoryUploadedFileManager("/upload")

    def is_active_session(self, session):
        return session in self.connected

    def close_session(self, session):
        self.closed.append(session)


@pytest.fixture
def host():
    return Host()


@pytest.fixture
def at(host):
    """Look at a time: at(seconds) -> what has been closed until then."""
    now = [0.0]
    watched = Expiry(lambda: now[0])
    sessions = [Session(name) for name in ("here", "there")]
    for session in sessions:
        host.connected.add(session.id)
        watched.watch(session)

    def look(seconds):
        now[0] = seconds
        watched.look(host)
        return host.closed

    look.watched, look.sessions = watched, sessions
    return look


def test_a_session_is_kept_while_connected_and_a_while_more_and_then_closed_once(at, host):
    assert at(0.0) == at(1e6) == []
    host.connected.remove("here")
    assert at(1e6 + 10.0) == at(1e6 + 9.9 + KEPT_SECONDS) == []
    assert at(1e6 + 10.0 + KEPT_SECONDS) == at(1e7) == ["here"]


def test_a_session_that_comes_back_begins_anew(at, host):
    host.connected.remove("here")
    at(0.0)
    host.connected.add("here")
    at(20.0)
    host.connected.remove("here")
    assert at(25.0) == []
    assert at(KEPT_SECONDS + 10.0) == []
    assert at(25.0 + KEPT_SECONDS) == ["here"]


def test_gone_within_a_minute_of_the_closing():
    """Seen as closed, closed with its downloads marked, and these dropped."""
    assert KEPT_SECONDS + 2 * session_expiry.EVERY_SECONDS + session_expiry.DOWNLOADS_SECONDS < 60


def test_downloads_of_the_last_session_go_though_nobody_else_comes(at, host):
    files = host.media_file_mgr
    address = files.add(b"names", "text/csv", "1", "all.csv", is_for_static_download=True)
    name = address.rpartition("/")[2]
    for now in range(0, 180, 20):  # they stay as long as the session
        at(now)
    assert host.storage.get_file(name).content == b"names"
    host.connected.clear()
    host.close_session = lambda session: files.clear_session_refs("dontcare")  # as Streamlit does
    for step in range(1, int(60 / session_expiry.EVERY_SECONDS)):
        at(180 + step * session_expiry.EVERY_SECONDS)
    with pytest.raises(MediaFileStorageError):
        host.storage.get_file(name)


def test_a_download_that_was_just_replaced_stays_for_the_click_on_its_way(at, host):
    files = host.media_file_mgr
    address = files.add(b"names", "text/csv", "1", "all.csv", is_for_static_download=True)
    files.add(b"others", "text/csv", "1", "all.csv", is_for_static_download=True)
    at(10.0)
    assert host.storage.get_file(address.rpartition("/")[2]).content == b"names"
    at(20.0)
    with pytest.raises(MediaFileStorageError):
        host.storage.get_file(address.rpartition("/")[2])


def test_what_is_repeated_is_called_again_after_an_error_and_holds_up_nothing(caplog):
    times = []

    def fail():
        times.append("failed")
        raise ValueError

    async def run():
        looks = asyncio.create_task(repeat(0.0, fail, lambda: times.append("done")))
        while len(times) < 6:
            await asyncio.sleep(0.0)
        looks.cancel()

    loops.run(asyncio.wait_for(run(), 10))
    assert times[:6] == ["failed", "done"] * 3
    assert {record.exc_info[0] for record in caplog.records} == {ValueError}


def test_the_server_repeats_its_looks_at_sessions_and_classes(host, monkeypatch):
    clock, gone = [0.0], Session("gone")
    rooms, expiry = Classrooms(lambda: clock[0]), Expiry()
    monkeypatch.setattr(session_expiry, "CLASSROOMS", rooms)
    monkeypatch.setattr(session_expiry, "EXPIRY", expiry)
    monkeypatch.setattr(session_expiry, "EVERY_SECONDS", 0.01)
    monkeypatch.setattr(session_expiry, "KEPT_SECONDS", 0.02)
    monkeypatch.setattr(session_expiry.runtime, "get_instance", lambda: host)
    monkeypatch.setattr(session_expiry.log_lines, "shorten", lambda: None)
    expiry.watch(gone)
    codes = [rooms.open().code]
    clock[0] = 3600.0 * HOURS + 1
    codes.append(rooms.open().code)

    async def run():
        async with session_expiry.lifespan(None):
            while not host.closed:
                await asyncio.sleep(0.01)

    loops.run(asyncio.wait_for(run(), 10))
    assert host.closed == ["gone"]
    clock[0] = 0.0  # what is over is found no more
    assert [rooms.find(code) is None for code in codes] == [True, False]


class Circle:
    """Holds itself, as sessions do."""

    def __init__(self):
        self.itself = self


def test_what_was_frozen_with_the_imports_goes_too():
    gone = weakref.ref(Circle())
    assert gone() is not None
    gc.freeze()
    gc.collect()
    assert gone() is not None  # as the first visitor's session was kept for good
    session_expiry.return_memory()
    assert gone() is None


def test_memory_is_given_back_once_where_sessions_or_uploads_went(at, host, monkeypatch):
    times = []
    monkeypatch.setattr(session_expiry, "return_memory", lambda: times.append(1))
    at(0.0)
    assert len(times) == 0
    at.watched.tidy()
    at(10.0)
    at(20.0)
    assert len(times) == 1
    host.connected.clear()
    at(30.0)
    at(30.0 + KEPT_SECONDS)
    assert len(times) == 2


@pytest.mark.parametrize(
    "malformed", [{}, {"json_value": "{"}, {"double_value": 1e308}, {"json_value": "1" * 5_000}]
)
def test_a_closed_session_is_emptied_whatever_its_browser_sent(at, host, malformed):
    """Streamlit may go on holding it."""
    session, counts = at.sessions[0], Circle()
    state, gone = session.session_state, weakref.ref(counts)
    state["_uploaded"] = counts
    read = {None: None}.__getitem__  # raises for all that a browser sends
    state.register_widget(WidgetMetadata("w", read, str, "json_value", counts), None)
    state.set_widgets_from_proto(WidgetStates(widgets=[WidgetState(id="w", **malformed)]))
    del counts
    host.connected.clear()
    at(0.0)
    assert gone() is not None
    at(KEPT_SECONDS)
    assert gone() is None
    assert host.closed == ["here", "there"]


def test_a_session_that_cannot_be_closed_holds_up_others_until_the_next_look_alone(
    at, host, monkeypatch
):
    monkeypatch.setattr(Session, "shutdown", lambda session: 1 / (session.id != "here"))
    host.connected.clear()
    at(0.0)
    with pytest.raises(ZeroDivisionError):  # which the event loop logs
        at(KEPT_SECONDS)
    assert at(1e6) == ["here", "there"]  # once each


def test_a_closed_session_keeps_no_file_also_if_streamlit_has_let_go_of_it(at, host):
    """Streamlit stores 128 sessions, and closes none that it deletes."""
    for session in at.sessions:
        host.uploaded_file_mgr.add_file(session.id, UploadedFileRec("1", "a.csv", "text/csv", b"1"))
    host.connected.remove("here")
    at(0.0)
    at(KEPT_SECONDS)
    assert [*host.uploaded_file_mgr.file_storage] == ["there"]
    assert [session.shut_down for session in at.sessions] == [True, False]
