"""Test the upload of a file: its counts, the equivalent code, and its privacy."""

import gc
import io
import itertools
from html import unescape

import openpyxl
import pytest
import streamlit as st
from dialog import answered, asks_to_use, dropped, labelled, uploaded, used, with_dialog
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from dptopk.data.ingest import RawTable
from dptopk.data.sources import ITEM_LIST, LIST_GIVEN
from dptopk.ui import keys
from dptopk.ui.server import work

FILES = {
    "fruit.csv": b"fruit,users\npear,30\nplum,20\nfig,10\n",
    "it's [a](b).csv": "name;n\n'x';3\n\"y;z\";2\nÄ;1\n".encode("latin-1"),
    "counts.tsv": b"30\t1\n20\t2\n10\t3\n",
}
TITLES = {"fruit.csv": "fruit", "it's [a](b).csv": "it's a b", "counts.tsv": "counts"}
NAMES = {
    "fruit.csv": ["pear", "plum", "fig"],
    "it's [a](b).csv": ["'x'", "y;z", "Ä"],
    "counts.tsv": None,
}


def points(visit) -> str:
    """Sentences of all lists."""
    return unescape(" ".join(element.proto.body for element in visit.app.get("html")))


def verdict(visit) -> str:
    """What the dialog says of the file."""
    (said,) = (element.value for element in visit.app.success)
    return said


@pytest.mark.parametrize("filename", FILES)
def test_code_of_an_upload_reads_the_same_counts(opened, filename, tmp_path, monkeypatch):
    visit = uploaded(opened("data", k=5), filename, FILES[filename]).whole()
    assert visit.address == {"data": "upload", "k": "5"}
    assert visit.title == f"What is in {TITLES[filename]}?"
    monkeypatch.chdir(tmp_path)
    (tmp_path / filename).write_bytes(FILES[filename])
    names, _ = visit.told()
    shown = visit.table()
    assert [names["counts"].items[i] for i in names["counts"].order] == shown["item"].tolist()
    assert names["counts"].counts[names["counts"].order].tolist() == shown["count (users)"].tolist()
    assert NAMES[filename] is None or shown["item"].tolist() == NAMES[filename]


@pytest.mark.parametrize(
    ("data", "asks"),
    [
        (b"item,users\ntea,3\nmilk,2\n", False),
        (b"user,item\nu1,tea\nu2,tea\nu2,milk\n", False),
        (b"item,count\ntea,3\nmilk,2\n", True),  # a count of what?
        (b"user,item\nu1,tea\nu1,tea\nu2,milk\n", True),  # several rows of a user
        (b"user,item,day\nu1,tea,2026-01-01\nu2,milk,2026-01-02\n", True),  # a list for each day?
    ],
)
def test_a_file_is_used_at_once_if_it_can_be_read_in_one_way_only(opened, data, asks):
    visit = dropped(opened("data"), "shop.csv", data)
    assert asks_to_use(visit) == asks
    assert (visit.address.get("data") == "upload") != asks
    again = dropped(visit, "shop.csv", data)  # then it is shown
    assert asks_to_use(again)


def test_what_a_link_holds_is_said_truly_for_an_upload(opened):
    visit = opened("data")
    assert "holds all settings: share" in visit.line.caption[-1].value
    uploaded(visit, "fruit.csv", FILES["fruit.csv"])
    assert "but not your file" in visit.line.caption[-1].value


def test_after_a_reload_it_is_said_that_uploads_are_never_stored_and_the_upload_is_offered(opened):
    address = uploaded(opened("data"), "fruit.csv", FILES["fruit.csv"]).address
    again = opened("release", **address)
    headline, sentence = again.problem()
    assert "not in this session" in headline
    assert "Uploads are never stored" in sentence
    labelled(again.main.button, "Upload it again").click().run()
    assert again.exceptions() == []
    assert again.app.file_uploader(key="upload-file").label.startswith("Table of counts")


LOG = b"timestamp,user_id,item,qty\n1,u1,pen,3\n2,u1,pen,9\n3,u2,pen,1\n4,u3,ink,1\n"
ROWS = "What do several rows of an item mean?"
WHICH = "Which column holds the counts?"
OF_WHAT = "What do the counts count?"
SURVEY = "What do the columns of yes and no mean?"


