"""What tests share: a seeded generator, the χ² judge, the toys, the privacy loss.

Helpers are fixtures that return functions, so that test modules need no import path.
"""

import itertools
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from dptopk import (
    ItemCounts,
    OutputDistribution,
    goodness_of_fit,
    neighboring_counts,
    output_distribution,
)

sys.path.insert(0, str(Path(__file__).with_name("toys")))  # the package dptopk_toys

# The same examples on every run: a failure is a fact about the code, not about the day.
settings.register_profile("fixed", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("fixed")

ALPHA = 1e-6  # chance that one test of draws against their true law fails


def pytest_sessionfinish(session):
    """Under CI a test that was left out is a failure."""
    # Workers of pytest-xdist have no reporter: the count is made once, where results meet.
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if (
        os.environ.get("CI")
        and reporter
        and reporter.stats.get("skipped")
        and not session.exitstatus
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    """One line a reason for what was left out, however many tests it was."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason, n in Counter(report.longrepr[2] for report in skipped).items():
        terminalreporter.write_line(f"{n} left out. {reason}")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20220131)


@pytest.fixture
def toys() -> Iterator[tuple]:
    """Three more mechanisms in the registry, as long as the test runs."""
    import dptopk_toys

    dptopk_toys.register()
    yield dptopk_toys.TOYS
    dptopk_toys.unregister()


@pytest.fixture(scope="session")
def every_sequence():
    """Every ordered sequence of k of d positions, shape (d! / (d - k)!, k)."""

    def enumerate_sequences(d: int, k: int) -> np.ndarray:
        return np.array(list(itertools.permutations(range(d), k)), dtype=np.int64)

    return enumerate_sequences


@pytest.fixture(scope="session")
def fits():
    """Whether draws agree with the exact output distribution of a mechanism (χ² at ALPHA).

    Counts may be sorted counts: draws are ranks then, and ranks are positions of the
    descending counts.
    """

    def judge(mechanism, counts, samples: np.ndarray) -> bool:
        if not isinstance(counts, ItemCounts):
            counts = ItemCounts(np.repeat(counts.values, counts.multiplicities))
        return goodness_of_fit(output_distribution(mechanism, counts), samples).p_value > ALPHA

    return judge


@pytest.fixture(scope="session")
def fits_law():
    """Whether drawn values agree with a law on integers, by the same χ² test.

    A drawn value that the law does not have is an impossible outcome.
    """

    def judge(values, log_probabilities, drawn) -> bool:
        cells, drawn_cells = np.unique(np.append(values, drawn), return_inverse=True)
        log_p = np.full(cells.size, -np.inf)
        log_p[drawn_cells[: len(values)]] = log_probabilities
        law = OutputDistribution(
            np.arange(cells.size)[:, None], log_p, tuple(map(str, cells.tolist()))
        )
        return goodness_of_fit(law, drawn_cells[len(values) :, None]).p_value > ALPHA

    return judge


@pytest.fixture(scope="session")
def fits_chance(fits_law):
    """Whether events came as often as their probability says, by the same χ² test."""

    def judge(probability: float, happened: np.ndarray) -> bool:
        assert 0 <= probability <= 1 + 1e-9
        p = min(probability, 1.0)
        with np.errstate(divide="ignore"):  # log 0 = -inf: must not happen, or must
            return fits_law([0, 1], np.log([1 - p, p]), happened.astype(int))

    return judge


@pytest.fixture(scope="session")
def worst_loss():
    """Largest |log P(s|D) - log P(s|D')| over all outputs and all neighbours of D."""

    def compute(mechanism, counts: ItemCounts, neighbors) -> float:
        every = mechanism.outputs.every(counts.d, mechanism.k)
        here = mechanism.log_pmf(counts, every)
        return max(
            float(np.abs(here - mechanism.log_pmf(other, every)).max())
            for other in neighboring_counts(counts, neighbors)
        )

    return compute


@pytest.fixture(scope="session")
def worst_hockey_stick():
    """Largest sum of max(P - e^epsilon P', 0) over all neighbours, in both directions."""

    def compute(mechanism, counts: ItemCounts, neighbors, epsilon: float) -> float:
        every = mechanism.outputs.every(counts.d, mechanism.k)
        here = np.exp(mechanism.log_pmf(counts, every))
        worst = 0.0
        for other in neighboring_counts(counts, neighbors):
            there = np.exp(mechanism.log_pmf(other, every))
            worst = max(
                worst,
                float((here - np.exp(epsilon) * there).clip(min=0).sum()),
                float((there - np.exp(epsilon) * here).clip(min=0).sum()),
            )
        return worst

    return compute
