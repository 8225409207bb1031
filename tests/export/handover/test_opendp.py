"""Test that the OpenDP scripts run, and that OpenDP reports the expected privacy loss."""

import math
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pandas as pd
import pytest

from dptopk import CDPPeel, EMPeel, ItemCounts, Joint, Laplace, NeighborRelation, PNFPeel
from dptopk.data.ingest import Contribution
from dptopk.data.tables import csv_escaped
from dptopk.export.handover import opendp_script
from dptopk.mechanisms import MECHANISMS
from dptopk.questions.origin import Origin

ROWS = [("a, b", 9_000), ("=b", 6_000), ("'=b", 3_000), ("d", 0)]
SWAP = NeighborRelation.SWAP


pytestmark = pytest.mark.slow  # each is a program that loads OpenDP


TABLE = "\n".join(["item,users", *(f'"{item}",{count}' for item, count in ROWS)]) + "\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a script in this process: a start of Python takes longer than all of it."""
    monkeypatch.chdir(tmp_path)

    def ran(script, table=TABLE, arguments=("counts.csv",)) -> tuple[list[str], str]:
        Path("counts.csv").write_bytes(table.encode() if isinstance(table, str) else table)
        monkeypatch.setattr(sys, "argv", ["release.py", *arguments])
        exec(script, {})
        said = capsys.readouterr()
        return said.out.splitlines(), said.err

    return ran


