"""Compare bounds on the items per user of a log, and price a list for each period.

The bound is that of one release: of the whole log, or of one of its periods.  Mechanisms that gain
from a bound are tried under each beside those that were chosen, which need none.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from dptopk.core.counts import ItemCounts
from dptopk.core.estimate import Estimate
from dptopk.core.numerals import (
    compact,
    needed,
    plural,
    rounded_down,
    rounded_up,
    share,
    share_below_1,
    stated,
)
from dptopk.core.parameters import MAX_ITEMS
from dptopk.core.privacy import guess
from dptopk.data.ingest import CountsByBound, ItemsOfUsers
from dptopk.mechanisms import MECHANISMS, Mechanism
from dptopk.questions.answer import Answer
from dptopk.questions.origin import as_marked
from dptopk.questions.runner import Runner, Task
from dptopk.questions.view import View
from dptopk.tuning.contribution_bound import (
    ALIKE,
    DIGITS,
    bound_of,
    counts_for,
    errors_table,
    places_by_cause,
    runs_by_bound,
)
from dptopk.tuning.repeated import epsilon_each, with_share_of_delta
from dptopk.tuning.series import costs_of_series, turnover_between, units_of_privacy

A_YEAR = {"day": 365, "week": 52, "month": 12, "quarter": 4, "year": 1}
"""Releases in a year, by the length of a period.

The dates of a year touch 53 weeks, and in a leap year that begins on a Sunday 54, of which the
first and the last are not whole: a list each week is still released 52 times, as 52 · 7 = 364.
Where it comes out on a fixed weekday, some years have 53; a leap year has 366 days.
"""

COSTS_MEANING = (
    "epsilon_basic and delta_basic add up the releases that a user is in; epsilon_total and "
    "delta_total are the better of that and the composition of a number that is fixed before: a "
    "ledger, which admits any releases, charges more; guess is the best chance, from 50%, of "
    "telling whether such a user is in the log. ε and δ are rounded up; where a mechanism's own δ "
    "adds up, each release has a share of that of all."
)

_ALL_OF_THEM = "Including mechanisms that `dptopk publish` cannot draw"
_MODERATE = 5.0
"""ε in a year, for which that of each list is told where they cost more."""

UNPROTECTED = (
    "All of this is computed from the private log itself and is not protected: choose the bound on "
    "public data of the same kind, or from prior knowledge."
)
ONE_KEY = (
    "Bounded counts use one key of the hash, as a release would; with another key, each user keeps "
    "other items."
)
TURNOVER_TITLE = "New names of each list, against the list of the period before"
NO_BOUND = "no bound"
WINNERS_TITLE = "Expected wrong items of {:,}, by mechanism and items per user"
WINNERS_MEANING = (
    "Columns are bounds on the items per user. ✓: the fewest at this bound, as far as exact "
    "numbers (to 0.005 of an item) and 95% intervals show, if by them at least half of the items "
    "are right; best: the fewest of all, even if `dptopk publish` cannot draw it; ≈: not "
    "distinguishable from the best of all. Empty: the mechanism gains nothing from such a bound."
)
BOUNDS_TITLE = "Error by cause, for each bound on the items of a user"
Row: TypeAlias = dict[Any, Any]
"""A row of the table of `bounds`, by column."""


def contestants(view: View) -> tuple[list[Mechanism], list[str]]:
    """Return the chosen mechanisms and those that gain from a bound, unbounded, and refusals."""
    view = replace(view, parameters={**view.parameters, MAX_ITEMS.key: None})
    tried = [
        view.build_on(mechanism, view.k, view.counts, bounded_later=True)
        for mechanism in MECHANISMS.values()
        if mechanism.card.key in view.keys or mechanism.card.takes(MAX_ITEMS.key)
    ]
    refused = [one for one in tried if isinstance(one, str)]
    return [one for one in tried if isinstance(one, Mechanism)], refused


def best_of(answer: Answer, keys: Collection[str] = ()) -> Mechanism:
    """Return the mechanism with the fewest wrong items of an answer of `bounds`, at its bound.

    Of the chosen ones that can be published, by their ``keys``; see `best_chosen`.
    """
    return _mechanism_of(answer, best_chosen(answer, keys))


def best_chosen(answer: Answer, keys: Collection[str]) -> Row:
    """Return the row with the fewest wrong items of the chosen mechanisms.

    Of those that can be published, if there are any; of all rows if none of these is chosen.
    """
    return _least(_of_chosen(answer, keys))


def marked(answer: Answer, keys: Collection[str]) -> dict[str, Row]:
    """Return the row of `best_chosen`, and that of a better mechanism if any, by words on each."""
    rows = {"best": best_chosen(answer, keys)}
    if better := _better(answer, rows["best"]):
        rows[f"best, but not chosen: {better['mechanism']}"] = better
    return rows


def _better(answer: Answer, row: Row) -> Row | None:
    """Return the row with the fewest wrong items that can be published, if fewer than a row's."""
    least = _least([row, *_groups(answer.frame.to_dict("records")).get("publishable", [])])
    return None if least is row else least


