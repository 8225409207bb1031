"""Call the package in turns with other sessions, and cache the results.

Results are keyed by a digest of the counts and by the mechanism.
"""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from dptopk.core.counts import ItemCounts
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import CountsByBound
from dptopk.data.sources import Source
from dptopk.mechanisms import Mechanism, NoisyOrder
from dptopk.questions.privacy import worst_cases
from dptopk.questions.runner import Task
from dptopk.questions.view import View
from dptopk.simulation import single_releases
from dptopk.simulation.trials import generator_for, release
from dptopk.ui.server import work

Key = TypeVar("Key", bound=Hashable)
T = TypeVar("T")

_DATA = ItemCounts | CountsByBound
_FEW_ITEMS = {NeighborRelation.ADD_REMOVE: 5, NeighborRelation.SWAP: 4}  # 62 and 80 neighbours
DRAWS_TIMED = 50  # of each mechanism, where its speed is told
_SHOWN = 2_000  # size of what a page shows, in rows of trials; two more for each cell


def share(source: Source) -> None:
    """Share results computed from bundled data among all sessions."""
    if source.bundled:
        work.share([source.counts.identity, source.counts.digest])


def shown(
    what: str, view: View, more: tuple[Any, ...], make: Callable[[], T], *, n_rows: int = 0
) -> T:
    """Return the contents of a page, cached for all sessions if the data are bundled.

    They must be determined by the view and by ``more``; ``what`` names the page, ``n_rows`` is the
    number of rows of trials in them.
    """
    if not view.source.bundled:
        return make()
    token = (what, view.counts.digest, _key(view), more)
    return work.shared(token, _SHOWN + 2 * view.k * len(view.keys) + n_rows, make)


def _key(value: Any) -> Any:
    """Return what determines a value, hashable; a view and its source by all their fields."""
    if isinstance(value, _DATA):
        return value.identity
    if isinstance(value, View | Source):
        return tuple(_key(getattr(value, field.name)) for field in fields(value))
    return tuple(sorted(value.items())) if isinstance(value, Mapping) else value


def remembered(function: Callable[..., T], *arguments: Any, size: int = 1, doing: str = "") -> T:
    """Return the result of short work, computed in turns and once for the same arguments.

    ``arguments`` are hashable and determine the result; the data come first.  ``size`` is that of
    the result, in rows of trials; ``doing`` is shown while it is computed.
    """
    token = _token(function, arguments)
    result: T = work.run_once(token, lambda: function(*arguments), size, doing)
    return result


class InTurns:
    """Runner of the app: in turns with other sessions, cached and stoppable.

    ``untimed`` is said of progress in place of an estimate of time; see `work.run_pieces`.
    """

    def __init__(self, untimed: str = ""):
        self._untimed = untimed

    def call(self, function: Callable[..., T], *arguments: Any, size: int = 1) -> T:
        """Return the result of short work; see `remembered`."""
        return remembered(function, *arguments, size=size)

    def each(
        self,
        tasks: Mapping[Key, Task],
        name: str,
        sketch: Callable[[dict[Key, Any]], object] | None = None,
    ) -> dict[Key, Any]:
        """Return the results of the tasks by key; if stopped, of those finished.

        ``sketch`` returns a figure of the results so far.
        """
        tokens = {key: _token(task.function, task.arguments) for key, task in tasks.items()}

        def found(done: dict[tuple[Any, ...], Any]) -> dict[Key, Any]:
            return {key: done[token] for key, token in tokens.items() if token in done}

        pieces = {tokens[key]: task for key, task in tasks.items()}
        drawn = None if sketch is None else lambda done: sketch(found(done))
        return found(work.run_pieces(pieces, name, drawn, self._untimed))


IN_TURNS = InTurns()


def _token(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the key of a call in the cache; data stand in it by their digest."""
    named = f"{function.__module__}.{function.__qualname__}"
    return (named, *map(_key, arguments))


def seconds_a_draw(counts: ItemCounts, mechanisms: Sequence[Mechanism]) -> dict[str, float]:
    """Return the measured seconds per draw of each mechanism, by label; see `work.run_pieces`."""
    tasks = {m.label: Task(_seconds_a_draw, (counts, m), m.k) for m in mechanisms}
    return IN_TURNS.each(tasks, "seconds")


def _seconds_a_draw(counts: ItemCounts, mechanism: Mechanism) -> float:
    """Measure the seconds per draw of a batch, including the shared preparation."""
    rng = generator_for(mechanism, 0)
    mechanism.sample(counts, 1, rng)  # whatever is kept for later draws is there
    started = time.perf_counter()
    mechanism.sample(counts, DRAWS_TIMED, rng)
    return (time.perf_counter() - started) / DRAWS_TIMED


def noise(
    counts: ItemCounts, mechanism: NoisyOrder, seed: int, round: int | None
) -> single_releases.NoisyRound:
    """Return the noise behind the release of a seed, by default in the first upset."""
    return remembered(_noise, counts, mechanism, seed, round, size=10)


def _noise(
    counts: ItemCounts, mechanism: NoisyOrder, seed: int, round: int | None
) -> single_releases.NoisyRound:
    if round is None:
        round = single_releases.first_misplaced(counts, release(counts, mechanism, seed))
    return single_releases.noise_of_release(counts, mechanism, seed, round)


def shares_used(counts: ItemCounts, mechanisms: Sequence[Mechanism], key: str) -> dict[str, float]:
    """Return the fraction of epsilon spent in the worst case on these counts, by label.

    The result is empty where neighbors are many.
    """
    few = [m for m in mechanisms if _is_listed(counts, m) and not m.guarantee.delta]
    if not few:
        return {}
    worst = worst_cases(counts, few, few[0].neighbors, IN_TURNS, key)
    epsilons = {m.label: m.guarantee.epsilon for m in few}
    return {m: min(1.0, loss.value / epsilons[m]) for m, (loss, _) in worst.items()}  # rounding


def loss_of_release(counts: ItemCounts, mechanism: Mechanism, seed: int) -> float | None:
    """Return the exact privacy loss of a release, or None where it cannot be listed."""
    if not _is_listed(counts, mechanism):
        return None
    return remembered(_loss_of_release, counts, mechanism, seed)


def _is_listed(counts: ItemCounts, mechanism: Mechanism) -> bool:
    """Return whether all neighbors and the probabilities on them can be listed."""
    return counts.d <= _FEW_ITEMS[mechanism.neighbors] and mechanism.has_law()


def _loss_of_release(counts: ItemCounts, mechanism: Mechanism, seed: int) -> float:
    return single_releases.loss_of_release(counts, mechanism, release(counts, mechanism, seed))
