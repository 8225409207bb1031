"""Test Gamma: closed forms by hand, its privacy loss, and many items."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from slow_radius import radius_order

from dptopk import (
    Gamma,
    ItemCounts,
    Joint,
    NeighborRelation,
    NoClosedFormError,
    PNFJoint,
    SortedCounts,
    worst_case_loss,
)
from dptopk.mechanisms.kernels import narrow_radius, shared_radius_law, wide_radius

ADD_REMOVE, SWAP = NeighborRelation


@pytest.mark.parametrize(
    ("calibration", "neighbors", "spent"),
    [
        ("paper", ADD_REMOVE, 0.5),
        ("paper", SWAP, 1),
        ("optimal", ADD_REMOVE, 1),
        ("optimal", SWAP, 1),
    ],
)
def test_what_the_order_spends_of_the_budget(calibration, neighbors, spent):
    """All of it on two items, but for the paper's noise where a user joins or leaves: half."""
    mechanism = Gamma(1, 0.8, neighbors, calibration)
    worst = worst_case_loss(ItemCounts([20, 0]), mechanism).value
    assert worst == pytest.approx(spent * 0.8, rel=1e-12)
    many = Gamma(3, 0.8, neighbors, calibration)
    assert worst_case_loss(ItemCounts([20, 11, 9, 0]), many).value <= spent * 0.8 + 1e-9


def test_the_noise_of_the_paper_is_the_same_for_either_relation():
    """And that of the other calibration where a user is replaced."""
    counts = ItemCounts([9, 2, 7, 5])
    alike = [Gamma(2, 0.8), Gamma(2, 0.8, SWAP), Gamma(2, 0.8, SWAP, "optimal")]
    alike.append(Gamma(2, 0.4, ADD_REMOVE, "optimal"))
    laws = [one.log_pmf(counts, one.outputs.every(4, 2)) for one in alike]
    for law in laws[1:]:
        np.testing.assert_array_equal(law, laws[0])


def test_what_is_far_from_likely_keeps_its_digits():
    """A hundred items below a gap that only a radius far beyond the usual closes."""
    gap, n = 3000, 100
    data, mechanism = ItemCounts([gap, *[0] * n]), Gamma(1, 1.0)

    def passed(beyond):
        width = gap + 2 * beyond
        share = mpmath.mpf(gap) / width
        log_density = (n + 1) * mpmath.log(width / 2) - beyond - mpmath.loggamma(n + 2)
        return (1 - share - (1 - share ** (n + 1)) / (n + 1)) * mpmath.exp(log_density)

    with mpmath.workdps(30):
        expected = mpmath.log(mpmath.quad(passed, [0, 2, 8, 20, 50, 150])) - gap / 2
    found = mechanism.log_probability_not_exact_set(data.sorted)
    assert found == pytest.approx(float(expected), abs=1e-10)
    assert mechanism.log_pmf(data, [[7]])[0] == pytest.approx(
        float(expected) - math.log(n), abs=1e-9
    )


def test_many_places_upside_down():
    """Noise is symmetric: the reverse order of the counts below their sum is as likely.

    Eighteen places are more than a panel carries exactly.
    """
    counts = np.array([*range(40, 6, -2), 7])
    order = np.roll(np.arange(18), 1)[None]
    down = Gamma(18, 2.0).log_pmf(ItemCounts(counts), order)
    up = Gamma(18, 2.0).log_pmf(ItemCounts(50 - counts), order[:, ::-1])
    assert down == pytest.approx(up, rel=1e-9)
    tied = Gamma(18, 2.0).log_pmf(ItemCounts([5] * 18), order)
    assert tied == pytest.approx(-math.lgamma(19), rel=1e-10)


def test_its_noise_grows_with_the_number_of_items_and_not_with_k():
    assert [Gamma(k, 0.5).scale_on(99) for k in (1, 50)] == [200, 200]
    assert Gamma(1, 0.5, calibration="optimal").scale_on(99) == 100
    assert Gamma(1, 0.5, SWAP, "optimal").scale_on(99) == Gamma(1, 0.5, SWAP).scale_on(99) == 200
    assert Gamma(1, 0.5, calibration="optimal").label == "Gamma (optimal)"


def test_its_card_says_how_much_better_large_gaps_are_ordered_by_others():
    counts = [120, 100, 80, 60, 40, 20, 15, 10]
    odds = [right_order(kind(7, 1.0), counts) for kind in (Gamma, Joint, PNFJoint)]
    said = "probability {:.1%} in the paper's calibration, but with {:.1%} under Joint and {:.1%}"
    assert said.format(*odds) in Gamma.card.explanation.not_for


