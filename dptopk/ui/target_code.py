"""The lines of Python that give the numbers of Choose ε, those at other k and δ where asked."""

from collections.abc import Sequence

from dptopk.mechanisms import Mechanism
from dptopk.parameters import DELTA
from dptopk.questions.epsilon import at_other_deltas, at_other_ks
from dptopk.questions.stand_in import StandIn
from dptopk.ui import snippets
from dptopk.ui.solving import Asked
from dptopk.view import View


def lines(
    view: View,
    mechanisms: Sequence[Mechanism],
    asked: Asked,
    *,
    at_other_k: bool,
    against_delta: bool,
    stand_in: StandIn | None,
) -> str:
    """Solve for every mechanism, and say of each answer whether it is exact."""
    body = smallest(view, asked)
    if at_other_k:
        tried, _ = at_other_ks(view, asked.goal)
        targets = {m.k: asked.goal.target(view.counts, m.k) for m in tried}
        body += f"\ntargets = {targets!r}\n{_listed('at_other_k', 'k', tried)}"
        body += _solved(
            "at_other_k", "targets[mechanism.k]", ' "k =", mechanism.k,', asked, view.seed
        )
    if against_delta:
        every, _ = at_other_deltas(view, asked.goal)
        relaxed = [m for m in every if m.card.takes(DELTA.key)]
        body += "\n" + _listed("at_other_delta", DELTA.key, relaxed)
        said = ' "δ =", mechanism.delta,'
        body += _solved("at_other_delta", "target", said, asked, view.seed)
    if stand_in:
        body += f"\n{on_stand_in(stand_in, view, asked)}"
    return snippets.small(view.source.python, mechanisms, body)


def smallest(view: View, asked: Asked) -> str:
    """Lines that solve for each of the ``mechanisms``."""
    target = asked.goal.target(view.counts, view.k)
    return f"target = {target!r}\n{_solved('mechanisms', 'target', '', asked, view.seed)}"


def on_stand_in(stand_in: StandIn, view: View, asked: Asked) -> str:
    """Lines that ask the same of what stands in for the data, of those that can run on it."""
    target = asked.goal.target(stand_in.counts, min(view.k, stand_in.counts.d))
    listed = "(mechanism for mechanism in mechanisms if mechanism.k <= counts.d)"
    said = f' "on {stand_in.name}",'
    return f"{stand_in.python}\n{_solved(listed, repr(target), said, asked, view.seed)}"


def _listed(name: str, key: str, tried: Sequence[Mechanism]) -> str:
    """Lines that make the mechanisms, each at all values of ``key`` that it is tried at."""
    first = {mechanism.label: mechanism for mechanism in reversed(tried)}
    rows = ""
    for label in dict.fromkeys(mechanism.label for mechanism in tried):
        values = [getattr(mechanism, key) for mechanism in tried if mechanism.label == label]
        made = snippets.constructor(first[label])
        rows += f"    *({made}.replaced({key}={key}) for {key} in {values}),\n"
    return f"{name} = [\n{rows}]\n"


def _solved(mechanisms: str, target: str, said: str, asked: Asked, seed: int) -> str:
    """Lines that solve for each, and print ``said`` after its name."""
    return f"""\
for mechanism in {mechanisms}:
    found = smallest_epsilon(counts, mechanism, {target}, {asked.probability}, seed={seed})
    how = "exact" if found.exact else "simulated"
    print(mechanism.label,{said} found.epsilon, found.low, found.high, how)
"""
