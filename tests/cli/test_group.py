"""Test the command group: the modules that each command imports, and the help."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from dptopk.cli.group import SHORT, cli
from dptopk.questions import COMMANDS, QUESTIONS

START = Path(__file__).resolve().parents[2] / "docs" / "start.md"
SLOW = {"plotly", "streamlit", "scipy", "dptopk.figures"}
TABLES = {"pandas", "pyarrow"}
UNUSED = {"dptopk.data.events", "dptopk.publishing.ledger", "dptopk.questions.errors"}
UNUSED |= {"dptopk.tuning.search", "numpy.ma"}
READING = {"dptopk.data.event_logs", "dptopk.data.ingest.reading"}  # of files


@pytest.mark.parametrize(
    ("typed", "unneeded"),
    [
        ("--version", {"numpy", "dptopk.mechanisms"}),
        ("--help", {"numpy", "dptopk.mechanisms"}),
        ("app --help", {"numpy", "dptopk.mechanisms"}),
        ("release -k 3", SLOW | TABLES | UNUSED | READING),
        ("release --data sample_data/games.csv -k 3", SLOW | {"pandas", "duckdb"}),
        ("datasets", SLOW | TABLES | READING),
        ("epsilon --help", SLOW | TABLES | {"dptopk.tuning.search"}),
    ],
)
def test_a_command_loads_no_more_than_it_needs(typed, unneeded):
    code = (
        "import sys\nfrom dptopk.cli import main\n"
        f"code = main({typed.split()!r})\nprint(*sys.modules, file=sys.stderr)\nsys.exit(code)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(ended.stderr.split())
    assert "dptopk.cli.group" in loaded
    assert not unneeded & loaded


def test_the_command_alone_shows_its_help(run):
    bare = run()
    assert (bare.code, bare.err) == (0, "")
    assert bare.out == run("--help").out
    for name, words in SHORT.items():
        assert f"  {name} " in bare.out.decode()
        assert words in bare.out.decode()


def test_every_question_has_its_command():
    assert {question.key for question in COMMANDS.values()} == set(QUESTIONS) - {"errors"}


def offered(*typed: str) -> list[str]:
    """What a shell offers for the last word."""
    *words, begun = typed
    found = ShellComplete(cli, {}, "dptopk", "_DPTOPK_COMPLETE").get_completions(words, begun)
    return [item.value for item in found]


def test_a_shell_completes_commands_mechanisms_choices_and_data():
    assert offered("pr") == ["privacy"]
    assert offered("compare", "--mechanisms", "joint") == ["Joint", "JointSet"]
    assert offered("compare", "--mechanisms", "Joint,pnfp") == ["Joint,PNFPeel"]
    assert offered("epsilon", "--goal", "exact") == ["exact_set", "exact_sequence"]
    assert offered("release", "--data", "gam") == ["games", "gam"]  # and files that begin so
    assert offered("release", "--nei") == ["--neighbors"]


def test_the_line_that_is_taught_gives_a_shell_what_completes(run, monkeypatch):
    line = 'eval "$(_DPTOPK_COMPLETE=bash_source dptopk)"'
    assert line in START.read_text(encoding="utf-8")
    monkeypatch.setenv("_DPTOPK_COMPLETE", "bash_source")
    ran = run()
    assert ran.code == 0
    assert b"_DPTOPK_COMPLETE=bash_complete" in ran.out
