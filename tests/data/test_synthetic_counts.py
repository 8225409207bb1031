"""Test that synthetic stand-ins have the requested size, maximum and total."""

import numpy as np
import pytest

from dptopk.data import synthetic_counts
from dptopk.data.synthetic_counts import synthetic, zipf_like


@pytest.mark.parametrize(("d", "s"), [(7, 0.3), (1_000, 1.0), (54_321, 1.0), (200_000, 1.7)])
def test_a_sum_of_powers_is_that_of_its_terms(d, s):
    terms = np.arange(1, d + 1, dtype=np.float64) ** -s
    assert synthetic_counts._sum_of_powers(d, s) == pytest.approx(terms.sum(), rel=1e-7)


@pytest.mark.parametrize("exponent", [0.4, 1.0, 2.2])
def test_what_is_like_zipf_counts_is_them(exponent):
    counts = synthetic("zipf", 5_000, top=10**8, exponent=exponent).counts
    found = zipf_like(5_000, int(counts.max()), int(counts.sum())).counts
    assert found.size == 5_000
    assert found.max() == 10**8
    np.testing.assert_allclose(found[:100], counts[:100], rtol=0.01)


def test_a_total_that_no_exponent_has_takes_the_nearest():
    assert zipf_like(10, 50, 500).counts.min() > 40
    assert zipf_like(10, 10**6, 10**6).counts[1] == round(10**6 / 2**5)
    with pytest.raises(ValueError, match=r"total must be .*, got 49"):
        zipf_like(10, 50, 49)
