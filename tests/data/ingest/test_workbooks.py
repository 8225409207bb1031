"""Test Excel workbooks: sheets, cells of every kind, and hostile files."""

import datetime as dt
import io
import random
import re
import zipfile

import openpyxl
import pytest

from dptopk.data.ingest import IngestError, UnclearError, read_table, sheet_names


def packed(*sheets, names=()) -> bytes:
    """A workbook of sheets, each a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for i, rows in enumerate(sheets):
        sheet = book.create_sheet(names[i] if names else f"S{i + 1}")
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, part: str, old: str, new: str) -> bytes:
    """A workbook with one of its parts changed by a regular expression."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            content = before.read(name)
            if name == part:
                content, n = re.subn(old.encode(), lambda _: new.encode(), content, count=1)
                assert n == 1
            after.writestr(name, content)
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
PLAIN = packed([["item", "users"], ["a", 5], ["b", 3]])


def test_sheets_are_listed_and_chosen(ingested, as_dict, said):
    data = packed([], [["item", "users"], ["a", 5], ["b", 3]], [["x", 7]])
    assert sheet_names(data) == ("S1", "S2", "S3")
    assert sheet_names(b"item,users\na,5\n") == ()
    first = ingested(data, "book.xlsx")  # that is not empty
    assert as_dict(first) == {"a": 5, "b": 3}
    assert 'Of 3 sheets, "S2" was read, not "S1", "S3".' in said(first)
    assert as_dict(ingested(data, "book.xlsx", sheet="S3")) == {"x": 7}
    with pytest.raises(IngestError, match='The sheet "S1" is empty'):
        read_table(data, sheet="S1")
    with pytest.raises(IngestError, match='no sheet "S9": choose one of "S1", "S2", "S3"'):
        read_table(data, sheet="S9")
    with pytest.raises(IngestError, match="All sheets of the workbook are empty"):
        read_table(packed([], []))


def formatted(number_format, values, header="plz") -> bytes:
    """A workbook of numbers in a format, and counts in a unit."""
    book = openpyxl.Workbook()
    book.active.append([None, header, "Kunden"])
    for i, value in enumerate(values):
        book.active.append([None, value, 900 - i])
        book.active.cell(i + 2, 2).number_format = number_format
        book.active.cell(i + 2, 3).number_format = '#,##0 "Stück"'
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("number_format", "value", "expected"),
    [
        ("00000", 1067, "01067"),
        ("00000", 1067.0, "01067"),
        ("00000", 123456, "123456"),
        ("0000000000", 7, "0000000007"),
        ("00000;[Red]-00000", 7, "00007"),
        ('"K-"0000', 12, "K-0012"),
        ('"K-"0', 12, "K-12"),
        ("\\K0", 12, "K12"),
        ('"PLZ "00000', 1067, "PLZ 01067"),
        ('0000" (DE)"', 107, "0107 (DE)"),
        ("[$D-407]00000", 1067, "D01067"),
        ("[$-407]00000", 1067, "01067"),
        ("00000-0000", 21340001, "02134-0001"),
        ("000-00-0000", 12345678, "012-34-5678"),
        ("(000) 000-0000", 2125550100, "(212) 555-0100"),
        ("0", 1067, "1067"),
        ("@", 1067, "1067"),
        ("00000", -5, "-5"),
    ],
)
def test_number_formats_of_codes_are_applied_to_names(
    ingested, as_dict, said, number_format, value, expected
):
    read = ingested(formatted(number_format, [value, value + 1 if value > 0 else 3]), "plz.xlsx")
    assert next(iter(as_dict(read))) == expected
    assert list(as_dict(read).values()) == [900, 899]  # 900 Stück
    assert ("in the format" in said(read)) == (value < 0)


