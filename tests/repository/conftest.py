"""Make the scripts of `.ci` importable, which write and check parts of the repository."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))
