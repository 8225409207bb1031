"""Objects kept for all sessions: those used last, up to a total size.

Streamlit's own cache of objects bounds their number and not their size.  What is kept is shared:
immutable objects only, and nothing that follows from what somebody uploaded.
"""

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """Keeps what was used last; safe to share between threads.

    Parameters
    ----------
    most : int
        Size that is kept at most, in bytes or in whatever sizes are told in.  What is larger alone
        is made anew each time.
    """

    def __init__(self, most: int):
        self._most = most
        self._lock = threading.Lock()
        self._store: OrderedDict[Hashable, tuple[int, T]] = OrderedDict()
        self._size = 0
        self._made_now: set[Hashable] = set()
        self._changed = threading.Condition(self._lock)

    @property
    def size(self) -> int:
        """Size that is kept."""
        return self._size

    def get(self, key: Hashable, size: int, make: Callable[[], T]) -> T:
        """What was kept under the key, or make it, of this size, and keep it."""
        found = self.find(key)
        if found is not None:
            return found
        made = make()  # outside of the lock: nobody waits for what somebody else makes
        self.keep(key, size, made)
        return made

    def find(self, key: Hashable) -> T | None:
        """What is kept under the key, if anything is."""
        with self._lock:
            if key not in self._store:
                return None
            self._store.move_to_end(key)
            return self._store[key][1]

    def keep(self, key: Hashable, size: int, made: T) -> None:
        """Keep what was made, of this size."""
        with self._lock:
            self._drop(key)
            self._store[key] = size, made
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._store)))

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._store.clear()
            self._size = 0

    def _drop(self, key: Hashable) -> None:
        size, _ = self._store.pop(key, (0, None))
        self._size -= size

    @contextlib.contextmanager
    def making(self, key: Hashable) -> Iterator[bool]:
        """Claim to make it within; yields whether nobody else does."""
        with self._lock:
            mine = key not in self._made_now
            self._made_now.add(key)
        try:
            yield mine
        finally:
            if mine:
                with self._lock:
                    self._made_now.discard(key)
                    self._changed.notify_all()

    def await_makers(self, keys: Collection[Hashable], seconds: float) -> bool:
        """Wait so long at most until somebody has left off making one; whether somebody has."""
        with self._lock:
            return self._changed.wait_for(lambda: not self._made_now.issuperset(keys), seconds)
