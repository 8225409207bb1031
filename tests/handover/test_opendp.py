"""The scripts run by themselves, and OpenDP's ledger says what it should."""

import math
import re
import subprocess
import sys

import pytest

from dptopk import CDPPeel, EMPeel, Joint, NeighborRelation, PNFPeel
from dptopk.handover import opendp_script
from dptopk.ingest import Contribution
from dptopk.mechanisms import MECHANISMS

ROWS = [("a, b", 9_000), ("=b", 6_000), ("c", 3_000), ("d", 0)]
SWAP = NeighborRelation.SWAP


def run(script: str, folder) -> tuple[list[str], str]:
    table = folder / "counts.csv"
    lines = "\n".join(f'"{item}",{count}' for item, count in ROWS)
    table.write_text(f"item,users\n{lines}\n", encoding="utf-8")
    (folder / "release.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-I", str(folder / "release.py"), str(table)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("neighbors", NeighborRelation)
def test_a_script_speaks_of_a_user_only_where_one_is_protected(neighbors):
    mechanism = PNFPeel(3, 1.5, neighbors)
    script = opendp_script(mechanism, "units of qty", Contribution.SEVERAL)
    compile(script, "release.py", "exec")
    said = " ".join(script.split())
    assert "at most one unit of qty of each item: no promise holds for one user" in said
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
def test_permute_and_flip_is_charged_the_same_by_both(tmp_path, neighbors):
    items, ledgers = run(opendp_script(PNFPeel(3, 1.5, neighbors)), tmp_path)
    assert items == ["a, b", "=b", "c"]  # gaps of a hundred noise scales
    (theirs,) = re.findall(r"OpenDP's ledger: epsilon = (\S+)", ledgers)
    assert float(theirs) == pytest.approx(1.5, rel=1e-9)
    assert "dptopk's ledger: epsilon = 1.5, delta = 0.0" in ledgers


@pytest.mark.parametrize("mechanism", [CDPPeel(2, 1.0, 1e-6), CDPPeel(1, 1.0, 1e-6, SWAP)], ids=str)
def test_gumbel_noise_is_charged_by_rho_and_no_more_than_ours(tmp_path, mechanism):
    items, ledgers = run(opendp_script(mechanism), tmp_path)
    assert items == ["a, b", "=b"][: mechanism.k]
    (rho,) = re.findall(r"rho = (\S+) ", ledgers)
    eta = mechanism.local_epsilon * mechanism.neighbors.spread
    assert float(rho) == pytest.approx(mechanism.k * eta**2 / 8, rel=1e-9)
    (epsilon,) = re.findall(r"that is epsilon = (\S+) at delta = 1e-06", ledgers)
    pure = mechanism.k * eta  # where this is less, OpenDP's ledger does not see it
    assert min(float(epsilon), pure) <= 1.0 + 1e-9


def test_without_delta_opendp_says_rho_alone(tmp_path):
    _, ledgers = run(opendp_script(EMPeel(2, 1.0)), tmp_path)
    assert re.findall(r"rho = (\S+) ", ledgers) == [str(2 * 0.5**2 / 8)]
    assert "that is" not in ledgers
    assert math.isclose(EMPeel(2, 1.0).scale, 2.0)


def test_what_opendp_does_not_have_gets_no_script():
    assert opendp_script(Joint(2, 1.0)) is None
    able = [mechanism for mechanism in MECHANISMS.values() if mechanism.elsewhere]
    assert able == [PNFPeel, CDPPeel, EMPeel]
