"""Test integers and choices from random bits over every string of bits, and their cost."""

import itertools
from fractions import Fraction

import pytest
from tapes import walked

from dptopk.core.random_bits import SYSTEM_BITS, UniformReal, below, choose, distinct


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 8, 11])
def test_below_is_uniform(n):
    finished, (*_, left) = walked(lambda bits: below(n, bits), 10)
    assert set(finished) == set(range(n))
    assert len(set(finished.values())) == 1
    assert left <= Fraction(1, 2**6)
    assert (left == 0) == (n & (n - 1) == 0)


@pytest.mark.parametrize("n", [3, 2**40 + 1, 166_000, 10**30 + 7])
def test_below_costs_at_most_two_bits_more_than_it_must(n):
    drawn = 0

    def bits(length):
        nonlocal drawn
        drawn += length
        return SYSTEM_BITS(length)

    for _ in range(400):
        assert 0 <= below(n, bits) < n
    assert drawn / 400 < n.bit_length() + 2


@pytest.mark.parametrize("stops", [[3], [4, 4], [2, 3], [1, 2, 4], [2, 2]])
def test_distinct_integers_are_uniform(stops):
    possible = {s for s in itertools.product(*map(range, stops)) if len(set(s)) == len(stops)}
    finished, (*_, left) = walked(lambda bits: tuple(distinct(stops, bits)), 12)
    assert set(finished) == possible
    for mass in finished.values():
        assert mass <= Fraction(1, len(possible)) <= mass + left
    assert left < Fraction(1, 2**5)


@pytest.mark.parametrize("weights", [[1], [1, 1], [5, 1, 2], [1, 10, 3], [2**40, 1]])
def test_choices_have_their_weights(weights):
    cumulative = list(itertools.accumulate(weights))
    finished, (*_, left) = walked(lambda bits: choose(cumulative, bits), 11)
    for i, weight in enumerate(weights):
        share = Fraction(weight, cumulative[-1])
        assert finished[i] <= share <= finished[i] + left
    assert left <= Fraction(len(weights), 2**11)


def test_digits_of_a_real_stay():
    real = UniformReal(lambda n: (1 << n) - 1)
    real.draw(3)
    assert (real.value, real.length) == (7, 3)
    real.draw(2)
    assert (real.value, real.length) == (7, 3)
    real.draw(5)
    assert (real.value, real.length) == (31, 5)
