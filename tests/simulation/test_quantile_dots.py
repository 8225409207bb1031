"""Test quantile dots: equally likely values, exact where a law is known, and their stacks."""

import numpy as np
import pytest

from dptopk import Joint, exact_error, load_dataset
from dptopk.mechanisms import ErrorLaw
from dptopk.simulation.quantile_dots import Dots, quantile_dots, rare_threshold, split_at

LAW = ErrorLaw(np.array([0, 3, 700]), np.log([0.5, 0.3, 0.2]))


def test_dots_of_a_law_are_in_its_proportions():
    (dots,) = quantile_dots({"law": LAW}, logarithmic=True).values()
    assert np.bincount(dots.values)[[0, 3, 700]].tolist() == [25, 15, 10]
    assert dots.exact
    assert [dots.beyond(x) for x in (-1, 0, 2, 3, 699.5, 700)] == [50, 25, 25, 10, 10, 0]


def test_dots_of_runs_are_their_quantiles(rng):
    values = rng.integers(0, 10**6, 250)
    (dots,) = quantile_dots({"runs": values}, logarithmic=False).values()
    assert not dots.exact
    np.testing.assert_array_equal(dots.values, np.sort(values)[2::5])  # the middle of every five
    assert np.array_equal(quantile_dots({"": values}, logarithmic=False, n=250)[""].values,
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
    width = (np.log1p(largest) if logarithmic else largest) / 18
    for each in dots.values():
        places = set(zip(each.at.round(9).tolist(), each.height.tolist(), strict=True))
        assert len(places) == 50
        assert each.height.max() < 13 == each.full
        drawn = (
            (np.log1p(each.at), np.log1p(each.values)) if logarithmic else (each.at, each.values)
        )
        assert np.abs(drawn[0] - drawn[1]).max() <= 1.5 * width
        for at in np.unique(each.at):  # no dot hangs in the air
            assert sorted(each.height[each.at == at]) == list(range((each.at == at).sum()))


def test_one_value_only_is_four_stacks_and_none_is_below_the_least():
    (dots,) = quantile_dots({"none": np.zeros(5, dtype=int)}, logarithmic=True).values()
    assert len(np.unique(dots.at)) == 4
    assert dots.at.min() == 0
    assert dots.beyond(0) == 0


@pytest.mark.parametrize("logarithmic", [True, False])
@pytest.mark.parametrize("value", [10**12, 10**14, 10**15, 2**53, 2**62])
def test_huge_values_that_are_nearly_one_are_drawn_as_one(value, logarithmic):
    """The logarithms of 1e15 and of one less are the same number."""
    for values in ([value] * 5, [value - 1] * 2 + [value] * 3):
        (dots,) = quantile_dots({"": np.array(values)}, logarithmic=logarithmic).values()
        assert len(np.unique(dots.at)) == 4
        assert dots.at == pytest.approx(value, rel=1e-9)
        assert len({*zip(dots.at.tolist(), dots.height.tolist(), strict=True)}) == 50


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
        assert len(places) == 50


def test_the_threshold_leaves_few_of_the_best():
    def made(values):
        return Dots(np.array(values), np.array(values) * 1.0, np.zeros(50, dtype=int), True, 10)

    good, bad = made(range(50)), made(range(100, 150))
    assert rare_threshold({"bad": bad, "good": good}) == 46
    assert good.beyond(46) == 3
    assert bad.beyond(46) == 50
    assert rare_threshold({"tied": made([7] * 50)}) == 7


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="n must be"):
        quantile_dots({"law": LAW}, logarithmic=True, n=0)


def test_on_a_narrow_screen_stacks_are_fewer_and_higher():
    values = {"A": np.arange(500), "B": np.zeros(500, dtype=np.int64)}
    wide, narrow = (quantile_dots(values, logarithmic=False, narrow=n) for n in (False, True))
    assert len(np.unique(narrow["A"].at)) < len(np.unique(wide["A"].at))
    assert wide["B"].height.max() < 13 <= narrow["B"].height.max() < 17
    for label in values:
        np.testing.assert_array_equal(narrow[label].values, wide[label].values)
    apart = np.diff(np.unique(narrow["B"].at))
    assert (apart >= 500 / 7 / 4).all()  # a column and its gap have room for four dots


@pytest.mark.parametrize("share", [0.2, 0.8, 1.0])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_height_of_a_column_is_its_share_of_all_dots(share, narrow):
    """80% was two stacks beside each other, as high as that of 40%."""
    errors = np.repeat([0, 900], [round(250 * share), 250 - round(250 * share)])
    (dots,) = quantile_dots({"": errors}, logarithmic=True, narrow=narrow).values()
    rows = dots.height[dots.values == 0].max() + 1
    assert rows == np.ceil(share * 50 / (50 / dots.full).__ceil__())


def test_dots_stand_around_their_value_and_in_its_order(rng):
    """49 dots of 977 stood from 770 to 950, from the left end of a wide column."""
    most = np.concatenate([[100], np.full(49, 977)])
    values = {"most": most, "spread": rng.integers(100, 977, 2_000)}
    found = quantile_dots(values, logarithmic=False)
    width = 877 / 111
    at = found["most"].at[found["most"].values == 977]
    assert abs(at - 977).max() <= 2 * width
    spread = found["spread"]
    for dot, value in zip(spread.at, spread.values, strict=True):
        assert abs(dot - value) <= 3 * width
        assert (spread.at[spread.values < value - width] < dot).all()
