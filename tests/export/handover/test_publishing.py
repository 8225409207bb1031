"""Test that the ledger of the commands holds the releases that it is made for."""

import shlex

import pytest

from dptopk import CDPPeel, Joint, LimitedDomain, OneShotCounts, StableSet
from dptopk.accounting.filters import Filter, Price, prices
from dptopk.core.numerals import as_typed
from dptopk.export.handover import publish_commands
from dptopk.mechanisms.approximate import with_share_of_delta


@pytest.mark.parametrize("releases", [1, 2, 3, 5, 9, 21, 52])
@pytest.mark.parametrize("delta", [1e-6, 1e-5, 1.2345671e-7, 3e-7])
@pytest.mark.parametrize(
    "mechanism",
    [
        Joint(2, 0.3),
        CDPPeel(2, 3.0, 1e-7, calibration="optimal"),
        OneShotCounts(5, 1.0, 1.2345671e-7),
        LimitedDomain(2, 1.0, 1.2345671e-7),
        StableSet(2, 0.05, 1.2345671e-7),
    ],
    ids=lambda mechanism: mechanism.label,
)
def test_the_ledger_that_is_made_admits_all_releases(mechanism, delta, releases):
    one = with_share_of_delta(mechanism, releases, delta)
    commands = publish_commands(
        one, settings_file="s.json", settings="{}", releases=releases, delta=delta
    )
    (made,) = (line for line in commands.splitlines() if line.startswith("dptopk ledger create"))
    words = shlex.split(made)
    total = [as_typed(float(words[words.index(name) + 1])) for name in ("--epsilon", "--delta")]
    kept, spent = Filter.of(*total, total[1] / 2), Price()
    for _ in range(releases):
        price = kept.admitted(spent, prices(one.cost, one.guarantee))
        assert price is not None
        spent += price
