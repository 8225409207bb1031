"""Long work in pieces: in turns with other sessions, remembered for the session, to be stopped.

Finished pieces are kept, so a run that was stopped, or interrupted by moving a control, loses
nothing.  They are kept in the session that asked for them and nowhere else: what follows from
somebody's counts is gone with the session.
"""

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from dptopk import pauses
from dptopk.ui import keys, widgets
from dptopk.ui.gate import GATE, CrowdedError
from dptopk.ui.sketch import Sketch

LOOPS_SECONDS = 0.02  # between pauses inside of one computation
QUIET_SECONDS = 0.4  # no progress is shown for work shorter than this
_BETWEEN = 0.1  # seconds between two looks of a bar
MOST_KEPT = 1_000_000  # size of the results remembered in a session, in rows of trials

_Store = OrderedDict[tuple[Any, ...], tuple[int, Any]]

Sketched = Callable[[dict[tuple[Any, ...], Any]], Any]
"""Makes a figure of the results so far, by token."""


@dataclass(frozen=True)
class Piece:
    """One piece of work: what tells it apart, how long it takes, how large its result is."""

    token: tuple[Any, ...]
    work: float
    size: int
    compute: Callable[[Callable[[float], None]], Any]  # given what it tells the share done to


def done(
    pieces: Sequence[Piece], key: str, sketch: Sketched | None = None
) -> dict[tuple[Any, ...], Any]:
    """Results of the pieces by token, in order; of those that were finished, if stopped.

    ``key`` names the run on its page; progress and the stop button appear where this is called,
    and below them what ``sketch`` makes of the results so far: a figure, drawn anew now and then.
    """
    store = _store()
    missing = [piece for piece in pieces if piece.token not in store]
    wanted = hash(tuple(piece.token for piece in pieces))
    bar = Progress(key, wanted, sum(piece.work for piece in missing))
    drawn = Sketch(key)
    if missing and not bar.stopped:
        with turn(bar.waiting) as pause:
            before = 0.0
            for piece in missing:
                bar.show(before)
                result = piece.compute(bar.part(before, piece.work, pause))
                store[piece.token] = (piece.size, result)
                before += piece.work
                if sketch is not None and drawn.due:
                    figure = sketch(_of(store, pieces))
                    pause()  # waiting for others makes sketches rarer
                    drawn.draw(figure)
                    pause()
    bar.close()
    drawn.close()
    results = _of(store, pieces)
    _trim(store, list(results))
    if len(results) < len(pieces):
        st.warning(
            f"Stopped: {len(results)} of {len(pieces)} parts are done, and only they are shown.",
            icon=":material/pause_circle:",
        )
        st.button("Continue", key=f"continue-{key}", on_click=resume, args=(key,))
    return results


def one(
    token: tuple[Any, ...], compute: Callable[[Callable[[], None]], Any], size: int, what: str = ""
) -> Any:
    """The result of short work, computed once in a session; ``compute`` calls its argument often.

    ``size`` is that of the result, in rows of trials; ``what`` is said while it is computed.
    """
    store = _store()
    if token not in store:
        with st.spinner(what) if what else contextlib.nullcontext():
            store[token] = (size, in_turn(compute))
    result = store[token][1]
    _trim(store, [token])
    return result


def stoppable(
    key: str,
    wanted: Hashable,
    part: Hashable,
    doing: str,
    compute: Callable[[Callable[[float], None]], Any],
) -> Any:
    """What is computed, in turns, shown and to be stopped; ``compute`` is given what it tells.

    Nothing is remembered.  ``key`` names the run on its page, ``wanted`` what it is to give, of
    which this is one ``part``: Stop stops them all.  ``doing`` says it in a word.

    Raises
    ------
    StoppedError
        If it was stopped before; `resume` lets it begin anew.
    """
    bar = Progress(key, hash(wanted), 1.0, doing, f"-{hash(part)}")
    if bar.stopped:
        raise StoppedError
    try:
        with turn(bar.waiting) as pause:
            return compute(bar.part(0.0, 1.0, pause))
    finally:
        bar.close()


def resume(key: str) -> None:
    """Let what was stopped begin anew."""
    st.session_state.pop(keys.STOPPED.format(key), None)


def in_turn(compute: Callable[[Callable[[], None]], Any]) -> Any:
    """What is computed, in turns with other sessions; ``compute`` calls its argument often."""
    waiting = Waiting(_Line().say)
    with turn(waiting) as pause:
        result = compute(pause)
    waiting.over()
    return result


