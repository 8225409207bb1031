"""Test event logs on the command line: `dptopk counts`, and `--events` instead of `--data`."""

import json
import shlex
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dptopk import counts_from_events
from dptopk.cli import data

COLUMNS = ("--user", "who", "--item", "what")


@pytest.fixture
def log(tmp_path, monkeypatch) -> pd.DataFrame:
    """A log of 60 users and 12 items with repeats, as log.csv in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    who, what = rng.integers(0, 60, 900), np.minimum(rng.geometric(0.25, 900), 12)
    found = pd.DataFrame({"who": [f"u{n}" for n in who], "what": [f"=i{n}" for n in what]})
    found["n"] = np.arange(900)
    found.to_csv("log.csv", index=False)
    return found


def by_pandas(log: pd.DataFrame) -> dict[str, int]:
    return log.groupby("what")["who"].nunique().to_dict()


def test_counts_are_written_with_what_they_come_from_and_read_again(run, log):
    ran = run("counts", "log.csv", *COLUMNS, "-o", "counts.csv")
    assert ran.code == 0, ran.err
    written = pd.read_csv("counts.csv")
    assert written["users"].is_monotonic_decreasing
    assert written["counts_are"].unique().tolist() == ["users"]
    assert "900 rows, 60 users, 12 items." in ran.err
    assert "one user changes each count by at most 1" in ran.err
    again = run("gaps", "--data", "counts.csv", "-k", 3, "--places", 3, "--format", "json").json
    direct = run(
        "gaps", "--events", "log.csv", *COLUMNS, "-k", 3, "--places", 3, "--format", "json"
    )
    assert again["rows"] == direct.json["rows"]
    told = run("counts", "log.csv", *COLUMNS, "--format", "json").json
    assert {row["item"]: row["users"] for row in told["rows"]} == by_pandas(log)
    assert told["data_sha256"] == counts_from_events("log.csv", "who", "what").digest


def test_the_true_top_is_written_as_what_it_is(run, log):
    every = run("counts", "log.csv", *COLUMNS, "--format", "json").json["rows"]
    top = run("counts", "log.csv", *COLUMNS, "-k", 3, "--format", "json")
    assert top.json["rows"] == every[:3]
    assert top.json["computed"] == "true counts"
    assert "The true top 3: no noise protects it." in top.json["note"]
    assert "The true top 3: no noise protects it." in top.err
    assert "no noise" not in run("counts", "log.csv", *COLUMNS, "--format", "json").err
    assert run("counts", "log.csv", *COLUMNS, "-k", 0).code == 2


def test_options_are_those_of_python(run, log):
    Path("public.txt").write_text("=i1\n\n=i2\nnone\n")
    options = ("--where", "n >= 450", "--max-items", 2, "--items", "public.txt", "--key", "k")
    told = run("counts", "log.csv", *COLUMNS, *options, "--memory", "1GB", "--format", "json").json
    counts = counts_from_events(
        "log.csv", "who", "what", "n >= 450", 2, ["=i1", "=i2", "none"], key="k"
    )
    assert {row["item"]: row["users"] for row in told["rows"]} == dict(counts)
    assert dict(counts)["none"] == 0


def test_a_log_is_asked_with_the_bound_that_its_promise_rests_on(run, log):
    bounded = ("--mechanisms", "Laplace", "--set", "max_items=2", "-k", 5, "--places", 5)
    ran = run("gaps", "--events", "log.csv", *COLUMNS, *bounded)
    assert "At most 2 items of each user were kept" in ran.err
    counts = counts_from_events("log.csv", "who", "what", max_items=2)
    assert ran.table["count (users)"].tolist()[:5] == sorted(counts.counts.tolist())[::-1][:5]
    assert "Item list: taken from the data themselves" in ran.err
    Path("public.txt").write_text("\n".join({*log["what"]}))
    ran = run("gaps", "--events", "log.csv", *COLUMNS, "--items", "public.txt", "--places", 5)
    assert "Item list: supplied separately from the data" in ran.err


def test_settings_are_asked_again_of_the_same_log(run, log):
    asked = ("release", "--events", "log.csv", *COLUMNS, "-k", 3, "--save", "settings.json")
    first = run(*asked)
    assert first.code == 0, first.err
    again = run("run", "settings.json", "--events", "log.csv", *COLUMNS)
    assert again.out == first.out
    assert run("run", "settings.json", "--events", "log.csv").out == first.out
    assert "with --events FILE" in run("run", "settings.json").err
    log[:100].to_csv("other.csv", index=False)
    other = run("run", "settings.json", "--events", "other.csv", *COLUMNS)
    assert other.code == 3
    assert "not the counts that the settings were saved with" in other.err


def test_settings_of_a_log_keep_the_bound_that_the_app_set(run, log):
    asked = ("release", "--events", "log.csv", *COLUMNS, "-k", 3, "--save", "settings.json")
    assert run(*asked).code == 0
    saved = json.loads(Path("settings.json").read_text())
    assert "max_items" not in saved["data"]["events"]  # as older files
    bounded = counts_from_events("log.csv", "who", "what", max_items=1)
    saved["data"]["events"]["max_items"] = 1
    saved["data"]["sha256"] = bounded.digest
    Path("settings.json").write_text(json.dumps(saved))
    ran = run("run", "settings.json", "--events", "log.csv")
    assert ran.code == 0, ran.err
    saved["data"]["events"]["max_items"] = 0
    Path("settings.json").write_text(json.dumps(saved))
    assert "max_items must be" in run("run", "settings.json", "--events", "log.csv").err


def test_settings_of_a_log_keep_its_condition_and_that_there_was_a_list(run, log):
    Path("public.txt").write_text("=i1\n=i2\n=i3\nnone\n")
    asked = ("release", "--events", "log.csv", *COLUMNS, "-k", 3, "--save", "settings.json")
    first = run(*asked, "--where", "n >= 450", "--items", "public.txt", "--unit", "people")
    assert first.code == 0, first.err
    without = run("run", "settings.json", "--events", "log.csv")
    assert without.code == 2
    assert "saved with a public list of items: give it with --items FILE" in without.err
    again = run("run", "settings.json", "--events", "log.csv", "--items", "public.txt")
    assert again.out == first.out, again.err


@pytest.mark.parametrize(
    "where",
    [
        "n >= (SELECT 0 FROM read_text('secret.txt'))",
        "1=1) LIMIT (SELECT CAST(content AS BIGINT) FROM read_text('secret.txt')",
        "1=1) UNION ALL SELECT content, content FROM read_text('secret.txt') WHERE (1=1",
    ],
)
def test_a_condition_of_settings_that_reads_more_than_the_log_is_not_run(run, log, where):
    Path("secret.txt").write_text("hunter2")
    asked = ("release", "--events", "log.csv", *COLUMNS, "-k", 3, "--save", "settings.json")
    assert run(*asked).code == 0
    saved = json.loads(Path("settings.json").read_text())
    saved["data"]["events"]["where"] = where
    Path("settings.json").write_text(json.dumps(saved))
    ran = run("run", "settings.json", "--events", "log.csv")
    assert ran.code == 2
    assert ": add it with --where, if you know where the file of settings is from" in ran.err
    assert "hunter2" not in ran.err
    assert "hunter2" not in run("run", "settings.json", "--events", "log.csv", "--where", where).err
    assert run("run", "settings.json", "--events", "log.csv", "--where", "n >= 0").code == 0
    for wrong in ({"user": 5}, {"listed": "no"}, {"unit": "\n"}, {"more": 1}):
        saved["data"]["events"] |= wrong
        Path("settings.json").write_text(json.dumps(saved))
        assert run("run", "settings.json", "--events", "log.csv").code == 2


def test_a_large_file_whose_columns_are_named_is_counted_as_a_log(run, log, monkeypatch):
    monkeypatch.setattr(data.ingest, "MAX_BYTES", 1_000)
    named = ("--users", "who", "--item-column", "what", "--places", 4)
    ran = run("gaps", "--data", "log.csv", *named)
    assert ran.table["count (users)"].tolist()[:4] == sorted(by_pandas(log).values())[::-1][:4]
    ran = run("gaps", "--data", "log.csv", "--places", 4)
    assert ran.code == 3
    assert "dptopk counts log.csv --user COLUMN --item COLUMN -o counts.csv" in ran.err


def test_answers_of_tables_are_refused_where_a_large_file_is_counted_as_a_log(run, monkeypatch):
    rows = [f"u{n},{cell}" for n in range(60) for cell in ("tea; jam", "NA")]
    Path("log.csv").write_text("\n".join(["user,item", *rows]))
    monkeypatch.setattr(data.ingest, "MAX_BYTES", 1_000)
    asked = ("gaps", "--data", "log.csv", "--users", "user", "--item-column", "item", "-k", 1)
    for option in (("--answer", "split=semicolon"), ("--answer", "rows=stated"), ("--sheet", "A")):
        ran = run(*asked, *option)
        assert (ran.code, " ".join(option) in ran.err) == (3, True)
        assert "write one row for each user and item" in ran.err
    alike = ("--answer", "rows=users", "--answer", "split=none", "--places", 2)
    for kept in (("--answer", "nulls=keep"), ("--nulls", "keep", "--answer", "nulls=leave out")):
        assert run(*asked, *alike, *kept).table["count (users)"].tolist() == [60]
    assert "one item has no gap" in run(*asked, *alike, "--answer", "nulls=leave out").err


def test_items_is_the_public_list_of_counts_too(run, log):
    Path("counts.csv").write_text("item,users\ntea,90\nrum,80\ngin,70\n")
    Path("public.txt").write_text("tea \nbeer\ngin\n")
    asked = ("gaps", "--data", "counts.csv", "-k", 2, "--places", 3)
    ran = run(*asked, "--items", "public.txt", "--save", "settings.json")
    assert ran.table["count (users)"].tolist() == [90, 70]
    assert 'is not in the data and counts 0: "beer". Dropped: 1 other item of' in ran.err
    assert "Item list: supplied separately from the data" in ran.err
    again = ("run", "settings.json", "--data", "counts.csv")
    assert run(*again, "--items", "public.txt").out == ran.out
    assert "saved with a public list of items: give it with --items FILE" in run(*again).err
    Path("public.txt").write_bytes("tea\ncaf\xe9 cr\xe8me\ngin\n".encode("cp1252"))
    other = run(*asked, "--items", "public.txt")
    assert "It is not UTF-8 text and was read as Windows-1252" in other.err
    assert 'counts 0: "caf\xe9 cr\xe8me".' in other.err


def test_items_that_is_no_file_is_refused(run):
    Path("counts.csv").write_text("name,users,code\ntea,90,x\nrum,80,y\n")
    ran = run("gaps", "--data", "counts.csv", "--items", "code", "-k", 1)
    assert (ran.code, "--items code" in ran.err) == (3, True)


def test_the_command_that_publishes_an_answer_names_the_data_as_they_were_named(run, log):
    Path("public.txt").write_text("=i1\n=i2\n=i3\n=i4\n=i5\n")
    of_log = ("--events", "log.csv", *COLUMNS, "--where", "n >= 450", "--items", "public.txt")
    asked = ("-k", 2, "--mechanisms", "Gamma,Joint,PNFInverseSensitivitySet")
    ran = run("epsilon", *asked, *of_log, "--goal", "exact_set")
    (last,) = [text for text in ran.err.splitlines() if text.startswith("A real release of it: ")]
    words = shlex.split(last.partition(": ")[2])
    assert words[words.index("--mechanism") + 1] == "PNFInverseSensitivitySet"
    assert list(of_log) == [word for word in words if word in of_log]
    assert "A real release" not in run("epsilon", "-k", 2, "--data", "games").err
    assert "A real release" not in run("epsilon", *asked, *of_log, "--across", "k").err


def test_of_several_releases_the_command_publishes_what_costs_least_together(run, log):
    asked = ("epsilon", "-k", 2, "--events", "log.csv", *COLUMNS, "--releases", 52, "--mechanisms")
    ran = run(*asked, "PNFInverseSensitivitySet,InverseSensitivitySet")
    alone = ran.table.set_index("mechanism")["epsilon_needed"]
    assert alone["PNF inverse sensitivity"] < alone["Inverse sensitivity"]
    assert ran.table["mechanism"][0] == "Inverse sensitivity"
    assert "--mechanism InverseSensitivitySet" in ran.err
    assert "is not chosen, but needs" not in ran.err
    ran = run(*asked, "JointSet,Laplace")
    assert "which gives no order, is not chosen, but needs only ε = " in ran.err
    assert "A real release" not in ran.err
    assert "Joint set costs less, but cannot be published: Its sets are counted" in ran.err


def test_a_condition_that_would_be_printed_as_another_is_not_printed(run, log):
    asked = ("epsilon", "-k", 2, "--mechanisms", "Joint", "--events", "log.csv", *COLUMNS)
    ran = run(*asked, "--where", "who <> 'a  b'")
    assert "release of it: dptopk publish with these options, as they were typed." in ran.err


def test_the_epsilon_to_publish_with_is_that_of_public_counts_where_they_stand_beside(run, log):
    asked = ("epsilon", "-k", 2, "--mechanisms", "Joint,PNFJoint", "--events", "log.csv", *COLUMNS)
    said = "computed from the data themselves, which no guarantee covers"
    assert said in run(*asked).err
    ran = run(*asked, "--stand-in", "games")
    assert said not in ran.err
    (line,) = [text for text in ran.err.splitlines() if text.startswith("A real release of it: ")]
    words = shlex.split(line.partition(": ")[2])
    assert words[-1] == "--tuned-public"
    assert "--tuned-public" not in run(*asked, "--stand-in", "zipf").err
    needed = ran.table.set_index("mechanism")["epsilon_needed_on_stand_in_high"]
    least = {"Joint": needed["Joint"], "PNFJoint": needed["PNFJoint"]}
    chosen = words[words.index("--mechanism") + 1]
    assert least[chosen] == min(least.values())
    assert least[chosen] <= float(words[words.index("--epsilon") + 1]) <= least[chosen] * 1.01
    assert min(least.values()) < 0.5 * ran.table["epsilon_needed_high"].min()
    uploaded = run(*asked, "--stand-in", "upload")
    assert (uploaded.code, "can be uploaded in the app alone" in uploaded.err) == (2, True)


def test_databases_are_told_the_command(run, log):
    with sqlite3.connect("my log.db") as file:
        log.to_sql("log", file)
    file.close()
    ran = run("gaps", "--data", "my log.db")
    assert ran.code == 3
    assert "dptopk counts 'my log.db' --table TABLE --user COLUMN --item COLUMN -o" in ran.err
    told = run("counts", "my log.db", *COLUMNS, "--format", "json").json
    assert {row["item"]: row["users"] for row in told["rows"]} == by_pandas(log)
    with sqlite3.connect("my log.db") as file:
        log.to_sql("other", file)
    file.close()
    for asked, got in (((), "none"), (("--table", "c"), "'c'")):
        ran = run("counts", "my log.db", *COLUMNS, *asked)
        assert f"--table must name a table of the database my log.db, got {got}: it has" in ran.err


REFUSED = {
    ("counts", "log.csv"): (2, "add --user, one of the columns who, what, n."),
    ("counts", "log.csv", "--user", "who"): (2, "add --item"),
    ("counts", "log.csv", "--user", "nobody", "--item", "what"): (3, 'columns "who", "what", "n"'),
    ("counts", "log.csv", "--user", "nobody", "--item", "n"): (3, ": --user must be a column"),
    ("counts", "log.csv", "--user", "who", "--item", "who"): (2, ": --user and --item must be two"),
    ("counts", "log.csv", *COLUMNS, "--table", "t"): (2, ": --table is for databases and"),
    ("counts", "no.csv", *COLUMNS): (3, "There is no file no.csv"),
    ("counts", "log.csv", *COLUMNS, "--where", "m > 1"): (2, "--where must be a condition in SQL"),
    ("counts", "log.csv", *COLUMNS, "--max-items", "0"): (2, "--max-items"),
    ("counts", "log.csv", *COLUMNS, "--items", "no.txt"): (3, "--items no.txt cannot be read"),
    ("counts", "log.csv", *COLUMNS, "-o", "log.csv"): (2, "would overwrite"),
    ("counts", "no.csv", "log.csv", *COLUMNS, "-o", "./log.csv"): (2, "the file of EVENTS"),
    ("users", "l*.csv", *COLUMNS, "-o", "log.csv"): (2, "would overwrite the file of EVENTS"),
    ("discover", ".", *COLUMNS, "-o", "log.csv"): (2, "would overwrite the file of EVENTS"),
    ("gaps", "--events", "l*.csv", *COLUMNS, "-o", "log.csv"): (2, "the file of --events"),
    ("gaps", "--events", "log.csv"): (2, "add --user"),
    ("gaps", "--user", "who"): (2, "--user is of a log: name it with --events FILE"),
    ("gaps", "--events", "log.csv", *COLUMNS, "--data", "games"): (2, "both given"),
    ("gaps", "--events", "log.csv", *COLUMNS, "--sheet", "x"): (2, "--sheet is of --data"),
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_what_cannot_be_counted_is_said_in_a_line(run, log, arguments):
    code, words = REFUSED[arguments]
    ran = run(*arguments)
    assert ran.code == code
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1
    assert ".." not in ran.err


@pytest.mark.parametrize(
    "command", [["counts", "log.csv"], ["users", "log.csv"], ["discover", "log.csv"], ["release"]]
)
def test_sentences_on_a_log_name_options_and_not_arguments(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    addresses = ["ann@x.org", "Ann@x.org", *(f"{n}@x.org" for n in range(40))]
    pd.DataFrame({"who": addresses, "what": ["tea", "rum"] * 21}).to_csv("log.csv", index=False)
    of = ["--events", "log.csv"] if command == ["release"] else []
    said = run(*command, *of, *COLUMNS, "-k", "1").err
    assert 'To merge them: --users-alike "merge".' in said
    assert "users_alike" not in said


def test_a_survey_is_pointed_to_a_command_that_reads_it(run):
    Path("survey.csv").write_text("id,tea,milk\na,yes,no\nb,no,yes\nc,yes,yes\n")
    assert "dptopk release --data FILE reads it" in run("counts", "survey.csv").err
    of_one = ("survey.csv", "--user", "id", "--item", "tea")
    others = "(--data of dptopk release and of other commands, or to_item_counts in Python)"
    assert others in run("counts", *of_one).err
    assert "(--data, or to_item_counts" in run("release", "--events", *of_one, "-k", 1).err
    ran = run("release", "--data", "survey.csv", "--answer", "survey=yes", "-k", 1)
    assert ran.code == 0, ran.err
