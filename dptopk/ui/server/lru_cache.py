"""Least-recently-used cache bounded by the total size of its objects.

Of Streamlit's own, `st.cache_resource` bounds the number of objects and not their size, and
`st.cache_data` unpickles a copy at every look (60 MB of 2,000,000 counts: 30 ms and more), and
cannot tell whether it holds one.  Store only immutable objects, and in a cache of all sessions none
computed from uploads.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class LRUCache(Generic[T]):
    """Thread-safe cache of the most recently used objects.

    Parameters
    ----------
    most : int
        Largest total size, in bytes or any other unit of sizes.
    """

    def __init__(self, most: int):
        self._most = most
        self._lock = threading.Lock()
        self._store: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        """Total size of the objects."""
        return self._size

    def find(self, key: Hashable, default: Any = None) -> Any:
        """Return the object of a key, or the default."""
        with self._lock:
            if key not in self._store:
                return default
            self._store.move_to_end(key)
            return self._store[key][1]

    def keep(self, key: Hashable, size: int, made: T, least: int = 0) -> None:
        """Store an object of this size; the ``least`` that were used last stay in any case."""
        with self._lock:
            self._drop(key)
            self._store[key] = size, made
            self._size += size
            while self._size > self._most and len(self._store) > least:
                self._drop(next(iter(self._store)))

    def clear(self) -> None:
        """Remove all objects."""
        with self._lock:
            self._store.clear()
            self._size = 0

    def _drop(self, key: Hashable) -> None:
        size, _ = self._store.pop(key, (0, None))
        self._size -= size
