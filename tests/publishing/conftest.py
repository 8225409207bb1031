"""Fixtures with counts and a ledger for them."""

import pytest

from dptopk import ItemCounts, Ledger

PROTECTS = "one patient of the ward joins or leaves"


@pytest.fixture
def counts() -> ItemCounts:
    return ItemCounts([907, 801, 703, 605, 509], ["ache", "burn", "cough", "dizzy", "edema"])


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    return Ledger.create(tmp_path / "budget.sqlite", 2, 1e-6, PROTECTS)
