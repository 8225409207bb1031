"""Small vectors of counts: choosing one, and every output of every mechanism on it."""

from dataclasses import dataclass

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
    n_outputs,
    output_distribution,
)
from dptopk.ingest import IngestError, parse_typed
from dptopk.mechanisms import SequenceMechanism
from dptopk.summaries import wilson_interval
from dptopk.trials import generator_for
from dptopk.ui import controls, show, tables
from dptopk.ui.controls import View
from dptopk.ui.sources import text_has_names

TYPED, TOP, ALL = "a small vector", "the top of the data", "all of the data"
_FIRST = "10, 5, 1, 1"
_MANY_ONES = "classroom-paper_thousand"


@dataclass(frozen=True)
class SmallCase:
    """Counts few enough to write everything out, and the line of Python that makes them."""

    counts: ItemCounts
    k: int
    python: str


def choose(view: View, most_items: int = 10, most_outputs: int | None = None) -> SmallCase:
    """Choose a small vector and k; ends the page if it cannot be used.

    With ``most_outputs`` everything is written out several times over: k is limited to
    so many outputs, and all of the data cannot be chosen.
    """
    left, middle, right = st.columns([2, 3, 2], vertical_alignment="bottom")
    origins = [TYPED, TOP] if most_outputs else [TYPED, TOP, ALL]
    controls.keep_within("small", origins)
    origin = left.selectbox("Counts from", origins, key="small", bind="query-params")
    if origin == TYPED:
        counts, python = _typed(middle)
    elif origin == TOP:
        controls.keep_within("small_items", range(2, most_items + 1))
        n = middle.slider("Items", 2, most_items, 5, key="small_items", bind="query-params")
        counts, python = view.counts.head(n), f"{view.source.python}\ncounts = counts.head({n})"
        if view.counts.d > counts.d:
            st.info(
                f"Only the {counts.d} largest of {view.counts.d:,} items are kept. The numbers are "
                "exact for these alone: with all items each of these outputs is less likely, and "
                "cutting a data set to its top is itself not private.",
                icon=":material/content_cut:",
            )
    else:
        middle.caption(f"{view.source.title}: {view.counts.d:,} items; ties are merged")
        counts, python = view.counts, view.source.python
    if most_outputs and counts.d > most_items:
        show.problem(
            "Too many items here",
            f"All neighbours of {counts.d} items cannot be listed: keep at most {most_items}.",
        )
        st.stop()
    st.caption("ε, δ and the mechanisms are the sidebar's; counts and k are chosen here.")
    sizes = range(1, min(counts.d, 5) + 1)
    if most_outputs:
        sizes = [k for k in sizes if n_outputs(counts.d, k) <= most_outputs]
    controls.keep_within("small_k", sizes)
    if len(sizes) == 1:
        return SmallCase(counts, 1, python)
    k = right.slider("k here", 1, sizes[-1], min(2, sizes[-1]), key="small_k", bind="query-params")
    return SmallCase(counts, k, python)


def preset_buttons() -> None:
    """Reproduce the paper's two examples with one click."""
    left, right = st.columns(2)
    left.button(
        "Paper: 10, 5, 1, 1",
        on_click=_set,
        kwargs={"small": TYPED, "vector": _FIRST, "small_k": 2, "epsilon": 1.0},
        width="stretch",
        help="Appendix D.3: the first two come out in order with probability 0.63 under Joint "
        "and 0.75 under PNFJoint.",
    )
    right.button(
        "Paper: 30, 15 and 998 ones",
        on_click=_set,
        kwargs={"small": ALL, "data": _MANY_ONES, "small_k": 2, "epsilon": 1.0},
        width="stretch",
        help="Appendix D.3: 0.34 under Joint and 0.44 under PNFJoint.",
    )


def _set(**state) -> None:
    for key, value in state.items():
        st.session_state[key] = value
    what = "ε and the data were" if "data" in state else "ε was"
    st.toast(f"{what} set to the paper's example, on all pages.", icon=":material/info:")


