"""Test that all cited papers are named and linked."""

import re

import pytest
from controls import controls_of

from dptopk.core.papers import GILLENWATER_2022


@pytest.mark.parametrize(
    ("page", "query", "place"),
    [
        ("budget", {}, "Lemma 4.2"),
        ("errors", {"bound": "true", "metric": "signed_max", "runs": 7}, "Theorem 3.3"),
        ("data", {"data": "classroom-paper_four"}, "Appendix D.3"),
        ("privacy", {"run": "as_printed"}, "Algorithm 3"),
    ],
)
def test_a_cited_theorem_is_linked_on_the_page(opened, page, query, place):
    main = opened(page, **query).whole().main
    shown = " ".join(element.value for element in (*main.caption, *main.markdown, *main.info))
    assert GILLENWATER_2022.at(place).link in shown


@pytest.mark.parametrize(
    ("page", "query", "figures"),
    [
        ("errors", {"metric": "signed_index"}, "26"),
        ("sweep", {"metric": "l1"}, "16"),
        ("sweep", {"metric": "items_right"}, ""),
    ],
)
def test_the_figures_of_a_measure_are_named_where_it_comes_out_with_their_links(
    opened, page, query, figures
):
    few = {"runs_a_point": 1} if page == "sweep" else {"runs": 1}
    few |= {"data": "classroom-paper_four", "k": 2}  # no data of the paper
    said = " ".join(opened(page, **few | query).captions)
    assert re.findall(r"\[drawn again [a-z ]+\]\(papers\?figure=(\w+)\)", said) == [*figures]
    for key in figures:
        assert GILLENWATER_2022.at(f"Figure {key}").link in said


def test_a_paper_that_a_control_speaks_of_is_linked_in_its_help(opened):
    control = controls_of(opened("release").app)["calibration"]
    assert GILLENWATER_2022.at("Lemma 4.2").link in control.help


REPEATED = "707 purchases repeat a user and a game, so one user counts more than once for an item"
FROM_DATA = "the list of items was taken from the data"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({}, [f"{REPEATED}; {FROM_DATA}."]),
        ({"data": "books", "mechanisms": "Joint"}, [f"{FROM_DATA}."]),
        ({"mechanisms": "LimitedDomain"}, [f"{REPEATED}."]),
        ({"data": "classroom-ten_steps"}, []),
    ],
)
def test_a_premise_that_is_known_to_fail_is_told_beside_the_promise(opened, query, said):
    notes = [note.value for note in opened("release", **query).whole().main.info]
    head = "On these data the guarantees do not hold as stated: "
    assert [note for note in notes if note.startswith("On these")] == [head + s for s in said]


def test_repeated_names_of_typed_counts_are_said_to_be_summed_and_told_apart(opened):
    text = "apple 12\napple 3\npear 2\nfig 1"
    visit = opened("exact", data="typed", typed=text, k="2", small="top", n_items="3").whole()
    summing = "1 name occurred more than once: the counts of each were summed, which leaves 3 items"
    assert summing in visit.words
    assert any(summing in words for words in visit.captions)  # goes with the figure
    visit.main.button(key="apart-typed").click().run()
    assert visit.whole().address["typed"] == "apple 12\napple (2), 3\npear 2\nfig 1"
    assert summing not in visit.words
