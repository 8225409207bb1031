"""Sentences on the figure of the page Errors and on its marks."""

from collections.abc import Iterable, Mapping, Sequence

from dptopk.core.errors import Metric
from dptopk.laws.exact import ErrorLaw
from dptopk.simulation.quantile_dots import N_DOTS, Dots
from dptopk.ui.exhibits.base import Tile
from dptopk.ui.findings import texts
from dptopk.ui.formats import counted, joined

_FEW = 6  # medians that a slide has room for


def exact_note(
    laws: Mapping[str, ErrorLaw], held: Sequence[str], dots: bool, cumulative: bool, n: int
) -> str:
    """Describe which parts of the figure are exact.

    ``held`` are the labels of mechanisms whose correct runs are reweighted.
    """
    weigh = " Correct runs are reweighted to their exact probability." if held else ""
    if dots:
        exact = f"Dots of {joined(list(laws))} are exact quantiles; others are" if laws else ""
        return f"{exact or 'Dots are'} quantiles of {n:,} runs.{weigh}"
    if not laws or not cumulative:
        return f"What the figure shows is simulated.{weigh}"
    exact = f"The wide pale curve of {joined(list(laws))} is exact; thin curves are simulated."
    return f"{exact}{weigh}"


def computed(
    laws: Mapping[str, ErrorLaw], held: Sequence[str], dots: bool, cumulative: bool
) -> str:
    """Describe how the figure was computed."""
    runs = "simulated" + ", correct runs reweighted to their exact probability" * bool(held)
    if laws and dots:
        return f"dots of {joined(list(laws))} are exact quantiles, all others {runs}"
    if laws and cumulative:
        return f"wide pale curves ({joined(list(laws))}) exact, all others {runs}"
    return runs


def marks(dots: Mapping[str, Dots], threshold: float | None, unit: str) -> str:
    """Explain a mark and a hollow mark; empty if no dots are shown."""
    if not dots:
        return ""
    words = f"Each mark is one release in {N_DOTS}"
    if threshold is None:
        return f"{words}."
    if not any(each.beyond(threshold) for each in dots.values()):
        return f"{words}: none has an error above {counted(threshold, unit)}."
    return f"{words}: a hollow one has an error above {counted(threshold, unit)}."


def slide(tiles: Iterable[Tile], best: str, metric: Metric, marks: str) -> str:
    """Describe the measure, the medians, the best of them and the marks for a slide."""
    medians = [f"{tile.label} {tile.value}" for tile in tiles]
    listed = f"Medians: {joined(medians)}." if len(medians) <= _FEW else ""
    return " ".join(filter(None, (texts.describe_metric(metric), listed, best, marks)))
