"""Compute the numbers and words that settle statements of the cited papers.

Each function that returns `Values` is one that the file of statements names.  It takes the counts
that the file names, or the medians of runs on them by its measures, and returns values by name:
numbers, and words with them; "holds" is whether they agree with the statement, where that does not
follow from numbers of the source.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from dptopk.accounting import OutcomeLedger, local_epsilon, spent_epsilon
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import ItemCounts
from dptopk.core.numerals import rounded, share_below_1
from dptopk.core.privacy import PerOutcomeCost
from dptopk.data.datasets import dataset_info
from dptopk.laws.distribution import goodness_of_fit, output_distribution
from dptopk.laws.exact import exact_error, probability_exact_sequence, probability_exact_set
from dptopk.laws.privacy_losses import neighboring_counts, worst_case_hockey_stick, worst_case_loss
from dptopk.mechanisms import Mechanism, selections
from dptopk.mechanisms.exact_laws import LOG_UNSURE
from dptopk.mechanisms.noise_scales import one_shot_laplace
from dptopk.questions.set_experiment import LINF, LOSS, SetErrors, set_errors
from dptopk.questions.sweep import GRIDS, sweep_errors
from dptopk.simulation.adaptive_queries import ask_for_the_next, calls_paid_in_full
from dptopk.simulation.summaries import summarize
from dptopk.simulation.trials import at_points, run_trials

EPSILON, DELTA, RUNS, SEED = 1.0, 1e-6, 50, 0  # of the paper's figures; the seed is ours
BETA = 1e-6  # of pruning
_DRAWS = 100_000
_SMALL_K = 45  # largest of the figure of small k
_MEANS_OF = 10_000  # runs on sets: Peel errs in 0.7% of them, where it errs least
_LEAST_P = 1e-6  # level of the χ² tests
_THREE = (selections.ONE_CHOICE, selections.COINS, selections.RACE_WITH_DELTA)

Values: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Median:
    """Median of the runs at one k, with the ends of its 95 % interval."""

    k: int
    value: float
    low: float
    high: float

    def below(self, other: "Median") -> bool:
        """Return True if it is smaller, and the intervals do not overlap."""
        return self.high < other.low

    @property
    def words(self) -> str:
        """Median with its interval."""
        return f"{self.value:,g} (95%: {self.low:,g} to {self.high:,g})"


@dataclass(frozen=True)
class Medians:
    """Medians at k = 5, 15, …, 195 on one data set, by measure and mechanism."""

    counts: ItemCounts
    by_metric: Mapping[str, Mapping[type[Mechanism], list[Median]]]

    @property
    def of_each(self) -> list[list[Median]]:
        """Medians of each mechanism by the first measure."""
        return list(next(iter(self.by_metric.values())).values())

    @property
    def title(self) -> str:
        """Short title of the data."""
        return title(self.counts)


def medians(counts: ItemCounts, kind: type[Mechanism], metric: str) -> list[Median]:
    """Run a mechanism at k = 5, 15, …, 195, as in the figures, and return the medians."""
    over, values = GRIDS["paper"]
    settings = at_points([built(kind, 10)], over, values)
    points = []
    for row in sweep_errors(counts, settings, metric, RUNS, SEED).summary.to_dict("records"):
        exact = float(row["median_exact"])
        ends = (row["median"], row["median_low"], row["median_high"])
        points.append(Median(int(row["k"]), *(ends if math.isnan(exact) else [exact] * 3)))
    return points


def built(kind: type[Mechanism], k: int, **parameters: Any) -> Mechanism:
    """Return a mechanism at the budget of the paper's figures, with its own ``parameters``."""
    delta = {"delta": DELTA} if kind.card.takes("delta") else {}
    fields: dict[str, Any] = {"k": k, "epsilon": EPSILON} | delta | parameters
    return kind(**fields)


def title(counts: ItemCounts) -> str:
    """Return the short title of bundled counts: Books of Books (Goodreads)."""
    return dataset_info(counts.name).title.partition(" ")[0]


