"""Pytest plugin that adds two measures, before modules make settings of all that there are."""

from dptopk.core.errors import Kind, Metric, add_metric

KEPT = Metric(  # a real number of which more is better
    "kept",
    "kept share",
    "from 0 to 1",
    "the counts that came out as a share of the largest that could; more is better",
    lambda seen: 1 - seen.given_up.sum(axis=1) / max(1, seen.top.sum()),
    lambda possible: (0.0, 1.0),
    Kind.SCORES,
    more_is_better=True,
    sees_order=False,
    right=lambda k: 1.0,
    allowed=lambda k: (0, 1),
)
MISPLACED = Metric(  # an error in a range of its own
    "misplaced",
    "misplaced items",
    "places",
    "at how many places another count than the true one came out",
    lambda seen: (seen.given_up != 0).sum(axis=1),
    lambda possible: (0, possible.k),
    Kind.NUMBERS,
    bounds_of_wrong=lambda possible: (0 if possible.short else 1, possible.k),
    allowed=lambda k: (0, k),
    article="a number of",
)
add_metric(KEPT)
add_metric(MISPLACED)
