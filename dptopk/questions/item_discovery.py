"""Find items of a log without a list of them, and select from those found.

Exact results of the finding for each bound on the items of a user, errors of both together for each
division of the budget, and one release of either.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import compact, plural, share, share_below_1
from dptopk.core.parameters import DELTA, EPSILON, MAX_ITEMS
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import CountsByBound
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer
from dptopk.questions.origin import Origin, as_marked
from dptopk.questions.runner import Runner, Task
from dptopk.questions.users import ONE_KEY, UNPROTECTED as BOUND_UNPROTECTED, written_places
from dptopk.tuning.discovery_then_selection import (
    SHARES,
    DividedBudget,
    draw_selection,
    places_by_stage,
    runs_by_share,
    shares_table,
)
from dptopk.tuning.item_discovery import items_found_by_bound

_ROUNDING = 1e-12  # of all counts: their sums as floats tell no smaller share
TITLE = "Items found without a list, for each bound on the items of a user"
MEANING = (
    "With weights, a user of t items adds 1 / √t to each, otherwise 1. counts_kept is the expected "
    "share of all counts on items found; the rest is the missing mass; all_of_top_k is the "
    "probability that all of the true top k are found. Only items with users can be found."
)
SHARES_TITLE = "Places lost by finding items and by selecting from them, for each share of ε"
SHARES_MEANING = (
    "share is the part of ε for finding items; the rest is for the selection. not_found is the "
    "expected number of places of the top k whose items are not found, which is exact; "
    "not_selected, of those whose items are found but not selected. Each share uses the bound on "
    "the items of a user that finds most of the top k."
)
SHARES_UNPROTECTED = (
    "All of this is computed from the private log itself and is not protected: choose mechanism, "
    "share and bound on public data of the same kind, or from prior knowledge."
)
NOT_PUBLIC = (
    "Not for a real release: unnoised, users and what is missed are true numbers, the seed reveals "
    "the noise, and floating-point noise does not have exactly the distribution that the guarantee "
    "is for."
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
    """
    frame = items_found_by_bound(by_bound, epsilon, delta, k, bounds)
    settings = {"k": k, EPSILON.key: epsilon, DELTA.key: delta}
    origin = _origin(by_bound, settings, data, computed="exact")
    there = int((by_bound.counts.counts > 0).sum())
    notes = (recommendation(frame, k, there), MEANING, ONE_KEY, BOUND_UNPROTECTED)
    return Answer("items-found", TITLE, frame, origin, tuple(map(str, frame)), notes)


def recommendation(frame: pd.DataFrame, k: int, n_items: int) -> str:
    """Return sentences on the bound that keeps most of the counts, weighted and not.

    ``n_items`` are the items with users, found or missed.
    """
    sentences = []
    for weighted, words in ((True, "weighted"), (False, "not weighted")):
        rows = frame[frame["weighted"] == weighted].to_dict("records")
        row = max(rows, key=lambda one: float(one["counts_kept"]))
        sentences.append(
            f"{words}, at most {plural(int(row['max_items']), 'item')} of each user: on average "
            f"{_expected(row['expected'])} of {plural(n_items, 'item')} are found, while the "
            f"{_expected(n_items - row['expected'])} missed have "
            f"{_missed(1 - row['counts_kept'])} of all counts, and "
            f"{'the top item is' if k == 1 else f'all of the top {k} are'} found with probability "
            f"{share_below_1(row['all_of_top_k'])}"
        )
    return f"The bounds that keep most of the counts: {'; '.join(sentences)}."


def _expected(number: float) -> str:
    """Format an expected number of items, never as a false 0."""
    return f"{number:,.1f}" if number >= 0.05 else "< 0.1"


def _missed(missing: float) -> str:
    """Format the share of the counts that is missed; a sum of floats does not tell the smallest."""
    return share(missing) if missing > _ROUNDING else f"less than {share(_ROUNDING)}"


def released(by_bound: CountsByBound, mechanism: SparseGaussian, seed: int) -> Answer:
    """Draw the release of a seed, beside the true amounts."""
    discovered = by_bound.discover(mechanism, np.random.default_rng(seed))
    at, true = _true_amounts(by_bound, mechanism, discovered.items)
    frame = pd.DataFrame({"item": discovered.items, "amount": discovered.amounts} | true)
    settings = {key: getattr(mechanism, key) for key in (MAX_ITEMS.key, EPSILON.key, DELTA.key)}
    origin = _origin(by_bound, settings, computed="drawn once", seed=seed)
    note = (
        f"{plural(len(discovered), 'item')} above {mechanism.threshold:,.4g}, with noise of "
        f"standard deviation {mechanism.sigma:,.4g}. {_missed_by(by_bound.counts, at)} "
        f"{mechanism.guarantee.statement}"
    )
    title = f"Items found with at most {plural(mechanism.max_items, 'item')} of each user"
    return Answer(
        "items-released", title, frame, origin, tuple(map(str, frame)), (note, NOT_PUBLIC)
    )


def _true_amounts(
    by_bound: CountsByBound, mechanism: SparseGaussian, names: Sequence[str]
) -> tuple[list[int], dict[str, Any]]:
    """Return the positions of items, and columns of their amounts before noise and their users."""
    counts = by_bound.counts
    place = {name: position for position, name in enumerate(counts.items)}
    at = [place[name] for name in names]
    amounts = by_bound.amounts_under(mechanism.max_items, mechanism.weighted)
    return at, {"unnoised": amounts[at], "users": counts.counts[at]}


