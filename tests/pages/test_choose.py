"""Test the page Choose ε: the smallest ε for a target, cheapest mechanism first."""

import io
import math
import re

import pandas as pd
import pytest
from dialog import PUBLIC, dropped, with_dialog

from dptopk import CDPPeel, InverseSensitivitySet, ItemCounts, Joint, load_dataset, smallest_epsilon
from dptopk.core.numerals import needed, rounded_up
from dptopk.tuning.repeated import joint_cost
from dptopk.ui.sections import smallest_epsilon as choose
from dptopk.ui.sentences import texts


def test_the_cheapest_comes_first_with_its_exact_answer(opened):
    visit = opened("choose", mechanisms="Joint,InverseSensitivitySet").whole()
    games = load_dataset("games")
    kinds = (InverseSensitivitySet, Joint)
    exact = [smallest_epsilon(games, kind(10, 1.0), "exact_set").epsilon for kind in kinds]
    assert [float(value) for _, value in visit.tiles] == [rounded_up(e) for e in exact]
    assert [label for label, _ in visit.tiles] == ["ε, Inverse sensitivity", "ε, Joint"]
    marks = [t for t in visit.chart("target")["data"] if t["mode"] == "markers"]
    marks = [mark for mark in marks if "not chosen" not in mark["name"]]
    assert [t["name"] for t in marks] == ["Joint", "Inverse sensitivity"]  # gaps go over solid
    marks.sort(key=lambda trace: trace["legendrank"])
    assert [t["x"][0] for t in marks] == pytest.approx(exact)
    assert choose.LEAK in [note.value for note in visit.main.info]  # ε is chosen on these data


def test_who_was_not_chosen_and_needs_less_is_one_click_away(opened):
    visit = opened("choose", mechanisms="Joint,CDPPeel").whole()
    said = visit.said
    assert re.search(r"with Joint; [\d.]+ if published without ranks, by PNF", visit.finding)
    (offer,) = (text for text in said if "is not chosen" in text)
    least = float(re.search(r"ε = (\d+(?:\.\d+)?)", offer)[1])
    assert least < float(visit.tiles[0][1])
    visit.press("add-cheaper")
    assert float(visit.tiles[0][1]) == least  # it is first now, and nobody is cheaper
    assert len(visit.tiles) == 3
    assert not [button for button in visit.app.button if button.key == "add-cheaper"]
    seen = ({"goal": "exact_sequence"}, {"goal": "error", "metric": "signed_max", "most": 3})
    for goal in seen:  # sets cannot err in the order: none is offered instead of a sequence
        ordered = opened("choose", mechanisms="Joint", **goal, k=3).whole()
        (offer,) = (t.value for t in ordered.main.markdown if "is not chosen" in t.value)
        assert "no order" not in offer
        least = float(re.search(r"ε = (\d+(?:\.\d+)?)", offer)[1])
        assert least < float(ordered.tiles[0][1])


def test_a_target_by_runs_carries_its_interval(opened):
    visit = opened("choose", mechanisms="PNFPeel", goal="items_right", least=4, k=5).whole()
    assert "at least 4 of the right 5" in visit.title
    assert any("simulated (95%: " in caption for caption in visit.captions)
    assert math.isfinite(float(visit.tiles[0][1]))


