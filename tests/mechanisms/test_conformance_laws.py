"""Test exact laws of every mechanism against all outputs, and refusals where none is known."""

import functools
import math
import re

import numpy as np
import pytest
from ladder import VARIANTS, both_relations, every_variant

from dptopk import (
    METRICS,
    ItemCounts,
    Joint,
    Mechanism,
    NoClosedFormError,
    PNFJoint,
    exact_error,
    output_distribution,
    probability_exact_sequence,
    probability_exact_set,
)
from dptopk.core.errors import all_errors, is_exact_sequence, is_exact_set
from dptopk.core.estimate import Estimate
from dptopk.core.validation import MAX_EPSILON, MIN_EPSILON
from dptopk.laws.exact import chance_exact_sequence, chance_exact_set

VECTORS = [
    *([4], [3, 3], [0, 9, 0], [10, 5, 1, 1], [2, 7, 0, 7, 3]),
    *([5, 5, 5, 2, 2, 2], [90, 31, 60, 0, 45], [1, 1000, 2, 0, 30, 2]),
]
CASES = [(c, k) for c in VECTORS for k in range(1, min(len(c), 14 - len(c)) + 1)]
EPSILONS = (0.01, 1.0, 20.0)
ADDED_UP = Mechanism.log_probability_exact_set  # of sequences, up to 8!


@functools.cache  # several laws are held against the same outputs
def outputs_of(mechanism, counts: tuple[int, ...]):
    data = ItemCounts(counts)
    return data, output_distribution(data, mechanism)


def each_case(variant, neighbors):
    """Each data set and k at one of three epsilons, with all outputs."""
    for number, (counts, k) in enumerate(CASES):
        mechanism = variant(k, EPSILONS[number % 3], neighbors)
        yield mechanism, *outputs_of(mechanism, tuple(counts))


WITH_LAWS = [variant for variant in VARIANTS if variant.cls.exact_metrics]


