"""Every mechanism at once, on the data of the paper, at a small k and a large one."""

import time

import pytest

from dptopk import MECHANISMS

CARDS = [mechanism.card for mechanism in MECHANISMS.values()]
ALL = ",".join(card.key for card in CARDS)


@pytest.mark.parametrize(
    ("link", "pages"),
    [
        ("data=games&k=100&runs=100", ("release", "compare")),
        ("data=books&k=10&runs=100", ("exact", "privacy")),
    ],
    ids=["games", "books"],
)
def test_every_mechanism_is_drawn(link, pages, visitor):
    for page in pages:
        begun = time.monotonic()
        visitor.open(f"/{page}?{link}&mechanisms={ALL}")
        assert time.monotonic() - begun < 60  # progress is shown long before
        main = visitor.page.get_by_test_id("stMain")
        for kind in ("Error", "Warning"):  # an Info tells that the data do not meet the premise
            assert main.get_by_test_id(f"stAlertContent{kind}").all_inner_texts() == [], page
        if page == "release":
            heads = main.locator(".ranking th").all_inner_texts()
            assert heads[3:] == [card.name for card in CARDS]
            continue
        figure = main.get_by_test_id("stPlotlyChart").first
        drawn = " ".join(figure.locator(".main-svg text").all_text_contents())
        assert [card.name for card in CARDS if card.name not in drawn] == [], page
        box = figure.bounding_box()  # names and bars do not lie on each other
        assert box["height"] > 20 * len(CARDS), page