def _missed_by(counts: ItemCounts, at: Sequence[int]) -> str:
    """Return a sentence on the items that one release did not find, at which places it did."""
    n_items, total = int((counts.counts > 0).sum()), int(counts.counts.sum())
    if n_items == len(at):
        return f"All {plural(n_items, 'item')} of the log are found."
    lost = share((total - int(counts.counts[at].sum())) / total)
    return f"Missed: {n_items - len(at):,} of {plural(n_items, 'item')}, with {lost} of all counts."


def by_share(
    by_bound: CountsByBound,
    selections: Sequence[Mechanism],
    delta: float,
    runner: Runner,
    shares: Sequence[float] = SHARES,
    bounds: Sequence[int] | None = None,
    n: int = 250,
    seed: int = 0,
    data: str = "",
) -> Answer | None:
    """Tabulate the places of the top k that are lost by either stage, for each division of ε.

    ``selections`` have the ε of both stages, and the same k; ``data`` is what the log is called, if
    not as its counts are.  None if it was stopped before anything was done.
    """
    runs = runner.call(
        runs_by_share,
        by_bound,
        tuple(selections),
        delta,
        tuple(shares),
        None if bounds is None else tuple(bounds),
        size=len(shares) * len(selections),
    )
    tasks = {
        budget: Task(places_by_stage, (by_bound, budget, n, seed), budget.selection.k)
        for budget in runs
    }
    results = runner.each(tasks, "shares")
    if not results:
        return None
    frame = shares_table([runs[budget] for budget in results], [*results], [*results.values()])
    first, names = selections[0], ", ".join(one.name for one in selections)
    settings = {"k": first.k, "select": names, EPSILON.key: first.epsilon, DELTA.key: delta}
    how = as_marked(frame, n, seed, runs_are="sets of items found, with four selections each")
    origin = _origin(by_bound, settings, data, **how)
    notes = (best_share(frame, first.k), SHARES_MEANING, ONE_KEY, SHARES_UNPROTECTED)
    columns = tuple(name for name in map(str, frame) if not name.startswith("epsilon_"))
    return Answer("found-then-selected", SHARES_TITLE, frame, origin, columns, notes)


def best_share(frame: pd.DataFrame, k: int) -> str:
    """Return a sentence on the share with the fewest lost places, beside half and half."""
    best = frame[frame["is_best"]].to_dict("records")[0]
    words = (
        f"Fewest places lost: {best['share']:.0%} of ε to find items, then {best['mechanism']}, "
        f"{_lost(best)} of {k}"
    )
    half = frame[(frame["share"] == 0.5) & (frame["mechanism"] == best["mechanism"])]
    if half.empty or best["share"] == 0.5:  # or half leaves too small an ε for the δ
        return f"{words}."
    row = half.to_dict("records")[0]
    unclear = row["wrong_low"] <= best["wrong_high"]
    return f"{words}; half and half: {_lost(row)}{', no clear difference' * unclear}."


def _lost(row: Mapping[Any, Any]) -> str:
    places, low, high = (written_places(row[one]) for one in ("wrong", "wrong_low", "wrong_high"))
    return places if row["is_exact"] else f"{places} (simulated, 95%: {low} to {high})"


def released_selection(by_bound: CountsByBound, budget: DividedBudget, seed: int) -> Answer:
    """Draw the selection of a seed and all items found, beside the true amounts."""
    chosen = draw_selection(by_bound, budget, np.random.default_rng(seed))
    discovered, discovery = chosen.found, budget.discovery
    amount = dict(zip(discovered.items, discovered.amounts.tolist(), strict=True))
    names = [*dict.fromkeys((*chosen.items, *discovered.items))]
    at, true = _true_amounts(by_bound, discovery, names)
    columns: dict[str, Any] = {
        "item": names,
        "selected": np.arange(len(names)) < len(chosen),
        "amount": [amount[name] for name in names],
        **true,
    }
    if chosen.counts is not None:
        others = np.full(len(names) - len(chosen), np.nan)
        columns["count"] = np.append(chosen.counts, others)
    frame = pd.DataFrame(columns)
    selection, promised = budget.selection, budget.guarantee
    settings = {
        "k": selection.k,
        "select": selection.name,
        "epsilon_discovery": discovery.epsilon,
        "epsilon_selection": selection.epsilon,
        MAX_ITEMS.key: discovery.max_items,
        EPSILON.key: promised.epsilon,
        DELTA.key: promised.delta,
    }
    origin = _origin(by_bound, settings, computed="drawn once", seed=seed)
    note = (
        f"{plural(len(discovered), 'item')} found with ε = {compact(discovery.epsilon)}, of which "
        f"{selection.name} selected {len(chosen):,} with ε = {compact(selection.epsilon)}"
        f"{' (in the order released)' * selection.outputs.ordered}. "
        f"{_missed_by(by_bound.counts, at)} {promised.statement}"
    )
    title = (
        f"Items found with at most {plural(discovery.max_items, 'item')} of each user, and selected"
    )
    return Answer(
        "items-selected", title, frame, origin, tuple(map(str, frame)), (note, NOT_PUBLIC)
    )


def _origin(
    by_bound: CountsByBound, settings: dict[str, Any], data: str = "", **how: Any
) -> Origin:
    counts = by_bound.counts
    more = settings | {"neighbors": NeighborRelation.ADD_REMOVE.value}
    note = f"δ = {compact(settings[DELTA.key])}"
    return Origin(data or counts.name, counts, (), more=more, unit="users", note=note, **how)
