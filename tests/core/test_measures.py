"""Test that a measure added to `METRICS` works everywhere, as only `errors.py` names measures."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dptopk import METRICS, Joint, load_dataset, smallest_epsilon

TESTS = Path(__file__).parents[1]
PACKAGE = TESTS.parent / "dptopk"


def test_no_measure_is_named_outside_its_module():
    for path in PACKAGE.glob("**/*.py"):
        if path == PACKAGE / "core" / "errors.py":
            continue
        source = path.read_text(encoding="utf-8")
        if not any(f"{quote}{key}{quote}" in source for key in METRICS for quote in "'\""):
            continue  # to parse all takes seconds
        tree = ast.parse(source)
        words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        listed = {str(word) for word in words} - set(_exported(tree))
        assert not listed & set(METRICS), f"{path} names {listed & set(METRICS)}"


def _exported(tree):
    """Names of functions that a module offers are no keys."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            yield from (c.value for c in ast.walk(node) if isinstance(c, ast.Constant))


@pytest.mark.slow
def test_two_more_measures_work_everywhere():
    """In a process of its own, in which they are there before anything is imported."""
    found = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "-p", "toy_measures"),
            *("-p", "no:cacheprovider", str(TESTS / "pages" / "measures_suite.py")),
        ],
        env=os.environ | {"PYTHONPATH": str(TESTS / "toys")},
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-4_000:]


def test_shipped_scores_have_no_free_epsilon():
    """At least 99% of the gain took ε = 0 while every measure but one was read as an error."""
    found = smallest_epsilon(load_dataset("games"), Joint(10, 1.0), ("ndcg", 0.99))
    assert not found.exact
    assert 0.1 < found.low <= found.epsilon <= found.high < 2
