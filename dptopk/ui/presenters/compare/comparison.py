"""Define the contents of the page Compare, common to its views."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dptopk.ui.exhibits.base import Chart, Table
from dptopk.ui.findings.leaders import Best


@dataclass(frozen=True)
class Comparison:
    """The best mechanisms with figure and tables; ``whole`` holds every number behind them.

    ``asked`` is the key of the question for a file of settings, with settings that the page names
    differently.  ``best`` is None on the map.
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
