"""Read files, tables and typed text into `ItemCounts`.

The way of an upload: `read_table` looks at the bytes of a file and guesses which columns hold
items, counts and users; a person confirms or corrects the guess; `to_item_counts` reads them.
`parse_typed` reads a text box, whose repeated names `with_names_apart` tells apart.  All return
the counts with a report of what was read and what was changed, in plain sentences.  Every problem
is an `IngestError`: one sentence that says what is wrong, where, and how to mend it.  Where two
readings are possible nothing is guessed: an `UnclearError` carries the `Ambiguity`.  `unit_of`
guesses what the counts are numbers of.

Messages, reports, labels and previews may quote the data: show them as plain text.

Limits: at most 64 MB, also unpacked, 2,000,000 rows and 200 columns; delimited text, Parquet and
Excel workbooks (.xlsx, at most 24 MB unpacked) only.
"""

from dptopk.data.ingest._columns import guess_columns
from dptopk.data.ingest._contribution import MAX_UNIT, Contribution, checked_unit, unit_of
from dptopk.data.ingest._decode import encoding_of
from dptopk.data.ingest._error import COUNT_FIRST, Ambiguity, IngestError, UnclearError
from dptopk.data.ingest._filetypes import FORMATS, database_kind, refuse_other_types
from dptopk.data.ingest._items_of_users import (
    CountsByBound,
    ItemsOfUsers,
    bound_steps,
)
from dptopk.data.ingest._missing import SPELLED
from dptopk.data.ingest._names import MAX_NAME, alike_pairs, refuse_alike
from dptopk.data.ingest._plain import plain, shown, unix_lines
from dptopk.data.ingest._report import IngestReport, IngestResult
from dptopk.data.ingest._tables import DELIMITERS, MAX_COLUMNS, MAX_ROWS, find_delimiter
from dptopk.data.ingest._text_input import MAX_TYPED_CHARACTERS, parse_typed, with_names_apart
from dptopk.data.ingest._totals import KEEP, LEAVE_OUT
from dptopk.data.ingest._unpack import MAX_BYTES
from dptopk.data.ingest._workbook import sheet_names
from dptopk.data.ingest.counting import (
    ANSWERS,
    COUNTED,
    N_SAMPLED,
    ONE,
    Columns,
    ask_which_of_two,
    header_of_counts,
    proposed_counts,
    to_item_counts,
)
from dptopk.data.ingest.reading import RawTable, read_table
from dptopk.data.ingest.reading_settings import (
    LogSettings,
    ReadingSettings,
    parse_log_settings,
    parse_reading_settings,
    read_again,
)

__all__ = [
    "ANSWERS",
    "COUNTED",
    "COUNT_FIRST",
    "DELIMITERS",
    "FORMATS",
    "KEEP",
    "LEAVE_OUT",
    "MAX_BYTES",
    "MAX_COLUMNS",
    "MAX_NAME",
    "MAX_ROWS",
    "MAX_TYPED_CHARACTERS",
    "MAX_UNIT",
    "N_SAMPLED",
    "ONE",
    "SPELLED",
    "Ambiguity",
    "Columns",
    "Contribution",
    "CountsByBound",
    "IngestError",
    "IngestReport",
    "IngestResult",
    "ItemsOfUsers",
    "LogSettings",
    "RawTable",
    "ReadingSettings",
    "UnclearError",
    "alike_pairs",
    "ask_which_of_two",
    "bound_steps",
    "checked_unit",
    "database_kind",
    "encoding_of",
    "find_delimiter",
    "guess_columns",
    "header_of_counts",
    "parse_log_settings",
    "parse_reading_settings",
    "parse_typed",
    "plain",
    "proposed_counts",
    "read_again",
    "read_table",
    "refuse_alike",
    "refuse_other_types",
    "sheet_names",
    "shown",
    "to_item_counts",
    "unit_of",
    "unix_lines",
    "with_names_apart",
]
