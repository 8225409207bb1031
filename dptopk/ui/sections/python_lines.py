"""Write the lines of Python that reproduce the numbers of the page Choose ε."""

from collections.abc import Sequence

from dptopk.core.parameters import DELTA
from dptopk.mechanisms import Mechanism
from dptopk.questions.epsilon import Requirement, at_other_deltas, at_other_ks
from dptopk.questions.stand_in import StandIn
from dptopk.questions.view import View
from dptopk.ui import snippets


def lines(
    view: View,
    mechanisms: Sequence[Mechanism],
    requirement: Requirement,
    stand_in: StandIn | None,
    *,
    at_other_k: bool,
    against_delta: bool,
) -> str:
    """Return lines that solve for every mechanism and print whether each answer is exact."""
    body = smallest(view, requirement)
    if at_other_k:
        tried, _ = at_other_ks(view, requirement.goal)
        targets = {m.k: requirement.goal.target(view.counts, m.k) for m in tried}
        body += f"\ntargets = {targets!r}\n{_listed('at_other_k', 'k', tried)}"
        body += _solved(
            "at_other_k", "targets[mechanism.k]", ' "k =", mechanism.k,', requirement, view.seed
        )
    if against_delta:
        every, _ = at_other_deltas(view, requirement.goal)
        relaxed = [m for m in every if m.card.takes(DELTA.key)]
        body += "\n" + _listed("at_other_delta", DELTA.key, relaxed)
        printed = ' "δ =", mechanism.delta,'
        body += _solved("at_other_delta", "target", printed, requirement, view.seed)
    if stand_in:
        body += f"\n{on_stand_in(stand_in, view, requirement)}"
    return snippets.small(view.source.python, mechanisms, body)


def smallest(view: View, requirement: Requirement) -> str:
    """Return lines that solve for each of the ``mechanisms``."""
    target = requirement.goal.target(view.counts, view.k)
    solved = _solved("mechanisms", "target", "", requirement, view.seed)
    return f"target = {target!r}\n{solved}{_together(view, requirement)}"


def on_stand_in(stand_in: StandIn, view: View, requirement: Requirement) -> str:
    """Return lines that solve on the stand-in for the data, where a mechanism can run on it."""
    target = requirement.goal.target(stand_in.counts, min(view.k, stand_in.counts.d))
    listed = "(mechanism for mechanism in mechanisms if mechanism.k <= counts.d)"
    printed = f' "on {stand_in.name}",'
    solved = _solved(listed, repr(target), printed, requirement, view.seed)
    return f"{stand_in.python}\n{solved}{_together(view, requirement, total=False)}"


def _listed(name: str, key: str, tried: Sequence[Mechanism]) -> str:
    """Return lines that make the mechanisms, each at all its values of ``key``."""
    first = {mechanism.label: mechanism for mechanism in reversed(tried)}
    rows = ""
    for label in dict.fromkeys(mechanism.label for mechanism in tried):
        values = [getattr(mechanism, key) for mechanism in tried if mechanism.label == label]
        made = snippets.constructor(first[label])
        rows += f"    *({made}.replaced({key}={key}) for {key} in {values}),\n"
    return f"{name} = [\n{rows}]\n"


def _together(view: View, requirement: Requirement, *, total: bool = True) -> str:
    """Return lines of the loop that print the cost of several releases and their share."""
    repeated = requirement.repeated
    if not repeated.several:
        return ""
    n, delta = repeated.releases, view.delta
    lines = f"""\
    cost = needed_together(found, mechanism, {n}, {delta!r})
    print(" {n} together", cost.value, cost.low, cost.high, cost.by)
    print(" all right", cost.chance.value, cost.chance.low, cost.chance.high)
"""
    if total and repeated.total is not None:
        lines += f"""\
    one = within_budget(
        counts, mechanism, target, {n}, {repeated.total!r}, {delta!r}, seed={view.seed}
    )
    of_one = one.chance
    print(" within {repeated.total!r}", one.epsilon, of_one.value, of_one.low, of_one.high)
"""
    return lines


def _solved(mechanisms: str, target: str, printed: str, requirement: Requirement, seed: int) -> str:
    return f"""\
for mechanism in {mechanisms}:
    found = smallest_epsilon(counts, mechanism, {target}, {requirement.probability}, seed={seed})
    how = "exact" if found.exact else "simulated"
    print(mechanism.label,{printed} found.epsilon, found.low, found.high, how)
"""
