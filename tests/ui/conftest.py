"""Put modules that several tests here share on the import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
