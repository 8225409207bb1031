"""Test the ledger: admission, storage, refusals, and atomic writes."""

import contextlib
import dataclasses
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    CDPPeel,
    ItemCounts,
    Joint,
    Ledger,
    LimitedDomain,
    NeighborRelation,
    PNFJoint,
)
from dptopk.accounting.filters import UNIT, Filter, Price
from dptopk.core.numerals import as_typed
from dptopk.publishing import ledger as module
from dptopk.publishing.ledger import (
    MOST_ENTRIES,
    Entry,
    LedgerCopy,
    LedgerError,
    OverspentError,
    left_words,
    read_ledger,
)

OLD = Path(__file__).parent / "data" / "ledger_version_1.sqlite"


def test_a_ledger_is_read_as_it_was_made(tmp_path, counts):
    path = tmp_path / "a ?#%.sqlite"
    made = Ledger.create(path, 1.5, 1e-7, " one\n patient ", neighbors="swap", series_delta=4e-8)
    found = Ledger.open(path)
    assert (found.epsilon, found.delta, found.protects) == (1.5, 1e-7, "one patient")
    assert found.neighbors is NeighborRelation.SWAP
    assert found.filter == made.filter
    assert found.filter.own_delta == Fraction(6, 10**8)
    assert found.entries == ()
    entered = found.enter(counts, Joint(2, 0.25, NeighborRelation.SWAP), "Ward 7")
    assert made.entries == (entered,)
    assert entered.number == 1
    assert entered.title == "Ward 7"
    assert entered.settings == {"mechanism": "Joint", "k": 2, "epsilon": 0.25, "neighbors": "swap"}
    assert entered.price == Price(Fraction(1, 4), rho=Fraction(1, 128))
    assert "e^0.25" in entered.promise
    assert made.left.epsilon == 1.25
    assert "one patient" in made.promise
    assert [path.name for path in tmp_path.iterdir()] == ["a ?#%.sqlite"]


def test_twenty_tenths_are_two(ledger, counts):
    for _ in range(20):
        ledger.enter(counts, PNFJoint(2, 0.1))
    assert ledger.left.epsilon == 0
    with pytest.raises(
        OverspentError, match=r"costs ε = 0.1 .*nothing is left: its budget .* no further"
    ):
        ledger.enter(counts, PNFJoint(2, 0.1))
    assert len(ledger.entries) == 20


def test_what_is_left_is_told_rounded_down():
    """So that who asks for all of it, as it is written, gets it."""
    for n in range(3, 60):
        total = Filter(Fraction(2, n), Fraction(4, 9 * n), Fraction(1, 9 * n), Fraction(5, 7 * n))
        left = LedgerCopy(("a user", NeighborRelation.ADD_REMOVE, total, "", ""), ()).left
        exact = (total.epsilon, total.rho, total.own_delta)
        for told, most in zip((left.epsilon, left.rho, left.delta), exact, strict=True):
            assert 0 <= most - as_typed(told) <= most / 10**15


def test_what_is_said_to_be_left_is_no_more_than_there_is(ledger, counts):
    """Once "ε = 0.3 is left", and a release of 0.3 was refused."""
    ledger.enter(counts, PNFJoint(2, 1.7000000000000002))
    assert "and ε = 0.299999 is left" in ledger.refusal(PNFJoint(2, 0.3))


def test_where_no_rho_is_left_it_is_said_what_is_added_up(ledger):
    left = left_words(dataclasses.replace(ledger.left, rho=0.0), ledger.filter)
    assert re.fullmatch(
        r"ε = 2 is left and δ = .* a δ; ρ = .* is used up, so .* ε is added up", left
    )


def test_many_small_releases_are_added_up_as_zcdp(ledger, counts):
    """Fifty-two of ε = 0.1 add up to 5.2, and to ρ = 0.065."""
    for _ in range(52):
        ledger.enter(counts, Joint(2, 0.1))
    assert sum(entry.price.epsilon for entry in ledger.entries) == Fraction(52, 10)
    assert ledger.left.epsilon == 0
    assert 0.018 < ledger.left.rho < 0.019
    with pytest.raises(OverspentError):
        ledger.enter(counts, Joint(2, 0.5))


