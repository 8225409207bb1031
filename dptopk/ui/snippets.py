"""Write the lines of Python that reproduce the numbers of a page."""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import dptopk
from dptopk.core.errors import Metric
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms import Mechanism, extensions
from dptopk.questions.view import View

# names used by snippets that are not offered by `dptopk` itself
_PACKAGES = {
    "dptopk.accounting": ("OutcomeLedger",),
    "dptopk.core.errors": ("count_given_up",),
    "dptopk.data": (
        "classroom_vector",
        "counts_of_periods",
        "read_public_list",
        "read_table",
        "synthetic",
        "to_item_counts",
        "zipf_like",
    ),
    "dptopk.data.events": ("periods_of_table",),
    "dptopk.data.synthetic_log": ("synthetic_log",),
    "dptopk.laws": ("merged_outputs", "roc_curve"),
    "dptopk.questions.errors": ("measure_errors",),
    "dptopk.questions.paper_figures": ("FIGURES", "panel_numbers"),
    "dptopk.questions.papers": ("check_statements",),
    "dptopk.questions.sweep": ("sweep_errors",),
    "dptopk.simulation": (
        *("ask_for_the_next", "at_points", "cells", "generator_for"),
        *("consecutive_releases", "gaps_of_release", "noise_of_release"),
    ),
    "dptopk.tuning": (
        *("joint_cost", "needed_together", "with_share_of_delta", "within_budget"),
        *("costs_of_series", "errors_by_bound", "expected_turnover", "turnover_of_series"),
    ),
}
_BEFORE = f"""\
# dptopk is on no package index yet: "pip install ." in a checkout (here {dptopk.__version__}).
# Not for a real release: the random numbers are ordinary ones, and whoever knows the seed knows the
# draw. `dptopk publish` makes real releases: see the page Publish.
"""
_OTHERS = {"np": "import numpy as np", "pathlib": "import pathlib"}


def snippet(view: View, body: str, mechanisms: bool = True) -> str:
    """Return lines that make the counts and, if wanted, the mechanisms, then run ``body``."""
    return small(view.source.python, view.mechanisms if mechanisms else (), body)


def small(counts: str, mechanisms: Sequence[Mechanism], body: str) -> str:
    """Return lines that make the counts and the mechanisms, then run ``body``.

    They begin with comments on installation and limits, then load what is one's own, from the
    folder of its file, before imports that make lists of measures.
    """
    lines = counts
    if mechanisms:
        listed = "".join(f"    {constructor(mechanism)},\n" for mechanism in mechanisms)
        lines += f"\nmechanisms = [\n{listed}]"
    lines += f"\n{body.strip()}\n"
    sources = extensions.SOURCES
    modules = {sources[mechanism.name] for mechanism in mechanisms if mechanism.name in sources}
    modules |= {of for key, of in extensions.SOURCES_OF_MEASURES.items() if f'"{key}"' in lines}
    before = _BEFORE
    if modules:  # what has a colon is an entry point, which is loaded without being named
        names = (f'"{name.removesuffix(".py")}"' for name in sorted(modules) if ":" not in name)
        before += "from dptopk.mechanisms.extensions import load\n\n"
        before += f"load([{', '.join(names)}])\n\n"
    words = set(re.findall(r"\b[A-Za-z_][A-Za-z0-9_]*(?=[.(\[])", lines))
    classes = {type(mechanism).__name__: type(mechanism).__module__ for mechanism in mechanisms}
    homes: dict[str, set[str]] = {}
    for word in words:
        home = _home(word, classes)
        if home:
            homes.setdefault(home, set()).add(word)
    imports = [line for word, line in sorted(_OTHERS.items()) if word in words]
    imports += [""] if imports else []
    imports += [f"from {home} import {', '.join(sorted(homes[home]))}" for home in sorted(homes)]
    return before + "\n".join(imports) + f"\n\n{lines}"


def constructor(mechanism: Mechanism) -> str:
    """Write the call that makes a mechanism, with defaults left out."""
    arguments = [str(mechanism.k), repr(mechanism.epsilon)]
    positional = True
    for field in dataclasses.fields(mechanism)[2:]:
        value = getattr(mechanism, field.name)
        if value == field.default:
            positional = False
            continue
        required = positional and field.default is dataclasses.MISSING
        arguments.append(_written(value) if required else f"{field.name}={_written(value)}")
    return f"{type(mechanism).__name__}({', '.join(arguments)})"


def errors(n: int, seed: int, metric: Metric, mechanisms: str = "mechanisms") -> str:
    """Return the lines that run mechanisms and print their errors beside exact values."""
    return f"""\
found = measure_errors(counts, {mechanisms}, "{metric.key}", n={n}, seed={seed})
print(found.rows.T.to_string())
"""


def fit(n_draws: int, seed: int, samples: str = "samples") -> str:
    """Return the lines of a loop that test draws of a ``mechanism`` against its ``law``."""
    return f"""\
    samples = mechanism.sample(counts, {n_draws}, generator_for(mechanism, {seed}))
    fit = goodness_of_fit(law, {samples})
    print(fit.n_draws, fit.n_cells, fit.statistic, fit.p_value)
"""


def _home(word: str, classes: dict[str, str]) -> str | None:
    """Return the package that a name is imported from: `dptopk` if it is offered there."""
    if word in dir(dptopk):
        return "dptopk"
    packages = (package for package, names in _PACKAGES.items() if word in names)
    return next(packages, classes.get(word))


def _written(value: Any) -> str:
    if isinstance(value, NeighborRelation):
        return f"NeighborRelation.{value.name}"
    return f'"{value}"' if isinstance(value, str) else repr(value)
