"""Check statements of the cited papers against numbers computed by this package.

A `Statement` cites its source, repeats in plain words what the source says, names the data and how
they differ from those of the source, and computes the same here.  Only statements are listed whose
wording was confirmed: in the abstracts, in the authors' code, or where a module of this package
cites the theorem.  The authors' code is `dp_topk` in github.com/google-research/google-research.

`paper_joint` is Algorithm 1 of Gillenwater, Joseph, Muñoz Medina, Ribero (2022), arXiv 2201.12333,
written from its description: a yardstick for times, used for nothing else.

Limits: examples and data sets are tried, so that "holds" means that nothing here contradicts the
statement; it proves no theorem.
"""

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from dptopk.accounting import OutcomeLedger, local_epsilon, spent_epsilon
from dptopk.core import papers
from dptopk.core.array_types import FloatArray, IntArray
from dptopk.core.cancellation import pause
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import METRICS
from dptopk.core.numerals import rounded, share
from dptopk.core.papers import Citation
from dptopk.core.privacy import PerOutcomeCost
from dptopk.data import sources
from dptopk.laws.distribution import goodness_of_fit, output_distribution
from dptopk.laws.exact import exact_error, probability_exact_sequence, probability_exact_set
from dptopk.laws.privacy_losses import (
    neighboring_counts,
    worst_case_hockey_stick,
    worst_case_loss,
)
from dptopk.mechanisms import MECHANISMS, Mechanism, selections
from dptopk.questions.runner import AT_ONCE, Runner
from dptopk.questions.sweep import GRIDS, sweep_errors
from dptopk.simulation.adaptive_queries import ask_for_the_next, calls_paid_in_full
from dptopk.simulation.trials import at_points

EPSILON, DELTA, RUNS, SEED = 1.0, 1e-6, 50, 0  # of the paper's figures; the seed is ours
FOUR, THOUSAND = "classroom-paper_four", "classroom-paper_thousand"
OF_THE_PAPER = ("books", "games", "news")
_DRAWS = 100_000
_LEAST_P = 1e-6  # level of the χ² tests
_OF_FIGURE_1 = next(key for key, one in METRICS.items() if one.figure == "Figure 1")  # ℓ∞ error
_BELOW_1 = float(np.nextafter(1.0, 0.0))  # noise leaves no probability at 1
_BOUNDED = next(  # the measure whose size under Joint Theorem 3.3 bounds
    key for key in METRICS if selections.ONE_CHOICE(1, EPSILON).error_bound(2, key)
)
_JOINT, _PNF_JOINT, _PNF_PEEL = (kind.card.name for kind in selections.IN_THE_EXAMPLES)
_CDP_PEEL = selections.RACE_WITH_DELTA.card.name
_EM_PEEL, _JOINT_SET = selections.RACE.card.name, selections.ONE_SET_BY_PLACES.card.name
TIMED_K = (5, 25, 50, 100, 150, 200)


class Verdict(Enum):
    """Outcome of the comparison of a statement with what is computed here."""

    HOLDS = "holds here"
    DIFFERS = "differs here"
    UNCHECKED = "cannot be checked here"


@dataclass(frozen=True)
class Link:
    """Link to a page with settings."""

    label: str
    page: str
    query: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True)
class SourceNumber:
    """A number of the source beside the one computed here.

    ``relation`` is what the source says of it: "=", "≥" or "≤".
    """

    what: str
    relation: str
    said: float
    found: float


@dataclass(frozen=True)
class Result:
    """Result of the computation for a statement."""

    holds: bool  # True if it agrees with the statement
    words: str  # the result in one or two sentences
    computed: str = "exact"  # "exact", or how it was simulated
    compared: tuple[SourceNumber, ...] = ()  # numbers of the source beside ours, where it gives any


@dataclass(frozen=True)
class Statement:
    """A statement of a source."""

    key: str
    source: Citation
    says: str  # what the source says, in plain words
    data: str  # used here, and how they differ from those of the source
    on: tuple[str, ...]  # data that ``compute`` takes: names of `data.sources`, or counts
    compute: Callable[..., Result | None] | None  # None if nothing here can settle the statement
    links: tuple[Link, ...]  # pages that show it
    why_not: str = ""
    # ``compute`` takes a function before the counts: the medians of Figure 1
    of_figure: bool = False

    @property
    def counts(self) -> tuple[ItemCounts, ...]:
        """The counts that it is checked on."""
        return tuple(
            ItemCounts(list(map(int, name.split())))
            if name[0].isdigit()
            else sources.source_of(name, {}).counts
            for name in self.on
        )


@dataclass(frozen=True)
class Checked:
    """A statement with its result, None if it cannot be checked."""

    statement: Statement
    found: Result | None

    @property
    def verdict(self) -> Verdict:
        """Outcome of the comparison."""
        if self.found is None:
            return Verdict.UNCHECKED
        return Verdict.HOLDS if self.found.holds else Verdict.DIFFERS

    @property
    def words(self) -> str:
        """Sentence on the result, or on why there is none."""
        if self.found is None:
            return self.statement.why_not or "The runs were stopped."
        return self.found.words


