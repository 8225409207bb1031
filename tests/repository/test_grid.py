"""Test the sampling of large grids of cases: a tenth for each push, all of them at night."""

import os
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[2]
LADDER = ("", "_cards", "_laws", "_privacy", "_ends")


@pytest.fixture(scope="module")
def shared(request):
    """The module that chooses: tests/conftest.py."""
    return request.config.pluginmanager.get_plugin(str(ROOT / "tests/conftest.py"))


def test_each_case_of_a_grid_is_in_one_tenth_and_all_others_in_each(shared):
    names = [f"tests/test_some.py::test_this[{number}]" for number in range(1_000)]
    marked = set(names[::2])
    every = [
        SimpleNamespace(nodeid=name, get_closest_marker=lambda _, name=name: name in marked)
        for name in names
    ]
    runs, left_out = [], []
    hook = SimpleNamespace(pytest_deselected=lambda items: left_out.append(len(items)))
    for grid in [*map(str, range(10)), "all"]:
        items = list(every)
        config = SimpleNamespace(option=SimpleNamespace(grid=grid), hook=hook)
        shared.pytest_collection_modifyitems(config, items)
        runs.append([item.nodeid for item in items])
    *tenths, whole = runs
    assert whole == names
    assert sorted(name for run in tenths for name in run if name in marked) == sorted(marked)
    assert all(set(run) - marked == set(names) - marked for run in tenths)
    assert all(30 < len(marked & set(run)) < 70 for run in tenths)
    assert left_out == [len(names) - len(run) for run in tenths]


def test_the_commit_at_hand_chooses_the_tenth(shared, tmp_path, monkeypatch):
    for name, value in {
        "GIT_CEILING_DIRECTORIES": str(tmp_path.parent),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_DATE": "2022-01-31T12:00:00Z",
        "GIT_COMMITTER_DATE": "2022-01-31T12:00:00Z",
    }.items():
        monkeypatch.setenv(name, value)
    assert shared.tenth_of_head(tmp_path) == 0
    made = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m"
    chosen = set()
    for number in range(12):
        subprocess.run(f"{made} {number}", shell=True, cwd=tmp_path, check=True)
        chosen.add(shared.tenth_of_head(tmp_path))
    assert len(chosen) > 2
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shared.tenth_of_head(tmp_path) == 0


def test_a_failure_can_be_repeated_by_what_the_header_says(shared):
    config = SimpleNamespace(option=SimpleNamespace(grid="7"))
    assert "--grid 7 " in shared.pytest_report_header(config)


def test_the_ladder_of_exact_laws_is_in_every_push():
    ladder = [
        *(ROOT / "tests/laws").rglob("*.py"),
        *(ROOT / "tests/accounting").rglob("*.py"),
        *(ROOT / "tests/mechanisms" / f"test_conformance{name}.py" for name in LADDER),
    ]
    assert len(ladder) > 15
    assert [path.name for path in ladder if "mark.grid" in path.read_text(encoding="utf-8")] == []


def test_all_of_it_runs_each_night_as_is_said():
    options = "--grid all --hypothesis-profile nightly"
    nightly = (ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8")
    assert re.search(rf"^ +- run: \.ci/run {options}$", nightly, re.MULTILINE)
    assert "\n  schedule:\n    - cron:" in nightly
    run = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert run.endswith('exec bash -c "$command \\"\\$@\\"" pytest "$@"\n')
    told = (ROOT / "docs/project/tests.md").read_text(encoding="utf-8")
    assert f".venv/bin/python -m pytest {options}" in told
    assert settings.get_profile("nightly").max_examples == 50
    assert settings.get_profile("push").max_examples == 15
