"""Test tables with a column of yes and no for each item."""

import pytest

from dptopk.data.ingest import (
    Contribution,
    IngestError,
    ReadingSettings,
    UnclearError,
    header_of_counts,
    read_table,
    to_item_counts,
    unit_of,
)

ITEMS = ("tea", "milk", "ale")
SAID = [(1, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 0)]
WORDS = {
    "ones": ("1", "0"),
    "words": ("Yes", "No"),
    "other language": ("ja", "nein"),
    "crosses": ("x", ""),
    "truth": ("TRUE", "FALSE"),
}


def survey(yes, no, users=("ann", "bob", "eve", "dan", "kim")):
    """A table of who likes tea, milk and ale."""
    rows = ["respondent,tea,milk,ale"]
    for user, answers in zip(users, SAID, strict=True):
        rows.append(",".join([user, *(yes if said else no for said in answers)]))
    return "\n".join(rows).encode()


def read(content, **given):
    table = read_table(content, "survey.csv")
    return to_item_counts(table, table.item_column, table.count_column, **given)


def survey_question(content, words=None):
    with pytest.raises(UnclearError, match=words) as asked:
        read(content)
    return asked.value.questions[-1]


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_who_says_yes_is_counted_once_that_is_confirmed(words, as_dict):
    content = survey(*words)
    asked = survey_question(content, "say whether each of them is an item")
    assert (asked.key, [*asked.options], asked.suggested) == ("survey", ["yes", "no"], None)
    result = read(content, survey="yes")
    assert as_dict(result) == {"tea": 4, "milk": 3, "ale": 1}
    assert result.report.contribution is Contribution.ASSUMED
    assert "where one user can change it for all" in " ".join(result.report.changes)
    assert (result.report.rows_read, result.report.rows_kept) == (5, 5)
    table = read_table(content, "survey.csv")
    other = to_item_counts(table, "tea", None, survey="no", rows="stated", nulls="leave out")
    assert as_dict(other)[words[0]] == 4


def test_the_name_of_an_item_may_be_its_yes(as_dict):
    rows = [",".join(ITEMS)]
    for answers in SAID:
        rows.append(",".join(n if said else "" for n, said in zip(ITEMS, answers, strict=True)))
    result = read("\n".join(rows).encode(), survey="yes")
    assert as_dict(result) == {"tea": 4, "milk": 3, "ale": 1}


def test_columns_that_each_say_an_option_of_their_own_are_named_by_it(as_dict):
    rows = ["who,Q1_0,Q1_1,Q1_2"]
    for user, answers in zip("abcde", SAID, strict=True):
        said = (n.title() if said else "" for n, said in zip(ITEMS, answers, strict=True))
        rows.append(",".join([user, *said]))
    content = "\n".join(rows).encode()
    result = read(content, survey="yes")
    assert as_dict(result) == {"Tea": 4, "Milk": 3, "Ale": 1}
    assert any(one.startswith("Items are what is said in") for one in result.report.changes)
    listed = read(content, survey="yes", listed=["Tea", "Ale"])
    assert as_dict(listed) == {"Ale": 1, "Tea": 4}
    for wrong, told in (("Q1_0", "No cell below a listed heading"), ("Gin", "Neither headings")):
        with pytest.raises(IngestError, match=told):
            read(content, survey="yes", listed=[wrong])
    one_word = content.replace(b"Tea", b"picked").replace(b"Milk", b"picked")
    assert as_dict(read(one_word, survey="yes")) == {"Q1_0": 4, "Q1_1": 3, "Q1_2": 1}


def test_a_user_in_two_rows_counts_once(as_dict):
    users = ("ann", "ann", "eve", "dan", "ann")
    table = read_table(survey("1", "0", users), "survey.csv")
    result = to_item_counts(table, 1, None, user_column="respondent", survey="yes")
    assert as_dict(result) == {"tea": 2, "milk": 2, "ale": 1}