def check_statements(
    runner: Runner = AT_ONCE, statements: Sequence[Statement] | None = None
) -> list[Checked]:
    """Compute the results of the statements, by default of all of `STATEMENTS`.

    Examples
    --------
    >>> from dptopk.questions.papers import STATEMENTS, check_statements
    >>> (four,) = check_statements(statements=STATEMENTS[:1])
    >>> four.verdict.value
    'holds here'
    """
    medians: dict[str, _Medians] = {}  # of Figure 1, which several statements need

    def of_figure(counts: ItemCounts) -> _Medians:
        if counts.digest not in medians:
            medians[counts.digest] = _medians(runner, counts)
        return medians[counts.digest]

    def found(statement: Statement) -> Result | None:
        if statement.compute is None:
            return None
        if statement.of_figure:
            return statement.compute(of_figure, *statement.counts)
        return runner.call(statement.compute, *statement.counts)

    return [
        Checked(statement, found(statement))
        for statement in (STATEMENTS if statements is None else statements)
    ]


def _in_order(counts: ItemCounts, said: Sequence[float]) -> Result:
    """Compare the probability of the first two in order with what the source prints."""
    compared = []
    for kind, value in zip(selections.IN_THE_EXAMPLES, said, strict=False):
        mechanism = kind(2, EPSILON)
        exact = probability_exact_sequence(counts, mechanism)
        compared.append(SourceNumber(f"{mechanism.label}, first two in order", "=", value, exact))
    words = ", ".join(f"{c.what.partition(',')[0]} {c.found:.4f}" for c in compared)
    holds = all(round(c.found, 4) == c.said for c in compared)
    return Result(holds, f"{words}.", "exact", tuple(compared))


def _four(counts: ItemCounts) -> Result:
    return _in_order(counts, (0.6315, 0.7510, 0.8259))


def _thousand(counts: ItemCounts) -> Result:
    return _in_order(counts, (0.3372, 0.4375))


def _pure(counts: ItemCounts) -> Result:
    """Compute the worst privacy loss of the examples' mechanisms over all neighbors."""
    losses = {}
    for kind in selections.IN_THE_EXAMPLES:
        mechanism = kind(2, EPSILON)
        losses[mechanism.label] = worst_case_loss(counts, mechanism).value
        pause()
    words = ", ".join(f"{label} {value:.3f}" for label, value in losses.items())
    compared = tuple(
        SourceNumber(f"{label}, largest privacy loss", "≤", EPSILON, value)
        for label, value in losses.items()
    )
    holds = max(losses.values()) <= EPSILON + 1e-9
    return Result(
        holds, f"Largest loss over all neighbours and outputs: {words}.", "exact", compared
    )


def _within_bound(*data: ItemCounts) -> Result:
    """Compute the probability that Joint's loss is within the bound of Theorem 3.3."""
    compared = []
    for name, counts in zip(OF_THE_PAPER, data, strict=True):
        for k in (10, 100):
            mechanism = selections.ONE_CHOICE(k, EPSILON)
            bound = mechanism.error_bound(counts.d, _BOUNDED)
            assert bound is not None  # of every release under add/remove
            law = exact_error(counts, mechanism, _BOUNDED)
            within = min(1.0, float(law.probabilities[law.values <= bound.value].sum()))
            what = f"{name}, k = {k}: loss at most {bound.value:,.0f}"
            compared.append(SourceNumber(what, "≥", bound.probability, within))
            pause()
    least = min(one.found for one in compared)
    words = f"Smallest of the six: {share(min(least, _BELOW_1))}; the bound leaves much room."
    holds = all(one.found >= one.said for one in compared)
    return Result(holds, words, "exact", tuple(compared))


def _calibration(counts: ItemCounts) -> Result:
    """Compute what the paper's noise spends by the tightest proof known here."""
    k = 10
    local = local_epsilon(EPSILON, DELTA, k, "paper")
    spent = spent_epsilon(local, k, DELTA, "optimal")
    words = (
        f"At k = {k} the calibration gives {rounded(local, 4)} a round; by the tightest proof here "
        f"the {k} rounds spend ε = {rounded(spent, 3)} at δ = 1e-6, less than promised."
    )
    compared = (SourceNumber("ε spent at k = 10, δ = 1e-6", "≤", EPSILON, spent),)
    return Result(spent <= EPSILON, words, "exact", compared)


_Medians: TypeAlias = dict[tuple[str, float], tuple[float, float, float]]
_Figure: TypeAlias = Callable[[ItemCounts], _Medians]


@dataclass(frozen=True)
class _Point:
    """Medians of two mechanisms at one k, with their 95 % intervals."""

    k: int
    first: tuple[float, float, float]
    second: tuple[float, float, float]

    @property
    def is_smaller(self) -> bool:
        """True if the first median is smaller, and the intervals do not overlap."""
        return self.first[2] < self.second[1]

    @property
    def is_larger(self) -> bool:
        """True if the first median is larger, and the intervals do not overlap."""
        return self.first[1] > self.second[2]

    @property
    def words(self) -> str:
        """Both medians with their intervals."""
        one, other = (
            f"{m:,g} (95%: {low:,g} to {high:,g})" for m, low, high in (self.first, self.second)
        )
        return f"k = {self.k}: {one} beside {other}"


