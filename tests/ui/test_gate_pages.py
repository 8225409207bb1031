"""Pages that are being made: their head start, and the moment that is left to them."""

import threading
import time

import pytest
from crowd import Clock, Crowd, until

from dptopk.ui import gate


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(gate, "POLL", 0.005)
    monkeypatch.setattr(gate, "SLICE", 1.0)  # of the clock's; sums of it are exact


@pytest.fixture
def crowd():
    return Crowd()


def test_who_computes_lets_pages_be_made_first_but_not_one_that_broke_off(crowd, monkeypatch):
    monkeypatch.setattr(gate, "COURTESY", 10.0)
    came = threading.Event()

    def make():
        with crowd.gate.page():
            crowd.enter("heavy", lambda hand_on: (hand_on(), came.set()))
            assert not came.wait(0.2)
            raise SystemExit

    with pytest.raises(SystemExit):
        make()
    assert came.wait(5)


def test_who_computes_waits_for_pages_a_moment_only(crowd, monkeypatch):
    monkeypatch.setattr(gate, "COURTESY", 0.01)
    with crowd.gate.page():
        crowd.enter("heavy", lambda hand_on: hand_on())
        crowd.all_done()
    assert crowd.seen == ["heavy"]


def test_what_a_page_computes_at_once_waits_for_nobody_and_more_takes_turns():
    """A head start for all that one page computes, not for each part of it."""
    clock, shut = Clock(), threading.Event()
    crowd = Crowd(clock)
    crowd.enter("heavy", lambda hand_on: shut.wait(10))
    until(lambda: crowd.seen == ["heavy"])
    seen = []

    def waiting(ahead):
        seen.append(f"{ahead} ahead")
        shut.set()

    with crowd.gate.page():
        for part in range(4):
            with crowd.gate.turn("light", None, waiting) as hand_on:
                clock.now += gate.HEAD_START / 2
                hand_on()
                seen.append(part)
    assert seen[:2] == [0, "1 ahead"]
    assert [part for part in seen if isinstance(part, int)] == [0, 1, 2, 3]
    crowd.all_done()


def test_a_page_that_computes_or_waits_to_is_not_waited_for(crowd, monkeypatch):
    monkeypatch.setattr(gate, "COURTESY", 10.0)
    monkeypatch.setattr(gate, "HEAD_START", 0.0)
    began = time.monotonic()

    def page():
        with crowd.gate.page(), crowd.gate.turn("page", None, lambda ahead: None) as hand_on:
            hand_on()
            crowd.seen.append("computed")

    threads = [threading.Thread(target=page, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert crowd.seen == ["computed"] * 3
    assert time.monotonic() - began < 5
