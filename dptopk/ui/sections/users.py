"""Show errors by the bound on the items per user, items that nobody listed, and repeated lists.

The events are those that were uploaded, if distinct users were counted; else a synthetic log.
Where their time was read, a release is of one period.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.accounting.sparse_gaussian import SparseGaussian
from dptopk.core import papers
from dptopk.core.numerals import compact, needed, rounded_up, share_below_1 as _guess
from dptopk.core.privacy import NeighborRelation
from dptopk.data.ingest import Contribution, CountsByBound, ItemsOfUsers
from dptopk.data.sources import Source
from dptopk.data.synthetic_log import synthetic_log
from dptopk.mechanisms import Mechanism
from dptopk.questions import item_discovery, settings, users as question_of_users
from dptopk.questions.answer import Answer
from dptopk.questions.users import A_YEAR, ONE_KEY, UNPROTECTED
from dptopk.questions.view import View, styles_of
from dptopk.tuning.contribution_bound import CAUSES, bound_of
from dptopk.ui import results, show, snippets
from dptopk.ui.formats import joined, plain, plural, share, stated
from dptopk.ui.show import Button, Chart, Table
from dptopk.ui.uploads import session_uploads

_MOST_SETS = 100  # of items found that are drawn for each division of ε
_NAMES, _LETTER = 150, 7  # pixels of a column of mechanisms, and of a letter
_WEEK = 5  # of the synthetic log, whose users are shown
_synthetic_log = cache(synthetic_log)
_SYNTHETIC = (
    "A synthetic log, since no log is loaded (**Upload** accepts "
    "one, with a row for each user and item): 12 weeks of 3,000 users and 200 items. In a week a "
    "user has m items with a probability proportional to m^-1.8 (at most 50), and returns in the "
    "next with probability 75%."
)
EXAMPLE = (
    "**An invented log:** the data are counts, not who has what. Upload a log, or skip this step."
)
QUESTIONS = {  # of each part, with a sentence on how to read its answer
    settings.OF_USERS: (
        "How many items should each user count for?",
        "A bound allows less noise but removes counts.",
    ),
    settings.OF_UNLISTED: (
        "What is found if nobody listed the items?",
        "With a public list of items, such as a catalogue, skip this. Without one, items are "
        "found by noise and a threshold. Weighted: a user of t items adds 1 / √t to each.",
    ),
    settings.OF_SERIES: (
        "What does a list each {period} cost in a year?",
        "The total ε for users who are in some or all of the lists, and how many names are new "
        "even if nothing changed.",
    ),
}
_GRAY = "Gray: cannot be published here, as its sampler is not exact."
_NOT_SWAP = (
    "Not shown for a user who is replaced: the proof that the two steps together keep the budget "
    "is for a user who joins or leaves."
)
_NO_SELECTION = (
    "Not shown: none of the chosen mechanisms selects from a list of items for users of any number "
    "of items, as Joint does."
)
_ONE_PERIOD = (
    "Your whole file is taken as the events of one {period}. If it holds more, these numbers are "
    "too optimistic: when you open the file, choose the column under “Times of events are in”, and "
    "press “Count each {period}, too”, so that each {period} is counted by itself."
)
_BEST = {"max_items": "items per user, at most", "is_best": "best"}
_HEADINGS = {  # of tables as shown, by their name; downloads have the names of Python
    "items-found": _BEST
    | {
        "sigma": "σ of the noise",
        "expected": "items found, on average",
        "deviation": "standard deviation",
        "counts_kept": "share of all counts",
        "all_of_top_k": "all of the top k found",
    },
    "found-then-selected": _BEST
    | {
        "share": "share of ε for finding",
        "not_found": "places not found",
        "not_selected": "found, not selected",
        "wrong": "places lost",
        "wrong_low": "at least",
        "wrong_high": "at most",
        "is_exact": "exact",
        "as_good": "as good as the best",
    },
    "bounded-items": {
        "bounded": "count under the bound",
        "bounded_place": "place under the bound",
        "expected": "mean over all keys",
        "deviation": "standard deviation",
    },
}


@dataclass(frozen=True)
class CountedLog:
    """Log of a page: the counts of one release under every bound, and of each period, if known.

    ``series`` is by the names of the periods, ``stays`` tells in how many of them users are.
    """

    by_bound: CountsByBound
    said: str
    series: Mapping[str, CountsByBound] = field(default_factory=dict)
    period: str = ""
    stays: ItemsOfUsers | None = None
    synthetic: bool = False


def log_of(view: View) -> CountedLog:
    """Return the uploaded log, or a synthetic one."""
    by_bound, periods = view.source.by_bound, view.source.by_period
    if periods is not None:
        series = {str(day): counts for day, counts in periods.series.items()}
        one, n = periods.period, plural(len(series), periods.period)
        words = (
            f"Of the {one} of {periods.day}, the median of {n} of your file by its number of "
            f"pairs: {periods.by_bound.items_of_users.sentence}"
        )
        return CountedLog(periods.by_bound, words, series, one, periods.stays)
    if by_bound is not None:
        words = f"Of your file: {by_bound.items_of_users.sentence}"
        return CountedLog(by_bound, words)
    log = _synthetic_log()
    one_week = log.weeks[_WEEK]
    words = f"{_SYNTHETIC} Of one week. {one_week.items_of_users.sentence}"
    weeks = {str(number): week for number, week in enumerate(log.weeks, 1)}
    return CountedLog(one_week, words, weeks, "week", log.weeks_of_users, synthetic=True)


def view_of(view: View, log: CountedLog) -> View:
    """Return the view of the counts of the log without a bound."""
    counts = log.by_bound.counts
    if log.synthetic:
        source = Source(
            counts,
            "Synthetic log",
            _SYNTHETIC,
            (),
            f"by_bound = synthetic_log().weeks[{_WEEK}]",
            Contribution.COUNTED,
            items_of_users=log.by_bound.items_of_users,
            bundled=True,
        )
        results.share(source)
    else:
        how = view.source.python.removesuffix(".counts").replace("counts = ", "by_bound = ", 1)
        how = f"{how}.report.by_bound"
        if view.source.by_period is not None:
            how = f"{view.source.python_by_period}\nby_bound = periods.by_bound"
        source = replace(view.source, counts=counts, max_items=None, cut="", python=how)
    return replace(view, source=source)


# --- how many items of a user ---------------------------------------------------------------


def offer_bound(place: Any, source: Source, bound: int) -> None:
    """Offer to count the upload under a bound on the items of a user, or again without."""
    if source.by_bound is None or source.by_period is not None:
        return
    most = None if source.max_items == bound else bound
    words = f"Count at most {plural(bound, 'item')} per user" if most else "Count all items"
    act = partial(session_uploads.bound, most)
    meant = "On all pages. To undo, click the file's name."
    with place:
        show.button(Button(words, "apply-bound", act, meant))


def bounds(
    screen: show.Screen, view: View, log: CountedLog, answer: Answer, period: str, bound: int | None
) -> None:
    """Show the wrong items of a release by the bound on the items per user."""
    made = partial(_bounds, view, log, answer, period, bound)
    places, causes, users, units = results.shown("bounds", view, (period, bound), made)
    gray = "" if answer.frame["can_publish"].all() else _GRAY
    screen.lead(question_of_users.finding(answer, view.keys), places, gray)
    mechanisms = answer.origin.mechanisms
    deltas = dict.fromkeys(one.guarantee.delta for one in mechanisms if one.guarantee.delta)
    words = f"ε = {compact(mechanisms[0].epsilon)} for each release, "
    each = joined([stated(delta) for delta in deltas]) if deltas else ""
    words += f"and δ = {each} for those that need it." if deltas else "without δ."
    with show.below(places, words):
        _winners(answer, view.k)
        st.caption(answer.notes[0])
    st.header("Causes of a wrong item", anchor=False)
    st.caption(
        "*Clipping*: the bounded counts have another item in their top k; *threshold*: the place "
        "stays empty; *noise*: neither top k has the item."
    )
    show.chart(causes)
    st.header("Items per user", anchor=False)
    st.markdown(log.said)
    show.chart(users)
    if bound is not None:
        best = question_of_users.best_of(answer, view.keys)
        st.header("Top items under the bound", anchor=False)
        show.table(_table(question_of_users.items(view, best, log.by_bound, bound)))
        st.caption(ONE_KEY)
    show.points((*answer.notes[2:], *units))
    code = f"""
