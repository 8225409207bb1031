"""Test the documents of a sheet by parsing them, with hostile names of students.

Items of QTI are validated against the schema of the standard, `imsqti_v2p1.xsd.gz`: QTI 2.1 of IMS
Global, unchanged, as distributed with oat-sa/qti-sdk, under the notice that it contains.  Moodle
publishes no schema of its XML: the elements that its importer reads are tested one by one.
"""

import functools
import gzip
import io
import json
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lxml import etree

from dptopk.homework.documents import (
    KEY_FILE,
    answers_form,
    archive,
    moodle_xml,
    qti_package,
    sheet_html,
    sheet_notebook,
    solutions_html,
)
from dptopk.homework.exercises import TOLERANCE, NumberAnswer, make_sheet
from dptopk.homework.grading import Answers, Homework, grade

HOSTILE = '</p><script>alert(1)</script> & "Ada" \' {{7*7}} $x$'
SHEETS = [make_sheet(3, name) for name in ("Ada", "Grace", HOSTILE)]
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"


_IMPORTED = {  # by the schema, of which these items use nothing
    "xml.xsd": '<xs:attribute name="base" type="xs:anyURI"/><xs:attribute name="lang"/>',
    "XInclude.xsd": '<xs:element name="include"/>',
    "mathml2.xsd": '<xs:element name="math"/>',
    "apipv1p0_qtiextv2p1_v1p0.xsd": '<xs:element name="apipAccessibility"/>',
}


@functools.cache
def qti_schema():
    """Return the schema of QTI 2.1 items, with what it imports declared as empty."""
    content = gzip.decompress((Path(__file__).parent / "imsqti_v2p1.xsd.gz").read_bytes())
    tree = etree.fromstring(content)
    spaces = {
        one.get("schemaLocation").rpartition("/")[2]: one.get("namespace")
        for one in tree.iter("{http://www.w3.org/2001/XMLSchema}import")
    }
    assert spaces.keys() == _IMPORTED.keys()

    class Imports(etree.Resolver):
        def resolve(self, url, public_id, context):
            name = url.rpartition("/")[2]
            schema = (
                '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" '
                f'targetNamespace="{spaces[name]}">{_IMPORTED[name]}</xs:schema>'
            )
            return self.resolve_string(schema, context)

    parser = etree.XMLParser()
    parser.resolvers.add(Imports())
    return etree.XMLSchema(etree.fromstring(content, parser))


def flat(words):
    """Text without the signs of a power, which pages show as a superscript."""
    return words.translate(str.maketrans("", "", "^()"))


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.seen, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.student[:5])
def test_pages_hold_every_exercise_and_run_nothing(sheet):
    page, solved = Tags(sheet_html(sheet)), Tags(solutions_html(sheet))
    for tags in (page, solved):
        assert "script" not in tags.seen
        assert sheet.student in tags.text
        for exercise in sheet.exercises:
            assert all(flat(words) in flat(tags.text) for words in exercise.text)
    for exercise in sheet.exercises:
        assert exercise.answer.shown in solved.text
        assert all(flat(words) in flat(solved.text) for words in exercise.solution)
        assert not any(flat(words) in flat(page.text) for words in exercise.solution)


def test_a_notebook_writes_the_form_that_is_graded(tmp_path, monkeypatch):
    sheet = SHEETS[2]
    cells = json.loads(sheet_notebook(sheet, "x.txt"))["cells"]
    code = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
    code = code.replace('1: ""', f'1: "{sheet.exercises[0].answer.shown}"', 1)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "notebook", "exec"), {})
    answers = Answers.of_file((tmp_path / "x.txt").read_bytes())
    row = grade(sheet, answers)
    assert (answers.student, row["1"]) == (sheet.student, sheet.exercises[0].points)
    assert row["points"] == row["1"]


def test_a_form_is_empty_until_it_is_filled_in():
    assert Answers.of_file(answers_form(SHEETS[0]).encode()) == Answers("Ada", {})


