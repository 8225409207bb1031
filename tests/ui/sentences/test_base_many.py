"""Test sentences on more mechanisms than can be named."""

import pandas as pd

from dptopk import METRICS
from dptopk.ui.sentences import base

LINF = METRICS["linf"]


def test_of_many_mechanisms_those_are_named_that_lead_most_often():
    medians = {f"M{i}": [0.0, 5.0 + i, 5.0 + i, 5.0 + i] for i in range(9)}
    medians["M3"][2] = 1.0
    rows = pd.DataFrame(
        [
            {"mechanism": name, "k": value, "n": 50}
            | dict.fromkeys(("median", "median_low", "median_high"), median)
            for name, series in medians.items()
            for value, median in enumerate(series, 1)
        ]
    )
    end = "Several are named where they are equal or 50 runs cannot distinguish them."
    assert base.sweep_finding(rows, "k", LINF) == (
        f"Smallest median maximum error (ℓ∞): most often M0 (2 of 4 k; more than 3 at k = 1). {end}"
    )
    apart = base.sweep_finding(rows, "k", LINF, {f"M{i}" for i in range(5, 9)})
    assert "among sequences most often M0 (2 of 4 k; more than 3 at k = 1)" in apart
    assert "among sets most often M5 (3 of 4 k; more than 3 at k = 1)" in apart