def test_an_error_and_a_public_stand_in_and_other_k(opened):
    link = {"mechanisms": "Joint", "goal": "error", "metric": "k_relative", "most": 20}
    visit = opened("choose", **link, stand_in="books", other_k="true").whole()
    assert "at most 20 purchases" in visit.title
    assert "Joint on Books (Goodreads)" in visit.finding
    assert "ε on the public data" in visit.table(0).columns
    assert list(visit.table(1).columns) == ["mechanism", "k = 5", "k = 10", "k = 20", "k = 50"]
    *told, there = [line.split() for line in visit.told()[1].splitlines()[1:]]
    assert needed(float(there[5])) == visit.table(0)["ε on the public data"][0]
    assert [needed(float(one[4])) for one in told] == visit.table(1).iloc[0, 1:].tolist()
    assert [one[1:4] + one[-1:] for one in told] == [
        ["k", "=", str(k), "exact"] for k in (5, 10, 20, 50)
    ]
    marks = (t for t in visit.chart("target")["data"] if t["mode"] == "markers")
    (mark,) = (one for one in marks if "not chosen" not in one["name"])
    books = smallest_epsilon(load_dataset("books"), Joint(10, 1.0), ("k_relative", 20)).epsilon
    assert mark["x"] == [pytest.approx(books)]  # curve and answer, as the tile says
    assert any("(Goodreads) · k = 10" in text for text in visit.captions)


def test_any_epsilon_is_said_to_be_enough_where_that_is_certain_and_how_far_down_where_not(opened):
    link = {"data": "typed", "mechanisms": "Joint,AdaptiveK", "k": 2}
    whole = opened("choose", **link, typed="90 50").whole()
    assert whole.tiles == [("ε, Joint", "any ε"), ("ε, Adaptive k", "no ε")]
    assert whole.finding == "Any ε is enough with Joint"
    assert whole.table(0)["how known"][0] == "every output achieves this"
    apart = opened("choose", **link, typed="9000000000 4000000000 1").whole()
    assert apart.tiles[0] == ("ε, Joint", "any ε")
    assert apart.captions[0] == "down to ε = 1e-6"


def test_what_no_epsilon_reaches_is_said(opened):
    visit = opened("choose", mechanisms="AdaptiveK", goal="exact_set").whole()
    assert visit.tiles == [("ε, Adaptive k", "no ε")]
    assert not any("100%" in caption for caption in visit.captions)  # noise can prevent it
    assert visit.captions[0].endswith(": there never in practice")


@pytest.mark.parametrize("page", ["choose", "handover"])
@pytest.mark.parametrize(
    "link",
    [
        {"data": "typed", "typed": "5 5 5", "k": 2, "goal": "exact_set"},  # of ties all are right
        {"mechanisms": "AdaptiveK", "goal": "exact_set"},  # which no epsilon reaches
    ],
    ids=["ties", "unreachable"],
)
def test_several_releases_that_need_no_amount_are_not_compared(opened, page, link):
    visit = opened(page, releases=4, **link).whole()
    charts = visit.charts
    assert "chart-together" not in charts
    assert len(set(charts)) == len(charts)


def test_an_error_as_a_share_of_the_last_count_is_that_many_users(opened):
    link = {"mechanisms": "Joint", "goal": "error_share", "metric": "k_relative"}
    visit = opened("choose", **link, most_share=5).whole()
    games = load_dataset("games")
    most = float(int(0.05 * games.counts_at(games.order[[9]])[0]))
    exact = smallest_epsilon(games, Joint(10, 1.0), ("k_relative", most)).epsilon
    assert f"place 10 ({most:,.0f} purchases)" in visit.title
    assert float(visit.tiles[0][1]) == rounded_up(exact)


def test_what_delta_buys_is_exact_beside_the_cheapest_without(opened):
    link = {"mechanisms": "InverseSensitivitySet,CDPPeel", "against_delta": "true", "delta": 1e-5}
    visit = opened("choose", **link).whole()
    games = load_dataset("games")
    curve, without = visit.chart("against-delta")["data"]
    assert curve["x"] == [1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3]
    at = curve["x"].index(1e-5)
    own = smallest_epsilon(games, CDPPeel(10, 1.0, 1e-5), "exact_set").epsilon
    assert curve["y"][at] == pytest.approx(own, rel=1e-6)
    assert curve["y"] == sorted(curve["y"], reverse=True)
    pure = smallest_epsilon(games, InverseSensitivitySet(10, 1.0), "exact_set").epsilon
    assert without["y"] == pytest.approx([pure, pure])
    told = [line.split() for line in visit.told()[1].splitlines()[2:]]
    assert [float(one[3]) for one in told] == curve["x"]
    assert [float(one[4]) for one in told] == pytest.approx(curve["y"])
    assert {one[-1] for one in told} == {"exact"}


