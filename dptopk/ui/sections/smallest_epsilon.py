"""Compute the smallest ε that reaches a target for each chosen mechanism, also at other k and δ."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dptopk import figures
from dptopk.core.counts import ItemCounts
from dptopk.core.parameters import DELTA, EPSILON
from dptopk.core.privacy import ApproximateCost
from dptopk.mechanisms import Mechanism
from dptopk.questions import settings
from dptopk.questions.epsilon import (
    TITLE,
    TITLES,
    NeededEpsilons,
    Requirement,
    at_other_deltas,
    at_other_ks,
    cheaper_unchosen,
    epsilon_rows,
    needed_epsilons,
    smallest_epsilons,
    target_curves,
    target_origin,
    warning_of_larger,
    within_budgets,
    words_on_fewer_items,
    words_on_unchosen,
)
from dptopk.questions.origin import Origin
from dptopk.questions.settings import OVER_DELTA, OVER_K
from dptopk.questions.stand_in import view_on
from dptopk.questions.view import View, styles_of
from dptopk.tuning import targets
from dptopk.tuning.implications import laws_about
from dptopk.tuning.repeated import NeededTogether, WithinBudget, chance_of_all, premise
from dptopk.tuning.search import LARGEST, SMALLEST, SmallestEpsilon
from dptopk.tuning.targets import Goal, filter_by_goal
from dptopk.ui import address, results, show
from dptopk.ui.formats import compact, frequency, needed, rounded_down, rounded_up, share, stated
from dptopk.ui.sections import python_lines
from dptopk.ui.sentences import alt_text, texts, titles
from dptopk.ui.show import Button, Chart, Offer, Table, Tile
from dptopk.ui.uploads import public_file

USE = (
    "Choosing ε by looking at private counts is itself a use of the data that no guarantee here "
    "covers: the chosen ε reveals something about them."
)
COMPOSED = (
    "Totals are composed from the declared privacy cost of each mechanism, and may be less than "
    "the sum."
)
LEAK = (
    f"{USE} Choose it on public data of the same kind (a bundled data set, last year's published "
    "file, a synthetic distribution), shown here beside your own."
)


@dataclass(frozen=True)
class Solved:
    """The smallest ε as shown; no chart if it was stopped before the first result.

    ``note`` is markdown with escaped names.  ``use`` offers the ε of the stand-in for the data,
    ``less`` a mechanism not chosen that needs a smaller ε.  Of several releases, ``headline``
    names the smallest total cost, the chart compares the total costs, and ``each`` is the chart of
    one release; ``budget`` has a title, a sentence and a table on the share of each in a given
    total.
    """

    title: str
    tiles: Mapping[str, Tile]
    answers: Mapping[str, SmallestEpsilon]
    chart: Chart | None
    note: str
    table: Table
    notes: list[str]
    code: Callable[..., str]  # told what else is solved; see `python_lines.lines`
    use: Offer | None
    less: Offer | None
    headline: str = ""
    each: Chart | None = None
    budget: tuple[str, str, Table] | None = None


def question(view: View, requirement: Requirement) -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    goal, n = requirement.goal.words(view.counts, view.k, view.unit), requirement.repeated.releases
    alone = len(view.mechanisms) == 1
    return (
        f"What do {n:,} releases cost for {goal}?"
        if requirement.repeated.several
        else f"What is the smallest ε for {goal}?",
        " ".join(
            [
                _how_often(requirement, goal),
                *texts.nothing_chosen(view.k, view.counts.d),
                "Compare asks something else: whose error is smallest at a given ε.",
                *([view.caveat] if view.source.repeats else []),
                *([f"Only {view.mechanisms[0].label} is chosen."] if alone else []),
            ]
        ),
    )


def _how_often(requirement: Requirement, goal: str) -> str:
    wanted, n = f"{compact(100 * requirement.chance)}%", requirement.repeated.releases
    if not requirement.repeated.several:
        return f"At this ε, a release has {goal} with probability {wanted}."
    if requirement.repeated.of_all:
        each, of_all = f"{compact(round(100 * requirement.probability, 6))}%", wanted
    else:
        log = n * math.log(requirement.probability)
        each, of_all = wanted, frequency(log, math.log(-math.expm1(log)))
    return f"Each has {goal} with probability {each}; all {n:,}: {of_all} on data like these."


def solve(
    view: View, requirement: Requirement, public: str = settings.NO_STAND_IN, *, on: str = ""
) -> Solved:
    """Solve for every chosen mechanism, cheapest first.

    ``public`` is the choice of a stand-in; ``on`` names the data of the view if they are one.
    """
    n, goal = requirement.repeated.releases, requirement.goal
    view = replace(view, releases=n) if requirement.repeated.several else view
    mechanisms, refused = filter_by_goal(view.counts, view.mechanisms, goal)
    budgeted = (requirement, view.delta, view.seed, results.IN_TURNS)
    on_data = needed_epsilons(view.counts, mechanisms, *budgeted)
    stand_in, note, there, elsewhere = None, "", view, NeededEpsilons()
    if public != settings.NO_STAND_IN:
        chosen = public_file.chosen_stand_in(public, view.counts, view.unit)
        stand_in, note = (None, chosen) if isinstance(chosen, str) else (chosen, chosen.sentence)
    if stand_in:
        there = view_on(view, stand_in)
        fitting = [m for m in mechanisms if m.k <= there.counts.d]
        elsewhere = needed_epsilons(there.counts, fitting, *budgeted, "choose-public")
    name = stand_in.name if stand_in else ""
    where = stand_in.called if stand_in and elsewhere.found else ""
    wanted = f"{compact(100 * requirement.probability)}%"
    drawn, of_drawn = (elsewhere, there) if elsewhere.found else (on_data, view)
    certain_here = certain_of(view.counts, on_data, goal)
    certain = certain_of(there.counts, elsewhere, goal) | (certain_here - elsewhere.found.keys())
    reading = (
        f"Dashed: {wanted}. Dotted: the current ε = {compact(view.epsilon)}. Thick curves are "
        f"exact; thin ones with marks are shares of {targets.RUNS_OF_CURVE:,} runs; a bar is the "
        "95% interval of an answer from runs."
        + (f" All curves are computed on {name}, none on your own data." if elsewhere.found else "")
    )
    origin_of_drawn = target_origin(of_drawn, requirement, drawn).read_as(reading)
    used = results.shares_used(view.counts, list(on_data.at.values()), "choose-used")
    cheaper = cheaper_unchosen(
        there, requirement, elsewhere if stand_in else on_data, results.IN_TURNS
    )
    chart = _chart(of_drawn, drawn, requirement, origin_of_drawn, cheaper) if drawn.found else None
    costs = drawn.together
    headline = alt_text.cheapest(drawn.found, costs, n) if costs else ""
    compared = {label: cost for label, cost in costs.items() if 0 < cost.value < math.inf}
    budget = within_budgets(view.counts, mechanisms, *budgeted)
    use = enough_there(elsewhere, name, view.epsilon)
    less = None
    if cheaper:
        best, epsilon = cheaper
        act = partial(address.choose, settings.mechanisms(), (*there.keys, best.card.key))
        words = words_on_unchosen(best, epsilon, there.releases, name or on)
        less = Offer(words, Button("Add it", "add-cheaper", act, best.card.summary))
    tiles = {
        label: _tile(label, on_data, elsewhere, name, view, certain)
        for label in (*elsewhere.found, *on_data.found)
        if label in on_data.found
    }
    if tiles and use is None:
        (first, tile), least = next(iter(tiles.items())), next(iter(on_data.found.values()))
        tiles[first] = replace(tile, button=use_epsilon(least, view.epsilon))
    title = titles.enough(drawn.found, drawn.together, n, where) if drawn.found else ""
    if cheaper and drawn.found and not drawn.together:
        unordered = any(one.outputs.ordered for one in mechanisms) > cheaper[0].outputs.ordered
        label = cheaper[0].label
        ranks = "if published without ranks, by"
        how = f"{ranks} {label}" if unordered else f"with {label}, not chosen"
        title += f"; {needed(cheaper[1])} {how}"
    return Solved(
        title=title,
        tiles=tiles,
        answers=on_data.found,
        chart=_compared(compared, headline, of_drawn, origin_of_drawn, n) if compared else chart,
        note=note,
        table=Table(
            _table(on_data, elsewhere.found, f"on {name}", used, certain_here, view),
            "smallest-epsilon",
            TITLE,
            target_origin(view, requirement, on_data, stand_in.title if stand_in else ""),
            epsilon_rows(on_data, elsewhere.solved, budget=budget or None, releases=n),
        ),
        notes=[*words_on_fewer_items(of_drawn.counts, drawn.solved), *refused],
        code=partial(python_lines.lines, view, mechanisms, requirement, stand_in),
        use=use,
        less=less,
        headline=headline,
        each=chart if compared else None,
        budget=_budget(view, mechanisms, budget, requirement),
    )


def use_epsilon(answer: SmallestEpsilon, present: float, source: str = "") -> Button | None:
    """Return a button that sets ε to the smallest sufficient one, rounded up, or None.

    ``source`` names the data if they are a stand-in.  An answer from runs is used with the upper
    end of its interval, as half of all estimates are too small.
    """
    if not 0 < answer.high < math.inf:
        return None
    wanted = rounded_up(answer.high)
    if wanted == present or not texts.worth_a_promise(wanted):
        return None
    act = partial(address.choose, EPSILON, wanted)
    known = "" if answer.exact else "the upper end of its simulated 95% interval, "
    help = f"Sets ε for all pages; {known}rounded up, so that it is enough."
    origin = f", from {source}" if source else ""
    return Button(f"Use ε = {compact(wanted)}{origin}", "use-epsilon", act, help)


def enough_there(public: NeededEpsilons, name: str, present: float) -> Offer | None:
    """Offer the smallest ε found on the stand-in, that of the cheapest mechanism.

    Of several releases it is the ε of each.
    """
    cheapest = next(iter(public.found.items()), None)
    if cheapest is None:
        return None
    label, answer = cheapest
    if answer.epsilon == 0 or answer.epsilon == math.inf:
        return Offer(f"On {name} {needed(answer.epsilon)} is enough.", None)
    each = ""
    if public.together:
        each = f" each, {needed(public.together[label].value)} together"
    use = ":material/check:"
    sentence = f"On {name} {label} needs ε = {answer.brief}{each}."
    if not answer.exact:
        unbounded = answer.high == math.inf
        high = "no upper end" if unbounded else f"{needed(answer.high)} at its upper end"
        sentence = f"{sentence[:-1]} (simulated; {high})."
    return Offer(sentence, use_epsilon(answer, present, name), use)


def _tile(
    label: str,
    on_data: NeededEpsilons,
    public: NeededEpsilons,
    name: str,
    view: View,
    certain: Collection[str],
) -> Tile:
    """Return a tile with the ε of a mechanism, on the stand-in for the data if there is one."""
    mechanism, here = on_data.at[label], on_data.together.get(label)
    answer = public.found.get(label, on_data.found[label])
    cost = public.together.get(label, here)
    own_words = here.brief if here else on_data.found[label].brief
    epsilon = cost.value if cost else answer.epsilon
    delta = view.delta if cost else mechanism.guarantee.delta
    odds = texts.odds_at_most(epsilon, delta, view.source)
    odds = odds if 0 < answer.epsilon < math.inf else ""
    no_order = "" if mechanism.outputs.ordered else "no order"
    own_delta = mechanism.guarantee.delta
    deltas = f"δ = {stated(own_delta)}" if own_delta else ""
    known = how_known(answer, mechanism.label in certain)
    parts = [", ".join(filter(None, (deltas, no_order))), known, odds]
    if cost:
        adds_up = isinstance(mechanism.cost, ApproximateCost)
        deltas = f"δ = {compact(rounded_up(own_delta))} each" if adds_up else ""
        parts = [f"{answer.brief} each", deltas, no_order, known, odds]
    if label in public.found:
        parts = [f"from {name}", *parts, f"on your own {own_words}"]
    return Tile(
        f"ε of {view.releases:,}, {mechanism.label}" if cost else f"ε, {mechanism.label}",
        cost.brief if cost else answer.brief,
        " · ".join(filter(None, parts)),
        help=mechanism.card.summary,
    )


def _compared(
    costs: Mapping[str, NeededTogether], headline: str, view: View, origin: Any, n: int
) -> Chart:
    """Return a chart of the total ε of several releases by mechanism, the cheapest on top."""
    origin = origin.read_as(f"{COMPOSED} {premise(n, view.delta)}")
    least = min(cost.high for cost in costs.values())
    largest = max(cost.value for cost in costs.values())
    return Chart(
        figures.amounts(
            list(costs),
            [rounded_up(cost.value) for cost in costs.values()],
            f"ε of {n:,} releases together",
            "%{x:,.3~r}" if largest < 100 else "%{x:,.4~r}",
            [cost.low <= least for cost in costs.values()],
        ),
        "together",
        f"ε of {n:,} releases together, by mechanism.",
        origin,
        height=max(256, 120 + 44 * len(costs)),
        least=120 + 34 * len(costs),
        finding=headline,
    )


def _budget(
    view: View,
    mechanisms: Sequence[Mechanism],
    budget: Mapping[str, WithinBudget],
    requirement: Requirement,
) -> tuple[str, str, Table] | None:
    """Return a section on these shares; None without a given total."""
    n, total = view.releases, requirement.repeated.total
    if not budget or total is None:
        return None
    built = {mechanism.label: mechanism for mechanism in mechanisms}
    rows, words = [], {}
    for label, one in budget.items():
        words[label] = chance_of_all(one.chance, 1).text, chance_of_all(one.chance, n).text
        row = {"mechanism": label, "ε of each": compact(rounded_down(one.epsilon))}
        row |= {"one is right": words[label][0], f"all {n:,} are right": words[label][1]}
        rows.append(row | {"releases": built[label].outputs.words})
    best, one = next(iter(budget.items()))
    goal = requirement.goal.words(view.counts, view.k, view.unit)
    at = f" and δ = {compact(view.delta)}" if view.delta else ""
    sentence = (
        f"Of ε = {compact(total)}{at} for all {n:,}, each release of {best} gets ε = "
        f"{rows[0]['ε of each']}; adding up would give {compact(rounded_down(total / n))} each. "
        f"Probability of {goal}: {words[best][0]} in one release, {words[best][1]} in all {n:,}."
    )
    by_runs = any(b.chance.runs for b in budget.values())
    at_each = [built[label].replaced(epsilon=one.epsilon) for label, one in budget.items()]
    more = {"target": goal, "total_epsilon": total, "delta_together": view.delta, "releases": n}
    origin = _origin(view, at_each, by_runs, more)
    return (
        f"What {n:,} releases get of ε = {compact(total)}",
        sentence,
        Table(pd.DataFrame(rows), "within-budget", "ε of each release within a total", origin),
    )


def _chart(
    view: View,
    needed: NeededEpsilons,
    requirement: Requirement,
    origin: Origin,
    cheaper: tuple[Mechanism, float] | None,
) -> Chart:
    """Draw the curves of one release; ``cheaper`` is not chosen and needs less."""
    solved = needed.found
    unchosen = (cheaper[0].label, cheaper[1]) if cheaper and not needed.together else None
    curves = target_curves(view, [*needed.solved], requirement, solved, results.IN_TURNS)
    finding = alt_text.cheapest(solved)
    if view.releases > 1:
        finding = f"Of one release: {finding[0].lower()}{finding[1:]}"
    return Chart(
        figures.target_curves(
            solved,
            curves,
            requirement.probability,
            styles_of(view.mechanisms, next(iter(solved))),
            view.epsilon,
            unchosen,
        ),
        "target",
        f"Probability of {requirement.goal.words(view.counts, view.k, view.unit)} against ε.",
        origin,
        least=252 + 12 * max(0, len(solved) + bool(unchosen) - 4),  # the legend takes several rows
        finding=finding,
    )


def _table(
    on_data: NeededEpsilons,
    public: Mapping[str, SmallestEpsilon],
    where: str,
    used: Mapping[str, float],
    certain: Collection[str],
    view: View,
) -> pd.DataFrame:
    rows, at, together, n = [], on_data.at, on_data.together, view.releases
    for label, answer in on_data.found.items():
        row = {"mechanism": label}
        if together:
            cost = together[label]
            row[f"ε of {n:,} together"] = cost.brief
            row["if added up"] = needed(cost.added)
        row["ε of each" if together else "ε needed"] = answer.brief
        row["how known"] = how_known(answer, label in certain)
        if together:
            row[f"all {n:,} are right"] = cost.chance.text
            row["composed"] = cost.by
        if public:
            row[f"ε {where}"] = public[label].brief if label in public else "—"
        delta = view.delta if together else at[label].guarantee.delta
        guess, epsilon = "—", cost.value if together else answer.epsilon
        if 0 < answer.epsilon < math.inf:
            protects = texts.worth_a_promise(epsilon)
            guess = texts.right_guess(epsilon, delta) if protects else texts.UNPROTECTED
        row["right guess from a 50% prior, at most"] = guess
        if used:
            row["share of ε really used here"] = share(used[label]) if label in used else "—"
        row["releases"] = at[label].outputs.words
        row["δ"] = stated(at[label].guarantee.delta)
        rows.append(row)
    return pd.DataFrame(rows)


def certain_of(counts: ItemCounts, needed: NeededEpsilons, goal: Goal) -> frozenset[str]:
    """Return the labels of mechanisms all of whose outputs reach the goal, at any ε."""
    return frozenset(
        mechanism.label
        for mechanism, answer in needed.solved.items()
        if answer.epsilon == 0
        and laws_about(counts, mechanism, goal.target(counts, mechanism.k)).certain
    )


def how_known(answer: SmallestEpsilon, certain: bool) -> str:
    """Describe how an ε is known, and whether a larger one may miss the target."""
    if answer.epsilon == 0:
        words = "every output achieves this" if certain else f"down to ε = {compact(SMALLEST)}"
    elif answer.epsilon == math.inf:
        there = f"{share(answer.reached)} of the runs"
        if answer.exact:
            there = frequency(math.log(answer.reached or math.ulp(0.0)))
        words = f"up to {LARGEST:,.0f}: there {there}"
    elif answer.exact:
        words = "exact"
    else:
        _, low, high = answer.parts
        high = high if answer.high < math.inf else "no upper limit from these runs"
        cut = ", narrowed by exact answers to easier or harder goals" if answer.cut else ""
        words = f"simulated (95%: {low if answer.low else 0} to {high}{cut})"
    return f"{words}; {warning_of_larger(answer)}" if answer.may_fall else words


def at_other_k(view: View, requirement: Requirement) -> Table:
    """Tabulate the smallest epsilon at a few other k."""
    tried, _ = at_other_ks(view, requirement.goal)
    _, table = _across(view, requirement, tried, OVER_K, "epsilon-at-other-k", {})
    return table


def against_delta(view: View, requirement: Requirement) -> None:
    """Compute the smallest epsilon against delta, beside the cheapest without delta."""
    every, _ = at_other_deltas(view, requirement.goal)
    st.header("What δ buys", anchor=False)
    if not any(m.card.takes(DELTA.key) for m in every):
        st.markdown("None of the chosen mechanisms uses a δ.")
        return
    words = requirement.goal.words(view.counts, view.k, view.unit)
    solved, table = _across(
        view, requirement, every, OVER_DELTA, "epsilon-against-delta", {"target": words}
    )
    curves: dict[str, dict[float, SmallestEpsilon]] = {}
    for m in every:
        if m.card.takes(DELTA.key):
            curve = curves.setdefault(m.label, {})
            curve |= {float(getattr(m, DELTA.key)): solved[m]} if m in solved else {}
    without = {m.label: solved[m] for m in every if m.label not in curves and m in solved}
    reaching = [(a.epsilon, label) for label, a in without.items() if 0 < a.epsilon < math.inf]
    best = min(reaching)[::-1] if reaching else None
    sentence = _against_delta_said(curves, best)
    st.markdown(sentence)
    show.chart(
        Chart(
            figures.epsilon_against_delta(curves, best, styles_of(view.mechanisms), view.delta),
            "against-delta",
            f"ε needed for {words} against δ.",
            table.origin,
            finding=sentence,
        )
    )
    show.table(table)


def _across(
    view: View,
    requirement: Requirement,
    tried: Sequence[Mechanism],
    over: str,
    name: str,
    more: Mapping[str, object],
) -> tuple[dict[Mechanism, SmallestEpsilon], Table]:
    """Find the smallest ε of mechanisms at several k or δ; tabulate those that have the setting."""
    doing, sign = ("choose-k", "k") if over == OVER_K else ("choose-delta", "δ")
    solved = smallest_epsilons(view.counts, tried, requirement, view.seed, results.IN_TURNS, doing)
    rows: dict[str, dict[str, str]] = {}
    for m, one in solved.items():
        if hasattr(m, over):
            rows.setdefault(m.label, {})[f"{sign} = {compact(getattr(m, over))}"] = one.brief
    frame = pd.DataFrame([{"mechanism": label} | row for label, row in rows.items()]).fillna("—")
    by_runs = not all(one.exact for one in solved.values())
    origin = _origin(view, [*solved], by_runs, {**more, "probability": requirement.probability})
    numbers = epsilon_rows(NeededEpsilons(solved), across=over) if solved else None
    return solved, Table(frame, name, TITLES[over], origin, numbers)


def _origin(
    view: View, mechanisms: Sequence[Mechanism], by_runs: bool, more: Mapping[str, object]
) -> Origin:
    computed = "exact, but for simulated intervals" if by_runs else "exact"
    seed = view.seed if by_runs else None
    return view.origin(mechanisms, computed, seed=seed, more=more, answers=("epsilon",))


def _against_delta_said(
    curves: Mapping[str, Mapping[float, SmallestEpsilon]], best: tuple[str, float] | None
) -> str:
    parts = []
    for label, answers in curves.items():
        ends = [delta for delta in answers if 0 < answers[delta].epsilon < math.inf]
        if not ends:
            parts.append(f"{label} does not reach the target at any δ")
            continue
        least, most = min(ends), max(ends)
        parts.append(
            f"{label} needs ε = {answers[least].brief} at δ = {compact(least)} and "
            f"{answers[most].brief} at δ = {compact(most)}"
        )
    if best:
        parts.append(f"{best[0]}, the cheapest without δ, needs {needed(best[1])}")
    return "; ".join(parts) + "."