@pytest.mark.parametrize(
    ("number_format", "values", "read_as"),
    [
        ("0%", [0.05, 0.1], "0.05"),
        ("#,##0", [1234, 5], "1234"),
        ("0.00", [3, 4], "3"),
        ("# ?/?", [0.5, 1], "0.5"),
        ('0" kg"', [7, 8], "7"),
        ("[<=99]00;0000", [7, 800], "7"),
        ("0" * 41, [7, 8], "7"),
    ],
)
def test_number_formats_that_are_not_applied_to_names_are_said(
    ingested, as_dict, said, number_format, values, read_as
):
    read = ingested(formatted(number_format, values, "item"), "items.xlsx")
    assert next(iter(as_dict(read))) == read_as
    assert f'Column "item" has numbers in the format {number_format[:39]}' in said(read)
    assert f"read as their values, such as {read_as}, not as the workbook shows them." in said(read)
    assert "Stück" not in said(read)  # of the counts


def test_codes_of_a_column_that_is_chosen_later_keep_their_zeros():
    table = read_table(formatted("00000", [1067, 80331], "any thing"), "plz.xlsx")
    assert [row[0] for row in table.preview] == ["01067", "80331"]


def test_a_style_that_the_workbook_does_not_define_is_no_format(ingested, as_dict):
    data = changed(formatted("00000", [1067, 3]), SHEET, 's="1"', 's="99"')
    assert set(as_dict(ingested(data, "plz.xlsx"))) == {"1067", "00003"}


NOTES = {
    "lines": [["Counts of spring 2025"], [], ["Made by A. Smith"], ["Questions to a@b.c"]],
    "a line": [["Counts of spring 2025"]],
    "pairs": [["Title", "Counts"], ["Author", "A. Smith"], ["Read", "with care"]],
}


@pytest.mark.parametrize("notes", NOTES.values(), ids=NOTES)
def test_a_sheet_without_a_table_is_said_to_hold_none_and_the_next_is_read(
    notes, ingested, as_dict, said
):
    data = packed(notes, [["item", "users"], ["a", 5], ["b", 3]], names=("Notes", "Counts"))
    found = ingested(data, "book.xlsx")
    assert as_dict(found) == {"a": 5, "b": 3}
    assert 'Of 2 sheets, "Counts" was read, not "Notes".' in said(found)
    assert 'No table of counts was found in "Notes".' in said(found)
    with pytest.raises(IngestError, match=r"^The sheet .Notes. holds no .* sheet .Counts., which"):
        read_table(data, sheet="Notes")
    with pytest.raises(IngestError, match="The sheets of the workbook hold no table of counts"):
        read_table(packed(notes, notes))
    with pytest.raises(IngestError, match=r"^(There|No)"):
        read_table(packed(notes))


def test_the_sheet_with_the_most_rows_of_counts_is_read(ingested, as_dict, said):
    notes = [["what", "number"], ["version", 3], ["year", 2025], ["pages", 12]]
    counts = [["item", "users"], *([name, 9 - i] for i, name in enumerate("abcd"))]
    blank = [["item", "users"], *([name, None] for name in "abcdefg")]
    found = ingested(packed(notes, counts, blank, names=("Notes", "Counts", "Next")), "book.xlsx")
    assert as_dict(found) == {"a": 9, "b": 8, "c": 7, "d": 6}
    assert 'Of 2 sheets with tables, "Counts" has the most rows.' in said(found)