def test_that_each_row_is_a_user_is_stated_and_a_column_that_may_name_them_is_named(as_dict):
    rows = [f"{i % 3},{','.join(map(str, said))}" for i, said in enumerate(SAID)]
    content = "\n".join(["id,tea,milk,ale", *rows]).encode()
    named = 'Column "id" holds 3 different names in 5 rows: if they are of users'
    assert "each row is a user" in survey_question(content, named).options["yes"]
    result = read(content, survey="yes")
    assert result.report.contribution is Contribution.ASSUMED
    listed = read(content, survey="yes", listed=ITEMS)
    assert listed.report.contribution is Contribution.STATED
    assert any(named in one for one in result.report.changes)
    assert as_dict(read(content, survey="yes", max_items=1)) != as_dict(result)
    header = header_of_counts(read_table(content, "survey.csv"), 2, result.report)
    assert unit_of(header, result.report.contribution) == "users"
    counted = read(content, survey="yes", user_column="id")
    assert counted.report.contribution is Contribution.ASSUMED
    listed = read(content, survey="yes", user_column="id", listed=ITEMS)
    assert listed.report.contribution is Contribution.COUNTED
    assert (as_dict(result)["tea"], as_dict(counted)["tea"]) == (4, 2)


def test_an_item_that_all_or_none_want_is_one_too_and_other_columns_are_named(as_dict):
    rows = ["tea,milk,ale,rum,gin,age"]
    rows += [f"{','.join(map(str, said))},0,1,{20 + i}" for i, said in enumerate(SAID)]
    result = read("\n".join(rows).encode(), survey="yes")
    assert as_dict(result) == {"tea": 4, "milk": 3, "ale": 1, "rum": 0, "gin": 5}
    said = 'Not items, as they say more than yes, no and few other words: "age".'
    assert said in result.report.changes


def test_missing_answers_are_no_yes_and_missing_users_nobody(as_dict):
    content = b"user,tea,milk,ale\nann,yes,no,yes\n,yes,yes,no\nbob,NA,yes,no\nkim,no,,yes\n"
    table = read_table(content, "survey.csv")
    result = to_item_counts(table, 1, None, user_column=0, survey="yes")
    assert as_dict(result) == {"tea": 1, "milk": 1, "ale": 2}
    assert "1 row without a user was left out." in result.report.changes


def test_a_bound_keeps_some_of_the_items_of_a_user(as_dict):
    free, bound = (read(survey("1", "0"), survey="yes", max_items=most) for most in (None, 1))
    assert free.report.items_of_users.sizes == (1, 2)
    assert sum(as_dict(free).values()) == 8
    assert sum(as_dict(bound).values()) == 5
    assert [*as_dict(bound)] == [*ITEMS]


@pytest.mark.parametrize(
    ("users", "given", "tea"),
    [
        (("1", "1.0", "2", "3", "3.0"), {}, 2),
        (("a@b.org", "A@b.org", "c@d.org", "e@f.org", "e@f.org"), {}, 3),
        (("a@b.org", "A@b.org", "c@d.org", "e@f.org", "e@f.org"), {"users_alike": "merge"}, 2),
        (("ann", " ann", "eve", "dan", "ann "), {}, 2),
    ],
)
def test_users_are_those_of_a_log(users, given, tea, as_dict):
    table = read_table(survey("1", "0", users), "survey.csv")
    result = to_item_counts(table, 1, None, user_column="respondent", survey="yes", **given)
    log = [
        f"{user},{item}"
        for user, answers in zip(users, SAID, strict=True)
        for item, yes in zip(ITEMS, answers, strict=True)
        if yes
    ]
    same = to_item_counts(
        read_table("\n".join(["user,item", *log]).encode(), "log.csv"),
        "item",
        None,
        user_column="user",
        rows="users",
        **given,
    )
    assert as_dict(result) == as_dict(same)
    assert as_dict(result)["tea"] == tea


def test_the_heading_of_an_item_may_be_a_word_for_a_missing_value(as_dict):
    content = survey("1", "0").replace(b"tea", b"NA")
    assert as_dict(read(content, survey="yes")) == {"NA": 4, "milk": 3, "ale": 1}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize(
    "remarks", [("good", "", "bad", "good", "so so"), ("a", "b", "c", "d", "Total")]
)
def test_remarks_beside_the_answers_hide_no_survey(words, remarks, as_dict):
    head, *rows = survey(*words).decode().splitlines()
    content = "\n".join(
        [f"{head},Anything else?"]
        + [f"{row},{remark}" for row, remark in zip(rows, remarks, strict=True)]
    ).encode()
    assert survey_question(content).key == "survey"
    result = read(content, survey="yes")
    assert as_dict(result) == {"tea": 4, "milk": 3, "ale": 1}
    assert '"Anything else?".' in " ".join(result.report.changes)


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_two_columns_one_of_which_would_be_read_are_asked_about(words, as_dict):
    rows = [f"u{i},{words[i % 2]},{words[i % 3 > 0]}" for i in range(12)]
    content = "\n".join(["user,tea,jam", *rows]).encode()
    assert 'each name in column "user" is a user' in survey_question(content).options["yes"]
    assert as_dict(read(content, survey="yes")) == {"tea": 6, "jam": 4}
    answers = {"user_column": 0, "survey": "no", "rows": "users", "nulls": "keep"}
    one = to_item_counts(read_table(content), "tea", None, **answers)
    assert as_dict(one)[words[0]] == 6


