"""Names offered by `dptopk.tuning` beside those of `dptopk` itself."""

from .contribution_bound import (
    PlacesByCause as PlacesByCause,
    errors_by_bound as errors_by_bound,
    places_by_cause as places_by_cause,
)
from .discovery_then_selection import (
    PlacesByStage as PlacesByStage,
    places_by_stage as places_by_stage,
)
from .repeated import (
    joint_cost as joint_cost,
    needed_together as needed_together,
    with_share_of_delta as with_share_of_delta,
    within_budget as within_budget,
)
from .series import (
    costs_of_series as costs_of_series,
    expected_turnover as expected_turnover,
    turnover_of_series as turnover_of_series,
    units_of_privacy as units_of_privacy,
)
