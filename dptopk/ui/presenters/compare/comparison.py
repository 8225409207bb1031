"""What the page Compare shows in each of its views: side by side, or as a map."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dptopk.ui.exhibits.base import Chart, Table
from dptopk.ui.findings.leaders import Best


@dataclass(frozen=True)
class Comparison:
    """Who is best, with what shows it; ``whole`` holds every number behind.

    ``asked`` is the key of the question that a file of settings asks again, where it is not that
    of the page, and settings of it that the page calls something else.  ``best`` is there where
    all were run at one k and ε.
    """

    finding: str
    chart: Chart
    caption: str
    table: Table
    notes: list[str]
    whole: Table
    code: str
    asked: tuple[str, Mapping[str, Any]] = field(default=("compare", {}))
    best: Best | None = None
