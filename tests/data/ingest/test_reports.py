"""Test the report on a file: how it was read, what was changed, and where problems are."""

import pytest

from dptopk.data.ingest import IngestError, UnclearError


def test_duplicates_are_summed_and_reported(ingested, as_dict, said):
    result = ingested(b"item,count\na,5\nb,3\na,2\nb,1\nc,9\n", answers={"rows": "stated"})
    assert as_dict(result) == {"a": 7, "b": 4, "c": 9}
    assert result.report.duplicate_names == 2
    assert result.report.summing in result.report.sentences
    assert result.report.summing == (
        "2 names occurred more than once: the counts of each were summed, which leaves 3 items; a "
        "user in two rows of a name counts twice."
    )


def test_sums_of_large_counts_are_exact(ingested):
    half = 2**52
    pairs = "".join(f"a{i},{half - 1}\na{i},{half + 1}\n" for i in range(500))
    data = f"item,count\n{pairs}b,{2**53 - 1}\nb,1\nc,{2**53 - 3}\nc,2\n".encode()
    result = ingested(data, answers={"rows": "events"})
    assert set(result.counts.counts[:501].tolist()) == {2**53}
    assert result.counts.counts[501] == 2**53 - 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("item,count\na,5\n\n , \nb,3\n", "Left out: 2 blank rows."),
        ("item,count\n a ,5\nb,3\n", "1 name had spaces around, now removed."),
        ('item,count\n"a\nb",5\nb,3\n', "1 name had line breaks or control characters"),
        (
            "item,count\n7.0,5\nb,3\n",
            '1 name had another form of a whole number: "7.0" is now read',
        ),
        ("item,count\na\x07b,5\nb,3\n", "1 name had line breaks or control characters"),
        ("item,count\na,12.0\nb,3.\n", "2 counts had decimals of zeros, as in 12.0, now read"),
        (
            "item,count,\na,5,\nb,3,,,\n",
            "Blank cells beyond the last column were left out in 1 row",
        ),
        ("item,count\na,5\nb,5\n", "All 2 counts are equal"),
        ("item,count\na,5\n", "There is only one item"),
        (
            "item,count\nTotal,8\na,5\nb,3\n",
            'a row that is the sum of others: "Total"; treated as a total',
        ),
        ("a,5\nb,3\n", "there is no header"),
        ("count\n5\n3\n", "items are numbered"),
        ("item;count\na;5\nb;3\n", "columns separated by semicolon"),
    ],
)
def test_the_report_says(ingested, said, text, sentence):
    assert sentence in said(ingested(text.encode()))


def test_a_plain_file_has_nothing_to_report_but_how_it_was_read(ingested):
    report = ingested(b"item,users\na,5\nb,3\n").report
    assert len(report.reading) == 1
    assert report.changes == ()
    report = ingested(b"item,count\na,5\nb,3\n").report  # as value_counts() writes it
    assert not report.contribution.sentence.startswith("Sensitivity: you stated")
    (question,) = report.questions
    assert report.changes == (question.sentence,)
    assert question.sentence.startswith('Column "count" does not say what it counts: users were')
    assert [*question.options] == ["stated", "events"]
    assert (question.needed, question.answer) == (False, None)
    of_rows = ingested(b"item,count\na,5\nb,3\n", answers={"rows": "events"}).report
    assert not of_rows.contribution.holds
    (asked,) = of_rows.questions  # in its place, answered
    assert (asked.needed, asked.answer, of_rows.changes) == (False, "events", ())
    assert (report.rows_read, report.rows_kept, report.blank_rows) == (2, 2, 0)


def test_row_numbers_are_those_of_a_spreadsheet(ingested):
    text = 'sep=,\nitem,count\n\n"a\nb",5\nc,x\n'
    with pytest.raises(IngestError, match='Row 5, column "count": "x"'):
        ingested(text.encode())


def test_all_faulty_counts_are_numbered(ingested):
    with pytest.raises(IngestError, match=r"Row 2, .* \(1 more with such a problem\)\.$"):
        ingested(b"item,count\na,-1\nb,\nc,5\nd,1.5\ne,5\nf,5\ng,7\n")


def test_a_number_with_both_marks_tells_the_mark_of_decimals(ingested, as_dict):
    german = "Produkt;Käufer;Umsatz\nTee;13.628;235.764,40 €\nKaffee;1.204;9.001,5\n"
    result = ingested(german.encode())
    assert as_dict(result) == {"Tee": 13_628, "Kaffee": 1_204}
    assert 'Column "Umsatz" has "235.764,40 €"' in " ".join(result.report.sentences)
    english = 'item,users,volume\na,"13,628","235,764.40"\nb,"1,204","$9,001.50"\n'
    assert as_dict(ingested(english.encode())) == {"a": 13_628, "b": 1_204}
    with pytest.raises(UnclearError, match="thousands separator or a decimal mark"):
        ingested(b'item,users,volume\na,"13,628","235,764.40"\nb,"1,204","9.001,50"\n')


def test_shares_beside_the_counts_tell_the_mark_of_decimals(ingested):
    data = 'item,buyers,share\na,"1.200","15,2 %"\nb,"2.300","84,8 %"\n'
    result = ingested(data.encode())
    assert result.counts.counts.tolist() == [1200, 2300]
    said = 'Column "share" has "15,2 %", so the comma marks decimals'
    assert any(said in sentence for sentence in result.report.sentences)
    (question,) = result.report.questions
    assert question.sentence.endswith(
        '"1.200" has two readings (and more like it); the comma marks decimals, the point '
        "thousands (1.234,5)."
    )
    other = ingested(data.encode(), answers={"decimal": ".", "rounding": "nearest"})
    assert other.counts.counts.tolist() == [1, 2]
    assert not any(said in sentence for sentence in other.report.sentences)
    with pytest.raises(UnclearError, match="may have a thousands separator"):
        ingested(data.replace("84,8", "84.8").encode())
