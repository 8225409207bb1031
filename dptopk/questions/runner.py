"""Run the computations behind a question, either directly or in turns with other sessions.

A question says what is to be computed, as calls of functions whose arguments determine the
result; a runner says how.  The app's runner caches results and lets people stop; see `ui.results`.
"""

import functools
import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from dptopk.core.cancellation import Progress, no_progress, part_of

Key = TypeVar("Key", bound=Hashable)
T = TypeVar("T")
Sketch: TypeAlias = Callable[[dict[Any, Any]], object] | None
"""Function that draws the results so far, by key."""


@dataclass(frozen=True)
class Task:
    """Call of a function with arguments that determine its result."""

    # if it has a parameter ``progress``, it reports the share done, in (0, 1], to that
    function: Callable[..., Any]
    arguments: tuple[Any, ...]  # positional, hashable; the data come first
    work: float = 1.0  # duration relative to those of other tasks
    size: int = 1  # of the result, in rows of trials

    def compute(self, progress: Progress) -> Any:
        """Call the function and report the share done to ``progress``."""
        named = {"progress": progress} if _reports(self.function) else {}
        return self.function(*self.arguments, **named)


class Runner(Protocol):
    """Protocol of objects that run the computations of a question."""

    def call(self, function: Callable[..., T], *arguments: Any, size: int = 1) -> T:
        """Return the result of short work; ``size`` is that of the result, in rows of trials."""

    def each(self, tasks: Mapping[Key, Task], name: str, sketch: Sketch = None) -> dict[Key, Any]:
        """Return the results of long work by key, in order; if stopped, of the finished tasks.

        ``name`` tells this run from others of a page; ``sketch`` may be called with the results so
        far, to draw them.
        """


class AtOnce:
    """Runner that computes everything at once; ``progress`` is told the share done, in (0, 1]."""

    def __init__(self, progress: Progress = no_progress):
        self._progress = progress

    def call(self, function: Callable[..., T], *arguments: Any, size: int = 1) -> T:
        """Return the result of the function."""
        return function(*arguments)

    def each(self, tasks: Mapping[Key, Task], name: str, sketch: Sketch = None) -> dict[Key, Any]:
        """Return the result of every task by key."""
        total, before, results = sum(task.work for task in tasks.values()), 0.0, {}
        for key, task in tasks.items():
            after = before + task.work
            results[key] = task.compute(part_of(self._progress, before / total, after / total))
            self._progress(after / total)
            before = after
        return results


AT_ONCE = AtOnce()


class OnceEach(AtOnce):
    """Runner that computes equal tasks once, however many runs they are part of."""

    def __init__(self, progress: Progress = no_progress):
        super().__init__(progress)
        self._known: dict[tuple[Callable[..., Any], tuple[Any, ...]], Any] = {}

    def each(self, tasks: Mapping[Key, Task], name: str, sketch: Sketch = None) -> dict[Key, Any]:
        """Return the result of every task by key."""
        called = {key: (task.function, task.arguments) for key, task in tasks.items()}
        new = {called[key]: task for key, task in tasks.items() if called[key] not in self._known}
        self._known |= super().each(new, name)
        return {key: self._known[call] for key, call in called.items()}


@functools.cache
def _reports(function: Callable[..., Any]) -> bool:
    return "progress" in inspect.signature(function).parameters
