"""Small vectors of counts: choosing one, and every output of every mechanism on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dptopk.counts import ItemCounts
from dptopk.distribution import (
    MAX_OUTPUTS,
    Fit,
    OutputDistribution,
    goodness_of_fit,
    merged_output_distribution,
    merged_outputs,
    output_distribution,
)
from dptopk.ingest import IngestError, parse_typed
from dptopk.mechanisms import Mechanism
from dptopk.papers import GILLENWATER_2022
from dptopk.parameters import EPSILON, Choice, Number, Text
from dptopk.summaries import wilson_interval
from dptopk.trials import generator_for
from dptopk.ui import address, controls, sources, widgets
from dptopk.ui.origin import Origin
from dptopk.ui.view import View

TYPED, TOP, ALL = "typed", "top", "all"
ORIGIN = Choice(
    "small",
    "Counts from",
    {TYPED: "a small vector", TOP: "the top of the data", ALL: "all of the data"},
    TYPED,
)
VECTOR = Text("vector", "Counts (edit them)", "10, 5, 1, 1", 400)
N_ITEMS = Number("small_items", "Items", 2, 10, 5)
SMALL_K = Number("small_k", "k here", 1, 5, 2)
_CUT = (
    "Only the {} largest of {:,} items are kept. The numbers are exact for these alone: with all "
    "items each of these outputs is less likely, and cutting a data set to its top is itself not "
    "private."
)
_MANY_ONES = "classroom-paper_thousand"
_EXAMPLES = GILLENWATER_2022.at("Appendix D.3")


@dataclass(frozen=True)
class SmallCase:
    """Counts few enough to write everything out, what they are, and the Python that makes them."""

    counts: ItemCounts
    k: int
    title: str
    python: str
    notes: tuple[str, ...] = ()

    def origin(self, mechanisms: Sequence[Mechanism], computed: str, **how: Any) -> Origin:
        """What goes with figures and tables of the case."""
        return Origin(self.title, self.counts, mechanisms, computed, **how)


def choose(
    view: View, place: Any, most_items: int = 10, most_outputs: int | None = None
) -> SmallCase:
    """Choose a small vector and k; ends the page if it cannot be used.

    With ``most_outputs`` everything is written out several times over: k is limited to
    so many outputs, and all of the data cannot be chosen.
    """
    allowed = [TYPED, TOP] if most_outputs else [TYPED, TOP, ALL]
    origin = controls.choice(place, ORIGIN, allowed, look="select")
    counts, title, python = {TYPED: _typed, TOP: _top, ALL: _all}[origin](view, place, most_items)
    if most_outputs and counts.d > most_items:
        widgets.problem(
            "Too many items here",
            f"All neighbours of {counts.d} items cannot be listed: keep at most {most_items}.",
        )
        widgets.end()
    largest = min(counts.d, int(SMALL_K.high))
    if most_outputs:
        largest = max(
            k
            for k in range(1, largest + 1)
            if all(m.outputs.n_outputs(counts.d, k) <= most_outputs for m in view.classes)
        )
    k = controls.number(place, SMALL_K, high=largest, slider=True) if largest > 1 else 1
    widgets.require(view.at(k, counts), view.refusals(k, counts))
    cut = origin == TOP and counts.d < view.counts.d
    notes = (_CUT.format(counts.d, view.counts.d),) if cut else ()
    return SmallCase(counts, k, title, python, notes)


def presets(place: Any) -> None:
    """Reproduce the paper's two examples."""
    examples = place.popover("Examples", icon=":material/menu_book:")
    examples.button(
        "Paper: 10, 5, 1, 1",
        on_click=_preset,
        args=(TYPED, None),
        width="stretch",
        help=f"{_EXAMPLES.link}: the first two come out in order with probability 0.63 under Joint "
        "and 0.75 under permute-and-flip over sequences.",
    )
    examples.button(
        "Paper: 30, 15 and 998 ones",
        on_click=_preset,
        args=(ALL, _MANY_ONES),
        width="stretch",
        help=f"{_EXAMPLES.link}: 0.34 under Joint and 0.44 under permute-and-flip over sequences.",
    )


def _preset(origin: str, data: str | None) -> None:
    address.choose(ORIGIN, origin)
    address.choose(SMALL_K, 2)
    address.choose(EPSILON, 1.0)
    if data is None:
        address.choose(VECTOR, VECTOR.default)
    else:
        address.choose(sources.data(), data)
    what = "ε was" if data is None else "ε and the data were"
    st.toast(f"{what} set to the paper's example, on all pages.", icon=":material/info:")


def _typed(view: View, place: Any, most_items: int) -> tuple[ItemCounts, str, str]:
    try:
        counts = parse_typed(controls.text(place, VECTOR), "small vector").counts
    except IngestError as error:
        widgets.problem("These counts could not be read", str(error))
        widgets.end()
    if not sources.text_has_names(counts):
        counts = ItemCounts(counts.counts, [_letter(i) for i in range(counts.d)], counts.name)
    python = f"counts = ItemCounts({counts.counts.tolist()}, {list(counts.items)})"
    return counts, f"Counts {', '.join(map(str, counts.counts.tolist()))}", python


def _top(view: View, place: Any, most_items: int) -> tuple[ItemCounts, str, str]:
    n = controls.number(place, N_ITEMS, high=most_items, slider=True)
    counts = view.counts.head(n)
    title = f"The {counts.d} largest of {view.source.title}"
    return counts, title, f"{view.source.python}\ncounts = counts.head({n})"


def _all(view: View, place: Any, most_items: int) -> tuple[ItemCounts, str, str]:
    place.caption(f"{view.source.title}: {view.counts.d:,} items; ties are merged")
    return view.counts, view.source.title, view.source.python


