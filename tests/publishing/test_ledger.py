"""Test the ledger: admission, storage, refusals, and atomic writes."""

import dataclasses
import os
import pickle
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from dptopk import CDPPeel, ItemCounts, Joint, Ledger, LimitedDomain, NeighborRelation, PNFJoint
from dptopk.accounting.filters import Filter, Price, as_typed
from dptopk.publishing.ledger import LedgerCopy, LedgerError, OverspentError, read_ledger


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
        left = LedgerCopy("a user", NeighborRelation.ADD_REMOVE, total, "", "", ()).left
        exact = (total.epsilon, total.rho, total.own_delta)
        for told, most in zip((left.epsilon, left.rho, left.delta), exact, strict=True):
            assert 0 <= most - as_typed(told) <= most / 10**15


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


def test_the_file_holds_a_salted_digest_and_never_the_counts(ledger, counts, tmp_path):
    other = Ledger.create(tmp_path / "other.sqlite", 2, 1e-6, "one patient")
    first, again = (ledger.enter(counts, Joint(2, 0.1)) for _ in range(2))
    elsewhere = other.enter(counts, Joint(2, 0.1))
    assert first.counts == again.counts != elsewhere.counts
    assert (
        len({one.fingerprint(ItemCounts([1, 2])) for one in (ledger, Ledger.open(ledger.path))})
        == 1
    )
    content = ledger.path.read_bytes()
    assert counts.digest.encode() not in content
    assert all(name.encode() not in content for name in counts.items)
    assert b"907" not in content.replace(first.counts.encode(), b"")
    assert ledger.path.stat().st_mode & 0o077 == 0


def test_what_is_entered_cannot_be_changed_or_deleted(ledger, counts):
    ledger.enter(counts, Joint(2, 0.1))
    connection = sqlite3.connect(ledger.path)
    for statement in ("DELETE FROM entry", "UPDATE entry SET epsilon = '0'"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            connection.execute(statement)
    for statement in ("DELETE FROM ledger", "UPDATE ledger SET epsilon = '9'"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            connection.execute(statement)
    connection.close()


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
    ("arguments", "error", "match"),
    [
        ((0, 1e-6, "one"), ValueError, "epsilon must be a number from"),
        ((1, 1, "one"), ValueError, r"delta must be in \[0, 1\)"),
        ((1, 0, " "), ValueError, "protects must say something"),
        ((1, 0, "a\x1b[2J"), ValueError, "protects must be at most 500 printable"),
        ((1, 0, "a" * 501), ValueError, "protects must be at most 500"),
        ((1, 0, 5), TypeError, "protects must be a string"),
    ],
)
def test_a_wrong_total_is_refused_and_leaves_no_file(tmp_path, arguments, error, match):
    with pytest.raises(error, match=match):
        Ledger.create(tmp_path / "new.sqlite", *arguments)
    assert not [*tmp_path.iterdir()]


def test_a_share_beyond_delta_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"series_delta must be in \[0, 1e-06\]"):
        Ledger.create(tmp_path / "new.sqlite", 1, 1e-6, "one", series_delta=1e-5)


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
    ],
)
def test_a_damaged_ledger_says_so_and_spends_nothing(ledger, counts, how, match):
    ledger.enter(counts, Joint(2, 0.1))
    broken(ledger, how)
    with pytest.raises(LedgerError, match=match):
        Ledger.open(ledger.path).enter(counts, Joint(2, 0.1))


def test_there_must_be_a_file(tmp_path):
    with pytest.raises(LedgerError, match="there is no such file"):
        Ledger.open(tmp_path / "none.sqlite")
    assert not [*tmp_path.iterdir()]


def test_entries_cannot_be_changed_in_python_either(ledger, counts):
    entry = ledger.enter(counts, Joint(2, 0.1))
    with pytest.raises(dataclasses.FrozenInstanceError):
        entry.number = 2


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
import os, signal, sqlite3, sys
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
    Ledger.create(path, 2, 0, "one")
    child = os.fork()
    if child == 0:
        ledger = Ledger.open(path)
        killing(at)
        ledger.enter(counts, PNFJoint(2, 1.5))
        print("entered", flush=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    done = os.WIFEXITED(status)
    assert done or os.WTERMSIG(status) == signal.SIGKILL
    ledger = Ledger.open(path)
    refused = bool(ledger.refusal(PNFJoint(2, 1.5)))
    print(at, len(ledger.entries), ledger.left.epsilon, refused, flush=True)
"""


def test_killed_at_any_statement_a_release_is_paid_or_never_was(tmp_path):
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    *lines, last = ended.stdout.splitlines()
    assert lines.pop() == "entered", "only who was not killed came to an end"
    found = [line.split()[1:] for line in [*lines, last]]
    assert len(found) > 10, "statements were not seen"
    paid = ["1", "0.5", "True"]
    assert {tuple(one) for one in found} == {("0", "2.0", "False"), tuple(paid)}
    assert found == sorted(found), "once it is paid it stays so"
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


@pytest.mark.parametrize("seed", range(40))
def test_bytes_of_a_copy_that_were_changed_are_read_or_refused(ledger, counts, seed):
    ledger.enter(counts, Joint(2, 0.1))
    content, rng = bytearray(ledger.path.read_bytes()), np.random.default_rng(seed)
    for place in rng.integers(0, len(content), 1 + 40 * (seed % 2)):
        content[place] = rng.integers(256)
    try:
        copy = read_ledger(bytes(content))
    except LedgerError:
        return
    assert copy.left.epsilon >= 0


def test_a_large_copy_is_refused_unread():
    with pytest.raises(LedgerError, match="larger than 16 MB"):
        read_ledger(b"SQLite format 3\0" + bytes(16 * 2**20))
