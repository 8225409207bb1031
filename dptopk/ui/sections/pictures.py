"""Draw the figures beside the table of a release: its noise, and repeated releases."""

import contextlib
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st

from dptopk import figures
from dptopk.core.array_types import FloatArray
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import NOTHING
from dptopk.core.parameters import Choice, Number
from dptopk.core.placements import Placement, placements
from dptopk.laws.distribution import output_distribution
from dptopk.mechanisms import Mechanism, NoClosedFormError, NoisyOrder
from dptopk.questions import settings
from dptopk.questions.errors import known_shares
from dptopk.questions.release import released
from dptopk.questions.view import View
from dptopk.simulation.single_releases import NoisyRound, Outcomes, consecutive_releases
from dptopk.simulation.summaries import mean_of_runs
from dptopk.simulation.trials import generator_for
from dptopk.ui import results, show, snippets, tables
from dptopk.ui.controls import inputs
from dptopk.ui.formats import counted, joined, plural
from dptopk.ui.layout import presentation
from dptopk.ui.sections.explanation import doing
from dptopk.ui.sentences import alt_text, base, titles
from dptopk.ui.show import Chart, Table
from dptopk.ui.widgets.moving_ranks import MovingRanks

TABLE, NOISE, OUTCOMES = "table", "noise", "outcomes"
N_OUTCOMES = 100
_SIMULATED = 4_000  # releases, where the probabilities of right places are not known
_FEW = 20_000  # outputs that are listed
_BATCH = 1  # of the draws: the first is that of the release
_MOST_COLUMNS, _MOST_LABELS = 21, 12
MOST_PLACES = 20
HOW_TO_READ = {
    TABLE: "Left: the true top {k}. Right: what is published instead. Noise hides any one person: "
    "more at a smaller ε.",
    NOISE: "Left: true counts. Right: the counts with noise, by which items are chosen.",
    OUTCOMES: "The true order, beside one release after another; in practice one is published.",
}
SIGNS = "✓ right, ↕ moved within the top k, ✗ not in it."
PICTURE = Choice("picture", "Picture", {TABLE: "Table", NOISE: "Noise", OUTCOMES: "Draws"}, TABLE)
ROUND = Number(
    "round",
    "Round",
    1,
    settings.MAX_K,
    None,
    help=(
        "Each round adds fresh noise and releases the item with the largest noisy count. If empty, "
        "it is the first round that did not release the largest remaining count."
    ),
)


@dataclass(frozen=True)
class Looked:
    """A picture of a release."""

    words: tuple[str, ...]  # how to read it
    table: bool = False  # the page's own, and no picture
    finding: str = ""  # title of the page, if not that of the release
    noise: Chart | None = None
    ranks: MovingRanks | None = None
    behind: Table | None = None  # numbers of the picture
    code: str = ""  # lines that give them


_BARE = {"label_visibility": "collapsed"}  # so that the row keeps its height


def look(view: View, marks: str) -> Looked:
    """Draw the choice of picture and return it; ``marks`` is the legend of the table."""
    picture = inputs.choice(st, PICTURE, **_BARE)
    if picture != OUTCOMES or presentation.is_slide():  # else the picture draws itself
        show.redraw("Draw again", "draw")
    if picture == OUTCOMES:
        first = min(view.mechanisms, key=_changes_little)
        one = inputs.one_mechanism(st, view.mechanisms, first, **_BARE)
        made, size = partial(_played, view, one), N_OUTCOMES * one.k
        return results.shown("played", view, (one,), made, n_rows=size)
    if picture == TABLE:
        return Looked((marks,), table=True)
    noisy = [m for m in view.mechanisms if isinstance(m, NoisyOrder) and _reads_any(m, view)]
    if not noisy:
        words = f"{_without_noise(view)} Choose a mechanism that adds noise to every count."
        return Looked((words, marks), table=True)
    mechanism = inputs.one_mechanism(st, noisy, min(noisy, key=_changes_little), **_BARE)
    round = inputs.number(st, ROUND, high=view.k, width=150) if mechanism.fresh_noise else None
    return _noise(view, mechanism, round)


def _reads_any(mechanism: NoisyOrder, view: View) -> bool:
    """Return True if the mechanism adds noise to any count of the data."""
    return mechanism.n_noisy(view.counts.sorted) > 0


def _changes_little(mechanism: Mechanism) -> int:
    """Return a rank: mechanisms whose picture shows more changes of places come first."""
    if not isinstance(mechanism, NoisyOrder):
        return 2
    return int(mechanism.fresh_noise)


