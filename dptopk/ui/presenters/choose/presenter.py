"""Compute the smallest ε that reaches a target, for every chosen mechanism."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from dptopk import figures
from dptopk.core.numerals import estimated
from dptopk.core.parameters import Flag
from dptopk.core.privacy import ApproximateCost
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import (
    TITLE,
    at_found,
    cheapest_first,
    epsilon_rows,
    in_words,
    target_origin,
)
from dptopk.questions.view import View, styles_of
from dptopk.tuning.goals import able
from dptopk.tuning.repeated import NeededTogether, WithinBudget, chance_of_all, premise
from dptopk.tuning.search import LARGEST, SMALLEST, SmallestEpsilon
from dptopk.tuning.targets import RUNS_OF_CURVE
from dptopk.ui import results, target_results
from dptopk.ui.controls import inputs
from dptopk.ui.exhibits.base import Offer
from dptopk.ui.findings import alt_text, texts
from dptopk.ui.formats import (
    chance,
    compact,
    needed,
    probability,
    rounded_down,
    rounded_up,
    share,
    share_of_runs,
)
from dptopk.ui.presenters.choose import (
    cheaper_mechanisms,
    epsilon_by_parameter,
    python_lines,
    stand_in_costs,
)
from dptopk.ui.presenters.choose.sentences import belief, certain_of, how, needs
from dptopk.ui.presenters.choose.solving import Asked, asked, by_label, solved
from dptopk.ui.uploads import public_file
from dptopk.ui.widgets.elements import Chart, Table, Tile

OTHER_K = Flag("other_k", "ε at other k", False)
AGAINST_DELTA = Flag("against_delta", "What δ buys", False)

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
class Options:
    """Settings of the page."""

    asked: Asked
    public: str
    other_k: bool
    against_delta: bool


@dataclass(frozen=True)
class Budget:
    """Share of each of several releases in a given total: a title, a sentence and a table."""

    title: str
    sentence: str
    table: Table


@dataclass(frozen=True)
class Shown:
    """Contents of the page; no chart if it was stopped before the first result.

    ``beside`` is markdown with escaped names.  ``use`` offers the ε of the stand-in for the data,
    ``less`` a mechanism not chosen that needs a smaller ε.  Of several releases, ``together`` are
    the total costs, ``headline`` names the smallest, the chart compares them, ``premise`` states
    the assumptions, and ``each`` is the chart of one release; ``budget`` is the share of each in
    a given total.
    """

    tiles: list[Tile]
    found: Mapping[str, SmallestEpsilon]
    chart: Chart | None
    caption: str
    leak: str
    beside: str
    table: Table
    notes: list[str]
    code: str
    use: Offer | None
    less: Offer | None
    together: Mapping[str, NeededTogether]
    headline: str = ""
    premise: str = ""
    each: Chart | None = None
    budget: Budget | None = None


def choose(view: View, place: Any) -> Options:
    """Draw the controls of the page."""
    return Options(
        asked(place, view.k),
        public_file.choose(place),
        inputs.flag(place, OTHER_K),
        inputs.flag(place, AGAINST_DELTA),
    )


def question(view: View, options: Options) -> tuple[str, str]:
    """Return the page's question and a sentence on how to read it."""
    asked = options.asked
    goal, n = asked.goal.words(view.counts, view.k, view.unit), asked.repeated.releases
    several = asked.repeated.several
    return (
        f"What do {n:,} releases cost, each with {goal}?"
        if several
        else f"What is the smallest ε for {goal}?",
        " ".join(
            [
                how_often(asked),
                *texts.nothing_chosen(view.k, view.counts.d),
                *_asked_of(view.mechanisms, several=several),
            ]
        ),
    )


def how_often(asked: Asked) -> str:
    """Describe the probability asked for, of one release or of several."""
    wanted, n = f"{compact(100 * asked.chance)}%", asked.repeated.releases
    if not asked.repeated.several:
        return f"At this ε one release achieves it with probability {wanted}."
    log = math.log(asked.probability)
    of_all = probability(n * log, math.log(-math.expm1(n * log)))
    alike = "on data like these, as their noise is independent"
    if asked.repeated.of_all:
        each = f"each with {compact(round(100 * asked.probability, 6))}%"
        return f"All {n:,} achieve it with probability {wanted}, {each}, {alike}."
    return f"Each achieves it with probability {wanted}, so all {n:,} do with {of_all} {alike}."


