"""Test that the printed lines run in a fresh Python with what is of one's own."""

import subprocess
import sys

import pytest

from dptopk import MECHANISMS, Joint
from dptopk.core.errors import METRICS
from dptopk.mechanisms import extensions
from dptopk.ui import snippets

COUNTS = "counts = ItemCounts([90, 70, 40, 20, 5])\n"


@pytest.mark.parametrize("packaged", [False, True])
@pytest.mark.parametrize(("mechanism", "metric"), [("Joint", "misplaced"), ("NoisyTop", "linf")])
def test_code_loads_what_is_of_ones_own(mechanism, metric, packaged, own_module, monkeypatch):
    if packaged:
        info = own_module.parent / "own-1.0.dist-info"
        info.mkdir()
        (info / "entry_points.txt").write_text(
            "[dptopk.mechanisms]\nx = my_mechanism:NoisyTop\n"
            "[dptopk.metrics]\ny = my_mechanism:MISPLACED\n",
            "utf-8",
        )
        monkeypatch.syspath_prepend(own_module.parent)
    extensions.load([] if packaged else [str(own_module)])
    winners = f'print(winner_map(counts, mechanisms, [1, 2], [1.0], "{metric}", n=20))'
    body = f"{snippets.errors(20, 1, METRICS[metric])}{winners}"
    code = snippets.small(COUNTS, [MECHANISMS[mechanism](2, 1.0)], body)
    assert ('load(["my_mechanism"])' in code) != packaged
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=own_module.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert mechanism in done.stdout


def test_code_loads_nothing_where_nothing_is_of_ones_own(own_module):
    extensions.load([str(own_module)])
    code = snippets.small(COUNTS, [Joint(2, 1.0)], snippets.errors(20, 1, METRICS["linf"]))
    assert "load(" not in code
