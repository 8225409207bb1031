"""Schedule computations and page runs fairly among the sessions of the process.

All sessions share one interpreter, so that computations take turns.  A turn ends after a slice of
time; the next one goes to the session that has had the least (start-time fair queueing: Goyal, Vin
and Cheng 1996), so that a short computation waits for one slice only.  Between batches a
computation also yields to page runs for a moment.  Computing within a page run needs no turn until
it exceeds the head start.

Pages run one after the other, in the order of the requests: run concurrently, the first page of a
class that arrives at once would be as late as the last.  A page that takes turns, or that takes
longer than most, lets the next page begin.

To avoid deadlocks, take turns inside of a cache and never call a locking cache within a turn.  This
module does not depend on Streamlit; `work` does.

Long work stays in the process: worker processes would take the second core from pages as well, and
benchmarks/load.py prints what a page then takes at best, beside what it takes here.
"""

import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SLICE = 0.1  # seconds after which a turn is handed on where somebody waits
COURTESY = 0.15  # most seconds for which a slice waits for pages that are just being made
PATIENCE = 0.5  # seconds after which the next page is begun beside one that is still made
HEAD_START = 0.05  # seconds that a page computes in all before it takes turns
POLL = 0.1  # seconds between looks at whether one who waits has left
SWITCH = 0.001  # seconds for which a thread may hold the interpreter that another one wants

_Order = tuple[float, bool, int]
"""Place in the queue: seconds of computing, as if all who want to had computed side by side; True
after a turn lately, so that of equals new sessions come first; a number."""


@dataclass(eq=False)
class _Page:
    """A page run: its place, the rest of its head start, and its start time."""

    came: int
    left: float
    began: float = 0.0


class FairScheduler:
    """Scheduler that grants one turn at a time; ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._queue: dict[_Order, threading.Condition] = {}
        self._thread: int | None = None  # that computes
        self._tag, self._since = 0.0, 0.0  # of its turn
        self._now = 0.0  # tag of the turn that was begun last
        self._had: dict[str, float] = {}  # tag of the next turn, of sessions that had one lately
        self._pages: dict[int, _Page] = {}  # of threads that make one outside of turns
        self._waiting: dict[int, threading.Condition] = {}  # pages to be made, as they came
        self._places: dict[str, int] = {}  # of sessions that gave theirs up to ask for another page
        self._made = threading.Condition(self._lock)

    @contextlib.contextmanager
    def page(
        self, session: str = "", reached: Callable[[], object] = lambda: None
    ) -> Iterator[None]:
        """Run a page within the context; computations in turns yield to it for a moment.

        ``reached`` is called when the page is to run.  It may raise if the session requested
        another page meanwhile, which then takes this one's place.
        """
        with self._lock:
            came = self._places.pop(session, next(self._numbers))
        self._begin_page(_Page(came, HEAD_START))
        try:
            try:
                reached()
            except BaseException:
                with self._lock:
                    self._places[session] = came
                raise
            yield
        finally:
            with self._lock:
                self._forget(threading.get_ident())

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Wait for an external result within the context, while other pages run."""
        with self._lock:
            page = self._forget(threading.get_ident())
        yield
        if page is not None:
            self._begin_page(page)

    def _begin_page(self, page: _Page) -> None:
        """Wait until no earlier page waits and none that runs has precedence, and begin."""
        with self._lock:
            called = self._waiting[page.came] = threading.Condition(self._lock)
            try:
                while (first := min(self._waiting)) != page.came or self._left_of_pages() > 0:
                    called.wait(self._left_of_pages() if first == page.came else None)
                page.began = self._clock()
                self._pages[threading.get_ident()] = page
            finally:
                del self._waiting[page.came]
                _call_first(self._waiting)

    def _left_of_pages(self) -> float:
        """Return the seconds for which a running page still has precedence."""
        now = self._clock()
        return max((page.began + PATIENCE - now for page in self._pages.values()), default=0.0)

    def _forget(self, thread: int) -> _Page | None:
        """End the page run of a thread, if there is one."""
        page = self._pages.pop(thread, None)
        if not self._pages:
            self._made.notify_all()
        if not self._waiting:  # nobody is before anybody
            self._places.clear()
        _call_first(self._waiting)
        return page

    @contextlib.contextmanager
    def turn(self, session: str, waiting: Callable[[int], object]) -> Iterator[Callable[[], None]]:
        """Compute within the context; yields a function at which the turn may be handed on.

        ``waiting`` is called with the number of places before this one; it may raise, which gives
        the place up.
        """
        thread = threading.get_ident()
        if self._thread == thread:  # within a turn of its own
            yield lambda: None
            return
        page, joined = self._pages.get(thread), False
        ahead_until = self._clock() + (page.left if page else 0.0)

        def hand_on() -> None:
            nonlocal joined
            with self._lock:
                if joined:
                    self._made.wait_for(lambda: not self._pages, COURTESY)
                    if self._clock() - self._since < SLICE or not self._queue:
                        return
                    self._end(session)
                elif self._clock() < ahead_until:
                    return
                else:
                    joined = True
                    self._forget(thread)
                tag = max(self._now, self._had.get(session, 0.0))
                place = tag, session in self._had, next(self._numbers)
                self._queue[place] = threading.Condition(self._lock)
            self._await(place, waiting)

        try:
            hand_on()
            yield hand_on
        finally:
            with self._lock:
                if self._thread == thread:  # else waiting was broken off, or not begun
                    self._end(session)
                if page is not None:
                    page.left = 0.0 if joined else ahead_until - self._clock()
        if page is not None and joined:
            self._begin_page(page)

    def _await(self, place: _Order, waiting: Callable[[int], object]) -> None:
        """Wait for a turn and begin it."""
        try:
            while (ahead := self._tried(place)) > 0:
                waiting(ahead)
        except BaseException:  # of whoever left: a closed tab, a moved control
            with self._lock:
                del self._queue[place]
                _call_first(self._queue)
            raise

    def _tried(self, place: _Order) -> int:
        """Begin the turn once it is next; else, after a moment, return how many are before."""
        with self._lock:
            if self._queue[place].wait_for(
                lambda: self._thread is None and place == min(self._queue), POLL
            ):
                del self._queue[place]
                self._thread, self._since = threading.get_ident(), self._clock()
                self._tag = place[0]
                self._now = max(self._now, self._tag)
                return 0
            return sum(other < place for other in self._queue) + (self._thread is not None)

    def _end(self, session: str) -> None:
        self._had[session] = self._tag + self._clock() - self._since
        if not self._queue:  # nobody is behind anybody
            self._now = max(self._had.values())
        self._had = {one: tag for one, tag in self._had.items() if tag > self._now}
        self._thread = None
        _call_first(self._queue)


def _call_first(waiting: Mapping[Any, threading.Condition]) -> None:
    """Notify the first of those that wait, by place."""
    if waiting:
        waiting[min(waiting)].notify()


sys.setswitchinterval(SWITCH)  # a page lets go of it often, and got it back after 5 ms each time
SCHEDULER = FairScheduler()
"""Scheduler of the process."""
