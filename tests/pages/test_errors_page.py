"""Test the pages Errors and k and ε: every metric in every figure."""

import json
import re

import pytest

from dptopk import METRICS, LimitedDomain, load_dataset, summarize, sweep
from dptopk.questions.settings import AGAINST, MAX_K
from dptopk.questions.sweep import GRIDS
from dptopk.ui.sections.distribution import SHAPE

SHAPES = tuple(SHAPE.options)
COVER = (("metric", tuple(METRICS)), ("shape", SHAPES), {"log": ("true", "false")})


def test_every_metric_in_every_shape(opened, row):
    visit = opened("errors", runs=50, bound="true", **row).whole()
    metric = METRICS[row["metric"]]
    axis = visit.chart("errors")["layout"]["xaxis"]
    assert axis["title"]["text"].startswith(metric.title)
    padded = row["log"] == "true" and metric.in_counts
    assert (axis.get("type") == "log") == padded
    assert ("(log of 1 + x)" in axis["title"]["text"]) == padded
    drawn = "Theorem 3.3" in json.dumps(visit.chart("errors")["layout"])
    assert drawn == (len(visit.app.info) == 0)  # drawn, or told where there is one
    # the words under a figure speak of curves that are in it
    names = [trace["name"] for trace in visit.chart("errors")["data"]]
    promised = any("ide pale curve" in words for words in visit.captions)
    assert promised == any(name.endswith(", exact") for name in names)


def test_the_bound_is_drawn_where_it_applies_and_explained_where_not(opened):
    applies = {"metric": "signed_max", "bound": "true", "runs": "7", "shape": "cumulative"}
    drawn = opened("errors", **applies).whole().chart("errors")["layout"]["annotations"]
    bounds = [note["text"] for note in drawn if "Theorem" in note["text"]]  # not names of lines
    assert bounds == ["Theorem 3.3: 181"]  # 2 (10 ln 5155 + 5)
    for other in ({"neighbors": "swap"}, {"mechanisms": "PNFJoint"}, {"metric": "l1"}):
        visit = opened("errors", **applies | other).whole()
        assert "Theorem" not in json.dumps(visit.chart("errors")["layout"])
        assert "maximum error: Joint" in visit.app.info[0].value


@pytest.mark.parametrize(
    ("data", "against", "metric"),
    [
        ("games", "paper", "linf_index"),
        ("games", "epsilon", "k_relative"),
        ("classroom-paper_four", "k", "linf_index"),
        ("classroom-all_ties", "epsilon", "linf"),
    ],
)
def test_every_grid_with_metrics_of_either_unit(opened, data, against, metric):
    query = {"data": data, "against": against, "metric": metric, "runs_a_point": 2}
    visit = opened("sweep", **query).whole()
    d = {"games": 5_155, "classroom-paper_four": 4, "classroom-all_ties": 8}[data]
    over = GRIDS[against][0]
    shown = visit.table()[{"k": "k", "epsilon": "ε"}[over]].tolist()
    assert shown == sorted(set(shown))
    if over == "k":
        assert shown[-1] == d if d < 15 else 15 <= shown[-1] <= min(d, MAX_K)
    else:
        assert (shown[0], shown[-1]) == (0.01, 10.0)
    assert set(AGAINST.options) == set(GRIDS) | {"k_bar"}


def test_dots_come_first_and_are_exact_where_a_law_is_known(opened):
    visit = opened("errors", metric="signed_max", runs=50, beyond=100).whole()
    assert visit.address == {"metric": "signed_max", "runs": "50", "beyond": "100"}
    figure = visit.chart("errors")
    rows = dict(zip([trace["name"] for trace in figure["data"]],
                    figure["layout"]["yaxis"]["ticktext"], strict=True))  # fmt: skip
    assert rows["Joint"] == "Joint<br>median <b>0</b><br>exact"
    assert re.fullmatch("CDP-Peel<br>median <b>.+</b><br>simulated .+", rows["CDP-Peel"])
    (counted,) = (words for words in visit.said if words.startswith("Releases with an error"))
    for trace in figure["data"]:
        hollow = sum(symbol.endswith("-open") for symbol in trace["marker"]["symbol"])
        assert f"**{hollow} of 20** under {trace['name']}" in counted
        assert len(trace["marker"]["symbol"]) == 20
    assert "error above 100 purchases" in counted
    assert any("PNFJoint are exact, all others" in c for c in visit.captions)
    other = opened("errors", metric="linf_index", runs=50, beyond=100).whole()
    assert not any("Releases that err" in part.value for part in other.main.markdown)


def test_items_right_stand_beside_every_error_and_more_of_them_are_better(opened):
    visit = opened("errors", runs=50, metric="items_right", shape="cumulative").whole()
    frame = visit.table()
    assert all(cell.endswith(("]", " exact")) for cell in frame["items right, of 10"])
    assert "(more is better)" in visit.chart("errors")["layout"]["xaxis"]["title"]["text"]
    assert any(words.startswith("Items right: the number") for words in visit.said)
    swept = opened("sweep", metric="items_right", runs_a_point=5).whole()
    assert any(words.startswith("Most items right") for words in swept.said)


def test_the_measure_of_the_papers_figure_is_one_click_away(opened):
    visit = opened("errors", runs=7).whole()
    (button,) = (b for b in visit.main.button if "Figure 2" in b.label)
    button.click().run()
    assert visit.whole().address["metric"] == "signed_index"
    title = visit.chart("errors")["layout"]["xaxis"]["title"]["text"]
    assert title.startswith("place of the signed")
    assert not [b for b in visit.main.button if "Figure 2" in b.label]


def test_shares_of_runs_carry_their_interval_in_the_hover(opened):
    """But the share of right releases, which is exact."""
    visit = opened("errors", runs=50, shape="cumulative").whole()
    curves = [t for t in visit.chart("errors")["data"] if not t["name"].endswith(", exact")]
    assert curves
    for curve in curves:
        assert re.fullmatch(r"100% \[9[2-9]\.\d%, 100%\]", curve["customdata"][-1][1])
        assert re.fullmatch(r"\d+\.\d%, exact", curve["customdata"][0][1])
        assert "error ≤ %{customdata[0]:,}: %{customdata[1]} of" in curve["hovertemplate"]


def test_items_read_are_swept_at_the_shared_settings_where_some_are_not_read(opened):
    query = {"mechanisms": "Joint,LimitedDomain", "against": "k_bar", "runs_a_point": "5"}
    visit = opened("sweep", metric="items_right", **query).whole()
    read = [10, 15, 20, 30, 50, 80, 150, 300, 600]
    mechanisms = [LimitedDomain(10, 1.0, 1e-6)]
    trials = sweep(load_dataset("games"), mechanisms, "k_bar", read, n=5, seed=0)
    table = visit.table()
    assert list(table) == ["items read", "Limited domain"]
    assert table["items read"].tolist() == trials["k_bar"].unique().tolist()
    medians = summarize(trials, "items_right")["median"]
    assert [text.split()[0] for text in table["Limited domain"]] == [f"{m:g}" for m in medians]
    assert any(words.startswith("Number of items read") for words in visit.said)
    assert "k_bar" in visit.told()[0]["found"].trials
    everything = opened("sweep", mechanisms="Joint", runs_a_point="1").whole()  # is read there
    for one, is_offered in ((visit, True), (everything, False)):
        (group,) = (box for box in one.app.button_group if box.key == "against")
        assert ("items read" in group.options) is is_offered
