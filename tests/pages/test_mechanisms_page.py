"""Test the page Mechanisms, and the links to it from names of mechanisms."""

import dataclasses
import re

import numpy as np
import pytest

from dptopk import MECHANISMS
from dptopk.mechanisms.pictures import Coins, NoisyCounts, Sizes, threshold
from dptopk.ui import show
from dptopk.ui.formats import typeset
from dptopk.ui.sections import explanation, how_it_chooses

CARDS = [mechanism.card for mechanism in MECHANISMS.values()]
NEVER_SWAP = ("StableSet", "AdaptiveK")  # but they stand beside those that do


def words(visit) -> str:
    return breaking(visit.words)


def breaking(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u2060", "")


@pytest.mark.parametrize("neighbors", ["add-remove", pytest.param("swap", marks=pytest.mark.grid)])
@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.key)
def test_a_mechanism_is_explained_from_its_card(opened, card, neighbors):
    visit = opened("mechanisms", mechanism=card.key, neighbors=neighbors).whole()
    assert visit.title == f"What is {card.name}?"
    told, shown = card.explanation, words(visit)
    for sentence in (*told.does, told.promise, told.good_for[1:], told.not_for[1:]):
        assert breaking(typeset(sentence)) in shown
    assert "e^(" not in shown
    mechanism = MECHANISMS[card.key](
        k=10, epsilon=1.0, **({"delta": 1e-6} if card.takes("delta") else {})
    )
    why = mechanism.why_not_exact
    assert (f"not possible: {why[:1].lower()}{why[1:]}" in shown) is bool(why)
    assert ("publish` draws it exactly" in shown) is (not why)
    for citation in (card.paper, *told.sources):
        assert shown.count(f"[{citation.paper.title}]({citation.url})") == 1
        assert citation.place in shown
    drawn = visit.charts
    moving = [part.proto.component_name for part in visit.main.get("bidi_component")]
    picture = ["dptopk_moving_limit" in moving, "chart-how-it-chooses" in drawn]
    assert picture == [card.key == "Joint", card.key != "Joint"], f"{card.name} needs a `picture`"
    assert drawn[-1:] == ["chart-swaps"]
    alone = re.search(
        rf"at which it is at most 5%, in purchases: {card.name} [\d,]+, ", "\n".join(visit.captions)
    )
    assert (alone is None) == (card.key in NEVER_SWAP)
    _, printed = visit.told()
    assert printed.startswith(f"{card.name} ")


@pytest.mark.parametrize(
    ("page", "data", "k", "figure"),
    [
        *(("compare", "games", 100, "comparison"), ("exact", "books", 10, "outputs")),
        *(("privacy", "books", 10, "privacy-use"), ("release", "games", 100, "")),
    ],
)
def test_all_mechanisms_at_once_have_a_row_or_column_each(
    opened, monkeypatch, page, data, k, figure
):
    heights, draw = {}, show._plot

    def drawn(shown, height):
        heights[shown.name] = max(shown.height, shown.least)
        draw(shown, height)

    monkeypatch.setattr(show, "_plot", drawn)
    every = ",".join(card.key for card in CARDS)
    visit = opened(page, data=data, k=k, runs=100, mechanisms=every).whole()
    written = "".join(element.proto.body for element in visit.main.get("html"))
    told = str(visit.chart(figure)) if figure else written
    assert [card.name for card in CARDS if card.name not in told] == []
    assert not figure or heights[figure] > 20 * len(CARDS)


def test_a_presentation_goes_through_all_chosen_mechanisms(opened):
    visit = opened("mechanisms", mechanisms="Joint,CDPPeel", mechanism="Joint", present=1).whole()
    seen = [visit.title]
    for _ in range(9):
        visit.app.button(key="present-Next").click().run()
        seen.append(visit.whole().title)
    assert seen == ["What is Joint?"] * 5 + ["What is CDP-Peel?"] * 5
    assert visit.address == {"mechanisms": "Joint,CDPPeel", "mechanism": "CDPPeel", "present": "5"}
    for place in (4, 3, 2, 1, 5):
        assert visit.press("present-Previous").address["present"] == str(place)
    assert visit.title == "What is Joint?"


def test_toys_are_explained_too_and_one_has_no_picture(opened, toys):
    for toy in toys:
        visit = opened("mechanisms", mechanism=toy.card.key, delta="1e-06").whole()
        assert breaking(typeset(toy.card.explanation.promise)) in words(visit)
        drawn = visit.charts
        assert ("chart-how-it-chooses" in drawn) == (toy.card.key != "ToyShort")
        no_picture = "There is no picture for these settings." in visit.captions
        assert no_picture or "chart-how-it-chooses" in drawn
    assert visit.line.select_slider(key="delta")
    visit = opened("mechanisms", mechanism="ToyShort", delta="0").whole()
    assert "delta must be above 0" in words(visit)


