"""Put modules that several tests here share on the import path, and quicken the scheduler."""

import sys
from pathlib import Path

import pytest

from dptopk.ui.server import fair_scheduler

sys.path.insert(0, str(Path(__file__).parent))

from crowd import Clock, Crowd


@pytest.fixture
def crowd(monkeypatch):
    """Sessions that compete for a scheduler whose slices and looks are short."""
    monkeypatch.setattr(fair_scheduler, "POLL", 0.005)
    monkeypatch.setattr(fair_scheduler, "SLICE", 1.0)  # of the clock's; sums of it are exact
    return Crowd()


@pytest.fixture
def timed(crowd):
    """Sessions likewise, with a manual clock."""
    return Crowd(Clock())
