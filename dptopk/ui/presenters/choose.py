"""What does a target cost?  The smallest ε that reaches it, cheapest mechanism first."""

import math
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dptopk import figures
from dptopk.choosing import SmallestEpsilon
from dptopk.goals import able
from dptopk.mechanisms import Mechanism
from dptopk.parameters import Flag
from dptopk.questions.epsilon import (
    TITLE,
    at_found,
    cheapest_first,
    epsilon_rows,
    in_words,
    target_origin,
)
from dptopk.targets import RUNS_OF_CURVE
from dptopk.ui import (
    controls,
    costs_beside,
    moved_epsilon,
    public_file,
    results,
    target_code,
    target_results,
    texts,
    told,
    unchosen,
)
from dptopk.ui.epsilon_words import belief, certain_of, how, needs
from dptopk.ui.exhibits import Offer
from dptopk.ui.formats import compact, share
from dptopk.ui.solving import Asked, asked, by_label, solved
from dptopk.ui.widgets import Chart, Table, Tile
from dptopk.view import View, styles_of

OTHER_K = Flag("other_k", "ε at other k", False)
AGAINST_DELTA = Flag("against_delta", "What δ buys", False)

USE = (
    "Choosing ε by looking at private counts is itself a use of them, and no guarantee here covers "
    "it: whoever sees the ε that was chosen learns something of the data."
)
LEAK = (
    f"{USE} Choose it on public data of the same kind (a bundled set, last year's published file, "
    "a synthetic shape), here beside your own."
)


@dataclass(frozen=True)
class Options:
    """What the page itself lets people choose."""

    asked: Asked
    public: str
    other_k: bool
    against_delta: bool


