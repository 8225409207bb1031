"""Test that mechanisms and measures of others come by a file or a package, and are told apart."""

import io
import re
import subprocess
import sys

import pandas as pd
import pytest

from dptopk import MECHANISMS
from dptopk.core.errors import METRICS
from dptopk.mechanisms import extensions

CLAIM = (
    "NoisyTop comes from my_mechanism.py: its guarantee is its author's claim, which nothing here "
    "checks, and all numbers on it are simulated."
)


def test_a_file_is_asked_like_all_others(own_module):
    """In a process of its own, as measures have to be there before settings are made of them."""

    def asked(*arguments):
        command = [sys.executable, "-m", "dptopk", *arguments, "--with", own_module.name]
        return subprocess.run(command, cwd=own_module.parent, capture_output=True, text=True)

    chosen = ("--mechanisms", "Joint,NoisyTop", "-k", "3", "--runs", "50", "--metric", "misplaced")
    done = asked("compare", *chosen, "--save", "settings.json")
    assert done.returncode == 0, done.stderr
    assert CLAIM in done.stderr
    rows = pd.read_csv(io.StringIO(done.stdout)).set_index("mechanism")
    assert rows["metric"].unique() == ["misplaced items"]
    assert rows["right_as_a_set_exact"].isna().to_dict() == {"Joint": False, "NoisyTop": True}
    assert asked("run", "settings.json").stdout == done.stdout
    listed = asked("exact", "--mechanisms", "NoisyTop")
    assert "NoisyTop is left out: no exact law of it is known." in listed.stderr


def test_a_package_brings_its_own_by_entry_points(own_module, monkeypatch):
    monkeypatch.syspath_prepend(own_module.parent)
    info = own_module.parent / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[dptopk.mechanisms]\nx = my_mechanism:NoisyTop\n"
        "[dptopk.metrics]\ny = my_mechanism:MISPLACED\n",
        "utf-8",
    )
    extensions.load()
    extensions.load()  # what is there is not refused
    assert METRICS["misplaced"].title == "misplaced items"
    assert list(MECHANISMS)[-1] == "NoisyTop"
    assert extensions.claims(("Joint",)) == []
    assert extensions.claims(("NoisyTop",))[0].startswith("NoisyTop comes from my_mechanism:Noisy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("NoisyTop", "Joint"), "brings Joint, which is the name of another: rename it"),
        (('"misplaced",', '"linf",'), "brings linf, which is the name of another"),
        (("card:", "no_card:"), None),
        (("(?s).*", ""), "my_mechanism.py defines no mechanism with a card and no Metric"),
    ],
)
def test_what_cannot_be_taken_is_refused(change, message, own_module, monkeypatch):
    own_module.write_text(re.sub(*change, own_module.read_text("utf-8"), count=0), "utf-8")
    monkeypatch.setenv(extensions.WITH, str(own_module))
    if message is None:  # a base class is none to be offered
        extensions.load()
        assert not extensions.SOURCES
    else:
        with pytest.raises(extensions.ExtensionError, match=re.escape(message)):
            extensions.load()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.py", "there is no file absent.py"),
        ("json.py", "json.py has the name of another module, json: rename it"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused(name, message, own_module, monkeypatch):
    monkeypatch.chdir(own_module.parent)
    (own_module.parent / "json.py").write_text("", "utf-8")
    monkeypatch.setenv(extensions.WITH, name)
    with pytest.raises(extensions.ExtensionError, match=message):
        extensions.load()
