"""Test that cells with several items are detected, asked about and split."""

import pytest

from dptopk.data.ingest import (
    Contribution,
    ReadingSettings,
    UnclearError,
    read_again,
    read_table,
    to_item_counts,
)

TONGUES = ["Python", "SQL", "R", "C#", "Bash/Shell"]


def survey(separator: str, quote: str = '"') -> bytes:
    """Answers of 60 respondents: 1 to 3 of 5 languages, one of them twice in a cell."""
    rows = []
    for person in range(60):
        own = [TONGUES[(person + step) % 5] for step in range(1 + person % 3)]
        own += own[:1] if person == 7 else []
        rows.append(f"{person},{quote}{separator.join(own)}{quote}")
    return "\n".join(["respondent_id,languages", *rows]).encode()


COUNTS = {"Python": 24, "SQL": 24, "R": 24, "C#": 24, "Bash/Shell": 24}


@pytest.mark.parametrize(
    ("separator", "answer"),
    [(";", "semicolon"), ("; ", "semicolon"), ("|", "bar"), (", ", "comma"), (",", "comma")],
)
def test_several_items_in_a_cell_are_asked_about(
    ingested, question, as_dict, said, separator, answer
):
    data = survey(separator)
    asked = question(data, '40 cells of column "languages"')
    assert (asked.key, list(asked.options), asked.suggested) == ("split", [answer, "none"], None)
    read = ingested(data, answers={"split": answer, "rows": "users"})
    assert as_dict(read) == COUNTS
    assert (read.report.rows_read, read.report.rows_kept, read.report.n_users) == (60, 60, 60)
    assert "60 rows became 120 pairs" in said(read)
    whole = ingested(data, answers={"split": "none", "rows": "users"})
    assert separator.join(TONGUES[1:3]) in as_dict(whole)
    table = read_table(data)
    how = ReadingSettings.of(table, (1, None, 0), read, "users")
    assert as_dict(read_again(data, "", how)) == as_dict(read)


def test_two_separators_are_offered_together_and_each_alone(ingested, question, as_dict):
    lines = survey(";").decode().split("\n")
    data = "\n".join(line.replace(";", ", ") if i % 2 else line for i, line in enumerate(lines))
    asked = question(data.encode())
    assert [*asked.options] == ["semicolon+comma", "semicolon", "comma", "none"]
    answers = {"split": "semicolon+comma", "rows": "users"}
    assert as_dict(ingested(data.encode(), answers=answers)) == COUNTS


def test_pieces_take_the_count_of_their_cell_and_blank_ones_are_none(ingested, as_dict):
    data = b"tags;n\na|b;3\nb|;5\nb|a|b;1\nc|a;2\n|;4\n"
    answers = {"split": "bar", "rows": "events", "nulls": "leave out"}
    read = ingested(data, answers=answers)
    assert as_dict(read) == {"a": 6, "b": 9, "c": 2}
    assert (read.report.rows_read, read.report.rows_kept) == (5, 4)


@pytest.mark.parametrize(
    "names",
    [
        ["Paris, France", "Lyon, France", "Nice, France", "Rome, Italy", "Bari, Italy"],
        ["Smith, John", "Smith, Jane", "Doe, John", "Doe, Jane", "Roe, Jane"],
        ["Fever, unspecified", "Pain, unspecified", "Cough, acute", "Pain, acute"],
        ["a/b", "b/a", "a/c", "c/a"],
    ],
)
def test_names_with_commas_are_no_lists(ingested, names):
    rows = [f'{i // 2},"{names[i % len(names)]}"' for i in range(40)]
    data = "\n".join(["user,item", *rows]).encode()
    assert set(ingested(data, answers={"rows": "users"}).counts.items) == set(names)


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize("other", ["It hurts", "Wait, is it just me?"])
def test_options_with_commas_are_asked_about_and_kept_together(
    ingested, question, as_dict, other, times
):
    me = "Me, myself and I"
    cells = [f"{me}, {other}", me, other, f"{me}, {other}"] * times
    rows = [f'{i},"{cell}"' for i, cell in enumerate(cells)]
    data = "\n".join(["respondent_id,reasons", *rows]).encode()
    asked = question(data, "if split, they are 2 different items")
    assert (asked.key, next(iter(asked.options)), asked.suggested) == ("split", "options", None)
    read = ingested(data, answers={"split": "options", "rows": "users"})
    assert as_dict(read) == {me: 3 * times, other: 3 * times}
    apart = ingested(data, answers={"split": "comma", "rows": "users"})
    assert as_dict(apart)["myself and I"] == 3 * times


