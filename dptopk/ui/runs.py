"""Calls of the package, remembered for the session, with progress and a way to stop.

Each mechanism at each setting is one piece of work.  Finished pieces are kept, so a
run that was stopped, or interrupted by moving a control, loses nothing.
"""

import contextlib
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

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
from dptopk.mechanisms import PNFPeel, SequenceMechanism
from dptopk.privacy import NeighborRelation
from dptopk.privacy_loss import WorstCase, worst_case_hockey_stick, worst_case_loss
from dptopk.trials import measure, tidy

_QUIET_SECONDS = 0.4  # no progress is shown for work shorter than this
_MOST_KEPT = 1_000_000  # size of the results remembered in a session, in rows of trials
_STORE = "_results"
_QUICK = 2_000_000  # levels x rounds up to which PNF-Peel's pmf takes no noticeable time


@dataclass(frozen=True)
class Trials:
    """Results of a run, whole or stopped on the way."""

    frame: pd.DataFrame
    n_settings: int
    n_done: int


@dataclass(frozen=True)
class _Piece:
    """One piece of work: what tells it apart, how long it takes, how large its result is."""

    token: tuple
    work: float
    size: int
    compute: Callable[[Callable[[float], object]], object]


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

    def piece(mechanism: SequenceMechanism) -> _Piece:
        def compute(progress: Callable[[float], object]) -> list[dict]:
            batches, done = [], 0
            for batch in measure(counts, mechanism, n, seed):
                batches.append(batch)
                done += len(batch["trial"])
                progress(done / n)
            return batches

        # work grows with the number of released items
        return _Piece(("trials", data, mechanism, n, seed), mechanism.k, n, compute)

    done = _done([piece(mechanism) for mechanism in mechanisms], key)
    frame = tidy(batch for batches in done.values() for batch in batches) if done else None
    return Trials(pd.DataFrame() if frame is None else frame, len(mechanisms), len(done))


def worst_cases(
    counts: ItemCounts,
    mechanisms: Sequence[SequenceMechanism],
    neighbors: NeighborRelation,
    key: str,
) -> dict[str, tuple[WorstCase, WorstCase | None]]:
    """Worst loss, and where delta is promised worst hockey-stick at epsilon, by label."""
    data = full_digest(counts)

    def piece(kind: str, mechanism: SequenceMechanism, function, *arguments) -> _Piece:
        compute = partial(function, mechanism, counts, *arguments, neighbors)
        return _Piece((kind, data, mechanism, neighbors), 1, 10, compute)

    losses = {m: piece("loss", m, worst_case_loss) for m in mechanisms}
    sticks = {
        m: piece("stick", m, worst_case_hockey_stick, m.guarantee.epsilon)
        for m in mechanisms
        if m.guarantee.delta
    }
    done = _done([*losses.values(), *sticks.values()], key)
    return {
        m.label: (done[losses[m].token], done[sticks[m].token] if m in sticks else None)
        for m in mechanisms
        if losses[m].token in done and (m not in sticks or sticks[m].token in done)
    }


def _done(pieces: list[_Piece], key: str) -> dict[tuple, object]:
    """Results of the pieces by token, in order; of those that were finished, if stopped."""
    store: OrderedDict = st.session_state.setdefault(_STORE, OrderedDict())
    missing = [piece for piece in pieces if piece.token not in store]
    wanted = hash(tuple(piece.token for piece in pieces))
    bar = _Progress(key, wanted, sum(piece.work for piece in missing))
    before = 0.0
    for piece in missing if not bar.stopped else ():
        result = piece.compute(
            progress=lambda share, start=before, work=piece.work: bar.show(start + share * work)
        )
        store[piece.token] = (piece.size, result)
        before += piece.work
    bar.close()
    results = {piece.token: store[piece.token][1] for piece in pieces if piece.token in store}
    for token in results:
        store.move_to_end(token)
    while sum(size for size, _ in store.values()) > _MOST_KEPT and len(store) > len(results):
        store.popitem(last=False)
    if len(results) < len(pieces):
        st.warning(
            f"Stopped: {len(results)} of {len(pieces)} parts are done, and only they are shown.",
            icon=":material/pause_circle:",
        )
        st.button("Continue", key=f"continue-{key}", on_click=_forget_stop, args=(key,))
    return results


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
    shares = {}
    if not isinstance(mechanism, PNFPeel) or _counts.sorted.n_levels * mechanism.k < _QUICK:
        shares["exact_sequence"] = probability_exact_sequence(mechanism, _counts)
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

    def __init__(self, key: str, wanted: int, work: float):
        self.stopped = st.session_state.get(f"_stopped-{key}") == wanted
        self._key, self._wanted, self._work = key, wanted, work
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
        left = seconds * (self._work - done) / done
        self._bar.progress(min(done / self._work, 1.0), f"Drawing: about {left:.0f} s left")

    def close(self) -> None:
        self._place.empty()


def _remember_stop(key: str, wanted: int) -> None:
    st.session_state[f"_stopped-{key}"] = wanted


def _forget_stop(key: str) -> None:
    del st.session_state[f"_stopped-{key}"]