def _noise(view: View, mechanism: NoisyOrder, of_round: int | None) -> Looked:
    """Return the picture of the noise behind a release."""
    noise = results.noise(view.counts, mechanism, view.seed, of_round)
    names = view.counts.names(noise.positions)
    further = figures.reaches_further(noise)
    axes = "longer than usual for this draw" if further else "the same for every draw"
    marks = f"Vertical marks are the true counts. The axes are {axes}."
    if figures.cuts_bars(noise):
        marks += " A count marked ▸ lies far beyond the axis."
    origin = view.origin(
        (mechanism,),
        "simulated",
        runs=1,
        runs_are="release, with the noise behind it",
        seed=view.seed,
        settings_of=mechanism.label,
        more={"mechanism": mechanism.label}
        | ({"round": noise.round} if noise.round else {})
        | ({} if noise.threshold is None else {"threshold": round(noise.threshold, 1)}),
    )
    scale = mechanism.card.scale_words(counted(mechanism.scale_on(view.counts.d), view.unit))
    which = f"round {noise.round} of {mechanism.k}" if noise.round else "one shot"
    reading = f"{mechanism.label} {scale} ({which}). {marks}"
    finding = alt_text.noise(names, noise, view.k, view.unit)
    here = results.remembered(released, view.counts, mechanism, view.seed, size=mechanism.k)
    label = base.with_delta(mechanism)
    return Looked(
        tuple(filter(None, (_words(mechanism, noise, view, scale, marks), _without_noise(view)))),
        finding=titles.release({label: here.placements}, {label: here.outputs}),
        noise=Chart(
            figures.noisy_order(
                names, noise, view.k, mechanism.card.style, view.unit, narrow=show.is_narrow()
            ),
            "noise",
            f"True counts, and the noisy counts behind this release of {mechanism.label}.",
            origin.read_as(reading),
            height=110 + (36 if show.is_narrow() else 24) * len(names),
            finding=finding,
            slide=f"{reading} {finding}",
        ),
        behind=Table(
            tables.noisy_round(names, noise, view.unit),
            f"noise-{mechanism.card.key}",
            f"Noise on each item shown, {mechanism.label}",
            origin,
        ),
        code=f"""
noise = noise_of_release(
    counts, {snippets.constructor(mechanism)}, seed={view.seed}, round={noise.round or 1}
)
print(counts.names(noise.positions))
print(noise.counts)
print(noise.noisy)
"""
        + ("" if noise.threshold is None else "print(noise.threshold)\n"),
    )


def _without_noise(view: View) -> str:
    """Name the mechanisms without a picture of noise; empty if there are none."""
    noisy = [m for m in view.mechanisms if isinstance(m, NoisyOrder)]
    whole = [m.label for m in view.mechanisms if m not in noisy]
    blind = [m.label for m in noisy if not _reads_any(m, view)]
    words = ""
    if whole:
        words = f"Single counts get no noise under {joined(whole)}: the choice is among whole "
        words += "outputs."
    return f"{words} No item has a count that {joined(blind)} reads.".strip() if blind else words