def _medians(runner: Runner, counts: ItemCounts) -> _Medians:
    """Compute Figure 1: the median ℓ∞ error with its interval, by label and k."""
    kinds = [kind for kind in MECHANISMS.values() if kind.card.key in selections.IN_THE_PAPER]
    over, values = GRIDS["paper"]
    settings = at_points([_built(kind, 10) for kind in kinds], over, values)
    found = sweep_errors(
        counts, settings, _OF_FIGURE_1, RUNS, SEED, runner=runner, name=f"sweep-{counts.digest[:8]}"
    ).summary
    medians: _Medians = {}
    for row in found.to_dict("records"):
        exact = float(row["median_exact"])
        simulated = (row["median"], row["median_low"], row["median_high"])
        medians[row["mechanism"], row["k"]] = (
            simulated if math.isnan(exact) else (exact, exact, exact)
        )
    return medians


def _points(medians: _Medians, other: type[Mechanism]) -> list[_Point]:
    """Return the medians of Joint and another mechanism at every k that was run."""
    first, second = _built(selections.ONE_CHOICE, 10).label, _built(other, 10).label
    return [
        _Point(int(k), medians[first, k], medians[second, k])
        for k in GRIDS["paper"][1]
        if {(first, k), (second, k)} <= medians.keys()
    ]


def _built(kind: type[Mechanism], k: int, **own: Any) -> Mechanism:
    """Return a mechanism at the budget of the paper's figures, with its ``own`` parameters."""
    delta = {"delta": DELTA} if kind.card.takes("delta") else {}
    fields: dict[str, Any] = {"k": k, "epsilon": EPSILON} | delta | own
    return kind(**fields)


def _simulated() -> str:
    return f"simulated, {RUNS} runs at each k, seed {SEED}"


def _against_pure(figure: _Figure, *data: ItemCounts) -> Result | None:
    """Compare the median errors of Joint and permute-and-flip peeling as in Figure 1."""
    parts, exceptions, n, n_smaller = [], [], 0, 0
    for name, counts in zip(OF_THE_PAPER, data, strict=True):
        points = _points(figure(counts), selections.COINS)
        if len(points) < len(GRIDS["paper"][1]):
            return None
        larger = [point for point in points if point.is_larger]
        smaller = sum(point.is_smaller for point in points)
        parts.append(f"{smaller} of {len(points)} on {name.capitalize()}")
        exceptions += [f"{name.capitalize()}, {point.words}" for point in larger]
        n, n_smaller = n + len(points), n_smaller + smaller
    words = (
        f"{_JOINT}'s median ℓ∞ error is smaller than that of {_PNF_PEEL} at {n_smaller} of {n} "
        f"points ({', '.join(parts)}; intervals apart)"
    )
    words += f", larger at {'; '.join(exceptions)}." if exceptions else ", nowhere larger."
    return Result(not exceptions, words, _simulated())


def _where(some: Sequence[_Point], points: Sequence[_Point]) -> str:
    """Name the first and the last k of some points, and how many they are of all."""
    if not some:
        return "nowhere"
    return f"at {len(some)} of {len(points)} values, from k = {some[0].k} to {some[-1].k}"


def _against_approximate(figure: _Figure, *data: ItemCounts) -> Result | None:
    """Compare the median errors of Joint and CDP-Peel as in Figure 1."""
    parts, holds = [], True
    for name, counts in zip(OF_THE_PAPER, data, strict=True):
        points = _points(figure(counts), selections.RACE_WITH_DELTA)
        if len(points) < len(GRIDS["paper"][1]):
            return None
        smaller = [point for point in points if point.is_smaller]
        larger = [point for point in points if point.is_larger]
        both = f"smaller {_where(smaller, points)}, larger {_where(larger, points)}"
        parts.append(f"{name.capitalize()}: {both}")
        holds &= bool(smaller)
    words = f"{_JOINT}'s median ℓ∞ error beside {_CDP_PEEL}'s, intervals apart. {'. '.join(parts)}."
    return Result(holds, words, _simulated())


def _small_problems(counts: ItemCounts) -> Result:
    """Compare the probability of the exact set with peeling, exactly."""
    rows = []
    for k in (2, 5, 10, 20):
        kinds = (selections.ONE_SET_BY_PLACES, selections.RACE, selections.RACE_WITH_DELTA)
        rows.append((k, [probability_exact_set(counts, _built(kind, k)) for kind in kinds]))
        pause()
    better = [k for k, chances in rows if chances[0] > max(chances[1:])]
    written = ((k, [share(min(p, _BELOW_1)) for p in chances]) for k, chances in rows)
    parts = [f"k = {k}: {one}, {rounds} and {composed}" for k, (one, rounds, composed) in written]
    words = (
        f"Probability of the exact top k for {_JOINT_SET}, {_EM_PEEL} and {_CDP_PEEL} (δ = 1e-6): "
        f"{'; '.join(parts)}. Largest for {_JOINT_SET} at k = {' and '.join(map(str, better))}."
    )
    return Result(bool(better), words)


