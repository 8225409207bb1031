"""Find items of a log privately, then select k of them, with a budget divided between both.

The discovery (`SparseGaussian`) lists items with (ε₁, δ₁).  The selection is any mechanism for a
known list of items: it runs on the counts of the items that were found, with (ε₂, δ₂).  Dick,
Joseph, Raman (2026, arXiv 2603.14016) peel from what the weighted Gaussian mechanism finds, with
half of ε and δ each; here the selection is free, and so is the division.

Privacy of both releases together, for neighbors D and D' that differ in one user, added or removed,
with any number of items:

* The discovery keeps at most m items of each user, chosen by a hash of nothing but the user's own.
  So what it reads differs in one user of at most m items, and with P₁(· | D) for the law of what it
  releases, ∫ g dP₁(· | D) <= e^ε₁ ∫ g dP₁(· | D') + δ₁ for every function g from 0 to 1.
* Let F be what it released.  The selection gets the items of F, as a list that is fixed by now,
  also those without users on D'; k' = min(k, |F|), read off F; and the number of users of each of
  these items, without a bound on the items of a user.  One user moves these counts by 0 or 1 each,
  all in one direction, which is what ε₂ and δ₂ are for.  So for every set S of outputs
  P₂(S | D, F) <= e^ε₂ P₂(S | D', F) + δ₂, whatever F is.
* For a set S of pairs of F and a selection, let S_F be the selections that it has with F, and put
  g(F) = min(1, e^ε₂ P₂(S_F | D', F)).  Then P(S | D) = ∫ P₂(S_F | D, F) dP₁(F | D) <=
  ∫ g dP₁(· | D) + δ₂ <= e^ε₁ ∫ g dP₁(· | D') + δ₁ + δ₂ <= e^(ε₁ + ε₂) P(S | D') + δ₁ + δ₂.

So the list of all items that were found, with their noisy amounts, may be published beside the
selection.  Shares of ε, bounds and mechanisms must be fixed without the log that is protected: by
public data of the same kind, or beforehand.

Errors.  A place of the top k is lost if its item is not found: an exact law (`items_found`).  It
is lost in the selection if its item is found and not selected: exact where few sets of items can be
found and the law of the selection is known, else simulated.

Limits: noise is made of floats under a seed, for exploration and not for a real release, as of
`discover_then_select`; no budget is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from dptopk.accounting.sparse_gaussian import DiscoveredItems, SparseGaussian
from dptopk.core import validation
from dptopk.core.array_types import BoolArray, FloatArray, IntArray
from dptopk.core.cancellation import Progress, no_progress, pause
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import items_right
from dptopk.core.estimate import Estimate
from dptopk.core.outputs import NOTHING, OutputKind
from dptopk.core.parameters import DELTA
from dptopk.core.privacy import Guarantee, NeighborRelation
from dptopk.data.events import EventLog, LogOptions
from dptopk.data.ingest import CountsByBound
from dptopk.laws.items_found import items_found
from dptopk.mechanisms import Mechanism, check_mechanism
from dptopk.simulation.summaries import mean_of_runs
from dptopk.simulation.trials import checked_mechanisms
from dptopk.tuning.contribution_bound import outputs_or_draws

if TYPE_CHECKING:
    import pandas as pd

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
"""Shares of ε for the discovery that are tried."""

_MOST_UNCERTAIN = 7  # items that may be found or not, whose sets are enumerated
_CERTAIN = 1e-15  # from 0 or 1, where a probability is taken as such
_NEARLY = 0.001  # of a place, which is no reason to find more items that are not in the top k
_SELECTIONS = 4  # of each set of items that is drawn


@dataclass(frozen=True)
class DividedBudget:
    """Budget divided between the discovery of items and a selection of k of them.

    Parameters
    ----------
    discovery : SparseGaussian
        What finds items, with its own ε, δ and bound on the items of a user.
    selection : Mechanism
        What selects k of the items found, with its own ε (and δ): for users of any number of
        items, one of whom is added or removed.

    Examples
    --------
    >>> from dptopk import DividedBudget, Joint
    >>> budget = DividedBudget.of(Joint(10, 1.0), 1e-6, max_items=20, share=0.3)
    >>> budget.discovery.epsilon, budget.selection.epsilon, budget.guarantee.epsilon
    (0.3, 0.7, 1.0)
    """

    discovery: SparseGaussian
    selection: Mechanism

    def __post_init__(self) -> None:
        validation.instance("discovery", self.discovery, SparseGaussian)
        promised = check_mechanism("selection", self.selection).guarantee
        if promised.neighbors is not NeighborRelation.ADD_REMOVE:
            raise ValueError(
                "selection must protect a user who is added or removed, as the discovery does, "
                f"got {self.selection.name} for {promised.neighbors.value}"
            )
        if promised.max_items is not None:
            raise ValueError(
                "selection must protect users of any number of items, as its counts are not "
                f"bounded, got {self.selection.name} for at most {promised.max_items:,}"
            )
        if self.guarantee.delta >= 1:
            raise ValueError(
                "the deltas of discovery and selection must add up to less than 1, got "
                f"{self.guarantee.delta}"
            )

    @classmethod
    def of(
        cls,
        selection: Mechanism,
        delta: float,
        max_items: int,
        share: float = 0.5,
        weighted: bool = True,
    ) -> Self:
        """Divide the ε of ``selection``, meant as that of both, and ``delta``.

        Parameters
        ----------
        selection : Mechanism
            What selects, with the whole ε.
        delta : float
            Of both together: half of it where the selection takes a δ, too, which is then the
            other half, else all of it for the discovery.  A share of δ counts by its logarithm
            only.
        max_items, weighted
            As of `SparseGaussian`.
        share : float, optional
            Share of ε for the discovery, in (0, 1).
        """
        first, delta, selection = _divided(selection, delta, share)
        return cls(SparseGaussian(first, delta, max_items, weighted), selection)

    @property
    def guarantee(self) -> Guarantee:
        """(ε₁ + ε₂, δ₁ + δ₂)-DP of all that is released, for users of any number of items."""
        one, other = self.discovery.guarantee, self.selection.guarantee
        return Guarantee(
            one.epsilon + other.epsilon,
            one.delta + other.delta,
            NeighborRelation.ADD_REMOVE,
            fixed_items=False,
        )

    def selecting_from(self, n_found: int) -> Mechanism:
        """Return the selection from so many items, at least 1: of all of them if k is larger."""
        return self.selection.replaced(k=min(self.selection.k, n_found))


@dataclass(frozen=True, eq=False)
class SelectedItems:
    """Released selection, with the list that it was selected from.

    Attributes
    ----------
    items : tuple of str
        At most k; in the order of the selection, or of their noisy amounts if it is a set.
    counts : float64 array of shape (number of items,), or None
        Noisy counts of the items, if the selection releases them; read-only.
    found : DiscoveredItems
        All items that were found, which the guarantee of both covers, too.
    budget : DividedBudget
        Mechanisms and guarantee of both.
    """

    items: tuple[str, ...]
    counts: FloatArray | None
    found: DiscoveredItems
    budget: DividedBudget

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True)
class PlacesByStage:
    """Expected number of places of the top k, k in all, that are right or lost by either stage."""

    right: float
    not_found: float
    not_selected: float
    wrong: Estimate  # of both


def discover_then_select(
    source: Any,
    user: str,
    item: str,
    budget: DividedBudget,
    rng: np.random.Generator,
    where: str | None = None,
    **options: Unpack[LogOptions],
) -> SelectedItems:
    """Find items of a log without a list, and select k of them, within one budget.

    Neighbors differ in one user, added or removed, with any number of items.

    Parameters
    ----------
    source, user, item, where, **options
        As of `EventLog`.
    budget : DividedBudget
        Both mechanisms, to be chosen without these data.
    rng : numpy.random.Generator
        Source of the noise.

    Raises
    ------
    IngestError
        If the log cannot be read, or nothing is left of it: a ValueError.
    ModuleNotFoundError
        If DuckDB is not installed.

    Examples
    --------
    >>> from dptopk import DividedBudget, Joint, discover_then_select
    >>> import numpy as np
    >>> import pandas as pd
    >>> what = ["tea"] * 200 + ["rum"] * 150 + ["ale"] * 100 + ["gin"]
    >>> log = pd.DataFrame({"who": range(451), "what": what})
    >>> budget = DividedBudget.of(Joint(2, 2.0), 1e-6, max_items=1)
    >>> chosen = discover_then_select(log, "who", "what", budget, np.random.default_rng(0))
    >>> chosen.items, chosen.found.items
    (('tea', 'rum'), ('tea', 'rum', 'ale'))
    """
    validation.instance("budget", budget, DividedBudget)
    rng = validation.generator("rng", rng)
    log = EventLog(source, user, item, where, **options)
    return draw_selection(log.for_discovery(budget.discovery.max_items), budget, rng)


def draw_selection(
    by_bound: CountsByBound, budget: DividedBudget, rng: np.random.Generator
) -> SelectedItems:
    """Draw the items that are found, then a selection on their counts without a bound."""
    discovered = by_bound.discover(budget.discovery, rng)
    if not discovered.items:
        return SelectedItems((), None, discovered, budget)
    place = {name: position for position, name in enumerate(by_bound.counts.items)}
    users = by_bound.counts.counts[[place[name] for name in discovered.items]]
    listed = ItemCounts(users, discovered.items)  # ties are cut by the released order, if at all
    released = budget.selecting_from(len(discovered)).released(listed, 1, rng)
    there = released.positions[0] != NOTHING
    counts = None
    if released.counts is not None:
        counts = released.counts[0][there]
        counts.flags.writeable = False
    names = tuple(discovered.items[position] for position in released.positions[0][there])
    return SelectedItems(names, counts, discovered, budget)


def places_by_stage(
    by_bound: CountsByBound, budget: DividedBudget, n: int = 250, seed: int = 0
) -> PlacesByStage:
    """Split the places of the top k that are lost by the stage that loses them.

    Exact, to 12 digits, where at most 7 items are uncertain to be found and the law of the
    selection is known; else the loss of the selection is simulated, and only that: ``n`` sets of
    items are drawn, each with four selections, by the same noise for every budget.  The bound of
    the discovery is among those of ``by_bound``, from `counts_by_bound`.
    """
    validation.instance("budget", budget, DividedBudget)
    validation.instance("by_bound", by_bound, CountsByBound)
    n, seed = validation.integer("n", n, low=1), validation.integer("seed", seed, low=0)
    counts, discovery, k = by_bound.counts, budget.discovery, budget.selection.k
    amounts = by_bound.amounts_under(discovery.max_items, discovery.weighted)
    chances = discovery.survival(amounts)
    found_of_top = items_found(counts, chances, k).of_top_k
    lost = _Lost(counts, budget, seed)
    exact = lost.exactly(chances[counts.order])
    if exact is not None:
        lost_places = Estimate.exactly(k - found_of_top + exact)
        return PlacesByStage(k - lost_places.value, k - found_of_top, exact, lost_places)
    least_noise = np.full(counts.d, np.inf)  # an item without users is not in the data
    there = amounts > 0
    least_noise[there] = (discovery.threshold - amounts[there]) / discovery.sigma
    least_noise, rng = least_noise[counts.order], np.random.default_rng(seed)
    losses = np.empty(n)
    for run in range(n):
        losses[run] = lost.simulated(rng.standard_normal(counts.d) > least_noise, run)
    of_runs, not_found = mean_of_runs(losses, k), k - found_of_top
    mean = min(of_runs.value, found_of_top)
    low, high = (not_found + min(end, found_of_top) for end in (of_runs.low, of_runs.high))
    lost_places = Estimate(not_found + mean, low, high, n if low < high else 0)
    return PlacesByStage(found_of_top - mean, not_found, mean, lost_places)


def errors_by_share(
    by_bound: CountsByBound,
    selections: Sequence[Mechanism],
    delta: float,
    shares: Sequence[float] = SHARES,
    bounds: Sequence[int] | None = None,
    n: int = 250,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Split the error of a discovery and a selection by stage, for every division of ε.

    Computed from the log itself, which nothing protects: choose by public data of the same kind.

    Parameters
    ----------
    by_bound : CountsByBound
        From `counts_by_bound`.
    selections : sequence of Mechanism
        Contestants, of the same k, each with the ε of both stages together.
    delta : float
        Of both stages together; see `DividedBudget.of`.
    shares : sequence of float, optional
        Shares of ε for the discovery, each in (0, 1); left out where δ is too large for so small
        an ε, unless it is so for all.
    bounds : sequence of int, optional
        Bounds on the items per user to choose from, some of those of ``by_bound``; left out, all of
        them.  Of these, weighted and not, each share takes what finds most of the top k, and of
        those within 0.001 of a place from it the one that finds fewest items.
    n, seed : int, optional
        As of `places_by_stage`.
    progress : callable, optional
        Called with the share done, in (0, 1].

    Returns
    -------
    pandas.DataFrame
        One row a mechanism and share: ``mechanism``; ``share``; ``epsilon_discovery``,
        ``epsilon_selection``; ``max_items``, ``weighted`` of the discovery; ``not_found`` and
        ``not_selected`` and their sum ``wrong``, in places of the top k; ``wrong_low``,
        ``wrong_high``, its 95% interval; ``is_exact``; ``is_best``, the fewest lost places;
        ``as_good``, no interval apart from that of the best.

    Examples
    --------
    >>> from dptopk import Joint, counts_by_bound, errors_by_share
    >>> import pandas as pd
    >>> what = ["tea"] * 60 + ["rum"] * 50 + ["ale"] * 40 + ["gin"]
    >>> log = pd.DataFrame({"who": range(151), "what": what})
    >>> by_bound = counts_by_bound(log, "who", "what")
    >>> found = errors_by_share(by_bound, [Joint(2, 1.0)], 1e-6, [0.3, 0.5, 0.7])
    >>> found["wrong"].round(2).tolist(), found["is_best"].tolist()
    ([1.42, 0.17, 0.3], [False, True, False])
    """
    validation.instance("by_bound", by_bound, CountsByBound)
    runs = runs_by_share(by_bound, selections, delta, shares, bounds)
    results, tell = [], progress or no_progress
    for done, budget in enumerate(runs, 1):
        results.append(places_by_stage(by_bound, budget, n, seed))
        tell(done / len(runs))
    return shares_table([*runs.values()], [*runs], results)


