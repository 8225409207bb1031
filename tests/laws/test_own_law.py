"""Test what follows from draws or a `_log_pmf` alone, and refusals of what is no law or output."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dptopk import (
    ItemCounts,
    Joint,
    LimitedDomainLaplace,
    NoClosedFormError,
    exact_error,
    hockey_stick,
    output_distribution,
    privacy_loss,
    probability_exact_sequence,
    probability_exact_set,
    run_trials,
    smallest_epsilon,
    winner_map,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.mechanisms import Card, SimulatedMechanism
from dptopk.questions.errors import known_shares

DISTINCT, TIED = ItemCounts([90, 70, 40, 20, 5]), ItemCounts([7, 2, 7, 2, 2])
SMALL = ItemCounts([9, 7, 2])


@dataclass(frozen=True)
class Drawn(SimulatedMechanism):
    """Joint without a law."""

    card: ClassVar[Card] = Card.minimal("Drawn", "Drawn is Joint.")

    def _sample_ranks(self, counts, n, rng):
        return Joint(self.k, self.epsilon).sample(counts, n, rng)


@dataclass(frozen=True)
class Own(Drawn):
    """Joint without its closed forms."""

    card: ClassVar[Card] = Card.minimal("Own", "Own is Joint.")

    def _log_pmf(self, counts, ranks):
        return Joint(self.k, self.epsilon).log_pmf(counts, ranks)


@pytest.mark.parametrize("counts", [DISTINCT, TIED], ids=["distinct", "tied"])
@pytest.mark.parametrize("alike", [False, True])
def test_small_cases_are_exact_by_the_law_alone(counts, alike):
    class Alike(Own):
        exchangeable_ties: ClassVar[bool] = alike

    for k in (1, 2, 3, 4):
        own, joint = Alike(k, 0.7), Joint(k, 0.7)
        for probability in (probability_exact_set, probability_exact_sequence):
            assert probability(counts, own) == pytest.approx(probability(counts, joint), rel=1e-9)
        for metric in ("signed_max", "k_relative"):
            law, closed = (exact_error(counts, m, metric) for m in (own, joint))
            np.testing.assert_array_equal(law.values, closed.values)
            np.testing.assert_allclose(law.probabilities, closed.probabilities, rtol=1e-9)


def test_what_asks_for_the_probability_of_a_set_gets_it_exactly():
    found, joint = (smallest_epsilon(DISTINCT, m(2, 1.0), "exact_set", 0.9) for m in (Own, Joint))
    assert found.exact
    assert found.epsilon == pytest.approx(joint.epsilon, rel=1e-5)
    assert winner_map(DISTINCT, [Own(2, 1.0)], [1, 2], [1.0], "exact_set", n=20)["exact"].all()


def test_more_than_can_be_listed_is_refused_with_the_limit():
    counts, right = ItemCounts(np.arange(40)), "true top 7 .* more than 1,000 outputs are right"
    assert 0 < probability_exact_set(counts, Own(6, 1.0)) < 1
    with pytest.raises(NoClosedFormError, match=right):
        probability_exact_set(counts, Own(7, 1.0))
    with pytest.raises(NoClosedFormError, match=right):
        probability_exact_sequence(ItemCounts([1] * 20), Own(7, 1.0))
    with pytest.raises(NoClosedFormError, match="there is no top 3 of 2 items"):
        LimitedDomainLaplace(3, 1.0, 1e-6, 2).log_probability_exact_set(ItemCounts([2, 1]).sorted)
    with pytest.raises(NoClosedFormError, match="of Own is known, and more than 50,000 outputs"):
        exact_error(counts, Own(4, 1.0), "linf")


EXACT = {
    "log_pmf": lambda own: own.log_pmf(SMALL, [[0, 1], [1, 2]]),
    "output_distribution": lambda own: output_distribution(SMALL, own),
    "probability_exact_set": lambda own: probability_exact_set(SMALL, own),
    "exact_error": lambda own: exact_error(SMALL, own, "linf"),
    "privacy_loss": lambda own: privacy_loss(SMALL, own, SMALL),
    "hockey_stick": lambda own: hockey_stick(SMALL, own, SMALL, 1.0),
    "worst_case_loss": lambda own: worst_case_loss(SMALL, own),
    "worst_case_hockey_stick": lambda own: worst_case_hockey_stick(SMALL, own, 1.0),
    "smallest_epsilon": lambda own: smallest_epsilon(SMALL, own, "exact_set"),
    "winner_map": lambda own: winner_map(SMALL, [own], [1, 2], [1.0], "items_right", n=20),
}


@pytest.mark.parametrize("exact", [*EXACT][:-2])
def test_what_needs_a_law_says_that_there_is_none(exact):
    with pytest.raises(NoClosedFormError, match="no closed form of Drawn's probabilities is known"):
        EXACT[exact](Drawn(2, 1.0))


def test_what_needs_no_law_is_simulated():
    found, joint = (smallest_epsilon(DISTINCT, m(2, 1.0), "exact_set", 0.9) for m in (Drawn, Joint))
    assert not found.exact
    assert found.epsilon == pytest.approx(joint.epsilon, rel=0.03)
    assert not winner_map(DISTINCT, [Drawn(2, 1.0)], [1, 2], [1.0], "linf", n=20)["exact"].any()
    assert known_shares(DISTINCT, Drawn(2, 1.0)) == {}


@pytest.mark.parametrize("exact", EXACT.values(), ids=EXACT)
@pytest.mark.parametrize(
    ("law", "found"),
    [
        (lambda n: np.full(n, np.nan), r"got nan for ranks \["),
        (lambda n: np.full(n, np.inf), r"got inf for ranks \["),
        (lambda n: np.full(n, 0.5), r"got 0\.5 for ranks \["),
        (lambda n: np.full((n, 2), -1.0), r"got shape \(\d+, 2\)"),
        (lambda n: -1.0, r"got shape \(\)"),
        (lambda n: None, r"got shape \(\)"),
        (lambda n: ["-1"] * n, "got dtype <U2"),
    ],
)
def test_what_is_no_law_is_told_with_the_name_of_the_mechanism(exact, law, found, monkeypatch):
    monkeypatch.setattr(Own, "_log_pmf", lambda self, counts, ranks: law(len(ranks)))
    told = rf"^Own\._log_pmf must return \d+ log probabilities, each at most 0, .*, {found}"
    with pytest.raises(ValueError, match=told):
        exact(Own(2, 1.0))


@pytest.mark.parametrize("exact", EXACT.values(), ids=EXACT)
def test_probabilities_that_do_not_add_up_to_1_are_refused(exact, monkeypatch):
    monkeypatch.setattr(Own, "_log_pmf", lambda self, counts, ranks: np.full(len(ranks), -2.0))
    told = r"^the probabilities of all outputs of Own .*, by its _log_pmf, must add up to 1, got"
    with pytest.raises(ValueError, match=told):
        exact(Own(2, 1.0))


def test_of_many_items_the_probabilities_are_added_up_for_the_largest(monkeypatch):
    counts, own = ItemCounts(np.arange(10_000)), Own(2, 1.0)
    assert own.log_pmf(counts, [[9_999, 9_998]]) == pytest.approx(
        Joint(2, 1.0).log_pmf(counts, [[9_999, 9_998]])
    )
    monkeypatch.setattr(Own, "_log_pmf", lambda self, counts, ranks: np.full(len(ranks), -2.0))
    with pytest.raises(ValueError, match="of Own among the 32 largest counts, by its _log_pmf"):
        probability_exact_set(counts, own)


def test_a_law_is_not_asked_about_fewer_items_than_it_knows(monkeypatch):
    """A law may read the count behind the k-th, which all outputs of 6 items have not."""

    def law(self, counts, ranks):
        assert counts.d > self.k
        return np.full(len(ranks), -20.0)

    monkeypatch.setattr(Own, "_log_pmf", law)
    assert Own(6, 1.0).log_pmf(ItemCounts(np.arange(40)), [np.arange(6)]) == -20.0


@pytest.mark.parametrize(
    ("drawn", "found"),
    [
        (lambda n: np.zeros((n, 1), dtype=int), r"must have shape \(m, 2\), got \(50, 1\)"),
        (lambda n: np.tile([0, 1, 2], (n, 1)), r"must have shape \(m, 2\), got \(50, 3\)"),
        (lambda n: np.tile([0, 1], (n // 2, 1)), "must have 50 rows, got 25"),
        (lambda n: np.tile([0.0, 1.0], (n, 1)), "must hold integer positions, got dtype float64"),
        (lambda n: np.tile([0, 3], (n, 1)), r"must hold positions in \[0, 2\], got 3"),
        (lambda n: np.tile([0, -1], (n, 1)), r"must hold positions in \[0, 2\], got -1"),
        (lambda n: np.zeros((n, 2), dtype=int), r"must hold no item twice in a row, got \[0, 0\]"),
    ],
)
def test_draws_that_are_no_outputs_are_told_with_the_name_of_the_mechanism(
    drawn, found, monkeypatch
):
    monkeypatch.setattr(Own, "_sample_ranks", lambda self, counts, n, rng: drawn(n))
    with pytest.raises(ValueError, match=rf"^what Own\._sample_ranks returns {found}$"):
        run_trials(SMALL, [Own(2, 1.0)], n=50, seed=0)
