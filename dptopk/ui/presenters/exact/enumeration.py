"""Enumerate the outputs of mechanisms, in turns with other sessions, and format them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts
from dptopk.laws.distribution import MAX_OUTPUTS
from dptopk.mechanisms import Mechanism
from dptopk.questions import enumeration
from dptopk.questions.enumeration import Enumeration
from dptopk.ui import formats, results


def drawn_words(written: Enumeration, label: str, n: int) -> list[str]:
    """Format the first shares of the draws with their intervals."""
    rows = zip(*(part[:n] for part in written.drawn[label]), strict=True)
    return ["–" if np.isnan(row[0]) else formats.share_of_runs(*row) for row in rows]


def shown(written: Enumeration, n: int) -> Any:
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


def enumerate_outputs(
    counts: ItemCounts, mechanisms: tuple[Mechanism, ...], n_draws: int, seed: int
) -> Enumeration:
    """Enumerate the outputs of every mechanism, by probability under the first one."""
    n_outputs = sum(min(m.outputs.n_outputs(counts.d, m.k), MAX_OUTPUTS) for m in mechanisms)
    return results.remembered(
        enumeration.enumerate_outputs,
        counts,
        mechanisms,
        n_draws,
        seed,
        size=2 * n_outputs,  # with its name, an output takes as much as two rows of trials
        doing="Writing out every output",
    )
