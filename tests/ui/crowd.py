"""Sessions that compete for the scheduler, each in its own thread, with a manual clock."""

import contextlib
import threading
import time

from dptopk.ui.server.fair_scheduler import FairScheduler


class Clock:
    """Time that passes only when told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Crowd:
    """Sessions in threads of their own: what they did, in order, and what they were told."""

    def __init__(self, clock=time.monotonic):
        self.clock, self.scheduler = clock, FairScheduler(clock)
        self.seen: list[str] = []
        self.ahead: dict[str, int] = {}
        self.leaving: set[str] = set()
        self.left: list[str] = []
        self.made: list[str] = []  # names of the pages, as they were begun
        self.threads: list[threading.Thread] = []

    def enter(self, name, work):
        """Let a session come and do its work within a turn."""

        def waiting(ahead):
            self.ahead[name] = ahead
            if name in self.leaving:
                raise SystemExit

        def run():
            try:
                with self.scheduler.turn(name, waiting) as hand_on:
                    self.seen.append(name)
                    work(hand_on)
            except SystemExit:
                self.left.append(name)

        self._start(run)

    def ask(self, name, reached=lambda: None, make=lambda: None):
        """Let a session ask for a page, and wait until it waits, or is made."""
        before = len(self.scheduler._waiting)

        def run():
            with contextlib.suppress(RuntimeError), self.scheduler.page(name, reached):
                self.made.append(name)
                make()

        self._start(run)
        until(lambda: len(self.scheduler._waiting) > before or name in self.made)

    def _start(self, run):
        thread = threading.Thread(target=run, daemon=True)
        self.threads.append(thread)
        thread.start()

    def until_waiting(self, *names):
        """Wait until these wait."""
        until(lambda: set(names) <= set(self.ahead))

    def all_done(self):
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive()


def until(condition):
    """Wait for something that other threads do."""
    for _ in range(2_000):
        if condition():
            return
        time.sleep(0.005)
    raise AssertionError("it did not come within ten seconds")
