"""The privacy page's choices: what is run, which neighbour, and what comes of them."""

import dataclasses
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from dptopk.counts import MAX_COUNT, ItemCounts
from dptopk.distribution import every_output
from dptopk.mechanisms import CDPPeel, SequenceMechanism
from dptopk.mechanisms.pitfalls import MisscaledCDPPeel
from dptopk.privacy import NeighborRelation
from dptopk.privacy_loss import WorstCase, privacy_loss
from dptopk.ui import show
from dptopk.ui.controls import View
from dptopk.ui.small_cases import SmallCase

MOST_ITEMS = {NeighborRelation.ADD_REMOVE: 8, NeighborRelation.SWAP: 6}  # 510 and 728 neighbours
MOST_OUTPUTS = 1_000
_MOST_SHOWN = 24

RIGHT = "the mechanisms as promised"
UNSWAPPED = "add/remove noise although a user is replaced"
TOO_SMALL = "CDP-Peel with Gumbel noise 20 % too small"
PRINTED = "CDP-Peel with the scale printed in Algorithm 3"

_STORIES = {
    RIGHT: "",
    UNSWAPPED: (
        "The noise is right when one user joins or leaves, but here one is replaced, and counts "
        "move both ways. The authors' published code does this for peeling: the promise breaks."
    ),
    TOO_SMALL: (
        "Multiplying the per-round ε by 1.25 makes every answer look better, and spends more than "
        "was promised."
    ),
    PRINTED: (
        "Algorithm 3 of the paper prints Gumbel noise of scale k/ε′, Lemma 4.2 and the authors' "
        "code use 1/ε′. As printed the mechanism is private, but wastes most of the budget."
    ),
}


@dataclass(frozen=True)
class Run:
    """Mechanisms as run, and the change of the data they are judged by."""

    mechanisms: tuple[SequenceMechanism, ...]
    neighbors: NeighborRelation


def choose_run(view: View, case: SmallCase) -> Run:
    """Choose between the right mechanisms and some that go wrong."""
    what = st.selectbox("What is run", list(_STORIES), key="run", bind="query-params")
    if _STORIES[what]:
        st.info(_STORIES[what], icon=":material/school:")
    right = tuple(view.mechanism(name, case.k) for name in view.names)
    if what == UNSWAPPED:
        kept = (dataclasses.replace(m, neighbors=NeighborRelation.ADD_REMOVE) for m in right)
        return Run(tuple(kept), NeighborRelation.SWAP)
    if what == RIGHT:
        return Run(right, view.neighbors)
    factor = 1.25 if what == TOO_SMALL else 1 / case.k
    peel = CDPPeel(case.k, view.epsilon, view.delta, view.neighbors, view.calibration)
    settings = {f.name: getattr(peel, f.name) for f in dataclasses.fields(peel)}
    return Run((MisscaledCDPPeel(**settings, factor=factor),), view.neighbors)


def use_tile(mechanism: SequenceMechanism, loss: WorstCase, stick: WorstCase | None) -> show.Tile:
    """How much of the promise is used, and whether it is kept."""
    promised = mechanism.guarantee
    if stick is None:
        kept = loss.value <= promised.epsilon + 1e-9
        kind = f"of ε = {promised.epsilon:g}"
    else:
        kept = stick.value <= promised.delta * (1 + 1e-9)
        kind = f"beyond ε with δ = {stick.value:.2g}, allowed {promised.delta:g}"
    sign = "✓ kept" if kept else "✗ broken"
    return show.Tile(
        mechanism.label,
        f"{loss.value:.3f}",
        f"{kind} · {sign}",
        "Largest privacy loss over all neighbours and outputs, exact.",
    )


