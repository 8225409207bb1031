"""Test every page and its code with three added mechanisms, and with one of one's own."""

import numpy as np
import pytest

from dptopk import ItemCounts, Joint, exact_error, output_distribution
from dptopk.mechanisms import extensions
from dptopk.ui.layout.pages import PAGES

TOYS = "ToySet,ToyShort,ToyCounts"


def test_the_exact_page_shows_their_laws_side_by_side(opened, toys):
    visit = opened("exact", mechanisms=f"Joint,{TOYS}").whole()
    shown = visit.table().set_index("output")
    fits = visit.table(1).set_index("mechanism")["agrees"]
    for kind in (Joint, *toys):
        made = kind(2, 1.0, **({"delta": 1e-6} if kind.card.takes("delta") else {}))
        law = output_distribution(ItemCounts([10, 5, 1, 1], list("ABCD")), made)
        of_kind = shown[kind.name]
        assert of_kind.sum() == pytest.approx(1, abs=1e-9)
        np.testing.assert_allclose(of_kind.loc[law.labels()], law.probabilities, rtol=1e-12)
        assert fits[kind.name] in ("✓ yes", "one cell: nothing to test")
    assert visit.firsts["Toy-Set"] == f"{shown.loc['{A, B}', 'Toy-Set']:.1%}"  # in any order
    assert "⊥" in shown["Toy-Short"].dropna().index


def test_the_errors_page_takes_the_law_that_one_of_them_knows(opened, toys):
    visit = opened("errors", mechanisms=TOYS, metric="k_relative", epsilon="0.05", runs=50).whole()
    (toy,) = (toy for toy in toys if toy.exact_metrics)
    law = exact_error(visit.told()[0]["counts"], toy(k=10, epsilon=0.05), "k_relative")
    assert visit.medians[toy.name] == f"{law.quantile(0.5):,}"
    rows = visit.table().set_index("mechanism")
    assert rows.loc[toy.name, "right in order"] == "sets have no order"
    assert rows.loc[toy.name, "median"].endswith("exact")


DATA = {"data": "typed", "typed": "a 90\nb 70\nc 40\nd 20\ne 5", "k": 2, "runs": 50}


@pytest.fixture
def own(own_module, monkeypatch):
    monkeypatch.setenv(extensions.WITH, str(own_module))
    extensions.load()


@pytest.mark.grid
@pytest.mark.parametrize("neighbors", ["add-remove", "swap"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.key)
def test_every_page_and_its_code_work(page, neighbors, opened, own, toys):
    keys = ["Joint", "NoisyTop", *TOYS.split(",")]
    alone = {"mechanism": "NoisyTop"} if page.single else {}
    chosen = {"mechanisms": ",".join(keys), "neighbors": neighbors} | alone
    visit = opened(page.key, epsilon="0.5", **DATA, **chosen).whole()
    names, printed = visit.told()
    assert printed
    if page.mechanisms:
        used = {type(mechanism).card.key for mechanism in names["mechanisms"]}
        listed = {*keys} - ({"NoisyTop"} if page.small else set())  # which has no law
        # the winners are sequences or sets
        assert used < listed if page.key == "winners" else used == listed


@pytest.mark.parametrize("page", ["compare", "exact"])
def test_it_is_in_a_group_of_its_own_with_what_is_claimed(page, fresh_visits, opened, own):
    visit = opened(page, mechanisms="NoisyTop", **DATA)
    inside = [caption.value for caption in visit.line.caption]
    said = [caption.value for caption in visit.app.caption]
    (claim,) = (words for words in said if "its guarantee is its author's claim" in words)
    assert claim not in inside  # which may be closed
    assert "Your own" in [pills.label for pills in visit.line.get("button_group")]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("[:, : self.k]", ""), "what NoisyTop._sample_ranks returns must have shape (m, 2)"),
        (("sum(axis=1)", "sum()"), "reduce of the metric misplaced must return 50 finite numbers"),
        (
            (
                "_sample_ranks",
                "_log_pmf(self, counts, ranks):\n        return 1\n\n    def _sample_ranks",
            ),
            "NoisyTop._log_pmf must return",
        ),
    ],
)
def test_what_returns_nonsense_is_told_in_the_page(change, told, fresh_visits, opened, own_module):
    own_module.write_text(own_module.read_text("utf-8").replace(*change), "utf-8")
    extensions.load([str(own_module)])
    visit = opened("compare", mechanisms="NoisyTop", **DATA)
    assert not visit.app.exception
    assert told in "".join(element.value for element in visit.app.text)
