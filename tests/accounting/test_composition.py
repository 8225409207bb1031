"""Test composition against published numbers, closed forms, adversaries, and its own program."""

import math

import mpmath
import numpy as np
import pytest
from scipy import optimize, stats

from dptopk.accounting import (
    METHODS,
    _curves,
    calibration,
    local_epsilon,
    spent_delta,
    spent_epsilon,
)
from dptopk.accounting._curves import one_round

# --- references ------------------------------------------------------------------------


def chance_of_top(eta, t):
    """Return P(loss t) of the round with losses t and t − η."""
    return np.expm1(t - eta) / np.expm1(-eta)


def lattice_adversary(eta, k, epsilon, steps):
    """δ of the best adaptive adversary whose t are multiples of eta/steps: below the optimum."""
    t = eta * np.arange(steps + 1) / steps
    p = chance_of_top(eta, t)
    unspent = epsilon + eta / steps * np.arange(-k * steps, k * steps + 1)
    value = np.maximum(-np.expm1(unspent), 0.0)
    for _ in range(k):
        n = value.size - 2 * steps
        value = np.max(
            [
                p[i] * value[steps - i :][:n] + (1 - p[i]) * value[2 * steps - i :][:n]
                for i in range(steps + 1)
            ],
            axis=0,
        )
    return value.item()


def nonadaptive_delta(eta, k, epsilon):
    """δ of the best adversary with one t in all rounds (Dong, Durfee, Rogers 2020): binomial."""
    t = np.linspace(0, eta, 801)[1:-1, None]
    tops = np.arange(k + 1)
    loss = k * t - (k - tops) * eta
    mass = stats.binom.pmf(tops, k, chance_of_top(eta, t))
    return float(np.max(np.sum(mass * np.maximum(-np.expm1(epsilon - loss), 0), axis=1)))


def searched_kl(eta):
    """The largest KL divergence of a round, by search over t."""

    def kl(t):
        p = chance_of_top(eta, t)
        return p * t + (1 - p) * (t - eta)

    return -optimize.minimize_scalar(lambda t: -kl(t), bounds=(0, eta), method="bounded").fun


def searched_moment(eta, a):
    """The largest E e^(aL) of a round, by search over t, fifty digits."""
    with mpmath.workdps(50):
        eta, a = mpmath.mpf(eta), mpmath.mpf(a)

        def moment(share):
            t = share * eta
            p = (1 - mpmath.exp(t - eta)) / (1 - mpmath.exp(-eta))
            return p * mpmath.exp(a * t) + (1 - p) * mpmath.exp(a * (t - eta))

        low, high = mpmath.mpf(0), mpmath.mpf(1)
        for _ in range(120):  # ternary search
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if moment(left) < moment(right) else (low, right)
        return moment(low)


# --- published numbers, closed forms and searched suprema ------------------------------


TABLE = [  # epsilon, k, ε0 at δ = 1e-6 by paper, renyi, optimal
    (0.1, 10, 0.01201, 0.01690, 0.01756),
    (0.1, 50, 0.00537, 0.00724, 0.00778),
    (0.1, 200, 0.00269, 0.00359, 0.00389),
    (1, 1, 1.0, 1.0, 1.0016),
    (1, 5, 0.2, 0.23279, 0.23283),
    (1, 10, 0.11822, 0.14980, 0.15334),
    (1, 50, 0.05287, 0.06323, 0.06703),
    (1, 200, 0.02643, 0.03131, 0.03342),
    (4, 10, 0.45072, 0.54640, 0.55314),
    (4, 50, 0.20157, 0.22671, 0.23802),
]


@pytest.mark.parametrize(("epsilon", "k", "paper", "renyi", "optimal"), TABLE)
def test_local_epsilon_table(epsilon, k, paper, renyi, optimal):
    found = [local_epsilon(epsilon, 1e-6, k, m) for m in ("paper", "renyi", "optimal")]
    np.testing.assert_allclose(found, [paper, renyi, optimal], rtol=5e-3)


@pytest.mark.parametrize(
    ("eta", "k", "expected"),
    [
        (0.1, 10, (1.00, 0.844, 0.652, 0.634)),
        (0.1, 50, (5, 1.92, 1.64, 1.54)),
        (1, 10, (10, 9.56, 7.77, 7.72)),
    ],
)
def test_spent_epsilon_table(eta, k, expected):
    found = [spent_epsilon(eta, k, 1e-6, m) for m in ("basic", "paper", "renyi", "optimal")]
    np.testing.assert_allclose(found, expected, rtol=5e-3)


@pytest.mark.parametrize(("epsilon", "delta", "k"), [(1, 1e-6, 10), (0.1, 1e-12, 99), (9, 0.5, 80)])
def test_paper_solves_lemma_4_2(epsilon, delta, k):
    eta = local_epsilon(epsilon, delta, k, "paper")
    lemma = k * eta**2 / 8 + 2 * eta * math.sqrt(k * math.log(1 / delta) / 8)
    assert lemma == pytest.approx(epsilon, rel=1e-12)
    assert spent_epsilon(eta, k, delta, "paper") == pytest.approx(epsilon, rel=1e-12)
    assert spent_delta(eta, k, epsilon, "paper") == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 1, 20])
