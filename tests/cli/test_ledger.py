"""Test the command `dptopk ledger`: creation, display, and plans of releases."""

import pytest

from dptopk import Joint, Ledger, StableSet, load_dataset
from dptopk.core.numerals import as_typed

MADE = ("ledger", "create", "b.sqlite", "--epsilon", 2, "--delta", "1e-6", "--protects", "one user")
NEW = ("ledger", "create", "new.sqlite", *MADE[3:])


@pytest.fixture
def made(run):
    """The command line beside a ledger, b.sqlite."""
    assert run(*MADE).code == 0
    return run


def test_a_ledger_is_made_and_says_what_it_promises(run):
    ran = run(*MADE)
    assert (ran.code, ran.out) == (0, b"")
    assert "Created b.sqlite. Protects: one user. Guarantee of all releases together: " in ran.err
    assert "ε = 2 is left, or ρ = 0.0834 of zCDP, and δ = 5e-7 for releases with a δ." in ran.err
    assert "the ε of all releases add up to at most 2, or their ρ to at most 0.0834." in ran.err
    assert (Ledger.open("b.sqlite").epsilon, Ledger.open("b.sqlite").delta) == (2, 1e-6)


def test_delta_of_releases_and_neighbors_can_be_chosen(run):
    assert run(*MADE, "--own-delta", "1e-6", "--neighbors", "swap").code == 0
    ledger = Ledger.open("b.sqlite")
    assert ledger.left.delta == 1e-6
    assert ledger.left.rho == 0
    assert ledger.neighbors.value == "swap"


@pytest.mark.parametrize(
    ("delta", "own"),
    [("1e-3", "3e-4"), ("7e-6", "3e-7"), ("0.3", "0.1"), ("1e-6", "1.2345671e-7")],
)
def test_delta_of_releases_is_the_decimal_that_was_typed(run, delta, own):
    assert run(*NEW, "--delta", delta, "--own-delta", own).code == 0
    ledger = Ledger.open("new.sqlite")
    assert ledger.filter.own_delta == as_typed(float(own))
    mechanism = StableSet(2, 0.1, float(own))
    assert [one.admitted for one in ledger.plan(mechanism, 2)] == [True, False]


