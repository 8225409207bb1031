"""Test the answers of the command line: its own examples, and the numbers of the package."""

import datetime
import io
import json
import math
import os
import re
import shlex
import sqlite3
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import click
import numpy as np
import pandas as pd
import pytest
from pyarrow import parquet

from dptopk import (
    CDPPeel,
    ItemCounts,
    Joint,
    JointSet,
    Ledger,
    PNFJoint,
    ThresholdedLaplace,
    __version__,
    load_dataset,
    release,
    run_trials,
    smallest_epsilon,
    summarize,
    sweep,
    winner_map,
    worst_case_loss,
)
from dptopk.cli import app as app_module, papers as papers_command
from dptopk.cli.group import SHORT, cli
from dptopk.core.numerals import rounded_up
from dptopk.export.handover import opendp_script, sql_script
from dptopk.publishing.registry_record import registry_record
from dptopk.questions import QUESTIONS, draw_times
from dptopk.questions.asking import parameters_of
from dptopk.questions.errors import TITLE, known_shares
from dptopk.questions.paper_figures import FIGURES, NAMES
from dptopk.questions.papers import STATEMENTS, check_statements
from dptopk.simulation.post_stratified import known_right, known_rights
from dptopk.simulation.trials import at_points
from dptopk.simulation.winners import cells
from dptopk.tuning.repeated import joint_cost, premise

ROOT = Path(__file__).resolve().parents[2]
TAUGHT = [ROOT / "README.md", *ROOT.glob("docs/howto/*.md"), *ROOT.glob("docs/tutorials/*.md")]
COMMANDS = {name: cli.get_command(click.Context(cli), name) for name in SHORT}
SUBCOMMANDS = [part for it in COMMANDS.values() for part in getattr(it, "commands", {}).values()]
HELP = "\n".join(command.help for command in (cli, *COMMANDS.values(), *SUBCOMMANDS))
EXAMPLES = sorted(
    {
        re.split(r"\s{2,}|\s#", line.strip())[0]
        for text in (HELP, *(page.read_text("utf-8") for page in TAUGHT))
        for line in text.splitlines()
        if re.match(rf"\s*dptopk ({'|'.join(COMMANDS)})\b", line)
        and not {"app", "--with"} & {*line.split()}
    }
)
READ = ("release", "--data", "shop.csv", "-k", 2, "--answer", "decimal=,")
BUDGET = ("ledger", "create", "--epsilon", 2, "--delta", 0.1, "--protects", "one")
BOTH = ("--mechanisms", "Joint,CDPPeel")
SMALL_FIGURES = {  # one panel of a few, of movies where there is one: all are drawn elsewhere
    key: replace(one, panels=sorted(one.panels, key=lambda it: it.data == NAMES["movies"])[-1:])
    for key, one in FIGURES.items()
    if key in ("1", "3", "4", "pruning")
}


def some_statements(runner):
    """Return what the first two statements of papers come to."""
    return check_statements(runner, STATEMENTS[:2])


def logs_of_examples() -> set[Path]:
    """Write the logs that examples count, with ten users and items of each user's own number."""
    rows = [(f"u{u}", f"i{i}", 5 * i) for u in range(10) for i in range(u + 1)]
    for columns, name in (
        (("patient", "drug", "day"), "events.csv"),
        (("visitor", "page", "seconds"), "visits-2026-01.parquet"),
    ):
        log = pd.DataFrame(rows, columns=[*columns])
        if "day" in log:
            log["day"] = [f"2026-01-{5 + n % 21:02}" for n in range(len(log))]
        log.to_csv(name, index=False) if name.endswith("csv") else log.to_parquet(name)
    loans = [(f"m{m}", f"title {t}", "2026-01-05") for m in range(30) for t in range(m + 1)]
    pd.DataFrame(loans, columns=["member", "title", "day"]).to_csv("loans.csv", index=False)
    pd.DataFrame(rows, columns=["userId", "movieId", "rating"]).to_csv("ratings.csv", index=False)
    file = sqlite3.connect("shop.db")
    pd.DataFrame(rows, columns=["customer", "product", "price"]).to_sql("orders", file)
    file.close()
    Path("drugs.txt").write_text("\n".join(f"i{i}" for i in range(12)), "utf-8")
    return {*Path().iterdir()}


def test_there_are_examples_of_every_command():
    taught = {example.split()[1] for example in EXAMPLES}
    assert taught == set(COMMANDS) - {"app"}
    assert "dptopk app" in HELP


