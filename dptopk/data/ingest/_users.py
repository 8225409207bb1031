"""Count distinct users and items of a log, with at most so many items per user.

A promise for users of at most m items holds only where every user's items are cut to m before they
are counted.  Which are kept is decided by a fixed hash of the two names, so that it depends on
nothing but the user's own items and is the same at every reading.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.data.ingest._names import Distinct, distinct_names
from dptopk.data.ingest._plain import number
from dptopk.data.ingest._progress import Progress, part_of, with_progress


@dataclass(frozen=True)
class ItemsOfUsers:
    """Distribution of the number of distinct items per user of a log.

    Attributes
    ----------
    sizes : tuple of int
        Distinct numbers of items of a user, ascending.
    users : tuple of int
        How many users have so many.
    """

    sizes: tuple[int, ...]
    users: tuple[int, ...]

    @property
    def n_users(self) -> int:
        """Number of users."""
        return sum(self.users)

    def quantile(self, share: float) -> int:
        """Return a quantile of the number of items per user."""
        places = np.cumsum(self.users)
        return self.sizes[int(np.searchsorted(places, max(share * self.n_users, 1)))]

    def share_above(self, most: int) -> float:
        """Return the share of the users who have more items than ``most``."""
        above = sum(n for size, n in zip(self.sizes, self.users, strict=True) if size > most)
        return above / self.n_users

    @property
    def sentence(self) -> str:
        """Sentence with the median, the 99 % quantile and the maximum."""
        return (
            f"Items of a user: {self.quantile(0.5):,} in the median, {self.quantile(0.99):,} at "
            f"the 99% quantile, {self.sizes[-1]:,} at most."
        )


@dataclass(frozen=True)
class Counted:
    """Distinct users of each item.

    Attributes
    ----------
    values : int64 array of shape (d,)
        Users of each item, after the cut.
    items_of_users : ItemsOfUsers
        Before the cut.
    sentences : tuple of str
        What was done.
    cut : str
        Which of them says what a bound on the items of a user removed, where it removed anything.
    """

    values: IntArray
    items_of_users: ItemsOfUsers
    sentences: tuple[str, ...]
    cut: str = ""


def count_users(
    items: Distinct,
    users: Sequence[str],
    max_items: int | None,
    progress: Progress,
    n_rows: int | None = None,
) -> Counted:
    """Count the distinct users of each item, with at most ``max_items`` items per user.

    ``n_rows`` is the number of rows, where cells of some held several items.
    """
    people = distinct_names(list(users), part_of(progress, 0.0, 0.3))
    n_people = len(people.names)
    pairs = np.unique(items.codes * n_people + people.codes)
    of_items, of_people = pairs // n_people, pairs % n_people
    sizes = np.bincount(of_people, minlength=n_people)
    levels, times = np.unique(sizes, return_counts=True)
    distribution = ItemsOfUsers(tuple(levels.tolist()), tuple(times.tolist()))
    n_pairs, left_out = pairs.size, 0
    if max_items is not None:
        kept = _first_of_each(of_items, of_people, items.names, people.names, max_items, progress)
        left_out = n_pairs - of_items[kept].size
        of_items = of_items[kept]
    said = pairs_said(n_rows or len(users), n_pairs, distribution, max_items, left_out)
    cut = said[-1] if left_out else ""
    values = np.bincount(of_items, minlength=len(items.names)).astype(np.int64)
    return Counted(values, distribution, said, cut)


def users_said(n_trimmed: int) -> str:
    """Return a sentence on users who are written with spaces around them."""
    one, many = "user was", "users were"
    return f"{number(n_trimmed, one, many)} written with spaces around the name: without them."


def pairs_said(
    n_rows: int, n_pairs: int, of_users: ItemsOfUsers, max_items: int | None, left_out: int
) -> tuple[str, ...]:
    """Return sentences on the number of pairs of user and item, and on what a bound left out."""
    made = number(n_pairs, "pair of a user and an item", "pairs of a user and an item")
    said = f"{number(n_rows, 'row', 'rows')} became {made}."
    if max_items is None:
        return (said,)
    return (
        said,
        f"At most {number(max_items, 'item', 'items')} of each user were kept, chosen by a fixed "
        f"hash of the names: {left_out:,} of {made} ({left_out / n_pairs:.1%}) were left out, "
        f"as {of_users.share_above(max_items):.1%} of the users have more.",
    )


def _first_of_each(
    of_items: IntArray,
    of_people: IntArray,
    items: Sequence[str],
    people: Sequence[str],
    most: int,
    progress: Progress,
) -> IntArray:
    """Return positions of the kept pairs: each user's first in the order of a hash."""
    mixed = _mixed(
        _hashes(with_progress(items, part_of(progress, 0.4, 0.6)), len(items))[of_items]
        ^ _mixed(_hashes(with_progress(people, part_of(progress, 0.6, 0.9)), len(people)))[
            of_people
        ]
    )
    order = np.lexsort((of_items, mixed, of_people))
    begins = np.searchsorted(of_people[order], np.arange(len(people)))
    place = np.arange(order.size) - begins[of_people[order]]
    return np.asarray(order[place < most], dtype=np.int64)


def _hashes(names: Iterable[str], n: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    digests = (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8) for name in names)
    return np.fromiter(
        (int.from_bytes(digest.digest()) for digest in digests), dtype=np.uint64, count=n
    )


def _mixed(
    values: np.ndarray[tuple[int], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Apply SplitMix64's finalizer (Steele, Lea, Flood 2014), a bijection that scatters bits."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
