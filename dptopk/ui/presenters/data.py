"""What are we looking at?  The counts, where they come from, and what was done to them."""

from dataclasses import dataclass

from dptopk.ui import findings, snippets, tables
from dptopk.ui.view import View
from dptopk.ui.widgets import Table, Tile

MOST_ROWS = 1_000


@dataclass(frozen=True)
class Shown:
    """What the page shows; notes may quote strangers' text."""

    tiles: list[Tile]
    notes: str
    cut: str
    table: Table
    code: str


def question(view: View) -> tuple[str, str]:
    """The question, and what the data are."""
    return f"Which counts are these? {view.source.title}", view.source.description


def present(view: View) -> Shown:
    """Describe the data."""
    counts = view.counts
    return Shown(
        tiles=findings.size(counts),
        notes="\n".join(f"• {note}" for note in view.source.notes),
        cut=f"The first {MOST_ROWS:,} of {counts.d:,}; the download holds all."
        if counts.d > MOST_ROWS
        else "",
        table=Table(
            tables.largest(counts, MOST_ROWS),
            "counts",
            lambda: tables.largest(counts, counts.d),
            {"height": 420},
        ),
        code=snippets.snippet(view, "print(counts.head(10).items)", mechanisms=False),
    )
