"""Compare measured times with the speed goals, in a Markdown table.

    python benchmarks/goals.py [README]

Draws, laws, the smallest epsilon and the command line: a minute on two cores.  Times are of the
processor, the least of several runs: what else the machine does hardly matters.  Nothing is
asserted: "missed" is a word to look for.  Given a README, the table there is written anew.
"""

import os
import resource
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from a clone, not installed

from measuring import milliseconds, seconds, seconds_of_both

from dptopk import MECHANISMS, Gamma, ItemCounts, load_dataset, smallest_epsilon

D = 166_000  # items in the paper's largest data set, Foods
OPTIONS = {"delta": 1e-6, "max_items": 1}
LAWS = (
    ("Laplace", 1.0),
    ("Laplace", 1e-4),
    ("Gamma", 1.0),
    ("Gamma", 30.0),
    ("Gamma", 100.0),
    ("LimitedDomainLaplace", 1.0),
)
MARKS = ("<!-- goals, from benchmarks/goals.py -->", "<!-- end of goals -->")

Row = tuple[str, str, str, str, str, bool]


def made(key: str, k: int):
    """A mechanism with the parameters that it has to be given."""
    kind = MECHANISMS[key]
    return kind(
        k=k, epsilon=1.0, **{name: v for name, v in OPTIONS.items() if kind.card.takes(name)}
    )


def fresh_draws(counts: np.ndarray, k: int, most: float, passes: float = 0) -> list[Row]:
    """One draw from counts as they come, beside noise on every count and bincount, in numpy."""
    rng, rows = np.random.default_rng(0), []
    data = ItemCounts(counts)
    gumbel = seconds(lambda: np.argpartition(-(data.counts + rng.gumbel(size=D)), k), repeats=15)
    bincount = seconds(lambda: np.bincount(counts), repeats=15)
    for key in MECHANISMS:
        mechanism = made(key, k)
        ours = seconds(
            lambda data, mechanism=mechanism: mechanism.sample(data, 1, rng),
            repeats=15,
            fresh=lambda: ItemCounts(counts),
        )
        what = f"one draw, k = {k}: {key}"
        rows.append(compared(what, ours, "Gumbel noise in numpy", gumbel, most))
        if passes:
            rows.append(compared(what, ours, "np.bincount", bincount, passes))
    return rows


