"""Command `dptopk assess`: compute how likely each name of a published list belongs on it."""

import math
from pathlib import Path
from typing import Any

import click

from dptopk.cli.ask import READING, parameter_option, reading_of
from dptopk.cli.data import on_list, sources_from
from dptopk.cli.failures import Exit, Failure, failing
from dptopk.cli.files import check_apart, content_of
from dptopk.cli.output import OPTIONS, Target, write_answer
from dptopk.core.numerals import mean_of, share_below_1
from dptopk.data.ingest import shown
from dptopk.publishing.assessment import ListAssessment, assess_list, names_missing
from dptopk.publishing.publication import files_of
from dptopk.publishing.published_files import (
    MAX_LIST_BYTES,
    MAX_RECORD_BYTES,
    PublishedFileError,
    check_of_one_release,
    read_published_list,
    read_record,
)
from dptopk.questions import QUESTIONS, settings
from dptopk.questions.answer import Answer
from dptopk.questions.asking import checked
from dptopk.questions.origin import Origin

_OF_PLACES = (
    "These chances are those of a place on such lists, whatever name stands there. The chance that "
    'a name is released if its count is the supposed one is under "released at that count": if it '
    "is tiny, the supposed counts are not like the private ones."
)


def _assess(
    *,
    file: str,
    record: str | None,
    data: str | None,
    seed: int | None,
    format_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    target = Target.of(format_, output)
    record = record or _beside(file)
    counts_file = data or options["events"]
    check_apart({"LIST": file, "--record": record, "--data": counts_file}, {"--output": output})
    if (data is None) is (options["events"] is None):
        raise Failure("name the supposed counts, with either --data or --events.")
    with failing(PublishedFileError, Exit.DATA, f"{file}: "):
        listed = read_published_list(content_of(file, MAX_LIST_BYTES + 1))
    with failing(PublishedFileError, Exit.DATA, f"{record}: "):
        mechanism = read_record(content_of(record, MAX_RECORD_BYTES + 1)).mechanism
    with failing(PublishedFileError, Exit.DATA, f"{file} and {record}: "):
        check_of_one_release(listed, mechanism)
    given = {one.key: getattr(mechanism, one.key) for one in mechanism.card.parameters}
    given |= {"k": min(mechanism.k, settings.MAX_K), "mechanisms": [mechanism.card.key]}
    reading = reading_of(options, of_data=data is not None)
    (source,) = sources_from(data or "", [checked(QUESTIONS["gaps"], given)], reading)
    source = on_list(source, reading)
    seed = 0 if seed is None else seed
    with failing(ValueError, Exit.IMPOSSIBLE):
        assessment = assess_list(source.counts, mechanism, listed.names, seed=seed)
    how: dict[str, Any] = {}
    if assessment.n_draws:
        how = {"runs": assessment.n_draws, "runs_are": "draws", "seed": seed}
    computed = "simulated where no closed form is known" if assessment.n_draws else "exact"
    origin = Origin(source.title, source.counts, (mechanism,), computed, unit=source.unit, **how)
    frame = assessment.frame
    columns = tuple(name for name in map(str, frame) if not name.endswith((", low", ", high")))
    missing = names_missing(assessment, source.counts, lambda name: f'"{shown(name)}"')
    notes = [
        _said(assessment),
        *filter(None, [missing]),
        *([_OF_PLACES] if assessment.n_known else []),
    ]
    title = f"Names of a published list, if the counts are like those of {source.title}"
    answer = Answer("assessment", title, frame, origin, columns, tuple(notes))
    write_answer(answer, target, source.notes)


def _beside(file: str) -> str:
    record = Path(file).with_name(files_of(file)[1].name)
    if not record.exists():
        raise Failure(f"there is no {record}: name the record of {file} with --record.")
    return str(record)


def _said(assessment: ListAssessment) -> str:
    n = len(assessment.names)
    mean, whole = float(n), assessment.exact_set.text
    if not assessment.certain:
        mean = min(assessment.n_right, math.nextafter(n, 0))
        whole = share_below_1(assessment.exact_set.value) if assessment.exact_set.exact else whole
    return (
        f"If the private counts are like the supposed ones, {mean_of(mean, n)} of {n} names belong "
        f"to the true top {n} on average, and all of them in {whole} of releases."
    )


assess_command = click.Command(
    "assess",
    params=[
        click.Argument(["file"], metavar="LIST"),
        click.Option(
            ["--record"],
            metavar="FILE",
            help="The record that was published with the list, as YAML.  [default: beside it, as "
            "`dptopk publish` names it: top-10-record.yaml of top-10.csv]",
        ),
        click.Option(
            ["--data"],
            metavar="NAME|FILE",
            help="What you suppose of the private counts, such as those of last year.",
        ),
        *READING,
        parameter_option(settings.SEED),
        *OPTIONS,
    ],
    callback=_assess,
    help="""Assess a published list: how far can each of its names be trusted?

    For its readers, who see no counts. The mechanism of the record is run on counts that you
    suppose: how often is the name at this place in the true top, or not below the next one, and how
    often is each name released at its supposed count? Exact where the law is known.

    \b
    dptopk assess top-10.csv --data games
    dptopk assess list.csv --record record.yaml --data last-year.csv
    """,
)
