"""Commands `dptopk homework` and `dptopk check`: make exercise sheets and grade the answers."""

import secrets
from pathlib import Path
from shlex import quote

import click

from dptopk.cli.failures import Exit, Failure, failing, say
from dptopk.cli.files import check_apart, content_of, write_file
from dptopk.cli.output import OPTIONS, Target, progress, write_rows
from dptopk.homework import documents
from dptopk.homework.grading import (
    MAX_ANSWERS_BYTES,
    MAX_KEY_BYTES,
    MAX_STUDENTS,
    Answers,
    Homework,
    HomeworkError,
    grade,
    names_of,
)

_MAX_FILES = 10_000
_SETTINGS = ".json"
_HANDED_IN = (".txt", _SETTINGS)


def _write(*, students: str, seed: int | None, output: str) -> None:
    folder = Path(output)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Failure(f"--output {output}: it is not empty; name a new folder.", Exit.OUTPUT)
    made = Homework(secrets.randbits(63) if seed is None else seed, _students(students))
    sheets = []
    with progress("Sheets") as tell:
        for n, sheet in enumerate(made.sheets, start=1):
            sheets.append(sheet)
            tell(n / len(made.students))
    for name, content in documents.files_of(made, sheets):
        file = folder / name
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Failure(f"--output {output}: {error.strerror}.", Exit.OUTPUT) from error
        write_file("--output", str(file), content.encode() if isinstance(content, str) else content)
    say(f"{len(sheets)} sheets are in {folder / 'sheets'}, with a form and a notebook each.")
    say(
        f"Keep {folder / 'teacher'} to yourself: it holds the solutions and the key. When the "
        f"forms are back: dptopk check FOLDER --key {quote(str(folder / documents.KEY_FILE))}"
    )


def _students(given: str) -> tuple[str, ...]:
    if given.isascii() and given.isdigit():
        n = int(given) if len(given) < 9 else 0
        if not 1 <= n <= MAX_STUDENTS:
            raise Failure(f"--students {given}: from 1 to {MAX_STUDENTS:,}.")
        return tuple(f"Student {i:0{len(given)}}" for i in range(1, n + 1))
    try:
        with failing(HomeworkError, Exit.DATA, f"--students {given}: "):
            return names_of(content_of(given, MAX_KEY_BYTES).decode("utf-8-sig").splitlines())
    except UnicodeDecodeError as error:
        raise Failure(f"--students {given} is not a text in UTF-8.", Exit.DATA) from error


def _check(*, folder: str, key: str, format_: str | None, output: str | None) -> None:
    target = Target.of(format_, output)
    for option, name in (("FOLDER", folder), ("--key", key)):
        check_apart({option: name}, {"--output": output})
    with failing(HomeworkError, Exit.DATA, f"--key {key}: "):
        made = Homework.of_key(content_of(key, MAX_KEY_BYTES + 1))
    if not Path(folder).is_dir():
        raise Failure(f"{folder} is no folder.", Exit.DATA)
    files = sorted(
        file
        for file in Path(folder).rglob("*")
        if file.suffix.lower() in _HANDED_IN and file.is_file()
    )
    if len(files) > _MAX_FILES:
        raise Failure(f"{folder} holds more than {_MAX_FILES:,} files.", Exit.DATA)
    handed_in: dict[str, Answers] = {}
    for file in files:
        try:
            answers = _answers_of(file, Path(folder), made.students)
        except (HomeworkError, Failure) as error:
            say(f"{file} is left out: {str(error).removesuffix('.')}.")
            continue
        earlier = handed_in.setdefault(answers.student, Answers(answers.student, {}))
        with failing(HomeworkError, Exit.DATA, f"{file}: "):
            handed_in[answers.student] = earlier.joined(answers)
    rows = []
    with progress("Grades") as tell:
        for n, sheet in enumerate(made.sheets, start=1):
            rows.append(grade(sheet, handed_in.get(sheet.student)))
            tell(n / len(made.students))
    write_rows(rows, target, ("student", "points", "possible", "remarks"))
    n_answered = sum(bool(answers.texts) for answers in handed_in.values())  # others left it empty
    say(f"{n_answered} of {len(rows)} students handed in.")


def _answers_of(file: Path, folder: Path, students: tuple[str, ...]) -> Answers:
    content = content_of(str(file), MAX_ANSWERS_BYTES + 1)
    if file.suffix.lower() == _SETTINGS:
        return Answers.of_settings(file.relative_to(folder), content, students)
    answers = Answers.of_file(content)
    if answers.student not in students:
        raise HomeworkError(f"{answers.student[:80]!r} is not a student of the key")
    return answers


homework_command = click.Command(
    "homework",
    params=[
        click.Option(
            ["--students"],
            required=True,
            metavar="FILE|NUMBER",
            help="A file with one name a line, or how many students there are.",
        ),
        click.Option(
            ["--seed"],
            type=click.IntRange(min=0, max=2**63 - 1),
            metavar="NUMBER",
            help="Seed of the numbers. Whoever knows it can compute every answer. "
            "[default: a random one]",
        ),
        click.Option(["--output", "-o"], required=True, metavar="FOLDER", help="A new folder."),
    ],
    callback=_write,
    help="""Write exercise sheets on private top-k selection, with other numbers for each student.

    Nine exercises whose answers come out by hand, as pages to print, notebooks and forms for the
    answers; for the teacher the solutions, and question banks for Moodle (XML) and other learning
    systems (QTI 2.1).

    \b
    dptopk homework --students names.txt -o homework-1
    dptopk homework --students 60 -o homework-1
    """,
)

check_command = click.Command(
    "check",
    params=[
        click.Argument(["folder"], metavar="FOLDER"),
        click.Option(
            ["--key"], required=True, metavar="FILE", help="The key of the homework, key.json."
        ),
        *OPTIONS,
    ],
    callback=_check,
    help="""Grade the answers that students handed in to `dptopk homework`.

    FOLDER holds the filled-in forms (.txt), in folders of their own if need be. Where counts are
    asked for, a settings file that the page Exact saves is an answer too: its name says whose it
    is and of which exercise, as ada-8.json and ada/8.json do. Gives a row for each student:
    points, those of each exercise, and remarks; a file that cannot be used is named on stderr.

    \b
    dptopk check handed-in --key homework-1/teacher/key.json -o grades.csv
    """,
)
