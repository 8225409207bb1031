"""Calls of the package, remembered: trials and worst cases in the session, laws for all.

What is remembered is keyed by a digest of the counts and by each mechanism's stream key, which
names its class and all its parameters.
"""

import contextlib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dptopk import outcomes
from dptopk.counts import ItemCounts
from dptopk.exact import (
    Chance,
    ErrorLaw,
    NoClosedFormError,
    chance_exact_sequence,
    chance_exact_set,
    exact_error,
)
from dptopk.mechanisms import Mechanism, NoisyOrder
from dptopk.privacy import NeighborRelation
from dptopk.privacy_loss import WorstCase, worst_case_hockey_stick, worst_case_loss
from dptopk.trials import measure, release, tidy
from dptopk.ui import work

_FEW_ITEMS = {NeighborRelation.ADD_REMOVE: 5, NeighborRelation.SWAP: 4}  # 62 and 80 neighbours
_QUICK = 2_000_000  # steps of a pmf that take no noticeable time


@dataclass(frozen=True)
class Trials:
    """Results of a run, whole or stopped on the way."""

    frame: pd.DataFrame
    n_settings: int
    n_done: int


def digest(counts: ItemCounts) -> str:
    """SHA-256 of the counts alone: Streamlit's own hash only samples large arrays."""
    return hashlib.sha256(counts.counts.tobytes()).hexdigest()


def trials(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], n: int, seed: int, key: str
) -> Trials:
    """Run every mechanism ``n`` times, or take the results from before; see `work.done`."""
    data = digest(counts)

    def piece(mechanism: Mechanism) -> work.Piece:
        def compute(progress: Any) -> list[dict[str, Any]]:
            batches, done = [], 0
            for batch in measure(counts, mechanism, n, seed):
                batches.append(batch)
                done += len(batch["trial"])
                progress(done / n)
            return batches

        # work grows with the number of released items
        return work.Piece(("trials", data, mechanism, n, seed), mechanism.k, n, compute)

    done = work.done([piece(mechanism) for mechanism in mechanisms], key)
    frame = tidy(batch for batches in done.values() for batch in batches) if done else None
    return Trials(pd.DataFrame() if frame is None else frame, len(mechanisms), len(done))


def worst_cases(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], neighbors: NeighborRelation, key: str
) -> dict[str, tuple[WorstCase, WorstCase | None]]:
    """Worst loss, and where delta is promised worst hockey-stick at epsilon, by label."""
    data = counts.digest  # results hold names

    def piece(kind: str, mechanism: Mechanism, function: Any, *arguments: Any) -> work.Piece:
        compute = partial(function, mechanism, counts, *arguments, neighbors)
        return work.Piece((kind, data, mechanism, neighbors), 1, 10, compute)

    losses = {m: piece("loss", m, worst_case_loss) for m in mechanisms}
    sticks = {
        m: piece("stick", m, worst_case_hockey_stick, m.guarantee.epsilon)
        for m in mechanisms
        if m.guarantee.delta
    }
    done = work.done([*losses.values(), *sticks.values()], key)
    return {
        m.label: (done[losses[m].token], done[sticks[m].token] if m in sticks else None)
        for m in mechanisms
        if losses[m].token in done and (m not in sticks or sticks[m].token in done)
    }


def noise(
    counts: ItemCounts, mechanism: NoisyOrder, seed: int, round: int | None
) -> outcomes.NoisyRound:
    """The noise behind the release of a seed, in the round asked for or the first upset."""
    return _noise(counts, mechanism, digest(counts), mechanism.stream_key, seed, round)


@st.cache_data(max_entries=64, show_spinner=False)
def _noise(
    _counts: ItemCounts,
    _mechanism: NoisyOrder,
    data: str,
    key: str,
    seed: int,
    round: int | None,
) -> outcomes.NoisyRound:
    if round is None:
        round = outcomes.first_upset(_counts, release(_counts, _mechanism, seed))
    return outcomes.noise_of_release(_counts, _mechanism, seed, round)


def loss_of_release(counts: ItemCounts, mechanism: Mechanism, seed: int) -> float | None:
    """Exact privacy loss of the release of a seed, where its neighbours are few; else none."""
    if counts.d > _FEW_ITEMS[mechanism.neighbors]:
        return None
    return _loss_of_release(counts, mechanism, digest(counts), mechanism.stream_key, seed)


@st.cache_data(max_entries=64, show_spinner=False)
def _loss_of_release(
    _counts: ItemCounts, _mechanism: Mechanism, data: str, key: str, seed: int
) -> float:
    return outcomes.loss_of_release(_counts, _mechanism, release(_counts, _mechanism, seed))


def played(counts: ItemCounts, mechanism: Mechanism, seed: int, n: int) -> outcomes.Outcomes:
    """Releases under a seed and those after it."""
    return _played(counts, mechanism, digest(counts), mechanism.stream_key, seed, n)


@st.cache_data(max_entries=32, show_spinner=False)
def _played(
    _counts: ItemCounts, _mechanism: Mechanism, data: str, key: str, seed: int, n: int
) -> outcomes.Outcomes:
    return outcomes.play(_counts, _mechanism, seed, n)


def exact_laws(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], metric: str
) -> dict[str, ErrorLaw]:
    """Exact law of the metric for every mechanism that has one."""
    laws = {
        m.label: _exact_law(counts, m, digest(counts), m.stream_key, metric)
        for m in mechanisms
        if metric in m.exact_metrics
    }
    return {label: law for label, law in laws.items() if law is not None}


@st.cache_data(max_entries=64, show_spinner=False)
def _exact_law(
    _counts: ItemCounts, _mechanism: Mechanism, data: str, key: str, metric: str
) -> ErrorLaw | None:
    try:
        return exact_error(_mechanism, _counts, metric)
    except NoClosedFormError:  # too large to write out: the page shows the simulation
        return None


def exact_shares(
    counts: ItemCounts, mechanisms: Sequence[Mechanism]
) -> dict[str, dict[str, Chance]]:
    """Exact probabilities of right releases, for each mechanism those that are known."""
    return {m.label: _exact_shares(counts, m, digest(counts), m.stream_key) for m in mechanisms}


@st.cache_data(max_entries=64, show_spinner=False)
def _exact_shares(
    _counts: ItemCounts, _mechanism: Mechanism, data: str, key: str
) -> dict[str, Chance]:
    shares: dict[str, Chance] = {}
    if _mechanism.pmf_work(_counts.sorted) >= _QUICK:
        return shares
    with contextlib.suppress(NoClosedFormError):  # the page shows the simulated share
        shares["exact_sequence"] = chance_exact_sequence(_mechanism, _counts)
    with contextlib.suppress(NoClosedFormError):
        shares["exact_set"] = chance_exact_set(_mechanism, _counts)
    return shares
