"""Errors with a given summary, laws and chances, as `measure_errors` returns them."""

import pandas as pd

from dptopk.core.errors import METRICS
from dptopk.questions.errors import Errors


def summarized(summary, laws=None, shares=None, mechanisms=(), metric="linf") -> Errors:
    """Errors of these numbers, without the runs that they come from."""
    nothing = pd.DataFrame()
    kept = (tuple(mechanisms), METRICS[metric], nothing, laws or {}, shares or {}, {})
    return Errors(*kept, summary)
