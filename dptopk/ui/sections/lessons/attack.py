"""Lesson 1: a differencing attack on lists that are published without noise."""

import itertools

import numpy as np

from dptopk import figures
from dptopk.core.array_types import FloatArray
from dptopk.core.counts import ItemCounts
from dptopk.mechanisms import Mechanism
from dptopk.mechanisms.pitfalls import NoNoise
from dptopk.mechanisms.selections import ONE_CHOICE
from dptopk.questions.small_cases import typed_case
from dptopk.questions.view import View, styles_of
from dptopk.ui import snippets
from dptopk.ui.formats import counted, plain
from dptopk.ui.sections.lessons import lesson
from dptopk.ui.show import Chart

_K = 2
_CASE = typed_case("12, 9, 9, 3", _K)
_MONDAY = _CASE.counts
_TUESDAY = ItemCounts(_MONDAY.counts + np.array([0, 0, 1, 0]), _MONDAY.items)  # Alice brings C
_EXACT, _PRIVATE = lesson.built(NoNoise, _K), lesson.built(ONE_CHOICE, _K)
_NOTHING, _LIKELY, _CERTAIN, _EVERYTHING = "nothing", "likely", "certain", "everything"


def _list_of(counts: ItemCounts) -> list[int]:
    """Return the top k without noise: positions, with ties in the order of names."""
    return [int(i) for i in counts.order[:_K]]


def _example(view: View, step: int) -> lesson.Example:
    step = min(step, 1)
    lists = [_list_of(_MONDAY), _list_of(_TUESDAY)]
    monday, tuesday = (", ".join(_MONDAY.items[i] for i in listed) for listed in lists)
    listed = lists[step]
    names = [
        f"{item}{f', place {listed.index(i) + 1}' if i in listed else ''}"
        for i, item in enumerate(_MONDAY.items)
    ]
    day = ("Monday", "Tuesday")[step]
    items = (monday, tuesday)[step]
    chosen = [i in listed for i in range(_MONDAY.d)]
    bars = figures.amounts(names, _MONDAY.counts.tolist(), "patients on Monday", "%{x:,}", chosen)
    return lesson.Example(
        LESSON.say("Example", monday=monday, tuesday=tuesday),
        Chart(
            bars,
            "example",
            f"The counts of Monday; darker is the list of {day}.",
            _CASE.origin((), "true counts, no noise"),
            height=300,
            finding=f"The list of {day}: {items}. On Monday: "
            f"{', '.join(f'{item} {count}' for item, count in _MONDAY)}.",
        ),
        1,
        LESSON.say(f"Step {step}", items=items),
    )


def _beliefs(mechanism: Mechanism) -> FloatArray:
    """Belief that Alice has each diagnosis, if all sets of them were equally likely before."""
    seen = np.array([_list_of(_TUESDAY)])
    sets = np.array(list(itertools.product((0, 1), repeat=_MONDAY.d)))
    likely = np.array(
        [np.exp(mechanism.log_pmf(ItemCounts(_MONDAY.counts + held), seen)[0]) for held in sets]
    )
    beliefs: FloatArray = likely @ sets / likely.sum()
    return beliefs


def _in_words(belief: float) -> str:
    """Write a belief; a list without noise leaves some that are certain."""
    return f"{belief:.0%}" if belief in (0, 1) else lesson.written(belief)


def _answer(step: int) -> lesson.Answer:
    both = (_EXACT, _PRIVATE)
    beliefs = {m.label: _beliefs(m) for m in both}
    posterior = beliefs[_EXACT.label]
    b, c = float(posterior[1]), float(posterior[2])
    value = _NOTHING
    if c == 1 and b == 0:
        value = _EVERYTHING if np.isin(posterior, (0, 1)).all() else _CERTAIN
    elif c > 0.5:
        value = _LIKELY
    words = {label: [_in_words(p) for p in each.tolist()] for label, each in beliefs.items()}
    described = "; ".join(f"{label}: C {each[2]}, B {each[1]}" for label, each in words.items())
    code = """
held = np.array([[(i >> j) & 1 for j in range(counts.d)] for i in range(2**counts.d)])
for mechanism in mechanisms:
    p = [np.exp(mechanism.log_pmf(ItemCounts(counts.counts + h), [[0, 2]])[0]) for h in held]
    print(mechanism.label, np.array(p) @ held / np.sum(p))
"""
    return lesson.Answer(
        value,
        f"{words[_EXACT.label][2]}",
        f"belief that she has C; with {_PRIVATE.label} at ε = 1: {words[_PRIVATE.label][2]}",
        LESSON.say("Why"),
        Chart(
            figures.output_probabilities(
                [f"Alice has {item}" for item in _MONDAY.items],
                beliefs,
                styles_of(both),
                words=words,
                beside=True,
            ).update_xaxes(title_text="belief after the list; before: 50%"),
            "answer",
            "Belief that Alice has each diagnosis, after Tuesday’s list.",
            _CASE.origin(both, "exact"),
            height=figures.height_of_rows(_MONDAY.d, 2),
            finding=f"{described}.",
        ),
        snippets.small(_CASE.python, both, code),
    )


def _on_data(view: View) -> lesson.OnData:
    top = view.counts.sorted.top(view.k + 1)
    gaps = top[:-1] - top[1:]
    if not gaps.size:
        return lesson.OnData(LESSON.say("On the data: one item"))
    positions = view.counts.order[: top.size]
    changes = (gaps == 0) | ((gaps == 1) & (positions[1:] < positions[:-1]))
    least = int(gaps.argmin())
    names = [plain(name) for name in view.counts.names(positions[least : least + 2])]
    return lesson.OnData(
        LESSON.say(
            "On the data",
            changes=int(changes.sum()),
            gaps=gaps.size,
            n=top.size,
            first=names[0],
            second=names[1],
            apart=counted(int(gaps[least]), view.unit),
        )
    )


LESSON = lesson.Lesson("attack", _CASE, _example, _answer, _on_data)