def test_flags_of_events_are_no_survey(question):
    rows = ["user,item,new,mobile,paid,repeated"]
    said = ("no", "yes")
    rows += [
        f"u{i % 7},i{i % 5},{said[i % 2]},{said[i // 2 % 2]},{said[i // 3 % 2]},{said[i % 2]}"
        for i in range(60)
    ]
    assert question("\n".join(rows).encode()).key != "survey"


def test_an_item_that_nobody_crossed_counts_0(as_dict):
    content = b"respondent,Maps,DVDs,Fax\nann,x,x,\nbob,,x,\neve,x,,\n"
    assert as_dict(read(content, survey="yes")) == {"Maps": 2, "DVDs": 2, "Fax": 0}


@pytest.mark.parametrize("heading", ["resp_id", "Befragte", "Nr."])
def test_the_first_codes_beside_the_answers_name_the_users(heading, as_dict):
    rows = ["7,34,1,0,0", "7.0,34,1,0,1", "8,20,1,1,0", "9,40,0,1,0", "10,30,1,0,0", "11,30,1,0,0"]
    content = "\n".join([f"{heading},age,wifi,printer,fax", *rows, "Total,,5,2,1"]).encode()
    survey_question(content, f'each name in column "{heading}" a user')
    result = read(content, survey="yes")
    assert as_dict(result) == {"wifi": 4, "printer": 2, "fax": 1}
    assert "The last row was left out: it is a total." in result.report.changes


def test_ages_and_dates_name_no_users():
    for heading, cell in (("age", "{}"), ("asked", "2024-01-1{}")):
        rows = [f"{cell.format(i)},{i % 2},{i // 2 % 2},{i // 4 % 2}" for i in range(8)]
        content = "\n".join([f"{heading},a,b,c", *rows]).encode()
        assert "each row is a user" in survey_question(content).options["yes"]


def test_an_item_with_few_other_answers_is_named_in_the_question_and_counted(as_dict):
    said = ["yes", "no", "yes", "don't know", *["yes", "no"] * 20]
    rows = [f"u{i},{one},yes,no,{'yes' if i % 2 else 'no'}" for i, one in enumerate(said)]
    content = "\n".join(["respondent,Novels,Maps,DVDs,Fax", *rows]).encode()
    assert '"Novels" also said "don\'t know": no answer' in survey_question(content).sentence
    assert as_dict(read(content, survey="yes"))["Novels"] == 22


DOUBTS = ("don't know", "weiß nicht", "k.A.", "9", "99")


@pytest.mark.parametrize("doubt", DOUBTS)
@pytest.mark.parametrize("words", [("yes", "no"), ("1", "0"), ("ja", "nein")])
def test_a_survey_in_which_every_item_has_a_third_answer_is_asked_about(words, doubt, as_dict):
    """A third of the answers may be so: the item that most want would be left out."""
    yes, no = words
    said = [(yes, doubt, doubt), (yes, yes, no), (doubt, yes, no), (yes, no, doubt), (no, no, yes)]
    rows = [f"u{i},{','.join(answers)}" for i, answers in enumerate(said)]
    content = "\n".join(["respondent,tea,milk,ale", *rows]).encode()
    asked = survey_question(content)
    assert asked.key == "survey"
    assert f'count who says "{yes}"' in asked.options["yes"]
    result = read(content, survey="yes")
    assert as_dict(result) == {"tea": 3, "milk": 2, "ale": 1}
    assert f'also said "{doubt}": read as no answer.' in " ".join(result.report.changes)


def test_a_remark_of_one_word_and_numbers_are_no_items(as_dict):
    rows = ["R1,yes,no,Wine,0,", "R2,yes,no,Wine,1,x", "R3,no,yes,,2,x", "R4,no,yes,Wine,1,x"]
    content = "\n".join(["respondent,Tea,Coffee,Drink,Children,Newsletter", *rows]).encode()
    result = read(content, survey="yes")
    assert as_dict(result) == {"Tea": 2, "Coffee": 2, "Newsletter": 3}
    assert '"Drink", "Children".' in " ".join(result.report.changes)


