"""Exact probability of every output on a small case, by each mechanism."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import Estimate
from dptopk.core.numerals import in_full
from dptopk.core.outputs import MAX_OUTPUTS, NOTHING, OutputKind
from dptopk.laws.distribution import (
    Fit,
    OutputDistribution,
    goodness_of_fit,
    merged_output_distribution,
    merged_outputs,
    output_distribution,
)
from dptopk.mechanisms import Mechanism
from dptopk.questions import SMALL
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.settings import DRAWS
from dptopk.questions.small_cases import SmallCase, small_case
from dptopk.questions.view import View
from dptopk.simulation.summaries import wilson_interval
from dptopk.simulation.trials import generator_for

TITLE = "All outputs and their probabilities"
_DOUBTFUL = 1e-6  # p-values from here on are taken for chance


def exact_origin(
    view: View, case: SmallCase, mechanisms: Sequence[Mechanism], n_draws: int
) -> Origin:
    """Return the origin of the enumeration of a case."""
    if not n_draws:
        return case.origin(mechanisms, "exact")
    how = {"runs": n_draws, "runs_are": "draws from each mechanism", "seed": view.seed}
    return case.origin(mechanisms, "exact, with draws laid over", **how)


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Enumerate every output with its probabilities."""
    case = small_case(view.source, *(values[key] for key in SMALL))
    mechanisms, n_draws = view.at(case.k, case.counts, by_law=True), values[DRAWS.key]
    refused = view.refusals(case.k, case.counts, by_law=True)
    if not mechanisms:
        raise ValueError(" ".join(refused))
    written = enumerate_outputs(case.counts, mechanisms, n_draws, view.seed)
    return Answer(
        "outputs",
        TITLE,
        written.frame(),
        exact_origin(view, case, mechanisms, n_draws),
        ("output", *written.log_exact),
        tuple(refused),
        {label: written.words(label) for label in written.log_exact},
    )


@dataclass(frozen=True)
class Enumeration:
    """All outputs of several mechanisms, aligned, with draws for comparison.

    A mechanism has no entry for an output that is not of its kind: its value there is NaN.
    """

    labels: list[str]
    keys: "list[_Key]"
    items: tuple[str, ...]  # of the keys
    log_exact: dict[str, np.ndarray]
    log_complements: dict[str, np.ndarray]
    drawn: dict[str, list[np.ndarray]]  # shares of the draws, with the ends of their intervals
    fits: dict[str, Fit]
    merged: bool
    left_out: tuple[str, ...]  # labels of those whose ties cannot be merged

    @property
    def exact(self) -> dict[str, np.ndarray]:
        """Exact probabilities as floats, by label."""
        return {label: np.exp(values) for label, values in self.log_exact.items()}

    def names_of_the_likeliest(self) -> tuple[OutputKind, list[str]]:
        """Return the kind of the most likely output, and the names of its items."""
        ordered, row = self.keys[0]
        names = [self.items[position] for position in row if position != NOTHING]
        return OutputKind(ordered, short=len(names) < len(row)), names

    def of_the_likeliest(self, label: str) -> tuple[Estimate, str]:
        """Return a mechanism's chance of the most likely output, with its explanation.

        A mechanism of another kind gives the same items in any order.
        """
        values = self.log_exact[label]
        if not np.isnan(values[0]):
            return Estimate.of_logs(
                float(values[0]), float(self.log_complements[label][0])
            ), "exact"
        items = sorted(self.keys[0][1])
        same = np.array([sorted(row) == items for _, row in self.keys]) & ~np.isnan(values)
        if not same.any():
            return Estimate.of_logs(-np.inf, 0.0), "never: it always releases k items"
        others = values[~same & ~np.isnan(values)]
        together = [
            float(np.logaddexp.reduce(part, initial=-np.inf)) for part in (values[same], others)
        ]
        some = [position for position in items if position != NOTHING]
        return Estimate.of_logs(*together), "exact, in any order" if len(some) > 1 else "exact"

    def words(self, label: str, n: int | None = None) -> list[str]:
        """Return the first ``n`` exact probabilities, or all, as text."""
        pairs = zip(self.log_exact[label][:n], self.log_complements[label][:n], strict=True)
        return ["–" if np.isnan(log_p) else in_full(log_p, rest) for log_p, rest in pairs]

    def frame(self) -> pd.DataFrame:
        """Return one row per output, most likely first: exact probabilities and drawn shares.

        The logarithms, of each and of its complement, hold what a float rounds to 0 and 1.
        """
        columns: dict[str, Any] = {"output": self.labels}
        for label, probabilities in self.exact.items():
            columns[label] = probabilities
            columns[f"{label}, log"] = self.log_exact[label] + 0.0  # -0.0 is written as 0.0
            columns[f"{label}, log complement"] = self.log_complements[label] + 0.0
            if label in self.drawn:
                columns[f"{label}, drawn"] = self.drawn[label][0]
        return pd.DataFrame(columns)

    def fit_numbers(self) -> pd.DataFrame:
        """Return one row per mechanism with the χ² test of its draws against its exact law."""
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


