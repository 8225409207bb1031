"""One release of each mechanism, compared place by place with the true top k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import count_given_up
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.placements import Placement, placements
from dptopk.data.tables import Columns
from dptopk.mechanisms import FreeGaps, Mechanism
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.trials import release_with_counts

if TYPE_CHECKING:
    from dptopk.simulation.single_releases import ReleasedGaps

TITLE = "This release place by place"
_COLUMNS = (
    *("mechanism", "place", "item", "count", "given_up", "placement", "released_count"),
    *("gap", "gap_at_least", "gap_at_most", "count_at_least"),
)
GAPS_MEANING = (
    "gap is the noisy gap to the next item or, for the last item, to the largest of all items not "
    "released: {labels} may release it with the items, for the same ε. With probability 95% for "
    "each mechanism, all true gaps lie between gap_at_least and gap_at_most, and all true counts "
    "are at least count_at_least."
)
NOT_PUBLIC = (
    "Not for a real release: count and given_up are computed from the true counts, and the seed "
    "reveals the noise."
)


@dataclass(frozen=True)
class Release:
    """One output of one mechanism, place by place, compared with the true top k."""

    positions: np.ndarray
    count_errors: np.ndarray  # (k,), what each place gives up
    placements: np.ndarray  # (k,), what became of each place
    noisy: np.ndarray | None  # (k,), released counts, where the mechanism releases them
    outputs: OutputKind
    # noisy gaps, where they come with the items at no further cost
    gaps: ReleasedGaps | None = None


def released(counts: ItemCounts, mechanism: Mechanism, seed: int) -> Release:
    """Draw the release of a seed and compare it with the true top k."""
    kind = mechanism.outputs
    positions, noisy = release_with_counts(counts, mechanism, seed)
    rows = positions[None]
    gaps = None
    if isinstance(mechanism, FreeGaps):
        from dptopk.simulation.single_releases import gaps_of_release  # slow to load

        gaps = gaps_of_release(counts, mechanism, seed)
    return Release(
        kind.aligned(counts, rows)[0],
        count_given_up(counts, rows, kind)[0],
        placements(counts, rows, kind)[0],
        noisy,
        kind,
        gaps,
    )


def release_rows(counts: ItemCounts, releases: Mapping[str, Release]) -> Columns:
    """Return one row per mechanism and place; empty places hold no item."""
    each = [_cells(counts, label, one) for label, one in releases.items()]
    return {
        name: [cell for cells in each for cell in cells.get(name, [None] * len(cells["place"]))]
        for name in _COLUMNS
        if any(name in cells for cells in each)
    }


def _cells(counts: ItemCounts, label: str, one: Release) -> dict[str, list[Any]]:
    """Return the columns of a release, without those that it has no numbers for."""
    places = [None if place == NOTHING else place for place in one.positions.tolist()]
    cells = {
        "mechanism": [label] * len(places),
        "place": [*range(1, len(places) + 1)],
        "item": [None if place is None else counts.items[place] for place in places],
        "count": [None if place is None else int(counts.counts[place]) for place in places],
        "given_up": one.count_errors.tolist(),
        "placement": [Placement(place).name.lower() for place in one.placements],
    }
    if one.noisy is not None:
        cells["released_count"] = one.noisy.tolist()
    if one.gaps is not None:
        known = (~np.isnan(one.gaps.gaps)).tolist()
        for name, ends in (("gap_at_least", one.gaps.low), ("gap_at_most", one.gaps.high)):
            cells[name] = [int(n) if there else None for n, there in zip(ends, known, strict=True)]
        noisy = one.gaps.gaps.tolist()
        cells["gap"] = [gap if there else None for gap, there in zip(noisy, known, strict=True)]
        cells["count_at_least"] = one.gaps.count_at_least.tolist()
    return cells


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


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Draw one release of every mechanism."""
    releases = {}
    for done, mechanism in enumerate(view.mechanisms, 1):
        releases[mechanism.label] = released(view.counts, mechanism, view.seed)
        progress(done / len(view.mechanisms))
    rows = release_rows(view.counts, releases)
    with_gaps = [label for label, one in releases.items() if one.gaps is not None]
    meaning = [GAPS_MEANING.format(labels=" and ".join(with_gaps))] if with_gaps else []
    return Answer(
        "release",
        TITLE,
        rows,
        origin_of(view, view.mechanisms),
        tuple(name for name in rows if name != "given_up"),
        (*view.refusals(view.k, view.counts), *meaning, NOT_PUBLIC),
    )