def _asked_of(chosen: Sequence[Mechanism], *, several: bool) -> list[str]:
    """Name the chosen mechanism if it is the only one, else describe the order of the ranking."""
    if len(chosen) == 1:
        return [f"Only {chosen[0].label} is chosen."]
    words = f"The {len(chosen)} chosen mechanisms are listed by ε, smallest first."
    return [] if several else [words]


def present(view: View, options: Options, on: str = "") -> Shown:
    """Solve for every chosen mechanism, cheapest first.

    ``on`` names the data of the view if they are a stand-in.
    """
    repeated = options.asked.repeated
    n = repeated.releases
    view = replace(view, releases=n) if repeated.several else view
    mechanisms, refused = able(view.counts, view.mechanisms, options.asked.goal)
    found = by_label(solved(view.counts, mechanisms, options.asked, view.seed, "choose"))
    built = {mechanism.label: mechanism for mechanism in mechanisms}
    together = target_results.together(found, built, n, view.delta)
    found = cheapest_first(found, together)
    together = {label: together[label] for label in found if together}
    at = {label: at_found(built[label], answer.epsilon) for label, answer in found.items()}
    beside, public = stand_in_costs.asked(view, mechanisms, options.public, options.asked)
    there_together = target_results.together(public, built, n, view.delta)
    public = cheapest_first(public, there_together)
    stand_in = None if isinstance(beside, str) else beside
    name = stand_in.name if stand_in else ""
    wanted = f"{compact(100 * options.asked.probability)}%"
    words = options.asked.goal.words(view.counts, view.k, view.unit)
    title = stand_in.title if stand_in else ""
    often = options.asked.chance
    origin = target_origin(view, found, list(at.values()), words, often, title, repeated)
    there = stand_in_costs.view_on(view, stand_in) if stand_in else view
    drawn, of_drawn = (public, there) if public else (found, view)
    goal = options.asked.goal
    own = certain_of(view.counts, found, built, goal)
    certain = certain_of(there.counts, public, built, goal) | (own - public.keys())
    drawn_at = [at_found(built[label], answer.epsilon) for label, answer in drawn.items()]
    reading = (
        f"Dashed: {wanted}. Dotted: the present ε = {compact(view.epsilon)}. Thick curves are "
        f"exact; thin ones with marks are shares of {RUNS_OF_CURVE:,} runs, and the answer from "
        "runs has its 95% interval as a bar."
        + (f" All curves are computed on {name}, none on your own data." if public else "")
    )
    words = goal.words(of_drawn.counts, view.k, view.unit)
    origin_of_drawn = target_origin(of_drawn, drawn, drawn_at, words, often, "", repeated)
    origin_of_drawn = origin_of_drawn.read_as(reading)
    used = results.shares_used(view.counts, list(at.values()), "choose-used")
    chart = _chart(of_drawn, drawn, built, options, origin_of_drawn) if drawn else None
    costs = (there_together or together) if public else together
    headline = alt_text.cheapest_together(drawn, costs, n) if costs else ""
    compared = {label: cost for label, cost in costs.items() if 0 < cost.epsilon < math.inf}
    budget = _budget(view, mechanisms, options.asked)
    return Shown(
        tiles=[
            _tile(
                found[label],
                public.get(label),
                name,
                at[label],
                view,
                certain,
                (together.get(label), there_together.get(label)),
            )
            for label in [*public, *(label for label in found if label not in public)]
            if label in found
        ],
        found=found,
        chart=_compared(compared, headline, of_drawn, origin_of_drawn, n) if compared else chart,
        caption=reading,
        leak=LEAK,
        beside=beside if isinstance(beside, str) else beside.sentence,
        table=Table(
            _table(found, public, f"on {name}", at, used, own, together, n),
            "smallest-epsilon",
            TITLE,
            origin,
            epsilon_rows(found, public, at, together, budget, n),
        ),
        notes=refused,
        code=python_lines.lines(
            view,
            mechanisms,
            options.asked,
            at_other_k=options.other_k,
            against_delta=options.against_delta,
            stand_in=stand_in,
        ),
        use=stand_in_costs.offered(public, name, view.epsilon, there_together),
        less=cheaper_mechanisms.cheaper(
            there,
            options.asked,
            public if stand_in else found,
            name or on,
            there_together if stand_in else together,
        ),
        together=together,
        headline=headline,
        premise=f"{COMPOSED} {premise(n, view.delta)}" if costs else "",
        each=chart if compared else None,
        budget=_told_budget(view, mechanisms, budget, options.asked),
    )


