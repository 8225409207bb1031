"""The table of mechanisms in the README, made from their cards.

``python -m dptopk.mechanisms.overview README.md`` writes it there anew.
"""

import sys
from pathlib import Path

from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.readme_parts import Part

PART = Part("<!-- mechanisms, from their cards -->", "<!-- end of mechanisms -->")


def table() -> str:
    """One row a registered mechanism, as Markdown."""
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
