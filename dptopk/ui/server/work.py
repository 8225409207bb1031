"""Run long computations in pieces that are cached, stoppable and shared out among sessions.

Finished pieces are cached, so that a run that was stopped, or interrupted by moving a control,
loses nothing.  Results are stored in the session alone and deleted with it; only results computed
from bundled data are shared by all sessions and computed by one of them, so that a class that
opens one link waits for one computation.  The second part of a token names the data; see `share`.
"""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dptopk.core import cancellation
from dptopk.data.ingest import IngestError
from dptopk.questions.runner import Task
from dptopk.ui import keys, show
from dptopk.ui.server import readers, session_expiry, streamlit_internals
from dptopk.ui.server.fair_scheduler import POLL, SCHEDULER
from dptopk.ui.server.lru_cache import LRUCache

LOOPS_SECONDS = 0.02  # between pauses inside of one computation
QUIET_SECONDS = 0.4  # no progress is shown for work shorter than this
# One Stop at a time: Streamlit's own ends the script where it stands, and from then on nothing that
# the script sends arrives.  Our progress would stay as if it went on; ours says that it was stopped
# and offers to continue.  No rule on `body:has(...)`, for which Chromium looks through the whole
# page at every change, of which a figure makes hundreds: drawing took it twice as long.
_ONE_STOP = """<i hidden></i><style>
[data-testid="stStatusWidget"] button {display: none}
[data-testid="stElementContainer"]:has(> .stHtml > i[hidden]) {position: absolute}
</style>"""
_BETWEEN = 0.1  # seconds between two looks of a bar
MOST_KEPT = 1_000_000  # size of the results remembered in a session, in rows of trials

MOST_SHARED = 1_000_000  # of those of the bundled data, for all sessions, likewise
_SHARED = LRUCache(MOST_SHARED)
_Token = tuple[Any, ...]
_MAKING: WeakValueDictionary[_Token, threading.Lock] = WeakValueDictionary()  # of them, held
_LOOKED_UP = threading.Lock()  # held to find one of these
_BUNDLED: set[Hashable] = set()  # digests of bundled data
_RUNS: WeakValueDictionary[str, threading.Thread] = WeakValueDictionary()  # the last of a session
_MISSING = object()  # in place of a result that may be None
_unfinished = threading.local()  # whether something was stopped in the run of this thread

T = TypeVar("T")

Sketched = Callable[[dict[_Token, Any]], Any]
"""Makes a figure of the results so far, by token."""
EVERY_SECONDS = 1.0  # between sketches, at least
_SHARE = 0.1  # of the time that sketches may take
_SKETCHED = 300  # pixels, about as high as a leading figure on a small screen


def run_pieces(
    pieces: Mapping[_Token, Task], key: str, sketch: Sketched | None = None, untimed: str = ""
) -> dict[_Token, Any]:
    """Return the results of the pieces by token, in order; if stopped, of those finished.

    A token is the key of a result in the cache.  ``key`` names the run on its page.  ``untimed``
    says what is done where no time can be estimated: several runs follow each other, or pieces of
    unknown duration.  Progress and the stop button appear where this is called, and below them the
    figure that ``sketch`` returns for the results so far, redrawn now and then.
    """
    store = _store()
    looked_up = {t: _found(store, t, pieces[t].size, len(pieces)) for t in pieces}
    results = {token: result for token, result in looked_up.items() if result is not _MISSING}
    missing = [token for token in pieces if token not in results]
    work = sum(pieces[token].work for token in missing)
    bar = Progress(key, hash(tuple(pieces)), work, untimed=untimed)
    drawn = Sketch(key, sketch)
    before = 0.0
    while missing and not bar.stopped:
        with turn(bar):  # one for all: after it the page would queue with others
            for token in missing:
                piece = pieces[token]
                bar.show(before)
                compute = partial(piece.compute, bar.part(before, piece.work))
                result = _made(store, token, piece.size, compute, len(pieces))
                if result is not _MISSING:
                    results[token] = result
                    before += piece.work
                    drawn.draw(results)
        missing = [token for token in missing if token not in results]
        if missing:
            _await(missing[0], bar)
    bar.close()
    drawn.close()
    if len(results) < len(pieces):
        _unfinished.seen = True
        st.warning(
            f"Stopped: {len(results)} of {len(pieces)} parts are done, and only these are shown.",
            icon=":material/pause_circle:",
        )
        st.button("Continue", key=f"continue-{key}", on_click=resume, args=(key,))
    return {token: results[token] for token in pieces if token in results}


def run_once(token: _Token, compute: Callable[[], Any], size: int, what: str = "") -> Any:
    """Return the result of short work, computed in turns and once per session.

    ``size`` is that of the result, in rows of trials; ``what`` is shown while it is computed.
    """
    store, waiting = _store(), Waiting()

    def in_turn() -> Any:
        with st.spinner(what) if what else contextlib.nullcontext(), turn(waiting):
            return compute()

    while (result := _made(store, token, size, in_turn)) is _MISSING:
        _await(token, waiting)
    waiting.close()
    return result


