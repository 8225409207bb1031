"""Write the pages that are made from code: mechanisms, API, command line, settings and data."""

import inspect
import itertools
import math
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from drawn import SCRIPT, drawn as plotted
from lessons import COMPONENTS, games, lessons

import dptopk
from dptopk import MECHANISMS, ItemCounts, Mechanism, output_distribution
from dptopk.cli.failures import WORDS
from dptopk.cli.group import SHORT, cli
from dptopk.core.errors import METRICS
from dptopk.core.numerals import probability, share
from dptopk.core.parameters import EPSILON, Choice, Ladder, Number, Several, Text
from dptopk.data import sources
from dptopk.data.datasets import (
    DatasetInfo,
    dataset_info,
    dataset_names,
    load_dataset,
    provenance,
)
from dptopk.mechanisms import Group
from dptopk.mechanisms.pictures import Coins, NoisyCounts
from dptopk.questions import QUESTIONS, settings
from dptopk.questions.asking import parameters_of
from dptopk.ui.formats import typeset
from dptopk.ui.layout.pages import PAGES
from dptopk.ui.sections import explanation

FOLDER = "generated"
_SMALL = (10, 7, 4, 1)  # counts of the exact small case, where a card has no example
_SHOWN = 12  # outputs of it
_CERTAIN = 0.99
_PACKAGES = ("data", "simulation", "laws", "tuning", "accounting", "mechanisms", "figures")


def write(docs: Path) -> None:
    """Write all pages below `generated`, and Plotly's script beside the site's own files."""
    shutil.rmtree(docs / FOLDER, ignore_errors=True)
    pages = {
        **mechanisms(),
        **lessons(),
        **api(),
        "measures": measures(),
        "command-line": command_line(),
        "settings": addresses(),
        "data": data(),
        **{page: root_page(docs.parent, file, page) for file, page in ROOT_PAGES.items()},
    }
    for name, text in pages.items():
        file = docs / FOLDER / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (docs / FOLDER / "static").mkdir()
    (docs / FOLDER / "static" / "plotly.js").write_text(SCRIPT(), "utf-8")
    for file in COMPONENTS:
        shutil.copy(file.with_suffix(".js"), docs / FOLDER / "static")
    scoped = (f".{one.stem} {{{one.with_suffix('.css').read_text()}}}" for one in COMPONENTS)
    (docs / FOLDER / "static" / "components.css").write_text("\n".join(scoped), "utf-8")


ROOT_PAGES = {
    "README.md": "readme",  # included by the first page, beside which its links are
    "CHANGELOG.md": "changes",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
    "benchmarks/README.md": "benchmarks",
    "deploy/README.md": "server",
}
"""Files of the repository that are pages of the site, too."""


def root_page(root: Path, file: str, page: str) -> str:
    """Return the text of a file with links that lead where its page is.

    A file that is no page can be downloaded, a folder keeps its words without a link.
    """
    start = root / "docs" if page == "readme" else root / "docs" / FOLDER

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found.groups("")
        path = (root / file).parent.joinpath(target).resolve(strict=True)
        path = path / "README.md" if (path / "README.md").exists() else path
        name = path.relative_to(root).as_posix()
        if name in ROOT_PAGES:
            of_it = f"docs/{FOLDER}/{ROOT_PAGES[name]}.md"
            name = "docs/index.md" if name == "README.md" else of_it
        if path.is_dir():
            return words
        return f"[{words}]({os.path.relpath(root / name, start)}{anchor})"

    text = (root / file).read_text("utf-8")
    text = re.sub(r"\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)", link, text)
    return text.replace('".readme/', '"')


