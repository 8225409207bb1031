"""Ledger of releases under one total privacy guarantee, in an SQLite file.

One SQLite file.  A release is entered, which spends its price, before anything is drawn: the entry
is committed and on the disk (synchronous=EXTRA, which also waits for the folder), so that whatever
ends the process later, or the power, the budget is spent.  Check and entry are one transaction that
locks the file first (BEGIN IMMEDIATE), so that two processes cannot both take the last of it.

What may be entered is decided by a privacy filter (`accounting.filters`): each release may be
chosen after seeing those before it, its ε too.

The file holds settings, promises and prices, and of the counts a SHA-256 that is salted with a
secret of the file; never the counts.  Triggers refuse to change or delete entries, so that
none goes by mistake; annotations give no charge back.  Whoever can write the file can get around
them, as by REPLACE, or replace the file, and a copy of it is a second budget: see SECURITY.md.
"""

import datetime
import decimal
import hashlib
import hmac
import json
import math
import os
import re
import secrets
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from dptopk.accounting.filters import Filter, Price, in_units, prices
from dptopk.core import validation
from dptopk.core.application import version
from dptopk.core.cancellation import Progress, no_progress, pause
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import as_typed, compact, float_at_most, plural, rounded_down, stated
from dptopk.core.privacy import Guarantee, NeighborRelation, RangeCost
from dptopk.mechanisms.base import Mechanism, check_mechanism

LONGEST = 500
"""Most characters of a population's name, of a title and of an annotation."""

MOST_PLANNED = 100_000
"""Most releases that a plan is made for."""

_APPLICATION_ID = 0x64707431  # "dpt1"
_SCHEMA_VERSION = 2  # 1 has no annotations
_PATIENCE = 30.0  # seconds that another process may hold the file
_NOTHING = Price()
_DIGITS = 4  # of the largest ε that is told
_THREE_DIGITS = decimal.Context(3, decimal.ROUND_FLOOR)  # of the largest δ
_Total = tuple[str, NeighborRelation, Filter, str, str]  # attributes of an `Account`, in order
_ENTRY = "number, entered, title, settings, promise, epsilon, delta, rho, counts, version"


def _append_only(table: str, columns: str) -> tuple[str, ...]:
    return (
        f"CREATE TABLE {table} (\n    {columns})",
        *(
            f"""CREATE TRIGGER {table}_{what} BEFORE {what} ON {table}
    BEGIN SELECT RAISE(ABORT, 'a ledger is only added to'); END"""
            for what in ("update", "delete")
        ),
    )


_FIRST_SCHEMA = (
    *_append_only(
        "ledger",
        """id INTEGER PRIMARY KEY CHECK (id = 1),
    protects TEXT NOT NULL, neighbors TEXT NOT NULL,
    epsilon TEXT NOT NULL, delta TEXT NOT NULL, series_delta TEXT NOT NULL, rho TEXT NOT NULL,
    secret BLOB NOT NULL, created TEXT NOT NULL, version TEXT NOT NULL""",
    ),
    *_append_only(
        "entry",
        """number INTEGER PRIMARY KEY,
    entered TEXT NOT NULL, title TEXT NOT NULL, settings TEXT NOT NULL, promise TEXT NOT NULL,
    epsilon TEXT NOT NULL, delta TEXT NOT NULL, rho TEXT NOT NULL,
    counts TEXT NOT NULL, version TEXT NOT NULL""",
    ),
)
_ANNOTATIONS = _append_only(
    "annotation",
    """id INTEGER PRIMARY KEY, number INTEGER NOT NULL,
    entered TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, author TEXT NOT NULL""",
)


class LedgerError(ValueError):
    """The file is not a usable ledger, or a release does not match it."""


class OverspentError(LedgerError):
    """A release was refused because it would cost more than is left; nothing was spent."""


