"""Compute the exact probability of every output of a small case."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.outputs import EMPTY_SIGN, MAX_OUTPUTS, SEQUENCE, OutputKind
from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.questions.exact import TITLE, Enumeration, enumerate_outputs, exact_origin
from dptopk.questions.origin import Origin
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View, styles_of
from dptopk.ui import formats, results
from dptopk.ui.controls import inputs, small_cases
from dptopk.ui.exhibits import snippets
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    Problem,
    Table,
    Tile,
    Tiles,
)
from dptopk.ui.findings import alt_text, texts

MOST_ROWS = 500
_MORE_ROWS = f"the {MOST_ROWS} likeliest are below; the download contains all."
_FEW = 5  # mechanisms that find room on the first screen
_HEADLINE = 90  # characters of names that a headline has room for


@dataclass(frozen=True)
class Options:
    """Settings of the page."""

    case: SmallCase
    n_draws: int


def question() -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    return (
        "Which outputs are possible, and how likely are they?",
        "For a few items, all possible outputs are listed with their exact probabilities.",
    )


def choose(view: View, place: Any) -> Options:
    """Draw the choice of counts and of the number of draws beside the exact probabilities."""
    case = small_cases.choose(view, place)
    n_draws = inputs.steps(
        place,
        settings.DRAWS,
        (0, 1_000, 10_000, 100_000),
        format_func=lambda n: f"{n:,}" if n else "none",
    )
    small_cases.presets(place)
    return Options(case, n_draws)


def present(view: View, options: Options) -> list[Exhibit]:
    """Enumerate every output."""
    case, n_draws = options.case, options.n_draws
    mechanisms = view.at(case.k, case.counts)
    try:
        written = enumerated(case.counts, mechanisms, n_draws, view.seed)
    except ValueError as error:
        return [Problem("Too many outputs to list", small_cases.fewer(error))]
    kinds = {(m.outputs.ordered, m.outputs.short) for m in mechanisms}
    counted = any(mechanism.outputs.counted for mechanism in mechanisms)
    origin = exact_origin(view, case, mechanisms, n_draws)
    short, named = _short(written), written.names_of_the_likeliest()
    headline, tiles = _headline(*named), [_tile(written, label) for label in written.exact]
    chart = Chart(
        _bars(written, short, view, case),
        "outputs",
        "Exact probability of each output as bars, with the share of the draws and its interval.",
        origin,
        height=figures.height_of_rows(len(short), len(written.exact)),
        least=_least(len(short), len(written.exact)),
        finding=f"{headline}: {alt_text.numbers(tiles)}",
        slide=f"{headline}: {_in_short(tiles)}. {_shown_share(written, len(short))}",
    )
    notes = _in_full(named[1]) + _notes(written, len(short), len(kinds) > 1, counted)
    return [
        FirstScreen([Header(headline), Tiles(tiles)], [Lead(chart)]),
        small_cases.telling(view, case),
        *map(Caption, (*case.notes, *notes)),
        FigureButtons(chart),
        Table(
            shown_outputs(written, MOST_ROWS),
            "outputs",
            TITLE,
            origin,
            written.frame(),
            {"height": 320},
        ),
        *(_fit(written, origin) if written.fits else ()),
        Code(
            snippets.small(
                case.python,
                [m for m in mechanisms if m.label not in written.left_out],
                _code(written.merged, n_draws, view.seed),
            ),
            origin,
        ),
    ]


def _headline(kind: OutputKind, names: list[str]) -> str:
    """Name the output whose probability the tiles show, with its order where it has one."""
    if not names:
        return f"Probability that nothing is released ({EMPTY_SIGN})"
    together = ", ".join(names)
    if len(together) > _HEADLINE:
        (together,) = figures.short_labels([(SEQUENCE, range(len(names)))], names)
    how = f", {kind.how}" if len(names) > 1 else ""
    end = f"{',' if how else ''} and nothing more ({EMPTY_SIGN})" if kind.short else ""
    return f"Probability of {formats.plain(together, 2 * _HEADLINE)}{how}{end}"


def _least(n_rows: int, n_bars: int) -> int:
    """Return the height in pixels at which the bars of many mechanisms can be told apart."""
    return 256 if n_bars <= _FEW else 110 + 10 * n_bars + 6 * n_rows * n_bars


def _in_full(names: list[str]) -> list[str]:
    """Return the output of the headline in full, if the headline shortened it."""
    together = ", ".join(names)
    whole = formats.plain(together, len(together))
    if len(together) <= _HEADLINE:
        return []
    return [f"The full output whose probabilities are shown above: {whole}."]


def _in_short(tiles: list[Tile]) -> str:
    """List the numbers of the tiles for a slide."""
    return ", ".join(f"{tile.label} {tile.value}" for tile in tiles)


def _shown_share(written: Enumeration, n_shown: int) -> str:
    """Count the outputs in the figure and give their total probability."""
    n = len(written.labels)
    if n_shown == n:
        return f"All {n:,} outputs are shown."
    totals = (
        f"{label} {formats.share(min(1.0, float(np.nansum(values[:n_shown]))))}"
        for label, values in written.exact.items()
    )
    return (
        f"The {n_shown} likeliest of {n:,} outputs are shown; their total probability: "
        f"{', '.join(totals)}."
    )


def _tile(written: Enumeration, label: str) -> Tile:
    chance, how = written.of_the_likeliest(label)
    short = formats.shortfall(chance)
    return Tile(label, formats.chance(chance), f"{how}: {short}" if short else how)


def _short(written: Enumeration) -> list[str]:
    """Return the labels of the rows of the figure."""
    most = figures.rows_that_fit([])
    rows = [(OutputKind(ordered), row) for ordered, row in written.keys[:most]]
    short = figures.short_labels(rows, written.items)
    return short[: figures.rows_that_fit(short)]


def _bars(written: Enumeration, short: list[str], view: View, case: SmallCase) -> go.Figure:
    shown = slice(0, len(short))
    return figures.output_probabilities(
        written.labels[shown],
        {label: values[shown] for label, values in written.exact.items()},
        styles_of(view.at(case.k, case.counts)),
        {
            label: (share[shown], low[shown], high[shown])
            for label, (share, low, high) in written.drawn.items()
        },
        short=short,
        words={label: written.words(label, len(short)) for label in written.log_exact},
        observed_words={label: drawn_words(written, label, len(short)) for label in written.drawn},
    )


def _fit(written: Enumeration, origin: Origin) -> list[Exhibit]:
    """Return the section on the test of the draws."""
    title = "χ² test of the draws"
    return [
        Header("Do the samplers follow the exact probabilities?"),
        Table(fit_frame(written), "fit", title, origin, written.fit_numbers()),
        Caption(texts.FIT_WORDS),
    ]


def _notes(written: Enumeration, n_shown: int, kinds_differ: bool, counted: bool) -> list[str]:
    notes = []
    if len(written.labels) > n_shown:
        notes.append(
            f"The {n_shown} likeliest of {len(written.labels):,} outputs; "
            + ("all are below." if len(written.labels) <= MOST_ROWS else _MORE_ROWS)
        )
    if written.merged:
        notes.append("Items with equal counts are merged: they are interchangeable.")
    if written.left_out:
        notes.append(
            f"Not shown: {formats.joined(list(written.left_out))}, which does not treat items with "
            "equal counts alike; take fewer items to see it."
        )
    if kinds_differ:
        notes.append(
            "The chosen mechanisms release different kinds of outputs: sets are in braces, and ⊥ "
            "means that no further item is released. After the output of the headline, outputs "
            "are sorted by their largest probability under any mechanism; each column sums to 1 "
            "over its own kind."
        )
    if counted:
        notes.append("Counts released with the items are not part of these outputs.")
    return notes


def _code(merged: bool, n_draws: int, seed: int) -> str:
    outputs = "merged_output_distribution" if merged else "output_distribution"
    code = f"""