def _listed(pages: Sequence[str]) -> str:
    """Return a table of contents."""
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```"])


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


# Mechanisms


def mechanisms() -> dict[str, str]:
    """Return a page for each registered mechanism, and one that compares them."""
    classes = list(MECHANISMS.values())
    parts = ["# Mechanisms", _INTRODUCTION]
    for group in Group:
        rows = (_row(cls) for cls in classes if cls.card.group is group)
        parts += [f"## {group.value}", _table(("", "Guarantee", "Releases", ""), rows)]
    parts.append(_OTHER_NAMES)
    index = "\n\n".join([*parts, _listed([cls.card.key for cls in classes])])
    return {
        "mechanisms/index": index,
        **{f"mechanisms/{cls.card.key}": _mechanism(cls) for cls in classes},
    }


_INTRODUCTION = """Every guarantee but those for unknown items holds for a list of items that was
fixed independently of the data, and is given for two neighbour relations: one user joins or leaves,
or one is replaced. The place Compare of the app, or `dptopk compare`, says which fits your data."""


_OTHER_NAMES = """## Other names: report noisy max, permute-and-flip, sparse vector technique

Report noisy max is, for one item, EM-Peel with Gumbel noise, which is the
exponential mechanism; Laplace with Laplace noise; and PNF-Peel with exponential noise, which is
permute-and-flip. Stable set and Adaptive k are propose-test-release. The sparse vector technique,
or above threshold, which answers questions that come one after another, is not among these."""


def _row(cls: type[Mechanism]) -> list[str]:
    card = cls.card
    return [
        f"[{card.name}]({card.key}.md)",
        "(ε, δ)" if card.takes("delta") else "ε",
        cls.outputs.words,
        card.summary,
    ]


def _mechanism(cls: type[Mechanism]) -> str:
    """Return the page of a mechanism: its card, its picture and an exact small case."""
    card = cls.card
    told = card.explanation
    papers = {citation.paper: citation for citation in (card.paper, *told.sources)}
    return "\n\n".join(
        [
            f"# {card.name}",
            card.summary,
            f"## How it chooses: definition of {card.name}",
            *map(typeset, told.does),
            _picture(cls),
            "## What it promises, and why",
            typeset(told.promise),
            "## When to use it, and when not",
            typeset(f"**Use it** {told.good_for[0].lower()}{told.good_for[1:]}"),
            typeset(f"**Not** {told.not_for[0].lower()}{told.not_for[1:]}"),
            f"**No release for publication:** {card.not_exact}" if not _exact(cls) else "",
            "## A small case, exactly",
            _small_case(cls),
            "## In Python",
            f"```{{eval-rst}}\n.. autoclass:: dptopk.{cls.__name__}\n   :no-members:\n```",
            "## References",
            *(f"- {c.paper.citation}: [{c.paper.title}]({c.paper.url})" for c in papers.values()),
        ]
    )


def _exact(cls: type[Mechanism]) -> bool:
    return not _built(cls, 2).why_not_exact


def _built(cls: type[Mechanism], k: int) -> Mechanism:
    """Return a mechanism at ε = 1, with the default of every further parameter."""
    given = {one.key: one.default for one in cls.card.parameters if one.default is not None}
    return cls(k=k, epsilon=1.0, **given)


def _picture(cls: type[Mechanism]) -> str:
    """Return the picture of the page Mechanisms, on the bundled games."""
    view = games((cls.card.key,))
    (mechanism,) = view.mechanisms
    place, shown = 1, explanation.picture(view, mechanism, 1)
    if isinstance(shown, Coins | NoisyCounts):
        place = explanation.first_place(view).default
        shown = explanation.picture(view, mechanism, place)
    if shown is None:
        return ""
    caption = explanation.caption(view, mechanism, shown, place)
    chart = explanation.chart(view, mechanism, shown, place, view.origin((), ""), caption)
    key = f"picture-{cls.card.key}"
    picture = plotted(chart.figure, key, chart.height, chart.finding)
    return f"{picture}\n\n{caption} Data: {view.source.title}, k = {view.k}."


def _small_case(cls: type[Mechanism]) -> str:
    """Return the likeliest outputs of a small case with their exact probabilities."""
    example = cls.card.explanation.example
    counts, k = (example.counts, example.k) if example else (_SMALL, 2)
    mechanism = _built(cls, k)
    for times in itertools.count(1):  # as large as it takes for more than one output
        of_larger = [times * count for count in counts]
        items = ItemCounts(of_larger, [chr(ord("A") + place) for place in range(len(counts))])
        law = output_distribution(items, mechanism)  # likeliest first
        if law.probabilities[0] < _CERTAIN:
            break
    logs = zip(law.log_probabilities.tolist(), law.log_complements.tolist(), strict=True)
    rows = zip(law.labels(), itertools.starmap(probability, logs), strict=True)
    n_possible = int((law.log_probabilities > -math.inf).sum())
    shown = list(itertools.islice(rows, min(n_possible, _SHOWN)))
    rest = n_possible - len(shown)
    held = ", ".join(f"{name}: {count}" for name, count in zip(items.items, of_larger, strict=True))
    delta = f", δ = {mechanism.delta:g}" if cls.card.takes("delta") else ""
    return "\n\n".join(
        [
            f"Counts {held}; k = {k}, ε = 1{delta}. {example.shows if example else ''}",
            _table(("Output", "Probability"), shown),
            f"The other {rest} possible outputs have {share(law.probabilities[_SHOWN:].sum())} "
            "together."
            if rest
            else "",
        ]
    )


# Reference


def api() -> dict[str, str]:
    """Return the public names by subject, as the contents of the package list them."""
    rows = re.findall(r"^(\S[^`\n]{19}|\S[^`\n]*?  +|  +)(.*`.*)$", dptopk.__doc__, re.MULTILINE)
    subjects: dict[str, list[str]] = {}
    for subject, names in rows:
        title = subject.strip() or next(reversed(subjects))
        subjects.setdefault(title, []).extend(re.findall(r"`(\w+)`", names))
    pages = {}
    for subject, names in subjects.items():
        path = f"api/{re.sub(r'[^a-z]+', '-', subject.lower())}"
        pages[path] = _documented(subject, [f"dptopk.{name}" for name in names if name != "None"])
    for package in _PACKAGES:
        module = import_module(f"dptopk.{package}")
        names = sorted(set(module.__all__) - set(dptopk.__all__))
        paths = [f"{module.__name__}.{name}" for name in names]
        pages[f"api/{package}-package"] = _documented(module.__name__, paths)
    named = [path.removeprefix("api/") for path in pages]
    table = _table(
        ("Subject", "Names"),
        (
            (
                f"[{title}]({path.removeprefix('api/')}.md)",
                ", ".join(f"{{py:obj}}`~dptopk.{n}`" for n in names),
            )
            for path, (title, names) in zip(pages, subjects.items(), strict=False)
        ),
    )
    further = "\n".join(
        f"- [`dptopk.{package}`]({package}-package.md): {_first_line(f'dptopk.{package}')}"
        for package in _PACKAGES
    )
    head = f"# Python: API reference\n\n{dptopk.__doc__.split(chr(10))[0]}\n\n{table}\n\n{further}"
    return {"api/index": f"{head}\n\n{_listed(named)}", **pages}