@pytest.mark.parametrize(
    "other",
    [
        [["item", "users"], ["x", 7], ["y", 6]],  # as many rows
        [["item", "users"], ["x", 7], ["y", 6], ["z", 5]],  # the same columns
        [["what", "readers"], ["x", 7], ["y", 6]],
    ],
)
def test_of_two_sheets_alike_one_is_asked_for(ingested, as_dict, other):
    data = packed([["item", "users"], ["a", 5], ["b", 3]], other, names=("2023", "2024"))
    with pytest.raises(UnclearError, match='"2023", "2024": choose one') as caught:
        ingested(data, "book.xlsx")
    (asked,) = caught.value.questions
    assert (asked.key, list(asked.options), asked.suggested) == ("sheet", ["2023", "2024"], None)
    assert as_dict(ingested(data, "book.xlsx", sheet="2023")) == {"a": 5, "b": 3}
    assert as_dict(ingested(data, "book.xlsx", sheet="2024"))["x"] == 7


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_a_hidden_sheet_is_read_only_if_no_other_holds_counts_and_is_said_to_be(
    ingested, as_dict, said, state
):
    shown, more = [("item", "users"), ("tea", 5)], [("item", "users"), ("x", 1), ("y", 2)]

    def hiding(*sheets):
        book = openpyxl.load_workbook(io.BytesIO(packed(*sheets, names=("A", "B"))))
        book["B"].sheet_state = state
        found = io.BytesIO()
        book.save(found)
        return found.getvalue()

    for other in (more, shown):
        data = hiding(shown, other)
        found = ingested(data, "book.xlsx")
        assert as_dict(found) == {"tea": 5}
        assert 'Hidden sheets were not read: "B".' in said(found)
        asked = ingested(data, "book.xlsx", sheet="B")
        assert 'Sheet "B" is hidden in the workbook.' in said(asked)
    only = ingested(hiding([("Notes",), ("on these data",)], more), "book.xlsx")
    assert as_dict(only) == {"x": 1, "y": 2}
    assert 'Sheet "B" is hidden in the workbook.' in said(only)


def test_a_sheet_that_cannot_be_read_is_told_and_another_is(ingested, as_dict, said):
    wide = [["x"] * 201, ["y"] * 201]
    found = ingested(packed(wide, [["item", "users"], ["a", 5], ["b", 3]]), "book.xlsx")
    assert as_dict(found) == {"a": 5, "b": 3}
    assert '"S1" was not read: Row 1 has 201 columns' in said(found)
    with pytest.raises(IngestError, match="Row 1 has 201 columns"):
        read_table(packed(wide, wide))


def test_cells_of_every_kind(ingested, as_dict):
    rows = [
        ["item", "users"],
        [dt.date(2024, 5, 31), 5],
        [dt.datetime(2024, 5, 31, 8, 30), 6.0],
        [2024, "7"],
        [True, 8],
        ["x,\n\"y\"; 'z'", 9],
        [1.5, 10],
    ]
    assert as_dict(ingested(packed(rows))) == {
        "2024-05-31": 5,
        "2024-05-31 08:30:00": 6,
        "2024": 7,
        "TRUE": 8,
        "x, \"y\"; 'z'": 9,
        "1.5": 10,
    }


def test_a_number_in_a_cell_has_one_reading(ingested):
    data = packed([["item", "users"], ["a", 12.345], ["b", 7]])
    with pytest.raises(IngestError, match="is not a whole number"):
        ingested(data)
    assert ingested(data, answers={"rounding": "nearest"}).counts.counts.tolist() == [12, 7]
    with pytest.raises(UnclearError, match=r'"1\.234" may have a thousands separator'):  # as text
        ingested(packed([["item", "users"], ["a", "1.234"], ["b", 12.345]]))


def test_a_number_that_names_an_item_is_as_in_text():
    table = read_table(packed([["user", "dose"], ["ann", 0.125], ["bob", 0.5]]), "log.xlsx")
    assert [*table.rows()] == [("ann", "0.125"), ("bob", "0.5")]


def test_rows_are_those_of_the_spreadsheet_and_the_table_may_stand_anywhere(ingested, as_dict):
    rows = [[], [], [None, None, "item", "users"], [None, None, "a", 5], [], [None, None, "b", 3]]
    assert as_dict(ingested(packed(rows))) == {"a": 5, "b": 3}
    rows[-1][-1] = "many"
    with pytest.raises(IngestError, match='Row 6, column "users": "many" is not a number'):
        ingested(packed([*rows, [None, None, "c", 2]]))