def runs_by_share(
    by_bound: CountsByBound,
    selections: Sequence[Mechanism],
    delta: float,
    shares: Sequence[float] = SHARES,
    bounds: Sequence[int] | None = None,
) -> dict[DividedBudget, float]:
    """Return the budgets of `errors_by_share`, with the share of each.

    Shares that leave the discovery too small an ε for its δ are left out, unless all are.
    """
    tested = by_bound.bounds if bounds is None else validation.listed("bounds", bounds)
    refused = None
    budgets: dict[DividedBudget, float] = {}
    best: dict[tuple[float, float, int], SparseGaussian] = {}
    for selection in checked_mechanisms("selections", selections):
        for share in validation.listed("shares", shares):
            epsilon, of_delta, selecting = _divided(selection, delta, share)
            key = epsilon, of_delta, selection.k
            if key not in best:
                try:
                    tried = [
                        SparseGaussian(epsilon, of_delta, bound, weighted)
                        for weighted in (True, False)
                        for bound in tested
                    ]
                except ValueError as error:
                    refused = refused or error
                    continue
                best[key] = _best_discovery(by_bound, tried, selection.k)
            budgets[DividedBudget(best[key], selecting)] = share
    if refused is not None and not budgets:
        raise refused
    return budgets


def shares_table(
    shares: Sequence[float], budgets: Sequence[DividedBudget], results: Sequence[PlacesByStage]
) -> pd.DataFrame:
    """Return the table of `errors_by_share`, of what was found for each of its runs."""
    import pandas as pd

    best = int(np.argmin([one.wrong.value for one in results]))
    rows = [
        {
            "mechanism": budget.selection.label,
            "share": share,
            "epsilon_discovery": budget.discovery.epsilon,
            "epsilon_selection": budget.selection.epsilon,
            "max_items": budget.discovery.max_items,
            "weighted": budget.discovery.weighted,
            "not_found": one.not_found,
            "not_selected": one.not_selected,
            **one.wrong.columns("wrong"),
            "is_exact": one.wrong.exact,
            "is_best": place == best,
            "as_good": one.wrong.low <= results[best].wrong.high,
        }
        for place, (share, budget, one) in enumerate(zip(shares, budgets, results, strict=True))
    ]
    return pd.DataFrame(rows)


