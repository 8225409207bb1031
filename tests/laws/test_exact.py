"""Test exact laws far beyond enumeration, on real data, and refusals.

Against all outputs written out: see `mechanisms/test_conformance_laws`; against draws:
`mechanisms/test_draws`.
"""

import math
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from dptopk import (
    MECHANISMS,
    CDPPeel,
    ErrorLaw,
    ItemCounts,
    Joint,
    NeighborRelation,
    NoClosedFormError,
    PNFJoint,
    PNFPeel,
    SortedCounts,
    exact_error,
    load_dataset,
    output_distribution,
    privacy_loss,
    probability_exact_sequence,
    probability_exact_set,
    swaps,
    worst_case_loss,
)
from dptopk.core.errors import METRICS
from dptopk.laws import roc_curve

ADD_REMOVE, SWAP = NeighborRelation


# --- by hand -----------------------------------------------------------------------------


def test_mean_and_quantiles_of_a_law():
    law = ErrorLaw(np.array([0, 3, 10]), np.log([0.5, 0.3, 0.2]))
    assert law.mean == pytest.approx(2.9)
    levels = (0.01, 0.49, 0.51, 0.79, 0.81, 1.0)
    assert [law.quantile(level) for level in levels] == [0, 0, 3, 3, 10, 10]
    chances = [law.chance_of_at_most(most).value for most in (-1, 2.5, np.int64(3), np.inf)]
    assert chances == pytest.approx([0, 0.5, 0.8, 1])
    with pytest.raises(TypeError, match="most must be a number, got '5'"):
        law.chance_of_at_most("5")
    with pytest.raises(ValueError, match=r"most must be in .*, got nan"):
        law.chance_of_at_most(np.nan)


def test_far_beyond_enumeration():
    """1e9 items: the top 5 are right but for e^-97, and the rates are those by hand."""
    counts = SortedCounts([900, 400, 3], [3, 7, 10**9 - 10])
    for mechanism in (Joint(5, 1.0), PNFJoint(5, 1.0), CDPPeel(5, 5.0, 0.0)):
        assert probability_exact_set(counts, mechanism) == pytest.approx(1, abs=1e-12)
    # all but blind: three of the three at 900 among five drawn from 1e9, and two at 400
    log_right = math.log(math.comb(3, 3) * math.comb(7, 2) / math.comb(10**9, 5))
    for mechanism in (Joint(5, 1e-9), CDPPeel(5, 1e-9, 0.0)):
        right = probability_exact_set(counts, mechanism)
        assert math.log(right) == pytest.approx(log_right, rel=1e-6)


@pytest.mark.parametrize("metric", ["signed_max", "k_relative"])
@pytest.mark.parametrize("mechanism", [Joint, PNFJoint])
@pytest.mark.parametrize(("k", "epsilon"), [(1, 0.1), (40, 1.0), (200, 5.0)])
def test_laws_on_real_data_add_up(metric, mechanism, k, epsilon):
    law = exact_error(load_dataset("games"), mechanism(k, epsilon), metric)
    assert law.probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert np.all(np.diff(law.values) > 0)
    assert law.values[0] >= 0


# --- refusals ----------------------------------------------------------------------------

COUNTS = ItemCounts([5, 3, 1])


def test_a_table_too_large_is_refused_with_advice():
    counts = ItemCounts(np.arange(20_000))
    with pytest.raises(NoClosedFormError, match="choose a larger epsilon"):
        exact_error(counts, Joint(2, 1e-6), "k_relative")


WRONG = [
    ((COUNTS, "Joint"), TypeError, r"mechanism must be a mechanism, got 'Joint'"),
    ((COUNTS, Joint), TypeError, r"mechanism must be a mechanism, got "),
    (([5, 3, 1], Joint(2, 1.0)), TypeError, r"counts must be ItemCounts or SortedCounts, got list"),
    ((COUNTS, Joint(4, 1.0)), ValueError, r"k must be in \[1, 3\] for 3 items, got 4"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), WRONG)
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        exact_error(*arguments, "signed_max")
    with pytest.raises(error, match=message):
        probability_exact_sequence(*arguments)
    with pytest.raises(error, match=message):
        probability_exact_set(*arguments)


def test_wrong_metric():
    with pytest.raises(ValueError, match=r"metric must be one of 'linf', .*got 'mean'"):
        exact_error(COUNTS, Joint(2, 1.0), "mean")
    with pytest.raises(TypeError, match=r"metric must be a string, got None"):
        exact_error(COUNTS, Joint(2, 1.0), None)


