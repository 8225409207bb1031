"""Test the page Accounting at the limits of its settings."""

import math
import re

import pytest

from dptopk import Joint, LimitedDomain
from dptopk.questions.budget import calibration_rows, calibrations
from dptopk.tuning.repeated import joint_cost, with_share_of_delta
from dptopk.ui.sections import calibrations as calibrations_shown

SPENT = "the run spends all of the chosen ε = 1, to three digits."
LESS = "or less at the same δ, of the chosen 1; the difference is"


@pytest.mark.parametrize(
    ("query", "found", "said"),
    [
        ({"calibration": "paper"}, "", LESS),
        ({"calibration": "optimal"}, "", SPENT),  # what is needed is not called needless
        ({"delta": "0"}, "noise has scale 10.00 purchases", SPENT),
        ({"epsilon": "1000"}, "; 0.4% less gives the same promise", ""),
        ({"epsilon": "1e-9"}, "; 1/12,774 of it gives the same promise", ""),
        ({"epsilon": "1e-9", "calibration": "optimal"}, "the paper's is 12,774 times as much", ""),
        ({"k": "1", "delta": "0.5"}, "", ""),
        ({"epsilon": "1e-300", "delta": "1e-12", "k": "200"}, "", ""),
    ],
    ids=str,
)
def test_budgets_and_the_noise_that_they_need_are_readable(opened, query, found, said):
    visit = opened("budget", runs="7", **query).whole()
    assert visit.finding.endswith(found)
    assert said in "\n".join([visit.words, *visit.captions])
    assert not re.search(r"(?<!\S)-?0\.0+(?!\S)", visit.finding)
    lines = visit.chart("budget-curve")["data"]
    assert [line["y"] for line in lines if line.get("mode") == "lines"]


def test_a_tiny_epsilon_is_no_0_and_no_multiple_of_the_budget():
    frame = calibration_rows(calibrations(1e-6, 0.0, 10, 1.0), "users")
    shown = str(calibrations_shown.words_of_methods(frame, "users"))
    assert "1.00e-7" in shown
    assert "1.00e-6" in shown
    assert "0.00000" not in shown
    assert "0.0001" not in shown


def test_noise_of_each_kind_stands_beside_the_others_or_is_refused(opened):
    visit = opened("budget", runs="7", epsilon="0.2", delta="1e-6").whole()
    tables = [frame.value for frame in visit.main.dataframe]
    (table,) = (table for table in tables if "noise" in table)
    scale = 8 * math.sqrt(10 * math.log(5155 / 1e-6)) / 0.2
    assert table["scale (purchases)"][3] == pytest.approx(scale)
    visit = opened("mechanisms", mechanism="OneShotCounts").whole()
    assert visit.table()["scale (purchases)"].isna().tolist() == [False] * 3 + [True] + [False] * 2
    assert sum("proven only for ε ≤ 0.2" in words for words in visit.captions) == 1


def test_many_releases_cost_what_they_cost_where_they_are_ranked(opened):
    """As many as Choose ε and Publish were told of; δ that adds up is shared likewise."""
    for query, n in (({}, 10), ({"releases": "52"}, 52)):
        visit = opened("budget", runs="7", **query).whole()
        column = f"ε of {n} such releases, δ = 1e-6"
        (table,) = (f.value for f in visit.main.dataframe if column in f.value)
        spent = table.set_index("mechanism")[column]
        assert spent["Joint"] == joint_cost(Joint(10, 1.0), n, 1e-6).epsilon
        limited = with_share_of_delta(LimitedDomain(10, 1.0, 1e-6), n, 1e-6)
        assert spent["Limited domain"] == joint_cost(limited, n, 1e-6).epsilon
        assert spent.map(math.isfinite).all()
        assert f"joint_cost(one, {n}, 1e-06)" in visit.code
