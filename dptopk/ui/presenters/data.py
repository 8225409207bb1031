"""Describe the counts, their source and how they were read."""

from dptopk import figures
from dptopk.questions.gaps import TRUE_COUNTS
from dptopk.questions.view import View
from dptopk.ui.exhibits import snippets, tables
from dptopk.ui.exhibits.base import (
    Caption,
    Chart,
    Code,
    Exhibit,
    FigureButtons,
    FirstScreen,
    Header,
    Lead,
    Points,
    Table,
    Tiles,
)
from dptopk.ui.findings import alt_text, base
from dptopk.ui.formats import plural

MOST_ROWS = 1_000
MOST_BARS = 12


def question(view: View) -> tuple[str, str]:
    """Return the page's question and the description of the data."""
    return f"Data: {view.source.title}", view.source.description


def present(view: View) -> list[Exhibit]:
    """Describe the data."""
    counts, top = view.counts, view.counts.head(MOST_BARS)
    tiles = base.size(counts, view.unit)
    spread = alt_text.spread(counts.sorted, view.k, view.unit)
    bars = f"Paler bars are not in the top {view.k}." if top.d > view.k else ""
    origin = view.origin((), TRUE_COUNTS, more={"k": view.k})
    chart = Chart(
        figures.amounts(
            top.items,
            top.counts.tolist(),
            f"count ({view.unit})",
            "%{x:,}",
            [place < view.k for place in range(top.d)],
        ),
        "largest",
        f"The largest counts, {plural(top.d, 'item')}; the true top {view.k} is darker.",
        origin.read_as(bars),
        height=340,
        finding=f"{alt_text.numbers(tiles)} {spread}",
        slide=f"{spread} {bars}".strip(),
    )
    cut = f"The first {MOST_ROWS:,} of {counts.d:,}; the download contains all."
    return [
        FirstScreen([Tiles(tiles)], [Lead(chart)]),
        Caption(bars),
        FigureButtons(chart),
        Header("Source and preprocessing"),
        Points((*view.source.notes, view.source.item_list)),
        Header("The largest counts"),
        Caption(cut if counts.d > MOST_ROWS else ""),
        Table(
            tables.largest(counts, MOST_ROWS, view.unit),
            "counts",
            "All items and their counts",
            view.origin((), TRUE_COUNTS),
            lambda: tables.largest(counts, counts.d, view.unit),
            {"height": 420},
        ),
        Code(
            snippets.snippet(view, "print(counts.head(10).items)", mechanisms=False), chart.origin
        ),
    ]
