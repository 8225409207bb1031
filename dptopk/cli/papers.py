"""Command `dptopk papers`: the figures of the papers as files, with their numbers and verdicts."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from dptopk import figures
from dptopk.cli.data import Reading, read_file
from dptopk.cli.failures import Exit, Failure, needing, say
from dptopk.cli.files import content_of, write_file
from dptopk.cli.output import progress
from dptopk.data.sources import Source
from dptopk.data.tables import csv_escaped
from dptopk.figures.vector import vector_files
from dptopk.questions import QUESTIONS
from dptopk.questions.asking import checked
from dptopk.questions.paper_figures import FIGURES, NAMES, PaperFigure, panel_numbers
from dptopk.questions.papers import check_statements, content, statement_rows
from dptopk.questions.runner import OnceEach

_HELP = """Draw the figures of the papers again, as a folder of PDF, SVG and CSV.

Figures 1 to 7 of Gillenwater et al. 2022 (gaps, errors and times of Joint and others), the
experiment of their paper on sets, and what pruning keeps, from bundled data at the papers'
settings; statements.csv says what holds here. Figure 3 times draws, which takes longest.

With --data panels are drawn from the paper's own data: NAME is books, foods, games, movies, news
or tweets, FILE the file as its publisher gives it, or counts of it as `dptopk counts` writes them.
Users are counted once for an item.

\b
dptopk papers -o figures
dptopk papers -o figures --figure 4 --figure pruning
dptopk papers -o figures --data movies=ratings.csv --figure 1
"""  # no docstring: the marks \b are characters, and tell click to keep lines


@click.command("papers", help=_HELP)
@click.option("--output", "-o", metavar="DIR", required=True, help="Folder to write into.")
@click.option(
    "--figure",
    "chosen",
    multiple=True,
    type=click.Choice(list(FIGURES)),
    help="Only this figure; may be repeated.  [default: all]",
)
@click.option("--data", "given", multiple=True, metavar="NAME=FILE", help="Data in place of ours.")
def papers_command(output: str, chosen: tuple[str, ...], given: tuple[str, ...]) -> None:
    """Write the figures, their numbers and the verdicts on statements."""
    originals = dict(read_original(one) for one in given)
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(
            f"--output {output} cannot be made: {error.strerror}.", Exit.OUTPUT
        ) from error
    runner, n_files = OnceEach(), 0
    drawn = [figure for key, figure in FIGURES.items() if key in (chosen or FIGURES)]
    with progress("Drawing figures") as tell:
        for done, figure in enumerate(drawn):
            for name, written in _files(figure, originals, runner):
                write_file("--output", str(folder / name), written)
                n_files += 1
            tell((done + 1) / (len(drawn) + 1))
        if not chosen:
            statements = csv_escaped(statement_rows(check_statements(runner))).encode()
            write_file("--output", str(folder / "statements.csv"), statements)
            n_files += 1
    say(f"{n_files} files are in {folder}.")


def read_original(text: str) -> tuple[str, Source]:
    """Read the data of an option NAME=FILE."""
    name, sign, file = text.partition("=")
    if not sign or name not in NAMES:
        raise Failure(f"--data {text}: write NAME=FILE; NAME is one of {', '.join(NAMES)}.")
    (entry,) = (one for one in content("original") if one["name"] == name)
    answers = tuple(entry.get("answers", ()))
    reading = Reading(entry["items"], entry.get("counts"), entry.get("users"), None, answers)
    header = content_of(file, 100, "--data").decode("utf-8", "replace").replace('"', "")
    if header.startswith("item,"):  # as `dptopk counts` writes
        reading = Reading("item", re.split("[,\\r\\n]", header)[1], answers=("rows=stated",))
    source, *_ = read_file(file, reading, [checked(QUESTIONS["sweep"], {})])
    return NAMES[name], replace(source, title=f"{name.capitalize()} ({Path(file).name})")


def _files(
    figure: PaperFigure, originals: Mapping[str, Source], runner: OnceEach
) -> Iterable[tuple[str, bytes]]:
    """Yield the names and contents of the files of a figure."""
    panels = list(figure.panels)
    foods, games = NAMES["foods"], NAMES["games"]
    if foods in originals and all(panel.data != foods for panel in panels):
        panels += [replace(one, data=foods) for one in panels if one.data == games]
    sheet = {}
    for panel in panels:
        source = originals.get(panel.data)
        numbers = panel_numbers(panel, runner, source, number=0)
        assert numbers is not None  # nobody stops these runs
        title = panel.title if source is None else f"{source.title}, {panel.drawn}"
        sheet[title] = figures.paper_panel(numbers)
        table = numbers.origin.added_to(numbers.table, title)
        yield f"{numbers.panel.name}.csv", csv_escaped(table).encode()
    title = f"{figure.source.words}: {figure.title}"
    with needing():
        made = vector_files(sheet, title, figure.n_columns)
    for ending, written in made.items():
        yield f"figure-{figure.key}.{ending}", written
