"""Find items of a log without a list of them: exact results for each bound, and one release."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core.numerals import compact, plural, share
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import CountsByBound
from dptopk.questions.answer import Answer
from dptopk.questions.origin import Origin
from dptopk.questions.users import ONE_KEY, UNPROTECTED
from dptopk.tuning.item_discovery import draw_items, items_found_by_bound

TITLE = "Items found without a list, for each bound on the items of a user"
MEANING = (
    "Weighted, a user of t items adds 1 / √t to each, else 1. counts_kept is the expected share of "
    "all counts that falls on items found, the rest is the missing mass; all_of_top_k is the "
    "probability that all of the true top k are found. Only items with users can be found."
)
NOT_PUBLIC = (
    "Not for a real release: unnoised and users are true amounts, the seed reveals the noise, and "
    "noise of floating-point numbers has not quite the distribution that the promise is for."
)


def found_by_bound(
    by_bound: CountsByBound,
    epsilon: float,
    delta: float,
    k: int,
    bounds: Sequence[int] | None = None,
    data: str = "",
) -> Answer:
    """Tabulate exact results of item discovery under every bound, with and without weights.

    ``data`` is what the log is called, if not as its counts are.

    Raises
    ------
    ValueError
        If delta is not one for which there is noise that is private.
    """
    frame = items_found_by_bound(by_bound, epsilon, delta, k, bounds)
    origin = _origin(by_bound, epsilon, delta, "exact", {"k": k}, data)
    notes = (recommendation(frame, k), MEANING, ONE_KEY, UNPROTECTED)
    return Answer("items-found", TITLE, frame, origin, tuple(map(str, frame)), notes)


def recommendation(frame: pd.DataFrame, k: int) -> str:
    """Return sentences on the bound that keeps most of the counts, weighted and not."""
    said = []
    for weighted, words in ((True, "weighted"), (False, "not weighted")):
        rows = frame[frame["weighted"] == weighted].to_dict("records")
        row = max(rows, key=lambda one: float(one["counts_kept"]))
        said.append(
            f"{words}, at most {plural(int(row['max_items']), 'item')} of each user: "
            f"{_share(row['counts_kept'])} of the counts are kept, {row['expected']:,.1f} items "
            f"found on average, all of the top {k} with probability {_share(row['all_of_top_k'])}"
        )
    return f"Most of the counts are kept so: {'; '.join(said)}."


def _share(value: float) -> str:
    """Format a share that noise keeps from 1, even where it is 1 as a float."""
    return share(min(value, float(np.nextafter(1.0, 0.0))))


def released(by_bound: CountsByBound, mechanism: SparseGaussian, seed: int) -> Answer:
    """Draw the release of a seed, beside the true amounts."""
    found = draw_items(by_bound, mechanism, np.random.default_rng(seed))
    counts = by_bound.counts
    place = {name: position for position, name in enumerate(counts.items)}
    at = [place[name] for name in found.items]
    amounts = by_bound.amounts_under(mechanism.max_items, mechanism.weighted)
    frame = pd.DataFrame(
        {
            "item": found.items,
            "amount": found.amounts,
            "unnoised": amounts[at],
            "users": counts.counts[at],
        }
    )
    more = {MAX_ITEMS.key: mechanism.max_items}
    origin = _origin(
        by_bound, mechanism.epsilon, mechanism.delta, "drawn once", seed=seed, more=more
    )
    said = (
        f"{plural(len(found), 'item')} above {mechanism.threshold:,.4g}, with noise of standard "
        f"deviation {mechanism.sigma:,.4g}. {mechanism.guarantee.statement}"
    )
    title = f"Items found with at most {plural(mechanism.max_items, 'item')} of each user"
    return Answer(
        "items-released", title, frame, origin, tuple(map(str, frame)), (said, NOT_PUBLIC)
    )


def _origin(
    by_bound: CountsByBound,
    epsilon: float,
    delta: float,
    computed: str,
    more: dict[str, Any],
    data: str = "",
    **how: Any,
) -> Origin:
    counts = by_bound.counts
    settings = more | {
        EPSILON.key: epsilon,
        DELTA.key: delta,
        "neighbors": NeighborRelation.ADD_REMOVE.value,
    }
    return Origin(
        data or counts.name,
        counts,
        (),
        computed,
        more=settings,
        unit="users",
        note=f"δ = {compact(delta)}",
        **how,
    )
