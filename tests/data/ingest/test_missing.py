"""Test that missing names are found, reported and left out, and kept on request."""

import pytest

from dptopk.data.ingest import IngestError, UnclearError

LOG = "user,item\nu1,tea\nu2,NULL\nNULL,tea\nu3,NULL\nu3,milk\nu4,NULL\nu4,tea\n"
OTHERS = ("なし", "keiner", "ninguno", "Aucun", "无", "(leer)")  # words of other languages
USERS = {"rows": "users"}
LEFT_OUT = {"nulls": "leave out"}


@pytest.mark.parametrize(
    ("word", "asked"),
    [
        *((word, True) for word in ("NULL", "nan", "None", "N/A", "null", "-", "NaN", *OTHERS)),
        *((word, False) for word in ("\\N", "#N/A", "<NA>", "(null)")),
    ],
)
def test_a_word_that_may_be_a_name_among_the_largest_is_asked_about(
    ingested, question, as_dict, said, word, asked
):
    data = LOG.replace("NULL", word).encode()
    if asked:
        found = question(data, 'nulls="keep"', answers=USERS)
        suggested = None if word == "None" or word in OTHERS else "leave out"
        assert (found.key, found.needed, found.suggested) == ("nulls", True, suggested)
    read = ingested(data, answers=USERS | (LEFT_OUT if asked else {}))
    assert as_dict(read) == {"tea": 2, "milk": 1}
    assert read.report.n_users == 3
    assert f'Column "item" has missing names: "{word}" in 3 rows.' in said(read)
    assert f'Column "user" has missing names: "{word}" in 1 row. These rows were left' in said(read)
    (found,) = (one for one in read.report.questions if one.key == "nulls")
    assert (found.answer, found.needed) == ("leave out", asked)
    kept = ingested(data, answers=USERS | {"nulls": "keep"})
    assert as_dict(kept) == {"tea": 3, word: 3, "milk": 1}
    assert "They were kept as names." in said(kept)


@pytest.mark.parametrize(
    ("n_users", "n_items", "asked"), [(1, 10, False), (2, 10, True), (1, 9, True)]
)
def test_a_word_below_the_ten_largest_items_is_left_out(ingested, n_users, n_items, asked):
    """The items are compared by their users: u0 is in two rows of each."""
    rows = [(f"u{n}", f"item {i}") for i in range(n_items) for n in (0, 0, 1)]
    rows += [(f"u{n}", "NULL") for n in range(n_users)] * 9
    data = "".join(f"{user},{item}\n" for user, item in [("user", "item"), *rows]).encode()
    if asked:
        with pytest.raises(UnclearError, match="missing names"):
            ingested(data, answers=USERS)
    assert ingested(data, answers=USERS | (LEFT_OUT if asked else {})).counts.d == n_items


def test_a_table_of_counts_asks_about_them(ingested, question, as_dict, said):
    data = b"item,users\na,5\nNULL,90\nb,3\nnan,7\n"
    with pytest.raises(UnclearError, match='"NULL" in 1 row, "nan" in 1 row: leave such rows out'):
        ingested(data)
    read = ingested(data, answers=LEFT_OUT)
    assert as_dict(read) == {"a": 5, "b": 3}
    assert '"NULL" in 1 row, "nan" in 1 row' in said(read)
    assert as_dict(ingested(data, answers={"nulls": "keep"}))["NULL"] == 90
    assert as_dict(ingested(data.replace(b"NULL", b"#N/A").replace(b"nan", b"c")))["c"] == 7
    countries = b"code,users\nDE,5\nNA,4\nFR,3\n"
    kept = ingested(countries, answers={"nulls": "keep"})  # Namibia
    assert as_dict(kept) == {"DE": 5, "NA": 4, "FR": 3}
    assert as_dict(ingested(countries, answers=LEFT_OUT)) == {"DE": 5, "FR": 3}
    for other, suggested in ((b"France", None), (b"FR", "keep"), (b"EMEA", "keep")):
        assert question(countries.replace(b"FR", other)).suggested == suggested


def test_blank_items_of_a_log_are_left_out_in_one_go(ingested, as_dict, said):
    data = (
        "user,item\n" + "".join(f"u{i},{'tea' if i % 3 else ' '}\n" for i in range(90))
    ).encode()
    read = ingested(data, answers=USERS)
    assert as_dict(read) == {"tea": 60}
    assert "blank in 30 rows. These rows were left out" in said(read)
    kept = ingested(data, answers=USERS | {"nulls": "keep"})
    assert as_dict(kept) == {"(blank)": 30, "tea": 60}


def test_a_blank_name_beside_a_count_is_asked_about_once_for_all(ingested, question, as_dict):
    data = b"item,users\na,5\n,90\nb,3\n ,70\n"
    asked = question(data, r'Row 3, column "item": the item has no name')
    assert (asked.key, asked.answer, asked.suggested, asked.needed) == ("nulls", None, None, True)
    assert "blank in 2 rows" in asked.sentence
    assert as_dict(ingested(data, answers={"nulls": "leave out"})) == {"a": 5, "b": 3}
    summed = ingested(data, answers={"nulls": "keep", "rows": "events"})
    assert as_dict(summed) == {"a": 5, "(blank)": 160, "b": 3}


def test_rows_are_still_named_as_in_the_file_after_some_were_left_out(ingested):
    with pytest.raises(IngestError, match=r"Row 4, .* 501 characters"):
        ingested(b"user,item\nu1,NULL\nu1,a\nu2," + b"x" * 501 + b"\nu3,a\n", answers=USERS)
    with pytest.raises(IngestError, match=r'Row 4, column "users": "x" is not a number'):
        ingested(b"item,users\nNULL,5\na,4\nb,x\n", answers=LEFT_OUT)
    with pytest.raises(IngestError, match="column of items is empty"):
        ingested(b"user,item\nu1,NULL\nu2,NULL\n", answers=USERS | LEFT_OUT)
    with pytest.raises(IngestError, match="column of users is empty"):
        ingested(b"user,item\n,a\n,a\n", answers=USERS)


@pytest.mark.parametrize("word", ["NA", "None", "null", "nan", "-"])
def test_a_name_on_a_public_list_is_never_missing_in_a_table_of_counts(ingested, as_dict, word):
    listed, table = [word, "EMEA", "LATAM"], f"region,users\nEMEA,120\n{word},600\nAPAC,44\n"
    read = ingested(table.encode(), answers={"listed": listed, "rows": "stated"})
    assert as_dict(read) == {word: 600, "EMEA": 120, "LATAM": 0}