def test_every_example_has_commands_and_options_that_there_are():
    for example in EXAMPLES:
        command, words = cli, shlex.split(example)[1:]
        while isinstance(command, click.Group):
            name, command, words = command.resolve_command(click.Context(command), words)
        assert command.make_context(name, words).params, example


FIRST = {example.split()[1]: example for example in reversed(EXAMPLES)}  # of each command


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [
        pytest.param(one, marks=() if one in FIRST.values() else pytest.mark.grid)
        for one in EXAMPLES
    ],
)
def test_every_example_that_is_taught_works(run, monkeypatch, example):
    monkeypatch.setattr(draw_times, "MOST_ENTRIES", 1_000_000)  # for Algorithm 1 at k = 5 alone
    monkeypatch.setattr(papers_command, "FIGURES", SMALL_FIGURES)
    monkeypatch.setattr(papers_command, "check_statements", some_statements)
    if example.split()[1] == "run":
        assert run("compare", "-k", 3, "--runs", 20, "--save", "settings.json").code == 0
    words = shlex.split(example)[1:]
    ledgers = [word for word in words if word.endswith(".sqlite") and "create" not in words]
    if ledgers:
        assert run(*BUDGET[:2], ledgers[0], *BUDGET[2:]).code == 0
    if "annotate" in words:
        Ledger.open(ledgers[0]).enter(load_dataset("games"), Joint(10, 0.1))
    if words[0] == "publish":
        data, items = (words[words.index(option) + 1] for option in ("--data", "--items"))
        rows = [f"item {n},{9000 - 70 * n}" for n in range(40)]
        Path(data).write_text("\n".join(["item,users", *rows]), "utf-8")
        Path(items).write_text("\n".join(f"item {n}" for n in range(50)), "utf-8")
        asked = ("handover", "-k", 5, "--mechanisms", "PNFJoint", "--epsilon", 0.5)
        assert run(*asked, "--data", data, "--save", "settings.json").code == 0
        words += [] if "--yes" in words else ["--yes"]
    if words[0] == "assess":
        games = load_dataset("games")
        Path(words[1]).write_text("\n".join(["item", *games.items[:10]]), "utf-8")
        data = words[words.index("--data") + 1]
        record = Path(words[1].replace(".csv", "-record.yaml"))  # beside it, as publish names it
        if "--record" in words:
            record = Path(words[words.index("--record") + 1])
        today = datetime.date(2026, 3, 1)
        text = registry_record(Joint(10, 0.1), "games", n_items=None, public=True, date=today)
        record.write_text(text, "utf-8")
        if data.endswith(".csv"):
            pd.DataFrame({"item": games.items, "users": games.counts}).to_csv(data, index=False)
    if words[0] == "homework":
        Path("names.txt").write_text("Ada\nGrace\n", "utf-8")
    if words[0] == "check":
        assert run("homework", "--students", 2, "-o", "homework-1").code == 0
        if words[1] == "handed-in":
            Path("homework-1/sheets").rename(words[1])
    logs = logs_of_examples()
    ran = run(*words)
    if words[0] == "gaps" and "loans.csv" in words and "--answer" not in words:  # it asks
        assert ran.code == 3
        assert "--answer rows=users" in ran.err
        return
    assert ran.code == 0, ran.err
    if "annotate" in words:
        assert Ledger.open(ledgers[0]).entries[0].notes
        return
    written = [path for path in {*Path().iterdir()} - logs if path.suffix != ".json"]
    assert ran.out or written[0].stat().st_size


def test_a_release_is_the_one_of_python(run):
    rows = run("release", "-k", 3, "--seed", 7, "--mechanisms", "Joint").table
    counts = load_dataset("games")
    expected = [counts.items[p] for p in release(counts, Joint(3, 1.0), seed=7)]
    assert rows["item"].tolist() == expected
    assert rows["place"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("release --mechanisms Joint", "By default k = 10, ε = 1: set with -k, --epsilon."),
        ("release -k 3 --mechanisms Joint", "By default ε = 1: set with --epsilon."),
        ("release -k 3 --epsilon 1 --mechanisms CDPPeel", "By default δ = 1e-6: set with --delta."),
        ("gaps --set epsilon=2", "By default k = 10: set with -k."),
        ("epsilon -k 3 --mechanisms Joint", ""),  # ε is what comes out
        ("winners -k 3 --mechanisms Joint --runs 5", ""),  # k and ε are those of the map
        ("release -k 3 --set epsilon=1 --mechanisms Joint", ""),
        ("exact --draws 0 --mechanisms Joint", "By default ε = 1: set with --epsilon."),
    ],
)
def test_defaults_that_decide_on_privacy_are_told(run, typed, said):
    ran = run(*typed.split())
    assert ran.code == 0, ran.err
    told = [line for line in ran.err.splitlines() if line.startswith("By default")]
    assert told == ([said] if said else [])


