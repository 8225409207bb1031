"""Smallest epsilon with which each mechanism reaches a target, smallest first."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dptopk.core.errors import ITEMS_RIGHT
from dptopk.core.numerals import estimated, plural, probability, rounded, share, share_of_runs
from dptopk.core.parameters import DELTA
from dptopk.laws.exact import Chance
from dptopk.mechanisms import Mechanism
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.origin import Origin
from dptopk.questions.settings import (
    ACROSS,
    ALONE,
    CHANCE,
    GOAL,
    LEAST,
    LEAST_SCORE,
    METRIC,
    MOST,
    MOST_SHARE,
    NO_STAND_IN,
    OF_ALL,
    OVER_DELTA,
    OVER_K,
    RELEASES,
    STAND_IN,
    TOGETHER,
    TOTAL_EPSILON,
)
from dptopk.questions.stand_in import beside
from dptopk.questions.view import View
from dptopk.simulation.summaries import wilson_interval
from dptopk.tuning.goals import MEASURED, Goal, able, measure_of
from dptopk.tuning.repeated import (
    NeededTogether,
    WithinBudget,
    chance_of_all,
    needed_together,
    premise,
    probability_of_each,
    within_budget,
)
from dptopk.tuning.search import SmallestEpsilon, runs_to_judge, smallest_epsilon

TITLE = "Smallest ε of each mechanism"
TITLES = {ALONE: TITLE, OVER_K: "Smallest ε at other k", OVER_DELTA: "Smallest ε against δ"}
JUDGED = "runs behind each ε that is estimated by runs"
ESTIMATED = (
    "A simulated epsilon_needed is the best estimate; use epsilon_needed_high, the upper end of "
    "its 95% interval, rounded up, to have enough."
)
ALL_RIGHT = (
    "Columns of all releases are the probability of one to the power of their number: on data like "
    "these, as the noise of each is independent."
)
TOTAL_OF_ONE = "A total needs several releases; for a single one, ε is the total."


_LOG_TINY = -700.0  # below it a probability is no float of full digits
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
        able_here, why = able(view.counts, view.at(k, view.counts), goal)
        fit += able_here
        refused += [f"k = {k}: {sentence}" for sentence in why]
    return fit, refused


def at_other_deltas(view: View, goal: Goal) -> tuple[list[Mechanism], list[str]]:
    """Return the chosen mechanisms, those with a delta at `OTHER_DELTAS` and their own."""
    fit, refused = able(view.counts, view.mechanisms, goal)
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

    def each(self, probability: float) -> float:
        """Return the probability that each release needs."""
        if not (self.several and self.of_all):
            return probability
        return probability_of_each(probability, self.releases)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the repetition by key; empty for a single release."""
        if not self.several:
            return {}
        return {"releases": self.releases, "probability_is_of": "all" if self.of_all else "each"}


def repetition_of(own: Own) -> Repetition:
    """Return the repetition that the settings describe."""
    return Repetition(own[RELEASES.key], own[TOGETHER.key] == OF_ALL, own[TOTAL_EPSILON.key])


def costs_together(
    found: Mapping[str, SmallestEpsilon], at: Mapping[str, Mechanism], releases: int, delta: float
) -> dict[str, NeededTogether]:
    """Return the joint cost of several releases of each mechanism, by label; empty for one."""
    if releases == 1:
        return {}
    return {label: needed_together(a, at[label], releases, delta) for label, a in found.items()}


def cheapest_first(
    found: Mapping[str, SmallestEpsilon], together: Mapping[str, NeededTogether] | None = None
) -> dict[str, SmallestEpsilon]:
    """Sort answers by epsilon, of all releases together where there are several."""

    def cost(pair: tuple[str, SmallestEpsilon]) -> tuple[float, float]:
        label, answer = pair
        return together[label].epsilon if together else answer.epsilon, answer.epsilon

    return dict(sorted(found.items(), key=cost))


