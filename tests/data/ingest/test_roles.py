"""Test that the column of users is proposed, asked for if uncertain, and can be chosen."""

import pickle
from itertools import islice

import pytest

from dptopk.data.ingest import (
    Contribution,
    IngestError,
    ReadingSettings,
    UnclearError,
    read_again,
    read_table,
    to_item_counts,
)


def across(thing):
    """What arrives in another process."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - just written


def log_of(header: str, first: int, digits: int) -> bytes:
    """A log of 300 rows: numbers for users, three items, of which each user has two."""
    rows = (f"{first + i // 2:0{digits}d},{'XYZ'[i % 3]}" for i in range(300))
    return "\n".join([header, *rows]).encode()


@pytest.mark.parametrize(
    "header", ["Fallnummer,diagnosis", "case_nr,dx", "card,klass", "nro,koodi"]
)
def test_numbers_that_name_users_are_never_summed_unasked(
    ingested, question, as_dict, said, header
):
    data = log_of(header, 1_000_001, 7)
    table = read_table(data)
    assert table.identifiers == (0,)
    asked = question(data)
    assert list(asked.options)[:2] == ["users", "items"]  # what looks so is offered first
    assert asked.suggested is None
    column = header.split(",")[0]
    assert f'column "{column}", which looks like identifiers, may name users' in asked.sentence
    read = ingested(data, answers={"rows": "users"})
    assert as_dict(read) == {"X": 100, "Y": 100, "Z": 100}
    assert f'counts are the distinct users of column "{column}"' in said(read)
    assert read.report.contribution.holds


def test_a_word_for_a_patient_is_known_and_asked_about_too(ingested, question, as_dict):
    data = log_of("MRN,diagnosis,ts", 1_000_001, 7).replace(b"X", b"X,7").replace(b"Y", b"Y,7")
    data = data.replace(b"Z", b"Z,7")
    asked = question(data)
    assert (asked.key, asked.suggested) == ("rows", "users")
    assert as_dict(ingested(data, answers={"rows": "users"})) == {"X": 100, "Y": 100, "Z": 100}


@pytest.mark.parametrize("answer", ["users", "items"])
def test_distinct_users_are_not_promised_where_no_column_names_them(ingested, answer):
    """Rows were counted, and it was said that a user changes a count by at most 1."""
    rows = "sort,drug,day\np,a,Monday\nq,b,Monday\np,c,Friday\nr,a,Friday\n"
    with pytest.raises(UnclearError, match="no column is chosen that holds counts or names users"):
        ingested(rows.encode(), answers={"rows": answer})


def test_users_without_a_header_do_not_become_the_items(ingested, question, as_dict):
    data = b"".join(b"%d,%d\n" % (501 + i // 2, 7 + i % 3) for i in range(30))
    asked = question(data)
    assert set(asked.options) == {"users", "items", "stated", "events"}
    assert asked.columns["items"] == (1, None, 0)
    assert as_dict(ingested(data, answers={"rows": "items"})) == {"7": 10, "8": 10, "9": 10}
    words = b"".join(b"u%d,%d\n" % (i // 2, 7 + i % 3) for i in range(30))
    assert as_dict(ingested(words, answers={"rows": "items"})) == {"7": 10, "8": 10, "9": 10}


def test_counts_that_repeat_items_are_summed_when_that_is_said(ingested, question, as_dict, said):
    data = b"page,week,views\nhome,1,30\nhome,2,40\nhelp,1,5\n"
    asked = question(data)
    assert list(asked.options)[:2] == ["stated", "events"]
    assert as_dict(ingested(data, answers={"rows": "events"})) == {"home": 70, "help": 5}
    assert not ingested(data, answers={"rows": "events"}).report.contribution.holds
    assert "you stated that these counts already include" in (
        ingested(data, answers={"rows": "stated"}).report.contribution.sentence
    )


@pytest.mark.parametrize(
    "header",
    ["利用者,商品", "usuario,artículo", "utilisateur,titre", "PatientenID,Diagnose", "a,b"],
)
def test_every_role_can_be_chosen_in_any_language(as_dict, header):
    rows = ["あ,茶", "い,茶", "い,茶", "う,水"]
    table = read_table("\n".join([header, *rows]).encode())
    users, items = header.split(",")
    with pytest.raises(UnclearError):
        to_item_counts(table, items, None)
    for asked in ({"user_column": users, "rows": "users"}, {"rows": "users"}):
        assert as_dict(to_item_counts(table, items, None, **asked)) == {"茶": 2, "水": 1}
    assert as_dict(to_item_counts(table, users, None, rows="items")) == {"茶": 2, "水": 1}


def test_users_may_be_found_beside_columns_that_say_nothing(ingested, as_dict):
    data = b"day,who,what\nmon,ann,tea\nmon,bob,tea\ntue,ann,tea\n"
    table = read_table(data)
    assert "No column holds numbers" in table.problem
    with pytest.raises(IngestError, match="choose"):
        ingested(data)
    with pytest.raises(UnclearError, match="no column is chosen that holds counts or names users"):
        to_item_counts(table, "what", None)
    read = to_item_counts(table, "what", None, user_column="who", rows="users")
    assert as_dict(read) == {"tea": 2}
    assert as_dict(to_item_counts(table, "what", None, rows="events")) == {"tea": 3}


def test_a_log_without_a_header_keeps_its_first_row(as_dict):
    table = read_table(b"u1,tea\nu2,tea\nu1,milk\nu3,milk\nu4,tea\n")
    assert (table.header, table.columns) == (False, ("column 1", "column 2"))
    read = to_item_counts(table, 1, None, user_column=0, rows="users")
    assert as_dict(read) == {"tea": 3, "milk": 2}
    assert read_table(b"user,item\nuser,item\nann,tea\n").header
    assert read_table(b"alpha,beta\nx,y\nx,z\n").header


def test_dates_and_years_do_not_look_like_identifiers():
    rows = "".join(f"i{i % 3},2024010{1 + i % 9},{1990 + i},171000{1000 + i}\n" for i in range(20))
    assert read_table(f"x,a,b,c\n{rows}".encode()).identifiers == ()
    codes = "".join(f"P-{i:04d},{i % 3}\n" for i in range(20))
    assert read_table(f"a,b\n{codes}".encode()).identifiers == (0,)


def test_what_was_answered_is_read_so_again_and_crosses_a_process(ingested, question, as_dict):
    data = log_of("card,klass", 1_000_001, 7)
    asked = question(data)
    assert across(asked) == asked
    with pytest.raises(UnclearError) as caught:
        ingested(data)
    again = across(caught.value)
    assert (str(again), again.questions) == (str(caught.value), caught.value.questions)
    table = read_table(data)
    columns = (table.item_column, table.count_column, table.user_column)
    read = to_item_counts(table, *columns[:2], rows="users")
    how = ReadingSettings.of(table, columns, read, "users")
    assert as_dict(read_again(data, "", how)) == as_dict(read)
    summed = to_item_counts(table, *columns[:2], rows="stated")
    before = ReadingSettings(**{**vars(how), "answers": {}})  # saved before it was asked
    again = read_again(data, "", before)
    assert as_dict(again) == as_dict(summed)
    assert again.report.contribution is Contribution.ASSUMED  # nobody stated it
    assert not again.report.questions


MONTHS = ["Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"]


def test_of_twelve_equal_columns_one_is_asked_for_or_their_sum(ingested, question, as_dict, said):
    rows = [";".join(["Artikel", *MONTHS])]
    rows += [";".join([name, *(str(n + m) for m in range(12))]) for name, n in (("a", 9), ("b", 5))]
    data = "\n".join([*rows, "c" + ";1.200" * 11 + ";"]).encode()
    asked = question(data)
    assert (asked.key, list(asked.options), asked.suggested) == ("several", ["one", "sum"], None)
    assert '12 columns may hold the counts: "Jan", "Feb", "Mär"' in asked.sentence
    table = read_table(data)
    assert (
        as_dict(to_item_counts(table, "Artikel", "Mär", decimal=",", rows="events"))["a"] == 11
    )  # was chosen
    inner = question(data, answers={"several": "sum"})
    assert inner.key == "decimal"
    read = ingested(data, answers={"several": "sum", "decimal": ","})
    assert as_dict(read) == {"a": 12 * 9 + 66, "b": 12 * 5 + 66, "c": 11 * 1200}
    assert 'counts are the sums of 12 columns, "Jan" to "Dez"' in said(read)
    assert "1 blank cell counted as 0." in said(read)
    assert not read.report.contribution.holds  # no promise for a user
    how = ReadingSettings.of(table, (0, 1, None), read, "events")
    assert as_dict(read_again(data, "", how)) == as_dict(read)
    broken = data.replace(b"c;1.200;1.200", b"c;1.200;x")
    with pytest.raises(IngestError, match='Row 4, column "Feb": "x" is not a number'):
        ingested(broken, answers={"several": "sum", "decimal": ","})
    years = b"name,2021,2022,2023\na,5,6,7\nb,3,4,5\n"
    assert question(years).key == "several"
    latest = ingested(years, answers={"several": "one", "rows": "events"})
    assert as_dict(latest) == {"a": 7, "b": 5}
    large = b"sku,name,Q1,Q2,Q3\n10001,a,5123,6123,7123\n10002,b,3123,4123,5123\n"
    assert as_dict(ingested(large, answers={"several": "sum"}))["a"] == 5123 + 6123 + 7123
    amounts = b"name,Q1,Q2,Q3\na,40.5,5.1,7\nb,61.25,6,9.5\n"
    assert question(amounts).key == "several"
    by_chance = b"name,Q1,Q2,Q3\na,40,5,7\nb,60,6,9\n"
    assert read_table(by_chance).alike == (1, 2, 3)  # that Q1 adds up to 100 makes it no share


def log_with(header: str, cell) -> bytes:
    """A log of 120 rows of 40 users, whose other cells are made from the number of the row."""
    return "\n".join([header, *(f"{i % 40},{cell(i)}" for i in range(120))]).encode()


def test_a_question_about_many_rows_reads_the_first_of_them():
    rows = [f'u{i % 40},{["DE", "US"][i % 2]},"lang\n{i % 2}"' for i in range(30_000)]
    table = read_table("\n".join(["Export", "", "user,country,language", *rows]).encode())
    sample = table.beginning()
    assert [*sample.rows()] == [*islice(table.rows(), 10_000)]
    assert sample.cells(2).texts == ["lang\n0", "lang\n1"]
    with pytest.raises(UnclearError) as caught:
        to_item_counts(table, table.item_column, None, user_column=0)
    said = 'column "language": 2 different names in the first 10,000 rows: "lang 0", "lang 1"'
    assert caught.value.questions[-1].options["3"] == said


def test_of_several_columns_that_may_be_the_items_one_is_asked_for(ingested, question, as_dict):
    def cell(i):
        return f"{['DE', 'US', 'JP'][i % 3]},lang{i % 7},0{1 + i % 9}.05.2024,{i}"

    data = log_with("respondent_id,country,language,day,entry", cell)
    asked = question(data)
    assert (asked.key, list(asked.options), asked.suggested) == ("items", ["2", "3"], None)
    assert asked.options["2"] == 'column "country": 3 different names: "DE", "US", "JP"'
    assert '7 different names: "lang0", "lang1", "lang2", …' in asked.options["3"]
    assert asked.columns["3"] == (2, None, 0)  # entry numbers the rows
    for column, n in (("2", 3), ("3", 7)):
        answers = {"items": column, "rows": "users"}
        read = ingested(data, answers=answers)
        assert read.counts.d == n
        table = read_table(data)
        columns = (table.item_column, table.count_column, table.user_column)
        how = ReadingSettings.of(table, columns, read, "users")
        assert as_dict(read_again(data, "", how)) == as_dict(read)
        by_column = to_item_counts(table, int(column) - 1, None, user_column=0, **answers)
        assert as_dict(by_column) == as_dict(read)


def test_lists_of_answers_may_be_the_items_whatever_the_words_of_their_question(question):
    """A question with the word time in it was passed over, and the gender was taken silently."""

    def cell(i):
        return f"{'mfx'[i % 3]},{'tea; rum' if i % 2 else 'rum; tea'}"

    data = log_with("respondent_id,gender,What do you drink in your free time?", cell)
    asked = question(data)
    assert (asked.key, list(asked.options)) == ("items", ["2", "3"])


def test_codes_beside_dates_are_the_items_of_a_log():
    data = log_with("visitor,clinic,date", lambda i: f"{i % 9:03},2026-01-{1 + i % 28:02}")
    table = read_table(data)
    assert (table.item_column, table.count_column, table.user_column) == (1, None, 0)


def test_an_identifier_of_items_is_no_count_and_stands_before_kinds_of_events(question):
    data = log_with("visitorid,event,itemid", lambda i: f"{['view', 'buy'][i % 2]},{1001 + i % 9}")
    table = read_table(data)
    assert (table.item_column, table.count_column, table.user_column) == (2, None, 0)
    assert table.items == ()
    asked = question(data)
    assert 'Items from column "itemid" occur in several rows' in asked.sentence


@pytest.mark.parametrize("user", ["respondent", "id"])
@pytest.mark.parametrize("no_yes", [("0", "1"), ("no", "Yes"), ("", "x"), ("nein", "ja")])
def test_columns_that_say_yes_or_no_are_never_items(ingested, user, no_yes):
    def answers(i):
        return ",".join(no_yes[bit == "1"] for bit in f"{i * 37 % 64:06b}"[2:])

    with pytest.raises(IngestError, match='4 columns say yes or no: "tea", "milk", "ale"'):
        ingested(log_with(f"{user},tea,milk,ale,rum", answers), answers={"rows": "users"})


def test_without_a_header_each_way_round_is_shown_with_names(ingested, question, as_dict):
    data = b"".join(b"user%d@mail.example,Stadt %d\n" % (i % 30, i % 7) for i in range(90))
    asked = question(data)
    assert asked.options["users"].startswith(
        'users are in column "column 1" ("user0@mail.example", "user1@mail.example", '
        '"user2@mail.example", …), items are in column "column 2" ("Stadt 0", "Stadt 1", '
    )
    assert asked.options["items"].startswith('users are in column "column 2" ("Stadt 0"')
    assert asked.suggested is None
    assert ingested(data, answers={"rows": "users"}).counts.d == 7
    assert ingested(data, answers={"rows": "items"}).counts.d == 30


def test_numbers_without_a_header_are_offered_as_a_log_first(ingested, question):
    rows = (
        b"%d\t%d\t%d\t%d\n" % (i % 40, i * i % 61, 1 + i % 5, 874724710 + i) for i in range(400)
    )
    data = b"".join(rows)
    asked = question(data)
    assert (asked.key, list(asked.options)[:2], asked.suggested) == (
        "rows",
        ["users", "items"],
        None,
    )
    assert 'users are in column "column 1"' in asked.options["users"]
    assert ingested(data, answers={"rows": "users"}).counts.d == len(
        {i * i % 61 for i in range(400)}
    )
    assert ingested(data, answers={"rows": "items"}).counts.d == 40


@pytest.mark.parametrize(
    ("header", "cells", "time"),
    [
        ("user,item,timestamp", "2026-01-05T10:00:00Z", 2),
        ("user,item,time", "2026-01-05 10:00", 2),
        ("user,item,date", "2026-01-05", 2),
        ("user,item,created_at", "2026-01-05T10:00:00.123+02:00", 2),
        ("user,item,x", "2026-01-05 10:00:00", 2),  # no word for it, but dates
        ("user,item,price", "17", None),
        ("user,item,time", "10:00", None),  # of a day that is not known
        ("user,item,date", "05.01.2026", 2),
        ("user,item,date", "1/5/2026 9:30 PM", 2),
        ("user,item,date", "05.01.26", None),  # of which any part may be the year
        ("user,item,date of birth", "2001-01-05", None),
        ("user,item,timestamp", "1767600000", None),
    ],
)
def test_the_times_of_events_are_proposed(header, cells, time):
    rows = [f"u{n % 40},i{n % 7},{cells.replace('5', str(n % 9), 1)}" for n in range(90)]
    table = read_table("\n".join([header, *rows]).encode())
    assert table.time_column == time
    assert (table.user_column, table.item_column) == (0, 1)
    assert across(table).time_column == time


def test_of_two_columns_of_times_the_one_named_so_is_proposed():
    rows = [f"u{n % 40},2020-02-1{n % 9},i{n % 7},2026-01-1{n % 9},x" for n in range(90)]
    text = "\n".join(["user,joined,item,timestamp,note", *rows])
    assert read_table(text.encode()).time_column == 3
    assert read_table(text.replace("timestamp", "until").encode()).time_column == 1
    same = "\n".join(["user,item,day", *(f"u{n},i{n % 7},2026-01-05" for n in range(90))])
    assert read_table(same.encode()).time_column is None  # of one period there is no series


def test_a_number_of_each_row_is_no_count():
    rows = [f"{100_000 + i},m{i % 9},t{i % 4}" for i in range(40)]
    table = read_table("\n".join(["loan_no,member,title", *rows]).encode(), "loans.csv")
    assert table.count_column is None
    ranked = [f"{i + 1},t{i},{900 - 7 * i * i}" for i in range(9)]
    table = read_table("\n".join(["no,title,loans", *ranked]).encode(), "ranks.csv")
    assert (table.item_column, table.count_column) == (1, 2)
