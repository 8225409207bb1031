"""Test that the log of a server is bounded whatever clients send, and quotes none of it."""

import io
import logging
from collections import deque

import pytest

from dptopk.ui.server import log_lines
from dptopk.ui.server.log_lines import MOST_CHARACTERS, MOST_LINES


@pytest.fixture
def log(monkeypatch):
    """A log with the handler that Streamlit gives each logger, and what was written to it."""
    clock, written = [0.0], io.StringIO()
    monkeypatch.setattr(log_lines.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(log_lines, "_written", deque(maxlen=MOST_LINES))
    before = logging.getLogRecordFactory()
    log_lines.shorten()
    logger = logging.Logger("of one test")
    logger.addHandler(logging.StreamHandler(written))
    logger.clock, logger.lines = clock, lambda: written.getvalue().splitlines()
    yield logger
    logging.setLogRecordFactory(before)


def test_an_error_is_one_line_of_its_type_and_place(log):
    try:
        {}["Anna Smith"]
    except KeyError:
        log.exception("Uncaught\napp %s", "execution\x1b[2J")
    (line,) = log.lines()
    assert line.startswith("Uncaught app execution [2J: KeyError in server/test_log_lines.py:")
    assert "Anna" not in line


def test_a_line_is_as_long_as_it_may_be(log):
    log.warning("No fragment %s", "x" * 10**6)
    assert [len(line) for line in log.lines()] == [MOST_CHARACTERS]


def test_lines_beyond_those_of_a_minute_are_left_out(log):
    for _ in range(10_000):
        log.warning("malformed")
    note = "malformed (further lines of this minute are left out)"
    assert log.lines() == ["malformed"] * (MOST_LINES - 1) + [note]
    log.clock[0] = 60.0
    log.warning("malformed")
    assert log.lines()[MOST_LINES:] == ["malformed"]


def test_who_asks_for_debugging_gets_all(log, monkeypatch):
    logging.setLogRecordFactory(logging.LogRecord)
    monkeypatch.setattr(log_lines.st, "get_option", {"logger.level": "debug"}.get)
    log_lines.shorten()
    log.warning("x" * 1_000 + "\n" + "y")
    assert [len(line) for line in log.lines()] == [1_000, 1]
