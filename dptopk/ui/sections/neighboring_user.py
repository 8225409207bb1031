"""Choose a neighboring data set and compare the outputs of a mechanism on both."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dptopk.core.counts import MAX_COUNT, ItemCounts
from dptopk.core.parameters import Choice, Several
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.figures import short_labels
from dptopk.laws.distribution import log_complements
from dptopk.laws.privacy_losses import ROUNDING, most_items, privacy_loss
from dptopk.mechanisms import Mechanism
from dptopk.ui import formats, show
from dptopk.ui.controls import inputs
from dptopk.ui.formats import plural

_MOST_SHOWN = 12
_EQUAL = 1e-9  # relative: privacy losses that differ by less are equal but for rounding
WORST, CHOSEN = "worst", "chosen"
WHO = Choice("who", "Neighbour", {WORST: "the worst one", CHOSEN: "choose the user's items"}, WORST)
JOINS = Choice("joins", "The user", {"joins": "joins", "leaves": "leaves"}, "joins")


def choose(place: Any, counts: ItemCounts, guarantee: Guarantee, worst: ItemCounts) -> ItemCounts:
    """Draw the choice of neighbor: the worst one, or one given by the items of a user."""
    relation, most = guarantee.neighbors, guarantee.max_items
    if inputs.choice(place, WHO, look="select") == WORST:
        return worst
    if relation is NeighborRelation.SWAP:
        left, right = st.columns(2)
        gone = _items(left, "Items of the user who leaves", counts, "goes")
        change = _items(right, "Items of the user who joins", counts, "comes") - gone
    else:
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        held = _items(left, "Items the user holds", counts, "held")
        change = held if inputs.choice(right, JOINS) == "joins" else -held
    changed, refusal = counts.counts + change, None
    if most is not None and most_items(change) > most:
        refusal = (
            "No guarantee for this user",
            f"The guarantee is for users who count for at most {plural(most, 'item')}: choose "
            "fewer items here, or more items per user as an assumption.",
        )
    elif (changed < 0).any():
        item = counts.items[int(np.argmax(changed < 0))]
        words = f"Nobody holds {item}: its count is 0. Choose items with users."
        refusal = "This user cannot leave", words
    elif (changed > MAX_COUNT).any():
        words = f"A count would pass {MAX_COUNT:,}, the most accepted: choose smaller counts."
        refusal = "This user cannot join", words
    if refusal:
        show.problem(*refusal)
        show.end()
    return ItemCounts(changed, counts.items)


def _items(place: Any, label: str, counts: ItemCounts, key: str) -> np.ndarray:
    """Draw the choice of a user's items and return a 0/1 vector; links hold places, not names."""
    names = {str(place): item for place, item in enumerate(counts.items, 1)}
    chosen = inputs.several(place, Several(key, label, names, ("1",)), look="list")
    return np.array([name in chosen for name in names], dtype=np.int64)


@dataclass(frozen=True)
class NeighborOutputs:
    """Outputs of one mechanism on the data and on a neighbor, likeliest first."""

    labels: list[str]
    short: list[str]  # the same beside the rows of a figure
    log_here: np.ndarray
    log_there: np.ndarray
    log_rest_here: np.ndarray
    log_rest_there: np.ndarray
    loss: np.ndarray
    marked: tuple[int, ...]  # furthest from equal, up to rounding

    @property
    def here(self) -> np.ndarray:
        """Probabilities on the data."""
        return np.exp(self.log_here)

    @property
    def there(self) -> np.ndarray:
        """Probabilities on the neighbor."""
        return np.exp(self.log_there)

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Probabilities on both data sets, formatted."""
        here = map(formats.in_full, self.log_here, self.log_rest_here)
        return [*here], [*map(formats.in_full, self.log_there, self.log_rest_there)]

    @property
    def frame(self) -> pd.DataFrame:
        """Probabilities, ratios and losses, one row per output."""
        return pd.DataFrame(
            {
                "output": self.labels,
                "on the data": self.here,
                "on the neighbour": self.there,
                "ratio": np.exp(self.loss),
                "privacy loss (ln)": self.loss + 0.0,  # -0.0 is written as 0.0
            }
        )

    def numbers(self, label: str) -> pd.DataFrame:
        """Return the same numbers with a mechanism's label, and logarithms of the probabilities."""
        logs = {
            "on the data": (self.log_here, self.log_rest_here),
            "on the neighbour": (self.log_there, self.log_rest_there),
        }
        columns: dict[str, Any] = {"mechanism": label}
        for name, values in self.frame.items():
            columns[str(name)] = values
            for end, log in zip(("log", "log complement"), logs.get(str(name), ()), strict=False):
                columns[f"{name}, {end}"] = log + 0.0  # -0.0 is written as 0.0
        return pd.DataFrame(columns)

    @property
    def words_of_the_furthest(self) -> str:
        """Sentence on the output with the largest absolute privacy loss."""
        if not self.marked:
            return "No probability changes."
        first = self.marked[0]
        here, there = (words[first] for words in self.words)
        others = len(self.marked) - 1
        alike = f"; {plural(others, 'other')} equally large" if others else ""
        return (
            f"Largest change: {self.labels[first]}, {here} on the data and {there} on the "
            f"neighbour, a privacy loss of {formats.loss(self.loss[first])}{alike}."
        )

    @property
    def shown_frame(self) -> Any:
        """Table of the outputs, formatted."""
        here, there = self.words
        ratio = ["—" if np.isnan(loss) else formats.ratio(loss) for loss in self.loss]
        loss = ["—" if np.isnan(loss) else formats.loss(loss) for loss in self.loss]
        columns = dict(zip(self.frame.columns[1:], (here, there, ratio, loss), strict=True))
        return formats.written(self.frame, columns)

    def shown(self) -> "NeighborOutputs":
        """Return the likeliest outputs and one of largest loss, few enough for a figure."""
        last = [place for place in self.marked[:1] if place >= _MOST_SHOWN]
        kept = [*range(min(_MOST_SHOWN, len(self.labels))), *last]
        marked = tuple(kept.index(place) for place in self.marked if place in kept)
        logs = (self.log_here, self.log_there, self.log_rest_here, self.log_rest_there, self.loss)
        labels = [[names[i] for i in kept] for names in (self.labels, self.short)]
        return NeighborOutputs(*labels, *(log[kept] for log in logs), marked)


def compare(mechanism: Mechanism, counts: ItemCounts, neighbour: ItemCounts) -> NeighborOutputs:
    """Compute the probabilities of all outputs on two data sets."""
    every = mechanism.outputs.every(counts.d, mechanism.k)
    here = mechanism.log_pmf(counts, every)
    there = mechanism.log_pmf(neighbour, every)
    loss = privacy_loss(counts, mechanism, neighbour)
    order = np.argsort(-here, kind="stable")
    rows, kind = every[order].tolist(), mechanism.outputs
    far = np.where(np.isnan(loss), 0.0, np.abs(loss))[order]
    equal = np.isclose(far, far.max(), rtol=_EQUAL, atol=ROUNDING)
    largest = np.flatnonzero((far > ROUNDING) & equal)
    logs = (here, there, log_complements(here), log_complements(there), loss)
    return NeighborOutputs(
        [kind.label(row, counts.items) for row in rows],
        short_labels(((kind, row) for row in rows), counts.items),
        *(log[order] for log in logs),
        tuple(largest.tolist()),
    )
