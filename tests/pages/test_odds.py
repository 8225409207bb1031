"""Test the odds shown beside every ε, among the assumptions and beside guarantees."""

import math
import re

import pytest

from dptopk import Guarantee, ItemCounts, Joint, NeighborRelation, release
from dptopk.data.sources import source_of
from dptopk.simulation.single_releases import loss_of_release
from dptopk.ui.sentences import texts

JOINS, SWAP = NeighborRelation


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


@pytest.mark.parametrize(
    ("epsilon", "delta", "neighbors", "words"),
    [
        (1.0, 0.0, JOINS, "that one person is in the data can rise to at most 73.11%."),
        (1.0, 1e-6, JOINS, "at most 73.11%, of which δ adds at most 2.69e-7; a single outcome may"),
        (1.0, 0.0005, SWAP, "about which of two persons is in the data is right with probability"),
        (1.0, 0.0005, SWAP, "at most 73.12%,"),  # 73.1059% without δ
        (1.0, 0.5, SWAP, "data with probability 0.5"),
        (1.0, 0.5, SWAP, "at most 0.135; a single outcome"),
        (10.0, 0.0, SWAP, "rise to at most 99.9955%."),
        (12.0, 0.0, SWAP, "may rise to up to 99.9994%: practically no protection."),
        (25.0, 0.0, SWAP, "may rise to > 99.9999%: practically no protection."),
        (1e6, 0.0, SWAP, "may rise to > 99.9999%: practically no protection."),
        # as a difference of two guesses it was false, and 0, from which no number of digits came
        (1.0, 0.1, SWAP, "of which δ adds at most 0.0269; "),
        (8.0, 1e-12, SWAP, "of which δ adds at most 3.36e-16; "),  # 3.3535e-16: less would be false
        (1e300, 1e-300, SWAP, "of which δ adds at most 1e-300: "),
    ],
)
def test_odds_are_in_words_of_what_can_be_promised(epsilon, delta, neighbors, words):
    assert words in texts.odds(Guarantee(epsilon, delta, neighbors))


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


def test_certainty_is_said_of_infinite_losses_only():
    assert texts.posterior(math.inf) == "certain"
    assert texts.posterior(500.0) == "1 − 7.1e-218"


def test_no_posterior_is_bounded_where_there_is_a_delta():
    """Losses may exceed ε more often than δ though δ(ε) ≤ δ holds."""
    for said in (
        texts.odds(Guarantee(1.0, 1e-6, JOINS)),
        texts.odds_at_most(1.0, 1e-6, source_of("books", {})),
    ):
        assert "guess" in said
        assert "rise" not in said