def test_a_comparison_has_the_numbers_of_python(run):
    ran = run("compare", "-k", 20, "--epsilon", "0.05", "--runs", 60, *BOTH, "--metric", "l1")
    counts = load_dataset("games")
    mechanisms = [Joint(20, 0.05), CDPPeel(20, 0.05, 1e-6)]  # where quartiles tell seeds apart
    trials = run_trials(counts, mechanisms, 60, 0)
    right = {m: known_right(counts, m, "l1", known_shares(counts, m)) for m in mechanisms}
    summary = summarize(trials, "l1", right)
    for name in ("q25", "median", "q75"):
        assert ran.table[f"{name}_simulated"].tolist() == summary[name].tolist()
    assert set(ran.table["metric"]) == {"total error (ℓ1)"}
    assert ran.table["releases"].tolist() == ["20 items in order"] * 2


def test_a_sweep_has_the_numbers_of_python(run):
    ran = run("sweep", "--against", "epsilon", "-k", 3, "--runs-a-point", 5, *BOTH)
    epsilons = list(dict.fromkeys(ran.table["epsilon"]))
    mechanisms = [Joint(3, 1.0), CDPPeel(3, 1.0, 1e-6)]
    trials = sweep(load_dataset("games"), mechanisms, "epsilon", epsilons, 5, 0)
    assert len(epsilons) == 10
    assert {"right_in_order_simulated", "right_as_a_set_simulated"} < set(ran.table)
    assert not {"median", "exact_sequence", "exact_set"} & set(ran.table)
    counts, points = load_dataset("games"), at_points(mechanisms, "epsilon", epsilons)
    told = summarize(trials, "linf", known_rights(counts, points, "linf", trials))
    assert ran.table["median_simulated"].tolist() == told["median"].tolist()
    assert ran.table["median_exact"].equals(told["median_exact"])
    assert (told["median_exact"] == 0).sum() > 2


def test_an_epsilon_is_the_one_of_python(run):
    ran = run("epsilon", "-k", 3, "--goal", "error", "--most", 5, *BOTH, "--stand-in", "books")
    counts = load_dataset("games")
    for row in ran.table.itertuples():
        mechanism = {"Joint": Joint(3, 1.0), "CDP-Peel": CDPPeel(3, 1.0, 1e-6)}[row.mechanism]
        found = smallest_epsilon(counts, mechanism, ("linf", 5))
        assert repr(found.epsilon).encode() in ran.out  # all digits; old pandas reads back fewer
        assert row.epsilon_needed == pytest.approx(found.epsilon)
    for own in ("epsilon_needed", "epsilon_needed_low", "epsilon_needed_high"):
        there = own.replace("needed", "needed_on_stand_in")
        assert ran.table[there].notna().all()
    assert (ran.table["is_exact_on_stand_in"] == ran.table["is_exact"]).all()
    right = ("--goal", "items_right", "--least", 9, "--mechanisms", "Joint")
    simulated = run("epsilon", *right, "--format", "text")
    assert "use epsilon_needed_high, the upper end of its 95% interval" in simulated.err
    by_runs = simulated.out.decode()
    assert "computed" in by_runs
    assert "simulated  95.0% [9" in by_runs
    read = run("epsilon", "--mechanisms", "Joint,AdaptiveK", "--format", "text")
    assert "epsilon_needed_high" not in read.err  # exact answers are enough themselves
    least = smallest_epsilon(load_dataset("games"), Joint(10, 1.0), "exact_set").epsilon
    joint, adaptive = (line.split() for line in read.out.decode().splitlines()[-2:])
    assert joint[1:4] == [f"{rounded_up(least):g}"] * 3  # as every page writes it
    assert adaptive[2:4] == ["no", "ε"]
    assert set(ran.table["stand_in"]) == {"Books (Goodreads)"}