def at_other_k(view: View, options: Options) -> Table | None:
    """Tabulate the smallest epsilon at other k, if asked."""
    return epsilon_by_parameter.at_other_k(view, options.asked) if options.other_k else None


def against_delta(view: View, options: Options) -> epsilon_by_parameter.AgainstDelta | None:
    """Compute the smallest epsilon against δ, if asked."""
    return (
        epsilon_by_parameter.against_delta(view, options.asked) if options.against_delta else None
    )


def _tile(
    own: SmallestEpsilon,
    public: SmallestEpsilon | None,
    name: str,
    mechanism: Mechanism,
    view: View,
    certain: Collection[str],
    together: tuple[NeededTogether | None, NeededTogether | None],
) -> Tile:
    """Return a tile with the ε of a mechanism, on the stand-in for the data if there is one.

    ``together`` are the total costs of several releases, on the data and on the stand-in.
    """
    answer, cost = public or own, together[1] or together[0]
    own_words = in_words(own)[0] if together[0] is None else total_words(together[0])[0]
    epsilon = cost.epsilon if cost else answer.epsilon
    odds = texts.odds_at_most(epsilon, texts.even_odds(view.protects)) if belief(answer) else ""
    parts = [needs(mechanism), how(answer, mechanism.label in certain), odds]
    if cost:
        parts = [f"{in_words(answer)[0]} each", *_of_each(mechanism), *parts[1:]]
    if public:
        parts = [f"from {name}", *parts, f"on your own {own_words}"]
    return Tile(
        f"ε of {view.releases:,}, {mechanism.label}" if cost else f"ε, {mechanism.label}",
        total_words(cost)[0] if cost else in_words(answer)[0],
        " · ".join(filter(None, parts)),
        help=mechanism.card.summary,
    )


def total_words(cost: NeededTogether) -> tuple[str, str, str]:
    """Format the total ε of several releases and the ends of its interval."""
    return estimated(cost.epsilon, cost.low, cost.high)


def _of_each(mechanism: Mechanism) -> list[str]:
    """Return the δ and the kind of output of one of several releases, where notable."""
    adds_up = isinstance(mechanism.cost, ApproximateCost)
    delta = [f"δ = {compact(rounded_up(mechanism.guarantee.delta))} each"] if adds_up else []
    return delta + ([] if mechanism.outputs.ordered else ["no order"])


