"""Read one sheet of an Excel workbook as rows of text.

Values are those that the workbook has saved: nothing is computed.  Columns of numbers are told, so
that 12.345 is not taken for twelve thousand; dates are written as 2024-01-31.  Number formats of
digits and literal text alone, such as 00000 or "K-"0000, are of codes and are applied.

Limits: .xlsx and .xlsm of at most `MAX_WORKBOOK_BYTES` unpacked and `MAX_CELLS` cells a sheet,
blank ones up to the last of a row included.  What a sheet says of its own size is not believed.
"""

import datetime as dt
import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._decode import MAX_BYTES, MAX_ZIP_ENTRIES, UNZIP_ERRORS, n_entries
from dptopk.data.ingest._error import COUNT_FIRST, MAX_COLUMNS, IngestError
from dptopk.data.ingest._plain import shown, some_of, unix_lines
from dptopk.data.ingest._tables import MAX_ROWS

MAX_WORKBOOK_BYTES = 24 * 2**20
"""Largest unpacked content of a workbook: some 200,000 rows, read in some ten seconds."""
MAX_CELLS = 10_000_000  # largest number of cells in a sheet
MAX_SHEETS = 255  # largest number of sheets, as many as spreadsheet programs begin with at most
_MAX_RANGES = 20_000  # names of ranges
_MAX_TEXTS = 2_000_000  # that cells share: one a row

_DAMAGED = "The Excel workbook is damaged: open it in a spreadsheet program and save it again."
_ERRORS = (  # all that openpyxl was seen to raise on damaged workbooks
    *UNZIP_ERRORS,
    SyntaxError,  # of XML, by either parser that openpyxl uses
    KeyError,
    TypeError,
    AttributeError,
    ArithmeticError,
    AssertionError,
)
# Elements of which few are enough to take long, in any part and with any prefix, and what they are.
_MANY = (
    (re.compile(rb"<(?:[^\s<>/:]+:)?sheet[\s/>]"), MAX_SHEETS, "sheets"),
    (re.compile(rb"<(?:[^\s<>/:]+:)?definedName[\s/>]"), _MAX_RANGES, "names of ranges"),
    (re.compile(rb"<(?:[^\s<>/:]+:)?si[\s/>]"), _MAX_TEXTS, "texts"),
)
_PIECE = re.compile(r'0|"([^"]*)"|\\(.)|\[\$([^]-]*)[^]]*\]|([-+() ])')
_POINTED = re.compile(r"\s*[-+]?\d{1,3}(\.\d{3})+\s*")  # text whose point may mark thousands
_DIGIT = "\0"  # a place for one, in the text of a format
_LONGEST_FORMAT = 40  # characters of one that is applied
_AS_READ = frozenset(["General", "general", "0", "#", "@", ""])  # formats that change no integer
_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
_UNSAVED = re.compile(rb"</f>\s*(<v\s*/>|<v></v>|</c>)|<f/>\s*(<v\s*/>|<v></v>|</c>)")


def is_workbook(data: bytes) -> bool:
    """Return whether the bytes are an Excel workbook of the newer kind (a zip archive)."""
    if not data.startswith(b"PK\x03\x04") or b"xl/workbook.xml" not in data:
        return False
    if n_entries(data) > MAX_ZIP_ENTRIES:  # it is refused before it is listed
        return True
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except UNZIP_ERRORS:  # whoever unpacks it says what is wrong with it
        return False


class ProgressBytes(io.BytesIO):
    """File of bytes that reports how far it was read."""

    def __init__(self, data: bytes, progress: Progress):
        super().__init__(data)
        self._size = len(data)
        self._progress = progress

    def report(self) -> None:
        """Report how far it was read."""
        self._progress(min(self.tell() / self._size, 1.0))

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes and report how far."""
        self.report()
        return super().read(size)


@dataclass(frozen=True)
class WorkbookSheet:
    """One sheet of a workbook."""

    name: str
    names: tuple[str, ...]  # of all sheets
    rows: list[list[str]]  # of equal width
    notes: tuple[str, ...]
    formats: dict[int, tuple[str, str]]  # not applied, by column, each with a number read there
    decimals: tuple[int, ...]  # columns whose point marks decimals, and nothing else in their text
    hidden: bool


def sheet_names(data: bytes, progress: Progress | None = None) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook, in order; none for other files."""
    if not is_workbook(data):
        return ()
    with _opened(ProgressBytes(data, part_of(progress, 0.0, 1.0))) as (_, sheets):
        return tuple(worksheet.title for worksheet, _ in sheets)


