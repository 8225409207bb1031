"""Plotly figures of results that are computed elsewhere.

Every mechanism is drawn in the colour, dash, marker and hatch of its card, so that a
figure can be read without colour: figures are given these styles by label.  Item names are
strangers' text: Plotly reads tags in it, so `plain` escapes them; beside a row they stand
shortened, in the hover text whole.  Axes say their unit, and whether they are logarithmic or
padded.  All text has one size and one colour; `presented` makes it large and names lines at their
ends, for a projector.
"""

from dptopk.figures._drawing import Styles, height_of_rows
from dptopk.figures._names import plain, rows_that_fit, short_labels
from dptopk.figures.amounts import amounts
from dptopk.figures.charges import outcomes_spent
from dptopk.figures.choosing import epsilon_against_delta, target_curves
from dptopk.figures.counts import count_gaps, count_histogram, set_epsilons, swap_chances
from dptopk.figures.curves import curves
from dptopk.figures.errors import (
    count_errors_by_place,
    error_cdf,
    error_comparison,
    error_histogram,
    error_quantile_dots,
    error_sweep,
    height_of_dots,
    row_of_comparison,
)
from dptopk.figures.noise import cuts_bars, noisy_order, reaches_further
from dptopk.figures.papers import paper_panel, sketch
from dptopk.figures.pictures import coins, limits, noisy_counts, sizes, threshold
from dptopk.figures.predicted import covered, predicted
from dptopk.figures.presented import named, presented, scaled
from dptopk.figures.probabilities import (
    neighboring_outputs,
    output_probabilities,
    pooled_draws,
    privacy_losses,
    privacy_profile,
    privacy_use,
)
from dptopk.figures.published import name_chances
from dptopk.figures.users import (
    errors_by_bound,
    errors_by_cause,
    errors_by_share,
    items_found,
    turnover,
)
from dptopk.figures.winners import winner_map

__all__ = [
    "Styles",
    "amounts",
    "coins",
    "count_errors_by_place",
    "count_gaps",
    "count_histogram",
    "covered",
    "curves",
    "cuts_bars",
    "epsilon_against_delta",
    "error_cdf",
    "error_comparison",
    "error_histogram",
    "error_quantile_dots",
    "error_sweep",
    "errors_by_bound",
    "errors_by_cause",
    "errors_by_share",
    "height_of_dots",
    "height_of_rows",
    "items_found",
    "limits",
    "name_chances",
    "named",
    "neighboring_outputs",
    "noisy_counts",
    "noisy_order",
    "outcomes_spent",
    "output_probabilities",
    "paper_panel",
    "plain",
    "pooled_draws",
    "predicted",
    "presented",
    "privacy_losses",
    "privacy_profile",
    "privacy_use",
    "reaches_further",
    "row_of_comparison",
    "rows_that_fit",
    "scaled",
    "set_epsilons",
    "short_labels",
    "sizes",
    "sketch",
    "swap_chances",
    "target_curves",
    "threshold",
    "turnover",
    "winner_map",
]
