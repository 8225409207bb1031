"""Call the package in turns with other sessions, and cache results in the session.

Results are keyed by a digest of the counts and by the mechanism.
"""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import pandas as pd

from dptopk.accounting import OutcomeLedger
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import METRICS
from dptopk.core.privacy import NeighborRelation
from dptopk.data.sources import Source
from dptopk.laws.exact import Chance, ErrorLaw
from dptopk.laws.privacy_losses import WorstCase, worst_case_hockey_stick, worst_case_loss
from dptopk.mechanisms import Mechanism, NoisyOrder
from dptopk.questions.errors import known_law, known_shares
from dptopk.questions.release import Release
from dptopk.questions.release import released as release_of_seed
from dptopk.questions.view import View
from dptopk.simulation import adaptive_queries, post_stratified, single_releases
from dptopk.simulation.post_stratified import Right
from dptopk.simulation.trials import RIGHT, generator_for, measure, release, setting_columns, tidy
from dptopk.ui.server import work

T = TypeVar("T")

_FEW_ITEMS = {NeighborRelation.ADD_REMOVE: 5, NeighborRelation.SWAP: 4}  # 62 and 80 neighbours
DRAWS_TIMED = 50  # of each mechanism, where its speed is told
_SHOWN = 2_000  # size of what a page shows, in rows of trials; two more for each cell
_LAW = 10_000  # size of what is written out, in rows of trials: most are far smaller


def share(source: Source) -> None:
    """Share results computed from bundled data among all sessions."""
    if source.bundled:
        work.share([digest(source.counts), source.counts.digest])


def shown(
    what: str, view: View, more: tuple[Any, ...], make: Callable[[], T], *, n_rows: int = 0
) -> T:
    """Return the contents of a page, cached for all sessions if the data are bundled.

    They must be determined by the view and by ``more``; ``what`` names the page, ``n_rows`` is the
    number of rows of trials in them.
    """
    if not view.source.bundled:
        return make()
    token = (
        what,
        view.counts.digest,
        view.source.title,
        view.k,
        view.epsilon,
        view.neighbors,
        view.keys,
        view.n,
        view.seed,
        tuple(sorted(view.parameters.items())),
        *more,
    )
    return work.shared(token, _SHOWN + 2 * view.k * len(view.keys) + n_rows, make)


@dataclass(frozen=True)
class Trials:
    """Results of a run, complete or stopped."""

    frame: pd.DataFrame
    n_settings: int
    n_done: int


def digest(counts: ItemCounts) -> str:
    """Return the SHA-256 of the counts alone, as Streamlit's hash only samples large arrays."""
    return hashlib.sha256(counts.counts.tobytes()).hexdigest()


def trials(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    n: int,
    seed: int,
    key: str,
    sketch: work.Sketched | None = None,
) -> Trials:
    """Run every mechanism ``n`` times, or return cached results; see `work.done`.

    ``sketch`` gets the results so far, a list of batches of `trials.measure` for each mechanism.
    """
    done = work.done(_runs(counts, mechanisms, n, seed), key, sketch)
    return _as_trials(list(done.values()), len(mechanisms))


def timed_trials(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], n: int, seed: int, key: str
) -> tuple[Trials, dict[str, float]]:
    """Run every mechanism and measure the seconds per draw, by label."""
    runs = dict(zip(mechanisms, _runs(counts, mechanisms, n, seed), strict=True))
    data = digest(counts)
    timings = {
        m: work.Piece(
            ("seconds", data, m),
            m.k * DRAWS_TIMED / n,
            1,
            partial(_seconds_a_draw, counts, m),
        )
        for m in mechanisms
    }
    pieces = [piece for m in mechanisms for piece in (runs[m], timings[m])]
    done = work.done(pieces, key)
    whole = [m for m in mechanisms if {runs[m].token, timings[m].token} <= done.keys()]
    found = _as_trials([done[runs[m].token] for m in whole], len(mechanisms))
    return found, {m.label: done[timings[m].token] for m in whole}


def _runs(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], n: int, seed: int
) -> list[work.Piece]:
    """Return the runs of each mechanism as pieces of work, proportional to k."""

    def compute(mechanism: Mechanism, progress: Any) -> list[dict[str, Any]]:
        batches, done = [], 0
        for batch in measure(counts, mechanism, n, seed):
            batches.append(batch)
            done += len(batch["trial"])
            progress(done / n)
        return batches

    data = digest(counts)  # once: large counts take milliseconds
    return [
        work.Piece(("trials", data, m, n, seed), m.k, n, partial(compute, m)) for m in mechanisms
    ]


def _as_trials(runs: Sequence[list[dict[str, Any]]], n_settings: int) -> Trials:
    frame = tidy(batch for batches in runs for batch in batches) if runs else pd.DataFrame()
    return Trials(frame, n_settings, len(runs))


def _seconds_a_draw(counts: ItemCounts, mechanism: Mechanism, progress: Any) -> float:
    """Measure the seconds per draw of a batch, including the shared preparation."""
    rng = generator_for(mechanism, 0)
    mechanism.sample(counts, 1, rng)  # whatever is kept for later draws is there
    started = time.perf_counter()
    mechanism.sample(counts, DRAWS_TIMED, rng)
    seconds = (time.perf_counter() - started) / DRAWS_TIMED
    progress(1.0)
    return seconds