def test_deltas_of_releases_have_a_share_of_their_own(ledger, counts):
    ledger.enter(counts, LimitedDomain(2, 0.1, 4e-7))
    with pytest.raises(OverspentError, match=r"at any ε, δ = 2e-7 is too large: δ = 1e-7 is left"):
        ledger.enter(counts, LimitedDomain(2, 0.1, 2e-7))
    ledger.enter(counts, CDPPeel(2, 0.1, 1e-6))  # no δ of its own in a series
    assert ledger.left.delta == 1e-7


def test_a_refusal_says_what_still_fits_and_that_fits(ledger, counts):
    ledger.enter(counts, PNFJoint(2, 1.7))
    with pytest.raises(OverspentError, match=r"ε = 0.3 is left.* still fits is 0.3$"):
        ledger.enter(counts, PNFJoint(2, 0.5))
    ledger.enter(counts, PNFJoint(2, 0.3))
    assert len(ledger.entries) == 2
    assert ledger.refusal(PNFJoint(2, 0.1))
    assert ledger.price(PNFJoint(2, 0.1)) is None


@pytest.mark.parametrize(
    "mechanism",
    [PNFJoint(5, 1.0), Joint(5, 1.0), CDPPeel(5, 1.0, 1e-6), LimitedDomain(5, 1.0, 1e-9)],
    ids=lambda mechanism: mechanism.label,
)
@pytest.mark.parametrize("releases", [1, 7])
def test_the_largest_epsilon_fits_and_little_more_does_not(ledger, mechanism, releases):
    largest = ledger.largest_epsilon(mechanism, releases)

    def fits(epsilon):
        plan = ledger.plan(mechanism.replaced(epsilon=epsilon), releases)
        return all(one.admitted for one in plan)

    assert fits(largest)
    assert not fits(largest * 1.002)


def test_a_third_of_the_budget_is_told_in_four_digits(tmp_path):
    ledger = Ledger.create(tmp_path / "pure.sqlite", 2, 0, "one user")
    assert ledger.largest_epsilon(Joint(2, 1.0), 3) == 0.6666


def test_a_release_that_fits_by_its_rho_may_have_a_larger_epsilon_than_the_total(ledger):
    largest = ledger.largest_epsilon(CDPPeel(20, 1.0, 1e-7))
    assert largest > 2
    assert ledger.price(CDPPeel(20, largest, 1e-7))
    assert not ledger.price(CDPPeel(20, largest * 1.01, 1e-7))


def test_the_largest_epsilon_is_one_that_a_mechanism_may_have(tmp_path):
    ledger = Ledger.create(tmp_path / "large.sqlite", 1e12, 1e-6, "one user")
    assert ledger.largest_epsilon(Joint(5, 1.0)) == 1e12


def test_a_plan_is_what_happens_then_and_enters_nothing(ledger, counts):
    mechanism = PNFJoint(2, 0.6)
    plan = ledger.plan(mechanism, 5)
    assert ledger.entries == ()
    for planned in plan:
        if planned.admitted:
            ledger.enter(counts, mechanism)
        else:
            assert ledger.refusal(mechanism)
        assert ledger.left == planned.left
    assert [planned.admitted for planned in plan] == [True, True, True, False, False]


