"""Test all mechanisms at once on the data of the paper, at a small k and a large one."""

import time

import pytest

from dptopk import MECHANISMS

CARDS = [mechanism.card for mechanism in MECHANISMS.values()]
ALL = ",".join(card.key for card in CARDS)


@pytest.mark.grid
@pytest.mark.parametrize(
    "address",
    [
        *("release?data=games&k=100", "compare?data=games&k=100"),
        *("exact?data=books&k=10", "privacy?data=books&k=10"),
    ],
)
def test_every_mechanism_is_drawn(address, visitor):
    begun = time.monotonic()
    visitor.open(f"/{address}&runs=100&mechanisms={ALL}")
    assert time.monotonic() - begun < 60  # progress is shown long before
    main = visitor.page.get_by_test_id("stMain")
    for kind in ("Error", "Warning"):  # an Info tells that the data do not meet the premise
        assert main.get_by_test_id(f"stAlertContent{kind}").all_inner_texts() == []
    if address.startswith("release"):
        heads = main.locator(".ranking th").all_inner_texts()
        assert [head.partition("\n")[0] for head in heads[3:]] == [card.name for card in CARDS]
        return
    of_all = {"privacy": ".st-key-chart-privacy-use"}.get(address.partition("?")[0], "")
    figure = main.locator(f"{of_all} .stPlotlyChart").first
    drawn = " ".join(figure.locator(".main-svg text").all_text_contents())
    assert [card.name for card in CARDS if card.name not in drawn] == []
    box = figure.bounding_box()  # names and bars do not lie on each other
    assert box["height"] > 20 * len(CARDS)