def choose_neighbour(case: SmallCase, run: Run, worst: WorstCase) -> ItemCounts:
    """The worst neighbour, or one made by choosing the items of a user."""
    options = ["the worst one", "choose the user's items"]
    how = st.segmented_control(
        "Neighbour", options, default=options[0], required=True, key="who", bind="query-params"
    )
    if how == options[0]:
        return worst.neighbour
    items = list(case.counts.items)
    if run.neighbors is NeighborRelation.SWAP:
        left, right = st.columns(2)
        gone = _items(left, "Items of the user who goes", items, "goes")
        come = _items(right, "Items of the user who comes", items, "comes")
        change = _indicator(items, come) - _indicator(items, gone)
    else:
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        held = _items(left, "Items the user holds", items, "held")
        joins = right.segmented_control(
            "The user",
            ["joins", "leaves"],
            default="joins",
            required=True,
            key="joins",
            bind="query-params",
        )
        change = _indicator(items, held) * (1 if joins == "joins" else -1)
    counts = case.counts.counts + change
    if (counts < 0).any():
        item = items[int(np.argmax(counts < 0))]
        show.problem(
            "This user cannot leave",
            f"Nobody holds {item}: its count is 0. Choose items with users.",
        )
        st.stop()
    if (counts > MAX_COUNT).any():
        show.problem(
            "This user cannot join",
            f"A count would pass {MAX_COUNT:,}, the most accepted: choose smaller counts.",
        )
        st.stop()
    return ItemCounts(counts, case.counts.items)


def _items(place, label: str, items: list[str], key: str) -> list[str]:
    chosen = st.session_state.get(key)
    if chosen and not set(chosen) <= set(items):
        st.session_state[key] = [item for item in chosen if item in items]
    return place.multiselect(label, items, items[:1], key=key, bind="query-params")


def _indicator(items: list[str], chosen: list[str]) -> np.ndarray:
    return np.array([item in chosen for item in items], dtype=np.int64)


def describe_neighbour(counts: ItemCounts, neighbour: ItemCounts) -> str:
    """Say what the user does, as plain text."""
    change = neighbour.counts - counts.counts
    gained = [item for item, moved in zip(counts.items, change, strict=True) if moved > 0]
    lost = [item for item, moved in zip(counts.items, change, strict=True) if moved < 0]
    if not gained and not lost:
        return "The user holds nothing: the data do not change."
    if gained and lost:
        return f"A user with {', '.join(lost)} is replaced by one with {', '.join(gained)}."
    verb = "joins" if gained else "leaves"
    return f"A user who holds {', '.join(gained or lost)} {verb}."


@dataclass(frozen=True)
class Comparison:
    """Outputs of one mechanism on the data and on a neighbour, likeliest first."""

    labels: list[str]
    here: np.ndarray
    there: np.ndarray
    loss: np.ndarray
    marked: int | None

    @property
    def frame(self) -> pd.DataFrame:
        """One row an output."""
        return pd.DataFrame(
            {
                "output": self.labels,
                "on the data": self.here,
                "on the neighbour": self.there,
                "ratio": np.exp(self.loss),
                "privacy loss (ln)": self.loss,
            }
        )

    def shown(self) -> "Comparison":
        """The likeliest outputs and the one furthest from equal, few enough for a figure."""
        last = self.marked if self.marked is not None and self.marked >= _MOST_SHOWN else None
        kept = [*range(min(_MOST_SHOWN, len(self.labels))), *([] if last is None else [last])]
        marked = None if self.marked is None else kept.index(self.marked)
        return Comparison(
            [self.labels[i] for i in kept],
            self.here[kept],
            self.there[kept],
            self.loss[kept],
            marked,
        )


def compare(mechanism: SequenceMechanism, counts: ItemCounts, neighbour: ItemCounts) -> Comparison:
    """Write out one mechanism on two data sets."""
    every = every_output(counts.d, mechanism.k)
    here = mechanism.log_pmf(counts, every)
    loss = privacy_loss(mechanism, counts, neighbour)
    order = np.argsort(-here, kind="stable")
    labels = [", ".join(counts.items[p] for p in row) for row in every[order].tolist()]
    largest = int(np.abs(loss[order]).argmax()) if np.abs(loss).max() > 0 else None
    return Comparison(
        labels, np.exp(here[order]), np.exp((here - loss)[order]), loss[order], largest
    )
