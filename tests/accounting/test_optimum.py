"""The dynamic program behind `optimal`: its rounds, its rounding, and when it runs."""

import math

import numpy as np
import pytest

from dptopk.accounting import _curves, calibration, local_epsilon, spent_delta, spent_epsilon
from dptopk.accounting._curves import one_round


@pytest.mark.parametrize("eta", [1e-6, 0.3, 4.0])
def test_a_round_of_the_program_finds_the_best_t(chance_of_top, eta):
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
