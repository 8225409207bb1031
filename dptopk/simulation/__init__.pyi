"""Names offered by `dptopk.simulation` beside those of `dptopk` itself."""

from .adaptive_queries import ask_for_the_next as ask_for_the_next
from .post_stratified import known_right as known_right, known_rights as known_rights
from .single_releases import (
    consecutive_releases as consecutive_releases,
    gaps_of_release as gaps_of_release,
    noise_of_release as noise_of_release,
)
from .summaries import places_from_1 as places_from_1
from .trials import at_points as at_points, generator_for as generator_for
from .winners import cells as cells
