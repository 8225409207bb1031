"""Find the smallest epsilon with which each mechanism reaches a target."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dptopk.core.cancellation import Progress, part_of, pause
from dptopk.core.counts import ItemCounts
from dptopk.core.errors import ITEMS_RIGHT, METRICS
from dptopk.core.estimate import EPSILON, PROBABILITY, Estimate
from dptopk.core.numerals import compact, needed as in_numerals, plural, probability, rounded
from dptopk.core.outputs import NOTHING
from dptopk.core.parameters import DELTA
from dptopk.laws.exact import QUICK
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions import settings
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.runner import AT_ONCE, AtOnce, Runner, Task
from dptopk.questions.stand_in import stand_in_for
from dptopk.questions.view import View
from dptopk.tuning.repeated import (
    NeededTogether,
    WithinBudget,
    chance_of_all,
    epsilon_each,
    needed_together,
    premise,
    probability_of_each,
    within_budget,
)
from dptopk.tuning.search import LARGEST, SMALLEST, SmallestEpsilon, runs_to_judge, smallest_epsilon
from dptopk.tuning.targets import (
    MEASURED,
    Goal,
    TargetCurve,
    chance_of_target,
    check_measure,
    filter_by_goal,
    measure_of,
    target_curve,
)

TITLE = "Smallest ε of each mechanism"
TITLES = {
    settings.ALONE: TITLE,
    settings.OVER_K: "Smallest ε at other k",
    settings.OVER_DELTA: "Smallest ε against δ",
}
JUDGED = "runs behind each ε that is estimated by runs"
ESTIMATED = (
    "A simulated epsilon_needed is the best estimate; use epsilon_needed_high, the upper end of "
    "its 95% interval, rounded up, to have enough."
)
ALL_RIGHT = (
    "Columns for all releases give the probability of one to the power of their number; this holds "
    "on data like these, since the noise of each is independent."
)
TOTAL_OF_ONE = "A total needs several releases; for a single one, ε is the total."


_LOG_TINY = -700.0  # below it a probability is no float of full digits
_FEW_DRAWS = 100  # that tell how many items are usually released
_NONE = Estimate.exactly(math.nan)
_ENDS = ("", "_low", "_high")
_OF_TOTAL = ("epsilon_each_of_total", "reached_of_total", "reached_by_all_of_total")
_SHARES = {
    "reached": "is_exact",
    "reached_by_all": "is_exact",
    "reached_of_total": "is_exact_of_total",
    "reached_by_all_of_total": "is_exact_of_total",
}  # and what says that they are exact

OTHER_KS = (5, 10, 20, 50)
OTHER_DELTAS = (1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


def at_other_ks(view: View, goal: Goal) -> tuple[list[Mechanism], list[str]]:
    """Return the chosen mechanisms at each feasible k of `OTHER_KS`, and why others are left out.

    Where there are items for none of them, k is all items.
    """
    fit: list[Mechanism] = []
    refused: list[str] = []
    for k in [k for k in OTHER_KS if k <= view.counts.d] or [view.counts.d]:
        able_here, why = filter_by_goal(view.counts, view.at(k, view.counts), goal)
        fit += able_here
        refused += [f"k = {k}: {sentence}" for sentence in why]
    return fit, refused


def at_other_deltas(view: View, goal: Goal) -> tuple[list[Mechanism], list[str]]:
    """Return the chosen mechanisms, those with a delta at `OTHER_DELTAS` and their own."""
    fit, refused = filter_by_goal(view.counts, view.mechanisms, goal)
    deltas = sorted({*OTHER_DELTAS, *([view.delta] if view.delta else [])})
    pure = [mechanism for mechanism in fit if not mechanism.card.takes(DELTA.key)]
    relaxed = [mechanism for mechanism in fit if mechanism not in pure]
    return [*pure, *(m.replaced(delta=delta) for m in relaxed for delta in deltas)], refused


@dataclass(frozen=True)
class Repetition:
    """Number of releases of one kind, and whether a probability is of each or of all.

    ``of_all`` is whether it is the probability that all reach the goal; ``total`` is the ε that
    all may cost together, if that is given.
    """

    releases: int = 1
    of_all: bool = False
    total: float | None = None

    @property
    def several(self) -> bool:
        """True for more than one release."""
        return self.releases > 1


@dataclass(frozen=True)
class Requirement:
    """Goal that a release must reach, its probability, and the number of releases.

    ``chance`` is the probability asked for, of each release or of all of them together.
    """

    goal: Goal
    chance: float
    repeated: Repetition = field(default_factory=Repetition)

    @property
    def probability(self) -> float:
        """Probability with which each release must reach the goal."""
        if self.repeated.several and self.repeated.of_all:
            return probability_of_each(self.chance, self.repeated.releases)
        return self.chance


def requirement_of(values: SettingValues, k: int) -> Requirement:
    """Return the requirement that the settings describe."""
    of_all = values[settings.TOGETHER.key] == settings.OF_ALL
    repeated = Repetition(values[settings.RELEASES.key], of_all, values[settings.TOTAL_EPSILON.key])
    return Requirement(goal_of(values, k), values[settings.CHANCE.key], repeated)


@dataclass(frozen=True)
class NeededEpsilons:
    """Smallest ε with which each mechanism meets a requirement, cheapest first."""

    # by mechanism as it was asked for; without those that were not finished, if stopped
    solved: Mapping[Mechanism, SmallestEpsilon] = field(default_factory=dict)
    # joint cost of several releases; empty for a single one
    costs: Mapping[Mechanism, NeededTogether] = field(default_factory=dict)

    @cached_property
    def found(self) -> dict[str, SmallestEpsilon]:
        """Smallest ε by label."""
        return {mechanism.label: one for mechanism, one in self.solved.items()}

    @cached_property
    def at(self) -> dict[str, Mechanism]:
        """Mechanisms at the ε found, by label."""
        return {m.label: at_found(m, one.epsilon) for m, one in self.solved.items()}

    @cached_property
    def together(self) -> dict[str, NeededTogether]:
        """Joint cost of several releases by label, cheapest first."""
        return {m.label: self.costs[m] for m in self.solved if m in self.costs}


def needed_epsilons(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    requirement: Requirement,
    delta: float,
    seed: int,
    runner: Runner = AT_ONCE,
    name: str = "choose",
) -> NeededEpsilons:
    """Find the smallest ε of each mechanism for a requirement, and the cost of all releases.

    ``mechanisms`` have any epsilon, and one label each; ``delta`` is of all releases together.
    ``name`` tells the parts from others; see `runner.Runner`.
    """
    solved = smallest_epsilons(counts, mechanisms, requirement, seed, runner, name)
    return ranked(solved, requirement, delta, runner)


def ranked(
    solved: Mapping[Mechanism, SmallestEpsilon],
    requirement: Requirement,
    delta: float,
    runner: Runner = AT_ONCE,
) -> NeededEpsilons:
    """Add the cost of several releases to answers, and sort them by it, cheapest first."""
    costs: dict[Mechanism, NeededTogether] = {}
    if requirement.repeated.several and solved:
        pieces, n = tuple(solved.items()), requirement.repeated.releases
        costs = runner.call(costs_together, pieces, n, delta, size=len(pieces))

    def cost(pair: tuple[Mechanism, SmallestEpsilon]) -> tuple[float, float]:
        mechanism, one = pair
        return costs[mechanism].value if costs else one.epsilon, one.epsilon

    return NeededEpsilons(dict(sorted(solved.items(), key=cost)), costs)


def smallest_epsilons(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    requirement: Requirement,
    seed: int,
    runner: Runner = AT_ONCE,
    name: str = "choose",
) -> dict[Mechanism, SmallestEpsilon]:
    """Return the smallest ε of each mechanism, whatever its own."""
    tasks = {}
    for m in mechanisms:
        target = (requirement.goal.target(counts, m.k), requirement.probability, seed)
        tasks[m] = Task(smallest_epsilon, (counts, m.replaced(epsilon=1.0), *target))
    return runner.each(tasks, name)


def costs_together(
    solved: Sequence[tuple[Mechanism, SmallestEpsilon]], releases: int, delta: float
) -> dict[Mechanism, NeededTogether]:
    """Return the joint cost of several releases of each mechanism."""
    costs = {}
    for mechanism, one in solved:
        pause()
        costs[mechanism] = needed_together(one, mechanism, releases, delta)
    return costs


def within_budgets(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    requirement: Requirement,
    delta: float,
    seed: int,
    runner: Runner = AT_ONCE,
) -> dict[str, WithinBudget]:
    """Return the share of each release in the total ε by label, likeliest to be right first.

    It is empty without a total of several releases; mechanisms without any share are left out.
    """
    repeated, goal = requirement.repeated, requirement.goal
    if repeated.total is None or not repeated.several:
        return {}
    tasks = {}
    for m in mechanisms:
        budget = (repeated.releases, repeated.total, delta, seed)
        arguments = (counts, m.replaced(epsilon=1.0), goal.target(counts, m.k), *budget)
        tasks[m.label] = Task(within_budget, arguments)
    done: dict[str, WithinBudget | None] = runner.each(tasks, "choose-budget")
    shares = {label: one for label, one in done.items() if one}

    def order(pair: tuple[str, WithinBudget]) -> tuple[float, float]:
        chance = pair[1].chance
        rest = chance.log_complement  # of those a float calls certain
        return -chance.value, 0.0 if math.isnan(rest) else rest

    return dict(sorted(shares.items(), key=order))


def target_curves(
    view: View,
    mechanisms: Sequence[Mechanism],
    requirement: Requirement,
    answers: Mapping[str, SmallestEpsilon],
    runner: Runner = AT_ONCE,
) -> dict[str, TargetCurve]:
    """Return the probability of the goal against ε by label, around the ε found and the present.

    Between powers of 2, so that most changes of the present ε ask for the same curves.
    """
    reached = [answer.epsilon for answer in answers.values() if 0 < answer.epsilon < math.inf]
    ends = [*reached, min(max(view.epsilon, SMALLEST), LARGEST)]  # as far as is searched
    low = max(2.0 ** math.floor(math.log2(min(ends) / 4)), SMALLEST)
    high = min(2.0 ** math.ceil(math.log2(max(ends) * 1.5)), LARGEST)
    target = requirement.goal.target(view.counts, view.k)
    tasks = {
        m.label: Task(
            target_curve, (view.counts, m.replaced(epsilon=1.0), target, low, high, view.seed)
        )
        for m in mechanisms
    }
    return runner.each(tasks, "choose-curves")


def cheaper_unchosen(
    view: View, requirement: Requirement, needed: NeededEpsilons, runner: Runner = AT_ONCE
) -> tuple[Mechanism, float] | None:
    """Return the cheapest mechanism not chosen with its exact ε, if smaller than all ``needed``.

    A simulated ε must be undercut at the lower end of its interval, as half of all estimates are
    too large.  Of several releases the total ε is compared.

    Mechanisms with a δ are considered only if a chosen one has a δ; mechanisms that release sets
    are not where the goal depends on the order and all chosen ones give an order.
    """
    least = min((one.low for one in (needed.together or needed.found).values()), default=0.0)
    if not least:
        return None
    others, epsilon = _comparable(view, requirement.goal), min(least, LARGEST)
    arguments = (others, requirement, epsilon, view.releases, view.delta)
    likelier = runner.call(mechanisms_meeting, view.counts, *arguments)
    answers = needed_epsilons(
        view.counts, likelier, requirement, view.delta, view.seed, runner, "choose-unchosen"
    )
    exact = {m: one.epsilon for m, one in answers.solved.items() if one.exact}
    if needed.together:
        exact = {m: answers.costs[m].value for m in exact}
    best = min(exact, key=exact.__getitem__, default=None)
    return (best, exact[best]) if best is not None and 0 < exact[best] < least else None


def words_on_unchosen(mechanism: Mechanism, epsilon: float, releases: int, on: str = "") -> str:
    """Return a sentence on the cheapest mechanism not chosen; ``on`` names data that stand in."""
    which = "" if mechanism.outputs.ordered else ", which gives no order,"
    all_of = f" for all {releases:,}" if releases > 1 else ""
    delta = mechanism.guarantee.delta
    with_delta = f" with δ = {compact(delta)}" if delta else ""
    return (
        f"{mechanism.label}{which} is not chosen, but needs only ε = "
        f"{in_numerals(epsilon)}{all_of}{with_delta}{f' on {on}' if on else ''}."
    )


def _comparable(view: View, goal: Goal) -> tuple[Mechanism, ...]:
    """Return the mechanisms not chosen that give what the chosen ones give, on the same counts.

    A guarantee for users of a few items is one only where nobody is known to have more, or a chosen
    mechanism assumes it as well.  Where a log was cut for promises of the chosen ones, others may
    do better on all of it.
    """
    assumed = min((m.guarantee.max_items or math.inf for m in view.mechanisms), default=math.inf)
    known = view.source.items_of_users is not None

    def holds(most: int | None) -> bool:
        return most is None or most >= assumed or (known and not view.source.against_bound(most))

    relaxed = any(mechanism.guarantee.delta for mechanism in view.mechanisms)
    keys = tuple(m.card.key for m in MECHANISMS.values() if m.card.key not in view.keys)
    fit, _ = filter_by_goal(view.counts, replace(view, keys=keys).mechanisms, goal)
    ordered = bool(goal.metric) and METRICS[goal.metric].sees_order
    ordered &= all(m.outputs.ordered for m in view.mechanisms)
    cut = bool(view.source.cut) and all(m.guarantee.max_items for m in view.mechanisms)
    return tuple(
        m
        for m in fit
        if (relaxed or not m.guarantee.delta)
        and (m.outputs.ordered or not ordered)
        and (m.guarantee.max_items or not cut)
        and holds(m.guarantee.max_items)
    )


def mechanisms_meeting(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    requirement: Requirement,
    epsilon: float,
    releases: int,
    delta: float,
) -> list[Mechanism]:
    """Return the mechanisms that meet a requirement at the given ε by a quickly computed law.

    Of several releases ``epsilon`` is the total, of which each gets its share.
    """
    goal, meeting = requirement.goal, []
    for mechanism in mechanisms:
        each = epsilon_each(mechanism, releases, epsilon, delta)
        if not each:
            continue
        at = mechanism.replaced(epsilon=each)
        of_sets = goal.kind in ("exact_set", ITEMS_RIGHT.key)  # only the law of sets is asked
        if (at.set_work if of_sets else at.pmf_work)(counts.sorted) > QUICK:
            continue
        known = chance_of_target(counts, at, goal.target(counts, at.k))
        if known is not None and known.log >= math.log(requirement.probability):
            meeting.append(mechanism)
    return meeting


def epsilon_rows(
    needed: NeededEpsilons,
    public: Mapping[Mechanism, SmallestEpsilon] | None = None,
    *,
    budget: Mapping[str, WithinBudget] | None = None,
    releases: int = 1,
    across: str = settings.ALONE,
) -> pd.DataFrame:
    """Return one row per mechanism, as numbers; epsilon is NaN if none reaches the target.

    ``public`` are the answers on the stand-in, ``budget`` is what each of several ``releases`` gets
    of a total, if any; ``across`` k or delta, of which there are several, rows are sorted by it.
    """
    rows = []
    for mechanism, one in needed.solved.items():
        row: dict[str, Any] = {"mechanism": mechanism.label}
        row |= {} if across == settings.ALONE else {across: getattr(mechanism, across, 0.0)}
        row |= _numbers(one)
        row |= _numbers_together(needed.costs[mechanism], mechanism) if needed.costs else {}
        row |= {} if budget is None else _numbers_of_budget(budget.get(mechanism.label), releases)
        row |= _numbers_on_stand_in(public.get(mechanism)) if public else {}
        rows.append(row | {"releases": mechanism.outputs.words})
    frame = pd.DataFrame(rows)
    if across == settings.ALONE:
        return frame
    order = [across, "epsilon_together" if needed.costs else "epsilon_needed"]
    return frame.sort_values(order, kind="stable", ignore_index=True)


def _numbers(one: SmallestEpsilon) -> dict[str, Any]:
    return (
        _finite(one.columns("epsilon_needed"))
        | {"is_exact": one.exact}
        | one.chance.columns("reached")
        | {"is_cut": one.cut, "larger_may_not": one.may_fall}
    )


def words_on_fewer_items(
    counts: ItemCounts, solved: Mapping[Mechanism, SmallestEpsilon]
) -> list[str]:
    """Name the mechanisms that meet a requirement at no ε because they release fewer items."""
    sentences = []
    for mechanism, one in solved.items():
        if one.epsilon < math.inf or not mechanism.outputs.short:
            continue
        k, at = mechanism.k, mechanism.replaced(epsilon=LARGEST)
        drawn = at.sample(counts, _FEW_DRAWS, np.random.default_rng(0))
        n = int(np.bincount((drawn != NOTHING).sum(axis=1)).argmax())  # the usual number
        top = counts.order[:n]
        only = np.full((1, k), NOTHING, dtype=np.int64)
        only[0, :n] = top if at.outputs.ordered else np.sort(top)
        log_chance = at.log_pmf(counts, only)[0]
        alone = f"the first {'item' if n == 1 else f'{n:,} items'} alone" if n else "none"
        sentences.append(
            f"{mechanism.label} reaches it at no ε: it may release fewer than {k:,} items, and at "
            f"ε = {LARGEST:,.0f} releases {alone} with probability "
            f"{probability(log_chance)}."
        )
    return sentences


def warning_of_larger(one: SmallestEpsilon) -> str:
    """Note that larger epsilons may miss the target."""
    until = "" if math.isnan(one.until) else f"reached up to about ε = {rounded(one.until, 2)}, "
    return f"{until}a larger ε may not reach it"


def _numbers_together(one: NeededTogether, mechanism: Mechanism) -> dict[str, Any]:
    columns = {
        "epsilon_added_up": one.added,
        "composed": one.by,
        "delta_of_each": mechanism.guarantee.delta,
    }
    return _finite(one.columns("epsilon_together") | columns) | one.chance.columns("reached_by_all")


def _numbers_of_budget(one: WithinBudget | None, releases: int) -> dict[str, Any]:
    one = one or WithinBudget(math.nan, _NONE)
    of_all = chance_of_all(one.chance, releases)
    return (
        {"epsilon_each_of_total": one.epsilon, "is_exact_of_total": one.chance.exact}
        | one.chance.columns("reached_of_total")
        | of_all.columns("reached_by_all_of_total")
        | {"reached_by_all_of_total_log": of_all.log}
    )


def _numbers_on_stand_in(one: SmallestEpsilon | None) -> dict[str, Any]:
    """Return the numbers of an answer on the stand-in; NaN if k exceeds its items."""
    numbers = (one or _NONE).columns("epsilon_needed_on_stand_in")
    return _finite(numbers) | {"is_exact_on_stand_in": one.exact if one else None}


def _finite(columns: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.nan if cell == math.inf else cell for name, cell in columns.items()}


def target_origin(
    view: View, requirement: Requirement, needed: NeededEpsilons, stand_in: str = ""
) -> Origin:
    """Return the origin of the answers, for mechanisms at the epsilons found.

    ``stand_in`` is the title of what stands beside the data, if anything.
    """
    repeated, solved = requirement.repeated, needed.solved
    words = requirement.goal.words(view.counts, view.k, view.unit)
    more = {"target": words, "probability": requirement.chance}
    more |= {"stand_in": stand_in} if stand_in else {}
    if repeated.several:
        of = "all" if repeated.of_all else "each"
        more |= {"releases": repeated.releases, "probability_is_of": of}
        more["delta_together"] = view.delta
    how: dict[str, Any] = {}
    if simulated := any(not one.exact for one in solved.values()):
        how = {"runs": runs_to_judge(view.k), "runs_are": JUDGED, "seed": view.seed}
    return view.origin(
        [at_found(mechanism, one.epsilon) for mechanism, one in solved.items()],
        "exact, but for simulated intervals" if simulated else "exact",
        **how,
        more=more,
        answers=("epsilon",),
    )


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Find the smallest epsilon of every mechanism, as given or at other k or delta."""
    if values[settings.METRIC.key] != settings.METRIC.default:
        check_measure(values[settings.GOAL.key], values[settings.METRIC.key])
    requirement, across = requirement_of(values, view.k), values[settings.ACROSS.key]
    goal, repeated = requirement.goal, requirement.repeated
    if across == settings.OVER_DELTA and repeated.several and view.delta:
        raise ValueError("δ is of all releases together: other δ are compared for a single one")
    if across != settings.ALONE and repeated.total is not None:
        raise ValueError("a total ε is shared at the chosen k and δ, not across others")
    view = replace(view, releases=repeated.releases)
    n, delta, seed = repeated.releases, view.delta, view.seed
    if across == settings.OVER_K:
        mechanisms, refused = at_other_ks(view, goal)
        beyond = [str(k) for k in OTHER_KS if k > view.counts.d]
        if beyond:
            refused.append(
                f"k = {', '.join(beyond)} left out: the data have {plural(view.counts.d, 'item')}."
            )
    elif across == settings.OVER_DELTA:
        mechanisms, refused = at_other_deltas(view, goal)
    else:
        mechanisms, refused = filter_by_goal(view.counts, view.mechanisms, goal)
    cases, title, notes = [(view.counts, mechanisms)], "", [*view.refusals(view.k, view.counts)]
    if values[settings.STAND_IN] != settings.NO_STAND_IN:
        public = stand_in_for(values[settings.STAND_IN], view.counts)
        if isinstance(public, str):
            notes.append(public)
        else:
            cases.append((public.counts, [m for m in mechanisms if m.k <= public.counts.d]))
            title = public.title
            notes.append(public.sentence)
    if not mechanisms:
        raise ValueError(" ".join(refused))
    solved = []
    for done, (counts, able_here) in enumerate(cases):
        part = AtOnce(part_of(progress, done / len(cases), (done + 1) / len(cases)))
        solved.append(smallest_epsilons(counts, able_here, requirement, seed, part))
    on_data = solved[0]
    needed, budget = ranked(on_data, requirement, delta), None
    if across == settings.ALONE:
        cheaper = cheaper_unchosen(view, requirement, needed)
        notes += [words_on_unchosen(*cheaper, n)] if cheaper is not None else []
        notes += words_on_fewer_items(view.counts, on_data)
        if repeated.several and repeated.total is not None:
            budget = within_budgets(view.counts, [*on_data], requirement, delta, seed)
    frame = epsilon_rows(needed, *solved[1:], budget=budget, releases=n, across=across)
    ks = frame["k"] if across == settings.OVER_K else [view.k] * len(frame)
    frame["target"] = [goal.words(view.counts, k, view.unit) for k in ks]
    notes += [f"{m.label}: {warning_of_larger(one)}." for m, one in on_data.items() if one.may_fall]
    if not frame["is_exact"].all():
        notes.append(ESTIMATED)
    if repeated.several:
        notes += [premise(n, delta), ALL_RIGHT]
    elif repeated.total is not None:
        notes.append(TOTAL_OF_ONE)
    frame["computed"] = ["exact" if exact else "simulated" for exact in frame["is_exact"]]
    return Answer(
        "smallest-epsilon",
        TITLES[across],
        frame,
        target_origin(view, requirement, NeededEpsilons(on_data), title),
        (
            "mechanism",
            *([] if across == settings.ALONE else [across]),
            *(["epsilon_together"] if repeated.several else []),
            *("epsilon_needed", "epsilon_needed_low", "epsilon_needed_high", "computed", "reached"),
            *(["reached_by_all"] if repeated.several else []),
            *(name for name in _OF_TOTAL if name in frame),
            "target",
        ),
        (*notes, *refused),
        _written(frame, runs_to_judge(view.k)),
    )


