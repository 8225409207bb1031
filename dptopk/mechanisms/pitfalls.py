"""Mechanisms that are wrong on purpose, to show (and to test) that wrong ones are caught.

They claim the guarantee of the right mechanism and do not keep it, or waste it.  Not in
the registry of mechanisms.
"""

from dataclasses import dataclass

from dptopk import _validate
from dptopk.mechanisms.cdp_peel import CDPPeel


@dataclass(frozen=True)
class MisscaledCDPPeel(CDPPeel):
    """CDP-Peel with its per-round parameter multiplied by a wrong factor.

    ``factor`` 1.25 is a Gumbel scale too small by 20 %; 1 / k is Algorithm 3 as printed
    in Gillenwater et al. (2022), with scale k / local_epsilon: private, and k times
    noisier than Lemma 4.2 and the authors' code.
    """

    factor: float = 1.0

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "factor", _validate.positive("factor", self.factor))

    @property
    def local_epsilon(self) -> float:
        """Per-round parameter, wrong by ``factor``."""
        return super().local_epsilon * self.factor