def other_counts() -> list[Row]:
    """The slowest mechanism, and the median one, on counts of other shapes."""
    rng = np.random.default_rng(0)
    shapes = {
        "Zipf, exponent 0.9": np.floor(40_000 / np.arange(1, D + 1) ** 0.9).astype(np.int64),
        "uniform below a million": rng.integers(0, 10**6, D),
    }
    rows = []
    for (shape, counts), (k, most) in product(shapes.items(), ((10, 0.3), (100, 1.0))):
        shaped = fresh_draws(counts, k, most)
        shaped.sort(key=lambda row: float(row[3]))
        for which, row in (("median", shaped[len(shaped) // 2]), ("slowest", shaped[-1])):
            rows.append((f"{row[0]}, the {which} on {shape}", *row[1:]))
    return rows


def floor(counts: np.ndarray) -> list[Row]:
    """The steps that no draw can do without, beside the one pass that bincount is."""
    bincount = seconds(lambda: np.bincount(counts), repeats=15)
    steps = {
        "checking the counts": lambda: ItemCounts(counts),
        "checking and sorting them": lambda: ItemCounts(counts).sorted,
        "checking, sorting, looking up 10 ranks": lambda: ItemCounts(counts).positions(
            np.arange(10)
        ),
    }
    return [
        compared(what, seconds(step, repeats=15), "np.bincount", bincount, 3)
        for what, step in steps.items()
    ]


def many_draws(counts: np.ndarray, k: int) -> list[Row]:
    """A thousand draws, beside one."""
    rng, rows = np.random.default_rng(0), []
    for key in MECHANISMS:
        mechanism = made(key, k)
        thousand, one = (
            seconds(
                lambda data, n=n, mechanism=mechanism: mechanism.sample(data, n, rng),
                repeats=repeats,
                fresh=lambda: ItemCounts(counts),
            )
            for n, repeats in ((1_000, 1), (1, 5))
        )
        rows.append(compared(f"1,000 draws, k = {k}: {key}", thousand, "one draw", one, 10))
    return rows


def laws(counts: np.ndarray, k: int) -> list[Row]:
    """The exact log probability of one draw, beside that of peeling, a sum of k logarithms."""
    rng, rows, data = np.random.default_rng(0), [], ItemCounts(counts).sorted
    for key, epsilon in LAWS:
        mechanism, peel = made(key, k).replaced(epsilon=epsilon), made("EMPeel", k)
        drawn = [each.sample(data, 1, rng) for each in (mechanism, peel)]
        ours, other = seconds_of_both(
            lambda mechanism=mechanism, drawn=drawn: mechanism.log_pmf(data, drawn[0]),
            lambda peel=peel, drawn=drawn: peel.log_pmf(data, drawn[1]),
            repeats=2,
        )
        what = f"log_pmf, k = {k}, ε = {epsilon:g}: {key}"
        rows.append(limited(what, ours, "EMPeel", other, 0.1))
    for epsilon in (1.0, 1e-4):
        mechanism, peel = made("Laplace", k).replaced(epsilon=epsilon), made("EMPeel", k)
        ours, other = seconds_of_both(
            lambda mechanism=mechanism: mechanism.log_probability_exact_set(data),
            lambda peel=peel: peel.log_probability_exact_set(data),
            repeats=2,
        )
        what = f"law of the exact set, k = {k}, ε = {epsilon:g}: Laplace"
        rows.append(limited(what, ours, "EMPeel", other, 0.1))
    return rows


def smallest(name: str) -> Row:
    """The smallest epsilon of Gamma, beside 100 thousand of its draws, which it judges by."""
    data, mechanism, rng = load_dataset(name), Gamma(10, 1.0), np.random.default_rng(0)
    ours = seconds(lambda: smallest_epsilon(data, mechanism, "exact_set", 0.95), repeats=1)
    draws = seconds(lambda: mechanism.sample(data, 100_000, rng), repeats=1)
    return limited(f"smallest ε, k = 10, {name}: Gamma", ours, "100,000 draws", draws, 1.0)


def commands() -> list[Row]:
    """The command line, beside Python with the packages that it cannot do without."""
    rows = []
    for typed, most, needed in (
        ("--version", 0.15, "click"),
        ("--help", 0.15, "click"),
        ("release", 0.6, "click, numpy"),
        ("datasets", 0.6, "click, numpy"),
    ):
        ours, other = command("-m", "dptopk", typed), command("-c", f"import {needed}")
        rows.append(limited(f"`dptopk {typed}`", ours, f"import {needed}", other, most))
    return rows


def command(*arguments: str) -> float:
    """Least seconds of processor of a process of its own, with its modules compiled."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(6):
        before = spent()
        subprocess.run(
            [sys.executable, *arguments],
            cwd=Path(__file__).resolve().parents[1],
            env=environment,
            capture_output=True,
            check=True,
        )
        times.append(spent() - before)
    return min(times)


def compared(what: str, ours: float, yardstick: str, other: float, most: float) -> Row:
    """A row whose goal is a multiple of the yardstick."""
    there = f"{yardstick}: {milliseconds(other)}"
    return (
        what,
        milliseconds(ours),
        there,
        f"{ours / other:.2f}",
        f"{most:g} ×",
        ours <= most * other,
    )


def limited(what: str, ours: float, yardstick: str, other: float, most: float) -> Row:
    """A row whose goal is a time."""
    there = f"{yardstick}: {milliseconds(other)}"
    return what, milliseconds(ours), there, f"{ours / other:.2f}", f"{most:g} s", ours <= most


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    lines = [
        "| what | ours | yardstick | ratio | goal | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join(
        [*lines, *(f"| {' | '.join(r[:5])} | {'kept' if r[5] else '**missed**'} |" for r in rows)]
    )


def main() -> None:
    """Measure, print, and write the table into a README if one is given."""
    rng = np.random.default_rng(0)
    counts = np.floor(rng.pareto(1.0, D) + 1).clip(max=12_000).astype(np.int64)
    rows = []
    for part in (
        lambda: floor(counts),
        lambda: fresh_draws(counts, 10, 0.3, 3),
        lambda: fresh_draws(counts, 100, 1.0),
        other_counts,
        lambda: many_draws(counts, 10),
        lambda: many_draws(counts, 100),
        lambda: laws(counts, 10),
        lambda: laws(counts, 100),
        lambda: [smallest("games"), smallest("books")],
        commands,
    ):
        rows += (measured := part())
        print(table(measured), flush=True)
    for file in sys.argv[1:]:
        text = Path(file).read_text(encoding="utf-8")
        before, after = text.partition(MARKS[0])[0], text.partition(MARKS[1])[2]
        whole = f"{before}{MARKS[0]}\n\n{table(rows)}\n\n{MARKS[1]}{after}"
        Path(file).write_text(whole, encoding="utf-8")


if __name__ == "__main__":
    main()
