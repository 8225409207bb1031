"""Check statements of the cited papers against numbers computed by this package.

Statements are in content/papers/statements.toml: each cites its source, repeats in plain words what
the source says, names the data and how they differ from those of the source, and what computes the
same here (`paper_checks`).  Only statements are listed whose wording was confirmed: in the papers'
text, in the authors' code, or where a module of this package cites the theorem.  The authors' code
is `dp_topk` in github.com/google-research/google-research.

Limits: examples and data sets are tried, so that "holds" means that nothing here contradicts the
statement; it proves no theorem.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

import pandas as pd

from dptopk.core import papers
from dptopk.core.counts import ItemCounts
from dptopk.core.papers import Citation, Paper
from dptopk.data import sources
from dptopk.data.sources import Source
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions import paper_checks
from dptopk.questions.paper_checks import RUNS, SEED, Medians, Values, medians
from dptopk.questions.runner import OnceEach, Runner, Task

_CONTENT = Path(__file__).parents[1] / "content" / "papers"
_ROUNDING = 0.5e-4  # of a number of a source: they have four digits after the point
_OF_RUNS = f"simulated, {RUNS} runs at each k, seed {SEED}"


class Verdict(Enum):
    """Outcome of the comparison of a statement with what is computed here."""

    HOLDS = "holds here"
    PARTLY = "holds in part"
    DIFFERS = "differs here"
    UNCHECKED = "cannot be checked here"


@dataclass(frozen=True)
class Link:
    """Link to a page with settings."""

    label: str
    page: str
    query: Mapping[str, str] = field(hash=False)

    @classmethod
    def to(cls, label: str, address: str) -> Self:
        """Return the link of an address such as "exact?small_k=2"."""
        page, _, query = address.partition("?")
        return cls(label, page, dict(parse_qsl(query)))

    @property
    def address(self) -> str:
        """Address relative to a page."""
        return f"{self.page}?{urlencode(self.query, safe=',')}" if self.query else self.page


@dataclass(frozen=True)
class SourceNumber:
    """A number of the source beside the one computed here.

    ``relation`` is what the source says of it: "=" (to four digits after the point), "≥" or "≤".
    """

    what: str
    relation: str
    said: float
    found: float

    @property
    def agrees(self) -> bool:
        """True if the number here is as the source says, but for rounding."""
        if self.relation == "=":
            return round(abs(self.found - self.said), 9) <= _ROUNDING
        above = self.found - self.said if self.relation == "≥" else self.said - self.found
        return above >= -1e-9


@dataclass(frozen=True)
class Result:
    """Result of the computation for a statement."""

    holds: bool  # True if nothing of it contradicts the statement
    words: str  # the result in one or two sentences
    computed: str = "exact"  # "exact", or how it was simulated
    compared: tuple[SourceNumber, ...] = ()  # numbers of the source beside ours, where it gives any
    in_part: bool = False  # True if most of it agrees with the statement, or one of its parts


@dataclass(frozen=True)
class Statement:
    """A statement of a source, as its file has it."""

    key: str
    paper: str  # its name in `core.papers`
    place: str
    says: str  # what the source says, in plain words
    data: str  # used here, and how they differ from those of the source
    on: tuple[str, ...] = ()  # data of the check: those of links, or counts
    # name of a function of `paper_checks`, of the medians of runs if there are measures, else of
    # the counts; empty if nothing here can settle it
    check: str = ""
    metrics: tuple[str, ...] = ()  # measures of the runs that the check is about
    mechanisms: tuple[str, ...] = ()  # those that are run or compared, by key
    found: str = ""  # the result in one or two sentences, with the values of the check by name
    computed: str = ""
    compared: tuple[tuple[str, str, float, str], ...] = ()
    figure: str = ""  # key of the figure that it is about
    links: tuple[Link, ...] = ()  # pages that show it
    why_not: str = ""
    why_differs: str = ""  # why the result is another than the source's, where it is

    @property
    def source(self) -> Citation:
        """Place in the paper."""
        return paper_of(self.paper).at(self.place)

    @property
    def counts(self) -> tuple[ItemCounts, ...]:
        """The counts that it is checked on."""
        return tuple(
            ItemCounts(list(map(int, name.split())))
            if name[0].isdigit()
            else source_of(name).counts
            for name in self.on
        )

    @property
    def kinds(self) -> list[type[Mechanism]]:
        """The mechanisms that are run or compared."""
        return [MECHANISMS[key] for key in self.mechanisms]

    def result(self, values: Values) -> Result:
        """Return the result that the values of the check say."""
        compared = tuple(
            SourceNumber(what, relation, printed, values[name])
            for what, relation, printed, name in self.compared
        )
        holds = bool(values.get("holds", True)) and all(one.agrees for one in compared)
        computed = self.computed or (_OF_RUNS if self.metrics else "exact")
        in_part = bool(values.get("in_part", False))
        return Result(holds, self.found.format_map(values), computed, compared, in_part)


def paper_of(name: str) -> Paper:
    """Return the paper of a name in `core.papers`."""
    paper: Paper = getattr(papers, name)
    return paper


@cache
def source_of(name: str) -> Source:
    """Return the data of a name in links, with their settings: "synthetic-zipf?d=100"."""
    choice, _, query = name.partition("?")
    given = dict(parse_qsl(query))
    values = {
        one.key: one.parse(given[one.key]) if one.key in given else one.default
        for one in sources.own_settings(choice)
    }
    return sources.source_of(choice, values)


@cache
def content(name: str) -> list[dict[str, Any]]:
    """Return the entries of a file in content/papers: "statement", "figure" or "original"."""
    text = (_CONTENT / f"{name}s.toml").read_text(encoding="utf-8")
    entries: list[dict[str, Any]] = tomllib.loads(text)[name]
    return entries


def _statement(entry: Mapping[str, Any]) -> Statement:
    links = tuple(Link.to(label, address) for label, address in entry["links"].items())
    lists = {key: tuple(entry.get(key, ())) for key in ("on", "metrics", "mechanisms")}
    compared = tuple(tuple(one) for one in entry.get("compared", ()))
    return Statement(**{**entry, **lists, "compared": compared, "links": links})


STATEMENTS = tuple(map(_statement, content("statement")))
"""All statements, those of one paper together."""


@dataclass(frozen=True)
class Checked:
    """A statement with its result, None if it cannot be checked."""

    statement: Statement
    found: Result | None

    @property
    def verdict(self) -> Verdict:
        """Outcome of the comparison."""
        if self.found is None:
            return Verdict.UNCHECKED
        if self.found.holds:
            return Verdict.HOLDS
        return Verdict.PARTLY if self.found.in_part else Verdict.DIFFERS

    @property
    def words(self) -> str:
        """Sentence on the result, or on why there is none."""
        if self.found is None:
            return self.statement.why_not or "The runs were stopped."
        why = "" if self.found.holds else self.statement.why_differs
        return f"{self.found.words} {why}".strip()


def check_statements(
    runner: Runner | None = None, statements: Sequence[Statement] = STATEMENTS
) -> list[Checked]:
    """Compute the results of statements, by default of all.

    Examples
    --------
    >>> from dptopk.questions.papers import STATEMENTS, check_statements
    >>> (four,) = check_statements(statements=STATEMENTS[:1])
    >>> four.verdict.value
    'holds here'
    """
    tasks = {key: task for one in statements for key, task in _tasks(one).items()}
    done = (runner or OnceEach()).each(tasks, "statements")

    def found(one: Statement) -> Result | None:
        if not one.check or not _tasks(one).keys() <= done.keys():  # they were stopped
            return None
        if not one.metrics:
            return one.result(done[one.check, one.on, *one.kinds])
        runs = (
            Medians(
                counts,
                {
                    metric: {kind: done[name, kind, metric] for kind in one.kinds}
                    for metric in one.metrics
                },
            )
            for name, counts in zip(one.on, one.counts, strict=True)
        )
        return one.result(getattr(paper_checks, one.check)(*runs))

    return [Checked(one, found(one)) for one in statements]


def _tasks(one: Statement) -> dict[tuple[Any, ...], Task]:
    """Return what is computed for a statement, by what it is: several need the same."""
    if one.check and not one.metrics:
        arguments = (*one.counts, *one.kinds)
        return {(one.check, one.on, *one.kinds): Task(getattr(paper_checks, one.check), arguments)}
    return {
        (name, kind, metric): Task(medians, (counts, kind, metric))
        for name, counts in zip(one.on, one.counts, strict=True)
        for kind in one.kinds
        for metric in one.metrics
    }


def statement_rows(checked: Sequence[Checked]) -> pd.DataFrame:
    """Tabulate statements, one row each."""
    return pd.DataFrame(
        {
            "source": one.statement.source.words,
            "the source says": one.statement.says,
            "result": one.verdict.value,
            "we get": one.words,
            "how": one.found.computed if one.found else "",
            "data": one.statement.data,
        }
        for one in checked
    )