found = errors_by_bound(by_bound, mechanisms, n={view.n}, seed={view.seed})
print(found.to_string())
"""
    show.take_away(snippets.small(view.source.python, mechanisms, code), answer.origin)


def _bounds(
    view: View, log: CountedLog, answer: Answer, period: str, bound: int | None
) -> tuple[Chart, Chart, Chart, tuple[str, ...]]:
    frame, k, best = answer.frame, view.k, question_of_users.best_of(answer, view.keys)
    units = question_of_users.units(view, best, period, log.by_bound.items_of_users).frame
    whole, one, event = (units.iloc[place] for place in range(3))
    places = Chart(
        figures.errors_by_bound(
            frame,
            styles_of(tuple(answer.origin.mechanisms)),
            k,
            bound,
            question_of_users.marked(answer, view.keys),
        ),
        "wrong-places",
        f"Wrong places of {k} against the bound on the items per user, a line for each mechanism.",
        answer.origin,
        finding=f"{question_of_users.finding(answer, view.keys)}.",
    )
    return (
        places,
        _by_mechanism(view, bound, answer),
        _distribution(view, log, bound),
        (
            f"From a 50% prior, a guess about one user is right with probability at most "
            f"{_guess(one['guess'])} after the list of one {period}, and "
            f"{_guess(whole['guess'])} after a year of lists.",
            "If only single events were protected, it would be "
            f"{_guess(event['guess'])} for one event and {_guess(event['user_guess'])} for a user "
            "at the 99% quantile of items all year.",
        ),
    )


# --- items that nobody listed ---------------------------------------------------------------


def unlisted(screen: show.Screen, view: View, log: CountedLog, answer: Answer) -> None:
    """Show which items are found that nobody listed, and a selection from them."""
    top, title = min(view.k, log.by_bound.counts.d), view.source.title
    arguments = (log.by_bound, view.epsilon, view.delta, top, None, title)
    try:
        answer_unlisted: Answer = results.remembered(item_discovery.found_by_bound, *arguments)
    except ValueError as error:
        show.note(plain(str(error), 300))
        return
    finding, chart = _items_found(log, answer_unlisted)
    promised = f"ε = {compact(view.epsilon)} and δ = {compact(view.delta)} for a release."
    screen.lead(finding, chart, promised)
    sources = "; ".join(source.link for source in SparseGaussian.sources)
    with show.below(
        chart,
        detail="Every item gets Gaussian noise and is released if its noisy count exceeds a "
        "threshold, with ε and δ for one user who joins or leaves. A user of t items adds "
        "1 / √t to each (weighted), or 1.",
    ):
        show.table(_table(answer_unlisted))
        st.caption(f"{answer_unlisted.notes[0]} Sources: {sources}.")
    code = f"""
