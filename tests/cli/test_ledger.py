"""The command `dptopk ledger`: made once, shown, and asked what a plan would leave."""

import pytest

from dptopk import Joint, Ledger, load_dataset

MADE = ("ledger", "create", "b.sqlite", "--epsilon", 2, "--delta", "1e-6", "--protects", "one user")


def test_a_ledger_is_made_and_says_what_it_promises(run):
    ran = run(*MADE)
    assert (ran.code, ran.out) == (0, b"")
    assert "b.sqlite was made. Protects: one user. Of all releases together" in ran.err
    assert "ε = 2 is left, or ρ = 0.0834 of zCDP for many small releases, and δ = 5e-7" in ran.err
    assert (Ledger.open("b.sqlite").epsilon, Ledger.open("b.sqlite").delta) == (2, 1e-6)


def test_delta_of_releases_and_neighbors_can_be_chosen(run):
    assert run(*MADE, "--own-delta", "1e-6", "--neighbors", "swap").code == 0
    ledger = Ledger.open("b.sqlite")
    assert ledger.left.delta == 1e-6
    assert ledger.left.rho == 0
    assert ledger.neighbors.value == "swap"


@pytest.mark.parametrize(
    ("changed", "code", "message"),
    [
        ((*MADE, "--epsilon", "0"), 2, "epsilon"),
        ((*MADE, "--protects", " "), 2, "protects must say something"),
        (MADE[:-2], 2, "Missing option '--protects'"),
        (("ledger", "show", "none.sqlite"), 6, "there is no such file"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(run, changed, code, message):
    ran = run(*changed)
    assert ran.code == code
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def test_it_is_made_once(run):
    run(*MADE)
    ran = run(*MADE)
    assert ran.code == 6
    assert "is there already" in ran.err


def test_what_was_entered_is_shown_with_what_is_left(run):
    run(*MADE)
    assert run("ledger", "show", "b.sqlite", "--format", "json").json == []
    Ledger.open("b.sqlite").enter(load_dataset("games"), Joint(10, 0.5), "Games of 2026")
    ran = run("ledger", "show", "b.sqlite")
    (row,) = ran.table.to_dict("records")
    assert (row["release"], row["mechanism"], row["k"]) == (1, "Joint", 10)
    assert (row["epsilon"], row["rho"], row["data"]) == (0.5, 0.03125, "Games of 2026")
    assert "1 release so far; ε = 1.5 is left" in ran.err


def test_a_plan_says_what_fits_and_what_would_fit(run):
    run(*MADE)
    asked = ("ledger", "show", "b.sqlite", "--plan", 52, "--mechanism", "joint", "-k", 10)
    ran = run(*asked, "--epsilon", "0.2")
    assert ran.table["fits"].tolist() == ["yes"] * 16 + ["no"] * 36
    assert "with ε = 0.2 each the first 16 fit; nothing is entered" in ran.err
    assert "The largest ε of each with which all of them fit: 0.1133." in ran.err
    largest = run(*asked)
    assert set(largest.table["epsilon"]) == {0.1133}
    assert set(largest.table["fits"]) == {"yes"}
    assert run("ledger", "show", "b.sqlite").table.empty


def test_a_plan_needs_a_mechanism_and_room(run):
    run(*MADE)
    assert run("ledger", "show", "b.sqlite", "--plan", 2).code == 2
    Ledger.open("b.sqlite").enter(load_dataset("games"), Joint(10, 2.0))
    plan = ("ledger", "show", "b.sqlite", "--plan", 2, "--mechanism", "PNFJoint")
    ran = run(*plan)
    assert ran.code == 6
    assert "no ε is small enough" in ran.err