def _written(frame: pd.DataFrame, runs: int) -> dict[str, list[str]]:
    """Write epsilons rounded up so that they suffice, and probabilities with their intervals."""
    written: dict[str, list[str]] = {}
    rows = frame.to_dict("records")
    for what in ("epsilon_needed", "epsilon_together"):
        names = [f"{what}{end}" for end in _ENDS]
        if what in frame:
            ends = frame[names].fillna(math.inf).to_dict("records")
            parts = [Estimate.of_row(row, what, runs, EPSILON).parts for row in ends]
            written |= {name: [row[place] for row in parts] for place, name in enumerate(names)}
    for what, exact in _SHARES.items():
        if what in frame:
            shares = [Estimate.of_row(r, what, 0 if r[exact] else runs, PROBABILITY) for r in rows]
            written[what] = ["—" if math.isnan(one.value) else one.text for one in shares]
    of_total = "reached_by_all_of_total"
    if of_total in written:  # what no float holds is no 0
        logs = zip(written[of_total], frame[f"{of_total}_log"].tolist(), strict=True)
        written[of_total] = [
            probability(log) if -math.inf < log < _LOG_TINY else words for words, log in logs
        ]
    return written


def goal_of(values: SettingValues, k: int) -> Goal:
    """Return the goal that the settings describe."""
    kind, metric = values[settings.GOAL.key], values[settings.METRIC.key]
    if kind == ITEMS_RIGHT.key:
        return Goal(kind, "", min(values[settings.LEAST.key], k))
    if kind in MEASURED:
        amount = {
            "error": settings.MOST,
            "error_share": settings.MOST_SHARE,
            "score": settings.LEAST_SCORE,
        }[kind]
        return Goal(kind, measure_of(kind, metric), values[amount.key])
    return Goal(kind, "", 0)


def at_found(mechanism: Mechanism, epsilon: float) -> Mechanism:
    """Return the mechanism at the solved epsilon; unchanged if it is 0 or infinite."""
    return mechanism.replaced(epsilon=epsilon) if 0 < epsilon < math.inf else mechanism