@dataclass(frozen=True)
class Annotation:
    """Statement about a release, made when it was entered or later."""

    entered: str  # in UTC, by ISO 8601
    kind: str  # why the release was made, or anything added since
    text: str  # in the author's words; a purpose may be empty, where only the author was given
    author: str  # empty if not given

    @property
    def words(self) -> str:
        """The statement with its author, if there is one, and its day."""
        by = ", ".join(filter(None, (self.author, self.entered[:10])))
        return f"{self.text} ({by})"


@dataclass(frozen=True)
class Entry:
    """Entry of a charged release, whether or not its output was drawn."""

    number: int  # its place in the ledger, from 1 on
    entered: str  # in UTC, by ISO 8601
    title: str  # name of the counts
    # the mechanism by the key of its card, under "mechanism", and its fields
    settings: dict[str, Any]
    promise: str  # the guarantee of this release alone, in words
    price: Price
    counts: str  # HMAC-SHA-256 of the digest of the counts, under the secret of the file
    version: str  # the dptopk that entered it
    annotations: tuple[Annotation, ...] = ()

    @property
    def purpose(self) -> str:
        """Reason for the release; empty if none was given."""
        return next((one.text for one in self.annotations if one.kind == _PURPOSE), "")

    @property
    def author(self) -> str:
        """Name of the person who entered it; empty if none was given."""
        return next((one.author for one in self.annotations if one.kind == _PURPOSE), "")

    @property
    def notes(self) -> str:
        """Annotations that were added since, each with its author and day."""
        return "; ".join(one.words for one in self.annotations if one.kind != _PURPOSE)


@dataclass(frozen=True)
class Left:
    """Remaining budget, rounded down; a release is admitted by ``epsilon`` or by ``rho``."""

    epsilon: float  # where epsilons are added up
    rho: float  # zCDP of a series of small releases
    delta: float  # for releases that have a δ of their own


@dataclass(frozen=True)
class Planned:
    """Planned release: whether it would be admitted, and what would be left after it."""

    number: int
    admitted: bool
    price: Price
    left: Left