def test_a_series_is_ranked_by_what_all_of_it_costs(run):
    pair = ("--mechanisms", "Joint,PNFJoint,LimitedDomain")
    one = run("epsilon", *pair).table
    assert one["mechanism"].tolist() == ["PNFJoint", "Joint", "Limited domain"]
    assert "epsilon_together" not in one
    ran = run("epsilon", *pair, "--releases", 52, "--total-epsilon", 0.5)
    rows = ran.table.set_index("mechanism")
    assert rows.index.tolist() == ["Joint", "PNFJoint", "Limited domain"]
    for label, cls in (("Joint", Joint), ("PNFJoint", PNFJoint)):
        row = rows.loc[label]
        assert row["epsilon_needed"] == one.set_index("mechanism").loc[label, "epsilon_needed"]
        whole = joint_cost(cls(10, row["epsilon_needed"]), 52, 1e-6)
        assert row["epsilon_together"] == pytest.approx(whole.epsilon)
        assert row["composed"] == whole.by
        assert row["epsilon_added_up"] == pytest.approx(52 * row["epsilon_needed"])
        assert row["reached_by_all"] == pytest.approx(0.95**52, rel=1e-4)
    assert rows.loc["Joint", "epsilon_each_of_total"] == pytest.approx(0.0344, abs=5e-5)
    assert rows.loc["Limited domain", "delta_of_each"] == 1e-6 / 104
    assert (rows["delta_together"] == 1e-6).all()
    assert premise(52, 1e-6) in ran.err
    every = run("epsilon", "--mechanisms", "Joint", "--releases", 52, "--together", "all").table
    assert every["reached_by_all"].item() == pytest.approx(0.95)
    assert every["epsilon_needed"].item() > rows.loc["Joint", "epsilon_needed"]
    text = run("epsilon", *pair, "--releases", 52, "--format", "text").out.decode()
    joint = next(line for line in text.splitlines() if line.startswith("Joint"))
    assert joint.split()[1:3] == ["2.75", "0.167"]
    within = run("epsilon", *pair, "--releases", 52, "--total-epsilon", 0.5, "--format", "text")
    line = next(x for x in within.out.decode().splitlines() if x.startswith("Joint"))
    assert re.split(" {2,}", line)[-3:-1] == ["7.0e-18", "e^-2,054"]  # which no float holds
    ks = run("epsilon", "--mechanisms", "Joint", "--releases", 52, "--across", "k").table
    assert (ks["epsilon_together"] < ks["epsilon_added_up"]).all()
    alone = run("epsilon", "--mechanisms", "Joint", "--set", "total_epsilon=0.5")
    assert "A total needs several releases" in alone.err
    assert run("epsilon", "--releases", 10_001).code == 2


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--across", "delta", "--releases", 52), "compared for a single one"),
        (("--across", "k", "--releases", 5, "--total-epsilon", 1), "at the chosen k and δ"),
    ],
)
def test_what_is_shared_by_several_releases_is_not_asked_across(run, asked, said):
    ran = run("epsilon", "--mechanisms", "LimitedDomain", *asked)
    assert ran.code == 4
    assert said in ran.err


def test_what_moves_an_epsilon_is_asked_across_k_and_delta(run):
    counts = load_dataset("games")
    ks = run("epsilon", "--across", "k", "--mechanisms", "Joint", "--stand-in", "books").table
    assert ks["k"].tolist() == [5, 10, 20, 50]
    assert ks["epsilon_needed_on_stand_in"].notna().all()
    assert ks["target"].tolist() == [f"the right {k} items in any order" for k in ks["k"]]
    deltas = run("epsilon", "-k", 3, "--across", "delta", *BOTH, "--delta", "2e-5").table
    assert deltas.groupby("mechanism").size().to_dict() == {"Joint": 1, "CDP-Peel": 9}
    for mechanism, row in [
        *((Joint(row.k, 1.0), row) for row in ks.itertuples()),
        *((CDPPeel(3, 1.0, row.delta), row) for row in deltas.itertuples() if row.delta),
    ]:
        found = smallest_epsilon(counts, mechanism, "exact_set")
        assert row.epsilon_needed == pytest.approx(found.epsilon)


def test_a_map_of_winners_is_the_one_of_python(run):
    asked = ("--data", "typed", "--set", "typed=90 70 50 30", "--measure", "exact_set")
    ran = run("winners", "-k", 4, *asked, "--mechanisms", "Joint,JointSet", "--format", "json")
    counts, ks = ItemCounts([90, 70, 50, 30]), [1, 2, 3, 4]
    epsilons = list(dict.fromkeys(row["epsilon"] for row in ran.json["rows"]))
    table = winner_map(counts, [Joint(4, 1.0), JointSet(4, 1.0)], ks, epsilons, "exact_set")
    assert [row["value"] for row in ran.json["rows"]] == table["value"].tolist()
    won = {(cell.k, cell.epsilon): cell.best for cell in cells(table, "exact_set").itertuples()}
    for row in ran.json["rows"]:
        assert row["is_best"] is (row["mechanism"] in won[row["k"], row["epsilon"]])
    noted = run("winners", *asked[:4], "--measure", "linf_index", "--mechanisms", "all")
    assert noted.code == 2  # places are no measure of the map


