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
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SLICE = 0.1  # seconds after which a turn is handed on where somebody waits
COURTESY = 0.15  # most seconds for which a slice waits for pages that are just being made
MOST_PAGES = 1  # that are made at once: one thread at a time has the interpreter
PATIENCE = 0.5  # seconds after which the next page is begun beside one that is still made
HEAD_START = 0.05  # seconds that a page computes in all before it takes turns
POLL = 0.1  # seconds between looks at whether one who waits has left
SWITCH = 0.001  # seconds for which a thread may hold the interpreter that another one wants
MOST_OF_A_CLIENT = 150  # turns that one client may wait for: a course behind one address


class CrowdedError(Exception):
    """One client waits for too many turns."""


@dataclass(eq=False)
class _Place:
    """A place in the queue, ordered by tag; at equal tags new sessions come first."""

    session: str
    client: str | None
    tag: float  # seconds of computing, as if all who want to had computed side by side
    anew: bool  # without a turn lately
    number: int
    called: threading.Condition

    @property
    def order(self) -> tuple[float, bool, int]:
        return self.tag, not self.anew, self.number


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
        self._queue: list[_Place] = []
        self._numbers = itertools.count()
        self._now = 0.0  # tag of the turn that was begun last
        self._had: dict[str, float] = {}  # tag of the next turn, of sessions that had one lately
        self._thread: int | None = None  # who computes
        self._since = 0.0
        self._pages: dict[int, _Page] = {}  # of threads that make one outside of turns
        self._came = itertools.count()
        self._waiting: dict[int, threading.Condition] = {}  # pages to be made, as they came
        self._places: dict[str, int] = {}  # of sessions that gave theirs up to ask for another page
        self._made = threading.Condition(self._lock)

    @contextlib.contextmanager
    def page(
        self, session: str = "", reached: Callable[[], object] = lambda: None
    ) -> Iterator[None]:
        """Run a page within the context; computations in turns yield to it for a moment.

        Parameters
        ----------
        session : str, optional
            Session of the page.
        reached : callable, optional
            Called when the page is to run; may raise if another page was requested meanwhile, which
            then takes this one's place.
        """
        with self._lock:
            came = self._places.pop(session, None)
            came = next(self._came) if came is None else came
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
        """Wait until no earlier page is waiting, and begin."""
        with self._lock:
            called = self._waiting[page.came] = threading.Condition(self._lock)
            try:
                while True:
                    first, left = page.came == min(self._waiting), self._left_of_pages()
                    if first and len(left) < MOST_PAGES:
                        break
                    called.wait(min(left) if first else None)
                page.began = self._clock()
                self._pages[threading.get_ident()] = page
            finally:
                del self._waiting[page.came]
                self._call_page()

    def _left_of_pages(self) -> list[float]:
        """Return the seconds for which each running page still has precedence."""
        left = (PATIENCE - (self._clock() - page.began) for page in self._pages.values())
        return [seconds for seconds in left if seconds > 0]

    def _forget(self, thread: int) -> _Page | None:
        """End the page run of a thread, if there is one."""
        page = self._pages.pop(thread, None)
        if not self._pages:
            self._made.notify_all()
        self._call_page()
        return page

    def _call_page(self) -> None:
        """Notify the next waiting page."""
        if not self._waiting:
            self._places.clear()  # nobody is before anybody
        else:
            self._waiting[min(self._waiting)].notify()

    @contextlib.contextmanager
    def turn(
        self, session: str, client: str | None, waiting: Callable[[int], object]
    ) -> Iterator[Callable[[], None]]:
        """Compute within the context; yields a function at which the turn may be handed on.

        Parameters
        ----------
        session : str
            Session of the turn: sessions are served fairly.
        client : str or None
            Client of the session, if known: the turns that a client waits for are limited.
        waiting : callable
            Called with the number of places before this one; may raise, which gives it up.

        Raises
        ------
        CrowdedError
            The client waits for `MOST_OF_A_CLIENT` turns already.
        """
        thread = threading.get_ident()
        if self._thread == thread:  # within a turn of its own
            yield lambda: None
            return
        page, came = self._pages.get(thread), self._clock()
        left = page.left if page else 0.0  # of the head start
        place: _Place | None = None
        begun = False

        def begin() -> None:
            nonlocal begun
            assert place is not None
            self._await(place, waiting)
            begun = True

        def join() -> None:
            nonlocal place
            with self._lock:
                of_client = sum(other.client == client for other in self._queue)
                if client is not None and of_client >= MOST_OF_A_CLIENT:
                    raise CrowdedError
                place = self._queued(session, client)
                self._forget(thread)
            begin()

        def hand_on() -> None:
            nonlocal place, begun
            if place is None:
                if self._clock() - came >= left:
                    join()
                return
            with self._lock:
                self._made.wait_for(lambda: not self._pages, COURTESY)
                if self._clock() - self._since < SLICE or not self._queue:
                    return
                self._end(place)
                begun = False
                place = self._queued(session, client)
                self._call()
            begin()

        try:
            if left <= 0:
                join()
            yield hand_on
        finally:
            with self._lock:
                if begun and place is not None:  # else waiting was broken off, or not begun
                    self._end(place)
                    self._call()
                if page is not None:
                    page.left = left - (self._clock() - came) if place is None else 0.0
        if page is not None and place is not None:
            self._begin_page(page)

    def _queued(self, session: str, client: str | None) -> _Place:
        """Append a place to the queue."""
        tag = max(self._now, self._had.get(session, 0.0))
        anew, called = session not in self._had, threading.Condition(self._lock)
        place = _Place(session, client, tag, anew, next(self._numbers), called)
        self._queue.append(place)
        return place

    def _await(self, place: _Place, waiting: Callable[[int], object]) -> None:
        """Wait for a turn and begin it."""
        try:
            while (ahead := self._tried(place)) > 0:
                waiting(ahead)
        except BaseException:  # of whoever left: a closed tab, a moved control
            with self._lock:
                self._queue.remove(place)
                self._call()
            raise

    def _tried(self, place: _Place) -> int:
        """Begin the turn if it is next, else wait a moment; return the number of places before."""
        with self._lock:
            if not self._free_for(place):
                place.called.wait(POLL)
            if self._free_for(place):
                self._queue.remove(place)
                self._thread, self._since = threading.get_ident(), self._clock()
                self._now = max(self._now, place.tag)
                return 0
            before = sum(other.order < place.order for other in self._queue)
            return before + (self._thread is not None)

    def _free_for(self, place: _Place) -> bool:
        return self._thread is None and place is self._next()

    def _next(self) -> _Place:
        return min(self._queue, key=lambda place: place.order)

    def _end(self, place: _Place) -> None:
        """End a turn."""
        self._had[place.session] = place.tag + self._clock() - self._since
        if not self._queue:  # nobody is behind anybody
            self._now = max(self._had.values())
        self._had = {one: tag for one, tag in self._had.items() if tag > self._now}
        self._thread = None

    def _call(self) -> None:
        """Notify the next place."""
        if self._queue and self._thread is None:
            self._next().called.notify()


class Unscheduled(FairScheduler):
    """Scheduler without turns, the baseline of the load test."""

    @contextlib.contextmanager
    def page(
        self, session: str = "", reached: Callable[[], object] = lambda: None
    ) -> Iterator[None]:
        """Run a page at once."""
        yield

    @contextlib.contextmanager
    def turn(
        self, session: str, client: str | None, waiting: Callable[[int], object]
    ) -> Iterator[Callable[[], None]]:
        """Compute at once."""
        yield lambda: None


sys.setswitchinterval(SWITCH)  # a page lets go of it often, and got it back after 5 ms each time
SCHEDULER = Unscheduled() if os.environ.get("DPTOPK_SCHEDULER") == "off" else FairScheduler()
"""Scheduler of the process.  ``DPTOPK_SCHEDULER=off`` takes it away; see benchmarks/load.py."""