class Account(ABC):
    """A total, and the releases that were paid from it; attributes as of `Ledger`."""

    def __init__(self, total: _Total):
        self.protects, self.neighbors, self.filter, self.created, self.version = total

    @abstractmethod
    def _read(self) -> tuple[tuple[Entry, ...], Price]:
        """Return all entries, and their price together."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every release that was entered, the first first."""
        return self._read()[0]

    @property
    def _spent(self) -> Price:
        return self._read()[1]

    @property
    def epsilon(self) -> float:
        """ε of all releases together, natural-log units."""
        return float(self.filter.epsilon)

    @property
    def delta(self) -> float:
        """δ of all releases together."""
        return float(self.filter.delta)

    @property
    def promise(self) -> str:
        """Guarantee of all releases together, in words."""
        total = Guarantee(self.epsilon, self.delta, self.neighbors, fixed_items=False)
        return f"Protects: {self.protects}. Guarantee of all releases together: {total.statement}"

    @property
    def left(self) -> Left:
        """Remaining budget, read from the file."""
        return self._left(self._spent)

    def _left(self, spent: Price) -> Left:
        left = self.filter.left(spent)
        return Left(*map(float_at_most, (left.epsilon, left.rho, left.delta)))

    def check(self, mechanism: Mechanism) -> None:
        """Raise if a mechanism has another neighboring relation than the ledger."""
        theirs = check_mechanism("mechanism", mechanism).guarantee.neighbors
        if theirs is not self.neighbors:
            raise LedgerError(
                f"neighbors of the mechanism must be {self.neighbors.value!r}, as the ledger "
                f"promises, got {theirs.value!r}"
            )

    def price(self, mechanism: Mechanism) -> Price | None:
        """Return what a release would spend now; None if too little is left."""
        self.check(mechanism)
        return self.filter.admitted(self._spent, prices(mechanism.cost, mechanism.guarantee))

    def refusal(self, mechanism: Mechanism) -> str:
        """Return why a release would be refused now; empty if it would be entered."""
        if self.price(mechanism) is not None:
            return ""
        left, price = self.left, prices(mechanism.cost, mechanism.guarantee)[-1]
        sentence = (
            f"the ledger has too little left: this release costs {price_words(price)}, and "
            f"{left_words(left)}"
        )
        if not (left.epsilon or left.rho):
            return (
                f"{sentence}: its budget is used up, so no further release about these people "
                "fits, by any mechanism"
            )
        largest = self.largest_epsilon(mechanism)
        if largest:
            return f"{sentence}; the largest ε of {mechanism.label} that still fits is {largest:g}"
        return f"{sentence}; {self.shortage(mechanism)}"

    def plan(self, mechanism: Mechanism, releases: int) -> tuple[Planned, ...]:
        """Plan a series of up to `MOST_PLANNED` releases of one mechanism without charging them.

        Says of each whether it would be admitted, and what would be left after it.
        """
        self.check(mechanism)
        releases = validation.integer("releases", releases, 1, MOST_PLANNED)
        spent = self._spent
        offered = prices(mechanism.cost, mechanism.guarantee)
        planned = []
        for number in range(1, releases + 1):
            pause()
            price = self.filter.admitted(spent, offered)
            spent = spent if price is None else spent + price
            planned.append(
                Planned(number, price is not None, price or offered[0], self._left(spent))
            )
        return tuple(planned)

    def how_many(self, mechanism: Mechanism) -> int:
        """Return how many releases of a mechanism still fit, at most `MOST_PLANNED`."""
        self.check(mechanism)
        offered = prices(mechanism.cost, mechanism.guarantee)
        return min(self.filter.how_many(self._spent, offered), MOST_PLANNED)

    def largest_epsilon(self, mechanism: Mechanism, releases: int = 1) -> float:
        """Return the largest ε of each of several releases that the remaining budget allows.

        The mechanism's own ε is ignored.  In four digits, and never too large; 0 where none fits:
        `shortage` says why.
        """
        self.check(mechanism)
        releases = validation.integer("releases", releases, 1, MOST_PLANNED)
        spent = self._spent

        def fits(epsilon: float) -> bool:
            pause()
            tried = mechanism.replaced(epsilon=epsilon)
            return self.filter.how_many(spent, prices(tried.cost, tried.guarantee)) >= releases

        low, high = validation.MIN_EPSILON, float(self.filter.epsilon)
        if high < low or not fits(low):
            return 0.0
        most = validation.MAX_EPSILON
        while high < most and fits(high):  # by ρ a release may fit with a larger ε than the total
            low, high = high, min(2 * high, most)
        while high / low > 1 + 10.0 ** -(_DIGITS + 1):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if fits(middle) else (low, middle)
        near = float(f"{high:.{_DIGITS}g}")  # the limit itself, where that has so few digits
        return near if fits(near) else rounded_down(low, _DIGITS)

    def shortage(self, mechanism: Mechanism, releases: int = 1) -> str:
        """Return why so many releases would not fit at any ε; empty if they would at a small one.

        Parameters are those of `largest_epsilon`.  It names which of δ and ε leaves no room, and
        the largest δ that would fit.
        """
        if self.largest_epsilon(mechanism, releases):
            return ""
        delta = min(price.delta for price in prices(mechanism.cost, mechanism.guarantee))
        left = self.filter.left(self._spent).delta
        if delta * releases <= left:
            return f"no ε of {mechanism.label} is small enough"
        reason = f"at any ε, δ = {compact(float(delta))} is too large"
        if releases > 1:
            reason += f" for {releases:,} releases, {compact(float(delta * releases))} together"
        if not left:
            reason += ": no δ is left for releases that have one"
        else:
            each = " each" if releases > 1 else ""
            share = left / releases
            most = _THREE_DIGITS.divide(Decimal(share.numerator), Decimal(share.denominator))
            reason += (
                f": δ = {compact(float_at_most(left))} is left for releases that have one, so at "
                f"most {compact(float(most))}{each} fits"
            )
        if self.filter.series_delta:
            reason += (
                f" ({compact(float(self.filter.series_delta))} of the ledger's "
                f"{compact(self.delta)} is set aside for adding up zCDP)"
            )
        return reason


