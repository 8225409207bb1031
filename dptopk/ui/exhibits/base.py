"""Define the parts of a page: tiles, figures and tables with titles and origins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import pandas as pd
import plotly.graph_objects as go

from dptopk.core.parameters import Choice
from dptopk.questions.origin import Origin
from dptopk.ui import formats
from dptopk.ui.exhibits import ranking_table, takeaway


class Exhibit(Protocol):
    """Protocol of a part of a page that can be presented on the whole screen."""

    @property
    def origin(self) -> Origin:
        """Data, settings and kind of computation behind it."""

    @property
    def line(self) -> str:
        """Sentence under the question of its slide."""


@dataclass(frozen=True)
class Chapters:
    """Values of a setting that a presentation goes through, and the one that is shown."""

    parameter: Choice
    values: tuple[str, ...]
    shown: str

    def neighbour(self, step: int) -> str | None:
        """Return the value ``step`` places further on, or None."""
        place = self.values.index(self.shown) + step
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True)
class Button:
    """A button; ``act`` is its callback."""

    label: str
    key: str
    act: Callable[[], None]
    help: str | None = None


@dataclass(frozen=True)
class Offer:
    """A sentence of advice, with a button to apply it where that takes one click."""

    sentence: str
    button: Button | None


@dataclass(frozen=True)
class Tile:
    """A number with its label and the kind of number it is."""

    label: str
    value: str
    kind: str = ""
    help: str | None = None
    button: Button | None = None


@dataclass(frozen=True)
class Chart:
    """A figure with its title, its origin and a sentence on its content.

    ``name`` is its key and the name of its downloads.  ``finding`` describes it with the numbers
    of the page, for screen readers and on its slide; ``slide`` replaces it there if not empty.
    Heights are in pixels; ``least`` is the smallest height at which it can be read.
    """

    figure: go.Figure
    name: str
    title: str
    origin: Origin
    height: int = 420
    least: int = 256
    finding: str = ""
    slide: str = ""

    @property
    def line(self) -> str:
        """Sentence on its slide."""
        return self.slide or self.finding

    @property
    def alt(self) -> str:
        """Title and finding as plain text, for screen readers."""
        return f"{self.title} {formats.unmarked(self.finding)}".strip()


@dataclass(frozen=True)
class Table:
    """A table as shown, with its title, its origin and the data of its download.

    ``name`` is its key and part of its file's name, ``data`` the table to download if that is
    another one; ``options`` go to `st.dataframe`.
    """

    frame: Any
    name: str
    title: str
    origin: Origin
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows; a Styler has no length of its own."""
        return len(self.frame.index)

    @cached_property
    def html(self) -> str:
        """First rows as HTML, computed once, as sessions share tables of bundled data."""
        return takeaway.table_html(self.frame)


@dataclass(frozen=True)
class Ranking:
    """A table of rankings side by side, with its alternative text.

    ``compared`` are the columns whose cells begin with a mark; ``beside`` is the one of them that
    a phone shows.  A slide shows ``said`` of each compared column, and ``signs``.
    """

    table: Table
    alt: str
    compared: list[str]
    beside: str
    said: Mapping[str, str]
    signs: str

    @property
    def origin(self) -> Origin:
        """Data, settings and kind of computation behind it."""
        return self.table.origin

    @cached_property
    def html(self) -> str:
        """HTML of the table on a page, computed once."""
        return ranking_table.written(self.table.frame, self.alt, self.beside, self.compared)

    @property
    def slide_html(self) -> str:
        """HTML of the table on a slide."""
        return ranking_table.written(
            self.table.frame, self.alt, self.beside, self.compared, slide=True
        )

    @property
    def line(self) -> str:
        """Sentence on its slide."""
        return f"{', '.join(f'{name} {self.said[name]}' for name in self.compared)}. {self.signs}"


@dataclass(frozen=True)
class Words:
    """Sentences in markdown that can fill a slide, with their title and origin."""

    title: str
    text: str
    origin: Origin

    @property
    def line(self) -> str:
        """Sentence under the question of its slide."""
        return self.title
