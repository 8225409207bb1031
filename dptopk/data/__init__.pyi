"""Names offered by `dptopk.data` beside those of `dptopk` itself."""

from .events import (
    periods_of_users as periods_of_users,
)
from .ingest import (
    CountsByBound as CountsByBound,
)
from .ingest import (
    read_table as read_table,
)
from .ingest import (
    to_item_counts as to_item_counts,
)
from .synthetic_counts import (
    classroom_vector as classroom_vector,
)
from .synthetic_counts import (
    synthetic as synthetic,
)
from .synthetic_counts import (
    zipf_like as zipf_like,
)
