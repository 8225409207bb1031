"""Fixtures for all tests: a seeded generator, χ² tests, toy mechanisms.

Helpers are fixtures that return functions, so that test modules need no import path.
"""

import gc
import os
import re
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from dptopk import ItemCounts, OutputDistribution, goodness_of_fit, output_distribution

sys.path.insert(0, str(Path(__file__).with_name("toys")))  # the package dptopk_toys

# The same examples on every run: a failure is a fact about the code, not about the day.
_FIXED = settings(derandomize=True, deadline=None, database=None)
settings.register_profile("push", _FIXED, max_examples=15)
settings.register_profile("nightly", _FIXED, max_examples=50)
settings.load_profile("push")  # unless --hypothesis-profile names the other

ALPHA = 1e-6  # chance that one test of draws against their true law fails

TENTHS = 10  # of the tests marked `grid`, of which one run takes a tenth


def pytest_addoption(parser):
    parser.addoption(
        "--grid",
        choices=[*map(str, range(TENTHS)), "all"],
        help="which tenth of the tests marked `grid` runs, or all of them"
        " (default: all where tests are named one by one, else a tenth chosen by git's HEAD)",
    )


def pytest_configure(config):
    """Choose the tenth before workers start, which take what is chosen here."""
    if config.option.grid is None:
        named = any("::" in str(argument) for argument in config.args)
        config.option.grid = "all" if named else str(tenth_of_head(config.rootpath))


def pytest_report_header(config):
    return (
        f"grid: {config.option.grid} (--grid {config.option.grid} repeats it, --grid all runs all)"
    )


def pytest_collection_modifyitems(config, items):
    """Leave out nine tenths of the grid, each test by its own name alone."""
    if config.option.grid == "all":
        return
    out = [
        item
        for item in items
        if item.get_closest_marker("grid") and str(tenth(item.nodeid)) != config.option.grid
    ]
    if out:
        config.hook.pytest_deselected(items=out)
        gone = set(map(id, out))
        items[:] = [item for item in items if id(item) not in gone]


def pytest_collection_finish(session):
    """Leave modules and tests out of later garbage collections: a tenth of the processor time."""
    gc.collect()
    gc.freeze()


def tenth(nodeid: str) -> int:
    """Return which of the tenths a test belongs to, the same on every machine."""
    return zlib.crc32(nodeid.encode()) % TENTHS


def tenth_of_head(folder: Path) -> int:
    """Return the tenth that the commit at hand runs: by its digest; 0 where there is no git."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "--verify", "HEAD"], cwd=folder, capture_output=True, text=True
        )
    except OSError:
        return 0
    return int(head.stdout, 16) % TENTHS if head.returncode == 0 else 0


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


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Give the main script back that a run of Streamlit replaces, for the processes of a test."""
    own = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = own


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20220131)


@pytest.fixture(autouse=True)
def nothing_shared() -> Iterator[None]:
    """A process of its own, as far as sessions of the app share what was computed."""
    yield
    if work := sys.modules.get("dptopk.ui.server.work"):
        work._SHARED.clear()
        work._BUNDLED.clear()
    if classroom := sys.modules.get("dptopk.ui.server.classroom"):
        classroom.CLASSROOMS._by_code.clear()


@pytest.fixture(scope="session")
def not_refused():
    """Those of many wrong calls that are answered, or refused in other words.

    A case is its arguments, the error and what its message must match.
    """

    def list_offenders(call: Callable, cases: Iterable[tuple]) -> list[str]:
        offenders = []
        for arguments, error, message in cases:
            try:
                answer = call(*arguments)
            except error as refusal:
                if not re.search(message, str(refusal)):
                    offenders.append(f"{arguments}: {refusal}, expected {message}")
            else:
                offenders.append(f"{arguments}: answered by {answer}")
        return offenders

    return list_offenders


@pytest.fixture
def own_module(tmp_path, monkeypatch) -> Iterator[Path]:
    """The file of the documentation on one's own mechanism and measure, not loaded yet."""
    from dptopk.core import errors
    from dptopk.mechanisms import MECHANISMS, extensions

    docs = Path(__file__).parents[1] / "docs"
    lines = "".join(
        re.search(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)[1]
        for page in (docs / "tutorials" / "own.md", docs / "howto" / "own-mechanism.md")
    )
    file = tmp_path / "my_mechanism.py"
    file.write_text(lines, "utf-8")
    sources = (extensions.SOURCES, extensions.SOURCES_OF_MEASURES)
    registries = (MECHANISMS, errors.METRICS, *sources)
    before = [dict(registry) for registry in registries]
    monkeypatch.setattr(errors, "MEASURES", errors.MEASURES)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield file
    sys.modules.pop(file.stem, None)
    for registry, known in zip(registries, before, strict=True):
        registry.clear()
        registry.update(known)


@pytest.fixture
def toys() -> Iterator[tuple]:
    """Three more mechanisms in the registry, as long as the test runs."""
    import dptopk_toys

    dptopk_toys.register()
    yield dptopk_toys.TOYS
    dptopk_toys.unregister()


@pytest.fixture(scope="session")
def fits():
    """Whether draws agree with the exact output distribution of a mechanism (χ² at ALPHA).

    Counts may be sorted counts: draws are ranks then, and ranks are positions of the
    descending counts.
    """

    def judge(mechanism, counts, samples: np.ndarray) -> bool:
        if not isinstance(counts, ItemCounts):
            counts = ItemCounts(np.repeat(counts.values, counts.multiplicities))
        return goodness_of_fit(output_distribution(counts, mechanism), samples).p_value > ALPHA

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