def test_a_small_case_is_written_out_whole(run):
    ran = run("exact", "--vector", "10 5 1 1", "--epsilon", 1, "--draws", 0, *BOTH)
    assert len(ran.table) == 12
    assert ran.table["Joint"].sum() == pytest.approx(1)
    assert ran.table["Joint"][0] == pytest.approx(0.63, abs=0.005)  # the paper's Appendix D.3


@pytest.mark.parametrize("command", ["exact", "privacy"])
def test_a_small_case_is_of_the_data_that_are_named(run, command):
    Path("c.csv").write_text("item,count\nash,40\nelm,9\noak,7\n", "utf-8")
    asked = (command, "--small-k", 1, *BOTH)
    ran = run(*asked, "--data", "c.csv")
    assert "--small top is taken" in ran.err
    assert set(ran.table["data"]) == {"The 3 largest of c"}
    typed = run(*asked, "--vector", "40, 9, 7")
    numbers = ran.table.select_dtypes("number").columns
    pd.testing.assert_frame_equal(ran.table[numbers], typed.table[numbers])
    assert set(run(*asked).table["data"]) == {"Counts 10, 5, 1, 1"}
    Path("items.txt").write_text("Dota 2\nnone\n", "utf-8")  # a list is of data, too
    listed = run(*asked, "--items", "items.txt").table
    assert set(listed["data"]) == {"The 2 largest of Games (Steam)"}


def test_every_format_says_title_data_settings_date_and_versions(run, monkeypatch):
    asked = ("compare", "-k", 3, "--runs", 30, *BOTH, "--seed", 4)
    whole = run(*asked, "--format", "json").json
    assert whole["title"] == TITLE
    assert whole["data_sha256"] == load_dataset("games").digest
    assert whole["settings"]["k"] == 3
    assert (whole["runs"], whole["seed"]) == (30, 4)
    assert whole["versions"]["dptopk"] == __version__
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", whole["made_on"])
    assert [row["mechanism"] for row in whole["rows"]] == ["Joint", "CDP-Peel"]
    rows = run(*asked).table
    for column in ("title", "data", "k", "epsilon", "seed", "made_on", "dptopk_version"):
        assert rows[column].notna().all(), column
    run(*asked, "--output", "here.parquet")
    content = Path("here.parquet").read_bytes()
    frame = pd.read_parquet(io.BytesIO(content))
    empty = frame.astype(object).where(frame.notna(), np.nan)  # None in the one, nan in the other
    pd.testing.assert_frame_equal(empty, rows.astype(object), check_dtype=False)
    said = parquet.read_schema(io.BytesIO(content)).metadata
    about = {key: value for key, value in whole.items() if key != "rows"}
    for key, value in about.items():
        text = said[f"dptopk.{key}".encode()].decode()
        assert (text if isinstance(value, str) else json.loads(text)) == value
    text = run(*asked, "--format", "text").out.decode()
    assert f"{TITLE} · Games (Steam) · k = 3, ε = 1" in text


def test_a_file_is_read_as_an_upload_is(run):
    Path("shop.csv").write_text("users,what\n1.200,tea\n300,milk\n300,=1+1\n5,jam\n", "utf-8")
    unclear = run("release", "--data", "shop.csv", "-k", 2)
    assert (unclear.code, unclear.out) == (3, b"")
    assert "--answer decimal=" in unclear.err
    ran = run("release", "--data", "shop.csv", "-k", 4, "--answer", "decimal=,", "--epsilon", 50)
    assert set(ran.table["item"]) == {"tea", "milk", "'=1+1", "jam"}
    assert set(ran.table["data"]) == {"shop"}
    assert set(run(*READ, "--unit", "cups of tea").table["counts_are"]) == {"cups of tea"}
    assert run(*READ, "--unit", "<b>").code == 2


def test_counts_can_be_piped_in_and_typed_in(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"item,count\na,9\nb,5\nc,1\n")))
    assert run("compare", "--data", "-", "-k", 2, "--runs", 20).code == 0
    ran = run("release", "--data", "typed", "--set", "typed=30 20 9", "-k", 2)
    assert set(ran.table["data"]) == {"Typed counts"}
    assert run("release", "--data", "synthetic-zipf", "--set", "d=50", "-k", 2).code == 0