def test_an_example_of_a_card_is_a_link_away(opened):
    visit = opened("mechanisms", mechanism="Joint").whole()
    every = [link.proto for link in visit.main.get("page_link")]
    (link,) = (link for link in every if link.page == "exact" and link.query_string)
    assert "10, 9, 5, 1 with k = 1" in link.label
    assert link.query_string == "epsilon=1&vector=10%2C+9%2C+5%2C+1&small_k=1"
    assert "66.9% under PNFJoint" in words(visit)
    slide = words(opened("mechanisms", mechanism="Joint", k="1", present="5"))
    assert "counts 10, 9, 5 and 1," in slide


def test_all_mechanisms_are_cards_until_one_is_chosen(opened, monkeypatch):
    monkeypatch.setattr(explanation, "picture", None)  # what is not shown is not computed
    visit = opened("mechanisms").whole()
    cards = [one for one in visit.main.button if one.key.startswith("explain-")]
    assert {one.key for one in cards} == {f"explain-{card.key}" for card in CARDS}
    assert {one.label for one in cards} == {f"**{card.name}**" for card in CARDS}
    assert max(len(words.split()) for words in visit.captions) <= 15
    needs = {words.partition(" · ")[0]: words.partition(" · ")[2] for words in visit.captions}
    assert needs["Draws whole sequences"] == ""
    assert needs["Draws from the largest counts alone"] == "needs δ, no list of items"
    assert not [does for does in needs if does.startswith("Is Joint")]
    for card in CARDS:
        does = card.summary.removeprefix(card.name)[3:].partition(":")[0]
        assert any(does in words for words in visit.captions)
    assert visit.line.select_slider == []  # nothing here reads the settings
    monkeypatch.undo()
    assert visit.press("explain-Joint").title == "What is Joint?"
    assert visit.address == {"epsilon": "0.1"}
    assert visit.line.select_slider(key="epsilon")
    assert visit.press("all-mechanisms").address == {"epsilon": "0.1", "mechanism": "all"}
    assert {one.key for one in cards} <= {one.key for one in visit.main.button}
    assert visit.press("present-Present").title == "What is Joint?"


def test_names_lead_there_from_every_page_and_from_the_promises(opened):
    visit = opened("release", mechanisms="Joint,CDPPeel").whole()
    for place in (visit.line, visit.main):
        every = [link.proto for link in place.get("page_link")]
        links = [link for link in every if link.query_string]  # a phone has those of all pages
        assert [link.label for link in links] == ["Joint?", "CDP-Peel?"]
        assert [link.query_string for link in links] == ["mechanism=Joint", "mechanism=CDPPeel"]
        assert {link.page for link in links} == {"mechanisms"}
    there = opened("mechanisms").whole().line.get("page_link")
    assert not [link for link in there if link.proto.query_string]


def test_the_picture_begins_where_counts_are_closest_unless_chosen(opened):
    visit = opened("mechanisms", mechanism="PNFPeel").whole()
    assert visit.main.slider(key="from_place").value == 5  # 981 and 978 of Games
    assert visit.address == {"mechanism": "PNFPeel"}
    visit.main.slider(key="from_place").set_value(1).run()
    assert visit.whole().address == {"mechanism": "PNFPeel", "from_place": "1"}
    assert any("Round 1:" in caption for caption in visit.captions)


def test_rows_of_two_lines_have_room_for_both(offered):
    visit, found = offered("mechanisms", mechanism="CDPPeel")
    ticks = visit.chart("how-it-chooses")["layout"]["yaxis"]["ticktext"]
    assert all("<br>" in tick for tick in ticks)
    (height,) = map(int, re.findall("height: ?([0-9]+)px", found["How it chooses as HTML"][1]))
    assert height >= 140 + 40 * len(ticks)


def test_noise_is_drawn_again_with_the_next_seed(opened):
    visit = opened("mechanisms", mechanism="CDPPeel").whole()
    before = visit.chart("how-it-chooses")
    assert visit.press("draw").address == {"mechanism": "CDPPeel", "seed": "1"}
    assert visit.chart("how-it-chooses") != before
    slide = opened("mechanisms", mechanism="CDPPeel", present="2")
    assert slide.press("draw").address == {"mechanism": "CDPPeel", "present": "2", "seed": "1"}


def test_pictures_are_told_in_words():
    coins = Coins(np.array([9, 7]), np.log([1, 0.25]), np.log([0.875, 0.125]))
    noisy = NoisyCounts(np.array([9, 7]), np.array([6.5, 8.25]), "Gumbel")
    stable = threshold(91, 1.0, 13.12, np.log(0.75), np.log(0.25))
    sizes = Sizes(np.array([2, 1500]), np.log([0.25, 0.75]), np.log([0.001, 0.5]), np.log(0.499))
    for shown, said in (
        (coins, "A: heads 100%, released 87.5%; B: heads 25.0%, released 12.5%."),
        (noisy, "A: 9, 6.5, 2; B: 7, 8.2, 1."),
        (dataclasses.replace(noisy, threshold=7.04), "B: 7, 8.2, 1; the threshold ⊥: 7.0."),
        (stable, "13.1. The set is released: 75.0%; nothing is released: 25.0%."),
        (sizes, "2: gap 1,500, drawn 75.0%, released 50.0%; 1: gap 2, drawn 25.0%, released 0.1%."),
    ):
        assert how_it_chooses.described(shown, ["A", "B"]).endswith(said)
