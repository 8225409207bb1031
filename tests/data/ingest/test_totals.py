"""Test that rows and columns of totals are detected by arithmetic."""

import pytest

from dptopk.data.ingest import read_table

GROUPS = "city,n\nUlm,5\nBonn,3\n{0},8\nKiel,2\nHof,9\nJena,1\n{0},12\n{1},20\n"
ITEMS = {"Ulm": 5, "Bonn": 3, "Kiel": 2, "Hof": 9, "Jena": 1}


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("Zwischensumme", "Gesamtsumme"),
        ("Subtotal", "Grand Total"),
        ("sous-total", "Ensemble"),
        ("小计", "合计"),
        ("", ""),
    ],
)
def test_subtotals_that_add_up_are_left_out_and_may_be_kept(ingested, as_dict, part, whole):
    data = GROUPS.format(part, whole).encode()
    read = ingested(data)
    assert as_dict(read) == ITEMS
    (asked,) = (one for one in read.report.questions if one.key == "total")
    assert (asked.answer, asked.needed) == ("leave out", False)
    assert (read.report.rows_read, read.report.rows_kept) == (8, 5)
    if part:
        kept = ingested(data, answers={"total": "keep", "rows": "stated"})
        assert sum(as_dict(kept).values()) == 60


@pytest.mark.parametrize(("part", "whole"), [("North", "Everything"), ("Total North", "Total")])
def test_subtotals_without_such_a_name_are_asked_about(ingested, question, as_dict, part, whole):
    data = GROUPS.format(part, whole).encode()
    asked = question(data)
    assert (asked.key, asked.answer, asked.needed) == ("total", None, True)
    assert f'rows that are sums of others: "{part}", "{part}", "{whole}"' in asked.sentence
    assert as_dict(ingested(data, answers={"total": "leave out"})) == ITEMS


@pytest.mark.parametrize("name", ["Total", "Summe", "всего"])
def test_what_is_called_a_total_and_is_none_is_asked_about(ingested, question, as_dict, name):
    data = f"city,n\nUlm,5\n{name},4\nBonn,3\n".encode()
    asked = question(data)
    assert (asked.key, asked.needed) == ("total", True)
    assert as_dict(ingested(data, answers={"total": "keep"})) == {"Ulm": 5, name: 4, "Bonn": 3}
    assert as_dict(ingested(data, answers={"total": "leave out"})) == {"Ulm": 5, "Bonn": 3}


def test_names_that_hold_such_a_word_are_items_unless_they_add_up(ingested, as_dict):
    data = b"game,n\nTotal War,5\nSumma,4\nAll Stars,3\nChess,1\n"
    assert len(as_dict(ingested(data))) == 4


@pytest.mark.parametrize("name", ["Total Recall", "Sum 41", "Overall", "Gesamtschule", "All"])
@pytest.mark.parametrize(
    "rows", ["A,{0}\n{1},100\nB,55\nC,30", "B,55\nA,{2}\n{1},100\nC,30", "B,55\nA,{2}\n{1},100"]
)
def test_no_item_is_left_out_as_it_adds_up_by_chance(ingested, question, as_dict, name, rows):
    """One user more would bring it back: it is asked about, and no item of a list is a total."""
    whole = name in ("Overall", "All")  # which may be left out unasked
    for n in (99, 100, 101):
        data = f"movie,users\n{rows.format(n, name, n - 55)}\n".encode()
        for answers in ({}, {"total": "leave out"}):
            listed = ingested(data, answers={**answers, "listed": ["A", "B", "C", name]})
            assert as_dict(listed)[name] == 100
        if not whole and n == 100:
            assert question(data).key == "total"
        elif not whole:
            assert as_dict(ingested(data))[name] == 100


def test_a_total_is_not_kept_as_the_last_row_adds_up_by_chance(ingested, question, as_dict):
    data = "city,n\nUlm,1\nTotal,1\nBonn,{}\nKiel,5\n"
    assert as_dict(ingested(data.format(2).encode())) == {"Ulm": 1, "Bonn": 2, "Kiel": 5}
    asked = question(data.format(3).encode())
    assert 'rows that are sums of others: "Total", "Kiel"' in asked.sentence


COLUMNS = "city;Jan;Feb;Mar{0}\nUlm;1.100;20;3{1}\nBonn;4;2.500;6{2}\nKiel;700;8;9.100{3}\n"


def test_a_column_that_sums_the_others_is_not_added_to_them(ingested, question, as_dict):
    text = COLUMNS.format(";Gesamt", ";1.123", ";2.510", ";9.808")
    for data in (text, text.replace("Gesamt", "X")):  # arithmetic and not the word tells
        table = read_table(data.encode())
        assert (table.totals, table.count_column) == ((4,), 4)
        asked = question(data.encode())
        assert (asked.key, list(asked.options)) == ("several", ["one", "sum"])
        assert "the sum of others is in" in asked.sentence
        for answer in ("one", "sum"):
            answers = {"several": answer, "rows": "stated", "decimal": ","}
            read = ingested(data.encode(), answers=answers)
            assert as_dict(read) == {"Ulm": 1123, "Bonn": 2510, "Kiel": 9808}


def test_quarters_are_not_added_to_their_months(ingested, as_dict):
    data = (
        b"city,Jan,Feb,Q1,Mar,Apr,Q2,All\nUlm,1,2,3,4,5,9,12\nBonn,6,7,13,8,9,17,30\n"
        b"Kiel,2,2,4,3,3,6,10\n"
    )
    table = read_table(data)
    assert set(table.totals) == {3, 6, 7}
    assert table.count_column == 7
    assert as_dict(ingested(data, answers={"several": "sum"})) == {
        "Ulm": 12,
        "Bonn": 30,
        "Kiel": 10,
    }


def test_a_column_that_is_only_called_a_total_is_asked_about(ingested, question, as_dict):
    for word in ("Total", "Gesamt"):
        data = COLUMNS.format(f";{word}", ";1", ";2", ";7").replace(".", "").encode()
        asked = question(data)
        assert list(asked.options) == ["one", "sum", "parts"]
        assert f'called a total, but not the sum of the others: "{word}"' in asked.sentence
        read = ingested(data, answers={"several": "parts"})
        assert as_dict(read) == {"Ulm": 1123, "Bonn": 2510, "Kiel": 9808}
        assert as_dict(ingested(data, answers={"several": "sum"}))["Ulm"] == 1124