def test_who_is_left_out_is_said_beside_the_answer(run):
    ran = run("compare", "-k", 3, "--runs", 20, "--mechanisms", "Joint,CDPPeel", "--delta", 0)
    said = ran.err + "".join(ran.table["mechanism"])
    assert "Joint" in said
    refused = run("epsilon", "-k", 2, "--goal", "exact_sequence", "--mechanisms", "JointSet,Joint")
    assert refused.table["mechanism"].tolist() == ["Joint"]
    assert "is left out" in refused.err
    few = ("--data", "typed", "--set", "typed=9000 8000", "-k", 4)
    ran = run("release", *few, "--mechanisms", "LimitedDomain,Joint")
    assert ran.table["item"].tolist()[:2] == ["item 1", "item 2"]
    assert ran.table["placement"].tolist()[2:] == ["empty"] * 2
    assert "Joint is left out: k must be in [1, 2] for 2 items, got 4." in ran.err
    falls = ("--data", "typed", "--set", "typed=100 60 25 0", "-k", 2, "--delta", 0.01)
    ran = run("epsilon", *falls, "--mechanisms", "AdaptiveK", "--chance", 0.3)
    assert "Adaptive k: reached up to about ε = 0.68, a larger ε may not reach it." in ran.err


def test_every_setting_of_a_question_can_be_given():
    for name, page in (("compare", "compare"), ("epsilon", "choose"), ("exact", "exact")):
        keys = {parameter.name for parameter in COMMANDS[name].params}
        assert {*QUESTIONS[page].settings} <= keys
        assert "others" in keys  # --set, for what is left
        assert {"k", "data"} <= set(parameters_of(QUESTIONS[page]))


@pytest.mark.parametrize(
    ("asked", "option", "at"),
    [
        ("epsilon", "--most 500", "--goal error"),
        ("epsilon --goal error", "--least 9", "--goal items_right"),  # the default, too
        ("epsilon", "--least-score 0.5", "--goal score"),
        ("epsilon", "--metric l1", "--goal error or error_share or score"),
        ("epsilon", "--total-epsilon 2", "--releases 2 or more"),
        ("epsilon --releases 1", "--together all", "--releases 2 or more"),
        ("epsilon --across k", "-k 3", "--across given or delta"),
        ("sweep --against paper", "-k 7", "--against k or epsilon or k_bar"),
        ("exact --small top", "--vector 10,9,8", "--small typed"),
        ("privacy --set small=top", "--vector 10,9,8", "--small typed"),
        ("exact", "--small-items 3", "--small top"),
        ("exact --draws 0", "--seed 3", "--draws 1 or more"),
        ("privacy --run too_small", "--mechanisms Joint", "--run right or unswapped"),
    ],
)
def test_an_option_that_the_answer_does_not_read_is_refused(run, asked, option, at):
    ran, flag = run(*asked.split(), *option.split()), option.split()[0]
    said = f"dptopk: {flag} is of {at}: give that, or leave {flag} out.\n"
    assert (ran.code, ran.out, ran.err) == (2, b"", said)


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ("compare --mechanisms Joint", "--delta 1e-7"),
        ("handover --mechanisms Joint", "--calibration optimal"),
        ("gaps", "--neighbors swap"),
        ("gaps --mechanisms CDPPeel", "--delta 1e-7"),
    ],
)
def test_an_option_that_no_chosen_mechanism_uses_is_refused(run, asked, option):
    ran = run(*asked.split(), *option.split())
    assert (ran.code, ran.out) == (2, b"")
    assert f"no chosen mechanism uses {option.split()[0]} here: choose one that" in ran.err


@pytest.mark.parametrize("command", ["epsilon", "gaps"])
def test_an_epsilon_that_comes_out_is_no_option(run, command):
    ran = run(command, "--mechanisms", "StableSet", "--epsilon", 3)
    assert (ran.code, ran.out) == (2, b"")
    assert re.search("No such option:? .?--epsilon", ran.err)
    assert "epsilon" not in run("gaps", "--mechanisms", "StableSet", "--places", 2).table


def test_settings_that_are_not_options_may_go_unread(run):
    few = ("--data", "typed", "--set", "typed=90 70 50 30", "--mechanisms", "Joint", "-k", 2)
    given = ("most=500", "total_epsilon=2", "delta=1e-9", "epsilon=3")
    unread = [part for one in given for part in ("--set", one)]
    ran = run("epsilon", *few, *unread, "--save", "settings.json")
    assert ran.table.equals(run("epsilon", *few).table)
    assert run("run", "settings.json").out == ran.out
    joined = run("epsilon", *few, "--releases", 3, "--delta", 1e-9)  # of which δ is
    assert joined.table["delta_together"].item() == 1e-9