def right_order(mechanism, counts):
    """Probability of the first k in their true order."""
    return math.exp(mechanism.log_pmf(ItemCounts(counts), [range(mechanism.k)])[0])


@pytest.mark.parametrize("epsilon", [1.0, 100.0, 1e12])
def test_all_items_are_drawn_across_an_enormous_gap(epsilon, rng):
    """The last range is narrower than the step between floats at its depth: it was never ended."""
    drawn = Gamma(3, epsilon).sample(ItemCounts([2**53, 40, 1]), 50, rng)
    assert np.all(np.sort(drawn, axis=1) == [0, 1, 2])
    assert np.all(drawn[:, 0] == 0)


def first_of_tied(d: int, gap: int) -> float:
    """Log probability that an item comes first that is so far above d - 1 tied ones, in 30 digits.

    Given the radius R, in scales, and a = gap / 2R up to 1, it is a + (1 - a^d) / d.
    """
    with mpmath.workdps(30):
        kink, spread = mpmath.mpf(gap) / 2, mpmath.sqrt(d + 1)

        def given(radius):
            a = kink / radius
            density = mpmath.exp(d * mpmath.log(radius) - radius - mpmath.loggamma(d + 1))
            return density * (1 if a >= 1 else a + (1 - a**d) / d)

        near = [kink * (1 + mpmath.mpf(10) ** -e) for e in range(12)]
        wide = [d + spread * x for x in range(-13, 15)]
        ends = [x for x in sorted([kink, *near, *wide]) if 0 < x <= wide[-1]]
        return float(mpmath.log(mpmath.quad(given, ends)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("d", "share"), [(10, 0.9), (1_000, 1.0), (3_000, 0.98), (10**5, 1.0), (10**7, 0.98)]
)
def test_many_items_against_another_integral(d, share):
    """Behind the kink of the radius lies a layer as thin as its scale, however far it is."""
    gap = int(2 * d * share)
    counts = SortedCounts([gap + 1, 1], [1, d - 1])
    expected = pytest.approx(first_of_tied(d, gap), rel=2e-8, abs=1e-9)
    assert Gamma(1, 1.0).log_pmf(counts, [[0]])[0] == expected
    assert Gamma(1, 1.0).log_probability_exact_set(counts) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "multiplicities", "epsilon"),
    [
        ([400, 20, 10, 0], [3, 5, 10, 2000], 2.0),  # the radius reaches past all counts
        ([400, 390, 10, 0], [4, 5, 30, 800], 0.5),
        ([40, 20, 10, 0], [3, 5, 10, 40], 4.0),  # and here not
    ],
)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_all_orders_of_items_add_up_to_one(values, multiplicities, epsilon, k):
    """Those that begin with the many at the end, too."""
    counts = SortedCounts(values, multiplicities)
    rows, numbers = [], []
    for levels in itertools.product(range(4), repeat=k):
        before = [levels[:place].count(level) for place, level in enumerate(levels)]
        first = counts.ends - counts.multiplicities
        rows.append([first[level] + n for level, n in zip(levels, before, strict=True)])
        left = [multiplicities[level] - n for level, n in zip(levels, before, strict=True)]
        numbers.append(math.prod(left))
    log_p = Gamma(k, epsilon).log_pmf(counts, rows)
    assert np.dot(numbers, np.exp(log_p)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(("k", "d"), [(20, 400), (100, 166_000)])
def test_many_places_of_tied_items_are_in_any_order(k, d):
    found = Gamma(k, 1.0).log_pmf(SortedCounts([7], [d]), [range(k)])[0]
    assert found == pytest.approx(math.lgamma(d - k + 1) - math.lgamma(d + 1), rel=1e-12)


def test_two_ways_to_integrate_agree():
    """Over y at each radius, and over all radii at once, where these reach past all counts."""
    rng = np.random.default_rng(3)
    values = np.unique(np.floor(rng.pareto(1.0, 40) * 8).clip(max=90))[::-1].astype(int)
    counts = SortedCounts(values, rng.integers(1, 30, values.size))
    for order in ([0, 1, 2], [values.size - 1, 0, 3], [4] * 2, list(range(min(8, values.size)))):
        wide = wide_radius.log_p(counts, np.array(order), 0.3)
        by_radius = shared_radius_law.log_p_by_radius(counts, np.array([order]), 0.3)[0]
        assert wide == pytest.approx(by_radius, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("order", [[0, 3], [5, 2], [1, 30]])
@pytest.mark.parametrize(
    ("values", "multiplicities"),
    [([30, 20, 11, 0], [3, 5, 16, 40]), ([60, 20, 11, 0], [1, 1, 22, 40])],
)
def test_a_radius_within_the_range_of_counts_in_many_digits(values, multiplicities, order):
    counts = SortedCounts(values, multiplicities)
    in_digits = radius_order(lambda mechanism: mpmath.mpf(1))
    expected = in_digits(None, np.repeat(values, multiplicities).tolist(), [order])[0]
    found = narrow_radius.log_p(counts, counts.level_of_rank(np.array(order)), 1.0)
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [8.0, 30.0])
@pytest.mark.parametrize("order", [[0], [3, 60], [1, 0, 2, 9, 4]])
def test_panels_that_radii_share_give_what_those_of_each_give(epsilon, order):
    """Lower ends of places, and of the largest other count, are met."""
    rng = np.random.default_rng(8)
    values = np.unique(np.floor(rng.pareto(1.0, 400) * 9).clip(max=200))[::-1].astype(int)
    counts = SortedCounts(values, rng.integers(1, 9, values.size))
    levels = counts.level_of_rank(np.array(order))
    assert np.isnan(wide_radius.log_p(counts, levels, epsilon))
    shared = narrow_radius.log_p(counts, levels, epsilon)
    each = shared_radius_law.log_p_by_radius(counts, levels[None], epsilon)[0]
    assert shared == pytest.approx(each, abs=1e-8)


def test_radii_that_wide_panels_carry_too():
    counts = SortedCounts([400, 390, 10, 0], [4, 5, 30, 8000])
    for levels in ([0, 1, 0], [1] * 4, [0, 3, 2], [0, 0, 1, 0, 0, 1, *[3] * 30]):
        wide = wide_radius.log_p(counts, np.array(levels), 1.0)
        assert narrow_radius.log_p(counts, np.array(levels), 1.0) == pytest.approx(wide, rel=1e-12)


def test_first_places_add_up_to_one_where_lower_ends_pass_many_tied_items():
    counts = SortedCounts([1300, 1240, 1200, 1190, 3], [1, 1, 2, 1, 1200])
    log_p = [narrow_radius.log_p(counts, np.array([level]), 2.0) for level in range(5)]
    assert np.dot(counts.multiplicities, np.exp(log_p)) == pytest.approx(1, abs=1e-10)


def test_a_draw_of_many_items_is_possible():
    """Its items come from the many small counts: nothing that is drawn has probability 0."""
    rng = np.random.default_rng(4)
    counts = ItemCounts(np.floor(rng.pareto(1.0, 20_000) + 1).clip(max=1000).astype(int)).sorted
    draws = Gamma(10, 1.0).sample(counts, 5, rng)
    log_p = Gamma(10, 1.0).log_pmf(counts, draws)
    uniform = math.lgamma(counts.d - 9) - math.lgamma(counts.d + 1)
    assert np.all(np.abs(log_p - uniform) < 30)


def test_the_law_is_refused_where_its_integrals_lose_digits():
    counts = SortedCounts([9, 1], [1, 10**7])
    for ask in (
        lambda: Gamma(1, 1.0).log_pmf(counts, [[0]]),
        lambda: Gamma(1, 1.0).log_probability_exact_set(counts),
    ):
        with pytest.raises(NoClosedFormError, match="10,000,000 items, here 10,000,001"):
            ask()
    few, many = (SortedCounts([10**7, 1], [1, n]) for n in (127, 128))
    assert Gamma(1, 1.0).log_probability_not_exact_set(few) < -1e4
    assert math.isnan(Gamma(1, 1.0).log_probability_not_exact_set(many))


@pytest.mark.parametrize(
    ("counts", "k", "epsilon"),
    [
        ([40, 30, 20, 10, 0] * 3, 10, 2.0),
        ([2**n for n in range(15)], 1, 2.0**-8),
        ([90, 74, 65, 60, 56, 53, 51, *range(33, 51)], 1, 2.0),
    ],
)
def test_a_range_that_ends_a_rounding_error_below_a_count_is_no_special_case(counts, k, epsilon):
    counts = ItemCounts(counts).sorted
    at, above = (
        Gamma(k, one).log_probability_exact_set(counts)
        for one in (epsilon, math.nextafter(epsilon, math.inf))
    )
    assert above == pytest.approx(at, rel=1e-9)
