"""Description of a mechanism for users: names, explanations, parameters and plotting style.

Controls, help, figures, snippets, the README's table and the tests read it, so that a new
mechanism is one module and one line in the registry.
"""

import enum
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

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
    """Plotting style of a mechanism: color, and dash, marker and hatch that do without it.

    Parameters
    ----------
    color : str
        As #rrggbb.
    dash, marker, hatch : str
        Plotly's names of a line's dash, a marker's symbol and a bar's pattern.
    """

    color: str
    dash: str
    marker: str
    hatch: str


@dataclass(frozen=True)
class Example:
    """Small counts that illustrate when to use a mechanism.

    Parameters
    ----------
    counts : tuple of int
        The counts.
    k : int
        How many items are released.
    shows : str
        What is seen there, in a sentence.
    """

    counts: tuple[int, ...]
    k: int
    shows: str


@dataclass(frozen=True)
class Explanation:
    """Explanation of a mechanism for students, in whole sentences.

    Parameters
    ----------
    does : tuple of four str
        How it chooses, a sentence each.
    promise : str
        Why it keeps its promise: the theorem in words.
    good_for, not_for : str
        When to use it, and when not.
    sources : tuple of Citation
        The theorems and algorithms that these sentences rest on.
    example : Example, optional
        Where the advice can be seen.
    """

    does: tuple[str, str, str, str]
    promise: str
    good_for: str
    not_for: str
    sources: tuple[Citation, ...]
    example: Example | None = None


@dataclass(frozen=True)
class Card:
    """Description of a mechanism for users.

    Parameters
    ----------
    key : str
        Stable name, the class's own: in links, and as the start of its random streams.
    name : str
        What the literature calls it.
    summary : str
        One sentence on what it does, beginning with the name.
    paper : Citation
        Where it comes from.
    group : Group
        What it needs and gives.
    style : Style
        How it is drawn.
    scale : str
        What a difference of {users} in a count means to it, to be read after its name.
    explanation : Explanation
        What its own page says of it.
    gaps : Gaps
        Which gaps its choice hangs on.
    parameters : tuple of Parameter
        What it takes beyond k, epsilon and neighbours: names of its dataclass fields.
    featured : bool
        Whether it is among those shown before anybody chooses.
    not_exact : str
        Why it cannot be drawn exactly, in a sentence; for those without an exact sampler.
    pays_by_outcome : bool
        Whether a call of a series may be paid by what comes out: its `cost` tells how.
    stream : tuple of str
        Fields that are always part of its streams' keys; see `Mechanism.stream_key`.
    """

    key: str
    name: str
    summary: str
    paper: Citation
    group: Group
    style: Style
    scale: str
    explanation: Explanation
    gaps: Gaps = Gaps.ALL
    parameters: tuple[Parameter, ...] = ()
    featured: bool = False
    not_exact: str = "No exact sampler of it is known here, only one by floating-point numbers."
    pays_by_outcome: bool = False
    stream: tuple[str, ...] = ("k", "epsilon", "neighbors")

    @classmethod
    def minimal(cls, key: str, summary: str, group: Group = Group.ORDERED) -> "Card":
        """Return the card of an unregistered mechanism, such as a user's own.

        Parameters
        ----------
        key : str
            The name of its class: its name everywhere, and the start of its random streams.
        summary : str
            One sentence on what it does.
        group : Group
            What it needs and gives.

        Returns
        -------
        Card
            With a neutral style, and nothing told to students.
        """
        return cls(
            key=key,
            name=key,
            summary=summary,
            paper=_UNPUBLISHED,
            group=group,
            style=Style("#5D6D7E", "solid", "circle-open", ""),
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
