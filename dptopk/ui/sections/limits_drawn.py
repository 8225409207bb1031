"""Compute a limit T to move over the counts, with draws of T and of the places under it."""

import numpy as np

from dptopk.core.counts import ItemCounts
from dptopk.core.placements import Placement, placements
from dptopk.mechanisms.pictures import Limits, NoisyCounts
from dptopk.mechanisms.selections import ONE_CHOICE, OPEN
from dptopk.questions.origin import Origin
from dptopk.questions.view import View
from dptopk.simulation.single_releases import consecutive_releases
from dptopk.simulation.trials import generator_for
from dptopk.ui import results
from dptopk.ui.formats import compact, plural
from dptopk.ui.sections import how_it_chooses
from dptopk.ui.sections.swaps import all_right
from dptopk.ui.widgets.moving_limit import LimitDraw, MovingLimit

N_DRAWS = 20
_COLUMNS = 10  # places whose eligible items are shown
_BEYOND = 3  # items shown after place k
_VALUES = 150  # of T, that can be set
_BINS, _RARE = 40, 0.0005  # ranges of ⊥, and the probability beyond them on each side


def of_view(view: View, mechanism: ONE_CHOICE) -> MovingLimit:
    """Return the limit of a mechanism on the data of a page."""
    origin = view.origin((mechanism,), "exact", seed=view.seed)
    right = all_right(view, (mechanism,))
    return moving_limit(view.counts, mechanism, view.unit, view.seed, origin, right)


def moving_limit(
    counts: ItemCounts, mechanism: ONE_CHOICE, unit: str, seed: int, origin: Origin, right: str = ""
) -> MovingLimit:
    """Return the limit of a mechanism on some counts, with the draws of this seed and the next.

    ``right`` says on the slide how likely all of them are right.
    """
    k, color = mechanism.k, mechanism.card.style.color
    picture = mechanism.picture(counts.sorted, np.arange(1), np.random.default_rng(0))
    releases = results.remembered(
        consecutive_releases, counts, mechanism, seed, N_DRAWS, size=N_DRAWS
    )
    drawn = results.remembered(limits_behind, counts, mechanism, releases.seeds)
    places = np.unique(np.linspace(1, k, min(k, _COLUMNS)).round().astype(np.int64))
    levels = counts.sorted.top(k)[places - 1]
    end = int(picture.stop[-1])
    grid = np.linspace(0, end - 1, min(end, _VALUES)).astype(np.int64)
    limits = np.union1d(grid, drawn)
    eligible = counts.sorted.n_at_least(levels - limits[:, None])
    rows = np.union1d(places - 1, np.arange(k, min(k + _BEYOND, counts.d)))  # ranks
    names, values = counts.names(counts.order[rows]), counts.counts[counts.order[rows]].tolist()
    n_others = counts.d - int(rows[-1]) - 1
    if n_others:
        largest = int(counts.counts[counts.order[rows[-1] + 1]])
        names.append(f"largest of {n_others:,} others" if n_others > 1 else "1 other item")
        values.append(largest)
    places_right = placements(counts, releases.positions, mechanism.outputs) == Placement.RIGHT
    column = {int(place) - 1: i for i, place in enumerate(places)}
    draws = []
    for limit, row, n_right, each in zip(
        drawn.tolist(),
        releases.positions,
        places_right.sum(axis=1).tolist(),
        releases.seeds,
        strict=True,
    ):
        of_row = np.searchsorted(rows, ranks := counts.ranks_at(row))
        is_shown = np.isin(ranks, rows)
        cells = np.where(is_shown, of_row, np.where(ranks > rows[-1], rows.size, -1)).tolist()
        draws.append(
            LimitDraw(
                int(np.searchsorted(limits, limit)),
                tuple((cell, column.get(place, -1)) for place, cell in enumerate(cells)),
                tuple(counts.names(row)),
                f"Release of seed {each}: {n_right} of {k} places right.",
            )
        )
    odds = how_it_chooses.odds_of_limits(picture)
    bins = (np.searchsorted(picture.start, limits, side="right") - 1).tolist()
    return MovingLimit(
        title=f"The limit {picture.letter} of {mechanism.label}",
        button=f"Draw {picture.letter}, then the places",
        color=color,
        unit=unit,
        items=tuple(names),
        counts=tuple(values),
        many=tuple(row >= rows.size for row in range(len(names))),
        k=k,
        columns=tuple(f"{place}" for place in places),
        levels=tuple(levels.tolist()),
        limits=tuple(limits.tolist()),
        at=int(np.searchsorted(limits, picture.median or 0)),
        settings=tuple(f"{picture.letter} = {limit:,}" for limit in limits.tolist()),
        words=tuple(
            _admitted(picture, limit, odds, places.tolist(), n)
            for limit, n in zip(limits.tolist(), eligible.tolist(), strict=True)
        ),
        lines=tuple(
            tuple(
                f"Place {place}: {level:,} − {limit:,} = {level - limit:,}".replace("-", "−")
                for place, level in zip(places.tolist(), levels.tolist(), strict=True)
            )
            for limit in limits.tolist()
        ),
        bins=tuple(bins),
        law=f"Probability of {picture.letter}, exact at ε = {compact(mechanism.epsilon)}",
        ends=("0", f"{end - 1:,}"),
        probabilities=tuple(picture.probabilities.tolist()),
        draws=tuple(draws),
        origin=origin,
        line=f"One choice of the whole list: first a limit {picture.letter}, how far below the "
        "true count of its place an item's count may be; then each place takes one of the eligible "
        f"items left, all alike. {right}".strip(),
    )


