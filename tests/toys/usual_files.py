"""Ordinary files: exports of shops, spreadsheets, logs and pivot tables.

Shared by the tests of `dptopk.data.ingest` and by tests that drive the app in a browser.
"""

import datetime as dt
import io
from dataclasses import dataclass, field
from functools import lru_cache

import openpyxl


@dataclass(frozen=True)
class Usual:
    """A file, the answers it needs, the counts it holds, and words that must be said of it."""

    filename: str
    data: bytes
    counts: dict[str, int]
    said: tuple[str, ...]
    title: str
    answers: dict[str, str] = field(default_factory=dict)
    sheet: str | None = None


@lru_cache(maxsize=1)
def usual_files() -> dict[str, Usual]:
    """Return kind of file -> file."""
    return {
        "German export": Usual(
            "Verkäufe_2024-05.csv",
            (
                "Verkäufe Mai 2024;;\r\nErstellt am 03.06.2024;;\r\n\r\n"
                "Artikel;Menge;Preis\r\nÄpfel;1.204,00;2,49\r\nBirnen;817,00;2,99\r\n"
                "Öl, kaltgepresst;96,00;8,50\r\nGesamt;2.117,00;\r\n"
            ).encode("cp1252"),
            {"Äpfel": 1204, "Birnen": 817, "Öl, kaltgepresst": 96},
            (
                "2 rows above the table left out",
                "treated as a total and left out",
                "thousands separators",
                "decimal comma",
                "Windows-1252",
            ),
            "Verkäufe 2024-05",
            {"rows": "events"},  # one user may buy several
        ),
        "workbook": Usual(
            "Borrowers by title.xlsx",
            _workbook(),
            {"Emma": 412, "Persuasion": 377, "Middlemarch": 201, "Ulysses": 35},
            (
                '2 rows above the table left out: "Public library", "Exported 2024-05-31"',
                '1 row below the table left out: "Loans of this year only',
                "treated as a total and left out",
                'Of 3 sheets, "Titles" was read, not "Notes", "Authors"',
                "Formulas were read as their saved results",
            ),
            "Borrowers by title, Titles",
        ),
        "second sheet": Usual(
            "Borrowers by title.xlsx",
            _workbook(),
            {"Austen": 530, "Eliot": 201, "Joyce": 35},
            ('sheet "Authors" of an Excel workbook',),
            "Borrowers by title, Authors",
            sheet="Authors",
        ),
        "event log": Usual(
            "orders.csv",
            (
                b"timestamp,user_id,item,qty\n"
                b"2024-05-01 09:12,u1,pen,3\n2024-05-01 09:13,u2,pen,1\n"
                b"2024-05-02 11:40,u1,pen,12\n2024-05-02 11:41,u1,ink,1\n"
                b"2024-05-03 08:02,u3,ink,2\n2024-05-03 08:05,u4,pen,1\n"
            ),
            {"pen": 3, "ink": 2},
            ('distinct users of column "user_id"',),
            "orders",
            {"rows": "users"},
        ),
        "list of users and items": Usual(
            "ratings.tsv",
            b"userId\tmovieId\trating\n1\t31\t2.5\n1\t1029\t3.0\n2\t31\t4.0\n2\t31\t4.5\n",
            {"31": 2, "1029": 1},
            ('distinct users of column "userId"',),
            "ratings",
            {"rows": "users"},
        ),
        "survey with lists": Usual(
            "survey.csv",
            (
                b'respondent_id,languages\n1,Go;R\n2,\n3,R;SQL\n4,"R;Go;Go"\n5,SQL\n6,SQL;R\n'
                b"7,None\n7,SQL;Go\n"
            ),
            {"Go": 3, "R": 4, "SQL": 4},
            ("5 cells of column", "They were split.", "6 rows became 11 pairs"),
            "survey",
            {"split": "semicolon", "rows": "users", "nulls": "leave out"},
        ),
        "months with totals": Usual(
            "Monate.csv",
            (
                "Übernachtungen\n\nOrt;Jan;Feb;Mär;Gesamt\nUlm;6.686;979;1.100;8.765\n"
                "Bonn;7.276;4.804;3.110;15.190\nZwischensumme;13.962;5.783;4.210;23.955\n"
                "Kiel;264;2.862;715;3.841\nHof;1.703;55;2.573;4.331\n"
                "Zwischensumme;1.967;2.917;3.288;8.172\nGesamtsumme;15.929;8.700;7.498;32.127\n"
            ).encode(),
            {"Ulm": 8765, "Bonn": 15190, "Kiel": 3841, "Hof": 4331},
            (
                'rows that are sums of others: "Zwischensumme", "Zwischensumme", "Gesamtsumme"; '
                "each treated as a total and left out",
                'sums of 3 columns, "Jan" to "Mär"',
            ),
            "Monate",
            {"several": "sum", "decimal": ","},
        ),
        "notes below": Usual(
            "Besuche.csv",
            (
                "Museum;Besuche\nAltes Museum;2.117\nNeues Museum;5.300\nBode;1.020\n"
                "Summe;8.437\n;\n* ohne Schulklassen;\nQuelle: Amt für Statistik; 2024; S. 3\n"
            ).encode(),
            {"Altes Museum": 2117, "Neues Museum": 5300, "Bode": 1020},
            (
                '2 rows below the table left out: "* ohne Schulklassen", "Quelle: Amt für Stat',
                "treated as a total and left out",
            ),
            "Besuche",
            {"rows": "events", "decimal": ","},
        ),
        "pivot": Usual(
            "Pivot.csv",
            (
                b'Users,Column Labels,,\nRow Labels,Apr,May,Grand Total\nChess,"10,204","12,110",'
                b'"22,314"\nGo,"1,003,000","1,120,500","2,123,500"\nShogi,877,903,"1,780"\n'
                b'Grand Total,"1,014,081","1,133,513","2,147,594"\n'
            ),
            {"Chess": 22314, "Go": 2123500, "Shogi": 1780},
            ("thousands separators", "treated as a total and left out", "1 row above the table"),
            "Pivot",
            {"rows": "stated"},  # the sheet does not say of what it is the total
        ),
        "scientific": Usual(
            "big.csv",
            b"item,users\na,1e5\nb,1.25E+06\nc,42\n",
            {"a": 100000, "b": 1250000, "c": 42},
            ("2 counts had scientific notation, now written out",),
            "big",
        ),
        "decimals": Usual(
            "means.csv",
            b"item,users\na,10.5\nb,7.25\nc,42\n",
            {"a": 11, "b": 7, "c": 42},
            ("2 counts had decimals, now rounded to the nearest", "their sum changes by +0.25"),
            "means",
            {"rounding": "nearest"},
        ),
        "thousands or decimals": Usual(
            "either.csv",
            b"item;users\na;12.345\nb;7.250\nc;42\n",
            {"a": 12345, "b": 7250, "c": 42},
            ("2 counts had thousands separators",),
            "either",
            {"decimal": ","},
        ),
    }


def _workbook() -> bytes:
    """A report with a note sheet, a table with title, dates and a total, and a second table."""
    book = openpyxl.Workbook()
    notes = book.active
    notes.title = "Notes"
    titles = book.create_sheet("Titles")
    for row in (
        ["Public library"],
        ["Exported", dt.date(2024, 5, 31)],
        [],
        ["Title", "Acquired", "Borrowers"],
        ["Emma", dt.datetime(2011, 3, 1), 412],
        ["Persuasion", dt.datetime(2012, 7, 9), 377.0],
        ["Middlemarch", dt.datetime(2009, 1, 15), 201],
        ["Ulysses", None, 35],
        ["Total", None, "=SUM(C5:C8)"],
        [],
        ["Loans of this year only, renewals left out."],
    ):
        titles.append(row)
    authors = book.create_sheet("Authors")
    for row in (["Author", "Borrowers"], ["Austen", 530], ["Eliot", 201], ["Joyce", 35]):
        authors.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