def _one_shot(counts: ItemCounts) -> Result:
    """Test draws of Gumbel noise in one shot against the law of k rounds."""
    mechanism = selections.RACE(2, EPSILON)
    rng = np.random.default_rng(SEED)
    noisy = counts.counts + rng.gumbel(scale=2 / EPSILON, size=(_DRAWS, counts.d))
    fit = goodness_of_fit(output_distribution(counts, mechanism), np.argsort(-noisy, axis=1)[:, :2])
    words = (
        f"The two largest of {_DRAWS:,} noisy vectors against the exact probabilities of two "
        f"rounds: χ² test p = {fit.p_value:.2f}."
    )
    return Result(fit.p_value > _LEAST_P, words, _of_draws())


def _of_draws() -> str:
    return f"simulated, {_DRAWS:,} draws, seed {SEED}"


def _concentrated(counts: ItemCounts) -> Result:
    """Compute the largest Rényi divergence of k rounds over all neighbors, per order."""
    compared = []
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
            pause()
        compared.append(
            SourceNumber(f"k = {k} rounds of ε = 1, divergence / order", "≤", k / 8, largest)
        )
    parts = " and ".join(f"{one.found:.3f} for k = {k}" for k, one in enumerate(compared, 1))
    words = (
        f"Largest Rényi divergence over all neighbours, divided by its order: {parts}; the bounds "
        "are 0.125 and 0.25."
    )
    return Result(all(c.found <= c.said for c in compared), words, "exact", tuple(compared))


def _with_counts(counts: ItemCounts) -> Result:
    """Compute how the noise of one shot with counts grows with k."""
    few, many = (selections.ONE_SHOT(k, EPSILON, DELTA) for k in (10, 40))
    compared = (
        SourceNumber("noise to choose, k = 40 over k = 10", "=", 2.0, many.scale / few.scale),
        SourceNumber(
            "noise on counts, k = 40 over k = 10", "=", 2.0, many.count_scale / few.count_scale
        ),
    )
    words = (
        f"At ε = 1 and δ = 1e-6, Gumbel noise of {few.scale:.1f} and Laplace noise of "
        f"{few.count_scale:.1f} at k = 10; {many.scale:.1f} and {many.count_scale:.1f} at k = 40: "
        "twice as much for four times as many items."
    )
    holds = all(math.isclose(one.found, one.said, rel_tol=1e-9) for one in compared)
    return Result(holds, words, "exact", compared)


def _expected_loss(counts: ItemCounts, mechanism: Mechanism) -> float:
    """Return the expected distance of the selected count from the largest, in users."""
    chances = np.exp(mechanism.log_pmf(counts, np.arange(counts.d)[:, None]))
    return float(chances @ (counts.counts.max() - counts.counts))


def _ratios(counts: ItemCounts) -> dict[float, float]:
    """Return expected losses of the exponential mechanism over permute-and-flip's, by ε."""
    found = {}
    for epsilon in (0.001, 0.003, 0.01, 0.03, 0.1):
        losses = [
            _expected_loss(counts, kind(1, epsilon)) for kind in (selections.RACE, selections.COINS)
        ]
        found[epsilon] = losses[0] / losses[1]
        pause()
    return found


def _down(ratio: float) -> str:
    """Format a ratio, rounded down to four digits after the point: 1.99998 is not 2."""
    return f"{math.floor(ratio * 1e4) / 1e4:.4f}"


def _never_worse(*data: ItemCounts) -> Result:
    ratios = [ratio for counts in data for ratio in _ratios(counts).values()]
    words = (
        f"At {len(ratios)} settings the exponential mechanism's expected error is "
        f"{_down(min(ratios))} to {_down(max(ratios))} times that of permute-and-flip."
    )
    compared = (SourceNumber("smallest ratio of expected errors", "≥", 1.0, min(ratios)),)
    return Result(min(ratios) >= 1 - 1e-9, words, "exact", compared)


def _factor_two(*data: ItemCounts) -> Result:
    ratios = [ratio for counts in data for ratio in _ratios(counts).values()]
    pair = ItemCounts([10, 0])
    alone = [_expected_loss(pair, kind(1, 1.0)) for kind in (selections.RACE, selections.COINS)]
    ratio = alone[0] / alone[1]
    words = (
        f"Counts 10 and 0 at ε = 1: {_down(ratio)} times. On the data the ratio reaches "
        f"{_down(max(ratios))}, and is never above 2."
    )
    compared = (SourceNumber("largest ratio of expected errors", "≤", 2.0, max(*ratios, ratio)),)
    return Result(max(*ratios, ratio) <= 2 + 1e-9 and ratio > 1.99, words, "exact", compared)


