"""Test the probabilities of a published list against enumeration of all true rankings."""

from itertools import permutations

import numpy as np
import pytest

from dptopk import (
    NOTHING,
    AdaptiveK,
    CDPPeel,
    InverseSensitivitySet,
    ItemCounts,
    Joint,
    JointSet,
    LimitedDomain,
    NeighborRelation,
    PNFInverseSensitivitySet,
    PNFJoint,
    PNFPeel,
    StableSet,
    assess_list,
    load_dataset,
    output_distribution,
)
from dptopk.publishing.assessment import RANK_LEVEL

NAMES = ["ache", "burn", "cough", "dizzy", "edema"]
MECHANISMS = [
    Joint(3, 0.7),
    PNFJoint(2, 1.5, NeighborRelation.SWAP),
    PNFPeel(3, 2.0),
    CDPPeel(2, 1.0, 1e-3),
    InverseSensitivitySet(2, 0.6),
    PNFInverseSensitivitySet(3, 1.0),
    JointSet(2, 0.8),
    LimitedDomain(3, 2.0, 0.2, k_bar=4),
]
SUPPOSED = [(9, 7, 4, 2, 0), (6, 5, 5, 1, 1), (4, 4, 4, 4, 4), (12, 3, 3, 3, 0)]


def posterior(vector, mechanism, names):
    """Return the weight of each assignment of the counts to the names, given the list."""
    orders = [dict(zip(NAMES, order, strict=True)) for order in sorted({*permutations(vector)})]
    weights = []
    for of in orders:
        counts = ItemCounts(of)
        row = [NAMES.index(name) for name in names] + [NOTHING] * (mechanism.k - len(names))
        weights.append(np.exp(mechanism.log_pmf(counts, [row])[0]))
    return orders, np.array(weights) / np.sum(weights)


CASES = [
    (vector, mechanism, names)
    for vector in SUPPOSED
    for mechanism in MECHANISMS
    for names in (["dizzy", "ache", "cough"][: mechanism.k], ["burn"])
    if (len(names) == mechanism.k or mechanism.outputs.short)
    # a tie that is cut is cut by the order of the items, which tells of the names
    and (mechanism.exchangeable_ties or len({*vector}) == len(vector))
]


@pytest.mark.parametrize(("vector", "mechanism", "names"), CASES, ids=str)
def test_chances_are_the_posterior_of_all_assignments_of_the_counts(vector, mechanism, names):
    found = assess_list(ItemCounts(vector, NAMES), mechanism, names)
    orders, weights = posterior(vector, mechanism, names)
    truth = sorted(vector, reverse=True)[: len(names)]

    def chance(event):
        return pytest.approx(weights @ [event(of) for of in orders], abs=1e-9)

    def released(of):
        return [of[name] for name in names]

    assert found.n_draws == 0
    assert found.exact_set.value == chance(lambda of: sorted(released(of), reverse=True) == truth)
    for name in found.names:
        item, (low, high) = name.item, name.ranks
        assert name.in_top.exact
        assert name.in_top.value == chance(lambda of, item=item: of[item] >= truth[-1])
        best = np.array([1 + sum(other > of[item] for other in of.values()) for of in orders])
        worst = np.array([sum(other >= of[item] for other in of.values()) for of in orders])
        assert weights @ ((best >= low) & (worst <= high)) >= RANK_LEVEL - 1e-9
    if not mechanism.outputs.ordered:
        assert found.exact_sequence is found.first is None
        return
    assert found.exact_sequence.value == chance(lambda of: released(of) == truth)
    assert found.first.value == chance(lambda of: of[names[0]] == max(of.values()))
    for name, one, behind in zip(found.names, names, names[1:], strict=False):
        in_order = chance(lambda of, one=one, behind=behind: of[one] >= of[behind])
        assert name.in_order.value == in_order
    assert found.names[-1].in_order is None


@pytest.mark.parametrize("counted", [(2, 9, 4, 7, 4), (3, 3, 3, 3, 3)], ids=str)
@pytest.mark.parametrize(
    "mechanism",
    [*MECHANISMS, StableSet(3, 2.0, 0.2), AdaptiveK(3, 2.0, 0.2)],
    ids=lambda m: m.card.key,
)
def test_names_are_released_as_often_as_all_outputs_say(mechanism, counted):
    counts = ItemCounts(counted, NAMES)
    law = output_distribution(counts, mechanism)
    names = ["dizzy", "cough", "ache"][: mechanism.k]
    fitting = (law.sequences != NOTHING).sum(axis=1) == len(names)
    weights = law.probabilities[fitting] / law.probabilities[fitting].sum()
    found = assess_list(counts, mechanism, names)
    said = [name.supposed for name in found.names] + list(found.others)
    assert {item.item for item in said} == {*NAMES}
    for item in said:
        position = NAMES.index(item.item)
        expected = weights @ (law.sequences[fitting] == position).any(axis=1)
        assert item.listed.value == pytest.approx(expected, abs=1e-9)
        assert item.count == counts.counts[position]
        assert item.rank == 1 + (counts.counts > item.count).sum()
    chances = [item.listed.value for item in found.others]
    assert chances == sorted(chances, reverse=True)


