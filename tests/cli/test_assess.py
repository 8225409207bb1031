"""Test the command `dptopk assess` against `assess_list`, and its error messages."""

import datetime
from pathlib import Path

import numpy as np
import pytest

from dptopk import ItemCounts, Joint, LimitedDomain, PNFPeel, assess_list, load_dataset
from dptopk.publishing.registry_record import registry_record

GAMES = load_dataset("games")
TOP = [GAMES.items[position] for position in GAMES.order[:3]]
ASKED = ("assess", "top.csv", "--record", "r.yaml")


def publish(mechanism, names=TOP) -> None:
    """Write a list and its record as `dptopk publish` does."""
    date = datetime.date(2026, 3, 1)
    record = registry_record(mechanism, "games", n_items=None, public=True, date=date)
    Path("top.csv").write_text("\n".join(["item", *names]), "utf-8")
    Path("r.yaml").write_text(record, "utf-8")


@pytest.mark.parametrize("mechanism", [Joint(3, 0.02), PNFPeel(3, 0.02)], ids=str)
def test_an_assessment_has_the_numbers_of_python(run, mechanism):
    publish(mechanism)
    ran = run(*ASKED, "--data", "games", "--seed", 3)
    expected = assess_list(GAMES, mechanism, TOP, seed=3).frame
    assert ran.table["item"].tolist() == TOP
    for column in expected.columns[2:]:
        np.testing.assert_allclose(ran.table[column], expected[column].astype(float))
    assert "names belong to the true top 3 on average" in ran.err
    assert "whatever name stands there" in ran.err
    assert ("runs" in ran.table) is isinstance(mechanism, PNFPeel)


def test_all_draws_that_are_right_are_no_certainty(run):
    publish(LimitedDomain(3, 4.0, 1e-6))
    ran = run(*ASKED, "--data", "games")
    assert "> 2.999 of 3 names" in ran.err
    assert "all of them in 100% [99.9616%, 100%] of releases" in ran.err
    publish(Joint(3, 4.0))
    assert "all of them in > 99.9999% of releases" in run(*ASKED, "--data", "games").err


def test_names_that_are_not_among_the_supposed_counts_are_said(run):
    publish(Joint(3, 0.02), ["ash", "elm", "oak"])
    ran = run(*ASKED, "--data", "games")
    assert ran.code == 0, ran.err
    assert "The supposed counts have none of the names, so only their shape is used" in ran.err
    assert "released at that count" not in ran.err
    publish(Joint(5, 0.02), [TOP[0], "ash", "elm", "oak", TOP[1].upper()])
    ran = run(*ASKED, "--data", "games")
    assert 'lack 4 of the 5 names ("ash", "elm", "oak" and 1 more)' in ran.err
    assert "do not say that these names belong" in ran.err
    assert (
        f'Some differ from supposed ones only in upper and lower case: "{TOP[1].upper()}".'
        in ran.err
    )


def test_the_record_beside_the_list_is_read_unless_another_is_named(run):
    publish(Joint(3, 0.02))
    asked = ("assess", "top.csv", "--data", "games")
    ran = run(*asked)
    assert (ran.code, ran.out) == (2, b"")
    assert "there is no top-record.yaml: name the record of top.csv with --record." in ran.err
    Path("r.yaml").rename("top-record.yaml")
    ran = run(*asked)
    assert ran.table["item"].tolist() == TOP


def test_supposed_counts_are_those_of_the_public_list(run):
    """The third game is not on it, so the fourth has its rank; what is new counts 0."""
    mechanism, fourth = Joint(3, 0.02), GAMES.items[GAMES.order[3]]
    names = [*TOP[:2], "new"]
    publish(mechanism, names)
    known = [GAMES.items[i] for i in GAMES.order[:500]]
    listed = [name for name in known if name != TOP[2]] + ["new"]
    Path("public.txt").write_text("\n".join(listed), "utf-8")
    ran = run(*ASKED, "--data", "games", "--items", "public.txt")
    counts = ItemCounts([*(dict(GAMES)[name] for name in listed[:-1]), 0], listed)
    assert counts.items[counts.order[2]] == fourth
    expected = assess_list(counts, mechanism, names).frame
    assert ran.table["supposed count"].tolist() == expected["supposed count"].tolist()
    assert ran.table["supposed count"].iloc[-1] == 0
    column = "in the true top 3"
    np.testing.assert_allclose(ran.table[column], expected[column].astype(float))


@pytest.mark.parametrize(
    ("names", "more", "code", "message"),
    [
        (TOP[:2], ("--data", "games"), 4, "items must be 3 names, as Joint with k = 3 releases"),
        (TOP, (), 2, "name the supposed counts"),
        (["a", "a", "b"], ("--data", "games"), 3, "top.csv: the list has 'a' twice"),
        (TOP, ("--data", "games", "--record", "top.csv"), 2, "top.csv"),
        (TOP, ("--data", "games", "--record", "none.yaml"), 3, "none.yaml cannot be read"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(run, names, more, code, message):
    publish(Joint(3, 0.5), names)
    ran = run(*ASKED, *more)
    assert ran.code == code
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
