"""Make importable the sessions of `benchmarks`, and what tests here share."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "benchmarks", Path(__file__).parent):
    sys.path.insert(0, str(folder))