@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.5])
def test_one_round_optimum_inverts_in_closed_form(epsilon, delta):
    # (1 − e^{(ε−η)/2})² = δ (1 − e^{−η}) is a quadratic in e^{−η/2}.
    root = math.sqrt(delta * (math.expm1(epsilon) + delta))
    expected = 2 * math.log((math.exp(epsilon / 2) + root) / (1 - delta))
    assert local_epsilon(epsilon, delta, 1, "optimal") == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("eta", [1e-7, 0.0999, 0.1001, 1, 8])
def test_largest_kl_is_the_largest(eta):
    assert _curves.largest_kl(eta) == pytest.approx(searched_kl(eta), rel=1e-7)


@pytest.mark.parametrize("eta", [1e-6, 0.03, 1, 12])
@pytest.mark.parametrize("scaled_order", [0.01, 1, 30])
def test_largest_moment_is_the_largest(eta, scaled_order):
    a = scaled_order / eta
    found = _curves.log_largest_moment(eta, np.array(a))
    with mpmath.workdps(50):
        expected = float(mpmath.log(searched_moment(eta, a)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_moments_stay_below_the_zcdp_line():
    a = np.logspace(-3, 5, 200)
    for eta in np.logspace(-6, 2, 60):
        rho = _curves.largest_kl(eta)
        assert np.all(_curves.log_largest_moment(eta, a) <= a * (a + 1) * rho + 1e-13)


@pytest.mark.parametrize(("eta", "share"), [(0.02, 0.25), (0.4, 0.25), (3, 0.6)])
@pytest.mark.parametrize("name", ["cks", "renyi"])
def test_infimum_over_orders(name, eta, share):
    k = 25
    rho = k * searched_kl(eta)
    epsilon = share * k * eta

    def log_delta(log_a):
        a = math.exp(log_a)
        one = a * (a + 1) * rho if name == "cks" else k * mpmath.log(searched_moment(eta, a))
        return float(one) - a * epsilon + a * math.log(a) - (a + 1) * math.log(a + 1)

    guess = math.log(4 / eta)
    best = optimize.minimize_scalar(log_delta, bounds=(guess - 6, guess + 6), method="bounded").fun
    expected = min(math.exp(best), spent_delta(eta, k, epsilon, "paper"))
    assert spent_delta(eta, k, epsilon, name) == pytest.approx(expected, rel=1e-5)


# --- adversaries -----------------------------------------------------------------------


ADVERSARY_CASES = [
    (eta, k, share * k * eta)
    for eta in (0.05, 0.5, 2.0)
    for k in (1, 2, 3, 6)
    for share in (0.03, 0.3, 0.6, 0.9)
]


@pytest.fixture(scope="module")
def underestimates():
    """Cases in which a brute-force adversary does more harm than a bound admits."""
    harm = {case: lattice_adversary(*case, steps=120) for case in ADVERSARY_CASES}

    def compute(delta_of):
        return [case for case in ADVERSARY_CASES if harm[case] > delta_of(*case) * (1 + 1e-9)]

    return compute


@pytest.mark.parametrize("method", METHODS)
def test_adaptive_adversary_stays_below(underestimates, method):
    assert underestimates(lambda *case: spent_delta(*case, method)) == []


@pytest.mark.parametrize(("eta", "k", "epsilon"), ADVERSARY_CASES)
def test_optimal_is_reached_by_an_adaptive_adversary(eta, k, epsilon):
    reached = lattice_adversary(eta, k, epsilon, steps=240)
    assert reached <= spent_delta(eta, k, epsilon, "optimal") <= reached * 1.003
    assert spent_delta(eta, k, epsilon, "optimal") <= reached + 1e-4


def test_the_adversary_catches_wrong_accounting(underestimates, monkeypatch):
    optimal = {case: spent_delta(*case, "optimal") for case in ADVERSARY_CASES}
    assert underestimates(lambda *case: 0.99 * optimal[case])
    assert underestimates(lambda eta, k, x: spent_delta(0.97 * eta, k, x, "optimal"))
    assert underestimates(lambda eta, k, x: spent_delta(eta, max(k - 1, 1), x, "optimal"))

    right_kl, right_moment = _curves.largest_kl, _curves.log_largest_moment
    monkeypatch.setattr(_curves, "largest_kl", lambda eta: right_kl(eta) / 2)
    assert underestimates(lambda *case: spent_delta(*case, "cks"))
    monkeypatch.setattr(_curves, "largest_kl", right_kl)
    monkeypatch.setattr(_curves, "log_largest_moment", lambda eta, a: right_moment(eta, a) / 2)
    assert underestimates(lambda *case: spent_delta(*case, "renyi"))


@pytest.mark.parametrize("k", [20, 90])
@pytest.mark.parametrize("eta", [0.01, 0.6])
def test_optimal_bounds_a_coarse_adversary_over_many_rounds(k, eta):
    for epsilon in (0.1 * math.sqrt(k) * eta, 1.5 * math.sqrt(k) * eta):
        reached = lattice_adversary(eta, k, epsilon, steps=24)
        assert reached <= spent_delta(eta, k, epsilon, "optimal") <= reached * 1.1


NONADAPTIVE_CASES = [(0.1, 1e-6, 10), (1, 1e-6, 10), (1, 1e-6, 50), (4, 1e-6, 50), (1, 1e-3, 200)]


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta", "k"), NONADAPTIVE_CASES)
def test_nonadaptive_optimum_is_the_limit(epsilon, delta, k):
    eta = local_epsilon(epsilon, delta, k, "optimal")
    limit = optimize.brentq(
        lambda x: nonadaptive_delta(x, k, epsilon) - delta, eta * 0.99, eta * 1.1, xtol=1e-9
    )
    assert limit / 1.015 <= eta <= limit


# --- the program of `optimal`: its rounds, its rounding, and when it runs --------------


@pytest.mark.parametrize("eta", [1e-6, 0.3, 4.0])
def test_a_round_of_the_program_finds_the_best_t(eta):
    # Round two from chords of round one, every t of a fine mesh: in e^x, V_1 on both sides of 0.
    step, second = _curves.adaptive_optimum(eta, 2, -20.0)
    cells = round(eta / step)
    x = step * np.arange(-cells, 3 * cells + 1)
    first = np.where(x < eta, one_round(eta, np.minimum(x, eta)), 0.0)
    t = eta * np.linspace(0, 1, 200 * cells + 1)
    p = chance_of_top(eta, t)
    for i in range(0, 3 * cells // 2, 7):
        near, far = (
            np.interp(np.expm1(i * step - shift), np.expm1(x), first) for shift in (t, t - eta)
        )
        searched = np.max(p * near + (1 - p) * far)
        assert searched * (1 - 1e-11) <= second[i] <= searched * (1 + 5e-6)


@pytest.mark.parametrize(("eta", "k"), [(0.02, 300), (0.3, 200), (0.001, 120)])
def test_cutting_the_tail_rounds_upwards(eta, k):
    step, whole = _curves.adaptive_optimum(eta, k, -600.0)
    same_step, cut = _curves.adaptive_optimum(eta, k, -3.0)
    assert step == same_step
    assert cut.size < whole.size
    assert np.all(cut >= whole[: cut.size] * (1 - 1e-12))
    assert cut[-1] > 1.01 * whole[cut.size - 1]  # there is something to see
    large = whole[: cut.size] > math.exp(-3)
    np.testing.assert_allclose(cut[large], whole[: cut.size][large], rtol=1e-7)


def test_between_grid_points_the_curve_is_a_chord_in_exp_epsilon():
    step, value = _curves.adaptive_optimum(3.0, 10, -14.0)
    curve = _curves.optimal_curve(3.0, 10, -14.0)
    place = np.linspace(0.05, 0.95, 7)
    for i in (0, 100, 500):
        chord = np.interp(np.exp(place * step), np.exp([0, step]), value[i : i + 2])
        found = np.exp(curve((i + place) * step))
        np.testing.assert_allclose(found, chord * (1 + 1e-7), rtol=1e-10)


@pytest.fixture
def programs(monkeypatch):
    """Every call of the dynamic program, as its list of arguments."""
    calls = []
    program = _curves.adaptive_optimum

    def spy(*arguments):
        calls.append(arguments)
        return program(*arguments)

    monkeypatch.setattr(_curves, "adaptive_optimum", spy)
    calibration._calibrated.cache_clear()
    return calls


def test_a_privacy_curve_costs_one_program(programs):
    spent_delta(0.1, 40, np.linspace(0.01, 4, 200), "optimal")
    assert len(programs) == 1
    spent_epsilon(0.1, 40, 1e-6, "optimal")
    assert len(programs) == 2


@pytest.mark.parametrize(("epsilon", "delta"), [(0.05, 1e-6), (1, 1e-6), (1, 1e-2), (10, 1e-12)])
@pytest.mark.parametrize("k", [10, 100])
def test_a_calibration_costs_a_handful_of_programs_once(programs, epsilon, delta, k):
    local_epsilon(epsilon, delta, k, "optimal")
    assert 0 < len(programs) <= 9
    n = len(programs)
    local_epsilon(epsilon, delta, k, "optimal")
    assert len(programs) == n


@pytest.mark.parametrize(("k", "eta"), [(301, 0.05), (5, 31.0)])
def test_beyond_its_reach_optimal_is_renyi(programs, k, eta):
    epsilon = 0.3 * k * eta
    assert spent_delta(eta, k, epsilon, "optimal") == spent_delta(eta, k, epsilon, "renyi")
    renyi = local_epsilon(k * eta, 1e-6, k, "renyi")
    assert local_epsilon(k * eta, 1e-6, k, "optimal") == pytest.approx(renyi, rel=1e-6)
    assert programs == []


def test_optimal_joins_renyi_before_its_largest_range():
    for k in (2, 20, 60):
        found = [spent_epsilon(25.0, k, 1e-6, m) for m in ("renyi", "optimal")]
        assert found[1] == pytest.approx(found[0], rel=1e-6)
