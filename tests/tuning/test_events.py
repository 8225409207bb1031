"""Test which targets imply others, against all outputs of small cases."""

import itertools

import numpy as np
import pytest

from dptopk import ItemCounts
from dptopk.core.errors import METRICS, all_errors
from dptopk.core.outputs import OutputKind
from dptopk.tuning.implications import Events

VECTORS = (
    *((9, 7, 6, 2, 1), (9, 9, 4, 4, 4), (8, 5, 5, 5, 0), (6, 5, 4, 3, 2), (5, 5, 5, 5, 5)),
    *((7, 1, 0, 0, 0), (20, 11, 10, 9, 3), (3, 2, 0), (4, 1)),
)
KINDS = tuple(
    OutputKind(ordered=ordered, short=short) for ordered in (True, False) for short in (True, False)
)
AMOUNTS = (*range(13), 17)
TWO_SIDED = ("linf", "l1")
METRICS_OF_AMOUNTS = [key for key, metric in METRICS.items() if metric.in_counts]


def reached(counts, outputs, kind, target):
    measured = all_errors(counts, outputs, kind)
    if isinstance(target, str):
        return measured[target]
    key, amount = target
    return measured[key] >= amount if key == "items_right" else measured[key] <= amount


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.how}, short: {kind.short}")
def test_an_event_implies_another_where_every_output_says_so(kind):
    """All pairs of targets with a law among them; how large an l1 error can be is bounded only."""
    n_missed = n_true = 0
    for vector, k in itertools.product(VECTORS, (1, 2, 3)):
        counts = ItemCounts(vector)
        if k > counts.d and not kind.short:
            continue
        outputs = kind.every(counts.d, k)
        targets = ["exact_set", *(("items_right", m) for m in range(1, k + 1))]
        targets += ["exact_sequence"] if kind.ordered else []
        targets += [(key, most) for key in METRICS_OF_AMOUNTS for most in AMOUNTS]
        events = Events(counts.sorted, kind, k)
        of = {target: events.of(target) for target in targets}
        truth = np.array([reached(counts, outputs, kind, target) for target in targets])
        implied = ~(truth[:, None] & ~truth[None]).any(axis=2)
        for (i, one), (j, other) in itertools.product(enumerate(targets), repeat=2):
            said = of[one].implies(of[other])
            no_law = one[0] in TWO_SIDED and other[0] in TWO_SIDED
            bound = other[0] == "l1" and kind.ordered and (kind.short or one[0] == "signed_max")
            padded = k > counts.d  # items without users, which these outputs do not have
            if not (no_law or bound or padded):
                assert said == implied[i, j], (vector, k, one, other)
            assert implied[i, j] or not said, (vector, k, one, other)
            n_missed += implied[i, j] and not said
            n_true += implied[i, j]
        for i, target in enumerate(targets):
            assert events.certain.implies(of[target]) <= truth[i].all()
    assert n_missed < 0.05 * n_true


def test_a_place_is_no_amount():
    assert Events(ItemCounts([3, 2, 1]).sorted, OutputKind(), 2).of(("linf_index", 1)) is None