def _letter(position: int) -> str:
    return chr(ord("A") + position) if position < 26 else f"item {position + 1}"


FIT_WORDS = (
    "Pearson's χ² test of the draws against the exact probabilities; outputs expected fewer than "
    "five times are pooled. A sampler that is wrong gives a p-value near 0; one in a thousand "
    "right ones falls below 0.001 by chance."
)
_DOUBTFUL = 1e-6  # p-values from here on are taken for chance


@dataclass(frozen=True)
class WrittenOut:
    """All outputs of several mechanisms, aligned, and draws beside them.

    A mechanism has no entry for an output that is not of its kind: its value there is not a
    number.
    """

    labels: list[str]
    keys: "list[_Key]"
    exact: dict[str, np.ndarray]
    drawn: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
    fits: dict[str, Fit]
    merged: bool
    left_out: tuple[str, ...]  # labels of those whose ties cannot be merged

    def of_the_likeliest(self, label: str) -> tuple[float, str]:
        """Probability that a mechanism gives the first output, and how that is meant.

        A mechanism of another kind gives the same items in any order.
        """
        values = self.exact[label]
        if not np.isnan(values[0]):
            return float(values[0]), "exact"
        items = sorted(self.keys[0][1])
        same = [sorted(row) == items for _, row in self.keys]
        return float(np.nansum(values[same])), "exact, in any order"

    def frame(self) -> pd.DataFrame:
        """One row an output, likeliest first: exact probabilities, and drawn shares."""
        columns: dict[str, Any] = {"output": self.labels}
        for label, probabilities in self.exact.items():
            columns[label] = probabilities
            if label in self.drawn:
                columns[f"{label}, drawn"] = self.drawn[label][0]
        return pd.DataFrame(columns)

    def fit_numbers(self) -> pd.DataFrame:
        """One row a mechanism: whether its sampler follows its exact distribution."""
        return pd.DataFrame(
            {
                "mechanism": label,
                "draws": fit.n_draws,
                "cells": fit.n_cells,
                "χ²": fit.statistic,
                "p-value": fit.p_value,
                "agrees": _verdict(fit),
            }
            for label, fit in self.fits.items()
        )

    def fit_frame(self) -> pd.DataFrame:
        """The same as it is shown."""
        formats = {"draws": "{:,}", "χ²": "{:.1f}", "p-value": "{:.3g}"}
        numbers = self.fit_numbers()
        return numbers.assign(**{name: numbers[name].map(f.format) for name, f in formats.items()})


def _verdict(fit: Fit) -> str:
    if fit.p_value <= _DOUBTFUL:
        return "✗ no"
    return "✓ yes" if fit.n_cells > 1 else "one cell: nothing to test"


def write_out(
    counts: ItemCounts, mechanisms: tuple[Mechanism, ...], n_draws: int, seed: int
) -> WrittenOut:
    """Every output of every mechanism, likeliest under the first one first."""
    named = tuple((m.stream_key, m.label) for m in mechanisms)
    return _written_out(counts, mechanisms, counts.digest, named, n_draws, seed)


@st.cache_data(max_entries=32, show_spinner="Writing out every output")
def _written_out(
    _counts: ItemCounts,
    _mechanisms: tuple[Mechanism, ...],
    data: str,
    named: tuple[tuple[str, str], ...],
    n_draws: int,
    seed: int,
) -> WrittenOut:
    """`write_out`; what stands for the counts and the mechanisms in the cache follows them."""
    merged = any(m.outputs.n_outputs(_counts.d, m.k) > MAX_OUTPUTS for m in _mechanisms)
    chosen = [m for m in _mechanisms if m.exchangeable_ties or not merged]
    if not chosen:
        raise ValueError(
            f"{_mechanisms[0].label} does not treat items with equal counts alike, so they cannot "
            "be merged: take fewer items or a smaller k"
        )
    write = merged_output_distribution if merged else output_distribution
    written = {m.label: write(m, _counts) for m in chosen}
    fits = {}
    for mechanism in chosen if n_draws else ():
        samples = mechanism.sample(_counts, n_draws, generator_for(mechanism, seed))
        seen = merged_outputs(_counts, samples) if merged else samples
        fits[mechanism.label] = goodness_of_fit(written[mechanism.label], seen)
    names = {
        key: name
        for law in written.values()
        for key, name in zip(_keys(law), law.labels(), strict=True)
    }
    place = {key: row for row, key in enumerate(names)}
    return WrittenOut(
        list(names.values()),
        list(place),
        {label: _aligned(law, place, law.probabilities) for label, law in written.items()},
        {label: _shares(written[label], place, fit) for label, fit in fits.items()},
        fits,
        merged,
        tuple(m.label for m in _mechanisms if m not in chosen),
    )


_Key = tuple[bool, tuple[int, ...]]


def _keys(law: OutputDistribution) -> list[_Key]:
    """What tells outputs apart, also those of different kinds; names may not."""
    return [(law.outputs.ordered, tuple(row)) for row in law.sequences.tolist()]


def _aligned(law: OutputDistribution, place: dict[_Key, int], values: np.ndarray) -> np.ndarray:
    """Values of one distribution at the places of all outputs."""
    result = np.full(len(place), np.nan)
    result[[place[key] for key in _keys(law)]] = values
    return result


def _shares(
    law: OutputDistribution, place: dict[_Key, int], fit: Fit
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of the draws of each output, with its interval."""
    low, high = wilson_interval(fit.observed, fit.n_draws)
    share = fit.observed / fit.n_draws
    aligned = [_aligned(law, place, values) for values in (share, low, high)]
    return aligned[0], aligned[1], aligned[2]