def _exponential_noise(counts: ItemCounts) -> Result:
    """Test noisy maxima with exponential noise against the law of permute-and-flip."""
    rng = np.random.default_rng(SEED)
    noisy = counts.counts + rng.exponential(1 / EPSILON, size=(_DRAWS, counts.d))
    law = output_distribution(counts, selections.COINS(1, EPSILON))
    fit = goodness_of_fit(law, noisy.argmax(axis=1)[:, None])
    words = (
        f"{_DRAWS:,} noisy maxima against the exact probabilities of permute-and-flip: χ² test "
        f"p = {fit.p_value:.2f}."
    )
    return Result(fit.p_value > _LEAST_P, words, _of_draws())


def _pays_for_outcomes(counts: ItemCounts) -> Result:
    """Run the series of calls that the page Ledger shows by default."""
    mechanism = _built(selections.OPEN, 10)
    assert isinstance(mechanism.cost, PerOutcomeCost)
    ledger = OutcomeLedger(mechanism.cost, 55, 20)
    series = ask_for_the_next(counts, mechanism, ledger, SEED)
    answered, in_full = len(series.answers), calls_paid_in_full(ledger, mechanism.k)
    words = (
        f"A budget of 55 outcomes answers {answered} calls for the next top 10, which release "
        f"{int(series.returned.sum())} items; charged 10 each, it would be {in_full} calls."
    )
    return Result(answered > in_full, words, f"one simulated series, seed {SEED}")


def _limited_domain(counts: ItemCounts) -> Result:
    """Compare probabilities on data that differ only below the counts that are read."""
    mechanism = _built(selections.OPEN, 2, k_bar=4)
    changed = counts.counts.copy()
    unread = counts.order[5:]
    changed[unread] = changed[unread] // 2
    other = ItemCounts(changed, counts.items)
    top = counts.order[:4]
    outputs = np.array(list(itertools.permutations(top.tolist(), 2)))
    gap = np.abs(mechanism.log_pmf(counts, outputs) - mechanism.log_pmf(other, outputs)).max()
    words = (
        f"With k̄ = 4, halving the counts of all {unread.size:,} items below place 5 changes no "
        f"probability (largest difference of logarithms: {gap:.1g})."
    )
    return Result(bool(gap == 0), words)


def _approximate(counts: ItemCounts) -> Result:
    """Compute the largest excess of probability over all neighbors."""
    delta = 0.01
    mechanism = _built(selections.OPEN, 2, delta=delta, k_bar=2)
    excess = worst_case_hockey_stick(counts, mechanism, EPSILON).value
    words = f"Largest δ over all neighbours at ε = 1: {rounded(excess, 3)}, of the promised 0.01."
    compared = (SourceNumber("δ at ε = 1, promised 0.01", "≤", delta, excess),)
    return Result(excess <= delta, words, "exact", compared)


def _tighter(counts: ItemCounts) -> Result:
    """Compare the composition of rounds by the older theorem and by the tightest here."""
    mechanism = _built(selections.OPEN, 10)
    assert isinstance(mechanism.cost, PerOutcomeCost)
    ledger = OutcomeLedger(mechanism.cost, 55, 20)
    older, newer = (ledger.total_epsilon(DELTA, how) for how in ("durfee-rogers", "optimal"))
    words = (
        f"55 adaptive rounds of the page Ledger: ε = {rounded(older, 4)} by Durfee and Rogers, "
        f"{rounded(newer, 4)} by the adaptive optimum as computed here."
    )
    return Result(newer < older, words)


def _adaptivity(counts: ItemCounts) -> Result:
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
    words = (
        f"Two rounds of range 1 at ε = {epsilon}: δ = {adaptive:.4f} if the second is chosen after "
        f"the first, {beforehand:.4f} if both are chosen beforehand."
    )
    return Result(adaptive > 1.001 * beforehand, words, "exact, on a grid of 401 rounds")


def _users_to_change(counts: ItemCounts) -> Result:
    """Compare the loss behind the probabilities with a search over users who change."""
    mechanism = selections.ONE_SET(2, EPSILON)
    sets = mechanism.outputs.every(counts.d, 2)
    log_p = mechanism.log_pmf(counts, sets)
    searched = [_distance(counts.counts, set(one.tolist())) for one in sets]
    wrong = [i for i, users in enumerate(searched) if users > 0]
    base = wrong[0]
    implied = [searched[base] + 2 / EPSILON * (log_p[base] - log_p[i]) for i in wrong]
    holds = np.allclose(implied, [searched[i] for i in wrong], atol=1e-6)
    needed = ", ".join(str(searched[i]) for i in wrong)
    words = (
        f"A search over users who join or leave finds {needed} for the {len(wrong)} sets that are "
        "not the top 2; the probabilities follow from exactly these."
    )
    return Result(bool(holds), words)


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


