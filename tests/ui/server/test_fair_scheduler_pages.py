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
        with (
            crowd.scheduler.page(),
            crowd.scheduler.turn("page", lambda ahead: None) as hand_on,
        ):
            hand_on()
            crowd.seen.append("computed")

    threads = [threading.Thread(target=page, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert crowd.seen == ["computed"] * 3
    assert time.monotonic() - began < 5


class Queue:
    """Sessions that ask for pages, each in a thread of its own, while one is being made."""

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.made: list[str] = []
        self.threads: list[threading.Thread] = []

    def ask(self, name, reached=lambda: None, make=lambda: None):
        """Ask for a page, and wait until it waits, or is made."""
        before = len(self.scheduler._waiting)

        def run():
            with contextlib.suppress(RuntimeError), self.scheduler.page(name, reached):
                self.made.append(name)
                make()

        thread = threading.Thread(target=run, daemon=True)
        self.threads.append(thread)
        thread.start()
        until(lambda: len(self.scheduler._waiting) > before or name in self.made)
        return thread

    def all_done(self):
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive()


def test_pages_are_made_one_by_one_as_they_were_asked_for(crowd):
    queue = Queue(crowd.scheduler)
    names = [f"session{number}" for number in range(8)]
    with crowd.scheduler.page():
        for name in names:
            queue.ask(name)
        assert queue.made == []
    queue.all_done()
    assert queue.made == names


def test_who_asks_for_another_page_while_waiting_keeps_the_place(crowd):
    queue, moved = Queue(crowd.scheduler), [True]

    def reached():
        if moved.pop():
            queue.made.append("moved on")
            raise RuntimeError  # as Streamlit does; then it runs the script anew

    def run():
        for _ in range(2):
            with contextlib.suppress(RuntimeError), crowd.scheduler.page("first", reached):
                queue.made.append("first")

    moved[:] = [False, True]
    with crowd.scheduler.page():
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        until(lambda: crowd.scheduler._waiting)
        for name in ("second", "third"):
            queue.ask(name)
    queue.all_done()
    thread.join(10)
    assert queue.made[0] == "moved on"
    assert queue.made.index("first") < queue.made.index("third")
    assert not crowd.scheduler._places


def test_who_computes_long_or_waits_makes_room_for_other_pages_and_goes_on_first(crowd):
    queue = Queue(crowd.scheduler)
    for away in (crowd.scheduler.aside, lambda: long(crowd.scheduler)):
        queue.made.clear()
        with crowd.scheduler.page("long"):
            queue.ask("short")
            queue.ask("later", make=lambda: queue.made.append("later made"))
            with away():
                until(lambda: "later" in queue.made)
            queue.made.append("long")
        queue.all_done()
        assert queue.made == ["short", "later", "later made", "long"]


def test_a_page_that_takes_long_without_a_pause_holds_nobody_up(crowd, monkeypatch):
    monkeypatch.setattr(fair_scheduler, "PATIENCE", 0.05)
    queue, shut = Queue(crowd.scheduler), threading.Event()
    with crowd.scheduler.page("long"):
        for name in ("first", "second"):
            queue.ask(name, make=lambda: shut.wait(10))
        until(lambda: queue.made == ["first", "second"])
        shut.set()
        queue.all_done()


def test_who_has_a_file_read_makes_room_for_other_pages(crowd, monkeypatch):
    queue = Queue(crowd.scheduler)

    def read(function, **options):
        until(lambda: queue.made == ["short"])
        return "read"

    monkeypatch.setattr(work, "SCHEDULER", crowd.scheduler)
    monkeypatch.setattr(work.readers, "read", read)
    with crowd.scheduler.page("reader"):
        queue.ask("short")
        assert work.stoppable("file", "file", "part", "Reading", len) == "read"
    queue.all_done()


@contextlib.contextmanager
def long(of):
    with of.turn("long", lambda ahead: None) as hand_on:
        time.sleep(2 * fair_scheduler.HEAD_START)
        hand_on()
        yield