items = items_found_by_bound(by_bound, {view.epsilon}, {view.delta}, k={top})
print(items.to_string())
"""
    selections = [  # the chosen mechanisms that can select from items found
        one
        for one in answer.origin.mechanisms
        if one.card.key in view.keys
        and one.guarantee.fixed_items
        and one.guarantee.max_items is None
        and one.neighbors is NeighborRelation.ADD_REMOVE
    ]
    n_sets = min(view.n, _MOST_SETS)
    if _selected(view, log, selections, answer, n_sets):
        code += f"""
shares = errors_by_share(by_bound, mechanisms, {view.delta}, n={n_sets}, seed={view.seed})
print(shares.to_string())
"""
    show.take_away(snippets.small(view.source.python, selections, code), answer_unlisted.origin)


def _items_found(log: CountedLog, answer: Answer) -> tuple[str, Chart]:
    """Return what the bound that keeps most of the counts finds, and draw it for all bounds."""
    frame = answer.frame
    best = frame[frame["is_best"]].iloc[0]
    items = f"{best['expected']:,.1f} of {(log.by_bound.counts.counts > 0).sum():,} items are found"
    kept = f"which have {share(best['counts_kept'])} of all counts"
    weighted, other = (frame[frame["weighted"] == one] for one in (True, False))
    lines = {
        "weighted": weighted["counts_kept"].tolist(),
        "unweighted": other["counts_kept"].tolist(),
        "top_weighted": weighted["all_of_top_k"].tolist(),
        "top_unweighted": other["all_of_top_k"].tolist(),
    }
    chart = Chart(
        figures.items_found([f"{bound:,}" for bound in weighted["max_items"]], lines),
        "items-found",
        "Expected share of all counts on items that are found, and the probability that all of "
        "the top k are found, by the number of items of a user that count.",
        answer.origin,
        height=400,
        least=300,  # names of lines that lie close together
        finding=answer.notes[0],
    )
    return f"{items} on average, {kept}", chart


def _selected(
    view: View, log: CountedLog, selections: Sequence[Mechanism], bounds: Answer, n_sets: int
) -> bool:
    """Show a selection from the items found, for each division of ε; return False without one.

    ``n_sets`` of items found are drawn for each.
    """
    st.header("A selection from the items found", anchor=False)
    if not selections:
        show.note(_NOT_SWAP if view.neighbors is NeighborRelation.SWAP else _NO_SELECTION)
        return False
    st.markdown(
        "A share of ε is used to find items, as above, and the rest to select the top k among "
        "them, from the counts of all users. The larger the share for finding, the fewer items of "
        "the top k are missed; the smaller it is, the fewer of those found are displaced by other "
        "items."
    )
    try:
        answer = item_discovery.by_share(
            log.by_bound,
            selections,
            view.delta,
            results.IN_TURNS,
            n=n_sets,
            seed=view.seed,
            data=view.source.title,
        )
    except ValueError as error:  # of δ, which the whole of ε allows and no share of it
        show.note(plain(str(error), 300))
        return False
    if answer is None:
        return False
    best, _, _, unprotected = answer.notes
    if row := question_of_users.best_unlisted(bounds.frame):
        best += (
            f" The best mechanism that needs no list, with all of ε, loses "
            f"{question_of_users.written_places(row['wrong'])}: {row['mechanism']}, "
            f"{_bound_words(row)}."
        )
    frame = answer.frame
    show.chart(
        Chart(
            figures.errors_by_share(frame, styles_of(tuple(selections)), view.k),
            "shares",
            "Lost places of the top k by the share of ε for finding items, one line for each "
            "mechanism that selects, with 95% intervals where it is simulated.",
            answer.origin,
            height=440,
            finding=best,
        )
    )
    source = papers.DICK_2026.at("weighted Gaussian, then peeling")
    st.caption(f"{best} {unprotected} Half and half, with peeling: {source.link}.")
    show.table(_table(answer))
    return True


def _bound_words(row: Mapping[str, Any]) -> str:
    return "no bound" if pd.isna(row["max_items"]) else f"at most {int(row['max_items']):,}"


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['mechanism']}\n{_bound_words(row)}"


def _by_mechanism(view: View, bound: int | None, answer: Answer) -> Chart:
    """Draw the wrong items by cause of each mechanism under a bound, the best bound, and none."""
    frame, k, best = answer.frame, view.k, question_of_users.best_chosen(answer, view.keys)
    here: list[Any] = frame[frame["max_items"] == bound].to_dict("records")
    named = {_name(row): row for row in (*here, *question_of_users.best_choices(frame), best)}
    names, rows = [*named], [*named.values()]
    texts = [
        question_of_users.written_places(row["wrong"]) + " best" * (name == _name(best))
        for name, row in named.items()
    ]
    under = "no bound" if bound is None else f"at most {plural(bound, 'item')} per user"
    finding = "; ".join(
        f"{', '.join(name.splitlines())}: {words}" for name, words in zip(names, texts, strict=True)
    )
    return Chart(
        figures.errors_by_cause(
            names, {cause: [row[cause] for row in rows] for cause in CAUSES}, texts, k
        ),
        "bounds",
        f"Wrong places of {k} by cause, with {under}.",
        answer.origin.read_as("Bars are split into clipping, threshold and noise."),
        height=130 + 52 * len(rows),
        least=max(256, 110 + 42 * len(rows)),
        finding=f"Wrong places, with {under}: {finding}.",
    )


def _winners(answer: Answer, k: int) -> None:
    table = question_of_users.winners(answer)
    frame = table.frame
    shades = (frame.drop(columns="mechanism") / k).map(_shade).assign(mechanism="")
    text = frame[["mechanism"]].assign(**table.written)
    show.table(
        Table(
            text.style.apply(lambda _: shades[[*text]], axis=None),
            answer.name,
            table.title,
            answer.origin,
            answer.frame,
            {
                "height": "content",  # every mechanism, also more than ten
                "column_config": {"mechanism": {"pinned": True, "width": _NAMES}}
                | {
                    label: {"width": 20 + _LETTER * max(len(cell) for cell in (label, *cells))}
                    for label, cells in table.written.items()
                },
            },
        )
    )
    st.caption(table.notes[0])


def _shade(wrong: float) -> str:
    """Return the background of a cell for the share of places that is wrong, if there is one."""
    return "" if np.isnan(wrong) else f"background-color: rgba(213, 94, 0, {wrong / 2:.2f})"


def _distribution(view: View, log: CountedLog, bound: int | None) -> Chart:
    of_users = log.by_bound.items_of_users
    most = int(of_users.sizes[-1])
    lows = [2**power for power in range(most.bit_length())]
    ends = [(low, min(2 * low - 1, most)) for low in lows]
    names = [plural(a, "item") if a == b else f"{a:,} to {b:,} items" for a, b in ends]
    users = np.bincount(np.digitize(of_users.sizes, lows) - 1, of_users.users).astype(int).tolist()
    within = [bound is None or low <= bound for low in lows]
    origin = view.origin((), "true counts, no noise", more={"k": view.k})
    return Chart(
        figures.amounts(names, users, "users", "%{x:,}", within),
        "items-of-users",
        "Users by their number of items; paler above the bound.",
        origin,
        height=max(220, 60 + 34 * len(names)),
        finding=of_users.sentence,
    )


# --- a list that comes again ----------------------------------------------------------------


def series(screen: show.Screen, view: View, log: CountedLog, answer: Answer, period: str) -> None:
    """Show what a list of each period costs, and how many of its names are new."""
    best = question_of_users.best_of(answer, view.keys)
    counted = period == log.period
    stays = log.stays if counted else None
    compared = question_of_users.candidates(answer, view.keys)
    n_periods = len(log.series) if counted else 0
    costs = question_of_users.costs(view, compared, period, stays, n_periods)
    frame = costs.frame[costs.frame["mechanism"] == best.label]
    names = [
        f"{user} ({plural(int(n), period)})"
        for user, n in zip(frame["user"], frame["periods"], strict=True)
    ]
    chart = Chart(
        figures.amounts(
            names,
            [rounded_up(epsilon) for epsilon in frame["epsilon_total"]],
            "ε in a year",
            "%{x:.3~g}",
            [n == frame["periods"].max() for n in frame["periods"]],
            lines=2,
        ),
        "year",
        f"ε of a year of lists each {period} by {best.label}, for users who are in some or all.",
        costs.origin,
        height=340,
        finding=costs.notes[0],
    )
    offered = [one.label for one in compared if one.card.key in view.keys and not one.why_not_exact]
    whole = costs.frame[costs.frame["periods"] == frame["periods"].max()]
    whole = whole[whole["mechanism"].isin([best.label, *offered])]
    here, least = frame.iloc[-1], whole.iloc[int(whole["epsilon_total"].to_numpy().argmin())]
    title = f"A list each {period} costs {_cost_of(here)} a year"
    if least["mechanism"] != best.label:
        title += f"; {_cost_of(least)}"
    if not log.period:
        with screen.place:
            show.note(_ONE_PERIOD.format(period=period))
    screen.lead(title, chart, "" if log.synthetic else log.said * bool(log.period))
    with show.below(
        chart,
        f"Each list is of the events of one {period} alone, by {best.label}, the best chosen, at "
        "the chosen ε: a user who is in w of them incurs the cost of w releases.",
    ):
        show.table(_table(costs))
        st.caption(" ".join(costs.notes[:-1]))
        st.caption(costs.notes[-1])
    st.header("New names though nothing changed", anchor=False)
    _turnover(view, log, best, several=counted and len(log.series) > 1)
    st.header("Who is protected", anchor=False)
    units = question_of_users.units(view, best, period, log.by_bound.items_of_users)
    show.table(_table(units))
    show.points((units.notes[0], UNPROTECTED))
    code = f"""
