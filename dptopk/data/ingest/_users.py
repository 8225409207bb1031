"""Count the distinct users of each item of a log, with a bound on the items per user.

A promise for users of at most m items holds only where every user's items are cut to m before they
are counted.  Which are kept is decided by a fixed hash of the two names, so that it depends on
nothing but the user's own items and is the same at every reading.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from dptopk.core.array_types import IntArray
from dptopk.core.cancellation import Progress, part_of
from dptopk.core.numerals import plural
from dptopk.data.ingest._items_of_users import (
    CountsByBound,
    ItemsOfUsers,
    bound_steps,
    pairs_said,
)
from dptopk.data.ingest._names import Distinct, distinct_names
from dptopk.data.ingest._progress import with_progress

_MOST_CELLS = 2**21  # counts under all bounds that are kept


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
    by_bound : CountsByBound or None
        The counts under every bound, of items by their number; None if there are very many.
    """

    values: IntArray
    items_of_users: ItemsOfUsers
    sentences: tuple[str, ...]
    cut: str = ""
    by_bound: CountsByBound | None = None


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
    place = _places(of_items, of_people, items.names, people.names, progress)
    d, by_bound = len(items.names), None
    if d * len(bound_steps(distribution)) <= _MOST_CELLS:
        by_bound = CountsByBound.of_pairs(d, of_items, sizes[of_people], place, distribution)
    if max_items is not None:
        of_items = of_items[place < max_items]
        left_out = n_pairs - of_items.size
    said = pairs_said(n_rows or len(users), n_pairs, distribution, max_items, left_out)
    cut = said[-1] if left_out else ""
    values = np.bincount(of_items, minlength=d).astype(np.int64)
    return Counted(values, distribution, said, cut, by_bound)


def users_said(n_trimmed: int) -> str:
    """Return a sentence on users who are written with spaces around them."""
    one, many = "user was", "users were"
    return f"{plural(n_trimmed, one, many)} written with spaces around the name: without them."


def _places(
    of_items: IntArray,
    of_people: IntArray,
    items: Sequence[str],
    people: Sequence[str],
    progress: Progress,
) -> IntArray:
    """Return the place of each pair, from 0, among those of its user in the order of a hash."""
    mixed = _mixed(
        _hashes(with_progress(items, part_of(progress, 0.4, 0.6)), len(items))[of_items]
        ^ _mixed(_hashes(with_progress(people, part_of(progress, 0.6, 0.9)), len(people)))[
            of_people
        ]
    )
    order = np.lexsort((of_items, mixed, of_people))
    begins = np.searchsorted(of_people[order], np.arange(len(people)))
    places = np.empty(order.size, dtype=np.int64)
    places[order] = np.arange(order.size) - begins[of_people[order]]
    return places


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