@pytest.mark.parametrize(
    ("answer", "counts", "unit"), [(None, [2, 1], "users"), ("events", [13, 1], "units of qty")]
)
def test_rows_of_a_log_are_asked_about_and_every_guarantee_remembers(opened, answer, counts, unit):
    visit = dropped(opened("data"), "log.csv", LOG)
    asked = labelled(visit.app.radio, ROWS)
    assert asked.value == "users"  # proposed, and to be seen
    assert [label.endswith(" (proposed)") for label in asked.options] == [True, False, False]
    assert ITEM_LIST in [caption.value for caption in visit.app.caption]
    if answer is not None:
        visit = answered(visit, ROWS, answer)
    unused = '"qty" is not used: counts are the distinct users in "user_id".'
    assert (unused in [text.value for text in visit.app.text]) == (answer is None)
    visit = used(visit).whole()
    assert visit.table()[f"count ({unit})"].tolist() == counts
    assert ("4 rows became 3 pairs" in points(visit)) == (answer is None)
    for page in ("release", "privacy", "budget"):
        notes = [element.value for element in visit.go(page).whole().main.info]
        broken = any("not hold for a whole user" in note for note in notes)
        assert broken == (answer == "events")
    captions = " ".join(visit.go("release").captions)  # of figures
    offered = [b.label for b in visit.line.button if b.key == "take-users"]
    assert offered == ([] if answer else ["Use 3: users in the file"])
    assert ("not hold for a whole user" in captions) == (answer == "events")


LISTS = itertools.permutations(("tea", "milk", "rum", "gin", "ale"), 3)
CELLS = "id,What do you drink?\n" + "".join(
    f"{n},{'; '.join(one)}\n" for n, one in enumerate(LISTS)
)
USERS = "No,What\n" + "".join(f"{1000001 + n // 2},{'XYZ'[n % 3]}\n" for n in range(30))
TOTAL = "\ufeffReport;\n\nProdukt;Kunden\nTee;1.200,00\nKaffee;800,00\nSumme;2.000,00\n"
CASES = "Diagnose;Fälle;Patienten\nF93;25581;19678\nG90;15984;12296\n"
TWINS = "item,users\nApple,5\napple,3\nfig,2\nFig,1\n"
MARKS = "item;users\na;12.345\nb;7.250\n"
MARK, ROUND = "Thousands or decimals?", "Round the decimals?"
ASKED = {  # a file, answers with what is then said, if it can be used, and its counts
    "total": (
        TOTAL,
        [('Is the last row, "Summe", a total?', "keep", "3 items, 4,000")],
        [2000, 1200, 800],
    ),
    "two readings": (
        MARKS,
        [(MARK, ".", ""), (ROUND, "nearest", "2 items, 19 in"), (MARK, ",", "2 items, 19,595 in")],
        [12345, 7250],
    ),
    "look alike": (TWINS, [("Names that look alike", "merge", "2 items, 11 in")], [8, 3]),
    "names of users": (USERS, [(ROWS, "users", "3 items, 30 in")], [10] * 3),
    "lists": (CELLS, [("Does a cell", "semicolon", ""), (ROWS, "users", "5 items, 180")], [36] * 5),
    "two counts": (CASES, [(WHICH, "one", "2 items, 31,974 in")], [19678, 12296]),
}


@pytest.mark.parametrize("kind", ASKED)
def test_nothing_is_used_before_it_is_clear_and_then_as_it_was_answered(
    opened, tmp_path, monkeypatch, kind
):
    data, answers, counts = ASKED[kind]
    visit = dropped(opened("data"), "Mai_2024 (1).csv", data.encode())
    assert asks_to_use(visit) is bool(visit.app.success) is (kind in ("total", "look alike"))
    for label, answer, said in answers:
        visit = answered(visit, label, answer)
        assert asks_to_use(visit) is bool(said)
        assert verdict(visit).startswith(said) if said else not visit.app.success
    visit = used(visit).whole()
    assert visit.title == "What is in Mai 2024 1?"
    shown = visit.table()
    assert shown.filter(like="count (").iloc[:, 0].tolist() == counts
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Mai_2024 (1).csv").write_bytes(data.encode())
    told = dict(visit.told()[0]["counts"])
    assert told == dict(zip(shown["item"], counts, strict=True))