@pytest.mark.parametrize("seed", range(15))
def test_what_is_said_to_fit_is_admitted_one_after_another(seed):
    """The property, over random ledgers, of which some has been spent, and mechanisms."""
    rng = np.random.default_rng(seed)
    total, delta = (float(rng.choice(few)) for few in ([0.5, 1, 2, 4], [1e-6, 1e-5]))
    series = as_typed(delta) * Fraction(int(rng.choice([0, 5, 9, 10])), 10)
    kept = Filter.of(as_typed(total), as_typed(delta), series)
    whole = kept.epsilon, kept.own_delta, kept.rho
    tenths = (int(rng.choice(few)) for few in ([0, 3, 5], [0, 5], [0, 4, 9, 12]))
    used = Price(*(n * of / 10 for n, of in zip(tenths, whole, strict=True)))
    before = Entry(1, "", "", {}, "", used, "", "")
    account = LedgerCopy(("a user", NeighborRelation.ADD_REMOVE, kept, "", ""), (before,))
    k, epsilon = int(rng.choice([1, 2, 5, 20])), float(rng.choice([0.05, 0.1, 0.3, 1.0, 3.0]))
    for kind in (CDPPeel, *rng.choice(list(MECHANISMS.values()), 3)):
        own = {option.key: option.default for option in kind.card.parameters}
        own |= {"delta": float(rng.choice([1e-8, 1e-7]))} if "delta" in own else {}
        if "calibration" in own:
            own["calibration"] = str(rng.choice(["paper", "optimal"]))
        mechanism = kind(k=k, epsilon=epsilon, **own)
        fits = account.how_many(mechanism)
        if fits < 400:
            plan = account.plan(mechanism, fits + 2)
            assert [one.admitted for one in plan] == [True] * fits + [False] * 2
        assert bool(fits) == (account.price(mechanism) is not None)
    if largest := account.largest_epsilon(CDPPeel(k, 1.0, 1e-7), 3):
        assert all(one.admitted for one in account.plan(CDPPeel(k, largest, 1e-7), 3))


def test_the_largest_epsilon_of_two_is_entered_twice(tmp_path, counts):
    """Its price is of what it promises: added up as zCDP, rounds would cost 1.097 each."""
    ledger = Ledger.create(tmp_path / "own.sqlite", 2, 1e-6, "one user", series_delta=0)
    largest = ledger.largest_epsilon(CDPPeel(10, 1.0, 1e-7), 2)
    assert largest == 1
    for _ in range(2):
        entry = ledger.enter(counts, CDPPeel(10, largest, 1e-7))
        assert entry.price.delta == as_typed(1e-7)
    assert ledger.left.epsilon == 0


def test_the_file_holds_a_salted_digest_and_never_the_counts(ledger, counts, tmp_path):
    other = Ledger.create(tmp_path / "other.sqlite", 2, 1e-6, "one patient")
    first, again = (ledger.enter(counts, Joint(2, 0.1)) for _ in range(2))
    elsewhere = other.enter(counts, Joint(2, 0.1))
    assert first.counts == again.counts != elsewhere.counts
    opened = (ledger, Ledger.open(ledger.path))
    assert len({one.fingerprint(ItemCounts([1, 2])) for one in opened}) == 1
    content = ledger.path.read_bytes()
    assert counts.digest.encode() not in content
    assert all(name.encode() not in content for name in counts.items)
    assert b"907" not in content.replace(first.counts.encode(), b"")
    assert ledger.path.stat().st_mode & 0o077 == 0


def test_a_file_that_another_ledger_took_the_place_of_is_refused(ledger, counts, tmp_path):
    ledger.enter(counts, Joint(2, 0.1))
    other = Ledger.create(tmp_path / "other.sqlite", 0.2, 0, "other people")
    shutil.copy(other.path, ledger.path)
    for use in (
        lambda: ledger.enter(counts, Joint(2, 0.1)),
        lambda: ledger.annotate(1, "withdrawn"),
        lambda: ledger.left,
        lambda: ledger.entries,
        lambda: ledger.refusal(Joint(2, 0.1)),
    ):
        with pytest.raises(LedgerError, match="no longer the ledger that was opened"):
            use()
    assert Ledger.open(ledger.path).entries == ()


def test_a_total_that_was_changed_since_is_refused(ledger, counts):
    with contextlib.closing(sqlite3.connect(ledger.path)) as connection:
        row = list(connection.execute("SELECT * FROM ledger").fetchone())
        row[3] = "50"
        connection.execute(f"REPLACE INTO ledger VALUES ({', '.join('?' * len(row))})", row)
        connection.commit()
    with pytest.raises(LedgerError, match="its total was changed"):
        ledger.enter(counts, Joint(2, 0.1))