def _first_line(module: str) -> str:
    return inspect.getdoc(import_module(module)).split("\n")[0]


def _documented(title: str, paths: Sequence[str]) -> str:
    """Return a page that documents the objects of some dotted names."""
    lines = []
    for path in paths:
        module, _, name = path.rpartition(".")
        found = getattr(import_module(module), name)
        if callable(found):
            lines.append(f".. auto{'class' if inspect.isclass(found) else 'function'}:: {path}\n")
        else:
            lines.append(f".. py:data:: {path}\n   :type: {type(found).__name__}\n")
    return f"# {title}\n\n```{{eval-rst}}\n" + "\n".join(lines) + "```\n"


def measures() -> str:
    """Return what each measure of errors is, and its key."""
    parts = ["# Measures of errors", "What `metric` and `--metric` take, beside measures of yours."]
    for key, metric in METRICS.items():
        law = "exact where a mechanism knows its law" if metric.law else "simulated"
        told = f"`{key}`: {metric.meaning}. Values: {metric.unit}. Over releases: {law}."
        parts += [f"## {metric.title[0].upper()}{metric.title[1:]}", told]
    return "\n\n".join(parts)


def command_line() -> str:
    """Return the help of every command, and the exit codes."""
    context = click.Context(cli, info_name="dptopk")
    parts = ["# Command line", _help(cli, "dptopk", None)]
    for name, line in SHORT.items():
        command = cli.get_command(context, name)
        parts += [f"## dptopk {name}", line, _help(command, name, context)]
        within = click.Context(command, info_name=name, parent=context)
        for sub, one in getattr(command, "commands", {}).items():
            parts += [f"### dptopk {name} {sub}", _help(one, sub, within)]
    codes = _table(("Exit code", "Meaning"), ((f"{int(c)}", w) for c, w in WORDS.items()))
    return "\n\n".join([*parts, "## Exit codes", codes])


