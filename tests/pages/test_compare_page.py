"""Test the page Compare, and the choice of mechanisms by name and by three questions."""

import io
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from dptopk import MECHANISMS
from dptopk.mechanisms import Group
from dptopk.mechanisms.selections import fits
from dptopk.questions.winners import computed
from dptopk.simulation import winners
from dptopk.ui.sections import winner_map
from dptopk.ui.sentences import base
from dptopk.ui.server import work

QUESTION = {"order": "any", "extra": "none"}
FITTING = [
    m.card.key for m in MECHANISMS.values() if fits(m, ordered=False, delta=False, known=True)
]


def answered(visit, question: str, answer: str):
    visit.app.selectbox(key=question).set_value(answer).run()
    return visit.whole()


def test_the_right_ten_unordered_with_no_delta_in_two_answers(opened):
    visit = answered(opened("compare", k=40, runs=50), "order", "any")
    visit = answered(visit, "extra", "none")
    assert visit.address == QUESTION | {"k": "40", "runs": "50", "mechanisms": ",".join(FITTING)}
    (answer,) = (words for words in visit.said if words.startswith("Most likely"))
    assert "sensitivity (72.3%, exact" in answer
    table = visit.table().set_index("mechanism")
    assert table.loc["PNF inverse sensitivity", "right as a set"] == "★ 72.3% exact"
    assert len(table) == len(FITTING)
    assert set(table["guarantee"]) == {"ε = 1, no δ"}
    assert table["releases"].str.startswith("40 items").all()
    again = opened("compare", **visit.address).whole()
    assert again.everything() == visit.everything()


def test_a_button_takes_all_that_fit_the_answers_of_a_link(opened):
    visit = opened("compare", runs=7, **QUESTION).whole()
    assert "mechanisms" not in visit.address  # an answer in a link chooses nothing by itself
    assert visit.press("take-fitting").address["mechanisms"] == ",".join(FITTING)
    taken = visit.app.button(key="take-fitting")
    assert (taken.label, taken.disabled) == (f"All {len(FITTING)} are chosen", True)


def test_where_nothing_fits_the_choice_stays_and_that_is_said(opened):
    visit = answered(opened("compare", runs=7, extra="none"), "listed", "unknown")
    assert "mechanisms" not in visit.address
    assert any(note.value.startswith("No mechanism fits") for note in visit.main.info)


def test_the_questions_are_asked_in_the_line_of_other_pages(opened):
    visit = answered(opened("gaps"), "order", "any")
    assert "InverseSensitivitySet" in visit.address["mechanisms"]
    asked = {"order", "extra", "listed"}
    assert asked <= {box.key for box in visit.line.selectbox}
    leads = [link.proto for link in visit.line.get("page_link")]
    (best,) = (link for link in leads if link.label == "Which is best?")
    assert best.page.endswith("compare")
    there = opened("compare", runs=7).whole()
    assert asked <= {box.key for box in there.main.selectbox}
    assert not asked & {box.key for box in there.line.selectbox}
    assert not [link for link in there.line.get("page_link") if "best" in link.proto.label]


@pytest.mark.parametrize("page", ["release", "compare"])
def test_mechanisms_are_grouped_by_what_they_need_and_give(opened, page):
    visit = opened(page, runs=7).whole()
    groups = {g.key: g for g in visit.line.button_group}
    for group in Group:
        cards = [m.card for m in MECHANISMS.values() if m.card.group is group]
        assert (f"_group-{group.name}" in groups) == bool(cards)
        if cards:
            shown = groups[f"_group-{group.name}"]
            assert shown.label == group.value
            assert shown.value == [card.key for card in cards if card.featured]
    groups["_group-SETS"].set_value(["JointSet"]).run()
    featured = [m.card.key for m in MECHANISMS.values() if m.card.featured]
    assert set(visit.whole().address["mechanisms"].split(",")) == {*featured, "JointSet"}


