"""Write the versions that CI tests into the README.

    python .ci/tested_versions.py            prints the sentence
    python .ci/tested_versions.py README.md  writes it there anew

Pythons are those of the matrix in .github/workflows/ci.yml, the oldest releases those of
.ci/oldest.txt, the newest those of requirements.lock for the newest Python.
"""

import re
import sys
import textwrap
from pathlib import Path

from readme_parts import Part

ROOT = Path(__file__).resolve().parents[1]
PART = Part("<!-- tested versions, from CI -->", "<!-- end of tested versions -->")
SHOWN = ("Streamlit", "NumPy", "SciPy", "pandas", "Plotly")


def sentence() -> str:
    """Which Pythons and which releases are tested, in lines."""
    pythons = re.findall(
        r'"(3\.\d+)"',
        re.findall(r"^ +python: \[(.*)\]$", _text(".github/workflows/ci.yml"), re.M)[0],
    )
    old, new = _releases(".ci/oldest.txt"), _releases("requirements.lock")
    return textwrap.fill(
        f"CI runs this on Python {', '.join(pythons[:-1])} and {pythons[-1]} with the newest "
        f"releases that are allowed, and on Python {pythons[0]} with the oldest: {_list(old)}. "
        "`requirements.lock`, which the app is started with, is one exact set with hashes, for "
        f"Python {pythons[-1]}: {_list(new)}; where an older Python needs older releases, these.",
        100,
    )


def _releases(file: str) -> dict[str, str]:
    """Release by name; of one that depends on the Python the last, which is for the newest."""
    return dict(re.findall(r"^([a-z][\w-]*)==([^\s;\\]+)", _text(file), re.MULTILINE))


def _list(releases: dict[str, str]) -> str:
    return ", ".join(f"{name} {releases[name.lower()]}" for name in SHOWN)


def _text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        PART.write(Path(sys.argv[1]), sentence())
    else:
        print(sentence())
