"""Differentially private top-k selection: exact mechanisms, fast samplers, exact laws.

Data walk one way: counts -> mechanism -> samples or exact distribution -> errors ->
figure.

==================  ==============================================================
Data                `ItemCounts`, `SortedCounts`, `load_dataset`, `dataset_names`
                    `counts_from_events`, `counts_by_period` -> `EventCounts`;
                    `counts_by_bound`
Unlisted items      `discover_items` -> `DiscoveredItems`;
                    `items_found_by_bound`, `SparseGaussian`;
                    `discover_then_select` -> `SelectedItems`;
                    `DividedBudget`, `errors_by_share`
Privacy             `NeighborRelation`, `Guarantee`
Mechanisms          `MECHANISMS`: name -> class, all importable from here;
                    `Mechanism`, what they share
Outputs             `OutputKind`, `NOTHING`
Errors              `linf_error`, `l1_error`, `k_relative_error`,
                    `signed_max_error`, `linf_error_index`,
                    `items_right`, `METRICS`
Simulation          `release`, `run_trials`, `sweep`, `summarize`
Real releases       `Ledger`, `publish` -> `Publication`; `exact_sample`,
                    `can_publish`; `assess_list` -> `ListAssessment`
Who is best         `winner_map`
Exact laws          `exact_error` -> `ErrorLaw`, `NoClosedFormError`,
                    `probability_exact_sequence`, `probability_exact_set`
Noise in one unit   `swap_chance`, `swaps`
Choosing epsilon    `smallest_epsilon` -> `SmallestEpsilon`
Small cases         `output_distribution`, `merged_output_distribution`
                    -> `OutputDistribution`; `goodness_of_fit`
Composition         `local_epsilon`, `spent_epsilon`, `spent_delta`
Privacy loss        `privacy_loss`, `worst_case_loss`, `privacy_profile`,
                    `hockey_stick`, `worst_case_hockey_stick`,
                    `neighboring_counts`
==================  ==============================================================

An argument of the wrong kind raises TypeError, one out of range ValueError; the message names
argument, value and rule. A section "Raises" says what is particular to a function.
"""

import lazy_loader

__version__ = "0.2.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
