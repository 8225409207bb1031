"""Test which columns are guessed, and how a guess is overridden."""

import pandas as pd
import pytest

from dptopk.data.ingest import (
    IngestError,
    UnclearError,
    proposed_counts,
    read_table,
    to_item_counts,
)


@pytest.mark.parametrize(
    ("text", "item", "count", "header"),
    [
        ("item,count\na,5\nb,3\n", "item", "count", True),
        ("a,5\nb,3\n", "column 1", "column 2", False),
        ("5,a\n3,b\n", "column 2", "column 1", False),
        ("a,b\n5,3\n7,4\n", "a", "b", True),
        (",name,votes\n0,a,5\n1,b,3\n2,c,9\n", "name", "votes", True),
        ("0,a,5\n1,b,3\n2,c,9\n", "column 2", "column 3", False),
        ("id,title,year,ratings_count\n7,a,1999,5\n9,b,2001,3\n", "title", "ratings_count", True),
        ("ratingsCount,isbn,title\n5,111,a\n3,222,b\n", "title", "ratingsCount", True),
        ("product,price,purchases\na,9.99,5\nb,1.50,3\n", "product", "purchases", True),
        ("movieId,views\n7,5\n9,3\n", "movieId", "views", True),
        ("name,2023,2024\na,5,6\nb,3,4\n", "name", "2024", True),
        ("species,country,n_users\nowl,FR,5\nfox,FR,3\n", "species", "n_users", True),
        ("name,count,count\na,5,6\nb,3,4\n", "name", "count (column 2)", True),
        ("Titel;Ausleihen;Anteil\na;1900,0;60,5\nb;1200,0;39,5\n", "Titel", "Ausleihen", True),
        ("name,loans,part\na,30,60\nb,20,40\n", "name", "loans", True),
        ("name,part,loans\na,60,30\nb,40,20\n", "name", "loans", True),
        ("name,part,loans\na,60.5,30.0\nb,41.2,20.0\n", "name", "loans", True),
        ("name,loans,returns\na,30,29\nb,20,18\n", "name", "loans", True),
        ("name,votes %,votes\na,60,30\nb,41,20\n", "name", "votes", True),
        ("7,a,30,3\n9,b,20,1\n", "column 2", "column 3", False),
        ("7,30\n9,20\n", "column 1", "column 2", False),
        ("name,likes\na,5\nb,3\n", "name", "likes", True),
        ("count\n5\n3\n", None, "count", True),
        ("5\n3\n", None, "column 1", False),
        ("day;what;n\n01.02.2024;a;5\n02.02.2024;b;3\n03.02.2024;b;1\n", "what", "n", True),
    ],
)
def test_guesses(text, item, count, header):
    table = read_table(text.encode())
    assert table.header is header
    assert table.columns[table.count_column] == count
    assert (None if table.item_column is None else table.columns[table.item_column]) == item


@pytest.mark.parametrize(
    ("text", "item", "count", "user"),
    [
        ("user,item\n1,20\n1,30\n", "item", None, "user"),
        ("userId,movieId,rating\n1,31,2.5\n1,1029,3.0\n", "movieId", None, "userId"),
        ("user,item\nann,apple\nbob,pear\n", "item", None, "user"),
        ("user,sku\n1,20\n1,30\n", "sku", None, "user"),
        ("Patienten-Nr.;Präparat\nP1;tea\nP1;rum\nP2;tea\n", "Präparat", None, "Patienten-Nr."),
        ("Kundennr;Artikel;Menge\n7;tea;1\n7;rum;2\n8;tea;1\n", "Artikel", "Menge", "Kundennr"),
        ("TeilnehmerID;Kurs\n7;tea\n7;rum\n8;tea\n", "Kurs", None, "TeilnehmerID"),
        ("Mitgliedsnummer;Kurs\n7;tea\n7;rum\n8;tea\n", "Kurs", None, "Mitgliedsnummer"),
        ("E-Mail;Kurs\nann;tea\nann;rum\nbob;tea\n", "Kurs", None, "E-Mail"),
        ("timestamp,user_id,item,qty\n9,1,pen,3\n9,2,pen,1\n", "item", "qty", "user_id"),
        ("date,customer,what,qty\n1/5,ann,pen,3\n2/5,bob,pen,1\n", "what", "qty", "customer"),
        ("user,posts\nann,5\nbob,3\n", "user", "posts", None),
        ("customer,orders\nann,5\nann,3\n", "customer", "orders", None),
        ("item,users\na,5\nb,3\n", "item", "users", None),
    ],
)
def test_columns_of_users_are_guessed(text, item, count, user):
    table = read_table(text.encode())
    places = (table.item_column, table.count_column, table.user_column)
    found = [None if place is None else table.columns[place] for place in places]
    assert found == [item, count, user]


def test_a_list_without_a_known_column_of_users_is_asked_about(ingested, as_dict):
    data = b"date,movieId\n1,31\n2,31\n"
    assert (
        "in a list of users and items, the column that names the users" in read_table(data).problem
    )
    with pytest.raises(UnclearError, match=r'column "movieId", and column "date" may name users'):
        ingested(data)
    assert as_dict(ingested(data, answers={"rows": "users"})) == {"31": 2}


@pytest.mark.parametrize("header", ["year", "zip code", "phone", "age", "rank", "score", "percent"])
def test_whole_numbers_that_are_named_otherwise_are_not_taken_for_counts(header, as_dict):
    table = read_table(f"name,{header}\na,1979\nb,1995\n".encode())
    with pytest.raises(IngestError, match=f'No column looks like counts .*"{header}"'):
        to_item_counts(table, table.item_column, table.count_column)
    with pytest.raises(UnclearError, match="may count something else than users"):
        to_item_counts(table, "name", header)  # whoever chooses it has not said what it counts
    read = to_item_counts(table, "name", header, rows="events")
    assert as_dict(read) == {"a": 1979, "b": 1995}


