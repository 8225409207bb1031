"""Test the layout of the package: which package may import, name or hide what.

Every test lists all offenders at once, so that one run tells what to mend.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

from dptopk import MECHANISMS
from dptopk.ui.layout.pages import JOIN, PAGES

ROOT = Path(__file__).resolve().parents[2]
NAMES = ROOT / "dptopk" / "__init__.pyi"  # which public name is loaded from where
PACKAGE = sorted({*ROOT.glob("dptopk/**/*.py"), NAMES} - {NAMES.with_suffix(".py")})
SCRIPTS = sorted(ROOT.glob("pages/*.py"))
CODE = [*PACKAGE, *SCRIPTS, ROOT / "app.py", *sorted(ROOT.glob("benchmarks/*.py"))]

# Data walk one way: a package imports from those before it only, or from itself.
LAYERS = (
    ("core", "content"),
    ("accounting",),
    ("data",),
    ("mechanisms",),
    ("laws",),
    ("simulation",),
    ("tuning",),
    ("publishing",),
    ("export",),
    ("questions",),
    ("figures", "homework"),
    ("cli", "ui"),
    ("__main__",),
)
LAYERS_OF_UI = (
    ("keys", "formats"),
    ("address", "exports", "ranking_table", "snippets", "tables"),
    ("show",),
    ("widgets",),
    ("controls", "server", "sentences"),
    ("results", "uploads"),
    ("layout",),
    ("sections",),
)
TOP_NAMES = {"export", "questions", "ui", "cli"}  # may import from `dptopk` itself


def name_of(path: Path) -> str:
    """Return the dotted name of a file in the repository."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in CODE}


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Return all modules, and names in modules, that a file imports when it runs."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree_of(path)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue  # what only annotations need makes no circle
        waiting += [one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.expr)]
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            # lazy_loader wants the public names relative to the package
            assert node.level == (path == NAMES), f"{path} imports relatively"
            module = f"dptopk.{node.module}" if node.level else node.module
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return frozenset(found)


def modules(path: Path) -> set[str]:
    """Return the modules of the repository that a file imports, or imports from."""
    names = imports(path)
    return {name if name in MODULES else name.rpartition(".")[0] for name in names} & set(MODULES)


def levels(layers) -> dict[str, int]:
    return {package: level for level, packages in enumerate(layers) for package in packages}


def upward(layers, depth: int) -> list[str]:
    """List imports from a package that stands in the same layer or a later one."""
    level = levels(layers)
    prefix = name_of(ROOT / "dptopk" / "ui" / "__init__.py") + "." if depth == 2 else "dptopk."
    wrong = []
    for path in PACKAGE:
        name = name_of(path)
        if not name.startswith(prefix):
            continue
        package = name.split(".")[depth]
        for other in sorted(modules(path)):
            if not other.startswith(prefix):
                continue
            theirs = other.split(".")[depth]
            if theirs != package and not level[theirs] < level[package]:
                wrong.append(f"{name} imports {other}")
    return wrong


def test_packages_import_from_earlier_layers_only():
    assert upward(LAYERS, 1) == []
    assert upward(LAYERS_OF_UI, 2) == []


def test_only_outer_packages_import_the_public_names():
    wrong = [
        name_of(path)
        for path in PACKAGE
        if "dptopk" in modules(path) and name_of(path).split(".")[1:2] != []
        if name_of(path).split(".")[1] not in TOP_NAMES
    ]
    assert wrong == []


def test_importing_the_package_loads_nothing_but_its_table_of_names():
    assert imports(NAMES.with_suffix(".py")) == {"lazy_loader"}
    assert not {name.split(".")[1] for name in imports(NAMES)} & TOP_NAMES


def test_no_modules_import_each_other_in_a_circle():
    graph = {name: modules(path) - {name} for name, path in MODULES.items()}
    while free := [name for name, needs in graph.items() if not needs & set(graph)]:
        for name in free:
            del graph[name]
    assert sorted(graph) == []


def private_parts(name: str) -> list[str]:
    """Return every private part of a dotted name, with what leads to it."""
    parts = name.split(".")
    hidden = (i for i, part in enumerate(parts) if re.match("_(?!_)", part))
    return [".".join(parts[: i + 1]) for i in hidden]


def test_nothing_private_is_imported_from_another_folder():
    wrong = []
    for path in CODE:
        folder = name_of(path.parent / "__init__.py")
        for name in imports(path):
            for secret in private_parts(name) if name.startswith("dptopk") else ():
                if secret.rpartition(".")[0] != folder:
                    wrong.append(f"{name_of(path)} imports {secret}")
    assert wrong == []


def test_streamlit_is_imported_by_the_app_alone():
    wrong = [
        name_of(path)
        for path in PACKAGE
        if not name_of(path).startswith("dptopk.ui")
        and any(name.split(".")[0] == "streamlit" for name in imports(path))
    ]
    assert wrong == []


def test_no_mechanism_is_named_outside_its_package():
    names = {m.__name__ for m in MECHANISMS.values()}
    words = names | set(MECHANISMS) | {m.card.key for m in MECHANISMS.values()}
    wrong = []
    for path in [p for p in PACKAGE + SCRIPTS if "mechanisms" not in p.parts and p != NAMES]:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Name | ast.Attribute | ast.alias):
                name = getattr(node, "id", None) or getattr(node, "attr", None) or node.name
                found = name if name in names else None
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = node.value if node.value in words else None
            else:
                continue
            if found is not None:
                wrong.append(f"{name_of(path)}:{node.lineno} names {found}")
    assert wrong == []


def test_every_page_has_its_script():
    pages = (*PAGES, JOIN)
    assert sorted(path.stem for path in SCRIPTS) == sorted(page.key for page in pages)
    assert len({page.title for page in pages}) == len({page.icon for page in pages}) == len(pages)


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in SCRIPTS])
def test_pages_define_nothing_and_compute_nothing(path):
    """A page reads from top to bottom; Streamlit runs it anew, so that nothing of it is kept."""
    packages = {name.split(".")[0] for name in imports(path)}
    assert packages <= {"streamlit", "dptopk", "functools", "itertools", "dataclasses"}
    made = ast.FunctionDef | ast.ClassDef | ast.While
    assert not [node.lineno for node in ast.walk(tree_of(path)) if isinstance(node, made)]
