"""Results -> Plotly figures; nothing is computed here.

Every mechanism has one colour (Okabe-Ito), dash and marker everywhere, so that a
figure can be read without colour.  Item names are strangers' text: Plotly reads
tags in it, so `plain` escapes them.  Axes say their unit, and whether they are
logarithmic or padded.
"""

from dptopk.figures._drawing import STYLES, Style, plain, style_of
from dptopk.figures.counts import count_gaps, count_histogram
from dptopk.figures.errors import (
    error_cdf,
    error_histogram,
    error_quantile_dots,
    error_sweep,
    given_up_by_place,
)
from dptopk.figures.probabilities import (
    neighbouring_outputs,
    output_probabilities,
    privacy_losses,
    privacy_profile,
    privacy_use,
)

__all__ = [
    "STYLES",
    "Style",
    "count_gaps",
    "count_histogram",
    "error_cdf",
    "error_histogram",
    "error_quantile_dots",
    "error_sweep",
    "given_up_by_place",
    "neighbouring_outputs",
    "output_probabilities",
    "plain",
    "privacy_losses",
    "privacy_profile",
    "privacy_use",
    "style_of",
]
