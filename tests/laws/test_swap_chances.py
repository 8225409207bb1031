"""Test swap probabilities by closed forms and draws, and mechanisms without them."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from dptopk import MECHANISMS, Joint, NeighborRelation, NoClosedFormError, SortedCounts
from dptopk.laws.swap_chances import SELDOM, swap_chance, swaps
from dptopk.mechanisms import Card, Mechanism, SimulatedMechanism

KINDS = MECHANISMS.values()
ANSWERS = {
    "Joint": lambda m, gap: 1 / (1 + np.exp(m.rate * gap)),
    "PNFJoint": lambda m, gap: np.exp(-m.rate * gap) / 2,
    "PNFPeel": lambda m, gap: np.exp(-gap / m.scale) / 2,
    "CDPPeel": lambda m, gap: 1 / (1 + np.exp(m.local_epsilon * gap)),
    "EMPeel": lambda m, gap: 1 / (1 + np.exp(gap / m.scale)),
    "JointSet": lambda m, gap: 1 / (1 + np.exp(m.rate * gap)),
    "Laplace": lambda m, gap: (2 + gap / m.scale) * np.exp(-gap / m.scale) / 4,
    # of two draws between -R and R, the chance that they lie 2R - x apart is (x / 2R)^2 / 2
    "Gamma": lambda m, gap: _gamma(m.scale, gap),
}


def _gamma(scale: float, gap: int) -> float:
    x = np.linspace(gap / 2, gap / 2 + 200 * scale, 400_001) / scale  # R, of 6 + 1 rates
    beyond = np.maximum(x - gap / (2 * scale), 0) ** 2 / 2
    return float(np.trapezoid(np.exp(-x) * x**4 / 720 * beyond, x))


def built(kind: type[Mechanism], **fields: object) -> Mechanism:
    """The mechanism at these settings, with a delta if it takes one."""
    more = {"delta": 1e-6} if kind.card.takes("delta") else {}
    return kind(**more, **fields)


@pytest.mark.parametrize("relation", NeighborRelation)
@pytest.mark.parametrize("name", ANSWERS)
def test_two_items_swap_as_closed_forms_say(name: str, relation: NeighborRelation) -> None:
    kind = MECHANISMS[name]
    mechanism = built(kind, k=3, epsilon=0.7, neighbors=relation)
    for gap in (0, 1, 5, 40):
        expected = ANSWERS[name](mechanism, gap)
        assert swap_chance(mechanism, 6, gap) == pytest.approx(expected, rel=1e-6), gap


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.card.key)
def test_the_gap_is_the_least_at_which_a_swap_is_seldom(kind: type[Mechanism]) -> None:
    mechanism = built(kind, k=4, epsilon=0.3)
    found = swaps(mechanism, 9)
    if found is None:
        with pytest.raises(ValueError, match="must release two places or leave an item out"):
            swap_chance(mechanism, 9, 1)
        assert mechanism.outputs.short
        return
    least = found.told_apart
    assert swap_chance(mechanism, 9, least) <= SELDOM < swap_chance(mechanism, 9, least - 1)
    assert found.chances[0] == 0.5
    assert (np.diff(found.chances) < 0).all()
    assert (np.diff(found.gaps) > 0).all()
    again = [swap_chance(mechanism, 9, int(gap)) for gap in found.gaps]
    np.testing.assert_allclose(again, found.chances, rtol=1e-9)


def test_a_swap_far_apart_is_as_rare_as_it_is() -> None:
    kind = MECHANISMS["Joint"]
    assert swap_chance(built(kind, k=3, epsilon=2.0), 9, 500) == pytest.approx(np.exp(-500.0))
    assert swap_chance(built(kind, k=3, epsilon=2.0), 9, 50_000) == 0


def test_who_never_settles_has_no_answer() -> None:
    class Indifferent(Joint):
        def _log_pmf(self, counts: SortedCounts, ranks: np.ndarray) -> np.ndarray:
            return np.full(len(ranks), -np.log(math.perm(counts.d, self.k)))  # however far apart

    assert swaps(Indifferent(2, 1.0), 6) is None


@pytest.mark.parametrize("name", ["Joint", "JointSet", "PNFInverseSensitivitySet"])
def test_what_chooses_once_has_the_same_noise_at_any_k(name: str) -> None:
    kind = MECHANISMS[name]
    for k in (1, 4, 7):
        mechanism = built(kind, k=k, epsilon=0.8)
        found = swaps(mechanism, 9)
        assert found is not None
        again = [swap_chance(mechanism, 9, int(gap)) for gap in found.gaps]
        np.testing.assert_allclose(again, found.chances, rtol=1e-9)


def test_a_mechanism_without_a_law_is_refused_for_this_reason() -> None:
    @dataclass(frozen=True)
    class Own(SimulatedMechanism):
        card: ClassVar[Card] = Card.minimal("Own", "Own releases the first items.")

        def _sample_ranks(
            self, counts: SortedCounts, n: int, rng: np.random.Generator
        ) -> np.ndarray:
            return np.tile(np.arange(self.k), (n, 1))

    assert swaps(Own(2, 0.5), 5) is None
    with pytest.raises(NoClosedFormError, match="no closed form of Own's probabilities is known"):
        swap_chance(Own(2, 0.5), 5, 3)


def test_what_takes_long_is_left_out() -> None:
    kind = MECHANISMS["Gamma"]
    assert swaps(built(kind, k=120, epsilon=0.8), 500) is None


def test_what_weighs_sequences_needs_no_wider_gap_at_any_k() -> None:
    """At k = 200 of 100,000 items there are so many sequences that nothing seems far."""
    kind = MECHANISMS["PNFJoint"]
    few, many = (swaps(built(kind, k=k, epsilon=1.0), 100_000) for k in (1, 200))
    assert few is not None
    assert many is not None
    assert few.told_apart == many.told_apart == 5
    assert swap_chance(built(kind, k=200, epsilon=1.0), 100_000, 3) == pytest.approx(
        np.exp(-1.5) / 2, rel=1e-9
    )


def test_where_all_items_are_released_the_last_two_places_swap() -> None:
    peel = MECHANISMS["EMPeel"]
    mechanism = built(peel, k=3, epsilon=0.9)
    assert swap_chance(mechanism, 3, 4) == pytest.approx(swap_chance(mechanism, 9, 4), rel=1e-9)
    joint_set = MECHANISMS["JointSet"]
    assert swaps(built(joint_set, k=3, epsilon=0.9), 3) is None
    assert swaps(built(peel, k=1, epsilon=0.9), 1) is None


@pytest.mark.parametrize(("d", "gap", "named"), [(2, 1, "d"), (9, -1, "gap"), (9, 1.5, "gap")])
def test_wrong_arguments_are_named(d: int, gap: int, named: str) -> None:
    kind = MECHANISMS["Joint"]
    with pytest.raises((TypeError, ValueError), match=f"^{named} must be"):
        swap_chance(built(kind, k=3, epsilon=1.0), d, gap)
    with pytest.raises(TypeError, match=r"^mechanism must be a mechanism, got \[5\]"):
        swaps([5], d)  # type: ignore[arg-type]


def test_no_gap_is_told_where_counts_cannot_lie_far_enough_apart():
    for key in ("EMPeel", "PNFPeel"):  # their noise grows with k
        assert swaps(built(MECHANISMS[key], k=10**5, epsilon=1e-9), 10**5 + 1) is None
