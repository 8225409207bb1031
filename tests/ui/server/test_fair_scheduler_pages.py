"""Test the priority of page runs over computations in turns."""

import contextlib
import threading
import time

import pytest
from crowd import until

from dptopk.ui.server import fair_scheduler, work


def test_who_computes_lets_pages_be_made_first_but_not_one_that_broke_off(crowd, monkeypatch):
    monkeypatch.setattr(fair_scheduler, "COURTESY", 10.0)
    came = threading.Event()

    def make():
        with crowd.scheduler.page():
            crowd.enter("heavy", lambda hand_on: (hand_on(), came.set()))
            assert not came.wait(0.2)
            raise SystemExit

    with pytest.raises(SystemExit):
        make()
    assert came.wait(5)


def test_who_computes_waits_for_pages_a_moment_only(crowd, monkeypatch):
    monkeypatch.setattr(fair_scheduler, "COURTESY", 0.01)
    with crowd.scheduler.page():
        crowd.enter("heavy", lambda hand_on: hand_on())
        crowd.all_done()
    assert crowd.seen == ["heavy"]


def test_what_a_page_computes_at_once_waits_for_nobody_and_more_takes_turns(timed):
    """A head start for all that one page computes, not for each part of it."""
    crowd, clock, shut = timed, timed.clock, threading.Event()
    crowd.enter("heavy", lambda hand_on: shut.wait(10))
    until(lambda: crowd.seen == ["heavy"])
    seen = []

    def waiting(ahead):
        seen.append(f"{ahead} ahead")
        shut.set()

    with crowd.scheduler.page():
        for part in range(4):
            with crowd.scheduler.turn("light", waiting) as hand_on:
                clock.now += fair_scheduler.HEAD_START / 2
                hand_on()
                seen.append(part)
    assert seen[:2] == [0, "1 ahead"]
    assert [part for part in seen if isinstance(part, int)] == [0, 1, 2, 3]
    crowd.all_done()


def test_a_page_that_computes_or_waits_to_is_not_waited_for(crowd, monkeypatch):
    monkeypatch.setattr(fair_scheduler, "COURTESY", 10.0)
    monkeypatch.setattr(fair_scheduler, "HEAD_START", 0.0)
    began = time.monotonic()

    def page():
        with crowd.scheduler.page(), crowd.scheduler.turn("page", lambda ahead: None) as hand_on:
            hand_on()
            crowd.seen.append("computed")

    threads = [threading.Thread(target=page, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert crowd.seen == ["computed"] * 3
    assert time.monotonic() - began < 5


def test_pages_are_made_one_by_one_as_they_were_asked_for(crowd):
    names = [f"session{number}" for number in range(8)]
    with crowd.scheduler.page():
        for name in names:
            crowd.ask(name)
        assert crowd.made == []
    crowd.all_done()
    assert crowd.made == names


def test_who_asks_for_another_page_while_waiting_keeps_the_place(crowd):
    moved = [True]

    def reached():
        if moved.pop():
            crowd.made.append("moved on")
            raise RuntimeError  # as Streamlit does; then it runs the script anew

    def run():
        for _ in range(2):
            with contextlib.suppress(RuntimeError), crowd.scheduler.page("first", reached):
                crowd.made.append("first")

    moved[:] = [False, True]
    with crowd.scheduler.page():
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        until(lambda: crowd.scheduler._waiting)
        for name in ("second", "third"):
            crowd.ask(name)
    crowd.all_done()
    thread.join(10)
    assert crowd.made[0] == "moved on"
    assert crowd.made.index("first") < crowd.made.index("third")
    assert not crowd.scheduler._places


def test_who_computes_long_or_waits_makes_room_for_other_pages_and_goes_on_first(crowd):
    for away in (crowd.scheduler.aside, lambda: long(crowd.scheduler)):
        crowd.made.clear()
        with crowd.scheduler.page("long"):
            crowd.ask("short")
            crowd.ask("later", make=lambda: crowd.made.append("later made"))
            with away():
                until(lambda: "later" in crowd.made)
            crowd.made.append("long")
        crowd.all_done()
        assert crowd.made == ["short", "later", "later made", "long"]


def test_a_page_that_takes_long_without_a_pause_holds_nobody_up(crowd, monkeypatch):
    monkeypatch.setattr(fair_scheduler, "PATIENCE", 0.05)
    shut = threading.Event()
    with crowd.scheduler.page("long"):
        for name in ("first", "second"):
            crowd.ask(name, make=lambda: shut.wait(10))
        until(lambda: crowd.made == ["first", "second"])
        shut.set()
        crowd.all_done()


def test_who_has_a_file_read_makes_room_for_other_pages(crowd, monkeypatch):

    def read(function, **options):
        until(lambda: crowd.made == ["short"])
        return "read"

    monkeypatch.setattr(work, "SCHEDULER", crowd.scheduler)
    monkeypatch.setattr(work.readers, "read", read)
    with crowd.scheduler.page("reader"):
        crowd.ask("short")
        assert work.stoppable("file", "file", "part", len) == "read"
    crowd.all_done()


@contextlib.contextmanager
def long(of):
    with of.turn("long", lambda ahead: None) as hand_on:
        time.sleep(2 * fair_scheduler.HEAD_START)
        hand_on()
        yield
