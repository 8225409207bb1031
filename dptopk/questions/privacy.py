"""Exact privacy loss of each mechanism over all neighbors of a small case."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from dptopk.core.cancellation import Progress
from dptopk.core.counts import ItemCounts
from dptopk.core.privacy import NeighborRelation
from dptopk.laws.privacy_losses import WorstCase, within, worst_case_hockey_stick, worst_case_loss
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import PITFALLS
from dptopk.questions import SMALL, settings
from dptopk.questions.answer import Answer, SettingValues
from dptopk.questions.origin import Origin
from dptopk.questions.runner import AT_ONCE, AtOnce, Runner, Task
from dptopk.questions.small_cases import SmallCase, small_case
from dptopk.questions.view import View

TITLE = "Largest privacy loss of each mechanism"
MOST_ITEMS = {NeighborRelation.ADD_REMOVE: 8, NeighborRelation.SWAP: 6}  # 510 and 728 neighbors
MOST_OUTPUTS = 1_000
ITEMS_ALONE = (
    "For mechanisms that also release counts, this is the privacy loss of the items alone."
)

Found = tuple[WorstCase, WorstCase | None]
"""The worst loss of a mechanism and, where it promises a delta, the worst hockey-stick."""


@dataclass(frozen=True)
class Judged:
    """Mechanisms at their settings, with the neighboring relation under which they are checked.

    ``wrong`` says what goes wrong, if it is meant to.
    """

    case: SmallCase
    mechanisms: tuple[Mechanism, ...]
    neighbors: NeighborRelation
    wrong: str = ""

    def origin(self, mechanisms: Sequence[Mechanism], note: str = "") -> Origin:
        """Return the origin of figures and tables of some of the mechanisms."""
        judged = f"judged by: {settings.change(self.neighbors.value)}" if self.wrong else ""
        notes = " · ".join(words for words in (self.wrong, judged, note) if words)
        return self.case.origin(mechanisms, "exact", note=notes)


def mechanisms_to_check(view: View, case: SmallCase, what: str) -> Judged:
    """Return the mechanisms to check on a case: the chosen ones, or deliberately wrong ones."""
    mechanisms = view.at(case.k, case.counts, by_law=True)
    if what == settings.AS_PROMISED:
        return Judged(case, mechanisms, view.neighbors)
    pitfall = PITFALLS[what]
    fields = {"k": case.k, "epsilon": view.epsilon, "neighbors": view.neighbors, **view.parameters}
    wrong = pitfall.wrong(mechanisms, fields)
    return Judged(case, wrong, pitfall.judged_by or view.neighbors, pitfall.title)


def worst_cases(
    counts: ItemCounts,
    mechanisms: Sequence[Mechanism],
    neighbors: NeighborRelation,
    runner: Runner = AT_ONCE,
    name: str = "privacy",
) -> dict[str, Found]:
    """Return the largest loss and, with delta, the largest hockey-stick divergence, by label."""
    tasks = {(m, "loss"): Task(worst_case_loss, (counts, m, neighbors), 1, 10) for m in mechanisms}
    for m in mechanisms:
        if m.guarantee.delta:
            arguments = (counts, m, m.guarantee.epsilon, neighbors)
            tasks[m, "stick"] = Task(worst_case_hockey_stick, arguments, 1, 10)
    done = runner.each(tasks, name)
    return {
        m.label: (done[m, "loss"], done.get((m, "stick")))
        for m in mechanisms
        if all((m, kind) in done for kind in ("loss", "stick") if (m, kind) in tasks)
    }


def is_kept(mechanism: Mechanism, loss: WorstCase, stick: WorstCase | None) -> bool:
    """Return whether the guarantee holds on the counts, up to rounding."""
    promised = mechanism.guarantee
    if stick is None:
        return within(loss.value, promised.epsilon)
    return stick.value <= promised.delta * (1 + 1e-9)


def covered_by_delta(mechanisms: Iterable[Mechanism], worst: Mapping[str, Found]) -> list[str]:
    """Return the labels of mechanisms whose loss exceeds epsilon and is covered by delta."""
    return [
        m.label
        for m in mechanisms
        for loss, stick in [worst[m.label]]
        if stick is not None
        and not within(loss.value, m.guarantee.epsilon)
        and is_kept(m, loss, stick)
    ]


def describe(counts: ItemCounts, neighbor: ItemCounts) -> str:
    """Describe the change by one user that makes the neighbor, as plain text."""
    change = neighbor.counts - counts.counts
    gained = [item for item, moved in zip(counts.items, change, strict=True) if moved > 0]
    lost = [item for item, moved in zip(counts.items, change, strict=True) if moved < 0]
    if not gained and not lost:
        return "The data do not change."
    if gained and lost:
        return f"A user with {', '.join(lost)} is replaced by one with {', '.join(gained)}."
    verb = "joins" if gained else "leaves"
    return f"A user who holds {', '.join(gained or lost)} {verb}."


def use_rows(run: Judged, worst: Mapping[str, Found]) -> pd.DataFrame:
    """Return one row per mechanism: its guarantee, and the worst neighbor's loss and place."""
    rows = []
    for mechanism in run.mechanisms:
        loss, stick = worst[mechanism.label]
        promised, counts = mechanism.guarantee, run.case.counts
        rows.append(
            {
                "mechanism": mechanism.label,
                "promised_epsilon": promised.epsilon,
                "largest_loss": loss.value,
                "promised_delta": promised.delta,
                "needed_delta": 0.0 if stick is None else stick.value,
                "is_kept": is_kept(mechanism, loss, stick),
                "worst_output": mechanism.outputs.label([*loss.output], counts.items),
                "worst_neighbor": describe(counts, loss.neighbour),
            }
        )
    return pd.DataFrame(rows)


