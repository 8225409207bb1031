"""Fixtures that read a file as the app does, with short forms of the results.

Helpers are fixtures that return functions, so that test modules need no import path.
"""

import csv
import io

import pytest

from dptopk.data.ingest import IngestError, UnclearError, read_table, to_item_counts


@pytest.fixture(scope="session")
def ingested():
    """Read a file the way the app does, with the guesses as they are."""

    def read(data: bytes, filename: str = "data.csv", answers=None, **options):
        table = read_table(data, filename, **options)
        return to_item_counts(
            table,
            table.item_column,
            table.count_column,
            user_column=table.user_column,
            **(answers or {}),
        )

    return read


@pytest.fixture(scope="session")
def question(ingested):
    """The last question that stands in the way of reading, which may have to say some words."""

    def asked(data: bytes, words=None, **options):
        with pytest.raises(UnclearError, match=words) as caught:
            ingested(data, **options)
        return caught.value.questions[-1]

    return asked


@pytest.fixture(scope="session")
def as_dict():
    """Items and counts of a result."""

    def convert(result) -> dict[str, int]:
        return dict(zip(result.counts.items, result.counts.counts.tolist(), strict=True))

    return convert


@pytest.fixture(scope="session")
def refusal():
    """Message of the refusal, or a full stop."""

    def message(read, argument) -> str:
        try:
            read(argument)
        except IngestError as error:
            return str(error)
        return "."

    return message


@pytest.fixture(scope="session")
def said():
    """All sentences of a report."""

    def join(result) -> str:
        return " ".join(result.report.sentences)

    return join


@pytest.fixture(scope="session")
def written():
    """Bytes of a table with the header item, count."""

    def write(pairs, delimiter: str, codec: str, line_end: str) -> bytes:
        out = io.StringIO()
        writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end)
        writer.writerow(["item", "count"])
        writer.writerows(pairs)
        return out.getvalue().encode(codec)

    return write