def places(some: Sequence[int], n: int, sign: str = "k") -> str:
    """Say at how many of n values something is so, and the first and the last of them."""
    if not some:
        return "nowhere"
    ends = (
        f"from {sign} = {some[0]:,} to {some[-1]:,}" if len(some) > 1 else f"{sign} = {some[0]:,}"
    )
    return f"at {len(some)} of {n} values, {ends}"


def _below(first: Sequence[Median], second: Sequence[Median]) -> list[int]:
    """Return the values of k at which the first median is smaller, intervals apart."""
    return [one.k for one, other in zip(first, second, strict=True) if one.below(other)]


# Errors against k, as in the figures


def against_pure(*data: Medians) -> Values:
    """Compare the median ℓ∞ errors of the first mechanism and an earlier pure one."""
    parts, larger, n, n_smaller = [], [], 0, 0
    for runs in data:
        ours, theirs = runs.of_each
        smaller = len(_below(ours, theirs))
        parts.append(f"{smaller} of {len(ours)} on {runs.title}")
        larger += [
            f"{runs.title}, k = {one.k}: {one.words} beside {other.words}"
            for one, other in zip(ours, theirs, strict=True)
            if other.below(one)
        ]
        n, n_smaller = n + len(ours), n_smaller + smaller
    where = f"at {'; '.join(larger)}" if larger else "nowhere"
    return {
        "smaller": n_smaller,
        "n": n,
        "parts": ", ".join(parts),
        "larger": where,
        "holds": not larger,
        "in_part": n_smaller > n / 2,
    }


def against_approximate(*data: Medians) -> Values:
    """Compare the median ℓ∞ errors of the first mechanism and an approximate one."""
    parts, holds, in_part = [], True, False
    for runs in data:
        ours, theirs = runs.of_each
        smaller, larger = _below(ours, theirs), _below(theirs, ours)
        words = [places(some, len(ours)) for some in (smaller, larger)]
        parts.append(f"{runs.title}: smaller {words[0]}, larger {words[1]}")
        holds &= bool(smaller) and not larger
        in_part |= bool(smaller)
    return {"parts": ". ".join(parts), "holds": holds, "in_part": in_part}


def strongest(*data: Medians) -> Values:
    """Find where another mechanism's median error is smaller than that of the first."""
    parts, holds = [], True
    for runs in data:
        ours, *others = runs.of_each
        smaller = sorted({k for other in others for k in _below(other, ours)})
        parts.append(f"on {runs.title} {places(smaller, len(ours))}")
        holds &= not smaller
    return {"where": "; ".join(parts), "holds": holds}


def small_gaps(runs: Medians) -> Values:
    """Find where the first median ℓ∞ error is smaller than those of the two others."""
    ours, pure, approximate = runs.of_each
    beats_pure, beats_approximate = _below(ours, pure), _below(ours, approximate)
    worse = _below(pure, ours)
    return {
        "pure": places(beats_pure, len(ours)) + (f", larger {places(worse, len(ours))}"),
        "approximate": places(beats_approximate, len(ours)),
        "holds": len(beats_pure) > len(ours) / 2
        and bool(beats_approximate)
        and beats_approximate[-1] <= 35,
    }


def plateaus(runs: Medians) -> Values:
    """Find the longest run of k over which each median stays within 2% of its smallest value."""
    parts, lengths = [], []
    (by_kind,) = runs.by_metric.values()
    for kind, points in by_kind.items():
        spans = (points[i:j] for i, j in itertools.combinations(range(len(points) + 1), 2))
        values = (([one.value for one in span], span) for span in spans)
        flat = max((span for y, span in values if 0 < max(y) <= 1.02 * min(y)), key=len)
        ks = places([one.k for one in flat], len(points))
        parts.append(f"{kind.card.name} near {flat[0].value:,g} {ks}")
        lengths.append(len(flat))
    ours, *others = lengths
    return {"parts": "; ".join(parts), "holds": ours > len(points) / 2 and ours > max(others)}


def smallest_total(*data: Medians) -> Values:
    """Compare the median ℓ1 errors at the smallest k."""
    parts, holds = [], True
    for runs in data:
        ours, *others = (points[0] for points in runs.of_each)
        parts.append(f"{', '.join(f'{one.value:,g}' for one in (ours, *others))} on {runs.title}")
        holds &= not any(other.below(ours) for other in others)
    return {"parts": "; ".join(parts), "holds": holds}


