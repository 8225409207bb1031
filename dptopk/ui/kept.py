"""Objects kept for all sessions: those used last, up to a total of bytes.

Streamlit's own cache of objects bounds their number and not their size.  What is kept is shared:
immutable objects only, and nothing that follows from what somebody uploaded.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Keeps what was used last; safe to share between threads.

    Parameters
    ----------
    most : int
        Bytes that are kept at most.  What is larger alone is made anew each time.
    """

    def __init__(self, most: int):
        self._most = most
        self._lock = threading.Lock()
        self._store: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return sum(size for size, _ in self._store.values())

    def get(self, key: Hashable, size: int, make: Callable[[], T]) -> T:
        """What was kept under the key, or make it, of so many bytes, and keep it."""
        with self._lock:
            if key in self._store:
                self._store.move_to_end(key)
                return self._store[key][1]
        made = make()  # outside of the lock: nobody waits for what somebody else makes
        with self._lock:
            self._store[key] = size, made
            while self.size > self._most:
                self._store.popitem(last=False)
        return made
