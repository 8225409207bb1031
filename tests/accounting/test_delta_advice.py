"""Test the advice on δ: its rule, its reason, and the δ that it offers instead."""

import pytest
from hypothesis import given, strategies as st

from dptopk.accounting.delta_advice import advice, advice_of_units


@pytest.mark.parametrize(
    ("delta", "n_users", "better", "words"),
    [
        (1e-6, 10_000, None, "δ = 1e-6 fits 10,000 users: it is at most 1/n^1.5 = 1e-6."),
        (1e-6, 20_000, 3e-7, "rather too large for 20,000 users: take at most 1/n^1.5 = 3.5e-7"),
        (1e-6, 2_000_000, 3e-10, "discloses 2 of them on average. Take at most 1/n^1.5 = 3.5e-10"),
        (0.01, 50, 2e-3, "is too large for 50 users"),
        (0.01, 50, 2e-3, "Take at most 1/(10 n) = 0.002."),  # 1/n^1.5 would be more
        (0.0, 10**12, None, "δ = 0 fits"),
    ],
)
def test_delta_is_judged_by_the_number_of_users(delta, n_users, better, words):
    judged = advice(delta, n_users, 1)
    assert judged.better == better
    assert words in judged.sentence


def test_fewer_users_than_one_item_counts_are_said():
    few = advice(1e-9, 100, 500)
    assert few.warns
    assert "too few: if each counts at most once for an item" in few.sentence
    assert "at least 500" in few.sentence
    assert "fits" not in few.sentence
    assert "Take at most" in advice(0.1, 100, 500).sentence
    assert "too few" in advice(0.1, 100, 500).sentence
    assert not advice(1e-9, 500, 500).warns
    assert "too few" not in advice(1e-9, 500, 500).sentence


def test_where_no_user_is_protected_delta_goes_with_the_total():
    fits = advice_of_units(1e-9, 1_000, "order")
    assert fits.sentence.startswith("δ = 1e-9 fits a promise for one order of 1,000: it is at most")
    assert not fits.warns
    large = advice_of_units(1e-3, 2_000, "order")
    assert "publishing each order with probability δ" in large.sentence
    assert "discloses 2 of them on average" in large.sentence
    assert large.better == advice(1e-3, 2_000, 1).better
    for judged in (fits, large, advice_of_units(0.0, 0, "order")):
        assert judged.sentence.endswith("does not matter: no user is protected.")
        assert "users:" not in judged.sentence


@given(st.floats(0, 0.999), st.integers(1, 10**12))
def test_what_is_offered_instead_is_small_enough(delta, n_users):
    better = advice(delta, n_users, 1).better
    if better is None:
        assert delta <= 0.1 / n_users
    else:
        assert 0 < better < delta
        assert advice(better, n_users, 1).better is None