def monotone_place(runs: Medians) -> Values:
    """Find whether the median place of the largest error is ever below one at a smaller k."""
    parts, falls = [], []
    (by_kind,) = runs.by_metric.values()
    for kind, points in by_kind.items():
        falls.append(any(later.below(one) for one, later in itertools.combinations(points, 2)))
        furthest, last = max(points, key=lambda one: one.value), points[-1]
        parts.append(
            f"{kind.card.name}'s {furthest.words} at k = {furthest.k}, {last.words} at k = {last.k}"
        )
    return {"parts": "; ".join(parts), "holds": not falls[0] and all(falls[1:])}


def least_sensitive(*data: Medians) -> Values:
    """Count the pairs of medians that are apart, by three measures."""
    apart = {}
    for metric in data[0].by_metric:
        pairs = [
            (one, other)
            for runs in data
            for first, second in itertools.combinations(runs.by_metric[metric].values(), 2)
            for one, other in zip(first, second, strict=True)
        ]
        apart[metric] = sum(one.below(other) or other.below(one) for one, other in pairs)
    least = next(iter(apart.values())) <= min(apart.values())
    return apart | {"n": len(pairs), "holds": least}


def small_data(runs: Medians) -> Values:
    """Find where the second median k-relative error is smaller than the first."""
    ours, theirs = runs.of_each
    smaller, larger = _below(theirs, ours), _below(ours, theirs)
    words = [places(some, len(ours)) for some in (smaller, larger)]
    holds = len(smaller) > len(larger) and ours[0].k not in smaller
    return {"smaller": words[0], "larger": words[1], "holds": holds}


def baselines(runs: Medians) -> Values:
    """Compare the fourth mechanism with the first, and the third with the second."""
    pure, approximate, laplace, gamma = runs.of_each
    better = _below(gamma, pure), _below(laplace, approximate)
    words = [places(some, len(pure)) for some in better]
    return {
        "gamma": words[0],
        "laplace": words[1],
        "holds": not any(better),
        "in_part": not all(better),
    }


def zero_at_small_k(*data: Medians) -> Values:
    """Find the data on which all median ℓ∞ errors are 0 at each k of the figure."""
    without = [
        runs.title
        for runs in data
        if not any(one.value for points in runs.of_each for one in points if one.k <= _SMALL_K)
    ]
    return {"where": ", ".join(without) or "none", "holds": len(without) == 3}


def alike(*data: Medians) -> Values:
    """Count the points up to k = 45 at which two mechanisms are not apart."""
    apart = n = 0
    for runs in data:
        joint, flipped = ([one for one in points if one.k <= _SMALL_K] for points in runs.of_each)
        apart += len(_below(joint, flipped)) + len(_below(flipped, joint))
        n += len(joint)
    return {"alike": n - apart, "n": n, "holds": apart <= n / 20}


# What needs no runs at many k


def first_two_in_order(counts: ItemCounts) -> Values:
    """Compute the probability of the first two in order, of the mechanisms of the examples."""
    return {
        kind.card.key: probability_exact_sequence(counts, kind(2, EPSILON))
        for kind in selections.IN_THE_EXAMPLES
    }


def privacy_losses(counts: ItemCounts) -> Values:
    """Compute the worst privacy loss of the examples' mechanisms over all neighbors."""
    return {
        kind.card.key: worst_case_loss(counts, kind(2, EPSILON)).value
        for kind in selections.IN_THE_EXAMPLES
    }


def within_bound(*data: ItemCounts) -> Values:
    """Compute the probability that the loss keeps to Gillenwater et al. 2022, Theorem 3.3."""
    within = []
    for counts, k in itertools.product(data, (10, 100)):
        mechanism = selections.ONE_CHOICE(k, EPSILON)
        bound = mechanism.error_bound(counts.d, LOSS)
        assert bound is not None  # of every release under add/remove
        law = exact_error(counts, mechanism, LOSS)
        within.append(min(1.0, float(law.probabilities[law.values <= bound.value].sum())))
    return {"least": min(within), "share": share_below_1(min(within))}