for mechanism in mechanisms:
    print(costs_of_series(mechanism, {A_YEAR[period]}, {view.delta}).to_string())
"""
    show.take_away(snippets.small(view.source.python, [best], code), costs.origin)


def _cost_of(row: pd.Series) -> str:
    delta = f", δ = {stated(row['delta_total'])}" if row["delta_total"] else ""
    return f"ε = {needed(row['epsilon_total'])}{delta} by {row['mechanism']}"


def _turnover(view: View, log: CountedLog, best: Mechanism, *, several: bool) -> None:
    """Show the turnover from each period of the log to the next, or of two alike."""
    bound = bound_of(best)
    series = log.series if several else dict.fromkeys(("first", "second"), log.by_bound)
    truth = {name: one.counts for name, one in series.items()}
    bounded = {name: one.bounded(bound) for name, one in series.items()} if bound else truth
    truth = truth if several else bounded
    turnover = question_of_users.turnover(view, best, bounded, truth, results.IN_TURNS)
    if turnover is None:
        return
    frame = turnover.frame
    if not several:
        st.markdown(
            f"If nothing changes from one list to the next, {frame['noise'].iloc[0]:.1f} of "
            f"{view.k} released names are still new, by noise alone."
        )
        return
    st.markdown(
        f"{turnover.notes[0]} The rest is due to changes in the counts, and to which items of each "
        f"user a bound happens to keep in a {log.period}."
    )
    show.chart(
        Chart(
            figures.turnover(
                frame["period"].tolist(),
                {name: frame[name].tolist() for name in ("true", "noise", "released")},
                view.k,
                f"{log.period} of the synthetic log"
                if log.synthetic
                else f"first day of a {log.period}",
            ),
            "turnover",
            "New names of each list, in truth, as released, and by noise alone.",
            turnover.origin,
            height=380,
            finding=turnover.notes[0],
        )
    )
    show.table(_table(turnover))


def _table(answer: Answer) -> Table:
    frame = answer.frame[list(answer.shown)]
    named = frame.round(4).rename(columns=_HEADINGS.get(answer.name, {}))
    return Table(
        frame if answer.written else named,
        answer.name,
        answer.title,
        answer.origin,
        answer.frame,
        words=answer.written,
    )