def test_a_setting_with_an_option_of_its_own_is_taken_from_set_and_that_is_said(run):
    ran = run("budget", "-k", 3, "--set", "epsilon=2")
    assert ran.table.equals(run("budget", "-k", 3, "--epsilon", 2).table)
    assert "epsilon was taken from --set; it has an option of its own, --epsilon." in ran.err
    assert "taken from --set" not in run("gaps", "--set", "epsilon=2").err


@pytest.mark.parametrize(
    "option",
    [
        *("--sheet bar", "--counts baz", "--item-column foo", "--users who", "--unit likes"),
        *("--answer rows=users", "--twins merge"),
    ],
)
def test_an_option_of_a_file_is_refused_where_data_have_a_name(run, option):
    ran, flag = run("compare", "-k", 3, "--runs", 5, *option.split()), option.split()[0]
    said = f"dptopk: {flag} is of a file: name it with --data, or leave {flag} out.\n"
    assert (ran.code, ran.out, ran.err) == (2, b"", said)
    assert run("release", "-k", 3, "--mechanisms", "Joint", "--save", "settings.json").code == 0
    assert run("run", "settings.json", *option.split()).err == said


@pytest.mark.parametrize("watched", [True, False])
def test_progress_is_shown_on_a_terminal_only(run, monkeypatch, watched):
    monkeypatch.setattr("sys.stderr.isatty", lambda: watched, raising=False)
    ran = run("compare", "-k", 3, "--runs", 600, "--mechanisms", "Joint")
    assert ("Which mechanism?" in ran.err) is watched
    assert ran.table["mechanism"].tolist() == ["Joint"]


def replaced(started: list):
    """In the place of os.execv, which never returns."""

    def execv(program, command):
        started.extend(command)
        raise click.exceptions.Exit(0)

    return execv


@pytest.mark.parametrize("system", ["posix", "nt"])
def test_the_app_is_started_with_what_follows(run, monkeypatch, system):
    started = []
    environment = {"DPTOPK_FILES": "/"}  # of another start
    system = SimpleNamespace(
        name=system, execv=replaced(started), environ=environment, path=os.path
    )
    monkeypatch.setattr(app_module, "os", system)
    monkeypatch.setattr(app_module.subprocess, "call", lambda command: started.extend(command) or 0)
    assert run("app", "--server.port", 9000).code == 0
    assert started[1:4] == ["-m", "streamlit", "run"]
    assert Path(started[4]).name == "app.py"
    assert started[5:] == ["--server.port", "9000"]
    assert environment == {}  # who does not ask for files opens none
    Path("logs").mkdir()
    assert run("app", "--files", "logs").code == 0
    assert environment == {"DPTOPK_FILES": str(Path("logs").resolve())}
    refused = run("app", "--files", "nowhere")
    assert refused.code == 2
    assert "--files nowhere is no folder" in refused.err
    monkeypatch.setattr(app_module.importlib.util, "find_spec", lambda name: None)
    missing = run("app")
    assert missing.code == 4
    assert "pip install 'dptopk[app]'" in missing.err


def test_true_gaps_are_not_protected_and_one_item_has_none(run):
    assert "are not protected" in run("gaps", "-k", 5, "--mechanisms", "StableSet").err
    one = run("gaps", "--data", "typed", "--set", "typed=5", "-k", 1)
    assert (one.code, one.out) == (4, b"")
    assert "one item has no gap" in one.err


def test_a_promise_is_judged_by_every_neighbour(run):
    asked = ("privacy", "--vector", "4, 3, 2", "--small-k", 1, "--epsilon", 0.5)
    ran = run(*asked, "--mechanisms", "Joint,CDPPeel")
    counts = ItemCounts([4, 3, 2], ["A", "B", "C"])
    loss, delta = (worst_case_loss(counts, m) for m in (Joint(1, 0.5), CDPPeel(1, 0.5, 1e-6)))
    assert ran.table["largest_loss"].tolist() == pytest.approx([loss.value, delta.value])
    assert ran.table["is_kept"].all()
    assert ran.table["worst_neighbor"].str.startswith("A user who holds").all()
    broken = run(*asked, "--run", "unswapped", "--neighbors", "swap", "--format", "json")
    worst = max(broken.json["rows"], key=lambda row: row["largest_loss"])
    assert (worst["is_kept"], worst["largest_loss"]) == (False, pytest.approx(1, abs=1e-3))
    assert "add/remove noise although a user is replaced" in broken.json["note"]