def stoppable(
    key: str,
    wanted: Hashable,
    part: Hashable,
    function: Callable[..., Any],
    *arguments: Any,
    reader: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:
    """Read an untrusted file with progress and a stop button, by `readers.read` or another.

    Nothing is cached.  ``key`` names the run on its page, ``wanted`` its goal, of which this is one
    ``part``: Stop stops all parts, which raise `StoppedError` from then on, until `resume`.
    """
    bar = Progress(key, hash(wanted), 1.0, "Reading", f"-{hash(part)}")
    if bar.stopped:
        raise StoppedError
    options |= {"progress": bar.part(0.0, 1.0), "waiting": bar}
    try:
        # it is read elsewhere, and may take minutes
        with SCHEDULER.aside(), cancellation.on_pause(_look_up):
            return (reader or readers.read)(function, *arguments, **options)
    finally:
        bar.close()


def read_once(key: str, run: str, wanted: Hashable, read: Callable[[], T]) -> T | str | None:
    """Return what ``read`` reads of files, or why it cannot; None if no files are ``wanted``.

    It is kept in the session under ``key`` until others are wanted; ``read`` calls `stoppable`,
    with the name of the ``run``.
    """
    if not wanted:
        st.session_state.pop(key, None)
        resume(run)
        return None
    held: tuple[Hashable, T | str] | None = st.session_state.get(key)
    if held is None or held[0] != wanted:
        try:
            held = wanted, read()
        except StoppedError:
            return "stopped: remove the file, and add it again to read it."
        except IngestError:
            held = wanted, "the file takes too much time or memory to read."
        except ValueError as error:
            held = wanted, f"{error}."
        st.session_state[key] = held
    return held[1]


def resume(key: str) -> None:
    """Allow stopped work to start again."""
    st.session_state.pop(keys.STOPPED.format(key), None)


@contextlib.contextmanager
def turn(waiting: Callable[[int], object]) -> Iterator[None]:
    """Compute within the context, in turns with other sessions.

    Its pauses may hand the turn on, and end the run if a control was moved or the tab closed.
    """
    context = get_script_run_ctx()
    with SCHEDULER.turn(context.session_id if context else "", waiting) as hand_on:

        def pause() -> None:
            _look_up()
            hand_on()

        with cancellation.on_pause(pause, LOOPS_SECONDS):
            yield


@contextlib.contextmanager
def page() -> Iterator[None]:
    """Run the page of this session within the context, after those that came before.

    Streamlit begins the next run of a session in a thread of its own while the former one goes on
    to its next look at the state, and removes the state of its controls at its end.  Here the next
    one waits until that thread has ended: no run finds state deleted between two looks at it.
    """
    context = get_script_run_ctx()
    name = context.session_id if context else ""
    session_expiry.EXPIRY.watch(session_expiry.connected(name))  # it may leave while it waits
    _unfinished.seen = False
    here = threading.current_thread()
    former, _RUNS[name] = _RUNS.get(name, here), here
    while former is not here and former.is_alive():
        former.join(POLL)
        _look_up()
    with SCHEDULER.page(name, _look_up):
        yield


class StoppedError(Exception):
    """The user pressed Stop."""


class Waiting:
    """A line that tells how many sessions are ahead, once that takes noticeable time."""

    def __init__(self) -> None:
        self._started, self._told, self._ahead = time.monotonic(), 0.0, 0
        self._place: DeltaGenerator | None = None  # takes no space before it is needed

    def __call__(self, ahead: int) -> None:
        """Update the number of sessions ahead."""
        _look_up()
        if ahead != self._ahead and self._is_due(QUIET_SECONDS):
            self._ahead = ahead
            self._say(f"Waiting for others: {ahead} ahead")

    def close(self) -> None:
        """Remove what is shown."""
        if self._place is not None:
            self._place.empty()

    def _is_due(self, seconds: float) -> bool:
        """Return True, and begin anew, if nothing was told for so many seconds, nor at first."""
        now = time.monotonic()
        due = now - self._started >= QUIET_SECONDS and now - self._told >= seconds
        if due:
            self._told = now
        return due

    def _say(self, words: str) -> None:
        if self._place is None:
            with show.at_work():
                self._place = st.empty()
        self._place.caption(words)


class Progress(Waiting):
    """A progress bar with a stop button, shown likewise; it tells how many are ahead, too."""

    def __init__(
        self,
        key: str,
        wanted: int,
        work: float,
        doing: str = "Drawing",
        part: str = "",
        untimed: str = "",
    ):
        super().__init__()
        self.stopped = st.session_state.get(keys.STOPPED.format(key)) == wanted
        self._key, self._wanted, self._work, self._doing = key, wanted, work, doing
        self._part, self._untimed, self._left = part, untimed, math.inf
        with show.at_work():
            self._place: DeltaGenerator = st.empty()
        self._bar: DeltaGenerator | None = None
        self._done = 0.0

    def part(self, before: float, work: float) -> Callable[[float], None]:
        """Return the progress callback of a piece of this ``work``, after that done ``before``."""

        def progress(share: float) -> None:
            self.show(before + share * work)
            cancellation.pause()

        return progress

    def show(self, done: float) -> None:
        """Update the bar, which never moves back, nor grows what is left."""
        self._done = done = max(done, self._done)
        if not self._is_due(_BETWEEN):
            return
        if self._untimed:
            self._say(f"{self._untimed}: {100 * (1 - done / self._work):.0f}% left")
        elif done:
            seconds = time.monotonic() - self._started
            self._left = min(self._left, seconds * (self._work - done) / done)
            self._say(f"{self._doing}: about {self._left:.0f} s left")
        else:
            self._say(self._doing)

    def _say(self, words: str) -> None:
        if self._bar is None:
            key = f"progress-{self._key}{self._part}"
            with self._place.container(key=key, horizontal=True, vertical_alignment="bottom"):
                self._bar = st.progress(0.0)
                st.button(
                    "Stop",
                    key=f"stop-{self._key}{self._part}",
                    icon=":material/stop_circle:",
                    on_click=st.session_state.__setitem__,
                    args=(keys.STOPPED.format(self._key), self._wanted),
                )
                st.html(_ONE_STOP)
        self._bar.progress(min(self._done / self._work, 1.0), words)


def _store() -> LRUCache:
    """Return the results of the session."""
    store: LRUCache = st.session_state.setdefault(keys.RESULTS, LRUCache(MOST_KEPT))
    return store


def share(digests: Iterable[Hashable]) -> None:
    """Share results computed from data of these digests, which are bundled, among sessions."""
    _BUNDLED.update(digests)


def shared(token: _Token, size: int, make: Callable[[], T]) -> T:
    """Return an object determined by its token, cached for all sessions if data are bundled.

    ``size`` is in rows of trials.  Once a run was stopped, nothing that its page makes is shared.
    """
    result: T | None = _SHARED.find(token)
    if result is None:
        result = make()
        if _is_shared(token) and not getattr(_unfinished, "seen", False):
            _SHARED.keep(token, size, result)
    return result


def _is_shared(token: _Token) -> bool:
    return token[1:2] != () and token[1] in _BUNDLED


def _found(store: LRUCache, token: _Token, size: int, least: int = 1) -> Any:
    """Return a result of the session, or one that is shared; `_MISSING` if there is none."""
    result = store.find(token, _MISSING)
    if result is _MISSING and (result := _SHARED.find(token, _MISSING)) is not _MISSING:
        store.keep(token, size, result, least)
    return result


def _made(
    store: LRUCache, token: _Token, size: int, compute: Callable[[], Any], least: int = 1
) -> Any:
    """Return a result, computed and stored unless it is there.

    Of one that is shared, and that another session computes, return `_MISSING`.
    """
    lock, is_shared = threading.Lock(), _is_shared(token)
    if is_shared:
        with _LOOKED_UP:
            lock = _MAKING.setdefault(token, lock)
    is_held = lock.acquire(blocking=False)
    try:
        result = _found(store, token, size, least)
        if result is _MISSING and is_held:
            result = compute()
            store.keep(token, size, result, least)
            if is_shared:
                _SHARED.keep(token, size, result)
        return result
    finally:
        if is_held:
            lock.release()


def _await(token: _Token, waiting: Callable[[int], object]) -> None:
    """Wait until another session has stopped computing a result."""
    if (lock := _MAKING.get(token)) is not None:
        with SCHEDULER.aside():
            while not lock.acquire(timeout=POLL):
                waiting(1)
            lock.release()


def _look_up() -> None:
    """End the run if a control was moved or the tab closed, as any look at the state does."""
    _ = keys.RESULTS in st.session_state
    streamlit_internals.end_dialog_run()


class Sketch:
    """A preliminary figure, if there is a function that makes it, redrawn now and then.

    It is placed where it is created, and takes no room before the first drawing.
    """

    def __init__(self, name: str, make: Sketched | None):
        self._name, self._make = name, make
        with show.at_work():
            self._place = st.empty()
        self._n_drawn = 0
        self._next = time.monotonic() + EVERY_SECONDS

    def draw(self, results: dict[_Token, Any]) -> None:
        """Draw it if it is due; never during a presentation or of a hidden answer."""
        began = time.monotonic()
        if self._make is None or began < self._next:
            return
        if keys.PRESENTATION in st.session_state or keys.COVER in st.session_state:
            return
        self._n_drawn += 1  # Streamlit takes no key twice in a run
        self._place.plotly_chart(
            self._make(results).update_layout(height=_SKETCHED),
            key=f"sketch-{self._name}-{self._n_drawn}",
            config={"displayModeBar": False},
        )
        cancellation.pause()  # waiting for others makes the next one later, too
        now = time.monotonic()
        self._next = now + max(EVERY_SECONDS, (now - began) / _SHARE)

    def close(self) -> None:
        """Remove the figure."""
        self._place.empty()