def limits_behind(counts: ItemCounts, mechanism: ONE_CHOICE, seeds: tuple[int, ...]) -> np.ndarray:
    """Return the limit T behind the release of each seed, in users."""
    drawn = [mechanism.limit_behind(counts.sorted, generator_for(mechanism, s)) for s in seeds]
    return np.array(drawn, dtype=np.int64)


def _admitted(
    picture: Limits, limit: int, odds: list[str], places: list[int], eligible: list[int]
) -> str:
    """Describe a limit: its probability, and how many items it admits at the first and last."""
    at = int(np.searchsorted(picture.stop, limit, side="right"))
    if at == picture.stop.size:
        of = f"above {picture.stop[-1] - 1:,} has probability below 0.001"
    else:
        first, last = int(picture.start[at]), int(picture.stop[at]) - 1
        within = f"= {first:,}" if first == last else f"from {first:,} to {last:,}"
        of = f"{within} has probability {odds[at]}"
    n = [f"{plural(eligible[0], 'eligible item')} at place {places[0]}"]
    n += [f"{eligible[-1]:,} at place {places[-1]}"] if len(places) > 1 else []
    return f"{picture.letter} {of}; {', '.join(n)}."


def moving_threshold(
    counts: ItemCounts, mechanism: OPEN, unit: str, seed: int, origin: Origin
) -> MovingLimit:
    """Return the noisy threshold of a mechanism on a few counts, with draws of it and of the noise.

    The draws are those of this seed and the next; all of the items are read.
    """
    k, d = mechanism.k, counts.d
    at, scale = mechanism.threshold(counts.sorted), mechanism.scale
    seeds = tuple(range(seed, seed + N_DRAWS))
    drawn = [
        mechanism.picture(counts.sorted, np.arange(d), generator_for(mechanism, one))
        for one in seeds
    ]
    pictures = [(one, one.threshold or 0.0) for one in drawn if isinstance(one, NoisyCounts)]
    least, most = at - scale * np.log(-np.log([_RARE, 1 - _RARE]))
    edges = np.linspace(least, most, _BINS + 1)
    below = np.exp(-np.exp((at - edges) / scale))  # Gumbel
    limits = np.union1d(np.linspace(least, most, _VALUES), [reached for _, reached in pictures])
    names = counts.names(counts.order)
    draws = []
    for (picture, reached), one in zip(pictures, seeds, strict=True):
        first = np.argsort(-picture.noisy)
        out = [int(row) for row in first if picture.noisy[row] > reached][:k]
        draws.append(
            LimitDraw(
                int(np.searchsorted(limits, reached)),
                tuple((row, 0) for row in out),
                tuple(names[row] for row in out),
                f"Draw of seed {one}: {plural(len(out), 'item')} released.",
                tuple(picture.noisy.tolist()),
            )
        )
    above = counts.sorted.n_at_least(np.ceil(np.maximum(limits, 0.0)).astype(np.int64))
    return MovingLimit(
        title=f"The noisy threshold ⊥ of {mechanism.label}",
        button="Draw the noise, then ⊥",
        color=mechanism.card.style.color,
        unit=unit,
        items=tuple(names),
        counts=tuple(counts.counts[counts.order].tolist()),
        many=(False,) * d,
        k=k,
        columns=("out",),
        levels=(),
        limits=tuple(limits.tolist()),
        at=int(np.searchsorted(limits, at)),
        settings=tuple(f"⊥ at {limit:.1f}" for limit in limits.tolist()),
        words=tuple(
            f"⊥ at {limit:.1f}: {n} of {d} counts without noise reach it."
            for limit, n in zip(limits.tolist(), above.tolist(), strict=True)
        ),
        lines=tuple((f"⊥ at {limit:.1f}",) for limit in limits.tolist()),
        bins=tuple(np.clip(np.searchsorted(edges, limits) - 1, 0, _BINS - 1).tolist()),
        law=f"Probability of ⊥, exact at ε = {compact(mechanism.epsilon)}",
        ends=(f"{least:.0f}", f"{most:.0f}"),
        probabilities=tuple(np.diff(below).tolist()),
        draws=tuple(draws),
        origin=origin,
        line="Every count and the threshold get noise; the largest noisy counts above ⊥ come out.",
    )