@pytest.mark.parametrize("table", ["entry", "ledger", "annotation"])
def test_what_is_entered_cannot_be_changed_or_deleted(ledger, counts, table):
    ledger.enter(counts, Joint(2, 0.1))
    ledger.annotate(1, "withdrawn")
    connection = sqlite3.connect(ledger.path)
    column = "text" if table == "annotation" else "epsilon"
    for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = '0'"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("when", "what"),
    [
        ("AFTER", "DELETE FROM entry WHERE number = NEW.number"),
        ("AFTER", "DELETE FROM entry WHERE number < NEW.number"),
        ("AFTER", "UPDATE entry SET epsilon = '0', rho = '0' WHERE number = NEW.number"),
        ("AFTER", "UPDATE entry SET epsilon = 'none' WHERE number = NEW.number"),
        ("BEFORE", "SELECT RAISE(IGNORE)"),
    ],
)
def test_a_trigger_that_gives_charges_back_stops_the_release(ledger, counts, when, what):
    ledger.enter(counts, Joint(2, 0.1))
    before = ledger.entries
    connection = sqlite3.connect(ledger.path)
    for name in ("entry_update", "entry_delete"):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(f"CREATE TRIGGER back {when} INSERT ON entry BEGIN {what}; END")
    connection.close()
    with pytest.raises(LedgerError, match=r"does not keep releases|entry . cannot be read") as told:
        ledger.enter(counts, Joint(2, 0.1), author="Ada")
    assert "\n" not in str(told.value)
    assert ledger.entries == before


def test_an_annotation_is_kept_and_gives_nothing_back(ledger, counts):
    entry = ledger.enter(counts, Joint(2, 0.5), purpose=" yearly\nreport ", author="Ada")
    assert (entry.purpose, entry.author, entry.notes) == ("yearly report", "Ada", "")
    left = ledger.left
    noted = ledger.annotate(1, "withdrawn: wrong data", "Bo")
    again = ledger.annotate(1, "sent again")
    day = noted.annotations[1].entered[:10]
    assert again.notes == f"withdrawn: wrong data (Bo, {day}); sent again ({day})"
    assert again.purpose == "yearly report"
    assert (ledger.left, ledger.entries) == (left, (again,))
    assert Ledger.open(ledger.path).entries == read_ledger(ledger.path.read_bytes()).entries


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((2, "wrong"), LedgerError, "has no release 2"),
        ((0, "wrong"), ValueError, "number must be"),
        ((1, " "), ValueError, "text must say something"),
        ((1, "a" * 501), ValueError, "text must be at most 500 printable"),
        ((1, "wrong", "\x1b[2J"), ValueError, "author must be at most 500 printable"),
    ],
)
def test_an_annotation_that_is_none_is_refused(ledger, counts, arguments, error, match):
    entry = ledger.enter(counts, Joint(2, 0.1))
    with pytest.raises(error, match=match):
        ledger.annotate(*arguments)
    assert ledger.entries == (entry,)


def test_a_ledger_of_version_1_is_read_with_its_prices_rounded_up(tmp_path, counts):
    """Made by the dptopk before: Joint, EM-Peel, CDP-Peel by both calibrations, Limited domain.

    Its total is (5, 3e-5), of which 1e-5 / 3 is for zCDP; the fifth release has δ = 1.2e-70.
    """
    path = tmp_path / "old.sqlite"
    shutil.copy(OLD, path)
    ledger = Ledger.open(path)
    with sqlite3.connect(path) as connection:
        written = connection.execute("SELECT epsilon, delta, rho FROM entry").fetchall()
    connection.close()
    assert read_ledger(OLD.read_bytes()).entries == ledger.entries
    assert len(written) == len(ledger.entries) == 6
    for texts, entry in zip(written, ledger.entries, strict=True):
        for text, part in zip(texts, dataclasses.astuple(entry.price), strict=True):
            assert part % UNIT == 0 <= part - Fraction(text) < UNIT
    assert ledger.entries[4].price.delta == UNIT
    assert ledger.left.epsilon == 3.266656037685271
    assert (ledger.epsilon, ledger.delta) == (5.0, 3e-5)
    ledger.enter(counts, Joint(2, 0.1))
    assert _version(path) == 1, "an entry that says nothing more needs no annotations"
    ledger.annotate(2, "withdrawn")
    assert _version(path) == 2
    assert read_ledger(path.read_bytes()).entries == Ledger.open(path).entries == ledger.entries
    assert [bool(entry.notes) for entry in ledger.entries] == [n == 2 for n in range(1, 8)]


