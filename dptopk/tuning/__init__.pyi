"""Names offered by `dptopk.tuning` beside those of `dptopk` itself."""

from .repeated import (
    needed_together as needed_together,
)
from .repeated import (
    one_of as one_of,
)
from .repeated import (
    together as together,
)
from .repeated import (
    within_budget as within_budget,
)