def epsilon_rows(
    found: Mapping[str, SmallestEpsilon],
    public: Mapping[str, SmallestEpsilon],
    by_label: Mapping[str, Mechanism],
    together: Mapping[str, NeededTogether] | None = None,
    budget: Mapping[str, WithinBudget | None] | None = None,
    releases: int = 1,
) -> pd.DataFrame:
    """Return one row per mechanism, as numbers; epsilon is NaN if none reaches the target.

    ``together`` is what several ``releases`` cost, ``budget`` what each gets of a total, if any.
    """
    rows = []
    for label, one in found.items():
        row: dict[str, Any] = {"mechanism": label} | _numbers(one)
        row |= _numbers_together(together[label], by_label[label]) if together else {}
        row |= _numbers_of_budget(budget.get(label), releases) if budget else {}
        row |= _numbers_on_stand_in(public.get(label)) if public else {}
        row["releases"] = by_label[label].outputs.words
        rows.append(row)
    return pd.DataFrame(rows)


def in_words(one: SmallestEpsilon) -> tuple[str, str, str]:
    """Return an answer and the ends of its interval as text."""
    return estimated(one.epsilon, one.low, one.high)


def rows_across(
    found: Mapping[Mechanism, SmallestEpsilon],
    public: Mapping[Mechanism, SmallestEpsilon],
    key: str,
    releases: int = 1,
    delta: float = 0.0,
) -> pd.DataFrame:
    """Return one row per mechanism and k or delta (by ``key``), as `epsilon_rows`.

    Of several ``releases`` it says what they cost together at ``delta``.
    """
    rows = []
    for mechanism, one in found.items():
        row = {"mechanism": mechanism.label, key: getattr(mechanism, key, 0.0)} | _numbers(one)
        if releases > 1:
            cost = needed_together(one, mechanism, releases, delta)
            row |= _numbers_together(cost, mechanism)
        row |= _numbers_on_stand_in(public.get(mechanism)) if public else {}
        rows.append(row | {"releases": mechanism.outputs.words})
    order = [key, "epsilon_needed" if releases == 1 else "epsilon_together"]
    return pd.DataFrame(rows).sort_values(order, kind="stable", ignore_index=True)


def _numbers(one: SmallestEpsilon) -> dict[str, Any]:
    low, high = reached_within(one)
    return {
        "epsilon_needed": _finite(one.epsilon),
        "epsilon_needed_low": _finite(one.low),
        "epsilon_needed_high": _finite(one.high),
        "is_exact": one.exact,
        "reached": one.reached,
        "reached_low": low,
        "reached_high": high,
        "is_cut": one.cut,
        "larger_may_not": one.may_fall,
    }


def larger_may_not(one: SmallestEpsilon) -> str:
    """Note that larger epsilons may miss the target."""
    until = "" if math.isnan(one.until) else f"reached up to about ε = {rounded(one.until, 2)}, "
    return f"{until}larger ε may not reach it"


def _numbers_together(one: NeededTogether, mechanism: Mechanism) -> dict[str, Any]:
    return {
        "epsilon_together": _finite(one.epsilon),
        "epsilon_together_low": _finite(one.low),
        "epsilon_together_high": _finite(one.high),
        "epsilon_added_up": _finite(one.added),
        "composed": one.by,
        "delta_of_each": mechanism.guarantee.delta,
        "reached_by_all": one.reached,
        "reached_by_all_low": one.reached_low,
        "reached_by_all_high": one.reached_high,
    }


def _numbers_of_budget(one: WithinBudget | None, releases: int) -> dict[str, Any]:
    one = one or WithinBudget(math.nan, None, math.nan, math.nan, math.nan, 0)
    of_all = chance_of_all(one.chance, releases) if one.chance else Chance(math.nan, math.nan)
    ends = {"": one.reached, "_low": one.low, "_high": one.high}
    return (
        {"epsilon_each_of_total": one.epsilon, "is_exact_of_total": not one.runs}
        | {f"reached_of_total{end}": share for end, share in ends.items()}
        | {f"reached_by_all_of_total{end}": share**releases for end, share in ends.items()}
        | {"reached_by_all_of_total_log": math.nan if one.chance is None else of_all.log}
    )