def test_columns_follow_an_answer_and_what_counts_count_is_asked_where_they_do_not_say(opened):
    visit = answered(dropped(opened("data"), "users.csv", USERS.encode()), ROWS, "users")
    chosen = {box.label: box.value for box in visit.app.selectbox}
    assert (chosen["Counts are in"], chosen["Users are named in"]) == (-1, 0)  # none, the first
    visit = answered(dropped(visit, "cases.csv", CASES.encode()), WHICH, "one")
    labelled(visit.app.selectbox, "Counts are in").select(1)
    visit = with_dialog(visit)
    assert labelled(visit.app.radio, OF_WHAT).value is None
    assert not asks_to_use(visit)
    visit = answered(visit, OF_WHAT, "events")
    assert verdict(visit).startswith("2 items, 41,565 in total")
    assert "a count by more than 1" in points(used(visit).whole())


def test_totals_and_names_that_look_alike_are_said_and_what_merging_these_does(opened):
    assert '"Summe", is the sum of' in points(dropped(opened("data"), "t.csv", TOTAL.encode()))
    visit = dropped(opened("data"), "twins.csv", TWINS.encode())
    each = labelled(visit.app.expander, "See each of them")
    assert [text.value for text in each.text] == ['"Apple", "apple"\n"fig", "Fig"']
    visit = used(answered(visit, "Names that look alike", "merge")).whole()
    assert "a count by more than 1" in points(visit)
    assert any("not hold for a whole user" in note.value for note in visit.main.info)


