"""Sums and factorials in log space, beside SciPy's and fifty digits."""

import mpmath
import numpy as np
import pytest
from scipy import special

from dptopk.core.log_space import log_factorial, logsumexp


@pytest.mark.parametrize(
    ("shape", "axis"), [((7,), None), ((3, 4), None), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 2)]
)
def test_logsumexp_is_that_of_scipy(shape, axis, rng):
    terms = 30 * rng.normal(size=shape)
    terms.flat[:2] = -np.inf
    assert np.allclose(logsumexp(terms, axis), special.logsumexp(terms, axis), rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    ("terms", "log_sum"),
    [
        ([], -np.inf),
        ([-np.inf, -np.inf], -np.inf),
        ([0.0, np.inf], np.inf),
        ([1e300, 1e300], 1e300),
        ([0.0, -50.0], np.exp(-50.0)),
    ],
)
def test_logsumexp_at_the_edges(terms, log_sum):
    assert logsumexp(terms) == log_sum


def test_logsumexp_of_no_terms_along_an_axis():
    assert logsumexp(np.empty((3, 0)), axis=1).tolist() == [-np.inf] * 3
    assert logsumexp(np.empty((3, 0)), axis=0).shape == (0,)


def test_log_factorial_to_the_last_digits():
    n = np.append(np.arange(400.0), 10.0 ** np.arange(3, 19))
    with mpmath.workdps(50):
        exact = [float(mpmath.loggamma(mpmath.mpf(each) + 1)) for each in n]
    assert log_factorial(n) == pytest.approx(exact, rel=5e-16, abs=0)