def _version(path):
    with sqlite3.connect(path) as connection:
        (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return found


def test_only_what_was_entered_since_is_parsed(ledger, counts, monkeypatch):
    for _ in range(3):
        ledger.enter(counts, Joint(2, 0.1))
    before, parsed, read = ledger.entries, [], module._entry
    monkeypatch.setattr(module, "_entry", lambda *row: parsed.append(row) or read(*row))
    assert (ledger.entries, ledger.left.epsilon) == (before, 1.7)
    assert parsed == []
    other = Ledger.open(ledger.path)
    other.enter(counts, Joint(2, 0.2))
    parsed.clear()
    assert ledger.left.epsilon == 1.5
    assert len(parsed) == 1


def test_a_file_that_was_put_back_counts_as_it_stands(ledger, counts):
    """A restored backup is a second budget, and what is entered in it is seen all the same."""
    ledger.enter(counts, Joint(2, 0.1))
    backup = ledger.path.read_bytes()
    ledger.enter(counts, Joint(2, 0.2))
    assert ledger.left.epsilon == 1.7
    ledger.path.write_bytes(backup)
    assert ledger.left.epsilon == 1.9
    Ledger.open(ledger.path).enter(counts, Joint(2, 0.5))
    assert ledger.left.epsilon == 1.4


def test_a_clock_that_goes_back_changes_no_order(ledger, counts, monkeypatch):
    for year in (2030, 2020, 1970):
        monkeypatch.setattr(module, "_now", lambda year=year: f"{year}-01-01T00:00:00+00:00")
        ledger.enter(counts, Joint(2, 0.1), purpose=str(year))
        ledger.annotate(1, str(year))
    assert [entry.purpose for entry in ledger.entries] == ["2030", "2020", "1970"]
    assert ledger.entries[0].notes == "2030 (2030-01-01); 2020 (2020-01-01); 1970 (1970-01-01)"
    assert Ledger.open(ledger.path).entries == ledger.entries


@pytest.mark.parametrize("what", ["enter", "annotate"])
def test_on_a_full_disk_nothing_is_charged(ledger, counts, monkeypatch, what):
    ledger.enter(counts, Joint(2, 0.1))
    before, connected = ledger.path.read_bytes(), module._connected

    def full(path):
        connection = connected(path)
        connection.execute("PRAGMA max_page_count = 1")  # as many as there are
        return connection

    monkeypatch.setattr(module, "_connected", full)

    def fill():
        for _ in range(20):
            if what == "enter":
                ledger.enter(counts, Joint(2, 0.1), "a" * 500, purpose="b" * 500)
            else:
                ledger.annotate(1, "a" * 500)

    with pytest.raises(LedgerError, match="cannot be used: database or disk is full"):
        fill()
    monkeypatch.undo()
    assert Ledger.open(ledger.path).entries == ledger.entries
    assert len(ledger.path.read_bytes()) == len(before)


_READ_ONLY = """
import os, sys
from dptopk import ItemCounts, Joint, Ledger
from dptopk.publishing.ledger import LedgerError
ledger, counts = Ledger.open(sys.argv[1]), ItemCounts([5, 4, 3])
ledger.enter(counts, Joint(2, 0.1), author="Ada")  # and everything is loaded
os.chmod(ledger.path if sys.argv[2] == "file" else ledger.path.parent, 0o555)
if os.geteuid() == 0:
    os.seteuid(65534)
for asked in (lambda: ledger.enter(counts, Joint(2, 0.1)), lambda: ledger.annotate(1, "wrong")):
    try:
        asked()
    except LedgerError as error:
        print(str(error).replace(str(ledger.path), "FILE"))
print(len(ledger.entries), ledger.left.epsilon, ledger.entries[0].notes or "-")
"""


def told(code: str, *arguments: object) -> list[str]:
    """Return the lines that a process of its own prints."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_ledger_that_cannot_be_written_is_read_and_charges_nothing(what):
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to other users
        os.chmod(folder, 0o777)
        path = Path(folder) / "b.sqlite"
        Ledger.create(path, 2, 1e-6, "one")
        path.chmod(0o666)
        *refused, last = told(_READ_ONLY, path, what)
        os.chmod(folder, 0o777)
    assert len(refused) == 2
    assert all(line.startswith("FILE cannot be used: ") for line in refused)
    assert last == "1 1.9 -"


def test_another_change_of_the_data_is_refused(ledger, counts):
    for asked in (ledger.price, ledger.refusal, lambda m: ledger.enter(counts, m)):
        with pytest.raises(LedgerError, match="must be 'add-remove', as the ledger promises, got"):
            asked(Joint(2, 0.1, NeighborRelation.SWAP))
    assert ledger.entries == ()


def test_what_is_committed_is_on_the_disk(ledger):
    with ledger._file() as connection:
        found = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "journal_mode", "fullfsync")
        }
    assert found == {"synchronous": 3, "journal_mode": "delete", "fullfsync": 1}


@pytest.mark.parametrize(
    ("changed", "error", "match"),
    [
        ({"epsilon": 0}, ValueError, "epsilon must be a number from"),
        ({"delta": 1}, ValueError, r"delta must be in \[0, 1\)"),
        ({"protects": " "}, ValueError, "protects must say something"),
        ({"protects": "a\x1b[2J"}, ValueError, "protects must be at most 500 printable"),
        ({"protects": "a" * 501}, ValueError, "protects must be at most 500"),
        ({"protects": 5}, TypeError, "protects must be a string"),
        ({"series_delta": 1e-5}, ValueError, r"series_delta must be in \[0, 1e-06\]"),
    ],
)
def test_a_wrong_total_is_refused_and_leaves_no_file(tmp_path, changed, error, match):
    usual = {"epsilon": 1, "delta": 1e-6, "protects": "one"}
    with pytest.raises(error, match=match):
        Ledger.create(tmp_path / "new.sqlite", **usual | changed)
    with pytest.raises(LedgerError, match="there is no such file"):
        Ledger.open(tmp_path / "new.sqlite")
    assert not [*tmp_path.iterdir()]


def test_a_ledger_takes_the_place_of_nothing(ledger, tmp_path):
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError, match="already exists"):
        Ledger.create(ledger.path, 9, 0, "one patient")
    assert ledger.path.read_bytes() == before
    with pytest.raises(LedgerError, match="cannot be created"):
        Ledger.create(tmp_path / "no" / "folder.sqlite", 1, 0, "one patient")


def broken(ledger, how):
    """Damage a ledger's file, through SQLite where that takes no rule away."""
    if how == "cut":
        ledger.path.write_bytes(ledger.path.read_bytes()[:5000])
        return
    if how in ("text", "empty"):
        ledger.path.write_bytes(b"item,count\n" if how == "text" else b"")
        return
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    for name in ("entry_update", "ledger_update", "ledger_delete"):
        connection.execute(f"DROP TRIGGER {name}")
    for statement in how.split(";"):
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ("text", "is not a ledger"),
        ("empty", "is not a ledger"),
        ("cut", "cannot be used"),
        ("PRAGMA application_id = 1", "is an SQLite file, and not a ledger"),
        ("PRAGMA user_version = 9", "of version 9, and this dptopk reads version 1"),
        ("DELETE FROM ledger", "holds no total"),
        ("DROP TABLE ledger", "cannot be used"),
        ("UPDATE ledger SET epsilon = 'many'", "its total cannot be read"),
        ("UPDATE ledger SET rho = '-1'", "its total cannot be read"),
        ("UPDATE ledger SET neighbors = 'far'", "its total cannot be read"),
        ("UPDATE entry SET epsilon = '1/0'", "entry 1 cannot be read"),
        ("UPDATE entry SET rho = x'35'", "entry 1 cannot be read"),
        ("UPDATE entry SET settings = '[]'", "entry 1 cannot be read"),
        ("UPDATE entry SET settings = '{'", "entry 1 cannot be read"),
        *(
            (f"UPDATE entry SET {column} = '{text}'", "entry 1 cannot be read")
            for column, text in (
                ("epsilon", "1e400"),
                ("rho", "9" * 400),
                ("delta", f"1/{'9' * 401}"),
                ("delta", "1/3 "),
                ("epsilon", "\N{FULLWIDTH DIGIT ONE}"),
                ("title", "a" * 2_001),
                ("settings", '{"k": ' + "9" * 5_000 + "}"),
                ("settings", '{"k": ' + "[" * 990 + "]" * 990 + "}"),
            )
        ),
        ("UPDATE ledger SET epsilon = '2000000000000'", "its total cannot be read"),
        ("UPDATE ledger SET delta = '1'", "its total cannot be read"),
    ],
)
def test_a_damaged_ledger_says_so_and_spends_nothing(ledger, counts, how, match):
    ledger.enter(counts, Joint(2, 0.1))
    broken(ledger, how)
    with pytest.raises(LedgerError, match=match):
        Ledger.open(ledger.path).enter(counts, Joint(2, 0.1))