def workbook(**sheets: list[list]) -> bytes:
    """An Excel file of sheets, by their names."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.remove(book.active)
    book.save(out)
    return out.getvalue()


def test_the_sheet_that_was_taken_is_said_with_the_verdict(opened):
    content = workbook(Notes=[["of", 2025]], a_b_c=[["item", "users"], ["a", 5], ["b", 3]])
    visit = dropped(opened("data"), "book.xlsx", content)
    assert verdict(visit).startswith("Sheet `a_b_c`, one of 2")


def test_of_two_like_sheets_none_is_chosen_beforehand(opened):
    years = {"2023": 5, "2024": 9}
    rows = {year: [["item", "users"], ["a", count], ["b", 3]] for year, count in years.items()}
    visit = dropped(opened("data"), "book.xlsx", workbook(**rows))
    assert labelled(visit.app.selectbox, "Sheet").value is None
    assert not visit.app.success
    assert not asks_to_use(visit)


def test_what_was_read_is_confirmed_and_the_items_of_a_user_may_be_bounded(
    opened, tmp_path, monkeypatch
):
    rows = "".join(f"u{u},<b>{i}</b>\n" for u in range(9) for i in range(1 + u % 4))
    data = f"user,item\n{rows}u1,NULL\n".encode()
    visit = dropped(
        opened("release", mechanisms="Laplace", k=3, max_items=2, runs=20), "log.csv", data
    )
    said = points(visit)
    for words in (
        "22 rows, 9 users, 4 items.",
        "Items per user: 2 in the median, 4 at the 99% quantile, 4 at most.",
        'Largest counts: "<b>0</b>" 9, "<b>1</b>" 6',
        'Left out: 1 row. Column "item" has missing names: "NULL" in 1 row.',
    ):
        assert words in said, said
    visit = used(visit)
    assert "44.4% of the users" in visit.problem()[1]
    visit = dropped(visit, "log.csv", data)
    labelled(visit.app.number_input, "Items to keep per user").set_value(2)
    visit = with_dialog(visit)
    assert "2 items of each user" in points(visit)
    visit = used(visit).whole()
    kept = visit.app.session_state["_uploaded"].result
    assert kept.counts.counts.sum() == 15
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_bytes(data)
    assert visit.told()[0]["counts"].counts.sum() == 15
    promised = [text.value for text in visit.go("handover").whole().main.markdown]
    assert any("2 items of each user" in text for text in promised)


def test_the_items_of_the_rows_of_a_survey_may_be_bounded_too(opened):
    said = ("yes", "no")
    rows = "".join(f"yes,{said[n % 2]},{said[n % 3 > 0]}\n" for n in range(12))
    visit = dropped(opened("data"), "survey.csv", f"tea,jam,rum\n{rows}".encode())
    visit = answered(visit, SURVEY, "yes")
    assert "22 in total" in verdict(visit)
    labelled(visit.app.number_input, "Items to keep per user").set_value(1)
    visit = with_dialog(visit)
    assert "12 in total" in verdict(visit)
    assert "where one user can change it for all" in points(visit)
    visit = used(visit)
    assert visit.app.session_state["_uploaded"].result.counts.counts.sum() == 12


def test_what_is_taken_where_nobody_says_what_counts_count_is_seen_and_may_be_taken_again(opened):
    visit = dropped(opened("data"), "fruit.csv", FILES["fruit.csv"].replace(b"users", b"count"))
    asked = labelled(visit.app.radio, OF_WHAT)
    assert (asked.value, asked.options[0]) == ("", "not known: users are assumed")
    for answer in ("stated", "", "events"):
        visit = answered(visit, OF_WHAT, answer)
        assert labelled(visit.app.radio, OF_WHAT).value == answer
        report = visit.app.session_state["_upload_draft"].read.result.report
        assert report.contribution.value == (answer or "assumed")


def test_a_file_that_cannot_be_read_says_so_and_can_be_corrected(opened):
    visit = dropped(opened("data"), "a.csv", b"about\nmore\nitem,users\nfig,3\npear,5,ripe\n")
    assert len(visit.app.error) == 1
    assert "Row 5 has 3 cells" in " ".join(element.value for element in visit.app.text)
    labelled(visit.app.checkbox, "The first row").set_value(False)
    labelled(visit.app.number_input, "Rows above").set_value(4)
    assert verdict(with_dialog(visit)).startswith("1 item, 5 in total")


def test_reading_can_be_stopped_and_begun_again(opened, in_processes, monkeypatch):
    """AppTest cannot press while a run goes on: it is as if Stop were pressed at once."""
    monkeypatch.setattr(work, "QUIET_SECONDS", -1.0)  # so that there are bars
    data = FILES["fruit.csv"].replace(b"users", b"count")  # of what, is asked
    visit = dropped(opened("data"), "fruit.csv", data)
    assert verdict(visit).startswith("3 items, 60 in total")  # read in two parts, each with its own
    visit.app.session_state["_upload_draft"].memory.clear()
    monkeypatch.setattr(work.Progress, "__init__", stopped_at_once(work.Progress.__init__))
    visit = with_dialog(visit)
    (said,) = (element.value for element in visit.app.warning)
    assert said.startswith("Stopped: ")
    assert not asks_to_use(visit)
    monkeypatch.undo()
    labelled(visit.app.button, "Read it again").click()
    assert verdict(with_dialog(visit)).startswith("3 items, 60 in total")


def stopped_at_once(init):
    """Make a bar whose Stop was pressed."""

    def made(bar, key, wanted, *given):
        st.session_state[keys.STOPPED.format(key)] = wanted
        init(bar, key, wanted, *given)

    return made


def test_after_use_only_counts_names_and_sentences_are_kept(opened, in_processes, monkeypatch):
    """Streamlit keeps what controls hold, such as the table that their labels are from."""
    forgotten = []
    forget = lambda self, session_id, file_id: forgotten.append(file_id)  # noqa: E731
    monkeypatch.setattr(MemoryUploadedFileManager, "remove_file", forget)
    visit = uploaded(opened("data"), "fruit.csv", FILES["fruit.csv"])
    assert "_upload_draft" not in visit.app.session_state
    assert "upload-file" not in visit.app.session_state
    kept = visit.app.session_state["_uploaded"]
    flags = {"by_period", "python_by_period", "listed"}
    assert set(vars(kept)) == {"result", "python", "unit", "how", "filename", "said", *flags}
    assert kept.by_period is None
    assert not any(isinstance(value, bytes) for value in vars(kept.result.report).values())
    assert "pear,30" not in repr(vars(kept.result.report))
    assert len(forgotten) == 1
    gc.collect()
    tables = [it for it in gc.get_objects() if isinstance(it, RawTable)]
    assert [it for it in tables if it.filename == "fruit.csv"] == []


LONG = "![x](http://x.invalid) " + "y" * 90 + " 2025.csv"


def test_the_file_is_named_and_what_it_took_the_place_of_can_be_had_back(opened, monkeypatch):
    def told(visit) -> str:
        return " ".join(caption.value for caption in visit.line.caption)

    visit = uploaded(opened("data"), "fruit.csv", FILES["fruit.csv"]).whole()
    assert "fruit.csv, in place of" in told(visit)
    assert visit.toasts[0] == "fruit.csv: 3 items. To undo, click its name."
    visit = uploaded(visit, LONG, b"item,users\na,5\nb,3\n").whole()
    assert "in place of fruit.csv" in told(visit)
    assert visit.press("undo-upload").title == "What is in fruit?"
    assert "Data shown again: fruit.csv" in visit.toasts
    assert "undo-upload" not in {button.key for button in visit.app.button}  # one step is kept
    monkeypatch.setattr("dptopk.ui.uploads.session_uploads.MOST_FORMER", 200)
    visit = uploaded(visit, "more.csv", b"item,users\na,5\nb,3\n")
    assert "_former" not in visit.app.session_state  # three items were too much to keep
    visit = uploaded(visit, "most.csv", b"item,users\na,5\nb,4\n")
    assert visit.app.session_state["_former"].upload.filename == "more.csv"
    visit = uploaded(opened("data", data="books"), "fruit.csv", FILES["fruit.csv"])
    assert visit.press("undo-upload").address["data"] == "books"
    assert not [key for key in ("_uploaded", "_former") if key in visit.app.session_state]


def test_suppressed_counts_are_read_as_any_number(opened):
    visit = dropped(opened("data"), "cells.csv", b"drug,users\na,90\nb,<5\nc,30\n")
    labelled(visit.app.number_input, "Or read each as another number").set_value(3)
    visit = used(with_dialog(visit))
    assert visit.table().set_index("item")["count (users)"].to_dict() == {"a": 90, "c": 30, "b": 3}


def test_a_column_that_is_chosen_for_users_is_no_longer_read_as_counts(opened):
    rows = [f"{5000 + i % 9},{['Emma', 'Dune'][i % 2]}" for i in range(40)]
    visit = dropped(opened("data"), "loans.csv", "\n".join(["card,title", *rows]).encode())

    counts, users = "Counts are in", "Users are named in"
    assert labelled(visit.app.selectbox, counts).value == 0
    labelled(visit.app.selectbox, users).set_value(0)
    with_dialog(visit)
    assert [labelled(visit.app.selectbox, of).value for of in (counts, users)] == [-1, 0]
    assert not visit.app.error


def test_a_public_list_is_read_with_a_survey_and_may_be_taken_away(opened, tmp_path, monkeypatch):
    said = ("no", "yes")
    rows = "".join(f"{n},{said[n % 2]},{said[n % 3 > 0]},{said[n % 5 > 0]}\n" for n in range(12))
    files = {"survey.csv": f"id,tea,NA,ok\n{rows}".encode(), "all.txt": b"NA\nwine\ntea\n"}
    visit = opened("data", k=2)
    visit = answered(dropped(visit, "survey.csv", files["survey.csv"]), SURVEY, "yes")
    assumed = "one user can change it for all"

    def listed(pasted: str, *file):
        if file:
            visit.app.file_uploader(key="public-list").set_value((*file, "text/plain"))
        else:
            visit.app.text_area(key="public-list-text").set_value(pasted)
        return points(with_dialog(visit))

    assert assumed in listed("")
    for pasted, *file in (("NA\nwine\ntea",), ("", "all.txt", files["all.txt"])):
        assert '1 of them is not in the data and counts 0: "wine"' in listed(pasted, *file)
        assert assumed not in points(visit)
        assert LIST_GIVEN in [caption.value for caption in visit.app.caption]
        assert not visit.app.error
        if not file:
            listed("tea\ntea")
            assert not asks_to_use(visit)
            refused = "The public list items.txt: line 2 names 'tea', as line 1 does"
            assert any(refused in text.value for text in visit.app.text)
            assert assumed in listed("")  # taken away
    visit = used(visit).whole()
    assert LIST_GIVEN in points(visit)
    assert visit.table()["item"].tolist() == ["NA", "tea", "wine"]
    monkeypatch.chdir(tmp_path)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert dict(visit.told()[0]["counts"]) == {"NA": 8, "tea": 6, "wine": 0}


def test_an_answer_that_fits_no_public_list_can_be_given_otherwise(opened):
    cells = ["tea, milk", "tea, jam", "milk, jam", "tea, jam, milk", "jam, milk, tea", "milk, tea"]
    rows = [f"r{n};{cells[n % 6]}" for n in range(30)]
    visit = dropped(opened("data", k=1), "s.csv", "\n".join(["respondent;drinks", *rows]).encode())
    visit.app.text_area(key="public-list-text").set_value("tea\nmilk\njam")
    with_dialog(visit)
    label = "Does a cell hold"
    answered(visit, label, "none")
    assert [error.value for error in visit.app.error] == [
        "This file cannot be used yet. The previous data are still shown."
    ]
    assert any("split the cells with the answer" in text.value for text in visit.app.text)
    answered(visit, label, "comma")
    assert not visit.app.error
    used(visit)
    counts = visit.app.session_state[keys.UPLOADED].result.counts
    assert dict(counts) == {"tea": 25, "milk": 25, "jam": 20}
