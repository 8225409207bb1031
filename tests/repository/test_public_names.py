"""Test the list of public names, which are loaded when they are first used."""

import ast
import pickle
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dptopk
from dptopk import MECHANISMS

STUB = Path(dptopk.__file__).with_suffix(".pyi")
LISTED = [
    alias
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
]


def loaded_after(lines: str) -> set[str]:
    """Top packages and modules of SciPy that are loaded once these lines have run."""
    code = f"{lines}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ended.stderr.split())


def test_every_name_is_written_out_once_as_type_checkers_ask():
    """Pyright takes nothing for public in a typed package but `a as a`, and computes no list."""
    assert [alias.name for alias in LISTED] == [alias.asname for alias in LISTED]
    names = [alias.name for alias in LISTED]
    assert sorted(names) == dptopk.__all__ == sorted(set(names))
    assert "__all__" not in STUB.read_text(encoding="utf-8")


def test_the_names_are_the_mechanisms_and_what_the_contents_tell():
    classes = {mechanism.__name__ for mechanism in MECHANISMS.values()}
    assert classes < set(dptopk.__all__), "name them in dptopk/__init__.pyi"
    told = {name for name in re.findall(r"`(\w+)`", dptopk.__doc__) if name != "None"}
    assert set(dptopk.__all__) - classes == told


def test_every_name_can_be_used_found_and_pickled():
    for name in dptopk.__all__:
        assert getattr(dptopk, name) is not None
    everything = {}
    exec("from dptopk import *", everything)
    assert set(dptopk.__all__) <= set(everything)
    assert set(dptopk.__all__) <= set(dir(dptopk))
    assert pickle.loads(pickle.dumps(dptopk.Joint(2, 1.0))) == dptopk.Joint(2, 1.0)  # noqa: S301
    assert dptopk.Joint.__module__ == "dptopk.mechanisms.joint"
    told = pydoc.plain(pydoc.render_doc(dptopk))
    assert "Mechanisms          `MECHANISMS`: name -> class" in told
    assert "class ItemCounts" in told
    with pytest.raises(AttributeError, match="Jiont"):
        _ = dptopk.Jiont


def test_no_public_name_is_that_of_a_module():
    """Once such a module is loaded the package may hold the one or the other."""
    modules = {path.stem for path in Path(dptopk.__file__).parent.iterdir()}
    assert not modules & set(dptopk.__all__)


def test_importing_the_package_loads_nothing_else():
    assert not {"numpy", "click", "dptopk.core.counts"} & loaded_after("import dptopk")
    assert "duckdb" not in loaded_after("import dptopk\ndptopk.counts_from_events")
    one = loaded_after("from dptopk import ItemCounts\nItemCounts([3, 2])")
    assert "numpy" in one
    assert not {"pandas", "plotly", "scipy", "dptopk.mechanisms"} & one
