"""Test that errors are reported in one line with an exit code, and that nothing is written."""

import re
from pathlib import Path

import pytest

from dptopk.cli.failures import WORDS, Exit
from dptopk.cli.group import cli
from dptopk.questions.runner import AtOnce

WRONG = [
    ("compare -k 0", 2, r"-k.*k must be in \[1, 200\], got 0"),
    ("compare -k three", 2, r"k must be a whole number, got 'three'"),
    ("compare --epsilon 0", 2, r"--epsilon.*epsilon must be a number from 1e-9 to 1e12, got 0"),
    ("compare --epsilon 1e308", 2, r"--epsilon.*from 1e-9 to 1e12, got 1e\+308"),
    ("compare --epsilon nan", 2, r"finite"),
    ("epsilon --chance 95", 2, r"chance is a probability.*for 95 percent write 0\.95"),
    ("epsilon --chance 99.5%", 2, r"got '99\.5%': for 99\.5 percent write 0\.995"),
    ("epsilon --chance 100", 2, r"chance must be in \[0, 1\)"),
    ("compare --delta 1", 2, r"delta must be in \[0, 1\)"),
    ("compare --mechanisms Joint,Jont", 2, r"mechanisms must be one of 'Joint'.*'Jont'; Joint may"),
    ("compare --metric linff", 2, r"metric must be one of .*'linff'; linf may be meant"),
    ("epsilon -k 3 --goal score --metric kendall", 4, r"one of ndcg, jaccard for the goal score"),
    ("epsilon --mechanisms JointSet --goal exact_sequence", 4, r"Joint set is left out: "),
    ("compare -k 3,x", 2, r"k must be a whole number, got 'x'"),
    ("compare --mechanisms Joint --order any", 2, r"--mechanisms names.*--order takes all"),
    ("compare --mechanisms=", 2, r"no mechanism is chosen"),
    ("compare --seed -1", 2, r"seed must be in"),
    ("compare --rnus 3", 2, r"[Nn]o such option.*--runs.*dptopk compare --help"),
    ("compere", 2, r"No such command 'compere'"),
    ("compare --format yaml", 2, r"--format.*csv"),
    ("compare --set dd=3", 2, r"'dd' is not a setting"),
    ("compare --set d", 2, r"write KEY=VALUE"),
    ("compare --epsilon 1 --set epsilon=2", 2, r"--set epsilon=2: --epsilon is given, too: leave"),
    ("budget --order any", 2, r"[Nn]o such option.*--order"),
    ("budget --items-known known", 2, r"[Nn]o such option.*--items-known"),
    ("compare --data gaems", 3, r"gaems is neither a file.*Is games meant"),
    ("compare --data .", 3, r"\. is a folder: .* --events \. --user COLUMN --item COLUMN"),
    ("compare --data log.duckdb", 3, r"is a DuckDB database: .* --events log.duckdb --table T"),
    ("compare --data bad.csv", 3, r'bad.csv: .*column.*"many"'),
    ("compare --data empty.csv", 3, r"The file is empty: provide a table with a row for each item"),
    ("compare --data words.xlsx", 3, r"words.xlsx: The file is not an Excel workbook, despite"),
    ("exact --vector a,b,c", 4, r'"a" is not a number: type counts such as 100, 90, 80'),
    ("compare --data good.csv --item-column nme", 3, r"There is no column 'nme'"),
    ("compare --data good.csv --answer decimal", 2, r"write KEY=VALUE"),
    ("compare --data good.csv --answer rows=usrs", 2, r"rows=usrs: rows must be .*users, stated"),
    ("compare --data good.csv --answer twins=mrge", 2, r"=mrge: twins must be one of apart, merge"),
    ("compare --data log.csv", 3, r"--answer rows=users \(.*rows=stated \(.*rows=events \("),
    ("compare --data synthetic-two_plateaus --set two_plateaus_low=9999999999999999999", 2, r"low"),
    ("compare --data good.csv -k 3", 4, r"good has 2 items: request at most 2\. .* good\.csv: 2"),
    ("compare --data good.csv -k 3 --mechanisms StableSet,Joint", 4, r"k = 3 was requested"),
    ("exact --small all --small-k 5 --data books", 4, r"outputs"),
    ("compare --output no/such/folder.csv", 5, r"there is no such folder"),
    ("compare -k 2 --runs 1 --output .", 5, r"cannot be written"),
    ("exact --data good.csv --vector 9,8,7", 2, r"typed counts: leave the data out"),
    ("privacy --data good.csv --small typed", 2, r"typed counts: leave the data out"),
    ("release -k 5.5", 2, r"k must be a whole number, got '5\.5'"),
    ("handover -k 5", 2, r"handover is of one mechanism: name one, such as --mechanisms Joint"),
    ("privacy --small all", 4, r"cannot be listed: take --small top"),
    ("privacy --vector 9,8,7,6,5,4,3,2,1", 4, r"neighbours of 9 items.*8 items are the most"),
    ("privacy --vector 8,7,6,5,4,3,2,1 --small-k 5", 4, r"6,720 outputs are too many"),
    ("privacy --neighbors swap --vector 7,6,5,4,3,2,1", 4, r"6 items are the most where one user"),
    ("sweep --against k_bar", 4, r"no chosen mechanism has k_bar"),
    ("run missing.json", 2, r"missing.json cannot be read"),
    ("run .", 2, r"\. cannot be read"),
    ("release --data good.csv -o ./good.csv", 2, r"would overwrite the file of --data"),
    ("release -k 2 --save here -o here --format csv", 2, r"would overwrite the file of --save"),
    ("run good.csv -o good.csv", 2, r"would overwrite the file of SETTINGS"),
    ("release -o list.xls", 2, r"\.xls is no ending of a format.*\.xlsx"),
    ("run good.csv", 2, r"good.csv: it is not valid JSON"),
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "good.csv").write_text("name,count\na,5\nb,3\n")
    (tmp_path / "bad.csv").write_text("name,count\na,5\nb,many\nc,7\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "log.duckdb").write_bytes(bytes(8) + b"DUCK" + bytes(100))
    (tmp_path / "words.xlsx").write_text("these are words, not a workbook\nand more, of them\n")
    (tmp_path / "log.csv").write_text("user,item\nann,a\nbob,a\nann,b\n")


@pytest.mark.parametrize(("typed", "code", "words"), WRONG)
def test_what_is_wrong_is_said_in_one_line(run, files, typed, code, words):
    ran = run(*typed.split())
    assert ran.code == code, ran.err
    assert ran.out == b""
    assert ran.err.startswith("dptopk")
    assert all(answer.startswith("  --") for answer in ran.err.splitlines()[1:])
    assert re.search(words, ran.err, re.DOTALL), ran.err


def test_suppressed_counts_are_refused_with_the_options_that_read_them(run):
    Path("health.csv").write_text("diagnosis,patients\nflu,1204\nmeasles,<5\nasthma,817\n")
    asked = ("release", "--data", "health.csv", "-k", 2, "--format", "json")
    refused = run(*asked)
    assert refused.code == Exit.DATA
    _, leave_out, zero, largest, other = refused.err.splitlines()
    assert leave_out == "  --answer 'suppressed=leave out' (leave these rows out)"
    assert zero == "  --answer suppressed=0 (read each as 0)"
    assert largest.startswith("  --answer suppressed=4 (")
    assert other == "  --answer suppressed=N, to read each as N, up to 100"
    said = run(*asked, "--answer", "suppressed=3").json["data_read"]
    assert any("Each was read as 3" in sentence for sentence in said)


def test_questions_are_asked_at_once_with_an_answer_a_line(run):
    places, tongues = ["DE", "US"], ["a;b", "b;c", "c;a"]
    rows = "".join(f"{i % 40},{places[i % 2]},{tongues[i % 3]}\n" for i in range(90))
    Path("survey.csv").write_text(f"respondent_id,country,language\n{rows}", "utf-8")
    asked = ("release", "--data", "survey.csv", "-k", 2)
    ran = run(*asked)
    assert ran.code == 3
    lines = ran.err.splitlines()
    options = ("--item-column country", "--item-column language", "--answer split=semicolon")
    for option in (*options, "--answer rows=users", "--answer rows=events"):
        assert sum(text.startswith(f"  {option} (") for text in lines) == 1
    named = ("--item-column", "language", "--answer", "split=semicolon", "--answer", "rows=users")
    assert run(*asked, *named).code == 0
    short = run(*asked[:-1], 9, "--item-column", "country", "--answer", "rows=users")
    assert short.code == 4
    assert 'items from column "country"' in short.err


def test_names_that_look_alike_may_be_merged(run):
    Path("tags.csv").write_text("tag,users\nTea,5\ntea,4\nale,3\n", "utf-8")
    asked = ("release", "--data", "tags.csv", "-k", 2)
    assert "--twins merge changes that" in run(*asked).err
    for merged in (("--twins", "merge"), ("--answer", "twins=merge")):
        assert "They were merged" in run(*asked, *merged).err


def test_nothing_that_steers_a_terminal_is_shown_on_one(run):
    Path("odd.csv").write_text('item,count\n"a\x1b[2Jb",5\nc,3\n', "utf-8")
    ran = run("release", "--data", "odd.csv", "-k", 2, "--format", "text")
    assert ran.code == 0
    assert b"\x1b" not in ran.out
    assert "\x1b" not in run("compare", "--data", "\x1b[31mred").err


def test_an_interruption_is_quiet(run, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(AtOnce, "each", interrupted)
    ran = run("compare", "-k", 2)
    assert (ran.code, ran.out, ran.err.strip()) == (130, b"", "")


def test_exit_codes_are_told():
    for code, words in WORDS.items():
        assert re.search(rf"\b{int(code)}\b.*{re.escape(words)}", cli.epilog)
