"""What CI runs the tests on, as the README says it.

    python3 .ci/tested_versions.py            prints the sentence
    python3 .ci/tested_versions.py README.md  writes it there anew

Pythons are those of the matrix in .github/workflows/ci.yml, the oldest releases those of
.ci/oldest.txt, the newest those of requirements.lock for the newest Python.
"""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- tested versions, from CI -->", "<!-- end of tested versions -->"
SHOWN = ("Streamlit", "NumPy", "SciPy", "pandas", "Plotly")


def sentence() -> str:
    """Which Pythons and which releases are tested."""
    pythons = re.findall(
        r'"(3\.\d+)"',
        re.findall(r"^ +python: \[(.*)\]$", _text(".github/workflows/ci.yml"), re.M)[0],
    )
    old, new = _releases(".ci/oldest.txt"), _releases("requirements.lock")
    return (
        f"CI runs this on Python {', '.join(pythons[:-1])} and {pythons[-1]} with the newest "
        f"releases that are allowed, and on Python {pythons[0]} with the oldest: {_list(old)}. "
        "`requirements.lock`, which the app is started with, is one exact set with hashes: "
        f"{_list(new)}."
    )


def with_sentence(text: str) -> str:
    """A README with the sentence between its two marks made anew.

    Raises
    ------
    ValueError
        If the marks are not there, each once and in order.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end) or BEGIN in after or END in after:
        raise ValueError(f"the text must hold {BEGIN!r} and then {END!r}, each once")
    return f"{before}{BEGIN}\n\n{textwrap.fill(sentence(), 100)}\n\n{END}{after}"


def _releases(file: str) -> dict[str, str]:
    """Release by name; of one that depends on the Python the last, which is for the newest."""
    return dict(re.findall(r"^([a-z][\w-]*)==([^\s;\\]+)", _text(file), re.MULTILINE))


def _list(releases: dict[str, str]) -> str:
    return ", ".join(f"{name} {releases[name.lower()]}" for name in SHOWN)


def _text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        readme = Path(sys.argv[1])
        readme.write_text(with_sentence(readme.read_text("utf-8")), "utf-8", newline="\n")
    else:
        print(sentence())
