"""Modules of `dptopk.mechanisms.kernels` that load when they are used."""

from . import (
    early_stop as early_stop,
    gap_weighted as gap_weighted,
    laplace_set as laplace_set,
    sets as sets,
    shared_radius_law as shared_radius_law,
    shared_radius_top as shared_radius_top,
    wrong_sets as wrong_sets,
)