class Ledger(Account):
    """Privacy budget in a file, with the releases that were paid from it.

    Made by `Ledger.create` and `Ledger.open`.

    Attributes
    ----------
    path : Path
        The file.
    protects : str
        Whom it promises something, in the words of who made it.
    neighbors : NeighborRelation
        The change of the data that every release has to protect.
    filter : Filter
        The total, and the rule by which releases are admitted.
    created, version : str
        When it was made, by which dptopk.

    Examples
    --------
    >>> import tempfile
    >>> from dptopk import Joint, Ledger
    >>> folder = tempfile.TemporaryDirectory()
    >>> ledger = Ledger.create(f"{folder.name}/budget.sqlite", 2, 1e-6, "one patient joins")
    >>> ledger.left.epsilon
    2.0
    >>> [release.left.epsilon for release in ledger.plan(Joint(10, 0.5), 3)]
    [1.5, 1.0, 0.5]
    >>> folder.cleanup()
    """

    def __init__(self, path: Path):
        self.path = path
        self._seen: tuple[list[tuple[Any, ...]], tuple[Entry, ...], Price] = ([], (), _NOTHING)
        with self._file() as connection:
            self._total, self._secret = _total_of(connection, str(path))
        super().__init__(self._total)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        epsilon: float,
        delta: float,
        protects: str,
        *,
        neighbors: NeighborRelation | str = NeighborRelation.ADD_REMOVE,
        series_delta: float | None = None,
    ) -> "Ledger":
        """Create a ledger as a new file.

        Parameters
        ----------
        path : path-like
            Where; the folder is there.
        epsilon : float
            ε of all releases together, natural-log units, in [1e-9, 1e12].
        delta : float
            δ of all releases together, in [0, 1).
        protects : str
            Whom it promises something, in words: "one patient joins or leaves".
        neighbors : NeighborRelation, optional
            The change of the data that every release has to protect.
        series_delta : float, optional
            How much of δ is set aside for adding up small releases as zCDP; by default half.  The
            rest is for releases that have a δ of their own.

        Raises
        ------
        LedgerError
            If there is such a file already, or it cannot be made.
        """
        epsilon = validation.epsilon("epsilon", epsilon)
        delta = validation.probability("delta", delta)
        protects = one_line("protects", protects)
        neighbors = validation.member("neighbors", neighbors, NeighborRelation)
        series = as_typed(delta) / 2
        if series_delta is not None:
            series = as_typed(validation.within("series_delta", series_delta, 0.0, delta))
        total = Filter.of(as_typed(epsilon), as_typed(delta), series)
        row = (1, protects, neighbors.value, *(str(getattr(total, name)) for name in _FILTER))
        made = (secrets.token_bytes(32), _now(), version())
        file = Path(path).absolute()
        part = file.with_name(f".{file.name[:100]}.{os.getpid()}.part")
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            try:
                with closing(_connected(part)) as connection, _transaction(connection):
                    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                    connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
                    for statement in (*_FIRST_SCHEMA, *_ANNOTATIONS):
                        connection.execute(statement)
                    marks = ", ".join("?" * len((*row, *made)))
                    connection.execute(f"INSERT INTO ledger VALUES ({marks})", (*row, *made))
                os.link(part, file)  # takes the place of nothing
            finally:
                part.unlink(missing_ok=True)
            _sync_folder(file.parent)
        except FileExistsError as error:
            raise LedgerError(
                f"{path} already exists: a ledger is created once, and then opened"
            ) from error
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or error
            raise LedgerError(f"{path} cannot be created: {why}") from error
        return cls(file)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Ledger":
        """Open the ledger of a file.

        Raises
        ------
        LedgerError
            If there is none, or the file is none that this dptopk reads.
        """
        return cls(Path(path).absolute())

    def enter(
        self,
        counts: ItemCounts,
        mechanism: Mechanism,
        title: str = "",
        *,
        purpose: str = "",
        author: str = "",
    ) -> Entry:
        """Spend the price of a release; when this returns, it is spent for good.

        Parameters
        ----------
        counts : ItemCounts
            The data; a salted SHA-256 of them is kept.
        mechanism : Mechanism
            What is released, with all its settings.
        title, purpose, author : str, optional
            What the counts are called, why they are released, and who enters this: at most
            `LONGEST` characters each.

        Raises
        ------
        OverspentError
            If too little is left; the message says how much, and the largest ε that still fits.
        LedgerError
            If the mechanism protects another change of the data, or the file cannot be written.
        """
        self.check(mechanism)
        title = one_line("title", title, empty=True)
        annotations = tuple(
            one_line(name, words, empty=True)
            for name, words in (("purpose", purpose), ("author", author))
        )
        known = self.fingerprint(counts)
        whole = {"mechanism": mechanism.card.key} | mechanism.settings
        settings = json.dumps(whole, ensure_ascii=False, sort_keys=True)
        promise = mechanism.guarantee.statement
        offered = prices(mechanism.cost, mechanism.guarantee)
        with self._file() as connection, _transaction(connection):
            before, spent = self._looked(connection)
            price = self.filter.admitted(spent, offered)
            if price is not None:
                values = (
                    *(_now(), title, settings, promise),
                    *(str(price.epsilon), str(price.delta), str(price.rho)),
                    *(known, version()),
                )
                marks = ", ".join("?" * len(values))
                cursor = connection.execute(
                    f"INSERT INTO entry ({_ENTRY}) VALUES (NULL, {marks})", values
                )
                if any(annotations):
                    _annotate(connection, cursor.lastrowid, _PURPOSE, *annotations)
                after, total = self._looked(connection)
                if after[:-1] != before or total != spent + price:
                    raise LedgerError(
                        f"{self.path} does not keep releases as they are entered: something in "
                        "the file, such as a trigger, changes them; nothing was charged"
                    )
        if price is None:
            raise OverspentError(self.refusal(mechanism))
        return after[-1]

    def annotate(self, number: int, text: str, author: str = "") -> Entry:
        """Add a statement to a release, such as "withdrawn: wrong data"; its charge stays.

        Parameters
        ----------
        number : int
            That of the release in the ledger, from 1 on.
        text, author : str
            What is said, and by whom: at most `LONGEST` characters each.

        Raises
        ------
        LedgerError
            If there is no such release, or the file cannot be written.
        """
        number = validation.integer("number", number, low=1)
        text, author = one_line("text", text), one_line("author", author, empty=True)
        with self._file() as connection, _transaction(connection):
            there = [one.number for one in self._looked(connection)[0]]
            if number not in there:
                have = f"its last one is {there[-1]}" if there else "nothing was released from it"
                raise LedgerError(f"{self.path} has no release {number}: {have}")
            _annotate(connection, number, "note", text, author)
        return next(one for one in self.entries if one.number == number)

    def fingerprint(self, counts: ItemCounts) -> str:
        """Return the HMAC-SHA-256 of counts under the secret of the file, in hexadecimal."""
        return hmac.new(self._secret, counts.digest.encode(), hashlib.sha256).hexdigest()

    # --- the file -------------------------------------------------------------------------

    def _read(self) -> tuple[tuple[Entry, ...], Price]:
        with self._file() as connection:
            return self._looked(connection)

    def _looked(self, connection: sqlite3.Connection) -> tuple[tuple[Entry, ...], Price]:
        """Return all entries and their price; of those seen before nothing is made anew.

        Raises for a file that is another than the one that was opened: it has another total.
        """
        if _total_of(connection, str(self.path)) != (self._total, self._secret):
            raise LedgerError(
                f"{self.path} is no longer the ledger that was opened: another took its place, or "
                "its total was changed; open it anew"
            )
        rows = _rows(connection)
        known, entries, spent = self._seen
        if rows[: len(known)] != known:  # an entry was annotated, or the file was replaced
            known, entries, spent = [], (), _NOTHING
        new = tuple(_entry(row, str(self.path)) for row in rows[len(known) :])
        entries, spent = entries + new, _total(new, spent)
        self._seen = rows, entries, spent
        return entries, spent

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        try:
            with self.path.open("rb") as file:
                begins = file.read(16)
        except OSError as error:
            why = (
                f"there is no such file; {_MADE_BY}"
                if isinstance(error, FileNotFoundError)
                else error.strerror
            )
            raise LedgerError(f"{self.path} cannot be opened: {why}") from error
        if begins != b"SQLite format 3\0":
            raise LedgerError(f"{self.path} is not a ledger: {_MADE_BY}")
        try:
            with closing(_connected(self.path)) as connection:
                connection.row_factory = sqlite3.Row
                _check_identity(connection, str(self.path))
                yield connection
        except sqlite3.Error as error:
            raise LedgerError(f"{self.path} cannot be used: {error}") from error


