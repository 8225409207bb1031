"""Test the scheduler: one turn at a time, fairness, release on errors."""

import contextlib
import threading
import time

import pytest
from crowd import until

from dptopk.ui.server import fair_scheduler


def of_turns(crowd, clock, name, n, seconds, shut=None):
    """Work of so many slices, each handed on where somebody waits."""

    def work(hand_on):
        for slice in range(n):
            if shut is not None:
                shut.wait(10)
            crowd.seen.append(f"{name}{slice}")
            clock.now += seconds
            hand_on()

    return work


def test_sessions_take_turns_slice_by_slice(timed):
    crowd, clock, shut = timed, timed.clock, threading.Event()
    for name in "abc":
        crowd.enter(name, of_turns(crowd, clock, name, 3, fair_scheduler.SLICE, shut))
        until(lambda name=name: name in crowd.seen or name in crowd.ahead)
    shut.set()
    crowd.all_done()
    slices = [seen for seen in crowd.seen if len(seen) == 2]
    assert slices == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2"]


def test_who_comes_with_little_passes_those_who_had_much(timed):
    crowd, clock, shut = timed, timed.clock, threading.Event()

    def meets_the_light_one(hand_on):
        shut.wait(10)
        for slice in range(3):
            if slice == 2:
                crowd.enter("light", lambda hand_on: None)
                crowd.until_waiting("light")
            clock.now += fair_scheduler.SLICE
            hand_on()

    crowd.enter("first", meets_the_light_one)
    until(lambda: crowd.seen == ["first"])
    for number in range(5):
        crowd.enter(
            f"heavy{number}", of_turns(crowd, clock, f"heavy{number}-", 5, fair_scheduler.SLICE)
        )
        crowd.until_waiting(f"heavy{number}")
    shut.set()
    crowd.all_done()
    before = crowd.seen[: crowd.seen.index("light")]
    # two rounds were over, and nobody else had begun the third
    assert sorted(name for name in before if "-" in name) == sorted(
        f"heavy{number}-{slice}" for number in range(5) for slice in range(2)
    )


def test_a_turn_is_kept_where_nobody_waits_or_the_slice_is_not_over(timed):
    timed.enter("alone", of_turns(timed, timed.clock, "alone", 3, 10 * fair_scheduler.SLICE))
    timed.all_done()
    assert timed.seen == ["alone", "alone0", "alone1", "alone2"]


@pytest.mark.parametrize("error", [ValueError, SystemExit, KeyboardInterrupt])
def test_a_turn_is_given_back_whatever_ends_it(crowd, error):
    for came_by in (contextlib.nullcontext, crowd.scheduler.page):  # with its head start
        with came_by(), pytest.raises(error), crowd.scheduler.turn("broken", lambda ahead: None):
            raise error
    crowd.enter("next", lambda hand_on: None)
    crowd.all_done()
    assert crowd.seen == ["next"]


def test_who_leaves_while_waiting_is_in_nobodys_way(crowd):
    shut = threading.Event()
    crowd.enter("first", lambda hand_on: shut.wait(10))
    until(lambda: crowd.seen == ["first"])
    for name in ("second", "third"):
        crowd.enter(name, lambda hand_on: None)
        crowd.until_waiting(name)
    assert crowd.ahead["second"] == 1
    assert crowd.ahead["third"] == 2
    crowd.leaving.add("second")
    until(lambda: crowd.left == ["second"])
    until(lambda: crowd.ahead["third"] == 1)
    shut.set()
    crowd.all_done()
    assert crowd.seen == ["first", "third"]


def test_who_leaves_after_handing_its_turn_on_does_not_take_the_others(timed):
    crowd, clock, shut = timed, timed.clock, threading.Event()
    crowd.leaving.add("leaves")  # as soon as it has to wait

    def hands_on(hand_on):
        crowd.until_waiting("other")
        clock.now += fair_scheduler.SLICE
        hand_on()

    crowd.enter("leaves", hands_on)
    until(lambda: crowd.seen == ["leaves"])
    crowd.enter("other", lambda hand_on: shut.wait(10))
    until(lambda: crowd.left == ["leaves"])
    crowd.enter("third", lambda hand_on: None)
    crowd.until_waiting("third")  # the turn is still that of the other
    shut.set()
    crowd.all_done()
    assert crowd.seen == ["leaves", "other", "third"]


def test_a_turn_within_a_turn_waits_for_nothing(crowd):
    def nested(hand_on):
        with crowd.scheduler.turn("one", lambda ahead: None) as inner:
            inner()
            crowd.seen.append("nested")

    crowd.enter("one", nested)
    crowd.all_done()
    assert crowd.seen == ["one", "nested"]


def test_many_who_come_and_leave_leave_nothing_behind(crowd, monkeypatch):
    """Twenty sessions, half of which leave while they wait: the others get through, one by one."""
    crowd.leaving.update(f"session{number}" for number in range(1, 20, 2))
    inside, most = [], []

    def work(hand_on):
        for _ in range(3):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.002)
            inside.pop()
            hand_on()

    monkeypatch.setattr(fair_scheduler, "SLICE", 0.002)
    for number in range(20):
        crowd.enter(f"session{number}", work)
    crowd.all_done()
    assert set(most) == {1}
    with crowd.scheduler.turn("last", lambda ahead: pytest.fail("somebody is still before")):
        crowd.seen.append("last")
    assert set(crowd.seen) >= {"last", *(f"session{number}" for number in range(0, 20, 2))}