_SPEND = """
import sys
from dptopk import ItemCounts, Ledger, PNFJoint
from dptopk.publishing.ledger import OverspentError
ledger, counts, n = Ledger.open(sys.argv[1]), ItemCounts([5, 4, 3]), 0
input()  # so that all begin together
while True:
    try:
        ledger.enter(counts, PNFJoint(2, 0.1))
    except OverspentError:
        break
    n += 1
print(n)
"""


def test_processes_at_once_cannot_overspend(ledger):
    command = [sys.executable, "-c", _SPEND, str(ledger.path)]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    with ThreadPoolExecutor(len(running)) as pool:
        spent = [*pool.map(lambda one: int(one.communicate("\n")[0]), running)]
    assert [one.returncode for one in running] == [0, 0, 0]
    assert sum(spent) == 20 == len(ledger.entries)
    assert ledger.left.epsilon == 0


_KILLED = """
import os, shutil, signal, sqlite3, sys
from pathlib import Path
from dptopk import ItemCounts, Ledger, PNFJoint
import dptopk.publishing.ledger

connect, counts = sqlite3.connect, ItemCounts([5, 4, 3])

def killing(at):
    seen = 0
    def trace(statement):
        nonlocal seen
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
    def connected(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.set_trace_callback(trace)
        return connection
    sqlite3.connect = connected

at, done = 0, False
while not done:
    at += 1
    path = Path(sys.argv[1]) / f"{at}.sqlite"
    shutil.copy(sys.argv[2], path)
    child = os.fork()
    if child == 0:
        ledger = Ledger.open(path)
        killing(at)
        ledger.enter(counts, PNFJoint(2, 1.5), purpose="report")
        ledger.annotate(len(ledger.entries), "wrong")
        print("entered", flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    done = os.WIFEXITED(status)
    assert done or os.WTERMSIG(status) == signal.SIGKILL
    ledger = Ledger.open(path)
    last = ledger.entries[-1] if ledger.entries else None
    said = (last.purpose, last.notes[:5]) if last and last.title == "" else ("", "")
    print(len(ledger.entries), ledger.left.epsilon, *map(bool, said), sep=",", flush=True)
"""


