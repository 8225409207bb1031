"""Test what pages say of guarantees: verdicts, tests of samplers, and odds beside every ε."""

import math
import re
from types import SimpleNamespace

import pytest

from dptopk import Guarantee, ItemCounts, Joint, NeighborRelation, PNFPeel, release
from dptopk.questions.exact import Enumeration
from dptopk.simulation.single_releases import loss_of_release
from dptopk.ui.sections.enumeration import fit_frame
from dptopk.ui.sentences import texts

JOINS, SWAP = NeighborRelation


def signs(visit) -> list[str]:
    """The verdict on each promise, from the tiles."""
    return [value for _, value in visit.tiles if value[0] in "✓✗"]


@pytest.mark.parametrize(
    ("neighbors", "calibration"), [("add-remove", "optimal"), ("swap", "paper")]
)
def test_every_right_mechanism_keeps_its_promise(opened, neighbors, calibration):
    visit = opened("privacy", neighbors=neighbors, calibration=calibration).whole()
    assert signs(visit) == ["✓ kept"] * 4
    (peel,) = (words for words in visit.captions if "needs δ" in words)  # loss and δ told apart
    loss = r"on these counts · loss \d\.\d{3} of ε = 1"
    assert re.fullmatch(rf"{loss} · needs δ = \S+, promised 1e-6", peel)
    used = [float(one) for _, one in visit.losses]
    assert min(used) > 0
    assert max(used[:3]) <= 1.0005


def test_a_loss_beyond_epsilon_that_delta_covers_is_explained(opened):
    visit = opened("privacy", mechanisms="Joint,LimitedDomain").whole()
    assert dict(visit.losses)["Limited domain"] == "∞"
    without = opened("privacy", mechanisms="Joint").whole()
    for page, is_said in ((visit, True), (without, False)):
        assert any("not violate the guarantee" in words for words in page.captions) is is_said


@pytest.mark.parametrize(
    ("run", "sign", "story"),
    [
        ("unswapped", ["✗ broken"] * 4, "the guarantee fails"),
        ("too_small", ["✗ broken"], "costs more"),
        ("as_printed", ["✓ kept"], "wastes most"),
    ],
)
def test_what_goes_wrong_is_called_broken_and_what_only_wastes_is_not(opened, run, sign, story):
    visit = opened("privacy", run=run).whole()
    assert signs(visit) == sign
    assert story.lower() in visit.app.info[0].value.lower()


def test_samplers_are_found_right(opened):
    visit = opened("exact").whole()
    fits = visit.table(1)
    assert fits["agrees"].tolist() == ["✓ yes"] * 4
    assert fits["draws"].tolist() == ["10,000"] * 4
    visit = opened("privacy")
    assert visit.press("check").table(1)["agrees"].tolist() == ["✓ yes"] * 4


def test_a_sampler_that_is_wrong_is_found(opened, monkeypatch):
    right = PNFPeel.sample

    def wrong(self, counts, n, rng):  # as if the budget were 20% larger
        return right(PNFPeel(self.k, 1.2 * self.epsilon, self.neighbors), counts, n, rng)

    monkeypatch.setattr(PNFPeel, "sample", wrong)
    agrees = opened("exact", seed=11).whole().table(1).set_index("mechanism")["agrees"]
    assert agrees["PNF-Peel"] == "✗ no"
    assert set(agrees.drop("PNF-Peel")) == {"✓ yes"}
    visit = opened("privacy", seed=11)
    agrees = visit.press("check").table(1).set_index("mechanism")["agrees"]
    assert agrees.to_dict() == dict.fromkeys(agrees.index, "✓ yes") | {"PNF-Peel": "✗ no"}


@pytest.mark.parametrize(
    ("n_cells", "p_value", "said"),
    [
        (7, 0.4, "✓ yes"),
        (7, 1e-5, "✓ yes"),
        (7, 1e-7, "✗ no"),
        (1, 0.0, "✗ no"),  # an impossible output
        (1, 1.0, "one cell: nothing to test"),
    ],
)
def test_a_small_p_value_says_no_however_many_cells(n_cells, p_value, said):
    fit = SimpleNamespace(n_draws=100, statistic=9.0, n_cells=n_cells, p_value=p_value)
    written = Enumeration([], [], (), {}, {}, {}, {"one": fit}, False, ())
    assert fit_frame(written)["agrees"].tolist() == [said]


