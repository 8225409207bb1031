"""What the app says and reads, the command line says and reads as well."""

import math
import re
from pathlib import Path

from dptopk import MECHANISMS
from dptopk.cli.main import cli
from dptopk.mechanisms.needs import fits


def test_help_shows_every_line_of_the_examples_and_no_escaped_character(run):
    for name in ("", *cli.commands):
        text = run(*name.split(), "--help").out.decode()
        assert "\b" not in text
        assert "\\" not in text, name
        taught = re.findall(r"^ +dptopk [a-z]+", text, re.MULTILINE)
        assert len(taught) == text.count("  dptopk ")
        assert taught


def test_what_was_done_to_a_file_is_said_and_kept(run):
    lines = [
        "Sales of spring",
        "",
        "item;sold",
        "tea;1.200",
        "milk;2.300,5",
        "jam;300",
        "Total;3.800,5",
    ]
    Path("shop.csv").write_text("\n".join(lines), "utf-8")
    asked = ("release", "--data", "shop.csv", "-k", 2, "--answer", "rounding=down")
    ran = run(*asked, "--format", "json")
    for words in ("above the table", "taken for a total and left out", "thousands", "Item list:"):
        assert words in ran.err, ran.err
    assert ran.json["data_read"] == ran.err.splitlines()
    assert run("release", "-k", 2).err == ""


def test_delta_is_judged_by_a_number_of_users(run):
    asked = ("release", "-k", 2, "--mechanisms", "CDPPeel", "--data", "typed")
    ran = run(*asked, "--set", "users=40000", "--format", "json")
    assert "δ = 1e-6 is rather too large for 40,000 users" in ran.err
    assert ran.json["delta_judged"] in ran.err
    assert "fits 40,000 users" in run(*asked, "--set", "users=40000", "--delta", "1e-9").err
    assert "have no δ" in run("release", "-k", 2, "--mechanisms", "Joint", "--set", "users=9").err
    log = "\n".join(["user,item", *(f"u{i},{i % 3}" for i in range(50))])
    Path("log.csv").write_text(log, "utf-8")
    ran = run("release", "-k", 2, "--data", "log.csv", "--answer", "rows=users", "--delta", "0.01")
    assert "too large for 50 users" in ran.err
    assert "50 rows became 50 pairs of a user and an item." in ran.err


def test_three_answers_choose_the_mechanisms_that_fit(run):
    ran = run("release", "-k", 2, "--order", "any", "--delta-allowed", "no", "--items-known", "yes")
    fitting = {
        mechanism.name
        for mechanism in MECHANISMS.values()
        if fits(mechanism, ordered=False, delta=False, known=True)
    }
    assert set(ran.table["mechanism"]) <= fitting
    assert len(set(ran.table["mechanism"])) > 1
    both = run("release", "--order", "any", "--mechanisms", "Joint")
    assert (both.code, both.out) == (2, b"")


def test_short_calculations_are_read_as_in_the_app(run):
    ran = run(
        *("release", "-k", 2, "--mechanisms", "CDPPeel", "--format", "json"),
        *("--epsilon", "ln 3", "--set", "delta=1/40000"),
    )
    assert ran.json["settings"]["epsilon"] == math.log(3)
    assert ran.json["settings"]["delta"] == 1 / 40_000
    assert run("release", "--delta", "2^-20", "-k", 2).code == 0


def test_a_table_to_read_has_intervals_and_no_false_certainty(run):
    asked = ("compare", "-k", 2, "--mechanisms", "Joint", "--epsilon", 2, "--runs", 20)
    text = run(
        *asked, "--data", "typed", "--set", "typed=60 40 20", "--format", "text"
    ).out.decode()
    assert "> 99.9999%" in text
    assert re.search(r"100% \[\d\d\.\d%, 100%\]", text), text


def test_chances_to_read_are_written_as_in_the_app_and_files_hold_numbers(run):
    typed = ("-k", 2, "--mechanisms", "Joint", "--data", "typed", "--set", "typed=60 40 20")
    found = run("epsilon", *typed, "--format", "text").out.decode()
    assert re.search(r"  exact +95\.0%$", found, re.MULTILINE), found
    case = ("exact", "--vector", "10 5 1 1", "--epsilon", 20, "--draws", 0, "--mechanisms", "Joint")
    text, table = run(*case, "--format", "text").out.decode(), run(*case).table
    assert "> 99.9999% (" in text
    assert re.search(r" \d\.\de-\d+$", text, re.MULTILINE), text
    assert table["Joint"].between(0, 1).all()
    likely = ("winners", *typed, "--set", "measure=exact_set", "--runs", 10)
    text, table = run(*likely, "--format", "text").out.decode(), run(*likely).table
    assert "> 99.9999%" in text
    assert "%" not in "".join(map(str, table["value"]))


def test_an_epsilon_that_was_found_is_no_setting(run):
    asked = ("epsilon", "-k", 3, "--mechanisms", "Joint")
    text = run(*asked, "--format", "text").out.decode()
    assert "k = 3" in text
    assert "ε =" not in text.splitlines()[0]
    assert "epsilon" not in run(*asked, "--format", "json").json["settings"]
