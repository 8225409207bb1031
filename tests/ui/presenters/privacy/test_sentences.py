"""Test the sentences of the page Privacy on the worst case of a mechanism."""

import pytest

from dptopk import ItemCounts, Joint
from dptopk.laws.privacy_losses import WorstCase
from dptopk.ui.presenters.privacy.sentences import use_tile


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 1e12])
def test_a_promise_is_broken_by_what_is_above_it_relative_to_it(epsilon):
    for loss, sign in ((epsilon, "✓ kept"), (1.01 * epsilon, "✗ broken")):
        worst = WorstCase(loss, ItemCounts([1, 0]), (0,), False)
        assert sign in use_tile(Joint(1, epsilon), worst, None).kind
