"""Test that sessions without a tab are closed after a while, and no others."""

import asyncio
import gc
import weakref
from types import SimpleNamespace

import loops
import pytest
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.state.session_state import SessionState

from dptopk.ui.server import session_expiry
from dptopk.ui.server.classroom import HOURS, Classrooms
from dptopk.ui.server.session_expiry import KEPT_SECONDS, Expiry

pytestmark = pytest.mark.slow  # each collects all garbage


class Host:
    """Keeps sessions as Streamlit does."""

    def __init__(self):
        self.connected = set()
        self.closed = []

    def is_active_session(self, session):
        return session in self.connected

    def close_session(self, session):
        self.closed.append(session)

    def drop_downloads(self):
        pass


@pytest.fixture
def host():
    return Host()


@pytest.fixture
def at(host):
    """Look at a time: at(seconds) -> what has been closed until then."""
    now = [0.0]
    watched = Expiry(host, lambda: now[0])
    for session in ("here", "there"):
        host.connected.add(session)
        watched.watch(session)

    def look(seconds):
        now[0] = seconds
        watched.look()
        return host.closed

    look.watched = watched
    return look


def test_a_connected_session_is_kept(at):
    assert at(0.0) == []
    assert at(1e6) == []


def test_a_closed_session_is_kept_a_while_and_then_closed_once(at, host):
    at(0.0)
    host.connected.remove("here")
    assert at(10.0) == []
    assert at(10.0 + KEPT_SECONDS - 0.1) == []
    assert at(10.0 + KEPT_SECONDS) == ["here"]
    assert at(1e6) == ["here"]


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


def test_downloads_of_the_last_session_go_though_nobody_else_comes():
    storage = MemoryMediaFileStorage("/media")
    files = MediaFileManager(storage)
    address = files.add(b"names", "text/csv", "1", "all.csv", is_for_static_download=True)
    name = address.rpartition("/")[2]

    def close_session(session):  # as Streamlit does
        files.clear_session_refs("dontcare")
        files.remove_orphaned_files()

    manager = SimpleNamespace(get_session_info=lambda session: None)
    server = SimpleNamespace(
        _session_mgr=manager,
        close_session=close_session,
        is_active_session=lambda session: here[0],
        media_file_mgr=files,
    )
    now, here = [0.0], [True]
    watched = Expiry(session_expiry._Server(server), lambda: now[0])
    watched.watch("last")
    for _ in range(9):  # they stay as long as the session
        watched.look()
        now[0] += 20
    here[0] = False
    assert storage.get_file(name).content == b"names"
    for _ in range(int(60 / session_expiry.EVERY_SECONDS)):
        now[0] += session_expiry.EVERY_SECONDS
        watched.look()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(name)


def test_a_download_that_was_just_replaced_stays_for_the_click_on_its_way():
    storage = MemoryMediaFileStorage("/media")
    files = MediaFileManager(storage)
    address = files.add(b"names", "text/csv", "1", "all.csv", is_for_static_download=True)
    server = session_expiry._Server(SimpleNamespace(media_file_mgr=files))
    files.add(b"others", "text/csv", "1", "all.csv", is_for_static_download=True)
    server.drop_downloads()
    assert storage.get_file(address.rpartition("/")[2]).content == b"names"
    server.drop_downloads()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(address.rpartition("/")[2])


def test_the_loop_looks_again_and_again(host, monkeypatch):
    monkeypatch.setattr(session_expiry, "EVERY_SECONDS", 0.01)
    monkeypatch.setattr(session_expiry, "KEPT_SECONDS", 0.02)
    watched = Expiry(host)
    watched.watch("gone")

    async def run():
        watched.keep_looking(asyncio.get_running_loop())
        while not host.closed:
            await asyncio.sleep(0.01)

    loops.run(asyncio.wait_for(run(), 10))
    assert host.closed == ["gone"]


def test_the_loop_deletes_classes_that_are_over(host, monkeypatch):
    clock = [0.0]
    rooms = Classrooms(lambda: clock[0])
    monkeypatch.setattr(session_expiry, "CLASSROOMS", rooms)
    codes = [rooms.open().code]
    clock[0] = 3600.0 * HOURS + 1
    codes.append(rooms.open().code)

    async def run():
        Expiry(host).keep_looking(asyncio.get_running_loop())

    loops.run(run())
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


def test_a_closed_session_is_emptied_as_streamlit_may_go_on_holding_it():
    state, closed = SessionState(), []
    state["_uploaded"] = "counts"
    held = state._new_widget_state.widget_metadata
    held["button"] = "a callback with counts"
    sessions = {"here": SimpleNamespace(session=SimpleNamespace(session_state=state))}
    server = SimpleNamespace(
        _session_mgr=SimpleNamespace(get_session_info=sessions.get), close_session=closed.append
    )
    session_expiry._Server(server).close_session("here")
    session_expiry._Server(server).close_session("unknown")
    assert closed == ["here", "unknown"]
    assert "_uploaded" not in state
    assert held == {}
