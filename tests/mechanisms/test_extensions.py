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


@pytest.fixture
def installed(own_module, monkeypatch):
    """Function that installs a package with such entry points beside the module."""
    monkeypatch.syspath_prepend(own_module.parent)
    info = own_module.parent / "own-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own\nVersion: 1.0\n", "utf-8")
    return lambda points: (info / "entry_points.txt").write_text(points, "utf-8")


def test_a_package_brings_its_own_by_entry_points(installed):
    installed(
        "[dptopk.mechanisms]\nx = my_mechanism:NoisyTop\n"
        "[dptopk.metrics]\ny = my_mechanism:MISPLACED\n"
    )
    extensions.load()
    extensions.load()  # what is there is not refused
    assert METRICS["misplaced"].title == "misplaced items"
    assert list(MECHANISMS)[-1] == "NoisyTop"
    assert extensions.claims(("Joint",)) == []
    assert extensions.claims(("NoisyTop",))[0].startswith("NoisyTop comes from my_mechanism:Noisy")


def test_of_a_law_it_is_said_how_far_it_is_checked(own_module):
    own_module.write_text(own_module.read_text("utf-8").replace("_sample_ranks", "_log_pmf"))
    extensions.load([str(own_module)])
    (claim,) = extensions.claims(("NoisyTop",))
    assert claim.endswith(
        "which nothing here checks, and exact numbers on it follow from its author's law, of which "
        "no more is checked than that at most 1,000 outputs, of the largest counts, add up to 1."
    )


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
        ("quits.py", r"quits.py ends Python as it is imported: remove exit\(\)"),
        ("my-mech 2.py", "'my-mech 2.py' is no name that Python can import"),
        ("wrong.py", r"^wrong.py cannot be read as Python: .* \(wrong.py, line 1\)$"),
        ("class.py", "'class.py' is no name that Python can import"),
        ("", "'' is no name that Python can import: name the file such as my_mechanism.py"),
        (".", "'.' is no name that Python can import"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused(name, message, own_module, monkeypatch):
    monkeypatch.chdir(own_module.parent)
    for file in ("json.py", "my-mech 2.py", "class.py"):
        (own_module.parent / file).write_text("", "utf-8")
    (own_module.parent / "wrong.py").write_text("def f(:", "utf-8")
    (own_module.parent / "quits.py").write_text("import sys\nsys.exit(3)\n", "utf-8")
    with pytest.raises(extensions.ExtensionError, match=message):
        extensions.load([name])


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("my_mechanism:Nope", "cannot be loaded: AttributeError: .* has no attribute 'Nope'"),
        ("no_module:Nope", "cannot be loaded: ModuleNotFoundError: No module named 'no_module'"),
        ("my_mechanism", "must be a Metric or a mechanism with a card"),
    ],
)
def test_an_entry_point_that_cannot_be_taken_is_named(point, why, installed):
    installed(f"[dptopk.mechanisms]\nx = {point}\n")
    told = f"^{point}, of the entry point x in dptopk.mechanisms, {why}"
    with pytest.raises(extensions.ExtensionError, match=told):
        extensions.load()
