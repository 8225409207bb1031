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

from dptopk.data.ingest._columns import guess_columns as guess_columns
from dptopk.data.ingest._contribution import (
    MAX_UNIT as MAX_UNIT,
    Contribution as Contribution,
    checked_unit as checked_unit,
    unit_of as unit_of,
)
from dptopk.data.ingest._decode import decode as decode, encoding_of as encoding_of
from dptopk.data.ingest._error import (
    COUNT_FIRST as COUNT_FIRST,
    Ambiguity as Ambiguity,
    Asked as Asked,
    IngestError as IngestError,
    UnclearError as UnclearError,
)
from dptopk.data.ingest._filetypes import (
    FORMATS as FORMATS,
    database_kind as database_kind,
    refuse_other_types as refuse_other_types,
)
from dptopk.data.ingest._items_of_users import (
    CountsByBound as CountsByBound,
    ItemsOfUsers as ItemsOfUsers,
    bound_steps as bound_steps,
)
from dptopk.data.ingest._missing import SPELLED as SPELLED
from dptopk.data.ingest._names import (
    MAX_NAME as MAX_NAME,
    alike_pairs as alike_pairs,
    refuse_alike as refuse_alike,
)
from dptopk.data.ingest._parquet import NO_TEXT as NO_TEXT
from dptopk.data.ingest._plain import (
    plain as plain,
    shown as shown,
    unix_lines as unix_lines,
)
from dptopk.data.ingest._report import IngestReport as IngestReport, IngestResult as IngestResult
from dptopk.data.ingest._tables import (
    DELIMITERS as DELIMITERS,
    MAX_COLUMNS as MAX_COLUMNS,
    MAX_ROWS as MAX_ROWS,
    find_delimiter as find_delimiter,
)
from dptopk.data.ingest._text_input import (
    parse_typed as parse_typed,
    with_names_apart as with_names_apart,
)
from dptopk.data.ingest._totals import KEEP as KEEP
from dptopk.data.ingest._unpack import MAX_BYTES as MAX_BYTES
from dptopk.data.ingest._workbook import sheet_names as sheet_names
from dptopk.data.ingest.counting import (
    ANSWERS as ANSWERS,
    COUNTED as COUNTED,
    N_SAMPLED as N_SAMPLED,
    ONE as ONE,
    Columns as Columns,
    ask_which_of_two as ask_which_of_two,
    header_of_counts as header_of_counts,
    proposed_counts as proposed_counts,
    to_item_counts as to_item_counts,
)
from dptopk.data.ingest.reading import RawTable as RawTable, read_table as read_table
from dptopk.data.ingest.reading_settings import (
    LogSettings as LogSettings,
    ReadingSettings as ReadingSettings,
    parse_log_settings as parse_log_settings,
    parse_reading_settings as parse_reading_settings,
    read_again as read_again,
)
