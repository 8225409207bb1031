"""Compute what the figures of the cited papers show, from bundled data at the papers' settings.

Figures are in content/papers/figures.toml.  Most panels are answers of other questions, errors
against k and gaps, at settings of their own; the others are times of draws, the experiment of the
paper on sets, and the entries of Joint's matrix that pruning keeps (Gillenwater et al. 2022, 2021;
Wu and Zhang 2024).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd

from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.errors import METRICS
from dptopk.core.numerals import COUNT_UNIT
from dptopk.core.papers import Citation
from dptopk.data.datasets import dataset_info, dataset_names
from dptopk.data.sources import Source
from dptopk.mechanisms import MECHANISMS, selections
from dptopk.questions import QUESTIONS, asking
from dptopk.questions.draw_times import TIMED_K, TRIALS, timed
from dptopk.questions.errors import Errors, as_simulated
from dptopk.questions.gaps import gap_rows
from dptopk.questions.origin import TRUE_COUNTS, Origin
from dptopk.questions.paper_checks import BETA, DELTA, EPSILON, built, cut_loss, entries_kept
from dptopk.questions.papers import Link, content, paper_of, source_of
from dptopk.questions.runner import AT_ONCE, Runner
from dptopk.questions.set_experiment import LINF, RUNS, SEED, K, set_errors
from dptopk.questions.sweep import grid, mechanisms_at_points, summary_origin, sweep_errors
from dptopk.questions.view import View
from dptopk.simulation.summaries import count_histogram

_QUICK = (5, 50, 200)
_PRUNED_K = (5, 10, 25, 50, 100, 150, 200)


@dataclass(frozen=True)
class PaperPanel:
    """One of the pictures of a figure."""

    figure: str  # key of its figure
    data: str  # as in links, with the settings of the data
    title: str
    drawn: str  # the title without the data
    draws: str  # "sweep", "gaps", "counts", "times", "sets" or "pruning"
    settings: Mapping[str, str] = field(hash=False)  # of the page that draws it alone

    @property
    def link(self) -> Link:
        """Link to the page that draws it alone."""
        if self.draws in ("times", "sets", "pruning"):
            return Link(self.title, "papers", {"figure": self.figure})
        page = "gaps" if self.draws == "counts" else self.draws
        name, _, query = self.data.partition("?")
        return Link(self.title, page, {"data": name, **dict(parse_qsl(query)), **self.settings})

    @property
    def name(self) -> str:
        """Name of its files and its element of a page."""
        of = [self.data.partition("?")[0], *self.settings.get("metric", self.draws).split()]
        more = [self.settings[key] for key in ("counts", "epsilon") if key in self.settings]
        return "-".join([f"figure-{self.figure}", *of, *more]).replace(" ", "-").replace("_", "-")


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper, or an experiment of one."""

    key: str
    source: Citation
    title: str
    shows: str  # what the paper shows
    differs: str  # what is different here
    panels: tuple[PaperPanel, ...]
    n_columns: int
    picture: PaperPanel  # of which a small picture is drawn
    # k and the milliseconds that others measured at it, by what they are
    elsewhere: Mapping[str, tuple[int, float]] = field(hash=False)


@dataclass(frozen=True)
class Drawn:
    """Numbers of a panel, with their table and origin."""

    panel: PaperPanel
    shown: Errors | Mapping[str, Any]  # errors against k, or what the figure takes by name
    table: pd.DataFrame
    origin: Origin


def panel_numbers(
    panel: PaperPanel,
    runner: Runner = AT_ONCE,
    source: Source | None = None,
    number: int | None = None,
) -> Drawn | None:
    """Compute the numbers of a panel; return None if the runs were stopped.

    ``source`` takes the place of its data.  Times are measured quickly, without Algorithm 1, unless
    ``number`` tells one measurement from the next.
    """
    source = source or source_of(panel.data)
    if panel.draws == "times":
        return _times(panel, source, runner, number)
    return _BY_KIND[panel.draws](panel, source, runner)


