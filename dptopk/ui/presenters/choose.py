"""What does a target cost?  The smallest ε that reaches it, cheapest mechanism first."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dptopk import choosing, figures, settings
from dptopk.choosing import SmallestEpsilon
from dptopk.counts import ItemCounts
from dptopk.datasets import dataset_info, dataset_names, load_dataset
from dptopk.errors import METRICS
from dptopk.exact import NoClosedFormError
from dptopk.mechanisms import Mechanism
from dptopk.parameters import Choice, Flag, Ladder, Number
from dptopk.targets import Target, checked_target
from dptopk.ui import controls, results, snippets
from dptopk.ui.formats import compact, plural, share
from dptopk.ui.view import View, styles_of
from dptopk.ui.widgets import Chart, Table, Tile

GOAL = Choice(
    "goal",
    "What must be right",
    {
        "exact_set": "the items",
        "exact_sequence": "the items and their order",
        "items_right": "at least so many items",
        "error": "the error: at most so much",
    },
    "exact_set",
)
LEAST = Number("least", "At least", 1, settings.MAX_K, 9)
MOST = Number("most", "At most", 0, 10**9, 10)
CHANCE = Ladder(
    "chance",
    "With probability",
    (0.5, 0.8, 0.9, 0.95, 0.99, 0.999),
    0.95,
    "probability",
    "How often one release must reach it.",
)
OTHER_K = Flag("other_k", "ε at other k", False)
_OTHERS = (5, 10, 20, 50)
_MINUTES = 100_000_000  # steps of a pmf

LEAK = (
    "Choosing ε by looking at private counts is itself a use of them, and no guarantee on this "
    "page covers it: whoever sees the ε you chose learns something of the data. Choose it on "
    "public data of the same kind (a bundled set, last year's published file, a synthetic shape), "
    "here beside your own."
)


def stand_in() -> Choice:
    """Public data on which the same is asked."""
    names = {name: dataset_info(name).title for name in dataset_names()}
    return Choice("stand_in", "Beside it, on public data", {"none": "none"} | names, "none")


@dataclass(frozen=True)
class Options:
    """What the page itself lets people choose."""

    target: Target
    words: str
    probability: float
    public: str
    other_k: bool


@dataclass(frozen=True)
class Shown:
    """What the page shows; no chart if it was stopped at once."""

    question: tuple[str, str]
    tiles: list[Tile]
    chart: Chart | None
    caption: str
    leak: str
    table: Table
    at_other_k: Table | None
    notes: list[str]
    code: str


def choose(view: View, place: Any) -> Options:
    """Controls of the page."""
    goal = controls.choice(place, GOAL, look="select")
    target: Target = goal
    words = {
        "exact_set": f"the right {plural(view.k, 'item')}",
        "exact_sequence": f"the right {plural(view.k, 'item')} in order",
    }.get(goal, "")
    if goal == "items_right":
        least = controls.number(place, LEAST, high=view.k)
        target, words = (goal, least), f"at least {least} of the right {plural(view.k, 'item')}"
    elif goal == "error":
        key = controls.choice(place, settings.METRIC, allowed=_IN_USERS, look="select")
        most = controls.number(place, MOST)
        target, words = (key, most), f"an {METRICS[key].title} of at most {plural(most, 'user')}"
    probability = controls.ladder(place.container(width=260), CHANCE) or CHANCE.default
    public = controls.choice(place, stand_in(), look="select")
    return Options(target, words, probability, public, controls.flag(place, OTHER_K))


_IN_USERS = tuple(key for key, metric in METRICS.items() if metric.unit == "users")


def present(view: View, options: Options) -> Shown:
    """Solve for every chosen mechanism, cheapest first."""
    mechanisms, refused = _able(view.counts, view.mechanisms, options.target)
    found = _cheapest_first(solved(view, view.counts, mechanisms, options, "choose"))
    by_label = {mechanism.label: mechanism for mechanism in mechanisms}
    public: dict[str, SmallestEpsilon] = {}
    if options.public != "none":
        counts = load_dataset(options.public)
        fitting = [m for m in mechanisms if m.k <= counts.d]
        public = solved(view, counts, fitting, options, "choose-public")
    at = [_at(by_label[label], answer.epsilon) for label, answer in found.items()]
    wanted = f"{compact(100 * options.probability)}%"
    simulated = any(not answer.exact for answer in found.values())
    origin = view.origin(
        at,
        "exact, but for simulated intervals" if simulated else "exact",
        **({"seed": view.seed} if simulated else {}),
        more={"target": options.words, "probability": options.probability},
    )
    frame = _table(found, public, by_label)
    return Shown(
        question=(
            f"What does {options.words} cost?",
            f"The smallest ε at which one release has it with probability {wanted}; cheapest "
            "first.",
        ),
        tiles=[_tile(label, answer, by_label[label]) for label, answer in found.items()],
        chart=_chart(view, found, by_label, options, origin) if found else None,
        caption=f"Dashed: {wanted}. Dotted: the sidebar's ε = "
        f"{compact(view.epsilon)}. Thick curves are exact; thin ones with marks are shares of 500 "
        "runs, and the answer from runs has its 95% interval as a bar.",
        leak=LEAK,
        table=Table(frame, "smallest-epsilon", origin),
        at_other_k=_at_other_k(view, mechanisms, options, origin) if options.other_k else None,
        notes=refused,
        code=snippets.small(
            view.source.python,
            mechanisms,
            f"""