def test_a_script_is_a_program_of_its_own(tmp_path):
    (tmp_path / "counts.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "release.py").write_text(opendp_script(PNFPeel(3, 1.5)), encoding="utf-8")
    command = [sys.executable, "-I", str(tmp_path / "release.py"), str(tmp_path / "counts.csv")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["a, b", "=b", "'=b"]


def every() -> list:
    given = {"delta": 1e-6, "max_items": 3}
    return [
        make(k=2, epsilon=1.0, **{f.name: given[f.name] for f in fields(make) if f.name in given})
        for make in MECHANISMS.values()
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "name the file of counts: python release.py counts.csv"),
        ("", "missing.csv cannot be read: No such file or directory"),
        (b"", "counts.csv is not a CSV file with a line of column names"),
        (b"item,users\n\xff,3\n", "counts.csv is not a CSV file"),
        (b"users,sku\n3,a\n", "which column of counts.csv holds the items is not clear from its"),
        (b"item,year\na,3\n", "holds the counts is not clear from its names, 'item', 'year'"),
        (b"item,count,users\na,3,3\n", "holds the counts is not clear"),
        (b"item,users\na,many\n", "needs an item and a whole count from 0 on in every line"),
        (b"item,users\na,-1\n", "needs an item and a whole count from 0 on in every line"),
        (b"item,users\na\n", "needs an item and a whole count from 0 on in every line"),
        (b"item,users\na,3\na,4\n", "an item stands in several lines"),
        (b"item,users\na,3\n", "counts.csv has 1 items, and 2 are to be released"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_line(run, capsys, data, words):
    arguments = {None: [], "": ["missing.csv"]}.get(data, ["counts.csv"])
    with pytest.raises(SystemExit, match=r"^2$"):
        run(opendp_script(PNFPeel(2, 1.0)), data or "", arguments)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("release.py: ")
    assert words in line


@pytest.mark.parametrize(
    ("header", "named"),
    [("users,item", []), ("users,sku", ["sku", "users"]), ("item,sku", ["sku", "item"])],
)
def test_columns_in_any_order_are_told_apart_by_their_names_or_by_arguments(
    run, capsys, header, named
):
    script, table = opendp_script(PNFPeel(2, 1.5)), f"{header}\n9000,a\n6000,b\n0,c\n"
    items, _ = run(script, table, ["counts.csv", *named])
    assert items == ["a", "b"]  # never a true count
    with pytest.raises(SystemExit):
        run(script, table, ["counts.csv", "users", "users"])
    said = capsys.readouterr()
    assert said.out == ""
    assert "two columns" in said.err or "not clear" in said.err


def test_the_file_that_the_app_offers_is_read(run):
    counts = ItemCounts([count for _, count in ROWS], [item for item, _ in ROWS])
    frame = pd.DataFrame(
        {"place": range(1, 5), "item": counts.items, "count (likes)": counts.counts}
    )
    data = csv_escaped(Origin("Mine", counts, (), "true counts", unit="likes").added_to(frame))
    script = opendp_script(PNFPeel(3, 1.5), "likes")
    assert '"All items and their counts as CSV"' in script
    items, _ = run(script, f"\ufeff{data}")
    assert items == ["a, b", "=b", "'=b"]


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_a_script_speaks_of_a_user_only_where_one_is_protected(neighbors):
    mechanism = PNFPeel(3, 1.5, neighbors)
    script = opendp_script(mechanism, "units of qty", Contribution.SEVERAL)
    compile(script, "release.py", "exec")
    said = " ".join(script.split())
    assert "is protected: no guarantee holds for a whole user" in said
    for words in (
        "at most once",
        "one user moves",
        "a user joins",
        "one user is replaced",
        "user joins",
    ):
        assert words not in said
    assert "One user counts at most once" in opendp_script(mechanism, "likes", Contribution.STATED)


@pytest.mark.parametrize("neighbors", NeighborRelation)
@pytest.mark.parametrize(("kind", "own"), [(PNFPeel, {}), (Laplace, {"max_items": 2})])
def test_what_is_charged_in_epsilon_is_charged_the_same_by_both(run, kind, own, neighbors):
    script = opendp_script(kind(3, 1.5, neighbors, **own))
    items, ledgers = run(script)
    assert items == ["a, b", "=b", "'=b"]  # gaps of a hundred noise scales
    (theirs,) = re.findall(r"OpenDP's ledger: epsilon = (\S+)", ledgers)
    assert float(theirs) == pytest.approx(1.5, rel=1e-9)
    assert "dptopk's ledger: epsilon = 1.5, delta = 0.0" in ledgers
    assert "report" not in ledgers  # both say the same
    few = "whether a user counts for at most 2 items" in " ".join(script.split())
    assert few == ("max_items" in own)


@pytest.mark.parametrize("mechanism", [CDPPeel(2, 1.0, 1e-6), CDPPeel(1, 1.0, 1e-6, SWAP)], ids=str)
def test_gumbel_noise_is_charged_by_rho_and_no_more_than_ours(run, mechanism):
    items, ledgers = run(opendp_script(mechanism))
    assert items == ["a, b", "=b"][: mechanism.k]
    (rho,) = re.findall(r"rho = (\S+) ", ledgers)
    eta = mechanism.local_epsilon * mechanism.neighbors.gap_sensitivity
    assert float(rho) == pytest.approx(mechanism.k * eta**2 / 8, rel=1e-9)
    (epsilon,) = re.findall(r"that is epsilon = (\S+) at delta = 1e-06", ledgers)
    pure = mechanism.k * eta  # where this is less, OpenDP's ledger does not see it
    assert min(float(epsilon), pure) <= 1.0 + 1e-9
    assert ledgers.endswith("report the smaller only if you accept its proof.\n")


def test_without_delta_opendp_says_rho_alone(run):
    _, ledgers = run(opendp_script(EMPeel(2, 1.0)))
    assert re.findall(r"rho = (\S+) ", ledgers) == [str(2 * 0.5**2 / 8)]
    assert "that is" not in ledgers
    assert "so name what you report" in ledgers
    assert math.isclose(EMPeel(2, 1.0).scale, 2.0)


def test_what_opendp_does_not_have_gets_no_script():
    assert opendp_script(Joint(2, 1.0)) is None
    able = [type(mechanism) for mechanism in every() if opendp_script(mechanism)]
    assert able == [PNFPeel, CDPPeel, EMPeel]
    assert opendp_script(Laplace(2, 1.0, max_items=2)) is None  # its proof is of the order alone


def test_a_script_whose_noise_is_too_small_for_its_promise_draws_nothing(run, capsys):
    for mechanism in (Laplace(3, 1.5, max_items=2), PNFPeel(3, 1.5)):
        script = opendp_script(mechanism)
        weak = script.replace(f"SCALE = {mechanism.scale!r}", f"SCALE = {mechanism.scale / 2!r}")
        assert weak != script
        with pytest.raises(SystemExit):
            run(weak)
        said = capsys.readouterr()
        assert "charges epsilon = 3" in said.err
        assert said.out == ""


def test_the_order_of_the_file_tells_nothing(run):
    """Ties would be broken in it, and the app writes it by the true counts."""
    for mechanism in (Laplace(3, 1.5, max_items=2), PNFPeel(3, 1.5)):
        script = opendp_script(mechanism) + "\nprint(items, [*map(int, counts)])"
        (*_, last), _ = run(script, "item,users\nb,4\nc,3\na,2\n")
        assert last == "['a', 'b', 'c'] [2, 4, 3]"


def test_no_script_relies_on_a_threshold_of_opendp():
    """Its delta is reported too small (OpenDP issue 2922)."""
    for mechanism in every():
        assert "threshold" not in (opendp_script(mechanism) or "").lower()