def test_the_column_of_users_is_no_item_though_its_heading_is_listed(as_dict):
    listed = ["tea", "respondent"]
    result = read(survey("yes", "no"), survey="yes", user_column="respondent", listed=listed)
    assert as_dict(result) == {"tea": 4, "respondent": 0}


def test_the_heading_of_an_item_may_be_a_no(as_dict):
    content = survey("yes", "no").replace(b"milk", b"NO")
    listed = read(content, survey="yes", listed=["tea", "NO"])
    assert as_dict(listed) == {"tea": 4, "NO": 3}


@pytest.mark.parametrize("rows", [["u,7,8.0", "a,1,0", "b,1,1"], ["u,x,y", "a,7,", "b,7.0,8.0"]])
@pytest.mark.parametrize("listed", [("7.0", "8"), ("7", "8.0")])
def test_whole_numbers_in_headings_and_cells_are_those_of_the_list(rows, listed, as_dict):
    table = read_table("\n".join(rows).encode(), "survey.csv", header=True)
    found = to_item_counts(table, None, None, user_column="u", survey="yes", listed=listed)
    assert as_dict(found) == dict(zip(listed, (2, 1), strict=True))


def test_a_long_heading_is_the_item_of_the_list_and_is_cut_only_where_it_is_shown(as_dict):
    long = "How often " * 40 + "tea"
    for heading in (long, f'"{long}"', f" {long} "):
        content = survey("yes", "no").replace(b"milk", heading.encode())
        found = read(content, survey="yes", listed=[long, "ale"])
        assert as_dict(found) == {long: 3, "ale": 1}
        assert long not in " ".join(found.report.sentences)
    table = read_table(content.replace(b",yes", b",7").replace(b",no", b",2"), "survey.csv")
    assert dict(to_item_counts(table, "tea", long, rows="stated").counts) == {"7": 18, "2": 7}
    with pytest.raises(IngestError, match='"How often How often How often How often…", "ale"'):
        to_item_counts(table, "rum", None)


def test_who_wants_nothing_is_told_and_a_file_without_answers_is_no_survey():
    result = read(survey("1", "0").replace(b"bob,1,0,0", b"bob,0,0,0"), survey="yes")
    assert "1 row said yes to no item." in result.report.changes
    assert "Left out" not in " ".join(result.report.sentences)
    with pytest.raises(IngestError, match="No column says yes and no"):
        read(b"respondent,tea,ale\nann,1,2\nbob,2,2\neve,2,1\n", survey="yes")


EVERY = ("Tea", "Ale", "Rum")


def of_60(yes, no, head="id,Tea,Ale,Rum"):
    """A table of 60 users of whom 30 want tea, 40 ale and 48 rum; yes and no are of each item."""
    said = [*zip((2, 3, 5), yes, no, strict=True)]
    rows = [[f"u{n}", *(y if n % m else o for m, y, o in said)] for n in range(60)]
    return [head, *map(",".join, rows)]


BLANK = ["", "", ""]
NUMBERS = of_60("111", "000")
SAME = of_60(EVERY, BLANK, "id,q1,q2,q3,q4")
SAME = [SAME[0], *(f"{row}," for row in SAME[1:])]
THREE_MORE = of_60(["yes"] * 3, ["no"] * 3)
for n, word in ((2, "dk"), (4, "ref"), (6, "soft")):
    THREE_MORE[n - 1] = THREE_MORE[n - 1].replace("no", word, 1)


