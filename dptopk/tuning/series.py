"""Turnover and privacy cost of a list that is released once for each period of a log.

Turnover from one period to the next is the number of names of a list that the list before did not
have.  Releases are drawn independently, so with P(i) the probability that item i is released, the
expected turnover from counts c to c' is the sum over i of P_c'(i) (1 - P_c(i)).  With c' = c, when
nothing changed, it is what noise alone does.

Cost.  A release for a period covers the events of that period only, so that a user who is in w
periods is in w releases, and no other release depends on the user.  Within a period the promise is
that of one release (parallel composition, McSherry 2009, https://doi.org/10.1145/1559845.1559850);
for the user it is w releases together, composed as in `tuning.repeated`: their number and settings
are fixed before the first, and those with a δ of their own share that of all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray
from dptopk.core.cancellation import Progress, no_progress, pause
from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import NOTHING
from dptopk.core.parameters import MAX_ITEMS
from dptopk.core.privacy import guess
from dptopk.data.ingest import ItemsOfUsers
from dptopk.mechanisms import Mechanism, NoClosedFormError, check_mechanism
from dptopk.simulation.summaries import mean_of_runs
from dptopk.tuning.contribution_bound import outputs_or_draws
from dptopk.tuning.repeated import joint_cost, with_share_of_delta

if TYPE_CHECKING:
    import pandas as pd

_ALIKE = 256  # draws that are compared at a time
_LEAST_GAIN = 1e-3  # of a total ε, relative: what gains less is not worth a larger δ


def expected_turnover(
    before: ItemCounts,
    after: ItemCounts,
    mechanism: Mechanism,
    n: int = 1_000,
    seed: int = 0,
    stream: int = 0,
) -> Estimate:
    """Return the expected number of names of a release that an earlier one did not have.

    Parameters
    ----------
    before, after : ItemCounts
        Counts of the same items in two periods; the same for noise alone.
    mechanism : Mechanism
        By which both lists are released, independently.
    n, seed, stream : int, optional
        Pairs of draws where no law is known, their seed, and which of its streams comes first.

    Returns
    -------
    Estimate
        Exact where the chance of each item is known, or few outputs are possible.

    Examples
    --------
    >>> from dptopk import ItemCounts, Joint
    >>> from dptopk.tuning import expected_turnover
    >>> counts = ItemCounts([9, 7, 4, 2, 0])
    >>> found = expected_turnover(counts, counts, Joint(2, 1.0))
    >>> round(found.value, 3), found.exact
    (0.793, True)
    """
    check_mechanism("mechanism", mechanism).check(before)
    mechanism.check(after)
    n = validation.integer("n", n, low=1)
    _check_same_items(before, after)
    chances = [_chances(counts, mechanism) for counts in (before, after)]
    if chances[0] is not None and chances[1] is not None:
        return Estimate.exactly(float(chances[1] @ (1 - chances[0])))
    old, weights = outputs_or_draws(before, mechanism, n, seed, stream)
    new, others = outputs_or_draws(after, mechanism, n, seed, stream + 1)
    if weights is not None and others is not None:
        there = [np.zeros(before.d + 1), np.zeros(before.d + 1)]  # the last for empty places
        for by_item, rows, of_rows in zip(there, (old, new), (weights, others), strict=True):
            np.add.at(by_item, rows, of_rows[:, None])
        return Estimate.exactly(float(there[1][:-1] @ (1 - there[0][:-1])))
    n_new = []
    for begin in range(0, n, _ALIKE):
        pause()
        part = slice(begin, begin + _ALIKE)
        known = (new[part, :, None] == old[part, None, :]).any(axis=2)
        n_new.append((~known & (new[part] != NOTHING)).sum(axis=1))
    return mean_of_runs(np.concatenate(n_new), mechanism.k)


def true_turnover(before: ItemCounts, after: ItemCounts, k: int) -> int:
    """Return how many of a true top k were not in that of the period before, up to ties.

    Of items tied with the k-th, in either period, those belong to its top that change least.
    """
    _check_same_items(before, after)
    k = min(validation.integer("k", k, low=1), after.d)
    sure, tied, room = [], [], []
    for period in (before, after):
        last = period.sorted.top(k)[-1]
        sure.append(period.counts > last)
        tied.append(period.counts == last)
        room.append(k - int(sure[-1].sum()))
    # tied items that are sure of the other period come first: they use up room in one only
    in_old = min(room[0], int((tied[0] & sure[1]).sum()))
    in_new = min(room[1], int((sure[0] & tied[1]).sum()))
    in_both = min(room[0] - in_old, room[1] - in_new, int((tied[0] & tied[1]).sum()))
    return k - int((sure[0] & sure[1]).sum()) - in_old - in_new - in_both


def turnover_of_series(
    series: Mapping[Any, ItemCounts],
    mechanism: Mechanism,
    n: int = 1_000,
    seed: int = 0,
    progress: Progress | None = None,
    *,
    truth: Mapping[Any, ItemCounts] | None = None,
) -> pd.DataFrame:
    """Compare the turnover of released lists with that of the truth and that of noise alone.

    Parameters
    ----------
    series : mapping of dates to ItemCounts
        From `counts_by_period`, two periods at least.
    mechanism : Mechanism
        By which each period's list is released.
    n, seed : int, optional
        Pairs of draws where no law is known, and their seed.
    progress : callable, optional
        Called with the share done, in (0, 1].
    truth : mapping of dates to ItemCounts, optional
        The series without a bound on the items of a user, where ``series`` has one.

    Returns
    -------
    pandas.DataFrame
        One row for each period but the first: ``period``; ``true``, new names in the true top k;
        ``released`` and ``noise``, expected new names of the released list, and of a second release
        of this period's counts, each with ``_low`` and ``_high``; ``is_exact``.
    """
    import pandas as pd

    if len(series) < 2:
        raise ValueError(f"series must have at least two periods, got {len(series)}")
    true, tell = series if truth is None else truth, progress or no_progress
    rows = []
    for place, (first, period) in enumerate(pairwise(series)):
        pair, true_pair = (series[first], series[period]), (true[first], true[period])
        row = turnover_between(*pair, *true_pair, mechanism, n, seed, place)
        rows.append({"period": str(period)} | row)
        tell((place + 1) / (len(series) - 1))
    return pd.DataFrame(rows)


def turnover_between(
    before: ItemCounts,
    after: ItemCounts,
    true_before: ItemCounts,
    true_after: ItemCounts,
    mechanism: Mechanism,
    n: int,
    seed: int,
    place: int,
) -> dict[str, Any]:
    """Return a row of `turnover_of_series`, of the periods at a place and before it."""
    released = expected_turnover(before, after, mechanism, n, seed, 4 * place)
    noise = expected_turnover(after, after, mechanism, n, seed, 4 * place + 2)
    row: dict[str, Any] = {"true": true_turnover(true_before, true_after, mechanism.k)}
    row |= released.columns("released") | noise.columns("noise")
    return row | {"is_exact": released.exact and noise.exact}


def costs_of_series(
    mechanism: Mechanism,
    releases: int,
    delta: float = 0.0,
    periods_of_users: ItemsOfUsers | None = None,
) -> pd.DataFrame:
    """Return the cost of a series of releases to users in one, some or all of its periods.

    Parameters
    ----------
    mechanism : Mechanism
        Each release; above δ = 0 one whose own δ adds up has its share of that of all instead.
    releases : int
        Their number, in [1, 10,000].
    delta : float, optional
        δ of all releases together, in [0, 1).
    periods_of_users : ItemsOfUsers, optional
        In how many periods users are: adds the median and the 99% quantile.

    Returns
    -------
    pandas.DataFrame
        One row a kind of user: ``user`` in words; ``periods``; ``epsilon_basic`` and
        ``delta_basic`` by basic composition; ``epsilon_total`` and ``delta_total`` by the better of
        it and `accounting.composition`; ``guess``, the best chance, from even odds, of telling
        whether the user is in the log.

    Examples
    --------
    >>> from dptopk import Joint
    >>> from dptopk.tuning import costs_of_series
    >>> costs_of_series(Joint(20, 0.1), 52, 1e-6).iloc[:, [1, 2, 4]].round(2)
       periods  epsilon_basic  epsilon_total
    0        1            0.1           0.10
    1       52            5.2           1.57
    """
    import pandas as pd

    check_mechanism("mechanism", mechanism)
    delta = validation.probability("delta", delta)
    each = with_share_of_delta(mechanism, releases, delta) if delta else mechanism
    guarantee = each.guarantee
    users = {1: "in one period"}
    if periods_of_users is not None:
        for share, words in ((0.5, "in the median"), (0.99, "at the 99% quantile")):
            users.setdefault(min(periods_of_users.quantile(share), releases), words)
    users[releases] = "in every period"
    rows = []
    for periods, words in sorted(users.items()):
        best = basic = (periods * guarantee.epsilon, min(1.0, periods * guarantee.delta))
        together = joint_cost(each, periods, delta)
        if together.epsilon < basic[0] * (1 - _LEAST_GAIN):
            best = together.epsilon, together.delta
        rows.append(
            {
                "user": words,
                "periods": periods,
                "epsilon_basic": basic[0],
                "delta_basic": basic[1],
                "epsilon_total": best[0],
                "delta_total": best[1],
                "guess": guess(*best),
            }
        )
    return pd.DataFrame(rows)


def units_of_privacy(
    mechanism: Mechanism, items_of_users: ItemsOfUsers, costs: pd.DataFrame
) -> pd.DataFrame:
    """Compare guarantees that protect a user, a user in a period, or an event.

    Parameters
    ----------
    mechanism : Mechanism
        Each release.
    items_of_users : ItemsOfUsers
        Items per user of a period, for what an event's protection means for a user.
    costs : pandas.DataFrame
        From `costs_of_series`.

    Returns
    -------
    pandas.DataFrame
        ``unit`` and ``protects`` in words; ``unit_epsilon``, ``unit_delta``; ``guess``, the
        best chance of telling from even odds whether the unit is in the log; ``user_epsilon`` and
        ``user_guess``, the same for a user who is in every period, with the 99% quantile of items,
        but for a mechanism's own bound: where events are protected m of them, for m ε (group
        privacy).
    """
    import pandas as pd

    totals = costs[["epsilon_total", "delta_total"]].to_numpy().tolist()
    period, series = totals[0], totals[-1]
    m = min(items_of_users.quantile(0.99), getattr(mechanism, MAX_ITEMS.key, None) or math.inf)
    group = m * series[0]
    ratio = m  # its limit at ε = 0, which a large δ can buy
    if series[0] > 0:
        ratio = math.expm1(min(group, 700.0)) / math.expm1(min(series[0], 700.0))
    events = group, min(1.0, series[1] * ratio)
    return pd.DataFrame(
        {
            "unit": unit,
            "protects": words,
            "unit_epsilon": of_unit[0],
            "unit_delta": of_unit[1],
            "guess": guess(*of_unit),
            "user_epsilon": of_user[0],
            "user_guess": guess(*of_user),
        }
        for unit, words, of_unit, of_user in (
            ("user", "everything of a user in the whole series", series, series),
            ("user in a period", "everything of a user in one period", period, series),
            ("event", "one item of a user in one period", period, events),
        )
    )


def _check_same_items(before: ItemCounts, after: ItemCounts) -> None:
    if before.items != after.items:
        raise ValueError("after must count the items of before, in their order")


def _chances(counts: ItemCounts, mechanism: Mechanism) -> FloatArray | None:
    """Return the exact probability that each item is released; None if it is not known."""
    with suppress(NoClosedFormError):
        return mechanism.chances_released(counts.sorted, counts.ranks_at(np.arange(counts.d)))
    return None
