"""Describe the outputs of a small case with their exact probabilities, and draws beside them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import PROBABILITY, Estimate
from dptopk.core.outputs import EMPTY_SIGN, MAX_OUTPUTS, SEQUENCE, OutputKind
from dptopk.mechanisms import Mechanism
from dptopk.questions.exact import TITLE, Enumeration, enumerate_outputs
from dptopk.questions.origin import Origin
from dptopk.questions.small_cases import SmallCase
from dptopk.questions.view import View, styles_of
from dptopk.ui import formats, results, show
from dptopk.ui.sentences import texts
from dptopk.ui.show import Table, Tile

MOST_ROWS = 500
_FEW = 5  # mechanisms that find room on the first screen
_HEADLINE = 90  # characters of names that a headline has room for


def headline(kind: OutputKind, names: list[str]) -> str:
    """Name the output whose probability the tiles show, with its order where it has one."""
    if not names:
        return f"Probability that nothing is released ({EMPTY_SIGN})"
    together = ", ".join(names)
    if len(together) > _HEADLINE:
        (together,) = figures.short_labels([(SEQUENCE, range(len(names)))], names)
    how = f", {kind.how}" if len(names) > 1 else ""
    end = f"{',' if how else ''} and nothing more ({EMPTY_SIGN})" if kind.short else ""
    return f"Probability of {formats.plain(together, 2 * _HEADLINE)}{how}{end}"


def least(n_rows: int, n_bars: int) -> int:
    """Return the height in pixels at which the bars of many mechanisms can be told apart."""
    few = max(256, 106 + 24 * n_rows)
    return few if n_bars <= _FEW else 110 + 10 * n_bars + 6 * n_rows * n_bars


def shown_share(written: Enumeration, n_shown: int) -> str:
    """Count the outputs in the figure and give their total probability."""
    totals = (
        f"{label} {formats.share(min(1.0, float(np.nansum(values[:n_shown]))))}"
        for label, values in written.exact.items()
    )
    return (
        f"The {n_shown} likeliest of {len(written.labels):,} outputs are shown; their total "
        f"probability: {', '.join(totals)}."
    )


def tile(written: Enumeration, label: str) -> Tile:
    """Return a tile with a mechanism's probability of the output of the headline."""
    chance, how = written.of_the_likeliest(label)
    return Tile(label, chance.brief, ": ".join(filter(None, (how, chance.shortfall))))


def numbers(written: Enumeration) -> dict[str, tuple[float, str]]:
    """Return each mechanism's chance of the output of the headline, named where in any order."""
    chances = {label: written.of_the_likeliest(label) for label in written.exact}
    of_set = OutputKind(ordered=False).how
    return {
        f"{label}, {of_set}" if how.endswith(of_set) else label: (chance.value, chance.brief)
        for label, (chance, how) in chances.items()
    }


def short_labels(written: Enumeration) -> list[str]:
    """Return the labels of the rows of the figure."""
    most = figures.rows_that_fit([])
    rows = [(OutputKind(ordered), row) for ordered, row in written.keys[:most]]
    short = figures.short_labels(rows, written.items)
    return short[: figures.rows_that_fit(short)]


def in_columns(written: Enumeration) -> bool:
    """Return True if each mechanism has a plot of its own, which names its first number."""
    return 1 < len(written.exact) <= _FEW and not show.is_narrow()


def bars(
    written: Enumeration, short: list[str], view: View, case: SmallCase, tiles: Sequence[Tile]
) -> go.Figure:
    """Draw the likeliest outputs, exact and drawn."""
    part = slice(0, len(short))
    return figures.output_probabilities(
        written.labels[part],
        {label: values[part] for label, values in written.exact.items()},
        styles_of(view.at(case.k, case.counts, by_law=True)),
        {
            label: (share[part], low[part], high[part])
            for label, (share, low, high) in written.drawn.items()
        },
        short=short,
        words={label: written.words(label, len(short)) for label in written.log_exact},
        observed_words={label: drawn_words(written, label, len(short)) for label in written.drawn},
        columns={tile.label: tile.value for tile in tiles} if in_columns(written) else None,
    )


def notes(written: Enumeration, mechanisms: tuple[Mechanism, ...]) -> list[str]:
    """Explain what the outputs leave out, and how those of several kinds are sorted."""
    kinds = {(m.outputs.ordered, m.outputs.short) for m in mechanisms}
    notes, together = [], ", ".join(written.names_of_the_likeliest()[1])
    if len(together) > _HEADLINE:
        whole = formats.plain(together, len(together))
        notes.append(f"The full output whose probabilities are shown above: {whole}.")
    if len(written.labels) > MOST_ROWS:
        notes.append(f"The table has the {MOST_ROWS} likeliest outputs; the download contains all.")
    if written.merged:
        notes.append("Items with equal counts are merged: they are interchangeable.")
    if written.left_out:
        notes.append(
            f"Not shown: {formats.joined(list(written.left_out))}, which does not treat items with "
            "equal counts alike; take fewer items to see it."
        )
    if len(kinds) > 1:
        notes.append(
            "The chosen mechanisms release different kinds of outputs: sets are in braces, and ⊥ "
            "means that no further item is released. After the output of the headline, outputs "
            "are sorted by their largest probability under any mechanism; each column sums to 1 "
            "over its own kind."
        )
    if any(mechanism.outputs.counted for mechanism in mechanisms):
        notes.append("Counts released with the items are not part of these outputs.")
    return notes


def drawn_words(written: Enumeration, label: str, n: int) -> list[str]:
    """Format the first shares of the draws with their intervals."""
    ends = (part[:n] for part in written.drawn[label])
    n_draws = written.fits[label].n_draws
    shares = Estimate.of_arrays(ends, n_draws, PROBABILITY)
    return ["–" if np.isnan(one.value) else one.text for one in shares]


def outputs(written: Enumeration, origin: Origin) -> Table:
    """Tabulate the likeliest outputs."""
    n, words = MOST_ROWS, {}
    columns: dict[str, Any] = {"output": written.labels[:n]}
    for label in written.log_exact:
        columns[label] = np.exp(written.log_exact[label][:n])
        words[label] = written.words(label, n)
        if label in written.drawn:
            drawn = f"{label}, drawn"
            columns[drawn] = written.drawn[label][0][:n]
            words[drawn] = drawn_words(written, label, n)
    frame, whole = pd.DataFrame(columns), written.frame()
    return Table(frame, "outputs", TITLE, origin, whole, words=words)


def fit_frame(written: Enumeration) -> pd.DataFrame:
    """Format the test of the draws."""
    write: dict[str, Callable[[float], str]] = {
        "draws": "{:,}".format,
        "χ²": "{:.1f}".format,
        "p-value": partial(formats.rounded, digits=3),
    }
    numbers = written.fit_numbers()
    return numbers.assign(**{name: numbers[name].map(how) for name, how in write.items()})


def fit_table(written: Enumeration, name: str, title: str, origin: Origin) -> None:
    """Show the test of the draws."""
    show.table(Table(fit_frame(written), name, title, origin, written.fit_numbers()))
    st.caption(texts.FIT_WORDS)


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
