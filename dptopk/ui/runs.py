"""Calls of the package, remembered for the session, with progress and a way to stop.

Each mechanism at each setting is one piece of work.  Finished pieces are kept, so a
run that was stopped, or interrupted by moving a control, loses nothing.
"""

import contextlib
import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dptopk.counts import ItemCounts
from dptopk.exact import (
    ErrorLaw,
    NoClosedFormError,
    exact_error,
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.mechanisms import SequenceMechanism
from dptopk.trials import run_trials

_QUIET_SECONDS = 0.4  # no progress is shown for work shorter than this
_MOST_ROWS = 1_000_000  # trials remembered in a session


@dataclass(frozen=True)
class Trials:
    """Results of a run, whole or stopped on the way."""

    frame: pd.DataFrame
    n_settings: int
    n_done: int

    @property
    def complete(self) -> bool:
        """Whether every setting was run."""
        return self.n_done == self.n_settings


def digest(counts: ItemCounts) -> str:
    """SHA-256 of the counts: Streamlit's own hash only samples large arrays."""
    return hashlib.sha256(counts.counts.tobytes()).hexdigest()


def full_digest(counts: ItemCounts) -> str:
    """SHA-256 of counts and names, for results that hold names."""
    return hashlib.sha256(repr((digest(counts), counts.items)).encode()).hexdigest()


def trials(
    counts: ItemCounts, mechanisms: Sequence[SequenceMechanism], n: int, seed: int, key: str
) -> Trials:
    """Run every mechanism ``n`` times, or take the results from before.

    ``key`` names the run on its page; progress and the stop button appear where this
    is called.
    """
    data = digest(counts)
    pieces = [(data, mechanism, n, seed) for mechanism in mechanisms]
    store: OrderedDict = st.session_state.setdefault("_trials", OrderedDict())
    wanted = hash(tuple(pieces))
    bar = _Progress(key, wanted, len(pieces))
    for number, piece in enumerate(pieces):
        if piece not in store and not bar.stopped:
            _, mechanism, _, _ = piece
            store[piece] = run_trials(
                counts,
                [mechanism],
                n,
                seed,
                progress=lambda share, number=number: bar.show(number + share),
            )
        if piece in store:
            store.move_to_end(piece)
    bar.close()
    frames = [store[piece] for piece in pieces if piece in store]
    while sum(map(len, store.values())) > _MOST_ROWS and len(store) > len(frames):
        store.popitem(last=False)
    if len(frames) < len(pieces):
        st.warning(
            f"Stopped: {len(frames)} of {len(pieces)} settings are done, and only they are shown.",
            icon=":material/pause_circle:",
        )
        st.button("Continue", key=f"continue-{key}", on_click=_forget_stop, args=(key,))
    frame = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    return Trials(frame, len(pieces), len(frames))


@st.cache_data(max_entries=64, show_spinner=False)
def _exact_law(_counts: ItemCounts, data: str, mechanism: SequenceMechanism, metric: str):
    try:
        return exact_error(mechanism, _counts, metric)
    except NoClosedFormError:
        return None


def exact_laws(
    counts: ItemCounts, mechanisms: Sequence[SequenceMechanism], metric: str
) -> dict[str, ErrorLaw]:
    """Exact law of the metric for every mechanism that has one."""
    laws = {m.label: _exact_law(counts, digest(counts), m, metric) for m in mechanisms}
    return {label: law for label, law in laws.items() if law is not None}


@st.cache_data(max_entries=64, show_spinner=False)
def _exact_shares(_counts: ItemCounts, data: str, mechanism: SequenceMechanism) -> dict[str, float]:
    shares = {"exact_sequence": probability_exact_sequence(mechanism, _counts)}
    with contextlib.suppress(NoClosedFormError):  # the page shows the simulated share
        shares["exact_set"] = probability_exact_set(mechanism, _counts)
    return shares


def exact_shares(
    counts: ItemCounts, mechanisms: Sequence[SequenceMechanism]
) -> dict[str, dict[str, float]]:
    """Exact probabilities of right releases, for each mechanism those that are known."""
    return {m.label: _exact_shares(counts, digest(counts), m) for m in mechanisms}


class _Progress:
    """A progress bar with a stop button, once the work takes noticeable time."""

    def __init__(self, key: str, wanted: int, n_pieces: int):
        self.stopped = st.session_state.get(f"_stopped-{key}") == wanted
        self._key, self._wanted, self._n = key, wanted, n_pieces
        self._place = st.empty()
        self._bar = None
        self._started = time.monotonic()

    def show(self, done: float) -> None:
        if self._bar is None:
            if time.monotonic() - self._started < _QUIET_SECONDS:
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
        left = seconds * (self._n - done) / done
        self._bar.progress(min(done / self._n, 1.0), f"Drawing: about {left:.0f} s left")

    def close(self) -> None:
        self._place.empty()


def _remember_stop(key: str, wanted: int) -> None:
    st.session_state[f"_stopped-{key}"] = wanted


def _forget_stop(key: str) -> None:
    del st.session_state[f"_stopped-{key}"]
