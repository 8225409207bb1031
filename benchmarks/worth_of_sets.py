"""Compute the table on releasing sets instead of sequences, on the bundled data.

    python benchmarks/worth_of_sets.py

Prints the table of benchmarks/README.md.  A number is the mean k-relative
error at epsilon = 1 (delta = 1e-6 where one is used), in users: by how much the weakest released
item falls short of the true k-th.  It is exact where the law is known, else the mean of 1,000 runs
(250 where a draw is slow) with its 95% interval; in bold what is best, or not shown to be worse.
Data on which nobody errs are named below the table.  Some minutes.
"""

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # run from a clone, not installed

from dptopk import (  # noqa: E402
    METRICS,
    CDPPeel,
    InverseSensitivitySet,
    Joint,
    JointSet,
    NoClosedFormError,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    dataset_names,
    exact_error,
    load_dataset,
    run_trials,
)

KS = (10, 20, 40, 80)
RUNS, RUNS_OF_SLOW, SLOW = 1_000, 250, 10**8  # steps of a pmf: those of Joint set at k = 80
MECHANISMS = (
    InverseSensitivitySet(1, 1.0),
    PNFInverseSensitivitySet(1, 1.0),
    JointSet(1, 1.0),
    Joint(1, 1.0),
    PNFJoint(1, 1.0),
    PNFPeel(1, 1.0),
    CDPPeel(1, 1.0, 1e-6, calibration="optimal"),
)


def mean_error(mechanism, counts) -> tuple[float, float]:
    """Mean k-relative error and half its 95% interval: 0 where it is exact."""
    if METRICS["k_relative"].law in mechanism.exact_metrics:
        try:
            return exact_error(counts, mechanism, "k_relative").mean, 0.0
        except NoClosedFormError:
            pass  # too large to write out: it is run
    n = RUNS_OF_SLOW if mechanism.pmf_work(counts.sorted) > SLOW else RUNS
    values = run_trials(counts, [mechanism], n, seed=0)["k_relative"].to_numpy()
    return float(values.mean()), float(1.96 * values.std(ddof=1) / np.sqrt(n))


def written(mean: float, half: float) -> str:
    """A decimal below 10."""

    def short(value: float) -> str:
        return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"

    return f"{short(mean)} ± {max(half, 0.1):.2g}" if half else short(mean)


def row(name: str, k: int) -> list[str]:
    """Cells of one line of the table."""
    counts = load_dataset(name)
    found = [mean_error(mechanism.replaced(k=k), counts) for mechanism in MECHANISMS]
    best = min(round(mean + half, 1) for mean, half in found)
    return [
        f"**{written(mean, half)}**" if round(mean - half, 1) <= best else written(mean, half)
        for mean, half in found
    ]


def table() -> str:
    """The whole table, in Markdown."""
    heads = ["data", "k", *(mechanism.name for mechanism in MECHANISMS)]
    lines, right = [f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"], []
    for name in dataset_names():
        rows = {k: row(name, k) for k in KS}
        if all(cell == "**0.0**" for cells in rows.values() for cell in cells):
            right.append(name)
        else:
            lines += [f"| {' | '.join([name, str(k), *cells])} |" for k, cells in rows.items()]
        print(name, "done", file=sys.stderr, flush=True)
    return "\n".join(
        [*lines, "", f"On {', '.join(right)} every mean is below 0.05 users at these k."]
    )


if __name__ == "__main__":
    print(table())