def read_sheet(data: bytes, name: str, progress: Progress) -> WorkbookSheet:
    """Read the sheet of this name; raise for an empty one."""
    file = ProgressBytes(data, progress)
    with _opened(file) as (archive, sheets):
        names = tuple(worksheet.title for worksheet, _ in sheets)
        if name not in names:
            some = ", ".join(f'"{shown(one)}"' for one in names[:5])
            raise IngestError(f'The workbook has no sheet "{shown(name)}": choose one of {some}.')
        sheet = _sheet(*sheets[names.index(name)], names, file, archive)
    if not sheet.rows:
        raise IngestError(f'The sheet "{shown(name)}" is empty: choose one with one row per item.')
    return sheet


def every_sheet(
    data: bytes, progress: Progress
) -> Iterator[tuple[str, WorkbookSheet | IngestError]]:
    """Yield the name of each sheet with its content, or the error why it cannot be read.

    The workbook is opened once: what its sheets share may be its largest part.
    """
    file = ProgressBytes(data, progress)
    with _opened(file) as (archive, sheets):
        names = tuple(worksheet.title for worksheet, _ in sheets)
        for worksheet, part in sheets:
            try:
                yield worksheet.title, _sheet(worksheet, part, names, file, archive)
            except IngestError as error:
                yield worksheet.title, error
            except _ERRORS:
                yield worksheet.title, IngestError(_DAMAGED)


def _sheet(
    worksheet: Any, part: str, names: tuple[str, ...], file: ProgressBytes, archive: zipfile.ZipFile
) -> WorkbookSheet:
    worksheet.reset_dimensions()
    rows, formats, decimals = _filled(worksheet.iter_rows(), file)
    notes = _of_formulas(archive.read(part))
    if len(names) > 1:
        others = (f'"{shown(other)}"' for other in names if other != worksheet.title)
        of_sheets = f'Of {len(names)} sheets, "{shown(worksheet.title)}" was read, not '
        notes = (f"{of_sheets}{some_of(others, 3)}.", *notes)
    hidden = worksheet.sheet_state != "visible"
    if hidden:
        notes = (f'Sheet "{shown(worksheet.title)}" is hidden in the workbook.', *notes)
    return WorkbookSheet(worksheet.title, names, rows, notes, formats, decimals, hidden)


def _of_formulas(xml: bytes) -> tuple[str, ...]:
    if b"</f>" not in xml and b"<f/>" not in xml:
        return ()
    note = "Formulas were read as their saved results."
    if not (unsaved := _UNSAVED.findall(xml)):
        return (note,)
    blank = f"{plural(len(unsaved), 'formula')} had no saved result, and cells stayed blank"
    return note, f"{blank}: open the workbook in a spreadsheet program and save it again."


@contextmanager
def _opened(file: ProgressBytes) -> Iterator[tuple[zipfile.ZipFile, list[tuple[Any, str]]]]:
    """Open a workbook after checking how large it decompresses; yield its archive and sheets.

    Each sheet comes with the name of its part in the archive.
    """
    try:
        from openpyxl.reader.excel import ExcelReader
    except ImportError as error:
        raise IngestError(
            "Reading Excel workbooks needs the package openpyxl: install it, or save the table as "
            "CSV."
        ) from error
    _refuse_bombs(file)
    try:
        with warnings.catch_warnings():  # of styles and extensions, which are not read
            warnings.simplefilter("ignore")
            reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
            reader.read()  # as load_workbook() does, which keeps the names of parts to itself
            try:
                sheets = reader.wb.worksheets
                parts = [
                    link.target
                    for _, link in reader.parser.find_sheets()
                    if link.target in reader.valid_files and "chartsheet" not in link.Type
                ]
                if not sheets:
                    raise IngestError(
                        "The Excel workbook has no sheet with cells: save the table as CSV."
                    )
                if len({*parts}) < len(sheets):  # each would be read anew
                    raise IngestError(_DAMAGED)
                yield reader.archive, [*zip(sheets, parts, strict=True)]
            finally:
                reader.wb.close()
    except IngestError:
        raise
    except _ERRORS as error:
        raise IngestError(_DAMAGED) from error


def _refuse_bombs(file: ProgressBytes) -> None:
    """Raise for what decompresses to too much, or declares entities that would.

    Any part may be read as XML, whatever it is called: a list of types in the workbook says which.
    """
    if n_entries(file.getvalue()) > MAX_ZIP_ENTRIES:
        raise IngestError(
            f"The Excel workbook has more than {MAX_ZIP_ENTRIES:,} parts: save the table as CSV."
        )
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            if any(member.flag_bits & 1 for member in members):
                raise IngestError("The Excel workbook has a password: save it without one.")
            if sum(member.file_size for member in members) > MAX_BYTES:
                raise _too_large(MAX_BYTES)
            n_xml, n_of = 0, [0] * len(_MANY)
            for member in members:
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise IngestError(_DAMAGED)
                content = archive.read(member)
                file.report()
                if not content.lstrip().startswith((b"<", b"\0", *_MARKS)):
                    continue  # a picture, for example: no XML
                n_xml += len(content)
                if n_xml > MAX_WORKBOOK_BYTES:
                    raise _too_large(MAX_WORKBOOK_BYTES)
                if b"<!DOCTYPE" in content or b"<!ENTITY" in content or b"\0" in content[:200]:
                    raise IngestError(_DAMAGED)
                for i, (element, most, name) in enumerate(_MANY):
                    n_of[i] += sum(1 for _ in element.finditer(content))
                    if n_of[i] > most:
                        raise IngestError(
                            f"The Excel workbook has more than {most:,} {name}: save the table as "
                            "CSV."
                        )
    except UNZIP_ERRORS as error:
        if isinstance(error, IngestError):
            raise
        raise IngestError(_DAMAGED) from error


