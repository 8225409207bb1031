"""Test the limits on open sessions, and the message beyond them."""

import math

import pytest

from dptopk.ui.server.session_limits import (
    LEAST_MEMORY,
    OF_A_CLIENT,
    OF_ALL,
    SessionLimits,
    memory_left,
)

OF_CLIENT = "2 sessions are open from your address:\nclose one, and this page opens."
OF_ALL_WORDS = (
    "3 sessions are open, as many as this\nserver holds: as soon as one is\n"
    "closed, this page opens."
)


def test_one_client_and_all_together_have_so_many_and_no_more():
    limits = SessionLimits(2, 3)
    for _ in range(2):
        assert limits.refusal("192.0.2.1") == ""
        limits.take("192.0.2.1")
    assert limits.refusal("192.0.2.1") == OF_CLIENT
    assert limits.refusal("192.0.2.2") == ""
    limits.take("192.0.2.2")
    assert limits.refusal("192.0.2.2") == OF_ALL_WORDS
    limits.leave("192.0.2.1")
    assert limits.refusal("192.0.2.1") == limits.refusal("192.0.2.2") == ""


def test_who_comes_where_memory_is_short_is_told_so():
    left = [float(LEAST_MEMORY)]
    limits = SessionLimits(2, 3, lambda: left[0])
    assert limits.refusal("192.0.2.1") == ""
    left[0] -= 1
    assert "too little memory left" in limits.refusal("192.0.2.1")


def test_the_least_that_any_limit_leaves_counts(tmp_path):
    assert memory_left(tmp_path) == math.inf

    def told(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return memory_left(tmp_path)

    told("proc/self/status", "VmPeak:\t   900 kB\nVmSize:\t   400 kB\n")
    told("sys/fs/cgroup/memory.current", "5000000\n")
    told("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 1000\nactive_file 100\n")
    assert told("sys/fs/cgroup/memory.max", "max\n") == math.inf
    unlimited = "Max address space         unlimited            unlimited            bytes\n"
    assert told("proc/self/limits", unlimited) == math.inf
    meminfo = "MemTotal:       9000 kB\nMemAvailable:   7000 kB\n"
    assert told("proc/meminfo", meminfo) == 7_000 * 1024
    assert told("sys/fs/cgroup/memory.max", "8000000\n") == 3_001_100
    limited = "Max address space         1000000              unlimited            bytes\n"
    assert told("proc/self/limits", limited) == 1_000_000 - 400 * 1024
    assert memory_left() > 0  # of this machine


def test_a_course_of_120_behind_one_address_gets_in():
    limits = SessionLimits(memory=lambda: math.inf)
    for _ in range(120):
        assert limits.refusal("192.0.2.1") == ""
        limits.take("192.0.2.1")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),  # one connection has a whole network
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "192.0.2.2", False),
        ("", "", True),  # a socket of the system
    ],
)
def test_a_client_is_who_has_the_address(one, other, same):
    limits = SessionLimits(1, 9)
    limits.take(one)
    assert bool(limits.refusal(other)) is same


def test_the_environment_says_how_many():
    def both(**given):
        limits = SessionLimits.of_environment(given)
        return limits._of_a_client, limits._of_all

    assert both() == (OF_A_CLIENT, OF_ALL)
    assert both(DPTOPK_SESSIONS_OF_CLIENT="3", DPTOPK_SESSIONS="50") == (3, 50)
    for wrong in ("0", "-1", "", "many", "٣", "1.5"):
        with pytest.raises(
            SystemExit, match="start: DPTOPK_SESSIONS must be a number from 1 on, got"
        ):
            both(DPTOPK_SESSIONS=wrong)