NOTE, SHOW = ("ledger", "annotate", "b.sqlite"), ("ledger", "show", "b.sqlite")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((*NEW, "--epsilon", "0"), 2, "epsilon"),
        ((*NEW, "--own-delta", "1e-3"), 2, "--own-delta must be at most --delta, 1e-6, got 0.001"),
        ((*NEW, "--protects", " "), 2, "protects must say something"),
        (NEW[:-2], 2, "Missing option '--protects'"),
        (MADE, 6, "already exists"),
        (("ledger", "show", "none.sqlite"), 6, "there is no such file; dptopk ledger create"),
        ((*SHOW, "-o", "./b.sqlite", "--format", "csv"), 2, "would overwrite the file of LEDGER"),
        (("datasets", "-o", "b.sqlite", "--format", "csv"), 5, "would overwrite a database: name"),
        ((*NOTE, 2, "wrong"), 6, "b.sqlite has no release 2"),
        ((*NOTE, 0, "wrong"), 2, "NUMBER"),
        ((*NOTE, 1, " "), 2, "text must say something"),
        ((*NOTE, 1, "wrong", "--author", "a" * 501), 2, "author must be at most 500"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(made, arguments, code, message):
    Ledger.open("b.sqlite").enter(load_dataset("games"), Joint(10, 0.5))
    ran = made(*arguments)
    assert (ran.code, len(ran.err.strip().splitlines())) == (code, 1)
    assert message in ran.err
    assert len(Ledger.open("b.sqlite").entries) == 1


def test_what_was_entered_is_shown_with_what_is_left(made):
    assert made("ledger", "show", "b.sqlite", "--format", "json").json == []
    Ledger.open("b.sqlite").enter(load_dataset("games"), Joint(10, 0.5), "Games of 2026")
    ran = made("ledger", "show", "b.sqlite")
    (row,) = ran.table.to_dict("records")
    assert (row["release"], row["mechanism"], row["k"]) == (1, "Joint", 10)
    assert (row["epsilon"], row["rho"], row["data"]) == (0.5, 0.03125, "Games of 2026")
    assert "1 release so far; ε = 1.5 is left" in ran.err


def test_a_plan_says_what_fits_and_what_would_fit(made):
    asked = ("ledger", "show", "b.sqlite", "--plan", 52, "--mechanism", "joint", "-k", 10)
    ran = made(*asked, "--epsilon", "0.2", "--all")
    assert ran.table["fits"].tolist() == ["yes"] * 16 + ["no"] * 36
    short = made(*asked, "--epsilon", "0.2")
    assert short.table["release"].tolist() == [1, 2, 3, 13, 16, 17, 26, 39, 52]
    assert short.table["fits"].tolist() == ["yes"] * 5 + ["no"] * 4
    assert "9 of 52 rows are shown; --all shows them all." in short.err
    assert "dptopk epsilon --total-epsilon uses its whole δ" in short.err
    assert "k = 10, ε = 0.2 each: the first 16 fit. Nothing was entered." in ran.err
    assert "The largest ε at which all of them fit: 0.1133 each." in ran.err
    largest = made(*asked)
    assert set(largest.table["epsilon"]) == {0.1133}
    assert set(largest.table["fits"]) == {"yes"}
    assert "By default" not in largest.err
    assert "By default k = 10: set with -k.\n52 releases of Joint, k = 10" in made(*asked[:-2]).err
    assert made("ledger", "show", "b.sqlite").table.empty


def test_a_plan_needs_a_mechanism_and_room(made):
    assert made("ledger", "show", "b.sqlite", "--plan", 2).code == 2
    assert "--all is of releases that are" in made("ledger", "show", "b.sqlite", "--all").err
    assert "-k is of releases that" in made("ledger", "show", "b.sqlite", "-k", 2).err
    Ledger.open("b.sqlite").enter(load_dataset("games"), Joint(10, 2.0))
    plan = ("ledger", "show", "b.sqlite", "--plan", 2, "--mechanism", "PNFJoint")
    ran = made(*plan)
    assert ran.code == 6
    assert "no ε of PNFJoint is small enough; nothing is left" in ran.err


def test_a_delta_that_does_not_fit_is_what_is_said_of_a_plan(made):
    plan = ("ledger", "show", "b.sqlite", "--plan", 3, "--mechanism", "StableSet", "-k", 5)
    assert "Stable set has a δ: give --delta" in made(*plan).err
    ran = made(*plan, "--delta", "1e-6")
    assert ran.code == 6
    assert "at any ε, δ = 1e-6 is too large for 3 releases, 3e-6 together: δ = 5e-7 is" in ran.err
    assert "so at most 1.66e-7 each fits (5e-7 of the ledger's 1e-6 is set aside" in ran.err
    assert made(*plan, "--delta", "1.66e-7").code == 0
    assert "At any ε, δ = 1e-6 is too large" in made(*plan, "--delta", "1e-6", "--epsilon", 0.1).err


def test_a_price_that_is_not_the_epsilon_asked_for_is_explained(made):
    plan = ("ledger", "show", "b.sqlite", "--plan", 2, "-k", 10, "--epsilon", 0.5)
    peel = made(*plan, "--mechanism", "CDPPeel", "--delta", "1e-7")
    assert peel.table["epsilon"][0] > 0.5
    assert "ε = 0.5 with δ = 1e-7 is the guarantee of this release on its own" in peel.err
    assert "counts its 10 rounds one by one, which need no δ of their own." in peel.err
    assert "guarantee of this release on its own" not in made(*plan, "--mechanism", "Joint").err


def test_zcdp_that_is_left_is_not_called_nothing(made):
    ledger = Ledger.open("b.sqlite")
    for _ in range(41):
        ledger.enter(load_dataset("games"), Joint(10, 0.05))
    ran = made("ledger", "show", "b.sqlite")
    words = "41 releases so far; the sum of ε has reached its limit, and ρ = 0.0706 of zCDP is left"
    assert words in ran.err
    assert "ε = 0 is left" not in ran.err


def test_a_release_is_annotated_and_stays_paid(made):
    Ledger.open("b.sqlite").enter(load_dataset("games"), Joint(10, 0.5), purpose="a report")
    ran = made("ledger", "annotate", "b.sqlite", 1, "withdrawn: wrong data", "--author", "Ada")
    assert (ran.code, ran.out) == (0, b"")
    assert "Release 1 of b.sqlite was annotated: withdrawn: wrong data (Ada, 2" in ran.err
    (row,) = made("ledger", "show", "b.sqlite", "--format", "json").json
    assert (row["purpose"], row["author"], row["epsilon"]) == ("a report", "", 0.5)
    assert row["annotations"].startswith("withdrawn: wrong data (Ada, 2")
    shown = made("ledger", "show", "b.sqlite")
    assert "withdrawn: wrong data" in shown.table["annotations"][0]
    assert "ε = 1.5 is left" in shown.err