for mechanism in mechanisms:
    found = smallest_epsilon(
        counts, mechanism, {options.target!r}, {options.probability}, seed={view.seed}
    )
    print(mechanism.label, found.epsilon, found.low, found.high)
""",
        ),
    )


def solved(
    view: View,
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    options: Options,
    key: str,
) -> dict[str, SmallestEpsilon]:
    """Smallest epsilon of each mechanism by label; of those that were finished, if stopped."""
    return results.smallest_epsilons(
        counts, mechanisms, options.target, options.probability, view.seed, key
    )


def _able(
    counts: ItemCounts, mechanisms: Sequence[Mechanism], target: Target
) -> tuple[list[Mechanism], list[str]]:
    """Mechanisms that can reach the target at all, and why others cannot."""
    able, refused = [], []
    for mechanism in mechanisms:
        try:
            checked_target(target, mechanism)
        except NoClosedFormError as error:
            refused.append(f"{mechanism.label} is left out: {error}.")
            continue
        if mechanism.pmf_work(counts.sorted) > _MINUTES:
            refused.append(
                f"{mechanism.label} is left out: at k = {mechanism.k} it would take minutes."
            )
        else:
            able.append(mechanism)
    return able, refused


def _cheapest_first(found: Mapping[str, SmallestEpsilon]) -> dict[str, SmallestEpsilon]:
    return dict(sorted(found.items(), key=lambda pair: pair[1].epsilon))


def _at(mechanism: Mechanism, epsilon: float) -> Mechanism:
    """The mechanism at an epsilon that was found, or as it was."""
    return mechanism.replaced(epsilon=epsilon) if 0 < epsilon < math.inf else mechanism


def _amount(answer: SmallestEpsilon) -> str:
    if answer.epsilon == 0:
        return "any ε"
    if answer.epsilon == math.inf:
        return "no ε"
    return compact(float(f"{answer.epsilon:.3g}"))


def _how(answer: SmallestEpsilon) -> str:
    if answer.epsilon == 0:
        return f"even ε = {compact(choosing.SMALLEST)}"
    if answer.epsilon == math.inf:
        return f"up to {choosing.LARGEST:,.0f}: there {share(answer.reached)}"
    if answer.exact:
        return "exact"
    return f"simulated (95%: {answer.low:.3g} to {answer.high:.3g})"


def _needs(mechanism: Mechanism) -> str:
    """What it takes and gives, where people must know before they compare."""
    delta = mechanism.guarantee.delta
    parts = [f"δ = {compact(delta)}"] if delta else []
    parts += [] if mechanism.outputs.ordered else ["no order"]
    return ", ".join(parts)


def _tile(label: str, answer: SmallestEpsilon, mechanism: Mechanism) -> Tile:
    needs = _needs(mechanism)
    return Tile(
        f"ε, {label}",
        _amount(answer),
        (f"{needs} · " if needs else "") + _how(answer),
        help=mechanism.card.summary,
    )


def _chart(
    view: View,
    found: Mapping[str, SmallestEpsilon],
    by_label: Mapping[str, Mechanism],
    options: Options,
    origin: Any,
) -> Chart:
    reached = [answer.epsilon for answer in found.values() if 0 < answer.epsilon < math.inf]
    ends = [*reached, view.epsilon]
    curves = results.target_curves(
        view.counts,
        [by_label[label] for label in found],
        options.target,
        (min(ends) / 8, max(ends) * 3),
        view.seed,
        "choose-curves",
    )
    best = next(iter(found))
    return Chart(
        figures.target_curves(
            found, curves, options.probability, styles_of(view.mechanisms), view.epsilon
        ),
        "target",
        f"Probability of {options.words} against ε; {best} needs the smallest, "
        f"{_amount(found[best])}.",
        origin,
    )


def _table(
    found: Mapping[str, SmallestEpsilon],
    public: Mapping[str, SmallestEpsilon],
    by_label: Mapping[str, Mechanism],
) -> pd.DataFrame:
    rows = []
    for label, answer in found.items():
        row = {"mechanism": label, "ε needed": _amount(answer), "how known": _how(answer)}
        if public:
            row["ε on the public data"] = _amount(public[label]) if label in public else "—"
        mechanism = by_label[label]
        row["releases"] = mechanism.outputs.words
        row["δ"] = compact(mechanism.guarantee.delta)
        rows.append(row)
    return pd.DataFrame(rows)


def _at_other_k(
    view: View, mechanisms: Sequence[Mechanism], options: Options, origin: Any
) -> Table:
    """Smallest epsilon at a few other k, where the target makes sense there."""
    columns: dict[str, dict[str, str]] = {}
    for k in (k for k in _OTHERS if k <= view.counts.d):
        target = options.target
        if isinstance(target, tuple) and target[0] == "items_right":
            target = ("items_right", min(int(target[1]), k))
        at_k = [mechanism.replaced(k=k) for mechanism in mechanisms]
        changed, _ = _able(view.counts, at_k, target)
        asked = Options(target, options.words, options.probability, "none", False)
        found = solved(view, view.counts, changed, asked, f"choose-k{k}")
        columns[f"k = {k}"] = {label: _amount(answer) for label, answer in found.items()}
    frame = pd.DataFrame(columns).rename_axis("mechanism").reset_index()
    return Table(frame.fillna("—"), "epsilon-at-other-k", origin)