def _verdict(fit: Fit) -> str:
    if fit.p_value <= _DOUBTFUL:
        return "✗ no"
    return "✓ yes" if fit.n_cells > 1 else "one cell: nothing to test"


def enumerate_outputs(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], n_draws: int, seed: int
) -> Enumeration:
    """Enumerate all outputs of every mechanism, the likeliest under the first one first.

    The others follow as likely as any mechanism gives them.  ``n_draws`` of each mechanism are laid
    over.
    """
    merged = any(m.outputs.n_outputs(counts.d, m.k) > MAX_OUTPUTS for m in mechanisms)
    chosen = [m for m in mechanisms if m.exchangeable_ties or not merged]
    if not chosen:
        raise ValueError(
            f"{mechanisms[0].label} does not treat items with equal counts alike, so they cannot "
            "be merged: take fewer items or a smaller k"
        )
    write = merged_output_distribution if merged else output_distribution
    written = {mechanism.label: write(counts, mechanism) for mechanism in chosen}
    fits = {}
    for mechanism in chosen if n_draws else ():
        samples = mechanism.sample(counts, n_draws, generator_for(mechanism, seed))
        seen = merged_outputs(counts, samples) if merged else samples
        fits[mechanism.label] = goodness_of_fit(written[mechanism.label], seen)
    names: dict[_Key, str] = {}
    most: dict[_Key, float] = {}  # log-probability under any mechanism
    for law in written.values():
        logs = law.log_probabilities.tolist()
        for key, name, log_p in zip(_keys(law), law.labels(), logs, strict=True):
            names[key], most[key] = name, max(most.get(key, -np.inf), log_p)
    first, *others = names
    order = [first, *sorted(others, key=lambda key: -most[key])]
    place = {key: row for row, key in enumerate(order)}
    return Enumeration(
        [names[key] for key in order],
        order,
        next(iter(written.values())).items,
        {label: _aligned(law, place, law.log_probabilities) for label, law in written.items()},
        {label: _aligned(law, place, law.log_complements) for label, law in written.items()},
        {label: _shares(written[label], place, fit) for label, fit in fits.items()},
        fits,
        merged,
        tuple(m.label for m in mechanisms if m not in chosen),
    )


_Key = tuple[bool, tuple[int, ...]]


def _keys(law: OutputDistribution) -> list[_Key]:
    """Return keys that identify outputs, also of different kinds, unlike their names.

    Nothing is the same of either kind.
    """
    return [
        (law.outputs.ordered or set(row) == {NOTHING}, tuple(row)) for row in law.sequences.tolist()
    ]


def _aligned(law: OutputDistribution, place: dict[_Key, int], values: np.ndarray) -> np.ndarray:
    result = np.full(len(place), np.nan)
    result[[place[key] for key in _keys(law)]] = values
    return result


def _shares(law: OutputDistribution, place: dict[_Key, int], fit: Fit) -> list[np.ndarray]:
    shares = (fit.observed / fit.n_draws, *wilson_interval(fit.observed, fit.n_draws))
    return [_aligned(law, place, values) for values in shares]