def reached_within(one: SmallestEpsilon) -> tuple[float, float]:
    """Return the 95% interval of the reached probability; a single point if it is exact."""
    if not one.runs:
        return one.reached, one.reached
    low, high = wilson_interval(round(one.reached * one.runs), one.runs)
    return float(low), float(high)


def _numbers_on_stand_in(one: SmallestEpsilon | None) -> dict[str, Any]:
    """Return the numbers of an answer on the stand-in; NaN if k exceeds its items."""
    name = "epsilon_needed_on_stand_in"
    ends = (one.epsilon, one.low, one.high) if one else (math.nan,) * 3
    numbers = zip((name, f"{name}_low", f"{name}_high"), map(_finite, ends), strict=True)
    return dict(numbers) | {"is_exact_on_stand_in": one.exact if one else None}


def _finite(epsilon: float) -> float:
    return epsilon if math.isfinite(epsilon) else math.nan


def target_origin(
    view: View,
    found: Mapping[str, SmallestEpsilon],
    at: Sequence[Mechanism],
    words: str,
    probability: float,
    stand_in: str,
    repeated: Repetition | None = None,
) -> Origin:
    """Return the origin of the answers, for mechanisms at the epsilons found.

    ``words`` are the target's, ``stand_in`` the title of what stands beside the data, if anything.
    """
    series = repeated.settings if repeated else {}
    series |= {"delta_together": view.delta} if series else {}
    simulated = any(not one.exact for one in found.values())
    how = {"runs": runs_to_judge(view.k), "runs_are": JUDGED, "seed": view.seed}
    return view.origin(
        at,
        "exact, but for simulated intervals" if simulated else "exact",
        **(how if simulated else {}),
        more={"target": words, "probability": probability}
        | ({"stand_in": stand_in} if stand_in else {})
        | series,
        answers=("epsilon",),
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Find the smallest epsilon of every mechanism, as given or at other k or delta."""
    goal, chance, across = goal_of(own, view.k), own[CHANCE.key] or CHANCE.default, own[ACROSS.key]
    repeated = repetition_of(own)
    view, of_each = replace(view, releases=repeated.releases), repeated.each(chance)
    if across == OVER_K:
        mechanisms, refused = at_other_ks(view, goal)
        beyond = [str(k) for k in OTHER_KS if k > view.counts.d]
        if beyond:
            refused.append(
                f"k = {', '.join(beyond)} left out: the data have {plural(view.counts.d, 'item')}."
            )
    elif across == OVER_DELTA:
        mechanisms, refused = at_other_deltas(view, goal)
    else:
        mechanisms, refused = able(view.counts, view.mechanisms, goal)
    cases, title, notes = [(view.counts, mechanisms)], "", [*view.refusals(view.k, view.counts)]
    if own[STAND_IN] != NO_STAND_IN:
        public = beside(own[STAND_IN], view.counts)
        if isinstance(public, str):
            notes.append(public)
        else:
            cases.append((public.counts, [m for m in mechanisms if m.k <= public.counts.d]))
            title = public.title
            notes.append(public.sentence)
    n, done = sum(len(able_here) for _, able_here in cases), 0
    answers: list[dict[Mechanism, SmallestEpsilon]] = []
    for counts, able_here in cases:
        solved = {}
        for mechanism in able_here:

            def tell(share: float, done: int = done) -> None:
                progress((done + share) / n)

            target = goal.target(counts, mechanism.k)
            at_one = mechanism.replaced(epsilon=1.0)
            solved[mechanism] = smallest_epsilon(counts, at_one, target, of_each, view.seed, tell)
            done += 1
        answers.append(solved)
    found, on_public = answers[0], answers[1] if len(answers) > 1 else {}
    at = [at_found(mechanism, one.epsilon) for mechanism, one in found.items()]
    words = goal.words(view.counts, view.k, view.unit)
    by_label = {mechanism.label: mechanism for mechanism in found}
    n, delta = repeated.releases, view.delta
    if across == ALONE:
        unsorted = {m.label: one for m, one in found.items()}
        together = costs_together(unsorted, by_label, n, delta)
        of_total: dict[str, WithinBudget | None] = {}
        if repeated.several and repeated.total is not None:
            for m in found:
                target = goal.target(view.counts, m.k)
                asked = (m, target, n, repeated.total, delta, view.seed)
                of_total[m.label] = within_budget(view.counts, *asked)
        frame = epsilon_rows(
            cheapest_first(unsorted, together),
            {m.label: one for m, one in on_public.items()},
            by_label,
            together,
            of_total,
            n,
        )
    else:
        frame = rows_across(found, on_public, across, n, delta)
        if across == OVER_K:
            frame["target"] = [goal.words(view.counts, k, view.unit) for k in frame["k"]]
    notes += [
        f"{one.label}: {larger_may_not(answer)}."
        for one, answer in found.items()
        if answer.may_fall
    ]
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
        target_origin(
            view, {str(at): one for at, one in found.items()}, at, words, chance, title, repeated
        ),
        (
            "mechanism",
            *([] if across == ALONE else [across]),
            *(["epsilon_together"] if repeated.several else []),
            *("epsilon_needed", "epsilon_needed_low", "epsilon_needed_high", "computed", "reached"),
            *(["reached_by_all"] if repeated.several else []),
            *(name for name in _OF_TOTAL if name in frame),
        ),
        (*notes, *refused),
        _written(frame),
    )


def _written(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Format epsilons as in the app, rounded up so that they suffice."""
    written: dict[str, list[str]] = {}
    for what in ("epsilon_needed", "epsilon_together"):
        names = [f"{what}{end}" for end in _ENDS]
        if what in frame:
            rows = [
                estimated(*(math.inf if math.isnan(end) else end for end in row))
                for row in frame[names].itertuples(index=False)
            ]
            written |= {name: [row[place] for row in rows] for place, name in enumerate(names)}
    of_total = "reached_by_all_of_total"
    for what, exact in _SHARES.items():
        if what in frame:
            written[what] = [
                _share(*row, known=known)
                for *row, known in zip(
                    *(frame[f"{what}{end}"] for end in _ENDS), frame[exact], strict=True
                )
            ]
    if of_total in written:  # what no float holds is no 0
        logs = zip(written[of_total], frame[f"{of_total}_log"].tolist(), strict=True)
        written[of_total] = [
            probability(log) if -math.inf < log < _LOG_TINY else words for words, log in logs
        ]
    return written


def _share(value: float, low: float, high: float, *, known: bool) -> str:
    """Format a known probability or a share of runs; a dash for NaN."""
    if math.isnan(value):
        return "—"
    return share(value) if known else share_of_runs(value, low, high)


def goal_of(own: Own, k: int) -> Goal:
    """Return the goal that the settings describe."""
    kind, metric = own[GOAL.key], own[METRIC.key]
    if kind == ITEMS_RIGHT.key:
        return Goal(kind, "", min(own[LEAST.key], k))
    if kind in MEASURED:
        amount = {"error": MOST, "error_share": MOST_SHARE, "score": LEAST_SCORE}[kind]
        return Goal(kind, measure_of(kind, metric), own[amount.key])
    return Goal(kind, "", 0)


def at_found(mechanism: Mechanism, epsilon: float) -> Mechanism:
    """Return the mechanism at an epsilon that was found; unchanged if that is 0 or infinite."""
    return mechanism.replaced(epsilon=epsilon) if 0 < epsilon < math.inf else mechanism