def _compared(
    costs: Mapping[str, NeededTogether], headline: str, view: View, origin: Any, n: int
) -> Chart:
    """Return a chart of the total ε of several releases by mechanism, the cheapest on top."""
    origin = origin.read_as(f"{COMPOSED} {premise(n, view.delta)}")
    least = min(cost.high for cost in costs.values())
    largest = max(cost.epsilon for cost in costs.values())
    return Chart(
        figures.amounts(
            list(costs),
            [rounded_up(cost.epsilon) for cost in costs.values()],
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
        slide=f"{headline} {COMPOSED}",
    )


def _budget(view: View, mechanisms: Sequence[Mechanism], asked: Asked) -> dict[str, WithinBudget]:
    """Compute the share of each release in a given total; those most often right come first."""
    targets = {m: asked.goal.target(view.counts, m.k) for m in mechanisms}
    found = target_results.within_budgets(
        view.counts, targets, asked.repeated, view.delta, view.seed, "choose-budget"
    )

    def order(pair: tuple[str, WithinBudget]) -> tuple[float, float]:
        one = pair[1]
        if one.chance is None:
            return -one.reached, 0.0
        rest = one.chance.log_complement  # of those that a float calls certain
        return -one.reached, 0.0 if math.isnan(rest) else rest

    return dict(sorted(found.items(), key=order))


def _told_budget(
    view: View, mechanisms: Sequence[Mechanism], budget: Mapping[str, WithinBudget], asked: Asked
) -> Budget | None:
    """Convert these shares to a sentence and a table; None without a given total."""
    n, total = view.releases, asked.repeated.total
    if not budget or total is None:
        return None
    built = {mechanism.label: mechanism for mechanism in mechanisms}
    rows, words = [], {}
    for label, one in budget.items():
        words[label] = _often(one, 1), _often(one, n)
        row = {"mechanism": label, "ε of each": compact(rounded_down(one.epsilon))}
        row |= {"one is right": words[label][0], f"all {n:,} are right": words[label][1]}
        rows.append(row | {"releases": built[label].outputs.words})
    best, one = next(iter(budget.items()))
    goal = asked.goal.words(view.counts, view.k, view.unit)
    at = f" and δ = {compact(view.delta)}" if view.delta else ""
    sentence = (
        f"Of ε = {compact(total)}{at} for all {n:,}, each release of {best} gets ε = "
        f"{rows[0]['ε of each']}; adding up would give {compact(rounded_down(total / n))} each. "
        f"Probability of {goal}: {words[best][0]} in one release, {words[best][1]} in all {n:,}."
    )
    origin = view.origin(
        [built[label].replaced(epsilon=one.epsilon) for label, one in budget.items()],
        "exact, but for simulated intervals" if any(b.runs for b in budget.values()) else "exact",
        seed=view.seed if any(b.runs for b in budget.values()) else None,
        more={"target": goal, "total_epsilon": total, "delta_together": view.delta, "releases": n},
        answers=("epsilon",),
    )
    return Budget(
        f"What {n:,} releases get of ε = {compact(total)}",
        sentence,
        Table(pd.DataFrame(rows), "within-budget", "ε of each release within a total", origin),
    )


def _often(one: WithinBudget, releases: int) -> str:
    """Format the probability that one, or that all of several releases are right."""
    if one.chance is not None:
        return chance(chance_of_all(one.chance, releases))
    return share_of_runs(*(share**releases for share in (one.reached, one.low, one.high)))


def _chart(
    view: View,
    found: Mapping[str, SmallestEpsilon],
    built: Mapping[str, Mechanism],
    options: Options,
    origin: Any,
) -> Chart:
    reached = [answer.epsilon for answer in found.values() if 0 < answer.epsilon < math.inf]
    ends = [*reached, min(max(view.epsilon, SMALLEST), LARGEST)]  # as far as is searched
    curves = target_results.target_curves(
        view.counts,
        [built[label] for label in found],
        options.asked.goal.target(view.counts, view.k),
        (max(min(ends) / 8, SMALLEST), min(max(ends) * 3, LARGEST)),
        view.seed,
        "choose-curves",
    )
    finding = alt_text.cheapest(found)
    if view.releases > 1:
        finding = f"Of one release: {finding[0].lower()}{finding[1:]}"
    return Chart(
        figures.target_curves(
            found, curves, options.asked.probability, styles_of(view.mechanisms), view.epsilon
        ),
        "target",
        f"Probability of {options.asked.goal.words(view.counts, view.k, view.unit)} against ε.",
        origin,
        least=256 + 12 * max(0, len(found) - 4),  # the legend takes several rows
        finding=finding,
        slide=f"{finding} Dashed: probability "
        f"{compact(100 * options.asked.probability)}%; dotted: ε = {compact(view.epsilon)}.",
    )


def _table(
    found: Mapping[str, SmallestEpsilon],
    public: Mapping[str, SmallestEpsilon],
    where: str,
    at: Mapping[str, Mechanism],
    used: Mapping[str, float],
    certain: Collection[str],
    together: Mapping[str, NeededTogether],
    n: int,
) -> pd.DataFrame:
    rows = []
    for label, answer in found.items():
        row = {"mechanism": label}
        if together:
            cost = together[label]
            row[f"ε of {n:,} together"] = total_words(cost)[0]
            row["if added up"] = needed(cost.added)
        row["ε of each" if together else "ε needed"] = in_words(answer)[0]
        row["how known"] = how(answer, label in certain)
        if together:
            ends = (cost.reached, cost.reached_low, cost.reached_high)
            row[f"all {n:,} are right"] = share(ends[0]) if answer.exact else share_of_runs(*ends)
            row["composed"] = cost.by
        if public:
            row[f"ε {where}"] = in_words(public[label])[0] if label in public else "—"
        row["a 50% prior rises to at most"] = (
            belief(answer, cost.epsilon if together else None) or "—"
        )
        if used:
            row["share of ε really used here"] = share(used[label]) if label in used else "—"
        row["releases"] = at[label].outputs.words
        row["δ"] = compact(at[label].guarantee.delta)
        rows.append(row)
    return pd.DataFrame(rows)