def _sweep(panel: PaperPanel, source: Source, runner: Runner) -> Drawn | None:
    question = QUESTIONS["sweep"]
    values = asking.checked(question, panel.settings)
    view = asking.view_of(question, values, source)
    over, at = grid(values["against"], view.counts.d, view.k)
    settings, _ = mechanisms_at_points(view, over, at)
    n = values["runs_a_point"]
    errors = sweep_errors(
        *(view.counts, settings, values["metric"], n, view.seed),
        unit=view.unit,
        runner=runner,
        name=panel.name,
    )
    if len(errors.mechanisms) < len(settings):
        return None
    return Drawn(panel, errors, as_simulated(errors.summary), summary_origin(view, errors, n))


def _view(source: Source) -> View:
    question = QUESTIONS["gaps"]
    values = asking.checked(question, {"k": min(10, source.counts.d)})
    return asking.view_of(question, values, source)


def _gaps(panel: PaperPanel, source: Source, runner: Runner) -> Drawn:
    n = min(int(panel.settings["places"]), source.counts.d - 1)
    table = gap_rows(source.counts, n, source.unit)
    top = source.counts.sorted.top(n + 1)
    origin = _view(source).origin((), TRUE_COUNTS)
    return Drawn(panel, {"gaps": top[:-1] - top[1:], "unit": source.unit}, table, origin)


def _counts(panel: PaperPanel, source: Source, runner: Runner) -> Drawn:
    levels, view = source.counts.sorted, _view(source)
    edges, n_items = count_histogram(levels.values, levels.multiplicities)
    parts = {"edges": edges, "n_items": n_items, "k": view.k, "unit": source.unit}
    parts["kth_count"] = int(levels.top(view.k)[-1])
    table = pd.DataFrame({"from": edges[:-1], "to": edges[1:] - 1, "items": n_items})
    origin = view.origin((), TRUE_COUNTS, more={"k": view.k})
    return Drawn(panel, parts, table, origin)


def _times(panel: PaperPanel, source: Source, runner: Runner, number: int | None) -> Drawn | None:
    keys = panel.settings["mechanisms"].split(",")
    kinds = [built(MECHANISMS[key], 10) for key in keys]
    ks, trials = (_QUICK, 1) if number is None else (TIMED_K, TRIALS)
    tasks = dict(timed(source.counts, kinds, ks, trials, number))
    times = runner.each(tasks, panel.name)
    if len(times) < len(tasks):
        return None
    rows = [
        {"sampler": name, "k": k, "milliseconds": 1_000 * float(np.median(seconds))}
        | {"least": 1_000 * min(seconds), "most": 1_000 * max(seconds), "trials": trials}
        for (name, k), seconds in times.items()
    ]
    table = pd.DataFrame(rows)
    drawn = {
        str(name): (rows["k"].to_numpy(), rows["milliseconds"].to_numpy())
        for name, rows in table.groupby("sampler", sort=False)
    }
    if number is not None:
        elsewhere = FIGURES[panel.figure].elsewhere
        drawn |= {name: (np.array([k]), np.array([ms])) for name, (k, ms) in elsewhere.items()}
    computed = f"measured on this machine, CPU time of one draw, median of {trials} at each k"
    origin = _view(source).origin((), computed, more={"epsilon": EPSILON, "delta": DELTA})
    styles = {kind.label: kind.card.style for kind in kinds}
    parts = {"drawn": drawn, "styles": styles, "titles": ("k", "milliseconds for one draw")}
    return Drawn(panel, parts, table, origin)