def _typed(place) -> tuple[ItemCounts, str]:
    text = place.text_input(
        "Counts (edit them)", _FIRST, key="vector", bind="query-params", max_chars=400
    )
    try:
        counts = parse_typed(text, "small vector").counts
    except IngestError as error:
        show.problem("These counts could not be read", str(error))
        st.stop()
    if not text_has_names(counts):
        counts = ItemCounts(counts.counts, [_letter(i) for i in range(counts.d)], counts.name)
    return counts, f"counts = ItemCounts({counts.counts.tolist()}, {list(counts.items)})"


def _letter(position: int) -> str:
    return chr(ord("A") + position) if position < 26 else f"item {position + 1}"


FIT_WORDS = (
    "Pearson's χ² test of the draws against the exact probabilities; outputs expected fewer than "
    "five times are pooled. A sampler that is wrong gives a p-value near 0; one in a thousand "
    "right ones falls below 0.001 by chance."
)


@dataclass(frozen=True)
class WrittenOut:
    """All outputs of several mechanisms, aligned, and draws beside them if asked for."""

    labels: list[str]
    exact: dict[str, np.ndarray]
    drawn: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]
    fits: dict[str, Fit]
    merged: bool

    def frame(self) -> pd.DataFrame:
        """One row an output, likeliest first: exact probabilities, and drawn shares."""
        columns = {"output": self.labels}
        for label, probabilities in self.exact.items():
            columns[label] = probabilities
            if label in self.drawn:
                columns[f"{label}, drawn"] = self.drawn[label][0]
        return pd.DataFrame(columns)

    def fit_frame(self) -> pd.DataFrame:
        """One row a mechanism: whether its sampler follows its exact distribution."""
        return pd.DataFrame(
            {
                "mechanism": label,
                "draws": f"{fit.n_draws:,}",
                "cells": fit.n_cells,
                "χ²": f"{fit.statistic:.1f}",
                "p-value": f"{fit.p_value:.3g}",
                "agrees": "✓ yes" if fit.p_value > 1e-6 else "✗ no",
            }
            for label, fit in self.fits.items()
        )


@st.cache_data(max_entries=32, show_spinner="Writing out every output")
def write_out(
    _counts: ItemCounts,
    data: str,
    mechanisms: tuple[SequenceMechanism, ...],
    n_draws: int,
    seed: int,
) -> WrittenOut:
    """Every output of every mechanism; ``data`` stands for the counts in the cache."""
    merged = n_outputs(_counts.d, mechanisms[0].k) > MAX_OUTPUTS
    write = merged_output_distribution if merged else output_distribution
    written = {m.label: write(m, _counts) for m in mechanisms}
    every = next(iter(written.values()))
    fits, drawn = {}, {}
    if n_draws:
        for mechanism in mechanisms:
            samples = mechanism.sample(_counts, n_draws, generator_for(mechanism, seed))
            seen = _counts.levels_at(samples) if merged else samples
            fits[mechanism.label] = goodness_of_fit(written[mechanism.label], seen)
        drawn = {label: _shares(written[label], every, fit) for label, fit in fits.items()}
    return WrittenOut(
        every.labels(),
        {label: _aligned(d, every, d.probabilities) for label, d in written.items()},
        drawn,
        fits,
        merged,
    )


def _aligned(
    distribution: OutputDistribution, like: OutputDistribution, values: np.ndarray
) -> np.ndarray:
    """Values of a distribution in the order of outputs of another."""
    own = np.lexsort(distribution.sequences.T[::-1])
    other = np.lexsort(like.sequences.T[::-1])
    result = np.empty_like(values)
    result[other] = values[own]
    return result


def _shares(
    distribution: OutputDistribution, like: OutputDistribution, fit: Fit
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of the draws of each output, with its interval."""
    observed = _aligned(distribution, like, fit.observed)
    low, high = wilson_interval(observed, fit.n_draws)
    return observed / fit.n_draws, low, high


def headline(written: WrittenOut) -> None:
    """The likeliest output of the first mechanism, and how likely each mechanism makes it."""
    st.markdown(f"#### Probability of {show.plain(written.labels[0])}, in this order")
    show.tiles(
        show.Tile(label, tables.percent(float(values[0])), "exact")
        for label, values in written.exact.items()
    )