def test_what_a_float_rounds_to_certain_is_not_called_so(opened):
    """ε = 20 on 10, 5, 1, 1: the first output's probability is 1 as a float."""
    query = {"vector": "10, 5, 1, 1", "epsilon": 20, "small": "typed", "small_k": 2}
    exact = opened("exact", **query, draws=1_000).whole()
    assert {*exact.firsts.values()} == {"> 99.9999%"}
    assert any("exact: 8.5e-18 below 1" in caption for caption in exact.captions)
    privacy = opened("privacy", **query).whole()
    for visit, key in ((exact, "outputs"), (privacy, "neighbouring-outputs")):
        words = [str(pair[1]) for trace in visit.chart(key)["data"] for pair in trace["customdata"]]
        assert any(re.fullmatch(r"> 99.9999% \(\S+ below 1\)", word) for word in words)
        exactly = [word for word in words if "[" not in word]
        assert not {"0%", "0.0%", "100%", "100.0%"} & set(exactly)
    drawn = [
        word[1]
        for trace in exact.chart("outputs")["data"]
        if trace["type"] == "scatter"
        for word in trace["customdata"]
    ]
    assert "100% [99.6%, 100%]" in drawn  # all of the draws, and how sure that is


def test_enormous_gaps_break_no_promise_and_what_is_left_out_is_said(opened):
    vector = {"vector": "9007199254740992, 9007199254740991, 5, 4, 0", "epsilon": "0.3"}
    visit = opened("privacy", **vector, mechanisms="Joint,PNFPeel").whole()
    assert not [tile for tile in visit.main.metric if "broken" in str(tile.proto)]
    assert any("Left out: " in caption for caption in visit.captions)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"epsilon": "1"}, texts.odds(Guarantee(1.0, 1e-6, JOINS))),
        ({"mechanisms": "Joint"}, texts.odds(Guarantee(1.0, 0.0, JOINS))),
        ({"neighbors": "swap", "delta": "0.0005"}, texts.odds(Guarantee(1.0, 0.0005, SWAP))),
    ],
)
def test_odds_stand_beside_the_control_of_epsilon(opened, query, said):
    visit = opened("gaps", **query).whole()
    assert said in [caption.value for caption in visit.line.caption]


def test_promises_say_what_they_do_to_a_belief(opened):
    visit = opened("release", epsilon="2").whole()
    promises = [part.value for part in visit.main.markdown if "private**" in part.value]
    of_three, of_cdp = promises  # each guarantee once
    assert "are **2-differentially" in of_three
    assert "to at most 88.08%" in of_three
    assert "CDP-Peel is **(2, 1e-6)" in of_cdp
    assert "δ adds at most 1.2e-7" in of_cdp
    assert not any("this particular release" in promise for promise in promises)  # not known here


def test_what_this_release_uses_is_said_where_all_neighbours_can_be_tried(opened):
    visit = opened("release", data="classroom-paper_four", k=2, seed=3, mechanisms="Joint").whole()
    (promise,) = (part.value for part in visit.main.markdown if "private**" in part.value)
    counts, mechanism = ItemCounts([10, 5, 1, 1]), Joint(2, 1.0)
    loss = loss_of_release(counts, mechanism, release(counts, mechanism, seed=3))
    (used,) = re.findall(r"of Joint, a 50% prior rises to at most ([\d.]+)% \(exact\)", promise)
    assert 0 <= float(used) - 100 / (1 + math.exp(-loss)) < 0.01


def test_privacy_says_what_the_worst_outcome_does_to_a_belief(opened):
    visit = opened("privacy", mechanisms="Joint").whole()
    (loss,) = (float(used) for _, used in visit.losses)
    (words,) = (caption for caption in visit.captions if caption.startswith("Promised: "))
    assert "rise to at most 73.11%" in words
    shown = float(re.search(r"Joint ([\d.]+)%", words).group(1))
    assert shown == pytest.approx(100 / (1 + math.exp(-loss)), abs=0.07)