def test_sequences_and_sets_are_ranked_apart_only_where_the_order_is_seen(opened):
    chosen = "Joint,CDPPeel,InverseSensitivitySet,JointSet"
    apart = opened("compare", runs=50, k=40, mechanisms=chosen, metric="l1").whole()
    stars = apart.table().set_index("mechanism")["median"].str.startswith(("★", "☆"))
    assert stars.loc[["Joint", "CDP-Peel"]].any()
    assert stars.loc[["Inverse sensitivity", "Joint set"]].any()
    together = opened("compare", runs=50, k=40, mechanisms=chosen, metric="k_relative").whole()
    stars = together.table().set_index("mechanism")["median"].str.startswith(("★", "☆"))
    assert stars.index[stars].tolist() == ["Inverse sensitivity"]
    places = opened("compare", runs=50, metric="linf_index").whole()
    assert any(words.endswith(base.NO_RANKS) for words in places.said)
    assert not places.table()["median"].str.startswith(("★", "☆")).any()


SMALL = {"data": "typed", "typed": "90 70 55 50", "runs": 20}


@pytest.mark.parametrize(("view", "ks"), [("map", "k"), ("paper", "paper")])
def test_a_link_of_0_2_to_the_map_leads_to_its_page(opened, view, ks):
    visit = opened("compare", view=view, measure="exact_set", mechanisms="Joint", **SMALL).whole()
    assert "best at each k and ε" in visit.title
    assert visit.address.get("map_ks", "k") == ks
    assert visit.address["measure"] == "exact_set"
    assert "for a top 4" in visit.go("compare").whole().title


def answers(visit) -> list[str]:
    """Who is best in some cell of the map."""
    return [t["name"] for t in visit.chart("winner-map")["data"] if t["type"] == "heatmap"]


def test_the_map_says_who_wins_each_cell_and_comes_back_after_a_change_of_page(opened, monkeypatch):
    visit = opened("winners", measure="exact_set", mechanisms="Joint,PNFPeel", **SMALL).whole()
    (answer,) = (words for words in visit.said if words.startswith("Best by"))
    assert "of 40 cells: " in answer
    assert re.search(r"none in \d+, where even", answer)  # the best is near guessing
    names, printed = visit.told()
    won = names["won"]
    map_of_names = won.pivot(index="epsilon", columns="k", values="winner").iloc[::-1]
    assert printed == f"{map_of_names.to_string()}\n{names['scores'].to_string()}\n"
    assert names["scores"]["exact"].all()
    table = visit.table().set_index("k")
    assert table.shape == (4, 10)
    for cell in won.itertuples():
        nobody = "all equal" if cell.equal else "not distinguishable"
        shown = table.loc[cell.k, f"ε = {cell.epsilon:g}"]
        assert shown.strip("()") == (cell.winner or nobody)
    assert "(PNF-Peel)" in table.loc[:, "ε = 0.01"].tolist()  # near guessing
    before = visit.chart("winner-map")
    assert "100% exact" not in str(before)  # a float that is 1 may be a rounded one
    (named,) = (t["text"] for t in before["data"] if t.get("mode") == "text")
    assert set(named) == {answer for answer in answers(visit) if answer} != set()
    visit.go("data")
    monkeypatch.setattr(winners, "batches_of", None)  # nothing is run anew
    assert visit.go("winners").whole().chart("winner-map") == before


@pytest.mark.parametrize(
    ("n_best", "equal", "poor", "said"),
    [
        (1, False, False, "A"),
        (1, False, True, "(A)"),
        (3, True, False, "A = B = C"),
        (3, False, False, "A or B or C"),
        (4, True, False, "4 of 6 equal"),
        (5, False, False, "5 of 6 not distinguishable"),
        (6, True, False, "all equal"),
        (6, False, False, "not distinguishable"),
    ],
)
def test_a_cell_of_the_table_names_a_few_and_counts_many(n_best, equal, poor, said):
    cell = SimpleNamespace(best=tuple("ABCDEF"[:n_best]), n=6, equal=equal, poor=poor)
    assert winner_map._who(cell) == said


