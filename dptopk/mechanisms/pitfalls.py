"""Deliberately wrong mechanisms, to show and test that privacy violations are detected.

They claim the guarantee of the right mechanism and do not keep it, or waste it.  Not in
the registry of mechanisms; `PITFALLS` tells their stories.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dptopk.core.papers import GILLENWATER_2022
from dptopk.core.parameters import Number
from dptopk.core.privacy import NeighborRelation
from dptopk.mechanisms.base import Mechanism
from dptopk.mechanisms.card import Card
from dptopk.mechanisms.cdp_peel import CDPPeel


@dataclass(frozen=True)
class MisscaledCDPPeel(CDPPeel):
    """CDP-Peel with its per-round parameter multiplied by a wrong factor.

    ``factor`` 1.25 is a Gumbel scale too small by 20%; 1 / k is Algorithm 3 as printed
    in Gillenwater et al. (2022), with scale k / local_epsilon: private, and k times
    noisier than Lemma 4.2 and the authors' code.
    """

    factor: float = 1.0

    card: ClassVar[Card] = dataclasses.replace(
        CDPPeel.card,
        key="MisscaledCDPPeel",
        parameters=(
            *CDPPeel.card.parameters,
            Number("factor", "Wrong factor", 1e-300, 1e300, 1.0, integer=False),
        ),
    )

    @property
    def why_not_exact(self) -> str:
        """Reason why there is no exact sampler: it is none to publish."""
        return "It is wrong on purpose."

    @property
    def local_epsilon(self) -> float:
        """Per-round parameter, wrong by ``factor``."""
        return super().local_epsilon * self.factor


@dataclass(frozen=True)
class Pitfall:
    """Common mistake: its title, its story, and mechanisms that make it.

    Parameters
    ----------
    key, title, story : str
        Its stable name, what people call it, and what happens, in sentences.
    wrong : callable
        (right mechanisms, settings by field name) -> mechanisms that are wrong.
    judged_by : NeighborRelation or None
        The change of the data they are judged by; None for the one they claim.
    """

    key: str
    title: str
    story: str
    wrong: Callable[[Sequence[Mechanism], Mapping[str, Any]], tuple[Mechanism, ...]]
    judged_by: NeighborRelation | None = None


def _unswapped(right: Sequence[Mechanism], _: Mapping[str, Any]) -> tuple[Mechanism, ...]:
    joins = NeighborRelation.ADD_REMOVE
    return tuple(m.replaced(neighbors=joins) for m in right)


def _too_small(_: Sequence[Mechanism], settings: Mapping[str, Any]) -> tuple[Mechanism, ...]:
    return (_misscaled(settings, 1.25),)


def _as_printed(_: Sequence[Mechanism], settings: Mapping[str, Any]) -> tuple[Mechanism, ...]:
    return (_misscaled(settings, 1 / settings["k"]),)


def _misscaled(settings: Mapping[str, Any], factor: float) -> Mechanism:
    """Return the misscaled mechanism with the settings that it takes."""
    names = {field.name for field in dataclasses.fields(MisscaledCDPPeel)}
    own = {name: value for name, value in settings.items() if name in names}
    return MisscaledCDPPeel(**own | {"factor": factor})


PITFALLS: dict[str, Pitfall] = {
    pitfall.key: pitfall
    for pitfall in (
        Pitfall(
            "unswapped",
            "add/remove noise although a user is replaced",
            "The noise is right when one user joins or leaves, but here one is replaced, and "
            "counts move both ways. The authors' published code does this for peeling: the "
            "promise breaks.",
            _unswapped,
            NeighborRelation.SWAP,
        ),
        Pitfall(
            "too_small",
            "CDP-Peel with Gumbel noise 20% too small",
            "Multiplying the per-round ε by 1.25 makes every answer look better, and spends more "
            "than was promised.",
            _too_small,
        ),
        Pitfall(
            "as_printed",
            "CDP-Peel with the scale printed in Algorithm 3",
            f"{GILLENWATER_2022.at('Algorithm 3').link}, prints Gumbel noise of scale k/ε′; Lemma "
            "4.2 there and the authors' code use 1/ε′. As printed the mechanism is private, but "
            "wastes most of the budget.",
            _as_printed,
        ),
    )
}
"""Every pitfall by its key, in the order shown."""