def answer(view: View, values: SettingValues, progress: Progress) -> Answer:
    """Compute the privacy loss over every neighbor of a small case."""
    if values[settings.SMALL.key] == settings.SMALL_ALL:
        raise ValueError("all neighbours of all of the data cannot be listed: take --small top")
    case = small_case(view.source, *(values[key] for key in SMALL))
    counts, most = case.counts, MOST_ITEMS[view.neighbors]
    if counts.d > most:
        raise ValueError(
            f"all neighbours of {counts.d} items cannot be listed: {most} items are the most where "
            f"{settings.change(view.neighbors.value)}"
        )
    run = mechanisms_to_check(view, case, values[settings.RUN.key])
    refused = view.refusals(case.k, counts, by_law=True)
    if not run.mechanisms:
        raise ValueError(" ".join(refused))
    n = max(m.outputs.n_outputs(counts.d, case.k) for m in run.mechanisms)
    if n > MOST_OUTPUTS:
        raise ValueError(
            f"{n:,} outputs are too many for every neighbour, of {MOST_OUTPUTS:,} at most: take a "
            "smaller --small-k or fewer items"
        )
    worst = worst_cases(counts, run.mechanisms, run.neighbors, AtOnce(progress))
    notes = [f"All neighbours were tried: {settings.change(run.neighbors.value)}.", *refused]
    notes += [ITEMS_ALONE] * any(m.outputs.counted for m in run.mechanisms)
    notes += [
        f"{label}: its loss above ε does not violate the guarantee; such outputs have a "
        "probability that δ covers."
        for label in covered_by_delta(run.mechanisms, worst)
    ]
    return Answer(
        "privacy-use",
        TITLE,
        use_rows(run, worst),
        run.origin(run.mechanisms),
        (
            *("mechanism", "promised_epsilon", "largest_loss", "promised_delta", "needed_delta"),
            *("is_kept", "worst_output", "worst_neighbor"),
        ),
        tuple(notes),
    )