def _set_beside_rounds(counts: ItemCounts) -> Result:
    """Compare the probability of the exact set for one choice and for k rounds."""
    rows = []
    for k in (5, 10, 20):
        kinds = (selections.ONE_SET, selections.RACE)
        rows.append((k, *(probability_exact_set(counts, kind(k, EPSILON)) for kind in kinds)))
        pause()
    parts = "; ".join(f"k = {k}: {share(one)} and {share(rounds)}" for k, one, rounds in rows)
    words = f"Probability of the exact top k, by one choice of a set and by k rounds: {parts}."
    return Result(all(one > rounds for _, one, rounds in rows), words)


def _link(label: str, page: str, kinds: Sequence[type[Mechanism]] = (), **query: str) -> Link:
    named = {"mechanisms": ",".join(kind.card.key for kind in kinds)} if kinds else {}
    return Link(label, page, query | named)


_EXAMPLES_IN = "the paper's own counts"
_THREE = (
    "Books, Games and News, the paper's; its Foods, Movies and Tweets were not found or are not "
    "bundled"
)
_FIGURE_1 = tuple(
    Link(
        name.capitalize(),
        "sweep",
        {
            "data": name,
            "mechanisms": ",".join(selections.IN_THE_PAPER),
            "against": "paper",
            "metric": _OF_FIGURE_1,
        },
    )
    for name in OF_THE_PAPER
)
_JOINT_PAPER, _SET_PAPER = papers.GILLENWATER_2022, papers.GILLENWATER_2021
_SMALL = {"small": "typed", "vector": "10, 5, 1, 1"}