def _sets(panel: PaperPanel, source: Source, runner: Runner) -> Drawn:
    epsilon, on = float(panel.settings["epsilon"]), panel.settings["counts"]
    every = runner.call(set_errors, source.counts, epsilon)
    table = pd.DataFrame(
        {"mechanism": kind.card.name, "d": d, "q25": low, "median": mean, "q75": high}
        for kind, one in every[on].items()
        for d, mean, low, high in zip(one.d, one.mean, one.low, one.high, strict=True)
    )
    names = {"q25": "mean_low", "median": "mean", "q75": "mean_high"}
    parts = {
        "summary": table,
        "over": "d",
        "metric": METRICS[LINF].counted_in(source.unit if on != "uniform" else COUNT_UNIT),
        "styles": {kind.card.name: kind.card.style for kind in every[on]},
        "band": ("mean", "95% interval"),
    }
    exact = selections.ONE_SET_BY_PLACES.card.name
    data = source.title if on != "uniform" else "uniform counts up to 10 d"
    more = {"epsilon": epsilon, "k": K}
    computed = f"exact for {exact}, else simulated"
    origin = Origin(data, None, (), computed, runs=RUNS, seed=SEED, more=more)
    return Drawn(panel, parts, table.rename(columns=names), origin)


def _pruning(panel: PaperPanel, source: Source, runner: Runner) -> Drawn:
    counts, ks = source.counts, np.array([k for k in _PRUNED_K if k <= source.counts.d])
    columns: dict[str, FloatArray | IntArray] = {
        "entries of the whole matrix, k d": ks * counts.d,
        "pairs of a place and a loss that matter": np.array(
            [entries_kept(counts, int(k)) for k in ks]
        ),
        "their bound": np.array([k * (1 + cut_loss(counts.d, int(k))) for k in ks]),
    }
    table = pd.DataFrame({"k": ks} | columns)
    style = selections.ONE_CHOICE.card.style
    kept, drawn = list(columns)[1], {name: (ks, y) for name, y in columns.items()}
    parts = {"drawn": drawn, "styles": {kept: style}, "titles": ("k", "entries")}
    more = {"epsilon": EPSILON, "beta": BETA}
    return Drawn(panel, parts, table, _view(source).origin((), "exact", more=more))


_BY_KIND: dict[str, Callable[[PaperPanel, Source, Runner], Drawn | None]] = {
    "sweep": _sweep,
    "gaps": _gaps,
    "counts": _counts,
    "sets": _sets,
    "pruning": _pruning,
}


def _figure(entry: Mapping[str, Any]) -> PaperFigure:
    key = entry["key"]

    def panel(data: str, part: Mapping[str, str]) -> PaperPanel:
        of = {name: value for name, value in part.items() if name not in ("title", "draws", "data")}
        if part["draws"] in ("sweep", "times"):
            of = {"mechanisms": entry["mechanisms"], "against": "paper", "runs_a_point": "50"} | of
        ours = NAMES[data]
        known = dataset_info(ours).title if ours in dataset_names() else _STAND_IN
        words = part["title"] if part["draws"] == "sets" else f"{known}, {part['title']}"
        return PaperPanel(key, ours, words, part["title"], part["draws"], of)

    data, place = entry["picture"]
    panels = [panel(data, each) for data in entry["data"] for each in entry["panels"]]
    panels += [panel(entry["beyond"]["data"], entry["beyond"])] if "beyond" in entry else []
    bundled = [dataset_info(NAMES[name]) for name in entry["data"] if name != "foods"]
    differs = [entry["differs"]] if "differs" in entry else []
    differs += [
        f"{one.title}: {one.paper.removeprefix('no: ')}."
        for one in bundled
        if key.isdigit() and one.paper.startswith("no: ")
    ]
    if len(bundled) == len(NAMES) - 1:  # a figure of all data
        differs.append("Foods could not be had.")
    return PaperFigure(
        key,
        paper_of(entry["paper"]).at(entry["place"]),
        entry["title"],
        entry["shows"],
        " ".join(differs),
        tuple(panels),
        3 if len(panels) > 6 else min(len(panels), 2),
        panel(data, entry["panels"][place]),
        entry.get("elsewhere", {}),
    )


NAMES = {original["name"]: original["ours"] for original in content("original")}
"""Data of the figures by what the paper calls theirs."""

_STAND_IN = "Synthetic stand-in for Foods"
FIGURES = {entry["key"]: _figure(entry) for entry in content("figure")}
"""All figures by key, in the order of the page."""
