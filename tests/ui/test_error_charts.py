"""The shapes of the errors page draw all runs, whatever the size of the errors."""

import numpy as np
import pandas as pd
import pytest

from dptopk import METRICS
from dptopk.ui import error_charts

LINF = METRICS["linf"]


def trials(**errors) -> pd.DataFrame:
    names = {"J": "Joint", "C": "CDP-Peel"}
    return pd.concat(
        [pd.DataFrame({"mechanism": names[key], "linf": values}) for key, values in errors.items()]
    )


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("largest", [0, 1, 30, 10**9, 10**12, 10**15, 2**53], ids=str)
def test_no_run_is_lost_from_the_bars(largest, logarithmic):
    frame = trials(J=[0, 0, largest // 2, largest], C=[largest] * 4)
    figure = error_charts.bars(frame, {}, LINF, None, logarithmic)
    assert [trace.name for trace in figure.data] == ["Joint", "CDP-Peel"]
    for trace in figure.data:
        assert np.sum(trace.y) == pytest.approx(1)
        assert np.isfinite(trace.x).all()


@pytest.mark.parametrize("logarithmic", [True, False])
def test_the_last_point_of_every_curve_is_the_largest_error(logarithmic):
    figure = error_charts.cumulative(trials(J=[5, 1, 3], C=[9]), {}, LINF, None, logarithmic)
    ends = {trace.name: (trace.customdata[-1], trace.y[-1]) for trace in figure.data}
    assert ends == {"Joint": (5, 1), "CDP-Peel": (9, 1)}


def test_twenty_dots_a_mechanism_are_values_that_occurred():
    figure = error_charts.dots(trials(J=range(1_000), C=[0, 7]), {}, LINF, None, True)
    joint, peel = figure.data
    assert len(joint.x) == len(peel.x) == 20
    assert joint.customdata.tolist() == list(range(24, 1_000, 50))
    assert sorted(peel.customdata) == [0] * 10 + [7] * 10
