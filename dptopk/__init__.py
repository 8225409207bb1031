"""Differentially private top-k selection: exact mechanisms, fast samplers, exact laws.

Data walk one way: counts -> mechanism -> samples or exact distribution -> errors ->
figure.

==================  ==============================================================
Data                `ItemCounts`, `SortedCounts`, `load_dataset`, `dataset_names`
Privacy             `NeighborRelation`, `Guarantee`
Mechanisms          `MECHANISMS`: name -> class, all importable from here;
                    `Mechanism`, what they share
Outputs             `OutputKind`, `NOTHING`
Errors              `linf_error`, `l1_error`, `k_relative_error`,
                    `signed_max_error`, `linf_error_index`,
                    `items_right`, `METRICS`
Simulation          `release`, `run_trials`, `sweep`, `summarize`
Who is best         `winner_map`
Exact laws          `exact_error`, `probability_exact_sequence`,
                    `probability_exact_set`
Noise in one unit   `swap_chance`, `swaps`
Choosing epsilon    `smallest_epsilon`
Small cases         `output_distribution`, `merged_output_distribution`,
                    `goodness_of_fit`
Composition         `local_epsilon`, `spent_epsilon`, `spent_delta`
Privacy loss        `privacy_loss`, `worst_case_loss`, `hockey_stick`,
                    `worst_case_hockey_stick`, `neighboring_counts`
==================  ==============================================================
"""

from dptopk.accounting import local_epsilon, spent_delta, spent_epsilon
from dptopk.choosing import SmallestEpsilon, smallest_epsilon
from dptopk.counts import ItemCounts, SortedCounts
from dptopk.datasets import dataset_names, load_dataset
from dptopk.distribution import (
    OutputDistribution,
    goodness_of_fit,
    merged_output_distribution,
    output_distribution,
)
from dptopk.errors import (
    METRICS,
    items_right,
    k_relative_error,
    l1_error,
    linf_error,
    linf_error_index,
    signed_max_error,
)
from dptopk.exact import (
    ErrorLaw,
    NoClosedFormError,
    exact_error,
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.mechanisms.registry import *  # noqa: F403  every registered mechanism
from dptopk.neighboring import neighboring_counts
from dptopk.outputs import NOTHING, OutputKind
from dptopk.privacy import Guarantee, NeighborRelation
from dptopk.privacy_loss import (
    hockey_stick,
    privacy_loss,
    privacy_profile,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.summaries import summarize
from dptopk.swaps import swap_chance, swaps
from dptopk.trials import release, run_trials, sweep
from dptopk.winners import winner_map

__version__ = "0.2.0"

__all__ = [
    "MECHANISMS",
    "METRICS",
    "NOTHING",
    "ErrorLaw",
    "Guarantee",
    "ItemCounts",
    "Mechanism",
    "NeighborRelation",
    "NoClosedFormError",
    "OutputDistribution",
    "OutputKind",
    "SmallestEpsilon",
    "SortedCounts",
    "dataset_names",
    "exact_error",
    "goodness_of_fit",
    "hockey_stick",
    "items_right",
    "k_relative_error",
    "l1_error",
    "linf_error",
    "linf_error_index",
    "load_dataset",
    "local_epsilon",
    "merged_output_distribution",
    "neighboring_counts",
    "output_distribution",
    "privacy_loss",
    "privacy_profile",
    "probability_exact_sequence",
    "probability_exact_set",
    "release",
    "run_trials",
    "signed_max_error",
    "smallest_epsilon",
    "spent_delta",
    "spent_epsilon",
    "summarize",
    "swap_chance",
    "swaps",
    "sweep",
    "winner_map",
    "worst_case_hockey_stick",
    "worst_case_loss",
]
__all__ += [mechanism.__name__ for mechanism in MECHANISMS.values()]
