"""Write exercise sheets as printable HTML, notebooks, Moodle XML and QTI 2.1.

Sources: Moodle XML, https://docs.moodle.org/en/Moodle_XML_format; QTI 2.1.1 and IMS Content
Packaging 1.1, https://www.imsglobal.org/question/qtiv2p1/imsqti_implv2p1.html.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from dptopk.export.notebook import notebook
from dptopk.homework.exercises import TOLERANCE, Exercise, NumberAnswer, Sheet
from dptopk.homework.grading import Homework, file_stem

TITLE = "Private top-k selection: exercises"

KEY_FILE = "teacher/key.json"
"""Name of the key in the folder of a class."""

HOW = (
    "Answer with fractions, decimals or percentages; a number counts as right if it is off by at "
    f"most {TOLERANCE:.0%} of itself. Neighbouring data sets differ by one user, who changes each "
    "count by at most 1, all in one direction. Counts can also be handed in as the settings file "
    "that the page Exact saves, named for you and the exercise, such as ada-8.json."
)
"""Instructions of every sheet."""

_POWER = re.compile(r"\^(?:\(([^()]*)\)|(\w+))")

_DECIMAL = "Answer with a decimal number of at least three digits, such as 0.0625."

_STYLE = """
body { font: 11pt/1.45 Georgia, serif; max-width: 44em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin: 1.6em 0 .3em; }
section { break-inside: avoid; } .points { float: right; font-weight: normal; }
.answer { border-bottom: 1px solid; height: 2.4em; } @media print { body { margin: 0; } }
"""

_QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"


def files_of(made: Homework, sheets: Sequence[Sheet]) -> Iterator[tuple[str, str | bytes]]:
    """Yield every file of a homework, by its name in the folder of the class."""
    for sheet in sheets:
        stem = file_stem(sheet.student)
        yield f"sheets/{stem}.html", sheet_html(sheet)
        yield f"sheets/{stem}.ipynb", sheet_notebook(sheet, f"{stem}.txt")
        yield f"sheets/{stem}.txt", answers_form(sheet)
        yield f"teacher/solutions/{stem}.html", solutions_html(sheet)
    yield "teacher/moodle.xml", moodle_xml(sheets)
    yield "teacher/qti.zip", qti_package(sheets)
    yield KEY_FILE, made.key()


def archive(made: Homework) -> bytes:
    """Return all files of a homework as a ZIP archive."""
    return _zipped(files_of(made, [*made.sheets]))


def sheet_html(sheet: Sheet) -> str:
    """Return the sheet of one student as a printable page."""
    return _page(sheet, lambda exercise: '<p class="answer">Answer:</p>')


def solutions_html(sheet: Sheet) -> str:
    """Return the sheet of one student with answers and how they are found."""

    def solved(exercise: Exercise) -> str:
        solution = escape(exercise.answer.shown)
        return f"<p><strong>{solution}</strong></p>{_paragraphs(exercise.solution)}"

    return _page(sheet, solved)


def sheet_notebook(sheet: Sheet, answers_file: str) -> str:
    """Return the sheet of one student as a notebook whose code writes the file of answers."""
    lines = [HOW]
    for i, exercise in enumerate(sheet.exercises, start=1):
        lines += [f"{i}. {exercise.title} ({exercise.points} points)", *exercise.text]
    blank = "\n".join(f'    {i}: "",' for i in range(1, len(sheet.exercises) + 1))
    code = (
        "from pathlib import Path\n\n"
        f"answers = {{\n{blank}\n}}\n"
        f"lines = [{f'student: {sheet.student}'!r}]\n"
        'lines += [f"{n}: {answer}" for n, answer in answers.items()]\n'
        f'Path({answers_file!r}).write_text("\\n".join(lines) + "\\n", encoding="utf-8")'
    )
    return notebook(f"{TITLE}, {sheet.student}", lines, code)


def answers_form(sheet: Sheet) -> str:
    """Return the text file in which a student writes the answers."""
    numbers = "".join(f"{i}: \n" for i in range(1, len(sheet.exercises) + 1))
    return f"# {HOW}\nstudent: {sheet.student}\n{numbers}"


def moodle_xml(sheets: Sequence[Sheet]) -> str:
    """Return the exercises of all sheets as a question bank, one category for each exercise.

    A quiz that takes a random question of each category gives every student numbers of their own.
    Counts as an answer become questions that the teacher grades.
    """
    quiz = Element("quiz")
    for i, variants in enumerate(_by_exercise(sheets), start=1):
        category = SubElement(quiz, "question", type="category")
        name = variants[0].title.replace("/", "//")
        _text(category, "category", f"$course$/top/{TITLE}/{i:02}. {name}")
        for n, exercise in enumerate(variants, start=1):
            numeric = isinstance(exercise.answer, NumberAnswer)
            question = SubElement(quiz, "question", type="numerical" if numeric else "essay")
            _text(question, "name", f"{exercise.title} {n}")
            paragraphs = (*exercise.text, *[_DECIMAL] * numeric)
            _text(question, "questiontext", _paragraphs(paragraphs), format="html")
            _text(question, "generalfeedback", _paragraphs(exercise.solution), format="html")
            SubElement(question, "defaultgrade").text = str(exercise.points)
            if isinstance(exercise.answer, NumberAnswer):
                answer = SubElement(question, "answer", fraction="100", format="moodle_auto_format")
                SubElement(answer, "text").text = repr(exercise.answer.value)
                SubElement(answer, "tolerance").text = repr(exercise.answer.value * TOLERANCE)
            else:
                solution = _paragraphs((exercise.answer.shown, *exercise.solution))
                _text(question, "graderinfo", solution, format="html")
                SubElement(question, "responseformat").text = "plain"
    return _written(quiz)


def qti_package(sheets: Sequence[Sheet]) -> bytes:
    """Return the exercises of all sheets as a QTI 2.1 content package (a ZIP archive).

    Numbers are graded within their tolerance; counts as an answer are left to the teacher.
    """
    manifest = Element("manifest", xmlns=_PACKAGE, identifier="private-top-k")
    about = SubElement(manifest, "metadata")
    SubElement(about, "schema").text = "QTIv2.1 Package"
    SubElement(about, "schemaversion").text = "1.0.0"
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")
    files = []
    for i, variants in enumerate(_by_exercise(sheets), start=1):
        for n, exercise in enumerate(variants, start=1):
            name = f"exercise-{i:02}-{n:03}"
            file, kind = f"{name}.xml", "imsqti_item_xmlv2p1"
            resource = SubElement(resources, "resource", identifier=name, type=kind, href=file)
            SubElement(resource, "file", href=file)
            files.append((file, _written(_item(exercise, name, n))))
    return _zipped([*files, ("imsmanifest.xml", _written(manifest))])


def _item(exercise: Exercise, name: str, n: int) -> Element:
    item = Element(
        "assessmentItem",
        xmlns=_QTI,
        identifier=name,
        title=f"{exercise.title} {n}",
        adaptive="false",
        timeDependent="false",
    )
    answer = exercise.answer
    numeric = isinstance(answer, NumberAnswer)
    declared = SubElement(
        item,
        "responseDeclaration",
        identifier="RESPONSE",
        cardinality="single",
        baseType="float" if numeric else "string",
    )
    if isinstance(answer, NumberAnswer):
        SubElement(SubElement(declared, "correctResponse"), "value").text = repr(answer.value)
    most = str(exercise.points)
    for key, value in (("SCORE", "0"), ("MAXSCORE", most)):
        outcome = SubElement(
            item, "outcomeDeclaration", identifier=key, cardinality="single", baseType="float"
        )
        SubElement(SubElement(outcome, "defaultValue"), "value").text = value
    body = SubElement(item, "itemBody")
    for words in exercise.text:
        SubElement(body, "p").text = words
    if not isinstance(answer, NumberAnswer):
        SubElement(body, "extendedTextInteraction", responseIdentifier="RESPONSE")
        return item
    line = SubElement(body, "p")
    line.text = f"{_DECIMAL} "
    SubElement(line, "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength="15")
    processing = SubElement(item, "responseProcessing")
    case = SubElement(SubElement(processing, "responseCondition"), "responseIf")
    percent = f"{100 * TOLERANCE:g}"
    equal = SubElement(case, "equal", toleranceMode="relative", tolerance=f"{percent} {percent}")
    SubElement(equal, "correct", identifier="RESPONSE")
    SubElement(equal, "variable", identifier="RESPONSE")
    score = SubElement(case, "setOutcomeValue", identifier="SCORE")
    SubElement(score, "baseValue", baseType="float").text = most
    return item


def _by_exercise(sheets: Sequence[Sheet]) -> list[list[Exercise]]:
    places = zip(*(sheet.exercises for sheet in sheets), strict=True)
    return [list({exercise.text: exercise for exercise in place}.values()) for place in places]


def _page(sheet: Sheet, below: Callable[[Exercise], str]) -> str:
    title = f"{TITLE}, {sheet.student}"
    parts = [
        f"<section><h2>{i}. {escape(one.title)} <span class=points>{one.points} points</span></h2>"
        f"{_paragraphs(one.text)}{below(one)}</section>"
        for i, one in enumerate(sheet.exercises, start=1)
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>"
        f"<p>{escape(HOW)} Points: {sheet.points}.</p>{''.join(parts)}</body></html>\n"
    )


def _paragraphs(words: Sequence[str]) -> str:
    """Return paragraphs of HTML, with powers such as 2^count or e^(ε · score) as superscripts."""
    return "".join(
        f"<p>{_POWER.sub(lambda power: f'<sup>{power[1] or power[2]}</sup>', escape(each))}</p>"
        for each in words
    )


def _text(parent: Element, tag: str, text: str, **attributes: str) -> None:
    SubElement(SubElement(parent, tag, attributes), "text").text = text


def _written(root: Element) -> str:
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _zipped(files: Iterable[tuple[str, str | bytes]]) -> bytes:
    """Return a ZIP archive of files with a fixed date, so that equal sheets give equal ones."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, content in files:
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            opened.writestr(about, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
