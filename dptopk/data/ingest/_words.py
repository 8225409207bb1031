"""Load the words by which columns, units, totals and missing names are recognized."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

_TEXTS: Mapping[str, str] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
WORDS = {key: frozenset(re.split(r",\s+", text.strip())) for key, text in _TEXTS.items()}
"""Words in small letters by what they tell, as described in words.toml."""
