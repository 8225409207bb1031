"""Test the command `dptopk discover` against Python, and one release beside the truth."""

import numpy as np
import pandas as pd
import pytest

from dptopk import (
    CDPPeel,
    DividedBudget,
    Joint,
    counts_by_bound,
    discover_items,
    discover_then_select,
    errors_by_share,
    items_found_by_bound,
)
from dptopk.tuning import discovery_then_selection

COLUMNS = ("--user", "who", "--item", "what")


@pytest.fixture
def log(run) -> pd.DataFrame:
    """Events of 300 users, whose numbers of items differ much, as log.csv."""
    rng = np.random.default_rng(5)
    rows = [
        (f"u{user}", f"i{item:02}")
        for user in range(300)
        for item in set(np.minimum(rng.geometric(0.15, rng.geometric(0.2)), 30).tolist())
    ]
    found = pd.DataFrame(rows, columns=["who", "what"])
    found.to_csv("log.csv", index=False)
    return found


def test_the_table_is_that_of_python_with_the_bound_that_is_named(run, log):
    ran = run("discover", "log.csv", *COLUMNS, "-k", 3, "--max-items", 4, "--format", "json")
    by_bound = counts_by_bound(log, "who", "what")
    bounds = sorted({*by_bound.bounds, 4})
    with_four = counts_by_bound(log, "who", "what", bounds=bounds)
    wanted = items_found_by_bound(with_four, 1.0, 1e-6, 3)
    rows = pd.DataFrame(ran.json["rows"])
    assert rows["max_items"].tolist() == wanted["max_items"].tolist() == bounds * 2
    for column in ("sigma", "threshold", "expected", "counts_kept", "all_of_top_k"):
        assert rows[column].to_numpy() == pytest.approx(wanted[column].to_numpy())
    settings = {"k": 3, "epsilon": 1.0, "delta": 1e-6, "neighbors": "add-remove"}
    assert ran.json["settings"] == settings
    best = wanted[wanted["weighted"]].sort_values("counts_kept").iloc[-1]
    n_items = log["what"].nunique()
    assert (
        "The bounds that keep most of the counts: weighted, at most "
        f"{best['max_items']:.0f} items of each user: on average "
        f"{best['expected']:,.1f} of {n_items} items are found, while the "
        f"{n_items - best['expected']:,.1f} missed have {1 - best['counts_kept']:.1%} of all "
        "counts"
    ) in ran.err
    assert "is not protected" in ran.err
    assert "By default ε = 1, δ = 1e-6: set with --epsilon, --delta." in ran.err


def test_a_bound_above_what_users_have_is_a_row_too(run, log):
    ran = run("discover", "log.csv", *COLUMNS, "-k", 3, "--max-items", 500)
    assert ran.table["max_items"].max() == 500


@pytest.mark.parametrize("flags", [(), ("--unweighted",)])
def test_a_release_is_that_of_python_beside_the_truth(run, log, flags):
    asked = ("--epsilon", 2, "--max-items", 3, "--release", "--seed", 9, *flags)
    ran = run("discover", "log.csv", *COLUMNS, *asked)
    rng = np.random.default_rng(9)
    wanted = discover_items("log.csv", "who", "what", 2.0, 1e-6, 3, rng, weighted=not flags)
    assert ran.table["item"].tolist() == [*wanted.items] != []
    assert ran.table["amount"].to_numpy() == pytest.approx(wanted.amounts)
    users = log.drop_duplicates().groupby("what")["who"].nunique()
    assert ran.table["users"].tolist() == users[[*wanted.items]].tolist()
    assert "Not for a real release: unnoised, users and what is missed are true numbers" in ran.err
    missed, kept = len(users) - len(wanted.items), users[[*wanted.items]].sum() / users.sum()
    said = f"Missed: {missed} of {len(users)} items, with {1 - kept:.1%} of all counts."
    assert said in ran.err
    assert "Adding or removing one user" in ran.err


@pytest.mark.parametrize(
    "part", [(), ("--release", "--max-items", 3), ("--select", "joint", "-k", 2)]
)
def test_it_is_said_once_that_a_name_may_be_that_of_a_person(run, log, part):
    said = "published as they stand: a free text may itself name a person, whom the guarantee"
    assert run("discover", "log.csv", *COLUMNS, *part).err.count(said) == 1
    assert "a free text, such as" in run("discover", "--help").out.decode()


