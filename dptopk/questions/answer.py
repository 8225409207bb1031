"""What an answer holds, and who is told how much of it is done."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dptopk.origin import Origin

Progress = Callable[[float], object]
"""Called with the share done, in (0, 1]."""

Own = Mapping[str, Any]
"""The settings of a question by key, beside those of a view."""


@dataclass(frozen=True)
class Answer:
    """A table of numbers, and what it comes from.

    Attributes
    ----------
    name, title : str
        What the table is called in names of files, and what people are told it is.
    frame : pandas.DataFrame
        Its numbers, without what ``origin`` says of all of them.
    origin : Origin
        Data, settings and way of computing.
    shown : tuple of str
        The columns that a person looks at first.
    written : mapping
        Cells of some columns as people read them, where more is to be said than a number.
    notes : tuple of str
        What else must be known, such as who was left out; may quote strangers' text.
    """

    name: str
    title: str
    frame: pd.DataFrame
    origin: Origin
    shown: tuple[str, ...]
    notes: tuple[str, ...] = ()
    written: Mapping[str, Sequence[str]] = field(default_factory=dict)