def test_formulas_are_read_as_their_saved_results(ingested, as_dict, said):
    data = packed([["item", "users"], ["a", "=2+3"], ["b", 3]])
    with pytest.raises(IngestError, match="the count is missing"):
        ingested(data)
    assert "1 formula had no saved result" in " ".join(read_table(data).notes)
    saved = changed(data, SHEET, r"</f><v\s*/>|</f><v></v>", "</f><v>5</v>")
    result = ingested(saved)
    assert as_dict(result) == {"a": 5, "b": 3}
    assert "Formulas were read as their saved results." in said(result)


WRONG = {
    "no zip": (PLAIN[:-40], "damaged"),
    "far row": (changed(PLAIN, SHEET, '<row r="3"', '<row r="99999999"'), "2,000,000 rows"),
    "far column": (changed(PLAIN, SHEET, 'r="B3"', 'r="XFD3"'), "16,384 columns"),
    "no such column": (changed(PLAIN, SHEET, 'r="B3"', 'r="QQQQQ3"'), "damaged"),
    "no such string": (changed(PLAIN, SHEET, ' t="n"><v>3', ' t="s"><v>3'), "damaged"),
    "cut sheet": (changed(PLAIN, SHEET, "</sheetData>", ""), "damaged"),
    "no sheet": (changed(PLAIN, "xl/workbook.xml", r"<sheet .*?/>", ""), "no sheet with cells"),
    "entities": (
        changed(PLAIN, SHEET, "<worksheet", '<!DOCTYPE x [<!ENTITY e "e">]><worksheet'),
        "damaged",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_hostile_workbooks_are_refused_in_one_sentence(ingested, kind):
    data, words = WRONG[kind]
    with pytest.raises(IngestError, match=words) as caught:
        ingested(data, "book.xlsx")
    assert str(caught.value).endswith(".")


def test_what_a_sheet_says_of_its_size_is_not_believed(ingested, as_dict):
    data = changed(PLAIN, SHEET, r'<dimension ref="A1:B3"', '<dimension ref="A1:XFD1048576"')
    assert as_dict(ingested(data)) == {"a": 5, "b": 3}


@pytest.mark.parametrize(("content", "most"), [(b"\0", 64), (b" <x/>", 24)])
def test_a_workbook_is_not_unpacked_beyond_the_limit(content, most):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("xl/workbook.xml", "<workbook/>")
        bomb.writestr("s.dat", content * (70 * 2**20 // len(content) // (64 // most)))
    with pytest.raises(IngestError, match=f"the Excel workbook has more than {most} MB"):
        read_table(out.getvalue(), "bomb.xlsx")


def test_pictures_and_sheets_of_any_name_are_read_as_before(ingested, as_dict):
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(PLAIN)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            content = before.read(name).replace(b"worksheets/sheet1.xml", b"s.dat")
            after.writestr(name.replace("worksheets/sheet1.xml", "s.dat"), content)
        after.writestr("xl/media/image1.png", b"\x89PNG" + bytes(30 * 2**20))
    assert as_dict(ingested(out.getvalue())) == {"a": 5, "b": 3}


def test_a_wide_and_empty_sheet_is_not_laid_out(monkeypatch):
    monkeypatch.setattr("dptopk.data.ingest._workbook.MAX_CELLS", 100_000)
    row = '<row><c r="A1"><v>1</v></c><c r="XFD1"/></row>'
    data = changed(PLAIN, SHEET, "<sheetData>.*</sheetData>", f"<sheetData>{row * 10}</sheetData>")
    with pytest.raises(IngestError, match="more than 100,000 cells"):
        read_table(data)


def test_damaged_workbooks_are_read_or_refused_in_words(ingested, refusal):
    """Bytes of each part changed at random, the archive whole: 300 of them."""
    rng = random.Random(5)
    with zipfile.ZipFile(io.BytesIO(PLAIN)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(300):
        name = rng.choice(list(parts))
        content = bytearray(parts[name])
        for _ in range(rng.choice([1, 2, 5])):
            content[rng.randrange(len(content))] = rng.choice(b'<>/"=rstv0139A\x00 ')
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for other, whole in parts.items():
                archive.writestr(other, bytes(content) if other == name else whole)
        assert refusal(ingested, out.getvalue()).endswith(".")