def _help(command: click.Command, name: str, parent: click.Context | None) -> str:
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=96, max_content_width=96
    )
    return f"```text\n{command.get_help(context)}\n```"


def addresses() -> str:
    """Return the pages of the app with their addresses and the settings of their links."""
    rows = (
        (
            page.place,
            page.title,
            f"`/{page.key}`",
            ", ".join(f"`{s}`" for s in page.settings),
        )
        for page in PAGES
    )
    given = (
        EPSILON,
        *vars(settings).values(),
        settings.mechanisms(),
        settings.mechanism(),
        settings.stand_in(),
        settings.places(),
        *settings.of_mechanisms().values(),
        sources.data(),
        *(own for choice in sources.choices() for own in sources.own_settings(choice)),
    )
    named = {one.key: one for one in given if hasattr(one, "key") and hasattr(one, "label")}
    told = {
        key: (
            f"`{key}`",
            " ".join(f"{one.label}{'.' * (one.label[-1] != '?')} {one.help}".split())
            if one.help
            else one.label,
            _allowed(one),
            f"`{one.text(one.default)}`" if one.text(one.default) else "",
        )
        for key, one in sorted(named.items())
    }
    asked = {key for question in QUESTIONS.values() for key in parameters_of(question)}
    head = ("Key", "Setting", "Values", "Default")
    return "\n\n".join(
        [
            "# Addresses and settings",
            _OF_LINKS,
            _table(("Place", "Page", "Address", "Settings of its own"), rows),
            "Settings of questions, in links and in files of settings; on the command line by "
            "`--set KEY=VALUE`, where the question of the command has them, and data by `--data`:",
            _table(head, (row for key, row in told.items() if key in asked)),
            "Settings of links alone:",
            _table(head, (row for key, row in told.items() if key not in asked)),
        ]
    )


def _allowed(setting: Any) -> str:
    """Return the values that a setting takes."""
    if isinstance(setting, Choice | Several):
        options = setting.options.items()
        return "; ".join(f"`{value}`{f' {w}' if w != value else ''}" for value, w in options)
    if isinstance(setting, Number):
        return f"{setting.low:g} to {setting.high:,}"
    if isinstance(setting, Ladder):
        return setting.rule_words
    return f"text of {setting.longest:,} characters" if isinstance(setting, Text) else "true, false"


_OF_LINKS = """Every setting is in the address: `/release?data=games&k=5&epsilon=0.5` opens the same
view for everybody. A value that is not allowed is refused in a sentence, and a key that is unknown
is told the one that is meant."""


# Data


def data() -> str:
    """Return all that is known of the bundled data sets."""
    about = provenance()["about"]
    infos = [dataset_info(name) for name in dataset_names()]
    head = ("name", "d", "total count", "largest", "smallest", "distinct users?", "the paper's?")
    parts = [
        "# Bundled data",
        f"The {len(infos)} real sets of counts, one row an item. {about['files']}",
        f"**Licences.** {about['licences']}",
        f"**What one user can change.** {about['users']}",
        _table(head, map(_sizes, infos)),
        about["missing"],
        *(part for info in infos for part in (f"## {info.name}", _facts(info))),
    ]
    return "\n\n".join(parts)


def _sizes(info: DatasetInfo) -> list[str]:
    counts = load_dataset(info.name).counts
    sizes = (counts.size, counts.sum(), counts.max(), counts.min())
    certain = "yes" if info.distinct_users else "not for certain"
    return [info.name, *(f"{n:,}" for n in sizes), certain, info.paper]


def _facts(info: DatasetInfo) -> str:
    """Return everything known of one set, a line a fact; what is empty is left out."""
    packed = " (of the compressed file)" if info.file.endswith(".gz") else ""
    facts = {
        "what": f"{info.title}. {info.description}",
        "file": f"`{info.file}`, SHA-256 `{info.sha256}`{packed}",
        "source": info.original,
        "taken from": info.copy,
        "checks": info.checks,
        "where": f"<{info.url}>",
        "licence": f"{info.license} SPDX: `{info.spdx}`",
        "cite": info.citation,
        "derived": info.derivation,
        "one user": info.sensitivity,
        "shown by": info.repeats,
        "note": info.note,
    }
    return "\n".join(f"- {label}: {fact}" for label, fact in facts.items() if fact)