def test_a_zipf_shape_stands_in_and_says_what_it_takes(opened):
    visit = opened("choose", mechanisms="Joint", stand_in="zipf").whole()
    there = visit.table(0)["ε on the synthetic distribution"][
        0
    ]  # not public: it is made of the data
    assert visit.tiles == [("ε, Joint", there)]
    assert any(text.startswith("from the synthetic ") for text in visit.captions)
    assert needed(float(visit.told()[1].splitlines()[1].split()[5])) == there


def test_few_items_tell_how_much_of_epsilon_is_used(opened):
    link = {"data": "classroom-paper_four", "k": 2, "mechanisms": "Joint"}
    row = opened("choose", **link).whole().table(0).iloc[0]
    assert row["right guess from a 50% prior, at most"].endswith("%")
    assert 0.3 < float(row["share of ε really used here"].rstrip("%")) / 100 <= 1


def test_a_file_says_of_each_row_how_it_is_known_and_never_a_sidebar(offered):
    _, found = offered("choose", mechanisms="Joint,PNFPeel,CDPPeel", k=14, against_delta="true")

    def read(label):
        return pd.read_csv(io.BytesIO(found[f"{label} as CSV"][1]), encoding="utf-8-sig")

    by = read("Smallest ε of each mechanism").set_index("mechanism")
    assert set(by.index[by["computed"] == "exact"]) == {"Joint", "CDP-Peel"}
    assert by["computed"]["PNF-Peel"] == "simulated"
    for name in ("runs", "seed"):
        assert by[name].notna().to_dict() == {"Joint": False, "CDP-Peel": False, "PNF-Peel": True}
    assert by["delta"].to_dict() == {"Joint": 0.0, "CDP-Peel": 1e-6, "PNF-Peel": 0.0}
    assert read("Smallest ε against δ")["epsilon_needed"].dtype == float
    assert "sidebar" not in found["Target as HTML"][1].split('id="plotly"')[0]


LAST_YEAR = b"item,likes\nancient tea,900\nold jam,500\nelder milk,480\nbygone ham,9\n"


def test_last_years_file_stands_beside_and_leaves_no_trace(offered):
    visit, _ = offered("choose", data="books", mechanisms="Joint", k=2, stand_in="upload")
    assert any("has no public file yet" in words for words in visit.captions)
    dropped(visit, "last_year.csv", LAST_YEAR, PUBLIC)
    (unit,) = (box for box in visit.app.text_input if box.key.startswith("unit-"))
    assert unit.value == "likes"  # what it counts is asked, as of the first
    with_dialog(visit, PUBLIC)
    visit.app.button(key="use-upload").click()
    visit.app.run()
    visit.whole()
    theirs = ItemCounts([900, 500, 480, 9])
    exact = smallest_epsilon(theirs, Joint(2, 1.0), "exact_set").epsilon
    row = visit.table(0).iloc[0]
    assert float(row["ε on the public data"]) == rounded_up(exact)
    own = smallest_epsilon(load_dataset("books"), Joint(2, 1.0), "exact_set").epsilon
    assert float(row["ε needed"]) == rounded_up(own)  # both, beside each other
    assert "4 items, numbers of likes" in " ".join(visit.captions)
    assert visit.app.query_params["stand_in"] in ("upload", ["upload"])
    # the one to use is that of the public data, with odds that belong to it
    assert float(visit.tiles[0][1]) == rounded_up(exact)
    assert any(f"{texts.posterior(exact)} · on your own " in words for words in visit.captions)
    use = visit.app.button(key="use-epsilon")
    assert use.label == f"Use ε = {rounded_up(exact)}, from the public data"
    use.click().run()
    assert float(visit.address["epsilon"]) == rounded_up(exact)
    assert not [button for button in visit.app.button if button.key == "use-epsilon"]
    for content in ("ancient", "900", "last_year"):
        assert content not in str(visit.app.query_params)
        assert content not in offered.found["Settings file"][1]
    for label, (_, content) in offered.found.items():
        if isinstance(content, str) and "HTML" not in label:
            assert "ancient" not in content, label
    assert "_upload_draft" not in visit.app.session_state
    assert visit.line.selectbox(key="data").value == "books"  # one's own data stay
    visit.press("remove-public")
    assert "_public_file" not in visit.app.session_state
    assert "ε on the public data" not in visit.table(0).columns
    assert "stand_in" not in visit.app.query_params


