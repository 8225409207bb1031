"""Make importable the scripts of `.ci`, which check the repository, and what tests here share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))
sys.path.insert(0, str(Path(__file__).parent))
