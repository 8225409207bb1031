"""Test that the command line reads and writes the same texts as the app."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dptopk import MECHANISMS
from dptopk.accounting.delta_advice import advice
from dptopk.cli.group import SHORT
from dptopk.mechanisms.selections import fits
from dptopk.questions.release import NOT_PUBLIC


def test_help_shows_every_line_of_the_examples_and_no_escaped_character(run):
    for name in ("", *SHORT):
        text = run(*name.split(), "--help").out.decode()
        assert "\b" not in text
        assert "\\" not in text, name
        taught = re.findall(r"^ +dptopk [a-z]+", text, re.MULTILINE)
        assert len(taught) == text.count("  dptopk ")
        assert taught


def test_what_was_done_to_a_file_is_said_and_kept(run):
    lines = ["Sales of spring", "", "item;buyers", "tea;1.200", "milk;2.300,5", "jam;300"]
    lines.append("Total;3.800,5")
    Path("shop.csv").write_text("\n".join(lines), "utf-8")
    asked = ("release", "--data", "shop.csv", "-k", 2, "--answer", "rounding=down")
    ran = run(*asked, "--format", "json")
    rows, largest, left_out, *of_data, last, defaults = ran.err.splitlines()
    assert (rows, largest[:22]) == ("4 rows, 3 items.", 'Largest counts: "milk"')
    assert left_out.startswith("Left out: 1 row.")
    assert defaults.startswith("By default ")
    assert (ran.json["data_read"], last) == (of_data, NOT_PUBLIC)  # which quote no count
    for words in ("above the table", "a total", "thousands", "Item list:"):
        assert words in " ".join(of_data)
    ran = run("release", "-k", 2)
    assert ran.err == f"{NOT_PUBLIC}\nBy default ε = 1, δ = 1e-6: set with --epsilon, --delta.\n"
    assert ran.table["note"].str.startswith(NOT_PUBLIC).all()


def test_delta_is_judged_by_a_number_of_users(run):
    asked = ("release", "-k", 2, "--mechanisms", "CDPPeel", "--data", "typed")
    ran = run(*asked, "--set", "users=40000", "--format", "json")
    assert ran.json["delta_judged"] == advice(1e-6, 40_000, 1).sentence
    assert ran.json["delta_judged"] in ran.err
    assert "have no δ" in run("release", "-k", 2, "--mechanisms", "Joint", "--set", "users=9").err
    log = "\n".join(["user,item", *(f"u{i},{i % 3}" for i in range(50))])
    Path("log.csv").write_text(log, "utf-8")
    ran = run("release", "-k", 2, "--data", "log.csv", "--answer", "rows=users", "--delta", "0.01")
    assert "too large for 50 users" in ran.err


def test_three_answers_choose_the_mechanisms_that_fit(run):
    ran = run("release", "-k", 2, "--order", "any", "--delta-allowed", "no", "--items-known", "yes")
    asked_for = {"ordered": False, "delta": False, "known": True}
    fitting = {mechanism.name for mechanism in MECHANISMS.values() if fits(mechanism, **asked_for)}
    assert set(ran.table["mechanism"]) <= fitting
    assert len(set(ran.table["mechanism"])) > 1
    both = run("release", "--order", "any", "--mechanisms", "Joint")
    assert (both.code, both.out) == (2, b"")


@pytest.mark.parametrize("given", ["--total-epsilon 2", "--across k", "--across delta"])
def test_where_no_delta_is_allowed_a_series_has_a_pure_total(run, given):
    asked = ("epsilon", "--order", "any", "--delta-allowed", "none", "--releases", 12)
    asked = (*asked, *given.split())
    saved = () if "--total-epsilon" not in given else ("--save", "settings.json")
    found = run(*asked, *saved)
    frame = found.table
    assert set(frame["delta_together"]) == {0}
    at_k = frame if "k" not in frame else frame[frame["k"] == 10]
    totals = at_k.set_index("mechanism")["epsilon_together"].round(3)
    assert totals["Inverse sensitivity"] == 1.068  # with δ = 1e-6 it were 0.621, and cheapest
    assert totals["PNF inverse sensitivity"] == 1.052 == totals.min()
    assert "δ = 1e-6" not in found.err
    if saved:
        assert frame["epsilon_each_of_total"].tolist() == pytest.approx([1 / 6] * len(frame))
        pd.testing.assert_frame_equal(run("run", "settings.json").table, frame)


def test_a_delta_is_refused_where_none_is_allowed(run):
    for delta in (["--delta", 1e-6], ["--set", "delta=1e-6"]):
        refused = run("compare", "--delta-allowed", "none", *delta)
        assert (refused.code, refused.out) == (2, b"")
        assert "--delta-allowed none leaves no δ: leave --delta out." in refused.err
    allowed = ("compare", "-k", 3, "--runs", 5, "--delta-allowed", "none", "--delta", 0)
    assert run(*allowed).code == 0


def test_short_calculations_are_read_as_in_the_app(run):
    ran = run(
        *("release", "-k", 2, "--mechanisms", "CDPPeel", "--format", "json"),
        *("--epsilon", "ln 3", "--set", "delta=1/40000"),
    )
    assert ran.json["settings"]["epsilon"] == math.log(3)
    assert ran.json["settings"]["delta"] == 1 / 40_000
    assert run("release", "--delta", "2^-20", "-k", 2).code == 0


TYPED = "-k 2 --mechanisms Joint --data typed --set typed=60,40,20"


@pytest.mark.parametrize(
    ("asked", "chance"),
    [
        (f"compare {TYPED} --epsilon 2 --runs 20", r"100% \[\d\d\.\d%, 100%\]"),
        (f"epsilon {TYPED}", r"  exact +95\.0%  +the right 2 items"),
        ("exact --vector 10,5,1,1 --epsilon 20 --draws 0 --mechanisms Joint", r" \d\.\de-\d+\n"),
        (f"winners {TYPED} --set measure=exact_set --runs 10", "> 99.9999%"),
    ],
)
def test_chances_to_read_are_written_as_in_the_app_and_files_hold_numbers(run, asked, chance):
    text, table = run(*asked.split(), "--format", "text").out.decode(), run(*asked.split()).table
    assert re.search(chance, text), text
    assert "> 99.9999%" in text or asked.startswith("epsilon")  # no false certainty
    assert not re.search(r"\d%", table.drop(columns=["note"], errors="ignore").to_csv())


def test_an_epsilon_that_was_found_is_no_setting(run):
    asked = ("epsilon", "-k", 3, "--mechanisms", "Joint")
    text = run(*asked, "--format", "text").out.decode()
    assert "k = 3" in text
    assert "ε =" not in text.splitlines()[0]
    assert "epsilon" not in run(*asked, "--format", "json").json["settings"]


def test_columns_are_asked_for_and_can_be_named(run):
    rows = "".join(f"{1_000_001 + i // 2},{'XYZ'[i % 3]}\n" for i in range(300))
    Path("cases.csv").write_text(f"Fallnummer,Diagnose\n{rows}", "utf-8")
    ran = run("release", "--data", "cases.csv", "-k", 2)
    assert (ran.code, ran.out) == (3, b"")
    for words in ("--answer rows=users", "--answer rows=events", "--users", '"Fallnummer"'):
        assert words in ran.err
    asked = ("release", "--data", "cases.csv", "-k", 2, "--format", "json")
    named = ("--users", "Fallnummer", "--item-column", "Diagnose", "--counts", "none")
    both = [run(*asked, *how).json["rows"] for how in (("--answer", "rows=users"), named)]
    assert both[0] == both[1]
    wrong = run("release", "--data", "cases.csv", "--users", "nobody")
    assert "There is no column 'nobody'" in wrong.err


def test_a_bound_on_the_items_of_a_user_is_kept_of_a_log_and_said_of_counts(run):
    rng = np.random.default_rng(0)
    rows = [f"u{u},i{i}" for u in range(200) for i in rng.choice(20, rng.integers(1, 15), False)]
    Path("log.csv").write_text("\n".join(["user,item", *rows]), "utf-8")
    asked = ("compare", "-k", 8, "--runs", 20, "--mechanisms", "Laplace", "--set", "max_items=3")
    ran = run(*asked, "--data", "log.csv", "--users", "user", "--save", "s.json")
    assert "At most 3 items of each user" in ran.err
    assert "For the counts after a limit of 3 items per user." in ran.out.decode()
    handed = run(
        *("handover", "-k", 8, "--mechanisms", "Laplace", "--set", "max_items=3"),
        *("--data", "log.csv", "--users", "user", "--record", "record.yaml"),
    )
    assert "At most 3 items of each user" in handed.out.decode()
    record = Path("record.yaml").read_text("utf-8")
    assert "Of each user at most 3 items counted." in record
    assert "were left out" not in record  # it is published, and no noise protects that
    needless = run(
        *("release", "-k", "2,3", "--mechanisms", "Laplace", "--set", "max_items=3"),
        *("--data", "log.csv", "--users", "user"),
    )  # at k = 3 noise of scale k / epsilon is enough whatever a user has
    assert needless.code == 0, needless.err
    assert "of each user were kept" not in needless.err
    assert "after a cut" not in needless.out.decode()
    again = run("run", "s.json", "--data", "log.csv")
    assert again.table.equals(ran.table)
    saved = json.loads(Path("s.json").read_text("utf-8"))
    del saved["data"]["read"]["max_items"]
    Path("s.json").write_text(json.dumps(saved), "utf-8")
    whole = run("run", "s.json", "--data", "log.csv")
    assert (whole.code, whole.out) == (3, b"")  # other counts than those saved
    aggregated = run(*asked, "--format", "text")
    told = "It is assumed that no user counts for more than 3 items"
    assert told in aggregated.out.decode()
    assert told not in run(*asked[:-2], "--format", "text").out.decode()
