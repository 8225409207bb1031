"""What the page Compare shows in each of its views: side by side, or as a map."""

from dataclasses import dataclass

from dptopk.ui.exhibits import Chart, Table


@dataclass(frozen=True)
class Comparison:
    """Who is best, with what shows it; ``whole`` holds every number behind."""

    finding: str
    chart: Chart
    caption: str
    table: Table
    notes: list[str]
    whole: Table
    code: str