@pytest.mark.parametrize("listed", [True, False], ids=["list", "no list"])
@pytest.mark.parametrize(
    ("rows", "more"),
    [
        (NUMBERS, "eve,2,0,0"),
        (NUMBERS, "eve,1.0,0,0"),
        (NUMBERS, "eve,perhaps,,-1"),
        (THREE_MORE, "eve,perhaps,no,no"),
        (SAME, "eve,Teas,,,"),
        (SAME, "eve,yes,,,"),
        (SAME, "eve,tea,,,"),
        (SAME, "eve,,,,x"),
        (SAME, "eve,,,,Tea"),
        (of_60("xxx", BLANK), "eve,yes,,"),
        (of_60(EVERY, BLANK), "eve,tee,,"),
        (of_60(["yes"] * 3, ["no"] * 3), "No,no,no,no"),
        ([*NUMBERS, "Total,1,0,0"], "eve,0,0,0"),
    ],
)
def test_what_one_user_says_changes_no_answer_of_the_others(rows, more, listed, as_dict):
    """With a list it changes counts by 1 at most; without, that more may change is said."""
    given = {"survey": "yes", "user_column": "id", "listed": EVERY if listed else None}
    both = []
    for lines in (rows, [*rows, more]):
        table = read_table("\n".join(lines).encode(), "survey.csv", header=True)
        both.append(to_item_counts(table, None, None, **given))
    kinds = {result.report.contribution for result in both}
    assert kinds == {Contribution.COUNTED if listed else Contribution.ASSUMED}
    if listed:
        one, other = map(as_dict, both)
        assert {*one} == {*other} == {*EVERY}
        assert (one["Ale"], one["Rum"]) == (40, 48)
        assert all(0 <= other[name] - one[name] <= 1 for name in EVERY)


def test_a_bound_that_is_set_later_is_said_beside_rows_that_say_nothing():
    content = survey("1", "0").replace(b"bob,1,0,0", b"bob,0,0,0")
    for listed in (None, ["tea", "gin"], ["tea", "milk", "gin"]):
        given = {"survey": "yes", "user_column": "respondent", "listed": listed}
        cut, later = read(content, max_items=1, **given), read(content, **given).bounded(1)
        assert (cut.counts, cut.report.changes) == (later.counts, later.report.changes)


def test_who_the_users_are_is_assumed_where_all_names_decide_it(as_dict):
    rows = [*NUMBERS, *(f"u{n},1,0,1" for n in range(6))]
    both = []
    for lines in (rows, [*rows, "eve smith,0,0,0"]):
        table = read_table("\n".join(lines).encode(), "survey.csv", header=True)
        both.append(to_item_counts(table, None, None, survey="yes", listed=EVERY))
    kinds = [result.report.contribution for result in both]
    assert kinds == [Contribution.ASSUMED, Contribution.STATED]  # neither is called counted
    assert as_dict(both[1]) == {"Tea": 36, "Ale": 40, "Rum": 54}


def test_users_of_a_survey_are_counted_once_with_a_list_too():
    """Only without one the column that names them was found, and rows were counted with it."""
    rows = [f"p{n},{n % 2},{int(n % 3 > 0)}" for n in [*range(60), *range(20)]]
    table = read_table("\n".join(["id,tea,ale", *rows]).encode(), "survey.csv")
    found = to_item_counts(table, None, None, survey="yes")
    listed = to_item_counts(table, None, None, survey="yes", listed=("tea", "ale"))
    named = to_item_counts(table, None, None, user_column="id", survey="yes", listed=("tea", "ale"))
    assert dict(found.counts) == dict(listed.counts) == dict(named.counts) == {"ale": 40, "tea": 30}
    kinds = [one.report.contribution for one in (found, listed, named)]
    assert kinds == [Contribution.ASSUMED, Contribution.ASSUMED, Contribution.COUNTED]
    saved = ReadingSettings.of(table, (None, None, None), found, "users")
    assert saved.columns == (None, None, 0)


def test_columns_that_an_odd_answer_makes_no_items_are_named_in_the_question():
    rows = [f"p{n},{n % 2},{int(n % 3 > 0)},1,{2 if n == 5 else n % 2}" for n in range(60)]
    content = "\n".join(["id,tea,rum,gin,ale", *rows]).encode()
    asked = survey_question(content)
    assert asked.sentence.endswith('Others say more or nothing: "ale".')


def test_who_wants_another_column_than_answers_is_offered_the_users_of_the_survey(as_dict):
    """That no column names users was said of a survey whose users had just been named."""
    rows = [
        f"{n},{('yes', 'no')[n % 2]},{('no', 'yes')[n % 3 > 0]},{'ABC'[n % 3]}" for n in range(9)
    ]
    content = "\n".join(["sheet,tea,milk,clinic", *rows]).encode()
    table = read_table(content, "survey.csv")
    given = {"survey": "no", "nulls": "keep"}
    with pytest.raises(UnclearError, match='column "sheet" may name users') as asked:
        to_item_counts(table, "clinic", None, **given)
    assert [*asked.value.questions[-1].options][:2] == ["users", "items"]
    counted = to_item_counts(table, "clinic", None, **given, rows="users")
    assert as_dict(counted) == {"A": 3, "B": 3, "C": 3}
    assert counted.report.contribution is Contribution.COUNTED
