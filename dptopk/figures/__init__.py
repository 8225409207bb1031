"""Plotly figures of results that are computed elsewhere.

Every mechanism is drawn in the colour, dash, marker and hatch of its card, so that a
figure can be read without colour: figures are given these styles by label.  Item names are
strangers' text: Plotly reads tags in it, so `plain` escapes them; beside a row they stand
shortened, in the hover text whole.  Axes say their unit, and whether they are logarithmic or
padded.  All text has one size and one colour; `presented` makes it large and names lines at their
ends, for a projector.
"""

from dptopk.figures._drawing import Styles as Styles, height_of_rows as height_of_rows
from dptopk.figures._names import (
    plain as plain,
    rows_that_fit as rows_that_fit,
    short_labels as short_labels,
)
from dptopk.figures.amounts import amounts as amounts
from dptopk.figures.charges import outcomes_spent as outcomes_spent
from dptopk.figures.choosing import (
    epsilon_against_delta as epsilon_against_delta,
    target_curves as target_curves,
)
from dptopk.figures.counts import (
    count_gaps as count_gaps,
    count_histogram as count_histogram,
    set_epsilons as set_epsilons,
    swap_chances as swap_chances,
)
from dptopk.figures.curves import curves as curves
from dptopk.figures.errors import (
    count_errors_by_place as count_errors_by_place,
    error_cdf as error_cdf,
    error_comparison as error_comparison,
    error_histogram as error_histogram,
    error_quantile_dots as error_quantile_dots,
    error_sweep as error_sweep,
    height_of_dots as height_of_dots,
    row_of_comparison as row_of_comparison,
)
from dptopk.figures.noise import (
    cuts_bars as cuts_bars,
    noisy_order as noisy_order,
    reaches_further as reaches_further,
)
from dptopk.figures.papers import paper_panel as paper_panel, sketch as sketch
from dptopk.figures.pictures import (
    coins as coins,
    limits as limits,
    noisy_counts as noisy_counts,
    sizes as sizes,
    threshold as threshold,
)
from dptopk.figures.predicted import covered as covered, predicted as predicted
from dptopk.figures.presented import named as named, presented as presented, scaled as scaled
from dptopk.figures.probabilities import (
    neighboring_outputs as neighboring_outputs,
    output_probabilities as output_probabilities,
    pooled_draws as pooled_draws,
    privacy_losses as privacy_losses,
    privacy_profile as privacy_profile,
    privacy_use as privacy_use,
)
from dptopk.figures.published import name_chances as name_chances
from dptopk.figures.users import (
    errors_by_bound as errors_by_bound,
    errors_by_cause as errors_by_cause,
    errors_by_share as errors_by_share,
    items_found as items_found,
    turnover as turnover,
)
from dptopk.figures.winners import winner_map as winner_map