def test_of_two_columns_of_counts_it_is_asked_which_unless_a_script_says(as_dict):
    table = read_table(b"page,visits,unique visitors\na,5,3\nb,4,2\n")
    guessed = (table.item_column, table.count_column, table.user_column)
    with pytest.raises(UnclearError, match='"visits", "unique visitors": say which') as raised:
        proposed_counts(table, guessed, {})
    assert [question.key for question in raised.value.questions] == ["several"]
    one = proposed_counts(table, guessed, {"several": "one"})
    assert as_dict(one) == {"a": 3, "b": 2}  # people come before what one of them has several of
    assert as_dict(proposed_counts(table, guessed, {"several": "sum"})) == {"a": 8, "b": 6}
    assert as_dict(proposed_counts(table, (0, 1, None), {"rows": "events"})) == {"a": 5, "b": 4}
    visits = to_item_counts(table, "page", "visits", rows="events")
    assert as_dict(visits) == {"a": 5, "b": 4}


def test_numbers_of_thousands_of_digits_are_no_numbers_of_rows():
    rows = "".join(f"a{i},{'9' * 5_000}\n" for i in range(6))
    table = read_table(f"item,price\n{rows}".encode())
    assert (table.item_column, table.count_column) == (0, None)


def test_guesses_can_be_overruled(as_dict):
    data = b"name,n 1,n 2\na,5,6\nb,3,4\n"
    table = read_table(data)
    assert as_dict(to_item_counts(table, 0, 1)) == {"a": 5, "b": 3}
    assert as_dict(to_item_counts(table, "name", "n 2")) == {"a": 6, "b": 4}
    assert as_dict(to_item_counts(table, None, 2)) == {"item 1": 6, "item 2": 4}
    assert as_dict(to_item_counts(table, 1, 2)) == {"5": 6, "3": 4}
    with pytest.raises(IngestError, match='both read from column "n 1"'):
        to_item_counts(table, 1, 1)
    with pytest.raises(IngestError, match="There is no column 'third': choose one of \"name\""):
        to_item_counts(table, 0, "third")
    with pytest.raises(IngestError, match="There is no column 3"):
        to_item_counts(table, 0, 3)
    with pytest.raises(IngestError, match='Row 2, column "name": "a" is not a number'):
        to_item_counts(table, 1, 0)


def test_header_and_delimiter_can_be_overruled(ingested, as_dict):
    assert as_dict(ingested(b"item,5\nb,3\n", header=False)) == {"item": 5, "b": 3}
    assert as_dict(ingested(b"a,5\nb,3\n", header=True, answers={"rows": "stated"})) == {"b": 3}
    assert as_dict(ingested(b"a;x,5\nb;y,3\n", delimiter=",")) == {"a;x": 5, "b;y": 3}
    with pytest.raises(ValueError, match="delimiter must be one of"):
        read_table(b"a 5\n", delimiter=" ")


def test_the_raw_table():
    table = read_table(b"item,count\n\na,5\n" + b"b" * 300 + b",3\n", "C:\\my data\\x.CSV")
    assert table.columns == ("item", "count")
    assert table.n_rows == 2
    assert table.preview == (("a", "5"), ("b" * 79 + "…", "3"))
    assert (table.delimiter, table.encoding) == (",", "UTF-8")
    assert "bbb" not in repr(table).replace("b" * 79, "")
    assert to_item_counts(table, 0, 1).counts.name == "x"
    assert to_item_counts(table, 0, 1, "mine").counts.name == "mine"


def test_digests_tell_files_apart():
    digests = {
        read_table(b"item,5\nb,3\n").digest,
        read_table(b"item,5\nb,4\n").digest,
        read_table(b"item,5\nb,3\n", header=False).digest,
        read_table(b"item,5\nb,3\n", "other name.csv").digest,
    }
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("filename", "title"),
    [
        ("sales_2024-05.csv", "sales 2024-05"),
        ("Downloads/Q1 (final).XLSX", "Q1 final"),
        ("C:\\data\\log.csv.gz", "log"),
        ("[x](https://example.com).csv", "example.com"),
        ("**bold** $x$ `y` <b>.tsv", "bold x y b"),
        ("\u202egpj.csv", "U 202E gpj"),
        ("x" * 300 + ".csv", "x" * 59 + "…"),
        ("...", "uploaded"),
        ("", "uploaded"),
    ],
)
def test_the_name_of_the_file_is_the_title_in_plain_text(ingested, filename, title):
    assert ingested(b"item,count\na,5\nb,3\n", filename).counts.name == title


def test_counts_that_pandas_called_0_have_a_header():
    log = pd.DataFrame({"drug": ["b", "a", "b", "c"], "ward": ["x", "y", "x", "y"]})
    for keys in (["drug"], ["drug", "ward"]):
        text = log.groupby(keys).size().reset_index().to_csv(index=False)
        table = read_table(text.encode())
        assert (table.header, table.columns) == (True, (*keys, "0"))
    with pytest.raises(UnclearError, match='Column "0" may count something else than users'):
        to_item_counts(table, "drug", "0")
    for others in (b"a,1\nb,2\n", b"a,3\nb,0\n", b"a,x\n"):  # 0 may be the count of an item
        assert not read_table(b"none,0\n" + others).header
