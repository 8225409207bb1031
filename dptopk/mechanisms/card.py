"""Description of a mechanism for users: names, explanations, parameters and plotting style.

Controls, help, figures, snippets, the documentation and the tests read it, so that a new
mechanism is one module and one line in the registry.
"""

import enum
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from dptopk.content import texts
from dptopk.core.papers import Citation, Paper
from dptopk.core.parameters import Parameter

_UNPUBLISHED = Paper(("unpublished",), 0, "unpublished", "", "").at("")


class Group(enum.Enum):
    """Groups of mechanisms by their required input and their output."""

    ORDERED = "Known items, in order"
    SETS = "Known items, as a set"
    COUNTS = "Known items, with counts"
    UNKNOWN = "Unknown items"


class Gaps(enum.Enum):
    """Gaps between neighboring counts that determine a mechanism's choice."""

    ALL = "every gap among the first k"
    BEHIND = "the gap after place k"
    LARGEST = "the largest of the first k gaps"


@dataclass(frozen=True)
class Style:
    """Plotting style of a mechanism: color, and Plotly's dash, marker and hatch."""

    color: str
    dash: str
    marker: str
    hatch: str = ""


MINIMAL_STYLE = Style("#5D6D7E", "solid", "circle")
"""Neutral style of a mechanism that nobody gave one."""


@dataclass(frozen=True)
class Example:
    """Small counts and a k that illustrate when to use a mechanism, and what is seen there."""

    counts: tuple[int, ...]
    k: int
    shows: str


@dataclass(frozen=True)
class Explanation:
    """Explanation of a mechanism for students, in whole sentences."""

    does: tuple[str, str, str, str]  # how it chooses, in four sentences
    promise: str  # why it keeps its promise: the theorem in words
    good_for: str
    not_for: str
    sources: tuple[Citation, ...]  # that these sentences rest on
    example: Example | None = None  # where the advice can be seen

    @classmethod
    def read(
        cls, key: str, sources: tuple[Citation, ...], example: Example | None = None
    ) -> "Explanation":
        """Return the explanation whose sentences are in dptopk/content/mechanisms, by its key."""
        text = texts.read(f"mechanisms/{key}")
        first, second, third, fourth = text.section("How it chooses").split("\n\n")
        return cls(
            (first, second, third, fourth),
            text.section("What it promises, and why"),
            text.section("Use it"),
            text.section("Do not use it"),
            sources,
            example,
        )


@dataclass(frozen=True)
class Card:
    """Description of a mechanism for users."""

    key: str  # stable name, the class's own: in links, and as the start of its random streams
    name: str  # in the literature
    summary: str  # one sentence: the name, in few words what tells it from others, a colon, more
    paper: Citation  # where it comes from
    group: Group  # what it needs and gives
    style: Style
    scale: str  # what a difference of {users} in a count means to it, to be read after its name
    explanation: Explanation
    gaps: Gaps = Gaps.ALL  # which gaps its choice depends on
    # beyond k, epsilon and neighbors: names of its dataclass fields
    parameters: tuple[Parameter, ...] = ()
    featured: bool = False  # shown before anybody chooses
    # why it cannot be drawn exactly, in a sentence
    not_exact: str = "No exact sampler of it is known here, only one by floating-point numbers."
    # a call of a series may be paid by what comes out, as its `cost` tells
    pays_by_outcome: bool = False
    # fields that are always part of its streams' keys; see `Mechanism.stream_key`
    stream: tuple[str, ...] = ("k", "epsilon", "neighbors")

    @classmethod
    def minimal(cls, key: str, summary: str, group: Group = Group.ORDERED) -> "Card":
        """Return the card of an unregistered mechanism, such as a user's own, in a neutral style.

        ``key`` is the name of its class, and its name everywhere; ``summary`` is one sentence.
        """
        return cls(
            key=key,
            name=key,
            summary=summary,
            paper=_UNPUBLISHED,
            group=group,
            style=MINIMAL_STYLE,
            scale="guarantees that {users} change no odds by more than a factor of e",
            explanation=Explanation((summary, "", "", ""), "", "", "", ()),
        )

    def scale_words(self, amount: str) -> str:
        """Return the words on the scale of the noise, for a given amount in users."""
        return self.scale.format(users=amount)

    def takes(self, key: str) -> bool:
        """Return whether the mechanism has the parameter of this key."""
        return any(parameter.key == key for parameter in self.parameters)


@runtime_checkable
class ExplainsValue(Protocol):
    """Mechanism that explains the present value of a symbol on its card."""

    @property
    def at_present(self) -> str:
        """Value of the symbol at the present parameters, in a sentence or two."""
