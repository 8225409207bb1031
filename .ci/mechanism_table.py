"""Write the README's table of mechanisms from their cards.

python .ci/mechanism_table.py README.md
"""

import sys
from pathlib import Path

from readme_parts import Part

from dptopk.mechanisms import MECHANISMS, Mechanism

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


if __name__ == "__main__":
    PART.write(Path(sys.argv[1]), table())