_PURPOSE = "purpose"
_MADE_BY = "dptopk ledger create, or Ledger.create in Python, makes a new one"
_FILTER = ("epsilon", "delta", "series_delta", "rho")


MOST_BYTES = 16 * 2**20
"""Largest copy of a ledger that is read."""

MOST_ENTRIES = 50_000
"""Most releases and annotations of a copy."""

_READ_ALONE = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA)


class LedgerCopy(Account):
    """A ledger as it stood in a copy of its file, without the file and its secret."""

    def __init__(self, total: _Total, entries: tuple[Entry, ...]):
        super().__init__(total)
        # added up where the file is read, and not where it is shown
        self._content = entries, _total(entries)

    def _read(self) -> tuple[tuple[Entry, ...], Price]:
        return self._content


def read_ledger(content: bytes, progress: Progress = no_progress) -> LedgerCopy:
    """Read an uploaded ledger, of at most `MOST_BYTES`, into a read-only copy.

    The file is trusted in nothing: it is read in memory, within limits, by statements that only
    read, and only if its tables are those that `Ledger.create` makes.
    """
    name = "the file"
    if len(content) > MOST_BYTES:
        raise LedgerError(f"{name} is larger than {MOST_BYTES // 2**20} MB")
    if not content.startswith(b"SQLite format 3\0"):
        raise LedgerError(f"{name} is not a ledger")
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            for limit, most in _LIMITS.items():
                connection.setlimit(limit, most)
            connection.deserialize(content)
            for setting in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
                connection.execute(f"PRAGMA {setting}")
            connection.set_authorizer(
                lambda action, *_: (
                    sqlite3.SQLITE_OK if action in _READ_ALONE else sqlite3.SQLITE_DENY
                )
            )
            connection.row_factory = sqlite3.Row
            _check_identity(connection, name)
            made = {row["sql"] for row in connection.execute("SELECT sql FROM sqlite_master")}
            annotated = _ANNOTATIONS if _version_of(connection) > 1 else ()
            if made != {*_FIRST_SCHEMA, *annotated}:
                raise LedgerError(f"{name} has tables that a ledger does not have")
            total, _ = _total_of(connection, name)
            rows = _rows(connection)
            if len(rows) + sum(len(row[-1]) for row in rows) > MOST_ENTRIES:
                raise LedgerError(f"{name} has more than {MOST_ENTRIES:,} releases and annotations")
            copy = LedgerCopy(total, tuple(_entry(row, name) for row in rows))
            progress(1.0)
            return copy
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise LedgerError(f"{name} cannot be read: it is damaged") from error