def _too_large(most: int) -> IngestError:
    return IngestError(
        f"Unpacked, the Excel workbook has more than {most // 2**20} MB, the limit: save the table "
        "as CSV, for which the limit is higher."
    )


def _filled(
    sheet: Iterable[tuple[Any, ...]], file: ProgressBytes
) -> tuple[list[list[str]], dict[int, tuple[str, str]], tuple[int, ...]]:
    """Return rows as text, without blank outer columns and without blank rows at the end.

    Also the number formats that were not applied, and the columns of decimals, as of
    `WorkbookSheet`.
    """
    rows: list[list[str]] = []
    formats: dict[int, tuple[str, str]] = {}
    decimals, pointed = set[int](), set[int]()
    n_cells = n_rows = 0
    left, right = MAX_COLUMNS, 0
    for n_rows, cells in enumerate(sheet, 1):
        n_cells += len(cells) + 1
        if n_rows % 1_000 == 0:  # a little of the file may hold many rows
            file.report()
        if n_rows > MAX_ROWS:
            raise IngestError(
                f"The sheet has more than {MAX_ROWS:,} rows, the limit: {COUNT_FIRST}."
            )
        if n_cells > MAX_CELLS:
            raise IngestError(
                f"The sheet has more than {MAX_CELLS:,} cells, the limit: keep only the columns "
                "with items, and with users or counts."
            )
        texts = [_text(cell.value) for cell in cells]
        for column, cell in enumerate(cells):
            if isinstance(cell.value, float):
                decimals.add(column)
            elif cell.data_type == "s" and _POINTED.fullmatch(texts[column]):
                pointed.add(column)
            if cell.data_type == "n" and cell.value is not None and cell.has_style:
                texts[column] = _coded(cell, texts[column], column, formats)
        used = [column for column, text in enumerate(texts) if text.strip()]
        if used:
            if used[-1] >= MAX_COLUMNS:
                raise IngestError(
                    f"Row {n_rows:,} has {used[-1] + 1:,} columns, more than the limit of "
                    f"{MAX_COLUMNS}: keep only those with items, and with users or counts."
                )
            rows += [[]] * (n_rows - 1 - len(rows))
            rows.append(texts[: used[-1] + 1])
            left, right = min(left, used[0]), max(right, used[-1] + 1)
    return (
        [row[left:] + [""] * (right - max(left, len(row))) if row else [] for row in rows],
        {column - left: found for column, found in formats.items()},
        tuple(sorted(column - left for column in decimals - pointed)),
    )


def _coded(cell: Any, text: str, column: int, formats: dict[int, tuple[str, str]]) -> str:
    """Return the text of a number in its format, if that is one of codes; else keep the format."""
    try:
        number_format = cell.number_format
    except IndexError:  # a style that the workbook does not define
        return text
    template = _template(number_format) if text.isdecimal() else ""
    if not template:
        if number_format not in _AS_READ:
            formats.setdefault(column, (number_format, text))
        return text
    n_digits = template.count(_DIGIT)
    digits = text.zfill(n_digits)
    first = len(digits) - n_digits + 1  # the first place takes all digits that are left over
    groups = iter([digits[:first], *digits[first:]])
    return "".join(next(groups) if mark == _DIGIT else mark for mark in template)


@lru_cache(1_000)
def _template(number_format: str) -> str:
    """Return the text of a format of codes, with marks for its digits; empty for other formats."""
    template, place = "", 0
    while place < len(number_format) <= _LONGEST_FORMAT and number_format[place] != ";":
        piece = _PIECE.match(number_format, place)
        if piece is None:
            return ""
        template += _DIGIT if piece.lastindex is None else piece[piece.lastindex]
        place = piece.end()
    before, digit, after = template.partition(_DIGIT)
    is_code = _DIGIT in after or any(map(str.isalpha, before))  # else 0 "kg", of an amount
    return template if digit and is_code else ""


def _text(value: Any) -> str:
    """Convert a cell to text that reads back as the same value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        if value.is_integer() and abs(value) < 2**63:
            return str(int(value))
        return f"{value:.15g}"
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return str(value.date())
    return unix_lines(str(value))