def test_a_public_file_that_cannot_be_read_changes_nothing(opened):
    visit = opened("choose", mechanisms="Joint", k=2, stand_in="upload")
    dropped(visit, "bad.csv", b"item,count\na,5\nb,many\n", PUBLIC)
    assert any("cannot be used yet" in error.value for error in visit.app.error)
    assert "_public_file" not in visit.app.session_state


def test_several_releases_are_ranked_by_what_they_cost_together(opened):
    """The question, the ranking, the figure and the code are of all of them."""
    link = {"mechanisms": "Joint,PNFJoint,PNFPeel", "releases": 52, "total_epsilon": "0.5"}
    visit = opened("choose", **link).whole()
    assert visit.title.startswith("What do 52 releases cost")
    each = smallest_epsilon(load_dataset("games"), Joint(10, 1.0), "exact_set").epsilon
    total = joint_cost(Joint(10, each), 52, 1e-6).epsilon
    assert visit.finding == f"52 releases cost ε = {needed(total)} with Joint, {needed(each)} each"
    assert visit.tiles[0] == ("ε of 52, Joint", needed(total))
    assert any("2.75 for all 52, 0.167" in words for words in visit.said)
    assert visit.chart("together")["data"][0]["customdata"] == ["Joint", "PNFJoint", "PNF-Peel"]
    assert visit.chart("target")["data"]  # of one release, below
    rows = visit.table(1).set_index("mechanism")["ε of each"]
    assert rows[["Joint", "PNFJoint"]].tolist() == ["0.0344", "0.0177"]
    assert visit.line.select_slider(key="delta").value == 1e-6  # nobody chosen has one
    _, printed = visit.told()
    assert f"52 together {total}" in printed
    assert "within 0.5 0.0344" in printed


def test_a_delta_that_is_not_allowed_comes_with_the_answer_or_a_mechanism_that_needs_it(opened):
    link = {"mechanisms": "Joint", "extra": "none"}
    visit = opened("release", **link)
    assert "delta" not in [box.key for box in visit.line.select_slider]
    visit.app.selectbox(key="extra").set_value("allowed").run()  # and chooses all that fit
    assert visit.whole().line.select_slider(key="delta").value == 1e-6
    link["mechanisms"] += ",CDPPeel"  # named in spite of the answer
    assert opened("release", **link).line.select_slider(key="delta").value == 1e-6


@pytest.mark.parametrize(
    ("asked", "said"), [("99.5%", "Did you mean 0.995?"), ("0", "must be above 0 and below 1")]
)
def test_a_probability_that_is_none_is_refused_and_not_taken_for_the_default(opened, asked, said):
    (complaint,) = opened("choose", chance=asked).complaints
    assert said in complaint
    visit = opened("choose")
    visit.app.text_input(key="_typed-chance").set_value(asked).run()
    (warning,) = visit.toasts
    assert said in warning


def test_how_often_all_of_several_are_right_is_said_in_words_where_it_is_tiny(opened):
    visit = opened("choose", mechanisms="Joint", chance=0.5, releases=20)
    said = "Each has the right 10 items in any order with probability 50%; all 20: 1 in 1.0 million"
    assert said in visit.words
