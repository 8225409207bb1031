"""Write the lists of registered mechanisms: the README's table and the imports of the type stub.

python .ci/mechanism_lists.py
"""

import re
from pathlib import Path

from readme_parts import Part

from dptopk.mechanisms import MECHANISMS, Mechanism

ROOT = Path(__file__).resolve().parents[1]
README, STUB = ROOT / "README.md", ROOT / "dptopk" / "__init__.pyi"
PART = Part("<!-- mechanisms, from their cards -->", "<!-- end of mechanisms -->")


def table() -> str:
    """Return a Markdown table with a row for each registered mechanism."""
    rows = [_row(mechanism) for mechanism in MECHANISMS.values()]
    return "\n".join(
        ["| Mechanism | Guarantee | Releases | What it does | Source |", "| --- " * 5 + "|", *rows]
    )


def _row(mechanism: type[Mechanism]) -> str:
    card = mechanism.card
    cells = [
        f"`{card.key}`",
        "(ε, δ)" if card.takes("delta") else "ε",
        mechanism.outputs.words,
        card.summary,
        f"[{card.paper.citation}]({card.paper.url}), {card.paper.place}",
    ]
    return f"| {' | '.join(cells)} |"


def stub(text: str) -> str:
    """Renew the names that a type stub imports from the registry.

    Raises
    ------
    ValueError
        If it does not import from the registry exactly once.
    """
    names = sorted(mechanism.__name__ for mechanism in MECHANISMS.values())
    lines = "".join(f"    {name} as {name},\n" for name in names)
    renewed, n = re.subn(
        r"(?<=^from \.mechanisms\.registry import \(\n)[^)]*", lines, text, flags=re.M
    )
    if n != 1:
        raise ValueError(f"the stub must import from .mechanisms.registry once, but does {n} times")
    return renewed


if __name__ == "__main__":
    PART.write(README, table())
    STUB.write_text(stub(STUB.read_text("utf-8")), "utf-8", newline="\n")
