"""Test quantile dots: equally likely values, exact where a law is known, and their stacks."""

import numpy as np
import pytest

from dptopk import Joint, exact_error, load_dataset
from dptopk.mechanisms import ErrorLaw
from dptopk.simulation.quantile_dots import Dots, quantile_dots, rare_threshold, split_at

LAW = ErrorLaw(np.array([0, 3, 700]), np.log([0.5, 0.3, 0.2]))


def test_dots_of_a_law_are_in_its_proportions():
    (dots,) = quantile_dots({"law": LAW}, logarithmic=True).values()
    assert np.bincount(dots.values)[[0, 3, 700]].tolist() == [10, 6, 4]
    assert dots.exact
    assert [dots.beyond(x) for x in (-1, 0, 2, 3, 699.5, 700)] == [20, 10, 10, 4, 4, 0]


def test_dots_of_runs_are_their_quantiles(rng):
    values = rng.integers(0, 10**6, 100)
    (dots,) = quantile_dots({"runs": values}, logarithmic=False).values()
    assert not dots.exact
    np.testing.assert_array_equal(dots.values, np.sort(values)[2::5])  # the middle of every five
    assert np.array_equal(quantile_dots({"": values}, logarithmic=False, n=100)[""].values,
                          np.sort(values))  # fmt: skip


@pytest.mark.parametrize("logarithmic", [True, False])
def test_dots_never_lie_on_each_other_and_stand_near_their_values(logarithmic, rng):
    sources = {
        "law": LAW,
        "spread": rng.integers(0, 700, 1_000),
        "all the same": np.full(9, 12),
        "exact": exact_error(load_dataset("games"), Joint(10, 1.0), "signed_max"),
    }
    dots = quantile_dots(sources, logarithmic=logarithmic)
    largest = max(each.values[-1] for each in dots.values())
    width = (np.log1p(largest) if logarithmic else largest) / 95
    for each in dots.values():
        assert each.values.size == 20
        drawn = (
            (np.log1p(each.at), np.log1p(each.values)) if logarithmic else (each.at, each.values)
        )
        assert np.abs(drawn[0] - drawn[1]).max() <= 0.51 * width
        for at in np.unique(each.at):  # no dot hangs in the air
            assert sorted(each.height[each.at == at]) == list(range((each.at == at).sum()))


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("value", [0, 10**12, 10**14, 10**15, 2**53, 2**62])
def test_values_that_are_one_or_nearly_are_one_stack(value, logarithmic):
    """The logarithms of 1e15 and of one less are the same number."""
    for values in ([value] * 5, [max(value - 1, 0)] * 2 + [value] * 3):
        (dots,) = quantile_dots({"": np.array(values)}, logarithmic=logarithmic).values()
        assert dots.at == pytest.approx(value, rel=1e-9)
        assert dots.height.tolist() == list(range(20))


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("logarithmic", [True, False])
def test_no_dot_beyond_a_threshold_stands_before_its_line(logarithmic, narrow, rng):
    """Stacks in which 831 and 850 stood together were left of a line at 844."""
    how = {"logarithmic": logarithmic, "narrow": narrow}
    sources = {
        "around": rng.integers(700, 1_000, 500),
        "just above": np.full(9, 845),
        "just below": np.full(9, 844),
        "spread": rng.integers(0, 1_100, 500),
    }
    dots = quantile_dots(sources, **how)
    parted = split_at(dots, 844, **how)
    for label, each in parted.items():
        np.testing.assert_array_equal(each.values, dots[label].values)
        assert ((each.at > 844.5) == (each.values > 844)).all()
        places = set(zip(each.at.round(9).tolist(), each.height.tolist(), strict=True))
        assert len(places) == 20


def test_the_threshold_leaves_few_of_the_best():
    def made(values):
        return Dots(np.array(values), np.array(values) * 1.0, np.zeros(20, dtype=int), True)

    good, bad = made(range(20)), made(range(100, 120))
    assert rare_threshold({"bad": bad, "good": good}) == 18
    assert good.beyond(18) == 1
    assert bad.beyond(18) == 20
    assert rare_threshold({"tied": made([7] * 20)}) == 7


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="n must be"):
        quantile_dots({"law": LAW}, logarithmic=True, n=0)


def test_columns_are_fewer_on_a_narrow_screen():
    values = {"A": np.arange(500)}
    wide, narrow = (quantile_dots(values, logarithmic=False, narrow=n)["A"] for n in (False, True))
    np.testing.assert_array_equal(narrow.values, wide.values)
    assert np.diff(np.unique(narrow.at)).min() > 3 * 499 / 95
    assert np.diff(np.unique(wide.at)).min() < 6 * 499 / 95


@pytest.mark.parametrize("share", [0.2, 0.8, 1.0])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_height_of_a_column_is_its_share_of_all_dots(share, narrow):
    """80% was two stacks beside each other, as high as that of 40%."""
    errors = np.repeat([0, 900], [round(250 * share), 250 - round(250 * share)])
    (dots,) = quantile_dots({"": errors}, logarithmic=True, narrow=narrow).values()
    assert dots.height[dots.values == 0].max() + 1 == round(20 * share)