def test_moodle_gets_a_category_for_each_exercise_and_names_no_student():
    text = moodle_xml(SHEETS)
    quiz = ElementTree.fromstring(text.encode())
    assert [question.get("type") for question in quiz].count("category") == len(SHEETS[0].exercises)
    assert not any(sheet.student in text for sheet in SHEETS)
    numeric = [e for e in quiz if e.get("type") == "numerical"]
    expected = [
        exercise
        for place in zip(*(sheet.exercises for sheet in SHEETS), strict=True)
        for exercise in {exercise.text: exercise for exercise in place}.values()
        if isinstance(exercise.answer, NumberAnswer)
    ]
    assert len(numeric) == len(expected) > 14
    for element, exercise in zip(numeric, expected, strict=True):
        answer = element.find("answer")
        value = float(answer.findtext("text"))
        assert answer.get("fraction") == "100"
        assert value == exercise.answer.value
        assert float(answer.findtext("tolerance")) == pytest.approx(TOLERANCE * value)
        assert float(element.findtext("defaultgrade")) == exercise.points
        shown = Tags(element.findtext("questiontext/text"))
        assert set(shown.seen) <= {"p", "sup"}
        assert all(flat(words) in flat(shown.text) for words in exercise.text)


def test_a_package_lists_its_items_and_they_grade_numbers():
    with zipfile.ZipFile(io.BytesIO(qti_package(SHEETS))) as archive:
        files = {name: ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}
    manifest = files.pop("imsmanifest.xml")
    listed = [e.get("href") for e in manifest.iter() if e.tag.endswith("}resource")]
    assert sorted(listed) == sorted(files)
    graded = 0
    for item in files.values():
        declared = item.find(f"{QTI}responseDeclaration")
        if declared.get("baseType") == "string":
            assert item.find(f"{QTI}responseProcessing") is None
            continue
        graded += 1
        most = item.findall(f"{QTI}outcomeDeclaration")[1].findtext(f".//{QTI}value")
        case = item.find(f".//{QTI}responseIf")
        assert case.find(f"{QTI}equal").get("tolerance") == "1 1"
        assert case.findtext(f"{QTI}setOutcomeValue/{QTI}baseValue") == most
        assert float(declared.findtext(f".//{QTI}value")) > 0
    assert graded > 14


def test_every_item_is_valid_by_the_schema_of_qti():
    schema = qti_schema()
    with zipfile.ZipFile(io.BytesIO(qti_package(SHEETS))) as archive:
        items = [archive.read(name) for name in archive.namelist() if name.startswith("exercise")]
    assert len(items) > len(SHEETS[0].exercises)
    for item in items:
        assert schema.validate(etree.fromstring(item)), schema.error_log


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (b'cardinality="single"', b'cardinality="one"'),
        (b"<itemBody>", b"<itemBody><answer/>"),
        (b' timeDependent="false"', b""),
        (b"<setOutcomeValue", b"<correct identifier='RESPONSE'/><setOutcomeValue"),
    ],
)
def test_the_schema_refuses_what_is_no_item(right, wrong):
    with zipfile.ZipFile(io.BytesIO(qti_package(SHEETS))) as archive:
        item = archive.read("exercise-01-001.xml")
    assert item.count(right)
    assert not qti_schema().validate(etree.fromstring(item.replace(right, wrong, 1)))


# What the importer of Moodle (question/format/xml/format.php) reads of each kind of question.
READ_BY_MOODLE = {
    "category": {"category/text"},
    "numerical": {
        *("name/text", "questiontext/text", "generalfeedback/text", "defaultgrade"),
        *("answer/text", "answer/tolerance"),
    },
    "essay": {
        *("name/text", "questiontext/text", "generalfeedback/text", "defaultgrade"),
        *("graderinfo/text", "responseformat"),
    },
}


def test_moodle_gets_of_each_question_what_its_importer_reads_and_nothing_else():
    quiz = ElementTree.fromstring(moodle_xml(SHEETS).encode())
    assert quiz.tag == "quiz"
    assert {question.tag for question in quiz} == {"question"}
    assert {question.get("type") for question in quiz} == READ_BY_MOODLE.keys()
    for question in quiz:
        leaves = {
            f"{part.tag}/{inner.tag}" if inner is not part else part.tag
            for part in question
            for inner in (list(part) or [part])
        }
        assert leaves == READ_BY_MOODLE[question.get("type")]
        for part in question.iter():
            assert part.get("format", "html") in {"html", "moodle_auto_format"}


def test_an_archive_holds_the_files_of_the_class():
    made = Homework(3, ("Ada", "Grace"))
    with zipfile.ZipFile(io.BytesIO(archive(made))) as opened:
        assert opened.read(KEY_FILE).decode() == made.key()
        assert opened.read("sheets/ada.html").decode() == sheet_html(SHEETS[0])
        assert len(opened.namelist()) == 2 * 4 + 3


def test_equal_sheets_give_equal_packages():
    assert qti_package(SHEETS) == qti_package([make_sheet(3, s.student) for s in SHEETS])
