"""What pages show: numbers, figures and tables with their words; `elements` shows them."""

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
    """What can be presented on the whole screen; see `presentation`."""

    @property
    def origin(self) -> Origin:
        """What it comes from."""

    @property
    def line(self) -> str:
        """What a slide says of it under its question."""


@dataclass(frozen=True)
class Chapters:
    """What a page tells one after another: values of a setting of it, and the one that is shown."""

    parameter: Choice
    values: tuple[str, ...]
    shown: str

    def neighbour(self, step: int) -> str | None:
        """The value so many steps on, if there is one."""
        place = self.values.index(self.shown) + step
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True)
class Button:
    """What can be done with a number: ``act`` is a callback."""

    label: str
    key: str
    act: Callable[[], None]
    help: str | None = None


@dataclass(frozen=True)
class Offer:
    """Something that helps, in a sentence, and one click to take it, if there is one to take."""

    sentence: str
    button: Button | None


@dataclass(frozen=True)
class Tile:
    """One number that matters, what it is, and what kind of number."""

    label: str
    value: str
    kind: str = ""
    help: str | None = None
    button: Button | None = None


@dataclass(frozen=True)
class Chart:
    """A figure with its words: what is drawn, what it comes from, and what it says.

    ``name`` is its key and what its downloads are called; ``finding`` is told to those who do not
    see it, from the numbers of the page, and stands on its slide; ``slide`` is what stands there
    instead, where more is to be said.  Heights are in pixels, ``least`` is what it needs to be
    read.
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
        """What a slide says."""
        return self.slide or self.finding

    @property
    def alt(self) -> str:
        """The figure in words, as plain text."""
        return f"{self.title} {formats.unmarked(self.finding)}".strip()


@dataclass(frozen=True)
class Table:
    """A table as shown, what it is, what it comes from, and what its download holds beyond it.

    ``name`` is its key and part of its file's name, ``title`` what people are told it is;
    ``options`` go to `st.dataframe`.
    """

    frame: Any
    name: str
    title: str
    origin: Origin
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of its rows; a table in words, a Styler, has no length of its own."""
        return len(self.frame.index)

    @cached_property
    def html(self) -> str:
        """Its first rows as HTML, written once: sessions share what bundled data show."""
        return takeaway.table_html(self.frame)


@dataclass(frozen=True)
class Ranking:
    """A table of names side by side, in words what it is, and what a phone shows of it.

    ``compared`` are the columns whose cells begin with a mark; ``beside`` is the one of them that
    a phone shows.  A slide says what is ``said`` of each compared column on it, and ``signs``.
    """

    table: Table
    alt: str
    compared: list[str]
    beside: str
    said: Mapping[str, str]
    signs: str

    @property
    def origin(self) -> Origin:
        """What it comes from."""
        return self.table.origin

    @cached_property
    def html(self) -> str:
        """What a page shows of it, likewise written once."""
        return ranking_table.written(self.table.frame, self.alt, self.beside, self.compared)

    @property
    def slide_html(self) -> str:
        """What a slide shows of it."""
        return ranking_table.written(
            self.table.frame, self.alt, self.beside, self.compared, slide=True
        )

    @property
    def line(self) -> str:
        """What a slide says."""
        return f"{', '.join(f'{name} {self.said[name]}' for name in self.compared)}. {self.signs}"


@dataclass(frozen=True)
class Words:
    """Sentences in markdown that can fill a slide, and what they are."""

    title: str
    text: str
    origin: Origin

    @property
    def line(self) -> str:
        """What a slide says under its question."""
        return self.title