@pytest.mark.parametrize("mechanism", [PNFPeel(20, 1.0), CDPPeel(20, 0.3, 1e-6)], ids=str)
def test_what_is_simulated_has_intervals_that_agree_with_other_draws(mechanism):
    counts = load_dataset("movies_small")
    found = assess_list(counts, mechanism, n=2_000, seed=1)
    again = assess_list(counts, mechanism, n=20_000, seed=2)
    assert found.n_draws == 2_000
    assert found.n_known == 0
    pairs = [
        *[(one.in_top, other.in_top) for one, other in zip(found.names, again.names, strict=True)],
        *[
            (one.in_order, other.in_order)
            for one, other in zip(found.names[:-1], again.names[:-1], strict=True)
        ],
    ]
    for one, other in pairs:
        assert one.low <= one.value <= one.high
        wide = 2.5 * (one.high - one.low + other.high - other.low)
        assert abs(one.value - other.value) <= wide
    assert not all(one.exact for one, _ in pairs)


def test_what_is_simulated_is_within_its_interval_19_times_of_20(monkeypatch):
    counts, mechanism = ItemCounts([12, 9, 8, 5, 1], NAMES), Joint(2, 0.5)
    names = [NAMES[0], NAMES[1]]
    law = output_distribution(counts, mechanism)
    released = counts.counts[law.sequences]
    exact = float(law.probabilities @ (released >= 9).all(axis=1))
    monkeypatch.setattr("dptopk.publishing.assessment._FEW_OUTPUTS", 0)
    monkeypatch.setattr("dptopk.publishing.assessment.quick_chances", lambda *_: lambda _: None)
    found = [assess_list(counts, mechanism, names, n=400, seed=seed) for seed in range(300)]
    covered = np.mean([one.exact_set.low <= exact <= one.exact_set.high for one in found])
    assert 0.2 < exact < 0.8
    assert 0.91 < covered < 0.99


def test_a_set_or_nothing_is_right_if_anything_is_released():
    counts = ItemCounts([90, 80, 5, 4, 1], NAMES)
    for mechanism, names in [
        (StableSet(2, 1.0, 1e-6), ["cough", "ache"]),
        (AdaptiveK(4, 1.0, 1e-6), ["cough", "ache"]),
    ]:
        found = assess_list(counts, mechanism, names)
        assert found.exact_set.value == 1
        assert [name.in_top.value for name in found.names] == [1, 1]
        assert [name.ranks for name in found.names] == [(1, 2), (1, 2)]
        assert [name.supposed.listed.value for name in found.names] == [0, 1]
        assert found.others[0].item == "burn"
        assert found.others[0].listed.value == 1


def test_names_that_nobody_supposed_are_assessed_by_their_places():
    counts = ItemCounts([9, 7, 4, 2, 0], NAMES)
    mechanism = Joint(2, 1.0)
    known, unknown = (assess_list(counts, mechanism, names) for names in (NAMES[:2], ["x", "y"]))
    assert [name.in_top for name in known.names] == [name.in_top for name in unknown.names]
    assert unknown.n_known == 0
    assert unknown.others == ()
    assert "supposed count" not in unknown.frame
    half = assess_list(counts, mechanism, ["x", "ache"])
    assert half.n_known == 1
    assert half.frame["supposed rank"].isna().tolist() == [True, False]
    assert half.n_right == pytest.approx(sum(half.frame["in the true top 2"]))


OF_ONE_NAME = {"mechanism": LimitedDomain(10, 0.5, 1e-6), "items": ["Dota 2"]}
OF_ONE_NAME["counts"] = load_dataset("games")


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"items": ["ache"]}, ValueError, "items must be 2 names, as Joint with k = 2 releases"),
        ({"items": ["ache", "burn", "cough"]}, ValueError, "items must be 2 names"),
        ({"items": ["ache", "ache"]}, ValueError, "items must name each item once, got 'ache' tw"),
        ({"items": []}, ValueError, "items must name at least one item"),
        ({"items": [3, "ache"]}, TypeError, "items must be names, got 3"),
        ({"counts": [9, 7, 4]}, TypeError, "counts must be ItemCounts, got list"),
        ({"mechanism": Joint(4, 1.0)}, ValueError, r"k must be in \[1, 3\]"),
        ({"n": 3}, ValueError, "n must be at least 100"),
        (OF_ONE_NAME, ValueError, "releases so many in 0 of 10,000 draws"),
    ],
)
def test_arguments_are_checked(changed, error, message):
    usual = {"counts": ItemCounts([9, 7, 4], NAMES[:3]), "mechanism": Joint(2, 1.0)}
    with pytest.raises(error, match=message):
        assess_list(**usual | changed)
