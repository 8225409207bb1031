"""Load mechanisms and measures that others wrote, from installed packages and from modules.

A package names its mechanisms in the entry point group ``dptopk.mechanisms`` and its measures in
``dptopk.metrics``; of a module that is named, or listed in the environment variable `WITH`, all
that it defines are loaded.  Nothing here checks their guarantees.  The command line and the app
call `load` before they make settings of the registries.
"""

import importlib
import keyword
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from dptopk.core.errors import METRICS, Metric, add_metric
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.mechanisms.base import MOST_ADDED
from dptopk.mechanisms.card import MINIMAL_STYLE

WITH = "DPTOPK_WITH"
"""Environment variable that names files of Python or modules, with `os.pathsep` between them."""

SOURCES: dict[str, str] = {}
"""Origin of each mechanism that was loaded, by its name."""

SOURCES_OF_MEASURES: dict[str, str] = {}
"""Origin of each measure that was loaded, by its key."""

_LOOKS = [(dash, marker) for dash in ("solid", "dash", "dot") for marker in ("circle", "square")]


class ExtensionError(ValueError):
    """A module cannot be loaded, or what it brings cannot be used; one sentence."""


def load(modules: Sequence[str] = ()) -> None:
    """Add what installed packages, and modules or files of Python, bring to the registries."""
    listed = filter(None, os.environ.get(WITH, "").split(os.pathsep))
    for source, value in (*_of_packages(), *_of_modules((*modules, *listed))):
        if isinstance(value, Metric):
            _check_free(value.key, value, METRICS.get(value.key), source)
            add_metric(value)
            SOURCES_OF_MEASURES[value.key] = source
        else:
            name = value.card.name
            for called in (name, value.card.key):
                _check_free(called, value, MECHANISMS.get(called), source)
            if value.card.style == MINIMAL_STYLE:
                dash, marker = _LOOKS[len(SOURCES) % len(_LOOKS)]
                style = replace(MINIMAL_STYLE, dash=dash, marker=marker)
                value.card = replace(value.card, style=style)
            MECHANISMS[name] = value
            SOURCES[name] = source


def claims(keys: tuple[str, ...]) -> list[str]:
    """Return what is claimed of the chosen mechanisms of others, and what is simulated."""
    chosen = [MECHANISMS[name] for name in SOURCES if MECHANISMS[name].card.key in keys]
    simulated = "all numbers on it are simulated"
    by_law = "exact numbers on it follow from its author's law, of which no more is checked than "
    by_law += f"that at most {MOST_ADDED:,} outputs, of the largest counts, add up to 1"
    return [
        f"{one.name} comes from {SOURCES[one.name]}: its guarantee is its author's claim, which "
        f"nothing here checks, and {by_law if one.has_law() else simulated}."
        for one in chosen
    ]


def _of_packages() -> Iterator[tuple[str, Metric | type[Mechanism]]]:
    files = (file for folder in sys.path for file in Path(folder).glob("*-info/entry_points.txt"))
    if not any(b"[dptopk.m" in file.read_bytes() for file in files):
        return
    from importlib.metadata import entry_points  # takes a ninth of a command that needs none

    installed = entry_points()  # each call reads the files of all packages
    for group in ("dptopk.metrics", "dptopk.mechanisms"):
        for point in installed.select(group=group):
            entry = f"{point.value}, of the entry point {point.name} in {group},"
            try:
                value = point.load()
            except (Exception, SystemExit) as error:  # whoever meets it may not have written it
                why = f"{type(error).__name__}: {error}"
                raise ExtensionError(f"{entry} cannot be loaded: {why}") from error
            if not (isinstance(value, Metric) or _is_mechanism(value)):
                raise ExtensionError(f"{entry} must be a Metric or a mechanism with a card")
            yield point.value, value


def _of_modules(modules: Iterable[str]) -> Iterator[tuple[str, Metric | type[Mechanism]]]:
    for named in dict.fromkeys(modules):
        try:
            module = _module(named)
        except SystemExit as error:
            raise ExtensionError(f"{named} ends Python as it is imported: remove exit()") from error
        except SyntaxError as error:
            raise ExtensionError(f"{named} cannot be read as Python: {error}") from error
        defined = [
            value
            for value in vars(module).values()
            if isinstance(value, Metric)
            or (_is_mechanism(value) and value.__module__ == module.__name__)
        ]
        if not defined:
            raise ExtensionError(f"{named} defines no mechanism with a card and no Metric")
        yield from ((Path(named).name, value) for value in defined)


def _module(named: str) -> ModuleType:
    """Import a module by its name, or a file under the name of a module beside others."""
    path = Path(named)
    is_file = path.suffix == ".py"
    if is_file and not path.is_file():
        raise ExtensionError(f"there is no file {named}")
    words = [path.stem] if is_file else named.split(".")
    if any(keyword.iskeyword(word) or not word.isidentifier() for word in words):
        raise ExtensionError(
            f"{named!r} is no name that Python can import: name the file such as my_mechanism.py"
        )
    if not is_file:
        return importlib.import_module(named)
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    module = importlib.import_module(path.stem)
    if Path(module.__file__ or "").resolve() != path.resolve():
        raise ExtensionError(f"{named} has the name of another module, {path.stem}: rename it")
    return module


def _is_mechanism(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Mechanism) and "card" in vars(value)


def _check_free(name: str, value: object, known: object, source: str) -> None:
    if known is not None and known is not value:
        raise ExtensionError(f"{source} brings {name}, which is the name of another: rename it")
