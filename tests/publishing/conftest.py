"""Fixtures with counts and a ledger for them, and the schema of the registry of deployments.

`references`, the laws that conformance tests share, are put on the import path.
"""

import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from dptopk import ItemCounts, Ledger

sys.path.insert(0, str(Path(__file__).parents[1] / "mechanisms"))

PROTECTS = "one patient of the ward joins or leaves"


@pytest.fixture
def counts() -> ItemCounts:
    return ItemCounts([907, 801, 703, 605, 509], ["ache", "burn", "cough", "dizzy", "edema"])


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    return Ledger.create(tmp_path / "budget.sqlite", 2, 1e-6, PROTECTS)


@pytest.fixture(scope="session")
def faults():
    """List what the schema of the registry has against a record."""
    text = (Path(__file__).parent / "data/deployments-schema.yaml").read_text("utf-8")
    schema = yaml.safe_load(text)
    checker = jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())
    return lambda record: list(checker.iter_errors(record))
