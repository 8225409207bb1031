"""Test that distributions of reweighted runs agree with exact probabilities of a right release."""

import numpy as np
import pytest

from dptopk import CDPPeel, Joint, PNFPeel, load_dataset, run_trials
from dptopk.questions.errors import known_shares
from dptopk.simulation.post_stratified import Right, known_right, quantile, run_weights, weighted
from dptopk.simulation.quantile_dots import quantile_dots
from dptopk.simulation.summaries import empirical_cdf, histogram

GAMES = load_dataset("games")
LEVELS = (np.arange(20) + 0.5) / 20


@pytest.mark.parametrize("metric", ["linf", "k_relative", "items_right"])
@pytest.mark.parametrize("kind", [Joint, PNFPeel, CDPPeel])
def test_a_picture_has_the_quantiles_of_the_numbers_beside_it(kind, metric):
    """Of the data on games at k = 10 plain runs of CDP-Peel had their median elsewhere."""
    mechanism = kind(10, 1.0, 1e-6) if kind is CDPPeel else kind(10, 1.0)
    trials = run_trials(GAMES, [mechanism], 250, seed=0).sort_values(metric)
    known = known_right(GAMES, mechanism, metric, known_shares(GAMES, mechanism))
    values, right = trials[metric].to_numpy(), trials[known.column].to_numpy()
    runs = weighted(values, right, known)
    assert runs.weights.sum() == pytest.approx(1)
    assert runs.weights[runs.values == known.value].sum() >= known.probability - 1e-9
    (dots,) = quantile_dots({"": runs}, logarithmic=False).values()
    for level, shown in zip(LEVELS, dots.values, strict=True):
        told = quantile(values, right, level, known)
        assert told.low <= shown <= told.high
        if told.exact:
            assert shown == told.value
    at, (share, low, high) = empirical_cdf(runs)
    assert (low <= share).all()
    assert (share <= high).all()
    assert share[-1] == 1
    edges, shares = histogram({"": runs}, logarithmic=True)
    assert shares[""].sum() == pytest.approx(1)
    first = at < edges[1]
    assert shares[""][0] == pytest.approx(share[first][-1])
    weights = run_weights(right, known)
    if not right.all():
        assert weights[right].sum() == pytest.approx(known.probability)
    assert weights.sum() == pytest.approx(1)


def test_where_right_releases_stand_alone_their_share_has_no_interval():
    known = Right("exact_sequence", 0.446, 0, 1, 90)
    right = np.arange(50) < 30
    values = np.where(right, 0, np.arange(50))
    at, (share, low, high) = empirical_cdf(weighted(values, right, known))
    assert (at[0], low[0], share[0], high[0]) == (0, 0.446, pytest.approx(0.446), 0.446)
    assert (low[1:] < high[1:]).all()
    assert low[-1] < high[-1] == 1


def test_what_no_run_gave_stands_where_it_was_to_be_expected():
    likely = Right("exact_set", 0.4, 0, 1, 90)
    none, every = np.zeros(4, dtype=bool), np.ones(4, dtype=bool)
    wrong = np.array([7, 5, 9, 5])
    assert weighted(wrong, none, likely).values.tolist() == [0, 5, 5, 7, 9]
    assert weighted(wrong, none, likely).weights[0] == pytest.approx(0.4)
    zeros = np.zeros(4, dtype=np.int64)
    assert weighted(zeros, every, likely).values.tolist() == [0, 1]
    rare, sure = Right("exact_set", 1e-9, 0, 1, 90), Right("exact_set", 1.0, 0, 1, 90)
    assert weighted(wrong, none, rare).values.tolist() == [5, 5, 7, 9]
    assert weighted(wrong, none, rare).weights.sum() == 1
    assert weighted(zeros, every, sure).values.tolist() == [0]
    items = Right("exact_set", 0.4, 3, 0, 2)
    assert weighted(np.full(4, 3), every, items).values.tolist() == [2, 3]
    for known in (likely, None):
        assert run_weights(none, known).tolist() == [0.25] * 4
