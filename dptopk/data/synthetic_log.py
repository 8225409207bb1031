"""Synthetic log of users and items over several weeks, for examples that need data of users.

Each week a user has M items with P(M = m) proportional to m^-1.8 up to 50, a Zipf-like law, drawn
without replacement with probabilities proportional to rank^-1 of the items (a Zipf law whose
logarithms drift by a random walk from week to week).  A user stays for another week with
probability 3/4; who leaves is replaced.  The order in which bounds keep items is drawn, too.
"""

from dataclasses import dataclass

import numpy as np

from dptopk.core import validation
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.data.ingest import CountsByBound, ItemsOfUsers

_MOST = 50  # items of a user in a week
_SIZES, _POPULARITY = 1.8, 1.0  # exponents
_STAYS, _DRIFT = 0.75, 0.06  # chance of another week; standard deviation of a week's step


@dataclass(frozen=True, eq=False)
class SyntheticLog:
    """Counts of a synthetic log."""

    weeks: tuple[CountsByBound, ...]  # of each by itself, all of the same items
    weeks_of_users: ItemsOfUsers  # in how many of the weeks users are


def synthetic_log(
    n_users: int = 3_000, d: int = 200, n_weeks: int = 12, seed: int = 0
) -> SyntheticLog:
    """Make a synthetic log of d items and so many users each week; count its weeks.

    The same seed gives the same log.
    """
    for name, value in (("n_users", n_users), ("d", d), ("n_weeks", n_weeks)):
        validation.integer(name, value, low=1)
    rng = np.random.default_rng(validation.integer("seed", seed, low=0))
    log_weights = -_POPULARITY * np.log(np.arange(1, d + 1))
    sizes = np.arange(1, min(_MOST, d) + 1)
    shares = sizes**-_SIZES / (sizes**-_SIZES).sum()
    width = len(str(d))
    names = [f"item {number:0{width}}" for number in range(1, d + 1)]
    users, weeks, n_so_far = np.arange(n_users), [], n_users
    seen: list[IntArray] = []
    for week in range(n_weeks):
        pause()
        if week:
            log_weights = log_weights + rng.normal(0, _DRIFT, d)
            left = np.flatnonzero(rng.random(n_users) >= _STAYS)
            users = users.copy()
            users[left] = n_so_far + np.arange(left.size)
            n_so_far += left.size
        seen.append(users)
        n_items = rng.choice(sizes, n_users, p=shares)
        weeks.append(_week(log_weights, n_items, names, rng))
    n_weeks_of = np.unique(np.concatenate(seen), return_counts=True)[1]
    of_users = _distribution(n_weeks_of)
    return SyntheticLog(tuple(weeks), of_users)


def _week(
    log_weights: FloatArray, n_items: IntArray, names: list[str], rng: np.random.Generator
) -> CountsByBound:
    d = log_weights.size
    most = int(n_items.max())
    race = log_weights + rng.gumbel(size=(n_items.size, d))  # the m first of a user are the items
    first = np.argsort(-race, axis=1)[:, :most]
    of_user, drawn = np.nonzero(np.arange(most) < n_items[:, None])
    of_item = first[of_user, drawn]
    order = np.lexsort((rng.random(of_item.size), of_user))
    of_users = _distribution(n_items)
    return CountsByBound.of_pairs(of_user, of_item[order], of_users, names, "Synthetic log")


def _distribution(sizes: IntArray) -> ItemsOfUsers:
    levels, users = np.unique(sizes, return_counts=True)
    return ItemsOfUsers(tuple(levels.tolist()), tuple(users.tolist()))
