"""Dataclasses of the elements that pages show: figures, tables, tiles, captions and others.

Texts are markdown unless stated otherwise.  Nothing is drawn of None and of empty texts, so that a
list may hold what is not always there.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import pandas as pd
import plotly.graph_objects as go

from dptopk.core.parameters import Choice
from dptopk.questions.origin import Origin
from dptopk.ui import formats
from dptopk.ui.exhibits import exports, ranking_table


@dataclass(frozen=True)
class Chapters:
    """Values of a setting that a presentation goes through, and the one that is shown.

    ``go`` goes to one of them; by default it is only chosen.
    """

    parameter: Choice
    values: tuple[str, ...]
    shown: str
    go: Callable[[str], None] | None = None

    def neighbour(self, step: int) -> str | None:
        """Return the value ``step`` places further on, or None."""
        place = self.values.index(self.shown) + step
        return self.values[place] if 0 <= place < len(self.values) else None


@dataclass(frozen=True)
class Button:
    """A button; ``act`` is its callback, ``shortcut`` the key that presses it."""

    label: str
    key: str
    act: Callable[[], None]
    help: str | None = None
    shortcut: str | None = None


@dataclass(frozen=True)
class Offer:
    """A sentence of advice, with a button to apply it where that takes one click."""

    sentence: str
    button: Button | None
    icon: str = ":material/add:"


@dataclass(frozen=True)
class Tile:
    """A number with its label and the kind of number it is."""

    label: str
    value: str
    kind: str = ""
    help: str | None = None
    button: Button | None = None


@dataclass(frozen=True)
class Tiles:
    """Numbers side by side; ``name`` distinguishes the rows of a page."""

    numbers: Iterable[Tile]
    name: str = "answer"


@dataclass(frozen=True)
class Buttons:
    """Buttons side by side; the first is the one to take if ``primary``."""

    buttons: "Iterable[Button | Redraw]"
    name: str
    primary: bool = False


@dataclass(frozen=True)
class Redraw:
    """The button that advances the seed; ``drawn`` names what is drawn again."""

    label: str
    drawn: str
    primary: bool = True


@dataclass(frozen=True)
class _Text:
    """An exhibit of words alone."""

    text: str


class Header(_Text):
    """The title of a section, or the answer of a page."""


class Markdown(_Text):
    """Sentences."""


class Caption(_Text):
    """Sentences in small type."""


@dataclass(frozen=True)
class Problem:
    """An error; the sentence may quote untrusted text."""

    headline: str
    sentence: str


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
class Lead:
    """The leading figure, as large as the first screen allows; `FigureButtons` follow below."""

    chart: Chart


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
        return exports.table_html(self.frame)


@dataclass(frozen=True)
class Ranking:
    """A table of rankings side by side, with its alternative text.

    ``compared`` are the columns whose cells begin with a mark; ``beside`` is the one of them that
    a phone shows.  A slide shows ``signs``, and ``said`` in the head of each compared column.
    """

    table: Table
    alt: str
    compared: list[str]
    beside: str
    said: Mapping[str, str]
    signs: str

    @cached_property
    def html(self) -> str:
        """HTML of the table on a page, computed once."""
        return ranking_table.written(self.table.frame, self.alt, self.beside, self.compared)

    @property
    def slide_html(self) -> str:
        """HTML of the table on a slide."""
        return ranking_table.written(
            self.table.frame, self.alt, self.beside, self.compared, self.said
        )


@dataclass(frozen=True)
class MovingRanks:
    """Releases that are animated, one after another.

    Attributes
    ----------
    title, color : str
        Title, and the color of the mechanism.
    truth : tuple of str
        Names in the true order, one per place.
    items : tuple of str
        Names of all items that are released.
    frames : tuple
        For each release and place the index of its item (-1 for none), and its mark.
    words : tuple of str
        Description of each release.
    origin : Origin
        Data, settings and kind of computation behind them.
    line : str
        Sentence on its slide.
    """

    title: str
    color: str
    truth: tuple[str, ...]
    items: tuple[str, ...]
    frames: tuple[tuple[tuple[int, str], ...], ...]
    words: tuple[str, ...]
    origin: Origin
    line: str


@dataclass(frozen=True)
class LawBySetting:
    """Exact probabilities at each value of a setting, which a slider in the browser chooses.

    Attributes
    ----------
    title, color : str
        Title, and the color of the mechanism.
    symbol : str
        The setting, such as ε or k.
    values : tuple of str
        Its values as they are written, ascending.
    outputs : tuple of str
        Names of the outputs.
    probabilities : tuple of tuple of float
        For each value the probability of each output.
    words : tuple of tuple of str
        These as they are written.
    at : int
        Place of the value that is shown first.
    colors : tuple of str
        Color of each output, where they are of several mechanisms; an empty one is gray.
    """

    title: str
    color: str
    symbol: str
    values: tuple[str, ...]
    outputs: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], ...]
    words: tuple[tuple[str, ...], ...]
    at: int
    colors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Live:
    """Exhibits that are made anew without a run of their page: every so many ``seconds``, if any.

    While the page is presented, those of ``on_slide`` take the place of ``make``, if it is given.
    """

    make: Callable[[], Iterable["Exhibit"]]
    seconds: float | None
    on_slide: Callable[[], Iterable["Exhibit"]] | None = None


@dataclass(frozen=True)
class File:
    """A text file for download.

    ``name`` is its key; the file's name contains the settings of ``origin``.
    """

    name: str
    suffix: str
    content: str | Callable[[], str]
    origin: Origin


@dataclass(frozen=True)
class Code:
    """Lines of Python that give the same numbers, with their downloads.

    ``asked`` is the key of their question and its settings, if they are not those of the page.
    """

    lines: str
    origin: Origin
    asked: tuple[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Columns:
    """Exhibits side by side in columns of relative ``widths``; on a phone one below the other."""

    widths: tuple[int, ...]
    columns: tuple[Iterable["Exhibit"], ...]


@dataclass(frozen=True)
class Bordered:
    """Exhibits within a border; ``name`` is its key."""

    name: str
    exhibits: Iterable["Exhibit"]


@dataclass(frozen=True)
class Expander:
    """Exhibits below a title that opens and closes."""

    title: str
    icon: str
    exhibits: Iterable["Exhibit"]


Exhibit: TypeAlias = (
    Columns
    | Bordered
    | Expander
    | Chapters
    | Tiles
    | Button
    | Buttons
    | Redraw
    | Offer
    | Header
    | Markdown
    | Caption
    | Problem
    | Lead
    | Chart
    | LawBySetting
    | Live
    | Code
    | None
)
"""Any part of a page; a presenter returns them in order."""