@contextlib.contextmanager
def turn(waiting: Callable[[int], object]) -> Iterator[Callable[[], None]]:
    """Compute within, in turns with other sessions; yields what to call often on the way.

    That is where the turn is handed on, and where a moved control or a closed tab ends the run.
    """
    context = get_script_run_ctx()
    session = context.session_id if context else ""
    try:
        with GATE.turn(session, st.context.ip_address, waiting) as hand_on:

            def pause() -> None:
                _look_up()
                hand_on()

            with pauses.called(pause, LOOPS_SECONDS):
                yield pause
    except CrowdedError:
        widgets.problem(
            "Too much is computed at your address",
            "Many sessions from your network address wait to compute. Try again in a moment.",
        )
        st.button("Try again", key="crowded", icon=":material/refresh:")
        widgets.end()


class StoppedError(Exception):
    """Somebody pressed Stop."""


class Waiting:
    """Says how many are ahead, once that has taken noticeable time."""

    def __init__(self, say: Callable[[str], None]):
        self._say = say
        self._since = self._last = time.monotonic()
        self._said = ""

    def __call__(self, ahead: int) -> None:
        """Tell how many are ahead."""
        _look_up()
        now, words = time.monotonic(), f"Waiting for others: {ahead} ahead"
        if now - self._last >= QUIET_SECONDS and words != self._said:
            self._last, self._said = now, words
            self._say(words)

    def over(self) -> None:
        """Say nothing any more."""
        if self._said:
            self._say("")


class _Line:
    """A line of words; it takes no place before there are any."""

    def __init__(self) -> None:
        self._place: DeltaGenerator | None = None

    def say(self, words: str) -> None:
        if self._place is None:
            self._place = st.empty()
        if words:
            self._place.caption(words)
        else:
            self._place.empty()


class Progress:
    """A progress bar with a stop button, once the work takes noticeable time."""

    def __init__(self, key: str, wanted: int, work: float, doing: str = "Drawing", part: str = ""):
        self.stopped = st.session_state.get(keys.STOPPED.format(key)) == wanted
        self.waiting = Waiting(self._say)
        self._key, self._wanted, self._work, self._doing = key, wanted, work, doing
        self._part = part
        self._place = st.empty()
        self._bar: DeltaGenerator | None = None
        self._started, self._shown = time.monotonic(), 0.0
        self._done = 0.0

    def part(
        self, before: float, work: float, pause: Callable[[], None]
    ) -> Callable[[float], None]:
        """What a piece of so much ``work``, after what was done ``before``, tells its share to."""

        def told(share: float) -> None:
            self.show(before + share * work)
            pause()

        return told

    def show(self, done: float) -> None:
        """Tell how much of the work is done; what is done twice does not take the bar back."""
        self._done = done = max(done, self._done)
        now = time.monotonic()
        seconds = now - self._started
        if seconds >= QUIET_SECONDS and now - self._shown >= _BETWEEN:
            self._shown = now
            left = f": about {seconds * (self._work - done) / done:.0f} s left" if done else ""
            self._say(f"{self._doing}{left}")

    def _say(self, words: str) -> None:
        """Say something with the bar and the button."""
        if self._bar is None:
            with self._place.container():
                self._bar = st.progress(0.0)
                st.button(
                    "Stop",
                    key=f"stop-{self._key}{self._part}",
                    icon=":material/stop_circle:",
                    on_click=_remember_stop,
                    args=(self._key, self._wanted),
                )
        self._bar.progress(min(self._done / self._work, 1.0), words)

    def close(self) -> None:
        """Take the bar and the button away."""
        self._place.empty()


def _store() -> _Store:
    """Results of the session, the one used last at the end."""
    store: _Store = st.session_state.setdefault(keys.RESULTS, OrderedDict())
    return store


def _of(store: _Store, pieces: Sequence[Piece]) -> dict[tuple[Any, ...], Any]:
    """Results of those pieces that are finished, in order."""
    return {piece.token: store[piece.token][1] for piece in pieces if piece.token in store}


def _trim(store: _Store, used: Sequence[tuple[Any, ...]]) -> None:
    """Forget the oldest results but those in use, where there are too many."""
    for token in used:
        store.move_to_end(token)
    total = sum(size for size, _ in store.values())
    while total > MOST_KEPT and len(store) > len(used):
        _, (size, _) = store.popitem(last=False)
        total -= size


def _look_up() -> None:
    """End the run here if a control was moved or the tab closed: any look at the state does.

    But Streamlit does not end the run of a dialog for a control of that dialog, as Stop is one.
    """
    _ = keys.RESULTS in st.session_state
    context = get_script_run_ctx()
    requests = context.script_requests if context and context.fragment_ids_this_run else None
    if requests is not None and requests._state is ScriptRequestType.RERUN:
        request = requests.on_scriptrunner_ready()
        if request.type is ScriptRequestType.RERUN:  # else the tab was closed just now
            raise RerunException(request.rerun_data)


def _remember_stop(key: str, wanted: int) -> None:
    st.session_state[keys.STOPPED.format(key)] = wanted
