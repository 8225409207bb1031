"""Test files and streams that fail: one line, the documented exit code, no partial output."""

import io
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest

from dptopk.cli.failures import Exit
from dptopk.data import datasets

COMMAND = [sys.executable, "-m", "dptopk"]
HELD_UP = """
import sys
class Held:
    def find_spec(name, *others):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Held)
from dptopk.cli import main
sys.exit(main(["release", "-k", "2"]))
"""


def ended(shell: str, **how) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `dptopk` is this command."""
    line = shell.replace("dptopk", f"'{sys.executable}' -m dptopk")
    run = ["bash", "-o", "pipefail", "-c", line]
    return subprocess.run(run, capture_output=True, text=True, timeout=120, check=False, **how)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("dptopk --help > /dev/full", Exit.OUTPUT, "cannot be written: No space left"),
        ("dptopk datasets > /dev/full", Exit.OUTPUT, "cannot be written: No space left"),
        ("dptopk datasets >&-", Exit.OUTPUT, "standard output is closed"),
        ("dptopk datasets -o /dev/full", Exit.OUTPUT, "--output /dev/full cannot be written"),
        ("dptopk compere 2>&-", Exit.USAGE, ""),
        ("dptopk compere 2>/dev/full", Exit.USAGE, ""),
        ("dptopk exact --draws 0 2>&- >/dev/null", 0, ""),
        ("dptopk release --data - <&-", Exit.DATA, "- cannot be read"),
        ("dptopk --help | true", Exit.PIPE, ""),
        ("dptopk datasets | true", Exit.PIPE, ""),
    ],
)
def test_streams_that_are_closed_or_full_are_told_by_one_line_and_the_exit_code(line, code, words):
    ran = ended(line)
    assert ran.returncode == code, ran.stderr
    assert words in ran.stderr
    assert ran.stderr.count("\n") == bool(words), ran.stderr


@pytest.mark.parametrize("module", ["dptopk.cli.group", "click", "numpy", "dptopk.questions"])
def test_ctrl_c_while_it_loads_is_quiet(module):
    code = HELD_UP.format(module=module)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert (ran.returncode, ran.stderr.strip()) == (Exit.INTERRUPTED, b"")


def test_a_pipe_that_nobody_writes_into_says_what_it_waits_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    asked = [*COMMAND, "release", "-k", "1", "--data", "pipe"]
    with subprocess.Popen(
        asked,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # ignored where the tests themselves run in the background of a shell
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as waiting:
        try:
            said = waiting.stderr.readline()
            waiting.send_signal(signal.SIGINT)
            assert waiting.wait(120) == Exit.INTERRUPTED
        finally:
            waiting.kill()
    assert said == "Waiting for another program to write into pipe. Ctrl-C stops waiting.\n"


def test_settings_of_bundled_counts_on_a_public_list_ask_for_it_again(run):
    Path("items.txt").write_text("Dota 2\nnone\nTeam Fortress 2\nUnturned\n")
    listed = ("--items", "items.txt")
    first = run("compare", "-k", 3, "--runs", 10, *listed, "--save", "saved.json")
    assert first.code == 0, first.err
    without = run("run", "saved.json")
    assert (without.code, "give it with --items FILE" in without.err) == (2, True)
    assert run("run", "saved.json", *listed).out == first.out


def test_an_answer_that_does_not_fit_leaves_the_file_that_was_there(tmp_path):
    (tmp_path / "kept.csv").write_text("kept")

    def small_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))

    ran = ended("dptopk release -k 20 -o kept.csv", cwd=tmp_path, preexec_fn=small_disk)
    assert ran.returncode == Exit.OUTPUT
    assert "--output kept.csv cannot be written: File too large." in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["kept.csv"]
    assert (tmp_path / "kept.csv").read_text() == "kept"


def test_links_and_permissions_of_a_file_that_is_replaced_stay(run):
    Path("there.csv").write_text("old")
    Path("there.csv").chmod(0o640)
    Path("link.csv").symlink_to("there.csv")
    assert run("release", "-k", 1, "-o", "link.csv").code == 0
    assert Path("link.csv").is_symlink()
    assert Path("there.csv").stat().st_mode & 0o777 == 0o640
    assert Path("there.csv").read_text().startswith('"mechanism"')


@pytest.mark.parametrize("state", ["missing", "damaged"])
def test_data_that_did_not_come_along_are_told_in_one_line_and_help_still_works(
    run, monkeypatch, tmp_path, state
):
    file = tmp_path / "provenance.toml"

    def place(name):
        if state == "missing":
            raise FileNotFoundError(f"the bundled data file {name} is not there: install again")
        file.write_text("[[dataset]]\nname = 3")
        return file

    monkeypatch.setattr(datasets, "_data_file", place)
    datasets._read_provenance.cache_clear()
    try:
        assert {run(*asked.split()).code for asked in ("--help", "--version")} == {0}
        for asked in ("datasets", "release", "epsilon --help"):
            ran = run(*asked.split())
            assert (ran.code, ran.out, ran.err.count("\n")) == (Exit.DATA, b"", 1), ran.err
            assert "provenance.toml" in ran.err
    finally:
        datasets._read_provenance.cache_clear()


def test_a_workbook_holds_numbers_names_as_text_and_where_it_comes_from(run):
    Path("odd.csv").write_text('item,count\n=1+1,50\n"-2 Live Crew",40\nb,30\n', "utf-8")
    asked = ("release", "--data", "odd.csv", "-k", 3, "--epsilon", 50, "--mechanisms", "Joint")
    assert run(*asked, "-o", "list.xlsx").code == 0
    book = openpyxl.load_workbook("list.xlsx")
    table, source = book.worksheets
    header, *rows = table.iter_rows()
    items = [row[[cell.value for cell in header].index("item")] for row in rows]
    assert [cell.value for cell in items] == ["=1+1", "-2 Live Crew", "b"]
    assert [cell.data_type for cell in items] == ["s"] * 3
    assert [row[3].value for row in rows] == [50, 40, 30]
    told = {row[0].value: row[1].value for row in source.iter_rows()}
    assert told["settings.k"] == 3
    assert told["note"].startswith("Not for a real release")
    again = run(
        "release", "--data", "list.xlsx", "--item-column", "item", "--counts", "count", "-k", 1
    )
    assert again.code == 0
    piped = run(*asked, "--format", "xlsx")
    assert openpyxl.load_workbook(io.BytesIO(piped.out)).sheetnames == book.sheetnames


OF_LOG = ("log.csv", "--user", "user", "--item", "region")


@pytest.mark.parametrize(
    "asked",
    [
        ("counts", *OF_LOG),
        ("users", *OF_LOG, "-k", 1, "--runs", 20),
        ("discover", *OF_LOG, "-k", 1),
        ("release", "--data", "log.csv", "--users", "user", "-k", 1),
        ("epsilon", "--data", "regions.csv", "-k", 1),
    ],
    ids=lambda asked: " ".join(map(str, asked)),
)
def test_a_name_that_may_be_missing_is_refused_with_the_option_that_says(run, asked):
    regions = {"NA": 4, "EMEA": 2, "APAC": 1}
    users = enumerate(name for name, n in regions.items() for _ in range(n))
    Path("log.csv").write_text("user,region\n" + "".join(f"{n},{name}\n" for n, name in users))
    rows = "".join(f"{name},{100 * n}\n" for name, n in regions.items())
    Path("regions.csv").write_text(f"region,users\n{rows}")
    refused = run(*asked)
    assert (refused.code, refused.out) == (3, b"")
    assert '"NA" in' in refused.err
    assert "--nulls" in refused.err
    assert "nulls=" not in refused.err
    for nulls, done in (("keep", "kept as names"), ("leave out", "These rows were left out")):
        ran = run(*asked, "--nulls", nulls)
        assert ran.code == 0, ran.err
        assert done in ran.err


def test_users_whose_addresses_differ_by_case_are_merged_on_request(run):
    Path("log.csv").write_text("user,region\na@x.org,EMEA\nA@x.org,EMEA\nb@x.org,APAC\n")
    asked = ("release", "-k", 1, "--epsilon", 99, "--mechanisms", "joint")
    of_log, of_file = ("--events", *OF_LOG), ("--data", "log.csv", "--users", "user")
    apart = run(*asked, *of_file)
    assert "3 users" in apart.err
    assert "--users-alike merge changes that" in apart.err
    for data in (of_file, of_log):
        merged = run(*asked, *data, "--users-alike", "merge", "--save", "saved.json")
        assert "2 users" in merged.err
        again = run("run", "saved.json", data[0], "log.csv")
        assert "2 users" in again.err


def test_names_that_were_kept_are_read_back_as_written_and_so_are_settings(run):
    Path("log.csv").write_text("user,region\n1,NA\n2,NA\n3,-\n4,EMEA\n")
    assert run("counts", *OF_LOG, "--nulls", "keep", "-o", "counts.csv").code == 0
    asked = ("release", "-k", 1, "--epsilon", 99, "--mechanisms", "joint", "--format", "json")
    again = run(*asked, "--data", "counts.csv")
    assert "missing names" not in again.err
    of_log = run(*asked, "--events", *OF_LOG, "--nulls", "keep", "--save", "saved.json")
    assert of_log.json["rows"] == again.json["rows"]
    saved = run("run", "saved.json", "--events", "log.csv", "--format", "json")
    assert saved.json["rows"] == again.json["rows"]


def test_what_a_sample_shows_is_said_to_be_of_its_rows(run):
    rows = "".join(f"u{i % 40},{('NA', 'tea', 'rum')[i % 3]}\n" for i in range(10_002))
    Path("log.csv").write_text(f"user,item\n{rows}", "utf-8")
    ran = run("release", "--data", "log.csv")
    assert ran.code == Exit.DATA
    assert 'Likely asked next, of the first 10,000 rows: Column "item" has missing names' in ran.err