for mechanism in mechanisms:
    law = {outputs}(counts, mechanism)
    print(mechanism.label)
    print(law.to_frame().to_string(max_rows=20))
"""
    if not n_draws:
        return code
    samples = "merged_outputs(counts, samples)" if merged else "samples"
    return f"{code}{snippets.fit(n_draws, seed, samples)}"


def drawn_words(written: Enumeration, label: str, n: int) -> list[str]:
    """Format the first shares of the draws with their intervals."""
    rows = zip(*(part[:n] for part in written.drawn[label]), strict=True)
    return ["–" if np.isnan(row[0]) else formats.share_of_runs(*row) for row in rows]


def shown_outputs(written: Enumeration, n: int) -> Any:
    """Format the likeliest outputs; columns sort by their numbers."""
    columns: dict[str, Any] = {"output": written.labels[:n]}
    texts = {}
    for label in written.log_exact:
        columns[label] = np.exp(written.log_exact[label][:n])
        texts[label] = written.words(label, n)
        if label in written.drawn:
            drawn = f"{label}, drawn"
            columns[drawn] = written.drawn[label][0][:n]
            texts[drawn] = drawn_words(written, label, n)
    return formats.written(pd.DataFrame(columns), texts)


def fit_frame(written: Enumeration) -> pd.DataFrame:
    """Format the test of the draws."""
    write: dict[str, Callable[[float], str]] = {
        "draws": "{:,}".format,
        "χ²": "{:.1f}".format,
        "p-value": partial(formats.rounded, digits=3),
    }
    numbers = written.fit_numbers()
    return numbers.assign(**{name: numbers[name].map(how) for name, how in write.items()})


def enumerated(
    counts: ItemCounts, mechanisms: tuple[Mechanism, ...], n_draws: int, seed: int
) -> Enumeration:
    """Enumerate the outputs of every mechanism, by probability under the first one."""
    n_outputs = sum(min(m.outputs.n_outputs(counts.d, m.k), MAX_OUTPUTS) for m in mechanisms)
    return results.remembered(
        enumerate_outputs,
        counts,
        mechanisms,
        n_draws,
        seed,
        size=2 * n_outputs,  # with its name, an output takes as much as two rows of trials
        doing="Writing out every output",
    )