def _of_chosen(answer: Answer, keys: Collection[str]) -> list[Row]:
    labels = {one.label for one in answer.origin.mechanisms if one.card.key in keys}
    rows = answer.frame.to_dict("records")
    chosen = [row for row in rows if row["mechanism"] in labels]
    return _groups(chosen).get("publishable", chosen or rows)


def _groups(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of a table of bounds by what is asked of the mechanism; none is empty."""
    groups = {
        "all": rows,
        "bounded": [row for row in rows if not pd.isna(row["max_items"])],
        "free": [row for row in rows if pd.isna(row["max_items"])],
        "publishable": [row for row in rows if row["can_publish"]],
        "unlisted": [row for row in rows if not row["needs_list"]],
    }
    return {name: group for name, group in groups.items() if group}


def candidates(answer: Answer, keys: Collection[str] = ()) -> list[Mechanism]:
    """Return the best mechanism, see `best_of`, the best of all, with and without a bound.

    The other chosen ones that can be published follow, each at its best bound.
    """
    groups = _groups(answer.frame.to_dict("records"))
    groups.pop("unlisted", None)
    if keys:
        for row in _of_chosen(answer, keys):
            groups.setdefault(row["mechanism"], []).append(row)
    others = [_mechanism_of(answer, _least(rows)) for rows in groups.values()]
    return [*dict.fromkeys([best_of(answer, keys), *others])]


def _mechanism_of(answer: Answer, row: Row) -> Mechanism:
    mechanism = next(one for one in answer.origin.mechanisms if one.label == row["mechanism"])
    if pd.isna(row["max_items"]):
        return mechanism
    return mechanism.replaced(max_items=int(row["max_items"]))


def recommendation(frame: pd.DataFrame, k: int) -> str:
    """Return sentences on how many items to allow per user, and whether that beats no bound.

    Where the best mechanism cannot be published, or needs a list of all items, the best of those
    that can, or that need none, follows.
    """
    groups = _groups(frame.to_dict("records"))
    parts, best = [_recommended(groups["all"], k)], _least(groups["all"])
    if "publishable" in groups and not best["can_publish"]:
        parts = [_recommended(groups["publishable"], k), f"{_ALL_OF_THEM}: {_inside(parts[0])}"]
    if "unlisted" in groups and best["needs_list"]:
        unlisted = _recommended(groups["unlisted"], k)
        parts.append(f"If no list of all items is known: {_inside(unlisted)}")
    return " ".join(parts)


def _inside(sentence: str) -> str:
    """Return a sentence as it goes on after a colon."""
    return sentence[0].lower() + sentence[1:]


def best_choices(frame: pd.DataFrame) -> list[Row]:
    """Return the rows with the fewest wrong items with a bound and without one, as there are.

    Of the mechanisms that can be published, if there are any.
    """
    rows = frame.to_dict("records")
    groups = _groups(_groups(rows).get("publishable", rows))
    return [_least(groups[one]) for one in ("bounded", "free") if one in groups]


def finding(answer: Answer, keys: Collection[str]) -> str:
    """Return the best bound, as sure as the intervals are, and the items wrong under it.

    It is that of `best_chosen`; where none of these gains from a bound, none is needed, but
    another mechanism that is better under one is named, if it can be published; where under all
    of them most items are wrong, none is recommended.
    """
    rows, k = _of_chosen(answer, keys), answer.origin.mechanisms[0].k
    best, free = _least(rows), _groups(rows).get("free", [])
    as_good = [row for row in rows if row["wrong_low"] <= best["wrong_high"] + ALIKE]
    alone = pd.Series([row["max_items"] for row in as_good]).nunique(dropna=False) == 1
    verdict = f"{'is' if alone else 'may be'} {'needed' if len(free) == len(rows) else 'best'}"
    bound = "No bound per user"
    if not pd.isna(best["max_items"]):
        bound = f"At most {plural(int(best['max_items']), 'item')} per user"
    better = _better(answer, best) if len(free) == len(rows) else None
    if best["wrong"] > k / 2:
        bound, verdict, better = "No chosen mechanism", "gets half right", None
    how, other, least = " on average", "", _least(answer.frame.to_dict("records"))
    if better:
        how, other = "", f"; {written_places(better['wrong'])} by {better['mechanism']}, not chosen"
    elif best["can_publish"] and not least["can_publish"]:
        how, other = "", ", the best you can publish"
    wrong = f"{written_places(best['wrong'])} of {plural(k, 'item')} wrong{how}"
    return f"{bound} {verdict}: {wrong}, by {best['mechanism']}{other}"


def best_unlisted(frame: pd.DataFrame) -> Row | None:
    """Return the row with the fewest wrong items of those that need no list; None without any."""
    groups = _groups(frame.to_dict("records"))
    return _least(groups["unlisted"]) if "unlisted" in groups else None


def winners(answer: Answer) -> Answer:
    """Arrange the wrong items of an answer of `bounds` by mechanism and bound, the best marked.

    Columns are bounds, and no bound; not a number where a bound gains a mechanism nothing.
    """
    rows = answer.frame.to_dict("records")
    of_bounds: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda one: (pd.isna(one["max_items"]), one["max_items"])):
        label = NO_BOUND if pd.isna(row["max_items"]) else f"{int(row['max_items']):,}"
        of_bounds.setdefault(label, []).append(row)
    bounded = dict.fromkeys(row["mechanism"] for row in rows if not pd.isna(row["max_items"]))
    names = [*bounded, *(row["mechanism"] for row in rows if row["mechanism"] not in bounded)]
    numbers: dict[str, list[Any]] = {"mechanism": names}
    written = {}
    for label, here in of_bounds.items():
        cells, least = {row["mechanism"]: row for row in here}, _least(here)["wrong_high"]
        numbers[label] = [cells[one]["wrong"] if one in cells else np.nan for one in names]
        written[label] = [_marked(cells[one], least) if one in cells else "" for one in names]
    meaning, exact = WINNERS_MEANING, answer.frame.groupby("mechanism")["is_exact"].all()
    if simulated := [name for name in names if not exact[name]]:
        meaning += f" The numbers of {', '.join(simulated)} are simulated, others exact."
    return replace(
        answer,
        name="winners",
        title=WINNERS_TITLE.format(answer.origin.mechanisms[0].k),
        table=pd.DataFrame(numbers),
        shown=tuple(numbers),
        notes=(meaning, *answer.notes),
        written=written,
    )


def _marked(row: Row, least: float) -> str:
    """Format the wrong items of a row, with marks; ``least`` is what the fewest here may be."""
    wrong = row["wrong"]
    places = written_places(wrong)
    half_right = 2 * row["wrong_high"] <= row["right"] + wrong
    wins = bool(row["wrong_low"] <= least + ALIKE and half_right)
    of_all = " best" if row["is_best"] else " ≈" * bool(row["as_good"])
    return f"{'✓ ' * wins}{places}{of_all}"


def written_places(wrong: float) -> str:
    """Write a number of wrong items, never as a false 0: as a float it is 0 where noise is not."""
    return "< 0.01" if wrong < 0.005 else f"{wrong:.{2 if wrong < 9.995 else 1}f}"


def _least(rows: list[Row]) -> Row:
    return min(rows, key=lambda row: round(float(row["wrong"]), DIGITS))


def _recommended(rows: list[Row], k: int) -> str:
    groups = _groups(rows)
    if "bounded" not in groups:
        return f"Best without a bound: {_wrong(_least(groups['free']), k)}."
    best = _least(groups["bounded"])
    allowed = f"with at most {plural(int(best['max_items']), 'item')} per user"
    if "free" not in groups:
        return f"Best {allowed}: {_wrong(best, k)}."
    free = _least(groups["free"])
    if best["wrong"] < free["wrong"]:
        doubt = "" if best["wrong_high"] < free["wrong_low"] else ", no clear difference"
        return f"Best {allowed}: {_wrong(best, k)}; without a bound, {_wrong(free, k)}{doubt}."
    doubt = "" if free["wrong_high"] < best["wrong_low"] else ", no clear difference"
    return f"Best without a bound: {_wrong(free, k)}; {allowed}, {_wrong(best, k)}{doubt}."


def _wrong(row: Row, k: int) -> str:
    """Say how many items are wrong, with the interval of runs."""
    wrong = written_places(row["wrong"])
    if not row["is_exact"]:
        wrong = Estimate(row["wrong"], row["wrong_low"], row["wrong_high"], 1, most=k).brief
    return f"{wrong} of {plural(k, 'item')} wrong by {row['mechanism']}"


def bounds(view: View, by_bound: CountsByBound, runner: Runner, of: str = "") -> Answer | None:
    """Split the error of every contestant by cause, under every bound and without one.

    ``of`` says which part of the log ``by_bound`` counts, if not all.  None if it was stopped
    before a mechanism without a bound was done.
    """
    mechanisms, refused = contestants(view)
    if not mechanisms:
        raise ValueError(" ".join(refused))
    runs = sorted(
        runs_by_bound(by_bound, mechanisms), key=lambda one: bound_of(one) is not None
    )  # stable: those without a bound come first
    tasks = {
        one: Task(
            places_by_cause,
            (by_bound.counts, counts_for(by_bound, one), one, view.n, view.seed),
            one.k,
            view.k,
        )
        for one in runs
    }
    results = runner.each(tasks, "bounds")
    if not results:
        return None
    frame = errors_table(by_bound, [*results], [*results.values()])
    origin = view.origin(mechanisms, **as_marked(frame, view.n, view.seed), note=of)
    columns = ("mechanism", "max_items", "pairs_kept", "right", "clipping", "threshold", "noise")
    return Answer(
        "bounds",
        BOUNDS_TITLE,
        frame,
        origin,
        (*columns, "wrong", "wrong_low", "wrong_high", "is_exact", "as_good", "is_best"),
        (recommendation(frame, view.k), ONE_KEY, *refused, UNPROTECTED),
        written={
            "max_items": [
                NO_BOUND if pd.isna(bound) else f"{int(bound):,}" for bound in frame["max_items"]
            ]
        },
    )


def items(view: View, mechanism: Mechanism, by_bound: CountsByBound, bound: int) -> Answer:
    """List the top items with their counts under a bound, for this key and over all keys."""
    counts, bounded = by_bound.counts, by_bound.bounded(bound)
    top = [place for place in counts.order[: view.k].tolist() if place in by_bound.holders]
    moments = [by_bound.moments(place, bound) for place in top]
    frame = pd.DataFrame(
        {
            "place": range(1, len(top) + 1),
            "item": [counts.items[place] for place in top],
            "count": counts.counts[top],
            "bounded": bounded.counts[top],
            "bounded_place": bounded.ranks_at(counts.order[: len(top)]) + 1,
            "expected": [mean for mean, _ in moments],
            "deviation": [variance**0.5 for _, variance in moments],
        }
    )
    origin = view.origin((mechanism,), "exact", more={MAX_ITEMS.key: bound})
    note = (
        "bounded is the count of this key; expected and deviation are mean and standard deviation "
        "over all keys, of a Poisson-binomial distribution."
    )
    title = f"Counts of the top items with at most {plural(bound, 'item')} of each user"
    return Answer("bounded-items", title, frame, origin, tuple(map(str, frame)), (note,))


def turnover(
    view: View,
    mechanism: Mechanism,
    series: Mapping[Any, ItemCounts],
    truth: Mapping[Any, ItemCounts],
    runner: Runner,
) -> Answer | None:
    """Compare the turnover of released lists with that of the truth and of noise alone.

    ``truth`` is the series without a bound.  None if it was stopped at once.
    """
    tasks = {
        str(period): Task(
            turnover_between,
            (
                *(series[before], series[period], truth[before], truth[period]),
                *(mechanism, view.n, view.seed, place),
            ),
            mechanism.k,
            10,
        )
        for place, (before, period) in enumerate(pairwise(series))
    }
    results = runner.each(tasks, "turnover")
    if not results:
        return None
    frame = pd.DataFrame([{"period": period} | row for period, row in results.items()])
    how = {"computed": "simulated", "runs_are": "pairs of releases"}
    origin = view.origin((mechanism,), **as_marked(frame, view.n, view.seed, **how))
    columns = tuple(name for name in map(str, frame) if name != "is_exact")
    true, released, noise = (frame[name].mean() for name in ("true", "released", "noise"))
    k, bound = mechanism.k, getattr(mechanism, MAX_ITEMS.key, None)
    allowed = "" if bound is None else f", at most {plural(bound, 'item')} of each user"
    sentence = (
        f"By {mechanism.label}{allowed}: from one period to the next {released:.1f} of {k} "
        f"released names are new on average; {noise:.1f} would be if nothing had changed, and "
        f"{true:.1f} of the true top {k} are."
    )
    return Answer("turnover", TURNOVER_TITLE, frame, origin, columns, (sentence,))


def costs(
    view: View,
    mechanisms: Sequence[Mechanism],
    period: str,
    periods_of_users: ItemsOfUsers | None,
    n_periods: int = 0,
) -> Answer:
    """Price a year of releases of each mechanism, for users in one, some or all of its periods.

    The notes are of the first mechanism, and of one that costs less, if there is one; of a log of
    ``n_periods`` that are more than a year has; and on the columns.  Of a log of less than a year
    nobody knows in how many periods of a year users are.
    """
    n = A_YEAR[period]
    stays = periods_of_users if n_periods >= n else None
    priced = {one: costs_of_series(one, n, view.delta, stays) for one in mechanisms}
    for mechanism, rows in priced.items():
        rows.insert(0, "mechanism", mechanism.label)
    frame = pd.concat([*priced.values()], ignore_index=True)
    origin = view.origin(mechanisms, "proven bounds", more={"releases": n})
    title = f"What a list each {period} costs in a year"
    first = mechanisms[0]
    cheapest = min(mechanisms, key=lambda one: priced[one]["epsilon_total"].iloc[-1])
    notes = [f"{first.label}: {costs_said(priced[first], period)}"]
    if cheapest != first:
        notes.append(f"{cheapest.label}: {costs_said(priced[cheapest], period)}")
    each = epsilon_each(cheapest, n, _MODERATE, view.delta)
    if each < cheapest.epsilon:
        total, left = compact(_MODERATE), compact(rounded_down(each))
        share = with_share_of_delta(cheapest, n, view.delta)
        with_delta, option = "", ""
        if share != cheapest:
            part = compact(rounded_down(share.guarantee.delta))
            with_delta, option = f" and δ = {part}", f" --delta {part}"
        notes.append(
            f"ε = {total} in a year leaves ε = {left}{with_delta} for each list by "
            f"{cheapest.label}: set that, on the command line with `--epsilon {left}{option} "
            "--part bounds` and the same options, to see how many places are then right."
        )
    if n_periods > n:
        partly = (
            " The first and last weeks of a year are incomplete. A list on each Monday is released "
            "53 times in some years: one more release."
        )
        notes.append(
            f"The log has {plural(n_periods, period)} with events; a year of lists is counted as "
            f"{plural(n, 'release')}.{partly * (period == 'week')}"
        )
    notes.append(COSTS_MEANING)
    names = tuple(map(str, frame))
    return Answer("year", title, frame, origin, names, tuple(notes), written=_written_costs(frame))


def _written_costs(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Write the columns of a promise: ε and δ rounded up, and a chance, none as a false 0."""
    write: dict[str, Callable[[float], str]] = {
        "epsilon": lambda epsilon: needed(epsilon, 4),
        "delta": lambda delta: compact(rounded_up(delta)) if delta else "0",
        "guess": share_below_1,  # never certainty: e^-ε may be lost beside 1
    }
    return {
        name: [form(value) for value in frame[name]]
        for name in map(str, frame)
        for kind, form in write.items()
        if kind in name
    }


def costs_said(frame: pd.DataFrame, period: str) -> str:
    """Return a sentence on what a year costs users who stay and users who come once."""
    one, every = frame.iloc[0], frame.iloc[-1]
    delta = every["delta_total"]
    with_delta = f", δ = {stated(delta)}" if delta else ""
    with_one = f", δ = {stated(one['delta_total'])}" if one["delta_total"] else ""
    summed = every["epsilon_basic"] > every["epsilon_total"]
    added = f" ({needed(every['epsilon_basic'])} by adding up)" if summed else ""
    n = int(every["periods"])
    return (
        f"{plural(n, 'release')} a year cost{'s' if n == 1 else ''} a user who is present every "
        f"{period} ε = {needed(every['epsilon_total'])}{with_delta}{added}, and a user of one "
        f"{period} ε = {needed(one['epsilon_total'], 6)}{with_one}."
    )


def units(view: View, mechanism: Mechanism, period: str, items_of_users: ItemsOfUsers) -> Answer:
    """Compare the guarantees for a user, for a user in a period and for an event."""
    priced = costs_of_series(mechanism, A_YEAR[period], view.delta)
    frame = units_of_privacy(mechanism, items_of_users, priced)
    origin = view.origin((mechanism,), "proven bounds", more={"releases": A_YEAR[period]})
    best = guess(mechanism.guarantee.epsilon, mechanism.guarantee.delta)
    usual = plural(items_of_users.quantile(0.99), "item")
    of_year = "a year" if period == "year" else f"each {period} of a year"
    note = (
        "guess: the best chance, from 50%, of telling whether the unit is in the log; "
        f"{share(best)} for one release. user_epsilon is for a user of {usual} (the 99% quantile) "
        f"in {of_year}: a user with many units is protected less."
    )
    columns, written = tuple(map(str, frame)), _written_costs(frame)
    return Answer("units", "Who is protected", frame, origin, columns, (note,), written=written)