_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}


def _check_identity(connection: sqlite3.Connection, name: str) -> None:
    """Raise for an SQLite file that is not a ledger, or of another version."""
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise LedgerError(f"{name} is an SQLite file, and not a ledger")
    schema = _version_of(connection)
    if not 1 <= schema <= _SCHEMA_VERSION:
        raise LedgerError(
            f"{name} is a ledger of version {schema}, and this dptopk reads version 1 to "
            f"{_SCHEMA_VERSION}"
        )


def _version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _total_of(connection: sqlite3.Connection, name: str) -> tuple[_Total, bytes]:
    """Return what an `Account` has beside its entries, and the secret of the file."""
    row = connection.execute("SELECT * FROM ledger").fetchone()
    if row is None:
        raise LedgerError(f"{name} is damaged: it holds no total")
    try:
        epsilon, delta, rho = (_number(row[one], math.floor) for one in ("epsilon", "delta", "rho"))
        series = min(_number(row["series_delta"]), delta)  # rounded up: the rest of δ is not
        validation.epsilon("epsilon", float(epsilon))
        validation.probability("delta", float(delta))
        total = (
            *(_text(row["protects"]), NeighborRelation(row["neighbors"])),
            *(Filter(epsilon, delta, series, rho), _text(row["created"]), _text(row["version"])),
        )
        return total, bytes(row["secret"])
    except (TypeError, ValueError, ArithmeticError) as error:
        raise LedgerError(f"{name} is damaged: its total cannot be read") from error