class _Lost:
    """Places of the top k whose items are found and not selected, for sets of items found.

    Sets are masks of the items in the order of their counts, the largest first.
    """

    def __init__(self, counts: ItemCounts, budget: DividedBudget, seed: int):
        self._counts, self._sorted = counts.counts[counts.order], counts.sorted
        self._budget, self._seed = budget, seed
        self._k, self._all_come_out = budget.selection.k, not budget.selection.outputs.short
        self._known: dict[bytes, float] = {}

    def exactly(self, chances: FloatArray) -> float | None:
        """Return the expected loss given each item's probability; None if it is not known."""
        uncertain = np.flatnonzero((chances > _CERTAIN) & (chances < 1 - _CERTAIN))
        if uncertain.size > _MOST_UNCERTAIN:
            return None
        mask, total = chances > 0.5, 0.0
        for one in itertools.product((False, True), repeat=uncertain.size):
            mask[uncertain] = one
            loss = self._of(mask.copy(), None)
            if loss is None:
                return None
            weight = np.where(one, chances[uncertain], 1 - chances[uncertain]).prod()
            total += float(weight) * loss
        return total

    def simulated(self, mask: BoolArray, run: int) -> float:
        """Return the loss for a set, of selections drawn in this run if no law is known."""
        loss = self._of(mask, run)
        assert loss is not None  # it is drawn then
        return loss

    def _of(self, mask: BoolArray, run: int | None) -> float | None:
        pause()
        places = np.flatnonzero(mask)
        if not places.size or (self._all_come_out and places.size <= self._k):
            return 0.0
        key = places.tobytes()
        if key not in self._known:
            listed = ItemCounts(self._counts[places])
            selection = self._budget.selecting_from(places.size)
            rows, weights = outputs_or_draws(listed, selection, _SELECTIONS, self._seed, run or 0)
            if weights is None and run is None:
                return None
            right = self._right(np.where(rows == NOTHING, NOTHING, places[rows]))
            top = self._right(places[None, : self._k])[0]
            mean = float(right @ weights) if weights is not None else float(right.mean())
            loss = max(float(top) - mean, 0.0)
            if weights is None:
                return loss
            self._known[key] = loss
        return self._known[key]

    def _right(self, rows: IntArray) -> IntArray:
        """Return how many places of the top k the items of each row take; rows may be shorter."""
        padded = np.full((len(rows), self._k), NOTHING)
        padded[:, : rows.shape[1]] = rows
        return items_right(self._sorted, padded, OutputKind(short=True))


def _divided(selection: Mechanism, delta: float, share: float) -> tuple[float, float, Mechanism]:
    """Return ε and δ of the discovery, and the selection with what is left."""
    check_mechanism("selection", selection)
    share = validation.positive("share", share)
    if share >= 1:
        raise ValueError(f"share must be above 0 and below 1, got {share}")
    first = share * selection.epsilon
    changes: dict[str, Any] = {"epsilon": selection.epsilon - first}
    if selection.card.takes(DELTA.key):
        delta = changes[DELTA.key] = validation.probability("delta", delta) / 2
    return first, delta, selection.replaced(**changes)


def _best_discovery(
    by_bound: CountsByBound, tried: Sequence[SparseGaussian], k: int
) -> SparseGaussian:
    """Return the one that finds most of the top k; if others find nearly so much, fewest items."""
    expected = []
    for one in tried:
        chances = one.survival(by_bound.amounts_under(one.max_items, one.weighted))
        expected.append(items_found(by_bound.counts, chances, k))
    enough = max(one.of_top_k for one in expected) - _NEARLY
    best = min(
        (place for place, one in enumerate(expected) if one.of_top_k >= enough),
        key=lambda place: expected[place].expected,
    )
    return tried[best]
