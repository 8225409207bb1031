"""The plan of the package holds: who may import whom, name whom, and how long a module may be."""

import ast
import re
from pathlib import Path

import pytest

from dptopk import MECHANISMS
from dptopk.ui.plan import PAGES

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = sorted(ROOT.glob("dptopk/**/*.py"))
SCRIPTS = sorted(ROOT.glob("pages/*.py"))
CODE = [*PACKAGE, *SCRIPTS, ROOT / "app.py", *sorted(ROOT.glob("benchmarks/*.py"))]
SHARED = {
    "dptopk._names",
    "dptopk._types",
    "dptopk._validate",
}  # private to the package, not to a folder

PARTS = (
    "shell",
    "widgets",
    "downloads",
    "links",
    "redraw",
    "sidebar",
    "small_cases",
    "texts",
)  # of pages

# Data walk one way: a room imports from rooms above it only, or from itself.
ROOMS = (
    ("readme_parts", "_types", "numerals", "pauses", "typed_numbers"),
    ("_names", "_validate", "papers", "privacy", "export", "notebook", "delta_advice"),
    ("parameters", "counts"),
    ("outputs", "accounting", "ingest", "synthetic"),
    ("datasets", "errors", "placements", "stand_ins", "events"),
    ("mechanisms", "provenance"),
    ("exact", "distribution", "trials", "implied"),
    ("strata", "swaps"),
    ("weighted_runs",),
    ("summaries", "neighboring", "dots", "series"),
    ("privacy_loss",),
    ("outcomes", "targets", "winners", "written_out", "crossing"),
    ("choosing",),
    ("figures",),
    ("settings",),
    ("sources", "origin", "handover"),
    ("view", "small_cases", "goals"),
    ("questions", "application"),
    ("asking",),
    ("saved",),
    ("ui", "cli"),
    ("__main__",),
)
# These may import the package's door, which knows nothing of them.
BEYOND = ("origin", "handover", "ui", "cli")
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}


def name_of(path: Path) -> str:
    """Dotted name of a file in the repository."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in CODE}


def imports(path: Path) -> set[str]:
    """Everything a file imports when it runs: modules, and names in modules."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):  # what only annotations need makes no circle
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def modules(path: Path) -> set[str]:
    """Modules of the repository that a file imports or imports from."""
    names = imports(path)
    inside = {name if name in MODULES else name.rpartition(".")[0] for name in names}
    return inside & set(MODULES)


def ours(paths) -> list:
    return [pytest.param(path, id=name_of(path)) for path in paths]


def private(name: str) -> list[str]:
    """Every private part of a dotted name, with what leads to it."""
    parts = name.split(".")
    hidden = (i for i, part in enumerate(parts) if re.match("_(?!_)", part))
    return [".".join(parts[: i + 1]) for i in hidden]


@pytest.mark.parametrize("path", ours(CODE))
def test_nothing_private_is_imported_from_another_folder(path):
    folder = name_of(path.parent / "__init__.py")
    for name in imports(path):
        for secret in private(name) if name.startswith("dptopk") else ():
            at_home = secret.rpartition(".")[0] == folder
            assert at_home or (secret in SHARED and folder.startswith("dptopk")), secret


@pytest.mark.parametrize("path", ours(PACKAGE))
def test_rooms_import_from_rooms_above_only(path):
    parts = name_of(path).split(".")
    if len(parts) == 1:  # the package's door imports from everywhere but the app
        beyond = tuple(f"dptopk.{room}" for room in BEYOND)
        assert not any(name.startswith(beyond) for name in imports(path))
        return
    room = parts[1]
    for name in modules(path):
        other = (name.split(".") + [""])[1]
        if not other:
            assert room in BEYOND, f"{parts} imports the package's door"
        elif other != room:
            assert LEVEL[other] < LEVEL[room], f"{room} must not import {name}"


def test_no_modules_import_each_other_in_a_circle():
    graph = {name: modules(path) - {name} for name, path in MODULES.items()}
    while graph:
        free = [name for name, needs in graph.items() if not needs & set(graph)]
        assert free, f"in a circle: {sorted(graph)}"
        for name in free:
            del graph[name]


@pytest.mark.parametrize("path", ours(PACKAGE + SCRIPTS))
def test_streamlit_is_known_to_the_app_alone(path):
    if path.parent.name != "pages" and "dptopk/ui" not in path.as_posix():
        assert not any(name.split(".")[0] == "streamlit" for name in imports(path))


@pytest.mark.parametrize(
    "path", ours([path for path in PACKAGE + SCRIPTS if "mechanisms" not in path.parts])
)
def test_no_mechanism_is_named_outside_its_room(path):
    names = {m.__name__ for m in MECHANISMS.values()}
    words = names | set(MECHANISMS) | {m.card.key for m in MECHANISMS.values()}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name | ast.Attribute | ast.alias):
            name = getattr(node, "id", None) or getattr(node, "attr", None) or node.name
            assert name not in names, f"{name} in line {node.lineno}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value not in words, f"{node.value!r} in line {node.lineno}"


@pytest.mark.parametrize("path", ours(sorted(ROOT.glob("tests/**/*.py")) + PACKAGE + SCRIPTS))
def test_no_module_is_too_long_to_read(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_every_page_has_its_script_and_its_presenter():
    keys = sorted(page.key for page in PAGES)
    assert sorted(path.stem for path in SCRIPTS) == keys
    presenters = {path.stem for path in ROOT.glob("dptopk/ui/presenters/*.py")} - {"__init__"}
    assert sorted(presenters) == keys
    assert len({page.title for page in PAGES}) == len({page.icon for page in PAGES}) == len(PAGES)


@pytest.mark.parametrize("path", ours(SCRIPTS))
def test_pages_are_thin(path):
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 60
    assert imports(path) <= {
        "streamlit",
        f"dptopk.ui.presenters.{path.stem}",
        *(f"dptopk.ui.{name}" for name in PARTS),
    }
    nodes = list(ast.walk(ast.parse(source)))
    made = ast.FunctionDef | ast.ClassDef | ast.Lambda | ast.BinOp | ast.While
    assert not [node.lineno for node in nodes if isinstance(node, made)]
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    assert not attributes & {"cache_data", "cache_resource", "session_state", "plotly_chart"}
