"""What the app cites is named, and one click away."""

import re
from urllib.parse import parse_qsl

import pytest

from dptopk.papers import GILLENWATER_2022


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
    main = opened(page, **query).whole().app.main
    shown = " ".join(element.value for element in (*main.caption, *main.markdown, *main.info))
    assert GILLENWATER_2022.at(place).link in shown


@pytest.mark.parametrize(
    ("page", "query", "place", "opens"),
    [
        ("sweep", {"data": "books", "epsilon": 2}, "Figure 1", "sweep"),
        ("errors", {"metric": "signed_index"}, "Figure 2", "sweep"),
        ("compare", {"view": "map"}, "Figure 6", "compare"),
    ],
)
def test_a_figure_of_the_paper_is_named_where_it_comes_out_with_its_link(
    opened, page, query, place, opens
):
    quick = {"runs_a_point": 1, "runs": 1} if opens == "sweep" else {"runs": 1}
    few = {"data": "classroom-paper_four", "k": 2}  # no data of the paper
    said = " ".join(opened(page, **quick | few | query).captions)
    figure = re.escape(f"[{place} of {GILLENWATER_2022.short}]({GILLENWATER_2022.url})")
    link = re.search(rf"{figure} comes out of .* settings\]\((.*?)\)\.", said)[1]
    at, _, settings = link.partition("?")
    asked = dict(parse_qsl(settings))
    assert at == opens
    assert asked.get("data") == query.get("data")
    assert "50" in (asked.get("runs"), asked.get("runs_a_point"))
    there = opened(at, **asked | few | quick).whole()
    assert not there.complaints
    assert {"paper"} <= set(there.address.values())
    assert re.findall(r"^    (\w+)\(2", there.code, re.MULTILINE) == ["Joint", "PNFPeel", "CDPPeel"]


@pytest.mark.parametrize(
    ("page", "kind", "key", "place"),
    [
        ("release", "radio", "calibration", "Lemma 4.2"),
        ("errors", "toggle", "bound", "Theorem 3.3"),
        ("sweep", "button_group", "against", "Figure 1"),
    ],
)
def test_a_paper_that_a_control_speaks_of_is_linked_in_its_help(opened, page, kind, key, place):
    (control,) = (
        x for x in getattr(opened(page, runs=7, runs_a_point=1).app, kind) if x.key == key
    )
    assert GILLENWATER_2022.at(place).link in control.help


def test_the_papers_examples_are_linked_beside_their_buttons(opened):
    helps = [button.help for button in opened("exact").app.main.button]
    assert all(GILLENWATER_2022.at("Appendix D.3").link in words for words in helps[:2])
