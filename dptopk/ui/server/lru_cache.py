"""Least-recently-used cache bounded by the total size of its objects.

Of Streamlit's own, `st.cache_resource` bounds the number of objects and not their size, and
`st.cache_data` unpickles a copy at every look (60 MB of 2,000,000 counts: 30 ms and more), and
cannot tell whether it holds one.  Store only immutable objects, and in a cache of all sessions none
computed from uploads.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any


class LRUCache:
    """Thread-safe cache of the most recently used objects; ``size`` is the total of theirs.

    ``most`` is the largest total size, in bytes or any other unit of sizes.
    """

    def __init__(self, most: int):
        self.size = 0
        self._most = most
        self._lock = threading.Lock()
        self._store: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()

    def find(self, key: Hashable, default: Any = None) -> Any:
        """Return the object of a key, or the default."""
        with self._lock:
            if key not in self._store:
                return default
            self._store.move_to_end(key)
            return self._store[key][1]

    def keep(self, key: Hashable, size: int, made: Any, least: int = 0) -> None:
        """Store an object of this size; the ``least`` that were used last stay in any case."""
        with self._lock:
            self.size += size - self._store.pop(key, (0, None))[0]
            self._store[key] = size, made
            while self.size > self._most and len(self._store) > least:
                _, (dropped, _) = self._store.popitem(last=False)
                self.size -= dropped

    def clear(self) -> None:
        """Remove all objects."""
        with self._lock:
            self._store.clear()
            self.size = 0