def test_the_map_has_the_present_setting_and_its_title_says_who_is_best_there(opened):
    asked = {"data": "typed", "typed": " ".join(map(str, range(2_000, 0, -100))), "runs": 20}
    asked |= {"k": 4, "mechanisms": "Joint", "metric": "k_relative"}
    visit = opened("winners", epsilon=0.03, **asked).whole()
    assert visit.app.selectbox(key="measure").value == "k_relative"  # as the other pages measure
    assert visit.table().set_index("k").loc[4, "ε = 0.03"] == "Joint"
    by = "by the median k-relative error"
    assert visit.finding == f"Joint is best at k = 4, ε = 0.03, {by}"
    places = opened("winners", **asked | {"metric": "linf_index"}).whole()  # no measure of the map
    assert places.app.selectbox(key="measure").value == "linf"
    rare = opened("winners", epsilon=0.001, **asked).whole()
    assert "near guessing at k = 4, ε = 0.001" in rare.finding


def test_a_file_of_the_map_says_what_its_signs_are_and_how_it_is_known(offered):
    _, found = offered("winners", measure="exact_set", mechanisms="Joint", **SMALL)
    figure = found["Winner map as HTML"][1]
    assert "Blank: all are alike" in figure
    assert "sidebar" not in figure.split('id="plotly"')[0]
    for known, said in (
        (2, "exact"),
        (0, "simulated"),
        (1, "1 of 2 scores exact, all others simulated"),
    ):
        assert computed(known, 2) == said


def test_the_file_of_the_winners_holds_every_score_with_its_interval(offered):
    _, found = offered("winners", measure="k_relative", mechanisms="Joint,PNFPeel", **SMALL)
    kept = pd.read_csv(io.BytesIO(found["Winners of the map as CSV"][1]), comment="#")
    of_each = ["score", "low", "high", "exact"]
    columns = [f"{name}, {what}" for name in ("Joint", "PNF-Peel") for what in of_each]
    assert [column for column in kept if ", " in column] == columns
    assert len(kept) == 40
    assert (kept["PNF-Peel, low"] <= kept["PNF-Peel, high"]).all()
    assert kept["Joint, exact"].all()


def test_the_map_ranks_sequences_and_sets_together_only_where_it_says_so(opened):
    visit = opened("winners", mechanisms="Joint,InverseSensitivitySet", **SMALL).whole()
    assert visit.app.selectbox(key="ranked").options == ["sequences only", "sets only"]
    assert set(answers(visit)) <= {"Joint", "no clear winner", "even the best is near guessing"}
    visit.app.selectbox(key="measure").set_value("k_relative").run()
    assert visit.app.selectbox(key="ranked").options[0] == "all together"
    assert "Inverse sensitivity" in " ".join(answers(visit.whole()))


def test_what_was_stopped_is_compared_as_far_as_it_went(opened, monkeypatch):
    real = work.run_pieces

    def stopped(pieces, key, *more):
        return real(dict([*pieces.items()][: {"errors": 3, "seconds": 2}[key]]), key, *more)

    monkeypatch.setattr(work, "run_pieces", stopped)
    visit = opened("compare", runs=7).whole()
    (speed,) = (name for name in visit.table() if name.startswith("ms a draw"))
    assert sorted(cell == "–" for cell in visit.table()[speed]) == [False, False, True]


def test_where_all_items_tie_whoever_releases_k_of_them_is_certain_to_be_right(opened):
    """PNF-Peel and Laplace have no law of the exact set: here none is needed."""
    chosen = "Joint,PNFPeel,CDPPeel,Laplace"
    visit = opened("compare", data="classroom-all_ties", k="3", runs="7", mechanisms=chosen).whole()
    (said,) = (words for words in visit.said if words.startswith("Certain to release exactly"))
    assert "cannot tell" not in said
    assert list(visit.table()["right as a set"]) == ["☆ 100% exact"] * 4


def test_the_error_of_an_empty_release_is_said_to_be_that(opened):
    """Once Stable set was praised for the smallest error of the sets: 4,841 purchases."""
    visit = opened("compare", mechanisms="Joint,StableSet,CDPPeel", epsilon="0.1", runs=50).whole()
    (finding,) = (words for words in visit.said if "Smallest median" in words)
    assert "set (nothing released)" in finding
    texts = [t["text"][-1] for t in visit.chart("comparison")["data"] if t.get("text")]
    assert texts[-1].strip() == "nothing released"