def _rows(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
    annotations: dict[int, list[tuple[Any, ...]]] = {}
    if _version_of(connection) > 1:
        for number, *one in connection.execute(
            "SELECT number, entered, kind, text, author FROM annotation ORDER BY id"
        ):
            annotations.setdefault(number, []).append(tuple(one))
    rows = connection.execute(f"SELECT {_ENTRY} FROM entry ORDER BY number")
    return [(*row, annotations.get(row[0], [])) for row in rows]


def _entry(row: tuple[Any, ...], name: str) -> Entry:
    number, entered, title, settings, promise, *price, counts, made_by, annotations_read = row
    try:
        parsed = json.loads(_text(settings))
        if not all(isinstance(value, str | float | int | None) for value in parsed.values()):
            raise TypeError("settings are no object of plain values")
        entered, title, promise, counts, made_by = map(
            _text, (entered, title, promise, counts, made_by)
        )
        spent = Price(*map(_number, price))
        annotations = tuple(Annotation(*map(_text, one)) for one in annotations_read)
    except (AttributeError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise LedgerError(f"{name} is damaged: entry {number} cannot be read") from error
    return Entry(number, entered, title, parsed, promise, spent, counts, made_by, annotations)


def _annotate(
    connection: sqlite3.Connection, number: int | None, kind: str, text: str, author: str
) -> None:
    if _version_of(connection) < _SCHEMA_VERSION:
        for statement in _ANNOTATIONS:
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
    connection.execute(
        "INSERT INTO annotation (number, entered, kind, text, author) VALUES (?, ?, ?, ?, ?)",
        (number, _now(), kind, text, author),
    )


def price_words(price: Price) -> str:
    """Format a price: its ε, its δ if it has one, and its zCDP."""
    delta = f", δ = {stated(float(price.delta))}" if price.delta else ""
    return f"ε = {stated(float(price.epsilon))}{delta} (ρ = {_short(price.rho)} of zCDP)"


def price_note(mechanism: Mechanism, price: Price) -> str:
    """Return why a price is not the (ε, δ) of the release alone; empty if it is."""
    promised = mechanism.guarantee
    stated_price = (in_units(as_typed(number)) for number in (promised.epsilon, promised.delta))
    if (price.epsilon, price.delta) == tuple(stated_price):
        return ""
    cost = mechanism.cost
    counted = f"its {plural(cost.rounds, 'round')}" if isinstance(cost, RangeCost) else "its parts"
    delta = f" with δ = {stated(promised.delta)}" if promised.delta else ""
    without = ", which need no δ of their own" if promised.delta and not price.delta else ""
    return (
        f"ε = {stated(promised.epsilon)}{delta} is the guarantee of this release on its own; the "
        f"ledger counts {counted} one by one{without}."
    )


def rule_words(total: Filter) -> str:
    """Return how releases are added up under a total, in a sentence; empty if as ε alone."""
    if not total.rho:
        return ""
    return (
        "A release is admitted as long as the ε of all releases add up to at most "
        f"{compact(float(total.epsilon))}, or their ρ to at most {_short(total.rho)}. ρ is a "
        "release's cost in zero-concentrated differential privacy (zCDP), at most ε²/2; it admits "
        "more small releases than ε does."
    )


def left_words(left: Left, total: Filter | None = None) -> str:
    """Format the remaining budget: ε, zCDP of a series, and δ; ``total`` is that of the ledger.

    Rounded down: what is said to be left can be spent.
    """
    epsilon, delta = (compact(rounded_down(one, 6)) for one in (left.epsilon, left.delta))
    rho = _short(rounded_down(left.rho))
    if left.epsilon:
        words = f"ε = {epsilon} is left"
        words += f", or ρ = {rho} of zCDP" if left.rho else ""
    elif left.rho:
        words = f"the sum of ε has reached its limit, and ρ = {rho} of zCDP is left"
    else:
        return "nothing is left"
    if left.delta:
        words += f"{',' if left.rho else ''} and δ = {delta} for releases with a δ"
    if total is not None and total.rho and not left.rho:
        words += f"; ρ = {_short(total.rho)} is used up, so from now on only ε is added up"
    return words


def _short(value: Fraction | float) -> str:
    return f"{float(value):.3g}"


def _connected(path: Path) -> sqlite3.Connection:
    """Open a file that is there, so that what is committed stays, whatever fails."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, timeout=_PATIENCE, isolation_level=None
    )
    for setting in ("journal_mode = DELETE", "synchronous = EXTRA", "fullfsync = ON"):
        connection.execute(f"PRAGMA {setting}")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Lock the file, and commit at the end; nothing is kept if anything fails."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk ends it by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _sync_folder(folder: Path) -> None:
    """Wait until the name of a new file is on the disk; only POSIX opens folders."""
    if os.name == "posix":
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def _total(entries: Iterable[Entry], before: Price = _NOTHING) -> Price:
    return sum((entry.price for entry in entries), before)


_NUMBER = re.compile(r"\d{1,400}(/\d{1,400})?", re.ASCII)
_MOST = 10**40  # of any ε, δ and ρ
_MOST_TEXT = 2_000  # characters of a text, and of settings


@lru_cache(maxsize=4096)
def _number(text: object, rounding: Callable[[Fraction], int] = math.ceil) -> Fraction:
    """Read a fraction, as `str` writes it, in whole units; other text is not looked into."""
    if not (isinstance(text, str) and _NUMBER.fullmatch(text)):
        raise TypeError("a number is none")
    number = in_units(Fraction(text), rounding)
    if number > _MOST:
        raise ValueError("a number is too large")
    return number


def _text(value: object) -> str:
    return validation.text("a text", value, _MOST_TEXT)


def one_line(name: str, value: object, empty: bool = False) -> str:
    """Return text of one line for a ledger, at most `LONGEST` printable characters."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {value!r}")
    words = " ".join(value.split())
    if not (words or empty):
        raise ValueError(f"{name} must say something, got {value!r}")
    if len(words) > LONGEST or not words.isprintable():
        raise ValueError(f"{name} must be at most {LONGEST} printable characters, got {len(words)}")
    return words


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