def calibration() -> Values:
    """Compute what the paper's noise spends by the tightest proof known here."""
    local = local_epsilon(EPSILON, DELTA, 10, "paper")
    return {"local": rounded(local, 4), "spent": spent_epsilon(local, 10, DELTA, "optimal")}


def one_score(counts: ItemCounts) -> Values:
    """Compare sequences with one item, and with every item, off by the same count."""
    outputs = np.array([[0, 1, 3], [3, 4, 5]])
    top = counts.counts[:3]
    few, many = np.abs(top - counts.counts[outputs]).sum(axis=1).tolist()
    (one, every), (peel_one, peel_every) = (
        np.exp(kind(3, EPSILON).log_pmf(counts, outputs))
        for kind in (selections.ONE_CHOICE, selections.COINS)
    )
    values = {"few": few, "many": many, "one": one, "all": every}
    values |= {"peel_one": peel_one, "peel_all": peel_every}
    return values | {"holds": bool(np.isclose(one, every, rtol=1e-9)) and few < many}


def no_smaller_laplace() -> Values:
    """Compute the noise of one shot where it is proven, and where it is not."""
    k, d = 200, 5_155
    at_1, below = (one_shot_laplace(k, epsilon, DELTA, d) for epsilon in (1.0, 0.05))
    holds = bool(at_1.refusal) and not below.refusal
    return {"approximate": below.scale, "pure": k / 0.05, "holds": holds}


def twice_as_good(*data: ItemCounts) -> Values:
    """Compute the ratio of the expected losses of two mechanisms."""
    ratios = []
    for counts in data:
        k, epsilon = (1, 2.0) if counts.d == 2 else (2, EPSILON)
        losses = [
            exact_error(counts, kind(k, epsilon), LOSS).mean
            for kind in selections.IN_THE_EXAMPLES[:2]
        ]
        ratios.append(losses[0] / losses[1])
    words = ", ".join(map(_down, ratios))
    return {"parts": words, "largest": max(ratios), "holds": max(ratios) > 1.99}


def one_item_each(*data: ItemCounts) -> Values:
    """Compare noise on counts, for users of one item each, with choices at k = 50."""
    parts, holds = [], True
    for counts in data:
        laplace = built(selections.NOISY, 50, max_items=1)
        trials = run_trials(counts, [laplace, *(built(kind, 50) for kind in _THREE)], RUNS, SEED)
        ours, *others = (
            Median(50, row["median"], row["median_low"], row["median_high"])
            for row in summarize(trials, LINF).to_dict("records")
        )
        parts.append(
            f"{', '.join(f'{one.value:,g}' for one in (ours, *others))} on {title(counts)}"
        )
        holds &= all(ours.value <= other.value for other in others)
    return {"parts": "; ".join(parts), "holds": holds}


def exact_sets(counts: ItemCounts, *kinds: type[Mechanism]) -> Values:
    """Compare the probability of the exact set of the first mechanism with those of the others."""
    parts, better, ks = [], [], (2, 5, 10, 20)
    for k in ks:
        chances = [probability_exact_set(counts, built(kind, k)) for kind in kinds]
        *before, last = map(share_below_1, chances)
        parts.append(f"k = {k}: {', '.join(before)} and {last}")
        better += [str(k)] if chances[0] > max(chances[1:]) else []
    values = {"parts": "; ".join(parts), "better": " and ".join(better)}
    return values | {"holds": bool(better), "not_better": len(ks) - len(better)}


# The experiment on sets


def _sets_apart(
    errors: Mapping[str, Mapping[type[Mechanism], SetErrors]],
    kind: type[Mechanism],
    beside: type[Mechanism],
) -> Values:
    """Say at which d a mean error is below another's, or above it, intervals apart; count them."""
    values: Values = {}
    for where, (one, other) in {"below": (kind, beside), "above": (beside, kind)}.items():
        parts, n = [], 0
        for data, by in errors.items():
            ends = zip(by[one].d, by[one].high, by[other].low, strict=True)
            smaller = [d for d, high, low in ends if high < low]
            parts.append(f"{places(smaller, len(by[one].d), 'd')} ({data})")
            n += len(smaller)
        values |= {where: " and ".join(parts), f"n_{where}": n}
    return values