def test_several_k_and_epsilon_are_asked_one_by_one_and_named_in_each_row(run):
    asked = ("compare", "--runs", 20, "--mechanisms", "Joint,StableSet", "--seed", 3)
    whole = run(*asked, "-k", "2,4", "--epsilon", "0.1,ln 2", "--format", "json").json
    rows = []
    for k in (2, 4):
        for epsilon in (0.1, math.log(2)):
            one = run(*asked, "-k", k, "--epsilon", repr(epsilon), "--format", "json").json
            rows += [row | {"k": k, "epsilon": epsilon} for row in one["rows"]]
    assert len(whole["rows"]) == len(rows) == 8
    for row, alone in zip(whole["rows"], rows, strict=True):
        assert {key: row[key] for key in alone} == alone
    assert not {"k", "epsilon"} & set(whole["settings"])
    table = run(*asked, "-k", "2,4").table
    assert table["k"].tolist() == [2, 2, 4, 4]
    assert set(table["epsilon"]) == {1}
    text = run("epsilon", "-k", "2,4", "--mechanisms", "Joint", "--format", "text").out.decode()
    assert re.search(r"^mechanism  k .*\nJoint +2 .*\nJoint +4 ", text, re.MULTILINE)
    drawn = run("release", "-k", "1,2", "--mechanisms", "Joint,OneShotCounts").table
    assert drawn["k"].tolist() == [1, 1, 2, 2, 2, 2]
    kept = run(*asked, "-k", "2,4", "--save", "both.json")
    assert (kept.code, list(Path().iterdir())) == (2, [])
    assert "--save keeps one setting" in kept.err


def test_mechanisms_and_choices_are_known_in_small_letters_and_by_what_people_call_them(run):
    ran = run(
        "release", "-k", 1, "--mechanisms", "joint, CDP-peel,stable set", "--neighbors", "Swap"
    )
    assert ran.table["mechanism"].tolist() == ["Joint", "CDP-Peel", "Stable set"]
    assert set(ran.table["neighbors"]) == {"swap"}
    assert len(set(run("release", "-k", 1, "--mechanisms", "ALL").table["mechanism"])) > 9


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("sweep --runs-a-point 2", "k = 4 is taken: the data have 4 items"),
        ("winners --runs 2", "k = 4 is taken: the data have 4 items"),
        ("epsilon --across k", "k = 5, 10, 20, 50 left out: the data have 4 items."),
        ("release", "k = 4 is taken: the data have 4 items"),
    ],
)
def test_no_k_is_refused_that_nobody_asked_for(run, asked, said):
    four = ("--data", "typed", "--set", "typed=90 70 50 30", "--mechanisms", "Joint")
    ran = run(*asked.split(), *four)
    assert said in ran.err
    assert ran.table["k"].max() == 4
    unread = "across" in asked
    assert run(*asked.split(), *four, "-k", 5).code == (2 if unread else 4)


def test_a_release_is_handed_over_with_its_script_and_record(run):
    asked = ("handover", "-k", 3, "--mechanisms", "CDPPeel", "--tuned-public")
    ran = run(*asked, "--script", "release.py", "--record", "deployment.yaml", "--format", "json")
    mechanism = CDPPeel(3, 1.0, 1e-6)
    assert mechanism.guarantee.statement in ran.err
    points = {row["point"]: row["what dptopk can say"] for row in ran.json["rows"]}
    assert "ε = 1 and δ = 1e-6" in points["Privacy parameters"]
    assert Path("release.py").read_text("utf-8") == opendp_script(mechanism, "purchases")
    assert "Games (Steam)" in Path("deployment.yaml").read_text("utf-8")
    text = run(*asked, "--format", "text").out.decode()
    assert max(map(len, text.splitlines()[1:])) < 200
    year = ("--mechanisms", "Joint", "--releases", 52, "--record", "year.yaml")
    said = f"52 of them cost ε = {rounded_up(joint_cost(Joint(3, 1.0), 52, 1e-6).epsilon):g} and"
    assert said in run("handover", "-k", 3, *year).err
    assert said in Path("year.yaml").read_text("utf-8")
    several = run("handover", "-k", 3)
    assert (several.code, several.out) == (2, b"")
    assert "handover is of one mechanism" in several.err
    none = run("handover", "-k", 3, "--mechanisms", "JointSet", "--script", "it.py")
    assert (none.code, none.out, Path("it.py").exists()) == (4, b"", False)
    assert "No hardened sampler" in none.err
    none = run("handover", "-k", 3, "--mechanisms", "JointSet", "--sql", "it.sql")
    assert (none.code, Path("it.sql").exists()) == (4, False)
    assert "Joint set cannot be an SQL query" in none.err
    run("handover", "-k", 3, "--mechanisms", "ThresholdedLaplace", "--sql", "it.sql")
    assert Path("it.sql").read_text("utf-8") == sql_script(ThresholdedLaplace(3, 1.0, 1e-6))