@pytest.mark.parametrize(
    ("version", "before", "after"),  # number of releases, and the ε that is left
    [(1, "6,3.266656037685271", "7,1.766656037685271"), (2, "0,2.0", "1,0.5")],
)
def test_killed_at_any_statement_a_release_is_paid_or_never_was(tmp_path, version, before, after):
    """Entered with its purpose in the one, and annotated in the other transaction."""
    start = tmp_path / "start.sqlite"
    if version == 1:
        shutil.copy(OLD, start)
    else:
        Ledger.create(start, 2, 0, "one")
    *lines, last = told(_KILLED, tmp_path, start)
    assert lines.pop() == "entered", "only who was not killed came to an end"
    found = [tuple(line.rsplit(",", 2)) for line in [*lines, last]]
    assert len(found) > 20, "statements were not seen"
    states = [(before, "False", "False"), (after, "True", "False"), (after, "True", "True")]
    assert [*dict.fromkeys(found)] == states, "each follows the one before, and none is between"
    assert sorted(found) == found
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


def test_a_copy_is_read_and_takes_no_entries(ledger, counts):
    ledger.enter(counts, Joint(2, 0.5), "Ward 7")
    copy = read_ledger(ledger.path.read_bytes())
    assert (copy.entries, copy.left) == (ledger.entries, ledger.left)
    assert copy.plan(Joint(2, 0.5), 4) == ledger.plan(Joint(2, 0.5), 4)
    assert not hasattr(copy, "enter")
    assert ledger._secret not in pickle.dumps(copy)
    assert len(ledger.entries) == 1


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ("text", "is not a ledger"),
        ("cut", "cannot be read: it is damaged"),
        ("PRAGMA user_version = 9", "of version 9"),
        ("DELETE FROM ledger", "has tables that a ledger does not have"),
        ("UPDATE entry SET epsilon = '1/0'", "has tables that a ledger does not have"),
        ("CREATE VIEW more AS SELECT 1", "has tables that a ledger does not have"),
        (
            "ALTER TABLE entry RENAME TO old;CREATE VIEW entry AS WITH RECURSIVE r(n) AS "
            "(SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n AS number FROM r",
            "has tables that a ledger does not have",
        ),
    ],
)
def test_a_copy_is_trusted_in_nothing(ledger, counts, how, match):
    ledger.enter(counts, Joint(2, 0.1))
    broken(ledger, how)
    with pytest.raises(LedgerError, match=match):
        read_ledger(ledger.path.read_bytes())


