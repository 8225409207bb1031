"""Pytest plugin that adds two measures to `dptopk.core.errors`.

Constants are made from `METRICS` while modules are imported, so that the toys are there first.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from types import SimpleNamespace


def made(names) -> tuple:
    """One real number of which more is better, and one error in a range of its own."""
    errors = SimpleNamespace(**names)
    kept = errors.Metric(
        "kept",
        "kept share",
        "from 0 to 1",
        "the counts that came out as a share of the largest that could; more is better",
        lambda seen: 1 - seen.given_up.sum(axis=1) / max(1, seen.top.sum()),
        lambda possible: (0.0, 1.0),
        errors.Kind.SCORES,
        more_is_better=True,
        sees_order=False,
        right=lambda k: 1.0,
        allowed=lambda k: (0, 1),
    )
    misplaced = errors.Metric(
        "misplaced",
        "misplaced items",
        "places",
        "at how many places another count than the true one came out",
        lambda seen: (seen.given_up != 0).sum(axis=1),
        lambda possible: (0, possible.k),
        errors.Kind.NUMBERS,
        bounds_of_wrong=lambda possible: (0 if possible.short else 1, possible.k),
        allowed=lambda k: (0, k),
        article="a number of",
    )
    return kept, misplaced


class _Loader(SourceFileLoader):
    """Reads the module of measures with one more line at the end of its list."""

    def get_code(self, fullname):
        source = self.get_data(self.path).decode()
        end = '    )\n}\n"""Every metric by its key'
        assert source.count(end) == 1
        added = f"        *__import__({__name__!r}).made(globals()),\n{end}"
        return compile(source.replace(end, added), self.path, "exec")


class _Finder(MetaPathFinder):
    """Finds that module for it."""

    def find_spec(self, name, path, target=None):
        if name != "dptopk.core.errors":
            return None
        spec = PathFinder.find_spec(name, path, target)
        spec.loader = _Loader(name, spec.origin)
        return spec


sys.meta_path.insert(0, _Finder())
