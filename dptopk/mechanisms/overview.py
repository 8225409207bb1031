"""The table of mechanisms in the README, made from their cards.

``python -m dptopk.mechanisms.overview README.md`` writes it there anew.
"""

import sys
from pathlib import Path

from dptopk.mechanisms import MECHANISMS, Mechanism

BEGIN, END = "<!-- mechanisms, from their cards -->", "<!-- end of mechanisms -->"


def table() -> str:
    """One row a registered mechanism, as Markdown."""
    rows = [_row(mechanism) for mechanism in MECHANISMS.values()]
    return "\n".join(
        ["| Mechanism | Guarantee | Releases | What it does | Source |", "| --- " * 5 + "|", *rows]
    )


def with_table(text: str) -> str:
    """A README with the table between its two marks made anew.

    Raises
    ------
    ValueError
        If the marks are not there, each once and in order.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end) or BEGIN in after or END in after:
        raise ValueError(f"the text must hold {BEGIN!r} and then {END!r}, each once")
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


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
    readme = Path(sys.argv[1])
    readme.write_text(with_table(readme.read_text("utf-8")), "utf-8", newline="\n")
