"""Long work in pieces: remembered for the session, with progress and a way to stop.

Finished pieces are kept, so a run that was stopped, or interrupted by moving a control, loses
nothing.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dptopk.ui import keys

QUIET_SECONDS = 0.4  # no progress is shown for work shorter than this
MOST_KEPT = 1_000_000  # size of the results remembered in a session, in rows of trials


@dataclass(frozen=True)
class Piece:
    """One piece of work: what tells it apart, how long it takes, how large its result is."""

    token: tuple[Any, ...]
    work: float
    size: int
    compute: Callable[[Callable[[float], None]], Any]  # given what it tells the share done to


def done(pieces: Sequence[Piece], key: str) -> dict[tuple[Any, ...], Any]:
    """Results of the pieces by token, in order; of those that were finished, if stopped.

    ``key`` names the run on its page; progress and the stop button appear where this is called.
    """
    store: OrderedDict[tuple[Any, ...], tuple[int, Any]] = st.session_state.setdefault(
        keys.RESULTS, OrderedDict()
    )
    missing = [piece for piece in pieces if piece.token not in store]
    wanted = hash(tuple(piece.token for piece in pieces))
    bar = Progress(key, wanted, sum(piece.work for piece in missing))
    before = 0.0
    for piece in missing if not bar.stopped else ():
        result = piece.compute(bar.part(before, piece.work))
        store[piece.token] = (piece.size, result)
        before += piece.work
    bar.close()
    results = {piece.token: store[piece.token][1] for piece in pieces if piece.token in store}
    for token in results:
        store.move_to_end(token)
    while sum(size for size, _ in store.values()) > MOST_KEPT and len(store) > len(results):
        store.popitem(last=False)
    if len(results) < len(pieces):
        st.warning(
            f"Stopped: {len(results)} of {len(pieces)} parts are done, and only they are shown.",
            icon=":material/pause_circle:",
        )
        st.button("Continue", key=f"continue-{key}", on_click=_forget_stop, args=(key,))
    return results


class Progress:
    """A progress bar with a stop button, once the work takes noticeable time."""

    def __init__(self, key: str, wanted: int, work: float):
        self.stopped = st.session_state.get(keys.STOPPED.format(key)) == wanted
        self._key, self._wanted, self._work = key, wanted, work
        self._place = st.empty()
        self._bar: DeltaGenerator | None = None
        self._started = time.monotonic()

    def part(self, before: float, work: float) -> Callable[[float], None]:
        """What a piece of so much ``work``, after what was done ``before``, tells its share to."""
        return lambda share: self.show(before + share * work)

    def show(self, done: float) -> None:
        """Tell how much of the work is done."""
        if self._bar is None:
            if time.monotonic() - self._started < QUIET_SECONDS:
                return
            with self._place.container():
                self._bar = st.progress(0.0)
                st.button(
                    "Stop",
                    key=f"stop-{self._key}",
                    icon=":material/stop_circle:",
                    on_click=_remember_stop,
                    args=(self._key, self._wanted),
                )
        seconds = time.monotonic() - self._started
        left = seconds * (self._work - done) / done
        self._bar.progress(min(done / self._work, 1.0), f"Drawing: about {left:.0f} s left")

    def close(self) -> None:
        """Take the bar and the button away."""
        self._place.empty()


def _remember_stop(key: str, wanted: int) -> None:
    st.session_state[keys.STOPPED.format(key)] = wanted


def _forget_stop(key: str) -> None:
    del st.session_state[keys.STOPPED.format(key)]