def test_bytes_of_a_copy_that_were_changed_are_read_or_refused(ledger, counts):
    ledger.enter(counts, Joint(2, 0.1))
    whole = ledger.path.read_bytes()
    for seed in range(40):
        content, rng = bytearray(whole), np.random.default_rng(seed)
        for place in rng.integers(0, len(content), 1 + 40 * (seed % 2)):
            content[place] = rng.integers(256)
        with contextlib.suppress(LedgerError):
            assert read_ledger(bytes(content)).left.epsilon >= 0


def test_a_large_copy_is_refused_unread():
    with pytest.raises(LedgerError, match="larger than 16 MB"):
        read_ledger(b"SQLite format 3\0" + bytes(16 * 2**20))


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([("0", "{}")] * (MOST_ENTRIES + 1), "has more than 50,000 releases"),
        ([(f"1/{'7' * 3_999}", "{}")], "entry 1 cannot be read"),
        ([("1", "{}"), ("1e400", "{}")], "entry 2 cannot be read"),
        ([("1", f'{{"a": "{"b" * 15_000_000}"}}')], "entry 1 cannot be read"),
    ],
    ids=["rows", "digits", "exponent", "settings"],
)
def test_what_would_cost_its_reader_is_refused(ledger, rows, match):
    with sqlite3.connect(ledger.path) as connection:
        connection.executemany(
            "INSERT INTO entry VALUES (NULL, '', '', ?, '', ?, '0', '0', '', '')",
            [(settings, epsilon) for epsilon, settings in rows],
        )
    connection.close()
    with pytest.raises(LedgerError, match=match):
        read_ledger(ledger.path.read_bytes())


def test_a_copy_brings_its_sum_along(ledger, counts, monkeypatch):
    ledger.enter(counts, Joint(2, 0.5))
    copy = read_ledger(ledger.path.read_bytes())
    monkeypatch.setattr(module, "_total", None)  # so that nothing can be added up
    assert copy.left.epsilon == 1.5
    assert copy.how_many(Joint(2, 0.5)) == 3
    assert copy.largest_epsilon(Joint(2, 0.5)) == 1.5
