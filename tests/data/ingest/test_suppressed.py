"""Test counts that a publisher suppressed, such as <5: asked about, never guessed."""

import pytest

from dptopk.data.ingest import IngestError, UnclearError, read_table, to_item_counts
from dptopk.data.ingest._numbers import is_suppressed

TABLE = b"diagnosis,patients\nflu,1204\nmeasles,<5\nasthma,817\npolio,<5\n"


def test_suppressed_counts_are_asked_about(question):
    asked = question(TABLE, "leave these rows out, or read each as a number")
    assert (asked.key, asked.answer, asked.suggested) == ("suppressed", None, None)
    assert asked.sentence == 'Counts are suppressed in "patients": "<5" in 2 rows.'
    assert list(asked.options) == ["leave out", "0", "4"]


@pytest.mark.parametrize(
    ("answer", "counts", "done"),
    [
        ("leave out", {}, "These rows were left out"),
        ("0", {"measles": 0, "polio": 0}, "Each was read as 0"),
        ("3", {"measles": 3, "polio": 3}, "Each was read as 3"),
    ],
)
def test_suppressed_counts_are_read_as_answered(ingested, as_dict, said, answer, counts, done):
    read = ingested(TABLE, answers={"suppressed": answer})
    assert as_dict(read) == {"flu": 1204, "asthma": 817} | counts
    assert f'"<5" in 2 rows. {done}. One user can decide whether a count is' in said(read)
    assert not read.report.contribution.holds
    left_out = 'Left out: 2 rows. Counts are suppressed in "patients"' in " ".join(
        read.confirmation
    )
    assert left_out == (answer == "leave out")


@pytest.mark.parametrize(
    ("mark", "largest"),
    [
        *(("<5", 4), ("< 5", 4), ("<=5", 5), ("≤ 5", 5), ("less than 10", 9), ("<1,000", None)),
        *(("1-9", 9), ("1–4", 4), ("0 - 4", 4), ("≥10", None), (">=10", None), (">1,000", None)),
        *(("100+", None), ("*", None), ("***", None), ("[c]", None), ("(D)", None), ("..", None)),
        *(("...", None), (":", None), ("x", None), ("–", None), ("/", None), ("geheim", None)),
    ],
)
def test_marks_of_suppressed_counts(ingested, question, as_dict, mark, largest):
    data = f'item,users\na,"{mark}"\nb,70\nc,"{mark}"\n'.encode()
    numbers = [answer for answer in question(data).options if answer.isdigit()]
    assert numbers == ["0"] + [str(largest)] * (largest is not None)
    assert as_dict(ingested(data, answers={"suppressed": "2"})) == {"a": 2, "b": 70, "c": 2}


@pytest.mark.parametrize("cell", ["", "5", "-5", "1,204", "1.5", "5%", "NA", "-", ".", "flu", "c5"])
def test_other_cells_are_no_suppressed_counts(cell):
    assert not is_suppressed(cell)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("a,5\nb,<5\nc,many", 'Row 3, .* "<5" is not a number'),  # other cells are no numbers
        ("a,5\nb,x\nc,3", '"x" is not a number'),  # once: it may be an error
        ("a,5\nb,<5\nc,-3", '"-3" is negative'),
    ],
)
def test_columns_with_other_problems_are_refused_as_before(ingested, rows, problem):
    with pytest.raises(IngestError, match=problem):
        ingested(f"item,users\n{rows}\n".encode(), answers={"suppressed": "0"})


def test_a_column_most_of_whose_counts_are_suppressed_holds_the_counts():
    table = read_table(b"ward,cases\na,<5\nb,<5\nc,<5\nd,9\ne,<5\n")
    assert (table.item_column, table.count_column) == (0, 1)


def test_suppressed_counts_among_columns_that_are_summed(as_dict):
    table = read_table(b"item,2021,2022,2023\na,<5,7,8\nb,70,80,90\nc,1,*,3\n")
    ways = {"leave out": {"b": 240}, "0": {"a": 15, "b": 240, "c": 4}}
    for answer, counts in ways.items():
        read = to_item_counts(table, 0, table.count_column, several="sum", suppressed=answer)
        assert as_dict(read) == counts
    with pytest.raises(UnclearError, match=r'in "2021", "2022", "2023": "<5" in 1 row, "\*" in 1 '):
        to_item_counts(table, 0, table.count_column, several="sum")
    table = read_table(b"item,2021,2022,2023\na,<5,7,8\nb,70,*,90\nc,1,*,3\n")
    with pytest.raises(IngestError, match="Every row has a suppressed count"):
        to_item_counts(table, 0, table.count_column, several="sum", suppressed="leave out")


def test_columns_that_are_not_counts_keep_such_cells(ingested, as_dict):
    data = b"age,users\n<18,5\n18-64,9\n65+,7\n"
    assert as_dict(ingested(data)) == {"<18": 5, "18-64": 9, "65+": 7}
    log = b"user,item,amount\n1,a,*\n1,b,4\n2,a,*\n3,b,7\n"
    assert as_dict(ingested(log, answers={"rows": "users"})) == {"a": 2, "b": 2}
