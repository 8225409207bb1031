"""What does a target cost?  The smallest epsilon that reaches it, cheapest mechanism first."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from dptopk.choosing import SmallestEpsilon, runs_to_judge, smallest_epsilon
from dptopk.goals import IN_COUNTS, Goal, able
from dptopk.mechanisms import Mechanism
from dptopk.numerals import estimated, share, share_of_runs
from dptopk.origin import Origin
from dptopk.parameters import DELTA
from dptopk.questions.answer import Answer, Own, Progress
from dptopk.questions.stand_in import beside
from dptopk.settings import (
    ACROSS,
    ALONE,
    CHANCE,
    GOAL,
    LEAST,
    METRIC,
    MOST,
    MOST_SHARE,
    NO_STAND_IN,
    OVER_DELTA,
    OVER_K,
    STAND_IN,
)
from dptopk.summaries import wilson_interval
from dptopk.view import View

TITLE = "Smallest ε of each mechanism"
TITLES = {ALONE: TITLE, OVER_K: "Smallest ε at other k", OVER_DELTA: "Smallest ε against δ"}
JUDGED = "runs behind each ε that is estimated by runs"
ESTIMATED = (
    "A simulated epsilon_needed is the best estimate; use epsilon_needed_high, the upper end of "
    "its 95% interval, rounded up, to have enough."
)


OTHER_KS = (5, 10, 20, 50)
OTHER_DELTAS = (1e-12, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)


def at_other_ks(view: View, goal: Goal) -> tuple[list[Mechanism], list[str]]:
    """The chosen mechanisms at each of `OTHER_KS` that there are items for; who is left out."""
    fit: list[Mechanism] = []
    refused: list[str] = []
    for k in OTHER_KS:
        if k <= view.counts.d:
            able_here, why = able(view.counts, view.at(k, view.counts), goal)
            fit += able_here
            refused += [f"k = {k}: {sentence}" for sentence in why]
    return fit, refused


def at_other_deltas(view: View, goal: Goal) -> tuple[list[Mechanism], list[str]]:
    """The chosen mechanisms without a delta, and the others at `OTHER_DELTAS` and the one given."""
    fit, refused = able(view.counts, view.mechanisms, goal)
    deltas = sorted({*OTHER_DELTAS, *([view.delta] if view.delta else [])})
    pure = [mechanism for mechanism in fit if not mechanism.card.takes(DELTA.key)]
    relaxed = [mechanism for mechanism in fit if mechanism not in pure]
    return [*pure, *(m.replaced(delta=delta) for m in relaxed for delta in deltas)], refused


def cheapest_first(found: Mapping[str, SmallestEpsilon]) -> dict[str, SmallestEpsilon]:
    """Answers by label, the smallest epsilon first."""
    return dict(sorted(found.items(), key=lambda pair: pair[1].epsilon))


def epsilon_rows(
    found: Mapping[str, SmallestEpsilon],
    public: Mapping[str, SmallestEpsilon],
    by_label: Mapping[str, Mechanism],
) -> pd.DataFrame:
    """One row a mechanism, in numbers; an epsilon is empty where none reaches the target."""
    rows = []
    for label, one in found.items():
        row: dict[str, Any] = {"mechanism": label} | _numbers(one)
        row |= _numbers_on_stand_in(public.get(label)) if public else {}
        row["releases"] = by_label[label].outputs.words
        rows.append(row)
    return pd.DataFrame(rows)


def in_words(one: SmallestEpsilon) -> tuple[str, str, str]:
    """An answer and the ends of its interval as they are written everywhere."""
    return estimated(one.epsilon, one.low, one.high)


def rows_across(
    found: Mapping[Mechanism, SmallestEpsilon],
    public: Mapping[Mechanism, SmallestEpsilon],
    key: str,
) -> pd.DataFrame:
    """One row a mechanism at each k or delta, whichever ``key`` names, as `epsilon_rows`."""
    rows = []
    for mechanism, one in found.items():
        row = {"mechanism": mechanism.label, key: getattr(mechanism, key, 0.0)} | _numbers(one)
        row |= _numbers_on_stand_in(public.get(mechanism)) if public else {}
        rows.append(row | {"releases": mechanism.outputs.words})
    order = [key, "epsilon_needed"]
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
    }


def reached_within(one: SmallestEpsilon) -> tuple[float, float]:
    """95% interval of the probability that is reached; the probability itself where it is exact."""
    if not one.runs:
        return one.reached, one.reached
    low, high = wilson_interval(round(one.reached * one.runs), one.runs)
    return float(low), float(high)


def _numbers_on_stand_in(one: SmallestEpsilon | None) -> dict[str, Any]:
    """The same on the stand-in; nothing where k is more than its items."""
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
) -> Origin:
    """What goes with the answers, of mechanisms at the epsilons that were found.

    ``words`` are the target's, ``stand_in`` the title of what stands beside the data, if anything.
    """
    simulated = any(not one.exact for one in found.values())
    how = {"runs": runs_to_judge(view.k), "runs_are": JUDGED, "seed": view.seed}
    return view.origin(
        at,
        "exact, but for simulated intervals" if simulated else "exact",
        **(how if simulated else {}),
        more={"target": words, "probability": probability}
        | ({"stand_in": stand_in} if stand_in else {}),
        answers=("epsilon",),
    )


def answer(view: View, own: Own, progress: Progress) -> Answer:
    """Solve for every mechanism, at what is given or at other k or delta."""
    goal, chance, across = goal_of(own, view.k), own[CHANCE.key] or CHANCE.default, own[ACROSS.key]
    if across == OVER_K:
        mechanisms, refused = at_other_ks(view, goal)
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
            solved[mechanism] = smallest_epsilon(counts, at_one, target, chance, view.seed, tell)
            done += 1
        answers.append(solved)
    found, on_public = answers[0], answers[1] if len(answers) > 1 else {}
    at = [at_found(mechanism, one.epsilon) for mechanism, one in found.items()]
    words = goal.words(view.counts, view.k, view.unit)
    by_label = {mechanism.label: mechanism for mechanism in found}
    if across == ALONE:
        labelled = cheapest_first({m.label: one for m, one in found.items()})
        frame = epsilon_rows(labelled, {m.label: one for m, one in on_public.items()}, by_label)
    else:
        frame = rows_across(found, on_public, across)
        if across == OVER_K:
            frame["target"] = [goal.words(view.counts, k, view.unit) for k in frame["k"]]
    if not frame["is_exact"].all():
        notes.append(ESTIMATED)
    frame["computed"] = ["exact" if exact else "simulated" for exact in frame["is_exact"]]
    return Answer(
        "smallest-epsilon",
        TITLES[across],
        frame,
        target_origin(view, {str(at): one for at, one in found.items()}, at, words, chance, title),
        (
            "mechanism",
            *([] if across == ALONE else [across]),
            *("epsilon_needed", "epsilon_needed_low", "epsilon_needed_high", "computed", "reached"),
        ),
        (*notes, *refused),
        _written(frame),
    )


def _written(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Epsilons as the app writes them: what is needed is rounded up, so that it is enough."""
    names = ("epsilon_needed", "epsilon_needed_low", "epsilon_needed_high")
    rows = [
        estimated(*(math.inf if math.isnan(end) else end for end in row))
        for row in frame[[*names]].itertuples(index=False)
    ]
    written = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    written["reached"] = [
        share(row[0]) if exact else share_of_runs(*row)
        for *row, exact in zip(
            *(frame[f"reached{end}"] for end in ("", "_low", "_high")),
            frame["is_exact"],
            strict=True,
        )
    ]
    return written


def goal_of(own: Own, k: int) -> Goal:
    """The goal of the settings, as far as they go together."""
    kind, metric = own[GOAL.key], own[METRIC.key]
    if kind == "items_right":
        return Goal(kind, "", min(own[LEAST.key], k))
    if kind in ("error", "error_share"):
        most = own[MOST.key if kind == "error" else MOST_SHARE.key]
        return Goal(kind, metric if metric in IN_COUNTS else IN_COUNTS[0], most)
    return Goal(kind, "", 0)


def at_found(mechanism: Mechanism, epsilon: float) -> Mechanism:
    """The mechanism at an epsilon that was found, or as it was."""
    return mechanism.replaced(epsilon=epsilon) if 0 < epsilon < math.inf else mechanism