def best_set(counts: ItemCounts) -> Values:
    """Compare the joint choice of a set with rounds and with noise on counts at ε = 1."""
    errors = set_errors(counts, 1.0, _MEANS_OF)
    peel, laplace = (
        _sets_apart(errors, selections.ONE_SET_BY_PLACES, kind)
        for kind in (selections.RACE, selections.NOISY)
    )
    return {
        "peel": peel,
        "laplace": laplace,
        "holds": peel["n_below"] > 0 == peel["n_above"] + laplace["n_above"],
        "in_part": peel["n_below"] > peel["n_above"],
    }


def reversed_at_small_epsilon(counts: ItemCounts) -> Values:
    """Find where peeling has the smaller error at ε = 0.1."""
    errors = set_errors(counts, 0.1, _MEANS_OF)
    values = _sets_apart(errors, selections.ONE_SET_BY_PLACES, selections.RACE)
    return values | {"holds": values["n_above"] > 0}


def poor_gamma(counts: ItemCounts) -> Values:
    """Find where one mechanism's error is larger, and smaller, than that of rounds at ε = 1."""
    errors = set_errors(counts, 1.0, _MEANS_OF)
    values = _sets_apart(errors, selections.SHARED_RADIUS, selections.RACE)
    n_below, n_above = values["n_below"], values["n_above"]
    return values | {"holds": n_above > n_below == 0, "in_part": n_above > n_below}


def overflow(counts: ItemCounts) -> Values:
    """Add up the probabilities of all losses of the joint choice of a set of 50."""
    k = 50
    law = exact_error(counts, selections.ONE_SET_BY_PLACES(k, EPSILON), LOSS)
    total = float(law.probabilities.sum())
    holds = abs(total - 1) < 1e-8
    return {"digits": k * math.log10(counts.d), "total": total, "holds": holds}


# Pruning


def cut_loss(d: int, k: int) -> float:
    """Return the loss 2 (k ln d + ln(1/β)) / ε that is exceeded with probability at most β.

    At most d^k sequences lose more, each at most e^(-ε loss / 2) times as likely as the true top k.
    """
    return 2 * (k * math.log(d) + math.log(1 / BETA)) / EPSILON


def entries_kept(counts: ItemCounts, k: int) -> int:
    """Count the pairs of a place and a loss up to `cut_loss`, of which ties share one."""
    top, distinct = counts.sorted.top(k), np.unique(counts.counts)
    reach = cut_loss(counts.d, k)
    first = np.searchsorted(distinct, top - reach)
    return int((np.searchsorted(distinct, top, side="right") - first).sum())


def failure(*data: ItemCounts) -> Values:
    """Bound the probability that the loss is beyond that of pruning."""
    most = math.exp(LOG_UNSURE)  # what a law may leave out
    for counts, k in itertools.product(data, (10, 100)):
        law = exact_error(counts, selections.ONE_CHOICE(k, EPSILON), LOSS)
        pruned_away = law.values > cut_loss(counts.d, k)
        most = max(most, float(law.probabilities[pruned_away].sum()))
    return {"largest": most}


# Durfee and Rogers, and others


def one_shot(counts: ItemCounts) -> Values:
    """Test draws of Gumbel noise in one shot against the law of k rounds."""
    return _fit(counts, selections.RACE(2, EPSILON), np.random.Generator.gumbel)


def exponential_noise(counts: ItemCounts) -> Values:
    """Test noisy maxima with exponential noise against the law of permute-and-flip."""
    return _fit(counts, selections.COINS(1, EPSILON), np.random.Generator.exponential)