def _played(view: View, mechanism: Mechanism) -> Looked:
    """Return a hundred releases of one mechanism, as an animation."""
    counts = view.counts
    outcomes = results.remembered(
        consecutive_releases,
        counts,
        mechanism,
        view.seed,
        N_OUTCOMES,
        size=N_OUTCOMES * mechanism.k,
    )
    places = min(view.k, MOST_PLACES)
    cut = "" if places == view.k else f" Places 1 to {places} of {view.k} are shown."
    items, frames, words = _frames(counts, mechanism, outcomes, places)
    origin = view.origin(
        (mechanism,),
        "simulated",
        runs=N_OUTCOMES,
        runs_are="releases, each under its own seed",
        seed=view.seed,
        settings_of=mechanism.label,
        more={"mechanism": mechanism.label},
    )
    law, mean = results.remembered(chances_of_right, counts, mechanism, view.seed)
    n_right = (placements(counts, outcomes.positions, mechanism.outputs) == Placement.RIGHT).sum(
        axis=1
    )
    width = -(-law.size // _MOST_COLUMNS)
    first = range(0, law.size, width)
    names = [f"{n} to {min(n + width, law.size) - 1}" if width > 1 else f"{n}" for n in first]
    shares = [float(law[n : n + width].sum()) for n in first]
    step = 1 if width == 1 and len(first) <= _MOST_LABELS else 5
    kind = "exact probabilities" if mean.exact else f"{_SIMULATED:,} simulated releases"
    exact = results.remembered(known_shares, counts, mechanism)
    right = alt_text.drawn_right(counts, mechanism, outcomes, exact)
    return Looked(
        (
            f"{right} Places right on average: {mean.brief}, {mean.how}.{cut} ✓ right, ↕ moved, "
            f"✗ not in the top {view.k}.",
        ),
        finding=titles.right_on_average(base.with_delta(mechanism), mean, mechanism.outputs),
        ranks=MovingRanks(
            f"{N_OUTCOMES} releases of {mechanism.label}, one after another",
            mechanism.card.style.color,
            tuple(counts.items[position] for position in counts.order[:places]),
            items,
            frames,
            words,
            tuple((n_right // width).tolist()),
            tuple(name if i % step == 0 else "" for i, name in enumerate(names)),
            tuple(names),
            tuple(shares),
            f"A dot for each draw; after {N_OUTCOMES} the outline of {kind}.",
            f"Outline, {kind}: "
            + "; ".join(
                f"{n} in {p:.1%}" for n, p in zip(names, shares, strict=True) if p >= 0.0005
            )
            + ".",
            origin,
            f"{right} {doing(view, mechanism)}. {SIGNS}",
        ),
        behind=Table(
            tables.outcomes(counts, outcomes),
            f"releases-{mechanism.card.key}",
            f"{N_OUTCOMES} releases of {mechanism.label}, one per row",
            origin,
        ),
        code=f"""
mechanism = {snippets.constructor(mechanism)}
outcomes = consecutive_releases(counts, mechanism, seed={view.seed}, n={N_OUTCOMES})
for seed, positions in zip(outcomes.seeds, outcomes.positions):
    print(seed, counts.names(positions))
""",
    )


def chances_of_right(
    counts: ItemCounts, mechanism: Mechanism, seed: int
) -> tuple[FloatArray, Estimate]:
    """Return the probability of each number of right places, 0 to k, and their mean.

    Where the outputs are too many to list, or have no closed form, it is their share of releases.
    """
    k, kind = mechanism.k, mechanism.outputs
    outputs, weights = None, None
    if kind.n_outputs(counts.d, k) <= _FEW:
        with contextlib.suppress(NoClosedFormError):
            law = output_distribution(counts, mechanism)
            outputs, weights = law.sequences, law.probabilities
    is_exact = outputs is not None
    if outputs is None:
        rng = generator_for(mechanism, seed, _BATCH)
        outputs, weights = mechanism.sample(counts, _SIMULATED, rng), np.ones(_SIMULATED)
    n_right = (placements(counts, outputs, kind) == Placement.RIGHT).sum(axis=1)
    shares = np.bincount(n_right, weights, minlength=k + 1)
    law = shares / shares.sum()
    if not is_exact:
        return law, replace(mean_of_runs(n_right, k), most=k)
    return law, Estimate.exactly(float(law @ np.arange(k + 1)), most=k)


def _words(mechanism: NoisyOrder, noise: NoisyRound, view: View, scale: str, marks: str) -> str:
    n = len(noise.positions)
    if noise.round:
        which = (
            f"Round {noise.round} of {mechanism.k} with fresh noise for each of the "
            f"{plural(noise.n_candidates, 'item')} remaining; the largest noisy count is released."
        )
        chosen = (
            f" The winner and the largest remaining counts are shown ({n}); others, not shown, "
            "may lie between them."
        )
    elif noise.threshold is None:
        which = (
            f"One shot: the {mechanism.k} largest noisy counts, in their order, are the release in "
            "the table."
        )
        chosen = f" {n} of {noise.n_candidates} items around place {mechanism.k} are shown."
    else:
        which = (
            f"One shot: the items above the threshold ⊥, at most {mechanism.k} items in their "
            "order, are the release in the table; the line is ⊥, at "
            f"{counted(noise.threshold, view.unit)}."
        )
        chosen = f" {n} of {noise.n_candidates} items around the last one released are shown."
    if n == noise.n_candidates:
        chosen = ""
    return (
        f"{mechanism.label} {scale}. {which}{chosen} {marks} The noise is drawn from its exact "
        f"conditional distribution given this release (seed {view.seed})."
    )


def _frames(
    counts: ItemCounts, mechanism: Mechanism, outcomes: Outcomes, places: int
) -> tuple[tuple[str, ...], tuple[tuple[tuple[int, str], ...], ...], tuple[str, ...]]:
    """Return the items shown, their positions and marks in each release, and its description."""
    marks = placements(counts, outcomes.positions, mechanism.outputs)
    positions = outcomes.positions[:, :places]
    items = np.unique(positions[positions != NOTHING])
    where = "in the right place" if mechanism.outputs.ordered else "right"
    frames, words = [], []
    for number, (row, mark, seed) in enumerate(
        zip(positions, marks, outcomes.seeds, strict=True), 1
    ):
        frames.append(
            tuple(
                (int(np.searchsorted(items, item)) if item != NOTHING else NOTHING, tables.MARKS[m])
                for item, m in zip(row, map(Placement, mark[:places]), strict=True)
            )
        )
        n_right, n_moved, n_foreign = (
            int((mark == sort).sum())
            for sort in (Placement.RIGHT, Placement.MOVED, Placement.FOREIGN)
        )
        words.append(
            f"Release {number} of {len(outcomes.seeds)}, seed {seed}: {n_right} {where}, "
            f"{n_moved} moved, {n_foreign} not in the top {mechanism.k}"
        )
    return tuple(counts.items[item] for item in items), tuple(frames), tuple(words)
