"""Files, tables and typed text to `ItemCounts`.

The way of an upload: `read_table` looks at the bytes of a file and guesses which
columns hold items and counts; a person confirms or corrects the guess;
`to_item_counts` reads the two columns.  `parse_typed` reads a text box and
`from_cells` an edited table.  All return the counts with a report of what was read
and what was changed, in plain sentences.  Every problem is an `IngestError`: one
sentence that says what is wrong, where, and how to mend it.

Messages, reports, labels and previews may quote the data: show them as plain text.

Limits: one row an item (a list of users and items is refused); at most 64 MB, also
unpacked, 2,000,000 rows and 200 columns; text files only.
"""

from dptopk.ingest._cells import MAX_NAME, IngestReport, IngestResult
from dptopk.ingest._edited import from_cells
from dptopk.ingest._error import IngestError
from dptopk.ingest._tables import DELIMITERS, MAX_COLUMNS, MAX_ROWS
from dptopk.ingest._typed import MAX_TYPED_CHARACTERS, parse_typed
from dptopk.ingest._unpack import MAX_BYTES
from dptopk.ingest.reading import RawTable, read_table, to_item_counts

__all__ = [
    "DELIMITERS",
    "MAX_BYTES",
    "MAX_COLUMNS",
    "MAX_NAME",
    "MAX_ROWS",
    "MAX_TYPED_CHARACTERS",
    "IngestError",
    "IngestReport",
    "IngestResult",
    "RawTable",
    "from_cells",
    "parse_typed",
    "read_table",
    "to_item_counts",
]
