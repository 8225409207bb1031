"""Test every page with a mechanism of one's own, of which only a sampler is known."""

import pytest

from dptopk.mechanisms import extensions
from dptopk.ui.layout.pages import PAGES

DATA = {"data": "typed", "typed": "a 90\nb 70\nc 40\nd 20\ne 5", "k": 2, "runs": 50}


@pytest.fixture
def own(own_module, monkeypatch):
    monkeypatch.setenv(extensions.WITH, str(own_module))
    extensions.load()


@pytest.mark.grid
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_every_page_and_its_code_work(page, fresh_visits, opened, own):
    chosen = {"mechanism": "NoisyTop"} if page.single else {}
    visit = opened(page.key, mechanisms="Joint,NoisyTop", epsilon="0.5", **DATA, **chosen)
    visit.whole()
    _, printed = visit.told()
    assert printed


@pytest.mark.parametrize("page", ["compare", "exact"])
def test_it_is_in_a_group_of_its_own_with_what_is_claimed(page, fresh_visits, opened, own):
    visit = opened(page, mechanisms="NoisyTop", **DATA)
    inside = [caption.value for caption in visit.line.caption]
    said = [caption.value for caption in visit.app.caption]
    (claim,) = (words for words in said if "its guarantee is its author's claim" in words)
    assert claim not in inside  # which may be closed
    assert "Your own" in [pills.label for pills in visit.line.get("button_group")]