@pytest.mark.parametrize("one", ["Me", "myself and I, Me", "Wait", "is it just me?"])
def test_what_one_user_parts_is_said_or_parts_nothing_of_a_list(ingested, as_dict, one):
    me, other = "Me, myself and I", "Wait, is it just me?"
    cells = [f"{me}, {other}", me, other, f"{me}, {other}", "Tea, Milk"] * 6
    for listed in ((), (me, other), ("Tea", "Milk", "Me")):
        found = []
        for more in ([], [one], ["Tea"]):
            rows = [f'{i},"{cell}"' for i, cell in enumerate([*cells, *more])]
            data = "\n".join(["respondent_id,reasons", *rows]).encode()
            answers = {"split": "options", "rows": "users", "listed": listed or None}
            found.append(ingested(data, answers=answers))
        kinds = {result.report.contribution for result in found}
        assert kinds == {Contribution.COUNTED if listed else Contribution.ASSUMED}
        if not listed:
            assert "one user can change it for all" in " ".join(found[0].report.changes)
            continue
        before, *after = ({name: as_dict(one)[name] for name in listed} for one in found)
        assert before == {name: 6 if name in ("Tea", "Milk") else 18 for name in listed}
        assert all(0 <= one[name] - before[name] <= 1 for one in after for name in listed)


def test_names_of_a_public_list_are_not_split(ingested):
    cells = ["Tea, green,Milk", "Milk, Tea, green", "Tea, black , Milk, oat", "Tea"] * 9
    rows = [f'{i},"{cell}"' for i, cell in enumerate(cells)]
    data = "\n".join(["respondent_id,drinks", *rows]).encode()
    listed = ["Tea, green", "Tea, black", "Milk, oat", "Milk", "Tea"]
    answers = {"split": "comma", "rows": "users", "listed": listed or None}
    counts = ingested(data, answers=answers).counts
    times = {"Tea, green": 18, "Milk": 18, "Tea, black": 9, "Milk, oat": 9, "Tea": 9}
    assert dict(counts) == times


def test_authors_written_last_first_are_split_at_the_semicolon_only(question):
    people = ["Smith, John", "Doe, Jane", "Roe, Ann", "Poe, Tom"]
    rows = [f'{i},"{people[i % 4]}; {people[(i + 1 + i % 2) % 4]}"' for i in range(24)]
    data = "\n".join(["user,item", *rows]).encode()
    assert [*question(data).options] == ["semicolon", "none"]
    table = read_table(data)
    read = to_item_counts(table, 1, None, user_column=0, split="semicolon", rows="users")
    assert set(read.counts.items) == set(people)


@pytest.mark.parametrize("mark", [";", "|"])
@pytest.mark.parametrize("title", ["tools", "Which tools, if any, do you use?"])
def test_lists_in_the_only_column_are_no_columns(mark, title, as_dict):
    lists = ["excel;word", "excel", "word;r;excel", "r", "excel;r", "word", "excel;word;r"]
    text = "\n".join([title, *lists]).replace(";", mark)
    table = read_table(text.encode(), "survey.csv")
    assert table.columns == (title,)
    split = {";": "semicolon", "|": "bar"}[mark]
    with pytest.raises(UnclearError, match="may hold several items"):
        to_item_counts(table, table.item_column, table.count_column)
    read = to_item_counts(table, 0, None, split=split, rows="stated")
    assert as_dict(read) == {"excel": 5, "word": 4, "r": 4}


def test_titles_above_columns_are_still_told_from_lists():
    table = read_table(b"Sales of May\n\nitem;n\n" + b"tea;5\nmilk;3\nale;2\n" * 3)
    assert (table.columns, table.titles) == (("item", "n"), ("Sales of May",))
