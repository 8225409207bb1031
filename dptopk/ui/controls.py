"""The sidebar: one choice of data, mechanisms and budget for all pages, kept in the URL."""

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from dptopk.counts import ItemCounts
from dptopk.mechanisms import CALIBRATIONS, MECHANISMS, CDPPeel, SequenceMechanism
from dptopk.privacy import NeighborRelation
from dptopk.ui import sources, texts

MAX_K = 200
_EPSILONS = [
    round(lead * 10.0**power, 4)
    for power in (-2, -1, 0)
    for lead in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
] + [10.0]
_DELTAS = [0.0, *(10.0**-power for power in range(12, 1, -1))]
_K = "_k"  # the largest k possible at the last run, and the k wanted
_RUNS = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]


@dataclass(frozen=True)
class View:
    """Everything the sidebar chooses."""

    source: sources.Source
    k: int
    epsilon: float
    delta: float
    neighbors: NeighborRelation
    calibration: str
    names: tuple[str, ...]
    n: int
    seed: int

    @property
    def counts(self) -> ItemCounts:
        """The data."""
        return self.source.counts

    @property
    def summary(self) -> str:
        """The settings in a line."""
        return (
            f"{self.source.title}, k = {self.k}, ε = {self.epsilon:g}, δ = {self.delta:g}, "
            f"{texts.NEIGHBORS[self.neighbors]}, seed {self.seed}."
        )

    @cached_property
    def mechanisms(self) -> tuple[SequenceMechanism, ...]:
        """The chosen mechanisms at the chosen parameters."""
        return tuple(self.mechanism(name, self.k) for name in self.names)

    def mechanism(self, name: str, k: int) -> SequenceMechanism:
        """One mechanism at the chosen budget and another k."""
        if MECHANISMS[name] is CDPPeel:
            return CDPPeel(k, self.epsilon, self.delta, self.neighbors, self.calibration)
        return MECHANISMS[name](k, self.epsilon, self.neighbors)


def sidebar() -> View | sources.Missing:
    """Draw the sidebar and return what it chooses, or what is missing."""
    with st.sidebar:
        source = sources.chosen_source()
        d = source.counts.d if isinstance(source, sources.Source) else MAX_K
        k = _k(d)
        epsilon = st.select_slider(
            "ε, privacy budget",
            _EPSILONS,
            1.0,
            key="epsilon",
            bind="query-params",
            format_func=lambda value: f"{value:g}",
            help="One user changes the probability of any outcome by a factor of at most e^ε: "
            "smaller is more private and noisier. The scale is logarithmic.",
        )
        names = st.pills(
            "Mechanisms",
            list(MECHANISMS),
            selection_mode="multi",
            default=list(MECHANISMS),
            key="mechanisms",
            bind="query-params",
            help="  \n".join(f"**{name}**: {words}" for name, words in texts.MECHANISMS.items()),
        )
        names = tuple(name for name in MECHANISMS if name in names)
        delta, calibration = 1e-6, CALIBRATIONS[0]
        if CDPPeel.name in names:
            delta = st.select_slider(
                "δ, of CDP-Peel",
                _DELTAS,
                1e-6,
                key="delta",
                bind="query-params",
                format_func=lambda value: f"{value:g}",
                help="Extra probability by which an outcome may exceed the factor e^ε; 0 is pure "
                "differential privacy. Take it far below 1 / number of users.",
            )
        with st.expander("More settings", icon=":material/tune:"):
            neighbors = NeighborRelation(
                st.radio(
                    "Neighbours: data sets in which",
                    [relation.value for relation in NeighborRelation],
                    key="neighbors",
                    bind="query-params",
                    format_func=lambda value: texts.NEIGHBORS[NeighborRelation(value)],
                )
            )
            if CDPPeel.name in names:
                calibration = st.radio(
                    "Calibration of CDP-Peel",
                    CALIBRATIONS,
                    key="calibration",
                    bind="query-params",
                    format_func=texts.CALIBRATIONS.get,
                )
            n = st.select_slider(
                "Runs of each mechanism",
                _RUNS,
                250,
                key="runs",
                bind="query-params",
            )
            seed = st.number_input(
                "Seed",
                0,
                2**31 - 1,
                key="seed",
                bind="query-params",
                help="The same seed and settings give the same draws, here and in Python.",
            )
        st.caption("The address of this page holds all settings: share it to share the view.")
    if isinstance(source, sources.Missing):
        return source
    return View(source, k, epsilon, delta, neighbors, calibration, names, n, seed)


def draw_again() -> None:
    """Advance the seed; a callback of the button on the release page."""
    st.session_state["seed"] = (st.session_state["seed"] + 1) % 2**31


def keep_within(key: str, allowed) -> None:
    """Bring a value left by another page or other data back among those allowed."""
    if key in st.session_state and st.session_state[key] not in allowed:
        st.session_state[key] = allowed[-1] if isinstance(allowed[-1], int) else allowed[0]


def _k(d: int) -> int:
    """Slider for k, never beyond the number of items.

    A k lowered for a small data set comes back with a larger one, unless it was moved.
    """
    largest = min(d, MAX_K)
    before, wanted = st.session_state.get(_K, (largest, min(10, largest)))
    if largest != before:
        st.session_state["k"] = min(wanted, largest)
        if min(wanted, before) > largest:
            st.toast(f"k is lowered to {largest}, the number of items.", icon=":material/info:")
    if largest == 1:
        st.text("k = 1: there is one item.")
        k = 1
    else:
        k = st.slider(
            "k, items to release", 1, largest, min(10, largest), key="k", bind="query-params"
        )
    if k != min(wanted, largest):
        wanted = k  # moved, or from a link
    st.session_state[_K] = (largest, wanted)
    return k
