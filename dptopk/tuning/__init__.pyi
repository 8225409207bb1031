"""Names offered by `dptopk.tuning` beside those of `dptopk` itself."""

from .contribution_bound import (
    PlacesByCause as PlacesByCause,
)
from .contribution_bound import (
    errors_by_bound as errors_by_bound,
)
from .contribution_bound import (
    places_by_cause as places_by_cause,
)
from .discovery_then_selection import (
    PlacesByStage as PlacesByStage,
)
from .discovery_then_selection import (
    places_by_stage as places_by_stage,
)
from .repeated import (
    joint_cost as joint_cost,
)
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
    with_share_of_delta as with_share_of_delta,
)
from .repeated import (
    within_budget as within_budget,
)
from .series import (
    costs_of_series as costs_of_series,
)
from .series import (
    expected_turnover as expected_turnover,
)
from .series import (
    turnover_of_series as turnover_of_series,
)
from .series import (
    units_of_privacy as units_of_privacy,
)