STATEMENTS = (
    Statement(
        "four",
        _JOINT_PAPER.at("Appendix D.3"),
        "Counts 10, 5, 1, 1, k = 2, ε = 1: the first two come out in order with probability "
        f"0.6315 for {_JOINT}, 0.7510 for {_PNF_JOINT}, 0.8259 for {_PNF_PEEL}.",
        f"Counts 10, 5, 1, 1: {_EXAMPLES_IN}.",
        (FOUR,),
        _four,
        (_link("Exact", "exact", selections.IN_THE_EXAMPLES, **_SMALL, small_k="2"),),
    ),
    Statement(
        "thousand",
        _JOINT_PAPER.at("Appendix D.3"),
        f"Counts 30, 15 and 998 ones, k = 2, ε = 1: 0.3372 for {_JOINT}, 0.4375 for {_PNF_JOINT}.",
        f"1,000 items: {_EXAMPLES_IN}.",
        (THOUSAND,),
        _thousand,
        (_link("Compare", "compare", selections.IN_THE_EXAMPLES, data=THOUSAND, k="2"),),
    ),
    Statement(
        "pure",
        _JOINT_PAPER.at("section 3, Appendix D and Algorithm 2"),
        f"{_JOINT}, {_PNF_JOINT} and {_PNF_PEEL} are ε-differentially private.",
        "Counts 10, 5, 1, 1, k = 2, ε = 1: all 30 neighbours of one small case, not all data.",
        (FOUR,),
        _pure,
        (_link("Privacy", "privacy", selections.IN_THE_EXAMPLES, **_SMALL, small_k="2"),),
    ),
    Statement(
        "bound",
        _JOINT_PAPER.at("Theorem 3.3"),
        f"With probability at least 0.99, {_JOINT}'s loss is at most 2 (k ln d + 5) / ε.",
        f"{_THREE}; k = 10 and 100, ε = 1.",
        OF_THE_PAPER,
        _within_bound,
        (
            _link(
                "Errors",
                "errors",
                (selections.ONE_CHOICE,),
                metric=_BOUNDED,
                bound="true",
            ),
        ),
    ),
    Statement(
        "against_pure",
        _JOINT_PAPER.at("abstract and Figure 1"),
        f"{_JOINT} has smaller errors than earlier pure differentially private methods.",
        f"{_THREE}. k = 5, 15, …, 195, ε = 1, 50 runs, as in the authors' code.",
        OF_THE_PAPER,
        _against_pure,
        _FIGURE_1,
        of_figure=True,
    ),
    Statement(
        "against_approximate",
        _JOINT_PAPER.at("abstract and Figure 1"),
        f"For moderate k, {_JOINT} improves even on approximate differentially private methods.",
        f"{_THREE}. The same settings; δ = 1e-6 for {_CDP_PEEL}.",
        OF_THE_PAPER,
        _against_approximate,
        _FIGURE_1,
        of_figure=True,
    ),
    Statement(
        "other_data",
        _JOINT_PAPER.at("Figure 1"),
        "The median ℓ∞ errors of three more data sets: Foods, Movies and Tweets.",
        "Stand-ins: a smaller MovieLens release, and other tweets.",
        (),
        None,
        (
            Link("Movies", "sweep", {**_FIGURE_1[0].query, "data": "movies_small"}),
            Link("Tweets", "sweep", {**_FIGURE_1[0].query, "data": "tweets_538"}),
        ),
        why_not="The paper's files are not here; the stand-ins show the same figure on other data.",
    ),
    Statement(
        "calibration",
        _JOINT_PAPER.at("Lemma 4.2"),
        "k rounds of the exponential mechanism with the calibrated ε of a round are (ε, δ)-DP.",
        "Needs no data: k = 10, ε = 1, δ = 1e-6.",
        (FOUR,),
        _calibration,
        (_link("Budget", "budget"),),
    ),
    Statement(
        "time",
        _JOINT_PAPER.at("abstract"),
        f"{_JOINT} is sampled in time O(dk log k + d log d) and space O(dk).",
        "Games, 5,155 items.",
        (),
        None,
        (),
        why_not="A measured time settles no growth rate; it can be measured further down, beside "
        "Algorithm 1 of the paper.",
    ),
    Statement(
        "small_problems",
        _SET_PAPER.at("abstract"),
        "A joint choice among sets can improve on earlier mechanisms for small problems.",
        "MovieLens small, ε = 1; which data the paper used is not known here.",
        ("movies_small",),
        _small_problems,
        (
            _link(
                "Compare",
                "compare",
                (selections.ONE_SET_BY_PLACES, selections.RACE, selections.RACE_WITH_DELTA),
                data="movies_small",
            ),
        ),
    ),
    Statement(
        "one_shot",
        papers.DURFEE_2021.at("Gumbel noise"),
        "One shot of Gumbel noise and the k largest is k rounds of the exponential mechanism.",
        "Counts 10, 5, 1, 1, k = 2, ε = 1; the post has no data.",
        (FOUR,),
        _one_shot,
        (_link("Exact", "exact", (selections.RACE,), **_SMALL, small_k="2"),),
    ),
    Statement(
        "concentrated",
        papers.DURFEE_2021.at("composition"),
        "The exponential mechanism is (ε²/8)-zCDP, and k rounds are (kε²/8)-zCDP.",
        "Counts 10, 5, 1, 1, one and two rounds of ε = 1, six orders; the post has no data.",
        (FOUR,),
        _concentrated,
        (_link("Privacy", "privacy", (selections.RACE,), **_SMALL, small_k="2", epsilon="2"),),
    ),
    Statement(
        "with_counts",
        papers.DURFEE_2021.at("releasing counts"),
        "Choosing in one shot and releasing the counts takes noise that grows like √k.",
        "Needs no data: k = 10 and 40.",
        (FOUR,),
        _with_counts,
        (_link("Mechanisms", "mechanisms", mechanism=selections.ONE_SHOT.card.key),),
    ),
    Statement(
        "never_worse",
        papers.MCKENNA_2020.at("abstract"),
        "The expected score of permute-and-flip is never below that of the exponential mechanism.",
        "Games, MovieLens small and Anime, k = 1, five values of ε from 0.001 to 0.1; other data "
        "than the paper's.",
        ("games", "movies_small", "anime_watched"),
        _never_worse,
        (
            _link(
                "Errors",
                "errors",
                (selections.RACE, selections.COINS),
                data="movies_small",
                k="1",
                epsilon="0.1",
            ),
        ),
    ),
    Statement(
        "factor_two",
        papers.MCKENNA_2020.at("abstract"),
        "It can improve on the exponential mechanism by up to a factor of two.",
        "Counts 10 and 0, and the data of the statement before.",
        ("games", "movies_small", "anime_watched"),
        _factor_two,
        (
            _link(
                "Exact",
                "exact",
                (selections.RACE, selections.COINS),
                small="typed",
                vector="10, 0",
                small_k="1",
            ),
        ),
    ),
    Statement(
        "exponential_noise",
        papers.DING_2021.at("title"),
        "Permute-and-flip is the largest count after exponential noise.",
        "Counts 10, 5, 1, 1, k = 1, ε = 1; the paper proves it for all.",
        (FOUR,),
        _exponential_noise,
        (_link("Exact", "exact", (selections.COINS,), **_SMALL, small_k="1"),),
    ),
    Statement(
        "pays_for_outcomes",
        papers.DURFEE_2019.at("abstract"),
        "A call that returns fewer than k items costs only as many outcomes as it returns.",
        "Games, k = 10; charged here for the items and one more, the end of the list.",
        ("games",),
        _pays_for_outcomes,
        (_link("Ledger", "ledger"),),
    ),
    Statement(
        "limited_domain",
        papers.DURFEE_2019.at("abstract"),
        "Only the largest k̄ counts are needed, for any k̄ ≥ k, and no list of items.",
        "Games, k = 2, k̄ = 4; with the count after them, which sets the threshold.",
        ("games",),
        _limited_domain,
        (_link("Mechanisms", "mechanisms", mechanism=selections.OPEN.card.key),),
    ),
    Statement(
        "approximate",
        papers.DURFEE_2019.at("abstract"),
        "Selection from a limited domain is (ε, δ)-differentially private.",
        "Counts 1, 1, 1, 1, k = k̄ = 2, ε = 1, δ = 0.01: one small case.",
        ("1 1 1 1",),
        _approximate,
        (
            _link(
                "Privacy",
                "privacy",
                (selections.OPEN,),
                small="typed",
                vector="1, 1, 1, 1",
                small_k="2",
                delta="0.01",
                k_bar="2",
            ),
        ),
    ),
    Statement(
        "adaptivity",
        papers.DONG_2020.at("abstract"),
        "Rounds of the exponential mechanism that are chosen adaptively can cost more than the "
        "same rounds chosen beforehand.",
        "Needs no data: two rounds.",
        (FOUR,),
        _adaptivity,
        (_link("Budget", "budget"),),
    ),
    Statement(
        "tighter",
        papers.DONG_2020.at("abstract"),
        "Adaptive rounds of the exponential mechanism cost less than the earlier bounds say.",
        "Needs no data: 55 outcomes of the page Ledger; the bound is computed here, not the "
        "paper's formula.",
        (FOUR,),
        _tighter,
        (_link("Ledger", "ledger"),),
    ),
    Statement(
        "users_to_change",
        papers.SHEKELYAN_2022.at("abstract"),
        "The canonical loss of a set is the number of users who must change until it is a top k.",
        "Counts 5, 3, 1, 1, k = 2; here users join or leave, and the top set itself is scored by "
        "its gap.",
        ("5 3 1 1",),
        _users_to_change,
        (
            _link(
                "Exact",
                "exact",
                (selections.ONE_SET,),
                small="typed",
                vector="5, 3, 1, 1",
                small_k="2",
            ),
        ),
    ),
    Statement(
        "set_beside_rounds",
        papers.SHEKELYAN_2022.at("abstract"),
        "Choosing a set directly is more useful than choosing one item after another.",
        "MovieLens small, ε = 1; the paper's data are others.",
        ("movies_small",),
        _set_beside_rounds,
        (
            _link(
                "Compare",
                "compare",
                (selections.ONE_SET, selections.RACE),
                data="movies_small",
            ),
        ),
    ),
)
"""All statements, those of one paper together."""


