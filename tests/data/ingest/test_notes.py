"""Test that notes below a table are distinguished from items without a count."""

import pytest

from dptopk.data.ingest import IngestError, read_table

FRUIT = "item,users\napple,5\npear,3\nfig,2\n"


@pytest.mark.parametrize(
    "below",
    [
        "Source: WHO,",
        "Source: WHO",
        "\nSource: WHO, 2024",
        "Source: WHO, 2024, page 3",
        ",\nSource - WHO",
        "\n* without children",
        "¹ estimated,",
        "\nAll figures are of 2024,",
        "Note: see below,\nSmith et al.,",
        "\n\nSources: WHO,\n\nPage 1 of 1",
        ",Stand 31.12.2023",
    ],
)
def test_notes_are_left_out_and_said(ingested, as_dict, said, below):
    result = ingested((FRUIT + below + "\n").encode())
    assert as_dict(result) == {"apple": 5, "pear": 3, "fig": 2}
    assert "below the table left out: " in said(result)


@pytest.mark.parametrize(
    ("below", "refused"),
    [
        ("plum,", 'Row 5, column "users": the count is missing'),
        ("\nplum,", 'Row 6, column "users": the count is missing'),
        ("\nplum", "Row 6 has 1 cell"),
        ("*NSYNC,", "the count is missing"),
        ("Source Code,", "the count is missing"),
        ("All figures are of 2024,", "the count is missing"),
        (",7", "the item has no name"),
    ],
)
def test_forgotten_counts_and_names_are_refused(ingested, below, refused):
    with pytest.raises(IngestError, match=refused):
        ingested((FRUIT + below + "\n").encode())


def test_items_that_read_like_notes_stay(ingested, as_dict):
    result = ingested(f"{FRUIT}Source: the film,7\n".encode())
    assert as_dict(result)["Source: the film"] == 7


def test_how_many_rows_are_notes_can_be_said(ingested, as_dict):
    data = f"{FRUIT}plum,\nSource: WHO\n".encode()
    assert read_table(data).footnotes == ("Source: WHO",)
    assert as_dict(ingested(data, footnote_rows=2)) == {"apple": 5, "pear": 3, "fig": 2}
    assert as_dict(ingested(data, footnote_rows=3)) == {"apple": 5, "pear": 3}
    with pytest.raises(IngestError, match="Row 6 has 1 cell"):
        read_table(data, footnote_rows=0)


def test_a_note_below_counts_alone(ingested):
    result = ingested(b"30\n20\n\nSource: WHO\n")
    assert result.counts.counts.tolist() == [30, 20]
