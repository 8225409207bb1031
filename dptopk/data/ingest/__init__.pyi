"""Names offered by `dptopk.data.ingest`, and the module of each."""

from ._columns import guess_columns as guess_columns
from ._decode import (
    GUESSED as GUESSED,
    MAX_BYTES as MAX_BYTES,
    database_kind as database_kind,
    decode as decode,
    encoding_of as encoding_of,
    refuse_other_types as refuse_other_types,
)
from ._error import (
    ANSWERS as ANSWERS,
    COUNT_FIRST as COUNT_FIRST,
    DATES as DATES,
    FORMATS as FORMATS,
    KINDS as KINDS,
    LOG_FORMATS as LOG_FORMATS,
    MAX_COLUMNS as MAX_COLUMNS,
    Ambiguity as Ambiguity,
    Dialogue as Dialogue,
    IngestError as IngestError,
    NothingLeftError as NothingLeftError,
    Reply as Reply,
    UnclearError as UnclearError,
)
from ._items_of_users import (
    CountsByBound as CountsByBound,
    ItemsOfUsers as ItemsOfUsers,
    bound_steps as bound_steps,
)
from ._missing import SPELLED as SPELLED
from ._names import (
    MAX_NAME as MAX_NAME,
)
from ._parquet import NO_TEXT as NO_TEXT
from ._pieces import (
    ask_pieces as ask_pieces,
    example_of_lists as example_of_lists,
    split_cells as split_cells,
)
from ._plain import (
    examples as examples,
    plain as plain,
    quoted_names as quoted_names,
    shown as shown,
    unix_lines as unix_lines,
)
from ._public_list import (
    PublicList as PublicList,
    on_public_list as on_public_list,
    read_public_list as read_public_list,
    with_list as with_list,
)
from ._report import (
    MAX_UNIT as MAX_UNIT,
    Contribution as Contribution,
    IngestReport as IngestReport,
    IngestResult as IngestResult,
    checked_unit as checked_unit,
    doubt_about as doubt_about,
    of_part as of_part,
    unit_of as unit_of,
)
from ._survey import may_be_survey as may_be_survey
from ._tables import (
    DELIMITERS as DELIMITERS,
    MAX_ROWS as MAX_ROWS,
    find_delimiter as find_delimiter,
)
from ._text_input import (
    parse_typed as parse_typed,
    with_names_apart as with_names_apart,
)
from ._workbook import sheet_names as sheet_names
from ._yes_no import says_yes_or_no as says_yes_or_no
from .counting import (
    ask_which_of_two as ask_which_of_two,
    header_of_counts as header_of_counts,
    proposed_counts as proposed_counts,
    to_item_counts as to_item_counts,
)
from .reading import (
    ColumnPlaces as ColumnPlaces,
    RawTable as RawTable,
    read_table as read_table,
)
from .reading_settings import (
    LogSettings as LogSettings,
    ReadingSettings as ReadingSettings,
    parse_log_settings as parse_log_settings,
    parse_reading_settings as parse_reading_settings,
    read_again as read_again,
)