def measured_times(asked: int, counts: ItemCounts) -> dict[str, list[float]]:
    """Measure the seconds of one draw by Algorithm 1 and by this package, by k in `TIMED_K`.

    CPU seconds of this thread, so that waiting for others does not count.  ``asked`` tells one
    measurement from the next; it comes before the data, since no session is shown another's.
    """
    rng = np.random.default_rng(asked)
    found: dict[str, list[float]] = {"algorithm_1": [], "here": []}
    for k in TIMED_K:
        mechanism, fresh = selections.ONE_CHOICE(k, EPSILON), ItemCounts(counts.counts)
        started = time.thread_time()
        paper_joint(counts.counts, k, EPSILON, rng)
        between = time.thread_time()
        mechanism.sample(fresh, 1, rng)
        found["algorithm_1"].append(between - started)
        found["here"].append(time.thread_time() - between)
        pause()
    return found


def log_sequences(row: IntArray, column: IntArray, k: int) -> FloatArray:
    """Return the log number of sequences through each entry of Algorithm 1's sorted matrix.

    By cumulative sums, from the largest utility down.  Row r has t_r = column + 1 entries so far,
    and t_r - r free choices; those through an entry number the product of t_r - r over the other
    rows, once all rows have some.
    """
    free = column + 1 - row
    log_free = np.log(np.maximum(free, 1))
    log_before = np.log(np.maximum(free - 1, 1))
    log_m: FloatArray = np.cumsum(log_free - log_before) - log_free
    log_m[np.cumsum(free == 1) < k] = -np.inf
    return log_m


def paper_joint(
    counts: IntArray,
    k: int,
    epsilon: float,
    rng: np.random.Generator,
    count: Callable[[IntArray, IntArray, int], FloatArray] = log_sequences,
) -> IntArray:
    """Draw one sequence as in Algorithm 1: O(d k) memory, O(d k log(d k)) time.

    ``count`` counts the sequences through each entry of the sorted matrix; see `log_sequences`.
    """
    d = counts.size
    order = np.argsort(-counts, kind="stable")
    c = counts[order].astype(float)
    i = np.arange(1, k + 1)[:, None]
    j = np.arange(1, d + 1)[None, :]
    utility = c[None, :] - c[:k, None]  # U_ij = -(c_i - c_j)
    distinct = utility - (d * (k - i) + j) / (2 * d * k)  # ties broken, all entries different
    by_utility = np.argsort(-distinct, axis=None)
    row, column = np.divmod(by_utility, d)  # from 0
    log_weight = count(row, column, k) + epsilon / 2 * utility.ravel()[by_utility]

    a = int(np.argmax(log_weight + rng.gumbel(size=log_weight.size)))  # the Gumbel trick
    chosen = np.full(k, -1)
    chosen[row[a]] = column[a]
    t = np.bincount(row[: a + 1], minlength=k)
    for r in range(k):
        if r != row[a]:
            chosen[r] = _uniform_without(t[r], chosen[:r], column[a] if r > row[a] else -1, rng)
    sequence: IntArray = order[chosen]
    return sequence


def _uniform_without(n: int, taken: IntArray, also: int, rng: np.random.Generator) -> int:
    """Return a uniform number below n that is neither in ``taken`` nor ``also``."""
    while True:
        candidate = int(rng.integers(n))
        if candidate != also and candidate not in taken:
            return candidate
