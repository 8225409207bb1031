"""Names offered by `dptopk.data` beside those of `dptopk` itself."""

from .events import (
    EventLog as EventLog,
    counts_of_periods as counts_of_periods,
    periods_of_users as periods_of_users,
)
from .ingest import (
    CountsByBound as CountsByBound,
    read_public_list as read_public_list,
    read_table as read_table,
    to_item_counts as to_item_counts,
)
from .synthetic_counts import (
    classroom_vector as classroom_vector,
    synthetic as synthetic,
    zipf_like as zipf_like,
)
