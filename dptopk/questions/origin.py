"""Origin of a figure or table: data, settings and method, as shown and downloaded with it.

One `Origin` goes with everything that can be taken away.  The line under a figure, the columns
of a CSV and the names of files are made from it, so that they cannot disagree.
"""

from __future__ import annotations

import datetime
import hashlib
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

import dptopk
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import compact
from dptopk.core.parameters import DELTA, Choice, Parameter
from dptopk.data.tables import Columns
from dptopk.mechanisms import Mechanism
from dptopk.questions.settings import NEIGHBORS, change, of_mechanisms

if TYPE_CHECKING:
    import pandas as pd

TRUE_COUNTS = "true counts, no noise"
"""Words on how the true counts are computed."""

_SYMBOLS = {"k": "k", "epsilon": "ε"}
_OF_PAPER = "paper"  # option of a setting: as in the paper of each mechanism that has it
_KNOWN = ("is_exact", "exact")  # columns that say whether a row is exact
_DATA_LENGTH = 32  # characters of the data's name in a file name


def versions() -> dict[str, str]:
    """Return the versions of packages that a seed's draws may depend on, by name."""
    return {
        "dptopk": dptopk.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def title_of_part(name: str) -> str:
    """Return the title of a table or figure from the name of its part of a page."""
    return name.replace("-", " ").capitalize()


@dataclass(frozen=True)
class Origin:
    """Data, settings and method of computation."""

    data: str  # what the counts are called; may be strangers' text
    counts: ItemCounts | None = field(repr=False)
    # that ran or were computed: their settings hold, as far as they agree
    mechanisms: Sequence[Mechanism]
    computed: str  # in a few words: "exact", "simulated"
    runs: int | None = None
    seed: int | None = None
    runs_are: str = "runs of each mechanism"  # to be read after their number
    # further settings by key, for the columns of a CSV; those of `_SYMBOLS` are said too
    more: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""  # what else a reader must know
    unit: str = ""  # what the counts are numbers of, where they matter
    answers: tuple[str, ...] = ()  # keys of settings that came out, such as a smallest ε
    settings_of: str = ""  # whose settings are named, where what is shown is more than that
    alone: str = ""  # caveats, where no page stands around it
    reading: str = ""  # how a figure is read, where no page stands around it
    protects: str = ""  # a single one of what a promise protects on the data, where that is no user

    def read_as(self, words: str) -> Origin:
        """Return this origin with a sentence on how to read the figure by itself."""
        return replace(self, reading=words)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings by key, as far as all mechanisms agree on them."""
        agreed = _agreed(self.mechanisms)
        return dict(self.more) | {k: v for k, v in agreed.items() if k not in self.answers}

    @property
    def words(self) -> str:
        """Settings, method and notes in one line, without the data."""
        return self._words(self.settings)

    @property
    def brief(self) -> str:
        """Line as `words`, without choices (such as a calibration) that are at their defaults."""
        return self._words(self._unusual)

    @property
    def _unusual(self) -> dict[str, Any]:
        """Settings without choices that are at their defaults."""
        choices: dict[str, Parameter] = of_mechanisms(self.mechanisms)
        choices |= {} if self.protects else {NEIGHBORS.key: NEIGHBORS}
        usual = {k: p.default for k, p in choices.items() if isinstance(p, Choice)}
        return {k: v for k, v in self.settings.items() if usual.get(k) != v}

    @property
    def given(self) -> str:
        """Settings and mechanisms in one line, without the data: nothing drawn or computed."""
        labels = dict.fromkeys(mechanism.label for mechanism in self.mechanisms)
        parts = (self._settings_words(self._unusual), ", ".join(labels))
        return " · ".join(part for part in parts if part)

    def _words(self, settings: Mapping[str, Any]) -> str:
        how = [self.computed] if self.computed else []
        how += [] if self.runs is None else [f"{self.runs:,} {self.runs_are}"]
        how += [] if self.seed is None else [f"seed {self.seed}"]
        whose = f"{self.settings_of}: " if self.settings_of else ""
        parts = [whose + self._settings_words(settings), ", ".join(how), self.note]
        return " · ".join(part for part in parts if part)

    def _settings_words(self, settings: Mapping[str, Any]) -> str:
        words = [
            f"{sign} = {compact(settings[key])}"
            for key, sign in _SYMBOLS.items()
            if key in settings
        ]
        words += [
            _words_of(parameter, settings[key], self.mechanisms)
            for key, parameter in of_mechanisms(self.mechanisms).items()
            if key in settings
        ]
        if NEIGHBORS.key in settings:
            words.append(change(settings[NEIGHBORS.key], self.protects))
        return ", ".join(words)

    @property
    def line(self) -> str:
        """Data, settings, method and reading in one line of plain text."""
        return " · ".join(part for part in (self.data, self.words, self._read_alone) if part)

    @property
    def stem(self) -> str:
        """Data and settings as part of a file name.

        It ends in a digest of all that the content follows from: Streamlit's addresses of large
        downloads hash the name, but only samples of the content.
        """
        name = re.sub(r"\W+", "-", self.data.lower()).strip("-")[:_DATA_LENGTH].strip("-")
        settings = self.settings
        parts = [name] if name else []
        parts += [f"k{settings['k']}"] if "k" in settings else []
        parts += [f"eps{settings['epsilon']:g}"] if "epsilon" in settings else []
        parts += [] if self.seed is None else [f"seed{self.seed}"]
        return "-".join([*parts, self._digest[:10]])

    @property
    def _read_alone(self) -> str:
        return f"{self.reading} {self.alone}".strip()

    @property
    def _notes(self) -> str:
        """Notes that a file needs when it is read by itself."""
        return " ".join(part for part in (self.note, self._read_alone) if part)

    @property
    def _digest(self) -> str:
        """SHA-256 of everything that determines the result."""
        streams = [mechanism.stream_key for mechanism in self.mechanisms]
        content = None if self.counts is None else self.counts.digest
        whole = (dptopk.__version__, content, streams, sorted(self.settings.items()), self.line)
        return hashlib.sha256(repr(whole).encode()).hexdigest()

    def about(self, title: str) -> dict[str, Any]:
        """Return everything known of a table or figure of this title, by key."""
        facts: dict[str, Any] = {"title": title, "data": self.data}
        facts |= {} if self.counts is None else {"data_sha256": self.counts.digest}
        facts |= {"counts_are": self.unit} if self.unit else {}
        facts |= {"settings": self.settings, "computed": self.computed}
        facts |= {} if self.runs is None else {"runs": self.runs, "runs_are": self.runs_are}
        facts |= {} if self.seed is None else {"seed": self.seed}
        facts |= {"note": self._notes} if self._notes else {}
        return facts | {"made_on": datetime.date.today().isoformat(), "versions": versions()}

    @overload
    def added_to(self, table: pd.DataFrame, title: str = "") -> pd.DataFrame: ...

    @overload
    def added_to(self, table: Columns, title: str = "") -> Columns: ...

    def added_to(self, table: pd.DataFrame | Columns, title: str = "") -> pd.DataFrame | Columns:
        """Return a table with the origin as columns, unless it has them already.

        Where rows name their mechanism, each has that mechanism's own settings; where all is of
        one mechanism, every row names it.
        """
        columns: dict[str, Any] = {"data": self.data}
        columns |= {"counts_are": self.unit} if self.unit else {}
        if "mechanism" in table:
            settings = {
                label: _agreed([m for m in self.mechanisms if m.label == label])
                for label in {mechanism.label for mechanism in self.mechanisms}
            }
            columns |= self.more
            given = [pair for m in self.mechanisms for pair in m.settings.items()]
            for key in dict.fromkeys(key for key, value in given if value is not None):
                none = 0.0 if key == DELTA.key else None  # who takes no δ promises without one
                columns[key] = [
                    settings[label].get(key, none) if label in settings else None
                    for label in table["mechanism"]
                ]
        else:
            labels = {mechanism.label for mechanism in self.mechanisms}
            if len(labels) == 1 and not self.settings_of:
                columns["mechanism"] = labels.pop()
            columns |= self.settings
        columns["computed"] = self.computed
        columns |= {} if self.runs is None else {"runs": self.runs}
        columns |= {} if self.seed is None else {"seed": self.seed}
        columns |= {"note": self._notes} if self._notes else {}
        columns |= {"title": title} if title else {}
        columns["made_on"] = datetime.date.today().isoformat()
        columns |= {f"{name}_version": versions()[name] for name in ("dptopk", "numpy")}
        if isinstance(table, Mapping):
            size = len(next(iter(table.values())))
            more = {key: v if isinstance(v, list) else [v] * size for key, v in columns.items()}
            return {**table, **{key: v for key, v in more.items() if key not in table}}
        columns |= _of_runs_only(table, columns)
        return table.assign(**{key: v for key, v in columns.items() if key not in table})


def as_marked(frame: pd.DataFrame, runs: int, seed: int, **how: Any) -> dict[str, Any]:
    """Return how rows are known that say whether they are exact: by no runs if all of them are."""
    if frame["is_exact"].all():
        return {"computed": "exact"}
    return {"computed": "exact or simulated, as marked", "runs": runs, "seed": seed, **how}


def _of_runs_only(frame: pd.DataFrame, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns that say how each row is known, with no runs and seed for exact rows."""
    import pandas as pd

    known = next((frame[name] for name in _KNOWN if name in frame), None)
    if known is None or known.dtype != bool:
        return {}
    marks: dict[str, Any] = {"computed": np.where(known, "exact", "simulated")}
    for name in ("runs", "seed"):
        if name in columns:
            marks[name] = pd.Series(columns[name], frame.index, "Int64").mask(known)
    return marks


def _agreed(mechanisms: Sequence[Mechanism]) -> dict[str, Any]:
    values: dict[str, set[Any]] = {}
    for mechanism in mechanisms:
        for key, value in mechanism.settings.items():
            if value is not None:
                values.setdefault(key, set()).add(value)
    return {key: next(iter(distinct)) for key, distinct in values.items() if len(distinct) == 1}


def _words_of(parameter: Parameter, value: Any, mechanisms: Sequence[Mechanism]) -> str:
    """Return one of the mechanisms' own settings in words; for their papers, name the theorems."""
    label = parameter.label.partition(",")[0]
    label = label[0].lower() + label[1:]
    if value == _OF_PAPER:
        sources = {m.name: m.card.paper.words for m in mechanisms if parameter in m.card.parameters}
        named = [f"{words} for {name}" for name, words in sources.items()]
        return f"{label} by {' and '.join(named if len(named) > 1 else sources.values())}"
    if isinstance(parameter, Choice):
        return f"{label} {parameter.options[value]}"
    written = compact(value) if isinstance(value, float) else parameter.text(value)
    return f"{label} = {written}"