def worst_cases(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], neighbors: NeighborRelation, key: str
) -> dict[str, tuple[WorstCase, WorstCase | None]]:
    """Return the largest loss and, with delta, the largest hockey-stick divergence, by label."""
    data = counts.digest  # results hold names

    def piece(kind: str, mechanism: Mechanism, function: Any, *arguments: Any) -> work.Piece:
        compute = partial(function, counts, mechanism, *arguments, neighbors)  # then the progress
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


def released(counts: ItemCounts, mechanism: Mechanism, seed: int) -> Release:
    """Return the release of a seed, compared with the truth."""

    def compute(pause: Any) -> Release:
        return release_of_seed(counts, mechanism, seed)

    found: Release = work.one(("release", digest(counts), mechanism, seed), compute, mechanism.k)
    return found


def noise(
    counts: ItemCounts, mechanism: NoisyOrder, seed: int, round: int | None
) -> single_releases.NoisyRound:
    """Return the noise behind the release of a seed, by default in the first upset."""

    def compute(pause: Any) -> single_releases.NoisyRound:
        asked = round
        if asked is None:
            asked = single_releases.first_misplaced(counts, release(counts, mechanism, seed))
            pause()
        return single_releases.noise_of_release(counts, mechanism, seed, asked)

    found: single_releases.NoisyRound = work.one(
        ("noise", digest(counts), mechanism, seed, round), compute, 10
    )
    return found


def shares_used(counts: ItemCounts, mechanisms: Sequence[Mechanism], key: str) -> dict[str, float]:
    """Return the fraction of epsilon spent in the worst case on these counts, by label.

    The result is empty where neighbors are many.
    """
    few = [m for m in mechanisms if counts.d <= _FEW_ITEMS[m.neighbors] and not m.guarantee.delta]
    if not few:
        return {}
    worst = worst_cases(counts, few, few[0].neighbors, key)
    epsilons = {m.label: m.guarantee.epsilon for m in few}
    return {m: min(1.0, loss.value / epsilons[m]) for m, (loss, _) in worst.items()}  # rounding


def loss_of_release(counts: ItemCounts, mechanism: Mechanism, seed: int) -> float | None:
    """Return the exact privacy loss of a release, or None where neighbors are many."""
    if counts.d > _FEW_ITEMS[mechanism.neighbors]:
        return None

    def compute(pause: Any) -> float:
        return single_releases.loss_of_release(counts, mechanism, release(counts, mechanism, seed))

    loss: float = work.one(("loss of release", digest(counts), mechanism, seed), compute, 1)
    return loss


def played(counts: ItemCounts, mechanism: Mechanism, seed: int, n: int) -> single_releases.Outcomes:
    """Return ``n`` releases under consecutive seeds."""

    def compute(pause: Any) -> single_releases.Outcomes:
        return single_releases.consecutive_releases(counts, mechanism, seed, n)

    found: single_releases.Outcomes = work.one(
        ("played", digest(counts), mechanism, seed, n), compute, n * mechanism.k
    )
    return found


def series(
    counts: ItemCounts, mechanism: Mechanism, ledger: OutcomeLedger, seed: int
) -> adaptive_queries.QueryAnswers:
    """Return the calls under a seed until the ledger refuses."""

    def compute(pause: Any) -> adaptive_queries.QueryAnswers:
        return adaptive_queries.ask_for_the_next(counts, mechanism, ledger, seed, pause)

    found: adaptive_queries.QueryAnswers = work.one(
        ("series", digest(counts), mechanism, ledger, seed), compute, ledger.calls
    )
    return found


def exact_laws(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], metric: str
) -> dict[str, ErrorLaw]:
    """Return the exact law of the metric by label, where it is known."""
    laws = {
        m.label: work.one(
            ("law", digest(counts), m, metric),
            partial(quietly, known_law, counts, m, metric),
            _LAW,
        )
        for m in mechanisms
        if METRICS[metric].law in m.exact_metrics
    }
    return {label: law for label, law in laws.items() if law is not None}


def exact_shares(
    counts: ItemCounts, mechanisms: Sequence[Mechanism]
) -> dict[str, dict[str, Chance]]:
    """Return the exact probabilities of right releases by label, where they are known."""
    return {
        m.label: work.one(("shares", digest(counts), m), partial(known_shares, counts, m), 1)
        for m in mechanisms
    }


def known_rights(
    counts: ItemCounts, settings: Sequence[Mechanism], metric: str, trials: pd.DataFrame
) -> dict[Mechanism, Right]:
    """Return the exact probabilities of right releases at the points of a sweep."""
    found: dict[Mechanism, Right] = {}
    for label in dict.fromkeys(m.label for m in settings):
        at = tuple(m for m in settings if m.label == label)
        runs = trials[trials["mechanism"] == label]
        if not runs["exact_set"].any():
            continue  # whoever is right in order is so as a set: nothing to compute
        which = runs.groupby(list(setting_columns(runs)), sort=False, dropna=False)[[*RIGHT]].any()
        token = ("rights", digest(counts), at, metric, which.to_numpy().tobytes())
        found |= work.one(
            token, partial(post_stratified.known_rights, counts, at, metric, runs), len(at)
        )
    return found


def quietly(function: Any, *arguments: Any) -> Any:
    """Call a function without the last argument, a progress callback that it does not take."""
    return function(*arguments[:-1])
