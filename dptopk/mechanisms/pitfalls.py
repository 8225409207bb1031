"""Mechanisms that are wrong on purpose, to show (and to test) that wrong ones are caught.

They claim the guarantee of the right mechanism and do not keep it, or waste it.  Not in
the registry of mechanisms.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from dptopk.mechanisms.card import Card
from dptopk.mechanisms.cdp_peel import CDPPeel
from dptopk.parameters import Number


@dataclass(frozen=True)
class MisscaledCDPPeel(CDPPeel):
    """CDP-Peel with its per-round parameter multiplied by a wrong factor.

    ``factor`` 1.25 is a Gumbel scale too small by 20 %; 1 / k is Algorithm 3 as printed
    in Gillenwater et al. (2022), with scale k / local_epsilon: private, and k times
    noisier than Lemma 4.2 and the authors' code.
    """

    factor: float = 1.0

    card: ClassVar[Card] = replace(
        CDPPeel.card,
        key="MisscaledCDPPeel",
        parameters=(
            *CDPPeel.card.parameters,
            Number("factor", "Wrong factor", 1e-300, 1e300, 1.0, integer=False),
        ),
    )

    @property
    def local_epsilon(self) -> float:
        """Per-round parameter, wrong by ``factor``."""
        return super().local_epsilon * self.factor
