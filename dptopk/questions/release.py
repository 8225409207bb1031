"""One release of each mechanism, compared place by place with the true top k."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dptopk.core.counts import ItemCounts
from dptopk.core.errors import count_given_up
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.placements import Placement, placements
from dptopk.data.tables import Columns
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.trials import release_with_counts

TITLE = "This release place by place"
_COLUMNS = ("mechanism", "place", "item", "count", "given_up", "placement")
NOT_PUBLIC = (
    "Not for a real release: count and given_up are computed from the true counts, and the seed "
    "reveals the noise."
)


@dataclass(frozen=True)
class Release:
    """One output of one mechanism, place by place, compared with the true top k.

    Attributes
    ----------
    positions, count_errors, placements : numpy.ndarray of int64, shape (k,)
        Released item, what its place gives up, and what became of the place.
    noisy : numpy.ndarray of float64, shape (k,), or None
        Released counts, where the mechanism releases them.
    outputs : OutputKind
        What kind of output it is.
    """

    positions: np.ndarray
    count_errors: np.ndarray
    placements: np.ndarray
    noisy: np.ndarray | None
    outputs: OutputKind


def released(counts: ItemCounts, mechanism: Mechanism, seed: int) -> Release:
    """Draw the release of a seed and compare it with the true top k."""
    kind = mechanism.outputs
    positions, noisy = release_with_counts(counts, mechanism, seed)
    rows = positions[None]
    return Release(
        kind.aligned(counts, rows)[0],
        count_given_up(counts, rows, kind)[0],
        placements(counts, rows, kind)[0],
        noisy,
        kind,
    )


def release_rows(counts: ItemCounts, releases: Mapping[str, Release]) -> Columns:
    """Return one row per mechanism and place; empty places hold no item."""
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    if any(one.noisy is not None for one in releases.values()):
        columns["released_count"] = []
    for label, one in releases.items():
        k = len(one.positions)
        there = [place if place != NOTHING else None for place in one.positions.tolist()]
        columns["mechanism"] += [label] * k
        columns["place"] += range(1, k + 1)
        columns["item"] += [None if place is None else counts.items[place] for place in there]
        columns["count"] += [
            None if place is None else int(counts.counts[place]) for place in there
        ]
        columns["given_up"] += one.count_errors.tolist()
        columns["placement"] += [Placement(place).name.lower() for place in one.placements]
        if "released_count" in columns:
            columns["released_count"] += [None] * k if one.noisy is None else one.noisy.tolist()
    return columns


def origin_of(view: View, mechanisms: Sequence[Mechanism]) -> Origin:
    """Return the origin of one release of each mechanism."""
    return view.origin(
        mechanisms,
        "simulated",
        runs=1,
        runs_are="release of each mechanism",
        seed=view.seed,
        alone=NOT_PUBLIC,
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Draw one release of every mechanism."""
    releases = {}
    for done, mechanism in enumerate(view.mechanisms, 1):
        releases[mechanism.label] = released(view.counts, mechanism, view.seed)
        progress(done / len(view.mechanisms))
    rows = release_rows(view.counts, releases)
    counted = [name for name in rows if name == "released_count"]
    return Answer(
        "release",
        TITLE,
        rows,
        origin_of(view, view.mechanisms),
        ("mechanism", "place", "item", "count", "placement", *counted),
        (*view.refusals(view.k, view.counts), NOT_PUBLIC),
    )