@both_relations
@pytest.mark.parametrize("variant", WITH_LAWS, ids=str)
def test_laws_of_errors(variant, neighbors):
    for mechanism, data, outputs in each_case(variant, neighbors):
        for metric in mechanism.exact_metrics:
            errors = METRICS[metric].compute(data, outputs.sequences, mechanism.outputs)
            law = exact_error(data, mechanism, metric)
            found = dict(zip(law.values.tolist(), law.probabilities, strict=True))
            for value in np.unique(errors).tolist():
                expected = outputs.probabilities[errors == value].sum()
                assert found.pop(value, 0.0) == pytest.approx(expected, rel=1e-10, abs=1e-12)
            assert not found  # no value that no output has
            assert law.mean == pytest.approx(outputs.probabilities @ errors, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("cls", [Joint, PNFJoint])
@pytest.mark.parametrize(
    ("counts", "k", "epsilon", "value", "log_p"),
    [
        ([40, 30, 20, 10, 0], 2, 3, 30, -43.61),
        ([12, 56, 16, 33, 40, 14], 3, 4, 19, -36.61),
        ([19, 52, 23, 6, 35], 4, 6, 13, -37.61),
        ([20, 13, 0, 27, 33], 2, 3, 27, -39.11),
        ([17, 6, 30, 21, 56, 40], 3, 4, 24, -45.91),
    ],
)
def test_laws_are_as_good_as_they_say_in_their_tails(cls, counts, k, epsilon, value, log_p):
    """To within 1e-10 p + 1e-19, as `ErrorLaw` says: sums leave out what is below that."""
    mechanism, data = cls(k, float(epsilon)), ItemCounts(counts)
    every = mechanism.outputs.every(len(counts), k)
    every_log_p = mechanism.log_pmf(data, every)
    errors = METRICS["k_relative"].compute(data, every, mechanism.outputs)
    law = exact_error(data, mechanism, "k_relative")
    found = dict(zip(law.values.tolist(), law.log_probabilities.tolist(), strict=True))
    for error in np.unique(errors).tolist():
        expected = float(np.logaddexp.reduce(every_log_p[errors == error]))
        slack = 1e-10 * math.exp(expected) + 1e-19
        assert abs(math.exp(found.pop(error, -math.inf)) - math.exp(expected)) <= slack
        if cls is Joint and error == value:
            assert expected == pytest.approx(log_p, abs=0.005)
    assert not found


@pytest.mark.parametrize("variant", [v for v in WITH_LAWS if v.blind], ids=str)
def test_without_budget_laws_are_those_of_a_uniform_output(variant):
    data, mechanism = ItemCounts([9, 7, 7, 4, 1, 0]), variant(3, MIN_EPSILON)
    every = mechanism.outputs.every(6, 3)
    for metric in mechanism.exact_metrics:
        errors = METRICS[metric].compute(data, every, mechanism.outputs)
        values, n = np.unique(errors, return_counts=True)
        law = exact_error(data, mechanism, metric)
        np.testing.assert_array_equal(law.values, values)
        np.testing.assert_allclose(law.probabilities, n / len(errors), rtol=20 * MIN_EPSILON)


@pytest.mark.parametrize("variant", [v for v in WITH_LAWS if v.reference.fills], ids=str)
def test_at_an_enormous_epsilon_nothing_errs(variant):
    """Rounding left no margin for sums of tiny masses, and thereby no mass."""
    data, mechanism = ItemCounts([90, 70, 50, 4, 1, 0]), variant(3, MAX_EPSILON)
    for metric in mechanism.exact_metrics:
        assert exact_error(data, mechanism, metric).mean == 0
    if mechanism.outputs.ordered:
        assert chance_exact_sequence(data, mechanism).log == 0


@pytest.mark.slow
@both_relations
@every_variant
def test_probability_of_the_exact_sequence(variant, neighbors):
    """The pmf at all true top k; refused for sets."""
    for mechanism, data, outputs in each_case(variant, neighbors):
        if not mechanism.outputs.ordered:
            with pytest.raises(NoClosedFormError, match=f"^{mechanism.name} releases sets"):
                probability_exact_sequence(data, mechanism)
        elif mechanism.open_domain and data.sorted.top(mechanism.k)[-1] == 0:
            assert probability_exact_sequence(data, mechanism) == 0  # nobody's item comes out
        else:
            right = is_exact_sequence(data, outputs.sequences, mechanism.outputs)
            expected = outputs.probabilities[right].sum()
            ours = probability_exact_sequence(data, mechanism)
            assert ours == pytest.approx(expected, rel=1e-10)


@both_relations
@every_variant
def test_probability_of_the_exact_set(variant, neighbors):
    """By a closed form, or added up."""
    for mechanism, data, outputs in each_case(variant, neighbors):
        if not mechanism.outputs.short and (mechanism.k == data.d or data.sorted.n_levels == 1):
            assert chance_exact_set(data, mechanism) == Estimate.of_logs(0.0, -math.inf)
        else:
            right = is_exact_set(data, outputs.sequences, mechanism.outputs)
            expected = outputs.probabilities[right].sum()
            ours = probability_exact_set(data, mechanism)
            assert ours == pytest.approx(expected, rel=1e-10)


@every_variant
def test_outputs_have_the_probability_that_each_has_alone(variant, rng):
    """Asked for together they share what they have in common: places, panels, radii."""
    values = [900, 640, 639, 500, 60, 40, 39, 38, 37, 20, 19, 18, 3, 2, 1]
    data = ItemCounts(values)
    mechanism = variant(3, 1.5)
    every = mechanism.outputs.every(data.d, 3)
    some = every[np.sort(rng.choice(len(every), min(len(every), 40), replace=False))]
    alone = [mechanism.log_pmf(data, row[None])[0] for row in some]
    assert mechanism.log_pmf(data, some) == pytest.approx(alone, rel=1e-10)
    together = mechanism.log_pmf(data, every)[(every == some[:, None]).all(axis=2).argmax(axis=1)]
    assert together == pytest.approx(alone, rel=1e-10)


@every_variant
def test_probabilities_are_probabilities(variant):
    """In [0, 1] to the last digit at any size; a set is at least as likely as its order."""
    counts = ItemCounts(np.floor(20_000 / np.arange(1, 1001) ** 0.7) - 3 * np.arange(1, 1001) % 7)
    distinct = ItemCounts(np.arange(1000, 0, -1) ** 2)
    for k, epsilon in ((1, 0.1), (3, 1.5), (50, 50.0), (200, 1e5)):
        mechanism = variant(k, epsilon)
        data = counts if mechanism.exchangeable_ties else distinct
        if data.sorted.n_levels > variant.reference.n_levels:
            for probability in (probability_exact_set, probability_exact_sequence):
                with pytest.raises(NoClosedFormError, match=r"takes long to write out for more t"):
                    probability(data, mechanism)
            continue
        as_a_set = 1.0
        if k > variant.reference.k_of_sets:
            with pytest.raises(NoClosedFormError, match=f"too many orders at k = {k}$"):
                probability_exact_set(data, mechanism)
        elif k < 9 or type(mechanism).log_probability_exact_set is not ADDED_UP:
            as_a_set = probability_exact_set(data, mechanism)
        assert 0 <= as_a_set <= 1
        if mechanism.outputs.ordered:
            assert 0 <= probability_exact_sequence(data, mechanism) * (1 - 1e-12) <= as_a_set


@every_variant
def test_a_law_is_offered_or_refused(variant):
    """Without a law it is that of all outputs, up to 50,000, if its values are whole numbers."""
    mechanism, data = variant(2, 1.0), ItemCounts([5, 3, 1])
    larger = ItemCounts(np.arange(400))
    assert set(mechanism.exact_metrics) <= set(METRICS)
    for metric in mechanism.exact_metrics:
        assert exact_error(data, mechanism, metric).cumulative[-1] == pytest.approx(1, abs=1e-9)
    for metric in set(METRICS) - set(mechanism.exact_metrics):
        known = f"no closed form of the {METRICS[metric].title} of {mechanism.name} is known"
        score = METRICS[metric].is_score
        why = ": its values are no whole" if score else ", and more than 50,000 outputs are"
        with pytest.raises(NoClosedFormError, match=f"^{re.escape(known)}{why}"):
            exact_error(larger, mechanism, metric)
        if not score:
            outputs = output_distribution(data, mechanism)
            values = METRICS[metric].compute(data, outputs.sequences, mechanism)
            law = exact_error(data, mechanism, metric)
            assert law.mean == pytest.approx(values @ outputs.probabilities, rel=1e-9, abs=1e-12)
    if not mechanism.exact_metrics:
        with pytest.raises(NotImplementedError, match=f"^{mechanism.name} has no exact law of l1"):
            mechanism.error_law(data.sorted, "l1")


@every_variant
def test_bounds_hold_where_there_are_any(variant):
    """A proven bound against the exact law of its error."""
    data = ItemCounts(np.floor(300 / np.arange(1, 2001) ** 0.7))
    for metric in METRICS:
        for k, epsilon in ((1, 0.1), (5, 1.0), (50, 4.0)):
            bound = variant(k, epsilon).error_bound(data.d, metric)
            if bound is not None:
                assert bound.metric == metric
                assert bound.words.startswith(variant.cls.name)
                assert bound.words.endswith(".")
                law = exact_error(data, variant(k, epsilon), metric)
                assert law.quantile(bound.probability) <= bound.value < math.inf


FALLS = ([9, 7, 7], [30, 15, 1, 1], [10, 9, 8, 7], [5, 5, 1, 0])


@pytest.mark.slow
@every_variant
def test_chances_grow_with_epsilon_where_the_mechanism_says_so(variant):
    """Of every target that a measure or a right output is; where it does not, they fall somewhere.

    The l1 error of mechanisms that add noise is one of those that fall, hardly.
    """
    falling = set()
    for vector in FALLS:
        counts = ItemCounts(vector)
        every = variant(2, 1.0).outputs.every(counts.d, 2)
        laws = np.exp(
            [variant(2, e).log_pmf(counts, every) for e in np.geomspace(1e-3, 1e3, 25).tolist()]
        )
        for key, found in all_errors(counts, every, variant.cls.outputs).items():
            if key in METRICS and METRICS[key].is_place:
                continue
            amounts = [True] if found.dtype == bool else np.unique(found).tolist()
            more = found.dtype == bool or METRICS[key].more_is_better
            for amount in amounts:
                inside = found >= amount if more else found <= amount
                chances = laws[:, inside].sum(axis=1)
                if (np.diff(chances) < -1e-9).any():
                    falling.add(key)
    says = {key for key in falling if not variant(2, 1.0).chance_grows(key)}
    assert falling == says, "see `chance_grows`, and `falls_under_noise` of measures"