def _fit(counts: ItemCounts, mechanism: Mechanism, noise: Callable[..., FloatArray]) -> Values:
    """Test the largest counts after noise of scale k / ε against the law of a mechanism."""
    k, size = mechanism.k, (_DRAWS, counts.d)
    noisy = counts.counts + noise(np.random.default_rng(SEED), scale=k / EPSILON, size=size)
    law = output_distribution(counts, mechanism)
    fit = goodness_of_fit(law, np.argsort(-noisy, axis=1)[:, :k])
    return {"p": fit.p_value, "holds": fit.p_value > _LEAST_P}


def concentrated(counts: ItemCounts) -> Values:
    """Compute the largest Rényi divergence of k rounds over all neighbors, per order."""
    parts = []
    for k in (1, 2):
        mechanism, largest = selections.RACE(k, float(k)), 0.0
        every = mechanism.outputs.every(counts.d, k)
        here = mechanism.log_pmf(counts, every)
        for neighbour in neighboring_counts(counts, mechanism.neighbors):
            there = mechanism.log_pmf(neighbour, every)
            for order in (1.01, 1.5, 2.0, 4.0, 16.0, 64.0):
                for one, other in ((here, there), (there, here)):
                    moment = np.logaddexp.reduce(order * one + (1 - order) * other)
                    largest = max(largest, float(moment) / (order - 1) / order)
        parts.append(largest)
    return {"one": parts[0], "two": parts[1]}


def with_counts() -> Values:
    """Compute how the noise of one shot with counts grows with k."""
    few, many = (selections.ONE_SHOT(k, EPSILON, DELTA) for k in (10, 40))
    return {
        "few": (few.scale, few.count_scale),
        "many": (many.scale, many.count_scale),
        "chosen": many.scale / few.scale,
        "counted": many.count_scale / few.count_scale,
    }


def four_settings(counts: ItemCounts) -> Values:
    """Compute the share of the promised δ, or ε, that the four mechanisms need on all neighbors."""
    parts, shares = [], []
    known = (built(selections.NOISY, 1, max_items=1), built(selections.RACE, 1))
    for mechanism in known:
        used = worst_case_loss(counts, mechanism).value / EPSILON
        parts.append(f"{mechanism.name} {used:.3f} of ε")
        shares.append(used)
    for kind, parameters in ((selections.OPEN_OF_FEW, {"max_items": 1}), (selections.OPEN, {})):
        mechanism = built(kind, 1, delta=0.01, k_bar=2, **parameters)
        excess = worst_case_hockey_stick(counts, mechanism, EPSILON).value / 0.01
        parts.append(f"{mechanism.name} {excess:.3f} of δ")
        shares.append(excess)
    return {"parts": ", ".join(parts), "largest": max(shares)}


def pays_for_outcomes(counts: ItemCounts) -> Values:
    """Run the series of calls that the page Ledger shows by default."""
    mechanism, ledger = _ledger()
    series = ask_for_the_next(counts, mechanism, ledger, SEED)
    answered, in_full = len(series.answers), calls_paid_in_full(ledger, mechanism.k)
    values = {"answered": answered, "in_full": in_full, "returned": int(series.returned.sum())}
    return values | {"holds": answered > in_full}


def _ledger() -> tuple[Mechanism, OutcomeLedger]:
    mechanism = built(selections.OPEN, 10)
    assert isinstance(mechanism.cost, PerOutcomeCost)
    return mechanism, OutcomeLedger(mechanism.cost, 55, 20)


def tighter() -> Values:
    """Compare the composition of rounds by the older theorem and by the tightest here."""
    _, ledger = _ledger()
    older, newer = (ledger.total_epsilon(DELTA, how) for how in ("durfee-rogers", "optimal"))
    return {"older": older, "newer": newer, "holds": newer < older}


def limited_domain(counts: ItemCounts) -> Values:
    """Compare probabilities on data that differ only below the counts that are read."""
    mechanism = built(selections.OPEN, 2, k_bar=4)
    changed = counts.counts.copy()
    unread = counts.order[5:]
    changed[unread] = changed[unread] // 2
    other = ItemCounts(changed, counts.items)
    outputs = np.array(list(itertools.permutations(counts.order[:4].tolist(), 2)))
    gap = np.abs(mechanism.log_pmf(counts, outputs) - mechanism.log_pmf(other, outputs)).max()
    return {"unread": unread.size, "gap": gap, "holds": bool(gap == 0)}