def test_nothing_found_is_an_empty_table(run, log):
    asked = ("--epsilon", 0.01, "--max-items", 3, "--release", "--format", "json")
    assert run("discover", "log.csv", *COLUMNS, *asked).json["rows"] == []


def test_a_selection_is_compared_for_every_share_as_in_python(run, log):
    asked = ("-k", 3, "--select", "joint,cdppeel", "--share", 0.45, "--runs", 20, "--seed", 4)
    ran = run("discover", "log.csv", *COLUMNS, *asked, "--epsilon", 2, "--format", "json")
    shares = sorted({*discovery_then_selection.SHARES, 0.45})
    by_bound, chosen = counts_by_bound(log, "who", "what"), [Joint(3, 2.0), CDPPeel(3, 2.0, 0.5)]
    wanted = errors_by_share(by_bound, chosen, 1e-6, shares, n=20, seed=4)
    rows = pd.DataFrame(ran.json["rows"])
    assert rows["share"].tolist() == shares * 2
    for column in ("mechanism", "max_items", "weighted", "is_exact", "is_best"):
        assert rows[column].tolist() == wanted[column].tolist()
    for column in ("not_found", "not_selected", "wrong", "wrong_low", "wrong_high"):
        assert rows[column].to_numpy() == pytest.approx(wanted[column].to_numpy())
    assert ran.json["settings"]["select"] == "Joint, CDP-Peel"
    assert "Fewest places lost: " in ran.err
    assert "half and half" in ran.err or "50% of ε" in ran.err
    assert "choose mechanism, share and bound on public data" in ran.err


def test_a_bound_that_is_named_is_that_of_every_share(run, log):
    asked = ("-k", 3, "--select", "joint", "--max-items", 4, "--runs", 2)
    assert set(run("discover", "log.csv", *COLUMNS, *asked).table["max_items"]) == {4}


@pytest.mark.parametrize(("more", "share"), [((), 0.5), (("--share", 0.7), 0.7)])
def test_a_selection_that_is_released_is_that_of_python(run, log, more, share):
    asked = ("-k", 3, "--epsilon", 4, "--select", "joint", "--max-items", 3, "--release", *more)
    ran = run("discover", "log.csv", *COLUMNS, *asked, "--seed", 9)
    budget = DividedBudget.of(Joint(3, 4.0), 1e-6, 3, share)
    wanted = discover_then_select("log.csv", "who", "what", budget, np.random.default_rng(9))
    table = ran.table
    assert table["item"][table["selected"]].tolist() == [*wanted.items]
    assert len(wanted) == 3
    assert sorted(table["item"]) == sorted(wanted.found.items)
    users = log.drop_duplicates().groupby("what")["who"].nunique()
    assert table["users"].tolist() == users[table["item"]].tolist()
    assert "Joint selected 3 with ε = " in ran.err
    assert "by a factor of at most e^4" in ran.err
    assert "Not for a real release" in ran.err


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--release",), 2, "--release takes the bound on the items of a user: add --max-items."),
        (("--unweighted",), 2, "--unweighted is of --release: give that, or leave"),
        (("--seed", 1), 2, "--seed is of --release or --select: give that, or leave"),
        (("--runs", 9), 2, "--runs is of --select alone: give that"),
        (("--release", "--max-items", 3, "-k", 2), 2, "-k is of --release with --select: give"),
        (("--share", 0.5), 2, "--share divides ε with a selection: add --select."),
        (("--select", "joint", "--share", 1), 2, "--share"),
        (("--select", "nothing"), 2, "'nothing'"),
        (("--select", "thresholdedlaplace"), 2, "users of any number of items"),
        (("--select", "joint,pnfpeel", "--release", "--max-items", 3), 2, "takes one mechanism"),
        (("--delta", "0"), 2, "delta must be above 0 and at most 0.2"),
        (("--where", "x = "), 2, "where must be a condition"),
        (("-k", 9_999), 2, "k must be in"),
        (("--max-items", 0), 2, "--max-items"),
    ],
)
def test_what_is_wrong_is_said(run, log, options, code, words):
    ran = run("discover", "log.csv", *COLUMNS, *options)
    assert (ran.code, ran.out) == (code, b"")
    assert words in ran.err


def test_columns_must_be_named_and_be_there(run, log):
    assert "add --item" in run("discover", "log.csv", "--user", "who").err
    ran = run("discover", "log.csv", "--user", "who", "--item", "which")
    assert ran.code == 3
    assert "item must be a column of the log, got 'which'" in ran.err