@dataclass(frozen=True)
class Shown:
    """What the page shows; no chart if it was stopped at once.

    ``beside`` is markdown: strangers' names in it are plain already.  ``use`` offers the ε of what
    stands in for the data, if anything does, ``less`` who needs less and was not chosen.
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


def choose(view: View, place: Any) -> Options:
    """Controls of the page."""
    return Options(
        asked(place, view.k),
        public_file.choose(place),
        controls.flag(place, OTHER_K),
        controls.flag(place, AGAINST_DELTA),
    )


def question(view: View, options: Options) -> tuple[str, str]:
    """The question, and how to read the page."""
    wanted = f"{compact(100 * options.asked.probability)}%"
    return (
        f"What is the smallest ε for {options.asked.goal.words(view.counts, view.k, view.unit)}?",
        " ".join(
            [
                f"At this ε one release has it with probability {wanted}.",
                *texts.nothing_chosen(view.k, view.counts.d),
                _asked_of(view.mechanisms),
            ]
        ),
    )


def _asked_of(chosen: Sequence[Mechanism]) -> str:
    """Say that only the chosen mechanisms were asked."""
    if len(chosen) == 1:
        return f"Only {chosen[0].label} is chosen."
    return f"Cheapest of the {len(chosen)} chosen first."


def present(view: View, options: Options, on: str = "") -> Shown:
    """Solve for every chosen mechanism, cheapest first.

    ``on`` is what the data of the view are, where they stand in for one's own already.
    """
    mechanisms, refused = able(view.counts, view.mechanisms, options.asked.goal)
    found = cheapest_first(
        by_label(solved(view.counts, mechanisms, options.asked, view.seed, "choose"))
    )
    built = {mechanism.label: mechanism for mechanism in mechanisms}
    at = {label: at_found(built[label], answer.epsilon) for label, answer in found.items()}
    beside, public = costs_beside.asked(view, mechanisms, options.public, options.asked)
    stand_in = None if isinstance(beside, str) else beside
    name = stand_in.name if stand_in else ""
    wanted = f"{compact(100 * options.asked.probability)}%"
    words = options.asked.goal.words(view.counts, view.k, view.unit)
    title = stand_in.title if stand_in else ""
    chance = options.asked.probability
    origin = target_origin(view, found, list(at.values()), words, chance, title)
    there = costs_beside.view_on(view, stand_in) if stand_in else view
    drawn, of_drawn = (public, there) if public else (found, view)
    goal = options.asked.goal
    own = certain_of(view.counts, found, built, goal)
    certain = certain_of(there.counts, public, built, goal) | (own - public.keys())
    drawn_at = [at_found(built[label], answer.epsilon) for label, answer in drawn.items()]
    reading = (
        f"Dashed: {wanted}. Dotted: the present ε = {compact(view.epsilon)}. Thick curves are "
        f"exact; thin ones with marks are shares of {RUNS_OF_CURVE:,} runs, and the answer from "
        "runs has its 95% interval as a bar."
        + (f" All of them are of {name}, and none of your own data." if public else "")
    )
    words = goal.words(of_drawn.counts, view.k, view.unit)
    origin_of_drawn = target_origin(of_drawn, drawn, drawn_at, words, chance, "").read_as(reading)
    used = results.shares_used(view.counts, list(at.values()), "choose-used")
    return Shown(
        tiles=[
            _tile(found[label], public.get(label), name, at[label], view.protects, certain)
            for label in [*public, *(label for label in found if label not in public)]
            if label in found
        ],
        found=found,
        chart=_chart(of_drawn, drawn, built, options, origin_of_drawn) if drawn else None,
        caption=reading,
        leak=LEAK,
        beside=beside if isinstance(beside, str) else beside.sentence,
        table=Table(
            _table(found, public, f"on {name}", at, used, own),
            "smallest-epsilon",
            TITLE,
            origin,
            epsilon_rows(found, public, at),
        ),
        notes=refused,
        code=target_code.lines(
            view,
            mechanisms,
            options.asked,
            at_other_k=options.other_k,
            against_delta=options.against_delta,
            stand_in=stand_in,
        ),
        use=costs_beside.offered(public, name, view.epsilon),
        less=unchosen.cheaper(
            there,
            options.asked,
            public if stand_in else found,
            name or on,
        ),
    )


def at_other_k(view: View, options: Options) -> Table | None:
    """The same at other k, if asked."""
    return moved_epsilon.at_other_k(view, options.asked) if options.other_k else None


def against_delta(view: View, options: Options) -> moved_epsilon.AgainstDelta | None:
    """What δ buys, if asked."""
    return moved_epsilon.against_delta(view, options.asked) if options.against_delta else None


def _tile(
    own: SmallestEpsilon,
    public: SmallestEpsilon | None,
    name: str,
    mechanism: Mechanism,
    protects: str,
    certain: Collection[str],
) -> Tile:
    """What a mechanism needs: on what stands in for the data, if anything does, else on them."""
    answer = public or own
    odds = texts.odds_at_most(answer.epsilon, texts.even_odds(protects)) if belief(answer) else ""
    parts = [needs(mechanism), how(answer, mechanism.label in certain), odds]
    if public:
        parts = [f"from {name}", *parts, f"on your own {in_words(own)[0]}"]
    return Tile(
        f"ε, {mechanism.label}",
        in_words(answer)[0],
        " · ".join(filter(None, parts)),
        help=mechanism.card.summary,
    )


def _chart(
    view: View,
    found: Mapping[str, SmallestEpsilon],
    built: Mapping[str, Mechanism],
    options: Options,
    origin: Any,
) -> Chart:
    reached = [answer.epsilon for answer in found.values() if 0 < answer.epsilon < math.inf]
    ends = [*reached, view.epsilon]
    curves = target_results.target_curves(
        view.counts,
        [built[label] for label in found],
        options.asked.goal.target(view.counts, view.k),
        (max(min(ends) / 8, sys.float_info.min), min(max(ends), sys.float_info.max / 3) * 3),
        view.seed,
        "choose-curves",
    )
    return Chart(
        figures.target_curves(
            found, curves, options.asked.probability, styles_of(view.mechanisms), view.epsilon
        ),
        "target",
        f"Probability of {options.asked.goal.words(view.counts, view.k, view.unit)} against ε.",
        origin,
        least=256 + 12 * max(0, len(found) - 4),  # the legend takes several rows
        finding=told.cheapest(found),
        slide=f"{told.cheapest(found)} Dashed: probability "
        f"{compact(100 * options.asked.probability)}%; dotted: ε = {compact(view.epsilon)}.",
    )


def _table(
    found: Mapping[str, SmallestEpsilon],
    public: Mapping[str, SmallestEpsilon],
    where: str,
    at: Mapping[str, Mechanism],
    used: Mapping[str, float],
    certain: Collection[str],
) -> pd.DataFrame:
    rows = []
    for label, answer in found.items():
        row = {
            "mechanism": label,
            "ε needed": in_words(answer)[0],
            "how known": how(answer, label in certain),
        }
        if public:
            row[f"ε {where}"] = in_words(public[label])[0] if label in public else "—"
        row["even odds become at most"] = belief(answer) or "—"
        if used:
            row["share of ε really used here"] = share(used[label]) if label in used else "—"
        row["releases"] = at[label].outputs.words
        row["δ"] = compact(at[label].guarantee.delta)
        rows.append(row)
    return pd.DataFrame(rows)
