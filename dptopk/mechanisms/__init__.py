"""Mechanisms, one module each, with sampler, exact law, guarantee and cost.

Besides the mechanisms:

registry       list of the mechanisms, a line each
base           base classes: checks, ranks and positions, exact laws that a mechanism may offer
gumbel, noisy_order, free_gaps, approximate, unknown_items  base classes of mechanisms that add
               Gumbel noise, that order items by noisy counts, whose noisy gaps cost nothing more,
               that need delta > 0, that need no list of items
card           name, explanation, parameters and plotting style of a mechanism
exact_laws     types of exact laws and bounds
noise_scales   noise of each kind at the same k, epsilon and delta
pictures       data of the figures that explain how a mechanism chooses
selections     mechanisms by requirement, lesson or paper
external_samplers  samplers of the same distributions in other libraries
pitfalls       wrong mechanisms, to show and test that violations are detected
kernels/       counting, drawing and integrating shared by several mechanisms
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
from dptopk.mechanisms.card import Card, Example, ExplainsValue, Explanation, Gaps, Group, Style
from dptopk.mechanisms.cdp_peel import CALIBRATIONS
from dptopk.mechanisms.exact_laws import ErrorBound, ErrorLaw, NoClosedFormError
from dptopk.mechanisms.free_gaps import FreeGaps
from dptopk.mechanisms.joint import joint_loss_bound
from dptopk.mechanisms.noise_scales import ComparesNoise, NoiseScale, one_shot_laplace_scale
from dptopk.mechanisms.noisy_order import NoisyOrder
from dptopk.mechanisms.registry import *  # noqa: F403  the registered classes, by name
from dptopk.mechanisms.unknown_items import ReadsTheTop, Thresholded


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

__all__ = [
    "CALIBRATIONS",
    "MECHANISMS",
    "Card",
    "ComparesNoise",
    "ErrorBound",
    "ErrorLaw",
    "Example",
    "ExplainsValue",
    "Explanation",
    "FreeGaps",
    "Gaps",
    "Group",
    "Mechanism",
    "NoClosedFormError",
    "NoExactDrawError",
    "NoiseScale",
    "NoisyOrder",
    "PureMechanism",
    "ReadsTheTop",
    "SetOrNothing",
    "SimulatedMechanism",
    "Style",
    "Thresholded",
    "check_mechanism",
    "joint_loss_bound",
    "one_shot_laplace_scale",
]
__all__ += [mechanism.__name__ for mechanism in MECHANISMS.values()]