def test_a_law_unpacks_into_values_and_probabilities():
    law = exact_error(ItemCounts([4, 2, 2]), Joint(2, 1.0), "signed_max")
    values, probabilities = law
    assert np.array_equal(values, law.values)
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_the_distribution_takes_counts_and_mechanism_in_either_order():
    counts, joint = ItemCounts([5, 3, 1]), Joint(2, 1.0)
    assert repr(output_distribution(joint, counts)) == repr(output_distribution(counts, joint))
    with pytest.raises(TypeError, match="mechanism must be a mechanism"):
        exact_error(joint, counts, "signed_max")


def test_quantiles_of_a_law_take_one_level_or_many():
    law = exact_error(ItemCounts([9, 7, 4, 2, 0]), Joint(2, 0.5), "signed_max")
    levels = np.linspace(0, 1, 21)
    many = law.quantile(levels)
    assert many.dtype == np.int64
    assert many.tolist() == [law.quantile(level) for level in levels]
    assert law.quantile(levels.reshape(3, 7)).shape == (3, 7)
    assert law.quantile([0.25, 0.5]).tolist() == [law.quantile(0.25), law.quantile(0.5)]
    assert isinstance(law.quantile(0.5), int)
    for wrong in (1.5, [0.5, -0.1], math.nan):
        with pytest.raises(ValueError, match=r"level must be in \[0, 1\], got"):
            law.quantile(wrong)


def test_neighbors_are_named_by_their_words_as_calibrations_are():
    assert Joint(2, 1.0, "swap") == Joint(2, 1.0, SWAP)
    assert CDPPeel(2, 1.0, 1e-3, neighbors="add-remove").neighbors is ADD_REMOVE
    counts = ItemCounts([5, 3, 1])
    worst = worst_case_loss(counts, Joint(2, 1.0), "swap")
    assert worst.value == worst_case_loss(counts, Joint(2, 1.0), SWAP).value
    with pytest.raises(ValueError, match=r"neighbors must be one of 'add-remove', 'swap', got 'sw"):
        Joint(2, 1.0, "swapped")
    with pytest.raises(TypeError, match=r"or 'add-remove', 'swap', got 3"):
        Joint(2, 1.0, 3)


def test_a_mechanism_is_found_by_the_name_of_its_class():
    assert MECHANISMS["PNFPeel"] is MECHANISMS["PNF-Peel"] is PNFPeel
    assert "PNFPeel" in MECHANISMS
    assert MECHANISMS.get("PNFPeel") is PNFPeel
    assert list(MECHANISMS) == [mechanism.name for mechanism in MECHANISMS.values()]
    assert "PNFPeel" not in list(MECHANISMS)
    assert MECHANISMS.get("Nobody") is None
    assert "Nobody" not in MECHANISMS
    with pytest.raises(KeyError, match="'Nobody' is none of Joint, "):
        MECHANISMS["Nobody"]


def arrays_of(answer: object) -> list[np.ndarray]:
    if isinstance(answer, np.ndarray):
        return [answer]
    if not is_dataclass(answer):
        return []
    return [one for own in fields(answer) for one in arrays_of(getattr(answer, own.name))]


@pytest.mark.parametrize("kind", MECHANISMS.values(), ids=lambda m: m.__name__)
def test_writing_into_an_answer_changes_no_later_answer(kind):
    delta = {"delta": 0.01} if kind.card.takes("delta") else {}
    mechanism, counts = kind(2, 1.0, **delta), ItemCounts([9, 7, 7, 2, 0])
    neighbor, ends = ItemCounts([8, 7, 7, 2, 0]), counts.sorted.ends
    questions = [lambda key=key: exact_error(counts, mechanism, key) for key in METRICS]
    questions += [
        lambda: counts.order,
        lambda: counts.positions(np.arange(5)),
        lambda: counts.sorted.values,
        lambda: swaps(mechanism, 5),
        lambda: output_distribution(counts, mechanism),
        lambda: privacy_loss(counts, mechanism, neighbor),
        lambda: roc_curve(counts, mechanism, neighbor),
        lambda: mechanism.log_pmf(counts, mechanism.outputs.every(5, 2)),
        lambda: mechanism.outputs.every(5, 2),
        lambda: mechanism.sample(counts, 3, np.random.default_rng(0)),
        lambda: mechanism.chances_within(counts.sorted, ends),
        lambda: mechanism.chances_released(counts.sorted, np.arange(5)),
        lambda: mechanism.chances_in_order(counts.sorted),
    ]
    n_arrays = 0
    for ask in questions:
        try:
            answers = arrays_of(ask())
        except NoClosedFormError:
            continue
        before = [one.copy() for one in answers]
        for one in answers:
            if one.flags.writeable:
                one[...] = 77
        for one, was in zip(arrays_of(ask()), before, strict=True):
            np.testing.assert_array_equal(one, was)
            n_arrays += 1
    assert n_arrays > 5