def approximate(counts: ItemCounts) -> Values:
    """Compute the largest excess of probability over all neighbors."""
    mechanism = built(selections.OPEN, 2, delta=0.01, k_bar=2)
    return {"excess": worst_case_hockey_stick(counts, mechanism, EPSILON).value}


def ratios_of_losses(*data: ItemCounts) -> Values:
    """Compute expected losses of the exponential mechanism over permute-and-flip's, at k = 1."""
    cases = itertools.product(data, (0.001, 0.003, 0.01, 0.03, 0.1))
    pair, ratios = _ratio(ItemCounts([10, 0]), EPSILON), list(itertools.starmap(_ratio, cases))
    values = {"pair": pair, "smallest": min(ratios), "largest": max(ratios)}
    return {"n": len(ratios), **values} | {f"{key}_in_words": _down(r) for key, r in values.items()}


def _ratio(counts: ItemCounts, epsilon: float) -> float:
    losses = []
    for kind in (selections.RACE, selections.COINS):
        chances = np.exp(kind(1, epsilon).log_pmf(counts, np.arange(counts.d)[:, None]))
        losses.append(float(chances @ (counts.counts.max() - counts.counts)))
    return losses[0] / losses[1]


def _down(ratio: float) -> str:
    """Format a ratio, rounded down to four digits after the point: 1.99998 is not 2."""
    return "2 within rounding" if round(ratio, 9) == 2 else f"{math.floor(ratio * 1e4) / 1e4:.4f}"


def adaptivity() -> Values:
    """Compute the optimal δ of two rounds of range 1, chosen beforehand and adaptively."""
    epsilon = 0.25
    t = np.linspace(0, 1, 401)
    p = np.expm1(t - 1) / math.expm1(-1)  # probability of loss t, else t - 1

    def second(x: FloatArray) -> FloatArray:  # the best second round, x of ε left
        inner: FloatArray = np.where(
            x <= -1,
            -np.expm1(np.minimum(x, 0)),
            np.expm1((np.clip(x, -1, 1) - 1) / 2) ** 2 / -math.expm1(-1),
        )
        return inner

    adaptive = float(np.max(p * second(epsilon - t) + (1 - p) * second(epsilon - t + 1)))
    both = [(t, p), (t - 1, 1 - p)]
    fixed = sum(
        np.outer(p1, p2) * -np.expm1(np.minimum(epsilon - np.add.outer(l1, l2), 0))
        for (l1, p1), (l2, p2) in itertools.product(both, both)
    )
    beforehand = float(np.max(fixed))
    return {"adaptive": adaptive, "beforehand": beforehand, "holds": adaptive > 1.001 * beforehand}


def users_to_change(counts: ItemCounts) -> Values:
    """Compare the loss behind the probabilities with a search over users who change."""
    mechanism = selections.ONE_SET(2, EPSILON)
    sets = mechanism.outputs.every(counts.d, 2)
    log_p = mechanism.log_pmf(counts, sets)
    searched = [_distance(counts.counts, set(one.tolist())) for one in sets]
    wrong = [i for i, users in enumerate(searched) if users > 0]
    base = wrong[0]
    implied = [searched[base] + 2 / EPSILON * (log_p[base] - log_p[i]) for i in wrong]
    holds = bool(np.allclose(implied, [searched[i] for i in wrong], atol=1e-6))
    return {"needed": ", ".join(str(searched[i]) for i in wrong), "n": len(wrong), "holds": holds}


def _distance(counts: IntArray, chosen: set[int]) -> int:
    """Return how many users must join or leave until the chosen items are a top set."""
    d = counts.size
    steps = [np.array(step) for step in itertools.product((0, 1), repeat=d)]
    reached, users = {tuple(counts.tolist())}, 0
    while not any(
        min(c[i] for i in chosen) >= max(c[i] for i in range(d) if i not in chosen) for c in reached
    ):
        pause()
        moved = (np.array(c) + sign * step for c in reached for step in steps for sign in (1, -1))
        reached = {tuple(c.tolist()) for c in moved if c.min() >= 0}
        users += 1
    return users
