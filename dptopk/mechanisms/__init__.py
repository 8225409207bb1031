"""Mechanisms, one module each, with sampler, exact law, guarantee and cost.

base      what all share: checks, ranks and positions, the laws a mechanism may offer
single_choice, approximate, gumbel  what those share that make one choice among whole outputs, that
          need a delta, that add Gumbel noise to the counts
card      what people are told of a mechanism, and how it is drawn
noise_scales  how much noise each kind needs for the same k, epsilon and delta
noise     the noise behind a draw, for what releases an order of noisy counts
law       exact laws of errors, and bounds, as values
compared  who is in the figures of the paper
registry  which mechanisms there are: one line each
kernels/  counting, drawing and integrating that several share
pitfalls  mechanisms that are wrong on purpose
"""

from typing import Any

from dptopk.mechanisms import registry as _registry
from dptopk.mechanisms.approximate import SetOrNothing
from dptopk.mechanisms.base import (
    Mechanism,
    NoExactDrawError,
    PureMechanism,
    SimulatedMechanism,
    check_mechanism,
)
from dptopk.mechanisms.card import Card, Example, Explanation, Gaps, Group, Style, ToldAtPresent
from dptopk.mechanisms.cdp_peel import CALIBRATIONS
from dptopk.mechanisms.joint import joint_loss_bound
from dptopk.mechanisms.law import Chance, ErrorBound, ErrorLaw, NoClosedFormError
from dptopk.mechanisms.noise import NoisyOrder
from dptopk.mechanisms.noise_scales import ComparesNoise, NoiseScale, one_shot_laplace_scale
from dptopk.mechanisms.reading import ReadsTheTop, Thresholded
from dptopk.mechanisms.registry import *  # noqa: F403  the registered classes, by name


class Registry(dict[str, type[Mechanism]]):
    """Mechanisms by name, in the order shown; class names are accepted as well."""

    def __missing__(self, name: str) -> type[Mechanism]:
        for mechanism in self.values():
            if name in (mechanism.__name__, mechanism.card.key):
                return mechanism
        raise KeyError(f"{name!r} is none of {', '.join(self)}")

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or any(
            name in (mechanism.__name__, mechanism.card.key) for mechanism in self.values()
        )

    def get(self, name: str, default: Any = None) -> Any:
        """Return the mechanism of a name, or the default."""
        try:
            return self[name]
        except KeyError:
            return default


MECHANISMS: dict[str, type[Mechanism]] = Registry(
    {
        mechanism.name: mechanism
        for mechanism in vars(_registry).values()
        if isinstance(mechanism, type) and issubclass(mechanism, Mechanism)
    }
)
"""Every mechanism by its name ("PNF-Peel") or its class's ("PNFPeel"), in the order shown."""

SequenceMechanism = Mechanism
"""The name of `Mechanism` in version 0.1."""

__all__ = [
    "CALIBRATIONS",
    "MECHANISMS",
    "Card",
    "Chance",
    "ComparesNoise",
    "ErrorBound",
    "ErrorLaw",
    "Example",
    "Explanation",
    "Gaps",
    "Group",
    "Mechanism",
    "NoClosedFormError",
    "NoExactDrawError",
    "NoiseScale",
    "NoisyOrder",
    "PureMechanism",
    "ReadsTheTop",
    "SequenceMechanism",
    "SetOrNothing",
    "SimulatedMechanism",
    "Style",
    "Thresholded",
    "ToldAtPresent",
    "check_mechanism",
    "joint_loss_bound",
    "one_shot_laplace_scale",
]
__all__ += [mechanism.__name__ for mechanism in MECHANISMS.values()]
